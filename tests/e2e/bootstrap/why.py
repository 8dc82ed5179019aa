#!/usr/bin/python3
"""`hearth why`: the true cause of planted faults stands first. usage: why.py HEARTH

In a network namespace of its own: a real conductor with its boot servers, BMCs (an emulator of Redfish, and servers that misbehave),
clients of DHCP and HTTP, agents, a stack service. Nothing of it knows `why`.
"""

import base64
import http.server
import io
import json
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tarfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../peers/bootstrap"))
from agent import Machine  # noqa: E402  pylint: disable=wrong-import-position
from conductor import Conductor, need, site  # noqa: E402  pylint: disable=wrong-import-position
from redfish_emulator import Bmc  # noqa: E402  pylint: disable=wrong-import-position

# The 40 faults, each of a heading of the peers' own troubleshooting pages: Ironic's administrator guide ("Troubleshooting Ironic"), MAAS'
# reference ("Troubleshooting") and its "known bads" of networks, cloud-init's "How to debug". Others are asked beside them.
HEADINGS = {
    "Ironic: Nova returns \"No valid host was found\" Error": ["nobody asked", "maintenance", "a wrong password"],
    "Ironic: DHCP during PXE or iPXE is inconsistent or unreliable": ["an offer that is not taken"],
    "Ironic: Enable IPMI over LAN": ["IPMI that does not answer", "a closed port"],
    "Ironic: Troubleshooting lanplus interface": ["a busy BMC"],
    "Ironic: Why are my nodes stuck in a \"wait\" state?": ["a ramdisk that is silent", "a ramdisk that starts again and again", "given up"],
    "Ironic: Communication issues between the conductor and the node": ["a silent BMC", "no way to it", "an unknown name", "another machine's system"],
    "Ironic: Ironic Python Agent stuck": ["a ramdisk that dies at work"],
    "Ironic: File Size != Disk Size": ["a disk that is too small"],
    "Ironic: I'm getting Out of Memory errors": ["too little memory"],
    "Ironic: Deployments fail with \"failed to update MAC address\"": ["a mistyped address"],
    "Ironic: My test VM image does not deploy -- mount point does not exist": ["an image without GRUB", "an image that is no disk"],
    "Ironic: Issues with autoconfigured TLS": ["a certificate of nobody", "a certificate of another"],
    "Ironic: Clock skew": ["a clock that is behind", "a certificate that is over"],
    "MAAS: Rogue DHCP on the VLAN": ["another DHCP server"],
    "MAAS: DHCP Relay Mispointed or Missing": ["a network that nobody described"],
    "MAAS: STP Blocks Port During PXE": ["no packet of it"],
    "MAAS: MTU Mismatch Across Overlays": ["packets that are lost"],
    "MAAS: SSL Interception Breaks Commissioning": ["a certificate between image and machine"],
    "MAAS: MAAS OS deployment failing with cloud-init error": ["a name server that is none", "metadata that is nowhere"],
    "MAAS: MAAS setup with existing/external DHCP": ["a system that runs from its disk"],
    "MAAS: MAAS DHCP says there are no leases": ["a pool that is used up"],
    "MAAS: Issues with PXE booting from controller with two networks": ["no loader"],
    "MAAS: Networking a Dell server in MAAS": ["no port"],
    "MAAS: Errno 101 - network is unreachable": ["a router that is none"],
    "cloud-init: I can't log in to my instance": ["a machine that is off"],
    "cloud-init: Cloud-init did not run": ["a machine that never asked"],
    "cloud-init: Cloud-init ran, but didn't do what I want it to": ["a signal of failure"],
    "cloud-init: Cloud-init never finished running": ["a signal that nobody sends"],
}
OF_HEADINGS, IN_TIME = 40, 10
# Incidents of these, played, go the same way to the same cause by these faults of the simulation; none: they have waited for
# seconds, and need time.
REPLAYED = {"a closed port": ["closed-bmc"], "a wrong password": ["wrong-password"], "a silent BMC": ["hung-bmc"],
            "no packet of it": ["none"], "a ramdisk that is silent": ["none"], "a ramdisk that dies at work": ["cut-machine"]}

CHECKED = {"image_source": "http://192.0.2.1/i.raw", "image_os_hash_algo": "sha256", "image_os_hash_value": "0" * 64}


class Answers:
    """A BMC that answers each request with one status, by TLS or not; None: never."""

    def __init__(self, status, certificate=None):
        class Handler(http.server.BaseHTTPRequestHandler):
            def _go(self):
                if status is None:
                    time.sleep(30)
                    return
                body = b'{"Members": [{"@odata.id": "/1"}, {"@odata.id": "/2"}]}'
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PATCH = _go

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        server.handle_error = lambda *_: None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()


