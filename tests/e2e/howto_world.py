"""A world for the how-to pages: a network namespace in which a seed's card and BMCs have the addresses that the pages name, and where
/etc, /var/lib and /srv may be written to without changing this machine. BMCs are emulated, and so are the ramdisks that their machines boot."""

import base64
import collections
import contextlib
import json
import os
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../peers/bootstrap")]
from agent import Machine, request  # noqa: E402  pylint: disable=wrong-import-position
from conductor import need  # noqa: E402  pylint: disable=wrong-import-position
from ipmi_simulator import Simulator  # noqa: E402  pylint: disable=wrong-import-position
from redfish_emulator import Bmc  # noqa: E402  pylint: disable=wrong-import-position

INSIDE = "HEARTH_HOWTO_WORLD"
API = "http://127.0.0.1:6385"
STATE = "/var/lib/hearth/node"
BMCS = {"web1": "192.0.2.201", "web3": "192.0.2.203", "n3": "198.51.100.3"}  # by Redfish
IPMI = "192.0.2.202"  # web2's
OURS = ("198.51.100.5", "192.0.2.53")  # further addresses of the seed
MACS = {"web1": "52:54:00:00:00:01", "web2": "52:54:00:00:00:02", "web3": "52:54:00:00:00:03", "bench1": "52:54:00:00:00:09"}
PASSWORD = "secret"
# What stands in for elements where an image is built in a second: a tree of this machine's own programs, with a kernel's name in it.
STANDS_IN = ("base", "vm", "growroot", "enable-serial-console", "dhcp-all-interfaces", "openssh-server", "devuser", "simple-init", "hearth-agent",
             "heat-config-script", "heat-metadata", "os-apply-config", "os-refresh-config", "web", "db", "cache")

PROGRAMS = "bash basename cat chmod chown cp dirname echo env false find grep head id install ln ls mkdir mv readlink rm sed sleep sort stat touch tr true xargs"


def enter(work):
    """This script again, inside; `work` is on a file system of its own there."""
    need(os.geteuid() == 0, "needs root, for namespaces and overlays")
    lines = [f"mount -t tmpfs -o mode=755 none {work}", "ip link set lo up", "ip link add eth1 type veth peer name machine0",
             "ip addr add 192.0.2.1/24 dev eth1", "ip link set eth1 up", "ip link set machine0 up"]
    lines += [f"ip addr add {address}/32 dev lo" for address in (*BMCS.values(), IPMI, *OURS)]
    for place in ("etc", "var/lib", "srv"):
        upper, workdir = f"{work}/over/{place}", f"{work}/under/{place}"
        lines += [f"mkdir -p {upper} {workdir}", f"mount -t overlay overlay -o lowerdir=/{place},upperdir={upper},workdir={workdir} /{place} || {{ "
                  "echo 'SKIPPED: no overlay is to be had'; exit 77; }"]
    ready = subprocess.run(["unshare", "-n", "-m", "sh", "-c", "true"], check=False, stderr=subprocess.DEVNULL)
    need(ready.returncode == 0, "no namespace is to be had")
    words = ["unshare", "-n", "-m", "sh", "-c", "set -e; " + "; ".join(lines) + '; exec "$@"', "sh", sys.executable, "-B", *sys.argv]
    sys.exit(subprocess.run(words, env=os.environ | {INSIDE: work}, check=False).returncode)


def run(*words, **more):
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60, **more).stdout


def certificate(name, *addresses):
    """NAME.pem and NAME.key: who has it is these, and this world's authorities know it."""
    names = ",".join(f"{'IP' if one[0].isdigit() else 'DNS'}:{one}" for one in addresses)
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out",
        f"{name}.pem", "-days", "2", "-subj", f"/CN={os.path.basename(name)}", "-addext", f"subjectAltName={names}")
    with open(f"{name}.pem", encoding="ascii") as file, open("/etc/ssl/certs/ca-certificates.crt", "a", encoding="ascii") as known:
        known.write(file.read())


