#!/usr/bin/python3
"""The conductor with many simulated nodes on one core. usage: conductor.py HEARTH [NODES]

Takes all nodes through manage, inspect, provide (with cleaning), deploy, rescue, unrescue and undeploy, while somebody looks on
by the status page's event stream; reports time, CPU time and peak memory of the daemon against the limit of 150 MB, and looks
through the event log: every transition of every node must be there, in order, without a gap; and the one who looked on must
have been told of each event once. Exit 1 when a limit is missed or an event lost.
"""

import http.client
import json
import os
import subprocess
import sys
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../peers/bootstrap"))
from conductor import Conductor  # noqa: E402  pylint: disable=wrong-import-position
from usage import usage  # noqa: E402  pylint: disable=wrong-import-position

IMAGE = {"image_source": "http://192.0.2.1/i.raw", "image_os_hash_algo": "sha256", "image_os_hash_value": "00"}
VERBS = [("manage", "manageable"), ("inspect", "manageable"), ("provide", "available"), ("active", "active"),
         ("rescue", "rescue"), ("unrescue", "active"), ("deleted", "available")]
WAY = ["enroll -> verifying", "verifying -> manageable", "manageable -> inspecting", "inspecting -> inspect wait",
       "inspect wait -> inspecting", "inspecting -> manageable", "manageable -> cleaning", "cleaning -> clean wait",
       "clean wait -> cleaning", "cleaning -> available", "available -> deploying", "deploying -> wait call-back",
       "wait call-back -> deploying", "deploying -> active", "active -> rescuing", "rescuing -> rescue wait",
       "rescue wait -> rescuing", "rescuing -> rescue", "rescue -> unrescuing", "unrescuing -> active", "active -> deleting",
       "deleting -> cleaning", "cleaning -> clean wait", "clean wait -> cleaning", "cleaning -> available"]
LIMIT_MB = 150


def wait_for_all(c, state, verb):
    end = time.monotonic() + 600
    while time.monotonic() < end:
        found = [n["provision_state"] for n in c.ask("GET", "/v1/nodes?fields=provision_state,target_provision_state")[1]["nodes"]]
        if all(one == state for one in found):
            return
        bad = [one for one in found if one.endswith("failed")]
        if bad:
            raise SystemExit(f"{verb}: {len(bad)} nodes are {bad[0]}")
        time.sleep(0.2)
    raise SystemExit(f"{verb}: not all nodes reached {state}")


class Onlooker:
    """Reads the status page's stream as a browser does: after a break it goes on from the last id."""

    def __init__(self, url, token):
        self.token = token
        self.host = urllib.parse.urlsplit(url).netloc
        self.last, self.position, self.messages, self.fault = None, "", 0, ""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while not self.fault:
            connection = http.client.HTTPConnection(self.host, timeout=60)
            try:
                connection.request("GET", "/page/events", headers={"Last-Event-ID": self.position, "X-Auth-Token": self.token})
                self.follow(connection.getresponse())
            except (OSError, http.client.HTTPException):
                time.sleep(1)

    def follow(self, answer):
        for line in answer:
            if line.startswith(b"id: "):
                self.position = line[4:].strip().decode()
            elif line.startswith(b"data: "):
                self.take(json.loads(line[6:]))

    def take(self, message):
        self.messages += 1
        for event in message["events"]:
            if self.last is not None and event["id"] != self.last + 1:
                self.fault = f"event {event['id']} came behind {self.last}"
            self.last = event["id"]

    def expect(self, last):
        end = time.monotonic() + 60
        while self.last != last and not self.fault and time.monotonic() < end:
            time.sleep(0.1)
        if self.fault or self.last != last:
            raise SystemExit(f"the status page lost events: {self.fault or f'{last} did not come, the last is {self.last}'}")


def check_events(c, count):
    ways, after, last = {}, 0, 0
    while True:
        answer = c.ask("GET", f"/v1/hearth/events?after={after}&limit=10000")[1]
        if not answer["events"]:
            break
        for event in answer["events"]:
            if event["id"] != last + 1:
                raise SystemExit(f"event {last + 1} is missing")
            last = event["id"]
            if event["kind"] == "state":
                ways.setdefault(event["node"], []).append(event["text"])
        after = last
    lost = [uuid for uuid, way in ways.items() if way != WAY]
    if lost or len(ways) != count:
        raise SystemExit(f"{len(lost)} nodes of {len(ways)} have another way, such as {ways[lost[0]] if lost else '-'}")
    return last


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    with Conductor(sys.argv[1], "--quiet", "--automated-clean", "--poll-interval", "1", "--power-sync-interval", "0",
                   "--boots-at-once", "2000") as c:
        os.sched_setaffinity(c.process.pid, {0})
        for task in os.listdir(f"/proc/{c.process.pid}/task"):
            os.sched_setaffinity(int(task), {0})
        agents = subprocess.Popen([sys.executable, os.path.join(HERE, "conductor_agents.py"), c.url, str(count), c.token()])
        began = time.monotonic()
        onlooker = Onlooker(c.url, c.token())
        try:
            for i in range(count):
                node = c.ask("POST", "/v1/nodes", {"driver": "fake-hardware", "name": f"n{i}"})[1]
                c.ask("POST", "/v1/ports", {"address": f"52:54:00:00:{i >> 8:02x}:{i & 255:02x}", "node_uuid": node["uuid"]})
            print(f"{'enrol':10} {time.monotonic() - began:6.1f} s")
            for verb, state in VERBS:
                step = time.monotonic()
                for i in range(count):
                    if verb == "active":
                        c.ask("PATCH", f"/v1/nodes/n{i}", [{"op": "add", "path": "/instance_info", "value": IMAGE}])
                    status, answer = c.ask("PUT", f"/v1/nodes/n{i}/states/provision", {"target": verb, "rescue_password": "x"})
                    if status != 202:
                        raise SystemExit(f"{verb}: {answer}")
                wait_for_all(c, state, verb)
                print(f"{verb:10} {time.monotonic() - step:6.1f} s", flush=True)
            peak, cpu = usage(c.process.pid)
            events = check_events(c, count)
            onlooker.expect(events)
        finally:
            agents.kill()
            agents.wait()
        print(f"the status page told each of them once, in {onlooker.messages} messages")
        print(f"{count} nodes through {len(WAY)} transitions each: {time.monotonic() - began:.0f} s, {cpu:.1f} s CPU of the daemon on "
              f"one core, {events} events, none lost; peak memory {peak:.1f} MB (limit {LIMIT_MB})")
        sys.exit(0 if peak <= LIMIT_MB else 1)


main()
