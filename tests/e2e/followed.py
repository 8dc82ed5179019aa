"""Follows a document as a newcomer does: each of its commands is typed, in the folder and shell of the one before, and says what stands
below it. usage: followed.py DOCUMENT [HEADLINE…]     HEADLINE: how a headline begins ("3."): of the document, only such sections

A command is an indented line that begins with one of WORDS, the lines behind it are its output: "…" in it is anything, a line of "…" any
lines. Output that begins with "…: " is an error's: that command is to fail, others not. An indented block of JSON is the file that was
named last before it. Exit 1: something is otherwise, all of which is told.
"""

import re
import subprocess
import sys

# A block is a file where the text before it ends with the file's name.
FILE = re.compile(r"`([\w-]*[./][\w./-]*)`(, executable)?:\s*\Z")
WORDS = (". ", "hearth ", "openstack ", "openssl ")
MARK = "\x01"


def blocks(text):
    """(text before it, lines) of each indented block."""
    before, lines = [], []
    for line in text.split("\n") + ["end"]:
        if line.startswith("    "):
            lines.append(line[4:])
        elif lines and line:
            yield "\n".join(before), lines
            before, lines = [line], []
        else:
            before.append(line)


def steps(text):
    """(command, lines of its output); files are written on the way, by a command of their own."""
    found = []
    for before, lines in blocks(text):
        if lines[0].startswith("{"):
            name = re.findall(r"`([^`]+)`", before)[-1]
            found.append((f"cat > {name} <<'END'\n" + "\n".join(lines) + "\nEND", []))
            continue
        for line in lines:
            if line.startswith(WORDS):
                found.append((line, []))
            else:
                found[-1][1].append(line)
    return found


def pattern(lines, part_of=re.escape):
    """`part_of`: the pattern of what stands between two "…"."""
    parts = [r"(?:.*\n)*?" if line.strip() == "…" else ".*".join(part_of(part) for part in line.split("…")) + "\n" for line in lines]
    return re.compile("".join(parts) + r"\Z")


ASSIGNMENTS = r"(?:[A-Z_a-z]+=(?:\$\([^)]*\)|\S)* +)*"
CREATE = re.compile(rf"({ASSIGNMENTS})(hearth image create|ramdisk-image-create|disk-image-create) +(.*)")
OF_FETCHES = re.compile(r"(?:^|\s)--(?:lock \S+|record|offline|locked)(?=\s|$)")  # a plan fetches nothing


def planned(command):
    """The command that plans what this one would build; nothing of one that builds nothing."""
    found = CREATE.fullmatch(command)
    if not found:
        return ""
    variables, _, rest = found.groups()
    if re.search(r"\.yaml\b", rest):
        return f"{variables}hearth image create --dry-run {re.sub(r'--dry-run ', '', rest)}"
    return f"{variables}hearth image plan {OF_FETCHES.sub('', rest).strip()}"


def sections(text, headlines):
    """What stands below headlines that begin so; all of it where none is named."""
    parts = re.split(r"^## ", text, flags=re.MULTILINE)
    return "".join(part for part in parts if part.startswith(tuple(headlines))) if headlines else text


def main(document, *headlines):
    with open(document, encoding="utf-8") as file:
        followed = steps(sections(file.read(), headlines))
    script = "".join(f"{command}\necho '{MARK}'$?\n" for command, _ in followed)
    done = subprocess.run(["bash"], input=script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    answers = re.findall(f"((?:[^{MARK}])*){MARK}(\\d+)\n", done.stdout)
    faults = [] if len(answers) == len(followed) else [f"{len(answers)} of {len(followed)} commands were run: {done.stdout[-1000:]}"]
    for (command, lines), (said, code) in zip(followed, answers):
        fails = bool(lines) and lines[0].startswith("…: ")
        if (code != "0") != fails or not pattern(lines).match(said):
            faults.append(f"$ {command}\nexit {code}\n{said}where the document has\n" + "\n".join(lines))
    print("\n\n".join(faults) if faults else f"{len(followed)} commands of {document}: all as it says")
    return 1 if faults or not followed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
