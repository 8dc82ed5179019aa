"""Every source has its mirror test, and every test is built. usage: mirror.py ROOT

<room>/x.cpp is tested by tests/unit/<room>/x_test.cpp. tests/lint/untested.txt names the exceptions, one a line with
the reason: "<room>/main.cpp  # why, and where it is proven instead". A line that is no longer true is an offender.
"""

import functools
import os
import sys

import tree

ALLOWED = "tests/lint/untested.txt"


def allowed(root):
    """Path → reason, and the offending lines."""
    reasons, bad = {}, []
    for number, line in enumerate(tree.text(root, ALLOWED).splitlines(), 1):
        path, _, reason = line.partition("#")
        if path.strip() and reason.strip():
            reasons[path.strip()] = reason.strip()
        elif path.strip():
            bad.append(f"{ALLOWED}:{number}: no reason is given")
    return reasons, bad


def test_of(path):
    return f"tests/unit/{path[:-len('.cpp')]}_test.cpp"


def is_built(root, test):
    """A CMakeLists.txt below tests/unit names it, by its path from there."""
    return test in built_tests(root)


@functools.lru_cache(maxsize=None)
def built_tests(root):
    """The paths of all tests that the CMakeLists.txt files below tests/unit name."""
    named = set()
    for path in tree.files(root, "tests/unit"):
        if os.path.basename(path) == "CMakeLists.txt":
            words = (word.rstrip(")") for word in tree.text(root, path).split())
            folder = os.path.dirname(path)
            named.update(os.path.normpath(f"{folder}/{word}") for word in words if word.endswith("_test.cpp"))
    return named


def offenders(root):
    reasons, bad = allowed(root)
    yield from bad
    paths = tree.sources(root, ".cpp")
    for path in paths:
        tested = os.path.exists(os.path.join(root, test_of(path)))
        if not tested and path not in reasons:
            yield f"{path}: no {test_of(path)}"
        elif tested and path in reasons:
            yield f"{ALLOWED}: {path} has a test now"
    yield from (f"{ALLOWED}: there is no {path}" for path in reasons if path not in paths)
    for test in tree.files(root, "tests/unit"):
        if test.endswith("_test.cpp") and not is_built(root, test):
            yield f"{test}: no CMakeLists.txt names it, so it never runs"


def main(root):
    return tree.report("mirror", list(offenders(root)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
