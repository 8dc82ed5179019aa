"""A stack of a seed with two machines, and the Heat that gets it: for handover_peer.py. One machine's agent is Debian's
os-collect-config with os-apply-config, the other's is ours; both run deployments by our heat-config."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "metadata"), os.path.join(HERE, "..", "deploy")]
from own_network import free_port  # noqa: E402
from service import Service  # noqa: E402

REFRESH = """#!/bin/sh
set -eu
export HEAT_SHELL_CONFIG={0}/root/heat-config HEAT_CONFIG_DEPLOYED={0}/deployed HEAT_CONFIG_NOTIFY={1}/heat-config-notify
export HEAT_CONFIG_DEPLOYED_OLD={0}/none HEAT_CONFIG_HOOKS={0}/hooks HEAT_CONFIG_LOG_DIR={0}/logs
export HEAT_SCRIPT_WORKING={0}/work HEAT_SCRIPT_OUTPUTS={0}/outputs
{2}/os-apply-config -t {0}/templates -o {0}/root
{1}/hearth-agent 55-heat-config
"""
SCRIPT = '#!/bin/sh\nset -eu\necho "$greeting" >>"$file"\nprintf "%s!" "$greeting" >"$heat_outputs_path.result"\n'


def template(work):
    def deployment(server, file, greeting):
        return {"type": "OS::Heat::SoftwareDeployment",
                "properties": {"config": {"get_resource": "config"}, "server": {"get_resource": server},
                               "input_values": {"file": os.path.join(work, file), "greeting": greeting}}}
    return {
        "heat_template_version": "2016-10-14",
        "parameters": {"greeting": {"type": "string", "default": "hello"}},
        "resources": {
            "secret": {"type": "OS::Heat::RandomString"},
            "config": {"type": "OS::Heat::SoftwareConfig",
                       "properties": {"group": "script", "config": SCRIPT, "inputs": [{"name": "greeting"}, {"name": "file"}],
                                      "outputs": [{"name": "result"}]}},
            "theirs": {"type": "OS::Heat::DeployedServer", "properties": {"name": "theirs"}},
            "ours": {"type": "OS::Nova::Server", "properties": {"name": "ours", "image": "disk", "flavor": "baremetal",
                                                                "user_data_format": "SOFTWARE_CONFIG"}},
            "first": deployment("theirs", "first", {"get_param": "greeting"}),
            "second": deployment("ours", "second", {"get_attr": ["first", "result"]}),
            "all": {"type": "OS::Heat::SoftwareDeploymentGroup",
                    "properties": {"servers": {"a": {"get_resource": "theirs"}, "b": {"get_resource": "ours"}},
                                   "config": {"get_resource": "config"},
                                   "input_values": {"file": os.path.join(work, "all"), "greeting": "both"}}}},
        "outputs": {"secret": {"value": {"get_attr": ["secret", "value"]}}, "result": {"value": {"get_attr": ["second", "result"]}}}}


def until(what, look, seconds=60):
    end = time.monotonic() + seconds
    while not look():
        if time.monotonic() > end:
            raise AssertionError(f"not in time: {what}")
        time.sleep(0.1)


class Machine:
    """What an agent has of one: a folder, in which its daemon polls every second."""

    def __init__(self, name, work, section, links, programs):
        self.directory, self.links = os.path.join(work, name), links
        for folder in ("templates", "root", "deployed", "hooks", "work", "outputs", "cache", "logs"):
            os.makedirs(os.path.join(self.directory, folder))
        own = os.path.join(HERE, "..", "..", "..", "elements")
        with open(os.path.join(own, "os-collect-config/os-apply-config/etc/os-collect-config.conf"), encoding="utf-8") as file:
            text = file.read()
        head = f"[DEFAULT]\ncommand = {self.directory}/refresh\npolling_interval = 1\nmin_polling_interval = 1\n"
        self.write("templates/occ.conf", head + text[text.index("{{#os-collect-config.collectors}}"):])
        self.write("templates/heat-config", "{{deployments}}")
        self.write("refresh", REFRESH.format(self.directory, links, programs), 0o755)
        self.write("root/occ.conf", head + "collectors = cfn\n[cfn]\n" + "".join(f"{k} = {v}\n" for k, v in section["cfn"].items()))
        log = open(os.path.join(self.directory, "log"), "ab")
        self.process = subprocess.Popen(
            [os.path.join(programs, "os-collect-config"), "--config-file", f"{self.directory}/root/occ.conf", "--cachedir",
             f"{self.directory}/cache", "--backup-cachedir", f"{self.directory}/cache/backup"],
            stdout=log, stderr=log, start_new_session=True, cwd=self.directory)

    def write(self, name, text, mode=0o600):
        with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(os.path.join(self.directory, name), mode)

    def asks(self):
        """Where its agent asks."""
        with open(os.path.join(self.directory, "root/occ.conf"), encoding="utf-8") as file:
            return file.read()

    def stop(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def log(self):
        with open(os.path.join(self.directory, "log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-3000:]


class Heat:
    """Debian's, with both its APIs."""

    def __init__(self, work):
        self.directory, port = os.path.join(work, "heat"), free_port()
        os.makedirs(self.directory)
        self.url, self.process = f"http://127.0.0.1:{port}", subprocess.Popen(
            [sys.executable, "-W", "ignore", os.path.join(HERE, "..", "heat", "real_heat.py"), self.directory, str(port), "convergence"],
            stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert self.process.stdout.readline() == "up\n", "Heat does not start"
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.url + "/v1/admin" + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
            return json.loads(text) if text.startswith(b"{") else text

    def stacks(self):
        return {stack["stack_name"]: stack for stack in self.ask("GET", "/stacks")["stacks"]}

    def stop(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class GivenStack:
    def __init__(self, hearth, agent, work):
        self.work = os.path.join(work, "stack")
        links = os.path.join(self.work, "links")
        os.makedirs(os.path.join(self.work, "state"))
        os.makedirs(links)
        subprocess.run([agent, "install-links", links], check=True, stdout=subprocess.DEVNULL)
        if not os.path.exists(os.path.join(links, "hearth-agent")):
            os.symlink(agent, os.path.join(links, "hearth-agent"))
        self.service, self.heat, self.machines = Service(hearth, os.path.join(self.work, "state")), None, {}
        try:
            self.start(links)
        except BaseException:
            print(self.logs(), file=sys.stderr)
            self.stop()
            raise

    def start(self, links):
        self.service.start()
        self.url = self.service.url("heat") + "/v1/admin"
        with open(os.path.join(self.work, "stack.yaml"), "w", encoding="utf-8") as file:
            json.dump(template(self.work), file)
        self.service.hearth("create", "web", "-t", os.path.join(self.work, "stack.yaml"))
        until("servers", lambda: len(self.servers()) == 2)
        for server, programs in (("theirs", "/usr/bin"), ("ours", links)):
            place = f"{self.place()}/servers/{self.servers()[server]['id']}"
            section = self.service.get(place)["server"]["os_collect_config"]
            self.machines[server] = Machine(server, self.work, section, links, programs)
        until("the seed's stack", lambda: self.service.get(self.place())["stack"]["stack_status"] == "CREATE_COMPLETE")
        self.ran = self.lines()
        assert self.ran == {"first": ["hello"], "second": ["hello!"], "all": ["both", "both"]}, self.ran
        self.heat = Heat(self.work)

    def place(self):
        stack = self.service.get("/stacks")["stacks"][0]
        return f"/stacks/{stack['stack_name']}/{stack['id']}"

    def servers(self):
        return {server["name"]: server for server in self.service.get(self.place() + "/servers")["servers"]}

    def lines(self):
        """What ran, by file."""
        found = {}
        for name in ("first", "second", "all"):
            with open(os.path.join(self.work, name), encoding="utf-8") as file:
                found[name] = file.read().split()
        return found

    def expect_given(self):
        stack = self.heat.stacks()["web"]
        assert stack["stack_status"] == "UPDATE_COMPLETE", stack
        place = f"/stacks/web/{stack['id']}"
        outputs = {each["output_key"]: each["output_value"] for each in self.heat.ask("GET", place)["stack"]["outputs"]}
        own = {each["output_key"]: each["output_value"] for each in self.service.get(self.place())["stack"]["outputs"]}
        assert outputs == own, (outputs, own)
        there = {row["resource_name"]: row for row in self.heat.ask("GET", place + "/resources")["resources"]}
        for name, server in self.servers().items():
            assert there[name]["physical_resource_id"] == server["id"] and there[name]["resource_type"] == "OS::Heat::DeployedServer", there
            served = self.heat.ask("GET", f"{place}/resources/{name}/metadata")["metadata"]["deployments"]
            assert [each["name"] for each in served].count("hearth-handover") == 0 and len(served) == 2, served
        assert self.service.url("cfn") not in json.dumps(self.heat.ask("GET", f"{place}/resources/ours/metadata")), "the seed's signals"
        self.expect_asked(self.heat.url)
        try:
            self.update("never")
            raise AssertionError("the seed changed what it gave")
        except AssertionError as error:
            assert "was given to" in str(error), error
        assert self.lines() == self.ran, f"run again: {self.lines()}"

    def expect_asked(self, url):
        for name, machine in self.machines.items():
            assert f"metadata_url = {url}/" in machine.asks(), f"{name} asks {machine.asks()}"

    def expect_back(self):
        assert not self.heat.stacks(), self.heat.stacks()
        assert not self.heat.ask("GET", "/software_deployments")["software_deployments"]
        left = self.heat.ask("GET", "/software_configs")["software_configs"]  # of what was killed in the midst of it
        assert len(left) < 10, left
        self.expect_asked(self.service.url("cfn"))
        assert self.lines() == self.ran, f"run again: {self.lines()}"
        self.change(lambda: self.update("seed"), "seed",
                    lambda: self.service.get(self.place())["stack"])

    def update(self, greeting):
        self.service.hearth("update", "web", "-t", os.path.join(self.work, "stack.yaml"), "-P", "greeting=" + greeting)

    def change(self, order, word, stack):
        """A value that is another now reaches the agents, and each deployment that has it runs once."""
        order()
        until(f"the change to {word}", lambda: stack()["stack_status"] == "UPDATE_COMPLETE" and stack()["updated_time"]
              and self.lines()["second"][-1] == word + "!")
        self.ran["first"].append(word)
        self.ran["second"].append(word + "!")
        time.sleep(2.5)  # two polls
        assert self.lines() == self.ran, f"{self.lines()}, not {self.ran}"

    def change_in_cloud(self):
        stack = self.heat.stacks()["web"]
        self.change(lambda: self.heat.ask("PATCH", f"/stacks/web/{stack['id']}", {"parameters": {"greeting": "cloud"}}), "cloud",
                    lambda: self.heat.stacks()["web"])

    def stop(self):
        for machine in self.machines.values():
            machine.stop()
        if self.heat:
            self.heat.stop()
        self.service.kill()

    def logs(self):
        return "".join(f"--- {name}\n{machine.asks()}\n{machine.log()}" for name, machine in self.machines.items())
