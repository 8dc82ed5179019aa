#!/usr/bin/python3
"""Made-up snippets (snippets.py), each function and conditions with arguments good and bad, through Debian's
heat engine and through `hearth metadata eval --batch`: the same value, or the same kind of error.

snippets_peer.py HEARTH [COUNT [FIRST_SEED]]; COUNT of each family. HEARTH_HEAT_PEER_COUNT=N takes N.
Exit 0 same, 1 different, 77 skipped."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import oracle
except ImportError as missing:
    print("SKIPPED: %s" % missing)
    sys.exit(77)
import snippets  # noqa: E402


def plain(value):
    """As JSON has it: sets in some order, other things by their type's name."""
    def other(thing):
        if isinstance(thing, (set, frozenset)):
            return sorted(thing, key=repr)
        return list(thing) if isinstance(thing, tuple) else "<%s>" % type(thing).__name__
    return json.loads(json.dumps(value, default=other))


def same(a, b):
    """Equal, of the same type, with the same order of keys."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (a != a and b != b)


def agree(raw, theirs, mine):
    if "error" in theirs:
        return mine.get("error") == theirs["error"]
    if isinstance(raw["result"], (set, frozenset)):  # has no order
        return isinstance(mine.get("result"), list) and sorted(map(json.dumps, theirs["result"])) == sorted(map(json.dumps, mine["result"]))
    return "result" in mine and same(theirs["result"], mine["result"])


def main(arguments):
    count = int(os.environ.get("HEARTH_HEAT_PEER_COUNT") or (arguments[1] if len(arguments) > 1 else 200))
    first = int(arguments[2]) if len(arguments) > 2 else 1
    oracle.set_up()
    bad = 0
    for family in snippets.FAMILIES:
        cases = json.loads(json.dumps([snippets.case(family, seed) for seed in range(first, first + count)]))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(cases, file)
            file.flush()
            ours = json.loads(subprocess.run([os.path.abspath(arguments[0]), "metadata", "eval", "--batch", file.name],
                                             stdout=subprocess.PIPE, check=True, timeout=600).stdout)
        errors = 0
        for number, (case, mine) in enumerate(zip(cases, ours)):
            raw = oracle.snippet(json.loads(json.dumps(case)))
            theirs = plain(raw)
            errors += "error" in theirs
            if not agree(raw, theirs, mine):
                bad += 1
                print("%s, seed %d: %s\n    heat   %s\n    hearth %s" % (family, first + number, json.dumps(case), theirs, mine))
        print("%-14s %d cases, %d of them errors" % (family, count, errors))
    print("%d different" % bad)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
