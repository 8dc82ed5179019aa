#!/usr/bin/python3
"""Random edits; after each, what is built from layers has the bytes of a clean build. usage: edits.py HEARTH ELEMENTS [SEED]

Edited are hooks and files of elements, variables, files and directories that variables or scripts name, a large file, a branch
of git, a document and an apt repository on a server, programs of the machine, files where the build is started and in the image
cache, files whose paths scripts put together, to read them or to ask for them, a script that reads what an earlier one left in
/tmp, variables of an element's environment.d. 30 edits, 500 with HEARTH_LONG; HEARTH_EDITS gives another number. The seed is
printed: given again, it makes the same edits. Edits of what no hook uses (a build service's variables) must leave the outputs up to
date. At the end files are edited while a hook reads them, a hook mounts something of the machine elsewhere, or leaves a mount, and
a hook fetches something without noting it, and a variable that environment.d sets for one hook leaves the steps of Hearth's own
elements (tiny-os plays one) before it as they are.
"""

import gzip
import hashlib
import http.server
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

LARGE = 300 << 20

HOOKS = {
    "root.d/60-given": 'mkdir -p "$TMP_MOUNT_PATH/given"; cp -a "$GIVEN/." "$TMP_MOUNT_PATH/given/"; cat "$GIVEN/led/to" > "$TMP_MOUNT_PATH/given/to"',
    "extra-data.d/10-data": 'cp "$TMP_HOOKS_PATH/data/text" "$TMP_MOUNT_PATH/etc/text"; cat "$FILE" >> "$TMP_MOUNT_PATH/etc/text"; stat -c %u "$FILE" >> "$TMP_MOUNT_PATH/etc/text"',
    "extra-data.d/20-git": 'git -c safe.directory="*" clone -q "$REPOSITORY" "$TMPDIR/cloned"\n'
                           'cp "$TMPDIR/cloned/file" "$TMP_MOUNT_PATH/etc/cloned"\n'
                           'echo "git $REPOSITORY master $(git -C "$TMPDIR/cloned" rev-parse HEAD)" >> "$HEARTH_INPUTS"\n'
                           'rm -rf "$TMPDIR/cloned"',
    "extra-data.d/30-machine": 'cat MACHINE/named > "$TMP_MOUNT_PATH/etc/machine"; [ ! -e MACHINE/flag ] || echo flag >> "$TMP_MOUNT_PATH/etc/machine"\n'
                               'program-of-the-machine >> "$TMP_MOUNT_PATH/etc/machine"\n'
                               'cat started/here site.conf >> "$TMP_MOUNT_PATH/etc/machine"',
    "extra-data.d/40-large": 'dd if="$LARGE" bs=64 skip=$((290 << 14)) count=1 status=none > "$TMP_MOUNT_PATH/etc/large"',
    "extra-data.d/50-helper": '"$TMP_HOOKS_PATH/bin/edited-helper" > "$TMP_MOUNT_PATH/etc/helped"; "$SCRIPT" >> "$TMP_MOUNT_PATH/etc/helped"',
    "extra-data.d/60-document": '"$TMP_HOOKS_PATH/bin/cache-url" "$SERVER/document" "$DIB_IMAGE_CACHE/document"\n'
                                'cat "$DIB_IMAGE_CACHE/document" > "$TMP_MOUNT_PATH/etc/document"',
    "extra-data.d/70-apt": 'apt=$TMP_MOUNT_PATH/var/lib/apt; mkdir -p "$apt/lists/partial" "$TMP_MOUNT_PATH/etc/apt" "$TMPDIR/apt/archives/partial"\n'
                           'echo "deb [trusted=yes] $SERVER/debian stable main" > "$TMP_MOUNT_PATH/etc/apt/sources.list"; : > "$TMPDIR/apt/status"\n'
                           'options=(-q -o Dir::State="$apt" -o Dir::State::status="$TMPDIR/apt/status" -o Dir::Cache="$TMPDIR/apt" -o APT::Sandbox::User=root\n'
                           '  -o Dir::Etc::sourcelist="$TMP_MOUNT_PATH/etc/apt/sources.list" -o Dir::Etc::sourceparts=-)\n'
                           'apt-get "${options[@]}" update; (cd "$TMPDIR/apt" && apt-get "${options[@]}" download edited)\n'
                           'cat "$TMPDIR"/apt/edited_*.deb > "$TMP_MOUNT_PATH/etc/edited.deb"; rm -rf "$TMPDIR/apt" "$apt/lists"/*Packages* "$apt/lists/partial"',
    "extra-data.d/80-unnamed": 'python3 -c \'import os, sys; place = sys.argv[1][::-1]; print(open(os.path.join(place, "un" + "named")).read(), '
                               'sorted(os.listdir(os.path.join(place, "some" + "where"))), os.path.exists(os.path.join(place, "as" + "ked")))\' ENIHCAM > "$TMP_MOUNT_PATH/etc/unnamed"',
    "extra-data.d/85-left": 'cat "$DIB_IMAGE_CACHE/left" > "$TMP_MOUNT_PATH/etc/left"',
    "extra-data.d/87-scratch": '[ -e /tmp/edited-one ] || mkdir /tmp/edited-one; cat "$FILE" > /tmp/edited-one/file; mkdir "$TMP_MOUNT_PATH/two"\n'
                               'cat "$FILE" > "$TMP_MOUNT_PATH/two/file"; mv "$TMP_MOUNT_PATH/two" /tmp/edited-two; mv /tmp/edited-two /var/tmp/edited-three\n'
                               'cp -r "$TMP_HOOKS_PATH/data" "$TMPDIR/edited-four"; mv "$TMPDIR/edited-four" /tmp/edited-four',
    "extra-data.d/88-from-scratch": 'cat /tmp/edited-one/* /var/tmp/edited-three/* /tmp/edited-four/* > "$TMP_MOUNT_PATH/etc/from-scratch"',
    "install.d/30-flavour": 'echo "${FLAVOUR:-plain}" > /etc/flavour',
    "install.d/35-mood": 'echo "${MOOD:-none} ${WEATHER:-none}" > /etc/mood',
    "install.d/40-all": 'mkdir -p /opt; for name in ${!SITE_*}; do echo "$name=${!name}"; done > /opt/site',
    "post-install.d/50-after": 'cat /etc/flavour /etc/text > /opt/after',
}


