"""Arrows between rooms, and between the folders of a room: who may include and link whom. ARCHITECTURE.md has a picture of
each room's inside, made of the same table. A namespace is named after the room and the folders that its file lies in.

usage: layering.py ROOT             checks the tree, and that the pictures are those of the table
       layering.py ROOT --pictures  writes the pictures anew
"""

import os
import re
import sys

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
TARGET = re.compile(r"\b(?:hearth_room|hearth_program|add_library|add_executable)\s*\(\s*([\w.-]+)")
NAMESPACE = re.compile(r"^(?:inline )?namespace (hearth[\w:]*) \{\n", re.MULTILINE)
FORWARD = re.compile(r"(?:\s|//[^\n]*\n|(?:class|struct|enum class) \w+;)*\}")
LINKS = re.compile(r"\btarget_link_libraries\s*\(\s*([\w.-]+)\s+([^)]*)\)")


def room_of(path):
    return path.split("/")[0]


def may_see(room, other):
    return other == room or other in tree.ARROWS[room]


def advice(whose, seen):
    """What to do about an include that no arrow allows."""
    return (f" ({whose} sees {', '.join(sorted(seen)) or 'nothing else'}: put this where both are seen, hand the value in, or draw the "
            "arrow in tests/lint/tree.py where that makes no circle)")


def include_offenders(root):
    for path in tree.sources(root, ".hpp", ".cpp"):
        room, code = room_of(path), tree.text(root, path)
        for found in INCLUDE.finditer(code):
            target = found.group(2)
            where = f"{path}:{tree.line_of(code, found.start())}"
            other = room_of(target)
            if other == "tests" or (other in tree.ARROWS and not may_see(room, other)):
                yield f"{where}: {room} must not include {target}" + advice(room, tree.ARROWS.get(room, ()))
            elif found.group(1) == '"' and other not in tree.ARROWS:
                yield f"{where}: \"{target}\" does not name its room; includes go from the repository's root"


def folder_of(path):
    """The folder that a file lies in, from its room; "." for the room's own files."""
    return "/".join(path.split("/")[1:-1]) or "."


def inner_offenders(root, table):
    for room, arrows in table.items():
        below, used = [], {folder: set() for folder in arrows}
        for folder, seen in arrows.items():
            for other in sorted(seen - set(below)):
                yield f"tests/lint/tree.py: {room}/{folder} looks up to {other}: arrows go to what stands before it in the table"
            below.append(folder)
        for path in tree.files(root, room):
            folder = folder_of(path)
            if not path.endswith((".hpp", ".cpp")):
                continue
            if folder not in arrows:
                yield f"{path}: {room}/{folder} is not in tests/lint/tree.py's table of {room}'s folders"
                continue
            code = tree.text(root, path)
            for found in INCLUDE.finditer(code):
                target, other = found.group(2), folder_of(found.group(2))
                if room_of(target) != room or other == folder:
                    continue
                if other not in arrows[folder]:
                    yield (f"{path}:{tree.line_of(code, found.start())}: {room}/{folder} must not include {target}" +
                           advice(f"{room}/{folder}", arrows[folder]))
                used[folder].add(other)
        for folder, seen in arrows.items():
            for other in sorted(seen - used[folder]):
                yield f"tests/lint/tree.py: {room}/{folder} does not include {other} any more: take the arrow out"


def is_named_after(namespace, path):
    """hearth::ROOM, or with folders of the path and names of no folder behind it; base's is hearth."""
    room, *folders = path.split("/")[:-1]
    words = namespace.split("::")[1:]
    if room != "base" and words[:1] != [room]:
        return False
    others = set(tree.ROOMS) | {folder.split("/")[0] for folder in tree.INNER_ARROWS[room]}
    return all(word in folders or word not in others for word in words[room != "base":])


def namespace_offenders(root, others):
    used = set()
    for path in tree.sources(root, ".hpp", ".cpp"):
        code = tree.text(root, path)
        for found in NAMESPACE.finditer(code):
            if is_named_after(found.group(1), path) or FORWARD.match(code, found.end()):
                continue
            known = next((name for name in (path, os.path.dirname(path)) if others.get(name) == found.group(1)), None)
            used.add(known)
            if not known:
                yield (f"{path}:{tree.line_of(code, found.start())}: the namespace {found.group(1)} is not named after the "
                       "room and the folder")
    for name in sorted(set(others) - used):
        yield f"tests/lint/tree.py: {name} has no namespace {others[name]} any more: take the line out"


def picture(arrows):
    """A line for each folder, from the top down."""
    width = max(map(len, arrows))
    return "".join(f"    {folder:{width}}{'  → ' + ', '.join(o for o in arrows if o in seen) if seen else ''}".rstrip() + "\n"
                   for folder, seen in reversed(list(arrows.items())))


def with_pictures(text, table):
    """ARCHITECTURE.md's text with each room's picture behind its mark."""
    for room, arrows in table.items():
        text = re.sub(rf"(<!-- arrows of {room} -->\n\n)(?:    .*\n)*\n?", lambda mark: mark[1] + picture(arrows) + "\n", text)
    return text


def picture_offenders(root, table):
    text = tree.text(root, "ARCHITECTURE.md")
    for room, arrows in table.items():
        if len(arrows) > 1 and f"<!-- arrows of {room} -->\n\n" not in text:
            yield f"ARCHITECTURE.md: there is no picture of {room}: write <!-- arrows of {room} --> where it belongs"
    if with_pictures(text, table) != text:
        yield "ARCHITECTURE.md: a picture is not that of the table: run layering.py ROOT --pictures"


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


def main(root, table=None, others=None):
    others = others or {} if table is not None else tree.OTHER_NAMESPACES
    table = tree.INNER_ARROWS if table is None else table
    return tree.report("layering", [*include_offenders(root), *link_offenders(root), *inner_offenders(root, table),
                                    *namespace_offenders(root, others), *picture_offenders(root, table)])


if __name__ == "__main__":
    if sys.argv[2:] == ["--pictures"]:
        page = os.path.join(sys.argv[1], "ARCHITECTURE.md")
        text = tree.text(sys.argv[1], "ARCHITECTURE.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write(with_pictures(text, tree.INNER_ARROWS))
        sys.exit()
    sys.exit(main(sys.argv[1]))
