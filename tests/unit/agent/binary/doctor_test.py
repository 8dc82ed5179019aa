"""hearth-agent doctor on a machine that has the six causes of a deployment that stays IN_PROGRESS, one after the other.
Usage: doctor_test.py AGENT"""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab import Lab, Server, inputs

AGENT = os.path.abspath(sys.argv.pop())


class DoctorTest(unittest.TestCase):
    def setUp(self):
        self.lab = Lab(AGENT)
        self.addCleanup(self.lab.close)
        step = self.lab.path("refresh", "configure.d", "55-heat-config")
        os.makedirs(os.path.dirname(step))
        os.symlink(self.lab.path("bin", "55-heat-config"), step)
        os.makedirs(self.lab.path("deployed"))
        self.lab.env["OS_REFRESH_CONFIG_BASE_DIR"] = self.lab.path("refresh")
        self.metadata({"deployments": [{"id": "a", "group": "script", "config": "true", "inputs": []}]})
        self.configure("local", "")
        self.start_daemon()

    def metadata(self, content):
        os.makedirs(self.lab.path("local"), mode=0o755, exist_ok=True)
        with open(self.lab.path("local", "m"), "w") as f:
            json.dump(content, f)

    def configure(self, collectors, more):
        with open(self.lab.path("os-collect-config.conf"), "w") as f:  # in $HOME
            f.write("[DEFAULT]\ncommand = true\nmin_polling_interval = 1000\npolling_interval = 1000\ncachedir = %s\nbackup_cachedir = %s\ncollectors = %s\n[local]\npath = %s\n%s" %
                    (self.lab.path("cache"), self.lab.path("backup"), collectors, self.lab.path("local"), more))

    def start_daemon(self):
        daemon = subprocess.Popen([self.lab.path("bin", "os-collect-config")], env=self.lab.env, stderr=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(daemon.stderr.close)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)
        while "Sleeping" not in daemon.stderr.readline():  # from then on it leaves the cache alone
            self.assertIsNone(daemon.poll())

    def wrong(self):
        """The names of the checks that have problems; the exit status must agree."""
        done = subprocess.run([AGENT, "doctor", "--json"], env=self.lab.env, stdout=subprocess.PIPE, timeout=120)
        report = json.loads(done.stdout)
        self.assertEqual(report["ok"], done.returncode == 0)
        for check in report["checks"]:
            for problem in check["problems"]:
                self.assertTrue(problem["what"] and problem["advice"])
        return [check["name"] for check in report["checks"] if check["problems"]]

    def status(self):
        done = subprocess.run([AGENT, "status", "--json"], env=self.lab.env, stdout=subprocess.PIPE, timeout=60, check=True)
        return json.loads(done.stdout)

    def test_a_healthy_machine(self):
        self.assertEqual(self.wrong(), [])

    def test_1_no_agents(self):
        os.remove(self.lab.path("refresh", "configure.d", "55-heat-config"))
        self.assertEqual(self.wrong(), ["agents"])

    def test_2_no_network(self):
        self.configure("request", "[request]\nmetadata_url = http://127.0.0.1:9/x\ntimeout = 2\n")
        self.assertIn("network", self.wrong())

    def test_3_no_metadata(self):
        server = Server()
        self.addCleanup(server.close)
        server.statuses = [403] * 20
        self.configure("request", "[request]\nmetadata_url = %s/x\n" % server.url)
        self.assertEqual(self.wrong(), ["metadata"])
        self.configure("local", "")
        self.metadata({"no": "deployments"})
        self.assertIn("metadata", self.wrong())

    def test_a_configuration_that_cannot_be_read_has_no_good_answers(self):
        self.configure("local,ec2", "")
        self.assertEqual(self.wrong(), ["agents", "network", "metadata"])

    def test_4_polling_fails(self):
        os.remove(self.lab.path("cache", "m.json.last"))
        self.assertEqual(self.wrong(), ["polling"])
        for name in os.listdir(self.lab.path("cache")):
            os.utime(self.lab.path("cache", name), (1, 1))
        self.assertEqual(self.wrong(), ["polling"])

    def test_5_hook_missing_or_failed(self):
        self.metadata({"deployments": [{"id": "a", "group": "nothing"}]})
        self.assertIn("hooks", self.wrong())
        self.metadata({"deployments": []})
        server = Server()
        self.addCleanup(server.close)
        self.lab.deployments([{"id": "b", "group": "script", "config": "exit 3", "inputs": inputs(deploy_signal_id=server.url)}])
        self.lab.run("55-heat-config")
        self.assertIn("hooks", self.wrong())

    def test_6_signal_pending(self):
        self.lab.deployments([{"id": "b", "group": "script", "config": "true", "inputs": inputs(deploy_signal_id="http://127.0.0.1:9/")}])
        self.lab.run("55-heat-config", env={"HEAT_CONFIG_NOTIFY_PATIENCE": "0"})
        self.assertEqual(self.wrong(), ["signals"])

    def test_a_machine_whose_metadata_never_change(self):
        for name in os.listdir(self.lab.path("cache")):
            os.utime(self.lab.path("cache", name), (1, 1))
        self.assertEqual(self.wrong(), [])

    def test_a_deployment_that_failed_and_was_replaced(self):
        server = Server()
        self.addCleanup(server.close)
        self.lab.deployments([{"id": "b", "group": "script", "config": "exit 3", "inputs": inputs(deploy_signal_id=server.url)}])
        self.lab.run("55-heat-config")
        self.assertEqual(self.wrong(), ["hooks"])
        self.lab.deployments([])
        self.assertEqual(self.wrong(), [])

    def test_status(self):
        status = self.status()
        self.assertEqual((status["daemon"]["running"], status["daemon"]["doing"]), (True, "waiting"))
        self.assertGreater(status["daemon"]["next_poll_in_seconds"], 900)
        self.assertEqual(status["documents"], [{"name": "m", "applied": True}])
        self.lab.deployments([{"id": "b", "group": "script", "config": "exit 3", "inputs": inputs(deploy_signal_id="http://127.0.0.1:9/")}])
        self.lab.run("55-heat-config", env={"HEAT_CONFIG_NOTIFY_PATIENCE": "0"})
        text = subprocess.run([AGENT, "status"], env=self.lab.env, stdout=subprocess.PIPE, encoding="utf-8", timeout=60, check=True).stdout
        self.assertIn("os-collect-config: waiting for ", text)
        self.assertIn("deployment b: status 3, signal pending (", text)

    def test_the_command_comes_to_its_end_when_the_daemon_is_stopped(self):
        self.configure("local", "")
        with open(self.lab.path("os-collect-config.conf"), encoding="utf-8") as f:
            text = f.read().replace("command = true", "command = exec sh -c 'echo begun >$LAB/begun; sleep 1; echo ended >$LAB/ended'")
        with open(self.lab.path("os-collect-config.conf"), "w", encoding="utf-8") as f:
            f.write(text)
        self.metadata({"deployments": [], "new": 1})
        daemon = subprocess.Popen([self.lab.path("bin", "os-collect-config")], env=self.lab.env, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while self.lab.read("begun") == "" and time.monotonic() < end:
            time.sleep(0.02)
        daemon.terminate()
        self.assertEqual(daemon.wait(10), -signal.SIGTERM)
        while self.lab.read("ended") == "" and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(self.lab.read("ended"), "ended\n")

    def test_words_and_exit_statuses(self):
        done = subprocess.run([AGENT, "doctor"], env=self.lab.env, stdout=subprocess.PIPE, encoding="utf-8", timeout=120)
        self.assertEqual((done.returncode, done.stdout.count("? Yes.")), (0, 6))
        self.assertEqual(subprocess.run([AGENT, "doctor", "--nope"], stderr=subprocess.DEVNULL).returncode, 2)


if __name__ == "__main__":
    unittest.main()
