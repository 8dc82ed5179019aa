"""A partition image, deployed by the ramdisk: partitions, swap, file systems and the image's own GRUB; the machine must start from its
disk to a login prompt. usage: partition_test.py KERNEL RAMDISK IMAGE [bios|uefi]

IMAGE is a file system with Debian, a kernel, GRUB's programs and a console on the serial line."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest

import conductor
import machine

KERNEL, RAMDISK, IMAGE = (os.path.abspath(word) for word in sys.argv[1:4])
MODES = sys.argv[4:] or ["bios", "uefi"]
ROOT_MB, SWAP_MB, EPHEMERAL_MB = 3072, 64, 96
PATIENCE = 900  # under TCG, on a machine that does other things as well


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def blkid(disk, start, tag):
    done = subprocess.run(["blkid", "-p", "-O", str(start * 512), "-o", "value", "-s", tag, disk], capture_output=True, text=True,
                          check=False)
    return done.stdout.strip()


class Partitions(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory(prefix="hearth-partition.", dir="/dev/shm")
        self.addCleanup(self.work.cleanup)

    def start(self, uefi):
        self.machine = machine.Machine(self.work.name, KERNEL, RAMDISK, uefi=uefi)
        self.conductor = conductor.Conductor(os.path.dirname(IMAGE), root_device={"serial": "D1"})
        self.addCleanup(self.conductor.close)
        self.url = f"http://{self.machine.gateway}:{self.conductor.port}"
        self.console = os.path.join(self.work.name, "console")
        self.running = self.machine.start(self.console, ramdisk=f"console=ttyS0 quiet ipa-api-url={self.url} "
                                          f"ipa-advertise-host=127.0.0.1 ipa-advertise-port={self.machine.agent_port}")
        self.addCleanup(self.running.wait)
        self.addCleanup(self.running.kill)
        self.assertTrue(self.conductor.beat.wait(PATIENCE), "no heartbeat: " + self.said())

    def said(self):
        with open(self.console, errors="replace") as log:
            return log.read()[-4000:]

    def order(self, name, params):
        record = self.conductor.command(name, params, patience=PATIENCE)
        self.assertEqual(record["command_status"], "SUCCEEDED", f"{record}\n{self.said()}")
        return record["command_result"]

    def deploy(self, mode, **more):
        info = {"id": "part", "urls": [f"{self.url}/files/{os.path.basename(IMAGE)}"], "os_hash_algo": "sha256",
                "os_hash_value": digest_of(IMAGE), "image_type": "partition", "root_mb": ROOT_MB, "swap_mb": SWAP_MB,
                "ephemeral_mb": EPHEMERAL_MB, "deploy_boot_mode": mode, **more}
        node = {"uuid": self.conductor.uuid, "properties": self.conductor.properties}
        step = {"interface": "deploy", "step": "write_image", "args": {"image_info": info, "configdrive": None}}
        self.order("deploy.execute_deploy_step", {"step": step, "node": node, "ports": []})
        uuids = self.order("standby.get_partition_uuids", {})
        self.order("image.install_bootloader", {"root_uuid": uuids["root uuid"], "target_boot_mode": mode,
                                                "efi_system_part_uuid": uuids.get("efi system partition uuid")})
        self.order("standby.sync", {})
        self.conductor.command("standby.power_off", {})
        self.running.wait(300)
        return uuids

    def table(self):
        listed = subprocess.run(["sfdisk", "--json", self.machine.disk], capture_output=True, check=True).stdout
        return json.loads(listed)["partitiontable"]

    def check(self, mode, label, kinds):
        uuids = self.deploy(mode, **({"disk_label": label} if mode == "bios" else {}))
        table = self.table()
        self.assertEqual(table["label"], {"msdos": "dos"}.get(label, label))
        found = [(part["size"] // 2048, blkid(self.machine.disk, part["start"], "TYPE")) for part in table["partitions"]]
        self.assertEqual(found, kinds)
        root = table["partitions"][-1]
        self.assertEqual(blkid(self.machine.disk, root["start"], "UUID"), uuids["root uuid"])
        if mode == "uefi":
            self.assertEqual(blkid(self.machine.disk, table["partitions"][0]["start"], "UUID"), uuids["efi system partition uuid"])
        self.machine.expect_from_disk("login:", os.path.join(self.work.name, "boot"), patience=PATIENCE)

    @unittest.skipUnless("bios" in MODES, "not asked for")
    def test_bios_with_an_msdos_table(self):
        self.start(uefi=False)
        self.check("bios", "msdos", [(EPHEMERAL_MB, "ext4"), (SWAP_MB, "swap"), (ROOT_MB, "ext4")])

    @unittest.skipUnless("uefi" in MODES, "not asked for")
    def test_uefi(self):
        self.start(uefi=True)
        self.check("uefi", "gpt", [(200, "vfat"), (EPHEMERAL_MB, "ext4"), (SWAP_MB, "swap"), (ROOT_MB, "ext4")])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
