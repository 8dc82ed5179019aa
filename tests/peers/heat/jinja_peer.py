#!/usr/bin/python3
"""Jinja templates through python3-jinja2 and through `hearth metadata render`: the same text.

jinja_peer.py HEARTH. Exit 0 same, 1 different, 77 skipped. What both refuse counts as the same."""
import os
import subprocess
import sys
import tempfile

try:
    import jinja2
except ImportError:
    print("SKIPPED: no python3-jinja2")
    sys.exit(77)

ROLES = [{"name": "Controller", "tags": ["primary", "controller"], "CountDefault": 1, "ServicesDefault": ["a", "b's"]},
         {"name": "Compute", "networks": ["InternalApi"], "deprecated": "old", "weight": 1.5}]
NETWORKS = [{"name": "External", "vip": True, "ip_subnet": "10.0.0.0/24", "idx": 0, "name_lower": "external"},
            {"name": "Tenant", "vip": False, "vlan": 50, "idx": 1, "name_lower": "tenant"}]

EXPRESSIONS = [
    "roles", "roles[0]", "roles[0].tags", "roles[1]['name']", "roles|length", "roles|map(attribute='name')|list",
    "roles|map(attribute='name')|join(', ')", "roles|selectattr('tags')|list|length", "roles|selectattr('name', 'eq', 'Compute')|first",
    "roles|rejectattr('deprecated')|map(attribute='name')|list", "networks|map(attribute='vlan', default=1)|list",
    "networks|sum(attribute='idx')", "networks|map(attribute='name')|map('lower')|list", "networks|map(attribute='name')|select('in', ['Tenant'])|list",
    "1 + 2 * 3", "2 ** 3 ** 2", "-2 ** 2", "7 // 2", "-7 // 2", "7 % 3", "-7 % 3", "7 % -3", "7 / 2", "6 / 2", "1.5 * 2", "1e3 if 1 else 2", "2.5e-1 + 1", "10 // 3.0",
    "'a' ~ 1 ~ 2.0 ~ none", "'a' * 3", "[1, 2] * 2", "[1] + [2]", "'x' + 'y'", "1 == 1.0", "1 == true", "'1' == 1", "none == none", "[1, 2] == [1, 2]",
    "{'a': 1} == {'a': 1.0}", "1 < 2", "'a' < 'b'", "[1, 2] < [1, 3]", "1 in [1.0]", "'a' in 'abc'", "'a' in {'a': 1}", "'a' not in []",
    "not 1", "not not ''", "1 and 2", "0 and 2", "0 or 'x'", "'' or none", "1 if true", "1 if false", "1 if false else 2 if true else 3",
    "true", "False", "None", "none", "1", "1.0", "1_000", "'it''s'", "\"a'b\"", "'a\\nb'", "'\\u00e4'", "'\\x41'", "[]", "(1, 2)|list", "{}", "{'a': [1, {'b': none}]}",
    "[1, 2, 3][1:]", "[1, 2, 3][:-1]", "[1, 2, 3][::2]", "[1, 2, 3][::-1]", "'hello'[1:3]", "'hello'[::-1]", "'hello'[0]", "'hello'[-1]", "[1, 2][5:]",
    "missing", "missing|default('x')", "missing|d", "''|default('x')", "''|default('x', true)", "none|default('x')", "false|default('x', boolean=true)",
    "roles[0].missing", "roles[0].missing|default([])", "roles[5]", "missing is defined", "missing is undefined", "missing is not defined",
    "missing is none", "none is none", "1 is number", "true is number", "'a' is string", "[] is sequence", "{} is mapping", "1 is odd", "2 is even", "6 is divisibleby 3",
    "6 is divisibleby(4)", "1 is eq 1", "1 is ne 2", "1 is lt 2", "2 is ge 2", "'a' is in ['a']", "'a' is not in ['a']", "true is true", "1 is true", "true is boolean", "1 is integer", "1.5 is float",
    "'abc' is lower", "'ABC' is upper", "1 is defined and 2 is defined", "'AbC'|lower", "'abc'|upper", "'hello world'|title", "'hELLO'|capitalize", "' a '|trim", "'aXbX'|replace('X', '-')",
    "[3, 1, 2]|sort", "[3, 1, 2]|sort(reverse=true)", "['b', 'A', 'c']|sort", "['b', 'A']|sort(case_sensitive=true)", "networks|sort(attribute='name', reverse=true)|map(attribute='name')|list",
    "[1, 1, 2]|unique|list", "['a', 'A', 'b']|unique|list", "[3, 1]|min", "[3, 1]|max", "[]|max", "[1, 2]|first", "[1, 2]|last", "[]|first", "'abc'|length", "{'a': 1}|length", "'abc'|list", "{'a': 1}|list",
    "'12'|int", "'1x'|int", "'1x'|int(7)", "'3.9'|int", "3.9|int", "'1.5'|float", "'x'|float", "5|string ~ 'a'", "[1, [2]]|string", "[1, 2]|join", "[1, 2]|join('-')", "[1, none, 'a']|join('-')",
    "{'b': 1, 'a': 2}|dictsort|first|join('='  )", "-5|abs", "[1, 2]|sum", "'a\nb'|indent(2)", "'a\n\nb'|indent(2, true)", "[1, 2, 3]|reverse|list", "'abc'|reverse", "{'a': 1}.items()|list|length", "{'a': 1}.keys()|list", "{'a': 1}.values()|list",
    "{'a': 1}.get('a')", "{'a': 1}.get('b')", "{'a': 1}.get('b', 2)", "'a,b'.split(',')", "'a b  c'.split()", "'a,b,c'.split(',', 1)", "'abc'.startswith('a')", "'abc'.endswith('c')", "'abc'.replace('b', 'x')", "'Abc'.lower()", "'abc'.upper()",
    "'abc def'.title()", "'abc'.capitalize()", "' a '.strip()", "'xax'.strip('x')", "' a'.lstrip()", "'a '.rstrip()", "','.join(['a', 'b'])", "'abab'.count('ab')", "'abc'.find('c')", "'12'.isdigit()", "[1, 2, 1].count(1)", "[1, 2].index(2)",
    "range(3)|list", "range(1, 4)|list", "range(5, 0, -2)|list", "dict(a=1, b=2)", "dict({'x': 1}, y=2)", "[1, 2]|select('odd')|list", "[0, 1]|reject|list", "[0, 1]|select|list", "['1', '2']|map('int')|list",
    "[[1, 2], [3]]|sum(start=[])", "roles[0].ServicesDefault", "roles[1].weight", "'%'", "'{{'", "'}}'", "1 if 'primary' in roles[0].tags and 'controller' in roles[0].tags else 0",
    "missing.x", "1 + 'a'", "missing + 1", "1 < 'a'", "[1][0][0]", "'a'.nope()", "1 / 0", "{'a': 1}|nope", "1 is nope", "(1", "1 +", "[1, 2", "'a' 'b'", "1 2", "none.x", "none + 1", "f(1)", "{1: 2}[1]", "{1: 2}.a",
]
TEMPLATES = [
    "a\n", "a\n\n", "\na", "a {%- if 1 %} b {%- endif %} c", "a {% if 1 -%} b {% endif -%} c", "  {%- set x = 1 -%}  {{ x }}", "{# c #}a{#- c -#} b", "{% raw %}{{ a }}{% endraw %}", " {%- raw -%} {% x %} {%- endraw -%} ",
    "{% for r in roles %}{{ r.name }} {{ loop.index }}/{{ loop.length }} {{ loop.first }} {{ loop.last }} {{ loop.revindex }}\n{% endfor %}",
    "{% for r in roles if r.tags is defined %}{{ loop.length }}{{ r.name }}{% else %}none{% endfor %}", "{% for r in roles if r.x %}a{% else %}none{% endfor %}", "{% for k, v in roles[0]|dictsort %}{{ k }}={{ v }};{% endfor %}",
    "{% for a, b in [(1, 2), (3, 4)] %}{{ a }}{{ b }}{% endfor %}", "{% for k in roles[0] %}{{ k }} {% endfor %}", "{% for c in 'abc' %}{{ c }}-{% endfor %}", "{% for i in missing %}x{% else %}y{% endfor %}",
    "{% set x = 1 %}{% for i in [1, 2] %}{% set x = x + i %}{{ x }}{% endfor %}{{ x }}", "{% set l = [] %}{% for i in [1, 2] %}{% set _ = l.append(i) %}{% endfor %}{{ l }}", "{% set ns = namespace(a=1) %}{% for i in [1, 2] %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }}",
    "{% set p = [roles[0]] -%}\n{% for role in roles -%}{% if 'primary' in role.tags -%}{% set _ = p.pop() -%}{% set _ = p.append(role) -%}{% endif -%}{% endfor -%}{{ p[0].name }}",
    "{% set d = {'a': 1} %}{% if d.update({'b': 2}) %}{% endif %}{{ d }}", "{% set x %}a{{ 1 }}b{% endset %}[{{ x }}]", "{% set a, b = 1, 2 %}{{ a }}{{ b }}", "{% set a, b = [3, 4] %}{{ a }}{{ b }}", "{% with a = 1 %}{{ a }}{% with b = a + 1 %}{{ b }}{% endwith %}{% endwith %}{{ a }}",
    "{% if missing %}a{% elif roles %}b{% else %}c{% endif %}", "{% if not roles %}a{% elif 0 %}b{% else %}c{% endif %}", "{% for i in [1, 2] %}{% for j in [3, 4] %}{{ i }}{{ j }}{{ loop.index }} {% endfor %}{{ loop.index }}{% endfor %}",
    "{% block a %}x{{ roles|length }}{% endblock %}{{ self.a() }}", "{% block a %}{% for i in [1] %}{{ i }}{% endfor %}{% endblock a %}", "{% for i in [1, 2] %}{{ i }}{{ ',' if not loop.last }}{% endfor %}", "{{ 'a' }}{{ 'b' }}\n\n", "x{{- ' a ' -}}y", "  {{- 1 -}}  ",
    "{% for i in range(3) %}\n  {%- if i %}\n  {{ i }}\n  {%- endif %}\n{% endfor %}", "{% for role in roles %}\n  {{role.name}}:\n    {%- for n in networks if n.vip|default(false) %}\n    {{n.name}}\n    {%- endfor %}\n{% endfor %}", "{% for r in roles %}{{ loop.previtem.name if loop.previtem is defined }}>{{ r.name }} {% endfor %}",
    "{%if 1%}a{%endif%}", "{% if 1 %}{% set z = 1 %}{% endif %}{{ z }}", "{{ {'a': {'b': 1}}['a']['b'] }}", "{{ [1, 2,] }} {{ {'a': 1,} }}", "{% if x is defined and x.y %}a{% endif %}", "{{ '{' }}{ }", "{ { a } }", "{% for i in [] %}{% endfor %}", "{% include 'part.j2' %}", "{% set q = 5 %}{% include 'part.j2' %}{{ w }}",
    "{% include 'none.j2' ignore missing %}a", "{% include 'part.j2' without context %}", "{% include ['none.j2', 'part.j2'] %}", "{% for q in [1, 2] %}{% include 'part.j2' %}{% endfor %}",
    "{% if 1 %}", "{% endif %}", "{% for %}{% endfor %}", "{% foo %}", "{{ }}", "{% set %}", "{% for a in b %}{% endif %}", "{{ a b }}", "{% include 'none.j2' %}", "{% if 1 %}{% else %}{% else %}{% endif %}",
]
PART = "<{{ q }}{{ roles|length }}{% set w = 1 %}>"


