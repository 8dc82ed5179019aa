"""Ten planted faults on a machine: its seed names the cause within two polls. usage: machine_faults.py HEARTH AGENT

The seed is a real one: conductor, boot servers, stack engine at 192.0.2.1. The machine is a namespace of its own behind a cable (veth)
with a card, an address, a resolver and the real agent with real hooks; the clock that is ten years off is that of a guest in QEMU. What is told is what people ask: `stack show`, `why stack`, and of
what never reaches the seed `why node` and `node list`, too. Two more faults that a machine can't tell of are told by what fits."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../peers/bootstrap")]
import planted_faults as planted  # noqa: E402
from conductor import Conductor, need  # noqa: E402

HEARTH = planted.HEARTH
POLL = 5  # seconds
SEED = "192.0.2.1"
MAC = "52:54:00:00:01:32"
URL = "https://192.0.2.1:8000/v1/"


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


class Namespace:
    """The machine: what is run in it has its card and its resolver."""

    def __init__(self, work):
        self.resolver = work + "/resolv.conf"
        self.resolves_by("127.0.0.53")
        self.process = subprocess.Popen(["unshare", "-n", "-m", "sh", "-c", f"mount --bind {self.resolver} $(readlink -f /etc/resolv.conf) && "
                                         "echo ready && exec sleep 3000"], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"
        run("ip", "link", "set", "machine0", "netns", str(self.process.pid))
        for words in ("link set lo up", f"link set machine0 address {MAC}", "addr add 192.0.2.50/24 dev machine0", "link set machine0 up",
                      "route add default via 192.0.2.254"):
            run(*self.words, "ip", *words.split())

    @property
    def words(self):
        return ["nsenter", "-t", str(self.process.pid), "-n", "-m"]

    def resolves_by(self, address):
        with open(self.resolver, "w", encoding="ascii") as file:  # the same file: it is mounted
            file.write(f"nameserver {address}\noptions timeout:2 attempts:1\n")

    def forget_neighbours(self):
        run(*self.words, "ip", "neigh", "flush", "all")

    def end(self):
        self.process.kill()
        self.process.wait()


class Seed:
    """As a Service of the stack's tests, and for `why` and `node list`."""

    def __init__(self, conductor):
        self.c = conductor
        self.stack_words = ["--state", conductor.directory + "/metadata"]
        self.authority = shutil.copy(conductor.directory + "/metadata/authority.pem", conductor.directory + ".pem")  # each machine's own

    def hearth(self, *words):
        done = subprocess.run([HEARTH, "stack", *words, *self.stack_words], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, f"hearth stack {words}: {done.stdout}{done.stderr}"
        return done.stdout

    def why(self, *words):
        done = subprocess.run([HEARTH, "why", *words, "--state", self.c.directory], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, f"hearth why {words}: {done.stdout}{done.stderr}"
        return " ".join(done.stdout.split())

    def nodes(self):
        return self.c.run("node", "list")

    def active_node(self):
        """The conductor has put a system on beta, as far as it knows."""
        status, made = self.c.ask("POST", "/v1/nodes", {"name": "beta", "driver": "fake-hardware", "instance_info": {
            "image_source": "http://192.0.2.1/i.raw", "image_os_hash_algo": "sha256", "image_os_hash_value": "0" * 64}})
        assert status == 201, made
        self.c.ask("POST", "/v1/ports", {"address": MAC, "node_uuid": made["uuid"]})
        for verb, state in (("manage", "manageable"), ("adopt", "active")):
            status, said = self.c.ask("PUT", "/v1/nodes/beta/states/provision", {"target": verb})
            assert status == 202, said
            self.c.wait("beta", state)
        self.c.run("node", "power", "on", "beta")


class Guest:
    """A machine in QEMU whose clock is ten years ahead: no namespace has a clock of its own. A kernel of this machine, a shell, the agent."""

    TAP = "198.51.100.1"  # the seed's address on its cable

    def __init__(self, work, agent):
        self.root, self.console = tempfile.mkdtemp(prefix="guest-", dir=work), work + "/console"
        self.kernel = sorted(glob.glob("/boot/vmlinuz-*"))[-1]
        release = self.kernel.split("vmlinuz-")[1]
        for name in ("bin", "lib64", "proc", "sys", "dev", "modules", "tmp"):
            os.mkdir(f"{self.root}/{name}")
        for program in ("bash", "ip", "mount", "insmod", "sleep"):
            self.take(shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin"), program)
        shutil.copy(agent, self.root + "/bin/os-collect-config")
        wanted = run("modprobe", "-S", release, "--show-depends", "virtio_net") + run("modprobe", "-S", release, "--show-depends", "virtio_pci")
        for number, path in enumerate(line.split()[1] for line in wanted.splitlines() if line.startswith("insmod")):
            shutil.copy(path, f"{self.root}/modules/{number:02}.ko")
        self.process = None

    def take(self, path, name):
        shutil.copy(path, f"{self.root}/bin/{name}")
        for library in re.findall(r"(/\S+) \(0x", run("ldd", path)):
            place = self.root + library
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy(library, place)

    def start(self, config, authority):
        with open(self.root + "/occ.conf", "w", encoding="utf-8") as file:
            file.write(config)
        shutil.copy(authority, self.root + "/ca.pem")
        with open(self.root + "/init", "w", encoding="ascii") as file:
            file.write("#!/bin/bash\nexport PATH=/bin\nmount -t proc proc /proc\nmount -t sysfs sys /sys\nmount -t devtmpfs dev /dev\n"
                       "for module in /modules/*; do insmod $module; done\nuntil [ -e /sys/class/net/eth0 ]; do sleep 0.2; done\n"
                       "ip link set eth0 up\nip addr add 198.51.100.50/24 dev eth0\nprintf 'its year: %(%Y)T\\n'\necho the agent starts\n"
                       "os-collect-config --config-file /occ.conf\nsleep 600\n")
        os.chmod(self.root + "/init", 0o755)
        subprocess.run("find . | cpio --quiet -o -H newc > ../initramfs", shell=True, check=True, cwd=self.root)
        for words in ("tuntap add tap0 mode tap", f"addr add {self.TAP}/24 dev tap0", "link set tap0 up"):
            run("ip", *words.split())
        year = time.gmtime().tm_year + 10
        with open(self.console, "w", encoding="utf-8") as console:
            self.process = subprocess.Popen([
                "qemu-system-x86_64", "-accel", "tcg", "-m", "512", "-nographic", "-no-reboot", "-kernel", self.kernel,
                "-initrd", self.root + "/../initramfs", "-append", "console=ttyS0 quiet panic=-1 rdinit=/init",
                "-rtc", f"base={year}-01-01T00:00:00", "-nic", "tap,ifname=tap0,script=no,downscript=no,model=virtio-net-pci"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console)
        end = time.monotonic() + 180
        while "the agent starts" not in self.said():
            assert time.monotonic() < end and self.process.poll() is None, self.said()
            time.sleep(0.2)
        assert f"its year: {year}" in self.said(), self.said()

    def said(self):
        with open(self.console, encoding="utf-8", errors="replace") as file:
            return file.read()

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()


class Faults:
    def __init__(self, seed, machine, work):
        self.seed, self.machine, self.work, self.told = seed, machine, work, 0

    def begin(self, what, **settings):
        name = "s-" + "-".join(what.split()).lower()
        self.seed.hearth("create", name, "-t", self.work + "/stack.yaml")
        return name, planted.Machine(self.seed, name, inside=self.machine.words, poll=POLL, **settings)

    def expect(self, what, began, agent, *looks):
        """Each of `looks` (a command's words, texts in its answer) within two polls of the machine's first."""
        end = began + 2 * POLL + 2  # the moment in which two polls are answered
        for look, texts in looks:
            shown = look()
            while not all(text in shown for text in texts):
                assert time.monotonic() < end, f"{what}: {texts} is not in\n{shown}\n{agent.said()}"
                time.sleep(0.2)
                shown = look()
        self.told += 1
        print(f"{what}: told after {time.monotonic() - began:.1f} s, polls are {POLL} s apart", flush=True)

    def reaching(self, what, *texts, hook=None, before=()):
        """A machine that reaches its seed tells of its runs itself."""
        name, agent = self.begin(what)
        try:
            if hook:
                agent.hook(*hook)
            began = time.monotonic()
            agent.start(before)
            self.expect(what, began, agent, (lambda: self.seed.hearth("show", name), texts),
                        (lambda: self.seed.why("stack", name), texts[-1:]))
        finally:
            agent.end()
            self.seed.hearth("delete", name)

    def silent(self, what, cause, url, overheard, resolver="127.0.0.53"):
        """One that reaches nobody is told of by what its network overhears."""
        self.machine.resolves_by(resolver)
        self.machine.forget_neighbours()
        name, agent = self.begin(what, metadata_url=url)
        try:
            began = time.monotonic()
            agent.start()
            never = "beta has not asked for its metadata since this service started"
            self.expect(what, began, agent, (lambda: self.seed.hearth("show", name), (never, overheard)),
                        (self.seed.nodes, ("it asks in vain: " + overheard,)),
                        (lambda: self.seed.why("node", "beta"), ("It is active, and its system " + cause,)),
                        (lambda: self.seed.why("stack", name), ("The machine of beta " + cause,)))
        finally:
            agent.end()
            self.seed.hearth("delete", name)

    def refused(self):
        """One that comes with a key that is none is told of by the seed's own engine, too."""
        name, agent = self.begin("wrong key", access_key_id="0123")
        try:
            began = time.monotonic()
            agent.start()
            self.expect("wrong key", began, agent, (lambda: self.seed.hearth("show", name),
                                                    ("seen: 192.0.2.50 is refused (HTTP 403 to GET /v1/ of cfn)",)))
        finally:
            agent.end()
            self.seed.hearth("delete", name)

    def misled(self):
        """One that trusts another site's authority says nothing to the seed; its seed tells of it."""
        name, agent = self.begin("another site", ca_certificate=self.work + "/other.pem")
        try:
            began = time.monotonic()
            agent.start()
            self.expect("another site", began, agent, (lambda: self.seed.hearth("show", name), ("it does not know the authority",)))
            assert "the certificate of 192.0.2.1 does not hold" in agent.said(), agent.said()
        finally:
            agent.end()
            self.seed.hearth("delete", name)

    def certificates(self):
        """A wrong authority; and a certificate that has ended, which to the machine is what its clock is, too."""
        with open(self.work + "/stack.yaml", encoding="utf-8") as file:
            template = file.read()
        for what, name, days, authority, text in (("wrong CA", "ca", 9, "other", "it does not know the authority"),
                                                  ("a certificate that has ended", "old", -1, "old", "that machine's clock is wrong")):
            planted.certificate(self.work, name, days, SEED)
            service = planted.OverTls(self.work, name, "--listen", "0.0.0.0", "--public", SEED)
            agent = None
            try:
                stack = service.ask("/stacks", {"stack_name": "tls", "template": template})["stack"]["id"]
                agent = planted.Machine(service, f"tls/{stack}", inside=self.machine.words, poll=POLL,
                                        metadata_url=f"https://{SEED}:{service.ports['cfn']}/v1/", ca_certificate=f"{self.work}/{authority}.pem")
                began = time.monotonic()
                agent.start()
                self.expect(what, began, agent, (lambda: service.ask(f"/stacks/tls/{stack}/resources/Web")["resource"]["resource_status_reason"],
                                                 ("seen: 192.0.2.50 does not take our certificate", text)))
            finally:
                if agent:
                    agent.end()
                service.end()


    def clock(self):
        """A real machine, ten years ahead: a certificate that holds has ended for it."""
        planted.certificate(self.work, "now", 9, Guest.TAP)
        service = planted.OverTls(self.work, "now", "--listen", "0.0.0.0", "--public", Guest.TAP)
        guest = Guest(self.work, planted.AGENT)
        try:
            with open(self.work + "/stack.yaml", encoding="utf-8") as file:
                stack = service.ask("/stacks", {"stack_name": "tls", "template": file.read()})["stack"]["id"]
            told = json.loads(service.hearth("resource", "metadata", f"tls/{stack}", "beta"))["os-collect-config"]
            settings = dict(told["cfn"], metadata_url=f"https://{Guest.TAP}:{service.ports['cfn']}/v1/", ca_certificate="/ca.pem")
            lines = ["[DEFAULT]", "command=true", "collectors=cfn", f"polling_interval={POLL}", f"min_polling_interval={POLL}", "cachedir=/tmp/c",
                     "backup_cachedir=/tmp/b", "[cfn]", *(f"{key}={value}" for key, value in settings.items())]
            guest.start("\n".join(lines) + "\n", self.work + "/now.pem")
            self.expect("a clock ten years off", time.monotonic(), guest, (
                lambda: service.ask(f"/stacks/tls/{stack}/resources/Web")["resource"]["resource_status_reason"],
                ("seen: 198.51.100.50 does not take our certificate", "that machine's clock is wrong")))
        finally:
            guest.end()
            service.end()


def site(work):
    with open(work + "/site.json", "w", encoding="utf-8") as file:
        json.dump({"interfaces": ["seed0"], "state_dir": work + "/boot", "networks": [
            {"subnet": "192.0.2.0/24", "server": SEED, "pools": ["192.0.2.100-192.0.2.199"], "dns": ["192.0.2.53"],
             "router": ["192.0.2.254"]}]}, file)
    return work + "/site.json"


def inside(work):
    for words in ("link set lo up", "link add seed0 type veth peer name machine0", f"addr add {SEED}/24 dev seed0", "link set seed0 up"):
        run("ip", *words.split())
    with open(work + "/stack.yaml", "w", encoding="utf-8") as file:
        file.write(planted.TEMPLATE)
    planted.certificate(work, "other", 9, SEED)
    os.mkdir(work + "/state")
    machine = Namespace(work)
    try:
        with Conductor(HEARTH, "--boot", site(work), "--boot-force", "--agents", SEED, "--engine", "--port", "6385",
                       directory=work + "/state") as conductor:
            seed = Seed(conductor)
            seed.active_node()
            faults = Faults(seed, machine, work)
            for what, hook, text, *texts in planted.IN_HOOKS:
                faults.reaching(what, *texts, hook=(hook, text))
            cache = tempfile.mkdtemp(dir=work)
            full = f'mount -t tmpfs -o size=8k none {cache}; head -c 9000 /dev/zero > {cache}/fill; exec "$@" --cachedir {cache}'
            faults.reaching("full disk", "its last run failed", "No space left on device", before=["unshare", "-rm", "sh", "-c", full, "sh"])
            faults.certificates()
            faults.clock()
            faults.silent("wrong DNS", "can't look up names: nobody has 192.0.2.53, the name server that DHCP gives to 192.0.2.0/24.",
                          "https://seed.example:8000/v1/", "arp who-has 192.0.2.53", resolver="192.0.2.53")
            faults.silent("unreachable URL", "looks for a machine that is not there: nobody has 192.0.2.99.", URL.replace(SEED, "192.0.2.99"),
                          "arp who-has 192.0.2.99")
            assert faults.told == 11, faults.told
            faults.refused()
            faults.misled()
            faults.silent("wrong port", "connects to a service that does not answer: nothing listens at 192.0.2.1:8999.",
                          URL.replace("8000", "8999"), "tcp connect 192.0.2.1:8999")
            faults.silent("seed as name server", "can't look up names: it asks for seed.example, and no name server runs at 192.0.2.1.",
                          "https://seed.example:8000/v1/", "dns query seed.example", resolver=SEED)
            faults.silent("router that is not there", "can't leave its network: nobody has 192.0.2.254, the router that DHCP gives to 192.0.2.0/24.",
                          URL.replace(SEED, "198.51.100.7"), "arp who-has 192.0.2.254")
    finally:
        machine.end()
    print("machine_faults: ok")


def main():
    if len(sys.argv) > 3:
        inside(sys.argv[3])
        return
    need(os.geteuid() == 0, "needs root, for namespaces and packet sockets")
    for program in ("ip", "openssl", "nsenter", "qemu-system-x86_64", "cpio", "modprobe"):
        need(shutil.which(program), f"needs {program}")
    need(glob.glob("/boot/vmlinuz-*"), "needs a kernel in /boot for a guest")
    with tempfile.TemporaryDirectory(prefix="machine-faults-") as work:
        done = subprocess.run(["unshare", "-n", sys.executable, os.path.abspath(__file__), *map(os.path.abspath, sys.argv[1:3]), work], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
