"""A machine that is well is blamed for nothing by what its network overhears. usage: overheard.py HEARTH AGENT

A real seed, with conductor and boot servers, at one port of a bridge; two machines at others, so that it hears of what they say to each other only
what is broadcast. The first is a node of the seed and asks as healthy systems do; then it floods, and its seed stays bounded."""
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../peers/bootstrap")]
import machine_faults as faults  # noqa: E402
from conductor import Conductor, need  # noqa: E402

OWN, OTHER, ROUTED, NOBODY = "192.0.2.50", "192.0.2.60", "198.51.100.9", "192.0.2.99"
TIME_SERVER = "192.0.2.9"
EVERYONE, BETA = b"\xff" * 6, bytes.fromhex(faults.MAC.replace(":", ""))


def packed(address):
    return socket.inet_aton(address)


def arp(of, address):
    """Who has `address`?"""
    return EVERYONE + BETA + struct.pack("!HHHBBH", 0x0806, 1, 0x0800, 6, 4, 1) + BETA + packed(of) + bytes(6) + packed(address)


def summed(head):
    """With its check sum: bridges look at it."""
    total = sum(struct.unpack("!10H", head))
    total = (total & 0xFFFF) + (total >> 16)
    return head[:10] + struct.pack("!H", ~total & 0xFFFF) + head[12:]


def tcp(of, to, port, to_mac, from_port=40000):
    """The beginning of a connection."""
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 40, 0, 0, 64, 6, 0) + packed(of) + packed(to)
    return to_mac + BETA + struct.pack("!H", 0x0800) + summed(ip) + struct.pack("!HHIIBBHHH", from_port, port, 1, 0, 0x50, 2, 1024, 0, 0)


class Attack:
    def __init__(self, conductor, work):
        self.seed, self.conductor, self.work = faults.Seed(conductor), conductor, work
        self.seed_mac = bytes.fromhex(faults.run("ip", "-br", "link", "show", "seed0").split()[2].replace(":", ""))
        self.card = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        self.card.bind(("beta0", 0))

    def sends(self, *packets, times=6, every=0.3):
        for _ in range(times):
            for packet in packets:
                self.card.send(packet)
            time.sleep(every)
        time.sleep(2)

    def log(self):
        with open(self.work + "/boot/events.jsonl", encoding="utf-8") as file:
            return [line for line in file if '"arp"' in line or '"tcp"' in line or '"dns"' in line]

    def is_well(self, what):
        told = self.log()
        assert not told, f"{what}: {told}"
        assert "in vain" not in self.seed.nodes(), self.seed.nodes()
        print(f"{what}: nobody is blamed", flush=True)

    def memory(self):
        with open(f"/proc/{self.conductor.process.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def inside(work):
    run = faults.run
    for words in ("link set lo up", "link add bridge type bridge", "link set bridge up",
                  *(words for name in ("seed", "beta", "other") for words in (
                      f"link add {name}0 type veth peer name {name}1", f"link set {name}1 master bridge", f"link set {name}1 up")),
                  f"addr add {faults.SEED}/24 dev seed0", "link set seed0 up", "link set beta0 up"):
        run("ip", *words.split())
    site = faults.site(work)
    with open(site, encoding="utf-8") as file:
        text = file.read()
    with open(site, "w", encoding="utf-8") as file:
        file.write(text.replace('"router":', f'"ntp": ["{TIME_SERVER}"], "router":'))
    os.mkdir(work + "/state")
    other = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo ready && exec sleep 600"], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout.readline() == "ready\n"
        run("ip", "link", "set", "other0", "netns", str(other.pid))
        for words in (f"addr add {OTHER}/24 dev other0", "link set other0 up"):
            run("nsenter", "-t", str(other.pid), "-n", "ip", *words.split())
        with Conductor(faults.HEARTH, "--boot", site, "--boot-force", "--agents", faults.SEED, "--port", "6385", "--engine",
                       directory=work + "/state") as conductor:
            attack = Attack(conductor, work)
            attack.seed.active_node()
            time.sleep(3)  # the bridge's ports learn
            attack.sends(arp(OWN, OTHER))
            attack.is_well("a bond's monitor, whose answers the seed does not hear")
            attack.sends(arp(OWN, faults.SEED))
            attack.is_well("a loader that asks for the seed again and again")
            attack.sends(tcp(ROUTED, faults.SEED, 8999, attack.seed_mac), tcp(ROUTED, NOBODY, 80, attack.seed_mac))
            attack.is_well("a machine that passes on what others send")
            attack.sends(arp(OWN, TIME_SERVER))
            why = attack.seed.why("node", "beta")
            assert "It is active, and its system can't ask for the time: nobody has 192.0.2.9, the time server that DHCP gives" in why, why
            assert "arp who-has 192.0.2.9" in attack.seed.nodes()
            print("a time server that is not there: told as that", flush=True)
            flood(attack)
    finally:
        other.kill()
        other.wait()
    print("overheard: ok")


def flood(attack):
    """The machine asks for all that there is; then the seed still answers, and has grown by little."""
    before, began, sent = attack.memory(), time.monotonic(), 0
    while time.monotonic() - began < 8:
        for number in range(2000):
            address = f"10.{sent % 200}.{number // 250}.{number % 250}"
            attack.card.send(arp(OWN, address))
            attack.card.send(tcp(OWN, faults.SEED, number + 9000, attack.seed_mac, number + 1024))
            attack.card.send(tcp(OWN, address, 80, attack.seed_mac))
        sent += 6000
    began = time.monotonic()
    attack.seed.nodes()
    took, lines, grown = time.monotonic() - began, len(attack.log()), attack.memory() - before
    print(f"{sent} packets: {lines} lines in the log, {grown} KiB more, node list after {took:.1f} s", flush=True)
    assert lines <= 30 and grown < 30000 and took < 10


def main():
    if len(sys.argv) > 3:
        inside(sys.argv[3])
        return
    need(os.geteuid() == 0, "needs root, for namespaces and packet sockets")
    for program in ("ip", "nsenter", "unshare"):
        need(shutil.which(program), f"needs {program}")
    with tempfile.TemporaryDirectory(prefix="overheard-") as work:
        done = subprocess.run(["unshare", "-n", sys.executable, os.path.abspath(__file__), *map(os.path.abspath, sys.argv[1:3]), work], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
