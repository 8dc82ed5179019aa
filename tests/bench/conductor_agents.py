"""A thousand machines in one process: for tests/bench/conductor.py and hall_fleet.py. usage: conductor_agents.py URL COUNT TOKEN

Each looks itself up when its node waits for it, calls back once, does at once what it is told, and goes away when it is told
to switch off. Each has an address of its own, 127.1.0.0 and on: a machine is called back where it comes from.
"""

import asyncio
import json
import sys
import urllib.parse
import uuid

STEPS = {"M": [{"step": "erase_devices_metadata", "priority": 10, "interface": "deploy"}]}
WAITS = ("wait call-back", "clean wait", "rescue wait", "inspect wait")


class Site:
    def __init__(self, url, port, token):
        self.token, self.started = token, 0
        self.host, self.api = urllib.parse.urlsplit(url).hostname, urllib.parse.urlsplit(url).port
        self.port, self.agents = port, {}

    async def ask(self, method, path, body=None, own=None):
        reader, writer = await asyncio.open_connection(self.host, self.api, local_addr=own and (own, 0))
        data = b"" if body is None else json.dumps(body).encode()
        writer.write((f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\nX-Auth-Token: {self.token}\r\nX-OpenStack-Ironic-API-Version: 1.82\r\nConnection: close\r\n"
                      f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n").encode() + data)
        head, _, text = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        return int(head.split()[1]), json.loads(text) if text else None

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = next((int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-length")), 0)
                body = json.loads(await reader.readexactly(length)) if length else None
                data = json.dumps(self.command(writer.get_extra_info("sockname")[0], body)).encode()
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def command(self, key, body):
        commands = self.agents.setdefault(key, [])
        if body is None:
            return {"commands": commands}
        name = body["name"]
        row = {"id": str(uuid.uuid4()), "command_name": name.split(".", 1)[1], "command_status": "SUCCEEDED", "command_error": None,
               "command_params": {"step": body["params"].get("step")}, "command_result": {"result": "OK"}}
        if name.endswith("_steps"):
            row["command_result"] = {name.split(".")[1].replace("get_", ""): STEPS, "hardware_manager_version": {"M": "1"}}
        commands.append(row)
        return row

    async def boot(self, node, mac, gate):
        async with gate:
            if node["provision_state"] == "inspect wait":
                await self.ask("POST", "/v1/continue_inspection",
                               {"inventory": {"interfaces": [{"mac_address": mac}], "cpu": {"count": 2}}})
                return
            self.started += 1
            own = f"127.1.{self.started >> 8 & 255}.{self.started & 255}"
            self.agents.pop(own, None)
            status, found = await self.ask("GET", f"/v1/lookup?addresses={mac}", own=own)
            if status == 200:
                await self.ask("POST", f"/v1/heartbeat/{node['uuid']}",
                               {"callback_url": f"http://{own}:{self.port}", "agent_token": found["config"]["agent_token"],
                                "agent_version": "9"}, own)

    async def live(self, macs):
        """macs: by the node's name."""
        booted, gate = {}, asyncio.Semaphore(16)
        while True:
            _, answer = await self.ask("GET", "/v1/nodes?fields=uuid,name,provision_state,provision_updated_at")
            jobs = []
            for node in answer["nodes"]:
                if node["provision_state"] in WAITS and booted.get(node["uuid"]) != node["provision_updated_at"]:
                    booted[node["uuid"]] = node["provision_updated_at"]
                    jobs.append(self.boot(node, macs[node["name"]], gate))
            await asyncio.gather(*jobs)
            await asyncio.sleep(0.2)


async def main():
    count = int(sys.argv[2])
    site = Site(sys.argv[1], 0, sys.argv[3])
    server = await asyncio.start_server(site.serve, "0.0.0.0", 0, backlog=1024)
    site.port = server.sockets[0].getsockname()[1]
    await site.live({f"n{i}": f"52:54:00:00:{i >> 8:02x}:{i & 255:02x}" for i in range(count)})


if __name__ == "__main__":
    asyncio.run(main())