class Lab:
    def __init__(self, conductor, stacks):
        self.c, self.stacks, self.count, self.told, self.wrong = conductor, stacks, 0, {}, []

    def node(self, driver="fake-hardware", ports=1, instance=None, **driver_info):
        """A new node's name; its card is 52:54:00:00:01:NN."""
        self.count += 1
        name = f"n{self.count}"
        status, made = self.c.ask("POST", "/v1/nodes", {"name": name, "driver": driver, "instance_info": instance or {}, "driver_info": {
            "deploy_kernel": f"{self.c.directory}/kernel", "deploy_ramdisk": f"{self.c.directory}/ramdisk", **driver_info}})
        assert status == 201, made
        for _ in range(ports):
            self.c.ask("POST", "/v1/ports", {"address": self.mac(), "node_uuid": made["uuid"]})
        return name

    def mac(self):
        return f"52:54:00:00:01:{self.count:02x}"

    def verb(self, name, *verbs):
        for verb in verbs:
            status, said = self.c.ask("PUT", f"/v1/nodes/{name}/states/provision", {"target": verb})
            assert status == 202, said

    def ready(self, **options):
        """A node that is available."""
        name = self.node(**options)
        for verb, state in (("manage", "manageable"), ("provide", "available")):
            self.verb(name, verb)
            self.c.wait(name, state)
        return name

    def become(self, stack, server, name):
        """The node becomes that server of the stack, as a deployment would say."""
        with open(self.stacks.token, encoding="ascii") as file:
            header = "X-Auth-Token: " + file.read().strip()

        def get(path):
            return json.loads(subprocess.run(["curl", "-s", "--noproxy", "*", "-H", header, self.stacks.url + path], capture_output=True,
                                             check=True).stdout)

        made = next(row for row in get("/stacks")["stacks"] if row["stack_name"] == stack)
        rows = get(f"/stacks/{stack}/{made['id']}/servers")
        uuid = next(row["id"] for row in rows["servers"] if row["name"] == server)
        status, said = self.c.ask("PATCH", f"/v1/nodes/{name}", [{"op": "add", "path": "/instance_uuid", "value": uuid}])
        assert status == 200, said

    def waiting(self, **options):
        """A node whose machine is waited for."""
        name = self.ready(instance=dict(CHECKED), **options)
        self.verb(name, "active")
        self.c.wait(name, "wait call-back")
        return name

    def settled(self, name, text):
        """Until the conductor has noticed: its last error, or its events, have the text."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            events = self.c.ask("GET", f"/v1/hearth/events?newest=true&node={name}")[1]["events"]
            if text in (self.c.node(name)["last_error"] or "") or any(text in event["text"] for event in events):
                return
            time.sleep(0.1)
        raise AssertionError(f"{name}: nobody said '{text}': {self.c.node(name)['last_error']} {events}")

    def settled_power(self, name):
        end = time.monotonic() + 30
        while self.c.node(name)["power_state"] != "power off":
            assert time.monotonic() < end, self.c.node(name)
            time.sleep(0.1)

    def booted(self, name, text):
        """Until the boot servers' log of its machine has the text."""
        end = time.monotonic() + 40
        while time.monotonic() < end:
            rows = self.c.ask("GET", "/v1/hearth/boot-log/" + name)[1]["events"]
            if any(text in row["outcome"] for row in rows):
                return
            time.sleep(0.1)
        raise AssertionError(f"{name}: '{text}' is not in {rows}")

    def who_has(self, name, own, address):
        """Its machine asks for an address that nobody has, as systems do again and again."""
        mac = bytes.fromhex(self.mac().replace(":", ""))
        question = struct.pack("!HHHBBH", 0x0806, 1, 0x0800, 6, 4, 1) + mac + socket.inet_aton(own) + bytes(6) + socket.inet_aton(address)
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as card:
            card.bind(("machine0", 0))
            for _ in range(6):
                card.send(b"\xff" * 6 + mac + question)
                time.sleep(0.3)
        self.booted(name, address)

    def why(self, *words):
        began = time.monotonic()
        done = subprocess.run([self.c.hearth, "why", *words, "--state", self.c.directory, "--stack-url", self.stacks.url, "--stack-token-file",
                               self.stacks.token], capture_output=True, text=True, timeout=60)
        assert time.monotonic() - began < IN_TIME, f"why {words} took {time.monotonic() - began:.1f} s"
        assert done.returncode == 0, done.stderr
        return done.stdout

    def expect(self, fault, name, cause, *others, kind="node"):
        """The cause is the first sentence; what else is told stands anywhere."""
        text = self.why(kind, name)
        first = text.split("\n", 1)[0]
        assert fault not in self.told, fault
        self.told[fault] = first
        if cause not in first or any(other not in text for other in others):
            self.wrong.append(fault)
            print(f"{fault}: '{cause}' {others} is not told first:\n{text}", flush=True)
        if fault in REPLAYED:
            self.replay(fault, name)

    def replay(self, fault, name):
        """Somebody who has nothing but the incident plays it."""
        incident = f"{name}.incident.tar.zst"
        subprocess.run([self.c.hearth, "incident", name, "--output", incident, "--state", self.c.directory], check=True, capture_output=True, timeout=60)
        # Each kind of fault at each moment, by all processors: how long depends on who else has work for them, so this only ends what hangs.
        done = subprocess.run([self.c.hearth, "simulate", incident, "--json"], capture_output=True, text=True, timeout=900, check=False)
        assert done.returncode == 0, f"{fault}: nothing goes that way: {done.stdout}{done.stderr}"
        matches = json.loads(done.stdout)["matches"]
        same = [match["faults"] for match in matches if match["same_cause"]]
        kinds = [text.split("@")[0].split(":")[0] or "none" for text in same]
        print(f"{fault}: played, the same way with the same cause: {same or 'none'}; another cause: "
              f"{[match['faults'] for match in matches if not match['same_cause']]}", flush=True)
        assert set(REPLAYED[fault]) <= set(kinds), f"{fault}: {REPLAYED[fault]} not among {kinds}: {json.dumps(matches, indent=1)}"

    def table(self):
        """Of each heading its faults, and what was told first."""
        faults = [fault for row in HEADINGS.values() for fault in row]
        assert len(faults) == len(set(faults)) == OF_HEADINGS and not set(faults) - set(self.told), set(faults) - set(self.told)
        for heading, row in HEADINGS.items():
            print(heading)
            for fault in row:
                print(f"  {'WRONG' if fault in self.wrong else 'true '}  {fault}: {self.told[fault]}")
        good = sum(fault not in self.wrong for fault in faults)
        print(f"the true cause stands first in {good} of {OF_HEADINGS}, and in {len(self.told) - len(self.wrong)} of {len(self.told)} with those beside")


