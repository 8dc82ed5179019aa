"""A round of two seeds (two_seeds.py): whichever serves is disturbed, and the other one follows; what must hold then."""

import shutil
import signal
import subprocess
import time

from conductor import same, until
from on_postgres import check_kept
from two_seeds import SHORT, check_stacks

TERM, FOLLOWS = 3.25, 3  # after so long a seed is silent; so long the next may take from there


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


def promoted(world):
    """The primary dies; its replica, which has all, takes its place."""
    world.postgres.stop()
    world.replica.ask("ALTER SYSTEM RESET synchronous_standby_names")
    world.replica.promote()
    world.postgres, world.replica, world.second = world.replica, None, world.postgres.port


def replicated(world):
    """A replica that has all before it is acknowledged, at the other port."""
    place = f"{world.work}/replica{world.second}"
    shutil.rmtree(place, ignore_errors=True)
    world.replica = world.postgres.copied(place, world.second, "-R")
    world.replica.start()
    world.postgres.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
    world.postgres.ask("SELECT pg_reload_conf()")
    until(lambda: world.postgres.ask("SELECT sync_state FROM pg_stat_replication") == "sync")


STAYS = ("the database", "promoted")  # the same seed serves on: nobody was silent but the database


def disturb(kind, seed, world):
    if kind in ("killed", "promoted and killed"):
        seed.kill()
    if kind == "stopped":
        seed.process.send_signal(signal.SIGSTOP)
    if kind == "frozen":  # all of its machine, with the companion that holds its address
        seed.send(signal.SIGSTOP, seed.processes())
    if kind == "cut off":
        seed.people("down")
    if kind == "ended":
        seed.stop()
    if kind == "the database":
        world.postgres.stop()
        world.postgres.start()
    if kind in ("promoted", "promoted and killed"):
        promoted(world)


def check_old(kind, old, machines):
    """Woken, or reached again: it answers nobody, and ends."""
    if kind != "frozen":  # then the kernel takes the address away, a second later at most
        assert not old.has_address(), "the old one has the address yet"
    began, answers = time.monotonic(), set()
    if kind in ("stopped", "frozen"):
        old.send(signal.SIGCONT, old.processes())
    if kind == "cut off":
        same("asked where it runs", 1, subprocess.run([old.hearth, "node", "list", "--state", old.directory], capture_output=True, check=False).returncode)
        old.people("up")
    while old.process.poll() is None:
        answers.add(old.get(patience=SHORT))
        assert time.monotonic() - began < 60, f"it goes on: {old.said()[-2000:]}"
    assert 200 not in answers, "the old one has answered"
    assert not old.has_address(), "the old one has taken the address back"
    assert machines.sent.get(old.mac, 0) < began, "the old one has sent machines something"
    if kind in ("stopped", "frozen", "cut off"):
        same(f"how it ended: {old.said()[-2000:]}", 1, old.process.returncode)
        assert "has taken" in old.said() or "uses postgresql" in old.said(), old.said()[-2000:]


def waited(seed):
    """Seconds for which it could have worked, and others had the processor."""
    with open(f"/proc/{seed.process.pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[1]) / 1e9


def play(kind, world, machines, agent):
    """One round: its kind, and the seconds until people were served again, until machines were, which ask each second, and the longest time
    in which no agent's poll was answered; how much of the first the one that serves now waited for a processor."""
    old = world.serving()
    new = world.other(old)
    until(new.waits)
    resets = ordered(old, world.bmc)
    if kind in STAYS:
        new = old
    before, began = waited(new), time.monotonic()
    disturb(kind, old, world)
    until(new.serves)
    people, starved = time.monotonic() - began, waited(new) - before
    until(lambda: machines.heard.get(new.mac, 0) > began)
    took = time.monotonic() - began
    until(lambda: agent.answered and agent.answered[-1] > began + people)
    until(lambda: world.bmc.on)
    same("how often the machine was switched", resets + 1, len(world.bmc.resets))
    if new is not old:
        assert machines.announced.get(new.mac, 0) > began, "nobody was told who has the address"
        check_old(kind, old, machines)
        assert new.has_address()
        shown = subprocess.run([new.hearth, "node", "seeds", "--state", new.directory], capture_output=True, text=True, check=True).stdout
        assert f"process {new.process.pid} on " in shown.splitlines()[0] and " serves since " in shown, shown
        old.start()
    agent.check()
    gap = agent.gap(began)
    print(f"{kind}: people after {people:.1f} s, machines after {took:.1f} s, agents after {gap:.1f} s; "
          f"waited for a processor for {starved:.1f} s", flush=True)
    return kind, people, max(0, took - 1), gap, starved


def check_all(world, writer, agent):
    """After all rounds; what was counted."""
    writer.check()
    events = check_kept(world.serving(), writer.kept)
    check_stacks(agent.engine, agent)
    signals = sum(len(results) for results in agent.done.values())
    return (f"of {writer.made} nodes asked for {len(writer.kept)} were acknowledged, {signals} of {agent.sent} signals to {len(agent.done)} "
            f"stacks, {len(world.bmc.resets)} orders: none is lost, none is there twice; nor one of {events} events")
