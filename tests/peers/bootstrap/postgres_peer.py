"""A conductor whose state lives in PostgreSQL: what it has acknowledged outlives its own death and the database's, at any moment; while
the database is away, full or closed to writers nothing is acknowledged; two conductors never drive one; no password is told; a backup
of one that serves becomes a state of either kind.

The tests of the store again (BOOTSTRAP_TESTS, this room's unit tests), each statement failing once.

usage: postgres_peer.py HEARTH BOOTSTRAP_TESTS
"""
import itertools
import json
import os
import re
import shutil
import signal as signals
import socket
import subprocess
import sys
import tempfile
import threading
import time

from conductor import Conductor, need, until
from on_postgres import CLOSED, Busy, Postgres, acknowledged, all_events, all_nodes, check_kept, programs, status_of, timed
from own_network import enter

HEARTH, BOOTSTRAP_TESTS = sys.argv[1:3]


class Writer(Busy):
    """Makes nodes and puts them into maintenance as fast as it is answered; what was acknowledged."""

    count = 0

    def __init__(self, conductor):
        super().__init__()
        Writer.count += 1
        self.prefix = f"w{Writer.count}-"
        self.conductor, self.made, self.kept, self.maintained, self.refused = conductor, 0, [], [], 0

    def once(self):
        name = f"{self.prefix}{self.made}"
        self.made += 1
        status = status_of(self.conductor, "POST", "/v1/nodes", {"driver": "fake-hardware", "name": name})
        if status == 201:
            self.kept.append(name)
            status = status_of(self.conductor, "PUT", f"/v1/nodes/{name}/maintenance", {"reason": "r" + name})
            self.maintained += [name] if status == 202 else []
        self.refused += status == 503
        if status is None:
            self.stop.wait(0.02)


def check_killed(postgres, conductor):
    """Of the conductor and of the database, at any moment."""
    kept, maintained = [], []
    for pause in (0.05, 0.21, 0.4):
        with Writer(conductor) as writer:
            until(lambda one=writer: one.maintained)
            time.sleep(pause)
            conductor.kill()
        kept, maintained = kept + writer.kept, maintained + writer.maintained
        conductor.start()
        check_kept(conductor, kept, maintained)
    with Writer(conductor) as writer:
        until(lambda: writer.maintained)
        postgres.stop()
        began = time.monotonic()
        status, _ = conductor.ask_raw("POST", "/v1/nodes", {"driver": "fake-hardware", "name": "away"})
        took = time.monotonic() - began
        assert status == 503 and took < 12, (status, took)  # after three seconds, on a machine that has other work
        assert conductor.ask_raw("GET", "/v1/nodes")[0] in (200, 503), "it answers"
        until(lambda: writer.refused > 0)
        postgres.start()
        before = len(writer.kept)
        until(lambda: len(writer.kept) > before)
    check_kept(conductor, writer.kept, writer.maintained)
    log = conductor.logged()
    assert "nothing is acknowledged and no order given" in log and "answers again" in log, log
    conductor.kill()
    conductor.start()
    check_kept(conductor, kept + writer.kept, maintained + writer.maintained)


def check_closed(postgres, conductor):
    """Closed to writers, and full: the reason is told, nothing is acknowledged, and it goes on by itself."""
    full = ("CREATE FUNCTION full_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left "
            "on device' USING ERRCODE = '53100'; END $$; CREATE TRIGGER full_up BEFORE INSERT ON conductor.events EXECUTE FUNCTION full_up()")
    closing = {"read-only transaction": ("ALTER DATABASE postgres SET default_transaction_read_only = on",
                                         "BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT"),
               "No space left": (full, "DROP TRIGGER full_up ON conductor.events; DROP FUNCTION full_up")}
    for number, (reason, (close, reopen)) in enumerate(closing.items()):
        postgres.ask(close)
        postgres.end_connections()
        tries = itertools.count()
        until(lambda n=number, at=tries: status_of(conductor, "POST", "/v1/nodes", {"driver": "fake-hardware", "name": f"closed{n}-{next(at)}"}) == 503)
        until(lambda why=reason: why in conductor.logged())
        postgres.ask(reopen)
        postgres.end_connections()
        acknowledged(conductor, f"open{number}")


