"""Snippets of templates made up from a seed, for the functions of all versions: mostly as they are meant, some damaged."""
import random

from yaql_snippets import yaql

HOT = ["2013-05-23", "2014-10-16", "2015-04-30", "2015-10-15", "2016-04-08", "2016-10-14", "2017-02-24", "2017-09-01",
       "2018-03-02", "2018-08-31", "2021-04-16"]
CFN = ["2010-09-09", "2012-12-12"]
TEXTS = ["abc", "", "a", "b", "x,y", "5", "-1", "0", "1.5", "1e3", " ", "é", "日本", "a b", "A", "%a%", "$x", "true", "null",
         "1:30", "01", " 2 ", ",", "/", "a\nb", "None", "ÿ", "😀"]
NUMBERS = [0, 1, -1, 2, 5, -5, 1.5, -0.0, 1.0, 1e16, 1e-7, 10**20, 0.1, 3, 123456789012345678, 1e22, 100000.0]
EQUALS = [1, True, 1.0, "1", 0, False, None, "a", "b", [1], [True], {"a": 1}, {"a": 1.0}, "", [], {}]
PARAMETERS = {"s": "abc", "n": 5, "f": 1.5, "b": True, "l": ["x", "y", "z"], "m": {"k": {"d": [1, 2, {"q": "deep"}]}, "e": "", "z": None},
              "empty": "", "jl": [{"a": 1}, 2]}
STUB = {"r1": {"ref": "id-1", "attrs": {"x": "val", "l": [1, "b", {"k": "v"}], "m": {"k": {"a": [1, 2]}, "0": "zero"}, "m/k": {"a": [1]}}},
        "r2": {"ref": "id-2", "attrs": {"x": 5, "l": None, "m": "text"}, "action": "INIT"}}
URL_PARTS = {
    "scheme": ["http", "https", "ftp", "HTTP", "ht tp", "a+b", "", "http:", "mailto", "é", "file", "git+ssh"],
    "username": ["u", "u@x", "u:x", "é", "a b", "", "u%41"], "password": ["p", "p:@/", "p%", "", "x y", "~_.-"],
    "host": ["h", "example.com", "::1", "[::1]", "2001:db8::1", "192.0.2.1", "h:80", "h/x", "", "H.x", "é", "a b", "[", "h?x", "h@z"],
    "port": [80, "80", "0", 0, 65535, 65536, "x", -1, 1.5, "", True, " 80 ", "080", None, {"get_param": "n"}, 443.0],
    "path": ["/", "/a/b", "a", "", "/a b", "/é", "/a?b", "/a#b", "//x", "/%41", "a/../b", "/;p", "/a:b@c", "/~x"],
    "query": [{"a": "1"}, {"a": 1, "b": "x y"}, {}, {"q": "é/ü"}, {"a": None, "b": True}, "a=1", {"a": ["x", "y"]}, {"": ""}, {"a": "/&="}],
    "fragment": ["f", "", "a b", "é", "#x", "/?", "%41"]}


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def chance(self, percent):
        return self.r.random() * 100 < percent

    def pick(self, *things):
        return self.r.choice(things)

    def text(self):
        return self.r.choice(TEXTS)

    def texts(self):
        return [self.text() for _ in range(self.r.randint(0, 4))]

    def scalar(self):
        return self.pick(self.text(), self.text(), self.r.choice(NUMBERS), self.pick(True, False), None)

    def value(self, depth=1):
        kind = self.r.random()
        if depth <= 0 or kind < 0.5:
            return self.scalar()
        if kind < 0.7:
            return [self.value(depth - 1) for _ in range(self.r.randint(0, 4))]
        if kind < 0.9:
            return self.map(depth)
        return self.call()

    def map(self, depth=1):
        return {self.pick("a", "b", "k", "x", "", "1", "é", "A", "zz"): self.value(depth - 1) for _ in range(self.r.randint(0, 3))}

    def call(self):
        return self.pick({"get_param": self.pick("s", "n", "b", "l", "m", "f", "jl", "empty")}, {"get_param": ["m", self.pick("k", "e", "z")]},
                         {"list_join": [self.pick(",", ""), self.texts()]}, {"map_merge": [{"a": self.scalar()}, {"b": self.scalar()}]},
                         {"str_split": [",", "a,b,c"]}, {"list_concat": [[self.scalar()], [self.scalar()]]},
                         {"if": [self.pick(True, False), self.scalar(), self.scalar()]}, {"if": [False, self.scalar()]},
                         {"str_replace": {"template": "a-%a%", "params": {"%a%": self.scalar()}}}, {"get_attr": ["r1", self.pick("x", "l", "m")]})

    def damaged(self, value, percent=6):
        if not self.chance(percent):
            return value
        if self.chance(50):
            return self.value(2)
        if isinstance(value, list):
            return self.pick(value[:-1], value + [self.value()], {"a": value})
        if isinstance(value, dict):
            return self.pick({k: v for k, v in list(value.items())[1:]}, dict(value, **{self.text(): self.value()}), [value])
        return self.pick([value], {"a": value})

    def equals(self, most):
        return self.damaged([self.r.choice(EQUALS) for _ in range(self.r.randint(0, most))]) if self.chance(92) else None


