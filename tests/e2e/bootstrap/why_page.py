#!/usr/bin/python3
"""`hearth why page`: who makes the page slow stands first, within ten seconds. usage: why_page.py HEARTH

A real conductor, with faults planted one after the other: a process that is stopped, a disk that is slow to keep what is written, a request that
takes long, a machine that does not let it run, BMCs that hang, a slow way. Nothing of it knows `why`.
"""

import contextlib
import fcntl
import json
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../peers/bootstrap"))
from conductor import Conductor, same  # noqa: E402  pylint: disable=wrong-import-position
from odd_disk import OddDisk  # noqa: E402  pylint: disable=wrong-import-position

def why(c, words, *wanted):
    """The first cause, in ten seconds."""
    began = time.monotonic()
    done = subprocess.run([c.hearth, "why", *words, "--state", c.directory, "--json"], capture_output=True, text=True, timeout=60, check=False)
    took = time.monotonic() - began
    assert done.returncode == 0, (words, done)
    first = json.loads(done.stdout)[0]["findings"][0]
    for text in wanted:
        assert text in first["cause"] + " " + first["next"] + " " + " ".join(first["evidence"]), (words, text, first)
    assert took < 10, f"{words}: {took:.1f} s"
    print(f"{took:5.1f} s  why {' '.join(words)}: {first['cause']}", flush=True)


def later(c, seconds=0.0):
    """So that what was slow before is over: each fault has a conductor that has just begun."""
    c.stop()
    c.start()
    time.sleep(seconds)


def stopped(c):
    os.kill(c.process.pid, signal.SIGSTOP)
    try:
        for words in (["page"], ["node", "w1"], ["w1"], ["stack", "any"]):
            why(c, words, f"The conductor's process {c.process.pid} is stopped", f"kill -CONT {c.process.pid}")
    finally:
        os.kill(c.process.pid, signal.SIGCONT)


def nobody_taken_in(c):
    """As after hours of clients that have given up: the queue to a conductor that hangs is full."""
    os.kill(c.process.pid, signal.SIGSTOP)
    waiting = []
    try:
        while True:
            waiting.append(socket.socket(socket.AF_UNIX))
            waiting[-1].setblocking(False)
            waiting[-1].connect(os.path.join(c.directory, "api.socket"))
    except BlockingIOError:
        for words in (["page"], ["node", "w1"]):
            why(c, words, "The conductor does not answer", "fuser -v")
    finally:
        os.kill(c.process.pid, signal.SIGCONT)
        for one in waiting:
            one.close()


def another_one(c):
    """Named by the environment; the one of the state is well, and is not told of."""
    os.environ["HEARTH_NODE_URL"] = "http://127.0.0.1:9"
    try:
        why(c, ["page"], "The conductor does not answer", "connecting to 127.0.0.1:9", "is that its address")
    finally:
        del os.environ["HEARTH_NODE_URL"]


def keeps_nothing(c):
    """Somebody has the database."""
    with contextlib.closing(sqlite3.connect(os.path.join(c.directory, "state.db"))) as database:
        database.execute("BEGIN EXCLUSIVE")
        same("a change", 503, c.ask("PATCH", "/v1/nodes/w1", [{"op": "add", "path": "/extra/a", "value": "2"}])[0])
        for words in (["page"], ["w1"], ["node", "w1"]):
            why(c, words, "can't keep what is changed", "database is locked", "fuser -v")


def slow_to_keep(c, disk):
    with disk.being("slow 700"):
        same("a change", 200, c.ask("PATCH", "/v1/nodes/w1", [{"op": "add", "path": "/extra/a", "value": "1"}])[0])
        why(c, ["page"], "The disk of the conductor's state is slow to keep what is written", "--state on another one")


@contextlib.contextmanager
def open_directory(path):
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield directory
    finally:
        os.close(directory)


