#!/usr/bin/python3
"""Inventories beside the programs that they are written for: what `hearth node export --form …` writes is read by
Debian's ansible-inventory and by ironicclient's own create command, and what ansible-inventory --list prints is taken.

HEARTH_INVENTORIES=DIR: also every file there (examples of bifrost, Kayobe, Metal3, MAAS, Warewulf …), each told with
what becomes of it: machines, fields that are left out, or why it is refused.

inventories_peer.py HEARTH. Exit 0 good, 1 not, 77 skipped."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

NODES = {"nodes": [
    {"name": "w0", "pm_type": "redfish", "pm_addr": "https://192.0.2.5", "pm_user": "admin", "pm_password": "pass word: {x}",
     "pm_system_id": "/redfish/v1/Systems/1", "mac": ["52:54:00:00:00:01"], "arch": "x86_64", "cpu": 4, "memory": 1024, "disk": 10,
     "capabilities": "boot_mode:uefi"},
    {"name": "w1", "pm_type": "ipmi", "pm_addr": "192.0.2.6", "pm_user": "0123", "pm_password": "yes",
     "mac": ["52:54:00:00:00:02"]}]}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def exported(hearth, work, form):
    done = run(hearth, "node", "export", "--secrets", "--form", form, "--state", work + "/state")
    assert done.returncode == 0, done.stderr
    return done.stdout


def taken(hearth, path, work):
    """What an import would do, with nothing there before."""
    return run(hearth, "node", "import", "--dry-run", "--json", "--state", work + "/none", path)


def ansible(hearth, work):
    path = work + "/hosts.yml"
    with open(path, "w") as out:
        out.write(exported(hearth, work, "ansible"))
    listed = run("ansible-inventory", "-i", path, "--list")
    assert listed.returncode == 0, listed.stderr
    hosts = json.loads(listed.stdout)["_meta"]["hostvars"]
    assert hosts["w0"]["ironic_driver_info"] == {
        "redfish_address": "https://192.0.2.5", "redfish_username": "admin", "redfish_password": "pass word: {x}",
        "redfish_system_id": "/redfish/v1/Systems/1"}, hosts
    assert hosts["w1"]["ironic_driver_info"]["ipmi_password"] == "yes", hosts
    with open(work + "/list.json", "w") as out:
        out.write(listed.stdout)
    again = taken(hearth, work + "/list.json", work)
    assert again.returncode == 0 and len(json.loads(again.stdout)["created"]) == 2, again.stderr
    ini = work + "/hosts"
    with open(ini, "w") as out:
        out.write("[r1]\nw[0:1] ipmi_user=\"a b\" ipmi_address=192.0.2.9\nw1 ipmi_address='{{ other }}'\n[r1:vars]\nother=192.0.2.10\n"
                  "[baremetal-compute:children]\nr1\n[baremetal-compute:vars]\nrack=7\nother=192.0.2.11\n")
    theirs = json.loads(run("ansible-inventory", "-i", ini, "--list").stdout)["_meta"]["hostvars"]
    assert theirs["w1"]["other"] == "192.0.2.10" and theirs["w0"]["ipmi_user"] == "a b", theirs
    ours = taken(hearth, ini, work)
    assert ours.returncode == 0 and len(json.loads(ours.stdout)["created"]) == 2, ours.stderr
    print("ansible       ansible-inventory reads what we write; we read what it prints, and INI as it does")


def ironic(hearth, work):
    try:
        from ironicclient.v1 import create_resources
        import jsonschema
    except ImportError as missing:
        return print("SKIPPED: ironic's client: %s" % missing)
    path = work + "/nodes.json"
    with open(path, "w") as out:
        out.write(exported(hearth, work, "ironic"))
    resources = create_resources.load_from_file(path)
    jsonschema.validate(resources, create_resources._CREATE_SCHEMA)

    class Client:
        """Takes what would be sent."""
        made = []

        def __getattr__(self, kind):
            self.made.append(kind)
            return self

        def create(self, **what):
            self.made.append(what)
            return type("Made", (), {"uuid": what.get("uuid", "u")})()

    create_resources.create_resources(Client(), [path])
    sent = [each for each in Client.made if isinstance(each, dict)]
    assert [each["name"] for each in sent if "driver" in each] == ["w0", "w1"], sent
    assert [each["address"] for each in sent if "address" in each] == ["52:54:00:00:00:01", "52:54:00:00:00:02"], sent
    print("ironic        its client's create command makes nodes and ports of what we write")


def others(hearth, work):
    """All other forms come back to us as they went."""
    for form in ("instackenv", "bifrost", "metal3", "maas", "netbox", "tinkerbell"):
        path = work + "/export"
        with open(path, "w") as out:
            out.write(exported(hearth, work, form))
        again = taken(hearth, path, work)
        assert again.returncode == 0 and len(json.loads(again.stdout)["created"]) == 2, form + ": " + again.stderr
        print("%-13s written, known by what is in it, and read again" % form)


def examples(hearth, work):
    folder = os.environ.get("HEARTH_INVENTORIES", "")
    if not folder:
        return print("SKIPPED: HEARTH_INVENTORIES names no examples of other projects")
    read = 0
    for place, _, files in sorted(os.walk(folder)):
        for name in sorted(files):
            path = os.path.join(place, name)
            done = taken(hearth, path, work)
            if done.returncode == 0:
                result = json.loads(done.stdout)
                read += 1
                left = [w for w in result["warnings"] if w.startswith("left out")]
                print("%-50s %d machines; %s" % (os.path.relpath(path, folder), len(result["created"]), left[0] if left else "every field used"))
            else:
                assert done.returncode == 1 and done.stderr.strip(), "%s ends hearth by %d: %s" % (path, done.returncode, done.stderr)
                print("%-50s refused: %s" % (os.path.relpath(path, folder), done.stderr.strip().split("\n")[1:3]))
    assert read, folder + " holds no inventory that is taken"


def main():
    hearth = os.path.abspath(sys.argv[1])
    if shutil.which("ansible-inventory") is None:
        print("SKIPPED: ansible-inventory is not installed (ansible-core)")
        return 77
    with tempfile.TemporaryDirectory(prefix="hearth-inventories-") as work:
        with open(work + "/nodes", "w") as out:
            json.dump(NODES, out)
        made = run(hearth, "node", "import", "--initial-state", "enroll", "--state", work + "/state", work + "/nodes")
        assert made.returncode == 0, made.stderr
        for part in (ansible, ironic, others, examples):
            part(hearth, work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
