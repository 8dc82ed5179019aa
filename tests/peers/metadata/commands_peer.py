"""Every stack, software and orchestration command of the field's openstack client, against our orchestration API. They run
in one process of the client, for each start of it takes a second or two.

usage: commands_peer.py HEARTH
"""
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile

from service import Service
from own_network import enter

HEARTH = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
TEMPLATE = HERE + "/commands.yaml"


def client_of_this_interpreter():
    """The client's own interpreter has to run us: it is the one that finds the client's modules."""
    program = shutil.which("openstack")
    if not program:
        print("SKIPPED: openstack is not installed")
        sys.exit(77)
    with open(program, encoding="utf-8") as file:
        interpreter = file.readline()[2:].split()[0]
    if os.path.realpath(interpreter) != os.path.realpath(sys.executable):
        os.execv(interpreter, [interpreter, *sys.argv])
    import openstackclient.shell  # pylint: disable=import-outside-toplevel,import-error
    return openstackclient.shell


SHELL = client_of_this_interpreter()


def run(command, fails=False):
    """What the client prints; JSON where it was asked for."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = SHELL.OpenStackShell().run(command)
    assert (code != 0) == fails, f"openstack {command}: {code}\n{out.getvalue()}\n{err.getvalue()}"
    text = out.getvalue()
    return json.loads(text) if "json" in command and not fails else text + err.getvalue()


def openstack(line, *more, fails=False):
    return run([*line.split(), *more], fails)


def shown(line, *more):
    return openstack(line, *more, "-f", "json")


def check_language():
    shown("orchestration build info")
    shown("orchestration service list")
    versions = [row["Version"] for row in shown("orchestration template version list")]
    assert "heat_template_version.2018-08-31" in versions and len(versions) == 13, versions
    functions = [row["Functions"] for row in shown("orchestration template function list --with_conditions heat_template_version.rocky")]
    assert {"get_attr", "yaql", "equals"} <= set(functions), functions
    openstack("orchestration template function list heat_template_version.1999-01-01", fails=True)
    types = [row["Resource Type"] for row in shown("orchestration resource type list")]
    assert "OS::Heat::SoftwareDeployment" in types
    assert shown("orchestration resource type list --filter name=RandomString --long")[0]["Description"]
    assert shown("orchestration resource type show OS::Heat::RandomString")["properties"]["length"]["type"] == "integer"
    assert shown("orchestration resource type show --long OS::Heat::Value")["description"]
    template = shown("orchestration resource type show --template-type hot OS::Heat::RandomString")
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(template, file)
        file.flush()
        openstack("orchestration template validate -t", file.name)
    openstack("orchestration resource type show No::Such", fails=True)
    valid = shown("orchestration template validate --show-nested -t", TEMPLATE)
    assert valid["Parameters"]["word"]["MaxLength"] == 20 and valid["ParameterGroups"][0]["label"] == "all", valid
    assert "resources.bad" in openstack("orchestration template validate -t", HERE + "/bad.yaml", fails=True)


def check_creation():
    preview = shown("stack create --dry-run -t", TEMPLATE, "c")
    assert "random" in json.dumps(preview["resources"]), preview
    openstack("stack show c", fails=True)
    openstack("stack create --tags a,b --timeout 10 -t", TEMPLATE, "c")
    assert "already exists" in openstack("stack create -t", TEMPLATE, "c", fails=True)
    assert shown("stack show c")["stack_status"] == "CREATE_IN_PROGRESS"
    for number in (1, 2):
        openstack("stack resource signal c handle --data", json.dumps({"id": str(number), "data": f"d{number}", "status": "SUCCESS"}))
    assert shown("stack show c")["stack_status"] == "CREATE_COMPLETE"
    assert json.loads(shown("stack output show c data")["output_value"]) == {"1": "d1", "2": "d2"}
    curl = shown("stack output show c curl")["output_value"]
    # What the handle says can be done is done, by a shell.
    done = subprocess.run(["sh", "-c", curl + " -d '{\"id\": \"3\"}' -sS"], capture_output=True, text=True, check=True, timeout=30)
    assert " 200 " in done.stdout, done.stdout
    put = shown("stack output show c put")["output_value"]
    done = subprocess.run(["sh", "-c", put + " -d '{\"id\": \"1\"}' -sS"], capture_output=True, text=True, check=True, timeout=30)
    assert " 201 " in done.stdout, done.stdout


def check_reading():
    assert [row["Stack Name"] for row in shown("stack list --tags a")] == ["c"]
    assert shown("stack list --tags zzz") == [] and shown("stack list --property status=FAILED") == []
    assert len(shown("stack list --nested --sort stack_name:asc --limit 5")) == 2
    shown("stack list --long --all-projects --deleted")
    assert shown("stack show --no-resolve-outputs c")["tags"] == ["a", "b"]
    assert shown("stack environment show c")["parameters"] == {}
    assert isinstance(shown("stack file list c"), dict)
    assert "commands" not in openstack("stack template show c") and shown("stack template show c")["resources"]
    assert len(shown("stack output list c")) == 4
    openstack("stack output show c --all")
    openstack("stack output show c nothing", fails=True)
    resources = shown("stack resource list -n 3 c")
    assert {"server", "0", "1"} <= {row["resource_name"] for row in resources}, resources
    assert len(shown("stack resource list --long --filter type=OS::Heat::RandomString c")) == 1
    assert len(shown("stack resource show c random")["attributes"]["value"]) == 8
    shown("stack resource show --with-attr value c random")
    openstack("stack resource show c nothing", fails=True)
    assert "os-collect-config" in openstack("stack resource metadata c server")
    events = shown("stack event list c")
    assert len(shown("stack event list --resource random c")) == 2
    assert len(shown("stack event list --limit 3 --marker", events[2]["id"], "c")) == 3
    assert len(shown("stack event list --filter resource_name=random --filter resource_status=COMPLETE c")) == 1
    assert "[c.group.0]: CREATE_COMPLETE" in openstack("stack event list --nested-depth 3 --sort event_time:asc -f log c")
    assert shown("stack event show c random", shown("stack event list --resource random c")[0]["id"])["resource_type"]
    assert openstack("stack failures list c").strip() == ""


def check_changes():
    dry = shown("stack update --dry-run --show-nested --existing --parameter word=bye c")
    assert "group" in json.dumps(dry["updated"]) and "random" in json.dumps(dry["unchanged"]), dry
    assert "immutable" in openstack("stack update --existing --parameter fixed=no c", fails=True)
    openstack("stack update --existing --parameter word=bye c")
    assert shown("stack output show c word")["output_value"] == "bye"
    openstack("stack update --existing --clear-parameter word c")
    assert shown("stack output show c word")["output_value"] == "hello"
    for action in ("suspend", "resume", "check"):
        rows = shown(f"stack {action} c")
        assert rows[0]["Stack Status"] == f"{action.upper()}_COMPLETE", rows
    openstack("stack resource mark unhealthy c random broken")
    assert shown("stack resource show c random")["resource_status"] == "CHECK_FAILED"
    openstack("stack resource mark unhealthy --reset c random")
    openstack("stack cancel c", fails=True)
    openstack("stack create -t", TEMPLATE, "cancelled")
    assert shown("stack cancel --no-rollback cancelled")[0]["Stack Status"] == "CREATE_FAILED"
    openstack("stack delete -y cancelled")


def check_hooks():
    openstack("stack create --pre-create gr*/0 -t", TEMPLATE, "hooked")
    rows = shown("stack hook poll --nested-depth 2 hooked")
    assert "paused" in json.dumps(rows), rows
    openstack("stack hook clear --pre-create hooked group/0")
    assert shown("stack hook poll --nested-depth 2 hooked") == []
    openstack("stack delete -y hooked")


def check_snapshots(work):
    openstack("stack snapshot create --name first c")
    rows = shown("stack snapshot list c")
    assert rows[0]["name"] == "first" and rows[0]["status"] == "COMPLETE", rows
    openstack("stack snapshot show c", rows[0]["id"])
    openstack("stack update --existing --parameter word=later c")
    openstack("stack snapshot restore c", rows[0]["id"])
    assert shown("stack output show c word")["output_value"] == "hello"
    openstack("stack snapshot delete -y c", rows[0]["id"])
    openstack("stack snapshot show c", rows[0]["id"], fails=True)
    assert shown("stack export c")["name"] == "c"
    openstack("stack abandon --output-file", work + "/c.json", "c")
    openstack("stack show c", fails=True)
    openstack("stack adopt --adopt-file", work + "/c.json", "c")
    assert shown("stack show c")["stack_status"] == "ADOPT_COMPLETE"


def check_software(work):
    with open(work + "/script.sh", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\ndate\n")
    config = shown("software config create --group script --config-file", work + "/script.sh", "by-hand")
    assert "by-hand" in [row["name"] for row in shown("software config list")]
    assert "date" in openstack("software config show --config-only", config["id"])
    server = shown("stack resource show c server")["physical_resource_id"]
    openstack("software deployment create --signal-transport NO_SIGNAL --config", config["id"], "--server", server, "by-hand")
    rows = shown("software deployment list --long --server", server)
    assert len(rows) == 1, rows
    assert shown("software deployment show --long", rows[0]["id"])["server_id"] == server
    assert "date" in openstack("software deployment metadata show", server)
    openstack("software deployment output show --all", rows[0]["id"])
    openstack("software deployment delete", rows[0]["id"])
    openstack("software config delete", config["id"])
    openstack("software config show", config["id"], fails=True)
    openstack("software deployment show", rows[0]["id"], fails=True)


def main():
    enter()
    with tempfile.TemporaryDirectory(prefix="commands-peer-") as work:
        service = Service(HEARTH, work + "/state")
        service.start()
        os.environ.update(OS_AUTH_TYPE="none", OS_ENDPOINT=service.url("heat") + "/v1/admin")
        try:
            for step in (check_language, check_creation, check_reading, check_changes, check_hooks):
                step()
                print("ok", step.__name__, flush=True)
            for step in (check_snapshots, check_software):
                step(work)
                print("ok", step.__name__, flush=True)
            openstack("stack delete -y --wait c")
            assert shown("stack list") == []
        finally:
            service.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
