"""`hearth seed handover` to Debian's own Ironic (python3-ironic) and Heat (python3-heat), killed, refused and called off on the way; its
agents are Debian's os-collect-config and ours. usage: handover_peer.py HEARTH HEARTH-AGENT

The identity and the image service are stand-ins here: what the real ones do with it, tests/e2e/live_stack_machine.sh sees. Exit 77:
something that is needed is not here.
"""

import hashlib
import http.server
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "deploy")]
from conductor import Conductor, need  # noqa: E402
from own_network import enter, free_port  # noqa: E402
from redfish_emulator import Bmc  # noqa: E402
from given_stacks import GivenStack  # noqa: E402
import ironic_peer  # noqa: E402

PASSWORD = "Pa$$ of the cloud"


class Cloud:
    """Identity v3 and glance's v2, as far as a handover asks them; the catalogue tells Ironic, too."""

    def __init__(self, ironic):
        self.images, self.data, self.services, self.asked = {}, {}, {"baremetal": ironic}, 0
        cloud = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _go(self):
                length = int(self.headers.get("content-length") or 0)
                status, answer, headers = cloud.answer(self.command, self.path, self.rfile.read(length), self.headers)
                data = b"" if answer is None else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = _go

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.services["image"] = self.url
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, method, path, body, headers):
        if path == "/":
            return 300, {"versions": {"values": [{"id": "v3.14", "links": [{"rel": "self", "href": self.url + "/v3/"}]}]}}, {}
        if path == "/v3/auth/tokens":
            user = json.loads(body)["auth"]["identity"]["password"]["user"]
            if (user["name"], user["password"]) != ("admin", PASSWORD):
                return 401, {"error": {"message": "The request you have made requires authentication."}}, {}
            catalog = [{"type": kind, "endpoints": [{"interface": "public", "region": "r", "region_id": "r", "url": url}]}
                       for kind, url in self.services.items()]
            return 201, {"token": {"catalog": catalog, "expires_at": "2030-01-01T00:00:00Z"}}, {"X-Subject-Token": "tok"}
        if headers.get("X-Auth-Token") != "tok":
            return 401, None, {}
        return (*self.glance(method, path, body), {})

    def glance(self, method, path, body):
        parts = path.split("?")[0].split("/")
        if method == "POST":
            image = json.loads(body)
            self.images[image["id"]] = {**image, "status": "queued"}
            return 201, self.images[image["id"]]
        if len(parts) == 3:
            return 200, {"images": [image for image in self.images.values() if "name=" + image["name"] in path]}
        image = self.images.get(parts[3])
        if image is None:
            return 404, None
        if method == "PUT":
            self.data[parts[3]] = body
            image.update(status="active", os_hash_algo="sha512", os_hash_value=hashlib.sha512(body).hexdigest(), size=len(body))
            return 204, None
        if method == "DELETE":
            del self.images[parts[3]]
            return 204, None
        return 200, image


