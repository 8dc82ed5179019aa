"""55-heat-config and its signals against a real server: whatever becomes of a hook, Heat is told; a signal that can't be
delivered is kept and sent again, and the hook is never run twice. Usage: signals_test.py AGENT"""
import concurrent.futures
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


class SignalTest(unittest.TestCase):
    def setUp(self):
        self.lab = Lab(AGENT)
        self.addCleanup(self.lab.close)
        self.server = Server()
        self.addCleanup(self.server.close)
        self.lab.env["HEAT_CONFIG_NOTIFY_PATIENCE"] = "0"

    def deployment(self, id_, config="echo ran >>$LAB/ran", group="script", **more):
        url = more.pop("url", self.server.url + "/signal/" + id_)
        return dict({"id": id_, "name": "name-" + id_, "group": group, "config": config, "creation_time": "x", "outputs": [],
                     "options": {}, "inputs": inputs(deploy_signal_id=url)}, **more)

    def deploy(self, *items, env=None, timeout=60):
        self.lab.deployments(list(items))
        done = self.lab.run("55-heat-config", env=env, timeout=timeout)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr


class Transports(SignalTest):
    def test_cfn(self):
        self.deploy(self.deployment("a", config="echo out"))
        method, path, headers, body = self.server.requests[0]
        self.assertEqual((method, path, headers["Content-Type"]), ("POST", "/signal/a", "application/json"))
        self.assertEqual(body, '{"deploy_stdout": "out\\n", "deploy_stderr": "", "deploy_status_code": 0}')
        self.assertEqual(self.lab.record("a")["state"], "delivered")

    def test_temp_url(self):
        item = self.deployment("a")
        item["inputs"] += inputs(deploy_signal_verb="PUT")
        self.deploy(item)
        self.assertEqual(self.server.requests[0][0], "PUT")

    def keystone(self, **more):
        values = dict(deploy_auth_url=self.server.url + "/v3", deploy_user_id="u", deploy_password="p", deploy_project_id="t",
                      deploy_stack_id="s/1", deploy_resource_name="r", **more)
        return self.deployment("a", inputs=inputs(**values))

    def test_heat(self):
        self.deploy(self.keystone())
        self.assertEqual([request[:2] for request in self.server.requests],
                         [("POST", "/v3/auth/tokens"), ("POST", "/orchestration/stacks/s/1/resources/r/signal")])
        self.assertEqual(self.server.requests[1][2]["X-Auth-Token"], "TOKEN")

    def test_zaqar(self):
        self.deploy(self.keystone(deploy_queue_id="q"))
        self.assertEqual(self.server.requests[1][1], "/messaging/v2/queues/q/messages")
        message = self.server.bodies()[0]["messages"][0]
        self.assertEqual((message["ttl"], message["body"]["deploy_status_code"]), (600, 0))

    def test_no_signal(self):
        self.deploy(self.deployment("a", inputs=[]))
        self.assertEqual(self.server.requests, [])
        self.assertEqual(self.lab.record("a")["state"], "delivered")

    def test_a_long_output_is_cut_from_the_left(self):
        self.deploy(self.deployment("a", config="head -c 3000000 /dev/zero | tr '\\0' x; echo the end"))
        body = self.server.requests[0][3]
        self.assertLess(len(body), 1000000)
        self.assertTrue(json.loads(body)["deploy_stdout"].endswith("xthe end\n"))


