"""Ramdisks of this machine's programs and kernel modules, for machines in QEMU that play a part in a test."""

import os
import re
import shutil
import subprocess


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=120, **options).stdout


def module_paths(release, names):
    """Those of `names` and what they need, in the order in which they are loaded."""
    shown = "".join(run("modprobe", "-S", release, "--show-depends", name) for name in names)
    return list(dict.fromkeys(line.split()[1] for line in shown.splitlines() if line.startswith("insmod")))


def archive(tree, path):
    with open(path, "wb") as file:
        subprocess.run("find . | cpio --quiet -o -H newc", shell=True, check=True, cwd=tree, stdout=file)


def pack(tree, programs, release, modules):
    """A ramdisk of this machine's programs with their libraries, and of its modules, whose order is in /modules."""
    for folder in ("bin", "proc", "sys", "dev", "lib/modules"):
        os.makedirs(f"{tree}/{folder}")
    for program in programs:
        path = os.path.realpath(shutil.which(program))
        shutil.copy(path, f"{tree}/bin/{program}")
        for library in re.findall(r"(/\S+) \(0x", run("ldd", path)):
            os.makedirs(tree + os.path.dirname(library), exist_ok=True)
            shutil.copy(library, tree + library)
    paths = module_paths(release, modules)
    for path in paths:
        shutil.copy(path, f"{tree}/lib/modules")
    with open(f"{tree}/modules", "w", encoding="utf-8") as file:
        file.write("\n".join(map(os.path.basename, paths)))
