"""What stands in for PyPI, for git and for packages that Debian lacks where the scripts of other projects run (see callers.py): an index
on the loopback, repositories with packages of the same names and programs, and elements."""
import functools
import http.server
import os
import shutil
import subprocess
import threading
import zipfile

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
    "trove": ["trove-guestagent", "trove-docker-plugin"],
    "shakenfist-agent": ["sf-agent"],
}

# By the names that elements know them by (source-repository-NAME).
LOCATIONS = {"amphora_agent": "octavia", "octavia_lib": "octavia-lib", "glean": "glean", "ironic_python_agent": "ironic-python-agent",
             "requirements": "requirements"}

# Debian has no packages of these names, which octavia's amphora-agent and trove's guest-agent ask for on every apt.
DEBS = """#!/bin/bash
set -eu
for name in ubuntu-cloudimage-keyring ureadahead; do
    mkdir -p /tmp/peer/DEBIAN
    printf 'Package: %s\\nVersion: 1\\nArchitecture: all\\nMaintainer: peer <peer@example.org>\\nDescription: none\\n' "$name" \\
        > /tmp/peer/DEBIAN/control
    SOURCE_DATE_EPOCH=1 dpkg-deb --root-owner-group --build /tmp/peer /tmp/peer.deb
    dpkg --install /tmp/peer.deb
    rm -rf /tmp/peer /tmp/peer.deb
done
"""
# Trove builds for Ubuntu only, but asks for SYSTEM-docker whatever the system is called: what it has for Ubuntu, of Debian's packages.
DOCKER = """#!/bin/bash
set -eu
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq docker.io
usermod -aG docker "$GUEST_USERNAME"
"""


def git(directory, *words):
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "peer"), ("EMAIL", "peer@example.org"), ("DATE", "2026-01-01T00:00:00Z"))}
    subprocess.run(["git", "-C", directory, *words], env={**os.environ, **who}, check=True, stdin=subprocess.DEVNULL)


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, mode)) as file:
        file.write(text)


def commit(directory, files):
    for name, text in files.items():
        write(os.path.join(directory, name), text)
    git(directory, "add", ".")
    git(directory, "commit", "-q", "-m", "all")


def make_repository(directory, files):
    os.makedirs(directory, exist_ok=True)
    git(directory, "init", "-q", "-b", "master")
    commit(directory, files)


def release(directory, name, version):
    """Commits a version of a package."""
    commit(directory, {"backend.py": BACKEND.format(name=name, version=version, scripts=PACKAGES[name])})


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


def make_page(index, name, file):
    directory = os.path.join(index, "simple", name)
    os.makedirs(directory)
    write(os.path.join(directory, "index.html"), f'<a href="{file}">{name}</a>\n')
    return os.path.join(directory, file)


def make_elements_wheel(index, elements):
    """What `pip install diskimage-builder` brings, without its programs: those are whose turn it is."""
    info = "diskimage_builder-9.9.dist-info"
    with zipfile.ZipFile(make_page(index, "diskimage-builder", "diskimage_builder-9.9-py3-none-any.whl"), "w") as wheel:
        wheel.writestr("diskimage_builder/__init__.py", "")
        for directory, _, files in os.walk(elements):
            for name in files:
                path = os.path.join(directory, name)
                wheel.write(path, os.path.join("diskimage_builder/elements", os.path.relpath(path, elements)))
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: diskimage-builder\nVersion: 9.9\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: peer\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def make_wheel(index, name, scripts):
    backend = {}
    exec(BACKEND.format(name=name, version="9.9", scripts=scripts), backend)  # pylint: disable=exec-used
    wheel = backend["build_wheel"](os.path.join(index, "simple"))
    os.rename(os.path.join(index, "simple", wheel), make_page(index, name, wheel))


def copy_builder(directory, tree):
    """A repository with the elements of a checkout of diskimage-builder, whose installation does nothing; and with the layout of an
    old machine's disk under the name of that for EFI, because upstream mounts the FAT partition, which a test machine's kernel can't."""
    shutil.copytree(os.path.join(tree, "diskimage_builder"), os.path.join(directory, "diskimage_builder"), symlinks=True)
    elements = os.path.join(directory, "diskimage_builder/elements")
    shutil.rmtree(os.path.join(elements, "block-device-efi"))
    shutil.copytree(os.path.join(elements, "block-device-mbr"), os.path.join(elements, "block-device-efi"))
    make_repository(directory, {"setup.py": "print('nothing to do')\n", "bindep.txt": ""})


def make_sources(directory, elements, builder):
    """The index, and repositories beside it. `elements`: upstream's; `builder`: a checkout of it, where there is one."""
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    make_pip(f"{directory}/index/simple/pip")
    make_elements_wheel(f"{directory}/index", elements)
    for name in ("pbr", "glean", "shakenfist-agent"):
        make_wheel(f"{directory}/index", name, PACKAGES.get(name, []))
    setuptools = next(name for name in os.listdir(WHEELS) if name.startswith("setuptools-"))
    shutil.copy(os.path.join(WHEELS, setuptools), make_page(f"{directory}/index", "setuptools", setuptools))
    constraints = "octavia-lib===9.9\npip===25.1.1\n"
    write(f"{directory}/index/upper-constraints.txt", constraints)
    make_repository(f"{directory}/requirements", {"upper-constraints.txt": constraints})
    for name in PACKAGES:
        make_repository(f"{directory}/{name}", {
            "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'})
        release(f"{directory}/{name}", name, "9.9")
    if os.path.isdir(builder):
        copy_builder(f"{directory}/diskimage-builder", builder)


def make_local_elements(directory):
    """Elements that a caller finds beside its own."""
    write(f"{directory}/peer-debs/pre-install.d/05-debs", DEBS, 0o755)
    write(f"{directory}/debian-docker/element-deps", "debian-minimal\npeer-debs\nubuntu-guest\n")
    write(f"{directory}/debian-docker/install.d/21-docker", DOCKER, 0o755)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve(directory):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"
