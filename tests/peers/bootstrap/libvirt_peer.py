#!/usr/bin/python3
"""Machines of Debian's libvirt (a session daemon of the test's own, QEMU without KVM), switched by our driver. usage:
libvirt_peer.py HEARTH"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time

from conductor import Conductor, need, same

MAC = "52:54:00:00:00:71"
DOMAIN = f"""<domain type='qemu'><name>web1</name><memory unit='MiB'>64</memory><vcpu>1</vcpu>
<os><type arch='x86_64' machine='pc'>hvm</type><boot dev='hd'/></os>
<devices><interface type='user'><mac address='{MAC}'/></interface></devices></domain>"""
PATIENCE = 120


def until(what, expected, look):
    end = time.monotonic() + PATIENCE
    while look() != expected:
        if time.monotonic() > end:
            same(what, expected, look())
        time.sleep(0.2)


class Libvirt:
    """A session daemon of an ordinary user: it manages nothing but this test's machine."""

    def __init__(self, directory):
        user = pwd.getpwnam("nobody")
        for name in ("home", "run"):
            os.mkdir(os.path.join(directory, name))
            os.chown(os.path.join(directory, name), user.pw_uid, user.pw_gid)
        os.chmod(directory, 0o755)
        self.log = open(os.path.join(directory, "libvirtd.log"), "wb")
        self.running = subprocess.Popen(
            ["/usr/sbin/libvirtd", "--timeout", "600"], user=user.pw_uid, group=user.pw_gid, extra_groups=[], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log, env={"PATH": os.environ["PATH"], "HOME": f"{directory}/home", "XDG_RUNTIME_DIR": f"{directory}/run"})
        self.uri = f"qemu:///session?socket={directory}/run/libvirt/libvirt-sock"
        until("libvirtd is up", 0, lambda: self.virsh("uri").returncode)

    def virsh(self, *words, **options):
        return subprocess.run(["virsh", "-q", "-c", self.uri, *words], capture_output=True, text=True, check=False, timeout=PATIENCE, **options)

    def state(self):
        return self.virsh("domstate", "web1").stdout.strip()

    def close(self):
        self.virsh("destroy", "web1")
        self.running.terminate()
        self.running.wait()
        self.log.close()


def switch(c, target, expected):
    until(f"{target} is accepted", 202, lambda: c.ask("PUT", "/v1/nodes/v1/states/power", {"target": target})[0])
    until(target, (expected, None), lambda: (c.node("v1")["power_state"], c.node("v1")["target_power_state"]))


def machine_is_found_by_its_card_and_switched(c, libvirt):
    status, node = c.ask("POST", "/v1/nodes", {"driver": "libvirt", "name": "v1", "driver_info": {"libvirt_uri": libvirt.uri}})
    same(f"{node}", 201, status)
    c.ask("POST", "/v1/ports", {"address": MAC, "node_uuid": node["uuid"]})
    c.ask("PUT", "/v1/nodes/v1/states/provision", {"target": "manage"})
    c.wait("v1", "manageable", PATIENCE)
    switch(c, "power on", "power on")
    same("libvirt's view", "running", libvirt.state())
    switch(c, "rebooting", "power on")
    same("libvirt's view", "running", libvirt.state())
    switch(c, "power off", "power off")
    same("libvirt's view", "shut off", libvirt.state())


def machine_boots_from_the_network_when_told(c, libvirt):
    order = lambda: [line.split("'")[1] for line in libvirt.virsh("dumpxml", "--inactive", "web1").stdout.splitlines() if "<boot dev" in line]
    for device, expected in (("pxe", ["network", "hd"]), ("disk", ["hd", "network"])):
        until(f"{device} is accepted", 204,
              lambda device=device: c.ask("PUT", "/v1/nodes/v1/management/boot_device", {"boot_device": device})[0])
        until(f"the order for {device}", expected, order)


def failures_are_told(c, libvirt):
    for name, info, words in (("v2", {"libvirt_uri": libvirt.uri, "libvirt_domain": "nobody"}, "failed to get domain 'nobody'"),
                              ("v3", {"libvirt_uri": "qemu:///session?socket=/nonexistent", "libvirt_domain": "web1"}, "failed to connect")):
        c.ask("POST", "/v1/nodes", {"driver": "libvirt", "name": name, "driver_info": info})
        c.ask("PUT", f"/v1/nodes/{name}/states/provision", {"target": "manage"})
        until(f"{name} is refused", "enroll", lambda name=name: c.node(name)["target_provision_state"] or c.node(name)["provision_state"])
        assert words in c.node(name)["last_error"], c.node(name)["last_error"]


def main():
    need(os.geteuid() == 0, "needs root, to start libvirt as another user")
    need(shutil.which("virsh") and os.path.exists("/usr/sbin/libvirtd"), "there is no libvirt (libvirt-daemon, libvirt-clients)")
    need(shutil.which("qemu-system-x86_64"), "there is no qemu-system-x86_64")
    with tempfile.TemporaryDirectory(prefix="hearth-libvirt.") as directory:
        libvirt = Libvirt(directory)
        try:
            defined = libvirt.virsh("define", "/dev/stdin", input=DOMAIN)
            same(defined.stderr, 0, defined.returncode)
            with Conductor(sys.argv[1], "--power-sync-interval", "0", "--keep-rights") as c:  # its socket is for root only
                machine_is_found_by_its_card_and_switched(c, libvirt)
                machine_boots_from_the_network_when_told(c, libvirt)
                failures_are_told(c, libvirt)
        finally:
            libvirt.close()
    print("ok")


main()
