#!/usr/bin/env python3
"""Record and replay against real servers, each with a credential: a private mirror (nginx), git over http (git http-backend),
an index for pip over https, a container registry with bearer tokens (docker-registry and skopeo), signed URLs. The replay
has neither the servers nor the credential, and gives the same bytes; no secret is in any file afterwards.

Runs in a network namespace of its own, on an address that is no loopback: clients send what is loopback to no proxy.
HEARTH is the program under test."""

import base64
import hashlib
import http.server
import io
import json
import os
import pathlib
import re
import secrets
import shutil
import socket
import ssl
import subprocess
import sys
import tarfile
import threading
import time
import unittest
import urllib.parse
import zipfile

sys.dont_write_bytecode = True
import fetch  # noqa: E402, beside this file

HOST = "192.0.2.1"
INSIDE = "HEARTH_WIRE_INSIDE"
NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
PYTHON = "/usr/bin/python3"  # Debian's: pip is python3-pip's


def run(command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **more).stdout


class Handler(http.server.BaseHTTPRequestHandler):
    """GET and POST come to `answer` of the server: (handler, body) -> (status, fields, body)."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, fields, content = self.server.answer(self, body)
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_POST = do_GET
    do_HEAD = do_GET

    def log_message(self, *args):
        pass


class Wire(fetch.Builds):
    def setUp(self):
        super().setUp()
        self.word = "s3cret-" + secrets.token_hex(8)
        self.word_file = self.work / "word"  # beside the elements, so that only the fetches could carry it
        self.word_file.write_text(self.word)
        self.secrets = {self.word}
        self.stops = []
        self.addCleanup(self.stop)

    def stop(self):
        while self.stops:
            self.stops.pop()()

    def serve(self, port, answer, context=None):
        server = http.server.ThreadingHTTPServer((HOST, port), Handler)
        server.answer = answer
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.stops += [server.server_close, server.shutdown]

    def start(self, port, *command):
        """A server that is a program."""
        with open(self.work / f"{port}.log", "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        self.stops += [process.wait, process.terminate]
        for _ in range(400):
            with socket.socket() as probe:
                if probe.connect_ex((HOST, port)) == 0:
                    return
            if process.poll() is not None:
                break
            time.sleep(0.05)
        self.fail((self.work / f"{port}.log").read_text())

    def certificate(self, name):
        """name.pem and name.key, self-signed."""
        run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days",
             "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName=IP:{HOST}"], cwd=self.work, stderr=subprocess.DEVNULL)

    def basic(self, user):
        """The value of Authorization; no file may hold it."""
        text = base64.b64encode(f"{user}:{self.word}".encode()).decode()
        self.secrets |= {text, f"{user}:{self.word}"}
        return f"Basic {text}"

    def script(self, text):
        """A hook that has the credential in $word, as long as there is one."""
        self.element(f"word=of-another\n[ ! -e {self.word_file} ] || word=$(cat {self.word_file})\n{text}")

    def same_without_servers(self, **variables):
        variables["SOURCE_DATE_EPOCH"] = "1700000000"
        recorded = self.good("recorded", "--record", **variables)
        self.assertEqual(self.good("again", "--record", **variables), recorded)
        self.assertEqual(self.good("elsewhere", "--locked", HEARTH_CACHE=str(self.work / "other"), **variables), recorded)
        self.word_file.unlink()
        self.stop()
        for mode in ("--offline", "--locked"):
            self.assertEqual(self.good("replayed", mode, **variables), recorded)
        plain = {each.encode() for each in self.secrets}
        plain |= {hashlib.sha256(each).hexdigest().encode() for each in plain}
        read = [each for each in self.work.rglob("*") if each.is_file() and not each.is_relative_to(self.work / "servers")]
        for file in read:
            content = file.read_bytes()
            self.assertEqual([each for each in plain if each in content], [], file)
        self.assertGreater(len(read), 20)
        return (self.work / "hearth.lock").read_text()

    def test_a_private_mirror(self):
        root = self.work / "servers/www/debian"
        package = self.work / "servers/package/DEBIAN"
        for each in (root, package):
            each.mkdir(parents=True)
        (package / "control").write_text("Package: wire-test\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b.example>\nDescription: x\n")
        run(["dpkg-deb", "--root-owner-group", "-b", package.parent, root / "wire-test_1_all.deb"])
        deb = (root / "wire-test_1_all.deb").read_bytes()
        (root / "Packages").write_text((package / "control").read_text() + f"Filename: ./wire-test_1_all.deb\nSize: {len(deb)}\n"
                                       f"SHA256: {hashlib.sha256(deb).hexdigest()}\n")
        hashed = run(["openssl", "passwd", "-apr1", self.word], text=True)
        (self.work / "servers/users").write_text(f"reader:{hashed}")
        self.certificate("nginx")
        conf = self.work / "servers/nginx.conf"
        conf.write_text(f"""
