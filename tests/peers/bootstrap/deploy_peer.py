#!/usr/bin/python3
"""`hearth deploy` from templates to CREATE_COMPLETE, with simulated machines and Debian's own agent. usage: deploy_peer.py HEARTH

Each machine is deployed by the conductor; then Debian's os-collect-config fetches its metadata with what its config drive says, by TLS
with the authority that it names, and its deployments are signalled. Debian's openstack client asks the engine. A site whose engine served in
clear stays so until a word is given. Nodes that don't fit, a machine that fails, the same command again, fewer servers than before.
"""

import base64
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from agent import Machine, request
from conductor import Conductor, need, openstack_client, same
from own_network import enter, free_port

MACS = {f"n{i}": f"52:54:00:00:01:{i:02x}" for i in range(3)}

NODE = """
heat_template_version: 2018-08-31
parameters:
  name: {type: string}
  flavor: {type: string}
resources:
  server:
    type: OS::Nova::Server
    properties:
      name: {get_param: name}
      flavor: {get_param: flavor}
      image: web
      user_data_format: SOFTWARE_CONFIG
      software_config_transport: POLL_SERVER_CFN
  config:
    type: OS::Heat::SoftwareConfig
    properties: {group: script, config: 'echo hello', outputs: [{name: result}]}
  greet:
    type: OS::Heat::SoftwareDeployment
    properties: {name: greet, config: {get_resource: config}, server: {get_resource: server}}
outputs:
  said: {value: {get_attr: [greet, result]}}
  address: {value: {get_attr: [server, first_address]}}
"""

TOP = """
heat_template_version: 2018-08-31
parameters:
  count: {type: number, default: 2}
  flavor: {type: string, default: web}
resources:
  Web:
    type: OS::Heat::ResourceGroup
    properties:
      count: {get_param: count}
      resource_def: {type: node.yaml, properties: {name: 'web-%index%', flavor: {get_param: flavor}}}
outputs:
  said: {value: {get_attr: [Web, said]}}
"""


ROLES = "[{name: Web, CountDefault: 1}]\n"
TREE = """
heat_template_version: 2018-08-31
resources:
{% for role in roles %}
  {{role.name}}:
    type: node.yaml
    properties: {name: '{{role.name.lower()}}-0', flavor: web}
{% endfor %}
"""


class Site(threading.Thread):
    """The machines: each lives while its node is deployed, then runs its deployments once."""

    def __init__(self, url, directory, state):
        super().__init__(daemon=True)
        self.url, self.directory, self.state, self.stop = url, directory, state, threading.Event()
        self.machines, self.configured, self.fails, self.hosts = {}, {}, set(), {}

    def ask(self, path):
        try:
            with open(f"{self.state}/api-token", encoding="ascii") as file:
                token = file.read().strip()
        except FileNotFoundError:
            return {}  # the services have not run yet
        status, text = request(self.url + path, "GET", version="1.82", token=token)
        if status not in (0, 200):  # 0: they don't run at this moment
            raise AssertionError(f"GET {path}: {status} {text}")
        return json.loads(text) if status == 200 else {}

    def run(self):
        while not self.stop.wait(0.2):
            for node in self.ask("/v1/nodes/detail").get("nodes", []):
                name, since = node["name"], node["provision_updated_at"]
                if node["provision_state"] == "wait call-back" and self.machines.get(name, (None, ""))[1] != since:
                    machine = Machine(self.url, MACS[name], write_time=0.2, fails="write_image" if name in self.fails else None)
                    self.machines[name] = (machine.boot(), since)
                if node["provision_state"] == "active" and self.configured.get(name) != node["instance_uuid"]:
                    if self.configure(name, self.machines[name][0].image["configdrive"]):
                        self.configured[name] = node["instance_uuid"]

    def configure(self, name, drive):
        """What the agent of a deployed machine does: metadata by its drive, deployments, signals."""
        home = os.path.join(self.directory, name)
        os.makedirs(home, exist_ok=True)
        with open(f"{home}/drive.iso", "wb") as file:
            file.write(gzip.decompress(base64.b64decode(drive)))
        meta, vendor = (json.loads(subprocess.run(["bsdtar", "-xOf", f"{home}/drive.iso", f"openstack/latest/{part}.json"],
                                                  capture_output=True, check=True).stdout) for part in ("meta_data", "vendor_data2"))
        self.hosts[name] = meta["hostname"]
        authority = write(f"{home}/authority.pem", meta["hearth-authority"])
        same("cloud-init trusts", [meta["hearth-authority"]],
             json.loads(vendor["cloud-init"].removeprefix("#cloud-config\n"))["ca_certs"]["trusted"])
        access = meta["os-collect-config"]["cfn"]
        assert access["metadata_url"].startswith("https://"), access
        if not self.hosts.get("refused"):
            done = self.collects(home, access, another_authority(home))
            assert "hello" not in done.stdout and "CERTIFICATE_VERIFY_FAILED" in done.stderr, done.stderr
            self.hosts["refused"] = name
        done = self.collects(home, access, authority)
        if done.returncode != 0 or not done.stdout.strip():
            print(f"{name}: os-collect-config: {done.stderr[-300:]}")
            return False
        deployments = json.loads(done.stdout)["cfn"]["deployments"]
        for one in deployments:
            where = next(i["value"] for i in one["inputs"] if i["name"] == "deploy_signal_id")
            status = request(where, "POST", {"deploy_status_code": 0, "deploy_stdout": "hello", "result": f"hello from {name}"},
                             ca_file=authority)[0]
            same(f"{name} signals", 200, status)
        return bool(deployments)

    @staticmethod
    def collects(home, access, authority):
        """Debian's os-collect-config, as a machine that trusts that authority."""
        with open(f"{home}/occ.conf", "w", encoding="utf-8") as file:
            file.write(f"[DEFAULT]\ncollectors = cfn\n[cfn]\nca_certificate = {authority}\n")
            file.writelines(f"{key} = {value}\n" for key, value in access.items())
        environment = {k: v for k, v in os.environ.items() if "proxy" not in k.lower()}
        return subprocess.run(["/usr/bin/python3", "-W", "ignore", "/usr/bin/os-collect-config", "--config-file", f"{home}/occ.conf",
                               "--cachedir", home, "--one-time", "--print"], capture_output=True, text=True, check=False,
                              env=environment, timeout=120)


