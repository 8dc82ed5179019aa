#!/usr/bin/python3
"""What machines get from the conductor's boot servers, state by state. usage: boot_peer.py HEARTH

Runs in a network namespace of its own, asks with curl as iPXE would.
"""

import base64
import contextlib
import json
import os
import pwd
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

from conductor import Conductor, need, same, site
from discover import discover

MAC = "52:54:00:00:00:01"


def curl(path, *words, scheme="http"):
    done = subprocess.run(["curl", "-s", "--noproxy", "*", "--max-time", "10", *words, f"{scheme}://192.0.2.1{path}"], capture_output=True,
                          check=False)
    return done.stdout.decode(errors="replace")


class Overhearing:
    """All that goes over the machines' network meanwhile, as a neighbour may have it."""

    def __enter__(self):
        self.card = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0003))
        self.card.settimeout(0.5)
        return self

    def heard(self):
        heard = b""
        try:
            while True:
                heard += self.card.recv(65536)
        except TimeoutError:
            return heard

    def __exit__(self, *_):
        self.card.close()


def looks_up(c, node, scheme, *words):
    """The machine's agent; its token is in what is overheard, or not."""
    with Overhearing() as neighbour:
        found = json.loads(curl(f":6385/v1/lookup?addresses={MAC}", *words, scheme=scheme))
        heard = neighbour.heard()
    token = found["config"]["agent_token"]
    assert len(token) >= 32 and found["node"]["uuid"] == node and heard, found
    same("where progress goes", f"{scheme}://192.0.2.1:6385/v1/hearth/progress", found["config"]["hearth"]["progress_url"])
    assert c.node("m1")["provision_state"] == "wait call-back"
    return token.encode() in heard


