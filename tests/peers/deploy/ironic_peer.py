"""Debian's Ironic (python3-ironic) deploys a QEMU machine by our deploy ramdisk, to active, and the machine boots from
its disk. usage: ironic_peer.py KERNEL RAMDISK [bios|uefi [IMAGE]]

IMAGE is a partition image (see tests/e2e/deploy/partition_test.py); without, the test makes a whole disk.

Everything runs in a network namespace of its own. Power is Ironic's fake interface: this script switches the machine on
when Ironic waits for it. Exit code 77: something that is needed is not here.
"""

import hashlib
import http.server
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "e2e", "deploy"))
import images  # noqa: E402  (found by the line above)
import machine  # noqa: E402

API = "http://127.0.0.1:6385"
MAC = "52:54:00:12:34:56"
CONFIGURATION = """
[DEFAULT]
auth_strategy = noauth
debug = false
log_file = {work}/ironic.log
state_path = {work}/state
host = lab
my_ip = 127.0.0.1
rpc_transport = json-rpc
enabled_hardware_types = manual-management
enabled_boot_interfaces = ipxe
enabled_deploy_interfaces = direct
enabled_management_interfaces = noop
enabled_power_interfaces = fake
enabled_inspect_interfaces = no-inspect
enabled_bios_interfaces = no-bios
enabled_console_interfaces = no-console
enabled_network_interfaces = noop
enabled_raid_interfaces = no-raid
enabled_rescue_interfaces = no-rescue
enabled_storage_interfaces = noop
enabled_vendor_interfaces = no-vendor
default_network_interface = noop
rootwrap_helper_command =
tempdir = {work}/tmp
[api]
host_ip = 127.0.0.1
port = 6385
api_workers = 1
[conductor]
automated_clean = false
sync_power_state_interval = 0
[json_rpc]
auth_strategy = noauth
host_ip = 127.0.0.1
[database]
connection = sqlite:///{work}/ironic.sqlite
[deploy]
http_url = http://127.0.0.1:8081
http_root = {work}/http
default_boot_mode = {mode}
[dhcp]
dhcp_provider = none
[pxe]
tftp_server = 127.0.0.1
tftp_root = {work}/tftp
tftp_master_path = {work}/tftp/master
images_path = {work}/images
instance_master_path = {work}/images/master
[service_catalog]
auth_type = none
endpoint_override = http://127.0.0.1:6385
[oslo_messaging_notifications]
driver = noop
[agent]
require_tls = true
certificates_path = {work}/certificates
"""
# Ironic tells a partition image by its kernel and ramdisk; it boots neither.
PARTITION = {"image_type": "partition", "image_disk_format": "raw", "kernel": "http://127.0.0.1:8088/kernel",
             "ramdisk": "http://127.0.0.1:8088/ramdisk", "root_gb": 3, "swap_mb": 64}
SERVICES = ("glance", "neutron", "swift", "inspector", "nova", "cinder")


def call(method, path, body=None):
    """The answer's JSON; raises for refusals, with Ironic's reason."""
    request = urllib.request.Request(API + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                     headers={"Content-Type": "application/json", "X-OpenStack-Ironic-API-Version": "1.78"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from error


def start_ironic(work, mode):
    for name in ("state", "tmp", "http", "tftp/master", "images/master"):
        os.makedirs(os.path.join(work, name))
    configuration = os.path.join(work, "ironic.conf")
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(work=work, mode=mode))
        for service in SERVICES:
            file.write(f"[{service}]\nauth_type = none\nendpoint_override = http://127.0.0.1:9\n")
        file.write("[nova]\nsend_power_notifications = false\n")
    options = ["--config-file", configuration]
    python = lambda module, words: [sys.executable, "-c", f"import sys; from ironic.cmd.{module} import main; "
                                    f"sys.argv = ['ironic'] + {words!r}; sys.exit(main())"]
    subprocess.run(python("dbsync", options + ["create_schema"]), check=True, stdout=subprocess.DEVNULL)
    log = open(os.path.join(work, "ironic.out"), "wb")
    return subprocess.Popen(python("singleprocess", options), stdout=log, stderr=log)


def wait_until(what, condition, patience):
    end = time.time() + patience
    while time.time() < end:
        try:
            value = condition()
        except (OSError, RuntimeError, urllib.error.URLError):
            value = None
        if value:
            return value
        time.sleep(0.5)
    raise RuntimeError(f"{what}: not within {patience} s")


def serve_files(folder):
    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *words, **options):
            super().__init__(*words, directory=folder, **options)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("", 8088), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()


