"""Nobody has to search: a room's README names each folder of the room, base's each header, docs/README.md each page of the
manual.
usage: documents.py ROOT"""

import posixpath
import sys

import links
import tree

PAGES = ("docs/tutorials/", "docs/howto/", "docs/explanation/", "docs/coming-from/")


def linked_from(root, path):
    """The files that a document's links lead to, from the root."""
    text = links.prose(tree.text(root, path))
    targets = (found.group(1) or found.group(2) for found in links.LINK.finditer(text))
    return {posixpath.normpath(posixpath.join(posixpath.dirname(path), target.partition("#")[0])) for target in targets}


def offenders(root):
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
