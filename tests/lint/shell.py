"""Shell scripts: bash -n, shellcheck, and strictness of element hooks. usage: shell.py ROOT

And no group of commands before "||" or "&&": there bash forgets `set -e`, so what fails in the group's middle goes unnoticed.
Nor "| grep -q" where pipefail is set: grep leaves at the first match, and the writer may die of the closed pipe.
"""

import os
import re
import subprocess
import sys

import tree

SHEBANG = re.compile(r"#!\s*/(?:usr/)?bin/(?:env\s+)?(bash|sh|dash)\b")
HOOK = re.compile(r"^elements/[^/]+/(?!environment\.d)[^/]+\.d/[^/]+$")
SET = re.compile(r"(?:^|;|&&)[ \t]*set[ \t]+([^;&|#\n]+)", re.MULTILINE)
# The end of a group of several lines, and a group on one line whose commands are not all joined.
DEAF = re.compile(r"^[ \t]*[)}](?:[ \t]*[0-9&]*[<>][^|&;\n]*|[ \t]*2>&1)*[ \t]*(?:\|\||&&)|"
                  r"(?:^|[;&|][ \t])[ \t]*\([ \t]*[^()\n|;]*;[^()\n]*\)[ \t]*(?:\|\||&&)", re.MULTILINE)
LEAVES_EARLY = re.compile(r"(?<!\|)\|\s*grep\s+-[a-zA-Z]*q")


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


def joined(code, end):
    """Is the group whose last line begins at `end` one command, or several joined by && and ||?"""
    closing = code[end:].lstrip()[0]
    opening = {")": "(", "}": "{"}[closing]
    lines = code[:end].split("\n")[:-1]
    body = []
    for line in reversed(lines):
        if re.search(rf"{re.escape(opening)}\s*$", line):
            break
        body.insert(0, line.split(" #")[0].rstrip())
    else:
        return True  # a bracket of something else
    body = [line for line in body if line.strip() and not line.strip().startswith("#")]
    return all(line.endswith(("&&", "||", "\\", "|")) for line in body[:-1])


def deaf(root, path):
    code = tree.text(root, path)
    for found in DEAF.finditer(code):
        if code[found.start():].lstrip(" \t\n")[0] in ")}" and joined(code, found.start()):
            continue
        yield f"{path}:{tree.line_of(code, found.start())}: 'set -e' does not hold in a group before || or &&; " \
              "join its commands by &&, or run them by bash -e"


def broken_pipes(root, path):
    code = tree.text(root, path)
    if "pipefail" not in strictness(code):
        return
    for found in LEAVES_EARLY.finditer(code):
        if "bash -c" in code[code.rfind("\n", 0, found.start()) + 1:found.start()]:
            continue  # a shell of its own, without pipefail
        yield f"{path}:{tree.line_of(code, found.start())}: grep -q may kill the writer of its pipe, which pipefail takes " \
              "for a failure; give it the text: grep -q … <<<\"$(…)\""


def tool_offenders(root, command):
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return [(done.stdout + done.stderr).strip()] if done.returncode else []


def offenders(root):
    scripts = {path: shell_of(root, path) for path in tree.files(root)}
    scripts = {path: shell for path, shell in scripts.items() if shell}
    for path, shell in scripts.items():
        yield from tool_offenders(root, ["bash", "-n", path])
        yield from deaf(root, path)
        yield from broken_pipes(root, path)
        if HOOK.match(path):
            yield from lax(root, path, shell)
    if scripts:
        yield from tool_offenders(root, ["shellcheck", "-x", "-S", "warning", "-f", "gcc", *scripts])


def main(root):
    return tree.report("shell", list(offenders(root)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
