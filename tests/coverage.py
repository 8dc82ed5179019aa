"""Which share of each room's lines the unit tests run, held to a floor. usage: coverage.py FILES.JSON FLOORS

FILES.JSON is what `gcovr --json-summary` writes. FLOORS (tests/coverage-floors) has a room and a percentage a line. A room below
its floor fails the run, and so does one that is more than two points above it: the floor is then raised, so that what was won
is not lost unseen. Prints a line a room, then the twenty sources with the most lines that no test runs.
"""

import collections
import json
import sys

SLACK = 2.0  # points
SHOWN = 20


def floors(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {room: float(floor) for room, floor in rows}


def rooms(files):
    """Room → lines that run, lines."""
    sums = collections.defaultdict(lambda: [0, 0])
    for file in files:
        room = sums[file["filename"].split("/")[0]]
        room[0] += file["line_covered"]
        room[1] += file["line_total"]
    return sums


def offenders(sums, floor_of):
    for room in sorted(set(sums) | set(floor_of)):
        if room not in sums:
            yield f"{room}: none of its sources was compiled for coverage"
            continue
        if room not in floor_of:
            yield f"{room}: it has no floor"
            continue
        covered, total = sums[room]
        share = 100 * covered / max(total, 1)
        print(f"{room:10} {share:5.1f} % of {total} lines; floor {floor_of[room]:g}")
        if share < floor_of[room]:
            yield f"{room}: {share:.1f} % of its lines run, fewer than {floor_of[room]:g} %"
        elif share > floor_of[room] + SLACK:
            yield f"{room}: {share:.1f} % of its lines run; raise its floor of {floor_of[room]:g} %"


def main(summary, table):
    with open(summary, encoding="utf-8") as file:
        files = json.load(file)["files"]
    bad = list(offenders(rooms(files), floors(table)))
    missed = sorted(files, key=lambda file: file["line_covered"] - file["line_total"])[:SHOWN]
    print("most lines that no unit test runs:")
    for file in missed:
        print(f"  {file['line_total'] - file['line_covered']:5} of {file['line_total']:5}  {file['filename']}")
    for line in bad:
        print(f"coverage: {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
