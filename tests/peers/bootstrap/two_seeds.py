"""Two seeds of one PostgreSQL database in network namespaces of their own, and all that asks whichever serves, for tests of `--standby`.

Machines ask for addresses, agents poll their metadata and signal their deployments at the address that goes along, people make nodes at
the seeds' own addresses, a BMC counts what it is told.
"""
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request

from conductor import Conductor, same, site, until
from dhcp_machines import Machines
from on_postgres import Busy, Postgres
from redfish_emulator import Bmc
from own_network import free_port

HERE, CARRIED = "198.51.100.254", "192.0.2.1"
KEPT_IN_FILES = ("seal-key", "api-token", "server.key", "server.pem", "server-authority.pem", "metadata/seal-key", "metadata/api-token",
                 "metadata/tokens.json", "metadata/transport")
SHORT = 3  # seconds: the patience of whoever has another seed to ask, or asks again
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))

TEMPLATE = """
heat_template_version: 2018-08-31
resources:
  server: {type: OS::Heat::DeployedServer, properties: {software_config_transport: POLL_TEMP_URL}}
  config: {type: OS::Heat::SoftwareConfig, properties: {config: date, inputs: [{name: x}], outputs: [{name: result}]}}
  first:
    type: OS::Heat::SoftwareDeployment
    properties: {name: A, config: {get_resource: config}, server: {get_resource: server}}
  second:
    type: OS::Heat::SoftwareDeployment
    properties: {name: B, config: {get_resource: config}, server: {get_resource: server}, input_values: {x: {get_attr: [first, result]}}}
outputs:
  A: {value: {get_attr: [first, result]}}
  B: {value: {get_attr: [second, result]}}
"""


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def networks():
    for words in ("link set lo up", "link add machines type bridge", "link set machines up", "link add people type bridge",
                  f"addr add {HERE}/24 dev people", "link set people up", "link add machine0 type veth peer name m0",
                  "link set m0 master machines", "link set m0 up", "addr add 192.0.2.50/24 dev machine0", "link set machine0 up"):
        ip(*words.split())


def asked(url, method="GET", body=None, headers=None, opener=OPENER, patience=60):
    """Status and text, or None where nobody answers."""
    try:
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(url, method=method, data=data, headers={"Content-Type": "application/json", **(headers or {})})
        with opener.open(request, timeout=patience) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with contextlib.suppress(OSError, http.client.HTTPException):
            error.read()
        return error.code, b""
    except (OSError, http.client.HTTPException):
        return None, b""


class Seed(Conductor):
    """In a namespace of its own; a start does not wait until it serves."""

    def __init__(self, hearth, number, directory, options):
        self.net = f"hearth-seed{number}-{os.getpid()}"
        self.address = f"198.51.100.{number}"
        ip("netns", "add", self.net)
        for card, bridge, port in (("seed0", "machines", f"p{number}"), ("people0", "people", f"q{number}")):
            ip("link", "add", port, "type", "veth", "peer", "name", card, "netns", self.net)
            ip("link", "set", port, "master", bridge)
            ip("link", "set", port, "up")
            ip("-n", self.net, "link", "set", card, "up")
        ip("-n", self.net, "link", "set", "lo", "up")
        ip("-n", self.net, "addr", "add", f"{self.address}/24", "dev", "people0")
        shown = json.loads(subprocess.run(["ip", "-n", self.net, "-j", "link", "show", "seed0"], capture_output=True, check=True).stdout)
        self.mac, self.number = shown[0]["address"], number
        super().__init__(hearth, *options, directory=directory)

    def start(self):
        self.log = open(self.directory + "/serve.log", "ab")
        self.log.write(b"started anew\n")
        self.log.flush()
        self.process = subprocess.Popen(["ip", "netns", "exec", self.net, self.hearth, "node", "serve", "--state", self.directory, "--listen",
                                         self.address, "--user", "root", "--quiet", *self.options], stdout=self.log, stderr=self.log)
        self.url = f"http://{self.address}:6385"

    def said(self):
        """Since it was started last."""
        return self.logged().rsplit("started anew", 1)[-1]

    def waits(self):
        return "standby: waits: process" in self.said()

    def get(self, path="/v1/nodes?limit=1", method="GET", body=None, patience=60):
        """Status, or None where nobody answers."""
        try:
            token = self.token()
        except FileNotFoundError:  # it has never served
            return None
        return asked(self.url + path, method, body, {"X-Auth-Token": token, "X-OpenStack-Ironic-API-Version": "1.82"},
                     patience=patience)[0]

    def serves(self):
        return self.get(patience=SHORT) == 200

    def has_address(self):
        shown = subprocess.run(["ip", "-n", self.net, "addr", "show", "dev", "seed0"], capture_output=True, text=True, check=True)
        return CARRIED + "/24" in shown.stdout

    def people(self, state):
        ip("link", "set", f"q{self.number}", state)

    def processes(self):
        """Its own, and the companion that holds the address."""
        shown = subprocess.run(["ip", "netns", "pids", self.net], capture_output=True, text=True, check=True)
        return [int(number) for number in shown.stdout.split()]

    def send(self, number, processes):
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def remove(self):
        self.send(signal.SIGCONT, self.processes())
        with contextlib.suppress(ProcessLookupError):
            self.kill()
        subprocess.run(["ip", "netns", "del", self.net], check=False)


