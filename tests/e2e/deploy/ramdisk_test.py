"""The deploy ramdisk in QEMU, with a conductor of the test's own: a machine is deployed and boots from its disk.
usage: ramdisk_test.py KERNEL RAMDISK HEARTH"""

import base64
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest

import conductor
import images
import machine

KERNEL, RAMDISK, HEARTH = (os.path.abspath(word) for word in sys.argv[1:4])
DRIVE = b"\0" * 0x8028 + b"config-2   " + b"the config drive" * 100


class Ramdisk(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory(prefix="hearth-deploy.", dir="/dev/shm")
        self.addCleanup(self.work.cleanup)
        self.files = os.path.join(self.work.name, "files")
        os.mkdir(self.files)
        self.raw = os.path.join(self.work.name, "i.raw")
        images.make_raw(self.raw, self.work.name)

    def start(self, uefi, more=""):
        self.machine = machine.Machine(self.work.name, KERNEL, RAMDISK, uefi=uefi)
        self.conductor = conductor.Conductor(self.files, root_device={"serial": "D1"})
        self.addCleanup(self.conductor.close)
        self.url = f"http://{self.machine.gateway}:{self.conductor.port}"
        self.conductor.hearth = {"progress_url": self.url + "/progress"}
        self.console = os.path.join(self.work.name, "console")
        self.running = self.machine.start(self.console, ramdisk=f"console=ttyS0 quiet ipa-api-url={self.url} ipa-advertise-host=127.0.0.1 "
                                          f"ipa-advertise-port={self.machine.agent_port} {more}")
        self.addCleanup(self.running.wait)
        self.addCleanup(self.running.kill)
        if not self.conductor.beat.wait(300):
            self.fail("no heartbeat: " + open(self.console, errors="replace").read()[-2000:])

    def info(self, name, **more):
        with open(os.path.join(self.files, name), "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        return {"id": name, "urls": [f"{self.url}/files/{name}"], "os_hash_algo": "sha256", "os_hash_value": digest, **more}

    def deploy(self, info, **options):
        for record in self.conductor.deploy(info, **options):
            self.assertEqual(record["command_status"], "SUCCEEDED", record)
        self.conductor.command("standby.power_off", {})
        self.running.wait(120)

    def test_bios_by_frames_with_inspection_cleaning_and_logs(self):
        published = os.path.join(self.files, "i.frames")
        images.run(HEARTH, "image", "publish", self.raw, published)
        self.start(uefi=False)
        record = self.conductor.command("poll.get_hardware_info", {})
        inventory = record["command_result"]
        self.assertEqual([disk["serial"] for disk in inventory["disks"]], ["D1"])
        self.assertEqual(inventory["interfaces"][0]["ipv4_address"], "192.0.2.15")
        self.assertEqual(inventory["boot"]["current_boot_mode"], "bios")
        self.assertEqual(inventory["cpu"]["count"], 2)
        cleaned = self.conductor.command("clean.execute_clean_step", {"step": {"step": "erase_devices_metadata"}})
        self.assertEqual(cleaned["command_status"], "SUCCEEDED", cleaned)
        with open(self.machine.disk, "rb") as file:
            self.assertEqual(file.read(4 << 20).strip(b"\0"), b"")
        logs = self.conductor.command("log.collect_system_logs", {})["command_result"]["system_logs"]
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(logs))) as archive:
            self.assertIn(b"waiting for orders", archive.extractfile("hearth-agent.log").read())
            self.assertIn(b"Linux version", archive.extractfile("dmesg").read())
        with open(published + ".json", encoding="utf-8") as file:
            info = json.load(file)
        self.deploy({**info, "urls": [f"{self.url}/files/i.frames"]})
        self.machine.expect_from_disk(images.MARK_BIOS, os.path.join(self.work.name, "boot"))

    def test_an_nvme_drive_erases_itself(self):
        self.start(uefi=True)
        with open(self.machine.disk, "r+b") as file:  # within what the erase looks at, and beside it
            for place in (1 << 30, (2 << 30) + 12345):
                file.seek(place)
                file.write(b"secret")
        step = {"step": {"step": "erase_devices"}, "node": {"driver_internal_info": {"agent_enable_nvme_secure_erase": True}}}
        cleaned = self.conductor.command("clean.execute_clean_step", step)
        self.assertEqual(cleaned["command_status"], "SUCCEEDED", cleaned)
        with open(self.console, errors="replace") as log:
            self.assertIn("/dev/nvme0n1 erases itself (NVMe format", log.read())
        with open(self.machine.disk, "rb") as file:
            while block := file.read(64 << 20):
                self.assertEqual(block.count(0), len(block))

    def test_uefi_by_qcow2_with_a_config_drive(self):
        image = os.path.join(self.files, "i.qcow2")
        images.run("qemu-img", "convert", "-c", "-f", "raw", "-O", "qcow2", self.raw, image)
        self.start(uefi=True)
        wrong = self.conductor.deploy(self.info("i.qcow2", os_hash_value="0" * 64))[-1]
        self.assertEqual(wrong["command_status"], "FAILED")
        self.assertIn("the checksum of the image", wrong["command_error"]["message"])
        drive = base64.b64encode(gzip.compress(DRIVE)).decode()
        self.deploy(self.info("i.qcow2", disk_format="qcow2"), configdrive=drive, uefi=True)
        listed = subprocess.run(["sfdisk", "--json", self.machine.disk], capture_output=True, check=True).stdout
        last = json.loads(listed)["partitiontable"]["partitions"][-1]
        self.assertEqual(last["name"], "config-2")
        with open(self.machine.disk, "rb") as file:
            file.seek(last["start"] * 512)
            self.assertEqual(file.read(len(DRIVE)), DRIVE)
        self.machine.expect_from_disk(images.MARK_UEFI, os.path.join(self.work.name, "boot"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
