"""What ctest does not say at the end of a run. usage: report.py RESULTS.XML MAY-SKIP

RESULTS.XML is what `ctest --output-junit` writes. Printed are the last lines of each test that failed, the ten slowest tests,
and every skip with its reason: of whole tests, and of parts of tests that passed. A test says that it leaves out a part of
itself by a line "SKIPPED: what and why". Exit code 1 when something skipped that MAY-SKIP (.ci/may-skip) does not list.
"""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree

SAID = re.compile(r"^SKIPPED: +(.+)$", re.MULTILINE)
# GoogleTest: "FILE:LINE: Skipped", the reason on the next lines, then "[  SKIPPED ] SUITE.NAME (0 ms)".
IN_GTEST = re.compile(r"^\S+:\d+: Skipped\n((?:.*\n)*?)^\[  SKIPPED \] (\S+)\.(\S+) ", re.MULTILINE)
LAST_LINES = 20


class Rule:
    """One line of the list."""

    def __init__(self, line):
        words = line.split(None, 2 if line.startswith("not-root") else 1)
        self.line = line
        self.only_without_root = words[0] == "not-root"
        if self.only_without_root:
            words = words[1:]
        if len(words) != 2:
            raise ValueError(f"not a name and a reason: {line}")
        self.name, self.reason = re.compile(words[0]), re.compile(words[1].strip())

    def allows(self, name, reason, is_root):
        return (not self.only_without_root or not is_root) and self.name.fullmatch(name) and self.reason.match(reason)


def rules(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return [Rule(line) for line in lines if line and not line.startswith("#")]


def reasons(name, output):
    """(what, reason) of all that a test says it left out: a unit test by its own name, as its suite is one test of ctest."""
    found = [(f"{name}.{test}" if name.endswith("." + suite) else "part of " + name, " ".join(said.split()) or "(no reason given)")
             for said, suite, test in IN_GTEST.findall(output)]
    return found or [("part of " + name, said.strip()) for said in SAID.findall(output)]


class Result:
    def __init__(self, case):
        self.name = case.get("name")
        self.seconds = float(case.get("time") or 0)
        self.status = case.get("status")
        self.output = case.findtext("system-out") or ""
        self.was_skipped = self.status == "notrun" and case.find("skipped") is not None
        self.failed = self.status == "fail"

    def skips(self):
        """(what, reason) of each."""
        found = reasons(self.name, self.output)
        if self.was_skipped:
            last = (self.output.strip().splitlines() or ["(no reason given)"])[-1]
            return [(self.name, found[0][1] if found else last)]
        return found if self.status == "run" else []


def print_failures(results):
    for result in results:
        if result.failed:
            print(f"== {result.name} failed after {result.seconds:.1f} s; it ended with:")
            for line in result.output.splitlines()[-LAST_LINES:]:
                print(" ", line)


def print_slowest(results):
    print("== the ten slowest")
    for result in sorted(results, key=lambda r: -r.seconds)[:10]:
        print(f"  {result.seconds:8.1f} s  {result.name}")


def print_skips(results, allowed, is_root):
    """How many of them the list does not allow."""
    skips = sorted((reason, name) for result in results for name, reason in result.skips())
    if not skips:
        print("== nothing was skipped")
        return 0
    print(f"== skipped: {len(skips)}")
    unlisted = 0
    for reason, name in skips:
        fine = any(rule.allows(name.removeprefix("part of "), reason, is_root) for rule in allowed)
        unlisted += not fine
        print(f"  {name}: {reason}{'' if fine else '   <- NOT LISTED'}")
    if unlisted:
        print(f"{unlisted} skipped without a line in the list: make them run, or add a line with the reason")
    return unlisted


def main(results_path, list_path, is_root=None):
    try:
        cases = ElementTree.parse(results_path).getroot().iter("testcase")
    except (OSError, ElementTree.ParseError) as error:
        print(f"no results of tests: {error}", file=sys.stderr)
        return 1
    results = [Result(case) for case in cases]
    print_failures(results)
    print_slowest(results)
    unlisted = print_skips(results, rules(list_path), os.geteuid() == 0 if is_root is None else is_root)
    return 1 if unlisted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
