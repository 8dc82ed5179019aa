"""Runs `hearth node serve` for a test, and commands beside it: ours, and the field's own client."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import openstack_client  # noqa: E402  pylint: disable=wrong-import-position


class Conductor:
    """A conductor on a free port of loopback, with its state in a directory of its own, or in the PostgreSQL database that
    HEARTH_TEST_DATABASE names."""

    def __init__(self, hearth, *options, directory=None, rehearsal=True):
        self.hearth = hearth
        self.rehearsal = ["--rehearsal"] if rehearsal else []
        database = os.environ.get("HEARTH_TEST_DATABASE")
        self.options = [*options, "--database", database] if database else options
        self.told = []  # what the field's client was asked to do
        self.directory = directory or tempfile.mkdtemp(prefix="hearth-node-")
        self.start()

    def start(self):
        self.log = open(os.path.join(self.directory, "serve.log"), "ab")
        self.process = subprocess.Popen(
            [self.hearth, "node", "serve", "--state", self.directory, "--port", "0",
             *self.rehearsal, *self.options],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        words = self.process.stdout.readline().split()
        if len(words) != 3 or words[0] != "api":
            raise RuntimeError(f"hearth node serve did not start: {words}")
        self.url = f"{'https' if '--tls-key' in self.options else 'http'}://127.0.0.1:{words[2]}"
        subprocess.Popen(["cat"], stdin=self.process.stdout, stdout=self.log)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def run(self, *words, code=0):
        """hearth WORDS on this state; what it prints."""
        done = subprocess.run([self.hearth, *words, "--state", self.directory], capture_output=True, text=True, timeout=120)
        if done.returncode != code:
            raise AssertionError(f"hearth {words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def field(self, *words, code=0):
        """openstack WORDS, Debian's own client; stdout and stderr."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OS_") and "proxy" not in k.lower()}
        environment |= {"OS_AUTH_TYPE": "http_basic", "OS_USERNAME": "admin", "OS_PASSWORD": self.token(), "OS_ENDPOINT": self.url}
        began = time.monotonic()
        self.told.append(words)
        done = openstack_client.run(list(words), environment)
        print(f"{time.monotonic() - began:5.1f} s  openstack {' '.join(words)}", flush=True)
        if done.returncode != code:
            raise AssertionError(f"openstack {words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def ask(self, method, path, body=None, version="1.82"):
        """Status and JSON of a plain request."""
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json", "X-Auth-Token": self.token(),
                                                  "X-OpenStack-Ironic-API-Version": version})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=30) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            text = error.read()
            return error.code, json.loads(text) if text else None

    def ask_raw(self, method, path, body=None):
        """Status and text: an answer may be no JSON."""
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json", "X-Auth-Token": self.token()})
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def token(self):
        with open(os.path.join(self.directory, "api-token"), encoding="ascii") as file:
            return file.read().strip()

    def logged(self):
        with open(os.path.join(self.directory, "serve.log"), encoding="utf-8") as log:
            return log.read()

    def node(self, name):
        return self.ask("GET", f"/v1/nodes/{name}")[1]

    @staticmethod
    def until(look, expected, seconds=60):
        """Until what is looked at is so; so long may a machine need that is busy with others."""
        end = time.monotonic() + seconds
        while look() != expected:
            if time.monotonic() > end:
                raise AssertionError(f"still {look()}, not {expected}")
            time.sleep(0.1)

    def wait(self, name, state, seconds=120):
        """Until the node is in that state."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            node = self.node(name)
            if node["provision_state"] == state:
                return node
            if node["provision_state"].endswith("failed"):
                break
            time.sleep(0.1)
        raise AssertionError(f"{name} is {node['provision_state']}, not {state}: {node['last_error']}")


def site(directory, *networks, **more):
    """A site file for the boot servers on the interface seed0, 192.0.2.1; of its network `more`, and further networks."""
    path = os.path.join(directory, "site.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"interfaces": ["seed0"], "state_dir": directory, "networks": [
            {"subnet": "192.0.2.0/24", "server": "192.0.2.1", "pools": ["192.0.2.100-192.0.2.199"], **more}, *networks]}, file)
    return path


def until(look, seconds=60):
    """Until what is looked at is there; so long may a machine need that is busy with others."""
    end = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def in_own_namespace(inside):
    """inside(HEARTH), in a network and mount namespace of its own: what this program is asked for by its command line."""
    if sys.argv[1] != "inside":
        sys.exit(subprocess.run(["unshare", "--net", "--mount", sys.executable, "-B", sys.argv[0], "inside", sys.argv[1]], check=False).returncode)
    inside(sys.argv[2])


def need(condition, why):
    if not condition:
        print(f"SKIPPED: {why}")
        sys.exit(77)


def same(what, expected, found):
    if expected != found:
        raise AssertionError(f"{what}\nexpected:\n{expected}\nfound:\n{found}")


def masked(table):
    """A table with its UUIDs as U, so that two of them can be compared."""
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "U" * 36, table)
