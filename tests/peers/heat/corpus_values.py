"""What Heat and we know of a template before anything runs, compared: Heat's text with places ("<attr:PATH:NAME>") is our list
of what is waited for, or the value where the template gives it."""
import json
import re

from heat.common import template_format
import yaml

import compare

# Members of these are a cloud's to make: Heat makes them up, we don't.
SCALED = ("OS::Heat::AutoScalingGroup", "AWS::AutoScaling::AutoScalingGroup", "OS::Heat::InstanceGroup")
PLACE = re.compile("<attr:([^>:]*):([^>]*)>")


def waits_alike(theirs, waiting):
    """What only a run tells is a text with places in Heat's, a list of them in ours, without the steps into a value, and
    without what the template gives. Functions that look into a text of Heat's leave nothing of it."""
    places = {"%s.%s" % found for found in PLACE.findall(json.dumps(theirs))}
    told = lambda each: any(place == each or place.startswith(each + ".") for place in places)
    return not places or all(map(told, waiting))


def never_told(theirs, kinds):
    """What nobody ever tells: of a thing that only a cloud makes, or of a deployment that is silent."""
    found = PLACE.fullmatch(theirs)
    return found is not None and kinds.get(found.group(1), False)


def knows_more(theirs, mine, kinds):
    """A text of Heat's with places, and ours with what stands there: an address that the template gives, a password."""
    if not isinstance(theirs, str):
        return False
    if isinstance(mine, str) and theirs.startswith("{") and "template_version" in theirs:
        return same_template(theirs, mine)
    if not PLACE.search(theirs):
        return False
    if mine is None:
        return never_told(theirs, kinds)
    pattern = ".*".join(re.escape(part) for part in PLACE.sub("\0", theirs).split("\0"))
    return PLACE.fullmatch(theirs) is not None or isinstance(mine, str) and re.fullmatch(pattern, mine, re.DOTALL) is not None


def same_template(theirs, mine):
    """A template that get_file names: Heat's client hands it in as JSON."""
    try:
        return json.loads(theirs) == json.loads(json.dumps(yaml.load(mine, template_format.yaml_loader), default=str))
    except ValueError:
        return False


def silent(resource):
    typed = resource.get("typed") or {}
    deployment = "Deployment" in resource["type"]
    return "typed" not in resource or deployment and (typed.get("signal_transport") == "NO_SIGNAL" or "CREATE" not in (typed.get("actions") or ["CREATE"]))


def settled(theirs, mine, kinds):
    if isinstance(mine, dict) and set(mine) == {"hearth::waiting"}:
        return mine if waits_alike(theirs, mine["hearth::waiting"]) else theirs
    if knows_more(theirs, mine, kinds):
        return mine
    if isinstance(theirs, dict) and isinstance(mine, dict):
        return {key: settled(value, mine[key], kinds) if key in mine else value for key, value in theirs.items()}
    if isinstance(theirs, list) and isinstance(mine, list) and len(theirs) == len(mine):
        return [settled(a, b, kinds) for a, b in zip(theirs, mine)]
    return theirs


def needs_alike(theirs, mine):
    """What a template says, and of what Heat's resources add to it as much as ours do; the properties of what is
    somebody else's are nobody's here."""
    for name, resource in theirs.get("resources", {}).items():
        own = mine.get("resources", {}).get(name)
        if own is None:
            continue
        needs = set(own.get("requires", []))
        if set(resource["requires"]) <= needs <= set(resource["requires"]) | set(resource["also"]):
            resource["requires"] = own["requires"]
        if resource.get("external"):
            resource["typed"] = own.get("typed")
        if isinstance(resource.get("nested"), dict) and isinstance(own.get("nested"), dict):
            needs_alike(resource["nested"], own["nested"])


def without_scaled(tree):
    """Groups whose members a cloud scales, without these."""
    for resource in tree.get("resources", {}).values():
        if resource["type"] in SCALED:
            resource.pop("nested", None)
        elif isinstance(resource.get("nested"), dict):
            without_scaled(resource["nested"])
    return tree


def alike(theirs, mine):
    """Heat's tree, with our value where it says the same. Both are compare.normal() ones."""
    kinds = {place: silent(resource) for place, resource in compare.resources(mine)}
    theirs = settled(theirs, mine, kinds)
    needs_alike(theirs, mine)
    return theirs
