#!/usr/bin/python3
"""Two seeds of one PostgreSQL database (two_seeds.py) among people and machines that do odd things: defaults of the database that end what
takes long, a schema of the user's name, rules that refuse new connections, a stranger with the address that goes along, yesterday's backup put
back beneath them. Nothing acknowledged is lost unasked, and whoever could not serve says so before it is needed.

usage: second_seed_odd.py HEARTH     HEARTH_CHECKS: the names of those to be run; else all
"""
import contextlib
import os
import socket
import subprocess
import tempfile
import time

from conductor import in_own_namespace, need, same, until
from postgres import programs
from second_seed_attacked import imported, pair
from two_seeds import CARRIED, TEMPLATE, Engine, World, ip

STRANGER = bytes.fromhex("02000000bad1")
DEFAULTS = {"default_transaction_isolation": "repeatable read", "statement_timeout": "200ms", "idle_session_timeout": "700ms",
            "idle_in_transaction_session_timeout": "100ms"}


def made(seed, name):
    return seed.get("/v1/nodes", "POST", {"driver": "fake-hardware", "name": name})


def check_defaults(world):
    """Of the user's, by which what takes long is ended, or refused for the beats beside it: an import is kept all the same."""
    pair(world)
    os.environ["PGOPTIONS"] = "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0"  # of this test's own questions
    for name, value in DEFAULTS.items():
        world.postgres.ask(f"ALTER ROLE hearth SET {name} = '{value}'")
    world.postgres.ask("CREATE FUNCTION conductor.slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
                       "PERFORM pg_sleep(0.5); RETURN NULL; END $$; CREATE TRIGGER slow AFTER INSERT ON conductor.nodes FOR EACH STATEMENT "
                       "EXECUTE FUNCTION conductor.slow()")
    world.postgres.end_connections()
    until(lambda: (seed := world.serving()) and imported(seed, "d", 2000)[0] == 200, 60)  # 503 where this machine stands still for a term
    for name in DEFAULTS:
        world.postgres.ask(f"ALTER ROLE hearth RESET {name}")
    world.postgres.ask("DROP TRIGGER slow ON conductor.nodes")
    del os.environ["PGOPTIONS"]


