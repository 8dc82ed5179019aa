#!/usr/bin/python3
"""Machines of QEMU from blank to active: the conductor, its boot servers, the deploy ramdisk. usage: real_deploy.py HEARTH

In a network namespace of its own: two nodes of the driver qemu (BIOS and UEFI) are imported, inspected, and deployed by PXE with
an image and a config drive; then each must start from its disk. HEARTH_DEPLOY_RAMDISK names KERNEL and RAMDISK by what stands
before ".kernel" and ".initramfs"; without, the ramdisk is built first.
Prints the seconds from power-on to active.
"""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../../peers/bootstrap"), os.path.join(HERE, "../deploy")]
import images  # noqa: E402  pylint: disable=wrong-import-position
from conductor import Conductor, need, same  # noqa: E402  pylint: disable=wrong-import-position

PATIENCE = 600
PROGRAMS = ["qemu-system-x86_64", "ip", "unshare", "qemu-img", "sfdisk", "mmd", "grub-mkimage"]
NODES = {"bios1": ("52:54:00:00:00:01", "bios", images.MARK_BIOS), "uefi1": ("52:54:00:00:00:02", "uefi", images.MARK_UEFI)}


def network():
    for words in ("link set lo up", "link add br0 type bridge", "addr add 192.0.2.1/24 dev br0", "link set br0 up"):
        subprocess.run(["ip", *words.split()], check=True)


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
    return path


def ramdisk(hearth, work):
    given = os.environ.get("HEARTH_DEPLOY_RAMDISK")
    if given:
        return given
    with open(os.path.join(work, "ramdisk.log"), "wb") as log:
        done = subprocess.run(["ramdisk-image-create", "-o", f"{work}/deploy", "--ramdisk-element", "deploy-ramdisk", "debian-minimal"],
                              executable=hearth, stdout=log, stderr=log, check=False)
    assert done.returncode == 0, open(os.path.join(work, "ramdisk.log"), errors="replace").read()[-3000:]
    return f"{work}/deploy"


def console_of(c, name):
    path = os.path.join(c.directory, "qemu", c.node(name)["uuid"], "console.log")
    with open(path, "rb") as file:
        return file.read().decode(errors="replace")


def wait(c, name, state):
    try:
        return c.wait(name, state, PATIENCE)
    except AssertionError:
        print(c.run("node", "events", name), console_of(c, name)[-3000:], sep="\n")
        raise


def inspect(c):
    c.run("node", "manage", *NODES)
    for name in NODES:
        c.wait(name, "manageable")
        c.run("node", "inspect", name)
    for name, (_, firmware, _) in NODES.items():
        wait(c, name, "manageable")
        found = c.node(name)["properties"]
        same(f"{name} was inspected", ("x86_64", "1", "1024", "4"),
             tuple(str(found.get(key)) for key in ("cpu_arch", "cpus", "memory_mb", "local_gb")))
        assert f"boot_mode:{firmware}" in found["capabilities"], found


def deploy(c):
    for name in NODES:
        c.run("node", "provide", name)
        c.wait(name, "available")
    began = time.monotonic()
    for name in NODES:
        c.run("node", "deploy", name, "--image", "web", "--config-drive", json.dumps({"user_data": f"I am {name}\n"}))
    for name in NODES:
        wait(c, name, "active")
    print(f"both active after {time.monotonic() - began:.0f} s")


def from_disk(c):
    """Each machine starts from its disk, and finds its drive there."""
    for name, (_, _, mark) in NODES.items():
        end = time.monotonic() + PATIENCE
        while mark not in console_of(c, name):
            assert time.monotonic() < end, console_of(c, name)[-2000:]
            time.sleep(0.5)
        c.run("node", "power", "off", name)
        while c.node(name)["power_state"] != "power off":
            assert time.monotonic() < end, f"{name} does not go off"
            time.sleep(0.2)
        disk = c.node(name)["driver_info"]["qemu_disk"].rsplit(":", 1)[0]
        raw = disk + ".raw"
        images.run("qemu-img", "convert", "-O", "raw", disk, raw)
        table = json.loads(subprocess.run(["sfdisk", "--json", raw], capture_output=True, check=True).stdout)
        last = table["partitiontable"]["partitions"][-1]
        same("the last partition", "config-2", last["name"])
        with open(raw, "rb") as file:
            file.seek(last["start"] * 512)
            assert f"I am {name}\n".encode() in file.read(8 << 20)
        os.remove(raw)


