"""The real heat-cfntools against ours: exit status, stdout, files made, the tools called and the requests sent. Each run
has a /var of its own, in a mount namespace. Usage: cfn_peer.py --links DIR"""
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
from compare import arguments, differences, need, run_all

PEER = "/usr/bin/cfn-init"
TOOL = """#!/bin/sh
{ printf '%s' "${0##*/}"; for word; do printf ' [%s]' "$word"; done; printf '\\n'; } >>"$LAB/calls"
case "${0##*/} $1" in "useradd bad") exit 9 ;; "systemctl status" | "service down") exit 3 ;; esac
"""
MANAGERS = ("/usr/bin/systemctl", "/usr/sbin/service", "/usr/sbin/update-rc.d")
INIT = "AWS::CloudFormation::Init"
LAST = "cache/heat-cfntools/last_metadata"
DATA = "lib/heat-cfntools/cfn-init-data"


def init(**section):
    return {DATA: json.dumps({INIT: {"config": section}})}


SETS = {"default": ["one", "two"], "other": ["two", "one"]}
SECTIONS = {"configSets": SETS, "one": {"commands": {"c": {"command": "echo one >>$LAB/made"}}},
            "two": {"commands": {"c": {"command": "echo two >>$LAB/made"}}}}
REMOTE = {"lib/heat-cfntools/cfn-boto-cfg": "[Boto]\ndebug = 0\nis_secure = 0\nhttps_validate_certificates = 1\ncfn_region_name = heat\n"
          "cfn_region_endpoint = 127.0.0.1\n", "lib/heat-cfntools/cfn-metadata-server": "http://127.0.0.1:{PORT}"}
KEYS = ["-s", "my stack~x", "-r", "Res", "--access-key", "AK", "--secret-key", "sk"]

CASES = {
    "no_metadata": {"program": "cfn-init"},
    "no_init_section": {"program": "cfn-init", "files": {DATA: "{}"}},
    "groups_and_users": {"program": "cfn-init", "files": init(
        groups={"a": {"gid": 45}, "b": {}}, users={"u": {"uid": "50", "groups": ["a", "b"], "homeDir": "/tmp"}, "bad": {}})},
    "packages": {"program": "cfn-init", "files": init(packages={"rubygems": {"g": ["2"], "h": []}})},
    "files": {"program": "cfn-init", "files": init(files={
        "{D}/made/deep/x": {"content": "text\n", "mode": "000640", "owner": "root", "group": "root"}, "{D}/made/y": {"content": ""},
        "{D}/made/z": {}})},
    "commands": {"program": "cfn-init", "files": init(commands={
        "b": {"command": ["/bin/sh", "-c", "echo list >>$LAB/made"]}, "a": {"command": "echo first >>$LAB/made"},
        "c": {"command": "echo never >>$LAB/made", "test": "false"}, "d": {"command": "pwd >>$LAB/made", "cwd": "/usr"},
        "e": {"command": "echo $ONLY $LAB >>{D}/made", "env": {"ONLY": "this"}}, "f": {"command": "echo x", "cwd": "/no/such"},
        "g": {"command": "exit 3", "ignoreErrors": "true"}})},
    "failing_command": {"program": "cfn-init", "files": init(commands={"a": {"command": "exit 3"}, "b": {"command": "echo b >>$LAB/made"}})},
    "services": {"program": "cfn-init", "files": init(services={
        "sysvinit": {"up": {"enabled": "true", "ensureRunning": "true"}, "down": {"enabled": "false", "ensureRunning": True}}, "x": {}})},
    "config_sets": {"program": "cfn-init", "files": {DATA: json.dumps({INIT: SECTIONS})}},
    "chosen_config_sets": {"program": "cfn-init", "args": ["-c", "other, default"], "files": {DATA: json.dumps({INIT: SECTIONS})}},
    "unknown_config_set": {"program": "cfn-init", "args": ["-c", "none"], "files": {DATA: json.dumps({INIT: SECTIONS})}},
    "last_metadata_come_first": {"program": "cfn-init", "files": dict(init(commands={"a": {"command": "echo old >>$LAB/made"}}), **{
        LAST: json.dumps({INIT: {"config": {"commands": {"a": {"command": "echo new >>$LAB/made"}}}}})})},
    "unknown_option": {"program": "cfn-init", "args": ["--nope"], "stdout": False},
    "remote_init": {"program": "cfn-init", "args": KEYS, "files": REMOTE,
                    "metadata": {INIT: {"config": {"commands": {"a": {"command": "echo remote >>$LAB/made"}}}}}},
    "get_metadata": {"program": "cfn-get-metadata", "args": ["-s", "s", "-r", "r"], "files": {DATA: '{"a": {"b.c": 1.50, "d": "\\u00e9"}}'}},
    "get_key": {"program": "cfn-get-metadata", "args": ["-s", "s", "-r", "r", "-k", "a.'b.c'"], "files": {DATA: '{"a": {"b.c": [1]}}'}},
    "get_missing_key": {"program": "cfn-get-metadata", "args": ["-s", "s", "-r", "r", "-k", "a.x"], "files": {DATA: '{"a": {}}'}},
    "get_nothing": {"program": "cfn-get-metadata", "args": ["-s", "s", "-r", "r"]},
    "get_empty_stack": {"program": "cfn-get-metadata", "args": ["-s", "", "-r", "r"]},
    "get_without_stack": {"program": "cfn-get-metadata", "args": ["-r", "r"]},
    "get_remote": {"program": "cfn-get-metadata", "args": KEYS, "files": REMOTE, "metadata": {"k": [1, None]}},
    "get_remote_by_file": {"program": "cfn-get-metadata", "args": ["-s", "s", "-r", "Res", "--credential-file", "{D}/credentials"],
                           "files": dict(REMOTE, **{"../credentials": "AWSAccessKeyId=AK\nAWSSecretKey=sk\n"}), "metadata": {"k": 1}},
    "signal": {"program": "cfn-signal", "args": ["-i", "me", "{URL}/wait?Signature=x"]},
    "signal_failure": {"program": "cfn-signal", "args": ["-e", "1", "-r", "no \u00e9", "-d", "data", "-i", "me", "{URL}/wait"]},
    "signal_exit": {"program": "cfn-signal", "args": ["-s", "false", "--exit", "0", "-i", "me", "{URL}/wait"]},
    "signal_not_success": {"program": "cfn-signal", "args": ["-s", "True", "-i", "me", "{URL}/wait"]},
    "signal_nova_id": {"program": "cfn-signal", "args": ["{URL}/wait"], "files": {"lib/heat-cfntools/nova_meta.json": '{"uuid": "u-1"}'}},
    "signal_without_url": {"program": "cfn-signal"},
    "signal_to_nobody": {"program": "cfn-signal", "args": ["-i", "me", "http://127.0.0.1:9/wait"]},
}