class Watched(Machines):
    """Machines that ask for addresses; which seed's card has answered one of them, sent anything at all, or said that it has the address,
    and when last."""

    def __init__(self, *words):
        self.heard, self.sent, self.announced = {}, {}, {}
        super().__init__(*words)
        self.arp = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
        self.arp.bind(("machine0", 0))
        self.listener = threading.Thread(target=self.listen, daemon=True)

    def hear(self, packet):
        mac = packet[6:12].hex(":")
        self.sent[mac] = time.monotonic()
        if packet[23] == 17 and packet[34:36] == b"\x00\x43":
            self.heard[mac] = time.monotonic()
        super().hear(packet)

    def listen(self):
        own = socket.inet_aton(CARRIED)
        with contextlib.suppress(OSError):
            while packet := self.arp.recv(2048):
                if packet[28:32] == own and packet[38:42] == own:
                    self.announced[packet[22:28].hex(":")] = time.monotonic()

    def __enter__(self):
        self.listener.start()
        return super().__enter__()

    def __exit__(self, *words):
        super().__exit__(*words)
        self.arp.close()


class Writer(Busy):
    """Makes nodes at whichever seed serves, as fast as it is answered."""

    def __init__(self, seeds):
        super().__init__()
        self.seeds, self.made, self.kept = seeds, 0, []

    def once(self):
        for seed in self.seeds:
            while not self.stop.is_set():
                name = f"w{self.made}"
                self.made += 1
                if seed.get("/v1/nodes", "POST", {"driver": "fake-hardware", "name": name}, SHORT) != 201:
                    break
                self.kept.append(name)
                self.stop.wait(0.02)
        self.stop.wait(0.02)


class Engine:
    """What is asked of the stack engine at the address that goes along; whom to trust there lies beside its token."""

    def __init__(self, directory):
        trust = ssl.create_default_context(cafile=directory + "/metadata/authority.pem")
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust))
        with open(directory + "/metadata/api-token", encoding="ascii") as file:
            self.token = file.read().strip()

    def people(self, path, method="GET", body=None, patience=SHORT):
        return asked(f"https://{CARRIED}:8004/v1/admin{path}", method, body, {"X-Auth-Token": self.token}, self.opener, patience)

    def told(self, path):
        """Of an engine that serves."""
        status, text = self.people(path, patience=60)
        same(f"GET {path}: {text}", 200, status)
        return json.loads(text)

    def agent(self, url, method="GET", body=None):
        return asked(url, method, body, opener=self.opener, patience=SHORT)


