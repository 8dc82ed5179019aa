"""Debian's heat engine in process: no database, no messages, no clouds. What it says of a template is the verdict that
ours is compared with. Only for tests; needs python3-heat and python3-heatclient.

What only a run would tell is "<attr:PATH:NAME>", a reference "<id:PATH>", the name of a nested stack "at.PATH.end";
`inventory` ({"attributes": {PATH: {NAME: VALUE}}}, as for --inventory) tells some of it."""
import contextlib
import logging
import os
import uuid

logging.disable(logging.CRITICAL)
from oslo_config import cfg  # noqa: E402
from heat.common import config, context, environment_util  # noqa: E402
import heat.engine.service  # noqa: E402,F401  registers options
from heat.engine import attributes, constraints, environment, function, node_data, resource, resources  # noqa: E402
from heat.engine import stack as parser  # noqa: E402
from heat.engine import stk_defn, template  # noqa: E402
from heat.engine.resources import stack_resource, template_resource  # noqa: E402
from heat.objects import service as service_objects  # noqa: E402
from heatclient.common import template_utils  # noqa: E402


def set_up(yaql_limit=200, yaql_memory=10000):
    config.set_config_defaults()
    cfg.CONF([], project="heat", default_config_files=[])
    for name, value, group in (("environment_dir", "/nonexistent", None), ("max_nested_stack_depth", 20, None),
                               ("max_resources_per_stack", -1, None), ("limit_iterators", yaql_limit, "yaql"),
                               ("memory_quota", yaql_memory, "yaql")):
        cfg.CONF.set_override(name, value, group=group)
    resources.initialise()
    # So many engines that none of a concurrent chain's members is held back for want of one.
    service_objects.Service.active_service_count = classmethod(lambda cls, c: 10**6)
    constraints.BaseCustomConstraint.validate = lambda self, v, c: True
    resource.Resource._validate_service_availability = classmethod(lambda cls, c, t: None)
    # Names that were replaced (network_id → network) are translated as in Heat; nobody is asked for the ids of names.
    resource.Resource.translate_properties = lambda self, p, client_resolve=True, ignore_resolve_error=False: p.update_translation(
        self.translation_rules(p) or [], client_resolve=False, ignore_resolve_error=True)
    parser.Stack.db_resource_get = lambda self, name: None
    resource.Resource.rpc_client = lambda self: NoRpc()
    stack_resource.StackResource.nested = lambda self: None
    stack_resource.StackResource.nested_identifier = lambda self: None  # an output that is null is asked for once more
    resource.Resource.data = lambda self: self.__dict__.setdefault("kept_data", {})
    resource.Resource.data_set = lambda self, key, value, redact=False: self.data().update({key: value})


class NoRpc:
    def __getattr__(self, name):
        if name == "ignore_error_by_name":
            return lambda _: contextlib.suppress(Exception)
        return lambda *a, **k: []


def request_context(project="admin"):
    return context.RequestContext.from_dict({
        "tenant_id": project, "tenant": project, "project_id": project, "username": "u", "user_id": "u", "password": "",
        "roles": ["admin"], "is_admin": False, "auth_url": "http://127.0.0.1:5000/v3", "auth_token": "t", "region_name": None})


def load(template_path, environments, given):
    """The client's gathering of files and the server's merging of environments, as for `openstack stack create`."""
    files, document = template_utils.get_template_contents(template_file=template_path)
    order = []
    env_files, _ = template_utils.process_multiple_environments_and_files(env_paths=environments or None, env_list_tracker=order)
    every = {k: (v.decode() if isinstance(v, bytes) else v) for k, v in list(files.items()) + list(env_files.items())}
    params = {"parameters": dict(given), "parameter_defaults": {}, "resource_registry": {}, "event_sinks": [], "encrypted_param_names": []}
    made = template.Template(document, files=every)
    if order:
        environment_util.merge_environments(order, every, params, made.all_param_schemata(every))
    params["parameters"].update(given)
    made.env = environment.Environment(params)
    return made


