"""A network of a test's own: whatever port it wants is free there, also a second time, whoever else tests meanwhile."""

import contextlib
import ctypes
import fcntl
import itertools
import os
import random
import socket
import struct

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
FIRST, END = 20000, 32000  # the kernel gives none of these to whoever connects
MARK = "HEARTH_TEST_HAS_OWN_NETWORK"

_numbers = None
_given = set()


def enter():
    """The first thing that a test does, before it starts anything: it has loopback then, and nothing else. Where that is not allowed
    it stays where it is, and its ports are free by chance; so it does where the test that runs it has one already."""
    global _numbers
    if MARK in os.environ:
        return
    user, group = os.geteuid(), os.getegid()
    if ctypes.CDLL(None).unshare(CLONE_NEWNET | (CLONE_NEWUSER if user else 0)) != 0:
        return
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        card = bytearray(struct.pack("16sh22x", b"lo", 0))
        fcntl.ioctl(door, SIOCGIFFLAGS, card)
        name, flags = struct.unpack("16sh22x", card)
        fcntl.ioctl(door, SIOCSIFFLAGS, struct.pack("16sh22x", name, flags | IFF_UP))
    _numbers = itertools.count(FIRST)
    os.environ[MARK] = "yes"


def free_port(kind=socket.SOCK_STREAM):
    """Each call gives another one."""
    while True:
        number = next(_numbers) if _numbers else random.randrange(FIRST, END)
        with socket.socket(socket.AF_INET, kind) as taken, contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", number))
            if number not in _given:
                _given.add(number)
                return number
