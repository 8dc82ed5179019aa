"""Scripts of projects that build images, run whole and unmodified by upstream's builder and by ours, and what they made compared:
octavia's diskimage-create.sh, and ironic-python-agent-builder; and diskimage-builder's own functional tests of Debian, which say themselves
whether they pass.

usage: callers.py PROGRAMS CACHE [CALLER…]
  PROGRAMS  directory that holds our disk-image-create
  CACHE     directory that is kept: downloaded packages

HEARTH_TREES is a directory of checkouts with these names. The operating system is this machine's Debian. What comes from PyPI and
from git is made here, the same for both: an index on the loopback, and repositories with packages of the same names and programs.
DIB_PEER_KEEP=DIR keeps logs and trees there. Exit code 77: it can't run here.
"""
import functools
import http.server
import os
import re
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile

import compare_trees
import upstream_elements as peers

HERE = os.path.dirname(os.path.abspath(__file__))
WHEELS = "/usr/share/python-wheels"
PIP = "25.1.1"  # which ironic-python-agent-builder asks for

# Makes a wheel of the directory that it lies in, with nothing but Python.
BACKEND = '''
import glob, os, zipfile
NAME, VERSION, SCRIPTS = {name!r}, {version!r}, {scripts!r}
def build_wheel(directory, config_settings=None, metadata_directory=None):
    info = f"{{NAME.replace('-', '_')}}-{{VERSION}}"
    with zipfile.ZipFile(os.path.join(directory, info + "-py3-none-any.whl"), "w") as wheel:
        module = NAME.replace("-", "_")
        write = lambda name, text: wheel.writestr(zipfile.ZipInfo(name), text)  # of 1980, whenever it is made
        write(f"{{module}}/__init__.py", "def main():\\n    print(__name__)\\n")
        write(f"{{info}}.dist-info/METADATA", f"Metadata-Version: 2.1\\nName: {{NAME}}\\nVersion: {{VERSION}}\\n")
        write(f"{{info}}.dist-info/WHEEL", "Wheel-Version: 1.0\\nGenerator: peer\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        points = "".join(f"{{script}} = {{module}}:main\\n" for script in SCRIPTS)
        write(f"{{info}}.dist-info/entry_points.txt", "[console_scripts]\\n" + points)
        write(f"{{info}}.dist-info/RECORD", "")
    return info + "-py3-none-any.whl"
'''
PACKAGES = {
    "octavia": ["amphora-agent", "amphora-health-checker", "amphora-interface", "haproxy-vrrp-check", "prometheus-proxy"],
    "octavia-lib": [],
    "ironic-python-agent": ["ironic-python-agent", "ironic-collect-introspection-data"],
    "glean": ["glean", "glean-install"],
}

# Debian has no package of this name, which octavia's amphora-agent asks for on every apt.
KEYRING = """#!/bin/bash
set -eu
mkdir -p /tmp/keyring/DEBIAN
printf 'Package: ubuntu-cloudimage-keyring\\nVersion: 1\\nArchitecture: all\\nMaintainer: peer <peer@example.org>\\nDescription: none\\n' \\
    > /tmp/keyring/DEBIAN/control
SOURCE_DATE_EPOCH=1 dpkg-deb --root-owner-group --build /tmp/keyring /tmp/keyring.deb
dpkg --install /tmp/keyring.deb
rm -rf /tmp/keyring /tmp/keyring.deb
"""


