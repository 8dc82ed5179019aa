"""Each built-in hook, as heat-config calls it: a deployment in JSON on stdin, tools on PATH that record their arguments.
Usage: hooks_test.py AGENT"""
import json
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab import Lab, inputs

AGENT = os.path.abspath(sys.argv.pop())
DONE = {"deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": 0}


class HookTest(unittest.TestCase):
    def setUp(self):
        self.lab = Lab(AGENT)
        self.addCleanup(self.lab.close)
        self.lab.tool("hostname", "echo host.example")

    def answer(self, name, **deployment):
        return self.lab.hook(name, dict({"id": "i1", "name": "n1", "creation_time": "2026-01-02T03:04:05", "inputs": [], "outputs": None,
                                         "options": None}, **deployment))

    def variables(self, tool):
        return dict(line.split("=", 1) for line in self.lab.read("env." + tool).splitlines() if "=" in line)


class Script(HookTest):
    def test_output_status_variables_and_outputs(self):
        config = "#!/bin/sh\necho \"$a $b\"\necho err >&2\nprintf '%s' \"$c\" >$heat_outputs_path.res\nexit 3\n"
        found = self.answer("script", config=config, outputs=[{"name": "res"}, {"name": "none"}],
                            inputs=[{"name": "a", "value": 5}, {"name": "b"}, {"name": "c", "value": {"k": [True]}}])
        self.assertEqual(found, {"res": '{"k": [true]}', "deploy_stdout": "5 \n", "deploy_stderr": "err\n", "deploy_status_code": 3})
        self.assertEqual(self.lab.mode("working", "i1"), "0o700")
        self.assertEqual(self.lab.mode("outputs"), "0o700")

    def test_a_killed_script_has_the_signal_as_status(self):
        self.assertEqual(self.answer("script", config="kill -9 $$")["deploy_status_code"], -9)

    def test_output_comes_while_it_runs(self):
        done = self.lab.run("hooks/script", stdin=json.dumps({"id": "i", "config": "echo hunter22", "inputs": inputs(password="hunter22")}))
        self.assertRegex(done.stderr, r"\(heat-config\) \[INFO\] \*\*\*\n")
        self.assertEqual(json.loads(done.stdout)["deploy_stdout"], "hunter22\n")

    def test_input_that_is_no_deployment_is_exit_status_1(self):
        for text in ("", "{", "\xff"):
            self.assertEqual(self.lab.run("hooks/script", stdin=text).returncode, 1)
        self.assertEqual(self.answer("script", id="../x")["deploy_status_code"], 1)


class Puppet(HookTest):
    def test_command_line_facts_and_logs(self):
        self.lab.tool("puppet", "echo out; echo err >&2; exit 2")
        found = self.answer("puppet", config="notify {x:}", inputs=inputs(a="1"), options={"modulepath": "/m", "tags": "t"})
        self.assertEqual(found, {"deploy_stdout": "out\n", "deploy_stderr": "err\n", "deploy_status_code": 0})
        self.assertEqual(self.lab.calls()[1:], ["puppet [apply] [--color] [false] [--detailed-exitcodes] [--logdest] [console] "
                                                "[--modulepath] [/m] [--tags] [t] [{D}/working/i1.pp]"])
        self.assertEqual(self.variables("puppet")["FACTER_a"], "1")
        self.assertEqual(self.variables("puppet")["FACTER_fqdn"], "host.example")
        self.assertEqual(self.lab.read("log", "2026-01-02-03-04-05-i1-stdout.log"), "out\n")

    def test_hiera(self):
        self.lab.tool("puppet")
        self.answer("puppet", config="", inputs=inputs(a="1"), options={"enable_hiera": True, "enable_facter": False})
        self.assertEqual(self.lab.read("hieradata", "heat_config_n1.json"), '{"a": "1"}')
        self.assertEqual(self.lab.mode("hieradata", "heat_config_n1.json"), "0o600")
        self.assertNotIn("FACTER_a", self.variables("puppet"))
        self.assertEqual(self.variables("puppet")["FACTER_deploy_config_name"], "n1")

    def test_without_puppet(self):
        found = self.lab.hook("puppet", {"id": "i1", "config": "x"}, env={"HEAT_PUPPET_CMD": "no-such-puppet"})
        self.assertEqual(found["deploy_status_code"], 127)
        self.assertIn("no-such-puppet is not installed", found["deploy_stderr"])


