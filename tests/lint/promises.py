"""PROMISES.md names tests that exist, and says how often they run. usage: promises.py ROOT BUILD

A row of a table is "| promise | tests | runs |": names as ctest has them, apart by commas, "*" for anything; `quick`, `all` or
`long`, as the labels of the tests say. The tests are those that BUILD knows; of a unit test program that is not built, its
sources are asked.
"""

import fnmatch
import json
import os
import re
import subprocess
import sys

import tree

PAGE = "PROMISES.md"
ROW = re.compile(r"^\| (?P<promise>[^|]+) \| (?P<tests>[^|]+) \| (?P<runs>[^|]+) \|$")
TEST = re.compile(r"^(TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
SUITE = re.compile(r"^INSTANTIATE_TEST_SUITE_P\(\s*(\w+),\s*(\w+)", re.MULTILINE)
PROGRAM = re.compile(r"hearth_unit_tests\((\w+)([^)]*)\)")


def known_tests(build):
    """Name → how often it runs."""
    out = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, text=True, capture_output=True).stdout
    found = {}
    for test in json.loads(out)["tests"]:
        labels = {label for one in test.get("properties", []) if one["name"] == "LABELS" for label in one["value"]}
        found[test["name"]] = "quick" if labels & {"quick", "unit"} else "long" if "long" in labels else "all"
    return found


def unit_tests_of(root):
    """The names of the unit tests, from their sources."""
    for path in tree.files(root, "tests/unit"):
        if os.path.basename(path) != "CMakeLists.txt":
            continue
        for room, words in PROGRAM.findall(tree.text(root, path)):
            for word in words.split():
                source = f"{os.path.dirname(path)}/{word}"
                if word.endswith("_test.cpp") and os.path.exists(os.path.join(root, source)):
                    yield from names_in(room, tree.text(root, source))


def names_in(room, text):
    prefixes = SUITE.findall(text)
    for _, suite, name in TEST.findall(text):
        for prefix in [f"{prefix}/" for prefix, of in prefixes if of == suite] or [""]:
            yield f"unit.{room}.{prefix}{suite}.{name}"


def often(pattern, tests):
    """How often the tests that a name stands for run: the words of all of them."""
    return {runs for name, runs in tests.items() if fnmatch.fnmatchcase(name, pattern)}


def offenders(root, tests):
    count = 0
    for number, line in enumerate(tree.text(root, PAGE).splitlines(), 1):
        row = ROW.match(line)
        if not row or row["promise"] == "promise" or set(row["promise"]) <= set("-"):
            if line.startswith("|") and not row and not line.startswith("|-"):
                yield f"{PAGE}:{number}: not a row of three"
            continue
        count += 1
        for name in re.split(r",\s*", row["tests"].strip()):
            runs = often(name, tests)
            if not runs:
                yield f"{PAGE}:{number}: there is no test {name}"
            elif row["runs"].strip() not in runs:
                yield f"{PAGE}:{number}: {name} runs {' and '.join(sorted(runs))}, not {row['runs'].strip()}"
    if count == 0:
        yield f"{PAGE}: no promise is made"


def all_tests(root, build):
    return {**dict.fromkeys(unit_tests_of(root), "quick"), **known_tests(build)}


def main(root, build):
    return tree.report("promises", list(offenders(root, all_tests(root, build))))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
