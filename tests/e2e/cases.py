"""Cases made up from numbers, for what must hold of any input: HEARTH_CASES=1000 tries more than a usual run does,
HEARTH_FIRST_CASE=N begins with another one; what fails says the one command that repeats it."""

import os

USUAL = 50


def seeds(usual=USUAL):
    first = int(os.environ.get("HEARTH_FIRST_CASE") or 1)
    return range(first, first + int(os.environ.get("HEARTH_CASES") or usual))


def repeat(seed, test):
    """`test`: as ctest calls it."""
    return f"repeat: HEARTH_FIRST_CASE={seed} HEARTH_CASES=1 ctest --preset dev -R '^{test}$'"
