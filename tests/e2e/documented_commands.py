#!/usr/bin/env python3
"""Every `hearth …` command of the documents, indented or in a span of code, is one that Hearth has, with options that it has; what an
indented one builds is planned, so its elements exist. usage: documented_commands.py ROOT     (HEARTH: the program)"""

import functools
import os
import re
import shlex
import subprocess
import sys

PROSE = {"and", "asks", "or"}  # behind "hearth node" in a sentence
BUILDERS = {"disk-image-create": ["image", "create"], "ramdisk-image-create": ["image", "create"]}
ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z_0-9]*=.*")
# A row of --help: "  -o, --output DIR   text"; a value stands one space behind its option.
ROW = re.compile(r"^ {2,8}(?:(-\w), )?(-\w|--[\w-]+)(?:, (--[\w-]+))?( [A-Z\[/][^ ]*)?(?: {2,}|$)", re.MULTILINE)


def documents(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in (".git", "build", "node_modules", "output")]
        yield from (os.path.join(folder, name) for name in names if name.endswith(".md") or name == "gitlab-ci.yml")


def indented(path):
    """(line number, command) of each indented line; lines that end in a backslash are joined."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    number = 0
    while number < len(lines):
        first, text = number + 1, lines[number]
        while text.endswith("\\") and number + 1 < len(lines):
            number += 1
            text = text[:-1] + " " + lines[number].strip()
        if re.match(r" {4,}(?!hearth [a-z -]+: )\S", text):  # not what it says when it fails
            yield first, text.strip().removeprefix("- ")  # an item of a pipeline's script
        number += 1


def spans(path):
    """(line number, text) of each span of code outside of indented lines that begins as one of our commands does."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if re.match(r" {4,}\S", line):
                continue
            for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", line):
                if re.match(r"(hearth|disk-image-create|ramdisk-image-create) [a-z-]", span):
                    yield number, span


def simple_commands(text):
    """The words of each command of a line; nothing of a line that is no shell."""
    try:
        lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return []
    commands, current = [], []
    for word in words + [";"]:
        if word and set(word) <= set("();<>|&"):
            commands.append(current)
            current = []
        else:
            current.append(word)
    return commands


def ours(words):
    """The words after `hearth`, if that is what is called."""
    while words and (ASSIGNMENT.fullmatch(words[0]) or words[0] in ("sudo", "time", "$")):
        words = words[1:]
    if not words:
        return None
    if words[0] in BUILDERS:
        return BUILDERS[words[0]] + words[1:]
    return words[1:] if words[0] == "hearth" else None


@functools.lru_cache(maxsize=None)
def help_of(words):
    done = subprocess.run([os.environ["HEARTH"], *words, "--help"], capture_output=True, text=True, timeout=60, check=False)
    usage = re.match(r"usage: hearth (.*)", done.stdout)
    return done.stdout if done.returncode == 0 and usage and usage.group(1).startswith(" ".join(words)) else ""


def command_of(words):
    """How many of the words name the command, and its help."""
    for count in range(min(4, len(words)), 0, -1):
        if all(re.fullmatch(r"[a-z][a-z0-9-]*", word) for word in words[:count]) and help_of(tuple(words[:count])):
            return count, help_of(tuple(words[:count]))
    return 0, ""


