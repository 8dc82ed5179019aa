#!/usr/bin/env python3
"""README, the tutorials, the how-to pages, and the tables of who comes from another project: each command is typed in order, in a world that
fits its page (howto_world.py, howto_pages.py), and says what stands below it. usage: howtos.py ROOT [PAGE…]     (HEARTH: the program)

What would build an image for minutes is planned; where a page goes on with the image, it is built of stand-ins, too. What is typed nowhere
here has a row that says why, and which test runs it. Exit 77: something that is needed is not here."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../peers")]
import howto_world as world  # noqa: E402
import postgres  # noqa: E402
from followed import ASSIGNMENTS, FILE, MARK, blocks, pattern, planned  # noqa: E402
from howto_pages import ELSEWHERE, PAGES  # noqa: E402

PATIENCE = 300  # seconds a page
NAMES = "hearth|disk-image-create|ramdisk-image-create|element-info|dib-lint"  # of our program
PROGRAMS = NAMES + r"|hearth-agent|openssl|openstack|export|set|ssh|systemctl|apt|sudo|podman|cmake|mkdir|python3|bash|sed|sha256sum|\."
COMMAND = re.compile(rf"(?!hearth [a-z -]+: ){ASSIGNMENTS}(?:{PROGRAMS})(?: |$)")  # not what it says when it fails
OURS = re.compile(rf"{ASSIGNMENTS}(?:{NAMES})(?: |$)")
FIGURE = re.compile(r"[0-9][0-9a-f:.TZmsh-]*|\b[0-9a-f]{8,}\b| {2,}")


def unlisted(text):
    """What stands in the items of a list, as it would stand outside."""
    lines, inside = [], False
    for line in text.split("\n"):
        if re.match(r"\d+\. ", line):
            inside = True
        elif line and not line.startswith("    "):
            inside = False
        lines.append(line[4:] if inside and line.startswith("    ") else line)
    return "\n".join(lines)


def joined(lines):
    """Lines of a block; a command that goes on in the next one is one of them."""
    whole = []
    for line in lines:
        if whole and (whole[-1].endswith("\\") or COMMAND.match(whole[-1]) and whole[-1].split("  #")[0].count("'") % 2):
            whole[-1] = whole[-1].removesuffix("\\").rstrip() + " " + line.strip()
        else:
            whole.append(line)
    return whole


def parts_of(text, files):
    """("command", "block" or "file", lines): a command with its output; a block that begins with none, and belongs to no command above it; of
    pages that name their files so, a file, whose first line is its name as the page has it."""
    for before, lines in blocks(re.sub(r"\n\n(?= {4})", "\n\n.\n\n", unlisted(text))):  # an empty line ends a block
        named = FILE.search(before.rstrip().removesuffix(".")) if files else None
        if named:
            yield ("file", [named.group(0), *lines])
            continue
        current = None
        for line in joined(lines):
            if COMMAND.match(line):
                if current:
                    yield current
                current = ("command", [line])
            else:
                current = current or ("block", [])
                if not re.match(r" *# ", line) or current[0] == "block":
                    current[1].append(line)
        yield current


def in_tables(text):
    """Commands of ours in the rows of tables, behind the first column."""
    for row in re.findall(r"^\|[^|]*\|(.*)\|$", text, re.MULTILINE):
        yield from (("command", [span]) for span in re.findall(r"`([^`]+)`", row) if OURS.match(span) and not span.endswith("…"))


def replaced(text, words):
    for word, value in words.items():
        text = re.sub(rf"(?<![\w.]){re.escape(word)}(?![\w-])" if word[0].isalnum() else re.escape(word), lambda _, value=value: value, text)
    return text


def answer_of(lines, figures):
    """As a pattern; where a page's figures are examples, any will do."""
    def any_figures(part):
        text = re.escape(part).replace("\\ ", " ").replace("\\-", "-")
        return FIGURE.sub(lambda found: r"\s+" if found.group().isspace() else r"[0-9a-f:.TZmsh-]+", text)

    return pattern(lines, any_figures if figures else re.escape)


