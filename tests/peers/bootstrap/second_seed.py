#!/usr/bin/python3
"""Two seeds of one PostgreSQL database (`--standby`): whichever serves is killed, stopped and woken, cut off from the database, asked to
end, or the database is started anew; the other one follows in time, with the address that machines know. What was acknowledged is there,
once: nodes, events, leases, orders. The old one serves nothing. What can't follow is refused by name.

usage: second_seed.py HEARTH

Runs in network namespaces: one for each seed, with a card in the machines' network and one in that of the database and the people.
HEARTH_LONG: fifty rounds.
"""
import contextlib
import http.client
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from conductor import Conductor, in_own_namespace, need, same, until
from postgres_leases import Machines, check_told
from redfish_emulator import Bmc

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from postgres import Postgres, free_port, programs  # noqa: E402  pylint: disable=wrong-import-position

TERM, FOLLOWS = 3.25, 3  # after so long a seed is silent; so long the next may take from there
HERE = "198.51.100.254"
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
KINDS = ["killed", "stopped", "cut off", "the database", "ended"]


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def networks():
    for words in ("link set lo up", "link add machines type bridge", "link set machines up", "link add people type bridge",
                  f"addr add {HERE}/24 dev people", "link set people up", "link add machine0 type veth peer name m0",
                  "link set m0 master machines", "link set m0 up", "link set machine0 up"):
        ip(*words.split())


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
        self.mac, self.number, self.starts = shown[0]["address"], number, 0
        super().__init__(hearth, *options, directory=directory)

    def start(self):
        self.starts += 1
        self.log = open(self.directory + "/serve.log", "ab")
        self.process = subprocess.Popen(["ip", "netns", "exec", self.net, self.hearth, "node", "serve", "--state", self.directory, "--listen",
                                         self.address, "--user", "root", "--quiet", *self.options], stdout=self.log, stderr=self.log)
        self.url = f"http://{self.address}:6385"

    def get(self, path="/v1/nodes?limit=1", method="GET", body=None):
        """Status, or None where nobody answers."""
        try:
            request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(), headers={
                "Content-Type": "application/json", "X-Auth-Token": self.token(), "X-OpenStack-Ironic-API-Version": "1.82"})
            with OPENER.open(request, timeout=1) as answer:
                answer.read()
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except (OSError, http.client.HTTPException):
            return None

    def serves(self):
        return self.get() == 200

    def has_address(self):
        shown = subprocess.run(["ip", "-n", self.net, "addr", "show", "dev", "seed0"], capture_output=True, text=True, check=True)
        return "192.0.2.1/24" in shown.stdout

    def people(self, state):
        ip("link", "set", f"q{self.number}", state)

    def remove(self):
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)
            self.kill()
        subprocess.run(["ip", "netns", "del", self.net], check=False)


class Watched(Machines):
    """Which seed's card has answered, and when last."""

    def __init__(self, *words):
        self.heard = {}
        super().__init__(*words)

    def hear(self, packet):
        if packet[23] == 17 and packet[34:36] == b"\x00\x43":
            self.heard[":".join(f"{byte:02x}" for byte in packet[6:12])] = time.monotonic()
        super().hear(packet)


class Writer:
    """Makes nodes at whichever seed serves, as fast as it is answered."""

    def __init__(self, seeds):
        self.seeds, self.made, self.kept, self.stop = seeds, 0, [], threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.stop.is_set():
            for seed in self.seeds:
                while not self.stop.is_set():
                    name = f"w{self.made}"
                    self.made += 1
                    if seed.get("/v1/nodes", "POST", {"driver": "fake-hardware", "name": name}) != 201:
                        break
                    self.kept.append(name)
                    time.sleep(0.02)
            time.sleep(0.02)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


def check_kept(seed, kept):
    found, after = set(), ""
    while page := seed.ask("GET", f"/v1/nodes?limit=1000{after}")[1]["nodes"]:
        found |= {node["name"] for node in page}
        after = f"&marker={page[-1]['uuid']}"
    assert set(kept) <= found, f"acknowledged, and lost: {set(kept) - found}"
    ids, told, after = [], [], 0
    while page := seed.ask("GET", f"/v1/hearth/events?limit=1000&after={after}")[1]["events"]:
        ids += [event["id"] for event in page]
        told += [event["name"] for event in page if event["text"].startswith("created")]
        after = page[-1]["id"]
    same("events, by their numbers", sorted(set(ids)), ids)
    assert len(told) == len(set(told)), "no event is there twice"


def switched(seed, target):
    """Asks for it; while its BMC is looked at a node is locked."""
    until(lambda: seed.get("/v1/nodes/ordered/states/power", "PUT", {"target": target}) == 202)


def ordered(seed, bmc):
    """Has a machine that is off switched on, and does not wait for it; how often it was switched before."""
    if bmc.on:
        switched(seed, "power off")
        until(lambda: seed.node("ordered")["power_state"] == "power off")
    before = len(bmc.resets)
    switched(seed, "power on")
    return before


