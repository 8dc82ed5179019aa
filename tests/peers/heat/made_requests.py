"""Requests for stacks made up from a seed: good ones, of which one or two places are made odd. Nothing in them asks a
cloud, for none is there to answer."""
import copy
import json
import random

ODD = [None, [], {}, "", "x", 5, 0, -1, 1.5, True, False, [1], ["a"], [None], [{}], {"a": 1}, {"a": None}, [["a"]], "1", "true", "yes", "a,b",
       10**20, "p", ["p"], "cfg", ["cfg", "val"], {"get_param": "p"}, {"get_param": "j"}, {"get_param": "nope"}, {"get_resource": "val"},
       {"get_resource": "nope"}, {"get_attr": ["val", "value"]}, {"get_attr": ["val", "nope"]}, {"get_attr": ["nope", "x"]}, {"get_file": "none"},
       {"if": ["c", 1, 2]}, {"if": ["nope", 1, 2]}, {"if": [True, 1]}, {"list_join": [",", ["a", {"get_param": "p"}]]}, {"list_join": [",", 1]},
       {"equals": [1, 1]}, {"not": "c"}, {"not": 1}, {"str_replace": {"template": "a"}}, {"yaql": {"expression": "$.data +", "data": 1}}, "merge", "Delete",
       "retain", "Snapshot", {"repeat": {"template": "x", "for_each": {"x": ["a"]}}}, "OS::Heat::None", "OS::Heat::Nope", "n.yaml", "none.yaml", "My::T"]
KEYS = ["type", "properties", "metadata", "depends_on", "condition", "default", "constraints", "value", "description", "label", "parameters", "hooks",
        "resources", "conditions", "outputs", "nope", "parameter_defaults", "resource_registry", "update_policy", "deletion_policy", "hidden", "tags"]


def template(**sections):
    return {"heat_template_version": "2018-08-31", **sections}


def nested():
    return json.dumps(template(parameters={"p": {"type": "string"}, "l": {"type": "comma_delimited_list", "default": "a"}, "n": {"type": "number", "default": 2}},
                               resources={"x": {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "p"}}}},
                               outputs={"o": {"value": {"get_attr": ["x", "value"]}}}))


