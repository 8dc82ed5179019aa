"""The same engine on PostgreSQL: a stack is made, the service killed in the middle, and after a restart, of the service or
of the database, it goes on.

Each statement fails once, in turn (ENGINE_TESTS, the engine's unit tests); two sites share a server, each with its database.

usage: postgres_peer.py HEARTH ENGINE_TESTS
"""
import base64
import http.client
import json
import os
import re
import secrets
import shutil
import signal as signals
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from service import Service
from own_network import enter

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from postgres import Postgres, programs  # noqa: E402  pylint: disable=wrong-import-position

HEARTH, ENGINE_TESTS = sys.argv[1:3]
HERE = os.path.dirname(os.path.abspath(__file__))


def entry_of(service, stack):
    found = service.get(f"/stacks/{stack}/resources/server/metadata")["metadata"]["deployments"]
    return found[-1] if found else None


def signal_url(entry):
    return [i["value"] for i in entry["inputs"] if i["name"] == "deploy_signal_id"][0]


def signal(entry):
    subprocess.run(["curl", "-sSf", "--retry", "10", "--retry-delay", "1", "-X", "POST", "-H", "Content-Type: application/json", "-d",
                    json.dumps({"deploy_status_code": 0, "result": "é\u0000"}), signal_url(entry)], check=True, timeout=30)


def code_of_signal(entry):
    return subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-X", "POST", "-H", "Content-Type: application/json",
                           "-d", '{"deploy_status_code": 0}', signal_url(entry)], capture_output=True, text=True, timeout=30,
                          check=False).stdout


def names(service):
    try:
        return [row["stack_name"] for row in service.get("/stacks")["stacks"]]
    except urllib.error.HTTPError as error:
        assert error.code == 503, error
        return None


def taken_by_another(postgres, service, directory, *commands):
    """The service's connection ends while it sleeps, and another process drives the database meanwhile."""
    service.process.send_signal(signals.SIGSTOP)
    try:
        postgres.run("psql", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "hearth", "postgres", "-c",
                     "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")
        other = Service(HEARTH, directory, "--database", postgres.url(), "--seal-key", service.directory + "/seal-key")
        other.start()
        for command in commands:
            other.hearth(*command)
        other.kill()
    finally:
        service.process.send_signal(signals.SIGCONT)


def check_seal(postgres, service, work):
    """A dump tells nothing that is hidden, and whoever takes over needs the key: it is told which."""
    hidden = "pass" + secrets.token_hex(12)
    service.hearth("create", "hidden", "-t", HERE + "/hidden.yaml", "-P", "p=" + hidden)
    service.hearth("snapshot", "create", "hidden")
    dump = subprocess.run([f"{postgres.programs}/pg_dump", "--inserts", postgres.url()], capture_output=True, text=True, timeout=60, check=True).stdout
    assert "sealed:" in dump and hidden not in dump and base64.b64encode(hidden.encode()).decode()[:-4] not in dump
    service.kill()
    run = subprocess.run([HEARTH, "metadata", "serve", "--state", work + "/keyless", "--database", postgres.url()], capture_output=True,
                         text=True, timeout=60, check=False)
    assert run.returncode == 1 and work + "/keyless/seal-key would have: it is not there" in run.stderr, run.stderr
    assert "--seal-key" in run.stderr and not os.path.exists(work + "/keyless/seal-key"), run.stderr
    former = re.search("sealed:[0-9a-f]{16}:", dump).group()
    subprocess.run(["psql", "-qc", "ANALYZE", postgres.url()], check=True, timeout=60)  # copies values, as autovacuum does
    subprocess.run([HEARTH, "metadata", "seal", "rotate", "--state", service.directory], check=True, stdout=subprocess.DEVNULL, timeout=60)
    check_wiped_beside_readers(postgres, service, work, former)
    assert service.get("/stacks/hidden/outputs/p")["output"]["output_value"] == hidden
    service.hearth("delete", "hidden", "--wait")


