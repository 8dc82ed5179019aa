"""Servers, disks and files that misbehave: whatever they do, our agents end in time and in order, say why, leave nothing half
written, and the last good configuration stays in force. (No peer: Python's agents die of half of these.)"""
import http.server
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

from compare import arguments

OPTIONS = arguments()
COLLECT = os.path.join(OPTIONS.links, "os-collect-config")
APPLY = os.path.join(OPTIONS.links, "os-apply-config")
FIFTY_MB = json.dumps({"big": "x" * 50_000_000}).encode()

# What the answer to a GET is: (status, headers, body), where no Content-Length stands among the headers it is right.
ANSWERS = {
    "good": (200, {}, b'{"k": 1}'),
    "truncated": (200, {}, b'{"k": [1, 2'),
    "not_json": (200, {}, b"<html>Welcome to the hotel</html>"),
    "empty": (200, {}, b""),
    "list": (200, {}, b"[1]"),
    "text": (200, {}, b'"text"'),
    "null": (200, {}, b"null"),
    "nested_lists": (200, {}, b'{"k": ' + b"[" * 200_000),
    "nested_objects": (200, {}, b'{"k":' * 100_000 + b"1" + b"}" * 100_000),
    "not_utf8": (200, {}, b'{"k": "\xff\xfe"}'),
    "bom": (200, {}, b"\xef\xbb\xbf{}"),
    "too_long": (200, {"Content-Length": str(70 << 20)}, b"{"),
    "absurd_length": (200, {"Content-Length": "99999999999999999999"}, b"{}"),
    "two_lengths": (200, {"Content-Length": "2\r\nContent-Length: 3"}, b"{}"),
    "short": (200, {"Content-Length": "100"}, b'{"k": 1}'),
    "bad_chunks": (200, {"Transfer-Encoding": "chunked"}, b"xyz\r\n{}\r\n0\r\n\r\n"),
    "endless_header": (200, {"A": "b" * 200_000}, b"{}"),
    "redirect_loop": (302, {"Location": "/redirect_loop"}, b""),
    "redirect_to_a_file": (302, {"Location": "file:///etc/passwd"}, b""),
    "redirect_without_place": (302, {}, b""),
    "unauthorized": (401, {}, b"no"), "forbidden": (403, {}, b"no"), "not_found": (404, {}, b"no"),
    "gone": (410, {}, b"no"), "error": (500, {}, b"no"), "unavailable": (503, {"Retry-After": "1"}, b"no"),
}
REASONS = {
    "truncated": "Failed to parse as json. (", "list": "not an object", "nested_lists": "nested deeper", "not_utf8": "UTF-8", "short": "before the answer was complete",
    "too_long": "longer than allowed", "endless_header": "longer than allowed", "absurd_length": "bad Content-Length", "two_lengths": "bad Content-Length",
    "bad_chunks": "bad chunk size", "redirect_to_a_file": "not an http or https URL", "unauthorized": "401 Client Error", "not_found": "404 Client Error",
    "unavailable": "503 Server Error", "silent": "timed out", "dripping": "timed out", "reset": "reset by peer", "ssh": "bad version",
    "closed": "Connection refused", "tls_self_signed": "does not hold", "tls_is_plain": "setting up TLS", "plain_is_tls": "", "unknown_name": "looking up",
}
SPECIAL = ["silent", "dripping", "reset", "ssh"]
BAD = 0


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.send_response(200)
        self.end_headers()

    def do_GET(self):
        name = self.path[1:].split("?")[0]
        if name in SPECIAL:
            getattr(self, name)()
            return
        status, headers, body = ANSWERS[name] if name != "fifty" else (200, {}, FIFTY_MB)
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        if "Content-Length" not in headers and "Transfer-Encoding" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def silent(self):
        time.sleep(5)

    def dripping(self):
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            for _ in range(50):
                self.wfile.write(b"y")
                time.sleep(0.1)
        except OSError:
            pass

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def ssh(self):
        self.wfile.write(b"SSH-2.0-OpenSSH_9\r\n")


def serve(context=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None
    server.daemon_threads = True
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def tls_context(directory):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", directory + "/k", "-out", directory + "/c", "-subj",
                    "/CN=x", "-days", "2"], check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory + "/c", directory + "/k")
    return context


def report(what, problems):
    global BAD
    BAD += bool(problems)
    print(("FAILED " if problems else "ok     ") + what)
    for line in problems:
        print("    " + str(line))


def snapshot(directory):
    found = {}
    for root, _, names in os.walk(directory):
        for name in names:
            with open(os.path.join(root, name), "rb") as f:
                found[os.path.relpath(os.path.join(root, name), directory)] = f.read()
    return found


