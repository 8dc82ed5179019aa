"""Nobody has to search: a room's README names each folder of the room, base's each header, docs/README.md each page of the
manual. The doors of a journey in ARCHITECTURE.md ("room/folder/file.cpp:function") are there.
usage: documents.py ROOT"""

import posixpath
import re
import subprocess
import sys

import links
import tree

DOOR = re.compile(r"\b([a-z]\w*(?:/\w+)+\.cpp):([a-z]\w*)")
PAGES = ("docs/tutorials/", "docs/howto/", "docs/explanation/", "docs/coming-from/")


def linked_from(root, path):
    """The files that a document's links lead to, from the root."""
    text = links.prose(tree.text(root, path))
    targets = (found.group(1) or found.group(2) for found in links.LINK.finditer(text))
    return {posixpath.normpath(posixpath.join(posixpath.dirname(path), target.partition("#")[0])) for target in targets}


def functions_of(root, paths):
    """(path, name) of every function that these sources define."""
    if not paths:
        return set()
    command = ["ctags", "--language-force=C++", "--kinds-C++=f", "-x", "--_xformat=%F\t%N", *paths]
    out = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return {tuple(line.split("\t")) for line in out.splitlines()}


def door_offenders(root):
    doors = DOOR.findall(tree.text(root, "ARCHITECTURE.md"))
    sources = set(tree.sources(root, ".cpp"))
    defined = functions_of(root, sorted({path for path, name in doors} & sources))
    for path, name in doors:
        if path not in sources:
            yield f"ARCHITECTURE.md: there is no {path}"
        elif (path, name) not in defined:
            yield f"ARCHITECTURE.md: {path} defines no {name}()"


def offenders(root):
    yield from door_offenders(root)
    for room in tree.ROOMS:
        folders = {path.split("/")[1] for path in tree.sources(root, ".hpp", ".cpp") if path.startswith(f"{room}/") and path.count("/") > 1}
        readme = tree.text(root, f"{room}/README.md") if folders else ""
        for folder in sorted(folders):
            if f"`{folder}/" not in readme:
                yield f"{room}/README.md: does not name the folder {folder}/"
    index = tree.text(root, "base/README.md")
    for path in tree.files(root, "base"):
        name = path[len("base/"):-len(".hpp")]
        if path.endswith(".hpp") and f"`{name}`" not in index and f"`{name}.hpp`" not in index:
            yield f"base/README.md: does not name {name}"
    pages = [path for path in tree.files(root, "docs") if path.startswith(PAGES) and path.endswith(".md")]
    named = linked_from(root, "docs/README.md") if pages else set()
    for page in pages:
        if page not in named:
            yield f"docs/README.md: does not name the page {page}"


def main(root):
    return tree.report("documents", list(offenders(root)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