user root; daemon off; worker_processes 1; pid {self.work}/servers/pid; error_log stderr;
events {{}}
http {{
  access_log off; client_body_temp_path {self.work}/servers/body;
  ssl_certificate {self.work}/nginx.pem; ssl_certificate_key {self.work}/nginx.key;
  server {{
    listen {HOST}:8080; listen {HOST}:8443 ssl; root {self.work}/servers/www;
    auth_basic mirror; auth_basic_user_file {self.work}/servers/users;
  }}
}}
""")
        self.start(8080, NGINX, "-p", self.work / "servers", "-e", "stderr", "-c", conf)
        self.basic("reader")
        self.script(f"""
mkdir -p "$TMPDIR/apt/lists/partial" "$TMPDIR/apt/archives/partial"
echo "deb [trusted=yes] http://reader:$word@{HOST}:8080/debian ./" > "$TMPDIR/apt/sources.list"
apt_get() {{
    apt-get -q -o Dir::State="$TMPDIR/apt" -o Dir::State::status=/dev/null -o Dir::Cache="$TMPDIR/apt" -o APT::Sandbox::User=root \\
        -o Dir::Etc::SourceList="$TMPDIR/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null "$@"
}}
apt_get update
apt_get download wire-test
rm -r "$TMPDIR/apt"
if curl -sSf https://{HOST}:8443/debian/Packages; then exit 1; fi
curl -sSf -u "reader:$word" https://{HOST}:8443/debian/Packages > curl
wget -qO wget --user reader --password "$word" https://{HOST}:8443/debian/Packages
printf 'machine {HOST} login reader password %s\\n' "$word" > "$TMPDIR/netrc"
curl -sSf --netrc-file "$TMPDIR/netrc" -r 0-7 http://{HOST}:8080/debian/Packages > netrc
rm "$TMPDIR/netrc"
""")
        lock = self.same_without_servers(SSL_CERT_FILE=str(self.work / "nginx.pem"))
        self.assertIn(f"GET https://{HOST}:8443/debian/Packages 401 ", lock)
        self.assertIn(f"GET;authorized https://{HOST}:8443/debian/Packages 200 ", lock)
        self.assertIn(f"GET;authorized http://{HOST}:8080/debian/./wire-test_1_all.deb 200 ", lock)

    def git_server(self, repositories):
        bearer, basic = f"Bearer {self.word}", self.basic("reader")

        def backend(handler, body):
            if handler.headers.get("Authorization") not in (bearer, basic):
                return 401, [("WWW-Authenticate", 'Basic realm="git"')], b"who are you\n"
            path, _, query = handler.path.partition("?")
            answer = run(["git", "http-backend"], input=body, env=dict(
                os.environ, GIT_PROJECT_ROOT=str(repositories), GIT_HTTP_EXPORT_ALL="1", PATH_INFO=path, QUERY_STRING=query,
                REQUEST_METHOD=handler.command, CONTENT_TYPE=handler.headers.get("Content-Type", ""),
                HTTP_CONTENT_ENCODING=handler.headers.get("Content-Encoding", ""),
                GIT_PROTOCOL=handler.headers.get("Git-Protocol", ""), CONTENT_LENGTH=str(len(body)), REMOTE_USER="reader",
                REMOTE_ADDR=HOST, GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="safe.directory", GIT_CONFIG_VALUE_0="*"))
            head, _, content = answer.partition(b"\r\n\r\n")
            fields = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
            status = next((int(value[:3]) for name, value in fields if name == "Status"), 200)
            return status, [each for each in fields if each[0] != "Status"], content

        return backend

    def test_large_files_of_git(self):
        """git-lfs asks another place of the server for what the repository has pointers to."""
        repository = self.work / "servers/git/app"
        repository.mkdir(parents=True)
        large = b"large\n" * 1000
        oid = hashlib.sha256(large).hexdigest()
        (repository / ".gitattributes").write_text("big filter=lfs\n")
        (repository / "big").write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(large)}\n")
        run("git init -q -b main && git add . && git -c user.name=a -c user.email=a@b.example commit -qm 1", shell=True, cwd=repository,
            env=dict(os.environ, GIT_CONFIG_NOSYSTEM="1"))
        url = f"http://{HOST}:8080"
        backend, asked = self.git_server(repository.parent), []

        def server(handler, body):
            asked.append(handler.path)
            if handler.path == f"/large/{oid}":
                return 200, [("Content-Type", "application/octet-stream")], large
            if not handler.path.endswith("/info/lfs/objects/batch"):
                return backend(handler, body)
            actions = {"download": {"href": f"{url}/large/{oid}"}}
            answer = {"transfer": "basic", "objects": [{"oid": oid, "size": len(large), "authenticated": True, "actions": actions}]}
            return 200, [("Content-Type", "application/vnd.git-lfs+json")], json.dumps(answer).encode()

        self.serve(8080, server)
        self.script(f"""