def run(words, directory, env=None, timeout=60):
    full = {"PATH": os.environ["PATH"], "HOME": directory, "LC_ALL": "C", "TZ": "UTC", "NO_PROXY": "*"}
    full.update(env or {})
    begin = time.monotonic()
    done = subprocess.run(words, env=full, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
    return done.returncode, done.stderr.decode("utf-8", "replace"), time.monotonic() - begin


class Collected:
    """A directory in which one good round has been collected and applied."""

    def __init__(self, good_url):
        self.holder = tempfile.TemporaryDirectory(prefix="hostile-")
        self.dir = self.holder.name
        status, said, _ = self.round(good_url)
        assert status == 0, said
        self.before = snapshot(self.dir)

    def round(self, url, patience=1):
        with open(self.dir + "/c.conf", "w") as f:
            f.write("[DEFAULT]\ncachedir=%s/cache\nbackup_cachedir=%s/backup\n[request]\nmetadata_url=%s\ntimeout=%d\n" % (self.dir, self.dir, url, patience))
        command = "echo ran >>%s/ran" % self.dir
        return run([COLLECT, "--config-file", self.dir + "/c.conf", "--one-time", "-c", command, "request"], self.dir)

    def left(self):
        return {name: data for name, data in snapshot(self.dir).items() if name != "c.conf"}


def check_server(name, good_url, url):
    collected = Collected(good_url)
    before = collected.left()
    status, said, seconds = collected.round(url)
    problems = []
    if status != 0:
        problems.append("status %d" % status)
    if "Source [request] Unavailable." not in said:
        problems.append("unavailability not logged")
    if REASONS.get(name, "") not in said:
        problems.append("reason %r not in: %s" % (REASONS[name], said))
    if collected.left() != before:
        problems.append("files changed: %s" % {k for k, v in collected.left().items() if before.get(k) != v})
    if seconds > 10:
        problems.append("took %.1f s" % seconds)
    report("server: " + name, problems)


def check_fifty(good_url, url):
    collected = Collected(good_url)
    status, said, seconds = collected.round(url, patience=30)
    size = os.path.getsize(collected.dir + "/cache/request.json")
    report("server: 50 MB are taken (%.1f s)" % seconds, [] if status == 0 and size > 50_000_000 else [status, said[:500], size])


def check_servers():
    with tempfile.TemporaryDirectory() as directory:
        plain, tls = serve(), serve(tls_context(directory))
        base = "http://127.0.0.1:%d/" % plain
        good = base + "good"
        for name in list(ANSWERS)[1:] + SPECIAL:
            check_server(name, good, base + name)
        check_server("closed", good, "http://127.0.0.1:1/")
        check_server("unknown_name", good, "http://no-such-host.invalid/")
        check_server("tls_self_signed", good, "https://127.0.0.1:%d/good" % tls)
        check_server("tls_is_plain", good, "https://127.0.0.1:%d/good" % plain)
        check_server("plain_is_tls", good, "http://127.0.0.1:%d/good" % tls)
        check_fifty(good, base + "fifty")


METADATA = {"truncated": b'{"k": [1', "not_json": b"hello", "nested": b'{"k":' * 5000, "not_utf8": b'{"k": "\xff"}', "empty": b""}


def check_apply():
    for name, data in METADATA.items():
        with tempfile.TemporaryDirectory(prefix="hostile-") as d:
            os.makedirs(d + "/t")
            os.makedirs(d + "/out")
            for path, content in {"/t/f": b"new {{k}}", "/out/f": b"old", "/m": data}.items():
                with open(d + path, "wb") as f:
                    f.write(content)
            status, said, _ = run([APPLY, "-t", d + "/t", "-o", d + "/out", "-m", d + "/m", "--fallback-metadata"], d)
            good = status == 1 and "Could not parse metadata file: %s/m" % d in said and snapshot(d + "/out") == {"f": b"old"}
            report("apply: metadata " + name, [] if good else [status, said, snapshot(d + "/out")])
    with tempfile.TemporaryDirectory(prefix="hostile-") as d:
        os.makedirs(d + "/t")
        with open(d + "/t/a", "w") as f:
            f.write("fine")
        with open(d + "/t/b", "w") as f:
            f.write("line\n  {{#a}}x{{/b}}")
        status, said, _ = run([APPLY, "-t", d + "/t", "-o", d + "/out", "--fallback-metadata", "--os-config-files", d + "/none"], d)
        good = status == 1 and "t/b:2:" in said and not os.path.exists(d + "/out")
        report("apply: a template's error has file and line, and nothing is written", [] if good else [status, said])


FULL = """
set -e
mount -t tmpfs -o size=256k tmpfs "$1"
cp -r "$2"/. "$1"
"$3" "${@:4}" || echo "status $?" >&2
cp -r "$1"/. "$2"
"""


def check_full_disk():
    """In a mount namespace of its own, so it needs root (or a user namespace)."""
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if subprocess.run(unshare + ["true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("SKIPPED: full disks need a mount namespace")
        return
    with tempfile.TemporaryDirectory(prefix="hostile-") as d:
        for path in ("/disk", "/out", "/t", "/l"):
            os.makedirs(d + path)
        for i in range(20):
            for path, text in {"/t/f%02d" % i: "{{#big}}" + "y" * 20000 + "{{/big}}{{^big}}old{{/big}}", "/out/f%02d" % i: "old"}.items():
                with open(d + path, "w") as f:
                    f.write(text)
        with open(d + "/m", "w") as f:
            f.write('{"big": true}')
        status, said, _ = run(unshare + ["bash", "-c", FULL, "full", d + "/disk", d + "/out", APPLY, "-t", d + "/t", "-o", d + "/disk", "-m", d + "/m",
                                         "--fallback-metadata"], d)
        left = snapshot(d + "/out")
        good = "status 1" in said and "No space left on device" in said and left == {"f%02d" % i: b"old" for i in range(20)}
        report("apply: on a full disk no file is replaced, and none is left over", [] if good else [said[-600:], {k: v[:10] for k, v in left.items()}])
    with tempfile.TemporaryDirectory(prefix="hostile-") as d:
        for path in ("/disk", "/cache", "/l"):
            os.makedirs(d + path)
        config = "[DEFAULT]\ncachedir=%s/%s\nbackup_cachedir=%s/backup\n[local]\npath=%s/l\n"
        words = [COLLECT, "--config-file", d + "/c.conf", "--one-time", "-c", "cp $$OS_CONFIG_FILES %s/seen || true; echo ran >>%s/ran" % (d, d), "local"]
        for where, data in (("cache", '{"k": 1}'), ("disk", json.dumps({"k": "z" * 400000}))):
            with open(d + "/l/x", "w") as f:
                f.write(data)
            with open(d + "/c.conf", "w") as f:
                f.write(config % (d, where, d, d))
            if where == "cache":
                assert run(words, d)[0] == 0
                before = snapshot(d + "/cache")
            else:
                _, said, _ = run(unshare + ["bash", "-c", FULL, "full", d + "/disk", d + "/cache"] + words, d)
        with open(d + "/ran") as f:
            ran = f.read()
        left = {k: v.replace(b"/disk/", b"/cache/") for k, v in snapshot(d + "/cache").items()}
        good = "No space left on device" in said and left == before and ran == "ran\n"
        report("collect: on a full disk the last good metadata stay, and no command runs", [] if good else [said[-600:], ran, list(left)])


def check_killed_refresh():
    with tempfile.TemporaryDirectory(prefix="hostile-") as d:
        os.makedirs(d + "/b/configure.d")
        with open(d + "/b/configure.d/10-long", "w") as f:
            f.write("#!/bin/sh\necho begun >>%s/log\n[ -e %s/short ] || while :; do sleep 0.1; done\necho ended >>%s/log\n" % (d, d, d))
        os.chmod(d + "/b/configure.d/10-long", 0o755)
        words = [os.path.join(OPTIONS.links, "os-refresh-config"), "--lockfile", d + "/lock"]
        env = {"PATH": OPTIONS.links + ":" + os.environ["PATH"], "OS_REFRESH_CONFIG_BASE_DIR": d + "/b"}
        first = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(d + "/log"):
            time.sleep(0.02)
        first.kill()
        first.wait()
        with open(d + "/short", "w"):
            pass
        time.sleep(0.5)  # time in which a script that lived on would end
        status, said, _ = run(words, d, env)
        with open(d + "/log") as f:
            log = f.read()
        good = status == 0 and "The last run did not come to its end (Locked by pid==%d" % first.pid in said and log == "begun\nbegun\nended\n"
        report("refresh: a killed run takes its scripts along, and the next run does all", [] if good else [status, said, log])
        report("refresh: and leaves the lock file empty", [] if open(d + "/lock").read() == "" else ["not empty"])


check_servers()
check_apply()
check_killed_refresh()
check_full_disk()
print("%d failed" % BAD)
sys.exit(1 if BAD else 0)