def hanging_disk(c, disk):
    """While the conductor answers what it has in memory."""
    with disk.being("hang"):
        why(c, ["page"], "The disk of the conductor's state hangs", "dmesg")
        for words in (["node", "w1"], ["w1"]):
            why(c, words, "The disk of the conductor's state hangs", "dmesg")
    # Who asked such a disk and can't be ended still has the turn: no second one joins it.
    with open_directory(c.directory) as asker:
        fcntl.flock(asker, fcntl.LOCK_EX)
        why(c, ["page"], "The disk of the conductor's state hangs", "dmesg")
    why(c, ["page"], "The page is not slow")


def long_request(c):
    nodes = [{"name": f"many-{i}", "pm_type": "fake-hardware", "mac": [f"52:54:02:{i >> 16:02x}:{(i >> 8) & 255:02x}:{i & 255:02x}"]} for i in range(60000)]
    body = {"text": json.dumps({"nodes": nodes}), "source": "hall.json", "format": "json", "initial_state": "enroll", "dry_run": True}
    same("a large inventory", 200, c.ask("POST", "/v1/hearth/import", body)[0])
    why(c, ["page"], "One request takes the conductor long: POST /v1/hearth/import")


def not_let_run(c):
    for _ in range(2):
        os.kill(c.process.pid, signal.SIGSTOP)
        time.sleep(1.5)
        os.kill(c.process.pid, signal.SIGCONT)
        time.sleep(0.3)
    why(c, ["page"], "The conductor did not get to run")


def hung_bmcs(c):
    """More of them than there are workers; they take connections and say nothing."""
    bmc = socket.create_server(("127.0.0.1", 0), backlog=1024)
    try:
        nodes = [{"name": f"hung-{i}", "pm_type": "redfish", "pm_addr": f"http://127.0.0.1:{bmc.getsockname()[1]}", "pm_system_id": f"/redfish/v1/Systems/{i}",
                  "pm_user": "a", "pm_password": "b", "mac": [f"52:54:03:00:{i >> 8:02x}:{i & 255:02x}"]} for i in range(300)]
        body = {"text": json.dumps({"nodes": nodes}), "source": "hall.json", "format": "json", "initial_state": "manageable"}
        same("their inventory", 200, c.ask("POST", "/v1/hearth/import", body)[0])
        time.sleep(12)  # longer than a BMC that is well takes
        done = json.loads(subprocess.run([c.hearth, "why", "page", "--state", c.directory, "--json"], capture_output=True, text=True, timeout=60,
                                         check=True).stdout)[0]["findings"]
        hung = [one for one in done if "that talk to BMCs and agents wait for an answer" in one["cause"]]
        assert hung and "hung-" in hung[0]["evidence"][1] and hung[0]["next"].startswith("hearth why node hung-"), done
        print(f"         why page: {hung[0]['cause']}", flush=True)
    finally:
        bmc.close()


def slow_way(c):
    """A line that holds each part back."""
    door = socket.create_server(("127.0.0.1", 0))

    def carry(one, other):
        try:
            while part := one.recv(65536):
                time.sleep(0.4)
                other.sendall(part)
        except OSError:
            pass
        other.close()

    def serve():
        while True:
            try:
                near, _ = door.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", int(c.url.rsplit(":", 1)[1])))
            for pair in ((near, far), (far, near)):
                threading.Thread(target=carry, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        why(c, ["page", "--url", f"http://127.0.0.1:{door.getsockname()[1]}", "--token-file", f"{c.directory}/api-token"],
            "The way to the conductor is slow")
    finally:
        door.close()


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
    with OddDisk() as disk, Conductor(sys.argv[1], "--power-sync-interval", "0") as c:
        same("a node", 201, c.ask("POST", "/v1/nodes", {"driver": "fake-hardware", "name": "w1"})[0])
        later(c, 1)
        why(c, ["page"], "The page is not slow as it is seen from here")
        stopped(c)
        another_one(c)
        nobody_taken_in(c)
        for fault, more in ((keeps_nothing, []), (slow_to_keep, [disk]), (hanging_disk, [disk]), (not_let_run, []), (long_request, []), (slow_way, []), (hung_bmcs, [])):
            later(c, 1)
            fault(c, *more)
    print("ok")


main()
