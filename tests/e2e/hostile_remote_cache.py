#!/usr/bin/env python3
"""A remote cache that answers wrongly, lies, breaks off or never ends: the image is the one of a clean build, what is not
signed or not whole is not used, and the build waits for seconds at most. HEARTH is the program under test.

Each way is one row: what the server does, whether layers may be taken, and the seconds that the build may last."""

import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
HEARTH = os.environ["HEARTH"]
NONE, ALL = 0, 2  # layers taken
# (mode, layers, seconds): the mode is a function of Cache below.
ANSWERS = [
    ("whole", ALL, 5), ("down", NONE, 5), ("error", NONE, 5), ("redirect_away", NONE, 5), ("redirect_to_file", NONE, 5),
    ("redirect_for_ever", NONE, 5), ("record_empty", NONE, 5), ("record_cut", NONE, 5), ("record_endless", NONE, 5),
    ("record_of_another", NONE, 5), ("record_nul", NONE, 10), ("layer_flipped", NONE, 5), ("layer_cut", NONE, 5),
    ("layer_longer", NONE, 5), ("layer_gone", NONE, 5), ("layer_endless", NONE, 5), ("layer_liar", NONE, 5),
    ("layer_negative", NONE, 5), ("layer_stalls", NONE, 12),
]
UPLOADS = [("put_error", 5), ("put_answers_endlessly", 5), ("put_stalls", 12)]


class Cache(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mode = "whole"
    kept = {}
    over = threading.Event()

    def answer(self, status, body=b"", fields=()):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        if not any(name == "Content-Length" for name, value in fields):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def endless(self):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while not self.over.is_set():
            self.wfile.write(b"10000\r\n" + b"y" * 65536 + b"\r\n")

    def stall(self, begun=b""):
        self.send_response(200)
        self.send_header("Content-Length", str(len(begun) + 1))
        self.end_headers()
        self.wfile.write(begun)
        self.wfile.flush()
        self.over.wait(60)
        self.close_connection = True

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.mode == "put_error":
            return self.answer(500)
        if self.mode == "put_answers_endlessly":
            return self.endless()
        if self.mode == "put_stalls":
            return self.stall()
        self.kept[self.path] = body
        return self.answer(201)

    def do_GET(self):
        general = {
            "down": lambda: self.connection.close(),
            "error": lambda: self.answer(500),
            "redirect_away": lambda: self.answer(302, fields=[("Location", "http://127.0.0.1:1/x")]),
            "redirect_to_file": lambda: self.answer(302, fields=[("Location", "file:///etc/passwd")]),
            "redirect_for_ever": lambda: self.answer(302, fields=[("Location", self.path)]),
        }
        if self.mode in general:
            return general[self.mode]()
        body = self.kept.get(self.path)
        if body is None:
            return self.answer(404)
        others = [kept for path, kept in self.kept.items() if "/ac/" in path and path != self.path]
        record = {
            "record_empty": lambda: self.answer(200),
            "record_cut": lambda: self.answer(200, body[: len(body) // 2]),
            "record_endless": self.endless,
            "record_of_another": lambda: self.answer(200, others[0]),
            "record_nul": lambda: self.answer(200, b"\0" * 100000),
        }
        layer = {
            "layer_flipped": lambda: self.answer(200, body[:200] + bytes([body[200] ^ 1]) + body[201:]),
            "layer_cut": lambda: self.answer(200, body[:200]),
            "layer_longer": lambda: self.answer(200, body + b"x"),
            "layer_gone": lambda: self.answer(404),
            "layer_endless": self.endless,
            "layer_liar": lambda: self.answer(200, body[:100], [("Content-Length", str(1 << 50))]),
            "layer_negative": lambda: self.answer(200, body, [("Content-Length", "-5")]),
            "layer_stalls": lambda: self.stall(body[:100]),
        }
        does = (record if "/ac/" in self.path else layer).get(self.mode, lambda: self.answer(200, body))
        return does()

    do_HEAD = do_GET

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # the client left, as it should


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="hearth-e2e."))
    failures = []
    server = Server(("127.0.0.1", 0), Cache)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        os.chdir(work)
        hook = work / "elements/late/install.d/20-late"
        hook.parent.mkdir(parents=True)

        def write_hook(text):
            hook.write_text(f"#!/bin/bash\nset -eu\necho {text} > /late\n")
            hook.chmod(0o755)

        for command in (["genpkey", "-algorithm", "ed25519", "-out", "site.pem"], ["pkey", "-in", "site.pem", "-pubout", "-out", "site.pub"]):
            subprocess.run(["openssl", *command], check=True, capture_output=True)
        (work / "home").mkdir()
        environment = {**os.environ, "HOME": str(work / "home"), "DIB_IMAGE_CACHE": str(work / "cache"), "HEARTH_LAYER_WORTH": "0",
                       "SOURCE_DATE_EPOCH": "1700000000", "ELEMENTS_PATH": f"{work}/elements:{HERE}/elements",
                       "TINY_OS_PROGRAMS": "bash env"}
        remote = ["--remote-cache", f"http://127.0.0.1:{server.server_address[1]}/c", "--remote-cache-key"]

        def build(name, *options):
            shutil.rmtree(work / "cache", ignore_errors=True)
            (work / f"{name}.tar").unlink(missing_ok=True)
            began = time.monotonic()
            done = subprocess.run([HEARTH, "image", "create", "-n", "-t", "tar", "-o", name, *options, "tiny-os", "late"], env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
            if done.returncode != 0:
                failures.append(f"{Cache.mode}: the build fails: {done.stdout}{done.stderr}")
            return time.monotonic() - began, done.stdout + done.stderr

        write_hook("one")
        build("clean", "--no-cache")
        clean = (work / "clean.tar").read_bytes()
        build("first", *remote, "site.pem")
        for mode, layers, seconds in ANSWERS:
            Cache.mode = mode
            took, said = build("image", *remote, "site.pub")
            if not (work / "image.tar").exists() or (work / "image.tar").read_bytes() != clean:
                failures.append(f"{mode}: not the clean build's bytes: {said}")
            taken = said.count("came from the remote cache")
            if taken != layers:
                failures.append(f"{mode}: {taken} layers were taken: {said}")
            if took > seconds:
                failures.append(f"{mode}: took {took:.1f} s")
        for mode, seconds in UPLOADS:
            Cache.mode = mode
            write_hook(mode)
            took, said = build("image", *remote, "site.pem")
            if "is not used any more" not in said:
                failures.append(f"{mode}: the build does not say that the cache failed: {said}")
            if took > seconds:
                failures.append(f"{mode}: took {took:.1f} s")
    finally:
        Cache.over.set()
        shutil.rmtree(work)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