def script_of(name, machine):
    return HOOKS[name].replace("MACHINE", machine).replace("ENIHCAM", machine[::-1])


ENVIRONMENT = {  # of environment.d: what it may say
    "50-mood": ["export MOOD=${MOOD:-calm}\n", "# another\nMOOD='wild one' WEATHER=\"$MOOD\"\nexport MOOD WEATHER\n", "export MOOD=$(date +%Y)\n", "export MOOD\n"],
    "60-more": ["export WEATHER=${MOOD:-none}\n", "[ -z \"${MOOD:-}\" ] || export WEATHER=$MOOD\n", "export DIB_MOOD=${MOOD:-none}\n", ""]}
OWN = "root.d/50-own"
MEANWHILE = ('python3 -c \'import sys; print(open(sys.argv[1][::-1] + "/un" + "named").read())\' ENIHCAM > "$TMP_MOUNT_PATH/etc/meanwhile"\n'
             ': > "$DIB_IMAGE_CACHE/began"; until [ -e "$DIB_IMAGE_CACHE/go" ]; do sleep 0.1; done; cat "$FILE" >> "$TMP_MOUNT_PATH/etc/meanwhile"')
BOUND = ('place=$(rev <<< ENIHCAM); mkdir -p /tmp/edited-bound; mount --bind "$place/somewhere" /tmp/edited-bound\n'
         'cat /tmp/edited-bound/* > "$TMP_MOUNT_PATH/etc/bound"; umount /tmp/edited-bound')
