"""What must not stand in any file. usage: forbidden.py ROOT

In all texts: marks of unfinished work. In elements: names by a pid. In product C++ outside base/sys: calls that base/sys has
a safe wrapper for. In the rooms that speak to people: what prints past base/cli/print.hpp. Outside of the one file that does
them for all: what takes each unit of compilation a second and more. In the builder: paths of a target's tree that
the host would resolve.
Nothing here depends on the machine or the folder that the tree lies in.
"""

import re
import sys

import tree

UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
BEFORE = r"(?<![\w.>:])"
RAW_CALLS = (
    (re.compile(BEFORE + r"(?:std::|::)?(?:system|popen)\s*\("), "a shell string; use Command (base/sys/process.hpp)"),
    (re.compile(BEFORE + r"(?:::)?v?fork\s*\("), "a raw fork; use Command or Child (base/sys/process.hpp)"),
    (re.compile(r"(?<![\w>])::open(?:at)?\s*\("), "a raw descriptor; use Fd::open (base/sys/fd.hpp)"),
    (re.compile(r"\bstd::filesystem\b"), "std::filesystem; use fs (base/path.hpp), whose remove_all can't be raced"),
    (re.compile(r"(?:\.|->)symlink_status\(\)"), "follows links since Boost 1.80, and fails at a loop; use fs::symlink_status(path)"),
)
# Who has these, and what to call.
DEAR = {
    "base/json.cpp": ((re.compile(r"\.dump\("), "JSON's writer; use format_json (base/json.hpp)"),
                      (re.compile(r"\bJson::parse\("), "JSON's reader; use parse_json or json_or_null (base/json.hpp)")),
    "base/json.hpp": ((re.compile(r"#\s*include <nlohmann/json\.hpp>"),
                       "JSON that ends the process where a member is missing; use base/json.hpp"),),
    "base/foreign_json.cpp": ((re.compile(r"(?i)json::exception& \w+\) \{[^}]*\.what\(\)"),
                               "the library's words for a fault; use json_fault (base/foreign_json.hpp)"),),
    "base/pattern.cpp": ((re.compile(r"\bstd::regex\b"), "std::regex; use Pattern (base/pattern.hpp)"),),
}
# tests/report.py counts these, and no others.
SKIPS = ((re.compile(r"""(?:echo|print\() ?f?"skip""" r"""ped: """), 'a skip; its line begins with "SKIPPED: " (tests/report.py)'),)
# Texts of machines, images and people are in what these print: it goes through the one place that gives the terminal no orders.
SAID = re.compile(r"(?<![\w.>])(?:std::)?(?:f?puts|f?printf|fwrite)\s*\(|\bstd::(?:cout|cerr)\b")
SPEAKERS = ("builder/", "metadata/", "pxe/", "bootstrap/")
RAW_SPEAKERS = {
    "bootstrap/bundle/commands.cpp",  # a line that grows: \\r, and numbers
    "bootstrap/rehearse/looking_in.cpp",  # a machine's console, on a terminal that asked for it
    "builder/outdated/outdated.cpp",  # a line that is wiped again; the address in it by clean_line()
}
# Builds have pid namespaces of their own: two that run beside each other have the same numbers, and would write one file.
HOOKS = ((re.compile(r"\$\$(?!\w)"), "a pid, which two builds at once have both; use mktemp"),)
# A link in the tree leads there to a file of the host. Files that may all the same, and what keeps them from following one.
TREE = re.compile(r"(?<![\w.>:])(?:root|target|tree|k_target_root)_? / |\.in\((?:root|target|tree)_?\)")
TREE_WALKERS = {
    "builder/boot/kernels.cpp",  # one name in the tree's own root
    "builder/disk/ext/ext_tree.cpp",  # walks down by lstat
    "builder/disk/layout/image_size.cpp",  # what TreeReader did not find
    "builder/guestfs/appliance_check.cpp",  # the root is the host's own
    "builder/layers/archive_entry.cpp",  # walks down by lstat
    "builder/layers/cache_binds.cpp",  # canonical() before a bind
    "builder/layers/difference.cpp",  # walks down by lstat
    "builder/layers/read_watch.cpp",  # directories of the merged hooks; what is watched is not read
    "builder/run/build.cpp",  # remove_all and a list, which follow no link
    "builder/target/target_tree.cpp",  # is_own_directory() before each
    "builder/sandbox/sandbox.cpp",  # mounts, in the sandbox's own namespace
}


def found_in(path, code, patterns):
    for pattern, what in patterns:
        for found in pattern.finditer(code):
            yield f"{path}:{tree.line_of(code, found.start())}: {found.group(0).strip()}: {what}"


def offenders(root):
    for path in tree.files(root):
        yield from found_in(path, tree.text(root, path), ((UNFINISHED, "unfinished work"),))
    for path in tree.files(root, "tests"):
        if path.endswith((".sh", ".py")) and path != "tests/report.py":
            yield from found_in(path, tree.text(root, path), SKIPS)
    for path in tree.files(root, "elements"):
        if not path.endswith((".md", ".rst")):
            yield from found_in(path, tree.text(root, path), HOOKS)
    for path in tree.sources(root, ".hpp", ".cpp"):
        if not path.startswith("base/sys/"):
            yield from found_in(path, tree.without_comments(tree.text(root, path)), RAW_CALLS)
        for owner, patterns in DEAR.items():
            if path != owner:
                yield from found_in(path, tree.without_comments(tree.text(root, path)), patterns)
        if path.startswith(SPEAKERS) and path not in RAW_SPEAKERS:
            yield from found_in(path, tree.without_comments(tree.text(root, path)),
                                ((SAID, "prints as it is; use cli::print or cli::tell (base/cli/print.hpp)"),))
        if path.startswith("builder/") and path not in TREE_WALKERS:
            yield from found_in(path, tree.without_comments(tree.text(root, path)),
                                ((TREE, "a tree's path, as the host resolves it; use TreeReader (base/sys/tree_reader.hpp)"),))


def main(root):
    return tree.report("forbidden", list(offenders(root)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