def get_param(m):
    name = m.pick("s", "n", "b", "l", "m", "f", "jl", "empty", "OS::stack_name", "OS::stack_id", "OS::project_id", "nope", "OS::region")
    if m.chance(25):
        return {"get_param": m.damaged(name)}
    steps = ["k", "d", "e", "q", "a", 0, 1, 2, -1, -4, "0", "1", "-1", " 1", "1.0", 1.0, True, None, [], {}, "x", 10**20, "01", "1_0"]
    path = [m.r.choice(steps) for _ in range(m.r.randint(1, 4))]
    if m.chance(40):
        name, path = "m", (["k", "d"] + path)[: m.r.randint(1, 5)]
    return {"get_param": m.damaged([name] + path)}


def get_attr(m):
    name, attribute = m.pick("r1", "r1", "r2", "nope"), m.pick("x", "l", "m", "m", "l", "nope", "show", "y")
    if m.chance(10):
        return {"get_attr": m.pick([name], name, [m.damaged(name, 50)])}
    path = [m.pick("k", "a", 0, 1, -1, 5, "0", "1", "q", 1.0, True, [], "b") for _ in range(m.r.randint(0, 3))]
    return {"get_attr": m.damaged([m.damaged(name, 3), m.damaged(attribute, 3)] + path)}


def get_resource(m):
    return {m.pick("get_resource", "get_file"): m.damaged(m.pick("r1", "r2", "nope", "f", "g", "u"), 25)}


def list_join(m):
    delimiter = m.damaged(m.text(), 5)
    lists = [m.damaged(m.texts(), 10) for _ in range(m.pick(1, 1, 2, 3))]
    if m.chance(30):
        lists = [[m.value(2) for _ in range(3)]]
    return {"list_join": m.damaged([delimiter] + lists)}


def str_replace(m):
    keys = [m.pick("a", "aa", "ab", "b", "%a%", "$x", "x", "xy", "é", "日", "foo", "f", "oo", "A", "", "1", " ") for _ in range(m.r.randint(0, 4))]
    text = "".join(m.pick("a", "aa", "ab", "b", "%a%", "$x", "xy", "foobar", "é", "日本", " ", "-", "A", "1") for _ in range(m.r.randint(0, 6)))
    params = {k: m.value(2) if m.chance(60) else m.text() for k in keys}
    arguments = {"template": m.damaged(text), "params": m.damaged(params)}
    if m.chance(5):
        arguments["params"] = {"get_param": m.pick("m", "s", "l")}
    return {m.pick("str_replace", "str_replace", "str_replace_strict", "str_replace_vstrict"): m.damaged(arguments)}


