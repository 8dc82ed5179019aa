"""Plants faults and tells who notices. usage: mutate.py ROOT BUILD ROOM|all [N]      (run.sh, README.md)

Each fault is compiled as one object from a copy of its source, by the command that the build has for it, and linked into the
unit test program of its room in front of the room's libraries, whose own definition then comes too late. What the compiler
has inlined elsewhere in its unit is not replaced by that, so a fault that seems unnoticed is compiled again, as the whole unit.
"""

import collections
import concurrent.futures
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

import table

SIMULATION = "tests/simulation/main.cpp"
SEEDS = os.environ.get("HEARTH_MUTATION_SEEDS", "400")  # that are played before a fault counts as unnoticed
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+)", re.MULTILINE)
INCLUDE = re.compile(r'^#include "([^"]+)"$', re.MULTILINE)
FAILED = re.compile(r"^\[  FAILED  \] (\S+?),? ", re.MULTILINE)
# What base/check.hpp says of a broken invariant.
CHECK = re.compile(r"^a fault of Hearth, which ends: (.*)$", re.MULTILINE)
LONGEST = 300  # seconds for the tests of one program
HASTY = bool(os.environ.get("HEARTH_MUTATION_HASTY"))

Program = collections.namedtuple("Program", "name path link")
Unit = collections.namedtuple("Unit", "source command directory")


class Build:
    """What the build knows: of which unit a source is a part, and which program has which tests."""

    def __init__(self, root, path):
        self.root, self.path = root, path
        self.units, self.test_programs, self.programs = {}, {}, {}
        with open(os.path.join(path, "compile_commands.json"), encoding="utf-8") as file:
            commands = json.load(file)
        for entry in commands:
            command = shlex.split(entry["command"])
            target = re.search(r"([^/]+)\.dir/", command[command.index("-o") + 1])
            unit = Unit(entry["file"], command, entry["directory"])
            for source in map(os.path.normpath, self.sources_of(entry["file"])):
                if source.startswith("tests/unit/") or source == SIMULATION:
                    self.test_programs[source] = (target.group(1), command[command.index("-o") + 1])
                else:
                    self.units.setdefault(source, unit)

    def sources_of(self, file):
        if not os.path.abspath(file).startswith(os.path.abspath(self.path)):
            return [os.path.relpath(file, self.root)]
        if not os.path.exists(file):
            return []
        with open(file, encoding="utf-8") as text:
            return INCLUDE.findall(text.read())

    def program(self, name):
        if name not in self.programs:
            objects = {output for target, output in self.test_programs.values() if target == name}
            if not objects:
                raise ValueError(f"the build has no {name}")
            folder = objects.pop().split("/CMakeFiles/")[0]
            lines = subprocess.run(["ninja", "-C", self.path, "-t", "commands", f"{folder}/{name}"], check=True, text=True,
                                   capture_output=True).stdout.splitlines()
            link = next(part for part in lines[-1].split(" && ") if f" -o {folder}/{name} " in part)
            self.programs[name] = Program(name, f"{folder}/{name}", shlex.split(link))
        return self.programs[name]

    def programs_of(self, row):
        """The programs that are to notice, that of the mirror test first."""
        mirror = SIMULATION if row.table.endswith("/simulation.txt") else f"tests/unit/{row.file[:-len('.cpp')]}_test.cpp"
        names = row.fields.get("by", "").split() or [self.test_programs.get(mirror, ("",))[0]]
        if not names[0]:
            raise ValueError(f"{row}: {row.file} has no mirror test: say by: which program")
        return [self.program(name) for name in names]

    def suites_of(self, row):
        """The suites of the mirror test: they are asked first."""
        path = os.path.join(self.root, f"tests/unit/{row.file[:-len('.cpp')]}_test.cpp")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return sorted(set(TEST.findall(file.read())))


