#!/usr/bin/python3
"""A seed on a disk that is slow, hangs, refuses, is full or is taken away. usage: odd_disks.py HEARTH

Nothing that was acknowledged is lost, nobody is told what is not on the disk, nothing hangs, and where the seed ends it says what failed
and what is to be done; a start after that goes on.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../peers/bootstrap"))
from conductor import Conductor, same  # noqa: E402  pylint: disable=wrong-import-position
from odd_disk import OddDisk  # noqa: E402  pylint: disable=wrong-import-position


def change(c, value, node="w1"):
    """Its status; 0 where nobody answered."""
    try:
        return c.ask_raw("PATCH", f"/v1/nodes/{node}", [{"op": "add", "path": "/extra/v", "value": value}])[0]
    except OSError:
        return 0


def value_of(c, node="w1"):
    return c.node(node)["extra"].get("v")


def read(c, node="w1"):
    """The same where the seed may say that it can't keep anything now: then that status."""
    status, text = c.ask_raw("GET", f"/v1/nodes/{node}")
    return json.loads(text)["extra"].get("v") if status == 200 else status


class Seed(Conductor):
    """Keeps its token, for when there is no file of it any more."""

    def start(self):
        super().start()
        self.kept_token = super().token()

    def token(self):
        return self.kept_token

    def ended(self, seconds, *texts):
        code = self.process.wait(timeout=seconds)
        same("a failure", 1, code)
        time.sleep(0.2)
        for text in texts:
            assert text in self.logged(), (text, self.logged())


@contextlib.contextmanager
def seed(hearth, **more):
    with Seed(hearth, "--power-sync-interval", "0", "--quiet", **more) as c:
        for n in range(40):
            same("a node", 201, c.ask("POST", "/v1/nodes", {"driver": "fake-hardware", "name": f"w{n}"})[0])
        same("a change", 200, change(c, "before"))
        yield c


@contextlib.contextmanager
def meanwhile(action, *arguments):
    """What is done by the block, while another thread does the action; gives a list that has its result then."""
    result = []
    thread = threading.Thread(target=lambda: result.append(action(*arguments)))
    thread.start()
    time.sleep(0.3)
    yield result
    thread.join()


def slow_for_all_alike(c, disk):
    """Many changes wait for one flush; who only reads waits for it at most, and for the next."""
    with disk.being("slow 1500"):
        began = time.monotonic()
        threads = [threading.Thread(target=change, args=(c, "slow", f"w{n}")) for n in range(40)]
        for thread in threads:
            thread.start()
        time.sleep(0.2)
        value_of(c)
        read = time.monotonic() - began
        for thread in threads:
            thread.join()
        took = time.monotonic() - began
    assert took < 6, f"40 changes: {took:.1f} s"
    assert read < 4, f"a read beside them: {read:.1f} s"
    same("all of them", ["slow"] * 40, [value_of(c, f"w{n}") for n in range(40)])
    print(f"{took:5.1f} s  40 changes on a disk that takes 1.5 s; a read beside them {read:.1f} s", flush=True)


def looked_on(c, disk):
    """The page shows nothing that may yet be lost, also where another change of the same node is on the disk."""
    shown, answered = {}, {}

    def look_on():
        request = urllib.request.Request(c.url + "/page/events", headers={"X-Auth-Token": c.token()})
        with urllib.request.urlopen(request, timeout=20) as stream:
            for line in stream:
                for node in json.loads(line[6:]).get("nodes", []) if line.startswith(b"data: ") else []:
                    shown.setdefault(node.get("maintenance"), time.monotonic())
                if "second" in shown:
                    return

    def switch(why):
        same("maintenance", 202, c.ask_raw("PUT", "/v1/nodes/w2/maintenance", {"reason": why})[0])
        answered[why] = time.monotonic()

    reader = threading.Thread(target=look_on)
    reader.start()
    c.until(lambda: None in shown, True)
    with disk.being("slow 1500"), meanwhile(switch, "first"), meanwhile(switch, "second"):
        pass
    reader.join(timeout=20)
    for why in answered:
        assert shown.get(why, shown["second"]) > answered[why] - 0.1, f"{why}: shown {answered[why] - shown[why]:.2f} s before it was acknowledged"


def killed(c, disk, how):
    """While many change it, who note what was acknowledged."""
    noted, stop = {}, threading.Event()

    def go_on(node):
        number = 0
        while not stop.is_set():
            number += 1
            if change(c, number, node) == 200:
                noted[node] = number

    with disk.being("slow 20"):
        threads = [threading.Thread(target=go_on, args=(f"w{n}",)) for n in range(6)]
        for thread in threads:
            thread.start()
        time.sleep(1.2)
        c.process.send_signal(how)
        c.process.wait(timeout=30)
        stop.set()
        for thread in threads:
            thread.join()
    c.start()
    assert len(noted) == 6 and all(value_of(c, node) >= number for node, number in noted.items()), noted
    print(f"         {how.name}: {sum(noted.values())} changes acknowledged, none lost", flush=True)


