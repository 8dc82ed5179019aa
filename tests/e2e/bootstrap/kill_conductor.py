#!/usr/bin/python3
"""kill -9 of the conductor at random moments of a simulated deployment. usage: kill_conductor.py HEARTH [KILLS [NODES [SEED]]]

Every node ends active, and no image is written twice: the machines count. HEARTH_KILLS sets KILLS (20; the figure is 100).
Without KILLS it runs only where HEARTH_LONG is set.
"""

import os
import random
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../peers/bootstrap"))
from agent import Machine  # noqa: E402  pylint: disable=wrong-import-position
from conductor import Conductor, same  # noqa: E402  pylint: disable=wrong-import-position
from own_network import enter, free_port  # noqa: E402  pylint: disable=wrong-import-position
from redfish_emulator import Bmc  # noqa: E402  pylint: disable=wrong-import-position


class FixedPort(Conductor):
    """Comes back under the same address each time."""

    def __init__(self, hearth, port, *options):
        super().__init__(hearth, *options, "--port", str(port))


class Managed(Machine):
    """A machine behind a BMC: an agent lives in it while it is on and has booted from the network."""

    def __init__(self, url, mac, write_time):
        super().__init__(url, mac, write_time=write_time)
        self.thread, self.starts = None, []
        self.bmc = Bmc(switched=self.switched)

    def switched(self, on, source):
        self.off.set()
        if on:
            self.starts.append(source)
        if on and source == "Pxe":
            life = OneLife(self)
            self.off = life.off
            life.boot()

    def went_off(self):
        """The agent has switched its machine off."""
        self.bmc.on = False


class OneLife(Machine):
    """The agent from one start of its machine to the next: it knows nothing of the one before."""

    def __init__(self, machine):
        super().__init__(machine.url, machine.mac, write_time=machine.write_time)
        self.machine = machine

    def command(self, path, body):
        before = self.writes
        answer = super().command(path, body)
        self.machine.writes += self.writes - before
        if body and body["name"] == "standby.power_off" and self.off.is_set():
            self.machine.went_off()
        return answer


def enrol(c, machines):
    for index, machine in enumerate(machines):
        status, node = c.ask("POST", "/v1/nodes", {
            "driver": "redfish", "name": f"n{index}", "instance_info": IMAGE, "driver_info": {
                "redfish_address": machine.bmc.url, "redfish_username": "admin", "redfish_password": "secret"}})
        same("enrolled", 201, status)
        c.ask("POST", "/v1/ports", {"address": machine.mac, "node_uuid": node["uuid"]})
        c.ask("PUT", f"/v1/nodes/n{index}/states/provision", {"target": "manage"})
        c.wait(f"n{index}", "manageable")
        c.ask("PUT", f"/v1/nodes/n{index}/states/provision", {"target": "provide"})
        c.wait(f"n{index}", "available")


IMAGE = {"image_source": "http://192.0.2.1/i.raw", "image_os_hash_algo": "sha256", "image_os_hash_value": "00"}


def deploy_all(c, count):
    for index in range(count):
        c.ask("PATCH", f"/v1/nodes/n{index}", [{"op": "add", "path": "/instance_info", "value": IMAGE}])
        status, answer = c.ask("PUT", f"/v1/nodes/n{index}/states/provision", {"target": "active"})
        same(f"deploy n{index}: {answer}", 202, status)


def states(c):
    """The state of each node; of a failed one with its reason."""
    nodes = c.ask("GET", "/v1/nodes/detail")[1]["nodes"]
    return [node["provision_state"] + (f": {node['last_error']}" if "failed" in node["provision_state"] else "") for node in nodes]


def undeploy_all(c, count):
    for index in range(count):
        c.ask("PUT", f"/v1/nodes/n{index}/states/provision", {"target": "deleted"})
    for index in range(count):
        c.wait(f"n{index}", "available")


def deploy_under_fire(c, count, dice, kills_left):
    """One deployment of all nodes; the conductor is killed while it lasts. How often."""
    deploy_all(c, count)
    killed = 0
    end = time.monotonic() + 240
    while time.monotonic() < end:
        if killed < kills_left:
            time.sleep(dice.uniform(0.02, 0.6))
            c.kill()
            c.start()
            killed += 1
        else:
            time.sleep(0.3)
        found = states(c)
        if all(state == "active" for state in found):
            return killed
        same("no node has failed", [], [state for state in found if "failed" in state])
    raise AssertionError(f"not all are active: {states(c)}")


def main():
    if len(sys.argv) < 3 and not os.environ.get("HEARTH_LONG"):
        print("SKIPPED: HEARTH_LONG is not set")
        sys.exit(77)
    enter()
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else int(os.environ.get("HEARTH_KILLS", "20"))
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    dice = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 7)
    with FixedPort(sys.argv[1], free_port(), "--poll-interval", "1", "--power-sync-interval", "0", "--quiet") as c:
        machines = [Managed(c.url, f"52:54:00:00:00:{index:02x}", 1) for index in range(count)]
        enrol(c, machines)
        began, rounds, killed = time.monotonic(), 0, 0
        while killed < kills:
            killed += deploy_under_fire(c, count, dice, kills - killed)
            rounds += 1
            same(f"images written in {rounds} deployments", [rounds] * count, [machine.writes for machine in machines])
            same("they run from their disks", ["Hdd"] * count, [machine.bmc.on and machine.bmc.booted for machine in machines])
            if killed < kills:
                undeploy_all(c, count)
    print(f"{count} nodes, {killed} kills in {rounds} deployments, {time.monotonic() - began:.0f} s: every node active each time, "
          "every image written once")


main()