class Server:
    """Answers DescribeStackResource with `metadata`, all else with an empty 200; keeps what it was asked."""

    def __init__(self, metadata):
        requests = self.requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8")
                scheme = (self.headers.get("Authorization") or "").split(" ")[0]
                requests.append((self.command, self.path, self.headers.get("Content-Type"), scheme, body))
                detail = {"StackResourceDetail": {"Metadata": json.dumps(metadata)}}
                answer = json.dumps({"DescribeStackResourceResponse": {"DescribeStackResourceResult": detail}}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_PUT = do_POST = handle_any

            def log_message(self, *args):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


def run(program, case):
    lab = tempfile.mkdtemp(prefix="cfn-peer-")
    server = Server(case.get("metadata"))
    fill = lambda text: text.replace("{D}", lab).replace("{PORT}", str(server.port)).replace("{URL}", "http://127.0.0.1:%d" % server.port)
    for path in ("var/cache", "var/lib", "var/log", "tools"):
        os.makedirs(os.path.join(lab, path))
    for name in ("apt-get", "gem", "groupadd", "useradd", "systemctl", "service", "update-rc.d"):
        with open(os.path.join(lab, "tools", name), "w") as f:
            f.write(TOOL)
        os.chmod(os.path.join(lab, "tools", name), 0o755)
    for name, text in case.get("files", {}).items():
        path = os.path.normpath(os.path.join(lab, "var", name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(fill(text))
    mounts = ["mount --bind %s/var /var" % lab]
    mounts += ["mount --bind %s/tools/%s %s" % (lab, os.path.basename(path), path) for path in MANAGERS if os.path.exists(path)]
    env = {"PATH": lab + "/tools:/usr/bin:/bin", "LAB": lab, "HOME": lab, "LC_ALL": "C.UTF-8", "no_proxy": "127.0.0.1"}
    done = subprocess.run(["unshare", "-m", "--propagation", "private", "/bin/sh", "-c", "; ".join(mounts) + '; exec "$@"', "sh", program] +
                          [fill(arg) for arg in case.get("args", [])], env=env, cwd=lab, timeout=120, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    clean = lambda text: text.replace(lab, "{D}").replace(str(server.port), "{PORT}")
    files = {}
    for root, _, names in os.walk(lab):
        for name in names:
            path = os.path.join(root, name)
            if "/tools/" in path or path.endswith(".log"):
                continue
            with open(path, encoding="utf-8") as f:
                files[os.path.relpath(path, lab)] = (oct(os.stat(path).st_mode & 0o7777), clean(f.read()))
    server.server.shutdown()
    server.server.server_close()
    shutil.rmtree(lab)
    return done.returncode, clean(done.stdout), files, server.requests


def check(_, case):
    theirs = run(os.path.join("/usr/bin", case["program"]), case)
    ours = run(os.path.join(OPTIONS.links, case["program"]), case)
    lines = differences(theirs[0], ours[0], "status") + differences(theirs[2], ours[2], "file") + differences(theirs[3], ours[3], "requests")
    return lines + (differences(theirs[1], ours[1], "stdout") if case.get("stdout", True) else [])


OPTIONS = arguments()
need(PEER)
need("/usr/bin/curl")
if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
    print("SKIPPED: no right to make a mount namespace")
    sys.exit(77)
run_all(CASES, OPTIONS.cases, check)
