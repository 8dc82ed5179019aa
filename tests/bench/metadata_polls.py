"""Agents that poll at a steady rate, each on a connection of its own, sent on time whatever the answers do (open loop).
usage: metadata_polls.py URLS RATE SECONDS"""
import asyncio
import sys
import time
from urllib.parse import urlsplit

with open(sys.argv[1], encoding="utf-8") as file:
    urls = [urlsplit(line) for line in file.read().split("\n")]
rate, seconds = float(sys.argv[2]), float(sys.argv[3])
took, failed = [], 0


async def poll(url):
    global failed
    began = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        writer.write(f"GET {url.path}?{url.query} HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        if not answer.startswith(b"HTTP/1.1 200"):
            failed += 1
    except OSError:
        failed += 1
    took.append((time.perf_counter() - began) * 1000)


async def main():
    began, tasks = time.perf_counter(), []
    for i in range(int(rate * seconds)):
        await asyncio.sleep(max(0, began + i / rate - time.perf_counter()))
        tasks.append(asyncio.create_task(poll(urls[i % len(urls)])))
    await asyncio.gather(*tasks)

asyncio.run(main())
took.sort()
print(f"{rate:.0f} polls a second for {seconds:.0f} s, whole documents: median {took[len(took) // 2]:.2f} ms, "
      f"p99 {took[int(len(took) * .99)]:.2f} ms, failed {failed} of {len(took)}")
