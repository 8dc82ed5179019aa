"""Each place that held up somebody who tried Hearth has an outcome, and what proves it. usage: newcomers.py ROOT BUILD

A try has a page tests/newcomers/NUMBER-WHO.md with a table of five columns, "| typed | said | cost | done | proof |": `cost` is grave,
annoying or polish, as tests/newcomers.md has it, perhaps with more behind a comma ("annoying, 3 min"); `done` begins with "mended: ", then
`proof` names tests that exist (as PROMISES.md does), or with "stays: " and says why. tests/newcomers.md has a row for each page, with the
number of its places, and each page a row there.
"""

import os
import re
import sys

import promises
import tree

FOLDER = "tests/newcomers"
PAGE = "tests/newcomers.md"
HEAD = ["typed", "said", "cost", "done", "proof"]
LISTED = re.compile(r"^\| \[\d+\]\(newcomers/(?P<file>[^)]+)\) \|[^|]*\| (?P<places>\d+) \|", re.MULTILINE)


def cells(line):
    """"a \\| b" is one cell."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def row_faults(row, tests):
    if len(row) != len(HEAD):
        yield f"{len(row)} cells, not {len(HEAD)}; a | within one is written \\|"
        return
    typed, said, cost, done, proof = row
    if not typed or not said:
        yield "what was typed, and what was said?"
    if not re.match(r"(grave|annoying|polish)(,|$)", cost):
        yield f"'{cost}' is no cost: grave, annoying or polish"
    if not re.match(r"(mended|stays): \S", done):
        yield "it has no outcome: 'mended: how' or 'stays: why'"
    elif done.startswith("mended: ") and proof in ("", "–"):
        yield "no test shows that it is mended"
    for name in re.split(r",\s*", proof) if proof not in ("", "–") else []:
        if not promises.often(name, tests):
            yield f"there is no test {name}"


def offenders(root, tests):
    listed = {found["file"]: int(found["places"]) for found in LISTED.finditer(tree.text(root, PAGE))}
    pages = [path for path in tree.files(root, FOLDER) if path.endswith(".md")]
    for path in pages:
        rows = 0
        for number, line in enumerate(tree.text(root, path).splitlines(), 1):
            row = cells(line)
            if not line.startswith("|") or row == HEAD or set(line) <= set("|- "):
                continue
            rows += 1
            for fault in row_faults(row, tests):
                yield f"{path}:{number}: {fault}"
        told = listed.get(os.path.basename(path))
        if told != rows:
            yield f"{path}: it has {rows} places; {PAGE} " + ("has no row for it" if told is None else f"says {told}")
    for file in sorted(set(listed) - {os.path.basename(path) for path in pages}):
        yield f"{PAGE}: there is no {FOLDER}/{file}"


def main(root, build):
    return tree.report("newcomers", list(offenders(root, promises.all_tests(root, build))))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
