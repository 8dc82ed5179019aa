#!/usr/bin/python3
"""A fleet on one core. usage: hall_fleet.py HEARTH [NODES] [OF THEM BY REDFISH] [DEPLOYMENTS]

All nodes are enrolled, inspected and made available by one `hearth node serve` that has one core and no setting changed: within
ten minutes and 1 GB. Of the machines 2,000 have a BMC of their own that speaks Redfish over a socket (an address each); the others
obey at once (fake-hardware). Each machine's ramdisk sends its inventory as soon as its node waits for it: no firmware, no network
boot, no kernel is in the figure. Then 1,000 deployments are asked for at once, and meanwhile each 20 ms somebody asks the API for
a node, a page of 50 or a change: the server takes 50 ms at most for 99 of 100, a change on the disk; what else shares the cores
with whoever asks is told apart. What answers for BMCs and ramdisks is one Python process
on the other core, and is part of the time, not of the processor time.
"""

import asyncio
import json
import operator
import os
import select
import socket
import struct
import subprocess
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../peers/bootstrap"))
import conductor_agents  # noqa: E402  pylint: disable=wrong-import-position
from conductor import Conductor  # noqa: E402  pylint: disable=wrong-import-position
from hall_table import end_tidily, loads, row, say  # noqa: E402  pylint: disable=wrong-import-position
from usage import usage  # noqa: E402  pylint: disable=wrong-import-position

ROOT = "/redfish/v1"
SYSTEM = ROOT + "/Systems/1"
IMAGE = {"image_source": "http://192.0.2.1/i.raw", "image_os_hash_algo": "sha256", "image_os_hash_value": "00"}
WAITS = {"inspect wait", "wait call-back", "clean wait"}
SO_TIMESTAMPNS = 35  # Linux's, which Python has no name for


def mac(n):
    return (0x525400000000 + n).to_bytes(6, "big").hex(":")


def bmc_address(n):
    return f"127.20.{n >> 8}.{n & 255}"


