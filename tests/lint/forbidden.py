"""What must not stand in any file. usage: forbidden.py ROOT

In all texts: host names of the package registries that this machine uses, the path of this very checkout, marks of
unfinished work. In product C++ outside base/sys: calls that base/sys has a safe wrapper for.
"""

import functools
import os
import re
import subprocess
import sys
from urllib.parse import urlsplit

import tree

UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
BEFORE = r"(?<![\w.>:])"
RAW_CALLS = (
    (re.compile(BEFORE + r"(?:std::|::)?(?:system|popen)\s*\("), "a shell string; use Command (base/sys/process.hpp)"),
    (re.compile(BEFORE + r"(?:::)?v?fork\s*\("), "a raw fork; use Command or Child (base/sys/process.hpp)"),
    (re.compile(r"(?<![\w>])::open(?:at)?\s*\("), "a raw descriptor; use Fd::open (base/sys/fd.hpp)"),
    (re.compile(r"\bstd::filesystem\b"), "std::filesystem; use fs (base/path.hpp), whose remove_all can't be raced"),
)
STANDARD_TOPS = {"bin", "boot", "build", "dev", "etc", "home", "lib", "media", "mnt", "opt", "proc", "root", "run", "sbin",
                 "srv", "sys", "tmp", "usr", "var"}


@functools.lru_cache(maxsize=None)
def registry_hosts():
    try:
        out = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE)"], capture_output=True, text=True,
                             check=False).stdout
    except FileNotFoundError:
        return set()
    hosts = {urlsplit(line).hostname for line in out.splitlines()}
    return {host for host in hosts if host and host != "localhost"}


def own_paths(root):
    """The checkout, and the folder that it lies in unless every machine has such a one."""
    root = os.path.realpath(root)
    parent = os.path.dirname(root)
    paths = [root] if root.count("/") > 1 else []
    if parent != "/" and (parent.count("/") > 1 or parent[1:] not in STANDARD_TOPS):
        paths.append(parent)
    return paths


def text_patterns(root):
    yield UNFINISHED, "unfinished work"
    for host in sorted(registry_hosts()):
        yield re.compile(rf"(?<![\w.-]){re.escape(host)}(?![\w-])"), "a registry's host name"
    for path in own_paths(root):
        yield re.compile(rf"(?<![\w.$}}/]){re.escape(path)}(/\w|\b(?![\w/]))"), "a path of this machine"


def found_in(path, code, patterns):
    for pattern, what in patterns:
        for found in pattern.finditer(code):
            yield f"{path}:{tree.line_of(code, found.start())}: {found.group(0).strip()}: {what}"


def offenders(root):
    patterns = list(text_patterns(root))
    for path in tree.files(root):
        yield from found_in(path, tree.text(root, path), patterns)
    for path in tree.sources(root, ".hpp", ".cpp"):
        if not path.startswith("base/sys/"):
            yield from found_in(path, tree.without_comments(tree.text(root, path)), RAW_CALLS)


def main(root):
    return tree.report("forbidden", list(offenders(root)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
