#!/usr/bin/env python3
"""Recorded fetches, end to end: hooks fetch with curl, wget, git and Python from a server of the test's own; the build is
recorded, then replayed with the server gone. HEARTH is the program under test.

The server listens on 127.0.0.2: hooks have a loopback of their own, so that all of it has to come through the proxy."""

import base64
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
HEARTH = os.environ["HEARTH"]
HOST = "127.0.0.2"
CREDENTIAL = base64.b64encode(b"someone:s3cret-word").decode()


class Site(http.server.SimpleHTTPRequestHandler):
    """Files of a directory; some paths misbehave."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append(self.path)
        if self.path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x" * 400)
            self.close_connection = True
            return
        if self.path == "/long":
            self.send_response(200)
            self.send_header("Content-Length", "10")
            self.end_headers()
            self.wfile.write(b"x" * 400)
            self.close_connection = True
            return
        if self.path in ("/stall", "/silent"):
            if self.path == "/stall":
                self.send_response(200)
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b"x" * 400)
                self.wfile.flush()
            self.server.over.wait(120)
            self.close_connection = True
            return
        if self.path.startswith("/private"):
            allowed = self.headers.get("Authorization") == f"Basic {CREDENTIAL}"
            self.answer(200 if allowed else 401, b"private\n" if allowed else b"who are you\n",
                        () if allowed else (("WWW-Authenticate", 'Basic realm="test"'),))
            return
        if self.path == "/forms":
            self.answer(200, b"json\n" if "json" in self.headers.get("Accept", "") else b"html\n", (("Vary", "Accept"),))
            return
        super().do_GET()

    def answer(self, status, body, fields):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Server:
    def __init__(self, directory, context=None, host=HOST):
        self.http = http.server.ThreadingHTTPServer((host, 0), lambda *a: Site(*a, directory=directory))
        self.http.asked = []
        self.http.over = threading.Event()
        if context:
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.url = f"http{'s' if context else ''}://{host}:{self.http.server_address[1]}"
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self):
        self.http.over.set()
        self.http.shutdown()
        self.http.server_close()


class Builds(unittest.TestCase):
    """A directory with elements, and builds in it; of the caller's environment nothing counts but where programs lie."""

    allowed = ""  # --allow-local

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="hearth-fetch."))
        self.addCleanup(shutil.rmtree, self.work)
        self.elements = self.work / "elements"
        (self.work / "home").mkdir()

    def element(self, script, name="50-fetch"):
        hook = self.elements / "fetcher/root.d" / name
        hook.parent.mkdir(parents=True, exist_ok=True)
        hook.write_text("#!/bin/bash\nset -eu\ncd \"$TARGET_ROOT/root\"\n" + script)
        hook.chmod(0o755)

    def environment(self, **variables):
        """Without a DIB_IMAGE_CACHE that others fill, or anything else that somebody exported."""
        env = {each: value for each, value in os.environ.items() if not each.startswith(("DIB_", "HEARTH_"))}
        for unwanted in ("http_proxy", "https_proxy", "SOURCE_DATE_EPOCH"):
            env.pop(unwanted, None)
        env.update(HOME=str(self.work / "home"), ELEMENTS_PATH=f"{self.elements}:{HERE / 'elements'}")
        env.update(variables)
        return env

    def build(self, name, *options, **variables):
        env = self.environment(**{"HEARTH_LAYER_WORTH": "10000000", **variables})  # milliseconds: layers only where a test wants some
        if self.allowed and {"--record", "--locked"} & set(options):
            options += ("--allow-local", self.allowed)
        command = [HEARTH, "image", "create", "-n", "-t", "tar", "-o", name, *options, "tiny-os", "fetcher"]
        return subprocess.run(command, cwd=self.work, env=env, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)

    def good(self, name, *options, **variables):
        run = self.build(name, *options, **variables)
        self.assertEqual(run.returncode, 0, run.stdout)
        return (self.work / f"{name}.tar").read_bytes()

    def bad(self, *options, **variables):
        run = self.build("bad", *options, **variables)
        self.assertNotEqual(run.returncode, 0, run.stdout)
        self.assertFalse((self.work / "bad.tar").exists())
        return run.stdout