class Once(SignalTest):
    def test_twenty_at_once_run_a_hook_once(self):
        self.lab.foreign_hook("slow", "#!/bin/sh\necho ran >>$LAB/runs\nsleep 0.3\necho '{\"deploy_status_code\": 0}'\n")
        self.lab.deployments([self.deployment(name, group="slow") for name in "abc"])
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            codes = list(pool.map(lambda _: self.lab.run("55-heat-config").returncode, range(20)))
        self.assertEqual(set(codes), {0})
        self.assertEqual(self.lab.read("runs"), "ran\n" * 3)
        self.assertEqual(len(self.server.requests), 3)

    def test_help_does_nothing_else(self):
        self.lab.deployments([self.deployment("a")])
        self.lab.tool("os-apply-config", "echo '[{\"id\": \"b\", \"group\": \"script\"}]'")
        self.lab.tool("docker")
        for name in sorted(os.listdir(self.lab.bin)) + ["hooks/" + hook for hook in os.listdir(self.lab.path("bin", "hooks"))]:
            if name in ("hooks", "os-apply-config"):
                continue
            done = self.lab.run(name, "--help", timeout=20)
            self.assertEqual((name, done.returncode), (name, 0), done.stderr)
            self.assertIn("usage", done.stdout.lower(), name)
        self.assertEqual(self.lab.calls(), [])
        self.assertEqual(self.server.requests, [])
        self.assertFalse(os.path.exists(self.lab.path("deployed")))

    def test_help_only_helps_wherever_it_stands(self):
        """Also where a directory is called so: dib-run-parts ran what was in it."""
        os.makedirs(self.lab.path("--help"))
        with open(self.lab.path("--help", "10-run"), "w", encoding="utf-8") as script:
            script.write("#!/bin/sh\ntouch $LAB/ran\n")
        os.chmod(self.lab.path("--help", "10-run"), 0o755)
        before = sorted(os.listdir(self.lab.dir))
        listed = subprocess.run([AGENT, "--help"], capture_output=True, encoding="utf-8", check=True).stdout.split("Applets")[1]
        names = [line.split()[0] for line in listed.split("\n\n")[0].splitlines()[1:]]
        self.assertIn("modprobe", names)
        for words in [(name, "--help") for name in names + ["install-links"]] + [
                ("install-links", "links", "--help"), ("modprobe", "loop", "--help"), ("dib-run-parts", "--list", "--help"),
                ("write-image", "http://127.0.0.1:1/i", "disk", "--help"), ("deploy", "ipa-api-url=http://127.0.0.1:1", "--help"),
                ("init", "quiet", "--help"), ("55-heat-config", "--resend-pending", "--help")]:
            done = subprocess.run([AGENT, *words], capture_output=True, encoding="utf-8", env=self.lab.env, cwd=self.lab.dir,
                                  stdin=subprocess.DEVNULL, timeout=20, check=False)
            self.assertEqual((words, done.returncode), (words, 0), done.stderr)
            self.assertIn("usage", done.stdout.lower(), words)
            self.assertEqual(sorted(os.listdir(self.lab.dir)), before, words)

    def test_a_word_too_many_does_nothing(self):
        self.lab.deployments([self.deployment("a")])
        for name in ("55-heat-config", "heat-config-rebuild-deployed", "50-heat-config-docker-cmd"):
            self.assertEqual(self.lab.run(name, "all").returncode, 2)
        self.assertFalse(os.path.exists(self.lab.path("deployed")))


