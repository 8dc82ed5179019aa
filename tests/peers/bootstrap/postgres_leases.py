#!/usr/bin/python3
"""Leases of a conductor whose state lives in PostgreSQL: one that a machine was told is in the database, whatever is killed; while that
is away none is promised; another directory goes on with them, and so does an older Hearth's. usage: postgres_leases.py HEARTH

Runs in a network namespace of its own, asks as machines do.
"""
import os
import random
import shutil
import subprocess
import tempfile
import time

from conductor import Conductor, same, site, until
from dhcp_machines import Machines, check_told, kept
from on_postgres import Postgres, run_in_own_namespace

def check_killed(postgres, conductor):
    seen = random.Random(5)
    with Machines(40) as machines:
        until(lambda: len(machines.told) == 40)
        took = sorted(machines.times)
        print(f"{len(took)} addresses, half of them within {took[len(took) // 2] * 1000:.0f} ms", flush=True)
        for _ in range(int(os.environ.get("HEARTH_KILLS", "4"))):
            time.sleep(seen.random())
            conductor.kill()
            check_told(postgres, machines)
            conductor.start()
            before = len(machines.times)
            until(lambda then=before: len(machines.times) > then)
        for _ in range(2):
            postgres.stop()
            conductor.until(lambda: conductor.ask_raw("GET", "/v1/nodes")[0], 503)
            with Machines(3, 200 + len(machines.times)) as late:
                time.sleep(2.5)
                same("what is promised while the database is away", {}, late.told)
                postgres.start()
                until(lambda asks=late: len(asks.told) == 3)
            check_told(postgres, machines, late)
    same("the copy beside it", set(kept(postgres).items()), set(of_file(conductor.directory)))


def of_file(directory):
    with open(directory + "/leases", encoding="ascii") as file:
        found = {words[3]: words[2] for words in (line.split() for line in file)}
    return found.items()


def check_elsewhere(hearth, postgres, conductor, options, work):
    """Another directory has all of them, and gives nobody's address away; a backup and a schema of older days have them, too."""
    leases = kept(postgres)
    done = subprocess.run([hearth, "backup", "--state", conductor.directory, "--database", postgres.url(), work + "/backup"], check=False)
    same("hearth backup", 0, done.returncode)
    conductor.stop()
    other = work + "/other"
    os.makedirs(other, mode=0o700)
    shutil.copy(conductor.directory + "/seal-key", other)
    with Conductor(hearth, "--boot", site(other), *options, directory=other) as second:
        with Machines(2, 900) as machines:
            until(lambda: len(machines.told) == 2)
        check_told(postgres, machines)
        assert not set(machines.told.values()) & set(leases), "of those that others have"
        second.stop()
        done = subprocess.run([hearth, "node", "schema", "--state", other, "--database", postgres.url(), "--to", "1"], capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0 and "version 1\n" in done.stdout, done
        same("the leases beside an older Hearth's tables", len(leases) + 2, len(of_file(other)))
        second.start()
        conductor.until(lambda: len(kept(postgres)), len(leases) + 2)
        second.stop()
    done = subprocess.run([hearth, "restore", "--state", work + "/files", work + "/backup"], check=False)
    same("hearth restore", 0, done.returncode)
    same("the leases in a backup", set(leases.items()), set(of_file(work + "/files")))


def inside(hearth):
    for words in ("link set lo up", "link add seed0 type veth peer name machine0", "addr add 192.0.2.1/24 dev seed0", "link set seed0 up",
                  "link set machine0 up"):
        subprocess.run(["ip", *words.split()], check=True)
    with tempfile.TemporaryDirectory(prefix="postgres-leases-") as work:
        postgres = Postgres(work)
        postgres.start()
        state = work + "/state"
        os.makedirs(state, mode=0o700)
        options = ["--boot-force", "--unknown", "local", "--database", postgres.url()]
        try:
            with Conductor(hearth, "--boot", site(state), *options, directory=state) as conductor:
                check_killed(postgres, conductor)
                check_elsewhere(hearth, postgres, conductor, options, work)
        finally:
            postgres.stop()


if __name__ == "__main__":
    run_in_own_namespace(inside)
