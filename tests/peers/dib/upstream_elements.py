"""Elements of diskimage-builder side by side: each group is built by upstream's disk-image-create and by ours, from the same
elements, unmodified, and the trees are compared.

usage: upstream_elements.py HEARTH CACHE [GROUP…]
  HEARTH  directory that holds our disk-image-create
  CACHE   directory that is kept: the root tree, downloaded packages

DIB_PEER_ALONE=1 builds every element of every group in a build of its own (an hour); DIB_PEER_KEEP=DIR keeps logs and
trees there. Exit code 0: all agree; 1: they don't; 77: upstream's builder can't run here.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

import compare_trees
import groups as table
import patience

HERE = os.path.dirname(os.path.abspath(__file__))
UPSTREAM = "/usr/bin/disk-image-create"


def upstream_tree():
    """Where Debian's python3-diskimage-builder keeps the elements; empty when it is not installed."""
    asked = subprocess.run(["/usr/bin/python3", "-c", "import diskimage_builder as d; print(d.__path__[0])"],
                           capture_output=True, text=True, check=False)
    return os.path.join(asked.stdout.strip(), "elements") if asked.returncode == 0 else ""


def why_not():
    """Why upstream's builder can't run here; empty when it can."""
    if os.geteuid() != 0:
        return "upstream's builder needs root"
    for program in (UPSTREAM, "sudo", "debootstrap", "losetup", "partx", "mmdebstrap", "mkfs.ext4", "unmkinitramfs"):
        if not shutil.which(program, path=os.environ['PATH'] + ':/usr/sbin:/sbin'):
            return f"{program} is not installed"
    if not upstream_tree():
        return "python3-diskimage-builder is not installed"
    probe = subprocess.run(["losetup", "--find"], capture_output=True, text=True, check=False)
    return "" if probe.returncode == 0 else f"upstream's builder needs loop devices: {probe.stderr.strip()}"


class Side:
    def __init__(self, name, program, work, settings):
        self.name, self.program, self.work, self.settings = name, program, work, settings

    def build(self, group):
        """Seconds, and the log's path; the exit code."""
        directory = os.path.join(self.work, self.name)
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        environment = {**os.environ, **self.settings, **group.get("environment", {})}
        environment = {key: value.replace("{work}", self.work).replace("{here}", HERE) for key, value in environment.items()}
        log = os.path.join(directory, "log")
        began = time.monotonic()
        # In mounts of its own: upstream mounts in /tmp, and what hooks of a build beside it see there is another /tmp by that.
        words = ["unshare", "--mount", "--", self.program, "-n", "-t", "tar", "-o", self.name, *group["elements"]]
        code = patience.run(words, log, cwd=directory, env=environment)
        return time.monotonic() - began, code, log

    def tar(self):
        return os.path.join(self.work, self.name, self.name + ".tar")


def settings(cache, root):
    release = subprocess.run(["sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME"], capture_output=True, text=True,
                             check=True).stdout.strip()
    targets = subprocess.run(["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)"], capture_output=True,
                             text=True, check=True).stdout.split("\n")
    mirrors = dict(line.split(" ", 1) for line in targets if " " in line)
    return {"DIB_RELEASE": release, "DIB_DISTRIBUTION_MIRROR": mirrors.get(release, "").rstrip("/"),
            "DIB_DEBIAN_SECURITY_MIRROR": mirrors.get(release + "-security", "").rstrip("/"),
            "DIB_DEBIAN_SECURITY_SUBPATH": "-security", "DIB_PYTHON_VERSION": "3", "DIB_IMAGE_CACHE": cache,
            "DIB_DEBOOTSTRAP_CACHE": "1", "DIB_DEBIAN_USE_DEBOOTSTRAP_CACHE": "1", "PEER_ROOT": root,
            "PEER_SOURCES": os.path.join(cache, "sources"), "USER": "root",
            "HOME": os.path.join(cache, "home"), "OVERWRITE_OLD_IMAGE": "1"}


def make_sources(cache):
    """A git repository with two branches, a tar file and a file, for the element peer-sources."""
    directory = os.path.join(cache, "sources")
    shutil.rmtree(directory, ignore_errors=True)
    shutil.rmtree(os.path.join(cache, "source-repositories"), ignore_errors=True)
    script = """
        set -eu
        mkdir -p "$1/repository" "$1/sources-1" && cd "$1"
        export GIT_AUTHOR_NAME=peer GIT_AUTHOR_EMAIL=peer@example.org GIT_COMMITTER_NAME=peer
        export GIT_COMMITTER_EMAIL=peer@example.org GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z
        git -C repository init -q -b master
        echo one > repository/text && git -C repository add text && git -C repository commit -q -m one
        git -C repository checkout -q -b topic
        echo two > repository/text && git -C repository commit -q -a -m two
        git -C repository checkout -q master
        echo text > sources-1/text && tar -czf sources.tar.gz sources-1
        echo file > file
    """
    subprocess.run(["bash", "-c", script, "sources", directory], check=True, stdin=subprocess.DEVNULL)


