"""Machines that ask for addresses by DHCP, as many as one likes behind one card, for tests; and what of it a database has."""
import select
import socket
import struct
import threading
import time

from conductor import same

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
