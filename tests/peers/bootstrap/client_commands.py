"""Commands of Debian's openstack client that ironic_client_peer.py's story of one node does not need."""

import importlib.metadata
import json
import os

from conductor import same
from redfish_emulator import Bmc

PORT = "52:54:00:00:00:41"
STEPS = '[{"interface": "bios", "step": "apply_configuration", "args": {}, "priority": 100}]'


def made(c, *words):
    return json.loads(c.field("baremetal", *words, "-f", "json"))


def refused(c, text, *words):
    told = c.field("baremetal", *words, code=1)
    assert text in told, f"{words}: {told}"


def chassis(c):
    uuid = made(c, "chassis", "create", "--description", "rack 1", "--extra", "a=b")["uuid"]
    assert uuid in c.field("baremetal", "chassis", "list")
    assert "rack 1" in c.field("baremetal", "chassis", "list", "--long")
    c.field("baremetal", "chassis", "set", uuid, "--description", "rack 2")
    c.field("baremetal", "chassis", "unset", uuid, "--extra", "a")
    shown = made(c, "chassis", "show", uuid)
    same("a chassis", ("rack 2", {}), (shown["description"], shown["extra"]))
    c.field("baremetal", "node", "set", "all", "--chassis-uuid", uuid)
    assert "all" in c.field("baremetal", "node", "list", "--chassis", uuid)
    refused(c, f"chassis {uuid} contains nodes. (HTTP 400)", "chassis", "delete", uuid)
    c.field("baremetal", "node", "unset", "all", "--chassis-uuid")
    c.field("baremetal", "chassis", "delete", uuid)
    refused(c, f"Chassis {uuid} could not be found. (HTTP 404)", "chassis", "show", uuid)


def ports_and_groups(c, node):
    group = made(c, "port", "group", "create", "--node", node, "--name", "bond0", "--mode", "802.3ad", "--property", "miimon=100")
    same("a port group", ("bond0", "802.3ad"), (group["name"], group["mode"]))
    port = made(c, "port", "create", PORT, "--node", node, "--port-group", group["uuid"], "--physical-network", "p1")
    same("its port", group["uuid"], port["portgroup_uuid"])
    assert PORT in c.field("baremetal", "port", "list", "--port-group", "bond0")
    assert "bond0" in c.field("baremetal", "port", "group", "list", "--node", "all")
    c.field("baremetal", "port", "group", "set", "bond0", "--extra", "a=b", "--unsupport-standalone-ports")
    c.field("baremetal", "port", "group", "unset", "bond0", "--extra", "a", "--property", "miimon")
    shown = made(c, "port", "group", "show", "bond0")
    same("changed", (False, {}, {}), (shown["standalone_ports_supported"], shown["extra"], shown["properties"]))
    refused(c, "contains ports. (HTTP 400)", "port", "group", "delete", "bond0")
    c.field("baremetal", "port", "set", port["uuid"], "--extra", "a=b")
    c.field("baremetal", "port", "unset", port["uuid"], "--extra", "a", "--port-group", "--physical-network")
    same("a port", (None, {}), (lambda p: (p["portgroup_uuid"], p["extra"]))(made(c, "port", "show", port["uuid"])))
    c.field("baremetal", "port", "delete", port["uuid"])
    c.field("baremetal", "port", "group", "delete", "bond0")


def volumes(c, node):
    connector = made(c, "volume", "connector", "create", "--node", node, "--type", "iqn", "--connector-id", "iqn.2026-11.x")["uuid"]
    assert "iqn.2026-11.x" in c.field("baremetal", "volume", "connector", "list", "--node", "all")
    c.field("baremetal", "volume", "connector", "set", connector, "--connector-id", "iqn.2026-11.y", "--extra", "a=b")
    c.field("baremetal", "volume", "connector", "unset", connector, "--extra", "a")
    same("a connector", "iqn.2026-11.y", made(c, "volume", "connector", "show", connector)["connector_id"])
    target = made(c, "volume", "target", "create", "--node", node, "--type", "iscsi", "--boot-index", "0", "--volume-id", "v",
                  "--property", "auth_password=secret")["uuid"]
    assert target in c.field("baremetal", "volume", "target", "list")
    c.field("baremetal", "volume", "target", "set", target, "--volume-id", "w")
    shown = made(c, "volume", "target", "show", target)
    same("a target", ("w", {"auth_password": "******"}), (shown["volume_id"], shown["properties"]))
    c.field("baremetal", "volume", "target", "unset", target, "--property", "auth_password")
    c.field("baremetal", "volume", "target", "delete", target)
    c.field("baremetal", "volume", "connector", "delete", connector)