class Agent(Busy):
    """Stack after stack is made, and a machine of each polls its metadata and signals both of its deployments; what nobody has answered is
    sent again as it was."""

    def __init__(self, engine, name):
        super().__init__()
        self.engine, self.name, self.made, self.done, self.sent, self.answered = engine, name, 0, {}, 0, []

    def until(self, attempt):
        """What it gives when it is not None."""
        while not self.stop.is_set():
            if (found := attempt()) is not None:
                return found
            self.stop.wait(0.1)
        raise StopIteration

    def once(self):
        try:
            self.one(f"{self.name}{self.made}")
        except StopIteration:
            return
        self.made += 1

    def one(self, stack):
        self.until(lambda: self.engine.people("/stacks", "POST", {"stack_name": stack, "template": TEMPLATE})[0] in (201, 409) or None)
        url = self.until(lambda: self.place(stack))
        results = {}
        while len(results) < 2:
            entry = self.until(lambda: self.next_of(url, results))
            result = f"{stack} {entry['name']}"
            inputs = {each["name"]: each["value"] for each in entry["inputs"]}
            if entry["name"] == "B":
                same("what the second deployment is given", results.get("A"), inputs["x"])
            self.until(lambda: self.signal(inputs["deploy_signal_id"], result))
            results[entry["name"]] = result
            self.done[stack] = dict(results)

    def place(self, stack):
        status, text = self.engine.people(f"/stacks/{stack}/resources/server/metadata")
        return json.loads(text)["metadata"]["os-collect-config"]["request"]["metadata_url"] if status == 200 else None

    def next_of(self, url, results):
        """Its deployment that it has not signalled yet. There is never one of which an answer was lost and another is there."""
        status, text = self.engine.agent(url)
        self.answered += [time.monotonic()] if status == 200 else []
        found = {each["name"]: each for each in json.loads(text)["deployments"]} if status == 200 else {}
        assert set(results) <= set(found) or status != 200, f"{set(results)} were acknowledged, and there are {set(found)}"
        return next((each for name, each in found.items() if name not in results), None)

    def signal(self, url, result):
        self.sent += 1
        return True if self.engine.agent(url, "POST", {"deploy_status_code": 0, "result": result})[0] == 200 else None

    def gap(self, since):
        """The longest time since then in which its polls were not answered."""
        known = [since, *(at for at in self.answered if at > since)]
        return max(after - before for before, after in zip(known, known[1:])) if len(known) > 1 else time.monotonic() - since


def check_stacks(engine, agent):
    """Each signal that was acknowledged is there, once, and so is each event."""
    agent.check()
    for stack, results in agent.done.items():
        shown = engine.told(f"/stacks/{stack}")["stack"]
        found = {row["output_key"]: row["output_value"] for row in shown["outputs"]}
        same(f"the signals of {stack}", results, {name: found[name] for name in results})
        if len(results) == 2:
            same(stack, "CREATE_COMPLETE", shown["stack_status"])
        events = engine.told(f"/stacks/{stack}/events?limit=100")["events"]
        ends = [row["resource_name"] for row in events if row["resource_status"] == "CREATE_COMPLETE"]
        same(f"events of {stack}, each once", sorted(set(ends)), sorted(ends))
        same(f"events of {stack}, none lost", set(), {"first" if name == "A" else "second" for name in results} - set(ends))
        same(f"events of {stack}, by their numbers", len({row["id"] for row in events}), len(events))


class World:
    """The database, which may be at either of two ports, two seeds that wait at it, and a node whose BMC counts its orders."""

    def __init__(self, hearth, work):
        networks()
        self.hearth, self.work, self.seeds = hearth, work, []
        self.postgres, self.second, self.bmc = Postgres(work, HERE), free_port(), Bmc(place=(HERE, 0))
        self.postgres.start()
        self.url = f"postgresql://hearth:secret@{HERE}:{self.postgres.port},{HERE}:{self.second}/postgres?target_session_attrs=read-write"

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__(True)
            raise
        return self

    def begin(self):
        for number in (1, 2):
            state = f"{self.work}/seed{number}"
            os.makedirs(state + "/metadata", mode=0o700)
            for name in KEPT_IN_FILES if self.seeds else ():  # as an operator copies it
                if os.path.exists(f"{self.work}/seed1/{name}"):
                    shutil.copy(f"{self.work}/seed1/{name}", f"{state}/{name}")
            self.seeds.append(Seed(self.hearth, number, state, [
                "--boot", site(state), "--unknown", "local", "--rehearsal", "--engine", "--standby", "--address", CARRIED + "/24",
                "--interface", "seed0", "--database", self.url]))
            if number == 1:
                until(self.seeds[0].serves, 60)
        info = {"redfish_address": self.bmc.url, "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "admin",
                "redfish_password": "secret"}
        same("the node", 201, self.seeds[0].get("/v1/nodes", "POST", {"driver": "redfish", "name": "ordered", "driver_info": info}))
        same("is managed", 202, self.seeds[0].get("/v1/nodes/ordered/states/provision", "PUT", {"target": "manage"}))
        self.seeds[0].wait("ordered", "manageable")

    def __exit__(self, kind, *_):
        for seed in self.seeds:
            if kind:
                told = [line[:300] for line in seed.logged().splitlines() if " dhcp 192" not in line and "ERROR POST" not in line]
                print("\n".join([f"--- {seed.net}", *told[-40:]]), flush=True)
            seed.remove()
        self.postgres.stop()

    def serving(self):
        """Whoever does: a machine that is busy may need a moment for that."""
        found = []
        until(lambda: found.extend(seed for seed in self.seeds if seed.serves()) or found, 60)
        return found[0]

    def other(self, seed):
        return self.seeds[1 - self.seeds.index(seed)]
