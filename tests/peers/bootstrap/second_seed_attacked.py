#!/usr/bin/python3
"""Two seeds of one PostgreSQL database (two_seeds.py) in moments that look like silence and are none, and in some that look like none: an import
that is written for longer than a term, a start that reads for longer, a table that somebody has locked, a standby that was stopped while it took
the database, a card that is gone. Who serves goes on serving, or another one follows; nothing that was acknowledged is lost.

usage: second_seed_attacked.py HEARTH     HEARTH_CHECKS: the names of those to be run; else all
"""
import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time

from conductor import same, until
from on_postgres import acknowledged, check_kept, run_in_own_namespace, timed
from two_seeds import CARRIED, Watched, World, asked, ip

LONG = 3  # a term


def imported(seed, prefix, count):
    """Status of an import of so many nodes at once, which is waited for."""
    nodes = [{"name": f"{prefix}{number}", "pm_type": "fake-hardware", "mac": [f"52:54:{number >> 8:02x}:{number & 255:02x}:{ord(prefix):02x}:01"]}
             for number in range(count)]
    body = {"text": json.dumps({"nodes": nodes}), "source": "nodes.json", "initial_state": "enroll"}
    return asked(seed.url + "/v1/hearth/import", "POST", body, {"X-Auth-Token": seed.token()}, patience=150)


class Seen:
    """What people are answered who ask a seed meanwhile, twice a second another one, and who wait for it."""

    def __init__(self, seed):
        self.seed, self.answers, self.stop, self.threads = seed, [], threading.Event(), []
        self.people = threading.Thread(target=self.come)

    def come(self):
        while not self.stop.is_set():
            self.threads.append(threading.Thread(target=lambda: self.answers.append(self.seed.get(patience=150))))
            self.threads[-1].start()
            self.stop.wait(0.5)

    def __enter__(self):
        self.people.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in (self.people, *self.threads):
            thread.join()


