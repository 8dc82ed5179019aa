"""Disks that are in use, each by what the kernel of a machine in QEMU really does with it, are not written to: mounted, swapped to,
in RAID, below device-mapper (LVM, multipath, encryption). usage: held_disks_test.py AGENT"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import guest  # noqa: E402

AGENT = os.path.abspath(sys.argv[1])
PROGRAMS = ("bash", "cat", "cryptsetup", "dmsetup", "insmod", "ls", "mdadm", "mkdir", "mke2fs", "mknod", "mkswap", "mount", "swapon", "timeout")
MODULES = ("virtio_pci", "virtio_blk", "md_mod", "raid1", "dm_mod", "dm_crypt", "xts", "algif_skcipher")
DISKS = ("free", "mounted", "partition", "swap", "raid", "mirror", "linear", "crypt")
# The agent opens the disk before it asks for the image, which nobody serves here.
INIT = """#!/bin/bash
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs devtmpfs /dev; mount -t tmpfs tmpfs /run
exec >/dev/console 2>&1
export DM_DISABLE_UDEV=1
for module in $(cat /modules); do insmod /lib/modules/$module; done
disk() { for one in /sys/block/*; do [ "$(cat $one/serial 2>/dev/null)" = "$1" ] && echo /dev/${one##*/}; done; }
mkdir -p /mnt/a /mnt/b
mke2fs -q -F $(disk mounted) && mount $(disk mounted) /mnt/a
mke2fs -q -F $(disk partition)1 && mount $(disk partition)1 /mnt/b
mkswap $(disk swap) && swapon $(disk swap)
mdadm --create /dev/md7 --run --force --level=1 --raid-devices=2 --metadata=1.2 $(disk raid) $(disk mirror)1 </dev/null
dmsetup create linear --table "0 2048 linear $(disk linear) 0"
dmsetup create crypt --table "0 2048 crypt aes-xts-plain64 $(printf 'a7%.0s' {1..32}) 0 $(disk crypt) 0"
for name in DISKS; do
  at=$(disk $name)
  echo "HOLDERS $name $(ls ${at/dev/sys/block}/holders ${at/dev/sys/block}/*/holders 2>/dev/null)" | cat
  echo "TRIED $name $(timeout 5 /bin/hearth-agent write-image http://127.0.0.1:9/none $at 2>&1)"
done
echo ENDED
"""


def pack(work):
    tree = f"{work}/tree"
    release = sorted(glob.glob("/boot/vmlinuz-*"))[-1].split("vmlinuz-")[1]
    guest.pack(tree, PROGRAMS, release, MODULES)
    shutil.copy(AGENT, f"{tree}/bin/hearth-agent")
    os.mkdir(f"{tree}/run")
    with open(f"{tree}/init", "w", encoding="utf-8") as file:
        file.write(INIT.replace("DISKS", " ".join(DISKS)))
    os.chmod(f"{tree}/init", 0o755)
    guest.archive(tree, f"{work}/initramfs")


class HeldDisks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="held-disks-") as work:
            pack(work)
            command = ["qemu-system-x86_64", "-accel", "tcg", "-m", "384", "-display", "none", "-serial", "stdio", "-no-reboot", "-nodefaults",
                       "-kernel", sorted(glob.glob("/boot/vmlinuz-*"))[-1], "-initrd", f"{work}/initramfs",
                       "-append", "console=ttyS0 quiet panic=-1 no_timer_check"]
            for name in DISKS:
                path = f"{work}/{name}"
                with open(path, "wb") as file:
                    file.truncate(16 << 20)
                if name in ("partition", "mirror"):
                    subprocess.run(["sfdisk", "--quiet", path], input="label: dos\n2048,\n", text=True, check=True)
                command += ["-drive", f"if=none,id={name},format=raw,file={path}", "-device", f"virtio-blk-pci,drive={name},serial={name}"]
            cls.said = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240).stdout.decode(
                errors="replace").replace("\r", "")

    def said_of(self, word, name):
        found = re.search(rf"^{word} {name} (.*?)(?=^HOLDERS|^TRIED|^ENDED)", self.said, re.S | re.M)
        self.assertTrue(found, self.said[-6000:])
        return found.group(1)

    def test_a_free_disk_is_opened(self):
        self.assertNotIn("in use", self.said_of("TRIED", "free"))
        self.assertIn("127.0.0.1", self.said_of("TRIED", "free"))

    def test_no_disk_that_is_in_use_is_opened(self):
        for name in DISKS[1:]:
            with self.subTest(name):
                self.assertIn("is in use: nothing was written to it", self.said_of("TRIED", name))

    def test_what_sits_on_a_disk_is_where_root_device_hints_look_for_it(self):
        for name in ("raid", "mirror", "linear", "crypt"):
            with self.subTest(name):
                self.assertRegex(self.said_of("HOLDERS", name), r"\b(md7|dm-[01])\b")


def main():
    needed = ["qemu-system-x86_64", "modprobe", "cpio", "sfdisk", *PROGRAMS]
    missing = [name for name in needed if not shutil.which(name)]
    for problem in (missing and f"{missing[0]} is not here", not glob.glob("/boot/vmlinuz-*") and "there is no kernel in /boot"):
        if problem:
            print(f"SKIPPED: {problem}")
            sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)


if __name__ == "__main__":
    main()