class Stacks:
    """The stack service."""

    def __init__(self, hearth, directory):
        self.hearth, self.token = hearth, f"{directory}/api-token"
        self.log = open(directory + ".log", "wb")
        self.process = subprocess.Popen([hearth, "metadata", "serve", "--state", directory, "--heat-port=8004"], stdout=self.log,
                                        stderr=self.log)
        self.url = "http://127.0.0.1:8004/v1/admin"
        end = time.monotonic() + 20
        while subprocess.run(["curl", "-s", "http://127.0.0.1:8004/"], capture_output=True, check=False).returncode != 0:
            assert time.monotonic() < end and self.process.poll() is None, "the stack service did not start"
            time.sleep(0.1)

    def create(self, name, template, *options):
        with open(self.token + ".yaml", "w", encoding="utf-8") as file:
            json.dump(dict(template, heat_template_version="2018-08-31"), file)
        subprocess.run([self.hearth, "stack", "create", name, "-t", self.token + ".yaml", "--url", self.url, "--token-file", self.token,
                       *options], check=True, capture_output=True, timeout=60)


def ip(*lines):
    for line in lines:
        subprocess.run(["ip", *line.split()], check=True)


def bmcs(lab):
    def refused(fault, cause, said, *others, **driver_info):
        name = lab.node(driver=driver_info.pop("driver", "redfish"), **driver_info)
        lab.verb(name, "manage")
        lab.settled(name, said)
        lab.expect(fault, name, cause, *others)

    def redfish(url, **more):
        return {"redfish_address": url, "redfish_username": "admin", "redfish_password": "secret", "redfish_system_id": "/redfish/v1/Systems/1", **more}

    certificate = lab.c.directory + "/bmc.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", certificate + ".key", "-out", certificate, "-subj",
                    "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    with open(certificate, "a", encoding="ascii") as file, open(certificate + ".key", encoding="ascii") as key:
        file.write(key.read())
    over, other = certificate + ".over", certificate + ".other"
    for path, days, address in ((over, "-1", "127.0.0.1"), (other, "9", "127.0.0.2")):
        made = ["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-keyout", path + ".key", "-subj", "/CN=bmc", "-out", path + ".csr"]
        subprocess.run([*made, "-addext", "subjectAltName=IP:" + address], check=True, capture_output=True)
        subprocess.run(["openssl", "x509", "-req", "-in", path + ".csr", "-signkey", path + ".key", "-days", days, "-out", path, "-copy_extensions",
                        "copy"], check=True, capture_output=True)
        shutil.copy(path, path + ".ca")
        with open(path, "a", encoding="ascii") as file, open(path + ".key", encoding="ascii") as key:
            file.write(key.read())
    name = lab.node(driver="redfish", **redfish("http://127.0.0.1:9"))
    lab.expect("nobody asked", name, "nobody has asked for more", f"hearth node manage {name}")
    refused("a closed port", "nothing listens at that port", "Connection refused", **redfish("http://127.0.0.1:9"))
    refused("a wrong password", "refuses the user or the password", "401", "--driver-info redfish_password=",
            **redfish(Bmc("other").url))
    refused("a user without rights", "does not allow", "403", **redfish(Answers(403).url, redfish_auth_type="basic"))
    refused("a certificate of nobody", "certificate is signed by nobody", "does not hold", "redfish_verify_ca", **redfish(Answers(200, certificate).url))
    refused("a certificate that is over", "certificate has expired", "does not hold", "date -u",
            **redfish(Answers(200, over).url, redfish_verify_ca=over + ".ca"))
    refused("a certificate of another", "certificate is for another name", "does not hold", "redfish_address=",
            **redfish(Answers(200, other).url, redfish_verify_ca=other + ".ca"))
    refused("an unknown name", "name can't be looked up", "looking up", **redfish("http://no-such-bmc.invalid"))
    refused("no way to it", "no way from here", "unreachable", **redfish("http://198.51.100.7"))
    refused("a silent BMC", "Something takes the connection at the BMC's address, and never answers", "timed out", **redfish(Answers(None).url, redfish_timeout="1", redfish_auth_type="basic"))
    refused("a busy BMC", "busy", "503", **redfish(Answers(503).url, redfish_auth_type="basic"))
    refused("another machine's system", "has no such system", "404", **redfish(Bmc().url, redfish_system_id="/redfish/v1/Systems/77"))
    two = redfish(Answers(200).url, redfish_auth_type="basic")
    del two["redfish_system_id"]
    refused("two systems", "several systems", "has 2 systems", "redfish_system_id=", **two)
    refused("no address", "driver_info is not complete", "is missing", "hearth node validate")
    refused("IPMI that does not answer", "Nothing answers at the BMC", "Unable to establish", driver="ipmi", ipmi_address="127.0.0.1",
            ipmi_port="9", ipmi_username="u", ipmi_password="p")