def another_authority(home):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", os.devnull, "-out",
                    f"{home}/another.pem", "-subj", "/CN=hearth"], check=True, stderr=subprocess.DEVNULL)
    return f"{home}/another.pem"


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def templates(work):
    write(f"{work}/node.yaml", NODE)
    return write(f"{work}/top.yaml", TOP)


def inventory(work, count):
    return write(f"{work}/nodes.json", json.dumps({"nodes": [
        {"name": name, "pm_type": "fake", "mac": [mac], "profile": "web"} for name, mac in list(MACS.items())[:count]]}))


IMAGE = {"image_source": "http://192.0.2.1/web.raw", "image_os_hash_algo": "sha256", "image_os_hash_value": "00"}


def deploy(hearth, *words, code=0):
    done = subprocess.run([hearth, "deploy", *words], capture_output=True, text=True, timeout=280, check=False)
    if done.returncode != code:
        raise AssertionError(f"hearth deploy {words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def seed_restarts(c, hearth, *words):
    """The seed is killed as soon as a machine is on its way, and comes back; what the command printed."""
    lines, killed = [], False
    with subprocess.Popen([hearth, "deploy", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout:
            lines.append(line)
            if "deploying -> wait call-back" in line and not killed:
                c.kill()
                killed = True
            if "does not answer" in line:
                c.start()
    same("".join(lines), 0, process.wait())
    return "".join(lines)


def interrupted(hearth, *words):
    """The command is killed as soon as a machine is on its way; its services go with it."""
    with subprocess.Popen([hearth, "deploy", *words], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if "deploying -> wait call-back" in line:
                break
        process.kill()


def rows(text, state):
    """Of the last table: a command that waits for long prints one in between."""
    return text.rpartition("| UUID ")[2].count(f"| {state} ")


def at_a_seed(hearth, work, ports):
    """Over REST of services that run: failures that say why, and the same command again until it is done."""
    with Conductor(hearth, "--poll-interval", "1", "--engine", "--port", str(free_port()), *ports["options"]) as c:
        site = Site(c.url, work, c.directory)
        common = ["--seed", c.url, "--stacks-url", ports["heat"], "--token-file", f"{c.directory}/api-token", "--stacks-token-file",
                  f"{c.directory}/metadata/api-token", "-t", templates(work), "--inventory", inventory(work, 3)]
        try:
            c.ask("PUT", "/v1/hearth/images/web", IMAGE)
            text = deploy(hearth, *common, "-P", "flavor=big", code=1)
            assert "no node of flavor big for server web-0: n0, n1, n2: each has profile web" in text, text
            assert "CREATE_FAILED" in text, text
            site.fails = set(MACS)
            site.start()
            text = deploy(hearth, *common, code=1)
            assert "Agent returned error for write image" in text and "Error verifying image checksum" in text, text
            site.fails = set()
            text = seed_restarts(c, hearth, *common)
            assert "The seed does not answer (" in text, text
            assert "is UPDATE_FAILED: bringing it" in text or "is CREATE_FAILED: bringing it" in text, text
            assert "Stack overcloud UPDATE_COMPLETE" in text, text
            listed = subprocess.run([hearth, "stack", "list"], env=dict(os.environ, HEARTH_NODE_STATE=c.directory), capture_output=True, text=True, timeout=60, check=False)
            assert "overcloud" in listed.stdout, listed  # as hearth node list finds its conductor
            same("active nodes", 2, rows(text, "active"))
            assert '"hello from n' in text, text
            same("host names", ["web-0", "web-1"], sorted(site.hosts[name] for name in MACS if name in site.hosts))
            first_signs(c)
            writes = {name: machine.writes for name, (machine, _) in site.machines.items()}
            the_fields_client(c, ports["heat"])
            elsewhere = ["--stacks-url", ports["heat"].replace("127.0.0.1", "localhost"), "-P", "count=2"]
            text = deploy(hearth, *common, *elsewhere, code=1)
            assert "the certificate of localhost does not hold" in text, text  # whom the seed names is trusted at the seed
            text = deploy(hearth, *common, *elsewhere, "--stacks-ca-file", f"{c.directory}/metadata/authority.pem")
            assert "Stack overcloud UPDATE_COMPLETE" in text, text
            text = deploy(hearth, *common, "-P", "count=1")
            assert "is no longer in the stack: it is taken out of use." in text, text
            text = deploy(hearth, "--state", c.directory, "-t", templates(work), "-P", "count=1")
            assert f"The services that run on {c.directory} do the work." in text and "UPDATE_COMPLETE" in text, text
            same("nothing was written for it", writes, {name: machine.writes for name, (machine, _) in site.machines.items()})
        finally:
            site.stop.set()


def first_signs(c):
    """What was heard of each machine's own system stands among its node's events."""
    for node in c.ask("GET", "/v1/nodes?provision_state=active")[1]["nodes"]:
        def told(uuid=node["uuid"]):
            return [event["text"] for event in c.ask("GET", f"/v1/hearth/events?node={uuid}")[1]["events"] if event["kind"] == "system"]
        c.until(told, ["its agent has asked for its metadata", "deployment greet: done"])


def the_fields_client(c, heat):
    """python3-heatclient, by the authority that lies beside the token; by another one it says no word of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OS_") and "proxy" not in k.lower()}
    with open(f"{c.directory}/metadata/api-token", encoding="ascii") as file:
        environment |= {"OS_AUTH_TYPE": "admin_token", "OS_TOKEN": file.read().strip(), "OS_ENDPOINT": heat}
    for authority, good in ((f"{c.directory}/metadata/authority.pem", True), (another_authority(c.directory), False)):
        done = openstack_client.run(["stack", "list", "-f", "value", "-c", "Stack Name"], environment | {"OS_CACERT": authority})
        same(f"openstack stack list: {done.stderr}", good, done.returncode == 0)
        assert "overcloud" in done.stdout if good else "CERTIFICATE_VERIFY_FAILED" in done.stderr or "SSL" in done.stderr, done
    text = c.run("why", "stack", "overcloud")
    assert "overcloud" in text, text
    done = subprocess.run([c.hearth, "stack", "list", "--state", f"{c.directory}/metadata", "--ca-file", another_authority(c.directory)],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0 and "the certificate of 127.0.0.1 does not hold" in done.stderr, done


def stack_ports(c, hearth):
    """What answers, by scheme: its stacks by name, or why not."""
    def listed(scheme):
        with open(f"{c.directory}/metadata/endpoint", encoding="ascii") as file:
            url = file.read().strip().replace("https://", "http://").replace("http://", scheme + "://")
        done = subprocess.run([hearth, "stack", "list", "--url", url, "--state", f"{c.directory}/metadata"], capture_output=True,
                              text=True, timeout=60, check=False)
        return done.returncode == 0 and "odd" in done.stdout
    return {scheme: listed(scheme) for scheme in ("http", "https")}


def an_older_site(hearth, ports):
    """A state whose engine has served in clear, of an older Hearth: its machines hold http:// URLs."""
    directory = tempfile.mkdtemp(prefix="hearth-older-")
    os.mkdir(f"{directory}/metadata", mode=0o700)
    with open(os.path.dirname(os.path.abspath(__file__)) + "/../../e2e/metadata_state_1.sql", encoding="utf-8") as file:
        database = sqlite3.connect(f"{directory}/metadata/state.db")
        database.executescript(file.read())
        database.close()
    seen = 0
    with Conductor(hearth, "--engine", *ports["options"], directory=directory) as c:
        for words, scheme, told in (((), "http", "served in clear, as it was"), (("--tls-stacks",), "https", "by TLS from now on"),
                                    ((), "https", None), (None, "https", None), (("--plain-stacks",), "http", "get no answer until they are deployed anew")):
            if words is None:  # by hand, or of a backup that lacked it: its machines know whom to trust
                os.remove(f"{directory}/metadata/transport")
            if words or told is None:
                c.options = ["--engine", *ports["options"], *(words or ())]
                c.start()
            c.until(lambda: os.path.exists(f"{directory}/metadata/endpoint"), True)
            same(f"an older site, {words}", {"http": scheme == "http", "https": scheme == "https"}, stack_ports(c, hearth))
            c.stop()
            with open(f"{directory}/serve.log", encoding="utf-8") as file:
                log = file.read()
            assert (told in log[seen:]) if told else "clear" not in log[seen:] and "from now on:" not in log[seen:], log[seen:]
            seen = len(log)
        unknown_transport(c, hearth, ports)


def unknown_transport(c, hearth, ports):
    """A file that says nothing is named, with what to do; a word does it."""
    with open(f"{c.directory}/metadata/transport", "w", encoding="ascii") as file:
        file.write("tsl\n")
    refused = subprocess.run([hearth, "node", "serve", "--state", c.directory, "--port", "0", "--engine", *ports["options"]],
                             capture_output=True, text=True, timeout=60, check=False)
    assert refused.returncode == 1 and "metadata/transport" in refused.stderr and "neither tls nor clear" in refused.stderr, refused
    assert "--tls-stacks or --plain-stacks" in refused.stderr and "in clear, as nothing beside it tells of TLS" in refused.stderr, refused
    for words in (["--tls-stacks"], []):
        c.options = ["--engine", *ports["options"], *words]
        c.start()
        c.until(lambda: os.path.exists(f"{c.directory}/metadata/endpoint"), True)
        same(f"a file that says nothing, {words}", {"http": False, "https": True}, stack_ports(c, hearth))
        c.stop()


def by_itself(hearth, work, ports):
    """Without a seed: the command runs the services as long as it lasts."""
    port = free_port()
    state = ["--state", f"{work}/state"]
    words = [*state, "--port", str(port), "--poll-interval", "1", *ports["options"], "-t", templates(work), "--inventory",
             inventory(work, 2)]
    text = deploy(hearth, *words, "-P", "count=1", "--name", "first", code=1)
    assert "there is no image web for server web-0" in text, text
    text = deploy(hearth, *words, "-P", "count=1", "--name", "second", "--image", "wbe", code=1)
    assert "there is no image wbe: `hearth image load" in text and "CREATE_IN_PROGRESS" not in text, text
    files = {name: write(f"{work}/{name}", name) for name in ("web.raw", "kernel", "ramdisk")}
    subprocess.run([hearth, "image", "load", files["web.raw"], *state, "--kernel", files["kernel"], "--ramdisk", files["ramdisk"],
                    "--image-url", "http://192.0.2.1/web.raw"], check=True, stdout=subprocess.DEVNULL)
    site = Site(f"http://127.0.0.1:{port}", work, f"{work}/state")
    site.start()
    try:
        interrupted(hearth, *words, "-P", "count=1")
        text = deploy(hearth, *words, "-P", "count=1")
        assert "The stack overcloud is CREATE_IN_PROGRESS already: going on with it." in text, text
        assert "Stack overcloud CREATE_COMPLETE" in text, text
        same("images written", 1, sum(machine.writes for machine, _ in site.machines.values()))
        write(f"{work}/tree.j2.yaml", TREE)
        text = deploy(hearth, *words, "-t", f"{work}/tree.j2.yaml", "-r", write(f"{work}/roles_data.yaml", ROLES), "--name",
                      "tree")
        assert "Stack tree CREATE_COMPLETE" in text and "[tree.Web.greet]: CREATE_COMPLETE" in text, text
        same("active nodes", 2, rows(text, "active"))
    finally:
        site.stop.set()


def main():
    enter()
    need(shutil.which("bsdtar"), "there is no bsdtar (libarchive-tools)")
    need(os.path.exists("/usr/bin/os-collect-config"), "there is no os-collect-config (python3-os-collect-config)")
    hearth = sys.argv[1]
    numbers = {name: free_port() for name in ("cfn", "objects", "heat", "identity")}
    ports = {"heat": f"https://127.0.0.1:{numbers['heat']}/v1/admin",
             "options": [word for name, number in numbers.items() for word in (f"--{name}-port", str(number))]}
    with tempfile.TemporaryDirectory(prefix="hearth-deploy.") as work:
        began = time.monotonic()
        at_a_seed(hearth, work, ports)
        print(f"at a seed: {time.monotonic() - began:.0f} s")
        by_itself(hearth, work, ports)
        an_older_site(hearth, ports)
    print("ok")


main()
