"""Machines that get one image give it to each other: real agents and a real conductor in network namespaces, each machine and the
seed behind a link of its own of 20 Mbit/s. usage: spread_test.py HEARTH SPREAD_MACHINE [MACHINES MIB]

Without numbers eight machines and 8 MiB: that the seed sends the image at most twice, and what becomes of one that dies and one
that lies. With numbers, as tests/bench/spread.sh calls it: the floor, and faults on a large scale.
"""

import glob
import http.client
import importlib.util
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import images

# Two files are called conductor.py: the one beside this plays one, this one runs the real one.
real = importlib.util.spec_from_file_location("real_conductor", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../peers/bootstrap/conductor.py"))
real_conductor = importlib.util.module_from_spec(real)
real.loader.exec_module(real_conductor)

HEARTH, MACHINE = (os.path.abspath(word) for word in sys.argv[1:3])
WHOLE = len(sys.argv) > 4
COUNT, MIB = (int(sys.argv[3]), int(sys.argv[4])) if WHOLE else (8, 8)
MIBIBYTE = 1 << 20
TAIL = 25 * 512  # the image's last block is no whole one
SEED = "10.99.0.1"
MBIT = 20
# TCP cuts what it sends into what a millisecond carries, which on slow links is two packets: for as many links as this has on one
# machine, that would be the machine's whole time. And it is to heed losses, as that of Debian's kernels does: what the kernel of
# whoever tests has in its place may fill a small queue with a tenth of all packets in vain.
TCP = "echo reno > /proc/sys/net/ipv4/tcp_congestion_control"
LARGER_STEPS = "echo 16 > /proc/sys/net/ipv4/tcp_min_tso_segs"
LIMIT = ["tbf", "rate", f"{MBIT}mbit", "burst", "64kb", "latency", "100ms"]


class Local(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)


def busy():
    """Seconds that this computer's processors have worked: for everybody on it, and for its links."""
    with open("/proc/stat", encoding="ascii") as file:
        user, nice, system, _, _, interrupts, soft = (int(word) for word in file.readline().split()[1:8])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


def worked(process):
    """Seconds of a process that has not been waited for."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        return sum(int(word) for word in file.read().rpartition(")")[2].split()[11:13]) / os.sysconf("SC_CLK_TCK")


class Machine:
    """One namespace with one card, and the process in it, which waits to be let go."""

    def __init__(self, site, number, lies=False):
        self.number, self.mac, self.lies = number, (0x525400990000 + number).to_bytes(6, "big").hex(":"), lies
        self.name, self.disk = f"m{number}", os.path.join(site.disks, f"disk{number}")
        self.begin = self.end = None
        self.from_peers, self.said = 0, []
        with open(self.disk, "wb") as file:
            file.truncate(8 << 30)  # smaller ones are not for systems; it is sparse
            file.seek(-512, os.SEEK_END)
            file.write(b"EFI PART of before")
        words = [f"disk={self.disk}", f"card={self.mac}", f"ipa-api-url=https://{SEED}:6385", "ipa-insecure=1", *(["lies=1"] if lies else [])]
        # The shell has its link before it becomes the agent.
        self.process = subprocess.Popen(["unshare", "-n", "sh", "-c", 'echo there; read -r go; exec "$@"', "sh", MACHINE, *words],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "there\n"
        card, port, address = f"c{number}", f"p{number}", f"10.99.{1 + number // 200}.{number % 200 + 1}"
        images.run("ip", "link", "add", card, "address", self.mac, "type", "veth", "peer", "name", port)
        images.run("ip", "link", "set", card, "netns", str(self.process.pid))
        images.run("ip", "link", "set", port, "master", "switch", "up")
        images.run("tc", "qdisc", "add", "dev", port, "root", *LIMIT)
        lines = f"ip link set lo up; ip addr add {address}/16 dev {card}; ip link set {card} up; tc qdisc add dev {card} root {' '.join(LIMIT)}; {TCP}"
        if site.loss:  # of single packets
            lines += f"; ip link set {card} gso_max_segs 1; iptables -A INPUT -m statistic --mode random --probability {site.loss} -j DROP"
        else:
            lines += "; " + LARGER_STEPS
        images.run("nsenter", "-t", str(self.process.pid), "-n", "sh", "-ec", lines)
        self.process.stdin.write("link\n")
        self.process.stdin.flush()
        self.readers = [threading.Thread(target=self.read, daemon=True), threading.Thread(target=self.listen, daemon=True)]
        for reader in self.readers:
            reader.start()

    def read(self):
        for line in self.process.stdout:
            what, _, value = line.rpartition(" ")
            if what == "from peers":
                self.from_peers = int(value)
            elif what in ("begin", "end"):
                setattr(self, what, int(value) / 1000)

    def listen(self):
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))

    def go(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def wrong_blocks(self, whole):
        """Blocks of its disk with a page that is neither the image's nor as it was before: who is killed may have written a part."""
        page, wrong = 4096, 0
        with open(self.disk, "rb") as disk, open(whole, "rb") as image:
            while meant := image.read(MIBIBYTE):
                block = disk.read(len(meant))
                wrong += block != meant and any(block[at:at + page] not in (bytes(len(meant[at:at + page])), meant[at:at + page])
                                                for at in range(0, len(meant), page))
        return wrong

    def has_image(self, whole):
        with open(self.disk, "rb") as disk, open(whole, "rb") as image:
            while meant := image.read(MIBIBYTE):
                if disk.read(len(meant)) != meant:
                    return False
            return self.is_empty_behind(disk)

    @staticmethod
    def is_empty_behind(disk):
        """From here on to the end, where the former table's second copy was."""
        at, end = disk.tell(), os.fstat(disk.fileno()).st_size
        while at < end:
            try:
                at = os.lseek(disk.fileno(), at, os.SEEK_DATA)
            except OSError:  # no more
                return True
            data = os.pread(disk.fileno(), MIBIBYTE, at)
            if any(data):
                return False
            at += len(data)
        return True


class Site:
    """A seed, a switch and machines; what was seen when all of them had got their image."""

    def __init__(self, work, image, count, dying=0, lying=0, loss=0.0, anew=False):
        self.image, self.count, self.loss, self.anew = image, count, loss, anew
        self.directory = tempfile.mkdtemp(dir=work)
        self.disks = os.path.join(self.directory, "disks")
        os.mkdir(self.disks)
        self.dying, self.lying = dying, lying
        self.machines, self.events = [], []

    def __enter__(self):
        self.state = os.path.join(self.directory, "state")
        os.mkdir(self.state)
        boot = os.path.join(self.state, "site.json")
        with open(boot, "w", encoding="ascii") as file:
            json.dump({"interfaces": ["seed0"], "state_dir": self.state,
                       "networks": [{"subnet": "10.99.0.0/16", "server": SEED, "pools": ["10.99.250.1-10.99.250.9"]}]}, file)
        self.conductor = real_conductor.Conductor(
            HEARTH, "--boot", boot, "--boot-force", "--agents", SEED, "--port", "6385", "--quiet", "--keep-rights", "--no-page",
            "--power-sync-interval", "0", "--power-off-wait", "1", directory=self.state)
        self.socket = os.path.join(self.state, "api.socket")
        chance = random.Random(17)
        victims = chance.sample(range(1, self.count), self.dying + self.lying)  # the first is asked by all, and is tried alone
        self.victims = set(victims[:self.dying])
        self.machines = [Machine(self, number, number in victims[self.dying:]) for number in range(self.count)]
        return self

    def __exit__(self, *_):
        for machine in self.machines:
            machine.kill()  # its namespace, and its card with it, go some time later; the next site has others of the same names
            subprocess.run(["ip", "link", "del", f"p{machine.number}"], check=False, stderr=subprocess.DEVNULL)
        self.conductor.kill()
        shutil.rmtree(self.directory)

    def ask(self, method, path, body=None):
        api = Local(self.socket)
        api.request(method, path, None if body is None else json.dumps(body),
                    {"Content-Type": "application/json", "X-OpenStack-Ironic-API-Version": "1.82", "Connection": "close"})
        answer = api.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise AssertionError(f"{method} {path}: {answer.status} {text.decode()}")
        return json.loads(text) if text else None

    def states(self):
        return [node["provision_state"] for node in self.ask("GET", "/v1/nodes?fields=provision_state")["nodes"]]

    def until(self, state, seconds):
        end = time.monotonic() + seconds
        while set(self.states()) != {state}:
            assert time.monotonic() < end, f"{self.states()}, not all {state}"
            time.sleep(0.1)

    def prepare(self):
        """All nodes wait for their machines. The image comes as people bring it: nothing is said of frames, or of spreading."""
        self.conductor.run("image", "load", self.image, "--kernel", "/dev/null", "--ramdisk", "/dev/null")
        self.size = sum(os.path.getsize(file) for file in glob.glob(f"{self.state}/files/images/disk.*.frames"))
        for machine in self.machines:
            self.ask("POST", "/v1/nodes", {"driver": "fake-hardware", "name": machine.name,
                                           "properties": {"capabilities": "boot_mode:bios"}})
            self.ask("POST", "/v1/ports", {"address": machine.mac, "node_uuid": self.ask("GET", f"/v1/nodes/{machine.name}")["uuid"]})
        self.conductor.run("baremetal", "configure", "boot", "--deploy-kernel", "disk", "--deploy-ramdisk", "disk")
        for verb, state in (("manage", "manageable"), ("provide", "available")):
            for machine in self.machines:
                self.ask("PUT", f"/v1/nodes/{machine.name}/states/provision", {"target": verb})
            self.until(state, 60)
        self.conductor.run("node", "deploy", "--no-wait", "--image", "disk", *(machine.name for machine in self.machines))
        self.until("wait call-back", 60)

    @staticmethod
    def sent():
        with open("/proc/self/net/dev", encoding="ascii") as file:
            return next(int(line.split()[9]) for line in file if line.split()[0] == "seed0:")

    def run(self, patience):
        self.prepare()
        before, busy_before = self.sent(), busy()
        for machine in self.machines:
            machine.go()
        chance = random.Random(18)
        deaths = {number: chance.uniform(0.2, 0.8) * MIB * 8 / MBIT for number in self.victims}
        began = None
        end = time.monotonic() + patience
        alive = [machine for machine in self.machines if machine.number not in self.victims]
        while any(machine.end is None for machine in alive):
            now = time.monotonic()
            assert now < end, self.story([machine for machine in alive if machine.end is None][:3])
            began = began or next((now for machine in self.machines if machine.begin), None)
            if self.anew and began and now - began > 0.3 * MIB * 8 / MBIT:
                self.load_another()
                self.anew = False
            for number in [each for each, after in deaths.items() if began and now - began > after]:
                self.machines[number].kill()
                del deaths[number]
            time.sleep(0.05)
        self.seed_bytes = self.sent() - before
        self.busy = busy() - busy_before
        self.work = sum(worked(machine.process) for machine in alive) + worked(self.conductor.process)
        first = min(machine.begin for machine in self.machines if machine.begin)
        self.seconds = max(machine.end for machine in alive) - first
        self.spread = max(machine.begin for machine in alive) - first
        wrong = [machine.name for machine in alive if not machine.has_image(self.image)]
        assert not wrong, f"{wrong} have another disk\n{self.story([self.machines[int(wrong[0][1:])]])}"
        for machine in (each for each in self.machines if each.number in self.victims):
            assert machine.wrong_blocks(self.image) == 0, f"{machine.name} has blocks that are not the image's"
        self.events = [event["text"] for event in self.ask("GET", "/v1/hearth/events?limit=10000")["events"]]

    def load_another(self):
        """Under the name of the one that machines are getting."""
        other = os.path.join(self.directory, "disk.raw")
        shutil.copyfile(self.image, other)
        with open(other, "r+b") as file:
            file.seek(MIBIBYTE)
            file.write(random.Random(5).randbytes((MIB - 1) * MIBIBYTE))
        self.conductor.run("image", "load", other, "--kernel", "/dev/null", "--ramdisk", "/dev/null")
        assert len(glob.glob(f"{self.state}/files/images/disk.*.frames")) == 2, "those of before are gone"

    def story(self, machines):
        lines = [f"{machine.name}: {line}" for machine in machines for line in machine.said[-12:]]
        return "\n".join(["not all have their image:", *lines, *self.conductor.logged().splitlines()[-20:]])

    def copies(self):
        return self.seed_bytes / self.size

    def check_liars(self):
        """Each is named, and has cost those that asked it one block, once."""
        for liar in (machine for machine in self.machines if machine.lies):
            url = next(line.split("orders at ")[1] for line in liar.said if "waiting for orders at" in line)
            told = [line for machine in self.machines for line in machine.said
                    if f"from {url}: " in line and "is not the image's" in line]
            askers = [machine.name for machine in self.machines if any(line in told for line in machine.said)]
            assert len(told) == len(askers) <= 6, f"{liar.name} was believed more than once: {told}"
            assert not told or any(text.startswith("gave ") and "what is not of the image" in text for text in self.events), \
                f"{liar.name} is not named: {self.events}"
            print(f"  {liar.name} lied to {len(told)}", flush=True)


def image_of(work):
    raw = os.path.join(work, "disk.raw")
    chance = random.Random(4)
    with open(raw, "wb") as out:
        for block in range(MIB):
            data = bytearray(chance.randbytes(MIBIBYTE))  # what can't be compressed is as large on the way
            if block == 0:
                data[510:512] = b"\x55\xaa"
                data[446:510] = bytes(64)
            out.write(data)
        out.write(chance.randbytes(TAIL))
    return raw


def tried(work, image, what, count, patience, **faults):
    with Site(work, image, count, **faults) as site:
        site.run(patience)
        given = sum(machine.from_peers for machine in site.machines)
        print(f"{what}: {count} machines, the last after {site.seconds:.1f} s (their orders came within {site.spread:.1f} s), "
              f"the seed sent {site.copies():.2f} images, machines {given / site.size:.1f}; "
              f"{site.work:.0f} s of processor time, of {site.busy:.0f} s that the computer worked", flush=True)
        site.check_liars()
        return site


def inside(work):
    # The switch is nobody's address, and keeps its own: it would answer for the seed's otherwise, past the seed's link, and from another
    # one when a machine's port goes, so that nobody reaches the seed for half a minute.
    for words in ("link set lo up", "link add switch address 02:00:00:00:00:01 type bridge", "link set switch arp off up",
                  "link add seed0 type veth peer name seed1", "link set seed1 master switch up", f"addr add {SEED}/16 dev seed0",
                  "link set seed0 up"):
        images.run("ip", *words.split())
    for end in ("seed0", "seed1"):
        images.run("tc", "qdisc", "add", "dev", end, "root", *LIMIT)
    images.run("sh", "-ec", f"{LARGER_STEPS}; {TCP}")
    image = image_of(work)
    one = tried(work, image, "alone", 1, 120)
    clean = tried(work, image, "together", COUNT, 300)
    missed = []  # the table is to be whole

    def expect(true, what):
        missed.extend([] if true else [what])

    def within(site, times, what):
        ratio = site.seconds / one.seconds
        print(f"  the last after {ratio:.2f} of one machine's time", flush=True)
        expect(ratio <= times, f"{what}: the last is there within {times} of one machine's time, not {ratio:.2f}")

    expect(one.copies() < 1.2, "one machine has the image once")
    expect(clean.copies() <= 2, "the seed sends the image at most twice")
    if WHOLE:
        within(clean, 1.3, "together")
        within(tried(work, image, "dying and lying", COUNT, 900, dying=COUNT * 3 // 10, lying=5), 3, "dying and lying")
        within(tried(work, image, "5 % of all packets are lost", COUNT, 900, loss=0.05), 6, "5 % lost")
        within(tried(work, image, "all of that", COUNT, 900, dying=COUNT * 3 // 10, lying=5, loss=0.05), 8, "all of that")
    else:
        within(clean, 3, "together")  # of a few blocks; some more are waited for, but not the other machines
        tried(work, image, "dying and lying", COUNT, 60, dying=2, lying=1)
        tried(work, image, "another image of the same name is loaded meanwhile", COUNT, 60, anew=True)
    assert not missed, "\n".join(missed)
    print("spread: ok")


def main():
    if len(sys.argv) == 6 or len(sys.argv) == 4:
        inside(sys.argv.pop())
        return
    if os.geteuid() != 0:
        print("SKIPPED: needs root, for network namespaces")
        sys.exit(77)
    missing = [each for each in ("ip", "tc", "iptables", "nsenter", "unshare") if not shutil.which(each)]
    if missing or subprocess.run(["unshare", "-n", "tc", "qdisc", "add", "dev", "lo", "root", *LIMIT], check=False,
                                 stderr=subprocess.DEVNULL).returncode:
        print(f"SKIPPED: {', '.join(missing)} missing" if missing else "SKIPPED: the kernel has no tbf (NET_SCH_TBF), for slow links")
        sys.exit(77)
    # Disks are memory: what is measured is links.
    with tempfile.TemporaryDirectory(prefix="hearth-spread.", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as work:
        done = subprocess.run(["unshare", "-n", sys.executable, "-B", os.path.abspath(__file__), *sys.argv[1:], work], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
