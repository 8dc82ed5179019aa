"""What diskimage-builder documents of its programs, tried with ours: each option of its --help and each variable that its help, its
user's guide and its own scripts name is honoured, or refused by its name. One that is documented and not tried here fails the test.

usage: documented.py PROGRAMS   (the directory that holds our disk-image-create)

The documents are those of Debian's packages; with HEARTH_TREES, a directory of checkouts, also those of its diskimage-builder.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ELEMENTS = os.path.join(HERE, "../../e2e/elements")
UPSTREAM = "/usr/lib/python3/dist-packages/diskimage_builder"
GUIDE = "/usr/share/doc/diskimage-builder-doc/html/_sources/user_guide/*.txt"
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]|(?<=^    )-[a-z]\b", re.M)
VARIABLE = re.compile(r"\bDIB_[A-Z0-9_]*[A-Z0-9]\b|\b(?:ELEMENTS_PATH|FS_TYPE|MKFS_OPTS|MAX_ONLINE_RESIZE|ROOT_LABEL|ACI_MANIFEST)\b")

# Says what a hook sees.
HOOK = """#!/bin/bash
[ "${DIB_DEBUG_TRACE:-0}" = 0 ] || set -x
set -eu
for name in ARCH IMAGE_ELEMENT DIB_ARGS DIB_ENV DIB_OFFLINE DIB_DEFAULT_INSTALLTYPE DIB_IMAGE_CACHE DIB_LOCKFILES DIB_ROOT_LABEL \\
    DIB_ROOT_FSTYPE DIB_MOUNTPOINTS DIB_BOOT_LABEL DIB_BLOCK_DEVICE_PARAMS_YAML DIB_PYTHON_EXEC DIB_RELEASE DIB_DEBUG_TRACE \\
    DIB_MIN_TMPFS DIB_NO_TMPFS; do
    echo "$name=${!name:-}" >> "$TMP_MOUNT_PATH/facts"