def checks(lab):
    def refused(said, instance):
        """What can be known beforehand is no fault of the node, as in Ironic."""
        name = lab.ready(instance=instance)
        status, answer = lab.c.ask("PUT", f"/v1/nodes/{name}/states/provision", {"target": "active"})
        assert status == 400 and said in answer["error_message"] and "it stays available" in answer["error_message"], answer
        assert lab.c.node(name)["provision_state"] == "available", lab.c.node(name)

    name = lab.ready()
    lab.expect("no image was asked for", name, "no image was asked for", f"hearth node deploy {name}")
    lab.c.ask("PUT", f"/v1/nodes/{name}/maintenance", {"reason": "a new fan"})
    lab.expect("maintenance", name, "out of service: a new fan", f"hearth node maintenance unset {name}")
    refused("an image is not written unchecked", {"image_source": "http://192.0.2.1/i.raw"})
    refused("image_checksum abc is neither", {"image_source": "http://192.0.2.1/i.raw", "image_checksum": "abc"})
    refused("is no HTTP URL", dict(CHECKED, image_source="file:///i.raw"))
    refused("no root_gb", dict(CHECKED, image_type="partition"))
    name = lab.waiting(driver="manual-management")
    lab.expect("a person is to switch it on", name, "waits for a person: Switch", "hearth node todo")
    lab.verb(name, "abort")
    lab.settled(name, "aborted")
    lab.expect("ended by a person", name, "A person ended it")


def boots(lab):
    def ask(*words):
        done = subprocess.run([sys.executable, "-B", os.path.join(HERE, "../../peers/pxe/odd_client.py"), "machine0", *words], capture_output=True,
                              text=True, timeout=30, check=True)
        return done.stdout.split()

    def fetch(address, *paths):
        for path in paths:
            subprocess.run(["curl", "-s", "--noproxy", "*", "--max-time", "10", "--interface", address, f"http://192.0.2.1{path}"],
                           capture_output=True, check=False)

    def leased():
        address = ask("discover", lab.mac())[0]
        ask("request", lab.mac(), address)
        ip(f"addr add {address}/32 dev machine0")
        return address

    ip("link set machine0 up")
    lost = lab.waiting()
    transfer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)  # takes nothing of what comes; that is noticed after a while
    transfer.bind((leased(), 0))
    transfer.sendto(b"\0\1shimx64.efi\0octet\0", ("192.0.2.1", 69))
    name = lab.waiting()
    lab.expect("no packet of it", name, "Nothing of its machine has reached the network boot", "boot order")
    name = lab.waiting(deploy_callback_timeout="2")
    ask("discover", "52:54:00:00:0f:0f")
    lab.settled(name, "is no node's")
    lab.expect("a mistyped address", name, "52:54:00:00:0f:0f is no node's", lab.mac())
    name = lab.waiting(ports=0)
    lab.expect("no port", name, "none of its cards is known")
    name = lab.waiting()
    ask("discover", lab.mac())
    lab.expect("a system that runs from its disk", name, "asks for an address, and not to boot", "boot order")
    name = lab.waiting()
    ask("boot", lab.mac(), "7")
    lab.expect("an offer that is not taken", name, "is offered one, and does not take it", "another DHCP server")
    name = lab.waiting()
    ask("discover", lab.mac(), "203.0.113.1")
    lab.expect("a network that nobody described", name, "a network that the site file does not describe")
    name = lab.waiting()
    leased()
    ask("boot", lab.mac(), "7")
    lab.expect("no loader", name, "It has an address, and asks for no loader", "firewall")
    name = lab.waiting()
    fetch(leased(), "/boot/shimx64.efi")
    lab.expect("Secure Boot", name, "the firmware does not start the loader", "Secure Boot")
    name = lab.waiting()
    fetch(leased(), "/boot/nothing.efi")
    lab.expect("a file that is not there", name, "asked for /boot/nothing.efi and did not get it")
    name = lab.waiting()
    fetch(leased(), f"/ipxe/{lab.mac()}")
    lab.expect("a loader that gets no further", name, "The loader runs and has its script, and fetches no kernel")
    name = lab.waiting()
    uuid = lab.c.node(name)["uuid"]
    address = leased()
    fetch(address, f"/image/node/{uuid}/kernel", f"/image/node/{uuid}/ramdisk")
    lab.expect("a ramdisk that is silent", name, "has the kernel, and the ramdisk has not called back", "console")
    fetch(address, f"/image/node/{uuid}/kernel")
    lab.expect("a ramdisk that starts again and again", name, "started the ramdisk 2 times")
    name = lab.waiting()
    ask("request", lab.mac(), "192.0.2.150", "192.0.2.77")
    lab.expect("another DHCP server", name, "Another DHCP server, 192.0.2.77, answers on its network", "mode proxy")
    ask("discover", "52:54:00:00:0f:01", "198.51.100.1")
    name = lab.waiting()
    ask("discover", lab.mac(), "198.51.100.1")
    lab.expect("a pool that is used up", name, "The pool of its network has no address left", "lease_s")
    for fault, address, cause in (("a router that is none", "192.0.2.254", "can't leave its network"),
                                  ("a name server that is none", "192.0.2.253", "can't look up names")):
        name = lab.waiting()
        own = leased()
        fetch(own, f"/image/node/{lab.c.node(name)['uuid']}/kernel")
        lab.who_has(name, own, address)
        lab.expect(fault, name, "Its ramdisk runs, and " + cause, "site file")
    lab.booted(lost, "fell silent")
    transfer.close()
    lab.expect("packets that are lost", lost, "broke off: packets are lost on the way", "MTU")
    name = lab.waiting(deploy_callback_timeout="1")
    lab.settled(name, "Timeout reached")
    lab.expect("given up", name, "Nothing of its machine has reached the network boot", "Timeout reached")


