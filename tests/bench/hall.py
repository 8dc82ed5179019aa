#!/usr/bin/python3
"""What a node costs the conductor in halls of several sizes: processor time of `hearth node serve`, in microseconds for each node
or each question. usage: hall.py HEARTH [NODES…]

Goal: in the largest hall at most a fifth more than in the smallest, which is checked; and twice the nodes take at most 2.3 times,
from each hall to the next. Halls take turns at each operation, and the least is told: a neighbour empties everybody's caches.
Machines are made up (fake-hardware): what BMCs and networks take is not in it. As root DHCP is asked, too, in a network of its own.
"""

import http.client
import json
import math
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

from hall_table import end_tidily, row, say

SOME = 1000  # questions of each kind, where there are so many nodes
TURNS = 2
NOISE = 100  # us for each request: of what is asked for once a second or so, ticks of other kinds are a part
ROWS = {"hearth node list, a row": 1000, "nodes, a row of a page of 50": 50, "ports, a row of a page of 50": 50}  # of a request
SERVER, RELAY = "198.18.0.1", "198.18.0.2"


def mac(n, first=0x525400000000):
    return (first + n).to_bytes(6, "big").hex(":")


class Network:
    """This program's own, with the servers' in another namespace; None where we may not."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == own:
            time.sleep(0.02)
        there = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net"]
        for words in (["link", "set", "lo", "up"], ["link", "add", "c0", "type", "veth", "peer", "name", "s0", "netns", str(self.holder.pid)],
                      ["address", "add", RELAY + "/15", "dev", "c0"], ["link", "set", "c0", "up"]):
            subprocess.run(["ip", *words], check=True)
        for words in (["address", "add", SERVER + "/15", "dev", "s0"], ["link", "set", "s0", "up"], ["link", "set", "lo", "up"]):
            subprocess.run([*there, "ip", *words], check=True)
        self.there = there

    def close(self):
        self.holder.kill()
        self.holder.wait()


class Relay:
    """Asks for leases as the relay of machines' network does."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((RELAY, 67))
        self.socket.settimeout(1)

    def ask(self, kind, machines, more):
        """Answers by the machine: (kind, address)."""
        answers, end = {}, time.monotonic() + 30
        while len(answers) < len(machines):
            for n in machines:
                if n not in answers:
                    self.send(kind, n, more.get(n, b""))
            try:
                while len(answers) < len(machines):
                    packet = self.socket.recv(2000)
                    answers[struct.unpack("!I", packet[4:8])[0]] = packet[packet.index(b"\x35\x01", 236) + 2], packet[16:20]
            except TimeoutError:
                if time.monotonic() > end:
                    raise SystemExit(f"DHCP answers {len(answers)} of {len(machines)}") from None
        return answers

    def send(self, kind, n, more):
        packet = struct.pack("!BBBBIHH4s4s4s4s16s64s128s4s", 1, 1, 6, 1, n, 0, 0, b"", b"", b"", socket.inet_aton(RELAY),
                             (0x525400000000 + n).to_bytes(6, "big"), b"", b"", b"\x63\x82\x53\x63")
        self.socket.sendto(packet + bytes([53, 1, kind]) + more + b"\xff", (SERVER, 67))

    def lease(self, machines):
        offers = self.ask(1, machines, {})
        wishes = {n: bytes([50, 4]) + address + bytes([54, 4]) + socket.inet_aton(SERVER) for n, (_, address) in offers.items()}
        for n, (kind, _) in self.ask(3, machines, wishes).items():
            if kind != 5:
                raise SystemExit(f"DHCP: {mac(n)} got {kind}, no lease")


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
        self.costs, self.turn = {}, 0
        self.log = open(os.path.join(self.state, "log"), "wb")
        self.start(0)

    def start(self, power_sync, network=None):
        words = [self.hearth, "node", "serve", "--state", self.state, "--rehearsal", "--port", "0", "--quiet", "--keep-rights",
                 "--power-sync-interval", str(power_sync)]
        self.process = subprocess.Popen(words if network is None else [*network.there, *words, "--boot", self.site()],
                                        stdout=self.log, stderr=self.log)
        path = os.path.join(self.state, "api.socket")
        while not os.path.exists(path):
            if self.process.poll() is not None:
                raise SystemExit(f"hearth node serve ended: {open(self.log.name, encoding='utf-8').read()}")
            time.sleep(0.05)
        self.connection = Local(path)

    def site(self):
        path = os.path.join(self.state, "site.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"interfaces": ["s0"], "state_dir": os.path.join(self.state, "boot"), "networks": [
                {"subnet": "198.18.0.0/15", "server": SERVER, "pools": ["198.18.1.0-198.18.250.255"]}]}, file)
        return path

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
        took = (self.processor() - before) / count * 1e6
        self.costs[what] = min(took, self.costs.get(what, math.inf))

    def ask(self, method, path, body=None, again=True):
        try:
            self.connection.request(method, path, None if body is None else json.dumps(body),
                                    {"X-OpenStack-Ironic-API-Version": "1.82", "Content-Type": "application/json"})
            answer = self.connection.getresponse()
        except ConnectionError:  # other halls had their turn, for longer than a connection may be idle
            if not again:
                raise
            self.connection.close()
            return self.ask(method, path, body, False)
        text = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {text[:500]}")
        return json.loads(text) if text else None

    def load(self, entries, *options):
        with open(os.path.join(self.state, "hall.json"), "w", encoding="utf-8") as file:
            json.dump({"nodes": entries}, file)
        subprocess.run([self.hearth, "node", "import", "--state", self.state, *options, file.name], check=True,
                       stdout=self.log, stderr=self.log)

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

    def entries(self):
        return [{"name": f"n{i}", "driver": "fake-hardware", "ports": [{"address": mac(i)}]} for i in range(self.nodes)]

    def bring_in(self):
        self.cost("import, to available", self.nodes, lambda: (self.load(self.entries()), self.come_to_rest()))
        self.costs["memory, KB"] = self.memory("VmHWM") * 1024 / self.nodes

    def come_to_rest(self):
        """In the order of their way: none slips through between two questions."""
        while any(self.ask("GET", f"/v1/nodes?provision_state={one}&limit=1")["nodes"] for one in ("enroll", "verifying", "manageable")):
            time.sleep(0.5)

    def sync_power(self):
        """A round of looks: the first begins when its interval is over, and has ended when two seconds are quiet."""
        self.stop()
        interval = max(8, self.nodes // 2000)
        self.start(interval)
        self.costs["start of the conductor"] = self.processor() / self.nodes * 1e6
        time.sleep(interval - 2)
        began, before = time.monotonic(), self.processor()
        quiet, end, last = 0, time.monotonic() + 2 * interval + 60, before
        while (quiet < 2 or time.monotonic() < began + 5) and time.monotonic() < end:
            time.sleep(1)
            quiet = quiet + 1 if self.processor() - last < 0.03 else 0
            last = self.processor()
        took = last - before - (time.monotonic() - began) * self.costs["idle, a second"] / 1e6
        self.costs["power sync, a look"] = max(took, 0) / self.nodes * 1e6
        say(f"  a round of power sync over {self.nodes:,} nodes: {time.monotonic() - began:.0f} s")
        self.stop()

    def lease(self, network, relay):
        self.start(0, network)
        asked = list(self.some())[:300]
        for _ in range(TURNS):
            self.cost("DHCP, a lease", len(asked), lambda: [relay.lease(asked[at:at + 50]) for at in range(0, len(asked), 50)])
        self.stop()  # the next one has the same addresses

    def imports(self):
        self.cost("the same import again, a node", self.nodes, lambda: self.load(self.entries()))

    def machines_more(self):
        self.turn += 1
        self.cost("one machine more, by an import", 20, lambda: [self.load([{"name": f"more{self.turn}-{i}", "driver": "fake-hardware", "ports": [
            {"address": mac(i + 100 * self.turn, 0x560000000000)}]}]) for i in range(20)])

    def by_name(self):
        self.cost("a node, by name", self.some_of, lambda: [self.ask("GET", f"/v1/nodes/n{i}") for i in self.some()])

    def by_uuid(self):
        uuids = [self.ask("GET", f"/v1/nodes/n{i}?fields=uuid")["uuid"] for i in self.some()]
        self.cost("a node, by UUID", self.some_of, lambda: [self.ask("GET", f"/v1/nodes/{uuid}") for uuid in uuids])

    def by_mac(self):
        self.cost("a port, by MAC", self.some_of, lambda: [self.ask("GET", f"/v1/ports?address={mac(i)}") for i in self.some()])

    def node_pages(self):
        self.cost("nodes, a row of a page of 50", self.some_of, lambda: self.pages("/v1/nodes", "nodes", 50))

    def port_pages(self):
        self.cost("ports, a row of a page of 50", self.some_of, lambda: self.pages("/v1/ports", "ports", 50))

    def list_all(self):
        self.cost("hearth node list, a row", self.nodes, self.walk)

    def patch(self):
        self.turn += 1
        self.cost("a node changed (PATCH)", self.some_of, lambda: [
            self.ask("PATCH", f"/v1/nodes/n{i}", [{"op": "add", "path": "/extra/x", "value": self.turn}]) for i in self.some()])

    def newest_events(self):
        self.cost("the events of a node", self.some_of, self.events)

    def picture(self):
        self.cost("the page's first picture, a node", self.nodes, lambda: self.page(lambda: None))

    def changes(self):
        """Without what the time between them costs."""
        def change():
            began, before = time.monotonic(), self.processor()
            for i in list(self.some())[:30]:
                self.ask("PUT", f"/v1/nodes/n{i}/maintenance", {"reason": "x"})
                time.sleep(0.26)
            took = self.processor() - before - (time.monotonic() - began) * self.costs["idle, a second"] / 1e6
            self.costs["the page, a change"] = min(took / 30 * 1e6, self.costs.get("the page, a change", math.inf))
        self.page(change)

    def idle(self):
        self.cost("idle, a second", 5, lambda: time.sleep(5))


OPERATIONS = (Hall.imports, Hall.list_all, Hall.by_name, Hall.by_uuid, Hall.by_mac, Hall.node_pages, Hall.port_pages, Hall.patch,
              Hall.newest_events, Hall.machines_more, Hall.picture, Hall.idle, Hall.changes)


def told(found, sizes):
    """Rows of the table, and whether something was missed."""
    missed = False
    print(f"{'us of processor time for each':36}" + "".join(f"{size:>10,}" for size in sizes) + " nodes")
    for what in found[0]:
        costs = [one[what] for one in found]
        print(f"{what:36}" + "".join(f"{cost:10.1f}" for cost in costs))
        if what == "memory, KB" or what.startswith("start"):
            row(f"{what}, for each node", "", " / ".join(f"{cost:.0f}" for cost in costs))
            continue
        of_all = what.startswith(("import", "the same import", "the page's first", "power sync"))
        noise = [NOISE / (size if of_all else ROWS.get(what, 1)) for size in sizes]
        flat = costs[-1] <= costs[0] * 1.2 + noise[0]
        twice = all(more <= less * (2.3 / 2) ** math.log2(large / small) + noise[at]
                    for at, (less, more, small, large) in enumerate(zip(costs, costs[1:], sizes, sizes[1:])))
        missed = row(f"{what}, us", "flat within 20 %; twice the nodes, 2.3 times", " / ".join(f"{cost:.0f}" for cost in costs),
                     flat and twice) or missed
    return missed


def fresh(hearth, size, halls):
    """Small halls several times: the least counts, and the last stays."""
    least = math.inf
    for turn in range(max(1, min(TURNS, 20000 // size))):
        hall = Hall(hearth, size)
        hall.bring_in()
        least = min(least, hall.costs["import, to available"])
        if turn > 0:
            halls.pop().__exit__()
        halls.append(hall)
    halls[-1].costs["import, to available"] = least


def main():
    hearth, sizes = os.path.realpath(sys.argv[1]), [int(word) for word in sys.argv[2:]] or [100, 1000, 10000, 100000]
    end_tidily()
    if os.geteuid() == 0 and "HEARTH_HALL_NETWORK" not in os.environ:
        os.execvpe("unshare", ["unshare", "--net", sys.executable, "-B", *sys.argv], {**os.environ, "HEARTH_HALL_NETWORK": "own"})
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    network = Network() if os.geteuid() == 0 else None
    halls = []
    try:
        for size in sizes:
            say(f"{size:,} nodes from nothing to available")
            fresh(hearth, size, halls)
        for turn in range(TURNS):
            for operation in OPERATIONS:
                say(f"turn {turn + 1} of {TURNS}: {operation.__name__}")
                for hall in halls:
                    operation(hall)
        for hall in halls:
            hall.sync_power()
        if network is not None:
            relay = Relay()
            for hall in halls:
                say(f"DHCP in the hall of {hall.nodes:,}")
                hall.lease(network, relay)
        missed = told([hall.costs for hall in halls], sizes)
    finally:
        for hall in halls:
            hall.__exit__()
        if network is not None:
            network.close()
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
