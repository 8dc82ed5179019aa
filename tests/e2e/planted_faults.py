"""Machines with planted faults: the stack service names the cause within two polls. A real service, real agents with a metadata
server, hooks of os-refresh-config; no virtual machine. Usage: planted_faults.py HEARTH AGENT"""
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../peers"), os.path.join(HERE, "../peers/metadata"), os.path.join(HERE, "../unit/agent/binary")]
from lab import Lab  # noqa: E402
from own_network import enter, free_port  # noqa: E402
from service import Service  # noqa: E402

HEARTH, AGENT = (os.path.abspath(word) for word in sys.argv[1:3])
TEMPLATE = """heat_template_version: 2018-08-31
resources:
  beta: {type: OS::Heat::DeployedServer, properties: {name: beta, software_config_transport: POLL_SERVER_CFN}}
  script: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: 'true'}}
  Web:
    type: OS::Heat::SoftwareDeployment
    properties: {name: Web, config: {get_resource: script}, server: {get_resource: beta}, signal_transport: CFN_SIGNAL}
"""
BASH = "#!/bin/bash\nset -eu\n"
POLL = 1  # second

# What is planted, the hook, and what the service is to say.
IN_HOOKS = [
    ("no ip program", "20-net", BASH + "PATH=/nowhere\nip link show\n", "in 20-net (exit code 1, after 0 s): ", "ip: command not found"),
    ("no python for a hook", "30-facts", "#!/usr/bin/no-such-python3\nprint(1)\n", "in 30-facts", "its first line asks for /usr/bin/no-such-python3"),
    ("a hook that hangs", "40-waits", BASH + "echo waiting for the database >&2\nsleep 600\n",
     "a run of its hooks goes on for ", ", in 40-waits: waiting for the database"),
    ("a service that never starts", "50-web",
     BASH + "echo 'Job for web.service failed because a timeout was exceeded.' >&2\nexit 1\n", "in 50-web",
     "Job for web.service failed because a timeout was exceeded."),
    ("a read-only root", "60-writes", BASH + "unshare -rm bash -c 'mount -t tmpfs -o ro none /mnt; echo x > /mnt/x'\n",
     "in 60-writes", "/mnt/x: Read-only file system"),
]


