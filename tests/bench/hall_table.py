"""Rows of the table that hall.sh prints, and what it tells meanwhile."""

import os
import signal
import sys
import time

BEGAN = time.monotonic()


def say(text):
    """How far it is."""
    print(f"{time.monotonic() - BEGAN:6.0f} s  {text}", file=sys.stderr, flush=True)


def row(what, asked, measured, met=None):
    """met: None where nothing was asked for. Whether it was missed."""
    print("ROW", what, asked, measured, {None: "", True: "met", False: "MISSED"}[met], sep="\t", flush=True)
    return met is False


def loads():
    """Processes that wanted a core, in the last minute, for each core."""
    return os.getloadavg()[0] / os.cpu_count()


def end_tidily():
    """Who is broken off ends what it has started, and leaves no files."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
