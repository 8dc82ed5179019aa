"""A BMC that speaks Redfish (DSP0266), for tests: one system, sessions, tags, boot override, Secure Boot, virtual media, RAID volumes,
firmware, tasks, plain HTTP.

Its shape is what python3-sushy, a client that we did not write, accepts (power_peer.py tries that first).
"""

import base64
import http.server
import json
import threading
import urllib.request
import uuid

ROOT = "/redfish/v1"
SYSTEM = ROOT + "/Systems/1"
MANAGER = ROOT + "/Managers/bmc"
MEDIA = MANAGER + "/VirtualMedia"
STORAGE = SYSTEM + "/Storage/C1"
TASKS = ROOT + "/TaskService/Tasks"


class Bmc:
    def __init__(self, password="secret", switched=None, place=("127.0.0.1", 0)):
        """`switched(on, from_where)` is called when the machine goes on or off; from_where: "Pxe", "Hdd", …"""
        self.password, self.on, self.sessions, self.media, self.resets, self.tag = password, False, {}, None, [], 1
        self.switched, self.booted, self.secure = switched, None, False
        self.lock, self.history = threading.Lock(), []
        self.bios, self.wished = {"ProcTurboMode": "Enabled", "Fans": 3}, {}  # BIOS settings; those of its next start
        self.drives = {f"d{i}": {"CapacityBytes": 100 << 30, "MediaType": "SSD", "Protocol": "SAS"} for i in range(4)}
        self.volumes, self.made, self.raid_time = {}, 0, "OnReset"  # when what it is told of volumes is done: or Immediate
        self.tasks, self.at_start = {}, []  # [state, word, looks till it ends]; what is done when the machine starts
        self.versions = {"bios": "1.0", "bmc": "1.0", "nic": "1.0"}  # of its firmware
        self.hangs, self.waiting = False, 0  # it takes requests and never answers; so many have no answer
        self.boot = {"BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideTarget": "None", "BootSourceOverrideMode": "UEFI",
                     "BootSourceOverrideTarget@Redfish.AllowableValues": ["None", "Pxe", "Cd", "Hdd", "BiosSetup"]}
        bmc = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _go(self):
                length = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(length)) if length else {}
                path = self.path.split("?")[0].rstrip("/")
                if bmc.hangs:
                    bmc.waiting += 1
                    threading.Event().wait()
                with bmc.lock:
                    status, answer, headers = bmc.answer(self.command, path, body, self.headers)
                    bmc.history.append((self.command, path, status, dict(bmc.sessions)))
                data = b"" if answer is None else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {"OData-Version": "4.0", "Content-Length": str(len(data)), **headers}.items():
                    self.send_header(name, value)
                if answer is not None:
                    self.send_header("Content-Type", "application/json")
                if self.close_connection:  # sushy asks for it; a client that isn't told would use the connection again
                    self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PATCH = do_DELETE = _go

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(place, Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that was killed in the middle is no news
        self.url = f"http://{place[0]}:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @staticmethod
    def error(status, text):
        return status, {"error": {"code": "Base.1.0.GeneralError", "message": text, "@Message.ExtendedInfo": [{"Message": text}]}}, {}

    def known(self, headers):
        basic = base64.b64encode(f"admin:{self.password}".encode()).decode()
        return headers.get("X-Auth-Token") in self.sessions or headers.get("Authorization") == f"Basic {basic}"

    def answer(self, method, path, body, headers):
        def thing(kind, **members):
            return {"@odata.id": path, "@odata.type": f"#{kind}", "Id": path.rsplit("/", 1)[1], "Name": "x", **members}

        def collection(kind, *members):
            return thing(f"{kind}Collection.{kind}Collection", **{"Members": [{"@odata.id": m} for m in members],
                                                                  "Members@odata.count": len(members)})

        if path == ROOT:
            return 200, thing("ServiceRoot.v1_5_0.ServiceRoot", RedfishVersion="1.6.0", UUID=str(uuid.uuid4()),
                              Systems={"@odata.id": ROOT + "/Systems"}, Managers={"@odata.id": ROOT + "/Managers"},
                              SessionService={"@odata.id": ROOT + "/SessionService"},
                              UpdateService={"@odata.id": ROOT + "/UpdateService"}, Tasks={"@odata.id": ROOT + "/TaskService"},
                              Links={"Sessions": {"@odata.id": ROOT + "/SessionService/Sessions"}}), {}
        if path == ROOT + "/SessionService/Sessions" and method == "POST":
            if (body.get("UserName"), body.get("Password")) != ("admin", self.password):
                return self.error(401, "bad credentials")
            token = uuid.uuid4().hex
            self.sessions[token] = path + "/" + token[:8]
            return 201, thing("Session.v1_1_0.Session"), {"X-Auth-Token": token, "Location": self.sessions[token]}
        if not self.known(headers):
            return self.error(401, "authentication required")
        if method == "DELETE" and path.startswith(ROOT + "/SessionService"):
            self.sessions = {token: place for token, place in self.sessions.items() if place != path}
            return 204, None, {}
        if path == SYSTEM + "/SecureBoot" and method == "PATCH":
            self.secure = body["SecureBootEnable"]
            return 204, None, {}
        if path == SYSTEM + "/Bios/Settings" and method == "PATCH":
            if headers.get("If-Match") not in (None, "*", f'W/"{self.tag}"') or "Fans" in body["Attributes"]:
                return self.error(400, "Fans is read-only")
            self.wished = body["Attributes"]
            return 204, None, {}
        if path == SYSTEM + "/Bios/Actions/Bios.ResetBios":
            self.wished = {"ProcTurboMode": "Enabled"}
            return 204, None, {}
        if path.startswith(STORAGE + "/Volumes") and method in ("POST", "DELETE"):
            return self.change_volumes(method, path, body)
        if path == ROOT + "/UpdateService/Actions/UpdateService.SimpleUpdate":
            return self.update(body)
        if path.startswith(TASKS):
            return self.task(path)
        if path == SYSTEM and method == "PATCH":
            return self.change(body, headers)
        if path == SYSTEM + "/Actions/ComputerSystem.Reset":
            return self.reset(body.get("ResetType"))
        if path.startswith(MEDIA + "/Cd/Actions"):
            self.media = body.get("Image") if path.endswith("InsertMedia") else None
            return 204, None, {}
        actions = {f"#VirtualMedia.{a}Media": {"target": f"{MEDIA}/Cd/Actions/VirtualMedia.{a}Media"} for a in ("Insert", "Eject")}
        things = {
            ROOT + "/SessionService": thing("SessionService.v1_1_0.SessionService", ServiceEnabled=True, SessionTimeout=600,
                                            Sessions={"@odata.id": ROOT + "/SessionService/Sessions"}),
            ROOT + "/Systems": collection("ComputerSystem", SYSTEM),
            ROOT + "/Managers": collection("Manager", MANAGER),
            MANAGER: thing("Manager.v1_3_1.Manager", ManagerType="BMC", VirtualMedia={"@odata.id": MEDIA},
                           FirmwareVersion=self.versions["bmc"]),
            ROOT + "/UpdateService": thing("UpdateService.v1_6_0.UpdateService", Actions={"#UpdateService.SimpleUpdate": {
                "target": ROOT + "/UpdateService/Actions/UpdateService.SimpleUpdate", "TransferProtocol@Redfish.AllowableValues": ["HTTP"]}},
                Status={"State": "Enabled", "Health": "OK"}, ServiceEnabled=True, HttpPushUri="/x",
                FirmwareInventory={"@odata.id": ROOT + "/UpdateService/FirmwareInventory"}),
            ROOT + "/Chassis/1": thing("Chassis.v1_14_0.Chassis", NetworkAdapters={"@odata.id": ROOT + "/Chassis/1/NetworkAdapters"}),
            ROOT + "/Chassis/1/NetworkAdapters": collection("NetworkAdapter", ROOT + "/Chassis/1/NetworkAdapters/1"),
            ROOT + "/Chassis/1/NetworkAdapters/1": thing("NetworkAdapter.v1_5_0.NetworkAdapter", SerialNumber="S1", Controllers=[
                {"FirmwarePackageVersion": self.versions["nic"]}]),
            SYSTEM + "/Storage": collection("Storage", STORAGE),
            STORAGE: thing("Storage.v1_8_0.Storage", StorageControllers=[{
                "@odata.id": STORAGE + "#/StorageControllers/0", "MemberId": "0", "Name": "x", "Status": {"State": "Enabled", "Health": "OK"},
                "SupportedRAIDTypes": ["RAID0", "RAID1", "RAID5"]}], Drives=[{"@odata.id": f"{STORAGE}/Drives/{d}"} for d in self.drives],
                Volumes={"@odata.id": STORAGE + "/Volumes"}),
            STORAGE + "/Volumes": {**collection("Volume", *(f"{STORAGE}/Volumes/{v}" for v in self.volumes)),
                                   "@Redfish.OperationApplyTimeSupport": {"@odata.type": "#Settings.v1_2_0.OperationApplyTimeSupport",
                                                                          "SupportedValues": [self.raid_time]}},
            **{f"{STORAGE}/Drives/{d}": thing("Drive.v1_4_0.Drive", **told) for d, told in self.drives.items()},
            **{f"{STORAGE}/Volumes/{v}": thing("Volume.v1_4_0.Volume", **told) for v, told in self.volumes.items()},
            MEDIA: collection("VirtualMedia", MEDIA + "/Cd"),
            MEDIA + "/Cd": thing("VirtualMedia.v1_3_2.VirtualMedia", MediaTypes=["CD", "DVD"], Image=self.media,
                                 Inserted=self.media is not None, Actions=actions),
            SYSTEM: thing("ComputerSystem.v1_10_0.ComputerSystem", PowerState="On" if self.on else "Off", Boot=self.boot,
                          UUID="00000000-0000-0000-0000-000000000001", SystemType="Physical", Manufacturer="x",
                          Status={"State": "Enabled", "Health": "OK"}, Links={"ManagedBy": [{"@odata.id": MANAGER}], "Chassis": [{"@odata.id": ROOT + "/Chassis/1"}]},
                          BiosVersion=self.versions["bios"], Storage={"@odata.id": SYSTEM + "/Storage"},
                          SecureBoot={"@odata.id": SYSTEM + "/SecureBoot"}, Bios={"@odata.id": SYSTEM + "/Bios"},
                          Actions={"#ComputerSystem.Reset": {
                              "target": SYSTEM + "/Actions/ComputerSystem.Reset",
                              "ResetType@Redfish.AllowableValues": ["On", "ForceOff", "GracefulShutdown", "ForceRestart", "Nmi"]}}),
            SYSTEM + "/SecureBoot": thing("SecureBoot.v1_1_0.SecureBoot", SecureBootEnable=self.secure, SecureBootMode="UserMode",
                                          SecureBootCurrentBoot="Enabled" if self.secure else "Disabled"),
            SYSTEM + "/Bios": thing("Bios.v1_1_0.Bios", AttributeRegistry="None", Attributes=self.bios, **{
                "Actions": {"#Bios.ResetBios": {"target": SYSTEM + "/Bios/Actions/Bios.ResetBios"}},
                "@Redfish.Settings": {"@odata.type": "#Settings.v1_3_0.Settings", "SupportedApplyTimes": ["OnReset"],
                                      "SettingsObject": {"@odata.id": SYSTEM + "/Bios/Settings"}}}),
            SYSTEM + "/Bios/Settings": thing("Bios.v1_1_0.Bios", Attributes=self.wished)}
        return (200, things[path], {"ETag": f'W/"{self.tag}"'}) if path in things else self.error(404, path)

    def begin(self, deed, at_start, state="Running", looks=2):
        """202 and a monitor: `deed` is done at the machine's next start, or after some looks."""
        number = str(len(self.tasks) + 1)
        self.tasks[number] = {"state": "New" if at_start else state, "looks": looks, "deed": deed, "fault": None, "start": at_start}
        monitor = f"{TASKS}/{number}/Monitor"
        return 202, {"@odata.id": f"{TASKS}/{number}", "Id": number, "Name": "x", "TaskState": self.tasks[number]["state"]}, {"Location": monitor}

    def end(self, task):
        task["fault"] = task["deed"]()
        task["state"] = "Exception" if task["fault"] else "Completed"

    def task(self, path):
        number = path[len(TASKS) + 1:].split("/")[0]
        if number not in self.tasks:
            return self.error(404, path)
        task = self.tasks[number]
        if not task["start"] and task["state"] == "Running":
            task["looks"] -= 1
            if task["looks"] <= 0:
                self.end(task)
        told = {"@odata.id": f"{TASKS}/{number}", "@odata.type": "#Task.v1_4_3.Task", "Id": number, "Name": "x", "TaskState": task["state"],
                "TaskStatus": "Critical" if task["fault"] else "OK", "Messages": [{"MessageId": "Base.1.0.x", "Message": task["fault"]}]
                if task["fault"] else []}
        going = task["state"] in ("New", "Running")
        return 202 if going else 200, told, {"Location": path} if going else {}

    def change_volumes(self, method, path, body):
        if body.get("@Redfish.OperationApplyTime", self.raid_time) != self.raid_time:
            return self.error(400, "no such apply time")
        later = self.raid_time == "OnReset"
        if later and any(task["start"] and task["state"] == "New" for task in self.tasks.values()):
            return self.error(503, "a job is waiting for the next start")
        if method == "DELETE":
            name = path.rsplit("/", 1)[1]
            if name not in self.volumes:
                return self.error(404, path)
            return self.begin(lambda: self.volumes.pop(name) and None, later) if later else (self.volumes.pop(name) and 204, None, {})
        drives = [row["@odata.id"] for row in body["Links"]["Drives"]]
        data = {"RAID0": len(drives), "RAID1": 1, "RAID5": len(drives) - 1}.get(body["RAIDType"])
        if data is None or any(d.rsplit("/", 1)[1] not in self.drives for d in drives):
            return self.error(400, "no such volume can be made")
        self.made += 1
        name, most = f"v{self.made}", data * (99 << 30)
        volume = {"RAIDType": body["RAIDType"], "CapacityBytes": body.get("CapacityBytes", most), "Name": body.get("Name", name), "Links": {
            "Drives": body["Links"]["Drives"]}, "Identifiers": [{"DurableNameFormat": "NAA", "DurableName": f"6000000000000{self.made:03}"}],
            "Status": {"State": "Enabled", "Health": "OK"}}

        def make():
            if volume["CapacityBytes"] > most:
                return "too big for its drives"
            self.volumes[name] = volume
            return None
        if later:
            return self.begin(make, True)
        fault = make()
        return self.error(400, fault) if fault else (201, volume, {"Location": f"{STORAGE}/Volumes/{name}"})

    def update(self, body):
        """A file of ours says which part it is for: {"part": "bios", "version": "2.0"}."""
        def flash():
            try:
                with urllib.request.urlopen(body["ImageURI"], timeout=5) as file:
                    image = json.loads(file.read())
                if image["part"] not in self.versions:
                    return "the file is for no part of this machine"
            except (OSError, ValueError, KeyError) as error:
                return f"the file can't be had: {error}"
            if image["part"] == "bmc":
                self.versions["bmc"] = image["version"]
            else:
                self.at_start.append((image["part"], image["version"]))  # it is taken at the next start
            return None
        return self.begin(flash, False)

    def change(self, body, headers):
        if headers.get("If-Match") not in (None, "*", f'W/"{self.tag}"'):
            return self.error(412, "the tag is another")
        wish = body.get("Boot", {})
        if wish.get("BootSourceOverrideTarget", "None") not in self.boot["BootSourceOverrideTarget@Redfish.AllowableValues"]:
            return self.error(400, "no such target")
        self.boot.update(wish)
        self.tag += 1
        return 204, None, {}

    def reset(self, kind):
        self.resets.append(kind)
        if kind == "Nmi":
            return 204, None, {}
        if kind not in ("On", "ForceOff", "GracefulShutdown", "ForceRestart"):
            return self.error(400, f"no such reset: {kind}")
        before, self.on = self.on, kind in ("On", "ForceRestart")
        starts = self.on and (kind == "ForceRestart" or not before)
        if starts:
            self.bios, self.wished = {**self.bios, **self.wished}, {}
            self.versions.update(dict(self.at_start))
            self.at_start.clear()
            for task in [task for task in self.tasks.values() if task["start"] and task["state"] == "New"]:
                self.end(task)
            override = self.boot["BootSourceOverrideEnabled"]
            self.booted = "Hdd" if override == "Disabled" else self.boot["BootSourceOverrideTarget"]
            if override == "Once":
                self.boot.update(BootSourceOverrideEnabled="Disabled", BootSourceOverrideTarget="None")
        if self.switched and (starts or before != self.on):
            self.switched(self.on, self.booted)
        return 204, None, {}
