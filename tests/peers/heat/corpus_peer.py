#!/usr/bin/python3
"""Every template of a tree that people have, through Debian's heat engine and through `hearth metadata resources`: the
same values, or both refuse; what needs a cloud to be made is told as such. Prints a table.

corpus_peer.py HEARTH; HEARTH_HEAT_TEMPLATES=DIR names the tree (openstack/heat-templates, as checked out).
Exit 0 same, 1 different, 77 skipped."""
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
TREE = os.environ.get("HEARTH_HEAT_TEMPLATES", "")
if not TREE:
    print("SKIPPED: HEARTH_HEAT_TEMPLATES names no tree")
    sys.exit(77)
try:
    import oracle
except ImportError as missing:
    print("SKIPPED: %s" % missing)
    sys.exit(77)
import compare  # noqa: E402
import corpus_values  # noqa: E402
from heat.common import template_format  # noqa: E402
from heat.engine import template  # noqa: E402

CLOUD = "needs a cloud"


def templates(tree):
    for place, _, files in sorted(os.walk(tree)):
        for name in sorted(files):
            path = os.path.join(place, name)
            if not name.endswith((".yaml", ".yml", ".json", ".template")):
                continue
            with open(path) as text:
                words = text.read()
            if "heat_template_version" in words or "AWSTemplateFormatVersion" in words or "HeatTemplateFormatVersion" in words:
                yield path


def value_for(name, schema):
    """A value that the schema's constraints take, or so it is hoped: both sides get the same."""
    kind = schema.type.lower()
    for constraint in schema.constraints:
        allowed = getattr(constraint, "allowed", None)
        if allowed and not isinstance(allowed, dict):
            return list(allowed)[0]
    low = max([getattr(c, "min", None) or 0 for c in schema.constraints] or [0])
    high = min([getattr(c, "max", None) or 10**6 for c in schema.constraints] or [10**6])
    if kind == "number":
        return low or 1
    if kind == "boolean":
        return True
    if kind in ("json", "comma_delimited_list", "commadelimitedlist"):
        return {"a": "b"} if kind == "json" else "a,b"
    named = name.lower()
    for part, value in (("cidr", "192.0.2.0/24"), ("gateway", "192.0.2.1"), ("pool_start", "192.0.2.10"), ("pool_end", "192.0.2.20"),
                        ("length", "8")):
        if part in named:
            return value
    return ("v" + "".join(c for c in name if c.isalnum())).ljust(int(low), "x")[:int(high)]


def wanted(path):
    with open(path) as text:
        made = template.Template(template_format.parse(text.read()))
    return {name: value_for(name, schema) for name, schema in made.param_schemata().items() if not schema.required is False}


def run(hearth, path):
    """A word for the table, and what differs."""
    try:
        values = wanted(path)
    except Exception:  # what Heat can't read
        values = {}
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as environment:
        json.dump({"parameters": values}, environment)
        environment.flush()
        theirs = oracle.resolve(path, [environment.name])
        done = subprocess.run([hearth, "metadata", "resources", "-t", path, "-e", environment.name], capture_output=True, text=True,
                              timeout=120)
    if done.returncode not in (0, 1):
        return "DIFFERENT", ["exit code %d: %s" % (done.returncode, done.stderr)]
    if "Could not fetch remote" in str(theirs.get("error")):
        return "not here", []  # it names templates by URL
    if "Could not fetch contents" in str(theirs.get("error")) and "get_file: there is no file" in done.stdout + done.stderr:
        return "both refuse", []
    mine = json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip(), "type": "refused"}
    if not compare.is_error(theirs) and not compare.is_error(mine):
        plain = json.dumps(corpus_values.without_scaled(theirs), default=compare.sorted_set)
        mine = compare.normal(corpus_values.without_scaled(mine))
        theirs = corpus_values.alike(compare.normal(json.loads(plain.replace("file://%s/" % os.path.dirname(path), ""))), mine)
    found = compare.differences(theirs, mine)
    if CLOUD in done.stderr and compare.is_error(theirs):
        return "a cloud's", ["heat:   %s\n      hearth: %s" % (theirs["error"][:200], done.stderr.strip()[-200:])]
    if found:
        return "DIFFERENT", found
    if compare.is_error(theirs):
        return "both refuse", ["heat:   %s\n      hearth: %s" % (theirs["error"][:200], mine["error"][:200])]
    return "same", []


def main():
    hearth = os.path.abspath(sys.argv[1])
    oracle.set_up()
    for at in (oracle.parser.Stack, oracle.stk_defn.StackDefinition):
        at.get_availability_zones = lambda stack: ["nova"]
    compare.SETS = True
    counted = collections.Counter()
    for path in templates(TREE):
        word, lines = run(hearth, path)
        counted[word] += 1
        print("%-12s %s" % (word, os.path.relpath(path, TREE)))
        for line in lines[:5]:
            print("    ", line)
        sys.stdout.flush()
    print("of %d templates: %s" % (sum(counted.values()), ", ".join("%d %s" % (n, w) for w, n in sorted(counted.items()))))
    other = counted["both refuse"] + counted["a cloud's"]
    if counted["same"] <= other:
        print("FAIL: the values of %d templates were compared, and of %d none: is this Heat's tree?" % (counted["same"], other))
    return 1 if counted["DIFFERENT"] or counted["same"] <= other else 0


if __name__ == "__main__":
    sys.exit(main())
