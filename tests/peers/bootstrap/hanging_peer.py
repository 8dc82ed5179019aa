#!/usr/bin/python3
"""64 BMCs that take what is asked of them and never answer, and one that does. usage: hanging_peer.py HEARTH

Eight of them speak IPMI, the others Redfish. Runs in a network namespace of its own. In the issue's words: the healthy node is switched in a second (three here: the machine has
other work), and SIGTERM ends the conductor in five, whatever hangs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time

from conductor import Conductor, need, same
from ipmi_simulator import Simulator
from redfish_emulator import Bmc

HANGING = 64
BY_IPMI = 8


def enrolled(c, name, bmc):
    info = {"redfish_address": bmc.url, "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "admin",
            "redfish_password": "secret"} if isinstance(bmc, Bmc) else {
                "ipmi_address": "127.0.0.1", "ipmi_port": bmc.port, "ipmi_username": "admin", "ipmi_password": "secret"}
    status, node = c.ask("POST", "/v1/nodes", {"driver": "redfish" if isinstance(bmc, Bmc) else "ipmi", "name": name, "driver_info": info})
    same(f"{name}: {node}", 201, status)
    same(f"{name} is managed", 202, c.ask("PUT", f"/v1/nodes/{name}/states/provision", {"target": "manage"})[0])


def asked(c, name, target):
    """While the conductor looks at it a node is locked; clients ask again."""
    c.until(lambda: c.ask("PUT", f"/v1/nodes/{name}/states/power", {"target": target})[0], 202)


def asked_by_ipmi(c):
    """So many of the conductor's own ipmitools wait for an answer."""
    children = subprocess.run(["ps", "--ppid", str(c.process.pid), "-o", "comm="], stdout=subprocess.PIPE, text=True, check=False)
    return children.stdout.split().count("ipmitool")


def switched(c, target):
    began = time.monotonic()
    asked(c, "healthy", target)
    c.until(lambda: (lambda node: (node["power_state"], node["target_power_state"]))(c.node("healthy")), (target, None))
    took = time.monotonic() - began
    print(f"{target}: {took:.2f} s", flush=True)
    assert took < 3, f"a healthy node waited {took:.1f} s for those that hang"


def inside(hearth):
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    need(Simulator.is_there(), "there is no ipmi_sim or ipmitool (openipmi, ipmitool)")
    directory = tempfile.mkdtemp(prefix="hearth-hanging-")
    simulators = []
    for number in range(BY_IPMI):
        os.mkdir(os.path.join(directory, str(number)))
        simulators.append(Simulator(os.path.join(directory, str(number))))
    try:
        judged(hearth, simulators)
    finally:
        for simulator in simulators:
            simulator.end()
        shutil.rmtree(directory, ignore_errors=True)
    print("ok")


def judged(hearth, simulators):
    bmcs, healthy = [Bmc() for _ in range(HANGING - BY_IPMI)], Bmc()
    with Conductor(hearth, "--power-sync-interval", "1", "--quiet") as c:
        for number, bmc in enumerate(bmcs + simulators):
            enrolled(c, f"h{number}", bmc)
        enrolled(c, "healthy", healthy)
        for name in [f"h{number}" for number in range(HANGING)] + ["healthy"]:
            c.wait(name, "manageable", 120)
        for bmc in bmcs:
            bmc.hangs = True
        for simulator in simulators:
            simulator.hang()
        for number in range(HANGING):  # beside the conductor's own looks, which hang, too
            asked_of = {0: "power on", 1: "soft power off", 2: "rebooting"}[number % 3]
            c.ask("PUT", f"/v1/nodes/h{number}/states/power", {"target": asked_of})
        c.until(lambda: sum(bmc.waiting > 0 for bmc in bmcs), len(bmcs))
        c.until(lambda: asked_by_ipmi(c), BY_IPMI)
        for target in ("power on", "power off", "power on"):
            switched(c, target)
        same("it was", True, healthy.on)
        same("and nobody else", [False] * len(bmcs), [bmc.on for bmc in bmcs])
        same("a healthy node goes its way", 202, c.ask("PUT", "/v1/nodes/healthy/states/provision", {"target": "provide"})[0])
        c.wait("healthy", "available", 10)
        same("they hang still", len(bmcs), sum(bmc.waiting > 0 for bmc in bmcs))
        assert asked_by_ipmi(c) > 0, "by IPMI nobody is asked any more"
        began = time.monotonic()
        c.process.terminate()
        same("how it ended", 0, c.process.wait(timeout=60))
        took = time.monotonic() - began
        print(f"ended in {took:.2f} s", flush=True)
        assert took < 5, f"SIGTERM took {took:.1f} s"


def main():
    if len(sys.argv) == 3:
        inside(sys.argv[1])
        return
    need(os.geteuid() == 0, "needs root, for a network namespace")
    done = subprocess.run(["unshare", "-n", sys.executable, os.path.abspath(__file__), sys.argv[1], "inside"], check=False)
    sys.exit(done.returncode)


main()