class Fetches(Builds):
    allowed = HOST

    def setUp(self):
        super().setUp()
        self.site = self.work / "site"
        self.site.mkdir()
        (self.site / "file").write_text("contents\n")
        self.server = Server(self.site)
        self.addCleanup(self.server.stop)

    def test_what_curl_wget_git_and_python_fetched_comes_again_without_a_network(self):
        subprocess.run("git init -q repo && cd repo && echo one > one && git add one && "
                       "git -c user.name=a -c user.email=a@b.example commit -qm one && git update-server-info",
                       shell=True, check=True, cwd=self.site)
        url = self.server.url
        self.element(f"""
curl -sSf {url}/file > curl
curl -sSf -r 2-4 {url}/file > part
wget -qO wget {url}/file
git clone -q {url}/repo/.git repo
rm -rf repo/.git
python3 -c 'import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())' {url}/file > python
if curl -sSf {url}/missing; then exit 1; fi
""")
        recorded = self.good("recorded", "--record")
        self.assertEqual(self.server.http.asked.count("/file"), 1, "one URL is asked for once")
        lock = (self.work / "hearth.lock").read_text()
        self.assertIn(f"GET {url}/file 200 sha256:", lock)
        self.assertIn(f"GET {url}/missing 404 sha256:", lock)
        # What the lock names comes from the store; a lock alone is enough where there is a network.
        del self.server.http.asked[:]
        self.assertEqual(self.good("locked", "--locked"), recorded)
        self.assertEqual(self.server.http.asked, [])
        self.assertEqual(self.good("elsewhere", "--locked", HEARTH_CACHE=str(self.work / "new")), recorded)
        self.assertGreater(len(self.server.http.asked), 1)
        self.server.stop()
        self.assertEqual(self.good("offline", "--offline"), recorded)
        out = self.bad("--offline", HEARTH_CACHE=str(self.work / "empty"))
        self.assertIn(f"{url}/file (asked by root.d/50-fetch)", out)
        self.assertIn("is not in", out)
        self.assertIn("--record", out)

    def test_a_replay_runs_only_what_changed_and_its_lock_stays_whole(self):
        url = self.server.url
        self.element(f"curl -sSf {url}/file > a\n! curl -sSf {url}/missing\n")
        self.element("echo one > b\n", "60-local")
        self.good("recorded", "--record")
        layered = {"HEARTH_LAYER_WORTH": "0"}
        self.assertEqual(self.good("image", "--locked", **layered), (self.work / "recorded.tar").read_bytes())
        self.element("echo two > b\n", "60-local")
        again = self.good("image", "--offline", HEARTH_CACHE=str(self.work / "empty"), **layered)
        self.assertEqual(again, self.good("clean", "--offline", "--no-cache"))
        self.assertIn("kept  root.d/50-fetch", self.why("image"))
        self.assertEqual((self.work / "image.d/hearth.lock").read_text(), (self.work / "clean.d/hearth.lock").read_text())
        (self.site / "file").write_text("other contents\n")
        self.good("recorded", "--record")
        self.assertEqual(self.good("image", "--locked", **layered), (self.work / "recorded.tar").read_bytes())
        self.assertIn(f"the download GET {url}/file changed", self.why("image"))

    def test_a_recording_runs_only_what_changed_and_its_lock_is_that_of_a_clean_one(self):
        url = self.server.url
        (self.site / "aaa-one").write_text("first\n")
        (self.site / "aaa-two").write_text("second\n")
        (self.site / "index").write_text("aaa-one\n")
        self.element(f"curl -sSf {url}/file > a\n! curl -sSf {url}/missing\n")
        self.element(f"curl -sSf {url}/$(curl -sSf {url}/index) > b\n", "55-indexed")
        self.element("echo one > c\n", "60-local")
        layered = {"HEARTH_LAYER_WORTH": "0", "SOURCE_DATE_EPOCH": "1700000000"}
        self.good("image", "--record", **layered)
        self.assertEqual(self.ran("image")[:1], ["root.d/10-tiny-os"])

        self.element("echo two > c\n", "60-local")
        self.same_as_clean_recording(layered)
        self.assertEqual(self.ran("image"), ["root.d/60-local"], self.why("image"))

        # The answer that is asked for first still holds, the next one doesn't: the first is no part of this build's lock.
        (self.site / "index").write_text("aaa-two\n")
        os.utime(self.site / "index", (2000000000, 2000000000))
        self.same_as_clean_recording(layered)
        self.assertEqual(self.ran("image"), ["root.d/55-indexed", "root.d/60-local"])
        self.assertIn(f"the download GET {url}/index changed", self.why("image"))
        self.assertNotIn("/aaa-one", (self.work / "hearth.lock").read_text())

        # All from layers: the lock is whole, so that it can be replayed without a network.
        (self.work / "image.tar").unlink()
        recorded = self.same_as_clean_recording(layered)
        self.assertEqual(self.ran("image"), [])
        self.server.stop()
        self.assertEqual(self.good("offline", "--offline", "--no-cache", **layered), recorded)
        self.assertIn("/file (asked by", self.bad("--record", **layered))

    def same_as_clean_recording(self, variables):
        """Builds image, and the same without a cache; returns it."""
        image = self.good("image", "--record", **variables)
        lock = (self.work / "hearth.lock").read_text()
        self.assertEqual(image, self.good("clean", "--record", "--no-cache", **variables))
        self.assertEqual(lock, (self.work / "hearth.lock").read_text())
        return image

    def ran(self, name):
        return [line.split()[1] for line in self.why(name).splitlines() if line.split()[:1] == ["ran"]]

    def test_an_image_is_reproduced_from_its_own_provenance(self):
        input_file = self.work / "input"
        input_file.write_text("one\n")
        self.element(f"curl -sSf {self.server.url}/file > a\n")
        self.element(f"cat {input_file} > b; echo ${{SITE_TOKEN:-none}} ${{FLAVOUR:-plain}} > c\n", "60-local")
        subprocess.run("openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub",
                       shell=True, check=True, cwd=self.work)
        self.good("image", "--record", "--sign-key", "key.pem", SITE_TOKEN="s3cret", CI_JOB_ID="7")
        self.server.stop()
        self.assertEqual(self.reproduce("image.tar").returncode, 2, "neither a key nor --unsigned")
        self.assertNotIn("s3cret", (self.work / "image.d/provenance.json").read_text())
        missing = 'the build read the variable SITE_TOKEN, which is not set here'
        again = self.reproduce("image.tar", "--key", "key.pub", FLAVOUR="vanilla")
        self.assertEqual(again.returncode, 1, again.stdout)
        self.assertEqual(again.stdout.count(missing), 2, "before the build, and with what differs: " + again.stdout)
        self.assertIn("hooks read the variable FLAVOUR, which is set here and was not for the build", again.stdout)
        self.assertNotIn("CI_JOB_ID", again.stdout)
        again = self.reproduce("image.tar", "--key", "key.pub", SITE_TOKEN="s3cret")
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertIn("reproduced", again.stdout)
        self.assertNotIn(missing, again.stdout)
        input_file.write_text("two\n")
        again = self.reproduce("image.tar", "--key", "key.pub", SITE_TOKEN="s3cret")
        self.assertEqual(again.returncode, 1, again.stdout)
        for text in ("The first file that differs: /root/b", "written by root.d/60-local"):
            self.assertIn(text, again.stdout)
        self.element(f"cat {input_file} > b; touch {self.work}/ran\n", "60-local")
        again = self.reproduce("image.tar", "--key", "key.pub")
        self.assertEqual(again.returncode, 1, again.stdout)
        self.assertIn("the element fetcher in ", again.stdout)
        self.assertIn("is not the one that the image was made of", again.stdout)
        with open(self.work / "image.tar", "r+b") as image:
            image.write(b"x")
        self.assertIn("its provenance says sha256:", self.reproduce("image.tar", "--unsigned").stdout)
        self.assertEqual(list(self.work.glob(".hearth-reproduce-*")), [])

    def test_hooks_of_a_rebuild_are_told_the_command_line_of_the_first_build(self):
        """As the element manifests writes it into the image."""
        self.element('echo "$DIB_ARGS" > arguments\n')
        self.good("image", "--record")
        with tarfile.open(self.work / "image.tar") as tar:
            self.assertIn(b"fetcher", tar.extractfile("./root/arguments").read())
        again = self.reproduce("image.tar", "--unsigned")
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertIn("reproduced", again.stdout)

    def test_hooks_do_not_see_the_keys_that_sign(self):
        for name in ("sign", "cache"):
            subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", f"{name}.pem"], check=True, cwd=self.work)
        (self.work / "link.pem").symlink_to("sign.pem")
        self.element(f"""
cat {self.work}/*.pem > keys
umount {self.work}/sign.pem || mount --bind {self.work} /mnt || true
cat {self.work}/*.pem /mnt/*.pem >> keys || true
mv {self.work}/sign.pem {self.work}/moved && cat {self.work}/moved >> keys || true
ln {self.work}/sign.pem {self.work}/moved && cat {self.work}/moved >> keys || true
""")
        self.good("image", "--sign-key", "link.pem", "--remote-cache-key", "cache.pem", "--remote-cache", "http://127.0.0.1:9/")
        with tarfile.open(self.work / "image.tar") as tar:
            self.assertEqual(tar.extractfile("./root/keys").read(), b"")
        for name in ("sign", "cache"):
            self.assertIn("PRIVATE KEY", (self.work / f"{name}.pem").read_text())
        self.assertTrue((self.work / "image.d/provenance.dsse.json").exists())

    def test_an_image_that_a_file_describes_is_recorded_signed_and_reproduced(self):
        self.element(f"curl -sSf {self.server.url}/file > a\n")
        subprocess.run("openssl genpkey -algorithm ed25519 -out key.pem", shell=True, check=True, cwd=self.work)
        (self.work / "images.yaml").write_text(
            "- imagename: image\n  elements: [tiny-os, fetcher]\n  types: [tar]\n  skip-base: true\n"
            f"  options: [--record, --lock, my.lock, --allow-local, {HOST}, --sign-key, key.pem, --image-version, '1.4']\n")
        run = subprocess.run([HEARTH, "image", "create", "images.yaml"], cwd=self.work, env=self.environment(), text=True, check=False,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("/file 200 sha256:", (self.work / "my.lock").read_text())
        self.server.stop()
        run = self.reproduce("image.tar", "--key", "key.pem")
        self.assertEqual(run.returncode, 0, run.stdout)
        for version, code in (("1.4", 0), ("1.10", 3)):
            verified = subprocess.run([HEARTH, "image", "verify", "image.tar", "--key", "key.pem", "--minimum-version", version],
                                      cwd=self.work, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(verified.returncode, code, verified.stdout)
        (self.work / "image.d/sbom.spdx.json").write_text('{"evil": 1}')
        self.assertIn("sbom.spdx.json is not what the provenance says", self.reproduce("image.tar", "--key", "key.pem").stdout)

    def test_an_image_that_somebody_gives_brings_nothing_that_runs(self):
        """A NAME.d whose provenance and lock point at hooks, a data directory, programs and files of its own."""
        self.element("echo mine > a\n")
        self.good("image", "--record")
        evil = self.work / "image.d/evil"
        touch = f"#!/bin/bash\ntouch {self.work}/attacked\n"
        for name in ("fetcher/root.d/50-fetch", "tiny-os/root.d/10-tiny-os", "elements/tiny-os/root.d/10-x", "bin/bash", "bin/cp",
                     ".shims/hearth-python", "elements/.lib/dib-run-parts"):
            path = evil / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(touch)
            path.chmod(0o755)
        honest = json.loads((self.work / "image.d/provenance.json").read_text())
        lock = (self.work / "image.d/hearth.lock").read_text()

        def attack(arguments=(), settings="", options=(), **variables):
            statement = json.loads(json.dumps(honest))
            parameters = statement["predicate"]["buildDefinition"]["externalParameters"]
            parameters["environment"].update(variables)
            parameters["directory"] = str(evil)
            parameters["arguments"] = [*arguments, *parameters["arguments"]]
            (self.work / "image.d/hearth.lock").write_text(lock + settings)
            for subject in statement["subject"]:
                if subject["name"] == "image.d/hearth.lock":
                    subject["digest"]["sha256"] = hashlib.sha256((lock + settings).encode()).hexdigest()
            (self.work / "image.d/provenance.json").write_text(json.dumps(statement))
            run = self.reproduce("image.tar", "--unsigned", *options, mine="")
            for name in ("attacked", "said"):
                self.assertFalse((self.work / name).exists(), run.stdout)
            return run

        self.assertEqual(self.reproduce("image.tar").returncode, 2)
        run = attack(ELEMENTS_PATH=str(evil), HEARTH_DATA_DIR=str(evil), PATH=f"{evil}/bin", DIB_PYTHON_EXEC=f"{evil}/bin/bash",
                     BASH_ENV=f"{evil}/bin/bash", LD_PRELOAD=f"{evil}/bin/bash", HEARTH_AGENT_BINARY=f"{evil}/bin/bash")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("' not found", run.stdout)
        for spelling in (["--break", "after-error"], ["--brea=before-root"], [f"--logfile={self.work}/said"],
                         ["--logf", f"{self.work}/said"]):
            run = attack(arguments=spelling, **{"break": "before-root", "break_cmd": f"touch {self.work}/attacked"})
            self.assertEqual(run.returncode, 1, run.stdout)
            self.assertIn("which a rebuild does not take", run.stdout)
        secret = self.work / "secret.json"
        secret.write_text("{}\n")
        for said in ({"arguments": ["--metadata", "secret.json"]}, {"arguments": [f"--meta={secret}"]}, {"DIB_LOCAL_IMAGE": str(secret)}):
            run = attack(**said)
            self.assertEqual(run.returncode, 1, run.stdout)
            self.assertIn("which nobody has signed, makes the build read", run.stdout)
            self.assertIn("' not found", attack(options=["--may-read", "secret.json"], **said).stdout)
        run = attack(settings=f"SET ELEMENTS_PATH {evil}\n")
        self.assertIn("sets ELEMENTS_PATH, which no lock may", run.stdout)

    def reproduce(self, image, *options, mine=None, **variables):
        path = f"{self.elements}:{HERE / 'elements'}" if mine is None else mine
        return subprocess.run([HEARTH, "image", "reproduce", *options, image], cwd=self.work, env=self.environment(ELEMENTS_PATH=path, **variables), text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)

    def test_no_secret_and_no_digest_of_one_is_written_where_others_read(self):
        secrets = {"DIB_TEST_PASSWORD": "s3cret-pw", "MY_API_TOKEN": "s3cret-tok",
                   "DIB_DISTRIBUTION_MIRROR": "http://me:s3cret-url@192.0.2.1/debian",
                   "DIB_REPOLOCATION_x": "https://s3cret-git@192.0.2.1/x?access_token=s3cret-query"}
        token = self.work / "token"
        token.write_text("s3cret-file")
        secrets["MY_TOKEN_FILE"] = str(token)
        self.element("[ \"$DIB_TEST_PASSWORD$MY_API_TOKEN\" ] && [ -s \"$MY_TOKEN_FILE\" ]\n"
                     f"echo one > a; HEARTH_NOTED=1 curl -sSf {self.server.url}/file\n"  # or it would not be up to date
                     "echo \"$DIB_DISTRIBUTION_MIRROR $DIB_REPOLOCATION_x\"\n"
                     "[ \"${HEARTH_FETCH:-}\" != record ] ||\n"
                     "    echo \"DIB_DISTRIBUTION_MIRROR=$DIB_DISTRIBUTION_MIRROR\" >> \"$TMP_HOOKS_PATH/.fetch/settings\"\n"
                     "echo 'repository http://me:s3cret-url@192.0.2.1/debian/InRelease 0' >> \"$HEARTH_INPUTS\"\n")
        cache = self.work / "cache"
        plain = set()
        for text in [*secrets.values(), "s3cret-pw", "s3cret-tok", "s3cret-url", "s3cret-git", "s3cret-query", "s3cret-file"]:
            if "s3cret" in text:
                plain |= {text.encode(), hashlib.sha256(text.encode()).hexdigest()[:32].encode()}
        for options in ([], ["--record"]):
            name = f"image{len(options)}"
            variables = dict(secrets, HEARTH_LAYER_WORTH="0", DIB_IMAGE_CACHE=str(cache))
            reached = [] if options else ["--allow-local", self.server.url.removeprefix("http://")]
            self.good(name, *options, *reached, **variables)
            read = 0
            for file in [*(self.work / f"{name}.d").rglob("*"), *cache.rglob("*"), self.work / "hearth.lock"]:
                if options and file.parent.name == "blobs":
                    continue  # this hook writes a secret beside the hooks, and a layer holds what hooks write
                if file.is_file() and not file.is_symlink():
                    content = file.read_bytes()
                    read += 1
                    for secret in plain:
                        self.assertNotIn(secret, content, file)
            self.assertGreater(read, 5)
            if not options:
                self.assertIn("is up to date", self.build(name, *reached, **variables).stdout)
            variables["DIB_TEST_PASSWORD"] = "s3cret-other"
            self.good(name, *options, *reached, **variables)
            self.assertIn("root.d/50-fetch", self.ran(name), "a secret is an input all the same")

    def test_a_bill_of_materials_that_is_not_whole_says_so(self):
        self.element("mkdir -p ../usr/lib/sysimage/rpm ../etc/dib-manifests; : > ../usr/lib/sysimage/rpm/rpmdb.sqlite\n"
                     "echo app git /opt/app https://me:s3cret@192.0.2.1/app 0123abcd > ../etc/dib-manifests/dib-manifest-git-image\n")
        run = self.build("image")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("the manifest and the SBOM are not whole: packages of its rpm database are not listed", run.stdout)
        document = json.loads((self.work / "image.d/sbom.spdx.json").read_text())
        self.assertIn("rpm database", document["comment"])
        self.assertIn("git+https://192.0.2.1/app@0123abcd", [package["downloadLocation"] for package in document["packages"]])

    def test_an_answer_that_is_longer_than_it_says_is_only_what_it_says(self):
        self.element(f"curl -sSf {self.server.url}/long > a\n")
        self.good("image", "--record")
        self.assertRegex((self.work / "hearth.lock").read_text(), r"/long 200 sha256:[0-9a-f]{64} 10\b")

    def why(self, name):
        return subprocess.run([HEARTH, "image", "why", name], cwd=self.work, text=True, stdout=subprocess.PIPE, check=True).stdout

    def test_a_url_that_the_lock_does_not_name_fails_with_its_step(self):
        self.element(f"curl -sSf {self.server.url}/file > a\n")
        self.good("recorded", "--record")
        (self.site / "more").write_text("more\n")
        self.element(f"curl -sSf {self.server.url}/more > a\n")
        for mode in ("--offline", "--locked"):
            out = self.bad(mode)
            self.assertIn(f"{self.server.url}/more (asked by root.d/50-fetch): the lock does not name it", out)
        self.assertEqual(self.server.http.asked, ["/file"])

    def test_locked_refuses_what_changed(self):
        self.element(f"curl -sSf {self.server.url}/file > a\n")
        self.good("recorded", "--record")
        (self.site / "file").write_text("other contents\n")
        out = self.bad("--locked", HEARTH_CACHE=str(self.work / "new"))
        self.assertIn("the lock says sha256:", out)
        self.assertIn("record it again", out)

    def test_an_answer_that_is_cut_short_is_neither_recorded_nor_believed(self):
        self.element(f"curl -sSf {self.server.url}/cut > a\n")
        out = self.bad("--record")
        self.assertIn("/cut (asked by root.d/50-fetch)", out)
        self.assertFalse((self.work / "hearth.lock").exists())

    def test_a_server_that_falls_silent_is_given_up_and_named(self):
        for path in ("stall", "silent"):
            self.element(f"curl -sSf {self.server.url}/{path} > a\n")
            out = self.bad("--record", HEARTH_FETCH_STALL="1")
            self.assertIn(f"/{path} (asked by root.d/50-fetch)", out)
            self.assertFalse((self.work / "hearth.lock").exists())
        self.assertIn("HEARTH_FETCH_STALL: 'soon' is no number", self.bad("--record", HEARTH_FETCH_STALL="soon"))

    def test_there_is_no_way_past_the_proxy(self):
        self.element(f"curl -sS --noproxy '*' {self.server.url}/file\n")
        self.bad("--record")
        self.assertEqual(self.server.http.asked, [])

    def test_what_an_earlier_build_left_in_the_shared_cache_is_no_way_past_the_lock(self):
        shared = {"DIB_IMAGE_CACHE": str(self.work / "shared/cache"), "DIB_LOCKFILES": str(self.work / "shared/locks")}
        for directory in shared.values():
            os.makedirs(directory)
            pathlib.Path(directory, "left").write_text("of an earlier build\n")
        looks = "\n".join(f"! cat {directory}/left && ! touch {directory}/new" for directory in shared.values())
        self.element(f"{looks}\ntouch \"$DIB_IMAGE_CACHE/own\" \"$DIB_LOCKFILES/own\"\ncurl -sS {self.server.url}/file\n")
        self.good("recorded", "--record", **shared)
        for mode in ("--locked", "--offline"):
            self.good("replayed", mode, "--lock", "hearth.lock", **shared)
        self.assertEqual(os.listdir(shared["DIB_LOCKFILES"]), ["left"])
        self.assertEqual(set(os.listdir(shared["DIB_IMAGE_CACHE"])), {"left", "layers", "appliance"})

    def test_loopback_and_metadata_are_reached_only_by_a_word_of_the_users(self):
        port = self.server.http.server_address[1]
        self.allowed = ""
        hosts = (HOST, "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.2]", "169.254.169.254", "100.100.100.200", "[fe80::1]")
        self.element("".join(f"curl --noproxy '' -sSk -m 20 {scheme}://{host}:{port}/file || true\n" for host in hosts for scheme in ("http", "https"))
                     + "exit 1\n")
        self.bad("--record")
        log = (self.work / "bad.d/build.log").read_text()
        for host in hosts:
            for scheme in ("http", "https"):
                self.assertRegex(log, rf"hearth: {scheme}://{re.escape(host)}:{port}/file: .* --allow-local {re.escape(host)}:{port} ")
        self.element("".join(f"curl --noproxy '' -sSk -m 20 -w '%{{http_connect}} {host}\\n' https://{host}:{port}/file || true\n" for host in hosts)
                     + "exit 1\n")
        self.bad("--record", "--allow-unrecorded")
        log = (self.work / "bad.d/build.log").read_text()
        for host in hosts:
            self.assertIn(f"502 {host}", log)
        self.assertEqual(self.server.http.asked, [])
        self.element(f"curl -sSf {self.server.url}/file > a\n")
        self.assertIn("(loopback)", self.bad("--record", AWS_CONTAINER_URI=self.server.url))
        self.assertEqual(self.good("worded", "--record", "--allow-local", f"192.0.2.1,{HOST}:{port}", SOURCE_DATE_EPOCH="1"),
                         self.good("named", "--record", DIB_DISTRIBUTION_MIRROR=self.server.url, SOURCE_DATE_EPOCH="1"))
        self.assertIn("(loopback)", self.bad("--locked", HEARTH_CACHE=str(self.work / "new")), "a lock is no word of the user's")
        self.assertEqual(self.build("image", "--allow-local", HOST).returncode, 2)

    def test_a_server_of_this_machine_that_is_meant_is_reached_by_clients_that_send_loopback_to_no_proxy(self):
        self.allowed = ""
        server = Server(self.site, host="127.0.0.1")
        self.element('curl -sSf "$DIB_SITE/file" > curl; wget -q -O wget "$DIB_SITE/file"\n'
                     "/usr/bin/python3 -c 'import os, urllib.request; open(\"python\", \"wb\").write(urllib.request.urlopen(os.environ[\"DIB_SITE\"] + \"/file\").read())'\n")
        recorded = self.good("recorded", "--record", DIB_SITE=server.url, SOURCE_DATE_EPOCH="1")
        server.stop()
        self.assertEqual(self.good("replayed", "--offline", DIB_SITE=server.url), recorded)

    def test_ftp_is_refused_with_a_hint(self):
        self.element("curl -sSf ftp://192.0.2.1/file > a\n")
        self.assertIn("ftp is not recorded; use the mirror's http address", self.bad("--record"))

    def test_https_is_recorded_by_an_authority_that_only_the_sandbox_trusts(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out",
                        "cert.pem", "-days", "2", "-subj", "/CN=test", "-addext", f"subjectAltName=IP:{HOST}"],
                       cwd=self.work, check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.work / "cert.pem", self.work / "key.pem")
        server = Server(self.site, context)
        self.addCleanup(server.stop)
        trusted = {"SSL_CERT_FILE": str(self.work / "cert.pem")}
        self.element(f"curl -sSf {server.url}/file > curl\nwget -qO wget {server.url}/file\n"
                     f"python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1])' {server.url}/file\n")
        recorded = self.good("recorded", "--record", **trusted)
        self.assertIn(f"GET {server.url}/file 200", (self.work / "hearth.lock").read_text())
        # The authority is another one in each build; what was fetched is the same, in a replay, too.
        recording = ["--record"]
        for text, mode in (("one", recording), ("two", recording), ("three", ["--locked"])):
            self.element(f"echo {text} > b\n", "60-local")
            self.good("layered", *mode, **trusted, HEARTH_LAYER_WORTH="0")
            self.assertEqual(self.ran("layered")[-1:], ["root.d/60-local"])
            self.assertEqual(len(self.ran("layered")), 3 if text == "one" else 1, self.why("layered"))
        (self.elements / "fetcher/root.d/60-local").unlink()
        recorded = self.good("recorded", "--record", "--intercept-https", **trusted)
        server.stop()
        self.assertEqual(self.good("offline", "--offline"), recorded)

    def test_https_passes_unseen_only_where_the_user_allows_it(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out",
                        "cert.pem", "-days", "2", "-subj", "/CN=test", "-addext", f"subjectAltName=IP:{HOST}"],
                       cwd=self.work, check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.work / "cert.pem", self.work / "key.pem")
        server = Server(self.site, context)
        self.addCleanup(server.stop)
        self.element(f"curl -sSf --cacert {self.work}/cert.pem {server.url}/file > curl || true\n")
        out = self.bad("--record")  # whoever trusts another authority only is not recorded, and the build fails
        self.assertIn("not all that hooks asked for could be recorded:\n  " + server.url, out)
        self.assertFalse((self.work / "hearth.lock").exists())
        run = self.build("recorded", "--record", "--allow-unrecorded")
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertIn("not recorded: " + server.url, run.stdout)
        for _ in range(2):  # nobody can tell whether the answer is the same another time
            self.good("image", "--record", "--allow-unrecorded", HEARTH_LAYER_WORTH="0")
            self.assertEqual(self.ran("image")[-1:], ["root.d/50-fetch"])
        self.element(f"curl -sSf --cacert {self.work}/cert.pem {server.url}/file > curl\n")
        self.assertIn("--allow-unrecorded", self.bad("--offline"))

    def test_the_proxy_of_a_recording_does_not_get_into_the_image(self):
        self.element('mkdir -p "$TARGET_ROOT/etc/apt/apt.conf.d"\n')
        settings = "./etc/apt/apt.conf.d/02-use-proxy"
        for mode in ("--record", "--offline"):
            for proxy, expected in (("", []), ("http://corporate.example:8080", [settings])):
                self.good("image", mode, "tools", "local-config", http_proxy=proxy)
                with tarfile.open(self.work / "image.tar") as tar:
                    files = {each.name: tar.extractfile(each).read() for each in tar if each.isfile()}
                self.assertEqual([name for name in files if name == settings], expected)
                self.assertIn(proxy.encode(), files.get(settings, b""))
                self.assertEqual([name for name, text in files.items() if b"127.0.0.1:3128" in text], [])

    def test_what_needs_a_credential_is_recorded_without_it(self):
        word = self.work / "word"  # beside the elements, so that only the fetches could carry it
        word.write_text("someone:s3cret-word")
        url = self.server.url
        self.element(f"""
word={word}
[ -e "$word" ] && word=$(cat "$word") || word=another:word
if curl -sSf {url}/private; then exit 1; fi
curl -sSf --anyauth -u "$word" {url}/private > curl
wget -qO wget --user "${{word%%:*}}" --password "${{word#*:}}" {url}/private-too
""")
        recorded = self.good("recorded", "--record")
        lock = (self.work / "hearth.lock").read_text()
        self.assertIn(f"GET;authorized {url}/private 200 sha256:", lock)
        self.assertIn(f"GET {url}/private 401 sha256:", lock)
        word.unlink()
        self.server.stop()
        self.assertEqual(self.good("offline", "--offline"), recorded)
        secrets = (b"s3cret-word", CREDENTIAL.encode(), hashlib.sha256(b"someone:s3cret-word").hexdigest().encode())
        for file in (each for each in self.work.rglob("*") if each.is_file()):
            self.assertFalse([secret for secret in secrets if secret in file.read_bytes()], file)

    def test_forms_of_one_url_are_told_apart_by_accept(self):
        url = f"{self.server.url}/forms"
        self.element(f"curl -sSf -H 'Accept: text/html' {url} > html\n"
                     f"curl -sSf -H 'Accept: application/json; q=1' {url} > json\n"
                     "[ $(cat html json | tr '\\n' ' ' | sed 's/ $//; s/ /-/') = html-json ]\n")
        recorded = self.good("recorded", "--record")
        self.assertIn(f"GET;accept=application/json%3B%20q=1 {url} 200", (self.work / "hearth.lock").read_text())
        self.server.stop()
        self.assertEqual(self.good("offline", "--offline"), recorded)

    def test_the_cache_tells_of_what_was_fetched(self):
        def cache(*words):
            return subprocess.run([HEARTH, "cache", *words], cwd=self.work, env=self.environment(), text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

        (self.site / "other").write_text("other contents\n")
        url = self.server.url
        self.element(f"curl -sSf {url}/file > a\ncurl -sSf {url}/other > b\n")
        self.good("recorded", "--record")
        self.assertIn("24 B fetched, 2 documents, in ", cache("list").stdout)
        listed = cache("list", "--fetched").stdout
        self.assertRegex(listed, rf"(?m)^[0-9a-f]{{12}}  \S+ \S+ UTC +9 B  {re.escape(url)}/file$")
        self.assertIn(f"{url}/other\n", listed)
        self.assertIn("2 checked, 0 damaged", cache("verify").stdout)
        sha256 = hashlib.sha256(b"contents\n").hexdigest()
        damaged = self.work / "home/.cache/hearth/fetched/objects" / sha256[:2] / sha256
        damaged.write_text("other text")
        verified = cache("verify")
        self.assertEqual(verified.returncode, 1, verified.stdout)
        self.assertIn(f"damaged, removed: {sha256} (fetched)\n2 checked, 1 damaged", verified.stdout)
        self.assertIn(f"{url}/file (asked by", self.bad("--offline"))
        self.good("again", "--locked")
        self.assertEqual(cache("prune").returncode, 0)
        self.good("offline", "--offline")  # layers were pruned, and nothing else
        self.assertIn("2 removed", cache("prune", "--fetched").stdout)
        self.assertNotIn(url, cache("list", "--fetched").stdout)
        self.bad("--offline")

    def test_a_lock_is_needed_and_must_be_whole(self):
        self.element("true\n")
        self.assertIn("there is no lock file", self.bad("--offline"))
        (self.work / "hearth.lock").write_text("GET http://a.example/ 200 sha256:00 1\n")
        self.assertIn("hearth.lock:1:1: 'sha256:00' is no digest", self.bad("--locked"))


if __name__ == "__main__":
    if not shutil.which("wget"):
        print("SKIPPED: wget is missing")
        sys.exit(77)
    unittest.main(verbosity=2)
