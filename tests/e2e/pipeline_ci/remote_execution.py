#!/usr/bin/env python3
"""A cache over HTTP as strict as bazel-remote: an archive is kept when its bytes are those of its name; a record, when it is an
ActionResult of the Remote Execution API, and given as long as all files that it names are there. Prints its port."""

import hashlib
import http.server
import re
import threading

PATH = re.compile(r"^/(ac|cas)/([0-9a-f]{64})$")


def fields(data):
    """(number, wire type, value) of a protobuf message; raises ValueError or IndexError for what is none."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            yield number, kind, varint()
        elif kind == 2:
            size = varint()
            if at + size > len(data):
                raise ValueError("cut short")
            yield number, kind, data[at:at + size]
            at += size
        else:
            raise ValueError("a wire type that ActionResult has not")


def files_of(action):
    """{SHA-256: size} of output_files (field 2: OutputFile, whose field 2 is Digest: 1 hash, 2 size_bytes)."""
    files = {}
    for number, kind, output in fields(action):
        if number != 2 or kind != 2:
            continue
        digest = dict((number, value) for number, _, value in fields(output))[2]
        parts = {number: value for number, _, value in fields(digest)}
        files[parts[1].decode("ascii")] = parts.get(2, 0)
    return files


class Cache(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    kept = {}
    lock = threading.Lock()

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        place = PATH.match(self.path)
        if not place:
            return self.answer(400)
        if place[1] == "cas" and hashlib.sha256(body).hexdigest() != place[2]:
            return self.answer(400)
        if place[1] == "ac":
            try:
                files_of(body)
            except (ValueError, IndexError, KeyError):
                return self.answer(400)
        with self.lock:
            self.kept[self.path] = body
        return self.answer(200)

    def do_GET(self):
        place = PATH.match(self.path)
        body = self.kept.get(self.path)
        if not place or body is None:
            return self.answer(404)
        if place[1] == "ac":
            for digest, size in files_of(body).items():
                if len(self.kept.get(f"/cas/{digest}", b"")) != size:
                    return self.answer(404)
        return self.answer(200, body)

    do_HEAD = do_GET

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cache)
print(server.server_address[1], flush=True)
server.serve_forever()