def serve(directory, url, *options):
    return subprocess.run([HEARTH, "node", "serve", "--state", directory, "--port", "0", "--database", url, *options], capture_output=True,
                          text=True, timeout=60, check=False)


def check_second(postgres, conductor, work):
    """A second one is refused, and told of the first; one that was cut off, and finds another, gives up."""
    os.makedirs(work + "/second", mode=0o700)
    shutil.copy(conductor.directory + "/seal-key", work + "/second")
    refused = serve(work + "/second", postgres.url())
    named = f"process {conductor.process.pid} on {socket.gethostname()} uses postgresql://hearth:***@"
    assert refused.returncode == 1 and named in refused.stderr and "secret" not in refused.stderr, refused.stderr
    conductor.process.send_signal(signals.SIGSTOP)
    postgres.end_connections()
    with Conductor(HEARTH, "--database", postgres.url(), directory=work + "/second") as other:
        assert other.ask("POST", "/v1/nodes", {"driver": "fake-hardware", "name": "of-the-second"})[0] == 201
        asked = []
        body = {"driver": "fake-hardware", "name": "of-the-first"}
        beside = threading.Thread(target=lambda: asked.append(status_of(conductor, "POST", "/v1/nodes", body)))
        beside.start()
        time.sleep(0.2)
        conductor.process.send_signal(signals.SIGCONT)
        assert conductor.process.wait(timeout=60) != 0
        beside.join()
        assert asked[0] not in (200, 201, 202), f"the one that was replaced acknowledged: {asked[0]}"
        told = conductor.logged()
        assert f"process {other.process.pid} on {socket.gethostname()} " in told and "gives no orders any more" in told, told
        assert other.ask("GET", "/v1/nodes/of-the-second")[0] == 200
        assert other.ask("GET", "/v1/nodes/of-the-first")[0] == 404
        other.stop()
    conductor.start()
    assert conductor.ask("GET", "/v1/nodes/of-the-second")[0] == 200


def check_refused(postgres, work):
    """A wrong password, which nobody is told; a database of a newer Hearth; a directory whose state is elsewhere."""
    for number, url in enumerate((f"postgresql://closed:s3cret@127.0.0.1:{postgres.port}/postgres",
                                  f"postgresql://closed@127.0.0.1:{postgres.port}/postgres?password=s3cret",
                                  f"postgresql://closed:s3cret/x@127.0.0.1:{postgres.port}/postgres")):
        refused = serve(f"{work}/wrong{number}", url)
        assert refused.returncode != 0 and "s3cret" not in refused.stderr + refused.stdout, refused.stderr
        assert "password" in refused.stderr, refused.stderr
    postgres.create("newer")
    with Conductor(HEARTH, "--database", postgres.url("newer")) as made:
        made.stop()
        postgres.ask("UPDATE conductor.settings SET value = '99' WHERE name = 'version'", "newer")
        refused = serve(made.directory, postgres.url("newer"))
        assert refused.returncode == 1 and "was written by a newer Hearth (version 99)" in refused.stderr, refused.stderr
        alone = subprocess.run([HEARTH, "node", "list", "--state", made.directory], capture_output=True, text=True, timeout=60, check=False)
        assert alone.returncode != 0 and "lives in postgresql://" in alone.stderr, alone.stdout + alone.stderr
        assert not os.path.exists(made.directory + "/state.db")


