#!/usr/bin/python3
"""Random edits; after each, what is built from layers has the bytes of a clean build. usage: edits.py HEARTH ELEMENTS [SEED]

Edited are hooks and files of elements, variables, files and directories that variables name, and a branch of git. 30 edits, 500
with HEARTH_LONG; HEARTH_EDITS gives another number. The seed is printed: given again, it makes the same edits. Edits of what no
hook uses (a build service's variables, a variable that nothing names) must leave the outputs up to date.
"""

import os
import random
import subprocess
import sys
import tempfile
import time

HOOKS = {
    "root.d/60-given": 'mkdir -p "$TMP_MOUNT_PATH/given"; cp -a "$GIVEN/." "$TMP_MOUNT_PATH/given/"',
    "extra-data.d/10-data": 'cp "$TMP_HOOKS_PATH/data/text" "$TMP_MOUNT_PATH/etc/text"; cat "$FILE" >> "$TMP_MOUNT_PATH/etc/text"',
    "extra-data.d/20-git": 'git -c safe.directory="*" clone -q "$REPOSITORY" "$TMPDIR/cloned"\n'
                           'cp "$TMPDIR/cloned/file" "$TMP_MOUNT_PATH/etc/cloned"\n'
                           'echo "git $REPOSITORY master $(git -C "$TMPDIR/cloned" rev-parse HEAD)" >> "$HEARTH_INPUTS"\n'
                           'rm -rf "$TMPDIR/cloned"',
    "install.d/30-flavour": 'echo "${FLAVOUR:-plain}" > /etc/flavour',
    "install.d/40-all": 'mkdir -p /opt; for name in ${!SITE_*}; do echo "$name=${!name}"; done > /opt/site',
    "post-install.d/50-after": 'cat /etc/flavour /etc/text > /opt/after',
}


class Site:
    """What a build is made of, and ways to change it."""

    def __init__(self, hearth, elements, work, seed):
        self.hearth, self.work, self.random = hearth, work, random.Random(seed)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("DIB_", "HEARTH_", "CI"))}
        self.environment |= {
            "ELEMENTS_PATH": f"{work}/elements:{elements}", "DIB_IMAGE_CACHE": f"{work}/cache", "HEARTH_LAYER_WORTH": "0",
            "SOURCE_DATE_EPOCH": "1700000000", "GIVEN": f"{work}/given", "FILE": f"{work}/file", "HOME": f"{work}/home",
            "REPOSITORY": f"{work}/repository", "GIT_CONFIG_NOSYSTEM": "1"}
        for name, script in HOOKS.items():
            self.hook(name, script)
        for path in ("elements/edited/data/text", "given/a", "given/below/b", "file", "home/x"):
            self.write(path)
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
            f"the script {script}": (lambda: self.hook(script, f"{HOOKS[script]}; : {self.random.random()}"), True),
            "a hook comes or goes": (self.more_hooks, True),
            "the file of the element": (lambda: self.write("elements/edited/data/text"), True),
            "a file that a variable names": (lambda: self.write("file"), True),
            "a file in a directory that a variable names": (lambda: self.write("given/below/b"), True),
            "one file more there": (lambda: self.write(f"given/below/{self.random.randrange(5)}"), True),
            "one file less there": (self.remove_given, True),
            "a mode there": (lambda: os.chmod(self.write("given/a"), self.random.choice([0o600, 0o644, 0o755])), True),
            "a link there": (self.link, True),
            "a commit": (self.commit, True),
            "a variable that a script names": (lambda: self.variable("FLAVOUR", ["sweet", "sour", None]), True),
            "a variable that a script finds": (lambda: self.variable(f"SITE_{self.random.randrange(3)}", ["1", "2", None]), True),
            "a build service's variable": (lambda: self.variable("CI_JOB_ID", [str(self.random.random())]), False),
            "a terminal's variable": (lambda: self.variable("TMUX_PANE", [str(self.random.random())]), False),
        }

    def build(self, name, *options):
        done = subprocess.run([self.hearth, "image", "create", "-n", "-t", "tar", "-o", name, *options, "tiny-os", "edited"],
                              cwd=self.work, env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            raise AssertionError(f"the build fails:\n{done.stdout}{done.stderr}")
        with open(f"{self.work}/{name}.tar", "rb") as file:
            return file.read(), done.stdout + done.stderr


def main():
    hearth, elements = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(2**32)
    count = int(os.environ.get("HEARTH_EDITS") or (500 if os.environ.get("HEARTH_LONG") else 30))
    began, kept = time.monotonic(), 0
    with tempfile.TemporaryDirectory(prefix="hearth-e2e.") as work:
        site = Site(hearth, elements, work, seed)
        site.build("image")
        for number in range(1, count + 1):
            edits = site.edits()
            name = site.random.choice(list(edits))
            edit, seen = edits[name]
            edit()
            where = f"seed {seed}, edit {number} ({name})"
            found, said = site.build("image")
            if not seen and "is up to date" not in said:
                raise AssertionError(f"{where}: it is built again:\n{said}")
            kept += "is up to date" in said
            if found != site.build("clean", "--no-cache")[0]:
                raise AssertionError(f"{where}: not what a clean build makes")
    print(f"{count} edits, seed {seed}: each as a clean build; {kept} left the image as it was; {time.monotonic() - began:.0f} s")


main()
