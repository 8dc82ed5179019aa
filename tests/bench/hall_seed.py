#!/usr/bin/python3
"""Nodes and pollers in one seed. usage: hall_seed.py HEARTH [NODES AND POLLERS] [SECONDS]

One `hearth node serve --engine` on one core, no setting changed (power sync each minute, the engine by TLS), has 10,000 nodes, and a
stack of as many servers with a deployment each. Their agents poll as os-collect-config does, each twice a minute, whole documents, on
a connection and by a TLS handshake of its own, sent on time whatever the answers do. Meanwhile somebody asks the API for a node, a page
and a change each 20 ms. Whoever polls and asks has the other cores. Machines are made up; nothing boots.
"""

import asyncio
import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../peers/bootstrap"))
from conductor import Conductor  # noqa: E402  pylint: disable=wrong-import-position
from hall_fleet import api_rows, mac, spread, waited_for_core  # noqa: E402  pylint: disable=wrong-import-position
from hall_table import end_tidily, loads, row, say  # noqa: E402  pylint: disable=wrong-import-position
from usage import usage  # noqa: E402  pylint: disable=wrong-import-position

INTERVAL = 30  # seconds between an agent's polls, as os-collect-config has it
ON_ANY_PORT = [word for port in ("cfn", "objects", "heat", "identity") for word in (f"--{port}-port", "0")]


class Engine(http.client.HTTPConnection):
    """By the socket for this machine's own."""

    def __init__(self, state):
        super().__init__("localhost", timeout=300)
        self.path = os.path.join(state, "metadata/api.socket")
        with open(os.path.join(state, "metadata/api-token"), encoding="ascii") as file:
            self.token = file.read().strip()

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def get(self, path):
        self.request("GET", "/v1/admin" + path, headers={"X-Auth-Token": self.token})
        answer = self.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {text[:300]}")
        return json.loads(text)


def make_stack(c, count):
    """Where its servers poll."""
    server = {"type": "OS::Heat::DeployedServer", "properties": {"software_config_transport": "POLL_TEMP_URL"}}
    config = {"type": "OS::Heat::SoftwareConfig", "properties": {"group": "script", "config": "#!/bin/sh\necho $x\n", "inputs": [{"name": "x"}]}}
    deployment = {"type": "OS::Heat::SoftwareDeployment", "properties": {
        "config": {"get_resource": "config"}, "server": {"get_resource": "server"}, "input_values": {"x": "1"}}}
    group = {"type": "OS::Heat::ResourceGroup", "properties": {"count": count, "resource_def": {"type": "node.yaml"}}}
    for name, resources in (("node.yaml", {"server": server, "config": config, "deployment": deployment}), ("top.yaml", {"all": group})):
        with open(os.path.join(c.directory, name), "w", encoding="utf-8") as file:
            json.dump({"heat_template_version": "2018-08-31", "resources": resources}, file)
    subprocess.run([c.hearth, "stack", "create", "hall", "-t", os.path.join(c.directory, "top.yaml"), "--state",
                    os.path.join(c.directory, "metadata")], check=True, stdout=subprocess.DEVNULL)
    engine = Engine(c.directory)
    place = f"/stacks/hall/{engine.get('/stacks')['stacks'][0]['id']}"
    while True:
        homes = [each for each in engine.get(place + "/resources?nested_depth=2")["resources"] if each["resource_name"] == "server"]
        if len(homes) == count:
            break
        time.sleep(2)
    say(f"a stack of {count:,} servers is there")
    urls = []
    for home in homes:
        path = urllib.parse.urlsplit(home["links"][0]["href"]).path.removeprefix("/v1/admin")
        urls.append(engine.get(path + "/metadata")["metadata"]["os-collect-config"]["request"]["metadata_url"])
    return urls