class Files(HookTest):
    def test_hiera(self):
        self.lab.tool("os-apply-config", "echo empty")
        self.assertEqual(self.answer("hiera", config={"hierarchy": ["a"], "datafiles": {"x": {"b": 1, "a": 2}}}), DONE)
        self.assertEqual(self.lab.calls(), ["os-apply-config [--key] [hiera.datafiles] [--type] [raw] [--key-default] [empty]"])
        self.assertEqual(self.lab.read("hieradata", "x.json"), '{\n    "a": 2,\n    "b": 1\n}')
        self.assertEqual(self.lab.read("hiera.yaml").splitlines()[-1], "  - a")

    def test_legacy_hieradata(self):
        self.lab.tool("os-apply-config", "echo '{\"old\": 1}'")
        self.assertEqual(self.answer("hiera", config={"hierarchy": ["a"]})["deploy_status_code"], 1)

    def test_json_file(self):
        path = self.lab.path("new", "f.json")
        self.assertEqual(self.answer("json-file", config={path: {"b": [], "a": None}}), DONE)
        self.assertEqual(self.lab.read("new", "f.json"), '{\n    "a": null,\n    "b": []\n}')
        self.assertEqual((self.lab.mode("new"), self.lab.mode("new", "f.json")), ("0o700", "0o644"))

    def test_a_config_that_cannot_be_is_a_failure(self):
        self.assertEqual(self.answer("json-file", config={"relative": 1})["deploy_status_code"], 1)
        self.assertEqual(self.answer("json-file", config={"/proc/none/x": 1})["deploy_status_code"], 1)


class Tools(HookTest):
    def test_apply_config(self):
        self.lab.tool("os-apply-config", "echo applied; exit 1")
        self.assertEqual(self.answer("apply-config"), {"deploy_stdout": "applied\n", "deploy_stderr": "", "deploy_status_code": 1})
        self.assertEqual(self.lab.calls(), ["os-apply-config"])

    def test_cfn_init(self):
        self.lab.tool("cfn-init", "echo done")
        self.assertEqual(self.answer("cfn-init", config='{"config": {}}')["deploy_stdout"], "done\n")
        self.assertEqual(self.lab.read("cfn", "last_metadata"), '{"AWS::CloudFormation::Init": {"config": {}}}')
        self.assertEqual(self.lab.mode("cfn", "last_metadata"), "0o700")
        self.assertEqual(self.lab.calls(), ["cfn-init"])

    def test_ansible(self):
        self.lab.tool("ansible-playbook", "echo played; printf 1 >$LAB/outputs/i1.res")
        found = self.answer("ansible", config="- hosts: all\n", inputs=inputs(a="1"), outputs=[{"name": "res"}], options={"tags": "t"})
        self.assertEqual(found, {"res": "1", "deploy_stdout": "played\n", "deploy_stderr": "", "deploy_status_code": 0})
        self.assertEqual(self.lab.calls(), ["ansible-playbook [-i] [localhost,] [--tags] [t] [{D}/working/i1_playbook.yaml] "
                                            "[--extra-vars] [@{D}/working/i1_variables.json]"])
        self.assertEqual(json.loads(self.lab.read("working", "i1_variables.json")),
                         {"heat_config_id": "i1", "a": "1", "heat_outputs_path": self.lab.path("outputs", "i1")})
        self.assertEqual(self.lab.mode("working", "i1_playbook.yaml"), "0o600")

    def test_chef(self):
        self.lab.tool("git")
        self.lab.tool("chef-client", "echo cooked; exit 1")
        found = self.answer("chef", config='["recipe[x]"]', inputs=inputs(deploy_action="UPDATE", environment="e", a="1"),
                            options={"kitchen": "https://example.test/k"})
        self.assertEqual(found, {"deploy_stdout": "cooked\n", "deploy_stderr": "", "deploy_status_code": 1})
        self.assertEqual(self.lab.calls(), ["git [clone] [https://example.test/k] [{D}/working/kitchen]", "hostname [-f]",
                                            "chef-client [-z] [--config] [{D}/working/client.rb] [-j] [{D}/working/node/host.example.json]"])
        self.assertEqual(json.loads(self.lab.read("working", "node", "host.example.json")), {"a": "1", "run_list": ["recipe[x]"]})
        self.assertIn("\nenvironment 'e'\nnode_path '", self.lab.read("working", "client.rb"))

    def test_unsupported(self):
        for name in ("salt", "kubelet"):
            found = self.answer(name, config="x")
            self.assertEqual(found["deploy_status_code"], 1)
            self.assertIn("not supported", found["deploy_stderr"])


