"""Lives of stacks, made up from a seed: a template, and what is done to it step by step. Servers, configs, deployments,
groups, chains, nested templates and values come, go, change in place or by replacement, fail and recover."""
import copy
import json
import random

NESTED = "file:///nested.yaml"
OTHER = "file:///other.yaml"
WORDS = ["red", "green", "blue", "a b", "x"]
# Without the default written out: to Heat that is a change, to us it is none.
ACTIONS = [None, None, ["CREATE"], ["UPDATE"], ["CREATE", "UPDATE", "DELETE"], ["DELETE"]]

# Those that need no service beside Heat itself.
TRANSPORTS = ["POLL_SERVER_CFN", "POLL_SERVER_HEAT"]


class Life:
    def __init__(self, seed):
        self.r = random.Random("life %d" % seed)
        self.resources = {}
        self.outputs = {}
        self.parameters = {"text": {"type": "string", "default": "t"}, "number": {"type": "number", "default": 2},
                           "flag": {"type": "boolean", "default": True}, "words": {"type": "comma_delimited_list", "default": "u,v"},
                           "map": {"type": "json", "default": {"k": "m"}}}
        self.given = {}
        self.nested = {"salt": "", "deploys": self.chance(40), "script": "run 1", "extra": False}
        self.counter = 0
        self.gone = []
        for _ in range(self.r.randint(1, 2)):
            self.add("server")
        for _ in range(self.r.randint(3, 7)):
            self.add()
        self.outputs_anew()

    def chance(self, percent):
        return self.r.random() * 100 < percent

    def named(self, *kinds):
        return [n for n, d in self.resources.items() if d["kind"] in kinds]

    # Texts and values: of what is there already, so that nothing goes round in circles.
    def text(self, before=None):
        pick = self.r.randint(0, 7)
        if pick < 2:
            return self.r.choice(WORDS)
        if pick < 4:
            return {"get_param": "text"}
        if pick == 4:
            return {"str_replace": {"template": "<w> and <n>", "params": {"<w>": {"get_param": ["words", 0]}, "<n>": {"get_param": "number"}}}}
        found = [n for n in self.named("value", "random", "deployment") if self.comes_before(n, before)]
        if not found:
            return {"if": ["on", "yes", "no"]}
        name = self.r.choice(found)
        attribute = {"value": "value", "random": "value", "deployment": "deploy_stdout"}[self.resources[name]["kind"]]
        return {"get_attr": [name, attribute]}

    def comes_before(self, name, other):
        return other is None or self.resources[name]["rank"] < self.resources[other]["rank"]

    def earlier(self, kinds, before=None):
        return [n for n in self.named(*kinds) if self.comes_before(n, before)]

    def add(self, kind=None, name=None):
        kinds = ["value", "value", "random", "config", "structured", "deployment", "deployment", "deployment", "group", "group",
                 "chain", "nested", "none", "deployments"]
        kind = kind or self.r.choice(kinds)
        if kind == "deployment" and not self.named("config", "structured"):
            kind = "config"
        if kind == "deployments" and not self.named("config"):
            kind = "config"
        if name is None:
            self.counter += 1
            name = "%s%d" % (kind[:5], self.counter)
        made = {"kind": kind, "rank": self.counter, "depends": [], "condition": None, "metadata": None}
        if self.chance(15) and kind != "server" and kind != "config":
            made["condition"] = "on"
        if self.chance(25):
            found = list(self.resources)
            made["depends"] = self.r.sample(found, 1) if found else []
        made["properties"] = getattr(self, "new_" + kind)()
        self.resources[name] = made
        return name

    def new_server(self):
        made = {"name": self.r.choice(WORDS).replace(" ", "")} if self.chance(40) else {}
        if self.chance(30):
            made["software_config_transport"] = self.r.choice(TRANSPORTS)
        return made

    def new_value(self):
        return {"value": self.text()}

    def new_random(self):
        return {"length": self.r.choice([8, 12]), "salt": self.r.choice(["", "s1"])}

    def new_none(self):
        return {"a": self.text()}

    def new_config(self):
        inputs = [{"name": "foo", "default": "d"}]
        if self.chance(30):
            inputs.append({"name": "roc", "replace_on_change": True})
        return {"group": "script", "config": self.r.choice(["run a", "run b", self.text()]), "inputs": inputs,
                "outputs": [{"name": "result"}] if self.chance(50) else []}

    def new_structured(self):
        return {"group": "hiera", "config": {"a": {"get_input": "foo"}, "b": self.r.choice(WORDS)}, "inputs": [{"name": "foo"}]}

    def deployment_inputs(self):
        values = {"foo": self.text()} if self.chance(70) else {}
        if self.chance(30):
            values["roc"] = self.r.choice(WORDS[:3])
        return values

    def new_deployment(self):
        config = self.r.choice(self.named("config", "structured"))
        made = {"config": {"get_resource": config}, "server": {"get_resource": self.r.choice(self.named("server"))},
                "input_values": self.deployment_inputs()}
        actions = self.r.choice(ACTIONS)
        if actions:
            made["actions"] = actions
        if self.chance(20):
            made["signal_transport"] = "NO_SIGNAL"
        if self.chance(30):
            made["name"] = "n-" + self.r.choice(WORDS[:3])
        return made

    def new_deployments(self):
        servers = self.named("server")
        return {"config": {"get_resource": self.r.choice(self.named("config"))},
                "servers": {"s-" + name: {"get_resource": name} for name in self.r.sample(servers, self.r.randint(1, len(servers)))},
                "input_values": self.deployment_inputs()}

    def new_group(self):
        member = self.r.choice([
            {"type": "OS::Heat::Value", "properties": {"value": "v-%index%"}},
            {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "text"}}},
            {"type": "OS::Heat::RandomString", "properties": {"length": 8}},
            {"type": "OS::Heat::None"},
            {"type": NESTED, "properties": {"word": "w%index%"}},
            {"type": NESTED, "properties": {"word": {"get_param": "text"}}}])
        return {"count": self.r.choice([1, 2, 3, {"get_param": "number"}]), "resource_def": copy.deepcopy(member)}

    def new_chain(self):
        types = [self.r.choice([NESTED, OTHER, "OS::Heat::None"]) for _ in range(self.r.randint(1, 3))]
        return {"resources": types, "resource_properties": {"word": self.text()}, **({"concurrent": True} if self.chance(30) else {})}

    def new_nested(self):
        return {"word": self.text()}

    TYPES = {"server": "OS::Heat::DeployedServer", "value": "OS::Heat::Value", "random": "OS::Heat::RandomString",
             "none": "OS::Heat::None", "config": "OS::Heat::SoftwareConfig", "structured": "OS::Heat::StructuredConfig",
             "deployments": "OS::Heat::SoftwareDeploymentGroup", "group": "OS::Heat::ResourceGroup", "chain": "OS::Heat::ResourceChain",
             "nested": NESTED}

    def type_of(self, definition):
        if "type" in definition:
            return definition["type"]
        if definition["kind"] == "deployment":
            config = self.resources[definition["properties"]["config"]["get_resource"]]
            return "OS::Heat::%sDeployment" % ("Structured" if config["kind"] == "structured" else "Software")
        return self.TYPES[definition["kind"]]

    def outputs_anew(self):
        self.outputs = {}
        for name, definition in self.resources.items():
            if not self.chance(60) or definition["condition"]:
                continue
            attribute = {"value": "value", "random": "value", "deployment": "deploy_stdout", "group": "refs", "nested": "out",
                         "chain": "refs", "deployments": "deploy_stdouts", "config": None, "server": None}.get(definition["kind"])
            value = {"get_attr": [name, attribute]} if attribute else {"get_resource": name}
            self.outputs["o_" + name] = {"value": value}
            if definition["kind"] == "group":
                self.outputs["m_" + name] = {"value": {"get_attr": [name, "refs_map"]}}
                self.outputs["r_" + name] = {"value": {"get_attr": [name, "removed_rsrc_list"]}}

    def template(self):
        resources = {}
        for name, definition in self.resources.items():
            made = {"type": self.type_of(definition), "properties": copy.deepcopy(definition["properties"])}
            if definition["depends"]:
                made["depends_on"] = list(definition["depends"])
            for key in ("condition", "metadata"):
                if definition[key]:
                    made[key] = definition[key]
            resources[name] = made
        return {"heat_template_version": "2018-08-31", "parameters": copy.deepcopy(self.parameters),
                "conditions": {"on": {"equals": [{"get_param": "flag"}, True]}}, "resources": resources, "outputs": copy.deepcopy(self.outputs)}

    def files(self):
        n = self.nested
        resources = {"value": {"type": "OS::Heat::Value", "properties": {"value": {"get_param": "word"}}},
                     "random": {"type": "OS::Heat::RandomString", "properties": {"length": 8, "salt": n["salt"]}}}
        if n["deploys"]:
            resources["server"] = {"type": "OS::Heat::DeployedServer"}
            resources["config"] = {"type": "OS::Heat::SoftwareConfig",
                                   "properties": {"group": "script", "config": n["script"], "inputs": [{"name": "foo"}]}}
            resources["deployment"] = {"type": "OS::Heat::SoftwareDeployment",
                                       "properties": {"config": {"get_resource": "config"}, "server": {"get_resource": "server"},
                                                      "input_values": {"foo": {"get_param": "word"}}}}
        if n["extra"]:
            resources["extra"] = {"type": "OS::Heat::Value", "properties": {"value": {"get_attr": ["random", "value"]}}}
        parameters = {"word": {"type": "string", "default": "w"}}
        nested = {"heat_template_version": "2018-08-31", "parameters": parameters, "resources": resources,
                  "outputs": {"out": {"value": {"list_join": ["-", [{"get_attr": ["value", "value"]}, {"get_attr": ["random", "value"]}]]}}}}
        other = {"heat_template_version": "2018-08-31", "parameters": parameters, "resources": {"inner": {"type": "OS::Heat::Value",
                 "properties": {"value": {"get_param": "word"}}}}, "outputs": {"out": {"value": {"get_attr": ["inner", "value"]}}}}
        return {NESTED: json.dumps(nested), OTHER: json.dumps(other)}

    # What an update changes.
    def users_of(self, name):
        """Resources that mention `name`."""
        return [n for n, d in self.resources.items() if repr(name) in repr(d["properties"]) or name in d["depends"]]

    def change(self):
        ways = ["add", "remove", "rename", "property", "property", "property", "property", "depends", "condition", "given", "given",
                "count", "count", "removal", "removal", "nested", "chain", "metadata", "type", "nothing", "actions"]
        getattr(self, "change_" + self.r.choice(ways))()

    def change_nothing(self):
        pass

    def change_add(self):
        if self.gone and self.chance(40):  # what was there before comes again
            name, definition = self.gone.pop()
            if name not in self.resources and all(other in self.resources for other in definition["needs"]):
                self.resources[name] = definition
                return
        self.add()

    def removable(self):
        return [n for n in self.resources if not self.users_of(n) and not (self.resources[n]["kind"] == "server" and len(self.named("server")) < 2)]

    def change_remove(self):
        found = self.removable()
        if found:
            name = self.r.choice(found)
            definition = self.resources.pop(name)
            definition["needs"] = [other for other in self.resources if repr(other) in repr(definition["properties"])] + definition["depends"]
            self.gone.append((name, definition))

    def change_rename(self):
        found = self.removable()
        if found:
            name = self.r.choice(found)
            self.counter += 1
            self.resources["%s%d" % (name.rstrip("0123456789"), self.counter)] = self.resources.pop(name)

    def change_property(self):
        name = self.r.choice(list(self.resources))
        definition = self.resources[name]
        properties = definition["properties"]
        kind = definition["kind"]
        if kind == "server":
            if self.chance(50):
                properties["name"] = self.r.choice(["one", "two", "three"])
            else:
                properties["software_config_transport"] = self.r.choice(TRANSPORTS)
        elif kind == "value":
            properties["value"] = self.text(name)
        elif kind == "random":
            properties[self.r.choice(["salt", "length"])] = None
            properties["salt"] = properties.get("salt") or self.r.choice(["", "s1", "s2"])
            properties["length"] = properties.get("length") or self.r.choice([8, 12, 16])
        elif kind == "none":
            properties["a"] = self.text(name)
        elif kind == "config":
            if self.chance(60):
                properties["config"] = self.r.choice(["run a", "run b", "run c", self.text(name)])
            else:
                properties["inputs"] = [{"name": "foo", "default": self.r.choice(["d", "e"])}]
        elif kind == "structured":
            properties["config"] = {"a": {"get_input": "foo"}, "b": self.r.choice(WORDS)}
        elif kind in ("deployment", "deployments"):
            self.change_deployment(name, properties)
        elif kind == "group":
            self.change_count()
        elif kind in ("nested",):
            properties["word"] = self.text(name)
        else:
            properties["resource_properties"] = {"word": self.text(name)}

    def change_deployment(self, name, properties):
        pick = self.r.randint(0, 4)
        if pick <= 1:
            properties["input_values"] = {"foo": self.text(name), **({"roc": self.r.choice(WORDS[:3])} if self.chance(50) else {})}
        elif pick == 2 and self.resources[name]["kind"] == "deployment":
            found = self.earlier(["server"], name)
            properties["server"] = {"get_resource": self.r.choice(found)} if found else properties["server"]
        elif pick == 2:
            servers = self.earlier(["server"], name)
            properties["servers"] = {"s-" + n: {"get_resource": n} for n in self.r.sample(servers, self.r.randint(1, len(servers)))} if servers else properties["servers"]
        elif pick == 3:
            found = [n for n in self.earlier(["config"], name)]
            if found and self.resources[properties["config"]["get_resource"]]["kind"] == "config":
                properties["config"] = {"get_resource": self.r.choice(found)}
        else:
            properties["name"] = "n-" + self.r.choice(WORDS[:3])

    def change_actions(self):
        found = self.named("deployment")
        if found:
            properties = self.resources[self.r.choice(found)]["properties"]
            properties.pop("actions", None)
            actions = self.r.choice(ACTIONS)
            if actions:
                properties["actions"] = actions

    def change_depends(self):
        name = self.r.choice(list(self.resources))
        found = self.earlier(list(self.TYPES) + ["deployment"], name)
        self.resources[name]["depends"] = self.r.sample(found, 1) if found and self.chance(70) else []

    def change_condition(self):
        found = [n for n in self.removable() if self.resources[n]["kind"] not in ("server",) and "o_" + n not in self.outputs]
        if found:
            definition = self.resources[self.r.choice(found)]
            definition["condition"] = None if definition["condition"] else "on"

    def change_given(self):
        value = {"text": self.r.choice(WORDS), "number": self.r.choice([0, 1, 2, 3]), "flag": self.chance(50),
                 "words": self.r.choice([["q"], "r,s"]), "map": {"k": self.r.choice(WORDS)}}
        name = self.r.choice(list(value))
        self.given[name] = value[name]

    def change_count(self):
        found = self.named("group")
        if found:
            self.resources[self.r.choice(found)]["properties"]["count"] = self.r.choice([0, 1, 2, 3, 4, {"get_param": "number"}])

    def change_removal(self):
        found = self.named("group")
        if not found:
            return
        name = self.r.choice(found)
        properties = self.resources[name]["properties"]
        listed = [self.r.choice([number, "@id:%s.%s" % (name, number)]) for number in self.r.sample(["0", "1", "2", "3"], self.r.randint(0, 2))]
        properties["removal_policies"] = [{"resource_list": listed}]
        properties.pop("removal_policies_mode", None)
        if self.chance(60):
            properties["removal_policies_mode"] = self.r.choice(["append", "update"])
        if self.chance(50):
            properties["count"] = self.r.choice([1, 2, 3])

    def change_nested(self):
        pick = self.r.choice(["salt", "script", "deploys", "extra"])
        self.nested[pick] = {"salt": self.r.choice(["", "s1", "s2"]), "script": self.r.choice(["run 1", "run 2"]),
                             "deploys": not self.nested["deploys"], "extra": not self.nested["extra"]}[pick]

    def change_chain(self):
        found = self.named("chain")
        if found:
            properties = self.resources[self.r.choice(found)]["properties"]
            types = properties["resources"]
            if self.chance(50):
                self.r.shuffle(types)
            elif self.chance(50):
                types.append(self.r.choice([NESTED, OTHER]))
            elif len(types) > 1:
                types.pop(self.r.randrange(len(types)))

    def change_metadata(self):
        name = self.r.choice(list(self.resources))
        self.resources[name]["metadata"] = {"m": self.r.choice(WORDS)} if self.chance(80) else None

    def change_type(self):
        """The same name, another type."""
        found = [n for n in self.named("value", "none", "random") if not self.users_of(n) and "o_" + n not in self.outputs]
        if found:
            definition = self.resources[self.r.choice(found)]
            definition["kind"] = self.r.choice([k for k in ("value", "none", "random") if k != definition["kind"]])
            definition["properties"] = getattr(self, "new_" + definition["kind"])()

    def deployments(self):
        """Names of all that agents would run."""
        return self.named("deployment") + (["deployment"] if self.nested["deploys"] else []) + ["s-" + n for n in self.named("server")]

    def body(self):
        return {"template": self.template(), "files": self.files(), "parameters": copy.deepcopy(self.given), "environment": {}}