class Ironic:
    """Debian's, in one process, without log-in, on a port of its own."""

    def __init__(self, work):
        port, rpc = free_port(), free_port()
        self.url, self.work, self.process = f"http://127.0.0.1:{port}", os.path.join(work, "ironic"), None
        wanted = {"enabled_hardware_types": "manual-management,redfish", "enabled_power_interfaces": "fake,redfish",
                  "enabled_management_interfaces": "noop,redfish", "enabled_boot_interfaces": "ipxe", "port": str(port)}
        text = ironic_peer.CONFIGURATION.format(work=self.work, mode="uefi").replace("http://127.0.0.1:6385", self.url)
        for key, value in wanted.items():
            text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
        text = text.replace("[json_rpc]\n", f"[json_rpc]\nport = {rpc}\n")
        text += "".join(f"[{name}]\nauth_type = none\nendpoint_override = http://127.0.0.1:9\n" for name in ironic_peer.SERVICES)
        for name in ("state", "tmp", "http", "tftp/master", "images/master"):
            os.makedirs(os.path.join(self.work, name))
        with open(os.path.join(self.work, "ironic.conf"), "w", encoding="utf-8") as file:
            file.write(text + "send_power_notifications = false\n")  # of [nova], or of nobody
        self.run("dbsync", "create_schema")
        self.start()

    def words(self, module, *more):
        options = ["--config-file", os.path.join(self.work, "ironic.conf"), *more]
        return [sys.executable, "-W", "ignore", "-c", f"import sys; from ironic.cmd.{module} import main; "
                f"sys.argv = ['ironic'] + {options!r}; sys.exit(main())"]

    def run(self, module, *more):
        subprocess.run(self.words(module, *more), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)

    def start(self):
        log = open(os.path.join(self.work, "out"), "ab")
        self.process = subprocess.Popen(self.words("singleprocess"), stdout=log, stderr=log, start_new_session=True)
        ironic_peer.wait_until("Ironic", lambda: self.ask("GET", "/v1/drivers")["drivers"], 90)

    def stop(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json", "X-OpenStack-Ironic-API-Version": "1.78"})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def nodes(self):
        return {node["name"]: node for node in self.ask("GET", "/v1/nodes/detail")["nodes"]}


class Handover:
    def __init__(self, hearth, seed, cloud, work, stack):
        self.hearth, self.seed, self.cloud, self.work, self.stack = hearth, seed, cloud, work, stack
        for words in (["genpkey", "-algorithm", "ed25519", "-out", "key"], ["pkey", "-in", "key", "-pubout", "-out", "key.pub"]):
            subprocess.run(["openssl", *words], cwd=work, check=True)

    def start(self, *words, password=PASSWORD):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OS_") and "proxy" not in k.lower()}
        environment |= {"OS_USERNAME": "admin", "OS_PASSWORD": password, "OS_PROJECT_NAME": "admin"}
        return subprocess.Popen([self.hearth, "seed", "handover", "--state", self.seed.directory, "--sign-key", "key", "--stacks-url",
                                 self.stack.url, "--patience", "60", *words],
                                cwd=self.work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, *words, code=0, **more):
        if "--back" not in words and "--to" not in words:
            words = ("--to", self.cloud.url, *words)
        process = self.start(*words, **more)
        out = process.communicate(timeout=120)[0]
        if process.returncode != code:
            raise AssertionError(f"handover {words}: exit {process.returncode}\n{out}")
        return out


def expect(text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError(f"'{part}' is not in:\n{text}")


def orders(bmc):
    """What the BMC was told to do, but log-ins."""
    return [row[:2] for row in bmc.history if row[0] not in ("GET", "HEAD") and "Sessions" not in row[1]]


def make_seed(seed, bmcs, work):
    for name, text in (("disk.raw", b"disk" * 1000000), ("kernel", b"a kernel"), ("ramdisk", b"a ramdisk")):
        with open(os.path.join(work, name), "wb") as file:
            file.write(text)
    nodes = [{"name": f"web{i}", "pm_type": "redfish", "pm_addr": bmc.url, "pm_system_id": "/redfish/v1/Systems/1", "pm_user": "admin",
              "pm_password": "secret", "mac": [f"52:54:00:00:00:0{i}"]} for i, bmc in enumerate(bmcs)]
    nodes.append({"name": "hand", "pm_type": "fake_pxe", "mac": ["52:54:00:00:00:09"]})
    with open(os.path.join(work, "nodes.json"), "w", encoding="utf-8") as file:
        json.dump({"nodes": nodes}, file)
    seed.run("node", "import", os.path.join(work, "nodes.json"), "--initial-state", "manageable")
    seed.run("image", "load", os.path.join(work, "disk.raw"), "--kernel", os.path.join(work, "kernel"), "--ramdisk", os.path.join(work, "ramdisk"))
    seed.run("baremetal", "configure", "boot", "--deploy-kernel", "disk", "--deploy-ramdisk", "disk")
    image = seed.ask("GET", "/v1/hearth/images/disk")[1]
    source = {"image_source": image["file"], **{key: image[key] for key in ("image_os_hash_algo", "image_os_hash_value", "image_disk_format")}}
    for name, verb, state in (("web0", "adopt", "active"), ("web1", "provide", "available"), ("hand", "adopt", "active")):
        seed.wait(name, "manageable")
        for key, value in source.items():
            assert seed.ask("PATCH", f"/v1/nodes/{name}", [{"op": "add", "path": f"/instance_info/{key}", "value": value}])[0] == 200
        seed.ask("PUT", f"/v1/nodes/{name}/states/provision", {"target": verb})
        seed.wait(name, state)


def tutorial(beginning):
    """The line of the tutorial that begins so: it says what we saw."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/tutorials/from-a-seed-to-openstack.md")
    with open(path, encoding="utf-8") as file:
        return next(line.strip() for line in file if line.startswith("    " + beginning))


def refusals(handover, ironic, seed):
    expect(handover.run("--dry-run"), tutorial("stack web →"), "stack web → Heat, adopted; 2 agents are told to ask there", "node web0 → Ironic, adopted", "node web1 → Ironic, available", "image disk-kernel (aki",
           "not given: networks, addresses and boot files stay with the seed: the cloud's catalogue has no network service")
    expect(handover.run(password="wrong", code=1), "lets nobody in with this user and password (HTTP 401)", "OS_USERNAME")
    expect(handover.run("--to", "http://127.0.0.1:9", code=1), "127.0.0.1:9", "goes on where it was")
    expect(handover.run("--to", "http://admin:pw@127.0.0.1:9", code=2), "no user or password is to be in the URL")
    expect(handover.run("--to", ironic.url, code=1), "gives no token", "--to is the URL of the cloud's identity service")
    kept, handover.cloud.services["baremetal"] = handover.cloud.services.pop("baremetal"), None
    del handover.cloud.services["baremetal"]
    expect(handover.run(code=1), "has no baremetal service")
    handover.cloud.services["baremetal"] = kept
    other = ironic.ask("POST", "/v1/nodes", {"driver": "manual-management", "name": "web1"})
    ironic.ask("POST", "/v1/ports", {"node_uuid": other["uuid"], "address": "52:54:00:00:00:00"})
    expect(handover.run(code=1), "web1: the cloud has a node web1 already", "web0: the cloud has a port with its address 52:54:00:00:00:00 already",
           "Nothing was changed")
    ironic.ask("DELETE", f"/v1/nodes/{other['uuid']}")
    assert not seed.ask("GET", "/v1/hearth/given")[1]["given"]


def expect_given(handover, ironic, seed):
    found = {name: node["provision_state"] for name, node in ironic.nodes().items()}
    assert found == {"web0": "active", "web1": "available", "hand": "active"}, found
    node = ironic.nodes()["web0"]
    names = {image["id"]: image["name"] for image in handover.cloud.images.values()}
    assert names[node["driver_info"]["deploy_kernel"]] == "disk-kernel", node["driver_info"]
    assert names[node["instance_info"]["image_source"]] == "disk", node["instance_info"]
    assert node["automated_clean"] is None and node["uuid"] == seed.node("web0")["uuid"]
    assert len(ironic.ask("GET", "/v1/ports")["ports"]) == 3
    status, said = seed.ask("PUT", "/v1/nodes/web0/states/power", {"target": "power off"})
    assert status == 409 and "was given to" in json.dumps(said), (status, said)
    ironic.ask("PUT", "/v1/nodes/web0/states/power", {"target": "power on"})  # the cloud can: the password went with it
    Conductor.until(lambda: ironic.nodes()["web0"]["power_state"], "power on")
    expect(subprocess.run([handover.hearth, "seed", "handover", "--state", seed.directory, "--verify", "key.pub"], cwd=handover.work,
                          capture_output=True, text=True, check=True).stdout, '"name": "web0"', '"not_given"')


def kept_and_killed(handover, cloud, ironic, seed):
    """Killed again and again, then the cloud's Ironic dies under it; the same command goes on, and nothing is there twice."""
    for pause in (0.1, 0.3, 0.6, 1.0, 1.5, 2.5, 4.0):
        process = handover.start("--to", cloud.url)
        time.sleep(pause)
        process.kill()
        process.wait()
    process = handover.start("--to", cloud.url)
    time.sleep(0.5)
    ironic.stop()
    said = process.communicate(timeout=120)[0]
    if process.returncode:
        expect(said, "Run the same command again")
    ironic.start()
    expect(handover.run(), "--back returns all of it")
    expect_given(handover, ironic, seed)
    handover.stack.expect_given()


def main(hearth, agent):
    enter()
    for module in ("ironic", "sushy", "heat", "os_collect_config", "os_apply_config"):  # which is not loaded here: its eventlet would change this process's pipes
        need(importlib.util.find_spec(module), f"python3-{module} is not installed")
    with tempfile.TemporaryDirectory(prefix="hearth-handover-") as work, Conductor(hearth) as seed:
        bmcs = [Bmc(), Bmc()]
        make_seed(seed, bmcs, work)
        told = [orders(bmc) for bmc in bmcs]
        ironic = Ironic(work)
        stack = None
        try:
            stack = GivenStack(hearth, agent, work)
            cloud = Cloud(ironic.url)
            cloud.services["orchestration"] = stack.heat.url + "/v1/admin"
            handover = Handover(hearth, seed, cloud, work, stack)
            refusals(handover, ironic, seed)
            kept_and_killed(handover, cloud, ironic, seed)
            assert [orders(bmc) for bmc in bmcs][1] == told[1], "the BMC of a machine that was only given got an order"
            switched = [row for row in orders(bmcs[0]) if row not in told[0]]
            assert len(switched) == 1, f"the BMC of web0 got more than the one order of this test: {switched}"
            expect(handover.run("--back"), "the seed has everything again")
            assert not ironic.nodes() and not cloud.images, (ironic.nodes(), cloud.images)
            stack.expect_back()
            assert seed.ask("PUT", "/v1/nodes/web0/states/power", {"target": "power on"})[0] == 202
            expect(handover.run(), tutorial("stack web is the cloud's"))
            stack.expect_given()
            stack.change_in_cloud()
            expect(handover.run("--back", code=1), "stack web was changed there", "Nothing was returned")
            handover.run("--final")
            expect_given(handover, ironic, seed)
            expect(handover.run("--back", code=1), "is final")
            assert seed.ask("DELETE", "/v1/nodes/web0")[0] == 204, "the seed forgets what it gave for good"
            assert ironic.nodes()["web0"]["provision_state"] == "active"
        except BaseException:
            with open(os.path.join(ironic.work, "ironic.log"), encoding="utf-8", errors="replace") as file:
                print(file.read()[-3000:], file=sys.stderr)
            if stack:
                print(stack.logs(), file=sys.stderr)
            with open(os.path.join(seed.directory, "serve.log"), encoding="utf-8", errors="replace") as file:
                print(f"the seed ({seed.process.poll()}): {file.read()[-2000:]}", file=sys.stderr)
            raise
        finally:
            ironic.stop()
            if stack:
                stack.stop()
    print("given, killed, refused and called off: all right")


if __name__ == "__main__":
    main(*map(os.path.abspath, sys.argv[1:]))
