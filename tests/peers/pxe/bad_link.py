"""A bad Ethernet link: joins two interfaces of this namespace and loses, doubles and swaps what passes.

usage: bad_link.py LEFT RIGHT LOSS DOUBLE SWAP SEED     (shares from 0 to 1)
Says "ready" when it forwards; at SIGTERM it says how many UDP packets came from RIGHT, in all.
"""
import random
import select
import signal
import socket
import sys
import time

HELD_FOR = 0.03  # seconds that a swapped frame waits at most


def main():
    left, right = sys.argv[1:3]
    loss, double, swap = map(float, sys.argv[3:6])
    chance = random.Random(int(sys.argv[6]))
    ends = {}
    for name in (left, right):
        ends[name] = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        ends[name].bind((name, 0))
        ends[name].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        ends[name].setblocking(False)
    other = {ends[left]: ends[right], ends[right]: ends[left]}
    from_right = 0
    held = []  # (time, frame, where to)
    running = True

    def stop(*_):
        nonlocal running
        running = False

    signal.signal(signal.SIGTERM, stop)
    print("ready", flush=True)

    def put(end, frame):
        try:
            end.send(frame)
        except OSError:
            pass  # too long for the link, or it is full: lost

    while running:
        for end in select.select(list(other), [], [], 0.01)[0]:
            try:
                frame, address = end.recvfrom(65536)
            except BlockingIOError:
                continue
            if address[2] == socket.PACKET_OUTGOING:
                continue
            if end is ends[right] and frame[12:14] == b"\x08\x00" and frame[23] == 17:
                from_right += 1
            draw = chance.random
            if draw() < loss:
                continue
            if draw() < swap:
                held.append((time.monotonic(), frame, other[end]))
                continue
            put(other[end], frame)
            if draw() < double:
                put(other[end], frame)
            for _, late, to in held:
                put(to, late)
            held.clear()
        while held and held[0][0] + HELD_FOR < time.monotonic():
            _, late, to = held.pop(0)
            put(to, late)
    print(from_right, flush=True)


main()
