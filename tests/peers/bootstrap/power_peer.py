#!/usr/bin/python3
"""Power by real management: OpenIPMI's simulator of a BMC, a Redfish service, a machine of QEMU. usage: power_peer.py HEARTH"""

import functools
import gc
import hashlib
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from agent import Machine
from conductor import Conductor, same
from ipmi_simulator import Simulator
from redfish_emulator import Bmc

def users_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(line.split()[1:] for line in file if line.startswith("Uid:"))


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


def from_elsewhere(c, simulator):
    """What the page does: reads it and types to it over REST, one at a time, whoever may operate."""
    at, mine = "/v1/hearth/consoles/i1", {"keyboard": "0123456789abcdef"}
    end = c.ask("GET", at)[1]["end"]
    same("taken", 204, c.ask("PUT", at, mine)[0])
    status, told = c.ask("PUT", at, {"keyboard": "another-one-of-16"})
    assert status == 409 and "types at it: one at a time" in told["error_message"], told
    same("typed", 204, c.ask("PUT", at, dict(mine, text="uptime\r"))[0])
    heard = b""
    while not heard.endswith(b"uptime\r"):
        heard += os.read(simulator.serial, 100)
    os.write(simulator.serial, b"up 3 days")
    until("what it answers", True, lambda: "up 3 days" in c.ask("GET", f"{at}?from={end}&keyboard={mine['keyboard']}")[1]["text"])
    same("given back", 204, c.ask("DELETE", f"{at}?keyboard={mine['keyboard']}")[0])
    same("no more", 409, c.ask("PUT", at, dict(mine, text="x"))[0])
    events = json.dumps(c.ask("GET", "/v1/hearth/events?limit=10000")[1])
    assert "uptime" not in events and "types at its console" in events, events


def packed_console(c, name):
    """What an incident of the node has of its console; empty where it has none."""
    file = os.path.join(c.directory, f"{name}.incident.tar.zst")
    c.run("incident", name, "--output", file)
    done = subprocess.run(["tar", "--zstd", "-xOf", file, "console.log"], capture_output=True, text=True, timeout=30, check=False)
    os.unlink(file)
    assert done.returncode == 0 or "Not found in archive" in done.stderr, done
    return done.stdout


def console(c, simulator):
    """The machine's serial port by its BMC, for who may be at the socket; after the conductor and the session have ended, again."""
    def says(reader, what):
        heard = b""
        while what not in heard:
            heard += reader.recv(4096)
        return heard

    refused = "Driver ipmi does not support console (disabled or not implemented)."
    assert refused in c.field("baremetal", "node", "console", "enable", "i1", code=1)
    c.field("baremetal", "node", "set", "i1", "--console-interface", "ipmitool-socat")
    c.field("baremetal", "node", "console", "enable", "i1")
    place = c.ask("GET", "/v1/nodes/i1/states/console")[1]["console_info"]["url"].removeprefix("unix://")
    until("its socket", True, lambda: os.path.exists(place))
    same("who may reach it", (0o600, os.stat(c.directory).st_uid), (os.stat(place).st_mode & 0o777, os.stat(place).st_uid))
    with socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX) as other:
        for reader in (one, other):
            reader.settimeout(30)
        one.connect(place)
        says(one, b"operational")
        os.write(simulator.serial, b"login: ")
        says(one, b"login: ")
        one.sendall(b"root\r~.")  # ipmitool's own word for leaving, which is none here
        heard = b""
        while not heard.endswith(b"~."):
            heard += os.read(simulator.serial, 100)
        same("what the machine hears", b"root\r~.", heard)
        other.connect(place)
        assert b"login: " in says(other, b"login: "), "who comes later sees what was"
        os.write(simulator.serial, b"welcome")
        for reader in (one, other):
            says(reader, b"welcome")
        text = packed_console(c, "i1")
        assert text.endswith("login: welcome"), f"an incident has what was said before anybody asked by REST: {text!r}"
        from_elsewhere(c, simulator)
        ends = [pid for pid in os.listdir("/proc") if pid.isdigit() and is_session(pid, simulator.port)]
        same("sessions", 1, len(ends))
        at, mine = "/v1/hearth/consoles/i1", {"keyboard": "0123456789abcdef"}
        same("taken", 204, c.ask("PUT", at, mine)[0])
        os.kill(int(ends[0]), signal.SIGKILL)
        says(one, b"the BMC has ended the session")
        for what in (dict(mine, text="lost\r"), {"keyboard": "another-one-of-16"}):
            status, told = c.ask("PUT", at, what)
            assert status == 409, (what, status, told)
        assert "session is down" in c.ask("PUT", at, dict(mine, text="lost\r"))[1]["error_message"]
        same("given back", 204, c.ask("DELETE", f"{at}?keyboard={mine['keyboard']}")[0])
        says(one, b"operational")
    status = c.run("node", "set", "i1", "--driver-info", "ipmi_priv_level=ADMINISTRATOR")
    same("anew with other words", "Changed node i1\n", status)
    until("sessions", 1, lambda: len([pid for pid in os.listdir("/proc") if pid.isdigit() and is_session(pid, simulator.port)]))
    c.field("baremetal", "node", "console", "disable", "i1")
    until("its socket is gone", False, lambda: os.path.exists(place))
    same("no session is left", 0, len([pid for pid in os.listdir("/proc") if pid.isdigit() and is_session(pid, simulator.port)]))
    shown = subprocess.run([c.hearth, "node", "console", "i1", "--state", c.directory], capture_output=True, text=True, timeout=30, check=False)
    assert shown.returncode == 1 and "is off" in shown.stderr and "--enable" in shown.stderr, shown
    same("of one that is off an incident has nothing", "", packed_console(c, "i1"))


