"""The live engine before programs that we did not write: the field's openstack client drives it, upstream's os-collect-config
polls it over each transport (beside ours), and kill -9 in the middle of a stack loses nothing.

usage: live_peer.py HEARTH LINKS    (LINKS: a directory with our agent's programs under their own names)
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from live_peer_parts import HERE, collected, servers
from service import NAMES, Service
from own_network import enter

HEARTH, LINKS = sys.argv[1:3]


def run_pending(service, stack, done, code=0):
    """Plays the agents with our heat-config-notify for all entries not seen before; how many there were."""
    count = 0
    for _, metadata in servers(service, stack):
        for entry in metadata["deployments"]:
            if entry["id"] in done:
                continue
            done.add(entry["id"])
            count += 1
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(entry, file)
                file.flush()
                greeting = [i["value"] for i in entry["inputs"] if i["name"] == "greeting"][0]
                body = {"deploy_stdout": "out", "deploy_stderr": "err", "deploy_status_code": code, "result": greeting + "!"}
                subprocess.run([LINKS + "/heat-config-notify", file.name], input=json.dumps(body), text=True, check=True,
                               timeout=60, capture_output=True)
    return count


def check_transport(service, transport, signal_transport, work):
    stack = "s-" + transport.lower().replace("_", "-")
    service.openstack("stack", "create", "-t", HERE + "/top.yaml", "-e", HERE + "/env.yaml", "--parameter", "transport=" + transport,
                      "--parameter", "signal=" + signal_transport, stack)
    for _, metadata in servers(service, stack):
        section = metadata["os-collect-config"]
        theirs = collected("/usr/bin/os-collect-config", section, work + "/theirs")
        ours = collected(LINKS + "/os-collect-config", section, work + "/ours")
        assert theirs == ours == metadata, f"{transport}: {theirs} {ours} {metadata}"
    done = set()
    assert run_pending(service, stack, done) == 2
    service.kill()  # in the middle: First is done, Second waits
    service.start()
    assert run_pending(service, stack, done) == 2
    assert run_pending(service, stack, done) == 0
    shown = json.loads(service.openstack("stack", "show", "-f", "json", stack))
    assert shown["stack_status"] == "CREATE_COMPLETE", shown
    output = json.loads(service.openstack("stack", "output", "show", "-f", "json", stack, "results"))
    assert "hello!!" in str(output["output_value"]), output
    return stack, done


def check_update(service, stack, done):
    service.openstack("stack", "update", "--existing", "--parameter", "count=3", stack)
    assert run_pending(service, stack, done) == 1, "only the new member has something to do"
    assert run_pending(service, stack, done) == 1
    service.openstack("stack", "update", "--existing", "--parameter", "count=1", stack)
    assert len(servers(service, stack)) == 1
    events = service.openstack("stack", "event", "list", "--nested-depth", "5", stack)
    for line in (f"[{stack}.Compute.0.First]: CREATE_COMPLETE  state changed", f"[{stack}.Compute.2]: DELETE_COMPLETE  state changed",
                 f"[{stack}]: UPDATE_COMPLETE  Stack UPDATE completed successfully"):
        assert line in events, f"no {line!r} in\n{events}"
    ours = service.hearth("event", "list", stack)
    assert f"[{stack}.Compute.0.First]: CREATE_COMPLETE  state changed" in ours, ours


def check_failure(service, work):
    service.hearth("create", "bad", "-t", HERE + "/top.yaml", "-e", HERE + "/env.yaml", "-P", "transport=POLL_SERVER_CFN",
                   "-P", "signal=CFN_SIGNAL")
    run_pending(service, "bad", set(), code=3)
    theirs = service.openstack("stack", "failures", "list", "bad")
    assert "deploy_status_code : Deployment exited with non-zero status code: 3" in theirs, theirs
    ours = service.hearth("failures", "list", "bad")
    assert "bad.Compute.0.First:" in ours and "    out\n" in ours, ours


def status(url, method="GET", body=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method, data=body), timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def check_hostile(service):
    """Nothing that comes without right or sense changes anything."""
    service.hearth("create", "h", "-t", HERE + "/top.yaml", "-e", HERE + "/env.yaml", "-P", "transport=POLL_TEMP_URL", "-P",
                   "signal=CFN_SIGNAL", "-P", "count=2")
    before = [metadata for _, metadata in servers(service, "h")]
    urls = [[i["value"] for i in m["deployments"][0]["inputs"] if i["name"] == "deploy_signal_id"][0] for m in before]
    place = [m["os-collect-config"]["request"]["metadata_url"] for m in before]
    first_path, first_query = urls[0].split("?")
    assert status(first_path + "?" + urls[1].split("?")[1], "POST", b"{}") == 403, "a signal with another server's signature"
    assert status(urls[0].replace("Signature=", "Signature=A"), "POST", b"{}") == 403, "a forged signature"
    assert status(urls[0], "POST", b"{") == 400 and status(urls[0], "POST", b"[]") == 400, "no JSON object"
    assert status(urls[0], "POST", b"x" * 5_000_000) == 413, "too much"
    assert status(first_path, "POST", b"{}") == 400, "no signature"
    assert status(place[0].split("?")[0] + "?" + place[1].split("?")[1]) == 401, "another server's TempURL"
    assert status(place[0], "PUT", b"{}") == 401 and status(place[0], "DELETE") == 401, "another method"
    assert status(place[0].replace("/v1/AUTH_admin/", "/v1/AUTH_admin/../")) == 401, "a path trick"
    assert [metadata for _, metadata in servers(service, "h")] == before, "the state was harmed"
    assert first_query and status(urls[0], "POST", b'{"deploy_status_code": 0, "result": "x"}') == 200
    assert status(urls[0], "POST", b'{"deploy_status_code": 1}') == 200, "a replay is taken"
    assert "h.Compute.0.First" not in service.hearth("failures", "list", "h"), "but it changes nothing"


def check_agent_config(service):
    env = dict(os.environ, OVERCLOUD_ROLES="Compute", Compute_hosts="127.0.0.1 192.0.2.2")
    run = subprocess.run([HEARTH, "stack", "agent-config", "--stack", "h", "--url", service.url("heat") + "/v1/admin", "--state",
                          service.directory], env=env, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    urls = [m["os-collect-config"]["request"]["metadata_url"] for _, m in servers(service, "h")]
    assert all("metadata_url=" + url in run.stdout for url in urls), run.stdout
    # Now it is known which machine is where: this one asks as a machine does.
    with urllib.request.urlopen(service.url("ec2") + "/latest/meta-data/local-ipv4", timeout=30) as answer:
        assert answer.read() == b"127.0.0.1"
    with urllib.request.urlopen(service.url("ec2") + "/openstack/latest/meta_data.json", timeout=30) as answer:
        uuid = json.load(answer)["uuid"]
    assert uuid in [row["physical_resource_id"] for row in service.get("/stacks/h/resources?nested_depth=5")["resources"]]


def check_compiled(work):
    """What was compiled is served as it is, to upstream's agent; what it signals is written down."""
    service = Service(HEARTH, work + "/compiled-state", "--compiled", work + "/compiled", names=("cfn", "objects"))
    parameters = [f"--parameter={name}" for name in ("transport=POLL_SERVER_CFN", "signal=CFN_SIGNAL", "count=1")]
    subprocess.run([HEARTH, "metadata", "compile", "-t", HERE + "/top.yaml", "-e", HERE + "/env.yaml", *parameters, "-o",
                    work + "/compiled", "--cfn-url", service.url("cfn"), "--object-url", service.url("objects")], check=True, timeout=60)
    with open(work + "/compiled/servers/Compute.0.deployed-server/metadata.json", encoding="utf-8") as file:
        document = json.load(file)
    service.start()
    try:
        section = document["os-collect-config"]
        assert collected("/usr/bin/os-collect-config", section, work + "/theirs") == document
        url = [i["value"] for i in document["deployments"][0]["inputs"] if i["name"] == "deploy_signal_id"][0]
        assert status(url, "POST", b'{"deploy_status_code": 0}') == 200 and status(url + "x", "POST", b"{}") == 401
        with open(work + "/compiled-state/signals.jsonl", encoding="utf-8") as file:
            assert json.loads(file.read())["server"] == "Compute.0.deployed-server"
    finally:
        service.kill()