def seconds(c, name):
    """From the power-on of the deployment to active, by the events."""
    events = c.ask("GET", f"/v1/hearth/events?node={name}&limit=10000")[1]["events"]
    at = lambda event: time.mktime(time.strptime(event["at"][:19], "%Y-%m-%dT%H:%M:%S")) + float("0" + event["at"][19:26])
    on = [at(e) for e in events if e["text"] == "deploy: await agent"][-1]
    active = [at(e) for e in events if e["text"].endswith("-> active")][-1]
    return active - on


def switch_off(c):
    """No machine outlives the test."""
    for file in glob.glob(os.path.join(c.directory, "qemu", "*", "pid")):
        with open(file, encoding="ascii") as pid:
            try:
                os.kill(int(pid.read()), signal.SIGTERM)
            except ProcessLookupError:  # off already
                pass


def inside(hearth, work):
    network()
    boot = os.environ["HEARTH_DEPLOY_RAMDISK"]
    site = write_json(f"{work}/site.json", {
        "interfaces": ["br0"], "state_dir": work, "unknown": "ignore", "networks": [
            {"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.199"]}]})
    raw, image = f"{work}/i.raw", f"{work}/web.qcow2"
    images.make_raw(raw, work)
    images.run("qemu-img", "convert", "-c", "-f", "raw", "-O", "qcow2", raw, image)
    inventory = write_json(f"{work}/nodes.json", {"nodes": [
        {"name": name, "pm_type": "qemu", "mac": [mac], "capabilities": f"boot_mode:{firmware}", "qemu_disk": f"{work}/{name}.qcow2:5G",
         "qemu_bridge": "br0", "qemu_firmware": firmware} for name, (mac, firmware, _) in NODES.items()]})
    with Conductor(hearth, "--boot", site, "--keep-rights", "--poll-interval", "1", "--port", "6385", directory=f"{work}/state") as c:
        try:
            c.run("image", "load", image, "--name", "web", "--kernel", f"{boot}.kernel", "--ramdisk", f"{boot}.initramfs")
            c.run("node", "import", inventory, "--initial-state", "enroll")
            c.run("baremetal", "configure", "boot", "--deploy-kernel", "web", "--deploy-ramdisk", "web")
            for name in NODES:
                c.ask("PATCH", f"/v1/nodes/{name}", [{"op": "add", "path": "/driver_info/kernel_append_params",
                                                      "value": "console=ttyS0 quiet no_timer_check"}])
            inspect(c)
            deploy(c)
            from_disk(c)
            for name in NODES:
                print(f"{name}: {seconds(c, name):.0f} s from power-on to active")
        finally:
            switch_off(c)
    print("ok")


def main():
    if len(sys.argv) == 3:
        inside(sys.argv[1], sys.argv[2])
        return
    need(os.environ.get("HEARTH_LONG") or os.environ.get("HEARTH_DEPLOY_RAMDISK"), "HEARTH_LONG is not set")
    need(os.geteuid() == 0, "needs root, for a network namespace")
    os.environ["PATH"] += ":/sbin:/usr/sbin"
    for program in PROGRAMS:
        need(shutil.which(program), f"there is no {program}")
    with tempfile.TemporaryDirectory(prefix="hearth-real.", dir="/dev/shm") as work:
        os.mkdir(f"{work}/state")
        env = dict(os.environ, HEARTH_DEPLOY_RAMDISK=ramdisk(sys.argv[1], work))  # made where packages can be had
        done = subprocess.run(["unshare", "-n", sys.executable, os.path.abspath(__file__), sys.argv[1], work], check=False, env=env)
    sys.exit(done.returncode)


main()
