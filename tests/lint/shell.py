"""Shell scripts: bash -n, shellcheck, and strictness of element hooks. usage: shell.py ROOT"""

import os
import re
import subprocess
import sys

import tree

SHEBANG = re.compile(r"#!\s*/(?:usr/)?bin/(?:env\s+)?(bash|sh|dash)\b")
HOOK = re.compile(r"^elements/[^/]+/(?!environment\.d)[^/]+\.d/[^/]+$")
SET = re.compile(r"(?:^|;|&&)[ \t]*set[ \t]+([^;&|#\n]+)", re.MULTILINE)


def shell_of(root, path):
    """bash or sh for a shell script, else nothing."""
    if os.path.islink(os.path.join(root, path)):
        return None
    found = SHEBANG.match(tree.text(root, path))
    if found:
        return "bash" if found.group(1) == "bash" else "sh"
    return "bash" if path.endswith((".sh", ".bash")) else None


def strictness(code):
    """The options that `set` switches on: "set -euo pipefail" gives {"e", "u", "pipefail"}."""
    on = set()
    for arguments in SET.findall(code):
        words = arguments.split()
        for word, following in zip(words, [*words[1:], ""]):
            if re.fullmatch(r"-[a-zA-Z]+", word):
                on |= set(word[1:]) - {"o"}
                on |= {following} if "o" in word else set()
    return on


def lax(root, path, shell):
    wanted = {"e", "u"} | ({"pipefail"} if shell == "bash" else set())
    lacking = wanted - strictness(tree.text(root, path))
    if lacking:
        yield f"{path}: a hook must fail at the first error; 'set' lacks: {' '.join(sorted(lacking))}"


def tool_offenders(root, command):
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return [(done.stdout + done.stderr).strip()] if done.returncode else []


def offenders(root):
    scripts = {path: shell_of(root, path) for path in tree.files(root)}
    scripts = {path: shell for path, shell in scripts.items() if shell}
    for path, shell in scripts.items():
        yield from tool_offenders(root, ["bash", "-n", path])
        if HOOK.match(path):
            yield from lax(root, path, shell)
    if scripts:
        yield from tool_offenders(root, ["shellcheck", "-x", "-S", "warning", "-f", "gcc", *scripts])


def main(root):
    return tree.report("shell", list(offenders(root)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
