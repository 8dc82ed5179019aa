#!/usr/bin/python3
"""What a node costs the conductor in halls of several sizes: processor time of `hearth node serve`, in microseconds for each node
or each question. usage: hall.py HEARTH [NODES…]

Goal: in the largest hall at most a fifth more than in the smallest, which is checked. Machines are made up (fake-hardware): what
BMCs and networks take is not in it.
"""

import http.client
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time

SOME = 1000  # questions of each kind, where there are so many nodes


def mac(n, first=0x525400000000):
    return (first + n).to_bytes(6, "big").hex(":")


class Local(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=600)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Hall:
    """One conductor, and what it took for what."""

    def __init__(self, hearth, nodes):
        self.hearth, self.nodes, self.some_of, self.state = hearth, nodes, min(SOME, nodes), tempfile.mkdtemp(prefix="hearth-hall-")
        os.chmod(self.state, 0o755)
        self.costs = {}
        self.log = open(os.path.join(self.state, "log"), "wb")
        self.start(15)

    def start(self, power_sync):
        self.process = subprocess.Popen([self.hearth, "node", "serve", "--state", self.state, "--rehearsal", "--port", "0", "--quiet",
                                         "--keep-rights", "--power-sync-interval", str(power_sync)], stdout=self.log, stderr=self.log)
        path = os.path.join(self.state, "api.socket")
        while not os.path.exists(path):
            if self.process.poll() is not None:
                raise SystemExit(f"hearth node serve ended: {open(self.log.name, encoding='utf-8').read()}")
            time.sleep(0.05)
        self.connection = Local(path)

    def __enter__(self):
        return self

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def __exit__(self, *_):
        self.stop()
        self.log.close()
        shutil.rmtree(self.state)

    def processor(self):
        """Seconds so far, by the scheduler's own count, of all threads."""
        total = 0
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{task}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
        return total / 1e9

    def memory(self, key):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(key)) / 1024

    def cost(self, what, count, action):
        before = self.processor()
        action()
        self.costs[what] = (self.processor() - before) / count * 1e6

    def ask(self, method, path, body=None):
        self.connection.request(method, path, None if body is None else json.dumps(body),
                                {"X-OpenStack-Ironic-API-Version": "1.82", "Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {text[:500]}")
        return json.loads(text) if text else None

    def load(self, entries, *options):
        with open(os.path.join(self.state, "hall.json"), "w", encoding="utf-8") as file:
            json.dump({"nodes": entries}, file)
        subprocess.run([self.hearth, "node", "import", "--state", self.state, *options, file.name], check=True,
                       stdout=subprocess.DEVNULL)

    def some(self):
        """Numbers of nodes, from all over the hall."""
        return range(0, self.some_of * (self.nodes // self.some_of), self.nodes // self.some_of)

    def pages(self, path, key, size):
        marker, count = "", 0
        while count < self.some_of:
            rows = self.ask("GET", f"{path}?limit={size}{marker and '&marker=' + marker}")[key]
            marker, count = rows[-1]["uuid"], count + len(rows)

    def walk(self):
        """All nodes, as hearth node list asks for them."""
        marker = ""
        while True:
            rows = self.ask("GET", f"/v1/nodes?limit=1000{marker and '&marker=' + marker}")["nodes"]
            if not rows:
                return
            marker = rows[-1]["uuid"]

    def events(self):
        for n in self.some():
            self.ask("GET", f"/v1/hearth/events?node=n{n}&limit=20")

    def page(self, then):
        """Somebody opens the page and looks on while `then` is done."""
        reader = Local(self.connection.path)
        reader.request("GET", "/page/events")
        stream = reader.getresponse()
        while not stream.readline().startswith(b"data: "):
            pass
        then()
        reader.close()

    def measure(self):
        n, ask, cost, some = self.nodes, self.ask, self.cost, self.some_of
        entries = [{"name": f"n{i}", "driver": "fake-hardware", "ports": [{"address": mac(i)}]} for i in range(n)]
        cost("import, to available", n, lambda: self.load(entries))
        cost("the same import again", n, lambda: self.load(entries))
        cost("power sync", n, lambda: time.sleep(16))
        self.costs["memory, KB"] = self.memory("VmHWM") * 1024 / n
        self.stop()
        self.start(0)  # nothing but what is asked for is counted from here on
        self.costs["start"] = self.processor() / n * 1e6
        cost("list, all", n, self.walk)
        uuids = [ask("GET", f"/v1/nodes/n{i}?fields=uuid")["uuid"] for i in self.some()]
        cost("one node, by name", some, lambda: [ask("GET", f"/v1/nodes/n{i}") for i in self.some()])
        cost("one node, by UUID", some, lambda: [ask("GET", f"/v1/nodes/{uuid}") for uuid in uuids])
        cost("one port, by MAC", some, lambda: [ask("GET", f"/v1/ports?address={mac(i)}") for i in self.some()])
        cost("nodes, a row of a page of 50", some, lambda: self.pages("/v1/nodes", "nodes", 50))
        cost("ports, a row of a page of 50", some, lambda: self.pages("/v1/ports", "ports", 50))
        cost("one node, PATCH", some, lambda: [ask("PATCH", f"/v1/nodes/n{i}", [{"op": "add", "path": "/extra/x", "value": i}])
                                                for i in self.some()])
        cost("events of a node", some, self.events)
        cost("one machine more", 20, lambda: [self.load([{"name": f"more{i}", "driver": "fake-hardware", "ports": [
            {"address": mac(i, 0x560000000000)}]}]) for i in range(20)])
        cost("page, the whole hall", n, lambda: self.page(lambda: None))
        self.page(lambda: cost("page, a change", 100, lambda: [
            (ask("PUT", f"/v1/nodes/n{i}/maintenance", {"reason": "x"}), time.sleep(0.26)) for i in list(self.some())[:100]]))
        cost("idle, a second", 10, lambda: time.sleep(10))


def main():
    hearth, sizes = os.path.realpath(sys.argv[1]), [int(word) for word in sys.argv[2:]] or [100, 1000, 10000]
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    found = []
    for size in sizes:
        with Hall(hearth, size) as hall:
            hall.measure()
            found.append(hall.costs)
    print(f"{'us of processor time for each':32}" + "".join(f"{size:>12,}" for size in sizes) + " nodes")
    missed = False
    for what, one in found[0].items():
        print(f"{what:32}" + "".join(f"{costs[what]:12.1f}" for costs in found))
        # Of what is asked for once a second or so, ticks of other kinds are a part: 0.1 ms is allowed for them.
        if what != "memory, KB" and found[-1][what] > one * 1.2 + 100:
            print("  dearer in the largest hall by more than 20 %")
            missed = True
    sys.exit(1 if missed else 0)


main()
