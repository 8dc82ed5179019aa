"""YAQL made up from a seed: chains of calls over data of each kind, mostly as they are meant, some on what they don't fit.
What has no order in Python (the keys and items of a map, sets) is ordered before anything asks for its order."""

DATA = {"l": [3, 1, 2, 1], "t": ["b", "a", "c", "a"], "m": {"a": 1, "b": {"c": [1, 2]}}, "s": "Hello, World", "n": 5, "f": 2.5,
        "b": True, "lm": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}, {"a": 1, "b": "z"}], "ll": [[1, 2], [3, [4]], []], "nul": None,
        "mix": [1, "a", None, True, 1.5, [2], {"k": 3}], "e": [], "em": {}, "p": [["a", 1], ["b", 2]]}
BEGINNINGS = {"list": ["$.data.l", "$.data.t", "$.data.lm", "$.data.ll", "$.data.mix", "$.data.e", "$.data.p", "[1, 2, 3]", "range(4)", "list(1, [2], range(2))",
                       "range(1, 7, 2)", "sequence(1).take(4)", "[[1,b],[1,a],[0,z]]"],
              "map": ["$.data.m", "$.data.em", "$.data", "{a => 1, 2 => b}", "dict(a => 1, b => 2)", "dict($.data.p)", "$.data.lm[0]"],
              "text": ["$.data.s", "abc", "'a,b,,c'", "' x y '", "str($.data.n)", "$.data.t[0]"],
              "number": ["$.data.n", "$.data.f", "7", "-3", "len($.data.l)", "int('12')", "$.data.l[1]"],
              "any": ["$.data.nul", "$.data.b", "$.data.nope", "$"]}
LAMBDAS = ["$", "$ > 1", "$.a", "$ = a", "not $", "str($)", "$ + 1", "$[0]", "len($)", "$ != null", "isString($)", "[$, $]", "$.get(a)", "$ in [1, 2]",
           "{k => $}", "$.nope", "12 / ($ - 1)", "$ mod 2", "$.b", "$ < c", "bool($)", "$.select($)", "isList($)", "true", "null"]
PAIRS = ["$1 + $2", "$1", "[$1, $2]", "max($1, $2)", "$1 > $2", "str($1) + str($2)", "$1.concat([$2])", "$2"]
ITEMS = ["1", "a", "null", "[1]", "$.data.n", "{k => 3}", "z", "2.0", "true"]