BOUND_CACHE = ('mkdir -p "$DIB_IMAGE_CACHE/bound" /tmp/edited-cache; mount --bind "$DIB_IMAGE_CACHE/bound" /tmp/edited-cache\n'
               'cat /tmp/edited-cache/* > "$TMP_MOUNT_PATH/etc/bound"; umount /tmp/edited-cache')
LEAVES_MOUNT = 'mkdir -p /tmp/edited-left; mount -t tmpfs none /tmp/edited-left; echo left > /tmp/edited-left/file'
READS_MOUNT = 'cat /tmp/edited-left/file > "$TMP_MOUNT_PATH/etc/left-mount"'
UNNOTED = 'curl -s "$SERVER/document" > "$TMP_MOUNT_PATH/etc/unnoted"'


class Server(http.server.ThreadingHTTPServer):
    """Answers with what is in `files` now, by path; tells a digest as ETag."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.files = {}
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def publish(self, text):
        """An apt repository with one package of this text. Its version stays: apt need not see a newer one."""
        package = "debian/pool/edited_1_all.deb"
        self.files[f"/{package}"] = text
        digest = lambda body: hashlib.sha256(body).hexdigest()
        listed = (f"Package: edited\nVersion: 1\nArchitecture: all\nMaintainer: n <n@example.org>\nDescription: x\n"
                  f"Filename: {package.removeprefix('debian/')}\nSize: {len(text)}\nSHA256: {digest(text)}\n").encode()
        bodies = {"main/binary-all/Packages": listed, "main/binary-amd64/Packages": b"", "main/binary-arm64/Packages": b""}
        bodies |= {f"{name}.gz": gzip.compress(body, mtime=0) for name, body in bodies.items()}
        lines = "".join(f" {digest(body)} {len(body)} {name}\n" for name, body in bodies.items())
        release = ("Suite: stable\nCodename: stable\nArchitectures: all amd64 arm64\nComponents: main\n"
                   f"Date: Thu, 01 Jan 2026 00:00:00 UTC\nSHA256:\n{lines}").encode()
        for name, body in bodies.items():
            self.files[f"/debian/dists/stable/{name}"] = body
        self.files["/debian/dists/stable/Release"] = release


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.server.files.get(self.path)
        self.send_response(404 if body is None else 200)
        if body is not None:
            self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body or b"")

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


class Site:
    """What a build is made of, and ways to change it."""

    def __init__(self, hearth, elements, work, machine, seed):
        self.hearth, self.work, self.machine, self.random = hearth, work, machine, random.Random(seed)
        self.server = Server()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("DIB_", "HEARTH_", "CI"))}
        self.environment |= {
            "ELEMENTS_PATH": f"{work}/elements", "DIB_IMAGE_CACHE": f"{work}/cache", "HEARTH_LAYER_WORTH": "0",
            "SOURCE_DATE_EPOCH": "1700000000", "GIVEN": f"{work}/given", "FILE": f"{work}/file", "HOME": f"{work}/home",
            "REPOSITORY": f"{work}/repository", "GIT_CONFIG_NOSYSTEM": "1", "HEARTH_REPOSITORY_AGE": "0", "SERVER": self.server.url(),
            "LARGE": f"{machine}/large", "SCRIPT": f"{machine}/script", "PATH": f"{machine}/bin:{os.environ['PATH']}",
            "HEARTH_DATA_DIR": f"{work}/data"}
        shutil.copytree(f"{elements}/../../../elements", f"{work}/data/elements", symlinks=True)
        shutil.copytree(f"{elements}/tiny-os", f"{work}/data/elements/tiny-os", symlinks=True)
        self.own("true")
        self.path = self.environment["PATH"]
        for name in HOOKS:
            self.hook(name, script_of(name, machine))
        for name, texts in ENVIRONMENT.items():
            self.write(f"elements/edited/environment.d/{name}", texts[0])
        self.program(f"{work}/elements/edited/bin/edited-helper", 'echo "${HELPED:-plain}"')
        self.program(f"{machine}/script", 'echo "${SCRIPTED:-plain}"')
        self.program(f"{machine}/bin/program-of-the-machine", 'echo "${NOBODYS:-plain}"')
        shutil.copy(f"{elements}/../../../elements/cache-url/bin/cache-url", f"{work}/elements/edited/bin/cache-url")
        for name in ("named", "unnamed", "somewhere/0"):
            self.write(f"{machine}/{name}")
        self.write("cache/left")
        with open(f"{machine}/large", "wb") as file:
            file.truncate(LARGE)
        self.document()
        self.package()
        os.makedirs(f"{machine}/led")
        for path in ("elements/edited/data/text", "given/a", "given/below/b", "file", "home/x", "started/here", "site.conf", f"{machine}/led/to"):
            self.write(path)
        for number in range(9):
            os.makedirs(f"{work}/home{number}")
        os.symlink(f"{machine}/led", f"{work}/given/led")
        subprocess.run(["git", "init", "-q", "-b", "master", f"{work}/repository"], check=True, env=self.environment)
        self.commit()
        self.extra = []

    def write(self, path, text=None):
        path = os.path.join(self.work, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{self.random.random()}\n" if text is None else text)
        return path

    def hook(self, name, script):
        os.chmod(self.write(f"elements/edited/{name}", f"#!/bin/bash\nset -eu\n{script}\n"), 0o755)

    def own(self, script):
        """A step of an element of Hearth's own."""
        os.chmod(self.write(f"data/elements/tiny-os/{OWN}", f'#!/bin/bash\nset -eu\nmkdir -p "$TMP_MOUNT_PATH/etc"\n{script}\n'), 0o755)

    def environment_file(self):
        name = self.random.choice(list(ENVIRONMENT))
        self.write(f"elements/edited/environment.d/{name}", self.random.choice(ENVIRONMENT[name]))

    def program(self, path, script):
        os.chmod(self.write(path, f"#!/bin/sh\n{script}\n"), 0o755)

    def document(self):
        self.server.files["/document"] = f"{self.random.random()}\n".encode()

    def package(self):
        self.server.publish(f"{self.random.random()}\n".encode())

    def large(self):
        """Its size stays, and its time, too."""
        path = f"{self.machine}/large"
        look = os.stat(path)
        with open(path, "r+b") as file:
            file.seek((290 << 20) + self.random.randrange(60))
            file.write(self.random.choice(b"abcdef").to_bytes(1, "big"))
        os.utime(path, ns=(look.st_atime_ns, look.st_mtime_ns))

    def flag(self, name="flag"):
        path = f"{self.machine}/{name}"
        os.remove(path) if os.path.exists(path) else self.write(path)

    def commit(self):
        self.write("repository/file")
        git = ["git", "-C", f"{self.work}/repository", "-c", "user.name=n", "-c", "user.email=n@example.org"]
        subprocess.run([*git, "add", "-A"], check=True, env=self.environment)
        subprocess.run([*git, "commit", "-q", "-m", "x"], check=True, env=self.environment)

    def variable(self, name, values):
        value = self.random.choice(values)
        if value is None:
            self.environment.pop(name, None)
        else:
            self.environment[name] = value

    def link(self):
        path = f"{self.work}/given/link"
        if os.path.lexists(path):
            os.remove(path)
        os.symlink(f"target-{self.random.random()}", path)

    def remove_given(self):
        path = self.random.choice([f"{self.work}/given/a", f"{self.work}/given/below/b", f"{self.work}/given/link"])
        if os.path.lexists(path):
            os.remove(path)

    def more_hooks(self):
        if self.extra and self.random.random() < 0.5:
            os.remove(f"{self.work}/elements/edited/{self.extra.pop()}")
            return
        name = f"install.d/{self.random.randrange(10, 99)}-more{len(self.extra)}"
        self.hook(name, f"mkdir -p /opt; echo {self.random.random()} >> /opt/more")
        self.extra.append(name)

    def edits(self):
        """Name → (what it does, whether a hook can see it)."""
        script = self.random.choice(list(HOOKS))
        return {
            f"the script {script}": (lambda: self.hook(script, f"{script_of(script, self.machine)}; : {self.random.random()}"), True),
            "a hook comes or goes": (self.more_hooks, True),
            "the file of the element": (lambda: self.write("elements/edited/data/text"), True),
            "a file that a variable names": (lambda: self.write("file"), True),
            "a file in a directory that a variable names": (lambda: self.write("given/below/b"), True),
            "one file more there": (lambda: self.write(f"given/below/{self.random.randrange(5)}"), True),
            "one file less there": (self.remove_given, True),
            "a mode there": (lambda: os.chmod(self.write("given/a"), self.random.choice([0o600, 0o644, 0o755])), True),
            "a link there": (self.link, True),
            "a script that reads what an earlier one left": (
                lambda: self.hook("extra-data.d/88-from-scratch", f"{HOOKS['extra-data.d/88-from-scratch']}; : {self.random.random()}"), True),
            "a commit": (self.commit, True),
            "a variable that a script names": (lambda: self.variable("FLAVOUR", ["sweet", "sour", None]), True),
            "a variable that a script finds": (lambda: self.variable(f"SITE_{self.random.randrange(3)}", ["1", "2", None]), True),
            "a file of environment.d": (self.environment_file, True),
            "a variable that environment.d names": (lambda: self.variable("MOOD", ["merry", "sad", None]), True),
            "a step of Hearth's own": (lambda: self.own(self.random.choice(
                ['echo "${MOOD:-none}" > "$TMP_MOUNT_PATH/etc/own"', 'env | grep -E "^(MOOD|WEATHER|DIB_MOOD)=" > "$TMP_MOUNT_PATH/etc/own" || true',
                 'echo "${WEATHER:-none}" > "$TMP_MOUNT_PATH/etc/own"', "true"])), True),
            "a file that a script names": (lambda: self.write(f"{self.machine}/named"), True),
            "a file whose path a script puts together": (lambda: self.write(f"{self.machine}/unnamed"), True),
            "a name in a directory whose path a script puts together": (lambda: self.write(f"{self.machine}/somewhere/{self.random.randrange(9)}"), True),
            "a file that a script asks for": (self.flag, True),
            "a file that a script asks for by a path put together": (lambda: self.flag("asked"), True),
            "a large file": (self.large, True),
            "a document on a server": (self.document, True),
            "a package on a mirror": (self.package, True),
            "a variable of a called helper": (lambda: self.variable("HELPED", ["1", "2", None]), True),
            "a variable of a script that a variable names": (lambda: self.variable("SCRIPTED", ["1", "2", None]), True),
            "a variable of a program of the machine": (lambda: self.variable("NOBODYS", [str(self.random.random())]), True),
            "a program of the machine": (lambda: self.program(f"{self.machine}/bin/program-of-the-machine",
                                                              f'echo "${{NOBODYS:-plain}} {self.random.random()}"'), True),
            "a file that lies in the image cache": (lambda: self.write("cache/left"), True),
            "a file where the build is started": (lambda: self.write(self.random.choice(["started/here", "site.conf"])), True),
            "a file behind a link in a directory that a variable names": (lambda: self.write(f"{self.machine}/led/to"), True),
            "an owner there": (lambda: os.chown(f"{self.work}/file", self.random.randrange(3) if os.geteuid() == 0 else -1, -1), True),
            "another machine's directories of programs": (lambda: self.variable("PATH", [self.path + more for more in ("", ":/not-there/bin", ":/usr/games")]), False),
            "the home": (lambda: self.variable("HOME", [f"{self.work}/home{self.random.randrange(9)}"]), False),
            "a build service's variable": (lambda: self.variable("CI_JOB_ID", [str(self.random.random())]), False),
            "a terminal's variable": (lambda: self.variable("TMUX_PANE", [str(self.random.random())]), False),
        }

    def build(self, name, *options):
        done = subprocess.run([self.hearth, "image", "create", "-n", "-t", "tar", "-o", name, "--allow-local", self.server.url().removeprefix("http://"),
                               *options, "tiny-os", "edited"],
                              cwd=self.work, env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            raise AssertionError(f"the build fails:\n{done.stdout}{done.stderr}")
        with open(f"{self.work}/{name}.tar", "rb") as file:
            return file.read(), done.stdout + done.stderr


def differing(found, clean):
    """The names in two tar archives whose headers or contents are not the same in both."""
    names = []
    for body in (found, clean):
        with tarfile.open(fileobj=io.BytesIO(body)) as archive:
            names.append({(entry.name, tuple(sorted(entry.get_info().items())), archive.extractfile(entry).read() if entry.isfile() else b"")
                          for entry in archive})
    return sorted({entry[0] for entry in names[0] ^ names[1]})


def element_digest(site):
    """What the provenance of the last build says of the edited element."""
    with open(f"{site.work}/image.d/provenance.json", encoding="utf-8") as file:
        statement = json.load(file)
    return next(each["digest"] for each in statement["predicate"]["buildDefinition"]["resolvedDependencies"]
                if each.get("name", "").endswith("edited") or each.get("uri", "").endswith("edited"))


def meanwhile(site):
    """What was edited between its digest and its reading, or the other way round, is not taken for what it was or is."""
    site.hook("post-root.d/80-meanwhile", MEANWHILE.replace("ENIHCAM", site.machine[::-1]))
    with open(f"{site.work}/file", encoding="utf-8") as file:
        before = file.read()
    building = threading.Thread(target=site.build, args=("image",))
    building.start()
    while building.is_alive() and not os.path.exists(f"{site.work}/cache/began"):
        time.sleep(0.05)
    with open(f"{site.work}/elements/edited/data/text", encoding="utf-8") as file:
        text = file.read()
    site.write(f"{site.machine}/unnamed")
    site.write("file")
    site.write("elements/edited/data/text")
    site.write("cache/go")
    building.join()
    told = element_digest(site)
    site.write("file", before)
    site.write("elements/edited/data/text", text)
    found, said = site.build("image")
    if found != site.build("clean", "--no-cache")[0]:
        raise AssertionError(f"what was edited while a hook read it is stale:\n{said}")
    if told != element_digest(site):
        raise AssertionError("the provenance has the digest of an element as it was edited after its hooks had been copied")


def mounts(site):
    """What a hook mounts is read anew, and `image why` says so; a mount that was left is there for the next one."""
    site.hook("post-root.d/85-bound", BOUND.replace("ENIHCAM", site.machine[::-1]))
    site.build("image")
    site.write(f"{site.machine}/somewhere/0")
    found, said = site.build("image")
    if found != site.build("clean", "--no-cache")[0]:
        raise AssertionError(f"what a hook reads through its own bind mount is stale:\n{said}")
    why = subprocess.run([site.hearth, "image", "why", "image"], cwd=site.work, capture_output=True, text=True, check=True).stdout
    if f"it is not kept: it mounted {site.machine}/somewhere somewhere else" not in why:
        raise AssertionError(f"image why does not say what was mounted:\n{why}")
    site.hook("post-root.d/85-bound", BOUND_CACHE)
    for _ in range(2):
        site.write("cache/bound/file")
        found, said = site.build("image")
        if found != site.build("clean", "--no-cache")[0]:
            raise AssertionError(f"what a hook reads of the image cache through its own bind mount is stale:\n{said}")
        if "is up to date" not in site.build("image")[1]:
            raise AssertionError("a bind mount of a directory in the image cache keeps nothing")
    os.remove(f"{site.work}/elements/edited/post-root.d/85-bound")
    site.hook("post-root.d/86-left", LEAVES_MOUNT)
    site.hook("post-root.d/87-of-left", READS_MOUNT)
    site.build("image")
    site.hook("post-root.d/87-of-left", f"{READS_MOUNT}; : edited")
    found, said = site.build("image")
    if found != site.build("clean", "--no-cache")[0]:
        raise AssertionError(f"what an earlier hook has mounted is missing:\n{said}")
    for name in ("86-left", "87-of-left"):
        os.remove(f"{site.work}/elements/edited/post-root.d/{name}")


def unnoted(site):
    """What a hook fetches without a word is fetched each time, and `image why` says so."""
    site.hook("post-root.d/90-unnoted", UNNOTED)
    site.build("image")
    site.document()
    found, said = site.build("image")
    if found != site.build("clean", "--no-cache")[0]:
        raise AssertionError(f"what a hook fetches without noting it is stale:\n{said}")
    why = subprocess.run([site.hearth, "image", "why", "image"], cwd=site.work, capture_output=True, text=True, check=True).stdout
    if "it is not kept: curl reached 127.0.0.1:" not in why or "kept  extra-data.d/30-machine" not in why:
        raise AssertionError(f"image why does not say what is not kept:\n{why}")


def variable_of_an_element(site):
    """What environment.d sets for one hook alone runs none of the steps before it that are Hearth's own."""
    site.own('echo own > "$TMP_MOUNT_PATH/etc/own"')
    for path in ("edited/environment.d/60-more", *(f"edited/{name}" for name in HOOKS if not name.startswith("install.d")),
                 *(f"edited/{name}" for name in ("post-root.d/80-meanwhile", "post-root.d/90-unnoted"))):
        os.remove(f"{site.work}/elements/{path}")
    edits = (lambda: site.write("elements/edited/environment.d/50-mood", "export MOOD=${MOOD:-quiet}\n"),
             lambda: site.environment.update(MOOD="given"),
             lambda: site.write("elements/edited/environment.d/55-weather", "export WEATHER=fair\n"))
    site.environment.pop("MOOD", None)
    site.write("elements/edited/environment.d/50-mood", "export MOOD=${MOOD:-calm}\n")  # one that only sets, as the next ones
    site.build("image")
    for edit in edits:
        edit()
        found, said = site.build("image")
        if found != site.build("clean", "--no-cache")[0]:
            raise AssertionError(f"a variable of environment.d is stale:\n{said}")
        why = subprocess.run([site.hearth, "image", "why", "image"], cwd=site.work, capture_output=True, text=True, check=True).stdout
        if f"kept  {OWN}" not in why or "ran   install.d/35-mood" not in why:
            raise AssertionError(f"a variable of environment.d, which one hook names, runs others:\n{why}")
    with tarfile.open(f"{site.work}/image.tar") as archive:
        mood = archive.extractfile("./etc/mood").read()
    if mood != b"given fair\n":
        raise AssertionError(f"the hook that names them has not got them: {mood}")


def main():
    hearth, elements = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(2**32)
    count = int(os.environ.get("HEARTH_EDITS") or (500 if os.environ.get("HEARTH_LONG") else 30))
    began, kept = time.monotonic(), 0
    with tempfile.TemporaryDirectory(prefix="hearth-e2e.") as work, tempfile.TemporaryDirectory(prefix="hearth-e2e.", dir=os.path.dirname(hearth)) as machine:
        os.chmod(machine, 0o755)
        os.chmod(work, 0o755)
        site = Site(hearth, elements, work, machine, seed)
        site.build("image")
        for number in range(1, count + 1):
            edits = site.edits()
            name = site.random.choice(list(edits))
            edit, seen = edits[name]
            edit()
            where = f"seed {seed}, edit {number} ({name})"
            found, said = site.build("image")
            if seen is False and "is up to date" not in said:
                raise AssertionError(f"{where}: it is built again:\n{said}")
            kept += "is up to date" in said
            clean = site.build("clean", "--no-cache")[0]
            if found != clean:
                raise AssertionError(f"{where}: not what a clean build makes: {differing(found, clean)}\n{said}")
        meanwhile(site)
        mounts(site)
        unnoted(site)
        variable_of_an_element(site)
    print(f"{count} edits, seed {seed}: each as a clean build; {kept} left the image as it was; {time.monotonic() - began:.0f} s")


main()