git -c filter.lfs.smudge='git-lfs smudge -- %f' -c filter.lfs.process='git-lfs filter-process' -c filter.lfs.required=true \\
    clone -q "http://reader:$word@{HOST}:8080/app/.git" a
mv a/big big
rm -r a
""")
        lock = self.same_without_servers()
        self.assertIn(f"/large/{oid}", asked)
        self.assertRegex(lock, f"GET {url}/large/{oid} 200 sha256:{oid} {len(large)}")
        with tarfile.open(self.work / "replayed.tar") as image:
            name = next(each for each in image.getnames() if each.endswith("/big"))
            self.assertEqual(image.extractfile(name).read(), large)

    def test_git_over_http(self):
        repository = self.work / "servers/git/app"
        repository.mkdir(parents=True)
        run("git init -q -b main && for i in $(seq 40); do echo $i > f && git add f && "
            "git -c user.name=a -c user.email=a@b.example commit -qm $i; done && git tag -m v1 v1",
            shell=True, cwd=repository)
        self.serve(8080, self.git_server(repository.parent))
        url = f"http://{HOST}:8080/app/.git"
        self.script(f"""
[ -e {self.word_file} ] || export GIT_USER_AGENT=git/of-another-version
git clone -q --depth 1 "http://reader:$word@{HOST}:8080/app/.git" a
cd a
git -c http.extraHeader="Authorization: Bearer $word" fetch -q --unshallow {url}
git log --format=%H > ../log
cd ..
git -c protocol.version=0 -c http.extraHeader="Authorization: Bearer $word" clone -q {url} b
git -C b rev-parse HEAD v1 > revisions
rm -rf a/.git  # which has the password
""")
        lock = self.same_without_servers()
        self.assertIn(f"GET;git-protocol=version=2 {url}/info/refs?service=git-upload-pack 401 ", lock)
        self.assertRegex(lock, f"POST:[0-9a-f]{{64}};authorized {url}/git-upload-pack 200 ")
        # Beside the lock lies what the server answered: from an empty store, and without the server, it is the same.
        def store(name):
            return dict(HEARTH_CACHE=str(self.work / name), SOURCE_DATE_EPOCH="1700000000")
        recorded = (self.work / "recorded.tar").read_bytes()
        self.assertEqual(self.good("nowhere", "--offline", **store("empty")), recorded)
        kept = sorted((self.work / "hearth.lock.d").iterdir())
        self.assertEqual([each.name for each in kept], sorted(set(re.findall(r" sha256:(\w+) ", lock))))
        # The image has a copy of its own, by which another machine makes it again.
        self.assertEqual(sorted(each.name for each in (self.work / "nowhere.d/hearth.lock.d").iterdir()), [each.name for each in kept])

        def hearth(cache, *words):
            done = subprocess.run([fetch.HEARTH, *words], cwd=self.work, env=self.environment(**store(cache)), text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
            return done.returncode, done.stdout
        self.assertRegex(hearth("empty", "cache", "verify")[1], r" checked, 0 damaged\n$")
        self.assertIn("nowhere.tar: reproduced", hearth("another", "image", "reproduce", "--unsigned", "nowhere.tar")[1])
        self.assertEqual(hearth("a_third", "bundle", "create", "-o", "git.bundle", "--lock", "hearth.lock", "--without-hearth")[0], 0)
        self.assertEqual(hearth("a_third", "bundle", "unpack", "git.bundle", "-C", "over", "--unsigned")[0], 0)
        self.assertEqual(self.good("carried", "--offline", "--lock", "over/locks/hearth.lock", **store("over")), recorded)
        content = kept[0].read_bytes()
        kept[0].write_bytes(bytes([content[0] ^ 1]) + content[1:])
        self.assertIn(f"damaged: {kept[0]} ", hearth("empty", "cache", "verify")[1])
        self.assertIn(f"{kept[0]} is not the answer of a git server that its name says", self.bad("--locked", **store("damaged")))
        shutil.rmtree(self.work / "hearth.lock.d")
        self.assertIn("copy that to beside this lock", self.bad("--offline", **store("without")))

    def test_a_clone_in_the_image(self):
        """With the element that people have for it: what it clones and notes is the same again, also when another machine makes it."""
        repository = self.work / "servers/git/app"
        repository.mkdir(parents=True)
        commit = "git add f && git -c user.name=a -c user.email=a@b.example commit -qm"
        run(f"git init -q -b main && echo 1 > f && {commit} 1", shell=True, cwd=repository)
        backend = self.git_server(repository.parent)

        def open_to_all(handler, body):
            handler.headers["Authorization"] = f"Bearer {self.word}"
            return backend(handler, body)
        self.serve(8080, open_to_all)
        self.element("")
        (self.elements / "fetcher/element-deps").write_text("tools\nsource-repositories\n")
        (self.elements / "fetcher/source-repository-app").write_text(f"app git /opt/app http://{HOST}:8080/app/.git main\n")
        time.sleep(1)  # what notes the time of the clone notes another one from here on

        def made(*options, **variables):
            done = subprocess.run([fetch.HEARTH, "image", "create", "-n", "-t", "tar", "-o", "it", *options, "fetcher"], cwd=self.work,
                                  env=self.environment(HEARTH_LAYER_WORTH="10000000", **variables), text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            with tarfile.open(self.work / "it.tar") as tar:
                return {each.name: each.isfile() and tar.extractfile(each).read() for each in tar.getmembers()}, (self.work / "it.tar").read_bytes()

        for more in (2, 3):  # the second time there is a cache, and a commit more
            recorded, image = made("--record")
            self.assertIn("./opt/app/.git/index", recorded)
            self.assertIn(b"fetcher", recorded["./etc/dib-manifests/dib_arguments"])
            for mode in ("--locked", "--offline"):
                again, same = made(mode)
                self.assertEqual([name for name in recorded if recorded[name] != again.get(name)], [])
                self.assertEqual(same, image)
            elsewhere = self.work / "elsewhere"  # with nothing in its caches
            shutil.rmtree(elsewhere, ignore_errors=True)
            elsewhere.mkdir()
            again, same = made("--offline", HOME=str(elsewhere))
            self.assertEqual([name for name in recorded if recorded[name] != again.get(name)], [])
            self.assertEqual(same, image)
            run(f"echo {more} > f && {commit} {more}", shell=True, cwd=repository)

    def test_an_index_for_pip(self):
        wheel = io.BytesIO()
        with zipfile.ZipFile(wheel, "w") as archive:
            info = "wire_test-1.dist-info"
            for name, text in (("wire_test.py", "print('hello')\n"), (f"{info}/METADATA", "Metadata-Version: 2.1\nName: wire-test\nVersion: 1\n"),
                               (f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"), (f"{info}/RECORD", "")):
                archive.writestr(name, text)
        name, digest = "wire_test-1-py3-none-any.whl", hashlib.sha256(wheel.getvalue()).hexdigest()
        allowed = self.basic("reader")

        def index(handler, _):
            if handler.headers.get("Authorization") != allowed:
                return 401, [("WWW-Authenticate", 'Basic realm="index"')], b"who are you\n"
            if handler.path == f"/files/{name}":
                return 200, [("Content-Type", "application/octet-stream")], wheel.getvalue()
            if handler.path != "/simple/wire-test/":
                return 404, [], b"no\n"
            fields = [("Vary", "Accept")]
            if "application/vnd.pypi.simple.v1+json" in handler.headers.get("Accept", ""):
                page = {"meta": {"api-version": "1.0"}, "name": "wire-test",
                        "files": [{"filename": name, "url": f"../../files/{name}", "hashes": {"sha256": digest}}]}
                return 200, [("Content-Type", "application/vnd.pypi.simple.v1+json"), *fields], json.dumps(page).encode()
            page = f'<!DOCTYPE html><a href="../../files/{name}#sha256={digest}">{name}</a>'
            return 200, [("Content-Type", "text/html"), *fields], page.encode()

        self.certificate("index")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.work / "index.pem", self.work / "index.key")
        self.serve(8443, index, context)
        self.script(f"""