def life(seed):
    """Steps: {"do": "create" | "update" | "patch" | "delete", "body": …, "fail": names of deployments that fail}. In a body
    "@id:PATH" stands for the id of the resource there."""
    made = Life(seed)
    r = made.r
    first = {"do": "create", "body": made.body(), "fail": []}
    first["body"]["disable_rollback"] = True
    if made.chance(30):
        first["body"]["timeout_mins"] = r.choice([30, 90])
    steps = [first]
    if made.chance(10) and made.deployments():
        first["fail"] = r.sample(made.deployments(), 1)
    for _ in range(r.randint(2, 5)):
        if made.chance(12):
            made.change_given()
            names = r.sample(sorted(made.given), r.randint(0, len(made.given)))
            body = {"parameters": {n: made.given[n] for n in names}, "environment": {}}
            if made.chance(25):
                body["clear_parameters"] = r.sample(sorted(made.parameters), 1)
                for name in body["clear_parameters"]:
                    if name not in names:
                        made.given.pop(name, None)
            step = {"do": "patch", "body": body}
        else:
            for _ in range(r.randint(1, 3)):
                made.change()
            if made.chance(30) or not set(n[2:] for n in made.outputs) <= set(made.resources):
                made.outputs_anew()
            step = {"do": "update", "body": made.body()}
            if made.chance(20):
                step["body"]["disable_rollback"] = False
            else:
                step["body"]["disable_rollback"] = True
            if made.chance(20):
                step["body"]["timeout_mins"] = r.choice([0, 45, 120])
        step["fail"] = r.sample(made.deployments(), 1) if made.chance(20) and made.deployments() else []
        steps.append(step)
    steps.append({"do": "delete", "body": None, "fail": []})
    return steps