def error_of(error):
    return {"error": "%s: %s" % (type(error).__name__, error), "type": type(error).__name__}


class Walk:
    """One tree of stacks, evaluated resource by resource in the order of creation."""

    def __init__(self, inventory):
        self.known = (inventory or {}).get("attributes", {})
        self.seen = {}

    def stack(self, stk, path):
        out = {"id": stk.id, "parameters": {}, "resources": {}, "outputs": {}}
        for name, parameter in stk.parameters.params.items():
            try:
                out["parameters"][name] = parameter.value()
            except Exception as error:
                out["parameters"][name] = error_of(error)
        members = stk.resources
        for name in [r.name for r in iter(stk.dependencies)]:
            self.resource(stk, members[name], path, out)
        for name, output in stk.outputs.items():
            try:
                out["outputs"][name] = output.get_value()
            except Exception as error:
                out["outputs"][name] = error_of(error)
        return out

    def attribute(self, path, parts):
        r, definition, typed, child, reference = self.seen[path]
        name, rest = parts[0], parts[1:]
        known = self.known.get(path, {})
        if name in known:
            return attributes.select_from_attribute(known[name], rest)
        if child is not None:
            if name.startswith("resource.") and (path + "." + name.split(".")[1]) in self.seen:
                pieces = name.split(".", 2)
                inner = tuple(pieces[2:]) + tuple(rest)
                target = path + "." + pieces[1]
                return self.attribute(target, inner) if inner else self.seen[target][4]
            if name in r._outputs or not isinstance(r, template_resource.TemplateResource):
                return r.get_attribute(*parts)
        elif definition.resource_type == "OS::Heat::None" or type(r).__name__ == "NoneResource":
            return None
        elif r.type() == "OS::Heat::Value" and name == "value":
            return attributes.select_from_attribute(function.resolve(definition._properties).get("value"), rest)
        elif r.type() in ("OS::Heat::SoftwareConfig", "OS::Heat::StructuredConfig") and name == "config":
            return attributes.select_from_attribute(typed.get("config"), rest)
        elif name == "name" and typed.get("name"):
            return typed["name"]
        return "<attr:%s:%s>" % (path, ".".join(map(str, parts)))

    def resource(self, stk, r, path, out):
        place = (path + "." if path else "") + r.name
        definition = stk.defn.resource_definition(r.name)
        entry = out["resources"][r.name] = {"type": definition.resource_type}
        try:
            entry["properties"] = function.resolve(definition._properties)
        except Exception as error:
            entry["properties"] = error_of(error)
        r.action, r.status = "CREATE", "COMPLETE"
        typed = {}
        try:
            r.reparse()
            for key in r.properties_schema:
                try:
                    typed[key] = r.properties[key]
                except Exception as error:
                    typed[key] = error_of(error)
        except Exception as error:
            typed = error_of(error)
        entry["typed"] = typed
        if definition._metadata is not None:
            entry["metadata"] = function.resolve(definition._metadata)
        entry["requires"] = sorted(definition.required_resource_names())
        entry["also"] = sorted(each.name for each in stk.dependencies.requires(r))  # a port needs the subnets of its network
        reference = child = None
        if isinstance(r, stack_resource.StackResource):
            child, reference = self.nested(r, place, entry)
        if r.type() == "OS::Nova::KeyPair" and isinstance(typed, dict):
            reference = typed.get("name")  # Heat has no other id of a key
        if definition.external_id() is not None:
            reference = function.resolve(definition.external_id())
            entry["external"] = True  # somebody else's
        if reference is None:
            reference = "<id:%s>" % place
        self.seen[place] = (r, definition, typed, child, reference)
        asked = {}
        for attribute in r.referenced_attrs(stk.defn):
            parts = (attribute,) if isinstance(attribute, str) else tuple(attribute)
            try:
                asked[attribute] = self.attribute(place, parts)
            except Exception as error:
                asked[attribute] = error
        entry["ref"] = reference
        stk_defn.update_resource_data(stk.defn, r.name, node_data.NodeData(1, r.name, r.uuid, reference, asked, "CREATE", "COMPLETE"))

    def nested(self, r, place, entry):
        if hasattr(r, "_update_name_skiplist"):
            r._update_name_skiplist(r.properties)  # as handle_create() does: removed_rsrc_list tells it
        inner = r._parse_nested_stack("at." + place + ".end", r.child_template(), r.child_params())
        inner.id = r.resource_id = str(uuid.uuid5(uuid.NAMESPACE_URL, place))
        inner.parameters.set_stack_id(inner.identifier())
        child = entry["nested"] = self.stack(inner, place)
        failed = lambda v: isinstance(v, dict) and set(v) == {"error", "type"}
        r._outputs = {k: {"output_key": k, "output_value": None if failed(v) else v, **({"output_error": v["error"]} if failed(v) else {})}
                      for k, v in child["outputs"].items()}
        if isinstance(r, template_resource.TemplateResource) and "OS::stack_id" in child["outputs"]:
            return child, child["outputs"]["OS::stack_id"]
        return child, None