curl -sSf -u "reader:$word" -H 'Accept: text/html' https://{HOST}:8443/simple/wire-test/ > page
grep -q '<a href' page
pip() {{ {PYTHON} -m pip --isolated --disable-pip-version-check --no-cache-dir "$@" --index-url "https://reader:$word@{HOST}:8443/simple/"; }}
pip install -q --root-user-action=ignore --no-compile --target site wire-test
pip download -q --dest wheels wire-test
{PYTHON} -B site/wire_test.py
""")
        lock = self.same_without_servers(SSL_CERT_FILE=str(self.work / "index.pem"))
        self.assertRegex(lock, rf"GET;accept=application/vnd.pypi\S*;authorized https://{HOST}:8443/simple/wire-test/ 200")
        self.assertIn(f"GET;accept=text/html;authorized https://{HOST}:8443/simple/wire-test/ 200", lock)

    def test_a_registry_with_bearer_tokens(self):
        self.certificate("issuer")
        servers = self.work / "servers"
        servers.mkdir()
        chain = [base64.b64encode(run(["openssl", "x509", "-in", self.work / "issuer.pem", "-outform", "DER"])).decode()]
        users = {self.basic("reader"): ["pull"], self.basic("writer"): ["pull", "push"]}

        def token(handler, _):
            actions = users.get(handler.headers.get("Authorization"))
            if actions is None:
                return 401, [("WWW-Authenticate", 'Basic realm="tokens"')], b"{}"
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(handler.path).query)
            access = [dict(zip(("type", "name", "actions"), (*scope.split(":")[:2], actions))) for scope in query.get("scope", [])]
            now = int(time.time())
            claims = {"iss": "wire-test", "sub": "x", "aud": query["service"][0], "exp": now + 60, "nbf": now - 5, "iat": now,
                      "jti": secrets.token_hex(8), "access": access}
            parts = [base64.urlsafe_b64encode(json.dumps(each).encode()).rstrip(b"=")
                     for each in ({"typ": "JWT", "alg": "RS256", "x5c": chain}, claims)]
            signature = run(["openssl", "dgst", "-sha256", "-sign", self.work / "issuer.key"], input=b".".join(parts))
            made = b".".join([*parts, base64.urlsafe_b64encode(signature).rstrip(b"=")]).decode()
            self.secrets.add(made)
            return 200, [("Content-Type", "application/json")], json.dumps(
                {"token": made, "access_token": made, "expires_in": 60,
                 "issued_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))}).encode()

        self.serve(5001, token)
        (servers / "registry.yml").write_text(json.dumps({
            "version": 0.1, "log": {"level": "error"}, "storage": {"filesystem": {"rootdirectory": str(servers / "registry")}},
            "http": {"addr": f"{HOST}:5000", "secret": "x"},
            "auth": {"token": {"realm": f"http://{HOST}:5001/token", "service": "registry", "issuer": "wire-test",
                               "rootcertbundle": str(self.work / "issuer.pem")}}}))
        self.start(5000, "docker-registry", "serve", servers / "registry.yml")
        self.oci_image(servers / "oci")
        run(["skopeo", "--insecure-policy", "copy", "--dest-tls-verify=false", "--dest-creds", f"writer:{self.word}",
             f"oci:{servers}/oci:one", f"docker://{HOST}:5000/app:one"])
        self.script(f"""