def main():
    enter()
    for program in ("openstack", "os-collect-config"):
        if not shutil.which(program):
            print(f"SKIPPED: {program} is not installed")
            return 77
    with tempfile.TemporaryDirectory(prefix="live-peer-") as work:
        service = Service(HEARTH, work + "/state", names=(*NAMES, "ec2"))
        service.start()
        try:
            for transport, how in (("POLL_SERVER_CFN", "CFN_SIGNAL"), ("POLL_TEMP_URL", "TEMP_URL_SIGNAL"), ("POLL_SERVER_HEAT", "HEAT_SIGNAL")):
                stack, done = check_transport(service, transport, how, work)
                print("ok", transport, how, flush=True)
                if transport == "POLL_SERVER_CFN":
                    check_update(service, stack, done)
                    print("ok update, scale up and down", flush=True)
            check_failure(service, work)
            print("ok failure", flush=True)
            check_hostile(service)
            print("ok hostile input", flush=True)
            check_agent_config(service)
            print("ok agent-config", flush=True)
            check_compiled(work)
            print("ok compiled", flush=True)
            service.openstack("stack", "delete", "-y", "--wait", "bad")
            assert "bad" not in service.openstack("stack", "list", "-f", "value", "-c", "Stack Name").split()
        finally:
            service.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