class Failures(SignalTest):
    def told(self, item, env=None):
        self.deploy(item, env=env)
        self.assertEqual(len(self.server.requests), 1)
        return self.server.bodies()[0]

    def test_missing_hook(self):
        found = self.told(self.deployment("a", group="nothing"))
        self.assertEqual(found["deploy_status_code"], 127)
        self.assertIn("There is no hook for group nothing", found["deploy_stderr"])

    def test_hooks_that_cannot_start(self):
        self.lab.foreign_hook("no-mode", "#!/bin/sh\n", 0o644)
        self.lab.foreign_hook("no-interpreter", "#!/no/such/program\n")
        for group in ("no-mode", "no-interpreter"):
            self.server.requests.clear()
            self.assertEqual(self.told(self.deployment(group, group=group))["deploy_status_code"], 127)

    def test_silent_hook(self):
        self.lab.foreign_hook("silent", "#!/bin/sh\nexit 0\n")
        self.assertEqual(self.told(self.deployment("a", group="silent"))["deploy_status_code"], 1)

    def test_hook_that_prints_garbage_and_fails(self):
        self.lab.foreign_hook("garbage", "#!/bin/sh\nhead -c 100000 /dev/urandom; exit 7\n")
        self.assertEqual(self.told(self.deployment("a", group="garbage"))["deploy_status_code"], 7)

    def test_hook_that_fails_with_a_good_answer(self):
        self.lab.foreign_hook("liar", "#!/bin/sh\necho '{\"deploy_stdout\": \"fine\"}'; exit 5\n")
        self.assertEqual(self.told(self.deployment("a", group="liar"))["deploy_status_code"], 5)

    def test_hook_that_reads_no_input(self):
        self.lab.foreign_hook("deaf", "#!/bin/sh\nexec <&-\necho '{\"deploy_status_code\": 0}'\n")
        self.assertEqual(self.told(self.deployment("a", group="deaf", config="x" * 1000000))["deploy_status_code"], 0)

    def test_hanging_hook_is_stopped_with_all_it_started(self):
        begin = time.monotonic()
        found = self.told(self.deployment("a", config="echo begun; (sleep 300; echo late >$LAB/late) & echo $! >$LAB/pid; sleep 300"),
                          env={"HEAT_CONFIG_HOOK_TIMEOUT": "2"})
        self.assertLess(time.monotonic() - begin, 60)
        self.assertEqual(found["deploy_status_code"], 124)
        self.assertIn("begun", found["deploy_stderr"])
        self.assertIn("ran out of time", found["deploy_stderr"])
        # A killed process gets to its end when it is given a processor.
        state = ""
        for _ in range(100):
            try:
                with open("/proc/%s/stat" % self.lab.read("pid").strip()) as f:
                    state = f.read()
            except (FileNotFoundError, ProcessLookupError):
                return  # it is gone, as it should be
            if ") Z" in state:
                return
            time.sleep(0.1)
        self.fail("it runs: " + state)

    def test_absent_tool(self):
        found = self.told(self.deployment("a", group="puppet"), env={"HEAT_PUPPET_CMD": "no-such-puppet"})
        self.assertEqual(found["deploy_status_code"], 127)

    def test_a_foreign_hook_that_lies_in_the_way_of_a_built_in_one_runs(self):
        self.lab.foreign_hook("script", "#!/bin/sh\necho '{\"deploy_stdout\": \"mine\", \"deploy_status_code\": 0}'\n")
        self.assertEqual(self.told(self.deployment("a"))["deploy_stdout"], "mine")