skopeo --insecure-policy copy -q --src-tls-verify=false --src-creds "reader:$word" docker://{HOST}:5000/app:one dir:app
skopeo inspect --tls-verify=false --creds "reader:$word" docker://{HOST}:5000/app:one > inspected
""")
        lock = self.same_without_servers()
        self.assertIn(f" http://{HOST}:5000/v2/ 401 ", lock)
        self.assertRegex(lock, rf"GET;authorized http://{HOST}:5001/token\S* 200 .* hearth-redacted=body")
        self.assertRegex(lock, rf"GET;accept=\S*;authorized http://{HOST}:5000/v2/app/manifests/one 200 .* docker-content-digest=sha256:")

    def oci_image(self, directory):
        blobs = directory / "blobs/sha256"
        blobs.mkdir(parents=True)

        def blob(content, media):
            content = content if isinstance(content, bytes) else json.dumps(content).encode()
            digest = hashlib.sha256(content).hexdigest()
            (blobs / digest).write_bytes(content)
            return {"mediaType": f"application/vnd.oci.image.{media}", "digest": f"sha256:{digest}", "size": len(content)}

        layer = io.BytesIO()
        with tarfile.open(fileobj=layer, mode="w") as tar:
            tar.addfile(tarfile.TarInfo("hello"), io.BytesIO(b""))
        layer = blob(layer.getvalue(), "layer.v1.tar")
        config = blob({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": [layer["digest"]]}},
                      "config.v1+json")
        manifest = blob({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config,
                         "layers": [layer]}, "manifest.v1+json")
        manifest["annotations"] = {"org.opencontainers.image.ref.name": "one"}
        (directory / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
        (directory / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [manifest]}))

    def test_signed_urls_and_posted_passwords(self):
        signatures = set()

        def site(handler, body):
            url = urllib.parse.urlsplit(handler.path)
            query = dict(urllib.parse.parse_qsl(url.query))
            if url.path == "/release":
                signature = secrets.token_hex(16)
                signatures.add(signature)
                self.secrets.add(signature)
                to = f"/store?X-Amz-Date=1&X-Amz-Signature={signature}"
                return 302, [("Location", to)], f'<a href="{to}">'.encode()
            if url.path == "/store":
                return (200, [], b"release\n") if query.get("X-Amz-Signature") in signatures else (403, [], b"no\n")
            if url.path == "/login":
                form = dict(urllib.parse.parse_qsl(body.decode()))
                if form != {"user": "reader", "password": self.word}:
                    return 403, [], b"no\n"
                signature = secrets.token_hex(16)
                signatures.add(signature)
                self.secrets.add(signature)
                return 200, [("Content-Type", "application/json")], json.dumps({"access_token": signature}).encode()
            if url.path == "/private":
                known = handler.headers.get("Private-Token") in signatures or query.get("private_token") in signatures
                return (200, [], b"private\n") if known else (401, [], b"no\n")
            return 404, [], b"no\n"

        self.serve(8080, site)
        self.secrets.add(f"user=reader&password={self.word}")
        self.script(f"""
