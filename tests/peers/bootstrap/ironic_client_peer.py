#!/usr/bin/python3
"""Debian's own openstack client drives the conductor. usage: ironic_client_peer.py HEARTH"""

import json
import os
import pwd
import shutil
import subprocess
import sys

import client_commands
from agent import Machine
from conductor import Conductor, masked, need, same

MAC = "52:54:00:00:00:01"


def columns(text):
    return [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")]


def enrol(c):
    made = json.loads(c.field("baremetal", "node", "create", "--driver", "fake-hardware", "--name", "web1", "--property", "cpus=4",
                              "--driver-info", "ipmi_password=secret", "-f", "json"))
    same("a new node", ("enroll", "web1", {"cpus": 4}), (made["provision_state"], made["name"], made["properties"]))
    same("secrets are masked", "******", made["driver_info"]["ipmi_password"])
    port = json.loads(c.field("baremetal", "port", "create", MAC, "--node", made["uuid"], "-f", "json"))
    same("its port", MAC, port["address"])
    assert MAC in c.field("baremetal", "port", "list", "--node", "web1")
    assert MAC in c.field("baremetal", "port", "list", "--long")
    c.field("baremetal", "node", "set", "web1", "--instance-info", "image_source=http://192.0.2.1/i.raw", "--instance-info",
            "image_os_hash_algo=sha256", "--instance-info", "image_os_hash_value=00", "--resource-class", "gold",
            "--property", "capabilities=boot_mode:uefi", "--extra", "a=b")
    c.field("baremetal", "node", "unset", "web1", "--extra", "a")
    shown = json.loads(c.field("baremetal", "node", "show", "web1", "-f", "json"))
    same("set and unset", ("gold", {}), (shown["resource_class"], shown["extra"]))
    return made["uuid"]


def read_only(c):
    assert "Supported driver(s)" in c.field("baremetal", "driver", "list")
    assert "fake-hardware" in c.field("baremetal", "driver", "show", "fake-hardware")
    assert "Hostname" in c.field("baremetal", "conductor", "list")
    assert "power" in columns(c.field("baremetal", "node", "validate", "web1"))
    assert "pxe" in c.field("baremetal", "node", "boot", "device", "show", "--supported", "web1")
    assert len(columns(c.field("baremetal", "node", "list", "--long"))) == 2
    assert "web1" in c.field("baremetal", "node", "list", "--fields", "name", "driver")
    c.field("baremetal", "node", "add", "trait", "web1", "CUSTOM_A")
    assert "CUSTOM_A" in c.field("baremetal", "node", "trait", "list", "web1")


def refusals(c, uuid):
    text = c.field("baremetal", "node", "deploy", "web1", code=1)
    same("a verb in the wrong state", f'The requested action "deploy" can not be performed on node "{uuid}" while it is in '
         'state "enroll". (HTTP 400)', text.strip())
    assert "could not be found. (HTTP 404)" in c.field("baremetal", "node", "show", "nobody", code=1)
    assert "Expected valid MAC address for address: zz (HTTP 400)" in c.field("baremetal", "port", "create", "zz", "--node", uuid,
                                                                              code=1)


def by_the_socket(c):
    """Our own commands need no token on this machine: the kernel says who they are."""
    token = os.path.join(c.directory, "api-token")
    os.rename(token, token + ".away")
    try:
        assert "web1" in c.run("node", "list"), "no token, no list"
        c.run("node", "maintenance", "set", "web1", "--reason", "fan")
        assert pwd.getpwuid(os.geteuid()).pw_name in c.run("node", "events", "--json"), "who it was is not told"
        c.run("node", "maintenance", "unset", "web1")
        if os.geteuid() == 0:
            other = ["setpriv", "--reuid=65534", "--clear-groups", "curl", "-s", "--unix-socket", os.path.join(c.directory, "api.socket")]
            same("another user can't connect", 7, subprocess.run([*other, "http://localhost/v1/nodes"], check=False).returncode)
    finally:
        os.rename(token + ".away", token)


def through_the_states(c):
    c.field("baremetal", "node", "manage", "web1", "--wait", "20")
    c.field("baremetal", "node", "provide", "web1", "--wait", "20")
    same("our table is the client's", c.field("baremetal", "node", "list"), c.run("node", "list"))
    c.field("baremetal", "node", "power", "on", "web1")
    c.field("baremetal", "node", "reboot", "web1")
    c.field("baremetal", "node", "power", "off", "web1")
    c.field("baremetal", "node", "maintenance", "set", "web1", "--reason", "fan")
    same("maintenance", "fan", c.node("web1")["maintenance_reason"])
    c.field("baremetal", "node", "maintenance", "unset", "web1")
    c.field("baremetal", "node", "boot", "device", "set", "web1", "pxe", "--persistent")
    machine = Machine(c.url, MAC, write_time=1).boot()
    text = c.field("baremetal", "node", "deploy", "web1", "--config-drive", '{"user_data": "#!/bin/sh %s"}' % ("x" * 300), "--wait", "90")
    assert "Waiting for provision state active on node" in text, text
    same("written once", 1, machine.writes)
    same("orders", ["deploy.get_deploy_steps", "deploy.execute_deploy_step", "image.install_bootloader", "standby.power_off"],
         machine.told)
    assert machine.image["configdrive"].startswith("H4s")
    table = masked(c.field("baremetal", "node", "list"))
    assert "| power on    | active             | False       |" in table, table
    c.field("baremetal", "node", "undeploy", "web1", "--wait", "30")
    same("as it was", "available", c.node("web1")["provision_state"])


def failure(c):
    c.field("baremetal", "node", "set", "web1", "--instance-info", "image_source=http://192.0.2.1/i.raw", "--instance-info",
            "image_os_hash_algo=sha256", "--instance-info", "image_os_hash_value=00")
    Machine(c.url, MAC, fails="write_image").boot()
    text = c.field("baremetal", "node", "deploy", "web1", "--wait", "60", code=1)
    assert "It's in state deploy failed, and has error: Agent returned error" in text, text
    c.field("baremetal", "node", "undeploy", "web1", "--wait", "30")
    c.field("baremetal", "node", "delete", "web1")
    same("an empty list", "", c.field("baremetal", "node", "list").strip())


def main():
    need(shutil.which("openstack"), "there is no openstack client (python3-openstackclient, python3-ironicclient)")
    with Conductor(sys.argv[1], "--poll-interval", "1") as c:
        uuid = enrol(c)
        read_only(c)
        refusals(c, uuid)
        by_the_socket(c)
        through_the_states(c)
        failure(c)
        client_commands.run(c)
        client_commands.every_command(c)
    print("ok")


main()