def disturb(kind, seed, postgres):
    if kind == "killed":
        seed.kill()
    elif kind == "stopped":
        seed.process.send_signal(signal.SIGSTOP)
    elif kind == "cut off":
        seed.people("down")
    elif kind == "ended":
        seed.stop()
    else:
        postgres.stop()
        postgres.start()


def check_old(kind, old, machines):
    """Woken, or reached again: it answers nobody, and ends."""
    assert not old.has_address(), "the old one has the address yet"
    if kind == "stopped":
        old.process.send_signal(signal.SIGCONT)
    if kind == "cut off":
        same("asked where it runs", 1, subprocess.run([old.hearth, "node", "list", "--state", old.directory], capture_output=True, check=False).returncode)
        old.people("up")
    began, answers = time.monotonic(), set()
    while old.process.poll() is None:
        answers.add(old.get())
        assert time.monotonic() - began < 15, f"it goes on: {old.logged()[-2000:]}"
    assert 200 not in answers, "the old one has answered"
    assert not old.has_address(), "the old one has taken the address back"
    if kind in ("stopped", "cut off"):
        same(f"how it ended: {old.logged()[-2000:]}", 1, old.process.returncode)
        assert "has taken" in old.logged() or "uses postgresql" in old.logged(), old.logged()[-2000:]
        assert machines.heard.get(old.mac, 0) < began, "the old one has answered a machine"


def play(kind, seeds, postgres, machines, bmc):
    """One round; the seconds until people were served again, and machines, which ask each second."""
    old = next(seed for seed in seeds if seed.serves())
    new = seeds[1 - seeds.index(old)]
    until(lambda: "standby: waits: process" in new.logged().rsplit("started anew", 1)[-1])
    resets = ordered(old, bmc)
    began = time.monotonic()
    disturb(kind, old, postgres)
    if kind == "the database":
        new = old
    until(new.serves, 20)
    people = time.monotonic() - began
    until(lambda: machines.heard.get(new.mac, 0) > began, 20)
    took = time.monotonic() - began
    until(lambda: bmc.on, 30)
    same("how often the machine was switched", resets + 1, len(bmc.resets))
    if kind != "the database":
        check_old(kind, old, machines)
        assert new.has_address()
        shown = subprocess.run([new.hearth, "node", "seeds", "--state", new.directory], capture_output=True, text=True, check=True).stdout
        assert f"process {new.process.pid} on " in shown.splitlines()[0] and " serves since " in shown, shown
        with open(old.directory + "/serve.log", "a", encoding="ascii") as log:
            log.write("started anew\n")
        old.start()
    print(f"{kind}: people after {people:.1f} s, machines after {took:.1f} s", flush=True)
    return people, took - 1


def check_rounds(seeds, postgres, bmc):
    seen = random.Random(int(os.environ.get("HEARTH_SEED", "7")))
    rounds = KINDS if not os.environ.get("HEARTH_LONG") else [seen.choice(KINDS) for _ in range(50)]
    with Watched(10) as machines, Writer(seeds) as writer:
        until(lambda: len(machines.told) == 10)
        took = []
        for kind in rounds:
            time.sleep(1 + seen.random())
            took += [(*play(kind, seeds, postgres, machines, bmc), kind)]
            check_told(postgres, machines)
        assert len(writer.kept) > 10 * len(rounds), "else nothing is tested"
    check_kept(next(seed for seed in seeds if seed.serves()), writer.kept)
    print(f"{len(writer.kept)} nodes were acknowledged, of {writer.made} asked for", flush=True)
    usual = [statistics.median(each[at] for each in took) for at in (0, 1)]
    assert max(usual) < TERM + FOLLOWS, f"usually after {usual} s: {took}"  # of each, where others have the processor, as much again
    assert all(max(each[:2]) < 2 * (TERM + FOLLOWS) for each in took), took


def nodes_made(seed, prefix, count):
    made = [f"{prefix}{number}" for number in range(count)]
    same("they are made", {201}, {seed.get("/v1/nodes", "POST", {"driver": "fake-hardware", "name": name}) for name in made})
    return made


def check_promoted(seeds, postgres, port, work):
    """A replica that has all goes on where its primary was; a copy that lacks what was acknowledged is gone on with by nobody."""
    serving = next(seed for seed in seeds if seed.serves())
    replica = postgres.copied(work + "/replica", port, "-R")
    replica.start()
    postgres.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
    postgres.ask("SELECT pg_reload_conf()")
    until(lambda: postgres.ask("SELECT sync_state FROM pg_stat_replication") == "sync")
    made = nodes_made(serving, "replicated", 20)
    began = time.monotonic()
    postgres.stop()
    replica.ask("ALTER SYSTEM RESET synchronous_standby_names")
    replica.promote()
    until(lambda: any(seed.get("/v1/nodes", "POST", {"driver": "fake-hardware"}) == 201 for seed in seeds), 30)
    print(f"served from the replica after {time.monotonic() - began:.1f} s", flush=True)
    serving = next(seed for seed in seeds if seed.serves())
    check_kept(serving, made)
    before = replica.copied(work + "/before", postgres.port)
    lost = nodes_made(serving, "lost", 5)
    time.sleep(1)  # the standby has seen them, too
    replica.stop()
    before.start()  # it may lack the taking of the database, too: or only what followed
    for seed in seeds:
        until(lambda each=seed: each.process.poll() is not None, 40)
        same(f"how it ended: {seed.logged()[-1000:]}", 1, seed.process.returncode)
        assert "went back to before" in seed.logged() and os.path.exists(seed.directory + "/database-went-back"), seed.logged()[-2000:]
        seed.start()
        same("started again", 1, seed.process.wait(timeout=20))
    before.stop()
    replica.start()
    for seed in seeds:
        os.remove(seed.directory + "/database-went-back")
        seed.start()
    until(lambda: any(seed.serves() for seed in seeds), 30)
    check_kept(next(seed for seed in seeds if seed.serves()), made + lost)
    return replica