curl -sSfL http://{HOST}:8080/release > curl
wget -qO wget http://{HOST}:8080/release
{PYTHON} -c 'import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())' \\
    http://{HOST}:8080/release > python
token=$(curl -sSf -d user=reader -d "password=$word" http://{HOST}:8080/login | jq -r .access_token)
curl -sSf -H "Private-Token: $token" http://{HOST}:8080/private > private
curl -sSf "http://{HOST}:8080/private?private_token=$token" > query
cmp curl wget; cmp curl python; cmp private query
""")
        lock = self.same_without_servers()
        self.assertIn(f"GET http://{HOST}:8080/store?X-Amz-Date=1&X-Amz-Signature=REDACTED 200 ", lock)
        self.assertIn(f"location=http://{HOST}:8080/store?X-Amz-Date=1&X-Amz-Signature=REDACTED", lock)
        self.assertIn("private?private_token=REDACTED 200 ", lock)


if __name__ == "__main__":
    missing = [each for each in ("unshare", "ip", "apt-get", "openssl", "git", "git-lfs", "wget", "jq", "docker-registry", "skopeo") if not shutil.which(each)]
    if not NGINX:
        missing.append("nginx")
    if missing or os.geteuid() != 0:
        print("SKIPPED:", f"{', '.join(missing)} missing" if missing else "needs root, for a network namespace")
        sys.exit(77)
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, "-B", *sys.argv])
    subprocess.run(f"ip link set lo up && ip address add {HOST}/32 dev lo", shell=True, check=True)
    unittest.main(verbosity=2)
