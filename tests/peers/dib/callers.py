"""Scripts of projects that build images (callers_table.py), run whole and unmodified by upstream's builder and by ours, and what they
made compared; and how long ours takes when only the agent in the image has changed since.

usage: callers.py PROGRAMS CACHE [CALLER…]
  PROGRAMS  directory that holds our disk-image-create
  CACHE     directory that is kept: downloaded packages

HEARTH_TREES is a directory of checkouts with these names. The operating system is this machine's Debian. What comes from PyPI and
from git is made here, the same for both: an index on the loopback, and repositories with packages of the same names and programs.
DIB_PEER_KEEP=DIR keeps logs and trees there. Exit code 77: it can't run here.
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import callers_sources as sources
import callers_table
import compare_trees
import patience
import upstream_elements as peers

HERE = os.path.dirname(os.path.abspath(__file__))
# Debian's package has no diskimage-builder: that of the newest upstream, before the package's builder.
FRONT = """#!/usr/bin/python3 -B
import runpy, sys
sys.exit(runpy.run_path({tree!r} + "/diskimage_builder/diskimage_builder.py")["main"]())
"""
NEWEST = """#!/usr/bin/python3 -B
import os, sys
sys.path.insert(0, {tree!r})
os.environ["PYTHONPATH"] = {tree!r}
from diskimage_builder.disk_image_create import main
sys.exit(main())
"""


class Work:
    """Directories of this run, and both sides."""
    def __init__(self, programs, cache, trees):
        kept = os.environ.pop("DIB_PEER_KEEP", "")  # no variable of the builds: it names where they write
        self.is_kept, self.directory = bool(kept), kept or tempfile.mkdtemp(prefix="peers-dib-callers-")
        self.cache, self.programs = os.path.abspath(cache), os.path.abspath(programs)  # each caller runs in its own tree
        self.sources, self.elements = f"{self.cache}/callers", f"{self.directory}/elements"
        os.chmod(self.directory, 0o755)  # a caller may be an ordinary user
        os.makedirs(f"{self.cache}/home", exist_ok=True)
        os.environ.pop("TMPDIR", None)  # upstream hands it to packages in the image, which have no such directory
        sources.make_sources(self.sources, peers.upstream_tree(), f"{trees}/diskimage-builder")
        sources.make_local_elements(self.elements)
        sources.write(f"{self.directory}/bin/python", '#!/bin/sh\nexec /usr/bin/python3 "$@"\n', 0o755)
        builder = f"{trees}/diskimage-builder"
        sources.write(f"{self.directory}/theirs-bin/diskimage-builder", FRONT.format(tree=builder), 0o755)
        sources.write(f"{self.directory}/newest/disk-image-create", NEWEST.format(tree=builder), 0o755)
        index = sources.serve(f"{self.sources}/index")
        self.settings = {**peers.settings(self.cache, ""), "PIP_INDEX_URL": f"{index}/simple", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                         "DIB_REPOLOCATION_upper_constraints": f"{index}/upper-constraints.txt"}
        for name, repository in sources.LOCATIONS.items():
            self.settings[f"DIB_REPOLOCATION_{name}"] = f"{self.sources}/{repository}"

    def side(self, name, settings, *path):
        path = [*path, f"{HERE}/host-path", f"{self.directory}/bin", os.environ["PATH"]]
        return peers.Side(name, "", self.directory, {**self.settings, **settings, "PATH": ":".join(path)})

    def theirs(self, newest=False):
        return self.side("theirs", {}, f"{HERE}/upstream-path", f"{self.directory}/{'newest' if newest else 'theirs-bin'}")

    def ours(self, layers=False):
        return self.side("ours", {"HEARTH_UPSTREAM_ELEMENTS": "first", **({} if layers else {"HEARTH_CACHE": "0"})}, self.programs)

    def filled(self, text, directory):
        places = {"directory": directory, "cache": self.cache, "elements": self.elements, "sources": self.sources}
        return re.sub(r"\{(directory|cache|elements|sources)\}", lambda found: places[found[1]], text)


def spent():
    """Processor seconds of all children that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def bound(command, binds, become):
    """The command, which finds other files at some places, and is run by somebody else."""
    mounts = "".join(f"mount --bind '{source}' '{place}'\n" for place, source in binds.items())
    return ["unshare", "--mount", "bash", "-ec", mounts + 'exec "$@"', "bound", *become, *command]


