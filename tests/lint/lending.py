"""Which headers may stand before another in one file that is compiled, and lend it nothing.

What stands before a header reaches files that the header does not reach itself. These can help it only by a name that it has
not otherwise, by the body of a type that it sees only announced, or by something that is found without being named. All three
are told from the text, and where that is in doubt the answer is that they help: then the two share no file.
"""

import collections
import re

import tree

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.MULTILINE)
TEMPLATE = re.compile(r"\btemplate\s*<[^;{}()]+?>(?=\s*\w)")
ATTRIBUTE = re.compile(r"\[\[[^\]]*\]\]|\balignas\s*\([^()]*\)|__attribute__\s*\(\([^()]*\)\)")
TYPE = re.compile(r"\b(?:class|struct|union|enum)\s+(?:(?:class|struct)\s+)?(?:\w+(?:<[^<>;{}]*>)?\s*::\s*)*(\w+)"
                  r"(\s*(?:<[^;{}]*>)?\s*(?:final\b\s*)?(?::[^;{}]*)?\{)?")
HEAD = re.compile(r"\b(?:class|struct|union|enum)\b(?:[^;{}()=]*(?=\{)|\s+(?:(?:class|struct)\s+)?\w+\s*(?::[\s\w:]+)?(?=;))")
TRANSPARENT = re.compile(r"(?:\bnamespace\b[\w:\s]*|\bextern\s*|\benum\b(?!\s+(?:class|struct)\b)[\w:\s]*)$")
# Found without being named: operators, specialisations, what loops and JSON look for; and what adds to others' namespaces.
UNNAMED = re.compile(r"\boperator\b|\btemplate\s*<\s*>|\busing\s+namespace\b|\bnamespace\s+(?:std|boost|nlohmann)\b|"
                     r"\b(?:begin|end|swap|get|hash_value|to_json|from_json|PrintTo)\s*\(")
OTHERS = re.compile(r"\b(?:std|boost|nlohmann)\s*(?:::\s*\w+)+|(?:\.|->)\s*\w+")  # not looked for among our names
KEYWORDS = set("alignas auto bool char class const constexpr decltype default delete double enum explicit extern false float for if "
               "inline int long mutable namespace noexcept nullptr operator override private protected public requires return short "
               "signed sizeof static struct template this true typename union unsigned using virtual void volatile while".split())


def outside_bodies(code):
    """What stands at the level of namespaces, what is in parentheses left out; None where braces don't pair."""
    kept, open_braces, parentheses = "", [], 0
    for part in re.findall(r"[{}()]|[^{}()]+", code):
        shown = all(open_braces)
        if part == "{":
            open_braces.append(bool(shown and TRANSPARENT.search(kept)))
        elif part == "}":
            if not open_braces:
                return None
            open_braces.pop()
            shown = all(open_braces)
        parentheses += (part == "(") - (part == ")") if shown else 0
        if shown and (parentheses == 0 or part == "("):
            kept += part
    return kept if not open_braces and parentheses == 0 else None


def has_more_than_namespaces(outer):
    kept, depth = "", 0
    for part in re.findall(r"[{}]|[^{}]+", outer):
        depth += (part == "{") - (part == "}")
        kept += part if depth == 0 and part != "}" else ""
    return bool(re.search(r"\w", re.sub(r"\bnamespace\s+[\w:]+", "", kept)))


class Header:
    """What a header's text needs and gives, by name."""

    def __init__(self, text):
        code = tree.without_comments(INCLUDE.sub("", text))
        directives = "\n".join(DIRECTIVE.findall(code))
        self.needs = set(re.findall(r"[A-Za-z_]\w*", OTHERS.sub(" ", code)))
        code = DIRECTIVE.sub("", code)
        outer = outside_bodies(code)
        self.unnamed = outer is None or bool(UNNAMED.search(outer))
        code = TEMPLATE.sub("", ATTRIBUTE.sub("", code))
        outer = TEMPLATE.sub("", ATTRIBUTE.sub("", outer or ""))
        self.defines = {name for name, body in TYPE.findall(code) if body}
        self.announces = {name for name, body in TYPE.findall(code)} - self.defines
        # What those that include it need as well: names in its macros, namespaces that it opens to them.
        borrowed = re.findall(r"\busing\s+namespace\s+([\w:]+)|\bnamespace\s+\w+\s*=\s*([\w:]+)", outer)
        self.hands_on = set(re.findall(r"\w+", directives + str(borrowed)))
        paths = re.findall(r"\bnamespace\s+([\w:]+)\s*\{", outer)
        self.spaces = {name for path in paths for name in path.split("::")}
        names = re.findall(r"(\w+)\s*([(=;{}\[,])", HEAD.sub("", outer))
        functions = {name for name, mark in names if mark == "("} | set(re.findall(r"#\s*define\s+(\w+)", directives))
        things = {name for name, mark in names} | {name for name, body in TYPE.findall(outer) if body}
        things |= set(re.findall(r"\bconcept\s+(\w+)", outer))
        # A function is found by its arguments' types too; anything else only by who is in its namespace or names that.
        self.within = None if has_more_than_namespaces(outer) else {path.split("::")[-1] for path in paths}
        self.functions = functions - KEYWORDS - self.spaces
        self.things = things - KEYWORDS - self.spaces


def helpers(headers, reached, lent):
    """header → all that must not stand before it. headers: path → Header; lent: files of others that every header has."""
    kinds = ("functions", "things", "defines", "announces", "spaces")
    lists = {kind: collections.defaultdict(set) for kind in kinds}
    for path, header in headers.items():
        for kind, givers in lists.items():
            for name in getattr(header, kind):
                givers[name].add(path)
    always = {path for path, header in headers.items() if header.unnamed} | set().union(*reached.values()) - set(headers) - set(lent)
    found = {}
    for path, header in headers.items():
        own = {path} | reached[path]
        seen = [headers[other] for other in own if other in headers]
        has = lambda kind: set().union(*(getattr(other, kind) for other in seen))
        of = lambda kind, names: set().union(*(lists[kind][name] for name in names))
        needs = header.needs | has("hands_on")
        named = of("things", needs) | of("announces", needs - has("announces") - has("defines"))
        within_reach = {other for other in named if headers[other].within is None or headers[other].within & needs}
        found[path] = (always | within_reach | of("functions", needs) | of("defines", has("announces") - has("defines")) |
                       of("spaces", needs - has("spaces"))) - own
    return found


def rows(headers, reached, helpers_of):
    """The headers in rows in which none helps one behind it."""
    made = []
    for header in sorted(headers, key=lambda each: (len(reached[each]), each)):
        row, before = next((each for each in made if header not in each[1] and each[1].isdisjoint(helpers_of[header])), ([], set()))
        if not row:
            made.append((row, before))
        row.append(header)
        before |= {header} | reached[header]
    return [row for row, _ in made]
