#!/usr/bin/env python3
"""The tutorials, and README's inventory, as far as they can be followed in seconds: each file is written as a page says, each command typed in the folder of the one
before. An image is planned in place of being built, and nothing is started: the long tests do that.
usage: tutorials.py ROOT     (HEARTH: the program)"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from followed import FILE, blocks, planned  # noqa: E402

TYPED = re.compile(r"hearth (?:element|metadata|site|schema|image plan) ")


class Follower:
    def __init__(self, root, folder):
        self.root, self.folder, self.files, self.typed, self.faults = root, folder, 0, 0, []
        self.environment = {name: value for name, value in os.environ.items() if name != "ELEMENTS_PATH"}

    def follow(self, page):
        with open(os.path.join(self.root, "docs", "tutorials", page), encoding="utf-8") as file:
            text = file.read()
        for before, lines in blocks(text):
            named = FILE.search(before)
            if named:
                self.write(named.group(1), lines, named.group(2))
                continue
            for line in lines:
                self.take(page, line.split("  #")[0].strip())

    def write(self, name, lines, executable):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines).rstrip("\n") + "\n")
        os.chmod(path, 0o755 if executable else 0o644)
        self.files += 1

    def take(self, page, line):
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").partition("=")
            self.environment[name] = value.replace("$PWD", self.folder)
        elif planned(line) or TYPED.match(line):
            self.run(page, line, shlex.split(planned(line) or line)[1:])

    def run(self, page, line, words):
        done = subprocess.run([os.environ["HEARTH"], *words], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=120, check=False)
        self.typed += 1
        if done.returncode != 0:
            self.faults.append(f"{page}: {line}\n    hearth {shlex.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def compare_with_example(follower):
    """The tutorial's element is the example's, but for what `element new` began it with."""
    made, example = os.path.join(follower.folder, "elements", "web"), os.path.join(follower.root, "examples", "ci", "elements", "web")
    for folder, _, names in os.walk(example):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), example)
            if path == "README.md":
                continue
            with open(os.path.join(example, path), encoding="utf-8") as file:
                wanted = file.read()
            try:
                with open(os.path.join(made, path), encoding="utf-8") as file:
                    found = file.read()
            except FileNotFoundError:
                found = "no such file"
            if found != wanted:
                follower.faults.append(f"my-own-element.md: {path} is not examples/ci's:\n{found}")


def readme_faults(root, folder):
    """What README says of a mistyped inventory is what the program says of examples/real-site's."""
    with open(os.path.join(root, "README.md"), encoding="utf-8") as file:
        wanted = [line.strip() for line in file if line.startswith("    instackenv.json:")]
    with open(os.path.join(root, "examples", "real-site", "instackenv.json"), encoding="utf-8") as file:
        text = file.read().replace('"pm_addr": "192.0.2.202"', '"pm_adr": "192.0.2.202"')
    with open(os.path.join(folder, "instackenv.json"), "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([os.environ["HEARTH"], "site", "new", "site.yaml", "--inventory", "instackenv.json"], cwd=folder, capture_output=True,
                          stdin=subprocess.DEVNULL, text=True, timeout=60, check=False)
    said = [line for line in done.stderr.splitlines() if line.startswith("instackenv.json:")]
    return [] if said == wanted and wanted else [f"README.md has\n{wanted}\nand the program says\n{said}"]


def main(root):
    with tempfile.TemporaryDirectory(prefix="hearth-tutorials-") as work:
        images, site = Follower(root, os.path.join(work, "images")), Follower(root, os.path.join(work, "site"))
        for follower in (images, site):
            os.mkdir(follower.folder)
        images.follow("first-image.md")
        images.follow("my-own-element.md")
        compare_with_example(images)
        images.follow("self-configuring.md")
        for name in ("deploy.kernel", "deploy.initramfs", "node.qcow2"):  # what would have been built
            with open(os.path.join(site.folder, name), "w", encoding="utf-8") as file:
                file.write(name)
        shutil.copy(os.path.join(root, "examples", "three-nodes", "three-nodes.yaml"), site.folder)
        site.follow("three-machines.md")
        site.follow("closed-site.md")
        faults = images.faults + site.faults + readme_faults(root, work)
        print("\n".join(faults))
        print(f"{images.files + site.files} files, {images.typed + site.typed} commands")
        return 1 if faults or images.files < 11 or site.files < 1 or images.typed < 10 or site.typed < 4 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