def all_rights():
    """Words for setpriv: capabilities that last when root becomes another."""
    with open("/proc/self/status", encoding="utf-8") as file:
        bounds = int(next(line.split()[1] for line in file if line.startswith("CapBnd:")), 16)
    names = ",".join(f"+cap_{number}" for number in range(64) if bounds >> number & 1)
    return ["setpriv", "--securebits=+no_setuid_fixup", f"--inh-caps={names}", f"--ambient-caps={names}", "--"]


def made_users(directory, side):
    """Gives the directory to an ordinary user, who has ids in a file of it; the words that make root this user. Upstream's calls sudo,
    which takes root's capabilities to be root again; to ours the machine seems to have given a range of ids."""
    sources.write(f"{directory}/ids", "nobody:300000:65536\n")
    subprocess.run(["chown", "-R", "nobody:nogroup", directory], check=True)
    rights = all_rights() if side.name == "theirs" else []
    return [*rights, "setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--"]


def run_caller(caller, name, side, work):
    """Seconds by the clock and of processors, exit code, log, output."""
    directory = os.path.join(side.work, name, side.name)
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    if caller.prepare:
        caller.prepare(directory, shutil.which("disk-image-create", path=side.settings["PATH"]), work.sources)
    binds = {place: work.filled(source, directory) for place, source in caller.binds.items()}
    become = made_users(directory, side) if caller.user else []
    if caller.user:
        binds |= {"/etc/subuid": f"{directory}/ids", "/etc/subgid": f"{directory}/ids"}
    words = bound([work.filled(word, directory) for word in caller.command], binds, become)
    settings = {key: work.filled(value, directory) for key, value in caller.settings.items()}
    log = os.path.join(directory, "log")
    began, before = time.monotonic(), spent()
    code = patience.run(words, log, cwd=caller.tree, env={**os.environ, **side.settings, **settings})
    return (time.monotonic() - began, spent() - before), code, log, os.path.join(directory, caller.output)


def tar_of_archive(path, tree, tar):
    os.makedirs(tree)
    subprocess.run(["bash", "-ec", 'set -o pipefail; zcat "$1" | cpio --quiet -idm --no-absolute-filenames 2> /dev/null || [ $? = 2 ]',
                    "unpack", path], cwd=tree, check=True, stdin=subprocess.DEVNULL)
    tar.add(tree, ".")
    shutil.rmtree(tree)


def tar_of_disk(path, tree, tar):
    """The last partition of a disk, as the kernel reads it."""
    os.makedirs(tree)
    subprocess.run(["qemu-img", "convert", "-O", "raw", path, f"{tree}.raw"], check=True)
    table = json.loads(subprocess.run(["sfdisk", "--json", f"{tree}.raw"], check=True, capture_output=True, text=True).stdout)
    start = table["partitiontable"]["partitions"][-1]["start"] * 512
    subprocess.run(["mount", "-o", f"ro,noload,loop,offset={start}", f"{tree}.raw", tree], check=True)
    try:
        tar.add(tree, ".")
    finally:
        subprocess.run(["umount", tree], check=True)
    os.rmdir(tree)
    os.remove(f"{tree}.raw")


def as_tar(path):
    """The tree in a disk, or in a compressed cpio archive, as a tar; a tar as it is."""
    if path.endswith(".tar"):
        return path
    tree = path + ".tree"
    shutil.rmtree(tree, ignore_errors=True)
    with tarfile.open(path + ".tar", "w") as tar:
        (tar_of_disk if path.endswith(".qcow2") else tar_of_archive)(path, tree, tar)
    return path + ".tar"


def faults_of(lines, named):
    """Those whose name has no reason to differ."""
    return [line for line in lines
            if not any(re.fullmatch(pattern, line.split(" ", 1)[1].rsplit(": ", 1)[0].split(": ")[0]) for pattern in named)]


def has_said(log, text):
    with open(log, encoding="utf-8", errors="replace") as file:
        return any(text in line for line in file)


def attempt(caller, name, side, work):
    """Seconds, output, and why it is none."""
    began, before = time.monotonic(), spent()
    try:
        seconds, code, log, output = run_caller(caller, name, side, work)
    except patience.Stuck as problem:
        return (time.monotonic() - began, spent() - before), "", [f"{name}: {side.name}: {problem}"]
    if code != 0 or not os.path.exists(output) or not has_said(log, caller.says):
        return seconds, "", [f"{name}: {side.name} failed with exit code {code}:\n{peers.tail(log, 30)}"]
    return seconds, output, []


