#!/usr/bin/python3
"""Power by real management: OpenIPMI's simulator of a BMC, a Redfish service, a machine of QEMU. usage: power_peer.py HEARTH"""

import gc
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from agent import Machine
from conductor import Conductor, same
from redfish_emulator import Bmc

HELPER = """#!/bin/sh
# What the simulated BMC calls for its chassis: "<mc> get power|boot", "<mc> set power 0|1", "<mc> set boot pxe", …
cd "$(dirname "$0")" || exit 1
echo "$*" >>calls
shift
op=$1
shift
case $op in
get) for what; do case $what in
  power) echo "power:$(cat power)" ;;
  boot) echo "boot:$(cat boot)" ;;
  *) echo "$what:0" ;;
  esac; done ;;
set) while [ $# -gt 1 ]; do case $1 in
  power) echo "$2" >power ;;
  boot) echo "$2" >boot ;;
  shutdown) echo 0 >power ;;
  esac; shift 2; done ;;
esac
exit 0
"""

LAN = """name "bm"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 {port}
    priv_limit admin
    allowed_auths_callback md5
    allowed_auths_user md5
    allowed_auths_operator md5
    allowed_auths_admin md5
    guid a123456789abcdefa123456789abcdef
  endlan
  chassis_control "{directory}/chassis.sh 0x20"
  user 1 false "" "" user 10 none md2 md5 straight
  user 2 true "admin" "secret" admin 10 none md2 md5 straight
"""

EMU = "mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr\nsel_enable 0x20 1000 0x0a\nmc_enable 0x20\n"


def users_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(line.split()[1:] for line in file if line.startswith("Uid:"))


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(what, expected, look, seconds=30):
    end = time.monotonic() + seconds
    while look() != expected:
        if time.monotonic() > end:
            same(what, expected, look())
        time.sleep(0.1)


def power_of(c, name):
    node = c.node(name)
    return node["power_state"], node["target_power_state"]


def switch(c, name, target, expected):
    # While something else is done for the node it is locked; clients ask again.
    until(f"{name}: {target} is accepted", 202, lambda: c.ask("PUT", f"/v1/nodes/{name}/states/power", {"target": target})[0])
    until(f"{name}: {target}", (expected, None), lambda: power_of(c, name))


def create(c, name, driver, info):
    status, node = c.ask("POST", "/v1/nodes", {"driver": driver, "name": name, "driver_info": info})
    same(f"{name} {node}", 201, status)
    c.ask("PUT", f"/v1/nodes/{name}/states/provision", {"target": "manage"})
    return node["uuid"]


