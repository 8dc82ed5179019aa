"""Runs a program as long as it gets on: on a busy machine a build may take hours by the clock, and is as good as a quick one."""
import os
import signal
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")


class Stuck(Exception):
    """A program was ended because it got nowhere, or burnt more than it may."""


def processes():
    """Parent and processor seconds, those of its ended children among them, of each process by its number."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(") ")[2].split()
        except OSError:  # it has ended
            continue
        found[int(name)] = (int(fields[1]), sum(map(int, fields[11:15])) / TICKS)
    return found


def family(pid):
    """`pid` and all below it, and the processor seconds of all together."""
    known = processes()
    children = {}
    for child, (parent, _) in known.items():
        children.setdefault(parent, []).append(child)
    members = [pid]
    for member in members:  # grows as we go
        members += children.get(member, [])
    return members, sum(known[member][1] for member in members if member in known)


def end(members):
    for member in reversed(members):
        try:
            os.kill(member, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(words, log, idle=900, most=5400, **how):
    """The exit code. Ends it, with all that it started, after `idle` seconds in which it neither wrote to `log` nor used a second of
    processor time, and when it used `most` seconds of that."""
    with open(log, "w", encoding="utf-8") as file, \
            subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, **how) as child:
        seen, since = (0, 0.0), time.monotonic()
        while True:
            try:
                return child.wait(timeout=min(30, idle / 4))
            except subprocess.TimeoutExpired:
                pass
            members, used = family(child.pid)
            now = (os.path.getsize(log), used)
            if now[0] != seen[0] or abs(now[1] - seen[1]) >= 1:
                seen, since = now, time.monotonic()
            quiet = time.monotonic() - since
            if quiet > idle or used > most:
                end(members)
                why = f"did nothing for {quiet:.0f} s" if quiet > idle else f"used {used:.0f} s of processor time"
                raise Stuck(f"{os.path.basename(words[0])} was ended: it {why}; {log} has what it said")
