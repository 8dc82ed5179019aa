"""DHCP and TFTP clients as no firmware should be, to see what the servers do about them.

usage: odd_client.py INTERFACE discover MAC [GIADDR]   the address offered, or "nothing"
       odd_client.py INTERFACE request MAC ADDRESS [SERVER]   "ACK", "NAK" or "nothing"; it takes that server's offer (192.0.2.1)
       odd_client.py INTERFACE boot MAC ARCH [ipxe]    what a machine with that firmware (option 93) is told: "SERVER FILE", with
                                                       "-" for what is not said; "nothing"
       odd_client.py INTERFACE boots MAC               asks as that machine until a server answers; then reads "MAC ARCH [ipxe]" a
                                                       line, and says for each what that one is told
       odd_client.py - vanish SERVER FILE              asks, and never answers: bytes sent and bytes received
       odd_client.py - slow SERVER FILE SECONDS        acknowledges each of the first blocks so late: copies received
"""
import random
import socket
import struct
import sys
import time


def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def dhcp(interface, mac, kind, giaddr, further):
    """Sends a message as firmware does, from 0.0.0.0 by broadcast; the answer's kind and address."""
    answer, options = exchange(interface, mac, kind, giaddr, further)
    return (options[53][0], socket.inet_ntoa(answer[16:20])) if answer else (None, None)


def exchange(interface, mac, kind, giaddr, further, patience=2):
    """The answer, and its options by number; nothing twice when none comes in time."""
    hardware = bytes.fromhex(mac.replace(":", ""))
    xid = random.getrandbits(32)
    message = struct.pack("!BBBBIHH4s4s4s4s", 1, 1, 6, 0, xid, 0, 0x8000, b"", b"", b"", socket.inet_aton(giaddr))
    message += hardware.ljust(16, b"\0") + bytes(192) + b"\x63\x82\x53\x63" + bytes((53, 1, kind)) + further + b"\xff"
    udp = struct.pack("!HHHH", 68, 67, 8 + len(message), 0) + message
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes(4), b"\xff" * 4)
    head = head[:10] + struct.pack("!H", checksum(head)) + head[12:]
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
    link.bind((interface, 0))
    link.send(b"\xff" * 6 + hardware + b"\x08\x00" + head + udp)
    end = time.monotonic() + patience
    while time.monotonic() < end:
        link.settimeout(max(0.01, end - time.monotonic()))
        try:
            frame = link.recv(2048)
        except TimeoutError:
            break
        packet = frame[14:]
        if len(packet) < 272 or packet[9] != 17 or packet[20:22] != b"\0\x43":
            continue
        answer = packet[28:]
        if answer[0] != 2 or answer[4:8] != struct.pack("!I", xid):
            continue
        options = {}
        at = 240
        while at + 2 < len(answer) and answer[at] != 255:
            if answer[at] == 0:
                at += 1
                continue
            options[answer[at]] = answer[at + 2:at + 2 + answer[at + 1]]
            at += 2 + answer[at + 1]
        return answer, options
    return None, None


def boot(interface, mac, arch, is_ipxe, patience=2):
    kind = b"HTTPClient" if arch == 16 else b"PXEClient"
    words = kind + b":Arch:%05d:UNDI:003016" % arch
    further = bytes((60, len(words))) + words + bytes((93, 2)) + struct.pack("!H", arch) + bytes((94, 3, 1, 3, 16))
    further += bytes((55, 6, 1, 3, 60, 66, 67, 54)) + (bytes((77, 4)) + b"iPXE" if is_ipxe else b"")
    answer, options = exchange(interface, mac, 1, "0.0.0.0", further, patience)
    if answer is None:
        return "nothing"
    if arch == 16 and not is_ipxe and options.get(60) != b"HTTPClient":
        return "an answer that firmware would pass over, without option 60"
    file = options.get(67) or answer[108:236].rstrip(b"\0")
    server = socket.inet_ntoa(answer[20:24])
    return ("-" if file.startswith(b"http") or not file else server) + " " + (file.rstrip(b"\0").decode() or "-")


def boots(interface, first):
    end = time.monotonic() + 60
    while boot(interface, first, 7, False, 0.2) == "nothing" and time.monotonic() < end:
        pass
    for mac, arch, *ipxe in map(str.split, sys.stdin):
        print(boot(interface, mac, int(arch), ipxe == ["ipxe"]), flush=True)


def ask(server, name, options):
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    request = b"\0\1" + b"\0".join(word.encode() for word in (name, "octet", *options)) + b"\0"
    link.sendto(request, (server, 69))
    return link, len(request)


def vanish(server, name):
    link, sent = ask(server, name, ("blksize", "1468", "windowsize", "64"))
    received = 0
    link.settimeout(10)
    end = time.monotonic() + 25
    while time.monotonic() < end:
        try:
            received += len(link.recv(65536))
        except TimeoutError:
            break
    return "%d %d" % (sent, received)


def slow(server, name, pause):
    link, _ = ask(server, name, ())
    seen = {}
    link.settimeout(5)
    for block in range(1, 6):
        while True:
            data, transfer = link.recvfrom(65536)
            number = struct.unpack("!H", data[2:4])[0]
            seen[number] = seen.get(number, 0) + 1
            if number == block:
                break
        time.sleep(pause)
        link.sendto(struct.pack("!HH", 4, block), transfer)
    link.sendto(b"\0\5\0\0enough\0", transfer)
    return str(sum(seen.values()) - len(seen))


def main():
    interface, what, *words = sys.argv[1:]
    if what == "discover":
        kind, address = dhcp(interface, words[0], 1, words[1] if len(words) > 1 else "0.0.0.0", b"")
        print(address if kind == 2 else "nothing")
    elif what == "request":
        wanted = bytes((50, 4)) + socket.inet_aton(words[1]) + bytes((54, 4)) + socket.inet_aton(words[2] if len(words) > 2 else "192.0.2.1")
        kind, _ = dhcp(interface, words[0], 3, "0.0.0.0", wanted)
        print({5: "ACK", 6: "NAK"}.get(kind, "nothing"))
    elif what == "boot":
        print(boot(interface, words[0], int(words[1]), words[2:] == ["ipxe"]))
    elif what == "boots":
        boots(interface, words[0])
    elif what == "vanish":
        print(vanish(*words))
    else:
        print(slow(words[0], words[1], float(words[2])))


main()
