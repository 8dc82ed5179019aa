"""All C++ is laid out by clang-format 14. usage: format.py ROOT [--fix]"""

import shutil
import subprocess
import sys

import tree


def main(root, fix=None):
    paths = [path for path in tree.files(root, *tree.ROOMS, "tests", "examples") if path.endswith((".hpp", ".cpp"))]
    if not paths:
        return 0
    if not shutil.which("clang-format-14"):
        print("SKIPPED: clang-format-14 is not installed, and others lay out differently")
        return 77
    mode = ["-i"] if fix == "--fix" else ["--dry-run", "-Werror", "--ferror-limit=1"]
    done = subprocess.run(["clang-format-14", "--style=file", *mode, *paths], cwd=root, capture_output=True, text=True,
                          check=False)
    wrong = sorted({line.split(":")[0] for line in done.stderr.splitlines() if "[-Wclang-format-violations]" in line})
    if done.returncode and not wrong:
        wrong = [done.stderr.strip()]
    return tree.report("format (tests/lint/format.py . --fix repairs it)", wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
