"""hearth element lint beside Debian's dib-lint, on elements with generated mistakes: what dib-lint finds, ours finds, under
the same name and in the same file; and nothing else under those names.

usage: dib_lint_peer.py HEARTH DATA_DIR [SEED]
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from one_python import OnePython

DIB_LINT = "/usr/bin/dib-lint"
HEAD = ['#!/bin/bash', '', 'if [ "${DIB_DEBUG_TRACE:-0}" -gt 0 ]; then', '    set -x', 'fi', 'set -eu', 'set -o pipefail', '']

# dib-lint's words -> the check's name
WORDS = [(r"(\S+) lacks a README", "readme"), (r"(\S+) is not executable", "executable"),
         (r"(\S+) should use 4 spaces", "indent"), (r"(\S+) is not sorted", "depsort"),
         (r"(\S+) : only use #!/bin/bash", "shebang"), (r"(\S+) is not set -e$", "sete"), (r"(\S+) is not set -u", "setu"),
         (r"(\S+) is not set -o pipefail", "setpipefail"), (r"(\S+) does not follow DIB_DEBUG_TRACE", "dibdebugtrace"),
         (r"Environment file (\S+) should not", "environment"), (r"Split export and assignments in (\S+)", "export"),
         (r"(\S+) : potentially unsafe sudo", "safe_sudo"), (r"(\S+) : potential use of which", "which"),
         (r"(\S+) contains tab characters", "tabindent"), (r"No newline at end of file: (\S+)", "newline"),
         (r"(\S+) does not end with a newline", "newline"), (r"(\S+) is not a valid YAML", "yaml"),
         (r"(\S+) is not a valid JSON", "pkgmap")]
NAMES = {name for _, name in WORDS}


def write(path, text, executable=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755 if executable else 0o644)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def random_script():
    lines = list(HEAD)
    for mistake in random.sample(range(8), random.choice([0, 1, 1, 2, 3])):
        if mistake == 0:
            lines[5] = random.choice(["set -e", "set -u", "set -x"])
        elif mistake == 1:
            lines.remove("set -o pipefail")
        elif mistake == 2:
            lines[2] = "if true; then"
        elif mistake == 3:
            lines.insert(1, "# dib-lint: disable=" + random.choice(["sete setu", "setpipefail", "which safe_sudo", "indent"]))
        elif mistake == 4:
            lines[0] = random.choice(["#!/usr/bin/env bash", "#!/bin/bash -x", "#!/bin/sh"])
        else:
            lines.append(random.choice(["  echo two", "\techo tab", "sudo rm -rf /etc/x", "sudo rm -rf $TARGET_ROOT/x", "x=$(which ls)",
                                        "export A=$(true)", "which ls # dib-lint: which", "install-packages sudo x",
                                        "sudo cp a \\\n    $TMP_MOUNT_PATH/b", "sudo true # dib-lint: safe_sudo", "# which x"]))
    return "\n".join(lines) + random.choice(["\n"] * 9 + [""]), random.random() < 0.9


def make_element(folder, sorted_deps):
    if random.random() < 0.9:
        write(os.path.join(folder, "README.rst"), random.choice(["x\n=\n", "x\n=\n\ttab\n", "x"]))
    for phase in random.sample(["root.d", "extra-data.d", "install.d", "cleanup.d", "bin"], 3):
        text, executable = random_script()
        write(os.path.join(folder, phase, "10-script"), text, executable)
    write(os.path.join(folder, "element-deps"), random.choice(["a\nb\n", "a\n\nb\n"]) if sorted_deps else "b\na\n")
    write(os.path.join(folder, "environment.d/10-x"), random.choice(["export A=1\n", "set -x\n", "export A=$(true)\n"]),
          random.random() < 0.2)
    write(os.path.join(folder, "package-installs.yaml"), random.choice(["git:\n", "git: [\n", "a:\n\tb\n"]))
    write(os.path.join(folder, "pkg-map"), random.choice(['{"default": {}}\n', '{"default": {}\n']))
    write(os.path.join(folder, "source-repository-x"), random.choice(["x git /x y\n", "x git /x y"]))


def theirs_of(tree, tools):
    done = subprocess.run(["bash", DIB_LINT], cwd=os.path.dirname(tree), capture_output=True, text=True, check=False,
                          env={"PATH": f"{tools}:{os.environ['PATH']}", "ELEMENTS_DIR": tree, "LIB_DIR": os.path.join(tree, "../lib")})
    found = set()
    for line in done.stdout.splitlines():
        if not line.startswith("ERROR: "):
            continue
        for pattern, name in WORDS:
            match = re.match(pattern, line[len("ERROR: "):])
            if match:
                found.add((os.path.relpath(match.group(1), tree), name))
                break
        else:
            raise SystemExit(f"dib-lint says something new: {line}")
    return found, done.stdout.rstrip().endswith(("PASS", "failed!"))


def ours_of(tree, hearth, data):
    done = subprocess.run([hearth, "element", "lint", "--json", "--house-style", tree], cwd=os.path.dirname(tree), capture_output=True, text=True,
                          check=False, env={"PATH": os.environ["PATH"], "HEARTH_DATA_DIR": data})
    findings = [item for item in json.loads(done.stdout) if item["severity"] == "error"]
    # Of our own checks only those that dib-lint has, too; a hook needs a shebang by ours alone.
    return {(os.path.relpath(item["file"], tree), item["check"]) for item in findings if item["check"] in NAMES}


def compare_all(hearth, data, scratch, tools):
    """How many trees differ, and how many findings of dib-lint's were compared."""
    differ = compared = 0
    for number in range(14):
        tree = os.path.join(scratch, f"tree-{number}", "elements")
        write(os.path.join(scratch, f"tree-{number}", "lib/x"), "x\n")
        for name in ("a", "b", "c", "d"):
            make_element(os.path.join(tree, name), number < 12)
        theirs, finished = theirs_of(tree, tools)
        ours = ours_of(tree, hearth, data)
        compared += len(theirs)
        # dib-lint does not see a last line without its newline.
        ours -= {(file, name) for file, name in ours - theirs
                 if name in ("safe_sudo", "which") and not read(os.path.join(tree, file)).endswith("\n")}
        # Where element-deps is not sorted, dib-lint ends at once: its diff fails under its own set -e.
        if theirs != ours if finished else not theirs <= ours:
            differ += 1
            print(f"DIFFERS: {tree}: theirs only: {sorted(theirs - ours)}, ours only: {sorted(ours - theirs)}")
        if number < 12 and not finished:
            differ += 1
            print(f"dib-lint did not come to its end on {tree}")
    return differ, compared


def main(hearth, data, seed="1"):
    if not os.path.exists(DIB_LINT) or not shutil.which("git"):
        print("SKIPPED: dib-lint (python3-diskimage-builder) and git are needed")
        return 77
    random.seed(int(seed))
    scratch = tempfile.mkdtemp(prefix="hearth-lint-peer-")
    tools = os.path.join(scratch, "tools")
    write(os.path.join(tools, "flake8"), "#!/bin/sh\nexit 0\n", True)
    python = OnePython(os.path.join(tools, "python"), ("configparser", "json", "yaml"), "/usr/bin/python3")
    try:
        differ, compared = compare_all(hearth, data, scratch, tools)
    finally:
        python.close()
    print(f"dib-lint: 56 elements, {compared} findings, {'all equal' if not differ else f'{differ} trees differ'}")
    if not differ:
        shutil.rmtree(scratch)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