def check_schema_of_user(world):
    """As PostgreSQL's manual advises, later than the tables of stacks were made: whoever follows finds those, and makes none anew."""
    serving, other = pair(world)
    engine = Engine(serving.directory)
    until(lambda: engine.people("/stacks", "POST", {"stack_name": "before", "template": TEMPLATE}, patience=20)[0] in (201, 409), 40)
    world.postgres.ask("CREATE SCHEMA hearth AUTHORIZATION hearth")
    serving.kill()
    until(other.serves, 30)
    until(lambda: engine.people("/stacks/before", patience=20)[0] == 200)
    same("tables in it", "0", world.postgres.ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'hearth'"))


@contextlib.contextmanager
def refused_ways(postgres):
    """Who is connected stays so; nobody else is."""
    path = postgres.data + "/pg_hba.conf"
    with open(path, encoding="ascii") as file:
        before = file.read()

    def put(text):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        postgres.run("pg_ctl", "-D", postgres.data, "reload")
    put("host all hearth all reject\n")
    try:
        yield
    finally:
        put(before)


def check_refused_ways(world):
    """Whoever waits says that it could not follow, and why, while another one serves; then that nobody does; then it follows by itself."""
    serving, other = pair(world)
    with refused_ways(world.postgres):
        until(lambda: "could not follow" in other.said(), 40)
        told = other.said().rsplit("could not follow", 1)[-1]
        assert "pg_hba.conf rejects connection" in told and "says who may come" in told, told
        assert serving.serves(), "who is connected goes on"
        serving.kill()
        until(lambda: "standby: waits: connecting to" in other.said(), 30)
        told = other.said().rsplit("standby: waits: connecting to", 1)[-1]
        assert "pg_hba.conf rejects connection" in told, f"of the first server, not of the last one alone: {told}"
        time.sleep(5)
        assert other.said().count("standby: waits: connecting to") < 3, "it is told again and again"
    until(other.serves, 30)


class Arp:
    """On the machines' network: who announces the address, and a stranger that says it has it."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
        self.socket.bind(("machine0", 0))
        self.socket.setblocking(False)
        self.own = socket.inet_aton(CARRIED)

    def claim(self):
        self.socket.send(b"\xff" * 6 + STRANGER + b"\x08\x06\x00\x01\x08\x00\x06\x04\x00\x01" + STRANGER + self.own + bytes(6) + self.own)

    def announcements(self, seed):
        """Of that seed's, since the last look."""
        count = 0
        with contextlib.suppress(BlockingIOError):
            while packet := self.socket.recv(2048):
                count += packet[28:32] == self.own == packet[38:42] and packet[22:28].hex(":") == seed.mac
        return count


@contextlib.contextmanager
def quiet_stranger():
    """A machine of its own that has the address and says nothing; its MAC."""
    net, mac = f"hearth-stranger-{os.getpid()}", "02:00:00:00:ba:d2"
    ip("netns", "add", net)
    try:
        ip("link", "add", "ps", "type", "veth", "peer", "name", "card", "netns", net)
        ip("link", "set", "ps", "master", "machines", "up")
        ip("-n", net, "link", "set", "card", "address", mac, "up")
        ip("-n", net, "addr", "add", f"{CARRIED}/24", "dev", "card")
        yield mac
    finally:
        subprocess.run(["ip", "netns", "del", net], check=True)


def check_stranger(world):
    """It is answered once, however often it says so, and told of in the log and on the page; the seed serves on."""
    serving, _ = pair(world)
    arp = Arp()
    time.sleep(8)  # until it has announced itself by itself
    arp.announcements(serving)
    told, began, count = STRANGER.hex(":"), time.monotonic(), 0
    while time.monotonic() < began + 4:
        arp.claim()
        count += arp.announcements(serving)
        time.sleep(0.1)
    assert 1 <= count <= 2, f"{count} announcements"  # two where this machine has stood still for ten seconds
    until(lambda: f"another machine, {told}, says that it has this seed's address" in serving.said())
    assert serving.said().count(told) == 1, "it is told again and again"
    with quiet_stranger() as quiet:
        until(lambda: quiet in serving.said(), 40)
    assert serving.has_address() and serving.serves(), "the seed serves on"


def check_yesterday(world):
    """A backup is put back beneath them, on connections that live: neither goes on with it unasked, also not when it is started again."""
    serving, other = pair(world)
    until(lambda: made(serving, "yesterday") in (201, 409))
    dump = subprocess.run([f"{world.postgres.programs}/pg_dump", "--clean", "--if-exists", world.postgres.url()], capture_output=True, check=True)
    serving.stop()
    until(other.serves, 30)
    until(lambda: made(other, "today") in (201, 409))
    serving.start()
    until(serving.waits, 30)
    subprocess.run([f"{world.postgres.programs}/psql", "-q1", "-v", "ON_ERROR_STOP=1", world.postgres.url()], input=dump.stdout, check=True,
                   stdout=subprocess.DEVNULL)
    for _ in range(2):  # as they run, and as systemd starts them again
        for seed in world.seeds:
            same(f"how it ended: {seed.said()[-1000:]}", 1, seed.process.wait(timeout=40))
            assert "went back to before" in seed.said() and "has taken" not in seed.said(), seed.said()[-1000:]
            seed.start()
    for seed in world.seeds:
        seed.process.wait(timeout=40)
    os.remove(serving.directory + "/database-went-back")  # a person has decided
    serving.start()
    until(serving.serves, 40)
    until(lambda: serving.get("/v1/nodes/yesterday") == 200)


CHECKS = [check_defaults, check_schema_of_user, check_refused_ways, check_stranger, check_yesterday]


def inside(hearth):
    chosen = os.environ.get("HEARTH_CHECKS", "").split()
    with tempfile.TemporaryDirectory(prefix="second-seed-odd-") as work, World(hearth, work) as world:
        for check in CHECKS:
            if chosen and check.__name__ not in chosen:
                continue
            began = time.monotonic()
            check(world)
            print(f"{time.monotonic() - began:5.1f} s  {check.__name__}", flush=True)


def main():
    need(programs(), "postgresql is not installed")
    need(os.getuid() == 0, "not root: no namespaces for two seeds")
    in_own_namespace(inside)


if __name__ == "__main__":
    main()
