"""A machine in QEMU under our own conductor by HTTPS, whose authority the ramdisk brings: deployed, its progress seen; then
rescued: a person logs in by SSH with the password that was given, and nobody before or otherwise.
usage: rescue_test.py KERNEL RAMDISK HEARTH CERTIFICATE KEY"""

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import unittest

import conductor as file_server
import images
import machine

KERNEL, RAMDISK, HEARTH, CERTIFICATE, KEY = (os.path.abspath(word) for word in sys.argv[1:6])
os.environ["SSL_CERT_FILE"] = CERTIFICATE  # for our own requests
MAC = "52:54:00:12:34:56"  # what QEMU gives its first card
OURS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../peers/bootstrap/conductor.py")


def our_conductor(*options):
    """tests/peers/bootstrap has a module of the same name as ours."""
    spec = importlib.util.spec_from_file_location("our_conductor", OURS)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Conductor(HEARTH, *options)


class Rescue(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory(prefix="hearth-rescue.", dir="/dev/shm")
        self.addCleanup(self.work.cleanup)
        self.files = os.path.join(self.work.name, "files")
        os.mkdir(self.files)
        self.raw = os.path.join(self.files, "i.raw")
        images.make_raw(self.raw, self.work.name)
        self.server = file_server.Conductor(self.files)
        self.server.pace = 0.02
        self.addCleanup(self.server.close)
        self.conductor = our_conductor("--poll-interval", "1", "--power-sync-interval", "0", "--heartbeat-interval", "10",
                                       "--power-off-wait", "3",
                                       "--tls-certificate", CERTIFICATE, "--tls-key", KEY)
        self.addCleanup(self.conductor.__exit__)
        self.machine = machine.Machine(self.work.name, KERNEL, RAMDISK)
        port = self.conductor.url.rsplit(":", 1)[1]
        self.line = (f"console=ttyS0 quiet ipa-api-url=https://{self.machine.gateway}:{port} ipa-advertise-host=127.0.0.1 "
                     f"ipa-advertise-port={self.machine.agent_port}")
        node = self.conductor.ask("POST", "/v1/nodes", {"driver": "fake-hardware", "name": "web1"})[1]
        self.conductor.ask("POST", "/v1/ports", {"address": MAC, "node_uuid": node["uuid"]})

    def boot(self, name):
        running = self.machine.start(os.path.join(self.work.name, name), ramdisk=self.line)
        self.addCleanup(running.wait)
        self.addCleanup(running.kill)
        return running

    def verb(self, target, state, **more):
        status, answer = self.conductor.ask("PUT", "/v1/nodes/web1/states/provision", {"target": target, **more})
        self.assertEqual(status, 202, answer)
        self.conductor.wait("web1", state, 300)

    def deploy(self):
        for target, state in (("manage", "manageable"), ("provide", "available")):
            self.verb(target, state)
        with open(self.raw, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        self.conductor.ask("PATCH", "/v1/nodes/web1", [{"op": "add", "path": "/instance_info", "value": {
            "image_source": f"http://{self.machine.gateway}:{self.server.port}/files/i.raw", "image_os_hash_algo": "sha256",
            "image_os_hash_value": digest}}])
        self.verb("active", "wait call-back")
        running = self.boot("deploy")
        seen, end = [], time.monotonic() + 600
        while time.monotonic() < end:
            node = self.conductor.node("web1")
            seen.append(node["driver_internal_info"].get("progress"))
            if node["provision_state"] in ("active", "deploy failed"):
                break
            time.sleep(0.2)
        self.assertEqual(node["provision_state"], "active", node["last_error"])
        running.wait(120)
        return [one for one in seen if one]

    def log_in(self, password, command):
        """Exit code and output of a command by SSH."""
        ask = os.path.join(self.work.name, "ask")
        with open(ask, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\necho '{password}'\n")
        os.chmod(ask, 0o700)
        done = subprocess.run(["ssh", "-p", str(self.machine.ssh_port), "-o", "StrictHostKeyChecking=no", "-o",
                               "UserKnownHostsFile=/dev/null", "-o", "NumberOfPasswordPrompts=1", "-o", "ConnectTimeout=120", "-o",
                               "PubkeyAuthentication=no",
                               "rescue@127.0.0.1", command], capture_output=True, text=True, timeout=300, check=False,
                              stdin=subprocess.DEVNULL,
                              env={**os.environ, "SSH_ASKPASS": ask, "SSH_ASKPASS_REQUIRE": "force", "DISPLAY": "none"})
        return done.returncode, done.stdout + done.stderr

    def test_a_machine_is_deployed_with_progress_and_rescued_by_its_password(self):
        self.assertTrue(self.deploy(), "progress was shown")
        status, answer = self.conductor.ask("PUT", "/v1/nodes/web1/states/provision", {"target": "rescue"})
        self.assertEqual(status, 400, answer)
        self.verb("rescue", "rescue wait", rescue_password="ses ame")
        self.boot("rescue")
        self.conductor.wait("web1", "rescue", 300)
        kept = subprocess.run(["grep", "-c", "ses ame", "-r", self.conductor.directory], capture_output=True, text=True,
                              check=False)
        self.assertNotRegex(kept.stdout, r":[1-9]", "the password is kept nowhere")
        code, text = self.log_in("wrong", "true")
        self.assertNotEqual(code, 0, text)
        code, text = self.log_in("ses ame", "id -u; fdisk -l /dev/vda | head -n 1")
        self.assertEqual(code, 0, text)
        self.assertIn("0\nDisk /dev/vda: ", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