def refused(hearth, seed, *options, directory, told):
    done = subprocess.run(["ip", "netns", "exec", seed.net, hearth, "node", "serve", "--port", "0", "--state", directory, *options],
                          capture_output=True, text=True, timeout=40, check=False)
    assert done.returncode == 1 and told in done.stderr, (told, done)


def check_refused(hearth, seeds, postgres, work):
    standing = ["--database", postgres.url()]
    serving = next(seed for seed in seeds if seed.serves())
    other = work + "/other"
    os.makedirs(other, mode=0o700)
    refused(hearth, serving, *standing, "--standby", directory=other, told="it is not there")
    with open(other + "/seal-key", "w", encoding="ascii") as file:
        json.dump({"keys": [{"key": "ab" * 32}]}, file)
    os.chmod(other + "/seal-key", 0o600)
    refused(hearth, serving, *standing, "--standby", directory=other, told="does not have")
    shutil.copy(serving.directory + "/seal-key", other)
    refused(hearth, serving, *standing, directory=other, told=f"process {serving.process.pid} on ")
    for seed in seeds:
        seed.stop()
    serving.options = [word for word in serving.options if word not in ("--standby", "--address", "192.0.2.1/24", "--interface", "seed0")]
    ip("-n", serving.net, "addr", "add", "192.0.2.1/24", "dev", "seed0")
    serving.start()
    until(serving.serves, 40)
    refused(hearth, serving, *standing, "--standby", directory=other, told="without --standby")
    serving.stop()
    postgres.ask("UPDATE conductor.settings SET value = '99' WHERE name = 'version'")
    refused(hearth, serving, *standing, "--standby", directory=other, told="was written by a newer Hearth (version 99)")


def site_of(directory):
    path = directory + "/site.json"
    with open(path, "w", encoding="ascii") as file:
        json.dump({"interfaces": ["seed0"], "state_dir": directory, "networks": [
            {"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.199"]}]}, file)
    return path


def inside(hearth):
    networks()
    with tempfile.TemporaryDirectory(prefix="second-seed-") as work:
        postgres = Postgres(work, HERE)
        postgres.start()
        second, bmc, seeds = free_port(), Bmc(place=(HERE, 0)), []
        url = f"postgresql://hearth:secret@{HERE}:{postgres.port},{HERE}:{second}/postgres?target_session_attrs=read-write"
        try:
            for number in (1, 2):
                state = f"{work}/seed{number}"
                os.makedirs(state, mode=0o700)
                if seeds:  # what is in files, as an operator copies it
                    for name in ("seal-key", "api-token", "server.key", "server.pem", "server-authority.pem"):
                        shutil.copy(f"{work}/seed1/{name}", state)
                seeds.append(Seed(hearth, number, state, ["--boot", site_of(state), "--unknown", "local", "--rehearsal", "--standby", "--address",
                                                          "192.0.2.1/24", "--interface", "seed0", "--database", url]))
                if number == 1:
                    until(seeds[0].serves)
            info = {"redfish_address": bmc.url, "redfish_system_id": "/redfish/v1/Systems/1", "redfish_username": "admin", "redfish_password": "secret"}
            same("the node", 201, seeds[0].get("/v1/nodes", "POST", {"driver": "redfish", "name": "ordered", "driver_info": info}))
            same("is managed", 202, seeds[0].get("/v1/nodes/ordered/states/provision", "PUT", {"target": "manage"}))
            seeds[0].wait("ordered", "manageable")
            check_rounds(seeds, postgres, bmc)
            postgres = check_promoted(seeds, postgres, second, work)
            check_refused(hearth, seeds, postgres, work)
        except BaseException:
            for seed in seeds:
                told = [line[:300] for line in seed.logged().splitlines() if " dhcp 192" not in line and "ERROR POST" not in line]
                print("\n".join([f"--- {seed.net}", *told[-40:]]), flush=True)
            raise
        finally:
            for seed in seeds:
                seed.remove()
            postgres.stop()


def main():
    need(programs(), "postgresql is not installed")
    need(os.getuid() == 0, "not root: no namespaces for two seeds")
    in_own_namespace(inside)


if __name__ == "__main__":
    main()