def is_session(pid, port):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().split(b"\0")
    except OSError:
        return False
    return words[0].endswith(b"ipmitool") and b"activate" in words and str(port).encode() in words


def ipmi(c, directory):
    simulator = Simulator(directory)
    read = simulator.read
    try:
        info = {"ipmi_address": "127.0.0.1", "ipmi_port": simulator.port, "ipmi_username": "admin", "ipmi_password": "secret"}
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
        console(c, simulator)
        create(c, "i2", "ipmi", dict(info, ipmi_password="wrong"))
        until("a wrong password", "enroll", lambda: c.node("i2")["target_provision_state"] or c.node("i2")["provision_state"])
        assert "wrong user name or password" in c.node("i2")["last_error"], c.node("i2")["last_error"]
    finally:
        simulator.end()
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
    raid = system.storage.get_members()[0]
    volumes = raid.volumes
    same("sushy knows when", [sushy.APPLY_TIME_ON_RESET], list(volumes.operation_apply_time_support.mapped_supported_values))
    drives = [{"@odata.id": f"/redfish/v1/Systems/1/Storage/C1/Drives/d{i}"} for i in (0, 1)]
    monitor = volumes.create({"RAIDType": "RAID1", "CapacityBytes": 1 << 30, "Links": {"Drives": drives}}, apply_time=sushy.APPLY_TIME_ON_RESET)
    same("sushy waits for the next start", True, monitor.check_is_processing)
    system.reset_system(sushy.RESET_FORCE_RESTART)
    same("the task has ended", (False, sushy.TASK_STATE_COMPLETED), (monitor.check_is_processing, monitor.get_task().task_state))
    volumes.refresh(force=True)
    same("sushy reads the volume", [sushy.RAIDType.RAID1], [volume.raid_type for volume in volumes.get_members()])
    monitor = volumes.get_members()[0].delete(apply_time=sushy.APPLY_TIME_ON_RESET)
    system.reset_system(sushy.RESET_FORCE_RESTART)
    same("sushy deletes it", ({}, False), (bmc.volumes, monitor.check_is_processing))
    monitor = root.get_update_service().simple_update("http://127.0.0.1:9/x")
    while monitor.check_is_processing:
        pass
    same("sushy is told why firmware is not taken", True, "can't be had" in monitor.get_task().messages[0].message)
    bmc.on = False
    del root, system, raid, volumes, monitor
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


def ramdisk_of(c, name, mac, **more):
    """A machine whose ramdisk boots as often as it is started from the network: its BMC, and the ramdisks."""
    ramdisks = []

    def machine_is(on, where):
        for agent in ramdisks:
            agent.off.set()
        if on and where == "Pxe":
            ramdisks.append(Machine(c.url, mac, went_off=lambda: setattr(bmc, "on", False)).boot())

    bmc = Bmc(switched=machine_is)
    node = create(c, name, "redfish", {"redfish_address": bmc.url, "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "admin",
                                       "redfish_password": "secret", **more})
    c.ask("POST", "/v1/ports", {"address": mac, "node_uuid": node})
    c.wait(name, "manageable")
    return bmc, ramdisks


def clean(c, name, state, *steps):
    if c.node(name)["provision_state"] == "clean failed":
        c.ask("PUT", f"/v1/nodes/{name}/states/provision", {"target": "manage"})
        c.wait(name, "manageable")
    same("accepted", 202, c.ask("PUT", f"/v1/nodes/{name}/states/provision", {"target": "clean", "clean_steps": list(steps)})[0])
    end = time.monotonic() + 90
    while (now := c.node(name))["provision_state"] not in ("manageable", "clean failed") and time.monotonic() < end:
        time.sleep(0.1)
    same(f"{steps}: {now['last_error']}", state, now["provision_state"])
    return now["last_error"]


