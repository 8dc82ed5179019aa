#!/usr/bin/python3
"""TripleO's plans through Debian's heat engine and through `hearth metadata`: rendered, then the same values. Prints a table.

tripleo_peer.py HEARTH; HEARTH_TRIPLEO_TREE=DIR[:DIR…] names checkouts of tripleo-heat-templates, of one release each.
Exit 0 same, 1 different, 77 skipped."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
TREES = [tree for tree in os.environ.get("HEARTH_TRIPLEO_TREE", "").split(":") if tree]
if not TREES:
    print("SKIPPED: HEARTH_TRIPLEO_TREE names no tree")
    sys.exit(77)
try:
    import oracle
except ImportError as missing:
    print("SKIPPED: %s" % missing)
    sys.exit(77)
import compare  # noqa: E402
import corpus_values  # noqa: E402
import tripleo  # noqa: E402

REGISTRY = "overcloud-resource-registry-puppet.yaml"
# Name, roles, environments; of words with | the first that the tree has.
PLANS = [
    ("default", "roles_data.yaml", []),
    ("network-isolation", "roles_data.yaml", ["environments/network-isolation.yaml", "environments/net-single-nic-with-vlans.yaml"]),
    ("deployed-server", "deployed-server/deployed-server-roles-data.yaml|roles_data.yaml",
     ["environments/deployed-server-environment.yaml", "environments/deployed-server-bootstrap-environment-centos.yaml|",
      "environments/deployed-server-pacemaker-environment.yaml|"]),
    ("undercloud", "roles_data_undercloud.yaml", ["environments/undercloud.yaml"]),
    ("standalone", "roles/Standalone.yaml", ["environments/standalone.yaml|environments/standalone/standalone-tripleo.yaml"]),
]


def one_of(tree, words):
    for word in words.split("|"):
        if not word:
            return ""
        if os.path.exists(os.path.join(tree, word)) or os.path.exists(os.path.join(tree, word.replace(".yaml", ".j2.yaml"))):
            return word
    return None


def fill_in(wanted):
    """Values for what `hearth metadata parameters` says is missing, by the types in its comments."""
    values = {}
    kind, allowed = "string", None
    for line in wanted.split("\n"):
        comment = re.match(r"  # (string|number|json|boolean|comma_delimited_list)\b(.*)", line)
        if comment:
            kind, rest = comment.groups()
            allowed = re.search(r"one of ([^;,]+)", rest)
        name = re.match(r'  "?(\w+)"?:\s*$', line)
        if name:
            values[name.group(1)] = allowed.group(1) if allowed else \
                {"string": "value-of-" + name.group(1), "number": 1, "json": {"a": "b"}, "boolean": True}.get(kind, "a,b")
    return values


def prepared(hearth, tree, work, roles):
    subprocess.run([hearth, "metadata", "render", tree, "-r", os.path.join(tree, roles), "-o", work + "/rendered"], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.copytree(tree, work + "/tree", symlinks=True, ignore=shutil.ignore_patterns(".git"))
    shutil.copytree(work + "/rendered", work + "/tree", dirs_exist_ok=True)


def run(hearth, work, environments, given):
    """What differs, how many resources, and both sides' seconds."""
    with open(work + "/values.yaml", "w") as out:
        json.dump({"parameter_defaults": given}, out)
    with open(work + "/inventory.json", "w") as out:
        json.dump({"attributes": {}}, out)
    options = ["-t", "overcloud.yaml"]
    for name in environments + [work + "/values.yaml"]:
        options += ["-e", name]
    asked = subprocess.run([hearth, "metadata", "parameters", *options], capture_output=True, text=True, cwd=work + "/tree")
    if asked.returncode != 0:
        return ["hearth: " + asked.stderr[:600]], 0, 0, 0
    with open(work + "/values.yaml", "w") as out:
        json.dump({"parameter_defaults": {**fill_in(asked.stdout), **given}}, out)
    began = time.time()
    done = subprocess.run([hearth, "metadata", "resources", *options], capture_output=True, text=True, cwd=work + "/tree")
    ours = time.time() - began
    if done.returncode != 0:
        return ["hearth: " + done.stderr[:600]], 0, ours, 0
    compiled = subprocess.run([hearth, "metadata", "compile", *options, "-o", work + "/compiled"], capture_output=True, text=True, cwd=work + "/tree")
    began = time.process_time()
    theirs = oracle.resolve(work + "/tree/overcloud.yaml", [os.path.join(work + "/tree", name) for name in environments] + [work + "/values.yaml"],
                            {}, {"attributes": {}})
    seconds = time.process_time() - began
    if compare.is_error(theirs):
        return ["heat: " + theirs["error"][:600]], 0, ours, seconds
    plain = json.loads(json.dumps(theirs, default=compare.sorted_set).replace("file://%s/tree/" % work, ""))
    mine = compare.normal(json.loads(done.stdout))
    found = compare.differences(corpus_values.alike(compare.normal(plain), mine), mine)
    if compiled.returncode != 0:
        found.append("compile: " + compiled.stderr[:300])
    return found, sum(1 for _ in compare.resources(theirs)), ours, seconds


def main():
    hearth = os.path.abspath(sys.argv[1])
    oracle.set_up(2000, 10000000)
    compare.SETS = True
    bad = 0
    compared = dict.fromkeys(map(os.path.abspath, TREES), 0)
    for tree in compared:
        for name, roles, environments in PLANS:
            used = one_of(tree, roles), [one_of(tree, each) for each in environments]
            if used[0] is None or None in used[1]:
                print("%-24s %-18s not in this release" % (os.path.basename(tree), name))
                continue
            with tempfile.TemporaryDirectory(prefix="hearth-tripleo-") as work:
                prepared(hearth, tree, work, used[0])
                found, count, ours, theirs = run(hearth, work, [REGISTRY] + [each for each in used[1] if each], tripleo.values(work + "/tree"))
            bad += bool(found)
            compared[tree] += 1
            print("%-24s %-18s %5d resources, %d different; %.1f s, Heat %.1f s" % (os.path.basename(tree), name, count, len(found), ours, theirs))
            for line in found[:6]:
                print("    ", line)
            sys.stdout.flush()
    for tree in (tree for tree, plans in compared.items() if not plans):
        print("FAIL: nothing of %s was compared: is it a checkout of tripleo-heat-templates?" % tree)
    return 1 if bad or not all(compared.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
