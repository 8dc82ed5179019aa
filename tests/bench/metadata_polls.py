"""Agents that poll at a steady rate, each on a connection of its own, sent on time whatever the answers do (open loop).
usage: metadata_polls.py NAME URLS RATE SECONDS [TAG]; with a TAG the polls are idle ones"""
import asyncio
import sys
import time
from urllib.parse import urlsplit

name = sys.argv[1]
with open(sys.argv[2], encoding="utf-8") as file:
    urls = [urlsplit(line) for line in file.read().split("\n") if line]
rate, seconds = float(sys.argv[3]), float(sys.argv[4])
held = "If-None-Match: %s\r\n" % sys.argv[5] if len(sys.argv) > 5 else ""
expected = b"HTTP/1.1 304" if held else b"HTTP/1.1 200"
took, failed = [], 0


async def poll(url):
    global failed
    began = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        target = url.path + ("?" + url.query if url.query else "")
        writer.write(f"GET {target} HTTP/1.1\r\nHost: {url.netloc}\r\n{held}Connection: close\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        if not answer.startswith(expected):
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
print(f"  {name}: median {took[len(took) // 2]:.2f} ms, p99 {took[int(len(took) * .99)]:.2f} ms, "
      f"failed {failed} of {len(took)}")
