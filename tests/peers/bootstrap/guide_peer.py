#!/usr/bin/python3
"""The field's own guide for three fake_pxe machines, command by command. usage: guide_peer.py HEARTH

Import, configure boot, node list, introspection, deployment with the two steps at the machines; each table is the one that
Debian's openstack client prints of the same conductor.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from agent import Machine, request
from conductor import Conductor, masked, need, same

MACS = ["AA:AA:AA:AA:AA:AA", "BB:BB:BB:BB:BB:BB", "CC:CC:CC:CC:CC:CC"]

RULE = "+" + "+".join("-" * n for n in (38, 6, 15, 13, 20, 13)) + "+\n"
HEAD = "| UUID                                 | Name | Instance UUID | Power State | Provisioning State | Maintenance |\n"


def import_before_anything_runs(hearth, directory):
    """Without a conductor: the commands bring their own."""
    path = os.path.join(directory, "instackenv.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"nodes": [{"mac": [mac], "arch": "x86_64", "pm_type": "fake_pxe"} for mac in MACS]}, file, indent=1)

    def run(*words, code=0):
        done = subprocess.run([hearth, *words, "--state", directory], capture_output=True, text=True, timeout=60)
        same(f"exit code of {words}: {done.stderr}", code, done.returncode)
        return done

    done = run("baremetal", "import", "--json", path)
    same("import prints nothing", "", done.stdout)
    same("configure boot prints nothing", "", run("baremetal", "configure", "boot").stdout)
    table = run("node", "list").stdout
    row = f"| {'U' * 36} | None | None          | power off   | available          | False       |\n"
    same("three nodes, available and off", RULE + HEAD + RULE + row * 3 + RULE, masked(table))
    again = run("node", "import", path)
    same("again it changes nothing", "Nothing changed: 3 nodes are as the file has them.\n", again.stdout)
    refused = run("node", "deploy", "x", code=1)
    assert "hearth node serve" in refused.stderr, refused.stderr
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"nodes": [\n {"pm_type": "fake_pxe", "mac": ["zz"]},\n {"pm_type": "ipmi"}]}')
    faults = run("node", "import", path, code=1).stderr
    assert f"{path}:2:34: node #0: MAC address zz is invalid" in faults, faults
    assert f"{path}:3:14: node #1: The following fields are missing: pm_addr" in faults, faults


def switch_on_when_told(c, stop, booted):
    """The person at the machines: looks at `hearth node todo`, and does it."""
    machines = {}
    while not stop.is_set():
        for row in json.loads(c.run("node", "todo", "--json")):
            node = c.node(row["node"])
            mac = c.ask("GET", f"/v1/nodes/{row['node']}/ports")[1]["ports"][0]["address"]
            if row["action"] == "power-on-network" and (mac, row["since"]) not in booted:
                booted[(mac, row["since"])] = node["provision_state"]
                if node["provision_state"] == "inspect wait":
                    data = {"inventory": {"interfaces": [{"name": "eth0", "mac_address": mac}], "cpu": {"count": 2},
                                          "memory": {"physical_mb": 1024}}}
                    while request(c.url + "/v1/continue_inspection", "POST", data)[0] == 0 and not stop.is_set():
                        time.sleep(0.2)  # a busy machine has not answered in time
                else:
                    machines[mac] = Machine(c.url, mac, write_time=0.5).boot()
            elif row["action"] == "power-off":
                # Not by the command: what is to be done may be another thing by now.
                c.ask("DELETE", f"/v1/hearth/instructions/{row['node']}?since={urllib.parse.quote(row['since'])}")
        time.sleep(0.2)
    booted["machines"] = machines


def introspect_and_deploy(c):
    stop, booted = threading.Event(), {}
    person = threading.Thread(target=switch_on_when_told, args=(c, stop, booted))
    person.start()
    try:
        text = c.run("baremetal", "introspection", "bulk", "start")
        lines = masked(text).splitlines()
        same("what bulk start prints", "Setting nodes for introspection to manageable...", lines[0])
        same("for each node", 3, lines.count(f"Starting introspection of node: {'U' * 36}"))
        same("and ends with", "Introspection completed.", lines[-1])
        status = c.run("baremetal", "introspection", "bulk", "status")
        same("bulk status", 3, status.count("| True     | None  |"))
        for node in c.ask("GET", "/v1/nodes/detail")[1]["nodes"]:
            same("what was found", 2, node["properties"]["cpus"])
            c.wait(node["uuid"], "available")
        uuids = [node["uuid"] for node in c.ask("GET", "/v1/nodes")[1]["nodes"]]
        c.run("node", "deploy", *uuids, "--image", "http://192.0.2.1/overcloud.raw", "--sha256", "0" * 64)
        for uuid in uuids:
            c.wait(uuid, "active")
    finally:
        stop.set()
        person.join()
    table = c.field("baremetal", "node", "list")
    same("the client's table is ours", table, c.run("node", "list"))
    same("three active nodes", 3, table.count("| power on    | active             | False       |"))
    same("written once each", [1, 1, 1], [machine.writes for machine in booted["machines"].values()])
    todo = c.run("node", "todo")
    same("the second visit to the machines", 3, todo.count("on again: it has switched itself off and boots from its disk now."))


def main():
    need(shutil.which("openstack"), "there is no openstack client (python3-openstackclient, python3-ironicclient)")
    directory = tempfile.mkdtemp(prefix="hearth-guide-")
    import_before_anything_runs(sys.argv[1], directory)
    with Conductor(sys.argv[1], "--poll-interval", "1", directory=directory) as c:
        introspect_and_deploy(c)
        assert "available -> deploying" in c.run("node", "events")
    print("ok")


main()