def peer(text):
    loader = jinja2.DictLoader({"part.j2": PART})
    return jinja2.Environment(loader=loader).from_string(text).render(roles=ROLES, networks=NETWORKS)


def main(hearth):
    cases = ["{{ %s }}" % e for e in EXPRESSIONS] + TEMPLATES
    different = []
    refused = 0
    with tempfile.TemporaryDirectory(prefix="hearth-jinja-") as top:
        import json
        tree = os.path.join(top, "tree")
        os.mkdir(tree)
        write = lambda name, text: open(os.path.join(tree, name), "w", newline="").write(text)
        write("roles_data.yaml", json.dumps(ROLES))
        write("network_data.yaml", json.dumps(NETWORKS))
        write("part.j2", PART)
        expected = {}
        for number, text in enumerate(cases):
            try:
                expected[number] = peer(text)
            except Exception as error:  # what it refuses is run alone, below
                expected[number] = error
        good = [n for n, e in expected.items() if isinstance(e, str)]
        for number in good:
            write("c%d.j2.yaml" % number, cases[number])
        run = lambda out: subprocess.run([hearth, "metadata", "render", tree, "-o", os.path.join(top, out)], capture_output=True, text=True)
        while True:
            done = run("out")
            if done.returncode == 0:
                break
            bad = next((n for n in good if "/c%d.j2.yaml" % n in done.stderr), None)
            if bad is None:
                print(done.stderr)
                return 1
            different.append((cases[bad], expected[bad], done.stderr.strip()))
            os.remove(os.path.join(tree, "c%d.j2.yaml" % bad))
            good.remove(bad)
        for number in good:
            ours = open(os.path.join(top, "out", "c%d.yaml" % number), newline="").read()
            if ours != expected[number]:
                different.append((cases[number], expected[number], ours))
            os.remove(os.path.join(tree, "c%d.j2.yaml" % number))
        for number, error in expected.items():
            if isinstance(error, str):
                continue
            refused += 1
            write("c.j2.yaml", cases[number])
            done = run("bad")
            if done.returncode != 1 or "c.j2.yaml:" not in done.stderr:
                different.append((cases[number], "%s: %s" % (type(error).__name__, error), done.stderr or "rendered"))
    for text, theirs, ours in different:
        print("template: %r\n  jinja2: %s\n  hearth: %s" % (text, theirs if not isinstance(theirs, str) else repr(theirs), repr(ours)))
    print("%d templates, %d of them refused by both, %d different" % (len(cases), refused, len(different)))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
