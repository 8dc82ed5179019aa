"""What a recompile changes reaches the machine, and only that: compiled twice, run by the agent each time; what it answered
lets the next deployment be there. Usage: metadata_agent.py HEARTH AGENT"""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../unit/agent/binary"))
from lab import Lab

HEARTH, AGENT = (os.path.abspath(word) for word in sys.argv[1:3])
TOP = """heat_template_version: 2018-08-31
parameters: {greeting: {type: string}}
resources:
  server: {type: OS::Heat::DeployedServer, properties: {name: node, software_config_transport: POLL_SERVER_CFN}}
  script:
    type: OS::Heat::SoftwareConfig
    properties: {group: script, config: 'echo "$who" >>$LAB/ran; printf out >$heat_outputs_path.result', inputs: [{name: who}], outputs: [{name: result}]}
  First:
    type: OS::Heat::SoftwareDeployment
    properties: {name: First, config: {get_resource: script}, server: {get_resource: server}, input_values: {who: {get_param: greeting}}, signal_transport: NO_SIGNAL}
  Second:
    type: OS::Heat::SoftwareDeployment
    properties: {name: Second, config: {get_resource: script}, server: {get_resource: server}, input_values: {who: second}, signal_transport: NO_SIGNAL}
"""
CHAIN = TOP.replace("{who: second}", "{who: {get_attr: [First, result]}}").replace("NO_SIGNAL", "CFN_SIGNAL")


def compiled(work, greeting, *more):
    done = subprocess.run([HEARTH, "metadata", "compile", "-t", work + "/top.yaml", "-P", "greeting=" + greeting, "-o", work + "/out", *more],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    with open(work + "/out/servers/server/metadata.json", encoding="utf-8") as file:
        return json.load(file)["deployments"], done.stderr


def check_changes(work, lab):
    with open(work + "/top.yaml", "w", encoding="utf-8") as file:
        file.write(TOP)

    def run(greeting):
        lab.deployments(compiled(work, greeting)[0])
        done = lab.run("55-heat-config")
        assert done.returncode == 0, done.stderr
        return lab.read("ran").split()

    assert run("one") == ["one", "second"]
    assert run("one") == ["one", "second"], "the same runs once"
    assert run("two") == ["one", "second", "two"], "what changed runs again, and nothing else"


def check_signals(work):
    with open(work + "/top.yaml", "w", encoding="utf-8") as file:
        file.write(CHAIN)
    deployments, _ = compiled(work, "one")
    assert [d["name"] for d in deployments] == ["First"]
    answer = {"server": "server", "deployment": "First", "id": deployments[0]["id"], "signal": {"result": "r1", "deploy_status_code": 0}}
    with open(work + "/signals.jsonl", "w", encoding="utf-8") as file:
        file.write(json.dumps(answer) + "\n")
    deployments, _ = compiled(work, "one", "--signals", work + "/signals.jsonl")
    assert [d["name"] for d in deployments] == ["First", "Second"]
    assert [i["value"] for i in deployments[1]["inputs"] if i["name"] == "who"] == ["r1"]
    deployments, told = compiled(work, "two", "--signals", work + "/signals.jsonl")
    assert [d["name"] for d in deployments] == ["First"] and "passed over: First of server" in told, told


def check_hooks(work):
    """Each hook that the agent has is one that a template may name; one that it has not is told of."""
    listed = subprocess.run([AGENT, "--help"], capture_output=True, text=True, check=True).stdout.split("Hooks of heat-config", 1)[1]
    hooks = {row.split()[0]: "not supported" not in row for row in listed.split("\n")[1:] if row.startswith("  ")}
    assert len(hooks) > 10, listed
    for hook, is_supported in hooks.items():
        path = os.path.join(work, "hook.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(TOP.replace("group: script,", f"group: {hook},"))
        done = subprocess.run([HEARTH, "metadata", "validate", "-t", path, "-P", "greeting=x"], capture_output=True, text=True, check=False)
        warned = f"hearth-agent has no hook for the group {hook}" in done.stdout + done.stderr
        assert warned != is_supported, f"{hook}: the agent {'runs' if is_supported else 'does not run'} it\n{done.stdout}{done.stderr}"


def main():
    lab = Lab(AGENT)
    try:
        with tempfile.TemporaryDirectory(prefix="metadata-agent-") as work:
            check_changes(work, lab)
            check_signals(work)
            check_hooks(work)
    finally:
        lab.close()
    print("metadata_agent: ok")


if __name__ == "__main__":
    main()