def ipmi(c, directory):
    port = free_port(socket.SOCK_DGRAM)
    for name, text in {"chassis.sh": HELPER, "lan.conf": LAN.format(port=port, directory=directory), "bm.emu": EMU, "power": "0\n",
                       "boot": "default\n", "calls": ""}.items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(text)
    os.chmod(os.path.join(directory, "chassis.sh"), 0o755)
    simulator = subprocess.Popen(["ipmi_sim", "-n", "-c", f"{directory}/lan.conf", "-f", f"{directory}/bm.emu", "-s", directory],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    read = lambda name: open(os.path.join(directory, name), encoding="ascii").read().strip()
    try:
        info = {"ipmi_address": "127.0.0.1", "ipmi_port": port, "ipmi_username": "admin", "ipmi_password": "secret"}
        create(c, "i1", "ipmi", info)
        c.wait("i1", "manageable")
        switch(c, "i1", "power on", "power on")
        same("the machine is on", "1", read("power"))
        same("pxe", 204, c.ask("PUT", "/v1/nodes/i1/management/boot_device", {"boot_device": "pxe"})[0])
        same("its boot device", "pxe", read("boot"))
        same("as it tells", (200, "pxe"), (lambda told: (told[0], told[1]["boot_device"]))(
            c.ask("GET", "/v1/nodes/i1/management/boot_device")))
        same("it takes an interrupt, or refuses one in words", True, c.ask("PUT", "/v1/nodes/i1/management/inject_nmi", {})[0] in (204, 500))
        switch(c, "i1", "rebooting", "power on")
        switch(c, "i1", "power off", "power off")
        same("the machine is off", "0", read("power"))
        create(c, "i2", "ipmi", dict(info, ipmi_password="wrong"))
        until("a wrong password", "enroll", lambda: c.node("i2")["target_provision_state"] or c.node("i2")["provision_state"])
        assert "wrong user name or password" in c.node("i2")["last_error"], c.node("i2")["last_error"]
    finally:
        simulator.kill()
        simulator.wait()
    status, told = c.ask("PUT", "/v1/nodes/i1/management/boot_device", {"boot_device": "disk"})
    same("a dead BMC's boot device is not set", 500, status)
    assert "no answer" in told["error_message"], told
    began = time.monotonic()
    create(c, "i3", "ipmi", info)
    until("a dead BMC", "enroll", lambda: c.node("i3")["target_provision_state"] or c.node("i3")["provision_state"])
    assert "no answer" in c.node("i3")["last_error"], c.node("i3")["last_error"]
    print(f"ipmi: a dead BMC is told after {time.monotonic() - began:.1f} s")


def sushy_accepts(bmc):
    """The emulator is one: an independent client reads and switches it."""
    try:
        import sushy  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("SKIPPED: redfish: python3-sushy is not installed; the emulator is taken at its word")
        return
    root = sushy.Sushy(bmc.url + "/redfish/v1/", username="admin", password="secret", verify=False)
    system = root.get_system("/redfish/v1/Systems/1")
    system.reset_system(sushy.RESET_ON)
    same("sushy switches it on", True, bmc.on)
    system.set_system_boot_source(sushy.BOOT_SOURCE_TARGET_PXE, enabled=sushy.BOOT_SOURCE_ENABLED_ONCE)
    same("sushy sets its boot source", "Pxe", bmc.boot["BootSourceOverrideTarget"])
    system.set_system_boot_options(mode=sushy.BOOT_SOURCE_MODE_BIOS)
    same("sushy sets its boot mode", "Legacy", bmc.boot["BootSourceOverrideMode"])
    system.secure_boot.set_enabled(True)
    same("sushy sets Secure Boot", True, bmc.secure)
    same("sushy reads its settings", "Enabled", system.bios.attributes["ProcTurboMode"])
    system.bios.set_attributes({"ProcTurboMode": "Disabled"}, apply_time=sushy.APPLY_TIME_ON_RESET)
    same("sushy changes them for the next start", {"ProcTurboMode": "Disabled"}, bmc.wished)
    system.bios.reset_bios()
    system.reset_system(sushy.RESET_NMI)
    same("sushy sends an interrupt", "Nmi", bmc.resets[-1])
    bmc.on = False
    del root, system
    gc.collect()  # its resources hold each other; at Python's end, when it would end its session, the emulator is gone


def redfish(c):
    sushy_accepts(Bmc())  # one of its own: sushy ends its session when Python forgets it
    bmc = Bmc()
    create(c, "r1", "redfish", {"redfish_address": bmc.url, "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "admin",
                                "redfish_password": "secret"})
    c.wait("r1", "manageable")
    same("one boot from the network", 204, c.ask("PUT", "/v1/nodes/r1/management/boot_device", {"boot_device": "pxe"})[0])
    same("the answer comes after the deed", "Once", bmc.boot["BootSourceOverrideEnabled"])
    switch(c, "r1", "power on", "power on")
    same("it booted from the network", "Pxe", bmc.booted)
    switch(c, "r1", "soft power off", "power off")
    same("it was asked to", "GracefulShutdown", bmc.resets[-1])
    log_ins = [row for row in bmc.history if row[0] == "POST" and row[1].endswith("/Sessions")]
    same(f"one log-in is kept; {bmc.history[-12:]}", (1, 1), (len(log_ins), len(bmc.sessions)))
    bmc.sessions.clear()
    switch(c, "r1", "power on", "power on")
    same("a BMC that forgot it gets another", 1, len(bmc.sessions))
    create(c, "r2", "redfish", {"redfish_address": bmc.url, "redfish_username": "admin", "redfish_password": "wrong"})
    until("a wrong password", "enroll", lambda: c.node("r2")["target_provision_state"] or c.node("r2")["provision_state"])
    assert "bad credentials" in c.node("r2")["last_error"], c.node("r2")["last_error"]


def bios_settings(c):
    """As steps of a cleaning: the ramdisk boots, is restarted for them, and boots again."""
    ramdisks = []

    def machine_is(on, where):
        for agent in ramdisks:
            agent.off.set()
        if on and where == "Pxe":
            ramdisks.append(Machine(c.url, "52:54:00:00:00:41").boot())

    bmc = Bmc(switched=machine_is)
    node = create(c, "r4", "redfish", {"redfish_address": bmc.url, "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "admin",
                                       "redfish_password": "secret"})
    c.ask("POST", "/v1/ports", {"address": "52:54:00:00:00:41", "node_uuid": node})
    c.wait("r4", "manageable")

    def cleaned(state, *settings):
        steps = [{"interface": "bios", "step": "apply_configuration", "args": {"settings": [
            {"name": name, "value": value} for name, value in settings]}} if settings else {"interface": "bios", "step": "factory_reset"}]
        same("accepted", 202, c.ask("PUT", "/v1/nodes/r4/states/provision", {"target": "clean", "clean_steps": steps})[0])
        until(f"{settings}", state, lambda: c.node("r4")["provision_state"], 60)
        return c.node("r4")["last_error"]

    same("changed", None, cleaned("manageable", ("ProcTurboMode", "Disabled")))
    same("its BIOS", "Disabled", bmc.bios["ProcTurboMode"])
    same("as it is shown", "Disabled", c.ask("GET", "/v1/nodes/r4/bios/ProcTurboMode")[1]["ProcTurboMode"]["value"])
    same("two ramdisks", 2, len(ramdisks))
    same("reset", None, cleaned("manageable"))
    same("its BIOS", "Enabled", bmc.bios["ProcTurboMode"])
    assert "Fans is read-only" in cleaned("clean failed", ("Fans", 4)), c.node("r4")["last_error"]
    c.ask("PUT", "/v1/nodes/r4/states/provision", {"target": "manage"})
    c.wait("r4", "manageable")
    assert "has no setting Frob" in cleaned("clean failed", ("Frob", 4)), c.node("r4")["last_error"]


def qemu(c):
    if not shutil.which("qemu-system-x86_64"):
        print("SKIPPED: qemu: there is no qemu-system-x86_64")
        return
    status, node = c.ask("POST", "/v1/nodes", {"driver": "qemu", "name": "q1", "driver_info": {
        "qemu_disk": os.path.join(c.directory, "q1.qcow2") + ":64M", "qemu_memory": "64"}})
    same(f"{node}", 201, status)
    c.ask("POST", "/v1/ports", {"address": "52:54:00:00:00:51", "node_uuid": node["uuid"]})
    c.ask("PUT", "/v1/nodes/q1/states/provision", {"target": "manage"})
    c.wait("q1", "manageable")
    switch(c, "q1", "power on", "power on")
    home = os.path.join(c.directory, "qemu", node["uuid"])
    with open(os.path.join(home, "pid"), encoding="ascii") as file:
        pid = int(file.read())
    if os.geteuid() == 0:
        same("whose QEMU and conductor are", 1, len({users_of(pid)[0], users_of(c.process.pid)[0]} - {"0"}))
    c.kill()
    c.start()
    assert os.path.exists(f"/proc/{pid}"), "the machine went with the conductor"
    switch(c, "q1", "power off", "power off")
    until("QEMU has ended", False, lambda: os.path.exists(f"/proc/{pid}"))


def secrets_stay_secret(c):
    with open(os.path.join(c.directory, "serve.log"), encoding="utf-8", errors="replace") as file:
        log = file.read()
    for secret in ("secret", "wrong"):
        assert secret not in log.replace("wrong user", ""), "a password stands in the log"
    assert "secret" not in c.run("node", "events"), "a password stands in the events"


def main():
    directory = tempfile.mkdtemp(prefix="hearth-bmc-")
    with Conductor(sys.argv[1], "--power-sync-interval", "0") as c:
        if shutil.which("ipmi_sim") and shutil.which("ipmitool"):
            ipmi(c, directory)
        else:
            print("SKIPPED: ipmi: there is no ipmi_sim or ipmitool (openipmi, ipmitool)")
        redfish(c)
        bios_settings(c)
        secrets_stay_secret(c)
        qemu(c)
    shutil.rmtree(directory, ignore_errors=True)
    print("ok")


main()