class Outages(SignalTest):
    def resend(self):
        return self.lab.run("55-heat-config", "--resend-pending").returncode

    def make_due(self, id_):
        record = self.lab.record(id_)
        record["next_attempt"] = 1
        with open(self.lab.path("deployed", id_ + ".signal"), "w") as f:
            json.dump(record, f)

    def test_a_busy_server_is_asked_again_at_once(self):
        self.server.statuses = [503, 500]
        self.deploy(self.deployment("a"), env={"HEAT_CONFIG_NOTIFY_PATIENCE": "30"})
        self.assertEqual(len(self.server.requests), 3)
        self.assertEqual(self.lab.record("a")["state"], "delivered")

    def test_an_undelivered_signal_is_sent_later_and_the_hook_not_run_again(self):
        self.server.statuses = [503, 503]
        item = self.deployment("a")
        self.deploy(item)
        self.assertEqual(self.lab.record("a")["state"], "pending")
        self.assertEqual(self.resend(), 1)  # not due yet
        self.assertEqual(len(self.server.requests), 1)
        self.make_due("a")
        self.assertEqual(self.resend(), 1)  # 503 again
        self.make_due("a")
        self.assertEqual(self.resend(), 0)
        self.deploy(item)
        self.assertEqual(self.lab.read("ran"), "ran\n")
        self.assertEqual([body["deploy_status_code"] for body in self.server.bodies()], [0, 0, 0])
        self.assertEqual(self.lab.record("a")["state"], "delivered")

    def test_heat_config_sends_what_is_pending_itself(self):
        self.server.statuses = [503]
        self.deploy(self.deployment("a"))
        self.make_due("a")
        self.deploy()
        self.assertEqual(len(self.server.requests), 2)
        self.assertEqual(self.lab.record("a")["state"], "delivered")

    def test_a_server_that_is_away(self):
        port = self.server.port
        self.server.close()
        self.deploy(self.deployment("a"), self.deployment("b"))
        self.assertEqual([self.lab.record(id_)["state"] for id_ in "ab"], ["pending", "pending"])
        self.server = Server(port)
        self.make_due("a")
        self.make_due("b")
        self.assertEqual(self.resend(), 0)
        self.assertEqual(len(self.server.requests), 2)

    def test_a_refused_signal_is_not_repeated(self):
        self.server.statuses = [404]
        self.deploy(self.deployment("a"))
        self.assertEqual(self.lab.record("a")["state"], "refused")
        self.assertEqual(self.resend(), 0)
        self.assertEqual(len(self.server.requests), 1)

    def test_an_agent_that_is_killed_while_a_hook_runs(self):
        item = self.deployment("a", config="echo ran >>$LAB/ran; sleep 300")
        self.lab.deployments([item])
        agent = subprocess.Popen([os.path.join(self.lab.bin, "55-heat-config")], env=self.lab.env, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while self.lab.read("ran") == "" and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.resend(), 0)  # it is still running
        self.assertEqual(self.server.requests, [])
        agent.send_signal(signal.SIGKILL)
        agent.wait()
        self.assertEqual(self.resend(), 0)
        self.assertEqual(self.server.bodies()[0]["deploy_status_code"], 1)
        self.assertIn("stopped while the deployment was running", self.server.bodies()[0]["deploy_stderr"])
        self.deploy(item)
        self.assertEqual(self.lab.read("ran"), "ran\n")

    def test_a_clock_that_was_set_back_does_not_hold_a_signal_for_years(self):
        self.server.statuses = [503]
        self.deploy(self.deployment("a"))
        record = self.lab.record("a")
        record["next_attempt"] = int(time.time()) + 10 * 365 * 86400
        with open(self.lab.path("deployed", "a.signal"), "w") as f:
            json.dump(record, f)
        self.assertEqual(self.resend(), 0)
        self.assertEqual(self.lab.record("a")["state"], "delivered")