def templates(c):
    template = made(c, "deploy", "template", "create", "CUSTOM_BIOS", "--steps", STEPS)
    same("a template", 100, template["steps"][0]["priority"])
    assert "CUSTOM_BIOS" in c.field("baremetal", "deploy", "template", "list")
    c.field("baremetal", "deploy", "template", "set", "CUSTOM_BIOS", "--name", "CUSTOM_TWO", "--extra", "a=b")
    c.field("baremetal", "deploy", "template", "unset", "CUSTOM_TWO", "--extra", "a")
    same("changed", {}, made(c, "deploy", "template", "show", "CUSTOM_TWO")["extra"])
    refused(c, "(HTTP 400)", "deploy", "template", "create", "CUSTOM_X", "--steps", "[]")
    c.field("baremetal", "deploy", "template", "delete", "CUSTOM_TWO")


def allocations(c):
    c.field("baremetal", "node", "set", "all", "--resource-class", "gold")
    text = c.field("baremetal", "allocation", "create", "--resource-class", "gold", "--name", "job", "--trait", "CUSTOM_A", "--wait",
                   "10", code=1)
    assert "no suitable nodes have the requested traits CUSTOM_A" in text, text
    c.field("baremetal", "allocation", "delete", "job")
    c.field("baremetal", "node", "add", "trait", "all", "CUSTOM_A")
    c.field("baremetal", "allocation", "create", "--resource-class", "gold", "--name", "job", "--trait", "CUSTOM_A", "--wait", "10")
    shown = made(c, "allocation", "show", "job")
    same("an allocation", ("active", c.node("all")["uuid"]), (shown["state"], shown["node_uuid"]))
    same("its node", shown["uuid"], c.node("all")["instance_uuid"])
    assert "job" in c.field("baremetal", "allocation", "list", "--node", "all")
    c.field("baremetal", "allocation", "set", "job", "--name", "work", "--extra", "a=b")
    c.field("baremetal", "allocation", "unset", "work", "--extra", "a")
    c.field("baremetal", "allocation", "delete", "work")
    same("let go", None, c.node("all")["instance_uuid"])
    c.field("baremetal", "node", "remove", "trait", "all", "CUSTOM_A")


def verbs(c):
    """Each in a state that it is not for: the refusal is the original's; what they do is proven elsewhere."""
    for verb, words in {"abort": (), "adopt": (), "rebuild": (), "unrescue": (), "inspect": (),
                        "rescue": ("--rescue-password", "x"), "clean": ("--clean-steps", "[]")}.items():
        refused(c, f'The requested action "{verb}" can not be performed on node "{c.node("all")["uuid"]}" while it is in state '
                '"available". (HTTP 400)', "node", verb, "all", *words)
    c.field("baremetal", "node", "vif", "attach", "all", "v1")
    c.field("baremetal", "node", "vif", "list", "all")
    c.field("baremetal", "node", "vif", "detach", "all", "v1")
    history = made(c, "node", "history", "list", "all")
    event = c.field("baremetal", "node", "history", "get", "all", str(history[0]["UUID"]))
    assert "event" in event, event