def good():
    parameters = {"p": {"type": "string", "default": "web", "constraints": [{"length": {"min": 1, "max": 9}}, {"allowed_pattern": "[a-z0-9]*"}]},
                  "n": {"type": "number", "default": 3, "constraints": [{"range": {"min": 1, "max": 10}}, {"modulo": {"step": 2, "offset": 1}}]},
                  "l": {"type": "comma_delimited_list", "default": "a,b", "constraints": [{"allowed_values": ["a", "b", "c"]}]},
                  "j": {"type": "json", "default": {"a": {"b": 1}}, "hidden": True}, "b": {"type": "boolean", "default": "yes", "label": "B"}}
    resources = {
        "cfg": {"type": "OS::Heat::SoftwareConfig", "properties": {"group": "script", "config": "x", "inputs": [{"name": "i", "type": "Number", "default": 1}],
                                                                   "outputs": [{"name": "o", "error_output": False}], "options": {"k": "v"}}},
        "srv": {"type": "OS::Heat::DeployedServer", "properties": {"name": "s", "software_config_transport": "POLL_TEMP_URL"}, "metadata": {"m": {"get_param": "j"}}},
        "dep": {"type": "OS::Heat::SoftwareDeployment", "depends_on": ["val"],
                "properties": {"config": {"get_resource": "cfg"}, "server": {"get_resource": "srv"}, "input_values": {"i": {"get_param": "n"}},
                               "actions": ["CREATE", "DELETE"], "signal_transport": "NO_SIGNAL"}},
        "val": {"type": "OS::Heat::Value", "condition": "c", "properties": {"value": {"list_join": [",", {"get_param": "l"}]}, "type": "string"}},
        "rnd": {"type": "OS::Heat::RandomString", "deletion_policy": "Retain",
                "properties": {"length": 8, "character_classes": [{"class": "digits", "min": 2}], "character_sequences": [{"sequence": "ab", "min": 1}]}},
        "grp": {"type": "OS::Heat::ResourceGroup", "update_policy": {"rolling_update": {"max_batch_size": 2}},
                "properties": {"count": 2, "index_var": "%i%", "resource_def": {"type": "n.yaml", "properties": {"p": "m%i%"}}, "removal_policies": [{"resource_list": ["0"]}]}},
        "chn": {"type": "OS::Heat::ResourceChain", "properties": {"resources": ["OS::Heat::None", "My::T"], "resource_properties": {"p": "q"}, "concurrent": True}},
        "nst": {"type": "My::T", "properties": {"p": {"get_attr": ["val", "value"]}, "l": ["a", "b"], "n": 4}},
        "wch": {"type": "OS::Heat::WaitConditionHandle", "properties": {"signal_transport": "TOKEN_SIGNAL"}},
        "wcd": {"type": "OS::Heat::WaitCondition", "properties": {"handle": {"get_resource": "wch"}, "timeout": 60, "count": 2}}}
    outputs = {"o": {"value": {"get_attr": ["nst", "o"]}, "description": "d"}, "q": {"value": {"get_resource": "cfg"}, "condition": "c"},
               "r": {"value": {"str_replace": {"template": "a-b", "params": {"a": {"get_param": "p"}}}}}}
    environment = {"parameters": {"n": 5}, "parameter_defaults": {"p": "db"}, "encrypted_param_names": [],
                   "resource_registry": {"My::T": "n.yaml", "resources": {"val": {"hooks": ["pre-create"], "restricted_actions": "update"}}}}
    second = {"parameters": {"l": ["c"]}, "parameter_merge_strategies": {"default": "overwrite", "l": "merge"}}
    return {"stack_name": "vtest", "timeout_mins": 60, "disable_rollback": True, "parameters": {"p": "cli"}, "environment": environment,
            "files": {"n.yaml": nested(), "e.yaml": second},
            "template": template(description="t", parameters=parameters, parameter_groups=[{"label": "g", "parameters": ["p", "n"]}],
                                 conditions={"c": {"equals": [{"get_param": "b"}, True]}, "d": {"and": ["c", {"not": False}]}}, resources=resources, outputs=outputs)}


def places(value, at=()):
    """The paths of all that is inside."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield at + (key,)
        yield from places(inner, at + (key,))


def thinned(r, body):
    """With few resources, parameters and outputs, so that what is odd stands out."""
    for section, most in (("resources", 4), ("outputs", 2)):
        members = body["template"][section]
        for name in r.sample(sorted(members), len(members) - r.randint(1, most)):
            del members[name]
    return body


def odd(r, body):
    path = r.choice([p for p in places(body) if p[:2] != ("files", "n.yaml")])
    holder = body
    for key in path[:-1]:
        holder = holder[key]
    how = r.random()
    if how < 0.2:
        del holder[path[-1]]
    elif how < 0.3 and isinstance(holder, dict):
        holder[r.choice(KEYS)] = copy.deepcopy(r.choice(ODD))
    else:
        holder[path[-1]] = copy.deepcopy(r.choice(ODD))


def request(seed):
    r = random.Random(seed)
    body = thinned(r, good()) if r.random() < 0.9 else good()
    for _ in range(r.choice([1, 1, 2])):
        odd(r, body)
    files = body.get("files")
    if isinstance(files, dict) and isinstance(files.get("e.yaml"), dict):
        files["e.yaml"] = json.dumps(files["e.yaml"])
        if r.random() < 0.3:
            files["first.yaml"] = json.dumps(body.get("environment"))
            body["environment_files"] = ["first.yaml", "e.yaml"]
    return body