@contextlib.contextmanager
def locked(postgres, statement):
    """A person's session in which that was run, and which he has forgotten."""
    session = subprocess.Popen([f"{postgres.programs}/psql", "-qAt", postgres.url()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    session.stdin.write(f"BEGIN; {statement}; SELECT 'done';\n")
    session.stdin.flush()
    until(lambda: session.stdout.readline().strip() == "done")
    try:
        yield session
    finally:
        session.kill()
        session.communicate()


def pair(world):
    """Who serves, and who waits."""
    serving = world.serving()
    other = world.other(serving)
    if other.process.poll() is not None:
        other.start()
    until(other.waits)
    return serving, other


def check_long_import(world):
    """All of it is one transaction, which takes two terms: who serves goes on serving, machines find it, nobody follows, and all is kept. Who
    asks meanwhile waits until what he may be told of is kept; nobody is refused, and he who asks after it is answered."""
    serving, other = pair(world)
    world.postgres.ask("CREATE FUNCTION conductor.slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END $$; "
                       "CREATE TRIGGER slow AFTER INSERT ON conductor.nodes FOR EACH STATEMENT EXECUTE FUNCTION conductor.slow()")
    with Seen(serving) as seen:
        began = time.monotonic()
        status, text = imported(serving, "i", 6000)
        took = time.monotonic() - began
        assert serving.has_address()
    same("who asks after it", 200, serving.get())
    world.postgres.ask("DROP TRIGGER slow ON conductor.nodes")
    same(f"the import: {text[:300]}", 200, status)
    assert took > 2 * LONG, f"it took {took:.1f} s: nothing is tested"
    assert "was silent" not in other.said(), other.said()[-1000:]
    assert 503 not in seen.answers, seen.answers  # while it is checked and written others wait
    until(lambda: serving.get() == 200)
    same("nodes in the database", "6000", world.postgres.ask("SELECT count(*) FROM conductor.events WHERE text LIKE 'registered%'"))
    serving.kill()
    until(other.serves)
    check_kept(other, [])
    same("the last of those that were acknowledged", 200, other.get("/v1/nodes/i5999"))
    print(f"an import that was written for {took:.1f} s", flush=True)


def check_locked(world):
    """Nothing can be kept for three terms, by nobody: who serves is not followed by one who can't either; machines boot on by what was known."""
    serving, other = pair(world)
    with Watched(5) as machines:
        until(lambda: len(machines.told) == 5)
        with locked(world.postgres, "LOCK TABLE conductor.nodes IN ACCESS EXCLUSIVE MODE"):
            same("what could not be kept", 503, serving.get("/v1/nodes", "POST", {"driver": "fake-hardware", "name": "locked"}))
            time.sleep(2 * LONG)  # more than three with the time after which that was refused
            after = time.monotonic()
            until(lambda: machines.heard[serving.mac] > after)
            assert serving.has_address(), "machines are not served"
    assert serving.process.poll() is None and "was silent" not in other.said(), other.said()[-1000:]
    acknowledged(serving, "unlocked")


def check_long_start(world):
    """Who follows reads for longer than a term: the next one in the row does not take that for silence."""
    serving, other = pair(world)

    def held(table):  # each lock is waited for for five seconds at a start: so two of them, one behind the other
        waiting = f"SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'conductor.{table}'::regclass"
        until(lambda: world.postgres.ask(waiting) != "0")
        if table == "nodes":
            serving.start()
        time.sleep(2.5)
    with locked(world.postgres, "LOCK TABLE conductor.events IN ACCESS EXCLUSIVE MODE"):
        with locked(world.postgres, "LOCK TABLE conductor.nodes IN ACCESS EXCLUSIVE MODE"):
            serving.kill()
            held("nodes")
        held("events")
    until(other.serves)
    assert "was silent" not in serving.said() and other.process.poll() is None, serving.said()[-1000:]


def check_frozen_taker(world):
    """One that was stopped when it had taken the database, and before it said so: another one follows it, too, also where the former one
    has ended in order."""
    taken = ("SELECT pg_advisory_lock(hashtextextended('conductor', 7521846120734)); UPDATE conductor.hearth_epoch SET number = number + 1, "
             "holder = 'process 1 on another'; COMMIT")
    for end in ("kill", "stop"):
        serving, other = pair(world)
        other.send(signal.SIGSTOP, [other.process.pid])  # the former one's end is not to be its chance
        getattr(serving, end)()
        with locked(world.postgres, taken):
            other.send(signal.SIGCONT, [other.process.pid])
            until(other.serves)


def check_card_gone(world):
    """Whoever can't have the address any more says so, and gives way."""
    serving, other = pair(world)
    ip("-n", serving.net, "link", "del", "seed0")
    until(other.serves)
    same(f"how it ended: {serving.said()[-1000:]}", 1, serving.process.wait(timeout=60))
    assert f"{CARRIED}/24 on seed0 can't be held" in serving.said(), serving.said()[-1000:]


def check_address_there(world):
    """A person has put the address on a card, be it another one: that is told at the start, and not when the seed is needed."""
    _, other = pair(world)
    for card in ("seed0", "people0"):
        other.kill()
        ip("-n", other.net, "addr", "add", f"{CARRIED}/24", "dev", card)
        other.start()
        same(f"the start: {other.said()[-500:]}", 1, other.process.wait(timeout=60))
        assert f"the card {card} has it already" in other.said(), other.said()[-500:]
        ip("-n", other.net, "addr", "del", f"{CARRIED}/24", "dev", card)
        other.start()


def check_told(world):
    """What people are told of one that waits, where they ask in its directory, and of one that was killed."""
    serving, other = pair(world)
    for words, told in ((["node", "list"], "its state lives in postgresql://"), (["node", "import", world.work + "/seed1/site.json"], "ask it")):
        done = subprocess.run([other.hearth, *words, "--state", other.directory], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and told in done.stderr.lower(), done
    assert not os.path.exists(other.directory + "/state.db"), "it could follow nobody"

    def tells(*texts):  # a database that has other work may not answer in time, and is asked again
        shown = subprocess.run([other.hearth, "node", "seeds", "--database", world.url], capture_output=True, text=True, check=False).stdout
        return all(text in shown.partition("\n")[0] for text in texts) and shown.splitlines()
    until(lambda: tells(f"process {serving.process.pid} on ", " serves since "))
    other.kill()
    serving.kill()
    until(lambda: len(tells(f"process {serving.process.pid} on ", " has served since ", "nobody serves") or []) == 1)
    serving.start()


CHECKS = [check_address_there, check_told, check_long_import, check_locked, check_long_start, check_frozen_taker, check_card_gone]


def inside(hearth):
    chosen = os.environ.get("HEARTH_CHECKS", "").split()
    with tempfile.TemporaryDirectory(prefix="second-seed-attacked-") as work, World(hearth, work) as world:
        for check in CHECKS:
            if chosen and check.__name__ not in chosen:
                continue
            timed(check, world)


if __name__ == "__main__":
    run_in_own_namespace(inside)