def management(c):
    """What a BMC does beside power: by Redfish as it is, and Ironic's own refusals where there is no such thing."""
    bmc = Bmc()
    made(c, "node", "create", "--driver", "redfish", "--name", "bmc", "--driver-info", f"redfish_address={bmc.url}", "--driver-info",
         "redfish_username=admin", "--driver-info", "redfish_password=secret")
    c.field("baremetal", "node", "manage", "bmc", "--wait", "10")
    assert "ProcTurboMode" in c.field("baremetal", "node", "bios", "setting", "list", "bmc")
    same("a setting", "Enabled", made(c, "node", "bios", "setting", "show", "bmc", "ProcTurboMode")["value"])
    refused(c, "doesn't have a BIOS setting 'None' (HTTP 404)", "node", "bios", "setting", "show", "bmc", "None")
    c.field("baremetal", "node", "secure", "boot", "on", "bmc")
    c.until(lambda: bmc.secure, True)
    c.until(lambda: c.node("bmc")["secure_boot"], True)
    c.field("baremetal", "node", "secure", "boot", "off", "bmc")
    c.until(lambda: c.node("bmc")["secure_boot"], False)
    c.field("baremetal", "node", "boot", "mode", "set", "bmc", "bios")
    c.until(lambda: bmc.boot["BootSourceOverrideMode"], "Legacy")
    c.until(lambda: c.node("bmc")["boot_mode"], "bios")
    c.field("baremetal", "node", "inject", "nmi", "bmc")
    same("an interrupt", "Nmi", bmc.resets[-1])
    c.field("baremetal", "node", "boot", "device", "set", "bmc", "disk", "--persistent")
    same("the BMC has it", ("Hdd", "Continuous"), (bmc.boot["BootSourceOverrideTarget"], bmc.boot["BootSourceOverrideEnabled"]))
    bmc.boot.update(BootSourceOverrideTarget="Cd", BootSourceOverrideEnabled="Once")
    same("what it tells counts", "cdrom", made(c, "node", "boot", "device", "show", "bmc")["boot_device"])
    no_console = "Driver redfish does not support console (disabled or not implemented). (HTTP 400)"
    refused(c, no_console, "node", "console", "enable", "bmc")
    refused(c, no_console, "node", "console", "disable", "bmc")
    assert "False" in c.field("baremetal", "node", "console", "show", "bmc")
    c.field("baremetal", "node", "passthru", "list", "bmc")
    refused(c, "No handler for method x (HTTP 400)", "node", "passthru", "call", "bmc", "x")
    c.field("baremetal", "driver", "passthru", "list", "redfish")
    refused(c, "No handler for method x (HTTP 400)", "driver", "passthru", "call", "redfish", "x")
    assert "is_root_volume" in c.field("baremetal", "driver", "raid", "property", "list", "redfish")
    c.field("baremetal", "node", "set", "bmc", "--target-raid-config", '{"logical_disks": [{"raid_level": "1", "size_gb": 10}]}')
    same("a target for RAID", 10, made(c, "node", "show", "bmc")["target_raid_config"]["logical_disks"][0]["size_gb"])
    refused(c, "RAID config validation error: [] is too short (HTTP 400)", "node", "set", "bmc", "--target-raid-config", '{"logical_disks": []}')
    c.field("baremetal", "node", "unset", "bmc", "--target-raid-config")
    same("no target", {}, c.node("bmc")["target_raid_config"])
    no_raid = "Driver fake-hardware does not support raid (disabled or not implemented). (HTTP 404)"
    refused(c, no_raid, "driver", "raid", "property", "list", "fake-hardware")
    refused(c, no_raid, "node", "set", "all", "--target-raid-config", '{"logical_disks": []}')
    c.field("baremetal", "node", "inject", "nmi", "all")  # fake-hardware takes it, as the original's does
    c.field("baremetal", "node", "boot", "mode", "set", "all", "uefi")
    c.until(lambda: c.node("all")["last_error"], "Failed to change boot mode to 'uefi': Driver fake-hardware does not support "
            "set_boot_mode (disabled or not implemented).")


def create_file(c):
    path = os.path.join(c.directory, "create.json")
    with open(path, "w", encoding="ascii") as file:
        json.dump({"chassis": [{"description": "by file", "nodes": [
            {"name": "filed", "driver": "fake-hardware", "ports": [{"address": "52:54:00:00:00:42"}]}]}]}, file)
    c.field("baremetal", "create", path)
    same("its port", 1, len(c.ask("GET", "/v1/nodes/filed/ports")[1]["ports"]))
    assert c.node("filed")["chassis_uuid"], c.node("filed")


def conductors_and_drivers(c):
    name = made(c, "conductor", "list")[0]["Hostname"]
    same("a conductor", True, made(c, "conductor", "show", name)["alive"])
    assert "redfish_address" in c.field("baremetal", "driver", "property", "list", "redfish")


def run(c):
    node = made(c, "node", "create", "--driver", "fake-hardware", "--name", "all")["uuid"]
    c.field("baremetal", "node", "manage", "all", "--wait", "10")
    c.field("baremetal", "node", "provide", "all", "--wait", "10")
    chassis(c)
    ports_and_groups(c, node)
    volumes(c, node)
    templates(c)
    allocations(c)
    verbs(c)
    management(c)
    conductors_and_drivers(c)
    create_file(c)


def every_command(c):
    """What the installed client can say, by its own table, was said here: a newer client's new command is not passed over."""
    table = {tuple(entry.name.split("_")) for entry in importlib.metadata.entry_points(group="openstack.baremetal.v1")}
    said = {words[:length] for words in c.told for length in range(1, len(words) + 1)}
    never = sorted(" ".join(words) for words in table if words not in said)
    assert len(table) >= 95 and not never, f"of {len(table)} commands these were not tried: {never}"
    print(f"all {len(table)} commands of the client were tried")