class Bmcs:
    """All of them, told apart by the address that was asked."""

    def __init__(self):
        self.on, self.requests = set(), 0

    def answer(self, own, method, path, body):
        self.requests += 1
        if method == "POST" and path.endswith("/Sessions"):
            return 201, {"@odata.id": path + "/1", "Id": "1"}, f"X-Auth-Token: t\r\nLocation: {path}/1\r\n"
        if method == "POST" and path.endswith("ComputerSystem.Reset"):
            (self.on.add if body["ResetType"] in ("On", "ForceRestart") else self.on.discard)(own)
        if method != "GET":
            return 204, None, ""
        if path == ROOT:
            return 200, {"@odata.id": ROOT, "RedfishVersion": "1.6.0", "Systems": {"@odata.id": ROOT + "/Systems"}, "Links": {
                "Sessions": {"@odata.id": ROOT + "/SessionService/Sessions"}}}, ""
        if path == ROOT + "/Systems":
            return 200, {"@odata.id": path, "Members": [{"@odata.id": SYSTEM}], "Members@odata.count": 1}, ""
        if path != SYSTEM:
            return 404, {"error": {"message": path}}, ""
        return 200, {"@odata.id": SYSTEM, "Id": "1", "PowerState": "On" if own in self.on else "Off", "Boot": {
            "BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideTarget": "None", "BootSourceOverrideMode": "UEFI",
            "BootSourceOverrideTarget@Redfish.AllowableValues": ["None", "Pxe", "Hdd"]}, "Actions": {"#ComputerSystem.Reset": {
                "target": SYSTEM + "/Actions/ComputerSystem.Reset", "ResetType@Redfish.AllowableValues": [
                    "On", "ForceOff", "GracefulShutdown", "ForceRestart"]}}}, ""

    async def serve(self, reader, writer):
        own = writer.get_extra_info("sockname")[0]
        try:
            while True:
                lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                length = next((int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length")), 0)
                body = json.loads(await reader.readexactly(length)) if length else None
                method, path, _ = lines[0].split()
                status, answer, headers = self.answer(own, method, path.rstrip("/"), body)
                data = b"" if answer is None else json.dumps(answer).encode()
                writer.write(f"HTTP/1.1 {status} x\r\nContent-Type: application/json\r\n{headers}Content-Length: {len(data)}\r\n\r\n"
                             .encode() + data)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


async def machines(url, token):
    """BMCs and ramdisks; each ramdisk boots when the event comes that its node waits for it."""
    site = conductor_agents.Site(url, 0, token)
    agents = await asyncio.start_server(site.serve, "0.0.0.0", 0, backlog=4096)
    site.port = agents.sockets[0].getsockname()[1]
    bmcs = await asyncio.start_server(Bmcs().serve, "0.0.0.0", 0, backlog=4096)
    print(bmcs.sockets[0].getsockname()[1], flush=True)
    after, gate, running = 0, asyncio.Semaphore(16), set()
    while True:
        _, answer = await site.ask("GET", f"/v1/hearth/events?after={after}&limit=2000")
        for event in answer["events"]:
            after = event["id"]
            state = event["text"].split(" -> ")[-1]
            if event["kind"] == "state" and state in WAITS:
                task = asyncio.create_task(site.boot({"uuid": event["node"], "provision_state": state}, mac(int(event["name"][1:])), gate))
                running.add(task)
                task.add_done_callback(running.discard)
        if not answer["events"]:
            await asyncio.sleep(0.1)


def wait_for_all(c, count, state, what, patience=1800):
    end, told = time.monotonic() + patience, 0
    while time.monotonic() < end:
        found = len(c.ask("GET", f"/v1/nodes?provision_state={state}&fields=uuid")[1]["nodes"])
        if found >= count:
            return
        if time.monotonic() > told + 20:
            told = time.monotonic()
            say(f"{what}: {found} of {count}")
        time.sleep(2)
    raise SystemExit(f"{found} of {count} nodes came to {state}")


def ask_on(url, token, idle, pid):
    """Asks the API all the time until stdin ends, and prints how long each answer took, as three numbers: till it was read here; till
    it lay in our socket, as the kernel has it: what the server took of that, whatever else keeps this process waiting; and that without
    what the server's thread was ready meanwhile and had no core, some of it when it had answered: it is not less than that."""
    where, took = urllib.parse.urlsplit(url), []
    while not select.select([sys.stdin], [], [], 0.02)[0]:
        turn = len(took) + 1
        method, path, body = [("GET", f"/v1/nodes/{idle}", None), ("GET", "/v1/nodes?limit=50", None),
                              ("PATCH", f"/v1/nodes/{idle}", [{"op": "add", "path": "/extra/turn", "value": turn}])][turn % 3]
        data = b"" if body is None else json.dumps(body).encode()
        head = (f"{method} {path} HTTP/1.1\r\nHost: {where.hostname}\r\nX-Auth-Token: {token}\r\nConnection: close\r\n"
                "X-OpenStack-Ironic-API-Version: 1.82\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(data)}\r\n\r\n").encode()
        began, waited = time.monotonic(), waited_for_core(pid)
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
            client.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            client.connect((where.hostname, where.port))
            asked = time.time_ns()
            client.sendall(head + data)
            answer, arrived = b"", 0
            while True:
                piece, notes, _, _ = client.recvmsg(1 << 20, 64)
                arrived = max([arrived] + [sum(map(operator.mul, struct.unpack("qq", note), (10**9, 1))) for _, _, note in notes])
                if not piece:
                    break
                answer += piece
        own, waited = (arrived - asked) / 1e6, (waited_for_core(pid) - waited) * 1000
        took.append(((time.monotonic() - began) * 1000, own, max(own - waited, 0)))
        if answer.split(None, 2)[1] != b"200":
            raise SystemExit(f"{method} {path}: {answer[:400]}")
    json.dump(took, sys.stdout)


def waited_for_core(pid):
    """Seconds that its first thread, the one that answers, was ready to run and had no core."""
    with open(f"/proc/{pid}/task/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[1]) / 1e9


def spread(times):
    times = sorted(times)
    return f"half {times[len(times) // 2]:.1f}, 99 of 100 {times[len(times) * 99 // 100]:.1f}, all {times[-1]:.0f} ms"


def api_rows(took):
    """Of what ask_on() has printed. Whether the goal was missed."""
    seen, answered, own = ([one[at] for one in took] for at in range(3))
    row("API meanwhile, as whoever asked saw it", "", spread(seen))
    row("had its thread never waited for a core, at least", "", spread(own))
    return row(f"the server's own time ({len(own)} calls)", "99 of 100 in 50 ms", spread(answered),
               sorted(answered)[len(answered) * 99 // 100] <= 50)


def verb(c, numbers, target):
    for n in numbers:
        if n % 2000 == 1999:
            say(f"{target}: {n + 1} are asked for")
        status, answer = c.ask("PUT", f"/v1/nodes/n{n}/states/provision", {"target": target})
        if status != 202:
            raise SystemExit(f"{target} of n{n}: {status} {answer}")


def deploy(c, numbers, idle):
    """Whether the server took longer than it may for 99 of 100 answers meanwhile."""
    cpu, waited = usage(c.process.pid)[1], waited_for_core(c.process.pid)
    with subprocess.Popen([sys.executable, __file__, "ask", c.url, c.token(), idle, str(c.process.pid)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as asker:
        began = time.monotonic()
        for n in numbers:
            c.ask("PATCH", f"/v1/nodes/n{n}", [{"op": "add", "path": "/instance_info", "value": IMAGE}])
        verb(c, numbers, "active")
        for n in numbers:  # a list of all would keep the others waiting
            while c.ask("GET", f"/v1/nodes/n{n}?fields=provision_state")[1]["provision_state"] != "active":
                time.sleep(0.2)
        took = json.loads(asker.communicate("that is all")[0])
    parts = c.ask("GET", "/v1/hearth/pace")[1]["parts"]
    say("the longest of the last two minutes: " + ", ".join(f"{name} {part['longest'] * 1000:.0f} ms" for name, part in parts.items()))
    waited = waited_for_core(c.process.pid) - waited
    row(f"{len(numbers)} deployments at once", "", f"all active after {time.monotonic() - began:.0f} s, {usage(c.process.pid)[1] - cpu:.0f} s of "
        f"processor time; its thread waited {waited:.0f} s for a core, load {loads():.1f} a core")
    return api_rows(took)


def main():
    end_tidily()
    words = [int(word) for word in sys.argv[2:]]
    count, redfish, deployments = (words + [13500, 2000, 1000][len(words):])[:3]
    missed = False
    with Conductor(sys.argv[1], "--quiet") as c:
        for task in os.listdir(f"/proc/{c.process.pid}/task"):
            os.sched_setaffinity(int(task), {0})
        os.sched_setaffinity(0, set(range(1, os.cpu_count())) or {0})  # whoever asks and answers has the others
        other = subprocess.Popen([sys.executable, __file__, "machines", c.url, c.token()], stdout=subprocess.PIPE, text=True)
        try:
            port = int(other.stdout.readline())
            entries = [{"name": f"n{n}", "ports": [{"address": mac(n)}], "driver": "fake-hardware"} if n >= redfish else
                       {"name": f"n{n}", "mac": [mac(n)], "pm_type": "redfish", "pm_addr": f"http://{bmc_address(n)}:{port}",
                        "pm_user": "admin", "pm_password": "secret"} for n in range(count)]
            with open(os.path.join(c.directory, "fleet.json"), "w", encoding="utf-8") as file:
                json.dump({"nodes": entries}, file)
            began = time.monotonic()
            subprocess.run([c.hearth, "node", "import", "--state", c.directory, "--initial-state", "manageable", file.name], check=True,
                           stdout=subprocess.DEVNULL)
            wait_for_all(c, count, "manageable", "enrolled")
            enrolled = time.monotonic()
            verb(c, range(count), "inspect")
            time.sleep(1)
            wait_for_all(c, count, "manageable", "inspected")
            inspected = time.monotonic()
            verb(c, range(count), "provide")
            wait_for_all(c, count, "available", "available")
            took = time.monotonic() - began
            peak, cpu = usage(c.process.pid)
            goal = 600 * count / 13500
            missed = row(f"{count} machines from nothing to available", f"{goal:.0f} s", f"{took:.0f} s: enrolled {enrolled - began:.0f}, inspected "
                f"{inspected - enrolled:.0f}, available {took - (inspected - began):.0f}; load {loads():.1f} a core", took <= goal)
            missed = row("processor time, and memory at most", "1 core, 1024 MB", f"{cpu:.0f} s, {peak:.0f} MB", peak <= 1024 and cpu <= took) or missed
            missed = deploy(c, range(count - deployments - 1, count - 1), f"n{count - 1}") or missed
        finally:
            other.kill()
            other.wait()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "machines":
        asyncio.run(machines(sys.argv[2], sys.argv[3]))
    elif sys.argv[1] == "ask":
        ask_on(*sys.argv[2:])
    else:
        main()