done
[ ! -f "${DIB_BLOCK_DEVICE_PARAMS_YAML:-}" ] || grep -q image-dir "$DIB_BLOCK_DEVICE_PARAMS_YAML"
"$DIB_PYTHON_EXEC" -c 'import sys, yaml; open(sys.argv[1], "a").write("python=works\\n")' "$TMP_MOUNT_PATH/facts"
echo "WORK=$(awk '$5 == "/hearth" { print $(NF - 1) }' /proc/self/mountinfo)" >> "$TMP_MOUNT_PATH/facts"
# What functions of the shell library make of a tree with two kernels.
(
    tree=$(mktemp -d) && mkdir "$tree/boot" "$tree/etc" && touch "$tree/etc/debian_version"
    touch "$tree"/boot/{vmlinuz-1-generic,vmlinuz-1-generic.efi.signed,initrd.img-1-generic,mine-kernel,mine-ramdisk}
    . "$_LIB/img-functions" && . "$_LIB/ramdisk-defaults"
    select_boot_kernel_initrd "$tree"
    echo "library: kernel $KERNEL ramdisk $RAMDISK modules $MODULE_ROOT udev $LIB_UDEV_ROOT" >> "$TMP_MOUNT_PATH/facts"
)
"""


class Built:
    """A build that ended: what it printed, and the directory of its outputs."""

    def __init__(self, directory, said):
        self.directory, self.said = directory, said

    def path(self, name):
        return f"{self.directory}/{name}"

    def read(self, *names, archive="img.tar"):
        return run("tar", "-xOf", self.path(archive), *names)

    def facts(self):
        return self.read("./facts")

    def size(self, name="img.raw"):
        return os.stat(self.path(name)).st_size

    def disk(self):
        """What is said of a file system without a partition table."""
        return run("dumpe2fs", "-h", self.path("img.raw"))


class Trial:
    def __init__(self, programs, work):
        self.programs, self.work, self.built, self.count = programs, work, {}, 0
        os.makedirs(f"{work}/elements/facts/extra-data.d")
        os.makedirs(f"{work}/elements/small-ramdisk/install.d")
        os.makedirs(f"{work}/home")
        self.program("elements/facts/extra-data.d/90-facts", HOOK)

    def program(self, name, text):
        with open(f"{self.work}/{name}", "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
            file.write(text)

    def build(self, *words, program="disk-image-create", fails=False, **environment):
        """The same build is made once."""
        key = (words, program, tuple(sorted(environment.items())))
        if key not in self.built:
            self.built[key] = self.build_anew(words, program, fails, environment)
        return self.built[key]

    def build_anew(self, words, program, fails, environment):
        self.count += 1
        directory = f"{self.work}/{self.count}"
        os.makedirs(directory)
        own = {"PATH": f"{self.programs}:{os.environ['PATH']}:/usr/sbin:/sbin", "HOME": f"{self.work}/home", 
               "ELEMENTS_PATH": f"{self.work}/elements:{ELEMENTS}", "HEARTH_CACHE": "0", "TMPDIR": self.work, **environment}
        done = subprocess.run([program, *words], cwd=directory, env=own, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300, check=False)
        said = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, f"{program} {' '.join(words)}: exit code {done.returncode}:\n{said[-3000:]}"
        return Built(directory, said)

    def tar(self, *words, **environment):
        return self.build("-n", "-t", "tar", "-o", "img", *words, "tiny-os", "facts", **environment)

    def raw(self, *words, **environment):
        return self.build("-n", "-t", "raw", "-o", "img", *words, "tiny-os", **environment)

    def with_options(self):
        """Options that don't get in each other's way, of a tree."""
        return self.tar("-a", "arm64", "-x", "--checksum", "--image-cache", f"{self.work}/own-cache", "--install-type", "package",
                        "--min-tmpfs", "1", "--no-tmpfs", "--offline", DIB_BAREMETAL_KERNEL_PATTERN="mine-k*",
                        DIB_BAREMETAL_INITRD_PATTERN="mine-r*")

    def with_variables(self):
        return self.tar(DIB_CHECKSUM="1", DIB_DEBUG_TRACE="1", DIB_DEFAULT_INSTALLTYPE="package", DIB_IMAGE_CACHE=f"{self.work}/cache-2",
                        DIB_LOCKFILES=f"{self.work}/own-locks", DIB_MIN_TMPFS="1", DIB_MINE="7", DIB_NO_TIMESTAMP="1", DIB_NO_TMPFS="1",
                        DIB_OFFLINE="1", DIB_PYTHON_EXEC="/usr/bin/python3", DIB_RELEASE="sid", DIB_SHOW_IMAGE_USAGE="1",
                        DIB_SHOW_IMAGE_USAGE_FULL="1", DIB_SIGNED_KERNEL_VERSION="1-generic.efi.signed", DIB_MODULE_ROOT="/my-modules",
                        DIB_LIB_UDEV_ROOT="/my-udev", **{name: "/x" for name in WITHOUT_EFFECT})

    def disk_with_options(self):
        return self.raw("--image-size", "0.5", "--max-online-resize", "100000000", "--mkfs-journal-size", "8", "--mkfs-options", "-I 512",
                        "--root-label", "mine")

    def disk_with_variables(self):
        return self.raw(DIB_IMAGE_SIZE="0.5", DIB_JOURNAL_SIZE="8", MAX_ONLINE_RESIZE="100000000", MKFS_OPTS="-I 512", ROOT_LABEL="mine")


def run(*words):
    return subprocess.run(words, env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", "LC_ALL": "C"},
                          capture_output=True, text=True, check=True).stdout


def has(text, *parts):
    for part in parts:
        assert part in text, f"'{part}' is not in:\n{text[-3000:]}"


def is_so(what):
    assert what, "it is not so"


def grows(trial, built):
    is_so(built.size() > trial.raw().size() + (300 << 20))


def compresses(trial):
    is_so(trial.build("-n", "-u", "-o", "img", "tiny-os").size("img.qcow2") > 1.3 * trial.build("-n", "-o", "img", "tiny-os").size("img.qcow2"))


def logs(trial):
    built = trial.build("-n", "-t", "tar", "-o", "img", "--logfile", "img.log", "tiny-os")
    with open(built.path("img.log"), encoding="utf-8") as file:
        has(file.read(), "root.d/10-tiny-os")
    is_so("root.d/10-tiny-os" not in built.said)
    has(trial.build("-n", "-t", "tar", "-o", "img", "--logfile", "img.log", "tiny-os", DIB_QUIET="0").said, "root.d/10-tiny-os")


def stamps(trial):
    stamped = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \| ", re.M)
    is_so(stamped.search(trial.tar().said) and not stamped.search(trial.with_variables().said))


def manifest(trial):
    with open(f"{trial.work}/home/manifest", "w", encoding="utf-8") as file:
        file.write('{"acKind": "ImageManifest", "mine": true}')
    built = trial.build("-n", "-t", "aci", "-o", "img", "tiny-os", ACI_MANIFEST=f"{trial.work}/home/manifest")
    has(built.read("--wildcards", "*manifest", archive="img.aci"), "mine")


def checksums(built):
    for kind in ("md5", "sha256"):
        run("sh", "-c", f"cd {built.directory} && {kind}sum -c img.tar.{kind}")


# Blocks that a table of groups which has room for 100,000,000 blocks takes beyond its first (mke2fs(8), resize=).
RESERVED_BLOCKS = 47


def grows_to(built):
    has(built.disk(), f"Reserved GDT blocks:      {RESERVED_BLOCKS}\n")


def works_on_disk(trial, built):
    has(trial.tar().facts(), "WORK=hearth\n")
    has(built.facts(), "DIB_NO_TMPFS=1")
    is_so("WORK=hearth\n" not in built.facts())


def needs_memory(built, much):
    has(built.facts(), "DIB_MIN_TMPFS=1\n")
    has(much.said, "Not enough RAM to use tmpfs for build")
    is_so("WORK=hearth\n" not in much.facts())


WITH_BOOT = """
- local_loop: {name: image0}
- partitioning:
    base: image0
    label: mbr
    partitions:
      - {name: boot, size: 200MiB, mkfs: {type: ext4, label: mine-boot, mount: {mount_point: /boot}}}
      - {name: root, size: 100%, mkfs: {mount: {mount_point: /}}}
