"""`hearth metadata serve` on ports of its own, for the peers of this folder."""
import json
import os
import signal
import subprocess
import sys
import urllib.request

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import openstack_client  # noqa: E402  pylint: disable=wrong-import-position
from own_network import free_port  # noqa: E402  pylint: disable=wrong-import-position

NAMES = ("cfn", "objects", "heat", "identity")


class Service:
    def __init__(self, hearth, directory, *options, names=NAMES):
        self.hearth_program = hearth
        self.options = options
        self.directory = directory
        self.ports = {name: free_port() for name in names}
        self.process = None

    def start(self):
        options = [f"--{name}-port={port}" for name, port in self.ports.items()]
        self.process = subprocess.Popen([self.hearth_program, "metadata", "serve", "--state", self.directory, "--trust-loopback",
                                         *self.options, *options],
                                        stdout=subprocess.PIPE, text=True)
        for name in self.ports:
            line = self.process.stdout.readline()
            assert line.startswith(name), f"the service said {line!r}"

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def url(self, name):
        return f"http://127.0.0.1:{self.ports[name]}"

    def openstack(self, *args, fails=False):
        env = dict(os.environ, OS_AUTH_TYPE="none", OS_ENDPOINT=self.url("heat") + "/v1/admin")
        run = openstack_client.run(list(args), env)
        assert (run.returncode != 0) == fails, f"openstack {args}: {run.returncode}\n{run.stdout}\n{run.stderr}"
        return run.stdout + run.stderr if fails else run.stdout

    def hearth(self, *args):
        run = subprocess.run([self.hearth_program, "stack", *args, "--url", self.url("heat") + "/v1/admin", "--state", self.directory],
                             capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, f"hearth stack {args}: {run.stdout}\n{run.stderr}"
        return run.stdout

    def get(self, path):
        with urllib.request.urlopen(self.url("heat") + "/v1/admin" + path, timeout=30) as answer:
            return json.load(answer)