def resolve(template_path, environments=(), given=None, inventory=None, validate=False):
    """The tree as `hearth metadata resources` shows it, or {"error", "type"}."""
    try:
        made = load(template_path, list(environments), given or {})
        stk = parser.Stack(request_context(), "overcloud", made, stack_id=None)
        stk.id = str(uuid.uuid5(uuid.NAMESPACE_URL, ""))
        stk.parameters.set_stack_id(stk.identifier())
        if validate:
            stk.t.validate()
            stk.parameters.validate(validate_value=True, context=stk.context)
            stk.validate()
        return Walk(inventory).stack(stk, "")
    except Exception as error:
        if os.environ.get("ORACLE_TRACE"):
            raise
        return error_of(error)


def guessed_type(value):
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "comma_delimited_list"
    return "json" if isinstance(value, (dict, list)) else "string"


def snippet_template(case):
    version, snippet_, params = case["version"], case["snippet"], case["params"]
    if version in ("2010-09-09", "2012-12-12"):
        names = {"number": "Number", "boolean": "Boolean", "comma_delimited_list": "CommaDelimitedList", "json": "Json", "string": "String"}
        return {"AWSTemplateFormatVersion" if version == "2010-09-09" else "HeatTemplateFormatVersion": version, "Resources": {},
                "Parameters": {k: {"Type": names[guessed_type(v)]} for k, v in params.items()}, "Outputs": {"o": {"Value": snippet_}}}
    made = {"heat_template_version": version, "parameters": {k: {"type": guessed_type(v)} for k, v in params.items()},
            "outputs": {"o": {"value": snippet_}}, "resources": {k: {"type": "OS::Heat::None"} for k in case.get("stub", {})}}
    if case.get("cond"):
        made.update(conditions={"c": snippet_}, outputs={"o": {"value": {"if": ["c", True, False]}}})
    return made


def snippet(case):
    """One snippet (a case of `hearth metadata eval --batch`) as output or condition: {"result"}, or {"error", "message"}."""
    try:
        made = template.Template(snippet_template(case), files=case.get("files") or {},
                                 env=environment.Environment({"parameters": case["params"], "parameter_defaults": {}}))
        stk = parser.Stack(request_context("test_project"), "tstack", made)
        stk.id = "11111111-2222-4333-8444-555555555555"
        stk.parameters.set_stack_id(stk.identifier())
        made.validate()
        stk.parameters.validate(context=stk.context)
        for name, stub in case.get("stub", {}).items():
            known = {(tuple(k.split("/")) if "/" in k else k): v for k, v in stub["attrs"].items()}
            data = node_data.NodeData(1, name, "u", stub["ref"], known, stub.get("action", "CREATE"), stub.get("status", "COMPLETE"))
            stk_defn.update_resource_data(stk.defn, name, data)
        if case.get("cond"):
            made.conditions(stk.defn).validate()
        output = stk.outputs["o"]
        output.validate()
        return {"result": output.get_value()}
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}
