"""Tables of mutations. usage: table.py ROOT      (checks that every row is about a text that is there)

A table is tests/mutation/ROOM.txt, rows apart by empty lines:

    bootstrap/node/record.cpp
    - node.fault = text_in(row, "fault");
    +
    why: a fault that was found is forgotten by a restart

"-" is the text before, "+" the text after, in one line or several; white space counts as white space, so that the layout may
change. The text must be in the file exactly once. Further lines a row may have:

    by: base_unit_tests pxe_unit_tests     the programs that must notice, where they are not that of the mirror test; of
                                           simulation.txt all are for simulate, which plays seeds until one shows it
    unnoticed: REASON                      no unit test can notice; it is an error when one does
    control: noticed | unnoticed           a row that shows that the tool works
"""

import os
import re
import sys

ROOMS = ("base", "bootstrap", "pxe", "metadata", "agent", "builder", "simulation")
FIELDS = ("why", "by", "unnoticed", "control")


class Row:
    def __init__(self, table, number, lines):
        self.table, self.number = table, number
        self.file = lines[0].strip()
        self.before, self.after = [], []
        self.fields = {}
        for line in lines[1:]:
            key, _, value = line.partition(":")
            if line[0] in "-+" and line[1:2] in ("", " "):
                (self.before if line[0] == "-" else self.after).append(line[2:])
            elif key in FIELDS and value.strip():
                self.fields[key] = value.strip()
            else:
                raise ValueError(f"{self}: not a line of a row: {line}")
        if not any(self.before) or not self.after or "why" not in self.fields:
            raise ValueError(f"{self}: a row has a file, -, + and why:")

    def __str__(self):
        return f"{self.table}:{self.number}"

    def text(self):
        """What a pattern is looked for in."""
        return "\n".join([self.file, *self.before, *(f"{key}: {value}" for key, value in self.fields.items())])

    def applied(self, text):
        """(the file with the fault in it, the line), or ValueError."""
        words = " ".join(self.before).split()
        found = list(re.finditer(r"\s+".join(re.escape(word) for word in words), text))
        if len(found) != 1:
            what = "is not there" if not found else f"is there {len(found)} times"
            raise ValueError(f"{self}: in {self.file} this text {what}: {' '.join(words)}")
        start, end = found[0].span()
        return text[:start] + "\n".join(self.after) + text[end:], text.count("\n", 0, start) + 1


def parse(name, text):
    rows, lines, first = [], [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        if line.startswith("#"):
            continue
        if line.strip():
            first = first if lines else number
            lines.append(line)
        elif lines:
            rows.append(Row(name, first, lines))
            lines = []
    return rows


def path_of(root, room):
    return os.path.join(root, "tests", "mutation", f"{room}.txt")


def read(root, room):
    with open(path_of(root, room), encoding="utf-8") as file:
        return parse(f"tests/mutation/{room}.txt", file.read())


def text_of(root, row):
    try:
        with open(os.path.join(root, row.file), encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise ValueError(f"{row}: {error.strerror}: {row.file}") from error


def faults(root, rows):
    """What is wrong with rows, each in one line."""
    for row in rows:
        try:
            row.applied(text_of(root, row))
        except ValueError as error:
            yield str(error)


def main(root):
    bad, count = [], 0
    for room in ROOMS:
        if not os.path.exists(path_of(root, room)):
            continue
        try:
            rows = read(root, room)
        except ValueError as error:
            bad.append(str(error))
            continue
        count += len(rows)
        bad += faults(root, rows)
        kinds = [row.fields.get("control") for row in rows]
        bad += [f"tests/mutation/{room}.txt: no control that is to be {kind}" for kind in ("noticed", "unnoticed")
                if kind not in kinds]
    print("\n".join(bad) if bad else f"{count} rows, each about a text that is there")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
