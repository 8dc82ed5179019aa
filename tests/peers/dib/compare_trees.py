"""Two root trees in tar files, compared: names, types, modes, owners, links and contents, packages and their versions."""
import hashlib
import os
import re
import subprocess
import tarfile
import tempfile

# Caches, logs, clocks, random bytes, and what names the builder or the build itself.
VOLATILE = re.compile(r"""^(
    (dev|proc|sys|tmp|run)(/.+)?
  | boot/(initrd.img-.*|grub/(grubenv|[a-z0-9_-]+/(core|boot)\.img))
  | lost\+found
  | var/(cache|log|tmp)/.+
  | var/lib/apt/(lists/.*|extended_states|periodic/.*)
  | var/lib/dpkg/(info/.*\.list|[a-z]+-old|triggers/.*|lock.*)
  | var/lib/(systemd/(random-seed|deb-systemd-.*)|dbus/machine-id|ucf/cache/.*|initramfs-tools/.*)
  | etc/(ld\.so\.cache|machine-id|resolv\.conf|hostname|.*-|ssl/certs/ca-certificates\.crt|ssl/private/.*)
  | etc/(ssh/ssh_host_.*|iscsi/initiatorname\.iscsi)
  | etc/dib-manifests/dib_(environment|arguments)
  | .*\.pyc
  | .*/\.git/(index|logs/.*|FETCH_HEAD)
)$""", re.X)
STAMPED = re.compile(rb"(?m)^# (Generated|Created|This configuration was auto-generated on) .*$")


def without_build_paths(data):
    """Contents without the random names of upstream's working directories and the constant ones of ours."""
    data = re.sub(rb"/(tmp/dib_|hearth/)(build|image)(\.\w+)?", rb"/BUILDER/\2", data)
    data = STAMPED.sub(b"", data)
    return re.sub(rb"\b(ours|theirs)\b", b"NAME", data)


def grub_config_without_ids(data):
    """Without the file system's UUID and the guesses about which disk the firmware starts from."""
    data = re.sub(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", b"UUID", data)
    data = re.sub(rb" --hint[^ \n]*", b"", data)
    return re.sub(rb"(?m)^(\s*)set root='.*'$", rb"\1set root", data)


def shadow_without_salts(data):
    return b"\n".join(re.sub(rb"^([^:]*):\$[^:]*:[0-9]*", rb"\1:HASH:", line) for line in data.split(b"\n"))


def describe(tar, member, name):
    """Everything of a member that should be the same, as a tuple."""
    kind = {tarfile.LNKTYPE: tarfile.REGTYPE, tarfile.AREGTYPE: tarfile.REGTYPE}.get(member.type, member.type)
    link = member.linkname if member.issym() else ""
    digest = ""
    if member.isreg() or member.islnk():
        source = tar.extractfile(member)
        data = source.read() if source else b""
        if len(data) < 1 << 20:
            data = without_build_paths(data)
        if name == "boot/grub/grub.cfg":
            data = grub_config_without_ids(data)
        if name == "etc/fstab":  # upstream goes by labels, which two releases' disks share
            data = re.sub(rb"(?m)^(LABEL|UUID)=\S+", b"NAME", data)
        # Upstream has elements and sources in any order.
        if name in ("etc/dib-manifests/dib-element-manifest", "etc/dib-source-repositories"):
            data = b"\n".join(sorted(data.split()))
        if name.startswith("etc/dib-manifests/dib-manifest-git-"):
            data = b"\n".join(sorted(data.split(b"\n")))
        if name in ("etc/shadow", "etc/gshadow"):
            data = shadow_without_salts(data)
        digest = hashlib.sha256(data).hexdigest()
    return (kind.decode(), f"{member.mode:04o}", member.uid, member.gid, link, digest)


def read_tree(path):
    """Every member by its name, without the volatile ones; and the installed packages."""
    found, packages = {}, {}
    with tarfile.open(path) as tar:
        for member in tar:
            name = re.sub(r"^\./", "", member.name).replace("theirs", "NAME").replace("ours", "NAME")
            if name == "var/lib/dpkg/status":
                packages = read_packages(tar.extractfile(member).read().decode("utf-8", "replace"))
                continue
            if name in (".", "") or VOLATILE.match(name):
                continue
            found[name] = describe(tar, member, name)
    return found, packages


def read_packages(text):
    packages = {}
    for paragraph in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in paragraph.split("\n") if ": " in line and line[0] != " ")
        if "Package" in fields:
            packages[fields["Package"]] = (fields.get("Version"), fields.get("Status"))
    return packages


FIELDS = ("type", "mode", "owner", "group", "link", "content")


def differences(theirs, ours, what):
    """One line for each name that is not the same on both sides."""
    for name in sorted(set(theirs) | set(ours)):
        if name not in ours:
            yield f"{what} {name}: only upstream has it"
        elif name not in theirs:
            yield f"{what} {name}: only ours has it"
        elif theirs[name] != ours[name]:
            changed = [f"{field} {a!r} -> {b!r}" if field != "content" else "content"
                       for field, a, b in zip(FIELDS, theirs[name], ours[name]) if a != b]
            yield f"{what} {name}: {', '.join(changed) or 'differs'}"


def describe_file(path):
    status = os.lstat(path)
    link = os.readlink(path) if os.path.islink(path) else ""
    digest = ""
    if os.path.isfile(path) and not link:
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
    return (f"{status.st_mode >> 12:o}", f"{status.st_mode & 0o7777:04o}", status.st_uid, status.st_gid, link, digest)


def read_initramfs(path):
    """What the initramfs of a tree holds: its bytes differ between any two builds, for their times."""
    found = {}
    with tarfile.open(path) as tar, tempfile.TemporaryDirectory(prefix="peers-initramfs-") as work:
        for member in tar:
            if not member.isreg() or not re.fullmatch(r"(\./)?boot/initrd\.img-.*", member.name):
                continue
            file, tree = os.path.join(work, "initramfs"), os.path.join(work, "tree", os.path.basename(member.name))
            with open(file, "wb") as copy:
                copy.write(tar.extractfile(member).read())
            if subprocess.run(["unmkinitramfs", file, tree], check=False, stdin=subprocess.DEVNULL).returncode != 0:
                found[os.path.basename(member.name)] = describe_file(file)  # peer-kernel's is no archive
            for directory, directories, files in os.walk(os.path.join(work, "tree")):
                for name in directories + files:
                    inner = os.path.join(directory, name)
                    found[os.path.relpath(inner, os.path.join(work, "tree"))] = describe_file(inner)
    # The second one is drawn when open-iscsi is installed (see VOLATILE).
    return {name: what for name, what in found.items()
            if not name.endswith(("/etc/ld.so.cache", "/etc/initiatorname.iscsi"))}


def compare(theirs_tar, ours_tar):
    """Differences as lines, the number of entries compared and of packages."""
    theirs, their_packages = read_tree(theirs_tar)
    ours, our_packages = read_tree(ours_tar)
    lines = list(differences(their_packages, our_packages, "package")) + list(differences(theirs, ours, "file"))
    lines += differences(read_initramfs(theirs_tar), read_initramfs(ours_tar), "initramfs")
    return lines, len(set(theirs) | set(ours)), len(our_packages)
