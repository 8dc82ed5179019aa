"""TripleO's deployed-server plan of branch pike for tests/bench/heat_compile.sh.

tripleo.py prepare TREE WORK HEARTH   environment, inventory, options of hearth and the rendered tree, into WORK
tripleo.py compare WORK HEARTH OPTION…  values beside Heat's; the last word is Heat's CPU seconds"""
import json
import os
import shutil
import subprocess
import sys
import time

ENVIRONMENTS = ["overcloud-resource-registry-puppet.yaml", "environments/deployed-server-environment.yaml",
                "environments/deployed-server-bootstrap-environment-centos.yaml", "environments/deployed-server-pacemaker-environment.yaml"]
ROLES = "deployed-server/deployed-server-roles-data.yaml"


def values(tree):
    """What the plan's templates want and have no default for."""
    import re
    import yaml
    wanted = {"AdminToken", "SwiftHashSuffix", "CephClusterFSID", "ControlPlaneDefaultRoute", "EC2MetadataIp", "KeystoneCredential0",
              "KeystoneCredential1", "KeystoneFernetKey0", "KeystoneFernetKey1"}
    for place, _, files in os.walk(tree):
        for name in files:
            if not name.endswith(".yaml") or "j2" in name:
                continue
            try:
                document = yaml.safe_load(open(os.path.join(place, name)))
                parameters = document["parameters"] if "heat_template_version" in document else {}
            except Exception:
                continue
            for parameter, schema in (parameters or {}).items():
                text = isinstance(schema, dict) and schema.get("type") == "string" and "default" not in schema
                if text and re.search("Password$|Secret$|Key$", parameter):
                    wanted.add(parameter)
    return {**{name: "value-of-" + name for name in sorted(wanted)}, "StackAction": "CREATE",
            "KeystoneFernetKeys": {"/etc/keystone/fernet-keys/0": {"content": "abc"}}}


def inventory():
    port = {"fixed_ips": [{"ip_address": "192.0.2.5", "subnet_id": "s"}], "subnets": [{"cidr": "192.0.2.0/24"}]}
    known = {"ControlVirtualIP": port, "RedisVirtualIP.VipPort": port}
    for role in ("ComputeDeployedServer", "ControllerDeployedServer"):
        node = "%s.0.%s." % (role, role)
        known.update({node + "ControlPlanePort": port, node + "HostsEntryDeployment": {"hostname": role.lower() + "-0"},
                      node + "deployed-server": {"os_collect_config": {"collectors": ["request"]}},
                      role + ".0.SshHostPubKey.SshHostPubKeyDeployment": {"ecdsa": "e", "ed25519": "d", "rsa": "r"},
                      role + ".0.UpdateDeployment": {"update_managed_packages": "x"}})
    for name in ("HeatAuthEncryptionKey", "HorizonSecret", "MysqlRootPassword", "PcsdPassword", "RabbitCookie"):
        known[name] = {"value": "secret-" + name}
    return {"attributes": known}


def prepare(tree, work, hearth):
    os.makedirs(work)
    with open(work + "/values.yaml", "w") as out:
        json.dump({"parameter_defaults": values(tree)}, out)
    with open(work + "/inventory.json", "w") as out:
        json.dump(inventory(), out)
    subprocess.run([hearth, "metadata", "render", tree, "-r", os.path.join(tree, ROLES), "-o", work + "/rendered"], check=True, stdout=subprocess.DEVNULL)
    shutil.copytree(tree, work + "/tree", symlinks=True)
    shutil.copytree(work + "/rendered", work + "/tree", dirs_exist_ok=True)
    options = ["-r", ROLES, "-t", "overcloud.j2.yaml", "--inventory", work + "/inventory.json"]
    for name in ENVIRONMENTS + [work + "/values.yaml"]:
        options += ["-e", name]
    with open(work + "/options", "w") as out:
        out.write("\n".join(options) + "\n")


def compare_values(work, hearth, options):
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import compare
    import oracle
    done = subprocess.run([hearth, "metadata", "resources", *options], capture_output=True, text=True, check=True)
    os.chdir(work + "/tree")
    oracle.set_up(2000, 10000000)
    began = time.process_time()
    theirs = oracle.resolve("overcloud.yaml", ENVIRONMENTS + [work + "/values.yaml"], {}, inventory())
    seconds = time.process_time() - began
    compare.SETS = True
    found = compare.differences(theirs, json.loads(done.stdout))
    count = sum(1 for _ in compare.resources(theirs))
    for line in found[:20]:
        print(line)
    print("%d resources, %d of their values different; Heat's CPU seconds: %.1f" % (count, len(found), seconds))


if __name__ == "__main__":
    if sys.argv[1] == "prepare":
        prepare(os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]), sys.argv[4])
    else:
        compare_values(sys.argv[2], sys.argv[3], sys.argv[4:])
