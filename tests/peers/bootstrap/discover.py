"""A machine that asks its network for an address (DHCPDISCOVER). usage: discover.py CARD MAC"""

import socket
import struct
import sys


def discover(interface, mac):
    card = bytes.fromhex(mac.replace(":", ""))
    dhcp = struct.pack("!BBBB4s2xH16x", 1, 1, 6, 0, b"asks", 0x8000) + card + bytes(202) + b"\x63\x82\x53\x63\x35\x01\x01\xff" + bytes(60)
    udp = struct.pack("!HHHH", 68, 67, 8 + len(dhcp), 0) + dhcp
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes(4), b"\xff" * 4)
    total = sum(struct.unpack("!10H", head))
    total = (total & 0xFFFF) + (total >> 16)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as asks:
        asks.bind((interface, 0))
        asks.send(b"\xff" * 6 + card + b"\x08\x00" + head[:10] + struct.pack("!H", ~total & 0xFFFF) + head[12:] + udp)


if __name__ == "__main__":
    discover(*sys.argv[1:])
