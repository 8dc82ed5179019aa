#!/usr/bin/python3
"""What the heap of a seed grows by beyond its first 64 MB lies in large pages; that of a small one stays small. usage: large_heap.py HEARTH"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../peers/bootstrap"))
from conductor import Conductor, same  # noqa: E402  pylint: disable=wrong-import-position

NODES = 20000


def heap(c):
    """(all of it, what lies in large pages), in MB."""
    with open(f"/proc/{c.process.pid}/smaps_rollup", encoding="ascii") as file:
        kilobytes = {line.split(":")[0]: int(line.split()[1]) for line in file if line.endswith("kB\n")}
    return kilobytes["Anonymous"] / 1024, kilobytes["AnonHugePages"] / 1024


def main():
    with open("/sys/kernel/mm/transparent_hugepage/enabled", encoding="ascii") as file:
        if "[never]" in file.read():
            print("skipped: this kernel gives no large pages")
            sys.exit(77)
    with Conductor(sys.argv[1], "--power-sync-interval", "0", "--quiet") as c:
        small, large = heap(c)
        assert small < 40 and large < 8, (small, large)
        for first in range(0, NODES, 5000):
            nodes = [{"name": f"n{n}", "pm_type": "fake-hardware", "mac": [f"52:54:00:{n >> 16:02x}:{n >> 8 & 255:02x}:{n & 255:02x}"]}
                     for n in range(first, first + 5000)]
            body = {"text": json.dumps({"nodes": nodes}), "source": "nodes.json", "initial_state": "enroll"}
            same("an import", 200, c.ask("POST", "/v1/hearth/import", body)[0])
        whole, large = heap(c)
        print(f"{NODES} nodes: {whole:.0f} MB, {large:.0f} MB of them in large pages")
        assert whole > 100, "nothing is tested"
        assert large > (whole - 64) / 2, (whole, large)


main()
