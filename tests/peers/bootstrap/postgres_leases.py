#!/usr/bin/python3
"""Leases of a conductor whose state lives in PostgreSQL: one that a machine was told is in the database, whatever is killed; while that
is away none is promised; another directory goes on with them, and so does an older Hearth's. usage: postgres_leases.py HEARTH

Runs in a network namespace of its own, asks as machines do.
"""
import os
import random
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from conductor import Conductor, in_own_namespace, need, same, site, until

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from postgres import Postgres, programs  # noqa: E402  pylint: disable=wrong-import-position

DISCOVER, OFFER, REQUEST, ACK = 1, 2, 3, 5


def sum_of(head):
    total = sum(struct.unpack(f"!{len(head) // 2}H", head))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Machines:
    """Any number of them behind one card: each asks for an address again and again; what each was told."""

    def __init__(self, count, first=1):
        self.macs = [bytes.fromhex(f"525400{number:06x}") for number in range(first, first + count)]
        self.told = {}  # mac → address, of the last ACK
        self.times = []
        self.asked = {}
        self.stop = threading.Event()
        self.card = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
        self.card.bind(("machine0", 0))
        self.thread = threading.Thread(target=self.run)

    def send(self, mac, kind, more=b""):
        options = b"\x63\x82\x53\x63\x35\x01" + bytes([kind]) + more + b"\xff"
        dhcp = struct.pack("!BBBB4s2xH16x", 1, 1, 6, 0, mac[2:], 0x8000) + mac + bytes(202) + options + bytes(60)
        udp = struct.pack("!HHHH", 68, 67, 8 + len(dhcp), 0) + dhcp
        head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes(4), b"\xff" * 4)
        head = head[:10] + struct.pack("!H", sum_of(head)) + head[12:]
        self.card.send(b"\xff" * 6 + mac + b"\x08\x00" + head + udp)

    def ask(self, mac):
        self.asked[mac] = time.monotonic()
        self.send(mac, DISCOVER)

    def hear(self, packet):
        if packet[23] != 17 or packet[34:36] != b"\x00\x43":
            return
        dhcp = packet[42:]
        mac, address, options = dhcp[28:34], dhcp[16:20], dhcp[240:]
        if mac not in self.macs or dhcp[4:8] != mac[2:]:
            return
        found, at = {}, 0
        while at < len(options) and options[at] != 255:
            if options[at] == 0:
                at += 1
                continue
            found[options[at]] = options[at + 2:at + 2 + options[at + 1]]
            at += 2 + options[at + 1]
        kind = found[53][0]
        if kind == OFFER:
            self.send(mac, REQUEST, b"\x32\x04" + address + b"\x36\x04" + found[54])
        if kind == ACK:
            self.told[mac] = socket.inet_ntoa(address)
            self.times.append(time.monotonic() - self.asked[mac])
            self.asked[mac] = time.monotonic() + 0.3  # so long it rests

    def run(self):
        waiting = list(self.macs)
        while not self.stop.is_set():
            if waiting:
                self.ask(waiting.pop(0))
            while select.select([self.card], [], [], 0.002)[0]:
                self.hear(self.card.recv(2048))
            now = time.monotonic()
            waiting += [mac for mac, since in self.asked.items() if now - since > 1 and mac not in waiting]

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        self.card.close()


def kept(postgres):
    """Address → MAC, as the database has them."""
    rows = postgres.ask("SELECT lease FROM conductor.leases").splitlines()
    return {words[3]: words[2] for words in (row.split() for row in rows)}


def check_told(postgres, *all_machines):
    leases = kept(postgres)
    for machines in all_machines:
        assert machines.told, "else nothing is tested"
        for mac, address in machines.told.items():
            same(f"who has {address}", ":".join(f"{byte:02x}" for byte in mac), leases.get(address))
    told = [address for machines in all_machines for address in machines.told.values()]
    same("addresses that two were told", len(set(told)), len(told))


def check_killed(postgres, conductor):
    seen = random.Random(5)
    with Machines(40) as machines:
        until(lambda: len(machines.told) == 40)
        took = sorted(machines.times)
        print(f"{len(took)} addresses, half of them within {took[len(took) // 2] * 1000:.0f} ms", flush=True)
        for _ in range(int(os.environ.get("HEARTH_KILLS", "4"))):
            time.sleep(seen.random())
            conductor.kill()
            check_told(postgres, machines)
            conductor.start()
            before = len(machines.times)
            until(lambda then=before: len(machines.times) > then)
        for _ in range(2):
            postgres.stop()
            conductor.until(lambda: conductor.ask_raw("GET", "/v1/nodes")[0], 503)
            with Machines(3, 200 + len(machines.times)) as late:
                time.sleep(2.5)
                same("what is promised while the database is away", {}, late.told)
                postgres.start()
                until(lambda asks=late: len(asks.told) == 3)
            check_told(postgres, machines, late)
    same("the copy beside it", set(kept(postgres).items()), set(of_file(conductor.directory)))


def of_file(directory):
    with open(directory + "/leases", encoding="ascii") as file:
        found = {words[3]: words[2] for words in (line.split() for line in file)}
    return found.items()


def check_elsewhere(hearth, postgres, conductor, options, work):
    """Another directory has all of them, and gives nobody's address away; a backup and a schema of older days have them, too."""
    leases = kept(postgres)
    done = subprocess.run([hearth, "backup", "--state", conductor.directory, "--database", postgres.url(), work + "/backup"], check=False)
    same("hearth backup", 0, done.returncode)
    conductor.stop()
    other = work + "/other"
    os.makedirs(other, mode=0o700)
    shutil.copy(conductor.directory + "/seal-key", other)
    with Conductor(hearth, "--boot", site(other), *options, directory=other) as second:
        with Machines(2, 900) as machines:
            until(lambda: len(machines.told) == 2)
        check_told(postgres, machines)
        assert not set(machines.told.values()) & set(leases), "of those that others have"
        second.stop()
        done = subprocess.run([hearth, "node", "schema", "--state", other, "--database", postgres.url(), "--to", "1"], capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0 and "version 1\n" in done.stdout, done
        same("the leases beside an older Hearth's tables", len(leases) + 2, len(of_file(other)))
        second.start()
        conductor.until(lambda: len(kept(postgres)), len(leases) + 2)
        second.stop()
    done = subprocess.run([hearth, "restore", "--state", work + "/files", work + "/backup"], check=False)
    same("hearth restore", 0, done.returncode)
    same("the leases in a backup", set(leases.items()), set(of_file(work + "/files")))


def inside(hearth):
    for words in ("link set lo up", "link add seed0 type veth peer name machine0", "addr add 192.0.2.1/24 dev seed0", "link set seed0 up",
                  "link set machine0 up"):
        subprocess.run(["ip", *words.split()], check=True)
    with tempfile.TemporaryDirectory(prefix="postgres-leases-") as work:
        postgres = Postgres(work)
        postgres.start()
        state = work + "/state"
        os.makedirs(state, mode=0o700)
        options = ["--boot-force", "--unknown", "local", "--database", postgres.url()]
        try:
            with Conductor(hearth, "--boot", site(state), *options, directory=state) as conductor:
                check_killed(postgres, conductor)
                check_elsewhere(hearth, postgres, conductor, options, work)
        finally:
            postgres.stop()


def main():
    need(programs(), "postgresql is not installed")
    need(os.getuid() == 0, "not root: no namespace for DHCP")
    in_own_namespace(inside)


if __name__ == "__main__":
    main()
