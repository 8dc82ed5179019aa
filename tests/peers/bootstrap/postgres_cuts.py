#!/usr/bin/python3
"""The way to the database is cut, slow or silent at any moment, its name is not told, its defaults are others: nothing that was
acknowledged is lost, nobody takes himself for another, nobody waits without an end, and what can't be right is refused by name.

usage: postgres_cuts.py HEARTH

Runs in a network namespace of its own, with a name server of its own.
"""
import contextlib
import os
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

from conductor import Conductor, same, until
from on_postgres import CLOSED, Postgres, acknowledged, all_nodes, made, run_in_own_namespace, timed


class Way:
    """Between a conductor and the database, on a port of its own."""

    def __init__(self, port):
        self.port, self.is_silent, self.delay, self.cut_after, self.cuts = port, False, 0, b"", 0
        self.pairs, self.kept = [], []
        self.door = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        while True:
            near = self.door.accept()[0]
            far = socket.create_connection(("127.0.0.1", self.port))
            is_cut = threading.Event()
            self.pairs.append((near, far))
            threading.Thread(target=self.carry, args=(near, far, is_cut, True), daemon=True).start()
            threading.Thread(target=self.carry, args=(far, near, is_cut, False), daemon=True).start()

    def carry(self, source, target, is_cut, is_ours):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                while self.is_silent:
                    time.sleep(0.01)
                time.sleep(self.delay)
                if is_ours and self.cut_after and self.cut_after in data:  # it is done, and nobody hears of it
                    self.cuts, self.cut_after = self.cuts + 1, b""
                    is_cut.set()
                elif not is_ours and is_cut.is_set():
                    break
                target.sendall(data)
        self.close(source, target)

    def close(self, *ends):
        for end in ends:
            if end in self.kept:
                continue
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def forget(self):
        """As a firewall does: the database's ends of all connections are open as before."""
        self.kept += [far for _, far in self.pairs]
        self.cut()

    def cut(self):
        for pair in self.pairs:
            self.close(*pair)
        self.pairs = []

    def url(self, name):
        return f"postgresql://hearth:secret@127.0.0.1:{self.door.getsockname()[1]}/{name}"


class Names:
    """A name server: it knows one address, and can be silent."""

    def __init__(self):
        self.is_silent = False
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        while True:
            question, who = self.socket.recvfrom(2048)
            if self.is_silent:
                continue
            end = question.index(b"\0", 12) + 5
            is_a = question[end - 4:end - 2] == b"\0\1"
            answer = b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, 0, 4) + socket.inet_aton("127.0.0.1") if is_a else b""
            self.socket.sendto(question[:2] + b"\x85\x80\0\1" + (b"\0\1" if is_a else b"\0\0") + bytes(4) + question[12:end] + answer, who)


def name_server(options):
    """Ours, asked so by whoever looks up a name."""
    with open("/etc/resolv.conf", "w", encoding="ascii") as file:
        file.write(f"nameserver 127.0.0.1\noptions {options}\n")


def names_of(conductor):
    return {node["name"] for node in all_nodes(conductor)}