class Follower:
    def __init__(self, root, work):
        self.root, self.work, self.faults = root, work, []
        self.counts = {"typed": 0, "planned": 0, "elsewhere": 0}
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("OS_", "HEARTH_", "DIB_", "ELEMENTS_")) and "proxy" not in k.lower()}
        self.environment |= {
            "ROOT": root, "WORK": work, "STAND_INS": f"{work}/elements", "PATH": f"{work}/bin:{os.environ['PATH']}", "HOME": f"{work}/home",
            "DIB_IMAGE_CACHE": f"{work}/cache", "LC_ALL": "C.UTF-8", "TINY_OS_PROGRAMS": world.PROGRAMS, "TZ": "UTC", "LIBGUESTFS_BACKEND": "direct",
            "LIBGUESTFS_BACKEND_SETTINGS": "force_tcg"}

    def fault(self, page, text):
        self.faults.append(f"{page}: {text}")

    def follow(self, name, page):
        with open(os.path.join(self.root, "docs", name), encoding="utf-8") as file:
            text = file.read()
        folder = os.path.join(self.work, os.path.basename(name).removesuffix(".md"))
        os.mkdir(folder)
        for place in ("/var/lib/hearth", "/srv"):
            subprocess.run(["find", place, "-mindepth", "1", "-delete"], check=True)
        world.furnish(folder, self.work)
        steps = self.steps(name, page, [*parts_of(text, name.startswith("tutorials")), *(in_tables(text) if name.startswith("coming-from") else [])])
        self.type(name, page, steps, folder)
        stale = [row for row in (*page.words, *page.files, *page.between, *page.codes, *page.elsewhere) if row not in self.used]
        if stale:
            self.fault(name, f"has no more what these rows are for: {stale}")

    def row(self, rows, line):
        """The value of the row that the line begins with."""
        for key in rows:
            if line.startswith(key):
                self.used.add(key)
                return rows[key]
        return None

    def steps(self, name, page, parts):
        """(line as it stands there, what is typed, its output) of each command, with what is done before them."""
        self.used, steps = set(), [("", page.before, None)] if page.before else []
        for kind, lines in parts:
            if kind == "file":
                steps += self.named_file(page, lines[0], [replaced(line, page.words) for line in lines[1:]])
                continue
            elsewhere = self.row(page.elsewhere, lines[0])
            compared = kind == "block" or not (elsewhere and not page.figures or planned(lines[0]) and not page.built)
            if not compared and len(lines) > 1:
                self.fault(name, f"nobody compares what stands below {lines[0]}: {lines[1]}")
            if elsewhere:
                self.counts["elsewhere"] += 1
                if not self.is_run(*elsewhere):
                    self.fault(name, f"{lines[0]}: is not typed here, nor run by {elsewhere[1]}")
            elif kind == "command":
                steps += self.command(page, lines[0], [replaced(line, page.words) for line in lines[1:]])
            else:
                file = self.row(page.files, lines[0])
                if file is None and steps and steps[-1][2] is not None:  # it is what the command before it says
                    steps[-1][2].extend(replaced(line, page.words) for line in lines)
                elif file is None:
                    self.fault(name, f"what is this block? {lines[0]}")
                else:
                    steps += self.file(page, file, lines)
        return steps

    def is_run(self, why, test, text):
        path = os.path.join(self.root, "tests", test)
        if not why or not os.path.exists(path):
            return False
        with open(path, encoding="utf-8") as file:
            return text in file.read()

    def command(self, page, line, output):
        for word in page.words:
            if replaced(line, {word: ""}) != line:
                self.used.add(word)
        between = self.row(page.between, line)
        if between:
            yield ("", between, None)
        typed = replaced(re.split(r" {2,}# | # ", line)[0].strip(), page.words)
        plan = planned(typed)
        if plan:
            yield (line, plan, None)
        if plan and not page.built:
            self.counts["planned"] += 1
            return
        self.counts["typed"] += 1
        if "hearth node serve " in typed:
            typed = re.sub(r"(?=hearth node serve )", "serve ", typed)
        yield (line, f"ELEMENTS_PATH=${{ELEMENTS_PATH:+$ELEMENTS_PATH:}}$STAND_INS {typed}" if plan else typed, output)

    def named_file(self, page, named, lines):
        path, is_program = FILE.search(named).groups()
        self.used |= {word for word in page.words if word in "\n".join(lines)}
        text = "\n".join(lines).rstrip("\n")
        yield (f"the file {path}", f"mkdir -p $(dirname {path}) && cat > {path} <<'END'\n{text}\nEND\nchmod {'755' if is_program else '644'} {path}", None)

    def file(self, page, file, lines):
        """The block as a file; in front of it stands how it is written, behind it what reads it."""
        path, check = file
        text = "\n".join(lines)
        self.used |= {word for word in page.words if word in text}
        write = f"cat > {path}"
        if path == "site.yaml":  # one more of its machines
            text, write = re.sub("^", "  ", text, flags=re.MULTILINE), "cat >> site.yaml"
        yield (f"the file {path}", f"{write} <<'END'\n{replaced(text, page.words)}\nEND\n{check}", None)

    def type(self, name, page, steps, folder):
        script = world.SHELL
        for _, typed, _ in steps:
            script += f"{typed}\nprintf '{MARK}%s\\n' $?\n"
        with open(os.path.join(folder, ".typed"), "w", encoding="utf-8") as file:
            file.write(script)
        began = time.monotonic()
        with subprocess.Popen(["bash", ".typed"], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, start_new_session=True) as shell:
            late = threading.Timer(PATIENCE, os.killpg, (shell.pid, signal.SIGKILL))
            late.start()
            done = shell.communicate()[0]
            late.cancel()
        answers = re.findall(f"((?:[^{MARK}])*){MARK}(\\d+)\n", done)
        if len(answers) != len(steps):
            self.fault(name, f"{len(answers)} of {len(steps)} steps were done: {done[-2000:]}")
        for (line, typed, output), (said, code) in zip(steps, answers):
            fails = bool(output) and output[0].startswith("…: ")
            wanted = str(self.row(page.codes, line) or int(fails))
            if code != wanted or output and not answer_of(output, page.figures).match(said):
                self.fault(name, f"$ {line or '(before it)'}\n  typed: {typed}\n  exit {code}, not {wanted}\n{said}" +
                           ("where the page has\n" + "\n".join(output) if output else ""))
            elif os.environ.get("HEARTH_SAID"):
                print(f"$ {typed}\n{said}", end="")
        print(f"{time.monotonic() - began:5.1f} s  {name}", flush=True)