def raid(c):
    """Volumes at the machine's next start, and at once; what goes wrong is told in the BMC's words."""
    bmc, ramdisks = ramdisk_of(c, "r5", "52:54:00:00:00:42")
    target = {"logical_disks": [{"raid_level": "1", "size_gb": 50, "is_root_volume": True, "volume_name": "root"},
                                {"raid_level": "0", "size_gb": 90}]}
    same("a target", 204, c.ask("PUT", "/v1/nodes/r5/states/raid", target)[0])
    create_step = {"interface": "raid", "step": "create_configuration"}
    same("made", None, clean(c, "r5", "manageable", create_step))
    same("its volumes", [("RAID1", "root", 2, 50 << 30), ("RAID0", "v2", 1, 90 << 30)],
         [(v["RAIDType"], v["Name"], len(v["Links"]["Drives"]), v["CapacityBytes"]) for v in bmc.volumes.values()])
    same("one at each start, as its controller wants it", 3, len(ramdisks))
    node = c.node("r5")
    same("as they are shown", [("v1", "1", 50, True), ("v2", "0", 90, None)],
         [(d["id"], d["raid_level"], d["size_gb"], d.get("is_root_volume")) for d in node["raid_config"]["logical_disks"]])
    same("its root device", {"wwn": "0x6000000000000001"}, node["properties"]["root_device"])
    assert "failed to find matching physical disks" in clean(c, "r5", "clean failed", create_step), "drives are used twice"
    bmc.raid_time = "Immediate"
    started = len(ramdisks)
    same("anew", None, clean(c, "r5", "manageable", dict(create_step, args={"delete_existing": True})))
    same("at once: one ramdisk, four orders", (1, ["v3", "v4"]), (len(ramdisks) - started, list(bmc.volumes)))
    bmc.raid_time = "OnReset"
    same("deleted", None, clean(c, "r5", "manageable", {"interface": "raid", "step": "delete_configuration"}))
    same("none is left", ({}, []), (bmc.volumes, c.node("r5")["raid_config"]["logical_disks"]))
    target["logical_disks"] = [{"raid_level": "5", "size_gb": 199}]  # which its drives have, and the controller wants some for itself
    c.ask("PUT", "/v1/nodes/r5/states/raid", target)
    assert "too big for its drives" in clean(c, "r5", "clean failed", create_step), c.node("r5")["last_error"]


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def firmware(c, directory):
    """Fetched by the BMC from the address that was named."""
    bmc, ramdisks = ramdisk_of(c, "r6", "52:54:00:00:00:43")
    files = {"bios": {"part": "bios", "version": "2.0"}, "bmc": {"part": "bmc", "version": "2.0"}, "odd": {"part": "fan", "version": "1"}}
    for name, image in files.items():
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            json.dump(image, file)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietFiles, directory=directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"

    def update(*parts):
        return {"interface": "firmware", "step": "update", "args": {"settings": [{"component": p, "url": url + f} for p, f in parts]}}

    def listed():
        rows = c.ask("GET", "/v1/nodes/r6/firmware", version="1.86")[1]["firmware"]
        return {row["component"]: (row["initial_version"], row["current_version"], row["last_version_flashed"]) for row in rows}

    same("as it came", {part: ("1.0", "1.0", None) for part in ("bios", "bmc", "nic:S1")}, listed())
    same("brought", None, clean(c, "r6", "manageable", update(("bmc", "bmc"), ("bios", "bios"))))
    same("what it has", {"bios": "2.0", "bmc": "2.0", "nic": "1.0"}, bmc.versions)
    same("as it is listed", {"bios": ("1.0", "2.0", "2.0"), "bmc": ("1.0", "2.0", "2.0"), "nic:S1": ("1.0", "1.0", None)}, listed())
    same("the BIOS takes it at a start", 2, len(ramdisks))
    assert "for no part of this machine" in clean(c, "r6", "clean failed", update(("bios", "odd"))), c.node("r6")["last_error"]
    assert "can't be had" in clean(c, "r6", "clean failed", update(("bios", "missing"))), c.node("r6")["last_error"]
    assert "shows no firmware of nic:S2" in clean(c, "r6", "clean failed", update(("nic:S2", "bios"))), c.node("r6")["last_error"]
    image = {"url": url + "bios", "checksum": "0" * 64}
    step = {"interface": "management", "step": "update_firmware", "args": {"firmware_images": [image]}}
    assert "checksums do not match" in clean(c, "r6", "clean failed", step), c.node("r6")["last_error"]
    with open(os.path.join(directory, "bios"), "rb") as file:
        image["checksum"] = hashlib.sha256(file.read()).hexdigest()
    same("the file that it is to be", None, clean(c, "r6", "manageable", step))
    server.shutdown()


