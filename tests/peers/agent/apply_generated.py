"""Hundreds of random inputs through the real os-apply-config and ours: templates (hundreds in one tree, since each run renders
all of a tree), broken templates, merges of random metadata, and keys into them. HEARTH_SEED chooses other ones."""
import json
import os
import random

from compare import Side, arguments, differences, forked, need, run_all

PEER = "/usr/bin/os-apply-config"
RNG = random.Random(int(os.environ.get("HEARTH_SEED", "1")))
NAMES = ["s", "n", "t", "fa", "nul", "d", "l", "es", "ed", "d.a", "d.deep.x", "l.0", "missing", "d.missing", "sp ace", ".", "mixed", "u"]
TEXTS = ["", " ", "\n", "a", "b c", "\t", "é\n", "  \n", "a } { b", "line\nnext", "\r\n", "#x", "!", "\n\n  "]
SPACE = ["", "", "", " ", "  ", "\n", "\t"]
METADATA = {"s": "str", "n": 1.5, "t": True, "fa": False, "nul": None, "es": "", "ed": {}, "sp ace": "spaced", "u": "é😀<&>\"",
            "d": {"a": "in d", "s": "inner", "deep": {"x": [1, {"s": "deepest"}], "t": False}}, "l": [1, "x", None, {"s": "item", "d": {"a": 2}}, [], [0]],
            "mixed": [{"s": "one", "l": [True]}, {"s": "two", "nul": 3}]}


def pick(values):
    return RNG.choice(values)


def tag(mark, name, close="", delimiters=("{{", "}}")):
    return delimiters[0] + pick(SPACE) + mark + pick(SPACE) + name + pick(SPACE) + close + delimiters[1]


def variable():
    kind = RNG.randrange(4)
    if kind == 0:
        return tag("&", pick(NAMES))
    if kind == 1:
        return "{{{" + pick(["", " "]) + pick(NAMES) + pick(["", " "]) + "}}}"
    return tag("", pick(NAMES))


def template(depth=3):
    parts = []
    for _ in range(RNG.randrange(1, 6)):
        kind = RNG.randrange(8)
        if kind < 3:
            parts.append(pick(TEXTS))
        elif kind < 5:
            parts.append(variable())
        elif kind == 5:
            parts.append(tag("!", pick(["comment", "two\nlines", "x } y"])))
        elif depth:
            name = pick(NAMES)
            parts.append(tag(pick("#^"), name) + pick(TEXTS) + template(depth - 1) + pick(TEXTS) + tag("/", name))
    return "".join(parts)


def broken():
    text = template(2)
    kind = RNG.randrange(4)
    if kind == 0:
        return text + tag("/", pick(NAMES)) + template(1)
    if kind == 1:
        return tag("#", "s") + text + tag("/", "t")
    if kind == 2:
        return text + tag("#", pick(NAMES)) + template(1)
    return text[:RNG.randrange(len(text) + 1)]


def value(depth=3):
    kind = RNG.randrange(9 if depth else 6)
    if kind < 6:
        return pick([None, True, False, 0, -1, 1.5, 1e22, 10**30, "", "text", "é\n", "12", "a/b", "2020-01-01"])
    if kind == 6:
        return [value(depth - 1) for _ in range(RNG.randrange(4))]
    return {pick("abcde"): value(depth - 1) for _ in range(RNG.randrange(4))}


def document():
    return {pick("abcdef"): value() for _ in range(RNG.randrange(6))}


ARGS = ["-t", "{D}/t", "-o", "{D}/o", "--fallback-metadata", "-m", "{D}/m"]


def tree_case(count):
    files = {"t/%03d" % i: template() for i in range(count)}
    return {"files": dict(files, m=json.dumps(METADATA)), "args": ARGS}


def key_path(document_):
    """A way into the document, sometimes one that leads nowhere."""
    parts, here = [], document_
    while isinstance(here, (dict, list)) and here and RNG.random() < 0.8:
        if isinstance(here, dict):
            parts.append(pick(list(here)))
            here = here[parts[-1]]
        else:
            index = RNG.randrange(-len(here), len(here) + 1)
            parts.append(str(index))
            here = here[index] if index < len(here) else None
    if RNG.random() < 0.2:
        parts.append(pick(["x", "0", "-1", ""]))
    return ".".join(parts) or "a"


def make_cases():
    cases = {"templates_%d" % i: tree_case(150) for i in range(4)}
    for i in range(40):
        cases["broken_%d" % i] = {"files": {"t/a": broken(), "t/b": "x", "m": json.dumps(METADATA)}, "args": ARGS}
    for i in range(30):
        cases["merge_%d" % i] = {"files": {"1": json.dumps(document()), "2": json.dumps(document(), ensure_ascii=False), "3": json.dumps(document(), indent=1),
                                           "t/all": "{{.}}", "t/keys": "{{a}}|{{b.a}}|{{#c}}<{{.}}{{a}}>{{/c}}"},
                                 "args": ["-t", "{D}/t", "-o", "{D}/o", "--fallback-metadata", "{D}/1", "-m", "{D}/2", "{D}/3"]}
    for i in range(40):
        made = document()
        cases["key_%d" % i] = {"files": {"m": json.dumps(made)}, "args": ["-m", "{D}/m", "--fallback-metadata", "--key", key_path(made), "--type",
                                                                         pick(["raw", "raw", "int", "default", "netaddress", "username", "dsn"])]
                               + pick([[], [], ["--key-default", "none"]])}
    return cases


def check(name, case):
    results = []
    for program in (REAL, os.path.join(OPTIONS.links, "os-apply-config")):
        side = Side(program)
        side.put(case["files"])
        status, out, _ = side.run(case["args"], {})
        results.append((status, out, side.tree()))
        side.close()
    (status, out, tree), (our_status, our_out, our_tree) = results
    lines = differences(status, our_status, "status") + differences(out, our_out, "stdout")
    if name.startswith("templates") and status != 0:
        lines.append("  the peer refuses one of these templates: the case proves nothing")
    for path in sorted(set(tree) | set(our_tree)):
        if tree.get(path) != our_tree.get(path):
            source = case["files"].get(path.replace("o/", "t/", 1), "")
            lines.append("  %s of template %r\n    theirs: %r\n    ours:   %r" % (path, source, tree.get(path), our_tree.get(path)))
    return lines


OPTIONS = arguments()
need(PEER)
REAL = forked(PEER, "os_apply_config.apply_config")
run_all(make_cases(), OPTIONS.cases, check)