def str_split(m):
    text = m.damaged(m.pick("a,b,c", "a b  c", " a\tb\n", "", ",", "aXbX", "é,ü", None, "a,,b", "a--b---c"), 5)
    arguments = [m.damaged(m.pick(",", ",", "X", "", "--", " ", None, "é"), 5), text]
    if m.chance(60):
        arguments.append(m.pick(0, 1, 2, -1, -4, 5, "0", "1", "-1", " 1 ", "x", 1.9, -0.5, None, True, [], {}, "1.0", "1_0", "", 10**30))
    return {"str_split": m.damaged(arguments)}


def map_merge(m):
    return {"map_merge": m.damaged([m.damaged(m.map(2)) if m.chance(90) else None for _ in range(m.r.randint(0, 4))])}


def map_replace(m):
    source = {m.pick("a", "b", "c", "d", "1"): m.value(2) for _ in range(m.r.randint(0, 4))}
    keys = {m.pick("a", "b", "c", "1", "e"): m.damaged(m.pick("A", "B", "a", "b", None, "x"), 8) for _ in range(m.r.randint(0, 3))}
    values = {m.pick("abc", "a", "1", "0", "true", "None", "5", ""): m.value(2) for _ in range(m.r.randint(0, 3))}
    how = {k: m.damaged(v) for k, v in (("keys", keys), ("values", values), ("other", 1)) if m.chance(6 if k == "other" else 80)}
    return {"map_replace": m.damaged([m.damaged(source), m.damaged(how)])}


def repeat(m):
    length = m.r.randint(0, 3)
    over = {m.pick("%a%", "%b%", "a", "b", "ab", "é", "", "$x", "1"): m.pick(m.texts(), [m.text() for _ in range(length)], m.value(2), m.map(2), None)
            for _ in range(m.r.randint(1, 3))}
    template = m.pick("%a%-%b%", "a", "ab", {"%a%": "%b%"}, {"k": ["%a%", "b"], "%b%": 1}, ["%a%", {"a": "%b%"}], 5, None, True,
                      {"list_join": ["%a%", ["1", "2"]]}, {"get_param": "s"}, {"str_replace": {"template": "a %b%", "params": {"a": "z"}}})
    arguments = {"template": m.damaged(template), "for_each": m.damaged(over)}
    if m.chance(35):
        arguments["permutations"] = m.pick(True, False, False, "no", 0, 1, None, "false", [], {"get_param": "b"})
    return {"repeat": m.damaged(arguments)}


def digest(m):
    names = ["md5", "sha1", "SHA256", "sha512", "sha224", "sha384", "sha3_256", "blake2b", "blake2s", "shake_128", "nope", "", "sha-1", "SHA512_256"]
    return {"digest": m.damaged([m.damaged(m.r.choice(names), 4), m.damaged(m.text(), 4)])}


def branch(m):
    condition = m.pick(True, False, "nope", "true", {"equals": [m.scalar(), m.scalar()]}, {"not": m.pick(True, "c1", {"equals": [1, 1]})},
                       {"and": [True, "c1"]}, {"or": ["c2", False]}, {"get_param": "b"}, None, 1, {"contains": ["a", ["a"]]}, [], {"get_param": "s"})
    made = {"if": m.damaged([condition, m.value(2), m.value(2)][: m.pick(3, 3, 3, 2)])}
    return m.pick(made, made, [1, made, 2], {"a": made, "b": 1}, {"a": [made], "b": {"c": made}})


def lists(m):
    name = m.pick("list_concat", "list_concat_unique", "filter", "filter", "contains", "contains")
    if name == "contains":
        return {name: m.damaged([m.r.choice(EQUALS), m.pick(m.equals(4), "abc", "1a", "", m.value(2))])}
    return {name: m.damaged([m.equals(4) for _ in range(2 if name == "filter" else m.r.randint(0, 3))])}