def stopped(c, disk):
    """For longer than a disk may be silent: it may say so of the disk until the flush has ended that was under way."""
    with disk.being("slow 400"), meanwhile(change, c, "stopped") as changed:
        c.process.send_signal(signal.SIGSTOP)
        time.sleep(11)
        c.process.send_signal(signal.SIGCONT)
    assert changed[0] in (200, 503), changed
    c.until(lambda: read(c), "stopped")
    same("a change", 200, change(c, "after"))


def backed_up(c, disk):
    """It needs no turn of the seed's, and has what was acknowledged."""
    with tempfile.TemporaryDirectory() as folder:
        with disk.being("slow 1500"), meanwhile(change, c, "under way"):
            disk_of_others = dict(os.environ)
            del disk_of_others["LD_PRELOAD"]
            subprocess.run([c.hearth, "backup", "--state", c.directory, f"{folder}/b"], check=True, capture_output=True, timeout=20, env=disk_of_others)
            subprocess.run([c.hearth, "restore", "--state", f"{folder}/state", f"{folder}/b"], check=True, capture_output=True, timeout=20,
                           env=disk_of_others)
        with Seed(c.hearth, directory=f"{folder}/state") as other:
            assert value_of(other) in ("after", "under way"), value_of(other)


def refused(c, disk):
    """Nobody is told of it as kept, and it is not moved into the database behind the disk's back."""
    log = os.path.join(c.directory, "state.db-wal")
    with disk.being("refuse 28"):
        same("a change that the disk refuses", 503, change(c, "refused"))
        c.ended(10, "state.db-wal: No space left on device: this conductor gives no orders any more")
        assert os.path.exists(log) and os.path.getsize(log) > 0, "the log is where the disk has it"
        c.ended(0, "What it had acknowledged is kept", "dmesg, df")
    c.start()
    assert value_of(c) in ("after", "refused"), value_of(c)
    same("a change", 200, change(c, "later"))


def refused_to_another(c, disk):
    """The kernel has told the checkpoint's file of what it could not write: it does not tell who opens the log after that."""
    with disk.being("lost"):
        same("a change that is lost", 503, change(c, "lost"))
        c.ended(10, "state.db-wal: Input/output error")
    c.start()
    same("a change", 200, change(c, "later"))


def hangs(c, disk):
    """He who asked is told, and an end does not wait for it."""
    with disk.being("hang"):
        began = time.monotonic()
        with meanwhile(change, c, "hung") as changed:
            pass
        assert changed == [503] and time.monotonic() - began < 13, (changed, time.monotonic() - began)
        same("another change", 503, change(c, "too"))
        c.process.terminate()
        c.ended(15, "the disk has not kept", "What it had acknowledged is kept")
    c.start()
    same("a change", 200, change(c, "later"))


def taken_away(c, disk):
    """Its files are removed while a flush is under way, and another is to follow: what only reads is answered, as is said then."""
    names = ["state.db-wal", "state.db-shm", "state.db"]
    for name in names:
        with disk.being("slow 1000"), meanwhile(change, c, "first"), meanwhile(change, c, "taken"):
            os.rename(os.path.join(c.directory, name), os.path.join(c.directory, "away"))
        same(f"without {name}: a change", 503, change(c, "in vain")) if name != "state.db-shm" else None
        same(f"without {name}: a look", "taken", value_of(c))
        os.rename(os.path.join(c.directory, "away"), os.path.join(c.directory, name))
        same("with it again", 200, change(c, "again"))


def full(hearth):
    """It goes on by itself when there is room."""
    folder = tempfile.mkdtemp(prefix="hearth-full-")
    os.chmod(folder, 0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=755", "none", folder], check=True)
    try:
        with seed(hearth, directory=folder) as c:
            c.log.close()
            with open(f"{folder}/fill", "wb", buffering=0) as file, contextlib.suppress(OSError):
                while True:
                    file.write(bytes(4096))
            refusals = [change(c, "x" * 2000 + str(n)) for n in range(50)]
            same("the last one", 503, refusals[-1])
            kept = value_of(c)
            said = json.loads(subprocess.run([c.hearth, "why", "w1", "--state", folder, "--json"], capture_output=True, check=True, timeout=60).stdout)
            first = said[0]["findings"][0]
            same("why of a node", "The conductor answers, but can't keep what is changed.", first["cause"])
            assert "full" in " ".join(first["evidence"]) and "df -h" in first["next"], first
            os.remove(f"{folder}/fill")
            same("with room", 200, change(c, "room"))
            c.kill()
            c.start()
            same("what was kept", "room", value_of(c))
            print(f"         a full disk refused {sum(1 for one in refusals if one == 503)} of 50; read then: {len(kept)} characters", flush=True)
    finally:
        subprocess.run(["umount", "-l", folder], check=False)
        os.rmdir(folder)


def main():
    with OddDisk() as disk:
        with seed(sys.argv[1]) as c:
            slow_for_all_alike(c, disk)
            for how in (signal.SIGKILL, signal.SIGTERM):
                killed(c, disk, how)
            for fault in (looked_on, stopped, backed_up, refused, refused_to_another, hangs, taken_away):
                began = time.monotonic()
                fault(c, disk)
                print(f"{time.monotonic() - began:5.1f} s  {fault.__name__}", flush=True)
        if os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], check=False).returncode == 0:
            full(sys.argv[1])
    print("ok")


main()
