"""Runs a real program and ours on the same inputs in two equal directories, and compares what came of it."""
import argparse
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from forked import Forked

DATE = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9]\d \d\d:\d\d:\d\d \w+ \d{4}")
STAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}")
SECONDS = re.compile(r"\d+\.\d{3}$", re.M)


STARTED_WITH = {"LC_ALL": "C", "TZ": "UTC", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


def forked(program, *modules):
    """The real program, which imports these; to be a side's."""
    return Forked(program, modules, {"PATH": os.environ["PATH"], **STARTED_WITH})


class Side:
    """One of the two programs (a path, or forked()), with a directory of its own."""

    def __init__(self, program, path_first=None):
        self.program = program
        self.dir = tempfile.mkdtemp(prefix="agent-peer-")
        self.path_first = path_first

    def fill(self, text):
        return text.replace("{D}", self.dir)

    def put(self, files):
        for name, content in files.items():
            text, mode = content if isinstance(content, tuple) else (content, 0o644)
            path = os.path.join(self.dir, name)
            if text is None:
                os.makedirs(path, exist_ok=True)
            elif text == "{REMOVE}":
                os.remove(path)
                continue
            else:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as f:
                    f.write(self.fill(text))
            os.chmod(path, mode if text is not None else (mode if mode != 0o644 else 0o755))

    def run(self, args, env, timeout=60):
        path = os.environ["PATH"]
        if self.path_first:
            path = self.path_first + ":" + path
        full = {"PATH": path, "HOME": self.dir, **STARTED_WITH}
        full.update({key: self.fill(value) for key, value in env.items()})
        args = [self.fill(arg) for arg in args]
        if isinstance(self.program, Forked):
            status, out, err = self.program.run(args, full, self.dir, timeout)
        else:
            done = subprocess.run([self.program] + args, env=full, cwd=self.dir, timeout=timeout, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            status, out, err = done.returncode, done.stdout, done.stderr
        clean = lambda data: data.decode("utf-8", "replace").replace(self.dir, "{D}")
        return status, clean(out), clean(err)

    def tree(self):
        found = {}
        for root, dirs, names in os.walk(self.dir):
            for name in names + dirs:
                path = os.path.join(root, name)
                mode = stat.S_IMODE(os.lstat(path).st_mode)
                content = None
                if os.path.isfile(path):
                    with open(path, "rb") as f:
                        content = f.read().decode("utf-8", "replace").replace(self.dir, "{D}")
                found[os.path.relpath(path, self.dir)] = (oct(mode), content)
        return found

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)


def plain(text):
    """Without what differs from run to run: dates and durations."""
    return SECONDS.sub("N.NNN", STAMP.sub("STAMP", DATE.sub("DATE", text)))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--links", help="directory of our programs; HEARTH_AGENT_LINKS overrides it")
    parser.add_argument("cases", nargs="*")
    found = parser.parse_args()
    found.links = os.path.abspath(os.environ.get("HEARTH_AGENT_LINKS", found.links))
    return found


def need(peer):
    if not os.path.exists(peer):
        print("SKIPPED: %s is not installed" % peer)
        sys.exit(77)


def differences(theirs, ours, what):
    if theirs == ours:
        return []
    if isinstance(theirs, dict):
        lines = []
        for key in sorted(set(theirs) | set(ours)):
            if theirs.get(key) != ours.get(key):
                lines.append("  %s %s\n    theirs: %r\n    ours:   %r" % (what, key, theirs.get(key), ours.get(key)))
        return lines
    return ["  %s\n    theirs: %r\n    ours:   %r" % (what, theirs, ours)]


def script(text, shebang="#!/bin/sh\n"):
    """An executable file for Side.put."""
    return (shebang + text, 0o755)


def run_both(sides, case, prepare, said):
    """Runs one case on both sides and tells how they differ: status, stdout, files, and what `said` leaves of stderr (unless
    the case has stderr=False, where each program has words of its own). prepare(side, case) gives arguments and environment."""
    results = []
    for side in sides:
        side.put(case.get("files", {}))
        args, env = prepare(side, case)
        status, out, err = side.run(args, env)
        results.append((status, out, said(err), side.tree()))
        side.close()
    (status, out, err, tree), (our_status, our_out, our_err, our_tree) = results
    lines = differences(status, our_status, "status") + differences(out, our_out, "stdout") + differences(tree, our_tree, "file")
    return lines + (differences(err, our_err, "stderr") if case.get("stderr", True) else [])


def run_all(cases, only, check):
    """check(name, case) gives a list of difference lines. Exits 1 when there are any."""
    bad = 0
    for name, case in cases.items():
        if only and name not in only:
            continue
        lines = check(name, case)
        bad += bool(lines)
        print(("DIFFERS " if lines else "same    ") + name)
        for line in lines:
            print(line)
    print("%d cases, %d differ" % (len(only or cases), bad))
    sys.exit(1 if bad else 0)
