"""A machine in a directory: our programs under their field names, tools that record how they were called, a server for
signals. For the tests beside this file."""
import http.server
import json
import os
import shutil
import socketserver
import subprocess
import tempfile
import threading

TOOL = """#!/bin/sh
# Records its arguments and what the test wants to know of its environment; answers as the test has said.
{
    printf '%s' "${0##*/}"
    for word; do printf ' [%s]' "$word"; done
    printf '\\n'
} >>"$LAB/calls"
env >"$LAB/env.${0##*/}"
pwd >"$LAB/cwd.${0##*/}"
[ ! -f "$LAB/answers/${0##*/}" ] || . "$LAB/answers/${0##*/}"
"""


class Lab:
    def __init__(self, agent):
        self.dir = tempfile.mkdtemp(prefix="agent-lab-")
        self.bin = self.path("bin")
        subprocess.run([agent, "install-links", self.bin], check=True)
        os.makedirs(self.path("answers"))
        self.tools = self.path("tools")
        os.makedirs(self.tools)
        self.env = {
            "PATH": self.tools + ":" + self.bin + ":/usr/bin:/bin", "LAB": self.dir, "HOME": self.dir, "LC_ALL": "C", "TZ": "UTC",
            "no_proxy": "127.0.0.1", "HEAT_SHELL_CONFIG": self.path("config"), "HEAT_CONFIG_DEPLOYED": self.path("deployed"),
            "HEAT_CONFIG_DEPLOYED_OLD": self.path("old"), "HEAT_CONFIG_HOOKS": self.path("hooks"), "HEAT_CONFIG_LOG_DIR": self.path("log"),
            "HEAT_PUPPET_LOGDIR": self.path("log"), "HEAT_PUPPET_HIERA_DATADIR": self.path("hieradata"), "HEAT_HIERA_CONFIG": self.path("hiera.yaml"),
            "HEAT_CFN_INIT_LAST_METADATA_DIR": self.path("cfn")}
        for name in ("SCRIPT", "PUPPET", "ANSIBLE", "CHEF", "DOCKER_COMPOSE"):
            self.env["HEAT_%s_WORKING" % name] = self.path("working")
            self.env["HEAT_%s_OUTPUTS" % name] = self.path("outputs")

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def tool(self, name, answer=""):
        """A fake program; `answer` is shell text that it runs."""
        with open(self.path("answers", name), "w") as f:
            f.write(answer)
        with open(os.path.join(self.tools, name), "w") as f:
            f.write(TOOL)
        os.chmod(os.path.join(self.tools, name), 0o755)

    def calls(self):
        """How tools were called since the last time."""
        text = self.read("calls")
        if text:
            os.remove(self.path("calls"))
        return text.replace(self.dir, "{D}").splitlines()

    def read(self, *parts):
        try:
            with open(self.path(*parts), encoding="utf-8") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def mode(self, *parts):
        return oct(os.stat(self.path(*parts)).st_mode & 0o7777)

    def run(self, program, *args, stdin="", env=None, timeout=60):
        full = dict(self.env, **(env or {}))
        return subprocess.run([os.path.join(self.bin, program)] + list(args), input=stdin, env=full, cwd=self.dir, timeout=timeout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")

    def hook(self, name, deployment, env=None):
        """Runs a hook as heat-config does: the deployment on stdin. Its answer, or what it said instead."""
        done = self.run("hooks/" + name, stdin=json.dumps(deployment), env=env)
        if done.returncode != 0:
            return {"exit": done.returncode, "stderr": done.stderr}
        return json.loads(done.stdout)

    def foreign_hook(self, name, text, mode=0o755):
        os.makedirs(self.path("hooks"), exist_ok=True)
        with open(self.path("hooks", name), "w") as f:
            f.write(text)
        os.chmod(self.path("hooks", name), mode)

    def deployments(self, items):
        with open(self.path("config"), "w") as f:
            json.dump(items, f)

    def record(self, id_):
        return json.loads(self.read("deployed", id_ + ".signal") or "{}")

    def close(self):
        shutil.rmtree(self.dir, ignore_errors=True)


class Server:
    """A server on loopback. `statuses` are used up in turn, then 200. Speaks enough of keystone for a token."""

    def __init__(self, port=0):
        lab = self
        self.requests = []
        self.statuses = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status, body=b"", headers=()):
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode("utf-8")
                lab.requests.append((self.command, self.path, dict(self.headers), body))
                if self.path.endswith("/auth/tokens"):
                    endpoints = [{"type": kind, "endpoints": [{"interface": "public", "region": "r", "url": lab.url + "/" + kind}]}
                                 for kind in ("orchestration", "messaging")]
                    token = {"token": {"catalog": endpoints, "expires_at": "2099-01-01T00:00:00Z"}}
                    return self.answer(201, json.dumps(token).encode(), [("X-Subject-Token", "TOKEN")])
                return self.answer(lab.statuses.pop(0) if lab.statuses else 200)

            do_GET = do_POST = do_PUT = handle_any

            def log_message(self, *args):
                pass

        class Threads(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True

        self.server = Threads(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.url = "http://127.0.0.1:%d" % self.port
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def bodies(self):
        return [json.loads(body) for _, path, _, body in self.requests if body and not path.endswith("/auth/tokens")]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def inputs(**values):
    return [{"name": name, "type": "String", "value": value} for name, value in values.items()]
