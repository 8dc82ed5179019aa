"""Names in anonymous namespaces are unique within a target, and names that a source borrows are used. usage: names.py ROOT

The sources of a target are compiled several at once (cmake/Room.cmake), so two of them can't use one name for two things.
The compiler sees that only where both fall into one unit, and which ones do changes with their sizes; so that nobody trips
over a name that he did not write, it is looked for here in all sources of a target, and in the headers that any of them
includes. Functions with different parameters are overloads, and may share a name; so may aliases of the same type.

A using-declaration of a source that says the name nowhere else is left over. Compilers are silent about it, and clang-tidy
sees it only where each source is compiled alone.
"""

import collections
import json
import os
import re
import subprocess
import sys

import tree

TARGET = re.compile(r"^\s*hearth_(?:room|program|static_program|unit_tests|fast)\(\s*(\w[\w-]*)([^)]*)\)", re.MULTILINE)
# A constant whose value has braces: ctags takes it for something else, and does not list it.
BRACED = re.compile(r"^(?:inline |static )*const(?:expr)? [^()=;]*?(\w+)(?:\[\w*\])? ?(?:= ?[\w:<> ,*+()-]*)?\{")
INCLUDE = re.compile(r'^#include "([\w./-]+)"', re.MULTILINE)
BORROWED = re.compile(r"^[ \t]*using (?:\w+::)+(\w+);|^[ \t]*namespace (\w+) = ", re.MULTILINE)
MACROS = re.compile(r"^(TEST|TEST_F|TEST_P|MATCHER\w*|INSTANTIATE_\w+)$")


def targets(root):
    """Name of a target → its sources, relative to root."""
    found = collections.defaultdict(list)
    for path in tree.files(root, *tree.ROOMS, "tests"):
        if os.path.basename(path) == "CMakeLists.txt":
            for name, rest in TARGET.findall(tree.text(root, path)):
                sources = re.findall(r"[\w./-]+\.cpp", rest)
                found[name] += [os.path.normpath(os.path.join(os.path.dirname(path), source)) for source in sources]
    return found


def tags(root, paths, kinds):
    """What ctags finds in them at the level of a namespace: (scope, name, what tells it apart, path, line)."""
    done = subprocess.run(["ctags", "-f", "-", "--output-format=json", f"--kinds-C++={kinds}", "--fields=+nSKst", "-L", "-"],
                          input="\n".join(paths), capture_output=True, text=True, cwd=root, check=True)
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("scopeKind") == "namespace" and not MACROS.match(tag["name"]):
            kind = tag["kind"]
            detail = tag.get("typeref") if kind == "typedef" else tag.get("signature")
            yield tag["scope"], tag["name"], detail, tag["path"], tag["line"]


def definitions(root, sources):
    """What their anonymous namespaces define, as tags() tells it; the scope is the namespace around."""
    for scope, *rest in tags(root, sources, "fvscgtue"):
        if re.search(r"__anon\w*$", scope):
            yield re.sub(r"__anon\w+", "", scope), *rest
    for path in sources:
        scope = ""
        for number, line in enumerate(tree.text(root, path).splitlines(), 1):
            if opened := re.match(r"namespace ([\w:]+) \{", line):
                scope = opened[1] + "::"
            elif constant := BRACED.match(line):
                yield scope, constant[1], None, path, number


def clashes(found):
    """Those that the compiler would refuse, or take for each other, in one unit."""
    named = collections.defaultdict(list)
    for scope, name, detail, path, line in found:
        if not name.startswith("__anon"):
            named[scope, name].append((detail, path, line))
    for (_, name), places in named.items():
        first, *others = places
        for detail, path, line in others:
            overload = any(detail is not None and seen is not None and detail != seen and seen.startswith("(")
                           for seen, _, _ in (first,))
            alias = detail is not None and detail == first[0] and not detail.startswith("(")
            if path != first[1] and not overload and not alias:
                yield f"{path}:{line}: '{name}' is also in {first[1]}:{first[2]}; give one of them a name that tells more"


def left_over(root, path):
    code = tree.without_comments(tree.text(root, path))
    for match in BORROWED.finditer(code):
        name = match[1] or match[2]
        if len(re.findall(rf"\b{name}\b", code)) == 1:
            yield f"{path}:{tree.line_of(code, match.end())}: nothing here uses '{name}'; take the line away"


def headers_of(root, sources, seen):
    """The tree's own headers that they include, directly or not; `seen` keeps each file's includes."""
    found, todo = set(), list(sources)
    while todo:
        path = todo.pop()
        if path not in seen:
            seen[path] = [name for name in INCLUDE.findall(tree.text(root, path)) if os.path.exists(os.path.join(root, name))]
        todo += [name for name in seen[path] if name not in found]
        found.update(seen[path])
    return found


def hidden(found, declared):
    """Those that a header of the target declares too. An overload as well: a source beside it may call the wrong one."""
    for scope, name, _, path, line in found:
        for header, at in declared.get((scope, name), ()):
            yield f"{path}:{line}: '{name}' is also in {header}:{at}; use that, or give this one a name that tells more"


def main(root):
    offenders, seen, declared = [], {}, collections.defaultdict(list)
    sources_of = {name: [source for source in sources if os.path.exists(os.path.join(root, source))]
                  for name, sources in targets(root).items()}
    headers_in = {name: headers_of(root, sources, seen) for name, sources in sources_of.items()}
    for scope, name, _, path, line in tags(root, sorted(set().union(*headers_in.values())), "fpvscgtue"):
        declared[scope + "::", name].append((path, line))
    for source in sorted(set().union(*sources_of.values())):
        offenders += left_over(root, source)
    for target, sources in sources_of.items():
        found = list(definitions(root, sources))
        offenders += clashes(found)
        offenders += hidden(found, {key: [place for place in places if place[0] in headers_in[target]]
                                    for key, places in declared.items()})
    return tree.report("names", sorted(set(offenders)))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