def second_seed(hearth, directory):
    """Another seed on the same network says so, and does not start."""
    state = os.path.join(directory, "second")
    os.mkdir(state)
    path = os.path.join(state, "site.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"interfaces": ["machine0"], "state_dir": state, "http_port": 8080, "networks": [
            {"subnet": "192.0.2.0/24", "server": "192.0.2.2", "pools": ["192.0.2.200-192.0.2.220"]}]}, file)
    done = subprocess.run([hearth, "node", "serve", "--state", state, "--port", "6386", "--agents", "192.0.2.2", "--boot", path],
                          capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "192.0.2.1" in done.stderr, f"exit {done.returncode}: {done.stderr}"


def no_rights_are_left(pid):
    """In no thread, now that the ports are open."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status", encoding="ascii") as file:
            status = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
        for name in ("CapEff", "CapPrm", "CapAmb"):
            same(f"{name} of thread {thread} ({status['Name']})", 0, int(status[name], 16))
        same(f"thread {thread} gets no new ones", "1", status["NoNewPrivs"])


def users_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(line.split()[1:] for line in file if line.startswith("Uid:"))


def another_user_serves(hearth, directory):
    """It goes on with the same state, and answers machines as before."""
    with Conductor(hearth, "--boot", site(directory), "--boot-force", "--user", "nobody", "--plain-agents", "--port", "6385", directory=directory) as c:
        same("the node is there still", "available", c.node("m1")["provision_state"])
        same("who serves", [str(pwd.getpwnam("nobody").pw_uid)] * 4, users_of(c.process.pid))
        no_rights_are_left(c.process.pid)
        for verb, state in (("manage", "manageable"), ("inspect", "inspect wait")):
            c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": verb})
            c.wait("m1", state)
        assert "ipa-inspection-callback-url=http://192.0.2.1:6385/v1/continue_inspection" in curl(f"/ipxe/{MAC}")
        c.ask("PATCH", "/v1/nodes/m1", [{"op": "add", "path": "/instance_info", "value": {
            "image_source": "http://192.0.2.1/i.raw", "image_checksum": "0" * 32}}])
        for verb, state in (("abort", "inspect failed"), ("manage", "manageable"), ("provide", "available"), ("active", "wait call-back")):
            c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": verb})
            c.wait("m1", state) if verb != "abort" else c.until(lambda: c.node("m1")["provision_state"], state)
        script = curl(f"/ipxe/{MAC}")
        assert "ipa-api-url=http://192.0.2.1:6385" in script and "ipa-insecure" not in script, script
        same("in clear, as it was asked for, the token is overheard", True, looks_up(c, c.node("m1")["uuid"], "http"))


def agent_is_pinned(hearth, pin):
    """Our own ramdisk's agent, by its own library for TLS. It may ask, and no more: this machine's disks are its disks."""
    agent = os.path.join(os.path.dirname(hearth), "../agent/hearth-agent")
    for words, told in (([f"hearth-api-pin={'ab' * 32}", "ipa-insecure=1"], "has another key than the pinned one"), ([], "does not hold"),
                        ([f"hearth-api-pin={pin.upper()}"], "the conductor answers 404")):
        done = subprocess.run([agent, "deploy", "ipa-api-url=https://192.0.2.1:6385", "ipa-lookup-timeout=1", *words], capture_output=True,
                              text=True, timeout=60, check=False)
        assert done.returncode != 0 and told in done.stdout, f"{words}: {done}"


def approved(c):
    """A machine that is no node asks for its boot, and becomes one when a person says so."""
    stranger = "52:54:00:00:00:77"
    discover("machine0", stranger)
    c.until(lambda: stranger in c.run("node", "list", "--waiting"), True)
    assert stranger not in c.run("node", "list", "--json")
    c.run("node", "approve", stranger, "--name", "m77")
    same("the approved one", ("enroll", [stranger]), (c.node("m77")["provision_state"], [
        port["address"] for port in c.ask("GET", "/v1/nodes/m77/ports")[1]["ports"]]))
    assert stranger not in c.run("node", "list", "--waiting")


def pinned(script, directory):
    """What the boot tells of the conductor's key, as curl takes it; and that the key stays its own."""
    pin = re.search(r"ipa-api-url=https://192.0.2.1:6385 hearth-api-pin=([0-9a-f]{64}) ipa-insecure=1\b", script)
    assert pin, script
    same("the key's mode", 0o600, os.stat(f"{directory}/server.key").st_mode & 0o777)
    key = base64.b64encode(bytes.fromhex(pin.group(1))).decode()
    return ["--pinnedpubkey", f"sha256//{key}", "--cacert", f"{directory}/server.pem"], pin.group(1)


def inside(hearth):
    for words in ("link set lo up", "link add seed0 type veth peer name machine0", "addr add 192.0.2.1/24 dev seed0",
                  f"link set machine0 address {MAC}", "link set seed0 up", "link set machine0 up", "addr add 192.0.2.2/32 dev machine0"):
        subprocess.run(["ip", *words.split()], check=True)
    directory = subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip()
    for name in ("kernel", "ramdisk"):
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(f"the {name}\n")
    with Conductor(hearth, "--boot", site(directory), "--boot-force", "--port", "6385", directory=directory) as c:
        node = c.ask("POST", "/v1/nodes", {"driver": "manual-management", "name": "m1", "driver_info": {
            "deploy_kernel": f"{directory}/kernel", "deploy_ramdisk": f"{directory}/ramdisk"}, "instance_info": {
                "image_source": "http://192.0.2.1/i.raw", "image_checksum": "0" * 32}})[1]
        c.ask("POST", "/v1/ports", {"address": MAC, "node_uuid": node["uuid"]})
        for verb, state in (("manage", "manageable"), ("provide", "available")):
            c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": verb})
            c.wait("m1", state)
        second_seed(hearth, directory)
        approved(c)
        local = curl(f"/ipxe/{MAC}")
        assert "kernel " not in local, f"an available machine is to boot from its disk: {local}"
        c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": "active"})
        c.wait("m1", "wait call-back")
        script = curl(f"/ipxe/{MAC}")
        words, pin = pinned(script, directory)
        same("the kernel", "the kernel\n", curl(f"/image/node/{node['uuid']}/kernel"))
        same("the token is overheard", False, looks_up(c, node["uuid"], "https", *words))
        same("machines reach nothing else", "Not Found", fault(curl(":6385/v1/nodes", *words, scheme="https")))
        same("nothing is answered in clear", "TLS is spoken here: https:// in place of http://?\n", curl(f":6385/v1/lookup?addresses={MAC}"))
        blind = curl(":6385/v1", "--insecure", scheme="https")  # as ironic-python-agent does with ipa-insecure
        assert "v1" in blind, blind
        c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": "abort"})
        c.until(lambda: c.node("m1")["provision_state"], "deploy failed")
        same("and no longer", local, curl(f"/ipxe/{MAC}"))
        no_rights_are_left(c.process.pid)
        user = users_of(c.process.pid)
        assert len(set(user)) == 1 and user[0] not in ("0", str(pwd.getpwnam("nobody").pw_uid)), f"it serves as {user}"
        same("whose the state is", {int(user[0])}, {os.lstat(os.path.join(at, name)).st_uid for at, _, names in os.walk(directory)
                                                    for name in names if not at.endswith("/second")})
        agent_is_pinned(hearth, pin)  # its node waits for no agent
        c.ask("PUT", "/v1/nodes/m1/states/provision", {"target": "deleted"})
        c.wait("m1", "available")
        c.stop()
        shutil.copytree(directory, directory + ".2")
    another_user_serves(hearth, directory + ".2")
    links_lead_root_nowhere(hearth)
    commands_of_root(hearth)
    the_key_stays(hearth)
    a_full_disk_is_named(hearth)
    images_by_url(hearth)
    shutil.rmtree(directory, ignore_errors=True)
    print("ok")


def links_lead_root_nowhere(hearth):
    """What the user who serves could have left in its directory for root, who opens it at the next start."""
    directory = subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip()
    roots = directory + ".root"
    os.mkdir(roots)
    options = ["--boot", site(directory), "--boot-force", "--port", "6385"]
    with Conductor(hearth, *options, directory=directory) as c:
        c.stop()
    os.makedirs(directory)
    names = ("events.jsonl", "leases", "state.db", "server.key", "server.pem", "api-token", "endpoint", "lock")
    for name, there in [(name, False) for name in names] + [(name, True) for name in names]:
        site(directory)
        if there:  # an empty file, which only root may read
            with open(os.path.join(roots, name), "x", opener=lambda path, flags: os.open(path, flags, 0o600)):
                pass
        os.symlink(os.path.join(roots, name), os.path.join(directory, name))
        process = subprocess.Popen([hearth, "node", "serve", "--state", directory, *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(30):  # it may refuse to start
            if process.poll() is not None or os.path.exists(os.path.join(directory, "api.socket")):
                break
            time.sleep(0.1)
        process.kill()
        process.wait()
        same(f"what root made by the link {name}", [name] if there else [], os.listdir(roots))
        if there:
            same(f"what root wrote by the link {name}", 0, os.path.getsize(os.path.join(roots, name)))
            os.remove(os.path.join(roots, name))
        shutil.rmtree(directory)
        os.makedirs(directory)
    with open(os.path.join(roots, "file"), "w", encoding="utf-8"):
        os.symlink(os.path.join(roots, "file"), os.path.join(directory, "state.db"))
    os.chown(os.path.join(directory, "state.db"), 4711, 4711, follow_symlinks=False)
    listed = subprocess.run([hearth, "node", "list", "--state", directory], capture_output=True, text=True, timeout=20, check=False)
    same("a link beside node list", (1, 0), (listed.returncode, os.path.getsize(os.path.join(roots, "file"))))
    assert "is a link that belongs to user 4711" in listed.stderr, listed.stderr
    os.remove(os.path.join(directory, "state.db"))
    many = subprocess.run([hearth, "node", "serve", "--state", directory, "--keep-events", str(2**64 - 1)], capture_output=True, text=True,
                          timeout=20, check=False)
    assert many.returncode == 2 and "is not a whole number from 0 to 1000000000" in many.stderr, many
    shutil.rmtree(roots)
    shutil.rmtree(directory)


FAKE_TOOL = """#!/bin/sh
{ id -u; grep CapEff /proc/self/status; ls -d "$STATE"/* ; } >> %s
echo "Chassis Power is on"
"""


def commands_of_root(hearth):
    """Where nobody serves, it is not root who opens the state, and asks BMCs."""
    place = tempfile.mkdtemp(prefix="hearth-root-", dir="/tmp")
    os.chmod(place, 0o755)
    directory, who = os.path.join(place, "node"), os.path.join(place, "who")
    with open(os.path.join(place, "ipmitool"), "w", encoding="ascii") as file:
        file.write(FAKE_TOOL % who)
    os.chmod(file.name, 0o755)
    with open(who, "w", encoding="ascii"):
        os.chmod(who, 0o666)
    inventory = os.path.join(place, "nodes.json")
    with open(inventory, "x", opener=lambda path, flags: os.open(path, flags, 0o600), encoding="ascii") as file:  # root's alone
        json.dump({"nodes": [{"name": "m1", "mac": [MAC], "pm_type": "ipmi", "pm_addr": "192.0.2.9", "pm_user": "a", "pm_password": "b"}]}, file)
    environment = os.environ | {"PATH": f"{place}:{os.environ['PATH']}", "STATE": directory}

    def command(*words, code=0, at=directory):
        done = subprocess.run([hearth, *words, "--state", at], capture_output=True, text=True, timeout=60, check=False, env=environment)
        same(f"{words}: {done.stderr}", code, done.returncode)
        return done.stdout + done.stderr

    def owners():
        return {os.lstat(os.path.join(at, name)).st_uid for at, folders, names in os.walk(directory) for name in [*folders, *names, "."]}

    command("node", "import", inventory)
    user = os.lstat(directory).st_uid
    assert user != 0, "root keeps a state that it made"
    command("node", "power", "on", "m1")
    same("whose the files are", {user}, owners())
    with open(who, encoding="ascii") as file:
        lines = file.read().split()
    same("who asks BMCs", {str(user)}, {word for word in lines if word.isdigit() and len(word) < 16})
    same("with what rights", {"0" * 16}, set(re.findall(r"CapEff:\s+(\S+)", " ".join(lines))))
    assert "m1" in command("node", "list") and "There are: m1" in command("node", "show", "nope", code=1)
    command("node", "import", "--dry-run", inventory, at=directory + ".played")
    same("whose the files are after more", {user}, owners())
    # What its user left for root: a link, in the database's place and where root puts images.
    roots = os.path.join(place, "roots")
    os.mkdir(roots, 0o700)
    image = os.path.join(place, "image.raw")
    for name in (image, os.path.join(place, "kernel"), os.path.join(place, "ramdisk"), os.path.join(roots, "state.db")):
        with open(name, "w", encoding="ascii") as file:
            file.write(name)
    load = ("image", "load", image, "--kernel", f"{place}/kernel", "--ramdisk", f"{place}/ramdisk")
    command(*load)
    same("whose the images are", {user}, owners())
    shutil.rmtree(os.path.join(directory, "files"))
    os.symlink(roots, os.path.join(directory, "files"))
    assert "files" in command(*load, code=1)
    os.remove(os.path.join(directory, "state.db"))
    os.symlink(os.path.join(roots, "state.db"), os.path.join(directory, "state.db"))
    command("node", "list", code=1)
    same("what root wrote by links", (["state.db"], os.path.join(roots, "state.db")),
         (os.listdir(roots), open(os.path.join(roots, "state.db"), encoding="ascii").read()))
    deploy_of_root(hearth, place)
    closed_to_the_user(hearth, place)
    shutil.rmtree(place)


def deploy_of_root(hearth, place):
    """Its services have no more rights than those of node serve, and it reaches them at ports that they choose."""
    with open(os.path.join(place, "t.yaml"), "w", encoding="ascii") as file:
        file.write("heat_template_version: wallaby\nresources: {v: {type: OS::Heat::Value, properties: {value: 1}}}\n")
    ports = [word for name in ("port", "cfn-port", "heat-port", "identity-port", "objects-port") for word in (f"--{name}", "0")]
    state = os.path.join(place, "deploy")
    process = subprocess.Popen([hearth, "deploy", "-t", file.name, "--state", state, "--stay", *ports], stdout=subprocess.PIPE, text=True)
    try:
        for line in process.stdout:
            if line.startswith("Serving the machines"):
                break
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            service = file.read().split()
        same("how many serve", 1, len(service))
        no_rights_are_left(service[0])
        user = os.lstat(state).st_uid
        same("who serves", [str(user)] * 4, users_of(service[0]))
        assert user != 0, "root keeps what deploy made"
        with open(os.path.join(state, "metadata", "endpoint"), encoding="ascii") as file:
            assert re.search(r":[1-9]\d*/", file.read()), "the endpoint file has no port"
    finally:
        process.terminate()
        process.wait(timeout=20)
    for _ in range(100):  # with its command, its services end
        if not os.path.exists(f"/proc/{service[0]}"):
            return
        time.sleep(0.1)
    raise AssertionError("the services outlive hearth deploy")


def closed_to_the_user(hearth, place):
    """Root stays where another user could not come to the state; root's own state stays root's."""
    closed = os.path.join(place, "closed")
    os.mkdir(closed, 0o700)
    for directory, options, why in ((os.path.join(closed, "node"), [], f"{closed} is closed to"), (os.path.join(place, "node2"), ["--user", "root"], "--user")):
        with Conductor(hearth, *options, directory=directory_made(directory)) as c:
            c.ask("POST", "/v1/nodes", {"driver": "fake-hardware", "name": "m1"})  # answered once it has no rights
            same("who serves", "0", users_of(c.process.pid)[0])
            no_rights_are_left(c.process.pid)
            c.stop()
            same("how it ended", 0, c.process.returncode)
            with open(os.path.join(directory, "serve.log"), encoding="ascii") as log:
                assert why in log.read(), directory
            assert "m1" in c.run("node", "list")
            same("whose it is", 0, os.lstat(os.path.join(directory, "state.db")).st_uid)


def directory_made(path):
    os.mkdir(path)
    return path


def the_key_stays(hearth):
    """A second one that is started beside it seals nothing anew, the one that serves does; and a key file that is removed comes back."""
    with Conductor(hearth) as c:
        database, key = os.path.join(c.directory, "state.db"), os.path.join(c.directory, "seal-key")

        def sealed():
            with contextlib.closing(sqlite3.connect(database)) as rows:
                return rows.execute("SELECT value FROM settings WHERE name = 'sealed'").fetchone()[0]
        former = sealed()
        c.process.send_signal(signal.SIGSTOP)  # what is sealed now is not its doing
        subprocess.run([hearth, "metadata", "seal", "rotate", "--state", c.directory], stdout=subprocess.DEVNULL, check=True)
        second = subprocess.run([hearth, "node", "serve", "--state", c.directory, "--port", "0"], capture_output=True, text=True, timeout=20, check=False)
        same("a second one beside it", (1, True), (second.returncode, "another process works on" in second.stderr))
        same("the key that seals beside the second one", former, sealed())
        c.process.send_signal(signal.SIGCONT)
        c.until(lambda: sealed() != former, True)
        os.remove(key)
        c.until(lambda: os.path.exists(key), True)  # the file that was removed
        c.stop()
        c.start()
        same("the nodes are read with it", 200, c.ask("GET", "/v1/nodes")[0])


def a_full_disk_is_named(hearth):
    """At the start, before anything is kept, and where there is a state already."""
    place = tempfile.mkdtemp(prefix="hearth-full-")
    serve = [hearth, "node", "serve", "--state", place, "--port", "0", "--user", "root"]
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", place], check=True)
    try:
        for before in ("nothing is there", "a state is there"):
            with open(os.path.join(place, "fill"), "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(4096))
                except OSError:
                    pass
            done = subprocess.run(serve, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30, check=False)
            same(f"{before}: {done.stdout}", (1, True), (done.returncode, f"The disk is full: there is no room for {place}/state.db" in done.stdout))
            os.unlink(os.path.join(place, "fill"))
            if before == "nothing is there":
                subprocess.run([hearth, "node", "list", "--state", place], stdout=subprocess.DEVNULL, timeout=30, check=True)
    finally:
        subprocess.run(["umount", place], check=True)
        os.rmdir(place)


def fault(text):
    return json.loads(json.loads(text)["error_message"])["faultstring"]


def images_by_url(hearth):
    """Commands to a conductor at a URL touch no folder of this machine that has the seed's path, unless it is named."""
    subprocess.run(["mount", "-t", "tmpfs", "none", "/var/lib"], check=True)
    directory = "/var/lib/hearth/node"
    os.makedirs(directory)
    files = {name: os.path.join("/var/lib", name) for name in ("disk.raw", "kernel", "ramdisk")}
    for path in files.values():
        with open(path, "w", encoding="ascii") as file:
            file.write(path)
    load = ("image", "load", files["disk.raw"], "--kernel", files["kernel"], "--ramdisk", files["ramdisk"])
    with Conductor(hearth, directory=directory) as c:
        def told(*words, code=0):
            done = subprocess.run([hearth, *words, "--url", c.url, "--token-file", f"{directory}/api-token"], capture_output=True, text=True,
                                  timeout=60, check=False)
            same(f"exit code of {words}: {done.stdout} {done.stderr}", code, done.returncode)
            return done.stdout + done.stderr

        refused = told(*load, code=2)
        assert "may be another machine's" in refused and "--state DIR" in refused, refused
        assert not os.path.exists(f"{directory}/files/images/disk.raw"), "what was refused was copied"
        told(*load, "--state", directory)
        kept = sorted(os.listdir(f"{directory}/files/images"))
        frames = kept[0]
        assert frames.startswith("disk.") and frames.endswith(".frames"), kept
        same("what is loaded", [frames, "disk.kernel", "disk.ramdisk", "disk.raw"], kept)
        said = told("image", "unload", "disk")
        assert "0 files removed (they lie with the seed" in said, said
        same("what stays", kept, sorted(os.listdir(f"{directory}/files/images")))
        told(*load, "--state", directory)

        # Machines that are getting the image of before go on with its frames.
        images = f"{directory}/files/images"
        with open(f"{images}/disk.frames", "w", encoding="ascii") as older:  # as Hearth called them before
            older.write("of before")
        first = os.stat(f"{images}/{frames}").st_ino
        told(*load, "--state", directory)
        same("frames of the same image", first, os.stat(f"{images}/{frames}").st_ino)
        generations = [frames]
        for _ in range(2):
            with open(files["disk.raw"], "r+b") as disk:
                disk.write(os.urandom(8))
            told(*load, "--state", directory)
            others = [name for name in os.listdir(images) if name.endswith(".frames") and name not in ("disk.frames", *generations)]
            same("new frames", 1, len(others))
            assert os.path.exists(f"{images}/{generations[-1]}"), "those of before are gone"
            generations += others
        assert not os.path.exists(f"{images}/{generations[0]}"), "those of long ago are kept"
        assert "5 files removed" in told("image", "unload", "disk", "--state", directory)
        same("what is left", ["disk.frames"], os.listdir(images))


def main():
    if len(sys.argv) == 3:
        inside(sys.argv[1])
        return
    need(os.geteuid() == 0, "needs root, for a network namespace and packet sockets")
    need(shutil.which("curl") and shutil.which("ip"), "needs curl and ip")
    done = subprocess.run(["unshare", "-n", "-m", sys.executable, os.path.abspath(__file__), sys.argv[1], "inside"], check=False)
    sys.exit(done.returncode)


main()