def make_url(m):
    parts = {k: m.damaged(m.r.choice(v), 3) for k, v in URL_PARTS.items() if m.chance(75 if k in ("scheme", "host") else 50)}
    return {"make_url": m.damaged(parts, 3)}


def cloud(m):
    members = [".member.0.Name=k", ".member.0.Value=v", ".member.1.Name=q", ".member.1.Value=", "member.0.Name=r", ".member.0.Value=a=b",
               ".member.x.Name=y", ".member.10.Name=t", ".member.10.Value=w", "foo", "", 5]
    calls = {"Fn::Select": [m.pick(0, 1, -1, 5, "0", "-1", "x", "a", None, 1.5, True, ""),
                            m.pick(["x", "y"], {"a": 1, "b": [2]}, '["p", "q"]', '{"a": 5}', "abc", "", None, "[1", 5, {"Ref": "l"}, {"Ref": "m"})],
             "Fn::Join": [m.damaged(m.text()), m.damaged(m.texts())],
             "Fn::Split": [m.damaged(m.pick(",", "", "X", None, " ")), m.damaged(m.pick("a,b", "", "aXb", None))],
             "Fn::Replace": [m.damaged({m.pick("a", "b", "ab", "$v", ""): m.value() for _ in range(m.r.randint(0, 3))}), m.damaged("ab $v a")],
             "Fn::Base64": m.value(2), "Fn::MemberListToMap": [m.damaged("Name"), m.damaged("Value"), m.damaged([m.r.choice(members) for _ in range(4)])],
             "Ref": m.damaged(m.pick("s", "l", "m", "n", "b", "AWS::StackName", "AWS::Region", "nope")), "Fn::FindInMap": [m.pick("M", "N"), "a", "b"],
             "Fn::If": [m.pick(True, "c1", "nope", {"Fn::Equals": [1, 1]}), m.value(), m.value()]}
    name = m.r.choice(sorted(calls))
    return {name: m.damaged(calls[name])}


def condition(m, depth=2):
    values = [1, True, 1.0, "1", 0, None, "a", [1], {"a": 1}, {"get_param": "b"}, {"get_param": "s"}, {"get_param": ["m", "k", "d", 0]}]
    inner = lambda: condition(m, depth - 1) if depth > 0 and m.chance(60) else m.pick(True, False, "c", "nope", {"get_param": "b"}, 1, "true", None)
    return m.pick({"equals": m.damaged([m.r.choice(values), m.r.choice(values)])}, {"not": m.damaged(inner())},
                  {m.pick("and", "or"): m.damaged([inner() for _ in range(m.pick(0, 1, 2, 2, 3))])},
                  {"contains": m.damaged([m.r.choice(values), [1, "a", {"get_param": "s"}]])},
                  {"yaql": {"expression": m.pick("$.data", "$.data = 1", "not $.data"), "data": m.r.choice(values)}}, m.call(),
                  m.pick(True, False, "true", None, 1, [], {}, {"get_param": "nope"}, "c", {"a": 1}, {"if": [True, True, False]}))


FAMILIES = {f.__name__: f for f in (get_param, get_attr, get_resource, list_join, str_replace, str_split, map_merge, map_replace, repeat, digest,
                                    branch, lists, make_url, cloud, condition, yaql)}


def case(family, seed):
    """In the form of `hearth metadata eval --batch`."""
    m = Maker("%s%d" % (family, seed))
    made = {"version": m.r.choice(HOT if m.chance(40) else HOT[-2:]), "params": dict(PARAMETERS)}
    if family == "cloud":
        made["version"] = m.r.choice(CFN + HOT[:2] if m.chance(90) else HOT)
    elif family == "condition":
        made.update(version=m.r.choice(HOT[5:]), cond=True)
    elif family == "yaql":
        made["version"] = m.r.choice(HOT[5:])
    else:
        made.update(stub=STUB, files={"f": "content", "g": "", "u": "é\n"})
    made["snippet"] = FAMILIES[family](m)
    return made