class Planted:
    """One fault, compiled and linked in a scratch directory."""

    def __init__(self, build, row, scratch):
        self.build, self.row, self.scratch = build, row, scratch
        text, self.line = row.applied(table.text_of(build.root, row))
        self.unit = build.units.get(row.file)
        if self.unit is None:
            raise ValueError(f"{row}: the build compiles no {row.file}")
        self.copy = os.path.join(scratch, os.path.basename(row.file))
        with open(self.copy, "w", encoding="utf-8") as file:
            file.write(text)

    def compiled(self, whole_unit):
        source = self.copy
        if whole_unit:
            with open(self.unit.source, encoding="utf-8") as file:
                text = INCLUDE.sub(self.included, file.read())
            source = os.path.join(self.scratch, "unit.cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
        command = [source if word == self.unit.source else word for word in self.unit.command]
        command[command.index("-o") + 1] = os.path.join(self.scratch, "fault.o")
        if os.path.basename(command[0]) == "ccache":
            command = command[1:]
        # A fault may leave something unused, and need not be fast.
        command += ["-O0", "-Wno-error", "-w", "-U_FORTIFY_SOURCE", f"-I{os.path.dirname(os.path.join(self.build.root, self.row.file))}"]
        done = subprocess.run(command, cwd=self.unit.directory, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise ValueError(f"{self.row}: does not compile:\n{done.stderr[-1500:]}")

    def included(self, found):
        is_it = os.path.normpath(found.group(1)) == self.row.file
        return f'#include "{self.copy}"' if is_it else found.group(0)

    def linked(self, program):
        out = os.path.join(self.scratch, program.name)
        command = list(program.link)
        at = command.index("-o")
        command[at:at + 2] = [os.path.join(self.scratch, "fault.o"), "-Wl,--allow-multiple-definition", "-o", out]
        # In front of all objects: the first definition counts.
        done = subprocess.run(command, cwd=self.build.path, text=True, capture_output=True, check=False)
        if done.returncode != 0:
            raise ValueError(f"{self.row}: does not link:\n{done.stderr[-1500:]}")
        return out

    def tested(self, program, chosen):
        """What the program's tests say; None when they do not end."""
        try:
            return subprocess.run([program, f"--gtest_filter={chosen}", "--gtest_fail_fast", "--gtest_brief=1"], text=True,
                                  cwd=self.scratch, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST, check=False,
                                  errors="replace")
        except subprocess.TimeoutExpired:
            return None

    def played(self, program):
        """Which seed shows it, and how; "" when none does."""
        try:
            done = subprocess.run([program, "--machines", "5", "--seeds", SEEDS, "--stop", "--no-shrink"], text=True,
                                  cwd=self.scratch, capture_output=True, timeout=LONGEST, check=False, errors="replace")
        except subprocess.TimeoutExpired:
            return "a seed that does not end"
        if done.returncode == 0:
            return ""
        lines = done.stdout.splitlines()
        broken = CHECK.search(done.stderr)
        if broken:
            return f"{lines[-2].split(':')[0] if len(lines) > 1 else 'a seed'}: {broken.group(1)}"[:160]
        seed = next((line for line in lines if line.startswith("seed ") and ", BROKEN," not in line and ", good," not in line), "")
        return (seed or f"a program that ends with {done.returncode}: {(done.stderr or done.stdout)[-200:]}")[:160]

    def noticed_by(self, program):
        """The name of a test that fails, "" when all pass."""
        out = self.linked(program)
        if program.name == "simulate":
            return self.played(out)
        suites = self.build.suites_of(self.row)
        filters = [":".join(f"{suite}.*:*/{suite}.*" for suite in suites)] if suites else []
        for chosen in filters + ["*"]:
            done = self.tested(out, chosen)
            if done is None:
                if self.tested(os.path.join(self.build.path, program.path), chosen) is None:
                    raise ValueError(f"{self.row}: {program.name} does not end within {LONGEST} s without the fault either; "
                                     "try again when the machine is quiet")
                return "a test that does not end"
            if done.returncode != 0:
                failed = FAILED.search(done.stdout)
                broken = CHECK.search(done.stderr)
                return failed.group(1) if failed else broken.group(1) if broken else f"a program that ends with {done.returncode}"
        return ""


def judged(build, row):
    """(what is shown, whether that is as it should be)."""
    began = time.monotonic()
    where, who = row.file, ""
    try:
        with tempfile.TemporaryDirectory(prefix="hearth-fault-") as scratch:
            planted = Planted(build, row, scratch)
            where = f"{row.file}:{planted.line}"
            for whole_unit in (False,) if HASTY else (False, True):
                if whole_unit and planted.unit.source.endswith("/" + row.file):
                    break
                planted.compiled(whole_unit)
                who = next(filter(None, map(planted.noticed_by, build.programs_of(row))), "")
                if who:
                    break
    except ValueError as error:
        return f"ERROR      {error}", False
    expected = row.fields.get("control", "unnoticed" if "unnoticed" in row.fields else "noticed")
    fine = (expected == "noticed") == bool(who)
    reason = row.fields.get("unnoticed", "")
    kind = "noticed  " if who else "unnoticed" if fine else "UNNOTICED"
    note = f" by {who}" if who else f" ({reason})" if reason else ""
    wrong = "" if fine or not who else f"   <- {row} says that nobody notices"
    return f"{kind}  {where}: {row.fields['why']}{note}, {time.monotonic() - began:.0f} s{wrong}", fine


def chosen_rows(root, room, count):
    rooms = [one for one in table.ROOMS if os.path.exists(table.path_of(root, one))] if room == "all" else [room]
    rows = [row for one in rooms for row in table.read(root, one)]
    if count is None:
        return rows
    if re.fullmatch(r"[0-9]+-[0-9]+", count):
        first, last = map(int, count.split("-"))
        return rows[first - 1:last]
    if not count.isdigit():
        return [row for row in rows if re.search(count, row.text())]
    seed = int(os.environ.get("HEARTH_MUTATION_SEED") or time.time())
    print(f"HEARTH_MUTATION_SEED={seed}", flush=True)
    return random.Random(seed).sample(rows, min(int(count), len(rows)))


def main(root, path, room, count=None):
    try:
        rows = chosen_rows(root, room, count)
        build = Build(root, path)
    except (OSError, ValueError) as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 1
    jobs = int(os.environ.get("HEARTH_MUTATION_JOBS") or os.cpu_count())
    good = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for shown, fine in pool.map(lambda row: judged(build, row), rows):
            print(shown, flush=True)
            good += fine
    print(f"{room}: {good} of {len(rows)} as they should be")
    return 0 if good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