def pages_of(root):
    yield "../README.md"
    for folder in ("tutorials", "howto", "coming-from"):
        yield from (f"{folder}/{name}" for name in sorted(os.listdir(os.path.join(root, "docs", folder))))


def main(root, *only):
    work = os.environ.get(world.INSIDE)
    if not work:
        for program in ("openssl", "openstack", "ip", "unshare", "ipmi_sim", "ipmitool", "dot", "script", "qemu-system-x86_64"):
            world.need(shutil.which(program), f"{program} is not installed")
        world.need(postgres.programs(), "PostgreSQL is not installed")
        with tempfile.TemporaryDirectory(prefix="hearth-howtos-") as folder:
            world.enter(folder)
    assert os.path.ismount("/srv") and os.path.ismount("/var/lib"), "this is no world of its own"
    os.makedirs(f"{work}/bin")
    os.makedirs(f"{work}/home")
    for name in NAMES.split("|"):
        os.symlink(os.path.abspath(os.environ["HEARTH"]), f"{work}/bin/{name}")
    for place in ("/etc/hearth", "/var/lib/hearth"):
        os.makedirs(place, exist_ok=True)
    world.stand_ins(f"{work}/elements")
    follower = Follower(root, work)
    subprocess.run(["hearth", "image", "create", "-o", "node", "vm", "debian-minimal"], cwd=work, check=True, capture_output=True,
                   env=follower.environment | {"ELEMENTS_PATH": f"{work}/elements"})
    world.certificate(f"{work}/seed", "seed.example", "198.51.100.5")
    os.mkdir(f"{work}/postgres")
    database = postgres.Postgres(f"{work}/postgres")
    database.start()
    follower.environment["DATABASE"] = f"127.0.0.1:{database.port}/hearth"
    machines = world.Machines(work)
    pages = [name for name in pages_of(root) if name not in ELSEWHERE]
    try:
        for name in pages:
            if name in PAGES and (not only or os.path.basename(name) in only):
                follower.follow(name, PAGES[name])
                machines.anew()
    finally:
        machines.end()
        database.stop()
    for name, (why, test, text) in ELSEWHERE.items():
        if not follower.is_run(why, test, text):
            follower.fault(name, f"is not typed here, nor by {test}")
    if sorted(PAGES) != sorted(pages):
        follower.fault("howto_pages.py", f"a page without a world, or a world without a page: {sorted(set(PAGES) ^ set(pages))}")
    print("\n\n".join(follower.faults))
    print(", ".join(f"{count} {what}" for what, count in follower.counts.items()))
    return 1 if follower.faults or not only and follower.counts["typed"] < 150 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), *sys.argv[2:]))
