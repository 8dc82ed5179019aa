"""Size budgets of product code, by Universal Ctags. usage: sizes.py ROOT

Function: median <= 8 lines, 95th percentile <= 40, none > 60. File: p95 <= 400, none > 700. Header: p95 <= 200.
"""

import math
import subprocess
import sys

import tree

# what: (median, 95th percentile, most)
BUDGETS = {"function": (8, 40, 60), "file": (None, 400, 700), "header": (None, 200, 700)}


def functions(root):
    """(lines, "path:line: name") of every function definition."""
    paths = tree.sources(root, ".hpp", ".cpp")
    if not paths:
        return []
    command = ["ctags", "--language-force=C++", "--kinds-C++=f", "--fields=+ne", "-x",
               "--_xformat=%F\t%n\t%{end}\t%N", *paths]
    out = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    rows = (line.split("\t") for line in out.splitlines())
    return [(int(end) - int(first) + 1, f"{path}:{first}: {name}()") for path, first, end, name in rows if end]


def file_lengths(root, suffix):
    return [(tree.text(root, path).count("\n"), path) for path in tree.sources(root, suffix)]


def percentile(sizes, share):
    """Nearest rank."""
    return sorted(sizes)[max(0, math.ceil(share * len(sizes)) - 1)]


def offenders_of(what, sized):
    if not sized:
        return
    median, p95, most = BUDGETS[what]
    sizes = [size for size, _ in sized]
    print(f"{what}: {len(sizes)}, median {percentile(sizes, 0.5)}, p95 {percentile(sizes, 0.95)}, most {max(sizes)}")
    for size, name in sorted(sized, reverse=True):
        if size > most:
            yield f"{name}: {size} lines, more than {most}"
    if median and percentile(sizes, 0.5) > median:
        yield f"median {what}: {percentile(sizes, 0.5)} lines, more than {median}"
    if percentile(sizes, 0.95) > p95:
        yield f"p95 {what}: {percentile(sizes, 0.95)} lines, more than {p95}; the longest:"
        yield from (f"  {name}: {size} lines" for size, name in sorted(sized, reverse=True) if size > p95)


def main(root):
    measured = {"function": functions(root), "file": file_lengths(root, ".cpp"), "header": file_lengths(root, ".hpp")}
    return tree.report("sizes", [line for what, sized in measured.items() for line in offenders_of(what, sized)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
