"""Stacks made up from a seed: parameters, conditions, functions, configs, deployments, groups, chains, nested templates,
environments with registries and merge strategies. Mostly well-formed, with faults here and there."""
import random

VERSIONS = ["2015-10-15", "2016-10-14", "ocata"] + ["2017-09-01", "pike", "queens", "2018-08-31", "2021-04-16"] * 2
WORDS = ["a", "b", "web", "%i%", "x y", "", "1", "true", "k-1", "ü", "a,b", "10.0.0.1", "line\nmore\n"]
KEYS = ["a", "b", "k", "name", "1"]


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.seed = seed
        self.version = self.r.choice(VERSIONS)
        self.nested_outputs = {}

    def chance(self, percent):
        return self.r.random() * 100 < percent

    def word(self):
        return self.r.choice(WORDS)

    def scalar(self):
        return self.r.choice([self.word(), self.r.randint(-3, 40), True, False, None, 1.5, 0, self.word(), self.word()])

    def plain(self, depth=2):
        kind = self.r.randint(0, 5)
        if depth == 0 or kind < 3:
            return self.scalar()
        if kind == 3:
            return [self.plain(depth - 1) for _ in range(self.r.randint(0, 3))]
        return {k: self.plain(depth - 1) for k in self.r.sample(KEYS, self.r.randint(0, 3))}

    # Expressions: `scope` has parameters by kind and what can be referred to.
    def text(self, scope, depth):
        if depth <= 0 or self.chance(25):
            return self.word()
        # What takes texts apart gets no ids: those differ.
        pick = self.r.choice(["param", "join", "replace", "digest", "if", "get", "split", "url", "strict", "resource"])
        down = depth - 1
        if pick == "param" and scope.get("string"):
            return {"get_param": self.r.choice(scope["string"])}
        if pick == "join":
            lists = [[self.text(scope, down) for _ in range(self.r.randint(0, 3))] for _ in range(self.r.randint(1, 2))]
            return {"list_join": [self.r.choice([",", "", "-"])] + lists}
        if pick in ("replace", "strict"):
            name = "str_replace" if pick == "replace" else self.r.choice(["str_replace_strict", "str_replace_vstrict"])
            return {name: {"template": "%a% and b " + self.word(), "params": {"%a%": self.any(scope, down), "b": self.text(scope, down)}}}
        if pick == "digest":
            return {"digest": [self.r.choice(["md5", "sha256", "SHA512"]), self.word()]}  # not of ids, which differ
        if pick == "if" and scope.get("conditions"):
            return {"if": [self.r.choice(scope["conditions"]), self.text(scope, down), self.text(scope, down)]}
        if pick == "get" and scope.get("texts"):
            return {"get_attr": list(self.r.choice(scope["texts"]))}
        if pick == "split":
            return {"str_split": [self.r.choice([",", "a"]), self.word(), self.r.choice([0, 0, 1, -1])]}
        if pick == "url":
            return {"make_url": {"scheme": "http", "host": self.r.choice(["h", "::1"]), "port": self.r.choice([80, "8080"]), "path": "/" + self.word()}}
        if pick == "resource" and scope.get("resources"):
            return {"get_resource": self.r.choice(scope["resources"])}
        return self.word()

    def texts(self):
        return [self.r.choice(["a", "b", "x y", "", "1"]) for _ in range(self.r.randint(0, 3))]

    def list(self, scope, depth):
        down = depth - 1
        if depth <= 0 or self.chance(20):
            return [self.scalar() for _ in range(self.r.randint(0, 3))]
        pick = self.r.choice(["param", "concat", "unique", "repeat", "split", "filter", "yaql", "if", "plain"])
        if pick == "param" and scope.get("comma_delimited_list"):
            return {"get_param": self.r.choice(scope["comma_delimited_list"])}
        if pick in ("concat", "unique"):
            return self.texts() if self.version in ("2015-10-15", "2016-10-14", "ocata") else {"list_concat" + ("_unique" if pick == "unique" else ""): [self.list(scope, down) for _ in range(self.r.randint(1, 3))]}
        if pick == "repeat":
            loops = {"<x>": self.texts() if self.chance(90) else self.list(scope, down)}
            if self.chance(30):
                loops["<y>"] = ["p", "q"]
            made = {"template": self.r.choice(["<x>-<y>", {"k<x>": "<y>"}, ["<x>"]]), "for_each": loops}
            if self.chance(20):
                made["permutations"] = False
            return {"repeat": made}
        if pick == "split":
            return {"str_split": [",", {"get_param": self.r.choice(scope["string"])} if self.chance(50) else self.word()]}
        if pick == "filter":
            return {"filter": [[None, "", "a"], self.list(scope, down)]}
        if pick == "yaql":
            return {"yaql": {"expression": self.r.choice(["$.data.where($ != null)", "$.data.select($).toList()", "list($.data.distinct())",
                                                          "$.data.select(str($))", "$.data.flatten()", "$.data.take(2)", "$.data.skip(1)",
                                                          "$.data.orderBy(str($))", "$.data.reverse()"]), "data": self.list(scope, down)}}
        if pick == "if" and scope.get("conditions"):
            return {"if": [self.r.choice(scope["conditions"]), self.list(scope, down), self.list(scope, down)]}
        return [self.any(scope, down) for _ in range(self.r.randint(0, 3))]

    def map(self, scope, depth):
        down = depth - 1
        if depth <= 0 or self.chance(20):
            return {k: self.scalar() for k in self.r.sample(KEYS, self.r.randint(0, 3))}
        pick = self.r.choice(["param", "merge", "mapreplace", "if", "plain", "yaql"])
        if pick == "param" and scope.get("json"):
            return {"get_param": self.r.choice(scope["json"])}
        if pick == "merge":
            return {"map_merge": [self.map(scope, down) for _ in range(self.r.randint(1, 3))]}
        if pick == "mapreplace":
            return {"map_replace": [self.map(scope, down), {"keys": {"a": "z"}, "values": {"b": "y", "1": 7}}]}
        if pick == "if" and scope.get("conditions"):
            return {"if": [self.r.choice(scope["conditions"]), self.map(scope, down), self.map(scope, down)]}
        if pick == "yaql":
            return {"yaql": {"expression": self.r.choice(["$.data", "dict($.data.items().where($[1] != null))", "$.data.get(a)", "$.data + {z => 1}",
                                                          "dict($.data.items().select([$[0], str($[1])]))", "$.data.delete(a)", "$.data.set(q, 1)"]), "data": self.map(scope, down)}}
        return {k: self.any(scope, down) for k in self.r.sample(KEYS, self.r.randint(0, 3))}

    def any(self, scope, depth):
        if self.chance(0.7):
            return self.r.choice([{"get_param": "nope"}, {"get_attr": ["nope", "x"]}, {"list_join": [1, ["a"]]}, {"str_replace": {"template": 1}}, {"get_file": "none"},
                                  {"digest": ["nope", "a"]}, {"map_merge": "x"}, {"get_resource": "nope"}, {"if": ["nope", 1, 2]}])
        kind = self.r.randint(0, 10)
        if kind == 10 and scope.get("attributes"):
            return {"get_attr": list(self.r.choice(scope["attributes"]))}
        if kind < 4:
            return self.text(scope, depth)
        if kind < 6:
            return self.list(scope, depth)
        if kind < 8:
            return self.map(scope, depth)
        if kind == 8 and scope.get("number"):
            return {"get_param": self.r.choice(scope["number"] + scope["boolean"])}
        if kind == 9 and scope.get("json"):
            return {"get_param": [self.r.choice(scope["json"] + scope["comma_delimited_list"]), self.r.choice(["a", "b", 0, "0", -1]), *([self.r.choice(["k", 0])] if self.chance(30) else [])]}
        return self.scalar()

    def parameters(self, prefix, scope):
        made = {}
        for number, kind in enumerate(["string", "number", "boolean", "comma_delimited_list", "json", self.r.choice(["string", "json"])]):
            name = "%s%d" % (prefix, number)
            default = {"string": self.r.choice(["d", "", "a,b", 5]), "number": self.r.choice([3, "4", 1.5]), "boolean": self.r.choice([True, "off"]),
                       "comma_delimited_list": self.r.choice(["a,b", [], ["x", 1]]), "json": self.r.choice([{}, {"a": {"k": 1}}, [1, {"b": None}], '{"a": [1]}'])}[kind]
            made[name] = {"type": kind, "default": default}
            if kind == "number" and self.chance(15):
                made[name]["constraints"] = [{"range": {"min": 0, "max": 30}}]
            if kind == "string" and self.chance(15):
                made[name]["constraints"] = [self.r.choice([{"length": {"max": 8}}, {"allowed_pattern": "[a-z,0-9]*"}, {"allowed_values": ["d", "", "a,b", "5", "web"]}])]
            scope.setdefault(kind, []).append(name)
        return made

    def conditions(self, scope):
        if self.version in ("2015-10-15",) or self.chance(25):
            return {}
        pick = self.r.choice
        made = {"c0": {"equals": [{"get_param": pick(scope["string"])}, pick(["d", "a,b", ""])]},
                "c1": {"not": "c0"}, "c2": {pick(["and", "or"]): ["c0", {"equals": [{"get_param": scope["boolean"][0]}, pick([True, False])]}]}}
        if self.chance(30) and self.version not in ("2016-10-14", "newton", "ocata"):
            made["c3"] = {"yaql": {"expression": "$.data = 3", "data": {"get_param": scope["number"][0]}}}
        scope["conditions"] = list(made)
        return made

    def nested(self, name):
        scope = {}
        made = {"heat_template_version": self.version, "parameters": self.parameters("n", scope)}
        conditions = self.conditions(scope)
        if conditions:
            made["conditions"] = conditions
        made["resources"] = {"v": {"type": "OS::Heat::Value", "properties": {"value": self.any(scope, 2)}},
                             "cfg": {"type": "OS::Heat::SoftwareConfig", "properties": {"group": "script", "config": self.text(scope, 2), "inputs": [{"name": "i", "default": "x"}]}}}
        if self.chance(30):
            made["resources"]["cfg"]["metadata"] = self.map(scope, 1)
        scope["attributes"] = [("v", "value"), ("cfg", "config")]
        scope["resources"] = ["v", "cfg"]
        made["outputs"] = {"o": {"value": self.any(scope, 2)}, "p": {"value": {"get_attr": ["v", "value"]}}}
        if self.chance(25):
            made["outputs"]["OS::stack_id"] = {"value": {"get_resource": "cfg"}}
        return made

    def properties(self, scope, extra=0):
        given = {}
        for number, kind in enumerate(["text", "number", "bool", "list", "map"]):
            if self.chance(45):
                continue
            given["n%d" % number] = {"text": lambda: self.text(scope, 2), "number": lambda: self.r.choice([7, "8", 2.5]), "bool": lambda: self.r.choice([True, "false", "True"]),
                                     "list": lambda: self.texts() if self.chance(90) else self.list(scope, 1), "map": lambda: self.map(scope, 2)}[kind]()
        if self.chance(2):
            given["unknown"] = 1
        if extra and self.chance(50):
            given["n0"] = "member-%index%"
        return given

    def top(self):
        scope = {}
        made = {"heat_template_version": self.version, "description": "seed %d" % self.seed, "parameters": self.parameters("p", scope)}
        conditions = self.conditions(scope)
        if conditions:
            made["conditions"] = conditions
        scope["attributes"], scope["resources"], scope["texts"] = [], [], []
        resources = made["resources"] = {}

        def add(name, kind, properties, attributes=()):
            resources[name] = {"type": kind, "properties": properties}
            if self.chance(12) and scope["resources"]:
                resources[name]["depends_on"] = self.r.choice([self.r.choice(scope["resources"]), self.r.sample(scope["resources"], 1)])
            if self.chance(10) and conditions and name not in ("cfg", "srv"):
                resources[name]["condition"] = self.r.choice(list(conditions))
            if self.chance(10):
                resources[name]["metadata"] = self.map(scope, 2)
            scope["attributes"].extend((name,) + tuple(a) for a in attributes)
            if name in ("typed", "cfg", "srv") and "condition" not in resources[name]:
                scope["texts"].append((name,) + tuple(attributes[0]))
            scope["resources"].append(name)

        add("val", "OS::Heat::Value", {"value": self.any(scope, 3)}, [("value",), ("value", "a"), ("value", 0)])
        add("typed", "OS::Heat::Value", {"type": "string", "value": self.text(scope, 2)}, [("value",)])
        add("cfg", "OS::Heat::SoftwareConfig", {"group": "script", "config": self.text(scope, 3), "options": self.map(scope, 1),
                                                 "inputs": [{"name": "i", "type": self.r.choice(["String", "Json", "Number"]), "default": self.r.choice(["1", 2])}], "outputs": [{"name": "out", "error_output": self.chance(50)}]}, [("config",)])
        add("scfg", "OS::Heat::StructuredConfig", {"group": "hiera", "config": self.map(scope, 3)}, [("config",), ("config", "a")])
        add("srv", "OS::Heat::DeployedServer", {"name": "srv-" + str(self.seed), "software_config_transport": "POLL_TEMP_URL"}, [("name",)])
        add("dep", "OS::Heat::SoftwareDeployment", {"config": {"get_resource": "cfg"}, "server": {"get_resource": "srv"}, "name": "Dep", "input_values": self.map(scope, 2), "signal_transport": self.r.choice(["NO_SIGNAL", "CFN_SIGNAL"])})
        add("deps", "OS::Heat::SoftwareDeploymentGroup", {"config": {"get_resource": "cfg"}, "servers": {"0": {"get_resource": "srv"}, "one": {"get_resource": "srv"}}, "input_values": self.map(scope, 1)})
        inner = "My::Nested" if self.chance(50) else "n.yaml"
        add("nest", inner, self.properties(scope), [("o",), ("p",), ("o", "a")])
        removed = self.chance(25)
        count = self.r.choice([0, 1, 2, 3, "2"])
        members = [("resource.1.p",), ("resource.1.o", "a"), ("resource.1",)] if int(count) > 1 and not removed else []
        add("grp", "OS::Heat::ResourceGroup", {"count": count, "resource_def": {"type": inner, "properties": self.properties(scope, 1)},
                                               **({"removal_policies": [{"resource_list": ["0"]}]} if removed else {}), **({"index_var": "%i%"} if self.chance(20) else {})},
            [("p",), ("attributes", "p"), ("refs",), ("refs_map",), ("removed_rsrc_list",)] + members)
        if self.chance(60):
            add("chain", "OS::Heat::ResourceChain", {"resources": ["My::Nested", "OS::Heat::None"][: self.r.randint(1, 2)], "concurrent": self.seed % 2 == 0, "resource_properties": self.properties(scope)},
                [("refs",), ("attributes", "p")])
        add("none", self.r.choice(["OS::Heat::None", "My::Gone", "My::Alias"]), self.map(scope, 2))
        names = list(resources)
        self.r.shuffle(names)
        made["resources"] = {n: resources[n] for n in names}
        made["outputs"] = {"o%d" % n: {"value": self.any(scope, 3)} for n in range(4)}
        if conditions and self.chance(40):
            made["outputs"]["oc"] = {"value": self.any(scope, 2), "condition": self.r.choice(list(conditions))}
        return made

    def environments(self):
        first = {"resource_registry": {"My::Nested": "n.yaml", "My::Gone": "OS::Heat::None", "My::Alias": self.r.choice(["OS::Heat::None", "My::Gone"])}}
        second = {}
        for env in (first, second):
            for section in ("parameters", "parameter_defaults"):
                if not self.chance(60):
                    continue
                pool = {"p0": self.r.choice(["web", "d", 5]), "p1": self.r.choice([9, "12", 50]), "p2": self.r.choice(["yes", 0]), "p3": self.r.choice(["q,r", ["s"]]), "p4": self.r.choice([{"b": {"k": 2}}, {"a": [3]}])}
                if section == "parameter_defaults":
                    pool.update({"n0": "env", "n3": "m,n", "n4": {"k": "v"}, "other": 1})
                given = {k: pool[k] for k in self.r.sample(sorted(pool), self.r.randint(1, 3))}
                env[section] = given
        if self.chance(35):
            for env in (first, second):
                if self.chance(80):
                    env["parameter_merge_strategies"] = {"default": "overwrite", "p4": "deep_merge", "p3": "merge"}
        if self.chance(20):
            second["resource_registry"] = {"My::*": "OS::Heat::None"}
        return [e for e in (first, second) if e]


def stack(seed):
    """Files by name ("top.yaml", "n.yaml", "env0.yaml", …) as documents; parameters of the command line."""
    maker = Maker(seed)
    files = {"top.yaml": maker.top(), "n.yaml": maker.nested("n")}
    for number, document in enumerate(maker.environments()):
        files["env%d.yaml" % number] = document
    return files