class Machine:
    """`inside`: the words before each of its programs, where it is a machine of its own (machine_faults.py)."""

    def __init__(self, service, name, inside=(), poll=POLL, **more):
        self.service, self.name, self.inside, self.poll = service, name, list(inside), poll
        self.lab = Lab(AGENT)
        told = json.loads(service.hearth("resource", "metadata", name, "beta"))["os-collect-config"]
        self.collector = told["collectors"][0]
        self.settings = dict(told[self.collector], **more)
        self.process = None
        os.makedirs(self.lab.path("orc", "configure.d"))

    def hook(self, name, text):
        path = self.lab.path("orc", "configure.d", name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def start(self, before=()):
        lines = ["[DEFAULT]", "command=os-refresh-config --lockfile " + self.lab.path("lock"), "collectors=" + self.collector,
                 f"polling_interval={self.poll}", f"min_polling_interval={self.poll if self.inside else 0.2}", "cachedir=" + self.lab.path("cache"),
                 "backup_cachedir=" + self.lab.path("run"), f"[{self.collector}]"]
        lines += [f"{key}={value}" for key, value in self.settings.items()]
        with open(self.lab.path("occ.conf"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        env = dict(self.lab.env, OS_REFRESH_CONFIG_BASE_DIR=self.lab.path("orc"), HEARTH_SITE_AUTHORITY=getattr(self.service, "authority", ""))
        with open(self.lab.path("log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([*self.inside, *before, os.path.join(self.lab.bin, "os-collect-config"), "--config-file", self.lab.path("occ.conf")],
                                            env=env, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    def said(self):
        return self.lab.read("log")

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            # A hook of a killed run is ours to end, too: its group is that of the agent.
            subprocess.run(["kill", "-9", "--", f"-{self.process.pid}"], check=False, stderr=subprocess.DEVNULL)
        self.lab.close()


def expect(service, name, *texts, machine=None, said=""):
    """`stack show`, the list and the resource say it, two polls after the machine has asked first."""
    deadline = time.monotonic() + 20 * POLL
    shown = ""
    while time.monotonic() < deadline:
        # All of it is asked anew: while the machine tries again, that is what is told of it.
        shown, resource, listed = service.hearth("show", name), service.hearth("resource", "show", name, "Web"), service.hearth("resource", "list", name)
        if all(text in shown for text in texts) and texts[0] in resource and texts[0] in listed and said in resource:
            return
        time.sleep(0.1)
    shown = "\n".join((shown, resource, listed))
    log = machine.lab.read("log") if machine else ""
    raise AssertionError(f"{name}: {texts} is not in\n{shown}\n{log}")


def with_hooks(service, work):
    for number, (what, hook, text, *texts) in enumerate(IN_HOOKS):
        name = f"fault{number}"
        service.hearth("create", name, "-t", work + "/stack.yaml")
        machine = Machine(service, name)
        try:
            machine.hook(hook, text)
            machine.start()
            expect(service, name, *texts, machine=machine)
        finally:
            machine.end()
        print(f"{what}: told")


def by_other_ways(service, work):
    """The story goes the way of the poll, whichever that is; and stays in the stack's events."""
    for transport, signal in (("POLL_SERVER_CFN", "CFN_SIGNAL"), ("POLL_TEMP_URL", "TEMP_URL_SIGNAL"), ("POLL_SERVER_HEAT", "HEAT_SIGNAL")):
        name = "by-" + transport.lower().replace("_", "-")
        with open(f"{work}/{name}.yaml", "w", encoding="utf-8") as file:
            file.write(TEMPLATE.replace("POLL_SERVER_CFN", transport).replace("CFN_SIGNAL", signal))
        service.hearth("create", name, "-t", f"{work}/{name}.yaml")
        machine = Machine(service, name)
        try:
            machine.hook("20-net", BASH + "echo no cable >&2\nexit 3\n")
            machine.start()
            expect(service, name, "in 20-net (exit code 1, after 0 s): no cable", machine=machine)
            deadline = time.monotonic() + 5
            text = "beta's last run failed in 20-net (exit code 1, after 0 s): no cable"
            while text not in service.hearth("event", "list", name) and time.monotonic() < deadline:
                time.sleep(0.2)
            events = service.hearth("event", "list", name)
            assert events.count(text) == 1 and f"[{name}.Web]" in events, events
        finally:
            machine.end()
        print(f"{transport}: told, and an event")


def full_disk(service, work):
    service.hearth("create", "full", "-t", work + "/stack.yaml")
    machine = Machine(service, "full")
    try:
        cache = machine.lab.path("cache")
        os.makedirs(cache)
        fill = f'mount -t tmpfs -o size=8k none {cache}; head -c 9000 /dev/zero > {cache}/fill; exec "$@"'
        machine.start(before=["unshare", "-rm", "sh", "-c", fill, "sh"])
        expect(service, "full", "its last run failed", "No space left on device", machine=machine)
    finally:
        machine.end()
    print("a full disk: told")


def never_asked(service, work):
    """What keeps a machine from asking at all can only be told as that; where to look is said with it."""
    for what, url in (("an unreachable URL", "http://127.0.0.1:9/v1/"), ("wrong DNS", "http://no-such-name.invalid/v1/")):
        name = "silent-" + what.split()[-1].lower()
        service.hearth("create", name, "-t", work + "/stack.yaml")
        machine = Machine(service, name, metadata_url=url)
        try:
            machine.start()
            time.sleep(2 * POLL)
            expect(service, name, "beta has not asked for its metadata since this service started", "DNS", machine=machine)
        finally:
            machine.end()
        print(f"{what}: told")


def refused(service, work):
    """One that comes to another place than its metadata are at, or with a key that is none."""
    service.hearth("create", "lost", "-t", work + "/stack.yaml")
    for what, settings, text in (("a wrong path", {"path_of": "/heat/"}, "127.0.0.1 is refused (HTTP 404 to GET /heat/ of cfn)"),
                                 ("a wrong key", {"access_key_id": "0123"}, "127.0.0.1 is refused (HTTP 403 to GET /v1/ of cfn)")):
        machine = Machine(service, "lost", **{key: value for key, value in settings.items() if key != "path_of"})
        machine.settings["metadata_url"] = machine.settings["metadata_url"].replace("/v1/", settings.get("path_of", "/v1/"))
        try:
            machine.start()
            expect(service, "lost", "beta has not asked for its metadata since this service started", text, machine=machine)
        finally:
            machine.end()
        print(f"{what}: told")


def certificate(work, name, days, address="127.0.0.1"):
    """Signed by itself."""
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=work)

    with open(work + "/ext", "w", encoding="utf-8") as file:
        file.write(f"subjectAltName=IP:{address}\n")
    openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
    openssl("x509", "-req", "-in", name + ".csr", "-signkey", name + ".key", "-days", str(days), "-extfile", "ext", "-out", name + ".pem")


class OverTls:
    """People's side of a service whose certificate can't be verified."""
    def __init__(self, work, name, *options):
        self.ports = {word: free_port() for word in ("cfn", "objects", "heat", "identity")}
        self.state = f"{work}/{name}"
        words = [word for key, port in self.ports.items() for word in (f"--{key}-port", str(port))]
        self.process = subprocess.Popen([HEARTH, "metadata", "serve", "--state", self.state, *words, "--tls-certificate", f"{work}/{name}.pem",
                                         "--tls-key", f"{work}/{name}.key", *options], stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def ask(self, path, body=None):
        with open(self.state + "/api-token", encoding="utf-8") as file:
            token = file.read().strip()
        request = urllib.request.Request(f"https://127.0.0.1:{self.ports['heat']}/v1/admin{path}", headers={"X-Auth-Token": token},
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, context=ssl._create_unverified_context()) as answer:
            return json.load(answer)

    def hearth(self, *words):  # as Machine asks a Service
        assert words[:2] == ("resource", "metadata")
        return json.dumps(self.ask(f"/stacks/{words[2]}/resources/{words[3]}/metadata")["metadata"])

    def end(self):
        self.process.kill()
        self.process.wait()


def certificates(work):
    """Machines that don't take the service's certificate: another authority, or a clock by which it has ended."""
    certificate(work, "other", 9)
    with open(work + "/stack.yaml", encoding="utf-8") as file:
        template = file.read()
    for what, name, days, authority, text in (("a wrong CA", "ca", 9, "other", "it does not know the authority"),
                                              ("a clock that is years off", "old", -1, "old", "that machine's clock is wrong")):
        certificate(work, name, days)
        service = OverTls(work, name)
        machine = None
        try:
            stack = service.ask("/stacks", {"stack_name": "tls", "template": template})["stack"]["id"]
            machine = Machine(service, f"tls/{stack}", metadata_url=f"https://127.0.0.1:{service.ports['cfn']}/v1/",
                              ca_certificate=f"{work}/{authority}.pem")
            machine.start()
            deadline = time.monotonic() + 20 * POLL
            said = ""
            while text not in said and time.monotonic() < deadline:
                time.sleep(0.1)
                said = service.ask(f"/stacks/tls/{stack}/resources/Web")["resource"]["resource_status_reason"]
            assert "seen: 127.0.0.1 does not take our certificate" in said and text in said, f"{what}: {said}\n{machine.lab.read('log')}"
        finally:
            if machine:
                machine.end()
            service.end()
        print(f"{what}: told ({said})")


def mended(service, work):
    """When the fault is gone, so is what is said of it; and the deployment's end ends the waiting."""
    service.hearth("create", "mended", "-t", work + "/stack.yaml")
    machine = Machine(service, "mended")
    try:
        machine.hook("20-net", BASH + "echo broken password=geheim >&2\nexit 3\n")
        machine.start()
        expect(service, "mended", "in 20-net", "broken password= ***", machine=machine, said="during configure phase.")
        assert "geheim" not in service.hearth("show", "mended")
        assert "echo broken" not in machine.lab.read("log") and "broken password=geheim" in machine.lab.read("log"), "the log has it whole"
        machine.hook("20-net", BASH + "exit 0\n")
        expect(service, "mended", "its last run went well", machine=machine)
    finally:
        machine.end()
    print("a mended fault is no longer told")


def main():
    enter()
    work = tempfile.mkdtemp(prefix="planted-")
    service = Service(HEARTH, work + "/state")
    try:
        with open(work + "/stack.yaml", "w", encoding="utf-8") as file:
            file.write(TEMPLATE)
        service.start()
        with_hooks(service, work)
        by_other_ways(service, work)
        full_disk(service, work)
        never_asked(service, work)
        refused(service, work)
        certificates(work)
        mended(service, work)
    finally:
        if service.process:
            service.kill()
        shutil.rmtree(work, ignore_errors=True)
    print("planted_faults: ok")


if __name__ == "__main__":
    main()
