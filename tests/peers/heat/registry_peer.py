#!/usr/bin/python3
"""Resource registries made up from a seed, in one or more environments, and types looked up in them: in Debian's Heat
engine, in process, and through `hearth metadata registry --batch`.

registry_peer.py HEARTH [COUNT [FIRST_SEED]]; HEARTH_HEAT_PEER_COUNT=N takes N. Exit 0 same, 1 different, 77 skipped."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import oracle
    from heat.common import environment_util, exception
    from heat.engine import environment
except ImportError as missing:
    print("SKIPPED: %s" % missing)
    sys.exit(77)

TYPES = ["A", "Ab", "A::B", "A::Bc", "B", "B::C", "OS::Heat::None", "OS::Heat::Value", "OS::My::S", "OS::Nova::Server", "OS::Nope", "x.yaml", "y.template"]
PATTERNS = ["A*", "A::*", "B*", "OS::*", "OS::Heat::*", "OS::My::*", "*"]
NAMES = ["r1", "r2", "r*", "*", "other"]
LOOKED_UP = ["r1", "r2", "rx", "other", None, None]


def level(r, depth):
    """What one level of a registry holds."""
    made = {}
    for _ in range(r.randint(1, 4)):
        name = r.choice(TYPES + PATTERNS)
        pick = r.randint(0, 19)
        if pick < 14:
            made[name] = r.choice(TYPES + PATTERNS[:4])
        elif pick < 16:
            made[name] = None
        elif pick < 17:
            made[name] = r.choice(["", {}, {"A": "B"}, {"hooks": "pre-create"}, 5, ["A"], True])
        elif depth == 0:
            made["resources"] = {n: level(r, 1) for n in r.sample(NAMES, r.randint(1, 2))} if r.random() < 0.9 else r.choice([None, {}, "A", "x.yaml"])
        else:
            made[r.choice(["hooks", "restricted_actions"])] = r.choice(["pre-create", "update", ["pre-update"], ["update", "replace"], "nope", []])
    return made


def case(seed):
    r = random.Random("registry %d" % seed)
    files = [level(r, 0) for _ in range(r.choice([1, 1, 2, 3]))]
    return {"files": files, "lookups": [[r.choice(TYPES + ["A::Bcd", "OS::My::Port", "Zz"]), r.choice(LOOKED_UP)] for _ in range(5)]}


def merged(files):
    params = {"parameters": {}, "parameter_defaults": {}, "resource_registry": {}, "event_sinks": [], "encrypted_param_names": []}
    names = ["env%d.yaml" % number for number in range(len(files))]
    texts = {name: json.dumps({"resource_registry": file}) for name, file in zip(names, files)}
    environment_util.merge_environments(names, texts, params, {})
    return params


def looked_up(files, type_name, resource_name):
    try:
        found = environment.Environment(merged(files)).registry.get_resource_info(type_name, resource_name=resource_name)
        if isinstance(found, environment.TemplateResourceInfo):
            return [type_name, resource_name, "Template", found.template_name]
        return [type_name, resource_name, "Class", found.name]
    except exception.EntityNotFound as error:
        return [type_name, resource_name, "ERR", "EntityNotFound: %s" % error]
    except Exception as error:
        return [type_name, resource_name, "ERR", type(error).__name__]


def kind_alone(lookup):
    """Of what Python says, its kind."""
    type_name, resource_name, kind, what = lookup
    other = kind == "ERR" and not what.startswith("EntityNotFound")
    return [type_name, resource_name, kind, what.split(":")[0] if other else what]


def heats(test):
    try:
        params = merged(test["files"])
        environment.Environment(params)
    except Exception as error:
        return {"error": type(error).__name__}
    return {"result": {"merged": merged(test["files"])["resource_registry"],
                       "lookups": [looked_up(test["files"], *each) for each in test["lookups"]]}}


def main(arguments):
    count = int(os.environ.get("HEARTH_HEAT_PEER_COUNT") or (arguments[1] if len(arguments) > 1 else 300))
    first = int(arguments[2]) if len(arguments) > 2 else 1
    oracle.set_up()
    tests = [case(seed) for seed in range(first, first + count)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(tests, file)
        file.flush()
        done = subprocess.run([os.path.abspath(arguments[0]), "metadata", "registry", "--batch", file.name], stdout=subprocess.PIPE, check=True, timeout=600)
    bad = refused = 0
    for number, (test, mine) in enumerate(zip(tests, json.loads(done.stdout))):
        theirs = heats(test)
        mine.pop("message", None)
        if "result" in mine:
            mine["result"]["lookups"] = list(map(kind_alone, mine["result"]["lookups"]))
        refused += "error" in theirs
        if theirs != mine:
            bad += 1
            print("seed %d: %s\n    heat   %s\n    hearth %s" % (first + number, json.dumps(test), json.dumps(theirs), json.dumps(mine)))
    print("%d registries, %d of them refused, %d different" % (count, refused, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
