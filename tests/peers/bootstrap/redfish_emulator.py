"""A BMC that speaks Redfish (DSP0266), for tests: one system, sessions, tags, boot override, Secure Boot, virtual media, plain HTTP.

Its shape is what python3-sushy, a client that we did not write, accepts (power_peer.py tries that first).
"""

import base64
import http.server
import json
import threading
import uuid

ROOT = "/redfish/v1"
SYSTEM = ROOT + "/Systems/1"
MANAGER = ROOT + "/Managers/bmc"
MEDIA = MANAGER + "/VirtualMedia"


class Bmc:
    def __init__(self, password="secret", switched=None):
        """`switched(on, from_where)` is called when the machine goes on or off; from_where: "Pxe", "Hdd", …"""
        self.password, self.on, self.sessions, self.media, self.resets, self.tag = password, False, {}, None, [], 1
        self.switched, self.booted, self.secure = switched, None, False
        self.lock, self.history = threading.Lock(), []
        self.bios, self.wished = {"ProcTurboMode": "Enabled", "Fans": 3}, {}  # BIOS settings; those of its next start
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

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that was killed in the middle is no news
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

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
                              Links={"Sessions": {"@odata.id": ROOT + "/SessionService/Sessions"}}), {}
        if path == ROOT + "/SessionService/Sessions" and method == "POST":
            if (body.get("UserName"), body.get("Password")) != ("admin", self.password):
                return self.error(401, "bad credentials")
            token = uuid.uuid4().hex
            self.sessions[token] = path + "/" + token[:8]
            return 201, thing("Session.v1_1_0.Session"), {"X-Auth-Token": token, "Location": self.sessions[token]}
        if not self.known(headers):
            return self.error(401, "authentication required")
        if method == "DELETE":
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
            MANAGER: thing("Manager.v1_3_1.Manager", ManagerType="BMC", VirtualMedia={"@odata.id": MEDIA}),
            MEDIA: collection("VirtualMedia", MEDIA + "/Cd"),
            MEDIA + "/Cd": thing("VirtualMedia.v1_3_2.VirtualMedia", MediaTypes=["CD", "DVD"], Image=self.media,
                                 Inserted=self.media is not None, Actions=actions),
            SYSTEM: thing("ComputerSystem.v1_10_0.ComputerSystem", PowerState="On" if self.on else "Off", Boot=self.boot,
                          UUID="00000000-0000-0000-0000-000000000001", SystemType="Physical", Manufacturer="x",
                          Status={"State": "Enabled", "Health": "OK"}, Links={"ManagedBy": [{"@odata.id": MANAGER}]},
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
            override = self.boot["BootSourceOverrideEnabled"]
            self.booted = "Hdd" if override == "Disabled" else self.boot["BootSourceOverrideTarget"]
            if override == "Once":
                self.boot.update(BootSourceOverrideEnabled="Disabled", BootSourceOverrideTarget="None")
        if self.switched and (starts or before != self.on):
            self.switched(self.on, self.booted)
        return 204, None, {}