@functools.lru_cache(maxsize=None)
def begins_commands(words):
    """Are these the first words of several commands? `hearth node` is what a text calls them together."""
    done = subprocess.run([os.environ["HEARTH"], "help", *words], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode == 0


def options_of(text):
    """Option → does it take a value?"""
    found = {"-h": False, "--help": False}
    for short, name, longer, value in ROW.findall(text):
        found.update({option: bool(value) for option in (short, name, longer) if option})
    return found


def operands_and_faults(words, options):
    operands, faults, position = [], [], 0
    while position < len(words):
        word = words[position]
        position += 1
        name = word.split("=")[0]
        if word == "--":
            return operands + words[position:], faults
        if not word.startswith("-") or word == "-":
            operands.append(word)
        elif name not in options and not (name[:2] in options and options[name[:2]] and not name.startswith("--")):
            faults.append(f"there is no option {name}")
        elif options.get(name) and "=" not in word:
            position += 1
    return operands, faults


def plan_fault(root, operands, is_ramdisk):
    """Why an image of these elements can't be planned; empty when it can."""
    if not operands or any(not re.fullmatch(r"[a-z0-9][\w.+-]*", word) or word.endswith((".yaml", ".json")) for word in operands):
        return ""  # a placeholder, or a description of images
    examples = [os.path.join(root, "examples", name, "elements") for name in sorted(os.listdir(os.path.join(root, "examples")))]
    environment = {**os.environ, "ELEMENTS_PATH": ":".join(path for path in examples if os.path.isdir(path))}
    kind = ["--ramdisk-element", "deploy-ramdisk"] if is_ramdisk else []
    done = subprocess.run([os.environ["HEARTH"], "image", "plan", *kind, *operands], capture_output=True, text=True,
                          env=environment, timeout=120, check=False)
    lines = [line for line in done.stderr.strip().split("\n") if not line.endswith("[value]")]  # of variables, which a page sets before it
    only_values = len(lines) < len(done.stderr.strip().split("\n")) and not any(": error: " in line for line in lines)
    return "" if done.returncode == 0 or only_values else (lines or [""])[0]


def made_by(path):
    """Elements that a page makes itself, which nobody has before."""
    return {found.group(1) for _, text in indented(path) for found in [re.match(r"hearth element new ([\w.+-]+)", text)] if found}


def faults_of(root, text, plans=True, own=frozenset()):
    """What is wrong with each command of ours in the line; empty when nothing is."""
    for command in simple_commands(text.split("  #")[0].split(" # ")[0]):
        words = ours(command)
        if not words or words[0].startswith(("…", "[", "(")):
            continue
        words = [word for word in words if word not in ("…", "...") and not word.startswith("[")]
        if not words or words[0].startswith("-"):
            continue
        count, text_of_help = command_of(words)
        if not count and not plans and len(words) <= 2 and begins_commands(tuple(words)):
            continue
        if not count:
            yield f"hearth has no command '{' '.join(words[:2])}'"
            continue
        operands, faults = operands_and_faults(words[count:], options_of(text_of_help))
        yield from faults
        fault = ""
        if plans and words[:count] in (["image", "create"], ["image", "plan"]):
            fault = plan_fault(root, [word for word in operands if word not in own], "ramdisk-image-create" in command)
        yield fault


def misnamed_in(root, names):
    """What messages and hints of the program call a command, and is none: (place, what)."""
    seconds = {}
    for first, second in (name.split()[:2] for name in names if " " in name):
        seconds.setdefault(first, set()).add(second)
    alone = {name for name in names if " " not in name}
    for room in ("agent", "base", "bootstrap", "builder", "metadata", "pxe", "simulation"):
        for folder, _, files in os.walk(os.path.join(root, room)):
            for path in (os.path.join(folder, name) for name in files if name.endswith(".cpp")):
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                for found in re.finditer(r"\bhearth ([a-z]+) ([a-z][a-z-]*)\b(?! help)", text):
                    first, second = found.groups()
                    if first in seconds and first not in alone and second not in seconds[first] | PROSE:
                        yield f"{os.path.relpath(path, root)}:{text.count(chr(10), 0, found.start()) + 1}", found.group(0)


def main(root):
    checked, spans_checked, offenders = 0, 0, []
    listed = subprocess.run([os.environ["HEARTH"], "help", "commands"], capture_output=True, text=True, timeout=60, check=True).stdout
    names = re.findall(r"^  ([a-z][a-z-]*(?: [a-z][a-z-]*)*)(?:  |$)", listed, re.MULTILINE)
    offenders += [f"{place}: {what}\n    hearth has no such command" for place, what in misnamed_in(root, names)]
    for path in sorted(documents(root)):
        own = made_by(path)
        for number, text in indented(path):
            for fault in faults_of(root, text, own=own):
                checked += not fault
                if fault:
                    offenders.append(f"{os.path.relpath(path, root)}:{number}: {text}\n    {fault}")
        for number, text in spans(path):
            found = [fault for fault in faults_of(root, text, plans=False) if fault]
            spans_checked += not found
            offenders += [f"{os.path.relpath(path, root)}:{number}: `{text}`\n    {fault}" for fault in found]
    print(f"{checked} commands, and {spans_checked} in the text")
    print("\n".join(offenders))
    if checked < 30:
        print("that are suspiciously few")
    return 1 if offenders or checked < 30 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