class Machines:
    """What stands behind the BMCs, and the person who walks to the machine that has none."""

    def __init__(self, work):
        self.ramdisks, self.turns, self.lock, self.stop = {}, collections.Counter(), threading.Lock(), threading.Event()
        certificate(f"{work}/bmc", *BMCS.values())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{work}/bmc.pem", f"{work}/bmc.key")
        self.bmcs = {}
        for name, address in BMCS.items():
            secure = name in MACS
            bmc = Bmc(PASSWORD, lambda on, where, name=name: self.switched(name, on, where), (address, 443 if secure else 80))
            if secure:
                bmc.server.socket = context.wrap_socket(bmc.server.socket, server_side=True)
            self.bmcs[name] = bmc
        os.mkdir(f"{work}/ipmi")
        self.ipmi = Simulator(f"{work}/ipmi", (IPMI, 623)) if Simulator.is_there() else None
        threading.Thread(target=self.person, daemon=True).start()

    def ask(self, path, method="GET"):
        try:
            with open(f"{STATE}/api-token", encoding="ascii") as file:
                token = file.read().strip()
        except OSError:
            return None
        for _ in range(6):  # a conductor whose disk is busy answers 503
            status, text = request(API + path, method, version="1.82", token=token)
            if 0 < status < 500 or self.stop.wait(0.5):
                break
        return json.loads(text) if status == 200 and text else None

    def switched(self, name, on, where):
        """Its BMC holds a lock meanwhile: what follows happens beside."""
        with self.lock:
            self.turns[name] += 1
            turn = self.turns[name]
            if name in self.ramdisks:
                self.ramdisks.pop(name).off.set()
        if on and where == "Pxe":
            threading.Thread(target=self.boots, args=(name, turn), daemon=True).start()

    def boots(self, name, turn):
        """The ramdisk: an inspection tells what it has found; any other work is the agent's. It ends when its machine is switched."""
        node = self.ask(f"/v1/nodes/{name}")
        if node and node["provision_state"].startswith("inspect"):
            found = {"inventory": {"interfaces": [{"name": "eth0", "mac_address": MACS[name]}], "cpu": {"count": 2}, "memory": {"physical_mb": 1024}}}
            while request(API + "/v1/continue_inspection", "POST", found)[0] != 200 and not self.stop.is_set():
                node = self.ask(f"/v1/nodes/{name}")
                if not node or not node["provision_state"].startswith("inspect") or turn != self.turns[name]:
                    return
                time.sleep(0.2)
            return
        bmc = self.bmcs.get(name)
        with self.lock:
            if turn != self.turns[name]:
                return
            self.ramdisks[name] = Machine(API, MACS[name], went_off=lambda: bmc and setattr(bmc, "on", False)).boot()

    def person(self):
        """Does what the conductor asks for at bench1, a moment later, if it still does: the page reads what is to be done before it is. Of
        another seed's work nothing goes on: a page may begin anew."""
        since, token = {}, None
        while not self.stop.wait(0.5):
            with contextlib.suppress(OSError), open(f"{STATE}/api-token", encoding="ascii") as file:
                token, former = file.read(), token
                if token != former:
                    self.switched("bench1", False, "")
            for row in (self.ask("/v1/hearth/instructions") or {}).get("instructions", []):
                told = (row["node"], row["since"])
                if row["action"] == "power-on-network" and time.monotonic() - since.setdefault(told, time.monotonic()) >= 4:
                    since[told] = float("inf")  # done
                    self.switched("bench1", True, "Pxe")
                elif row["action"] == "power-off" and told not in since:
                    since[told] = float("inf")
                    self.ask(f"/v1/hearth/instructions/{row['node']}?since={urllib.parse.quote(row['since'])}", "DELETE")

    def anew(self):
        """Before the next page: all are off, and nobody is logged in."""
        with self.lock:
            self.turns.update([*BMCS, "bench1"])
            for name in list(self.ramdisks):
                self.ramdisks.pop(name).off.set()
        for bmc in self.bmcs.values():
            bmc.on, bmc.sessions, bmc.password = False, {}, PASSWORD

    def end(self):
        self.stop.set()
        self.anew()
        if self.ipmi:
            self.ipmi.end()


def stand_ins(folder):
    """Elements under the names of real ones, of which an image is built in a second."""
    for name in STANDS_IN:
        os.makedirs(os.path.join(folder, name))
    tiny = os.path.join(folder, "debian-minimal")
    run("cp", "-r", os.path.join(HERE, "elements", "tiny-os"), tiny)
    hook = os.path.join(tiny, "root.d", "08-debootstrap")  # as pages show it
    os.rename(os.path.join(tiny, "root.d", "10-tiny-os"), hook)
    with open(hook, "a", encoding="ascii") as file:
        file.write("sleep 1  # a real one takes minutes: it is worth a layer (HEARTH_LAYER_WORTH, 600 ms)\n")
    hook = os.path.join(tiny, "root.d", "20-boot")
    with open(hook, "w", encoding="ascii") as file:
        file.write("""#!/bin/bash
set -eu
mkdir -p "$TARGET_ROOT/boot"
for name in vmlinuz initrd.img; do
    echo "$name" > "$TARGET_ROOT/boot/$name-6.1.0"
done
printf '#!/bin/sh\\necho "packages: $*" >> /etc/packages\\n' > "$TARGET_ROOT/usr/local/bin/install-packages"
printf '#!/bin/sh\\n' > "$TARGET_ROOT/usr/local/bin/systemctl"
chmod 0755 "$TARGET_ROOT"/usr/local/bin/*
""")
    os.chmod(hook, 0o755)


