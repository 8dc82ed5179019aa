"""Compares what the oracle and `hearth metadata resources` say of one tree of stacks."""
import json
import re


SETS = False


def is_error(value):
    return isinstance(value, dict) and set(value) == {"error", "type"}


def resources(tree, path=""):
    """(PATH, resource) of the whole tree."""
    for name, resource in tree.get("resources", {}).items():
        place = path + "." + name if path else name
        yield place, resource
        if isinstance(resource.get("nested"), dict):
            yield from resources(resource["nested"], place)


def replaced(tree, pairs):
    """`tree` with ids, names of stacks and secrets replaced anywhere in it, keys too."""
    text = json.dumps(tree)
    for old, new in pairs.items():
        if old and not WORD.fullmatch(old):
            text = text.replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1])

    def called(match):
        """Of names that stand together, the longest that is known comes first."""
        whole = match.group(0)
        cut = len(whole)
        while cut > 0 and whole[:cut] not in pairs:
            cut = whole.rfind("-", 0, cut)
        return whole if cut <= 0 else json.dumps(pairs[whole[:cut]])[1:-1] + WORD.sub(called, whole[cut:])

    return json.loads(WORD.sub(called, text))


WORD = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|arn:openstack:heat::admin:stacks/[\w.-]+/[0-9a-f-]{36}"
                  r"|overcloud-[\w.-]+-[a-z2-7]{12}")


def normal(tree):
    """Ids and names of either side by what they belong to."""
    pairs = {tree.get("id"): "<stack:>"}
    for place, resource in resources(tree):
        ref = resource.get("ref")
        if resource.get("id"):  # ours
            pairs[resource["id"]] = "<id:%s>" % place
            pairs[resource["name"]] = "at.%s.end" % place
            if resource["type"] == "OS::Heat::Value":
                pairs[resource["name"]] = "<id:%s>" % place
            own = resource["type"] == "OS::Heat::RandomString" or (isinstance(ref, str) and ref.startswith("arn:"))
            if own and isinstance(ref, str):
                pairs[ref] = "<id:%s>" % place
        if isinstance(resource.get("nested"), dict):
            pairs[resource["nested"].get("id")] = "<stack:%s>" % place
            pairs["at.%s.end" % place] = "at.%s.end" % place
    return replaced(tree, pairs)


def same(left, right):
    """Python's ==, but 1, 1.0 and True differ, as they do in JSON."""
    if is_error(left) or is_error(right):
        return is_error(left) and is_error(right)
    if isinstance(left, dict) and isinstance(right, dict):
        return list(map(str, left)) and set(map(str, left)) == set(map(str, right)) and \
            all(same(v, {str(a): b for a, b in right.items()}[str(k)]) for k, v in left.items()) or not (left or right)
    if isinstance(left, list) and isinstance(right, list):
        if len(left) == len(right) and all(same(a, b) for a, b in zip(left, right)):
            return True
        # yaql's sets have no order
        texts = all(isinstance(x, str) for x in left + right)
        return texts and SETS and sorted(left) == sorted(right)
    return type(left) is type(right) and left == right


def first_difference(left, right, path=""):
    if isinstance(left, dict) and isinstance(right, dict) and not is_error(left) and not is_error(right):
        for key in sorted(set(left) | set(right), key=str):
            if key not in left or key not in right or not same(left[key], right[key]):
                return first_difference(left.get(key, "(missing)"), right.get(key, "(missing)"), "%s.%s" % (path, key))
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for number, (a, b) in enumerate(zip(left, right)):
            if not same(a, b):
                return first_difference(a, b, "%s[%d]" % (path, number))
    return "%s\n      heat:   %s\n      hearth: %s" % (path, json.dumps(left)[:400], json.dumps(right)[:400])


def differences(theirs, ours):
    """Lines; none when they are the same. Both trees, or both errors."""
    if is_error(theirs) or is_error(ours):
        if is_error(theirs) and is_error(ours):
            return []
        return ["heat: %s\n      hearth: %s" % (str(theirs.get("error", "fine"))[:400], str(ours.get("error", "fine") if isinstance(ours, dict) else ours)[:400])]
    theirs, ours = normal(json.loads(json.dumps(theirs, default=sorted_set))), normal(ours)
    found = []
    mine = dict(resources(ours))
    yours = dict(resources(theirs))
    for place in sorted(set(mine) | set(yours)):
        if place not in mine or place not in yours:
            found.append("%s only in %s" % (place, "heat" if place in yours else "hearth"))
            continue
        siblings = {p.rsplit(".", 1)[-1] for p in yours if p.rsplit(".", 1)[:-1] == place.rsplit(".", 1)[:-1]}
        found += of_resource(place, yours[place], mine[place], siblings)
    for key in ("outputs",):
        if not same(theirs[key], ours[key]):
            found.append(first_difference(theirs[key], ours[key], key))
    found += of_parameters("", theirs, ours)
    return found


def sorted_set(value):
    return sorted(value, key=repr) if isinstance(value, (set, frozenset)) else list(value) if isinstance(value, tuple) else repr(value)


def of_parameters(place, theirs, ours):
    return [first_difference(v, ours["parameters"][k], "%s:parameters.%s" % (place, k)) for k, v in theirs["parameters"].items()
            if k in ours["parameters"] and not same(v, ours["parameters"][k])]


def of_resource(place, theirs, ours, siblings):
    found = []
    if theirs["type"] in ("OS::Heat::Value", "OS::Heat::RandomString", "OS::TripleO::RandomString"):
        theirs = {k: v for k, v in theirs.items() if k != "ref"}  # the oracle does not make these
        ours = {k: v for k, v in ours.items() if k != "ref"}
    for key in ("properties", "typed", "metadata", "requires", "ref"):
        a, b = theirs.get(key), ours.get(key)
        if key in ("properties", "metadata"):
            a, b = a or {}, b or {}
        if key == "requires" and isinstance(a, list):
            a = [name for name in a if name in siblings]  # Heat keeps names of resources whose condition is false
        if key == "typed":
            if b is None:
                continue  # a nested template: its parameters are compared
            broken = is_error(a) or isinstance(a, dict) and any(map(is_error, a.values()))
            if broken and is_error(b):
                continue  # Heat shows one for each property
        if key == "typed" and isinstance(a, dict) and isinstance(b, dict) and not is_error(b):
            a = {k: v for k, v in a.items() if k in b or v is not None}
            b = {k: v for k, v in b.items() if k in a or v is not None}
        if not same(a, b):
            found.append(first_difference(a, b, "%s:%s" % (place, key)))
    if isinstance(theirs.get("nested"), dict) and isinstance(ours.get("nested"), dict) and not is_error(ours["nested"]):
        found += of_parameters(place, theirs["nested"], ours["nested"])
        if ours["nested"]["outputs"] and not same(theirs["nested"]["outputs"], ours["nested"]["outputs"]):  # groups have their own way
            found.append(first_difference(theirs["nested"]["outputs"], ours["nested"]["outputs"], place + ":outputs"))
    return found
