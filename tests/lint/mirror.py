"""Every source is built, has its mirror test, and every test is built. usage: mirror.py ROOT

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


@functools.lru_cache(maxsize=None)
def built(root, *folders):
    """The paths of all sources that the CMakeLists.txt files below the folders name, by their paths from there."""
    named = set()
    for below in folders:
        for path in tree.files(root, below):
            if os.path.basename(path) == "CMakeLists.txt":
                words = (word.strip("()").removeprefix("${CMAKE_CURRENT_SOURCE_DIR}/") for word in tree.text(root, path).split())
                folder = os.path.dirname(path)
                named.update(os.path.normpath(f"{folder}/{word}") for word in words if word.endswith(".cpp"))
    return named


def offenders(root):
    reasons, bad = allowed(root)
    yield from bad
    paths = tree.sources(root, ".cpp")
    for path in paths:
        tested = os.path.exists(os.path.join(root, test_of(path)))
        if not tested and path not in reasons:
            yield f"{path}: no {test_of(path)}: write it, and name it in the CMakeLists.txt there or above; or give a reason in {ALLOWED}"
        elif tested and path in reasons:
            yield f"{ALLOWED}: {path} has a test now"
        if path not in built(root, *sorted({path.split("/")[0] for path in paths})):
            yield f"{path}: no CMakeLists.txt of its room names it, so it is not compiled"
    yield from (f"{ALLOWED}: there is no {path}" for path in reasons if path not in paths)
    for test in tree.files(root, "tests/unit"):
        if test.endswith("_test.cpp") and test not in built(root, "tests/unit"):
            yield f"{test}: no CMakeLists.txt names it, so it never runs"


def main(root):
    return tree.report("mirror", list(offenders(root)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