def reader_of(postgres, what):
    """A transaction that has begun and is not ended."""
    reader = subprocess.Popen(["psql", "-qAt", postgres.url()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    reader.stdin.write(f"BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT {what};\nSELECT 'began';\n")
    reader.stdin.flush()
    while "began" not in reader.stdout.readline():
        assert reader.poll() is None
    return reader


def check_wiped_beside_readers(postgres, service, work, former):
    """What the former key sealed is in no file of the tables, though an older transaction might see it; where one has them
    locked, the rotation is put off, and that is told."""
    older, reader = reader_of(postgres, "1"), reader_of(postgres, "count(*) FROM event")
    try:
        process = subprocess.Popen([HEARTH, "metadata", "serve", "--database", postgres.url(), "--seal-key", service.directory + "/seal-key",
                                    "--state", work + "/put-off", *(f"--{name}-port=0" for name in service.ports)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        told = process.stderr.readline()
        watchdog.cancel()
        process.kill()
        process.wait()
        assert "is put off" in told and "lock timeout" in told, told
    finally:
        reader.communicate("ROLLBACK;\n", timeout=30)
    assert files_with(postgres, former), "else this test sees nothing"
    service.start()
    assert not files_with(postgres, former), "an older transaction has PostgreSQL keep it"
    older.communicate("ROLLBACK;\n", timeout=30)


def files_with(postgres, text):
    subprocess.run(["psql", "-qc", "CHECKPOINT", postgres.url()], check=True, timeout=60)
    found = []
    for directory, _, names_here in os.walk(postgres.data + "/base"):
        for name in names_here:
            with open(os.path.join(directory, name), "rb") as file:
                found += [name] if text.encode() in file.read() else []
    return found


def until_shown(service, expected):
    deadline = time.monotonic() + 20
    while names(service) != expected:
        assert time.monotonic() < deadline, names(service)
        time.sleep(0.2)


def check_takeover(postgres, service, work):
    """Nothing of what was known before is taken, nor told for longer than a tick, though nobody writes."""
    service.hearth("create", "old", "-t", HERE + "/postgres.yaml")
    left = entry_of(service, "old")
    taken_by_another(postgres, service, work + "/taker", ("delete", "old", "--wait"), ("create", "new", "-t", HERE + "/postgres.yaml"))
    taken = code_of_signal(left)
    assert taken in ("503", "403", "400", "404"), "a signal for a stack that is gone was answered " + taken
    until_shown(service, ["new"])
    assert entry_of(service, "new"), "its metadata are served"
    taken_by_another(postgres, service, work + "/idler", ("create", "quiet", "-t", HERE + "/postgres.yaml"))
    until_shown(service, ["quiet", "new"])


def check_long_absence(postgres, service):
    """The database is away for longer than one attempt to connect: who writes is told to come again, until it is back, and
    what is known is read."""
    service.hearth("create", "away", "-t", HERE + "/postgres.yaml")
    before, entry = names(service), entry_of(service, "away")
    postgres.stop()
    try:
        assert code_of_signal(entry) == "503"
        time.sleep(3)  # it goes on trying
        assert names(service) == before and entry_of(service, "away") == entry and code_of_signal(entry) == "503"
    finally:
        postgres.start()
    until_shown(service, before)
    signal(entry)


class Polls:
    """Agents that poll beside all else: how long each waits, and what it is told."""

    def __init__(self, urls):
        self.urls, self.times, self.stop = urls, [], threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.stop.is_set():
            for url, expected in self.urls.items():
                parts = urllib.parse.urlsplit(url)
                began = time.monotonic()
                connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
                connection.request("GET", f"{parts.path}?{parts.query}")
                answer = connection.getresponse()
                text = answer.read()
                self.times.append(time.monotonic() - began)
                connection.close()
                if answer.status != 200 or (expected and text != expected):
                    self.times.append(float("inf"))
            time.sleep(0.004)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def check(self):
        slow = sorted(self.times)[int(len(self.times) * 0.99)]
        assert len(self.times) > 300 and slow < 0.05, f"{len(self.times)} polls, p99 {slow * 1000:.0f} ms, longest {max(self.times)}"
        print(f"{len(self.times)} polls, p99 {slow * 1000:.1f} ms, longest {max(self.times) * 1000:.0f} ms")


def poll_url(service, stack):
    section = service.get(f"/stacks/{stack}/resources/server/metadata")["metadata"]["os-collect-config"]
    return section["request"]["metadata_url"]


def refused(entry, limit):
    """A signal is answered with 503, soon, and when to come again."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", urllib.parse.urlsplit(signal_url(entry)).port, timeout=60)
    connection.request("POST", "/" + signal_url(entry).split("/", 3)[3], '{"deploy_status_code": 0}', {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    took = time.monotonic() - began
    assert answer.status == 503 and int(answer.headers["Retry-After"]) > 0 and took < limit, (answer.status, answer.headers, took)
    return took


def check_waits(postgres, service):
    """A session has the tables locked for ten seconds, or the server of our connection says nothing: no agent that polls waits
    for that, also none of the stack that is written, and who writes is told to come again."""
    for stack in ("locked", "beside"):
        service.hearth("create", stack, "-t", HERE + "/polled.yaml")
    first = entry_of(service, "locked")
    urls = {poll_url(service, stack): None for stack in ("locked", "beside")}
    for url in urls:
        with urllib.request.urlopen(url, timeout=30) as answer:
            urls[url] = answer.read()
    locker = reader_of(postgres, "1")
    with Polls(urls) as polls:
        locker.stdin.write("LOCK TABLE resource, event, tree, stack, setting, object IN ACCESS EXCLUSIVE MODE;\nSELECT 'locked';\n")
        locker.stdin.flush()
        assert "locked" in locker.stdout.readline()
        until = time.monotonic() + 10
        longest = 0
        while time.monotonic() < until:
            longest = max(longest, refused(first, 3))
            time.sleep(0.2)
        assert longest > 0.5, "else nobody had it locked"
        assert entry_of(service, "locked") == first, "people read on"
    locker.communicate("ROLLBACK;\n", timeout=30)
    polls.check()
    signal(first)
    assert entry_of(service, "locked")["id"] != first["id"], "it went on from what was kept"
    check_silent_server(postgres, service, urls)


def check_silent_server(postgres, service, urls):
    backends = subprocess.run(["psql", "-qAtc", "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
                               postgres.url()], capture_output=True, text=True, timeout=60, check=True).stdout.split()
    second = entry_of(service, "locked")
    with Polls({url: None for url in urls}) as polls:
        for backend in backends:
            os.kill(int(backend), signals.SIGSTOP)
        try:
            refused(second, 25)
            refused(second, 3)
        finally:
            for backend in backends:
                os.kill(int(backend), signals.SIGCONT)
    polls.check()
    signal(second)
    service.kill()
    service.start()
    assert service.get("/stacks/locked")["stack"]["stack_status"] == "CREATE_COMPLETE"
    for stack in ("locked", "beside"):
        service.hearth("delete", stack)


def check_failing_statements(postgres):
    postgres.run("createdb", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "hearth", "faults")
    run = subprocess.run([ENGINE_TESTS, "--gtest_filter=Postgres/*"], env=dict(os.environ, HEARTH_TEST_POSTGRES=postgres.url("faults")),
                         capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0 and "[  PASSED  ] 12 tests" in run.stdout, run.stdout[-3000:] + run.stderr[-1000:]


def check_two_sites(postgres, service, work):
    """Two databases of one server are two sites: neither keeps the other out, or knows its stacks."""
    postgres.run("createdb", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "hearth", "elsewhere")
    other = Service(HEARTH, work + "/elsewhere", "--database", postgres.url("elsewhere"))
    other.start()
    try:
        before = names(service)
        other.hearth("create", "there", "-t", HERE + "/postgres.yaml")
        assert names(other) == ["there"] and names(service) == before, (names(other), names(service))
        former = "sealed:" + key_of(postgres, "elsewhere")
        subprocess.run([HEARTH, "metadata", "seal", "rotate", "--state", other.directory], check=True, stdout=subprocess.DEVNULL, timeout=60)
        deadline = time.monotonic() + 20
        while key_of(postgres, "elsewhere") in former:
            assert time.monotonic() < deadline, "the new key was not taken"
            time.sleep(0.1)
        other.kill()
        other.start()
        assert names(other) == ["there"] and not files_with(postgres, former), "it was new when it was rotated, and kept"
    finally:
        other.kill()


def key_of(postgres, database):
    return subprocess.run(["psql", "-qAtc", "SELECT value FROM setting WHERE name = 'sealed'", postgres.url(database)], capture_output=True,
                          text=True, timeout=60, check=True).stdout.strip()


def main():
    enter()
    if not programs() or not shutil.which("curl"):
        print("SKIPPED: postgresql or curl is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="postgres-peer-") as work:
        postgres = Postgres(work)
        postgres.start()
        service = Service(HEARTH, work + "/state", "--database", postgres.url())
        service.start()
        try:
            second = subprocess.run([HEARTH, "metadata", "serve", "--state", work + "/other", "--database", postgres.url()],
                                    capture_output=True, text=True, timeout=60, check=False)
            assert second.returncode == 1 and re.search("process [0-9]+ on .* uses", second.stderr) and "secret" not in second.stderr, second.stderr
            service.hearth("create", "p", "-t", HERE + "/postgres.yaml")
            first = entry_of(service, "p")
            signal(first)
            service.kill()
            service.start()  # our place is free as soon as the dead one's connection is
            second = entry_of(service, "p")
            assert second["id"] != first["id"], "the second deployment is there after the kill"
            postgres.stop()
            postgres.start()
            deadline = time.monotonic() + 30
            while subprocess.run(["curl", "-sSf", "-o", "/dev/null", service.url("heat") + "/v1/admin/stacks/p/events"], check=False,
                                 capture_output=True, timeout=30).returncode and time.monotonic() < deadline:
                time.sleep(0.2)
            signal(second)
            assert service.get("/stacks/p")["stack"]["stack_status"] == "CREATE_COMPLETE"
            assert "[p]: CREATE_COMPLETE" in service.hearth("event", "list", "p")
            service.hearth("delete", "p", "--wait")
            assert service.get("/stacks")["stacks"] == []
            check_seal(postgres, service, work)
            check_takeover(postgres, service, work)
            check_long_absence(postgres, service)
            check_waits(postgres, service)
            check_two_sites(postgres, service, work)
            check_failing_statements(postgres)
        finally:
            service.kill()
            postgres.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
