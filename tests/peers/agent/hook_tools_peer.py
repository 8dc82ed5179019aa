"""Hooks with the real tools that Debian has: puppet and ansible-playbook do what the deployment says, and its failure is
the answer's. A tool that is not installed is skipped. Usage: hook_tools_peer.py --links DIR"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from compare import arguments

PLAYBOOK = """
- hosts: all
  connection: local
  gather_facts: false
  tasks:
    - copy: {content: "{{ greeting }}", dest: "{{ heat_outputs_path }}.res"}
    - command: "%s"
"""
MANIFEST = """
file { "${::heat_outputs_path}.res": content => $::greeting }
exec { "%s": path => "/usr/bin:/bin" }
"""


def run(links, name, config, options):
    with tempfile.TemporaryDirectory(prefix="hook-tools-") as lab:
        env = {"PATH": links + ":/usr/bin:/bin:/usr/sbin:/sbin", "HOME": lab, "LC_ALL": "C.UTF-8", "HEAT_PUPPET_LOGDIR": lab + "/log",
               "HEAT_PUPPET_WORKING": lab + "/w", "HEAT_PUPPET_OUTPUTS": lab + "/o", "HEAT_ANSIBLE_WORKING": lab + "/w",
               "HEAT_ANSIBLE_OUTPUTS": lab + "/o"}
        deployment = {"id": "i1", "name": "n1", "group": name, "config": config, "creation_time": "2026-01-02T03:04:05", "options": options,
                      "inputs": [{"name": "greeting", "type": "String", "value": "hello"}], "outputs": [{"name": "res"}]}
        done = subprocess.run([os.path.join(links, "hooks", name)], input=json.dumps(deployment).encode(), env=env, cwd=lab, timeout=280,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return json.loads(done.stdout), done.stderr.decode("utf-8", "replace")


def check(links, name, template):
    """Good: status 0 and the output that the tool wrote. Bad: a status, and the tool's words in log and answer."""
    good, log = run(links, name, template % "true", None)
    bad, _ = run(links, name, template % "false", {})
    complaints = []
    if good["deploy_status_code"] != 0 or good.get("res") != "hello":
        complaints.append("good: %r\n%s" % (good, log))
    if bad["deploy_status_code"] == 0 or not bad["deploy_stdout"] + bad["deploy_stderr"]:
        complaints.append("bad: %r" % bad)
    for text in good["deploy_stdout"].splitlines():
        if text not in log:
            complaints.append("not in the log: %r" % text)
    print(("DIFFERS " if complaints else "same    ") + name)
    for complaint in complaints:
        print("  " + complaint)
    return not complaints


def main():
    links = arguments().links
    tools = {"puppet": ("puppet", MANIFEST), "ansible": ("ansible-playbook", PLAYBOOK)}
    there = {name: template for name, (program, template) in tools.items() if shutil.which(program, path="/usr/bin:/bin")}
    for name in sorted(set(tools) - set(there)):
        print("SKIPPED: %s: %s is not installed" % (name, tools[name][0]))
    if not there:
        sys.exit(77)
    sys.exit(0 if all([check(links, name, template) for name, template in there.items()]) else 1)


main()