def agents(lab):
    def fails(fault, cause, *others, says=None):
        name = lab.waiting()
        machine = Machine(lab.c.url, lab.mac(), fails="write_image", says=says).boot()
        lab.settled(name, "Agent returned error")
        machine.off.set()
        lab.expect(fault, name, cause, *others)

    fails("a wrong checksum", "its checksum differs", "hearth image load")
    fails("a disk that is too small", "disk is smaller than the image", "root_device",
          says="the disk /dev/sda is too small: it has 8589934592 bytes (8.0 GiB), and the image has 20 GiB")
    fails("too little memory", "has too little memory", "frames", says="http://192.0.2.1/i.raw does not fit into memory (512.0 MiB may be used)")
    fails("an image without GRUB", "brings no GRUB", "bootloader", says="the image has neither grub-install nor grub2-install")
    fails("an image that is no disk", "a file system, not a whole disk", "--root-gb", says="the image i has no partition table: it is no whole disk")
    fails("a certificate between image and machine", "signed by nobody that the deploy ramdisk trusts", "checksum",
          says="fetching the image: the certificate of images.example does not hold: self-signed certificate in certificate chain")
    fails("a clock that is behind", "clock is behind", "ntp",
          says="fetching the image: the certificate of images.example does not hold: certificate is not yet valid")
    fails("a list without the image's checksum", "has none for its image", "--sha256", says="http://192.0.2.1/SHA256SUMS has no checksum for i.raw")
    fails("http:// at a port of TLS", "says http://, and its server speaks TLS", "--image https://",
          says="fetching the image: http://192.0.2.1:6385/i.raw: the server answers 400 TLS is spoken here: https:// in place of http://?")
    fails("https:// at a port without TLS", "says https://, and its server speaks no TLS", "--image http://",
          says="fetching the image: setting up TLS with 192.0.2.1: what it answers is no TLS: http:// in place of https://?")
    fails("a partition image that is none", "and the image is none", "without --root-gb", says="the image i holds no ext4, xfs or btrfs")
    name = lab.waiting()
    machine = Machine(lab.c.url, lab.mac()).boot()
    lab.c.wait(name, "active")
    machine.off.set()
    lab.who_has(name, "192.0.2.190", "192.0.2.99")
    lab.expect("metadata that is nowhere", name, "looks for a machine that is not there", "--public")
    name = lab.waiting()
    machine = Machine(lab.c.url, lab.mac()).boot()
    lab.c.wait(name, "active")
    machine.off.set()
    status, said = lab.c.ask("PUT", f"/v1/nodes/{name}/states/power", {"target": "power off"})
    assert status == 202, said
    lab.settled_power(name)
    lab.expect("a machine that is off", name, "its machine is off", f"hearth node power on {name}")
    name = lab.waiting(agent_silence_timeout="2")
    machine = Machine(lab.c.url, lab.mac(), write_time=60).boot()
    lab.settled(name, "deploy: write image")
    end = time.monotonic() + 30
    while not machine.writes and time.monotonic() < end:
        time.sleep(0.05)
    machine.command = None  # nothing is answered from now on: the connection ends
    machine.off.set()
    lab.settled(name, "has not answered since")
    lab.expect("a ramdisk that dies at work", name, "fell silent in the middle of the work")


