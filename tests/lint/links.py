"""Every link of a document leads somewhere: files and folders are there, and so are the headlines that anchors name.
usage: links.py ROOT"""

import os
import re
import sys

import tree

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


def prose(text):
    """The text with code blanked out, lines kept: indented blocks, fences, and spans."""
    lines, fenced, listed = [], False, False
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        if re.match(r"\S", line):
            listed = re.match(r"([-*]|\d+\.) ", line) is not None
        code = fenced or line.startswith(" " * (8 if listed else 4))  # an item's own text is indented, too
        lines.append("" if code else re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    return "\n".join(lines)


def anchor(headline):
    """As GitHub and Python-Markdown make it of a headline."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", headline).replace("`", "").strip().lower()
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", plain)).strip("-")


def anchors(text):
    found, fenced = set(), False
    for line in text.split("\n"):
        if line.startswith("```"):
            fenced = not fenced
        if not fenced and re.match(r"#{1,6} ", line):
            found.add(anchor(line.lstrip("# ")))
    return found


def fault_of(root, path, target):
    """What is wrong with a link of the document; empty when nothing is."""
    if re.match(r"[a-z]+:", target):
        return ""  # the network is not asked
    file, _, name = target.partition("#")
    place = os.path.normpath(os.path.join(root, os.path.dirname(path), file)) if file else os.path.join(root, path)
    if not os.path.exists(place):
        return "is not there"
    if os.path.relpath(place, root).startswith(".."):
        return "leads out of the tree"
    if name and place.endswith(".md") and name not in anchors(tree.text(root, os.path.relpath(place, root))):
        return "has no such headline"
    return ""


def offenders(root):
    for path in tree.files(root):
        if not path.endswith(".md"):
            continue
        text = prose(tree.text(root, path))
        for found in LINK.finditer(text):
            target = found.group(1) or found.group(2)
            fault = fault_of(root, path, target)
            if fault:
                yield f"{path}:{tree.line_of(text, found.start())}: the link {target} {fault}"


def main(root):
    return tree.report("links", list(offenders(root)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