class Docker(HookTest):
    def test_run(self):
        self.lab.tool("docker", 'case $1 in inspect) exit 1 ;; run) echo id; echo pulled >&2 ;; esac')
        config = "web:\n  image: nginx\n  privileged: yes\n  environment: [A=1]\n  volumes_from: [data]\n  command: run me\n"
        self.assertEqual(self.answer("docker-cmd", config=config, inputs=inputs(deploy_stack_id="s/1")),
                         {"deploy_stdout": "id\n", "deploy_stderr": "pulled\n", "deploy_status_code": 0})
        self.assertEqual(self.lab.calls(), [
            "docker [inspect] [--format] [exists] [web]",
            "docker [run] [--name] [web] [--label] [deploy_stack_id=s/1] [--label] [deploy_resource_name=None] [--label] [config_id=i1] "
            "[--label] [container_name=web] [--label] [managed_by=docker-cmd] [--detach=true] [--env=A=1] [--privileged=true] "
            "[--volumes-from=data] [nginx] [run] [me]"])

    def test_a_failing_container_fails_the_deployment_whatever_it_prints(self):
        self.lab.tool("docker", 'case $1 in inspect) exit 1 ;; run) echo garbage; exit 125 ;; esac')
        self.assertEqual(self.answer("docker-cmd", config={"a": {"image": "x"}})["deploy_status_code"], 125)

    def test_compose(self):
        self.lab.tool("docker-compose", "echo up")
        found = self.answer("docker-compose", config={"web": {"env_file": "x.env"}},
                            inputs=inputs(env_files="[{'file_name': 'x.env', 'content': 'K=v'}]"))
        self.assertEqual(found["deploy_stdout"], "up\n")
        self.assertEqual(self.lab.calls(), ["docker-compose [up] [-d] [--no-build]"])
        self.assertEqual(self.lab.read("cwd.docker-compose").strip(), self.lab.path("working", "n1"))
        self.assertEqual(self.lab.read("working", "n1", "x.env"), "K=v")

    def test_deletion(self):
        for name in ("docker-cmd", "docker-compose"):
            self.assertEqual(self.answer(name, config={"a": {"image": "x"}}, inputs=inputs(deploy_action="DELETE")), DONE)
        self.assertEqual(self.lab.calls(), [])

    def test_orphans(self):
        self.lab.tool("docker", 'case "$*" in "ps -a --filter"*) echo gone ;; "ps -q"*) echo c1 ;; *Names*) echo "web-1 web" ;; esac')
        self.lab.deployments([{"id": "kept", "group": "docker-cmd"}])
        self.assertEqual(self.lab.run("50-heat-config-docker-cmd").returncode, 0)
        self.assertEqual(self.lab.calls()[2:3] + self.lab.calls()[-1:], ["docker [rm] [-f] [c1]"])

    def test_projects(self):
        self.lab.tool("docker-compose")
        os.makedirs(self.lab.path("working", "old"))
        with open(self.lab.path("working", "old", "docker-compose.yml"), "w") as f:
            f.write("x")
        self.lab.deployments([{"id": "i", "name": "web", "group": "docker-compose", "config": {"b": {"image": "i"}, "a": {}}}])
        self.assertEqual(self.lab.run("50-heat-config-docker-compose").returncode, 0)
        self.assertEqual(self.lab.calls(), ["docker-compose [kill]"])
        self.assertEqual(self.lab.read("working", "web", "docker-compose.yml"), "a: {}\nb:\n  image: i\n")
        self.assertEqual(self.lab.read("working", "old", "docker-compose.yml"), "")


if __name__ == "__main__":
    unittest.main()