def tail(path, lines=12):
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join("      | " + line for line in file.readlines()[-lines:])


def made_initramfs(log):
    with open(log, encoding="utf-8", errors="replace") as file:
        return sum("update-initramfs: Generating" in line for line in file)


def run_group(name, group, sides):
    """One row of the table; the lines that explain it."""
    seconds, problems, made = [], [], []
    for side in sides:
        took, code, log = side.build(group)
        seconds.append(took)
        made.append(made_initramfs(log))
        if code != 0:
            problems.append(f"{side.name} failed with exit code {code}:\n{tail(log)}")
    files = packages = 0
    if not problems:
        problems, files, packages = compare_trees.compare(sides[0].tar(), sides[1].tar())
        enough = group.get("initramfs", 1)
        if made[1] > enough:
            problems.append(f"initramfs: ours made {made[1]}, upstream {made[0]}; enough are {enough}")
    row = (name, len(group["elements"]), seconds[0], seconds[1], files, packages, len(problems))
    return row, problems


def alone(chosen):
    """Each element of each group by itself, with what the group needs."""
    for name, group in chosen.items():
        for element in group["elements"]:
            if element not in group.get("with", ()):
                yield f"{name}: {element}", {**group, "elements": [*group.get("with", ()), element]}


def shipped():
    tree = upstream_tree()
    return {name for name in os.listdir(tree) if os.path.isdir(os.path.join(tree, name)) and name[0] not in "._"}


def check_list():
    """Every element that upstream ships is either exercised or left out for a reason."""
    exercised = {element for group in table.GROUPS.values() for element in group["elements"]}
    known = exercised | set(table.LEFT_OUT)
    return sorted(f"{name}: neither in a group nor left out" for name in shipped() - known) + \
        sorted(f"{name}: both exercised and left out" for name in exercised & set(table.LEFT_OUT))


def main(hearth, cache, *names):
    reason = why_not()
    if reason:
        print("SKIPPED:", reason, file=sys.stderr)
        return 77
    unknown = set(names) - set(table.GROUPS)
    if unknown:
        print("there is no group", *sorted(unknown), file=sys.stderr)
        return 2
    if not os.environ.get("HEARTH_LONG") and names and all(table.GROUPS[name].get("long") for name in names):
        print("SKIPPED: HEARTH_LONG is not set", file=sys.stderr)
        return 77
    faults = check_list()
    os.makedirs(os.path.join(cache, "home"), exist_ok=True)
    root = os.path.join(cache, "root.tar")
    subprocess.run([os.path.join(HERE, "base_root.sh"), root], check=True, stdin=subprocess.DEVNULL)
    work = os.environ.get("DIB_PEER_KEEP") or tempfile.mkdtemp(prefix="peers-dib-")
    base = settings(cache, root)
    path = f"{HERE}/elements:{upstream_tree()}"
    make_sources(cache)
    helpers = {"PATH": f"{HERE}/upstream-path:{os.environ['PATH']}"}
    sides = [Side("theirs", UPSTREAM, work, {**base, **helpers, "ELEMENTS_PATH": f"{HERE}/elements"}),
             Side("ours", os.path.join(hearth, "disk-image-create"), work, {**base, "ELEMENTS_PATH": path})]
    chosen = {name: group for name, group in table.GROUPS.items() if not names or name in names}
    builds = list(alone(chosen)) if os.environ.get("DIB_PEER_ALONE") else list(chosen.items())
    print(f"{'group':<36} {'elements':>8} {'theirs':>8} {'ours':>8} {'entries':>8} {'packages':>8} {'differ':>7}", flush=True)
    for name, group in builds:
        row, problems = run_group(name, group, sides)
        print(f"{row[0]:<36} {row[1]:>8} {row[2]:>6.1f} s {row[3]:>6.1f} s {row[4]:>8} {row[5]:>8} {row[6]:>7}", flush=True)
        for problem in problems[:40]:
            print("   ", problem, flush=True)
        faults += problems
    if not os.environ.get("DIB_PEER_KEEP"):
        shutil.rmtree(work, ignore_errors=True)
    count = len({element for group in table.GROUPS.values() for element in group["elements"]} & shipped())
    print(f"{count} elements exercised, {len(table.LEFT_OUT)} left out (tests/peers/dib/groups.py says why)")
    for fault in faults[:20]:
        print("FAILED:", fault.split("\n")[0], file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