def git(directory, *words):
    who = {"GIT_AUTHOR_NAME": "peer", "GIT_AUTHOR_EMAIL": "peer@example.org", "GIT_COMMITTER_NAME": "peer",
           "GIT_COMMITTER_EMAIL": "peer@example.org", "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}
    subprocess.run(["git", "-C", directory, *words], env={**os.environ, **who}, check=True, stdin=subprocess.DEVNULL)


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(text)


def make_repository(directory, files):
    for name, text in files.items():
        write(os.path.join(directory, name), text)
    git(directory, "init", "-q", "-b", "master")
    git(directory, "add", ".")
    git(directory, "commit", "-q", "-m", "all")


def make_pip(directory):
    """Debian's pip as a wheel of another version; its page of the index."""
    source = next(name for name in os.listdir(WHEELS) if name.startswith("pip-"))
    old = source.split("-")[1]
    os.makedirs(directory)
    with zipfile.ZipFile(os.path.join(WHEELS, source)) as wheel, \
            zipfile.ZipFile(os.path.join(directory, f"pip-{PIP}-py3-none-any.whl"), "w", zipfile.ZIP_DEFLATED) as made:
        for name in wheel.namelist():
            data = wheel.read(name)
            if name in ("pip/__init__.py", f"pip-{old}.dist-info/METADATA", f"pip-{old}.dist-info/RECORD"):
                data = data.replace(old.encode(), PIP.encode())
            made.writestr(name.replace(f"pip-{old}.dist-info", f"pip-{PIP}.dist-info"), data)
    write(os.path.join(directory, "index.html"), f'<a href="pip-{PIP}-py3-none-any.whl">pip</a>\n')


def make_wheel(index, name, scripts):
    """A page of the index."""
    directory = os.path.join(index, "simple", name)
    os.makedirs(directory)
    backend = {}
    exec(BACKEND.format(name=name, version="9.9", scripts=scripts), backend)  # pylint: disable=exec-used
    wheel = backend["build_wheel"](directory)
    write(os.path.join(directory, "index.html"), f'<a href="{wheel}">{name}</a>\n')


def make_sources(directory):
    """The index, and repositories beside it."""
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    make_pip(f"{directory}/index/simple/pip")
    for name in ("pbr", "glean"):
        make_wheel(f"{directory}/index", name, PACKAGES.get(name, []))
    constraints = "octavia-lib===9.9\npip===25.1.1\n"
    write(f"{directory}/index/upper-constraints.txt", constraints)
    make_repository(f"{directory}/requirements", {"upper-constraints.txt": constraints})
    for name, scripts in PACKAGES.items():
        make_repository(f"{directory}/{name}", {
            "backend.py": BACKEND.format(name=name, version="9.9", scripts=scripts),
            "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'})


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(directory):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


class Caller:
    """`output`: the tree that it makes; none where what it says (`says`) is all."""
    def __init__(self, tree, command, environment, output="", named=(), says=""):
        self.tree, self.command, self.environment, self.output, self.named, self.says = tree, command, environment, output, named, says


def callers(trees, work, release):
    elements = "base vm debian-minimal haproxy-octavia rebind-sshd no-resolvconf amphora-agent octavia-lib sos cloud-init-datasources " \
        "remove-default-ints keepalived-octavia ipvsadmin pip-cache certs-ramfs peer-keyring"
    ipa = "import sys; sys.argv[0] = 'ironic-python-agent-builder'; from ironic_python_agent_builder import main; main()"
    return {
        "octavia": Caller(f"{trees}/octavia", ["bash", f"{trees}/octavia/diskimage-create/diskimage-create.sh", "-d", release, "-t", "tar",
                                               "-o", "{directory}/amphora.tar", "-w", "{directory}", "-c", "{cache}"],
                          {"DIB_ELEMENTS": elements, "DIB_LOCAL_ELEMENTS_PATH": f"{work}/elements"}, "amphora.tar", NAMED),
        "ironic-python-agent-builder": Caller(
            f"{trees}/ironic-python-agent-builder",
            # Upstream can't let go of its tmpfs while a build beside it has a copy of the mounts.
            [sys.executable, "-B", "-c", ipa, "-r", release, "-o", "{directory}/ipa", "--extra-args=--no-tmpfs", "debian-minimal"],
            {"PYTHONPATH": f"{trees}/ironic-python-agent-builder"}, "ipa.initramfs", {**NAMED, **NAMED_OF_RAMDISKS}),
        "diskimage-builder": Caller(
            f"{trees}/diskimage-builder", ["bash", "-c", f"cd / && exec bash {trees}/diskimage-builder/tests/run_functests.sh {FUNCTIONAL_TEST}"], {},
            says=f"PASS: Element {FUNCTIONAL_TEST.replace('/', ', test-element: ')}"),
    }


FUNCTIONAL_TEST = "debian-minimal/stable-vm"  # of Debian's package, whose elements its script asks Python for

# What may differ, and why.
NAMED = {
    r"etc/dib-manifests/dib-manifest-dpkg-.*": "it lists xxd, see below",
    r"(.*/)?xxd(/.*|\..*)?|usr/share/man/.*/xxd\..*": "pollinate wants xxd or vim-common: upstream's random order of packages decides",
    r"etc/nvme/(hostid|hostnqn)": "random ids of nvme-cli",
}
NAMED_OF_RAMDISKS = {
    r"(dev|proc|sys|run|tmp)(/.*)?": "upstream's has what lay below its mounts",
}


def spent():
    """Processor seconds of all children that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_caller(caller, name, side, cache):
    """Seconds by the clock and of processors, exit code, log, output."""
    directory = os.path.join(side.work, name, side.name)
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    words = [word.format(directory=directory, cache=cache) for word in caller.command]
    environment = {**os.environ, **side.settings, **caller.environment}
    log = os.path.join(directory, "log")
    began, before = time.monotonic(), spent()
    with open(log, "w", encoding="utf-8") as file:
        done = subprocess.run(words, cwd=caller.tree, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                              check=False, timeout=2400)
    return (time.monotonic() - began, spent() - before), done.returncode, log, os.path.join(directory, caller.output)


def as_tar(path):
    """A compressed cpio archive as a tar of the same files; a tar as it is."""
    if path.endswith(".tar"):
        return path
    tree = path + ".tree"
    shutil.rmtree(tree, ignore_errors=True)
    os.makedirs(tree)
    subprocess.run(["bash", "-ec", 'set -o pipefail; zcat "$1" | cpio --quiet -idm --no-absolute-filenames 2> /dev/null || [ $? = 2 ]',
                    "unpack", path], cwd=tree, check=True, stdin=subprocess.DEVNULL)
    with tarfile.open(path + ".tar", "w") as tar:
        tar.add(tree, ".")
    shutil.rmtree(tree)
    return path + ".tar"


def faults_of(lines, named):
    """Those whose name has no reason to differ."""
    return [line for line in lines
            if not any(re.fullmatch(pattern, line.split(" ", 1)[1].rsplit(": ", 1)[0].split(": ")[0]) for pattern in named)]


def has_said(log, text):
    with open(log, encoding="utf-8", errors="replace") as file:
        return any(text in line for line in file)


def compared(name, caller, sides, cache):
    seconds, outputs = [], []
    for side in sides:
        took, code, log, output = run_caller(caller, name, side, cache)
        seconds.append(took)
        if code != 0 or not os.path.exists(output) or not has_said(log, caller.says):
            return seconds, 0, [f"{name}: {side.name} failed with exit code {code}:\n{peers.tail(log, 30)}"]
        outputs.append(output)
    if caller.says:
        return seconds, 0, []
    lines, entries, packages = compare_trees.compare(*map(as_tar, outputs))
    if entries < 5000 or packages < 100:
        lines.append(f"file {name}: only {entries} entries and {packages} packages were compared")
    kernels = [path[:-len(".initramfs")] + ".kernel" for path in outputs if path.endswith(".initramfs")]
    if kernels and subprocess.run(["cmp", *kernels], check=False).returncode != 0:
        lines.append("file kernel: content")
    return seconds, entries, faults_of(lines, caller.named)


def why_not(trees):
    if not os.environ.get("HEARTH_LONG"):
        return "it takes half an hour; HEARTH_LONG is not set"
    if not os.path.isdir(trees):
        return "HEARTH_TREES names no directory of checkouts"
    for program in ("git", "cpio", "zcat", "lsb_release", "bc"):
        if not shutil.which(program):
            return f"{program} is not installed"
    if not os.path.isdir(WHEELS):
        return "python3-pip-whl is not installed"
    return peers.why_not()


def main(programs, cache, *chosen):
    trees = os.environ.get("HEARTH_TREES", "")
    reason = why_not(trees)
    if reason:
        print("SKIPPED:", reason, file=sys.stderr)
        return 77
    work = os.environ.get("DIB_PEER_KEEP") or tempfile.mkdtemp(prefix="peers-dib-callers-")
    cache = os.path.abspath(cache)  # each caller runs in its own tree
    os.makedirs(os.path.join(cache, "home"), exist_ok=True)
    os.environ.pop("TMPDIR", None)  # upstream hands it to packages in the image, which have no such directory
    sources = os.path.join(cache, "callers")
    make_sources(sources)
    index = serve(f"{sources}/index")
    write(f"{work}/bin/python", '#!/bin/sh\nexec /usr/bin/python3 "$@"\n', 0o755)
    write(f"{work}/elements/peer-keyring/pre-install.d/05-keyring", KEYRING, 0o755)
    base = {**peers.settings(cache, ""), "PIP_INDEX_URL": f"{index}/simple", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "DIB_REPOLOCATION_amphora_agent": f"{sources}/octavia", "DIB_REPOLOCATION_octavia_lib": f"{sources}/octavia-lib",
            "DIB_REPOLOCATION_glean": f"{sources}/glean", "DIB_REPOLOCATION_upper_constraints": f"{index}/upper-constraints.txt",
            "DIB_REPOLOCATION_ironic_python_agent": f"{sources}/ironic-python-agent", "DIB_REPOLOCATION_requirements": f"{sources}/requirements"}
    sides = [peers.Side("theirs", "", work, {**base, "PATH": f"{HERE}/upstream-path:{work}/bin:{os.environ['PATH']}"}),
             peers.Side("ours", "", work, {**base, "HEARTH_UPSTREAM_ELEMENTS": "first", "HEARTH_CACHE": "0",
                                           "PATH": f"{os.path.abspath(programs)}:{work}/bin:{os.environ['PATH']}"})]
    faults, tried = [], 0
    print(f"{'caller':<28} {'theirs':>8} {'processor':>9} {'ours':>8} {'processor':>9} {'entries':>8} {'differ':>7}", flush=True)
    for name, caller in callers(os.path.abspath(trees), work, base["DIB_RELEASE"]).items():
        if (chosen and name not in chosen) or not os.path.isdir(caller.tree):
            print(f"SKIPPED: part: {name}: HEARTH_TREES has no {name}, or another was asked for", file=sys.stderr)
            continue
        seconds, entries, problems = compared(name, caller, sides, cache)
        tried += 1
        took = [f"{each:.0f} s" for side in seconds for each in side] + ["-"] * 2
        print(f"{name:<28} {took[0]:>8} {took[1]:>9} {took[2]:>8} {took[3]:>9} {entries:>8} {len(problems):>7}", flush=True)
        for problem in problems[:60]:
            print("   ", problem, flush=True)
        faults += problems
    if tried == 0:
        print("FAILED: nothing was called", file=sys.stderr)
    if not os.environ.get("DIB_PEER_KEEP"):
        shutil.rmtree(work, ignore_errors=True)
    return 1 if faults or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