def enrol(image, mode, partition):
    digest = hashlib.sha256(open(image, "rb").read()).hexdigest()
    node = call("POST", "/v1/nodes", {
        "driver": "manual-management", "name": "lab-0", "power_interface": "fake", "boot_interface": "ipxe",
        "properties": {"capabilities": f"boot_mode:{mode}", "root_device": {"serial": "s== d1"}},
        "driver_info": {"deploy_kernel": "http://127.0.0.1:8088/kernel", "deploy_ramdisk": "http://127.0.0.1:8088/ramdisk"},
        "instance_info": {"image_source": "http://192.0.2.2:8088/" + os.path.basename(image),
                          "image_os_hash_algo": "sha256", "image_os_hash_value": digest,
                          **(PARTITION if partition else {"image_type": "whole-disk", "image_disk_format": "qcow2"})}})
    uuid = node["uuid"]
    call("POST", "/v1/ports", {"node_uuid": uuid, "address": MAC})
    state = lambda: call("GET", f"/v1/nodes/{uuid}")["provision_state"]
    for verb, wanted in (("manage", "manageable"), ("provide", "available")):
        call("PUT", f"/v1/nodes/{uuid}/states/provision", {"target": verb})
        wait_until(wanted, lambda wanted=wanted: state() == wanted, 60)
    return uuid


def deploy(uuid, computer, console):
    drive = {"meta_data": {"uuid": uuid, "hostname": "lab-0"}, "user_data": "#!/bin/sh\n"}
    call("PUT", f"/v1/nodes/{uuid}/states/provision", {"target": "active", "configdrive": drive})
    node = lambda: call("GET", f"/v1/nodes/{uuid}")
    wait_until("wait call-back", lambda: node()["provision_state"] == "wait call-back", 90)
    began = time.time()
    running = computer.start(console, ramdisk=f"console=ttyS0 quiet ipa-api-url=http://192.0.2.2:6385 "
                             f"ipa-advertise-host=127.0.0.1 ipa-advertise-port={computer.agent_port}")
    try:
        last = wait_until("active", lambda: node() if node()["provision_state"] in ("active", "deploy failed") else None, 900)
    finally:
        running.kill()
        running.wait()
    if last["provision_state"] != "active":
        raise RuntimeError(f"{last['provision_state']}: {last['last_error']}")
    print(f"Ironic: active {time.time() - began:.1f} s after power-on")


def main(kernel, ramdisk, mode, partition=None):
    work = tempfile.mkdtemp(prefix="hearth-ironic.", dir=os.environ.get("TMPDIR", "/dev/shm"))
    ironic = None
    try:
        files = os.path.join(work, "files")
        os.makedirs(files)
        shutil.copy(kernel, os.path.join(files, "kernel"))
        shutil.copy(ramdisk, os.path.join(files, "ramdisk"))
        raw, image = os.path.join(work, "i.raw"), os.path.join(files, "i.qcow2")
        if partition:
            image = os.path.join(files, "part.raw")
            os.symlink(os.path.abspath(partition), image)
        else:
            images.make_raw(raw, work)
            subprocess.run(["qemu-img", "convert", "-c", "-f", "raw", "-O", "qcow2", raw, image], check=True)
        serve_files(files)
        ironic = start_ironic(work, mode)
        wait_until("Ironic's conductor", lambda: call("GET", "/v1/conductors")["conductors"], 120)
        uuid = enrol(image, mode, partition)
        computer = machine.Machine(work, kernel, ramdisk, uefi=mode == "uefi", gateway="192.0.2.2")
        console = os.path.join(work, "console.log")
        try:
            deploy(uuid, computer, console)
        except RuntimeError:
            print(open(console, errors="replace").read()[-3000:] if os.path.exists(console) else "no console")
            print(open(os.path.join(work, "ironic.log"), errors="replace").read()[-3000:])
            raise
        mark = "login:" if partition else images.MARK_UEFI if mode == "uefi" else images.MARK_BIOS
        computer.expect_from_disk(mark, os.path.join(work, "disk.log"), patience=900)
        print(f"{mode}: {mark}")
        if b"config-2" not in open(computer.disk, "rb").read() and b"CONFIG-2" not in open(computer.disk, "rb").read():
            raise RuntimeError("the config drive is not on the disk")
    finally:
        if ironic:
            ironic.kill()
            ironic.wait()
        shutil.rmtree(work)


if __name__ == "__main__":
    if importlib.util.find_spec("ironic") is None:
        print("python3-ironic is not installed")
        sys.exit(77)
    if os.environ.get("HEARTH_IN_NAMESPACE") != "yes":
        os.environ["HEARTH_IN_NAMESPACE"] = "yes"
        inside = 'ip link set lo up && ip address add 192.0.2.2/32 dev lo && exec "$@"'
        os.execvp("unshare", ["unshare", "-rn" if os.getuid() else "-n", "sh", "-c", inside, "sh", sys.executable, *sys.argv])
    main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "bios", *sys.argv[4:5])
