"""What a process has taken so far, as /proc tells it."""

import os


def usage(pid):
    """(MiB of memory at its peak, seconds of processor time)"""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return peak / 1024, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
