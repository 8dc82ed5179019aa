"""`hearth stack agent-config --install` before a real sshd and upstream's agent: what it writes over ssh makes
os-collect-config collect that server's metadata; a server that can't reach the service is told of and left as it was.

usage: agent_config_peer.py HEARTH

One sshd stands for two servers, 127.0.0.2 and 127.0.0.3: what it runs for a login sees an /etc of that server's own.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from live_peer_parts import HERE, collected_by, servers
from service import Service
from own_network import enter, free_port

HEARTH = sys.argv[1]
# $SSH_CONNECTION ends with the server's address and port. The second server has no network.
LOGIN = r"""#!/bin/bash
set -eu
read -r _ _ address _ <<<"$SSH_CONNECTION"
here=WORK/$address
mkdir -p "$here/etc" "$here/work"
network=
[ "$address" != 127.0.0.3 ] || network=--net
PATH=WORK/bin:$PATH exec unshare --mount $network bash -c '
  mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1/etc,workdir=$1/work" /etc && eval "$2"' login "$here" "$SSH_ORIGINAL_COMMAND"
"""


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def start_sshd(work, port):
    os.makedirs(work + "/bin")
    os.makedirs("/run/sshd", exist_ok=True)
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{work}/{key}"], check=True, timeout=60)
    shutil.copy(work + "/user.pub", work + "/authorized")
    write(work + "/login", LOGIN.replace("WORK", work), 0o755)
    write(work + "/bin/sudo", '#!/bin/sh\nexec "$@"\n', 0o755)
    write(work + "/bin/systemctl", f'#!/bin/sh\necho "$@" >>{work}/restarts\n', 0o755)
    write(work + "/sshd_config", f"ListenAddress 127.0.0.2:{port}\nListenAddress 127.0.0.3:{port}\nHostKey {work}/host\n"
          f"AuthorizedKeysFile {work}/authorized\nPidFile none\nStrictModes no\nPermitRootLogin yes\n"
          f"PasswordAuthentication no\nForceCommand {work}/login\n")
    log = open(work + "/sshd.log", "w", encoding="utf-8")
    server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", work + "/sshd_config"], stderr=log)
    for _ in range(300):  # until it answers
        if subprocess.run(["ssh-keyscan", "-p", str(port), "127.0.0.2"], capture_output=True, timeout=60).stdout:
            return server
        assert server.poll() is None, open(work + "/sshd.log", encoding="utf-8").read()
        time.sleep(0.1)
    raise AssertionError("sshd does not answer")


def install(service, work, port, hosts):
    options = f"-p {port} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
    env = dict(os.environ, OVERCLOUD_ROLES="Compute", Compute_hosts=hosts, SSH_OPTIONS=options, SUBNODES_SSH_KEY=work + "/user")
    return subprocess.run([HEARTH, "stack", "agent-config", "--install", "--stack", "site", "--url", service.url("heat") + "/v1/admin",
                           "--state", service.directory, "--user", "root"], env=env, capture_output=True, text=True, timeout=180)


def check(service, work, port):
    service.hearth("create", "site", "-t", HERE + "/top.yaml", "-e", HERE + "/env.yaml", "-P", "transport=POLL_TEMP_URL",
                   "-P", "signal=CFN_SIGNAL", "-P", "count=2")
    done = install(service, work, port, "127.0.0.2 127.0.0.3")
    log = open(work + "/sshd.log", encoding="utf-8").read()
    assert done.returncode == 1, f"one of them can't reach the service: {done}\n{log}"
    assert "Compute 0: 127.0.0.2 is configured" in done.stdout, f"{done}\n{log}"
    assert "checking that 127.0.0.3 reaches " + service.url("objects") in done.stderr, done.stderr
    assert not os.path.exists(work + "/127.0.0.3/etc/os-collect-config.conf"), "the one that can't was changed"
    installed = work + "/127.0.0.2/etc/os-collect-config.conf"
    assert os.stat(installed).st_mode & 0o777 == 0o600, "it holds a secret"
    with open(work + "/restarts", encoding="utf-8") as file:
        assert file.read() == "restart os-collect-config\n"
    metadata = servers(service, "site")[0][1]
    assert collected_by("/usr/bin/os-collect-config", installed, "request", work) == metadata


def main():
    enter()
    for program in ("/usr/sbin/sshd", "/usr/bin/os-collect-config", "curl", "openstack"):
        if not shutil.which(program):
            print(f"SKIPPED: {program} is not installed")
            return 77
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "--net", "true"], capture_output=True).returncode != 0:
        print("SKIPPED: needs root and namespaces, to give a login an /etc of its own")
        return 77
    with tempfile.TemporaryDirectory(prefix="agent-config-", dir="/var/tmp") as work:
        service = Service(HEARTH, work + "/state")
        service.start()
        port = free_port()
        server = start_sshd(work, port)
        try:
            check(service, work, port)
        finally:
            server.terminate()
            server.wait()
            service.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
