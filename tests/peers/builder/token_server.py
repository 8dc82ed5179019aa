#!/usr/bin/env python3
"""A registry's token server, as the registry's token authentication describes it: token_server.py PORT KEY CERTIFICATE.

Gives anna, by her password, what she asks for, for one repository at a time, and to nobody else anything.
"""

import base64
import http.server
import json
import subprocess
import sys
import time
import urllib.parse

PORT, KEY, CERTIFICATE = sys.argv[1:4]
ANNA = "Basic " + base64.b64encode(b"anna:pass:w%20rd").decode()


def text_of(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token_for(service: str, scopes: list[str]) -> str:
    with open(CERTIFICATE, encoding="ascii") as file:
        certificate = "".join(file.read().split("-----")[2].split())
    header = {"typ": "JWT", "alg": "RS256", "x5c": [certificate]}
    now = int(time.time())
    access = []
    for scope in scopes:
        kind, rest = scope.split(":", 1)
        name, actions = rest.rsplit(":", 1)
        access.append({"type": kind, "name": name, "actions": actions.split(",")})
    times = {"iat": now, "nbf": now - 5, "exp": now + 300}
    claims = {"iss": "site", "sub": "anna", "aud": service, "jti": "1", **times, "access": access}
    signed = text_of(json.dumps(header).encode()) + "." + text_of(json.dumps(claims).encode())
    sign = subprocess.run(["openssl", "dgst", "-sha256", "-sign", KEY], input=signed.encode(), capture_output=True, check=True)
    return signed + "." + text_of(sign.stdout)


class TokenHandler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        may = self.headers.get("Authorization") == ANNA
        body = json.dumps({"token": token_for(query["service"][0], query.get("scope", []))} if may else {}).encode()
        self.send_response(200 if may else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(PORT)), TokenHandler).serve_forever()
