"""A machine for tests: a deploy ramdisk's agent that speaks ironic-python-agent's protocol and writes nothing.

Machine(url, mac).boot() looks itself up and calls back until it is told to switch off; `writes` counts the images.
"""

import atexit
import http.server
import json
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid


def steps(kind):
    """As ironic-python-agent offers them: a deployment erases only where somebody asks for it."""
    return {"GenericHardwareManager": [{"step": "erase_devices_metadata", "priority": 99 if kind == "clean_steps" else 0,
                                        "interface": "deploy", "reboot_requested": False}]}


def request(url, method, body=None, version="1.68", token="", ca_file=None):
    trust = ssl.create_default_context(cafile=ca_file)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust))
    call = urllib.request.Request(url, method=method, data=None if body is None else json.dumps(body).encode(),
                                  headers={"Content-Type": "application/json", "X-OpenStack-Ironic-API-Version": version}
                                  | ({"X-Auth-Token": token} if token else {}))
    try:
        with opener.open(call, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


class Machine:
    def __init__(self, url, mac, write_time=0.0, fails=None, says=None, went_off=lambda: None):
        """`fails`: the command or step that does, and what it `says` then; `went_off()` is called when it switches itself off."""
        self.url, self.mac, self.write_time, self.fails, self.says = url, mac, write_time, fails, says
        self.writes, self.commands, self.told = 0, [], []
        self.off, self.went_off = threading.Event(), went_off
        self.node = self.token = None

    def boot(self):
        """In a thread of its own."""
        self.off.clear()
        self.commands = []
        self.thread = threading.Thread(target=self._live, daemon=True)
        self.thread.start()
        atexit.register(self._end)
        return self

    def _end(self):
        """Before Python ends: OpenSSL clears itself away then, and a thread that is loading certificates would crash."""
        self.off.set()
        self.thread.join()

    def _live(self):
        machine = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _go(self):
                length = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                status, answer = machine.command(self.path, body)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = _go

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # a conductor that was killed in the middle is no news
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.callback = f"http://127.0.0.1:{server.server_port}"
        self.look_up()
        while not self.off.is_set():
            self.beat()
            self.off.wait(1)
        time.sleep(0.1)
        server.shutdown()
        server.server_close()

    def look_up(self):
        while not self.off.is_set():
            status, text = request(f"{self.url}/v1/lookup?" + urllib.parse.urlencode({"addresses": self.mac}), "GET")
            if status == 200:
                found = json.loads(text)
                self.node = found["node"]["uuid"]
                if found["config"]["agent_token"] != "******":
                    self.token = found["config"]["agent_token"]
                return
            self.off.wait(0.1)

    def beat(self):
        return request(f"{self.url}/v1/heartbeat/{self.node}", "POST",
                       {"callback_url": self.callback, "agent_token": self.token, "agent_version": "9.9.9"})

    def command(self, path, body):
        if urllib.parse.parse_qs(urllib.parse.urlsplit(path).query).get("agent_token") != [self.token]:
            return 401, {"faultcode": "Client", "faultstring": "401 Unauthorized: Token invalid."}
        for row in self.commands:
            if row["command_status"] == "RUNNING" and time.monotonic() >= row["_end"]:
                row["command_status"] = "SUCCEEDED"
        public = [{k: v for k, v in row.items() if k != "_end"} for row in self.commands]
        if body is None:
            return 200, {"commands": public}
        if any(row["command_status"] == "RUNNING" for row in self.commands):
            return 409, {"faultcode": "Client", "faultstring": "Agent is busy executing a command"}
        name = body["name"]
        self.told.append(name)
        step = body["params"].get("step", {}).get("step")
        row = {"id": str(uuid.uuid4()), "command_name": name.split(".", 1)[1], "command_params": body["params"],
               "command_status": "SUCCEEDED", "command_error": None, "command_result": {"result": f"{name}: OK"}, "_end": 0}
        if name.endswith("_steps"):
            kind = name.split(".")[1].replace("get_", "")
            row["command_result"] = {kind: steps(kind), "hardware_manager_version": {"g": "1"}}
        if step == "write_image":
            self.writes += 1
            self.image = body["params"]["step"]["args"]
            row["_end"] = time.monotonic() + self.write_time
            row["command_status"] = "RUNNING"
        if self.fails and self.fails in (name, step):
            row["command_status"] = "FAILED"
            row["command_error"] = {"type": "ImageChecksumError", "code": 500, "message": "Error verifying image checksum",
                                    "details": "the digest differs"}
            if self.says:
                row["command_error"] = {"type": "ImageWriteError", "code": 500, "message": "Error writing image to device", "details": self.says}
        self.commands.append(row)
        if name in ("standby.power_off", "standby.run_image"):
            self.off.set()
            self.went_off()
        return 200, {k: v for k, v in row.items() if k != "_end"}
