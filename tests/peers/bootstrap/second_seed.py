#!/usr/bin/python3
"""Two seeds of one PostgreSQL database (`--standby`): whichever serves is killed, stopped and woken, cut off from the database; the other
one follows in time, with the address that machines know. What was acknowledged is there, once: nodes, events, leases, signals, orders. The
old one serves nothing. What can't follow is refused by name, and nothing is lost by it. second_seed_rounds.py plays many.

usage: second_seed.py HEARTH
"""
import json
import os
import subprocess
import tempfile
import time

from conductor import same, until
from dhcp_machines import check_told
from on_postgres import check_kept, run_in_own_namespace
from seed_rounds import FOLLOWS, TERM, check_all, play
from two_seeds import CARRIED, Agent, Engine, Watched, World, Writer, asked

KINDS = ["killed", "stopped", "cut off"]


def check_rounds(world):
    engine = Engine(world.seeds[0].directory)
    with Watched(10) as machines, Writer(world.seeds) as writer, Agent(engine, "s") as agent:
        until(lambda: len(machines.told) == 10 and agent.done)
        took = []
        for kind in KINDS:
            took.append(play(kind, world, machines, agent))
            check_told(world.postgres, machines)
        signals = sum(len(results) for results in agent.done.values())
        assert len(writer.kept) > 30 and signals > len(KINDS), "else nothing is tested"
    print(check_all(world, writer, agent), flush=True)
    slow = [row for row in took if max(row[1:4]) - row[4] > 2 * (TERM + FOLLOWS)]
    assert not slow, f"twice as long as is promised, though the database waits for a processor, too: {slow}"
    return writer.kept


class Refused:
    """One that is to be refused; several at a time, for each waits some seconds for a lock."""

    def __init__(self, world, seed, name, *options, told, key=None):
        self.told, self.directory = told, f"{world.work}/{name}"
        os.makedirs(self.directory, mode=0o700, exist_ok=True)
        if key:
            with open(self.directory + "/seal-key", "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(key)
        self.process = subprocess.Popen(["ip", "netns", "exec", seed.net, world.hearth, "node", "serve", "--port", "0", "--state", self.directory,
                                         "--database", world.url, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def check(self):
        said = self.process.communicate(timeout=60)[0]
        assert self.process.returncode == 1 and self.told in said, (self.told, self.process.returncode, said)


def check_refused(world, kept):
    """A standby with another site's key or with none; a first seed that gives no way; a second one that does not wait; a database of a
    newer version, also where one waits at it already. Whoever serves goes on, and has all."""
    serving, another = world.serving(), json.dumps({"keys": [{"key": "ab" * 32}]})
    with open(serving.directory + "/seal-key", encoding="ascii") as file:
        key = file.read()
    refused = [Refused(world, serving, "keyless", "--standby", told="it is not there"),
               Refused(world, serving, "another", "--standby", told="does not have", key=another),
               Refused(world, serving, "second", told=f"process {serving.process.pid} on ", key=key)]
    for each in refused:
        each.check()
    with open(refused[1].directory + "/seal-key", encoding="ascii") as file:
        same("its key", another, file.read())
    assert not os.path.exists(refused[0].directory + "/seal-key"), "nobody makes a key for what another one has sealed"
    world.postgres.ask("UPDATE conductor.settings SET value = '99' WHERE name = 'version'")
    waiting, newer = world.other(serving), "was written by a newer Hearth (version 99)"
    Refused(world, serving, "second", "--standby", told=newer).check()
    until(lambda: waiting.process.poll() is not None)
    assert waiting.process.returncode == 1 and newer in waiting.said(), waiting.said()[-2000:]
    same("who was refused changed nothing: whoever serves", 200, serving.get())
    world.postgres.ask("UPDATE conductor.settings SET value = '3' WHERE name = 'version'")
    serving.stop()
    serving.options = [word for word in serving.options if word not in ("--standby", "--address", CARRIED + "/24", "--interface", "seed0")]
    subprocess.run(["ip", "-n", serving.net, "addr", "add", CARRIED + "/24", "dev", "seed0"], check=True)
    serving.start()
    until(serving.serves, 60)
    gives_no_way = Refused(world, serving, "second", "--standby", told="without --standby")
    check_two_firsts(world)
    gives_no_way.check()
    check_kept(serving, kept)
    check_fence(serving, world.postgres)


def check_fence(seed, postgres):
    """Where another one has taken the database it writes nothing more, though its connection was not ended: the number alone keeps it out."""
    nodes = postgres.ask("UPDATE conductor.hearth_epoch SET number = number + 1, holder = 'another'; SELECT count(*) FROM conductor.nodes")
    assert seed.get("/v1/nodes", "POST", {"driver": "fake-hardware", "name": "behind"}) != 201, "it has acknowledged what it may not write"
    same(f"how it ended: {seed.said()[-1000:]}", 1, seed.process.wait(timeout=20))
    assert "another has taken" in seed.said(), seed.said()[-2000:]
    same("nodes in the database", nodes, postgres.ask("SELECT count(*) FROM conductor.nodes"))


class First:
    """One of two seeds that begin a site at the same moment."""

    def __init__(self, world, seed, database, port, *options):
        self.directory, self.url = f"{world.work}/first-{database}-{seed.number}", f"http://{seed.address}:{port}"
        os.makedirs(self.directory, mode=0o700)
        self.process = subprocess.Popen(["ip", "netns", "exec", seed.net, world.hearth, "node", "serve", "--state", self.directory, "--listen",
                                         seed.address, "--port", port, "--user", "root", "--quiet", "--database", world.postgres.url(database),
                                         *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def has_ended(self):
        return self.process.poll() is not None

    def node(self, method):
        with open(self.directory + "/api-token", encoding="ascii") as file:
            token = file.read().strip()
        return asked(f"{self.url}/v1/nodes{'/n' if method == 'GET' else ''}", method,
                     {"driver": "fake-hardware", "name": "n"} if method == "POST" else None,
                     {"X-Auth-Token": token, "X-OpenStack-Ironic-API-Version": "1.82"})[0]


def check_two_firsts(world):
    """Each would make a key of its own: one serves, the other one is refused and told why."""
    pairs = []
    for port, database, options, told in (("7000", "both", ["--standby"], "is sealed with the key"), ("7001", "rivals", [], "uses postgresql://")):
        world.postgres.create(database)
        pairs.append(([First(world, seed, database, port, *options) for seed in world.seeds], told))
    try:
        for firsts, told in pairs:
            until(lambda both=firsts: any(first.has_ended() for first in both))
            ended, serves = sorted(firsts, key=First.has_ended, reverse=True)
            said = ended.process.stderr.read()
            assert ended.process.returncode == 1 and told in said, said
            until(lambda one=serves: one.node("POST") in (201, 409))
            same("what it has made", 200, serves.node("GET"))
    finally:
        for first in [first for firsts, _ in pairs for first in firsts]:
            first.process.kill()
            first.process.communicate()


def inside(hearth):
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="second-seed-") as work, World(hearth, work) as world:
        kept = check_rounds(world)
        check_refused(world, kept)
        print(f"{time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    run_in_own_namespace(inside)
