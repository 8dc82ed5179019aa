"""A conductor for one machine, as small as it can be: it answers look-up and heartbeats, serves files with ranges, and
gives the agent's commands in the order in which Ironic gives them."""

import http.server
import json
import os
import secrets
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
import uuid


class Conductor:
    """`files` are served below /files/. Orders go to where the agent's heartbeat says, by the certificate that it brings."""

    def __init__(self, files, root_device=None, ranges=True, break_after=None, hearth=None, lie_to=None, host="127.0.0.1"):
        self.files, self.ranges, self.break_after = files, ranges, break_after
        self.lie_to, self.served = lie_to, 0  # the number of the request whose answer is wrong, and how many there were
        self.uuid, self.token = str(uuid.uuid4()), secrets.token_urlsafe(32)
        self.properties = {"root_device": root_device} if root_device else {}
        self.beats, self.progress, self.requests, self.lookups, self.asked = [], [], [], 0, ""
        self.beat, self.inspection = threading.Event(), None
        self.hearth = hearth
        self.broken = 0
        self.pace = 0.0  # seconds for each 256 KB of a file: a slow link
        conductor = self

        class Handler(Exchange):
            owner = conductor

        class Server(http.server.ThreadingHTTPServer):
            address_family = socket.AF_INET6 if ":" in host else socket.AF_INET

        self.server = Server((host, 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def ask_agent(self, target, body=None):
        beat = self.beats[0]
        context = ssl.create_default_context(cadata=beat["agent_verify_ca"])
        request = urllib.request.Request(beat["callback_url"] + target, data=body, headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60, context=context) as answer:
            return json.load(answer)

    def command(self, name, params, wait=True, token=None, patience=300):
        """The record of a finished command; raises for one that failed."""
        body = json.dumps({"name": name, "params": params}).encode()
        record = self.ask_agent(f"/v1/commands/?wait=false&agent_token={token or self.token}", body)
        end = time.time() + patience
        while wait and record["command_status"] == "RUNNING" and time.time() < end:
            time.sleep(2)  # a handshake each, which an emulated processor feels
            try:
                listed = self.ask_agent("/v1/commands/")
            except OSError:  # too busy to answer
                continue
            record = next(one for one in listed["commands"] if one["id"] == record["id"])
        return record

    def deploy(self, image_info, configdrive=None, uefi=False):
        """What Ironic's direct deploy interface has the agent do. The records, in order."""
        node = {"uuid": self.uuid, "properties": self.properties, "instance_info": {}, "driver_internal_info": {}}
        step = {"interface": "deploy", "step": "write_image", "args": {"image_info": image_info, "configdrive": configdrive}}
        records = [self.command("deploy.get_deploy_steps", {"node": node, "ports": []}),
                   self.command("deploy.execute_deploy_step", {"step": step, "node": node, "ports": []})]
        if records[-1]["command_status"] == "SUCCEEDED":
            records.append(self.command("standby.get_partition_uuids", {}))
            if uefi:
                records.append(self.command("image.install_bootloader", {
                    "root_uuid": None, "efi_system_part_uuid": None, "prep_boot_part_uuid": None,
                    "target_boot_mode": "uefi"}))
        return records


class Exchange(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def log_message(self, *_):
        pass

    def reply(self, status, body=None):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        path = self.path.split("?")[0]
        self.owner.requests.append((path, self.headers.get("Range")))
        if path == "/":
            self.reply(200, {"default_version": {"id": "v1", "version": "1.82", "min_version": "1.1"}})
        elif path == "/v1/lookup":
            self.look_up()
        elif path.startswith("/files/"):
            self.send_file(os.path.join(self.owner.files, os.path.basename(path)))
        else:
            self.reply(404, {"error_message": json.dumps({"faultcode": "Client", "faultstring": "not found"})})

    def look_up(self):
        owner = self.owner
        owner.lookups += 1
        owner.asked = self.path
        config = {"heartbeat_timeout": 10, "agent_token_required": True,
                  "agent_token": owner.token if owner.lookups == 1 else "******"}
        if owner.hearth:
            config["hearth"] = owner.hearth
        self.reply(200, {"node": {"uuid": owner.uuid, "properties": owner.properties, "instance_info": {},
                                  "driver_internal_info": {}}, "config": config})

    def do_POST(self):
        owner = self.owner
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"{}")
        if self.path.startswith("/v1/heartbeat/"):
            if body.get("agent_token") != owner.token:
                self.reply(400, {"error_message": "Invalid or missing agent token received."})
                return
            owner.beats.append(body)
            self.reply(202)
            owner.beat.set()
        elif self.path == "/progress":
            owner.progress.append(body)
            self.reply(202)
        elif self.path == "/v1/continue":
            owner.inspection = body
            self.reply(200, {"uuid": owner.uuid})
        else:
            self.reply(404, {})

    def send_file(self, path):
        if not os.path.exists(path):
            self.reply(404, {})
            return
        size = os.path.getsize(path)
        first, last, status = 0, size - 1, 200
        asked = self.headers.get("Range")
        if asked and self.owner.ranges:
            begin, _, end = asked.split("=")[1].partition("-")
            first, last, status = int(begin), min(int(end or size - 1), size - 1), 206
        self.send_response(status)
        self.send_header("Content-Length", str(last - first + 1))
        if status == 206:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.end_headers()
        left = last - first + 1
        limit = self.owner.break_after
        lie = self.owner.served == self.owner.lie_to
        self.owner.served += 1
        with open(path, "rb") as file:
            file.seek(first)
            while left > 0:
                data = file.read(min(left, 1 << 18))
                if lie and len(data) == left:  # the end of a table, say: one bit of its last entry, or of its padding
                    data = data[:-1] + bytes([data[-1] ^ 0x01])
                time.sleep(self.owner.pace)
                if limit is not None and left > (1 << 20) and self.owner.broken < 3 and limit <= 0:
                    self.owner.broken += 1
                    self.close_connection = True
                    self.connection.shutdown(2)
                    return
                try:
                    self.wfile.write(data)
                except OSError:
                    return
                left -= len(data)
                limit = None if limit is None else limit - len(data)
