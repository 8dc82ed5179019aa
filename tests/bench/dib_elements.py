#!/usr/bin/python3
"""What upstream's own elements take when nothing is kept: a tree by diskimage-builder and by ours without layers, from the same
unmodified elements and with the downloads at hand, in turn. For each: wall seconds, processor seconds of all its processes, and
the ratios of ours; then where ours spent its time. Root, loop devices, the network, and a quiet machine.

usage: dib_elements.py DIRECTORY [ROUNDS] [ELEMENT…]
  DIRECTORY  holds our disk-image-create (build/release/builder)
"""
import os
import resource
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../peers/dib"))
import upstream_elements as peers  # noqa: E402  pylint: disable=wrong-import-position

ELEMENTS = ["debian-minimal", "cloud-init", "openssh-server", "dhcp-all-interfaces"]


def spent():
    """Processor seconds of all children that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measured(side, group):
    before, began = spent(), time.monotonic()
    _, code, log = side.build(group)
    wall, processor = time.monotonic() - began, spent() - before
    if code != 0:
        sys.exit(f"{side.name} failed with exit code {code}:\n{peers.tail(log, 30)}")
    return wall, processor


def main(directory, rounds="3", *elements):
    reason = peers.why_not()
    if reason:
        print("SKIPPED:", reason, file=sys.stderr)
        return 77
    work = tempfile.mkdtemp(prefix="bench-upstream-")
    os.environ.pop("TMPDIR", None)  # upstream hands it to packages in the image, which have no such directory
    cache = os.path.join(work, "cache")
    os.makedirs(os.path.join(cache, "home"))
    base = peers.settings(cache, "")
    helpers = {"PATH": f"{os.path.dirname(peers.__file__)}/upstream-path:{os.environ['PATH']}"}
    ours = {**base, "HEARTH_CACHE": "0", "ELEMENTS_PATH": peers.upstream_tree()}
    sides = [peers.Side("theirs", peers.UPSTREAM, work, {**base, **helpers}),
             peers.Side("ours", os.path.join(os.path.abspath(directory), "disk-image-create"), work, ours)]
    group = {"elements": list(elements) or ELEMENTS}
    print(" ".join(group["elements"]), flush=True)
    print(f"{'round':<6} {'theirs wall':>12} {'processor':>10} {'ours wall':>12} {'processor':>10} {'ratio':>8} {'processor':>10}", flush=True)
    for number in range(int(rounds) + 1):
        times = [measured(side, group) for side in sides]
        theirs, mine = times
        name = str(number) if number > 0 else "warm"  # what is downloaded is downloaded in the first
        print(f"{name:<6} {theirs[0]:>12.1f} {theirs[1]:>10.1f} {mine[0]:>12.1f} {mine[1]:>10.1f} {mine[0] / theirs[0]:>8.2f} "
              f"{mine[1] / theirs[1]:>10.2f}", flush=True)
    with open(os.path.join(work, "ours", "log"), encoding="utf-8", errors="replace") as file:
        lines = [line.split(" | ", 1)[-1].rstrip() for line in file]
    table = sorted((line for line in lines if line.endswith("%")), key=lambda line: -float(line.split()[-2]))
    print("\n".join(table[:12]))
    shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