def stacks(lab):
    config = {"type": "OS::Heat::SoftwareConfig", "properties": {"group": "script", "config": "#!/bin/sh\n"}}
    lab.stacks.create("alone", {"resources": {"wait": {"type": "OS::Heat::WaitCondition", "properties": {
        "handle": {"get_resource": "h"}, "count": 1, "timeout": 600}}, "h": {"type": "OS::Heat::WaitConditionHandle"}}})
    lab.expect("a signal that nobody sends", "alone", "waits for a signal that nobody has sent", kind="stack")
    lab.stacks.create("failing", {"resources": {"wait": {"type": "OS::Heat::WaitCondition", "properties": {
        "handle": {"get_resource": "h"}, "count": 1, "timeout": 600}}, "h": {"type": "OS::Heat::WaitConditionHandle"}}})
    subprocess.run([lab.c.hearth, "stack", "signal", "failing", "h", "--data", json.dumps({"status": "FAILURE", "reason": "mkfs says no", "id": "1"}),
                    "--url", lab.stacks.url, "--token-file", lab.stacks.token], check=True, capture_output=True, timeout=60)
    lab.expect("a signal of failure", "failing", "mkfs says no", "hearth stack failures list failing", kind="stack")
    name = lab.waiting()
    servers = {"web": {"type": "OS::Nova::Server", "properties": {"name": name, "image": "i", "flavor": "f", "user_data_format": "SOFTWARE_CONFIG"}},
               "config": config, "run": {"type": "OS::Heat::SoftwareDeployment", "properties": {
                   "config": {"get_resource": "config"}, "server": {"get_resource": "web"}}}}
    lab.stacks.create("silent", {"resources": servers})
    lab.expect("a machine that never asked", "silent", "has never asked for its metadata", "hearth why node", kind="stack")
    with open("env.json", "w", encoding="ascii") as file:
        json.dump({"resource_registry": {"resources": {"words": {"hooks": "pre-create"}}}}, file)
    lab.stacks.create("held", {"resources": {"words": {"type": "OS::Heat::RandomString"}}}, "-e", "env.json")
    lab.expect("a hook", "held", "The hook pre-create holds words", "hearth stack hook clear held words", kind="stack")
    name = lab.ready(ports=0, instance=dict(CHECKED))
    lab.stacks.create("named", {"resources": {**servers, "web": {"type": "OS::Nova::Server", "properties": {
        "name": "other-name", "image": "i", "flavor": "f", "user_data_format": "SOFTWARE_CONFIG"}}}})
    lab.become("named", "other-name", name)
    lab.verb(name, "active")
    lab.c.wait(name, "wait call-back")
    lab.expect("a server that has another name than its node", "named", "The machine of other-name: The node has no port", kind="stack")
    name = lab.ready()
    lab.expect("a card's address", lab.mac().upper(), "no image was asked for", f"hearth node deploy {name}")
    lab.stacks.create("done", {"resources": {"words": {"type": "OS::Heat::RandomString"}}})
    lab.expect("nothing at all", "done", "Nothing is wrong: the stack is CREATE_COMPLETE", kind="stack")


