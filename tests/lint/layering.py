"""Arrows between rooms: who may include and link whom. usage: layering.py ROOT"""

import re
import sys

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
TARGET = re.compile(r"\b(?:hearth_room|hearth_program|add_library|add_executable)\s*\(\s*([\w.-]+)")
LINKS = re.compile(r"\btarget_link_libraries\s*\(\s*([\w.-]+)\s+([^)]*)\)")


def room_of(path):
    return path.split("/")[0]


def may_see(room, other):
    return other == room or other in tree.ARROWS[room]


def include_offenders(root):
    for path in tree.sources(root, ".hpp", ".cpp"):
        room, code = room_of(path), tree.text(root, path)
        for found in INCLUDE.finditer(code):
            target = found.group(2)
            where = f"{path}:{tree.line_of(code, found.start())}"
            other = room_of(target)
            if other == "tests" or (other in tree.ARROWS and not may_see(room, other)):
                yield f"{where}: {room} must not include {target}"
            elif found.group(1) == '"' and other not in tree.ARROWS:
                yield f"{where}: \"{target}\" does not name its room; includes go from the repository's root"


def cmake_code(root, path):
    return re.sub(r"#[^\n]*", "", tree.text(root, path))


def link_offenders(root):
    lists = [path for path in tree.files(root, *tree.ROOMS) if path.endswith("CMakeLists.txt")]
    owner = {name: room_of(path) for path in lists for name in TARGET.findall(cmake_code(root, path))}
    for path in lists:
        room, code = room_of(path), cmake_code(root, path)
        for found in LINKS.finditer(code):
            for library in found.group(2).split():
                if library in owner and not may_see(room, owner[library]):
                    yield f"{path}:{tree.line_of(code, found.start())}: {room} must not link {library}"


def main(root):
    return tree.report("layering", [*include_offenders(root), *link_offenders(root)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
