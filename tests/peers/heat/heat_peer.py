#!/usr/bin/python3
"""Made-up stacks (generate.py) through Debian's heat engine and through `hearth metadata resources`: the same values, or
both refuse.

heat_peer.py HEARTH [COUNT [FIRST_SEED]]; HEARTH_HEAT_PEER_COUNT=N runs N. Exit 0 same, 1 different, 77 skipped."""
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
import compare  # noqa: E402
import generate  # noqa: E402


def ours(hearth, directory, environments):
    command = [hearth, "metadata", "resources", "--environment-wins", "-t", "top.yaml"]
    for name in environments:
        command += ["-e", name]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    if done.returncode == 0:
        return json.loads(done.stdout)
    if done.returncode != 1:
        return {"error": "exit code %d: %s" % (done.returncode, done.stderr), "type": "crash"}
    return {"error": done.stderr.strip(), "type": "refused"}


def checked(hearth, directory, environments):
    """What Heat refuses while it reads a template, `validate` refuses."""
    command = [hearth, "metadata", "validate", "--environment-wins", "-t", "top.yaml"]
    for name in environments:
        command += ["-e", name]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    return {"error": done.stderr, "type": "refused"} if done.returncode == 1 else {"valid": True}


def has_error(value):
    if compare.is_error(value):
        return True
    if isinstance(value, dict):
        return any(map(has_error, value.values()))
    return isinstance(value, list) and any(map(has_error, value))


def run(hearth, seed):
    files = generate.stack(seed)
    with tempfile.TemporaryDirectory(prefix="hearth-heat-") as directory:
        for name, document in files.items():
            with open(os.path.join(directory, name), "w") as out:
                json.dump(document, out, indent=1)
        environments = sorted(n for n in files if n.startswith("env"))
        theirs = oracle.resolve(os.path.join(directory, "top.yaml"), [os.path.join(directory, e) for e in environments])
        mine = ours(hearth, directory, environments)
        if mine.get("type") == "crash":
            return ["hearth: " + mine["error"]], False
        if compare.is_error(theirs) and not compare.is_error(mine):
            mine = checked(hearth, directory, environments)
        if compare.is_error(mine) and has_error(theirs):
            return [], theirs.get("error", "in part")  # one place is enough for us to refuse the whole
        theirs = json.loads(json.dumps(theirs, default=compare.sorted_set).replace("file://" + directory + "/", ""))
        found = compare.differences(theirs, mine)
        if found and has_error(mine):
            if not has_error(theirs):  # what Heat finds only when it validates
                again = oracle.resolve(os.path.join(directory, "top.yaml"), [os.path.join(directory, e) for e in environments], validate=True)
                if compare.is_error(again):
                    return [], again["error"]
            else:  # an error shows in all that uses it; the oracle goes on where it can
                found = [line for line in found if '"error"' not in line and " only in " not in line]
        return found, False


def main(arguments):
    hearth = os.path.abspath(arguments[0])
    count = int(os.environ.get("HEARTH_HEAT_PEER_COUNT") or (arguments[1] if len(arguments) > 1 else 200))
    first = int(arguments[2]) if len(arguments) > 2 else 1
    compare.SETS = True
    oracle.set_up()
    bad = refused = 0
    for seed in range(first, first + count):
        found, no = run(hearth, seed)
        refused += bool(no)
        if no and os.environ.get("HEARTH_HEAT_PEER_WHY"):
            print("seed %d refused: %s" % (seed, no))
        if found:
            bad += 1
            print("seed %d:" % seed)
            for line in found[:6]:
                print("   ", line)
    print("%d stacks, %d of them refused as a whole, %d different" % (count, refused, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