def several(lab):
    """One name that is two things, forms, and what is not known."""
    name = lab.ready()
    lab.stacks.create(name, {"resources": {"words": {"type": "OS::Heat::RandomString"}}})
    text = lab.why(name)
    assert f"node {name}: " in text and f"stack {name}: " in text, text
    rows = json.loads(lab.why(name, "--json"))
    assert [row["kind"] for row in rows] == ["node", "stack"] and rows[0]["findings"][0]["next"], rows

    text = lab.why("stack", "failing", "wait")
    assert text.startswith("resource failing wait: wait failed: ") and "mkfs says no" in text, text
    assert f"resource {name} words: Nothing is wrong: words is CREATE_COMPLETE" in lab.why("stack", name, "words")

    os.makedirs(name + ".d")  # an image of that name, whose report is broken, hides neither
    with open(name + ".d/steps.json", "w", encoding="ascii") as file:
        file.write("[")
    text = lab.why(name)
    shutil.rmtree(name + ".d")
    assert "image " + name in text and f"node {name}: " in text and f"stack {name}: " in text, text

    def refused(code, said, *words):
        done = subprocess.run([lab.c.hearth, "why", *words, "--state", lab.c.directory, "--stack-url", lab.stacks.url, "--stack-token-file",
                               lab.stacks.token], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == code and said in done.stderr, f"why {words}: {done.returncode} {done.stderr}"

    refused(1, "nothing is known of n999\n  no image was built as n999 here\n", "n999")
    refused(1, f"Did you mean {name}?", "node", name + "x")
    refused(2, "hearth why node n1", "nodes", "n1")
    refused(1, f"did you mean: hearth why stack {name} words", "stack", name, "wordz")
    refused(2, f"hearth why stack {name} words", name, "words")
    nodes = lab.c.ask("GET", "/v1/nodes/detail")[1]["nodes"]
    stands = ("failed", "wait", "error", "hold", "wait call-back")
    troubled = [node["name"] for node in nodes if node["maintenance"] or node["last_error"] or node["provision_state"].endswith(stands)
                or (node["driver_internal_info"] or {}).get("operator_instruction")]
    told = re.findall(r"^node (\S+): ", lab.why(), re.MULTILINE)
    assert 20 < len(troubled) < len(nodes) and len(told) == 20 and set(told) <= set(troubled), (told, troubled)
    assert f"and {len(troubled) - 20} more: hearth node list" in lab.why(), lab.why()
    empty = lab.c.directory + "/none"
    done = subprocess.run([lab.c.hearth, "why", "--state", empty], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "Name an image, a node or a stack" in done.stderr, done.stderr
    done = subprocess.run([lab.c.hearth, "why", "x", "--state", empty, "--stack-url", "http://127.0.0.1:9/v1/a"], capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 1 and "no conductor has its state in" in done.stderr and not os.path.exists(empty), done.stderr


class Talker(Machine):
    """A ramdisk that fails and tells everything, secrets too."""

    LOG = """kernel: root=/dev/ram0 rootpwd=SECRET-1 quiet
cloud-init: password: SECRET-2
curl -H 'X-Auth-Token: SECRET-3' "http://me:SECRET-4@192.0.2.1/o?temp_url_sig=SECRET-5&temp_url_expires=1"
-----BEGIN RSA PRIVATE KEY-----
SECRET-6
-----END RSA PRIVATE KEY-----
{"auth": {"identity": {"password": "SECRET-7 \\"SECRET-8"}}}
root:$6$salt$SECRET-9:1:0
the disk sda has 512 sectors
"""

    def command(self, *args):
        status, row = super().command(*args)
        if isinstance(row, dict) and row.get("command_name") == "collect_system_logs":
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w:gz") as archive:
                member = tarfile.TarInfo("journal")
                member.size = len(self.LOG)
                archive.addfile(member, io.BytesIO(self.LOG.encode()))
            row["command_result"] = {"system_logs": base64.b64encode(packed.getvalue()).decode()}
        elif isinstance(row, dict) and row.get("command_error"):
            row["command_error"]["details"] = "http://me:SECRET-10@192.0.2.1/i.raw?temp_url_sig=SECRET-11 with api_token=SECRET-12"
        return status, row


def incidents(lab):
    """What is packed answers as its site, holds no secret, and a bad one is refused."""
    instance = {"image_source": "http://me:SECRET-20@192.0.2.1/i.raw?temp_url_sig=SECRET-21", "image_os_hash_algo": "sha256",
                "image_os_hash_value": "0" * 64, "configdrive": {"user_data": "#cloud-config\nchpasswd: {list: 'root:SECRET-22'}\n"}}
    name = lab.ready(instance=instance, redfish_password="SECRET-23", ipmi_password="SECRET-24", my_pin="SECRET-25", kernel_append_params="p=SECRET-26")
    lab.c.ask("PATCH", f"/v1/nodes/{name}", [{"op": "add", "path": "/extra/note", "value": "SECRET-27"},
                                            {"op": "add", "path": "/description", "value": "SECRET-28"}])
    lab.verb(name, "active")
    lab.c.wait(name, "wait call-back")
    machine = Talker(lab.c.url, lab.mac(), fails="write_image").boot()
    lab.settled(name, "Agent returned error")
    lab.settled(name, "the agent's logs are in")
    machine.off.set()
    home = f"{lab.c.directory}/qemu/{lab.c.node(name)['uuid']}"
    os.makedirs(home)
    with open(home + "/console.log", "w", encoding="ascii", newline="") as file:
        file.write(("[    0.5] a machine of this conductor\n" + Talker.LOG).replace("\n", "\r\n"))
    secret = {"type": "string", "hidden": True, "default": "SECRET-30"}
    lab.stacks.create("secrets", {"parameters": {"p": secret}, "resources": {"wait": {"type": "OS::Heat::WaitCondition", "properties": {
        "handle": {"get_resource": "h"}, "count": 1, "timeout": 600}}, "h": {"type": "OS::Heat::WaitConditionHandle"}, "c": {
            "type": "OS::Heat::SoftwareConfig", "properties": {"group": "script", "config": {"get_param": "p"}}}}})

    sources = ["--state", lab.c.directory, "--stack-url", lab.stacks.url, "--stack-token-file", lab.stacks.token]

    def run(*words, **options):
        return subprocess.run([lab.c.hearth, *words], capture_output=True, text=True, timeout=60, check=False, **options)

    done = run("incident", name, "--stack", "secrets", "--output", "i.tar.zst", *sources)
    assert done.returncode == 0 and "hearth why --file i.tar.zst" in done.stdout, done
    assert os.stat("i.tar.zst").st_mode & 0o777 == 0o600 and os.path.getsize("i.tar.zst") < 5_000_000
    with open("i.tar.zst", "rb") as file:
        packed = file.read()
    unpacked = subprocess.run(["zstd", "-dc", "i.tar.zst"], capture_output=True, check=True).stdout
    assert b"SECRET" not in packed and b"SECRET" not in unpacked, [line for line in unpacked.split(b"\n") if b"SECRET" in line]
    assert b"SECRET" not in base64.b64encode(unpacked) and "SECRET" not in done.stdout
    assert b"the disk sda has 512 sectors" in unpacked and b"192.0.2.1/i.raw" in unpacked
    os.mkdir("opened")
    with tarfile.open(fileobj=io.BytesIO(unpacked)) as archive:
        archive.extractall("opened")
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd="opened", check=True)
    with open("opened/console.log", encoding="utf-8") as file:
        text = file.read()
    assert "a machine of this conductor" in text and "the disk sda has 512 sectors" in text, text

    here = json.loads(lab.why("node", name, "--json")) + json.loads(lab.why("stack", "secrets", "--json"))
    there = run("why", "--file", "i.tar.zst", "--json")  # where there is no site
    assert there.returncode == 0 and json.loads(there.stdout) == here, (there, here)
    assert lab.why("node", name) in run("why", "--file", "i.tar.zst").stdout
    assert "SECRET" not in json.dumps(here)

    def refused(code, said, *words, **options):
        done = run(*words, **options)
        assert done.returncode == code and said in done.stderr, f"{words}: {done.returncode} {done.stderr}"

    refused(1, "i.tar.zst is there already", "incident", name, "--output", "i.tar.zst", *sources)
    refused(1, f"Did you mean {name}?", "incident", name + "x", *sources)
    refused(1, "nothing is known of the stack nowhere", "incident", name, "--stack", "nowhere", *sources)
    refused(1, "no conductor has its state in", "incident", name, "--state", "none")
    refused(2, "Name one", "incident")
    refused(1, "nowhere", "incident", name, "--output", "nowhere/i", *sources)
    refused(1, "is no incident", "why", "--file", lab.c.directory + "/kernel")
    refused(1, "none.tar.zst", "why", "--file", "none.tar.zst")
    refused(1, "opened", "why", "--file", "opened")
    refused(2, "leave the name out", "why", name, "--file", "i.tar.zst")
    with open("large", "wb") as file:
        file.truncate(6_000_000)
    refused(1, "large", "why", "--file", "large")
    with open("cut.tar.zst", "wb") as file:
        file.write(packed[: len(packed) // 2])
    refused(1, "cut.tar.zst is", "why", "--file", "cut.tar.zst")
    os.mkdir("full")
    script = f"mount -t tmpfs -o size=4k tmpfs full && echo > full/first && {lab.c.hearth} incident {name} --output full/i {' '.join(sources)}"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script + "; code=$?; test $(ls -A full) = first || exit 99; exit $code"],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "full/i: No space left on device" in done.stderr, done


def unserved(lab):
    """Where the conductor was killed that is the cause, and to ask goes on with nothing: this BMC would keep it for longer than it may take."""
    name = lab.node("redfish", redfish_address=Answers(None).url, redfish_username="u", redfish_password="p")
    lab.verb(name, "manage")
    lab.c.kill()
    text = lab.why("node", name)
    assert text.startswith(f"node {name}: No conductor runs: it stays verifying"), text


def inside(hearth):
    ip("link set lo up", "link add seed0 type veth peer name machine0", "addr add 192.0.2.1/24 dev seed0", "link set seed0 up")
    directory = subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip()
    os.chdir(directory)
    for name in ("kernel", "ramdisk"):
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(f"the {name}\n")
    boot = site(directory, {"subnet": "198.51.100.0/24", "server": "192.0.2.1", "pools": ["198.51.100.10-198.51.100.10"]},
                router="192.0.2.254", dns=["192.0.2.253"])
    service = Stacks(hearth, directory + ".stacks")
    try:
        with Conductor(hearth, "--boot", boot, "--boot-force", "--port", "6385", "--poll-interval", "1", directory=directory) as c:
            lab = Lab(c, service)
            for part in (bmcs, checks, boots, agents, stacks, several, incidents):
                part(lab)
            lab.table()
            assert not lab.wrong, lab.wrong
            unserved(lab)
    finally:
        service.process.kill()
        service.process.wait()
        for end in ("", ".stacks", ".stacks.log"):
            shutil.rmtree(directory + end, ignore_errors=True)
        if os.path.exists(directory + ".stacks.log"):
            os.unlink(directory + ".stacks.log")


def main():
    if len(sys.argv) == 3:
        inside(sys.argv[1])
        return
    need(os.geteuid() == 0, "needs root, for a network namespace and packet sockets")
    for program in ("curl", "ip", "openssl", "ipmitool", "zstd"):
        need(shutil.which(program), f"needs {program}")
    done = subprocess.run(["unshare", "-n", sys.executable, "-B", os.path.abspath(__file__), os.path.abspath(sys.argv[1]), "inside"], check=False)
    sys.exit(done.returncode)


main()
