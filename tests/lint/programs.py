"""Whatever program a script of an element calls in a machine is brought by a package of the element, or of one that it
depends on: an image of debian-minimal has none of these by itself. usage: programs.py ROOT"""

import os
import re
import sys

import tree

# What no minimal image has → the packages that bring it.
PACKAGES = {"arping": {"arping", "iputils-arping"}, "bridge": {"iproute2"}, "curl": {"curl"}, "dmidecode": {"dmidecode"},
            "ethtool": {"ethtool"}, "git": {"git"}, "ip": {"iproute2"}, "ipmitool": {"ipmitool"}, "jq": {"jq"},
            "lldpctl": {"lldpd"}, "mdadm": {"mdadm"}, "modprobe": {"kmod"}, "openssl": {"openssl"}, "parted": {"parted"},
            "ping": {"iputils-ping"}, "python3": {"python3"}, "rsync": {"rsync"}, "sgdisk": {"gdisk"}, "ss": {"iproute2"},
            "ssh-keygen": {"openssh-client", "openssh-server"}, "sudo": {"sudo"}, "sysctl": {"procps"},
            "udevadm": {"udev", "systemd"}, "vconfig": {"vlan"}, "wget": {"wget"}}
# What is run in a machine, not while an image is built: a hook of the build names its programs to itself.
IN_MACHINE = re.compile(r"elements/([^/]+)/(os-refresh-config|static|heat-config|init-scripts|systemd)/.+")
# At the start of a command: of a line, behind an operator, or in a substitution.
CALL = re.compile(r"(?:^|[|&;(]|\$\(|\b(?:then|do|else|if|while|until|exec)\s|!\s)\s*(?:[A-Z_]+=\S*\s+)*(?:/\S*/)?([a-z][a-z0-9-]*)(?=\s|$)")
# A program that is there only by a condition which the script asks first.
ASKED = re.compile(r"(?:command -v|type -P) ([a-z0-9-]+)")


def packages_of(root, element):
    text = tree.text(root, f"elements/{element}/package-installs.yaml")
    return set(re.findall(r"^([A-Za-z0-9][A-Za-z0-9.+-]*):", text, re.MULTILINE))


def with_dependencies(root, element):
    found, open_ones = set(), [element]
    while open_ones:
        name = open_ones.pop()
        if name in found:
            continue
        found.add(name)
        open_ones += tree.text(root, f"elements/{name}/element-deps").split()
    return found


def calls_of(text):
    """Each (line number, program) of a script; its units and here-documents count as lines, too."""
    for number, line in enumerate(text.split("\n"), 1):
        code = re.sub(r"(^|\s)#.*", "", line)
        code = re.sub(r"^\s*Exec\w*=[+!@:]*", "", code)  # "-": may fail
        for found in CALL.finditer(code):
            yield number, found.group(1)


def offenders(root):
    for path in tree.files(root, "elements"):
        place = IN_MACHINE.fullmatch(path)
        text = tree.text(root, path) if place else ""
        if not (text.startswith("#!") and "python" not in text.split("\n")[0]) and not path.endswith(".service"):
            continue
        element = place.group(1) if place else ""
        has = set().union(*(packages_of(root, name) for name in with_dependencies(root, element)))
        asked = set(ASKED.findall(text))
        for number, program in calls_of(text):
            wanted = PACKAGES.get(program, set())
            if wanted and not wanted & has and program not in asked:
                yield (f"{path}:{number}: calls {program}, which no package of {element} or its dependencies brings: "
                       f"{' or '.join(sorted(wanted))} belongs into its package-installs.yaml")


def main(root):
    return tree.report("programs", list(offenders(root)))


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