KEY = base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + bytes(range(32))).decode()
INVENTORY = """{"nodes": [{"name": "web1", "pm_type": "redfish", "pm_addr": "https://192.0.2.201", "pm_user": "admin", "pm_password": "secret",
 "mac": ["52:54:00:00:00:01"], "profile": "web", "capabilities": "boot_mode:uefi"}]}
"""
WRONG = """{"nodes": [{"name": "n3", "pm_type": "redfish", "pm_addr": "http://198.51.100.3", "pm_user": "admin", "pm_password": "another",
 "mac": ["52:54:00:00:00:33"]}]}
"""
SITE = """network: {subnet: 192.0.2.0/24, seed: 192.0.2.1, pool: 192.0.2.100-192.0.2.199, interface: eth1}
deploy: {kernel: deploy.kernel, ramdisk: deploy.initramfs}
image: node.qcow2
bmc: {user: admin, password: secret}
machines:
  - {name: web1, mac: "52:54:00:00:00:01", firmware: uefi, profile: web, bmc: {type: redfish, address: "https://192.0.2.201"}}
  - {name: web3, mac: "52:54:00:00:00:03", firmware: uefi, profile: web, bmc: {type: redfish, address: "https://192.0.2.203"}}
"""
STACK = """heat_template_version: 2018-08-31
parameters:
  count: {type: number, default: 1}
  listen: {type: number, default: 8080}
resources:
  Web:
    type: OS::Heat::ResourceGroup
    properties: {count: {get_param: count}, resource_def: {type: OS::Nova::Server, properties: {name: server-%index%, flavor: web}}}
"""
SERVED = """heat_template_version: 2018-08-31
parameters:
  listen: {type: number, default: 8080}
resources:
  Server:
    type: OS::Heat::DeployedServer
    properties: {name: web1, software_config_transport: POLL_SERVER_CFN}
  Config:
    type: OS::Heat::StructuredConfig
    properties: {group: os-apply-config, config: {listen: {get_param: listen}}}
  Web:
    type: OS::Heat::StructuredDeployment
    properties: {name: Web, config: {get_resource: Config}, server: {get_resource: Server}, signal_transport: NO_SIGNAL}
"""
# What a page takes for granted, as words of the shell that types it.
SHELL = r"""
declare +x ROOT WORK STAND_INS DATABASE  # builds are not told of them
serve() {
    "$@" > serve.log 2>&1 &
    served=$!
    trap 'kill $served; wait $served' EXIT
    for ((i = 0; i < 150; ++i)); do
        ! grep -qE "$([[ "$*" == *--boot* ]] && echo ' ready: ' || echo '^api ')" serve.log || return 0
        kill -0 "$served" 2> /dev/null || break
        sleep 0.1
    done
    cat serve.log
    return 1
}
a_site() {
    serve hearth node serve --boot site.yaml --engine --poll-interval 1 --power-off-wait 1 "$@" &&
        hearth node import "${inventory:-site.yaml}" && hearth image load node.qcow2 &&
        hearth baremetal configure boot --deploy-kernel deploy.kernel --deploy-ramdisk deploy.initramfs
}
# becomes NODE STATE
becomes() {
    for ((i = 0; i < 300; ++i)); do
        ! hearth node list | grep -q "| $1 .*| $2 " || return 0
        sleep 0.2
    done
    hearth node events "$1"
    return 1
}
deployed() { a_site && hearth node deploy "$@" --image node --wait 60; }
a_database() {
    psql -q -c 'DROP DATABASE IF EXISTS hearth' -c 'CREATE DATABASE hearth TEMPLATE template0 ENCODING UTF8' "postgresql://hearth@${DATABASE%/*}/postgres"
}
a_stack() { hearth stack create "${1:-web}" -t served.yaml -e site-env.yaml --wait; }
"""


def furnish(folder, work):
    """The files of a site that its pages speak of."""
    files = {"site.yaml": SITE, "site-stack.yaml": STACK, "served.yaml": SERVED, "instackenv.json": INVENTORY, "n3.json": WRONG,
             "site-env.yaml": "parameters: {}\n", "deploy.kernel": "kernel\n", "deploy.initramfs": "ramdisk\n",
             "admin.pub": f"ssh-ed25519 {KEY} admin@example\n", "web.cfg": "#cloud-config\n{}\n"}
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)
    for name in ("node", "node-2"):
        os.link(f"{work}/node.qcow2", os.path.join(folder, f"{name}.qcow2"))