def bmc_goes_silent(c):
    """In the middle of a step: the node fails with the BMC's name, and is free for the next try."""
    bmc, _ = ramdisk_of(c, "r7", "52:54:00:00:00:44", redfish_timeout="2")
    same("accepted", 202, c.ask("PUT", "/v1/nodes/r7/states/provision", {"target": "clean", "clean_steps": [
        {"interface": "bios", "step": "factory_reset"}]})[0])
    until("it is told", True, lambda: any(row[1].endswith("ResetBios") for row in bmc.history), 60)
    bmc.hangs = True
    until("it fails", "clean failed", lambda: c.node("r7")["provision_state"], 120)
    assert bmc.url in c.node("r7")["last_error"] and "tried 4 times" in c.node("r7")["last_error"], c.node("r7")["last_error"]
    bmc.hangs = False
    same("the next time", None, clean(c, "r7", "manageable", {"interface": "bios", "step": "factory_reset"}))


def bios_settings(c):
    """As steps of a cleaning: the ramdisk boots, is restarted for them, and boots again."""
    bmc, ramdisks = ramdisk_of(c, "r4", "52:54:00:00:00:41")

    def cleaned(state, *settings):
        return clean(c, "r4", state, {"interface": "bios", "step": "apply_configuration", "args": {"settings": [
            {"name": name, "value": value} for name, value in settings]}} if settings else {"interface": "bios", "step": "factory_reset"})

    same("changed", None, cleaned("manageable", ("ProcTurboMode", "Disabled")))
    same("its BIOS", "Disabled", bmc.bios["ProcTurboMode"])
    same("as it is shown", "Disabled", c.ask("GET", "/v1/nodes/r4/bios/ProcTurboMode")[1]["ProcTurboMode"]["value"])
    same("two ramdisks", 2, len(ramdisks))
    same("reset", None, cleaned("manageable"))
    same("its BIOS", "Enabled", bmc.bios["ProcTurboMode"])
    assert "Fans is read-only" in cleaned("clean failed", ("Fans", 4)), c.node("r4")["last_error"]
    assert "has no setting Frob" in cleaned("clean failed", ("Frob", 4)), c.node("r4")["last_error"]


def boot_disk(directory):
    """Its boot sector says on the serial port, for each byte that comes there, the next one: what is typed has been there."""
    code = bytes.fromhex("bafd03" "ec" "a801" "74fb" "baf803" "ec" "0401" "ee" "ebef")
    path = os.path.join(directory, "boot.raw")
    with open(path, "wb") as file:
        file.write(code.ljust(510, b"\0") + b"\x55\xaa" + bytes(1 << 20))
    os.chmod(path, 0o666)
    return path


def qemu(c):
    if not shutil.which("qemu-system-x86_64"):
        print("SKIPPED: qemu: there is no qemu-system-x86_64")
        return
    status, node = c.ask("POST", "/v1/nodes", {"driver": "qemu", "name": "q1", "driver_info": {
        "qemu_disk": boot_disk(c.directory) + "," + os.path.join(c.directory, "q1.qcow2") + ":64M", "qemu_memory": "64"}})
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
    at, mine = "/v1/hearth/consoles/q1", {"keyboard": "0123456789abcdef"}
    same("its keyboard is taken", 204, c.ask("PUT", at, mine)[0])
    same("typed", 204, c.ask("PUT", at, dict(mine, text="GD"))[0])
    until("what the machine makes of it", True, lambda: c.ask("GET", at)[1].get("text", "").endswith("HE"))
    same("given back", 204, c.ask("DELETE", f"{at}?keyboard={mine['keyboard']}")[0])
    time.sleep(1)  # until the conductor has left it
    with socket.socket(socket.AF_UNIX) as other:  # as hearth rehearse --console has it
        other.connect(os.path.join(home, "console"))
        other.sendall(b"K")
        until("another's key", True, lambda: c.ask("GET", at)[1]["text"].endswith("HEL"))
        status, told = c.ask("PUT", at, mine)
        assert status == 409 and "another program has its console" in told["error_message"], told
        same("not typed", 409, c.ask("PUT", at, dict(mine, text="GD"))[0])
    until("its keyboard is free", 204, lambda: c.ask("PUT", at, mine)[0])
    same("typed", 204, c.ask("PUT", at, dict(mine, text="M"))[0])
    until("nothing of what was refused", True, lambda: c.ask("GET", at)[1]["text"].endswith("HELN"))
    text = packed_console(c, "q1")
    assert text.endswith("HELN"), f"an incident has what a machine in QEMU said: {text!r}"
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
        if Simulator.is_there():
            ipmi(c, directory)
        else:
            print("SKIPPED: ipmi: there is no ipmi_sim or ipmitool (openipmi, ipmitool)")
        redfish(c)
        bios_settings(c)
        raid(c)
        firmware(c, directory)
        bmc_goes_silent(c)
        secrets_stay_secret(c)
        qemu(c)
    shutil.rmtree(directory, ignore_errors=True)
    print("ok")


main()
