#!/usr/bin/python3
"""What machines get from the conductor's boot servers, state by state. usage: boot_peer.py HEARTH

Runs in a network namespace of its own, asks with curl as iPXE would.
"""

import json
import os
import pwd
import shutil
import subprocess
import sys
import time

from conductor import Conductor, need, same, site

MAC = "52:54:00:00:00:01"


def curl(path):
    done = subprocess.run(["curl", "-s", "--noproxy", "*", "--max-time", "10", f"http://192.0.2.1{path}"], capture_output=True, check=False)
    return done.stdout.decode(errors="replace")


def second_seed(hearth, directory):
    """Another seed on the same network says so, and does not start."""
    state = os.path.join(directory, "second")
    os.mkdir(state)
    path = os.path.join(state, "site.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"interfaces": ["machine0"], "state_dir": state, "http_port": 8080, "networks": [
            {"subnet": "192.0.2.0/24", "server": "192.0.2.2", "pools": ["192.0.2.200-192.0.2.220"]}]}, file)
    done = subprocess.run([hearth, "node", "serve", "--state", state, "--port", "6386", "--agents", "192.0.2.2", "--boot", path],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "192.0.2.1" in done.stderr, f"exit {done.returncode}: {done.stderr}"


def no_rights_are_left(pid):
    """In no thread, now that the ports are open."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as file:
            status = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
        for name in ("CapEff", "CapPrm", "CapAmb"):
            same(f"{name} of thread {thread} ({status['Name']})", 0, int(status[name], 16))
        same(f"thread {thread} gets no new ones", "1", status["NoNewPrivs"])


def another_user_serves(hearth, directory):
    """It goes on with the same state, and answers machines as before."""
    with Conductor(hearth, "--boot", site(directory), "--boot-force", "--user", "nobody", "--port", "6385", directory=directory) as c:
        same("the node is there still", "available", c.node("m1")["provision_state"])
        with open(f"/proc/{c.process.pid}/status", encoding="ascii") as file:
            users = next(line.split()[1:] for line in file if line.startswith("Uid:"))
        same("who serves", [str(pwd.getpwnam("nobody").pw_uid)] * 4, users)
        no_rights_are_left(c.process.pid)
        for verb, state in (("manage", "manageable"), ("inspect", "inspect wait")):
            c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": verb})
            c.wait("m1", state)
        assert "ipa-api-url=http://192.0.2.1:" in curl(f"/ipxe/{MAC}")


def inside(hearth):
    for words in ("link set lo up", "link add seed0 type veth peer name machine0", "addr add 192.0.2.1/24 dev seed0",
                  "link set seed0 up", "link set machine0 up", "addr add 192.0.2.2/32 dev machine0"):
        subprocess.run(["ip", *words.split()], check=True)
    directory = subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip()
    for name in ("kernel", "ramdisk"):
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(f"the {name}\n")
    with Conductor(hearth, "--boot", site(directory), "--boot-force", "--port", "6385", directory=directory) as c:
        node = c.ask("POST", "/v1/nodes", {"driver": "manual-management", "name": "m1", "driver_info": {
            "deploy_kernel": f"{directory}/kernel", "deploy_ramdisk": f"{directory}/ramdisk"}, "instance_info": {
                "image_source": "http://192.0.2.1/i.raw", "image_checksum": "x"}})[1]
        c.ask("POST", "/v1/ports", {"address": MAC, "node_uuid": node["uuid"]})
        for verb, state in (("manage", "manageable"), ("provide", "available")):
            c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": verb})
            c.wait("m1", state)
        second_seed(hearth, directory)
        local = curl(f"/ipxe/{MAC}")
        assert "kernel " not in local, f"an available machine is to boot from its disk: {local}"
        c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": "active"})
        c.wait("m1", "wait call-back")
        script = curl(f"/ipxe/{MAC}")
        assert "ipa-api-url=http://192.0.2.1:" in script, script
        same("the kernel", "the kernel\n", curl(f"/image/node/{node['uuid']}/kernel"))
        found = json.loads(curl_api(c, f"/v1/lookup?addresses={MAC}"))
        assert len(found["config"]["agent_token"]) >= 32, found
        same("machines reach nothing else", "Not Found", fault(curl_api(c, "/v1/nodes")))
        c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": "abort"})
        same("and no longer", local, curl(f"/ipxe/{MAC}"))
        no_rights_are_left(c.process.pid)
        c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": "deleted"})
        c.wait("m1", "available")
        c.stop()
        shutil.copytree(directory, directory + ".2")
    another_user_serves(hearth, directory + ".2")
    shutil.rmtree(directory, ignore_errors=True)
    print("ok")


def curl_api(c, path):
    port = 6385
    return curl(f":{port}{path}")


def fault(text):
    return json.loads(json.loads(text)["error_message"])["faultstring"]


def main():
    if len(sys.argv) == 3:
        inside(sys.argv[1])
        return
    need(os.geteuid() == 0, "needs root, for a network namespace and packet sockets")
    need(shutil.which("curl") and shutil.which("ip"), "needs curl and ip")
    done = subprocess.run(["unshare", "-n", sys.executable, os.path.abspath(__file__), sys.argv[1], "inside"], check=False)
    sys.exit(done.returncode)


main()
