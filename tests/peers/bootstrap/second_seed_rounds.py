#!/usr/bin/python3
"""Fifty rounds of two seeds (two_seeds.py) with a PostgreSQL server that has a replica, drawn at random: whichever serves is killed, stopped,
frozen with all of its machine, cut off, asked to end; the database is started anew, or its replica is promoted, once the seed has died with
it. Machines, agents, people and a BMC go on meanwhile. Then a copy that lacks what was acknowledged is gone on with by nobody.

usage: second_seed_rounds.py HEARTH     HEARTH_ROUNDS: how many; HEARTH_SEED: drawn by another number. Runs where HEARTH_LONG is set.
"""
import os
import random
import statistics
import tempfile
import time

from conductor import need, same, until
from dhcp_machines import check_told
from on_postgres import check_kept, run_in_own_namespace
from seed_rounds import FOLLOWS, STAYS, TERM, check_all, play, replicated
from two_seeds import Agent, Engine, Watched, World, Writer

KINDS = ["killed", "stopped", "frozen", "cut off", "ended", "the database", "promoted", "promoted and killed"]


def drawn(count, dice):
    """Each kind as often as another, or once more."""
    rounds = (KINDS * (count // len(KINDS) + 1))[:count]
    dice.shuffle(rounds)
    return rounds


def table(took):
    """Seconds until served, by what was done: half of the times, and the longest."""
    lines = [f"{'':20} rounds   people        machines      agents        waited for a processor"]
    for kind in [*KINDS, "all"]:
        times = [row[1:] for row in took if kind in (row[0], "all")]
        cells = [f"{statistics.median(row[at] for row in times):5.1f} {max(row[at] for row in times):5.1f}" for at in range(4) if times]
        lines += [f"{kind:20} {len(times):6}   {'   '.join(cells)}"]
    return "\n".join(lines)


def check_rounds(world, count):
    dice = random.Random(int(os.environ.get("HEARTH_SEED", "7")))
    engine, took = Engine(world.seeds[0].directory), []
    replicated(world)
    with Watched(10) as machines, Writer(world.seeds) as writer, Agent(engine, "s") as agent:
        until(lambda: len(machines.told) == 10 and agent.done)
        for number, kind in enumerate(drawn(count, dice), 1):
            time.sleep(1 + dice.random())
            print(f"{number:3}", end=" ", flush=True)
            took.append(play(kind, world, machines, agent))
            check_told(world.postgres, machines)
            if world.replica is None:
                replicated(world)
    print(check_all(world, writer, agent))
    print(f"{len(machines.times)} addresses were told to {len(machines.told)} machines: each is in the database, none is another's")
    print(table(took), flush=True)
    served = [(people - starved, machines - starved) for kind, people, machines, _, starved in took if kind not in STAYS]
    usual = [statistics.median(each[at] for each in served) for at in (0, 1)]
    assert max(usual) < TERM + FOLLOWS, f"usually after {usual} s"
    assert all(max(each) < 2 * (TERM + FOLLOWS) for each in served), served  # the database waits for a processor, too
    return writer.kept


def nodes_made(seed, prefix, count):
    made = [f"{prefix}{number}" for number in range(count)]
    same("they are made", {201}, {seed.get("/v1/nodes", "POST", {"driver": "fake-hardware", "name": name}) for name in made})
    return made


def check_went_back(world, kept):
    """A copy of before what was acknowledged answers where the database was: nobody goes on with it until a person has looked."""
    serving, seeds = world.serving(), world.seeds
    until(world.other(serving).waits)
    world.postgres.ask("ALTER SYSTEM RESET synchronous_standby_names")
    world.postgres.ask("SELECT pg_reload_conf()")
    world.replica.stop()
    before = world.postgres.copied(world.work + "/before", world.second)
    lost = nodes_made(serving, "lost", 5)
    time.sleep(1)  # the standby has seen them, too
    world.postgres.stop()
    before.start()  # it may lack the taking of the database, too: or only what followed
    for seed in seeds:
        until(lambda each=seed: each.process.poll() is not None, 40)
        same(f"how it ended: {seed.said()[-1000:]}", 1, seed.process.returncode)
        assert "went back to before" in seed.said() and os.path.exists(seed.directory + "/database-went-back"), seed.said()[-2000:]
        seed.start()
        same("started again", 1, seed.process.wait(timeout=20))
    before.stop()
    world.postgres.start()
    for seed in seeds:
        os.remove(seed.directory + "/database-went-back")
        seed.start()
    check_kept(world.serving(), kept + lost)


def inside(hearth):
    count = int(os.environ.get("HEARTH_ROUNDS", "50"))
    with tempfile.TemporaryDirectory(prefix="seed-rounds-") as work, World(hearth, work) as world:
        check_went_back(world, check_rounds(world, count))


def main():
    need(os.environ.get("HEARTH_LONG"), "HEARTH_LONG is not set")
    run_in_own_namespace(inside)


if __name__ == "__main__":
    main()