class FullDisk(SignalTest):
    def deploy_on(self, room, item, then=""):
        """With $HEAT_CONFIG_DEPLOYED on a file system of 256 KiB, all but `room` of them taken."""
        os.makedirs(self.lab.path("deployed"))
        self.lab.deployments([item])
        script = ("mount -t tmpfs -o size=256k,mode=700 none $LAB/deployed && head -c %d /dev/zero >$LAB/deployed/taken; "
                  "mount -t tmpfs none /run; 55-heat-config; status=$?; %s cp $LAB/deployed/*.* $LAB/kept 2>/dev/null; exit $status" % (262144 - room, then))
        os.makedirs(self.lab.path("kept"))
        done = subprocess.run(["unshare", "-m", "--propagation", "private", "/bin/sh", "-c", script], env=self.lab.env, timeout=60,
                              stderr=subprocess.PIPE, encoding="utf-8")
        if "unshare: " in done.stderr:
            self.skipTest("no right to make a mount namespace")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_without_room_the_hook_does_not_run_and_heat_is_told_why(self):
        log = self.deploy_on(0, self.deployment("a"))
        self.assertIn("No space left on device", log)
        self.assertEqual(self.lab.read("ran"), "")
        self.assertEqual(self.server.bodies()[0]["deploy_status_code"], 1)
        self.assertIn("No space left on device", self.server.bodies()[0]["deploy_stderr"])
        self.assertFalse(os.path.exists(self.lab.path("kept", "a.json")))

    def test_a_result_that_does_not_fit_is_signalled(self):
        self.deploy_on(98304, self.deployment("a", config="head -c 200000 /dev/zero | tr '\\0' x; exit 3"))
        self.assertEqual(self.server.bodies()[0]["deploy_status_code"], 3)
        self.assertEqual(len(self.server.bodies()[0]["deploy_stdout"]), 200000)


    def test_a_hook_that_fills_the_disk_is_signalled_once_and_as_what_it_was(self):
        fill = "head -c 1000000 /dev/zero >$LAB/deployed/filled; echo ran >>$LAB/ran; exit 0"
        self.deploy_on(98304, self.deployment("a", config=fill), then="55-heat-config; rm $LAB/deployed/filled; 55-heat-config;")
        self.assertEqual([body["deploy_status_code"] for body in self.server.bodies()], [0])
        self.assertEqual(self.lab.read("ran"), "ran\n")

    def test_so_it_is_when_the_server_is_away_meanwhile(self):
        self.server.statuses = [503]
        fill = "head -c 1000000 /dev/zero >$LAB/deployed/filled; head -c 200000 /dev/zero | tr '\\0' x; echo the end; exit 3"
        self.deploy_on(98304, self.deployment("a", config=fill), then="rm $LAB/deployed/filled; "
                       "sed -i 's/\"next_attempt\": [0-9]*/\"next_attempt\": 1/' /run/$LAB/deployed/a.signal; 55-heat-config --resend-pending;")
        self.assertEqual([body["deploy_status_code"] for body in self.server.bodies()], [3, 3])
        self.assertTrue(self.server.bodies()[1]["deploy_stdout"].endswith("xthe end\n"))


    def deploy_on_a_disk(self, item, before="", then=""):
        """On a file system of one MiB that hooks may do with as they like."""
        os.makedirs(self.lab.path("deployed"))
        self.lab.deployments([item])
        script = "mount -t tmpfs -o size=1m,mode=700 none $LAB/deployed; mount -t tmpfs none /run; %s 55-heat-config && %s true" % (before, then)
        done = subprocess.run(["unshare", "-m", "--propagation", "private", "/bin/sh", "-c", script], env=self.lab.env, timeout=60,
                              stderr=subprocess.PIPE, encoding="utf-8")
        if "unshare: " in done.stderr:
            self.skipTest("no right to make a mount namespace")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [body["deploy_status_code"] for body in self.server.bodies()], done.stderr

    def test_a_disk_that_becomes_read_only_under_a_hook_costs_no_success(self):
        config = "mount -o remount,ro $LAB/deployed; echo ran >>$LAB/ran"
        told, log = self.deploy_on_a_disk(
            self.deployment("a", config=config), then="55-heat-config && 55-heat-config --resend-pending && "
            "mount -o remount,rw $LAB/deployed && 55-heat-config && umount /run && 55-heat-config &&")
        self.assertEqual((told, self.lab.read("ran")), ([0], "ran\n"), log)

    def test_its_signal_waits_in_memory_while_the_server_is_away(self):
        self.server.statuses = [503]
        config = "mount -o remount,ro $LAB/deployed; echo the end; exit 3"
        told, log = self.deploy_on_a_disk(
            self.deployment("a", config=config), then="sed -i 's/\"next_attempt\": [0-9]*/\"next_attempt\": 1/' /run/$LAB/deployed/a.signal && "
            "55-heat-config && 55-heat-config --resend-pending &&")
        self.assertEqual(told, [3, 3], log)
        self.assertEqual(self.server.bodies()[1]["deploy_stdout"], "the end\n")

    def test_on_a_read_only_disk_no_hook_runs_and_heat_is_told_why(self):
        told, log = self.deploy_on_a_disk(self.deployment("a"), before="mount -o remount,ro $LAB/deployed;")
        self.assertEqual((told, self.lab.read("ran")), ([1], ""), log)
        self.assertIn("Read-only file system", self.server.bodies()[0]["deploy_stderr"])

    def test_a_hook_that_removes_the_records_is_signalled_and_runs_once(self):
        self.deploy(self.deployment("a", config="echo ran >>$LAB/ran; rm -rf $LAB/deployed"))
        self.deploy(self.deployment("a"))
        self.assertEqual([body["deploy_status_code"] for body in self.server.bodies()], [0])
        self.assertEqual(self.lab.read("ran"), "ran\n")