def hearth(*words):
    done = subprocess.run([HEARTH, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def facts(conductor):
    events = [event for event in all_events(conductor) if event["kind"] != "conductor"]
    nodes = [(n["uuid"], n["name"], n["maintenance"], json.dumps(n["driver_info"], sort_keys=True)) for n in all_nodes(conductor, "/v1/nodes/detail")]
    return sorted(nodes), events


def check_backup(postgres, conductor, work):
    """Of one that serves and is written to; restored as files, and from those into another database."""
    conductor.ask("POST", "/v1/nodes", {"driver": "fake-hardware", "name": "secret", "driver_info": {"redfish_password": "of a BMC"}})
    with Writer(conductor):
        hearth("backup", "--state", conductor.directory, "--database", postgres.url(), work + "/busy.bundle")
    hearth("backup", "--state", conductor.directory, "--database", postgres.url(), work + "/one.bundle")
    known = facts(conductor)
    assert os.stat(work + "/one.bundle").st_mode & 0o777 == 0o600
    with open(work + "/one.bundle", "rb") as file:
        assert b"of a BMC" not in file.read()
    hearth("restore", "--state", work + "/busy", work + "/busy.bundle")
    hearth("restore", "--state", work + "/files", work + "/one.bundle")
    postgres.create("moved")
    with Conductor(HEARTH, directory=work + "/files") as as_files:
        assert facts(as_files) == known
        with Writer(as_files) as writer:  # SQLite's, while it serves
            until(lambda: writer.kept)
            hearth("backup", "--state", as_files.directory, work + "/two.bundle")
    hearth("restore", "--state", work + "/moved", "--database", postgres.url("moved"), work + "/two.bundle")
    assert not os.path.exists(work + "/moved/state.db")
    again = subprocess.run([HEARTH, "restore", "--state", work + "/again", "--database", postgres.url("moved"), work + "/two.bundle"],
                           capture_output=True, text=True, timeout=60, check=False)
    assert again.returncode == 1 and "there is a state in" in again.stderr and not os.path.exists(work + "/again"), again.stderr
    with Conductor(HEARTH, "--database", postgres.url("moved"), directory=work + "/moved") as moved:
        nodes, events = facts(moved)
        assert {node[0] for node in known[0]} <= {node[0] for node in nodes} and events[:len(known[1])] == known[1]


def check_seal(postgres, conductor):
    """A dump tells no secret."""
    dump = subprocess.run([f"{postgres.programs}/pg_dump", "--inserts", postgres.url()], capture_output=True, text=True, timeout=60, check=True).stdout
    assert "sealed:" in dump and "of a BMC" not in dump and "secret" in dump, "the node's name is in its events"
    with open(conductor.directory + "/database", encoding="ascii") as file:
        assert ":secret@" not in file.read()


ENGINE = ("--engine", "--cfn-port=0", "--objects-port=0", "--heat-port=0", "--identity-port=0")
TEMPLATE = """heat_template_version: wallaby
parameters: {secret: {type: string, hidden: true}}
resources:
  word: {type: "OS::Heat::RandomString"}
  all: {type: "OS::Heat::Value", properties: {value: {get_attr: [word, value]}}}
outputs: {word: {value: {get_attr: [all, value]}}, secret: {value: {get_param: secret}}}
"""


def stacks_of(conductor, *names):
    """All that is told of them, their resources and events; links have the service's port."""
    until(lambda: os.path.exists(conductor.directory + "/metadata/endpoint"))
    told = []
    for name in names:
        for words in (("show",), ("resource", "list"), ("event", "list")):
            rows = json.loads(hearth("stack", *words, name, "--json", "--state", conductor.directory))
            told.append([{key: value for key, value in row.items() if key != "links"} for row in (rows if isinstance(rows, list) else [rows])])
    return told


def check_engine(postgres, work):
    """Stacks are in the same database, beside the nodes, and go there and back with a backup."""
    for name in ("whole", "back", "taken"):
        postgres.create(name)
    with open(work + "/stack.yaml", "w", encoding="ascii") as file:
        file.write(TEMPLATE)
    made = ("stack", "create", "-t", work + "/stack.yaml", "-P", "secret=of a stack", "--wait")
    with Conductor(HEARTH, "--database", postgres.url("whole"), *ENGINE) as whole:
        whole.ask("POST", "/v1/nodes", {"driver": "fake-hardware", "name": "n"})
        until(lambda: os.path.exists(whole.directory + "/metadata/endpoint"))
        for name in ("one", "two"):
            hearth(*made, name, "--state", whole.directory)
        assert postgres.ask("SELECT count(*) FROM conductor.nodes", "whole") == "1"
        assert postgres.ask("SELECT count(*) FROM tree", "whole") == "2"
        hearth("backup", "--state", whole.directory, "--database", postgres.url("whole"), work + "/whole.bundle")
        known = stacks_of(whole, "one", "two")
        assert known[0][0]["outputs"] != known[3][0]["outputs"] and len(known[1]) == 2 and len(known[2]) >= 6, known
    hearth("restore", "--state", work + "/whole", work + "/whole.bundle")
    with Conductor(HEARTH, *ENGINE, directory=work + "/whole") as files:
        assert stacks_of(files, "one", "two") == known
        hearth("backup", "--state", files.directory, work + "/files.bundle")
    hearth("restore", "--state", work + "/back", "--database", postgres.url("back"), work + "/files.bundle")
    with Conductor(HEARTH, "--database", postgres.url("back"), *ENGINE, directory=work + "/back") as back:
        assert stacks_of(back, "one", "two") == known
        hearth(*made, "three", "--state", back.directory)
        assert len(json.loads(hearth("stack", "list", "--json", "--state", back.directory))) == 3, "numbers go on behind those that were copied"
    # Of a database that has stacks, and no nodes, nothing is taken: neither are the nodes there afterwards.
    with Conductor(HEARTH, "--database", postgres.url("taken"), *ENGINE) as taken:
        until(lambda: os.path.exists(taken.directory + "/metadata/endpoint"))
        hearth(*made, "own", "--state", taken.directory)
    postgres.ask("DROP SCHEMA conductor CASCADE", "taken")
    refused = subprocess.run([HEARTH, "restore", "--state", work + "/taken", "--database", postgres.url("taken"), work + "/files.bundle"],
                             capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 1 and "there are stacks in" in refused.stderr, refused.stderr
    assert postgres.ask("SELECT to_regclass('conductor.nodes') IS NULL", "taken") == "t" and not os.path.exists(work + "/taken")


def check_deployments(postgres):
    """As e2e.bootstrap.nodes_become_active: kill -9 at random moments of deployments, and no image is written twice."""
    postgres.create("deployed")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../e2e/bootstrap/kill_conductor.py")
    run = subprocess.run([sys.executable, "-B", script, HEARTH, "5", "3"], env=dict(os.environ, HEARTH_TEST_DATABASE=postgres.url("deployed")),
                         capture_output=True, text=True, timeout=200, check=False)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    assert postgres.ask("SELECT count(*) FROM conductor.nodes", "deployed") == "3", "they were deployed from elsewhere"


def check_store(postgres):
    postgres.create("faults")
    run = subprocess.run([BOOTSTRAP_TESTS, "--gtest_filter=Postgres/HomeTest.*"], env=dict(os.environ, HEARTH_TEST_POSTGRES=postgres.url("faults")),
                         capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0 and re.search(r"\[  PASSED  \] [12][0-9] tests", run.stdout), run.stdout[-3000:] + run.stderr[-1000:]


def main():
    enter()
    need(programs(), "postgresql is not installed")
    with tempfile.TemporaryDirectory(prefix="postgres-peer-") as work:
        postgres = Postgres(work, rules=CLOSED)
        postgres.start()
        try:
            postgres.ask("CREATE ROLE closed LOGIN PASSWORD 'another'")
            with Conductor(HEARTH, "--database", postgres.url()) as conductor:
                timed(check_killed, postgres, conductor)
                timed(check_closed, postgres, conductor)
                timed(check_second, postgres, conductor, work)
                timed(check_backup, postgres, conductor, work)
                timed(check_seal, postgres, conductor)
                assert "secret@" not in conductor.logged()
            timed(check_refused, postgres, work)
            timed(check_engine, postgres, work)
            timed(check_deployments, postgres)
            timed(check_store, postgres)
        finally:
            postgres.stop()


if __name__ == "__main__":
    main()