def links(m):
    """(from, to, text) of each call that a chain may hold."""
    one, two, item, other, n = m.r.choice(LAMBDAS), m.r.choice(LAMBDAS), m.r.choice(ITEMS), m.r.choice(ITEMS), m.r.choice(["0", "1", "2", "3", "-1"])
    fold, some = m.r.choice(PAIRS), m.r.choice(["[5, 6]", "$.data.t", "$.data.e", "range(2)"])
    to_list = [".where(%s)" % one, ".select(%s)" % one, ".filter(%s)" % one, ".map(%s)" % one, ".selectMany(%s)" % one, ".selectMany([$, $])", ".flatten()",
               ".distinct()", ".distinct(%s)" % one, ".take(%s)" % n, ".limit(%s)" % n, ".skip(%s)" % n, ".takeWhile(%s)" % one, ".skipWhile(%s)" % one,
               ".reverse()", ".orderBy(%s)" % one, ".orderByDescending(%s)" % one, ".orderBy(%s).thenBy(%s)" % (one, two), ".append(%s)" % item,
               ".append(%s, %s)" % (item, other), ".concat(%s)" % some, " + %s" % some, ".enumerate()", ".enumerate(%s)" % n, ".zip(%s)" % some,
               ".zipLongest(%s)" % some, ".zipLongest(%s, default => %s)" % (some, item), ".slice(%s)" % n, ".splitAt(%s)" % n, ".sliceWhere(%s)" % one,
               ".splitWhere(%s)" % one, ".insert(%s, %s)" % (n, item), ".insertMany(%s, %s)" % (n, some), ".delete(%s)" % n, ".delete(%s, %s)" % (n, m.r.choice("012")),
               ".replace(%s, %s)" % (n, item), ".replaceMany(%s, %s)" % (n, some), ".groupBy(%s)" % one, ".groupBy(%s, %s)" % (one, two),
               ".groupBy(%s, $, %s)" % (one, m.r.choice(["len($)", "$.sum()", "[$[0], $[1]]", "$"])), ".toList()", ".memorize()", ".accumulate(%s)" % fold,
               ".accumulate(%s, %s)" % (fold, item), ".defaultIfEmpty(%s)" % m.r.choice(["[0]", "a"]), ".cycle().take(5)", ".join(%s, %s, %s)" % (some, m.r.choice(PAIRS), fold),
               ".repeat(%s)" % n, " * %s" % n, ".lastIndexWhere(%s)" % one, ".a", ".b"]
    from_list = [("any", t) for t in (".first()", ".first(%s)" % item, ".last()", ".last(%s)" % item, ".single()", ".aggregate(%s)" % fold,
                                      ".reduce(%s, %s)" % (fold, item), "[%s]" % n, ".sum()", ".sum(%s)" % item, ".max()", ".min()", ".max(%s)" % item)]
    from_list += [("number", t) for t in (".len()", ".count()", ".indexOf(%s)" % item, ".lastIndexOf(%s)" % item, ".indexWhere(%s)" % one)]
    from_list += [("any", t) for t in (".any()", ".any(%s)" % one, ".all()", ".all(%s)" % one, ".contains(%s)" % item, " = [1, 2]", ".isIterable()")]
    from_list += [("text", ".join(%s)" % m.r.choice(["','", "''"])), ("set", ".toSet()"), ("map", ".toDict(%s)" % one), ("map", ".toDict(%s, %s)" % (one, two))]
    from_map = [("set", ".keys()"), ("set", ".items()"), ("list", ".values()"), ("any", ".get(a)"), ("any", ".get(zz, %s)" % item), ("any", ".containsKey(%s)" % item),
                ("any", ".containsValue(%s)" % item), ("number", ".len()"), ("map", ".delete(a)"), ("map", ".deleteAll([a, b])"), ("map", ".set(a, %s)" % item),
                ("map", ".set({q => %s})" % item), ("map", ".set(z => %s)" % item), ("map", ".mergeWith({a => 5, c => [1]})"), ("map", ".mergeWith($.data.m)"),
                ("map", " + {z => %s}" % item), ("any", ".a"), ("any", "[a]"), ("any", ".b"), ("any", ".zz"), ("any", "?.a"), ("any", ".values().sum()"), ("any", " = {}")]
    from_set = [("number", ".len()"), ("any", ".contains(%s)" % item), ("list", ".orderBy(str($))"), ("set", ".union(set(1, a))"), ("set", ".intersect(set(1, 2))"),
                ("set", ".difference(set(1))"), ("set", ".symmetricDifference(set(1, z))"), ("set", ".add(%s)" % item), ("set", ".remove(1)"), ("list", ".orderBy(str($)).toList()"),
                ("list", ".select(str($)).orderBy($)"), ("any", ".any(%s)" % one)]
    from_text = [("text", t) for t in (".toUpper()", ".toLower()", ".trim()", ".trimLeft()", ".trimRight('x ')", ".replace(l, L)", ".replace(l, L, 1)", ".substring(1)",
                                       ".substring(1, 2)", ".substring(-3)", " + x", " * 2", ".replace({l => L, o => 0})", ".norm()", ".trim(H)")]
    from_text += [("list", t) for t in (".split(',')", ".split()", ".split(',', 1)", ".rightSplit(' ', 1)", ".rightSplit()", ".toCharArray()")]
    from_text += [("any", t) for t in (".startsWith(H)", ".endsWith(d)", ".indexOf(o)", ".indexOf(o, 5)", ".lastIndexOf(l)", ".isEmpty()", " =~ 'l+'", " !~ '^H'", " > abc", " in Hello",
                                       ".matches('[a-z]+')", ".len()")]
    from_number = [("number", " %s %s" % (m.r.choice(["+", "-", "*", "/", "mod"]), m.r.choice(["2", "0", "1.5", "-3", "$.data.n"]))) for _ in range(4)]
    from_number += [("any", " %s %s" % (m.r.choice(["=", "!=", "<", ">", "<=", ">="]), m.r.choice(["5", "5.0", "a", "null", "true"]))) for _ in range(2)]
    return {"list": [("list", t) for t in to_list] + from_list * 2, "map": from_map, "set": from_set, "text": from_text, "number": from_number}


def chain(m, kind=None):
    kind = kind or m.pick("list", "list", "list", "list", "map", "map", "text", "number", "any")
    text = m.r.choice(BEGINNINGS[kind])
    for _ in range(m.r.randint(1, 4)):
        every = links(m)
        use = kind if kind in every and m.chance(93) else m.r.choice(sorted(every))
        if kind == "set" and use != "set" or kind == "any" and m.chance(50):
            break
        if kind == "any" and "set" == use:
            use = "text"
        following, call = m.r.choice(every[use])
        if call[0] == " ":
            text = "(%s)" % text if " " in text else text
        text, kind = text + call, following
    return text, kind


def yaql(m):
    made, kind = chain(m)
    around = m.r.random()
    if around < 0.06:
        made = "let(x => %s) -> $x" % made
    elif around < 0.10:
        made = "let(%s) -> [$1, $.data]" % made
    elif around < 0.14:
        made = "switch(%s => yes, true => no)" % made
    elif around < 0.18:
        made = "coalesce(null, %s)" % made
    elif around < 0.22 and kind != "set":
        made = "[%s, %s]" % (made, chain(m, "number")[0])
    elif around < 0.25:
        made = "%s and %s" % (made, chain(m, "number")[0])
    elif around < 0.28:
        made = "%s(%s)" % (m.pick("isList", "isDict", "isSet", "isString", "isInteger", "isIterable", "bool", "len", "not "), made)
    elif around < 0.31 and kind != "set":
        made = "str(%s)" % made if kind in ("number", "text") else "list(%s)" % made
    return {"yaql": {"expression": made, "data": DATA}}