class Logs(SignalTest):
    def test_output_is_in_log_and_file_while_the_hook_runs_without_secrets(self):
        item = self.deployment("a", config="echo one hunter22; while [ ! -f $LAB/go ]; do sleep 0.05; done; echo two")
        item["inputs"] += inputs(db_password="hunter22")
        self.lab.deployments([item])
        with open(self.lab.path("journal"), "w") as journal:
            agent = subprocess.Popen([os.path.join(self.lab.bin, "55-heat-config")], env=self.lab.env, stderr=journal)
        self.addCleanup(agent.kill)
        end = time.monotonic() + 30
        while "one" not in self.lab.read("log", "a-name-a.log") and time.monotonic() < end:
            time.sleep(0.02)
        self.assertIsNone(agent.poll())
        self.assertIn("[INFO] one ***\n", self.lab.read("log", "a-name-a.log"))
        self.assertIn("[INFO] one ***\n", self.lab.read("journal"))
        with open(self.lab.path("go"), "w"):
            pass
        self.assertEqual(agent.wait(30), 0)
        self.assertIn("two", self.lab.read("log", "a-name-a.log"))
        for place in (("journal",), ("log", "a-name-a.log")):
            self.assertNotIn("hunter22", self.lab.read(*place))
            self.assertNotIn(self.server.url + "/signal", self.lab.read(*place))
        self.assertEqual(self.server.bodies()[0]["deploy_stdout"], "one hunter22\ntwo\n")
        self.assertEqual((self.lab.mode("log"), self.lab.mode("log", "a-name-a.log")), ("0o700", "0o600"))

    def flood(self, item):
        """Deploys what says 200 MB; the largest of the processes that had to do with it, in MiB, and how long it took."""
        self.lab.deployments([item])
        begin = time.monotonic()
        agent = subprocess.Popen([os.path.join(self.lab.bin, "55-heat-config")], env=self.lab.env, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(agent.pid, 0)
        agent.returncode = status
        self.assertEqual(status, 0)
        self.assertEqual(self.lab.record(item["id"])["state"], "delivered")
        self.assertLess(len(self.server.requests[-1][3]), 1 << 20)
        self.assertLess(os.path.getsize(self.lab.path("log", item["id"] + "-name-" + item["id"] + ".log")), 10 << 20)
        return usage.ru_maxrss >> 10, time.monotonic() - begin

    def test_a_flood_of_output_costs_little(self):
        self.lab.foreign_hook("loud", "#!/bin/sh\nhead -c 200000000 /dev/zero | tr '\\0' x >&2\nhead -c 200000000 /dev/zero\n")
        for name, item in (("line", self.deployment("a", config="head -c 200000000 /dev/zero | tr '\\0' x; echo the end")),
                           ("lines", self.deployment("b", config="yes 'this is said again and again' | head -c 200000000; echo; echo the end")),
                           ("hook", self.deployment("c", group="loud"))):
            size, seconds = self.flood(item)
            print("%s: %d MiB, %.1f s" % (name, size, seconds), file=sys.stderr)
            self.assertLess(size, 64, name)
            self.assertLess(seconds, 20, name)  # of this machine, which may be busy
        self.assertTrue(self.server.bodies()[0]["deploy_stdout"].endswith("the end\n"))
        self.assertIn("] the end\n", self.lab.read("log", "b-name-b.log"))
        self.assertIn("are left out]", self.lab.read("log", "b-name-b.log"))

    def test_files_and_modes(self):
        self.deploy(self.deployment("a"))
        self.assertEqual(self.lab.mode("config"), "0o600")
        self.assertEqual(self.lab.mode("deployed"), "0o700")
        for name in ("a.json", "a.notify.json", "a.signal"):
            self.assertEqual(self.lab.mode("deployed", name), "0o600")


if __name__ == "__main__":
    unittest.main()
