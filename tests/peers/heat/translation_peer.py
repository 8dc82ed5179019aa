#!/usr/bin/python3
"""Each translation rule of the real Heat (network_id → network) for each resource type that we make: a template with the
former name through both, the same values. Prints a table; types that need a cloud are named.

translation_peer.py HEARTH. Exit 0 same, 1 different, 77 skipped."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
try:
    import oracle
except ImportError as missing:
    print("SKIPPED: %s" % missing)
    sys.exit(77)
import compare  # noqa: E402
from heat.engine import environment, properties, resources, rsrc_defn, translation  # noqa: E402


def value_of(schema, depth=0):
    """Something that the schema takes."""
    for constraint in schema.constraints:
        allowed = getattr(constraint, "allowed", None)
        if allowed and not isinstance(allowed, dict):
            return list(allowed)[0]
        if "cidr" in str(getattr(constraint, "name", "")):
            return "192.0.2.0/24"
        if "ip" in str(getattr(constraint, "name", "")):
            return "192.0.2.9"
    if schema.type == properties.Schema.LIST:
        inner = schema.schema and schema.schema[0]
        return [value_of(inner, depth + 1)] if inner is not None else ["a"]
    if schema.type == properties.Schema.MAP:
        return filled(schema.schema or {}, depth + 1)
    low = max([getattr(c, "min", None) or 0 for c in schema.constraints] or [0])
    return {"Integer": int(low) or 1, "Number": low or 1, "Boolean": True}.get(schema.type, "v")


def filled(schemata, depth=0):
    return {name: value_of(schema, depth) for name, schema in schemata.items() if schema.required and schema.default is None}


def former_path(rule):
    """Where the former name stands, and where the present one."""
    if rule.value_path:
        return list(rule.value_path)
    return list(rule.translation_path[:-1]) + [rule.value_name] if rule.value_name else None


def added_from(schemata):
    """A rule that adds says nothing of where from: it is the property that is no longer to be used."""
    old = [name for name, schema in schemata.items() if schema.support_status.status in ("HIDDEN", "DEPRECATED")]
    return old[:1] or None


def put(given, path, schemata):
    """Sets the former name, in an item of a list where it stands in one; takes the present name away."""
    schema = schemata[path[0]]
    if len(path) == 1:
        given[path[0]] = value_of(schema)
        return
    inner = schema.schema
    if schema.type == properties.Schema.LIST:
        inner = schema.schema[0].schema
        given.setdefault(path[0], [filled(inner)])
        put(given[path[0]][0], path[1:], inner)
    else:
        given.setdefault(path[0], filled(inner))
        put(given[path[0]], path[1:], inner)


def drop(given, path):
    if isinstance(given, list):
        return [drop(item, path) for item in given]
    if isinstance(given, dict) and path[0] in given:
        if len(path) == 1:
            del given[path[0]]
        else:
            drop(given[path[0]], path[1:])


def rules_of(kind, cls, stack):
    schemata = properties.schemata(cls.properties_schema)
    made = cls("r", rsrc_defn.ResourceDefinition("r", kind, filled(schemata)), stack)
    return schemata, [rule for rule in made.translation_rules(made.properties) or []
                      if rule.rule in (translation.TranslationRule.REPLACE, translation.TranslationRule.ADD)]


def resolved(hearth, kind, given):
    with tempfile.TemporaryDirectory(prefix="hearth-translation-") as work:
        path = work + "/top.yaml"
        with open(path, "w") as out:
            json.dump({"heat_template_version": "2018-08-31", "resources": {"r": {"type": kind, "properties": given}}}, out)
        theirs = oracle.resolve(path)
        done = subprocess.run([hearth, "metadata", "resources", "-t", path], capture_output=True, text=True)
    mine = json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip(), "type": "refused"}
    return theirs, mine


def main():
    hearth = os.path.abspath(sys.argv[1])
    oracle.set_up()
    stack = oracle.parser.Stack(oracle.request_context(), "s", oracle.template.Template({"heat_template_version": "2018-08-31"}))
    tried = bad = 0
    cloud = []
    for kind, cls in sorted(
                            (name, resources.global_env().get_class(name)) for name in resources.global_env().get_types()):
        try:
            schemata, rules = rules_of(kind, cls, stack)
        except Exception:  # asks a cloud before it says anything
            cloud.append(kind)
            continue
        cases = []
        for rule in rules:
            path = former_path(rule)
            if path is None and rule.rule == translation.TranslationRule.ADD:
                path = added_from(schemata)
            if path is None or path[0] not in schemata:
                continue
            given = filled(schemata)
            drop(given, list(rule.translation_path))
            put(given, path, schemata)
            cases.append((given, ".".join(path), ".".join(rule.translation_path)))
        for given, former, present in cases:
            theirs, mine = resolved(hearth, kind, given)
            if not compare.is_error(mine) and "typed" not in mine["resources"]["r"]:
                cloud.append(kind)
                break
            tried += 1
            found = compare.differences(theirs, mine)
            if not found and compare.is_error(theirs):
                found = ["both refuse it, so nothing is compared: %s" % theirs["error"]]
            bad += bool(found)
            print("%-9s %-34s %s → %s" % ("DIFFERENT" if found else "same", kind, former, present))
            for line in found[:3]:
                print("    ", line)
    print("%d rules tried, %d different; of types that need a cloud: %s" % (tried, bad, ", ".join(sorted(set(cloud)))))
    return 1 if bad or tried < 5 else 0  # five of the types that we make had one each in every Heat so far


if __name__ == "__main__":
    sys.exit(main())