def run(hearth, *words, code, told, timeout=40):
    began = time.monotonic()
    done = subprocess.run([hearth, *words], capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == code and told in done.stderr and "secret" not in done.stderr, (words, done)
    return time.monotonic() - began


def check_lost_answers(hearth, way):
    """Of a COMMIT, and of the word that takes the database."""
    with Conductor(hearth, "--database", way.url("lost")) as conductor:
        told = set()
        for number in range(12):
            way.cut_after = b"COMMIT" if number % 2 else b"hearth_epoch"
            if number % 4 == 2:
                way.cut_after = b"UPDATE SET number"
                way.cut()
            for at in range(3):
                told |= {f"n{number}-{at}"} if made(conductor, f"n{number}-{at}") else set()
            told |= {acknowledged(conductor, f"after{number}")}
            assert conductor.process.poll() is None, conductor.logged()
        assert way.cuts >= 10, f"only {way.cuts} were cut"
        assert told <= names_of(conductor), told - names_of(conductor)
        conductor.kill()
        conductor.start()
        assert told <= names_of(conductor), told - names_of(conductor)
        assert "has taken" not in conductor.logged(), "it took itself for another"


def check_forgotten(hearth, way):
    """A connection is gone here, and there yet, with its lock: it is this conductor's own, and nobody else's."""
    with Conductor(hearth, "--database", way.url("forgotten")) as conductor:
        assert made(conductor, "n1")
        for number in range(2):
            way.forget()
            acknowledged(conductor, f"n2-{number}")
        assert "has taken" not in conductor.logged(), "it took itself for another"


def check_silence(hearth, way, work):
    """In the midst of a start, and of a backup."""
    with Conductor(hearth, "--database", way.url("silent")) as conductor:
        way.delay = 0.1
        for words in (["backup", work + "/b"], ["node", "serve", "--port", "0"]):
            if words[0] == "node":
                conductor.stop()
            process = subprocess.Popen([hearth, *words, "--state", conductor.directory, "--database", way.url("silent")],
                                       stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
            time.sleep(0.9)
            assert process.poll() is None, "else nothing is tested"
            way.is_silent = True
            try:
                told = process.communicate(timeout=30)[1]
            finally:
                process.kill()
                way.is_silent = False
            assert process.returncode == 1 and "has not answered for 10 s" in told, (words, told)
        way.delay = 0
    same("what is left of a backup", [], [name for name in os.listdir(work) if "backup" in name])


def check_stopped_backup(hearth, way, work):
    """By a person who waits no longer: no key lies beside."""
    with Conductor(hearth, "--database", way.url("stopped")) as conductor:
        for stop in (signal.SIGINT, signal.SIGTERM):
            way.delay = 0.05
            process = subprocess.Popen([hearth, "backup", work + "/b", "--state", conductor.directory, "--database", way.url("stopped")],
                                       stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            until(lambda: any("backup" in name for name in os.listdir(work)))
            process.send_signal(stop)
            assert process.wait(timeout=30) != 0
            way.delay = 0
            same("what is left of it", [], [name for name in os.listdir(work) if "backup" in name])
            assert not os.path.exists(work + "/b")


def check_silent_names(hearth, postgres, names):
    """The conductor, and its stack engine on the same thread: whoever asks is answered at once, if only with 503."""
    postgres.create("named")
    ports = [f"--{port}-port=0" for port in ("cfn", "objects", "heat", "identity")]
    url = f"postgresql://hearth:secret@db.test:{postgres.port}/named"
    with Conductor(hearth, "--database", url, "--engine", "--plain-stacks", *ports) as conductor:
        assert made(conductor, "n1")
        names.is_silent = True
        postgres.end_connections("named")
        longest, end = 0, time.monotonic() + 15
        while time.monotonic() < end:
            began = time.monotonic()
            status = conductor.ask_raw("GET", "/v1/nodes")[0]
            longest = max(longest, time.monotonic() - began)
            assert status in (200, 503), status
            time.sleep(0.1)
        assert longest < 4, f"somebody waited for {longest:.1f} s"
        names.is_silent = False
        acknowledged(conductor, "n2")
        print(f"the longest waited for {longest:.2f} s", flush=True)
    names.is_silent = True
    took = run(hearth, "node", "serve", "--state", tempfile.mkdtemp(), "--port", "0", "--database", url, code=1, told="has not answered")
    assert took < 15, took
    name_server("timeout:1 attempts:1")
    run(hearth, "node", "serve", "--state", tempfile.mkdtemp(), "--port", "0", "--database", url, code=1,
        told="an address in the place of the name asks nobody")
    names.is_silent = False


def check_frozen(hearth, postgres):
    """All of the server is stopped: whoever asks the conductor that has an engine waits once, and is answered at once from then on."""
    postgres.create("frozen")
    ports = [f"--{port}-port=0" for port in ("cfn", "objects", "heat", "identity")]
    with open(postgres.data + "/postmaster.pid", encoding="ascii") as file:
        server = file.readline().strip()
    with Conductor(hearth, "--database", postgres.url("frozen"), "--engine", "--plain-stacks", *ports) as conductor:
        assert made(conductor, "n1")
        children = subprocess.run(["pgrep", "-P", server], capture_output=True, text=True, check=True).stdout.split()
        frozen = [int(number) for number in (server, *children)]
        for number in frozen:
            os.kill(number, signal.SIGSTOP)
        try:
            waited, end = [], time.monotonic() + 30
            while time.monotonic() < end:
                began = time.monotonic()
                assert conductor.ask_raw("GET", "/v1/nodes")[0] in (200, 503)
                waited.append(time.monotonic() - began)
                time.sleep(0.1)
        finally:
            for number in frozen:
                os.kill(number, signal.SIGCONT)
        acknowledged(conductor, "n2")
    long = [f"{seconds:.1f} s" for seconds in waited if seconds > 1.5]
    assert len(long) <= 1 and max(waited) < 12, f"waited for: {long}"


def check_password_file(hearth, postgres, work):
    """Only root may read it, and another user serves: he comes back to the database, too."""
    postgres.create("closed")
    with open(work + "/pgpass", "x", opener=lambda path, flags: os.open(path, flags, 0o600), encoding="ascii") as file:
        file.write("*:*:*:closed:s3cret\n")
    url = f"postgresql://closed@127.0.0.1:{postgres.port}/closed?passfile={work}/pgpass"
    with Conductor(hearth, "--database", url) as conductor:
        assert made(conductor, "n1")
        postgres.end_connections("closed")
        acknowledged(conductor, "n2")
        assert "s3cret" not in conductor.logged()


def waits_for_replica(postgres, setting):
    postgres.ask(f"ALTER SYSTEM {setting}")
    postgres.ask("SELECT pg_reload_conf()")
    time.sleep(1)  # each process of the server looks at it before its next statement


def check_defaults(hearth, postgres, work):
    """Encodings that have not all characters are refused; what the database has as a default changes nothing."""
    for encoding in ("LATIN1", "EUC_JP"):
        postgres.create(encoding.lower(), "-E", encoding, "-T", "template0", "-l", "C")
        run(hearth, "node", "serve", "--state", work + "/encoded", "--port", "0", "--database", postgres.url(encoding.lower()), code=1,
            told=f"keeps texts as {encoding}")
    postgres.create("defaults", "-E", "UTF8", "-T", "template0", "-l", "C")
    postgres.ask("ALTER DATABASE defaults SET synchronous_commit = off; ALTER DATABASE defaults SET client_encoding = 'LATIN1'")
    with Conductor(hearth, "--database", postgres.url("defaults")) as conductor:
        assert made(conductor, "n1")
        conductor.ask("PUT", "/v1/nodes/n1/maintenance", {"reason": "Grüße 日本"})
        until(lambda: "Grüße 日本" in postgres.ask("SET client_encoding = 'UTF8'; SELECT text FROM conductor.events", "defaults"))
        told = []
        for number in range(5):  # what is acknowledged outlives the server's end at once
            told += [acknowledged(conductor, f"sync{number}")]
            postgres.stop()
            postgres.start()
            until(lambda: conductor.ask_raw("GET", "/v1/nodes")[0] == 200)
        conductor.kill()
        postgres.ask("ALTER DATABASE defaults SET synchronous_commit = local")
        conductor.start()
        assert {*told} <= names_of(conductor), names_of(conductor)
        waits_for_replica(postgres, "SET synchronous_standby_names = '*'")
        assert not made(conductor, "alone"), "it was acknowledged, and there is no replica that has it"
        waits_for_replica(postgres, "RESET synchronous_standby_names")
        acknowledged(conductor, "again")


def check_what_is_not_there(hearth, postgres, work):
    """Emptied, another site's, none at all; stacks beside it that nobody would serve; a link in the directory's place."""
    postgres.create("emptied")
    with Conductor(hearth, "--database", postgres.url("emptied")) as conductor:
        assert made(conductor, "n1")
        conductor.stop()
        run(hearth, "node", "serve", "--state", work + "/of-another", "--port", "0", "--database", postgres.url("emptied"), code=1,
            told="/emptied is sealed with the key")
        run(hearth, "backup", "--state", conductor.directory, "--database", postgres.url("emptied"), work + "/kept", code=0, told="")
        postgres.ask("DROP SCHEMA conductor CASCADE", "emptied")
        for _ in range(2):
            run(hearth, "node", "serve", "--state", conductor.directory, "--port", "0", "--database", postgres.url("emptied"), code=1,
                told="there is no state in postgresql://hearth:***@")
        run(hearth, "backup", "--state", conductor.directory, "--database", postgres.url("emptied"), work + "/none", code=1, told="there is no state")
    postgres.ask("CREATE ROLE weak LOGIN")
    run(hearth, "node", "serve", "--state", work + "/weak", "--port", "0", "--database",
        f"postgresql://weak@127.0.0.1:{postgres.port}/postgres", code=1, told="createdb --owner USER")
    for words in (["node", "serve"], ["metadata", "serve"], ["backup", work + "/x"], ["restore", work + "/kept"]):
        run(hearth, *words, "--state", work + "/unset", "--database", "", code=2, told="--database: the URL is empty")
    os.makedirs(work + "/own/metadata", mode=0o700)
    with open(work + "/own/metadata/state.db", "wb"):
        pass
    run(hearth, "node", "serve", "--state", work + "/own", "--port", "0", "--engine", "--database", postgres.url("emptied"), code=1,
        told="has stacks of its own, in state.db, and postgresql://hearth:***@")
    os.makedirs(work + "/disk")
    os.symlink(work + "/disk", work + "/link")
    run(hearth, "restore", "--state", work + "/link", work + "/kept", code=0, told="")
    assert os.path.islink(work + "/link") and os.path.exists(work + "/disk/state.db"), os.listdir(work)


def inside(hearth):
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.TemporaryDirectory(prefix="postgres-cuts-") as work:
        with open(work + "/resolv.conf", "w", encoding="ascii"):
            pass
        subprocess.run(["mount", "--bind", work + "/resolv.conf", "/etc/resolv.conf"], check=True)
        # Longer in all than the conductor waits, which is what is looked at: with the system's own 2 * 5 s either may be first.
        name_server("timeout:3 attempts:5")
        os.chmod(work, 0o755)
        postgres = Postgres(work + "/postgres", rules=CLOSED)
        postgres.start()
        postgres.ask("CREATE ROLE closed LOGIN SUPERUSER PASSWORD 's3cret'")
        way, names = Way(postgres.port), Names()
        for name in ("lost", "silent", "stopped", "forgotten"):
            postgres.create(name)
        try:
            for check, *words in ((check_lost_answers, hearth, way), (check_forgotten, hearth, way), (check_silence, hearth, way, work),
                                  (check_stopped_backup, hearth, way, work), (check_silent_names, hearth, postgres, names),
                                  (check_frozen, hearth, postgres), (check_password_file, hearth, postgres, work),
                                  (check_defaults, hearth, postgres, work), (check_what_is_not_there, hearth, postgres, work)):
                timed(check, *words)
        finally:
            postgres.stop()
            subprocess.run(["umount", "/etc/resolv.conf"], check=False)


if __name__ == "__main__":
    run_in_own_namespace(inside)