def compared(name, caller, outputs):
    """Entries that were compared, and what differs."""
    if not caller.output:
        return 0, []
    lines, entries, packages = compare_trees.compare(*map(as_tar, outputs))
    if entries < 5000 or packages < 100:
        lines.append(f"file {name}: only {entries} entries and {packages} packages were compared")
    kernels = [path[:-len(".initramfs")] + ".kernel" for path in outputs if path.endswith(".initramfs")]
    if kernels and subprocess.run(["cmp", *kernels], check=False).returncode != 0:
        lines.append("file kernel: content")
    return entries, faults_of(lines, caller.named)


def row(name, theirs, ours, entries, problems):
    """Of a time that was not taken, and of a ratio with it, nothing is told."""
    times = [f"{seconds:.0f} s" for took in (theirs, ours) for seconds in (took or ())] + ["-"] * (0 if theirs and ours else 2)
    ratio = f"{ours[1] / theirs[1]:.2f}" if theirs and ours and theirs[1] else "-"
    print(f"{name:<42} {times[0]:>7} {times[1]:>7} {times[2]:>7} {times[3]:>7} {ratio:>6} {entries:>8} {len(problems):>7}", flush=True)
    for problem in problems[:60]:
        print("   ", problem, flush=True)


def agent_changed(name, caller, work, theirs):
    """Ours with layers, and again after a commit to the agent: only what comes of it is made again."""
    side = work.ours(layers=True)
    _, _, problems = attempt(caller, name, side, work)
    took, entries = None, 0
    if not problems:
        sources.release(f"{work.sources}/{caller.agent}", caller.agent, "9.10")
        took, output, problems = attempt(caller, name, side, work)
        if output:
            with tarfile.open(as_tar(output)) as tar:
                names = tar.getnames()
            entries = len(names)
            if not any(f"{caller.agent.replace('-', '_')}-9.10.dist-info" in path for path in names):
                problems = [f"{name}: the image has not got the new {caller.agent}"]
            if has_said(os.path.join(side.work, name, side.name, "log"), "can't be kept"):
                problems.append(f"{name}: a step can't be kept, so that what comes behind it ran again: see its log")
    row(f"{name}, {caller.agent} changed", theirs, took, entries, problems)
    return problems


def try_caller(name, caller, work):
    """One caller's rows; what is wrong."""
    theirs, their_output, problems = attempt(caller, name, work.theirs(caller.newest), work)
    ours, our_output, more = attempt(caller, name, work.ours(), work)
    entries, problems = compared(name, caller, [their_output, our_output]) if not problems + more else (0, problems + more)
    row(name, theirs, ours, entries, problems)
    if caller.agent and our_output:
        problems += agent_changed(name, caller, work, theirs)
    return problems


def why_not(trees):
    if not os.environ.get("HEARTH_LONG"):
        return "it takes an hour and a half; HEARTH_LONG is not set"
    if not os.path.isdir(trees):
        return "HEARTH_TREES names no directory of checkouts"
    for program in ("git", "cpio", "zcat", "lsb_release", "bc", "ansible-playbook", "qemu-img", "kpartx", "rsync"):
        if not shutil.which(program):
            return f"{program} is not installed"
    if not os.path.isdir(sources.WHEELS):
        return "python3-pip-whl is not installed"
    return peers.why_not()


def main(programs, cache, *chosen):
    trees = os.environ.get("HEARTH_TREES", "")
    reason = why_not(trees)
    if reason:
        print("SKIPPED:", reason, file=sys.stderr)
        return 77
    trees = os.path.abspath(trees)
    work = Work(programs, cache, trees)
    faults, tried = [], 0
    print(f"{'caller':<42} {'theirs':>7} {'proc.':>7} {'ours':>7} {'proc.':>7} {'ratio':>6} {'entries':>8} {'differ':>7}", flush=True)
    for name, make in callers_table.CALLERS.items():
        if (chosen and name not in chosen) or not os.path.isdir(f"{trees}/{name}"):
            print(f"SKIPPED: part: {name}: HEARTH_TREES has no {name}, or another was asked for", file=sys.stderr)
            continue
        faults += try_caller(name, make(f"{trees}/{name}", work.settings["DIB_RELEASE"]), work)
        tried += 1
    if tried == 0:
        print("FAILED: nothing was called", file=sys.stderr)
    if not work.is_kept:
        shutil.rmtree(work.directory, ignore_errors=True)
    return 1 if faults or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