"""


def lays_out(trial):
    config = "- local_loop:\n    name: image0\n    mkfs:\n      name: mkfs_root\n      label: other\n      mount: {mount_point: /}\n"
    has(trial.raw(DIB_BLOCK_DEVICE_CONFIG=config).disk(), "volume name:   other")


def sectors(trial):
    with open(trial.raw("--image-size", "1", "block-device-gpt", DIB_BLOCK_SIZE="4096").path("img.raw"), "rb") as file:
        file.seek(4096)
        is_so(file.read(8) == b"EFI PART")


def packages(trial):
    has(trial.build("-n", "-t", "tar", "-o", "img", "-p", "one,two", "-p", "three", "tiny-os", "tools").read("./etc/installed-packages"),
        "one", "two", "three")


def seen(name, value):
    return lambda t: has(t.tar().facts(), f"{name}={value}")


def handed(name, value):
    return lambda t: has(t.with_variables().facts(), f"{name}={value}")


def told(name):
    return lambda t: has(t.with_variables().said, f"{name} is set, and has no effect: it is for diskimage-builder's own programs")


WITHOUT_EFFECT = ("DIB_BLOCK_DEVICE", "DIB_PYTHON_LOGGING_CONFIG_FILE", "DIB_RUN_PARTS")
TRIED = {
    "-a": lambda t: has(t.with_options().facts(), "ARCH=arm64"),
    "-c": lambda t: has(t.tar("-c", fails=True).said, "Element 'tiny-os' not found"),  # ELEMENTS_PATH goes, too
    "-h": lambda t: has(t.build("-h").said, "disk-image-create"),
    "-n": lambda t: is_so("base" not in t.tar().facts().split("DIB_ARGS")[0]),
    "-o": lambda t: is_so(os.path.exists(t.build("-n", "-t", "tar", "-o", "there/other", "tiny-os").path("there/other.tar"))),
    "-p": packages,
    "-t": lambda t: is_so(t.tar().facts() and not os.path.exists(t.tar().path("img.qcow2"))),
    "-u": compresses,
    "-x": lambda t: has(t.with_options().said, "+ for name in ARCH"),
    "--checksum": lambda t: checksums(t.with_options()),
    "--docker-target": lambda t: has(t.build("-n", "-t", "docker", "-o", "img", "--docker-target", "site/img:7", "tiny-os").read(
        "--wildcards", "*manifest.json", archive="img.docker"), "site/img:7"),
    "--help": lambda t: has(t.build("--help").said, "disk-image-create"),
    "--image-cache": lambda t: has(t.with_options().facts(), f"DIB_IMAGE_CACHE={t.work}/own-cache"),
    "--image-extra-size": lambda t: grows(t, t.raw("--image-extra-size", "500")),
    "--image-size": lambda t: is_so(t.disk_with_options().size() == 512 << 20),
    "--install-type": lambda t: has(t.with_options().facts(), "DIB_DEFAULT_INSTALLTYPE=package"),
    "--logfile": logs,
    "--max-online-resize": lambda t: grows_to(t.disk_with_options()),
    "--min-tmpfs": lambda t: needs_memory(t.with_options(), t.tar("--min-tmpfs", "100000")),
    "--mkfs-journal-size": lambda t: has(t.disk_with_options().disk(), "Total journal size:       8M"),
    "--mkfs-options": lambda t: has(t.disk_with_options().disk(), "Inode size:\t          512"),
    "--no-tmpfs": lambda t: works_on_disk(t, t.with_options()),
    "--offline": lambda t: has(t.with_options().facts(), "DIB_OFFLINE=1"),
    "--qemu-img-options": lambda t: has(run("qemu-img", "info", t.build("-n", "-o", "img", "--qemu-img-options", "compat=0.10", "tiny-os").path(
        "img.qcow2")), "compat: 0.10"),
    "--ramdisk-element": lambda t: has(t.build("-o", "img", "--ramdisk-element", "small-ramdisk", "tiny-os", "tools",
                                               program="ramdisk-image-create").said, "small-ramdisk"),
    "--root-label": lambda t: has(t.disk_with_options().disk(), "volume name:   mine"),
    "--version": lambda t: is_so(re.search(r"\d+\.\d+", t.build("--version").said)),
    "ACI_MANIFEST": manifest,
    "ELEMENTS_PATH": lambda t: has(t.tar(ELEMENTS_PATH=ELEMENTS, fails=True).said, "Element 'facts' not found"),
    "FS_TYPE": lambda t: has(run("blkid", "-p", t.raw("--image-size", "1", FS_TYPE="ext3").path("img.raw")), 'TYPE="ext3"'),
    "MAX_ONLINE_RESIZE": lambda t: grows_to(t.disk_with_variables()),
    # upstream's script empties it first: only --mkfs-options has an effect
    "MKFS_OPTS": lambda t: has(t.disk_with_variables().disk(), "Inode size:\t          256"),
    "ROOT_LABEL": lambda t: has(t.disk_with_variables().disk(), "volume name:   mine"),
    "DIB_ARGS": seen("DIB_ARGS", "-n -t tar -o img tiny-os facts"),
    "DIB_ENV": lambda t: has(t.with_variables().facts(), "DIB_MINE=7"),
    "DIB_BLOCK_DEVICE_CONFIG": lays_out,
    "DIB_BLOCK_DEVICE_PARAMS_YAML": seen("DIB_BLOCK_DEVICE_PARAMS_YAML", "/"),
    "DIB_BLOCK_SIZE": sectors,
    "DIB_BOOT_LABEL": lambda t: has(t.tar(DIB_BLOCK_DEVICE_CONFIG=WITH_BOOT).facts(), "DIB_BOOT_LABEL=mine-boot"),
    "DIB_CHECKSUM": lambda t: checksums(t.with_variables()),
    "DIB_DEBUG_TRACE": handed("DIB_DEBUG_TRACE", "1"),
    "DIB_DEFAULT_INSTALLTYPE": handed("DIB_DEFAULT_INSTALLTYPE", "package"),
    "DIB_GZIP_BIN": lambda t: has(t.build("-n", "-t", "tgz", "-o", "img", "tiny-os", fails=True, DIB_GZIP_BIN="false").said,
                                  "DIB_GZIP_BIN (false -9): exit code 1"),
    "DIB_IMAGE_CACHE": lambda t: has(t.with_variables().facts(), f"DIB_IMAGE_CACHE={t.work}/cache-2"),
    "DIB_IMAGE_EXTRA_SIZE": lambda t: grows(t, t.raw(DIB_IMAGE_EXTRA_SIZE="500")),
    "DIB_IMAGE_SIZE": lambda t: is_so(t.disk_with_variables().size() == 512 << 20),
    "DIB_JOURNAL_SIZE": lambda t: has(t.disk_with_variables().disk(), "Total journal size:       8M"),
    "DIB_LOCKFILES": lambda t: has(t.with_variables().facts(), f"DIB_LOCKFILES={t.work}/own-locks"),
    "DIB_MIN_TMPFS": lambda t: needs_memory(t.with_variables(), t.tar(DIB_MIN_TMPFS="100000")),
    "DIB_MOUNTPOINTS": seen("DIB_MOUNTPOINTS", "/"),
    "DIB_NO_TIMESTAMP": stamps,
    "DIB_NO_TMPFS": lambda t: works_on_disk(t, t.with_variables()),
    "DIB_OFFLINE": handed("DIB_OFFLINE", "1"),
    "DIB_PYTHON_EXEC": handed("python", "works"),
    "DIB_QUIET": lambda t: is_so("root.d/10-tiny-os" not in t.tar(DIB_QUIET="1").said),
    "DIB_RELEASE": handed("DIB_RELEASE", "sid"),
    "DIB_ROOT_FSTYPE": seen("DIB_ROOT_FSTYPE", "ext4"),
    "DIB_ROOT_LABEL": seen("DIB_ROOT_LABEL", "cloudimg-rootfs"),
    "DIB_SHOW_IMAGE_USAGE": lambda t: has(t.with_variables().said, "Image size report"),
    "DIB_SHOW_IMAGE_USAGE_FULL": lambda t: has(t.with_variables().said, "etc/hostname"),
    **{name: told(name) for name in WITHOUT_EFFECT},
    **{f"DIB_BAREMETAL_{name}_PATTERN": lambda t: has(t.with_options().facts(), "kernel mine-kernel ramdisk mine-ramdisk")
       for name in ("KERNEL", "INITRD")},
    "DIB_LIB_UDEV_ROOT": lambda t: has(t.with_variables().facts(), "udev /my-udev"),
    "DIB_MODULE_ROOT": lambda t: has(t.with_variables().facts(), "modules /my-modules"),
    "DIB_SIGNED_KERNEL_VERSION": lambda t: has(t.with_variables().facts(), "kernel vmlinuz-1-generic.efi.signed ramdisk initrd.img-1"),
}
# Examples of the guide for what elements read, which run unmodified.
OF_ELEMENTS = re.compile(r"DIB_(DEV_USER_.*|INSTALLTYPE.*|MYDEFAULT|SCHEMA|CLOUD_INIT.*|UBUNTU.*)$")


def documents():
    texts = [subprocess.run(["/usr/bin/disk-image-create", "--help"], env={**os.environ, "DIB_PYTHON_EXEC": "/usr/bin/python3"},
                            capture_output=True, text=True, check=True).stdout]
    tree = os.path.join(os.environ.get("HEARTH_TREES", "/nowhere"), "diskimage-builder")
    scripts = [f"{UPSTREAM}/lib/*[!c]", f"{tree}/diskimage_builder/lib/*", f"{tree}/diskimage_builder/*.py"]
    guides = [GUIDE, f"{tree}/doc/source/user_guide/*.rst"]
    found = {"options": set(OPTION.findall(texts[0])), "variables": set()}
    for pattern in scripts + guides:
        for path in filter(os.path.isfile, glob.glob(pattern)):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if path.endswith("disk-image-create"):
                found["options"] |= set(OPTION.findall("\n".join(re.findall(r'echo "(.*)"', text))))
            found["variables"] |= set(VARIABLE.findall(text))
    return found


def main(programs):
    if not glob.glob(GUIDE) or not os.path.exists("/usr/bin/disk-image-create"):
        print("SKIPPED: python3-diskimage-builder and diskimage-builder-doc are needed", file=sys.stderr)
        return 77
    found = documents()
    documented = sorted(found["options"]) + sorted(name for name in found["variables"] if not OF_ELEMENTS.match(name))
    faults = [f"{name} is documented, and not tried" for name in documented if name not in TRIED]
    with tempfile.TemporaryDirectory(prefix="peers-dib-documented-") as work:
        trial = Trial(os.path.abspath(programs), work)
        for name in documented:
            try:
                TRIED.get(name, lambda t: None)(trial)
                print(f"{name:<32} as documented", flush=True)
            except (AssertionError, SystemExit, subprocess.SubprocessError) as fault:
                faults.append(f"{name}: {fault}")
    for fault in faults:
        print("FAILED:", fault, file=sys.stderr)
    print(f"{len(documented)} options and variables are documented, {len(documented) - len(faults)} honoured, or refused by name")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