async def poll(url, trust, took):
    began = time.perf_counter()
    try:
        where = urllib.parse.urlsplit(url)
        reader, writer = await asyncio.open_connection(where.hostname, where.port, ssl=trust if where.scheme == "https" else None)
        writer.write(f"GET {where.path}?{where.query} HTTP/1.1\r\nHost: {where.netloc}\r\nConnection: close\r\n\r\n".encode())
        good = (await reader.read()).startswith(b"HTTP/1.1 200")
        writer.close()
    except OSError:
        good = False
    took.append(((time.perf_counter() - began) * 1000, good))


async def poll_all(urls, seconds):
    trust = ssl.create_default_context()
    trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    took, tasks, began, late = [], set(), time.perf_counter(), 0
    for i in range(len(urls) * seconds // INTERVAL):
        pause = began + i * INTERVAL / len(urls) - time.perf_counter()
        late = max(late, -pause)
        await asyncio.sleep(max(0, pause))
        task = asyncio.create_task(poll(urls[i % len(urls)], trust, took))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    return took, late


def pollers(file, seconds):
    with open(file, encoding="utf-8") as urls:
        took, late = asyncio.run(poll_all(json.load(urls), seconds))
    json.dump({"took": [one for one, _ in took], "failed": sum(not good for _, good in took), "late": late}, sys.stdout)


def bring_in(c, count):
    path = os.path.join(c.directory, "hall.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"nodes": [{"name": f"n{n}", "driver": "fake-hardware", "ports": [{"address": mac(n)}]} for n in range(count)]}, file)
    subprocess.run([c.hearth, "node", "import", "--state", c.directory, path], check=True, stdout=subprocess.DEVNULL)
    while len(c.ask("GET", "/v1/nodes?provision_state=available&fields=uuid")[1]["nodes"]) < count:
        time.sleep(2)
    say(f"{count:,} nodes are available")


def main():
    end_tidily()
    words = [int(word) for word in sys.argv[2:]]
    count, seconds = (words + [10000, 60][len(words):])[:2]
    with Conductor(sys.argv[1], "--quiet", "--engine", "--stacks-listen", "127.0.0.1", *ON_ANY_PORT) as c:
        for task in os.listdir(f"/proc/{c.process.pid}/task"):
            os.sched_setaffinity(int(task), {0})
        os.sched_setaffinity(0, set(range(1, os.cpu_count())) or {0})
        bring_in(c, count)
        urls = os.path.join(c.directory, "urls.json")
        with open(urls, "w", encoding="utf-8") as file:
            json.dump(make_stack(c, count), file)
        time.sleep(2)
        say(f"{count:,} pollers, {seconds} s")
        cpu, waited = usage(c.process.pid)[1], waited_for_core(c.process.pid)
        with subprocess.Popen([sys.executable, os.path.join(HERE, "hall_fleet.py"), "ask", c.url, c.token(), f"n{count - 1}", str(c.process.pid)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as asker:
            done = json.loads(subprocess.run([sys.executable, __file__, "poll", urls, str(seconds)], check=True, capture_output=True,
                                             text=True).stdout)
            asked = json.loads(asker.communicate("that is all")[0])
        peak, end = usage(c.process.pid)
        waited = waited_for_core(c.process.pid) - waited
    missed = row(f"{count:,} nodes and {count:,} pollers in one seed: polls that failed", "0 of all",
                 f"{done['failed']} of {len(done['took'])}; {re.sub('all ', 'the longest ', spread(done['took']))}", done["failed"] == 0)
    share = (end - cpu) / seconds * 100
    missed = row("its processor time, and memory at most", "1 core, 1024 MB", f"{share:.0f} % of a core, {peak:.0f} MB; its thread waited "
                 f"{waited:.0f} s for a core, load {loads():.1f} a core", share <= 100 and peak <= 1024) or missed
    missed = api_rows(asked) or missed
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    if sys.argv[1] == "poll":
        pollers(sys.argv[2], int(sys.argv[3]))
    else:
        main()
