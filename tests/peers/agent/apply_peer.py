"""Runs the same inputs through the real os-apply-config and ours, and compares exit status, stdout and the files made.

Usage: apply_peer.py --default-links DIR [CASE...]. HEARTH_AGENT_LINKS overrides DIR. Exit 77 = the peer is not installed.
"""
import argparse
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from forked import Forked

PEER = "/usr/bin/os-apply-config"

METADATA = {
    "s": "str", "n": 1, "f": 1.5, "big": 1e22, "t": True, "fa": False, "nul": None, "z": 0, "zf": 0.0, "es": "", "zs": "0",
    "d": {"a": 1, "b": "é", "c": None}, "ed": {}, "el": [], "l": [1, "x", None, True, {"k": "v"}, [1, 2]],
    "ll": [[1, 2], [3]], "u": "é<&>\"", "a.b": "dotted", "os-x": {"y z": "sp"}, "top": "T",
    "nest": {"in": {"top": "N"}}, "people": [{"name": "A", "kids": [{"name": "a"}, {"name": "b"}]}, {"name": "B"}],
    "multi": "one\ntwo\r\nthree", "huge": 123456789012345678901234567890, "neg": -5, "float1": 1.0,
    "key": "pa/ss:word-1", "ip": "10.0.0.1/24", "dsn": "mysql://user:pw@host:3306/db?x=y", "dsn2": "sqlite:///file.db",
    "sw": "r1z1-10.0.0.1:%PORT%/d1,r1z2-h_x:%PORT%/d2", "nl": "12\n", "user": "stack_user", "deep": {"l": [{"x": [7]}]},
}

# name -> template text
MUSTACHE = {
    "scalars": "{{n}} {{f}} {{big}} {{t}} {{fa}} {{nul}}|",
    "containers": "{{d}} {{l}} {{ed}} {{el}}",
    "no_escaping": "{{u}} {{{u}}} {{&u}} {{& u }}",
    "falsy": "{{#z}}Z{{/z}}{{#es}}E{{/es}}{{#zs}}S{{/zs}}{{#ed}}D{{/ed}}{{#nul}}N{{/nul}}{{#zf}}F{{/zf}}{{#el}}L{{/el}}",
    "inverted": "{{^z}}Z{{/z}}{{^ed}}D{{/ed}}{{^missing}}M{{/missing}}{{^t}}T{{/t}}{{^el}}L{{/el}}",
    "truthy_scalars": "{{#t}}T{{.}}{{/t}}{{#s}}S{{.}}{{/s}}{{#n}}N{{.}}{{/n}}{{#huge}}H{{.}}{{/huge}}",
    "list": "{{#l}}[{{.}}]{{/l}}",
    "list_of_lists": "{{#ll}}({{#.}}<{{.}}>{{/.}}){{/ll}}",
    "dotted_names": "{{a.b}}|{{os-x.y z}}|{{d.a}}|{{d.zz}}|{{s.x}}|{{l.0}}|{{nest.in.top}}",
    "context_stack": "{{#nest}}{{#in}}{{top}}{{d.a}}{{/in}}{{top}}{{/nest}}",
    "nested_lists": "{{#people}}{{name}}:{{#kids}}{{name}},{{/kids}};{{/people}}",
    "stray_end": "abc{{/s}}def",
    "wrong_end": "{{#s}}a{{/n}}",
    "wrong_nesting": "{{#s}}{{#t}}a{{/s}}{{/t}}",
    "bad_delimiters": "{{=<%=}}x",
    "three_delimiters": "{{=a b c=}}x",
    "unclosed": "abc{{#s}}def",
    "unclosed_nested": "abc{{#s}}def{{#t}}ghi{{n}}",
    "unclosed_false": "abc{{#nul}}def",
    "trailing_blanks": "  {{#s}}  \nx\n{{/s}}\ny\n",
    "standalone_indented": "  {{#s}}\nx\n  {{/s}}\r\ny\n",
    "crlf": "a\r\n{{#s}}\r\nb{{s}}\r\n{{/s}}\r\nc\r\n",
    "lone_cr": "a\rb{{s}}\rc",
    "comment": "{{! c }}\nx{{!c}}y\n",
    "comment_lines": "a\n{{! one\ntwo }}\nb",
    "comment_indented": "  {{! c }}\nx",
    "delimiters": "{{=<% %>=}}<%s%> {{s}} <%{u}%> <%&u%>",
    "delimiters_back": "{{=<% %>=}}<%s%><%={{ }}=%>{{s}}",
    "delimiters_standalone": "a\n{{=| |=}}\nb|s|",
    "delimiters_in_section": "{{#t}}{{=| |=}}|s|{{s}}|/t||s|",
    "partial_missing": "{{> nope}}|\n  {{>nope}}\nX",
    "partial": "{{> part}}|\n  {{>part}}\nX",
    "partial_in_section": "{{#people}}\n  {{>person}}\n{{/people}}\n",
    "spaces_in_tags": "{{ # s }}q{{ / s }}",
    "newline_in_tag": "{{s\n}}{{\n s }}",
    "odd_braces": "{{{s}}} }} {{s}",
    "triple_spaces": "{{{ s }}}{{{\ns\n}}}",
    "standalone_list": "{{#l}}\n- {{.}}\n{{/l}}\nend\n",
    "not_standalone": "x {{#t}}\ny\n{{/t}} z",
    "two_on_a_line": "{{#t}}{{#s}}\nx\n{{/s}}{{/t}}\ny",
    "standalone_at_end": "x\n  {{#t}}y{{/t}}\n  {{! end}}",
    "variable_alone": "  {{s}}\n  {{nul}}\nx",
    "top_dot": "{{ . }}",
    "dot_member": "{{.s}}|{{..}}|{{s.}}",
    "no_tags": "plain } text { with {} braces\n",
    "only_open": "a {{ b",
    "only_close": "a }} b",
    "empty": "",
    "multi_line_value": "[{{multi}}]",
    "big_integer": "{{huge}} {{neg}} {{float1}}",
    "unicode_text": "ünïcödé {{d.b}} {{u}} 中文😀\n",
    "quad": "a{{{{s}}}}b",
    "end_tag_spaces": "{{#  os-x  }}{{y z}}{{/os-x}}",
    "inverted_list_item": "{{#people}}{{name}}{{^kids}} none{{/kids}}\n{{/people}}",
    "hash_value_section": "{{#d}}{{a}}{{b}}{{c}}{{s}}{{/d}}",
    "tabs": "\t{{#t}}\n\tx\n\t{{/t}}\ny",
    "invalid_utf8": b"a\xffb",
    "bom": b"\xef\xbb\xbfx{{s}}",
    "vertical_tab": "{{#t}}\x0bx{{/t}}\x0cy",
}

OAC = {
    "mode_octal": "mode: 0600", "mode_decimal": "mode: 384", "mode_hex": "mode: 0x180", "mode_binary": "mode: 0b110100100",
    "mode_underscore": "mode: 3_8_4", "mode_sexagesimal": "mode: 6:24", "mode_text": "mode: '0600'", "mode_0o": "mode: 0o600",
    "mode_range": "mode: 600", "mode_zero": "mode: 0", "mode_bool": "mode: true", "mode_null": "mode: null",
    "mode_float": "mode: 1.5", "mode_negative": "mode: -1", "mode_max": "mode: 0777", "mode_over": "mode: 01000",
    "mode_date": "mode: 2020-01-01", "mode_plus": "mode: +0600",
    "owner_name": "owner: root", "owner_id": "owner: 0", "owner_unknown": "owner: nobody-here", "owner_list": "owner: [a]",
    "owner_null": "owner: ~", "owner_text_id": "owner: '0'", "owner_daemon": "owner: daemon\ngroup: daemon",
    "group_name": "group: root", "group_unknown": "group: nobody-here", "group_bool": "group: yes",
    "empty_yes": "allow_empty: true", "empty_no": "allow_empty: no", "empty_text": "allow_empty: '1'", "empty_int": "allow_empty: 1",
    "empty_on": "allow_empty: On", "unknown_key": "wrong: 1", "not_a_mapping": "[1]", "text": "text", "nothing": "",
    "comment": "# nothing\n", "bad_yaml": "a: [", "body": "body: x", "all": "mode: 0640\nowner: root\ngroup: root\nallow_empty: true",
    "flow": "{mode: 0600, owner: root}", "document_mark": "---\nmode: 0600\n", "anchor": "mode: &m 0600\nallow_empty: true",
}

KEYS = [
    (["--key", k, "--type", t], f"key_{k}_{t}")
    for k, types in {
        "s": ["default", "int", "raw", "netaddress", "dsn", "username"], "n": ["int", "default", "raw"], "f": ["int", "default", "raw", "netaddress"],
        "t": ["default", "int", "raw"], "fa": ["raw"], "nul": ["raw"], "es": ["default", "int", "raw", "username", "netdevice"],
        "d": ["raw", "default"], "l": ["raw", "default"], "l.0": ["int"], "l.4.k": ["default"], "l.-1": ["raw"], "l.9": ["raw"],
        "l.x": ["raw"], "l.5.1": ["int"], "deep.l.0.x.0": ["int"], "u": ["default", "raw"], "key": ["default", "netdevice", "raw"],
        "ip": ["netaddress", "default"], "dsn": ["dsn", "default"], "dsn2": ["dsn"], "sw": ["swiftdevices", "raw"], "nl": ["int", "default"],
        "user": ["username", "default"], "huge": ["int", "raw"], "neg": ["int", "username"], "big": ["raw"], "float1": ["raw"],
        "multi": ["raw"], "a.b": ["raw"], "missing": ["raw"], "d.zz": ["raw"], "s.x": ["raw"], "d.c": ["raw"], ".": ["raw"],
        "os-x.y z": ["raw"], "l.+1": ["raw"], "l. 1": ["raw"], "n.x": ["raw"],
    }.items() for t in types
] + [
    (["--key", "missing", "--key-default", "a b", "--type", "int"], "default_unchecked"),
    (["--key", "missing", "--key-default", ""], "default_empty"),
    (["--key", "nul", "--key-default", "x"], "default_for_null"),
    (["--key", "s", "--key-default", "x"], "default_not_needed"),
    (["--key", "s", "--type", "nonsense"], "unknown_type"),
    (["--key=s"], "key_equals"),
    (["--key", "s", "--boolean-key", "t"], "both_keys"),
    (["--boolean-key", "t"], "boolean_true"), (["--boolean-key", "fa"], "boolean_false"),
    (["--boolean-key", "s"], "boolean_text"), (["--boolean-key", "missing"], "boolean_missing"), (["--boolean-key", "n"], "boolean_number"),
    (["--subhash", "d", "--key", "s"], "subhash_key"),
    (["--ke", "s"], "ambiguous"), (["--key"], "no_value"), (["--nonsense"], "unknown_option"), (["--key-d", "x", "--key", "s"], "abbreviated"),
    (["--print-templates", "-t", "x"], "print_templates"), (["-t", "x", "--print-t"], "print_templates_abbreviated"),
]

DSNS = ["a://", "a://u", "a://u:p", "a://u:p@h", "a://@h", "a://u@", "a://u:@h", "a://:p@h", "a://h/x?q=1", "a://h?", "a://+u+", "a://u+h.x",
        "a://h.x+u", "://x", "a:/x", "a://h h", "a://u:p@h@i", "a://u:p/q?r", "a-b://x", "a://u:p@h?q=a.b", "a:///p/q.db", "a://u:p@?q", "a://h/\n", "a:// "]
SWIFT = ["r1z1-h:%PORT%/d", "r1z1-h:%PORT%/d,", "r1z1-h:%PORT%/", "r1z1-:%PORT%/d", "z1-h:%PORT%/d", "r1z1-h:80/d", "r1z1-h-x:%PORT%/d", "r1z1-[::1]:%PORT%/d",
         "r1z1-h:%PORT%/d,,", "r1z1-h:%PORT%/d,x", "r12z34-A_b.c:%PORT%/d/e r9", "", "r1z1-a b:%PORT%/d"]


def write(path, data, mode=None):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as handle:
        handle.write(data if isinstance(data, bytes) else data.encode())
    if mode is not None:
        os.chmod(path, mode)


def tree(root):
    """{relative path: (kind, mode, uid, gid, content)} of everything below root."""
    found = {}
    for base, directories, files in os.walk(root):
        for name in directories + files:
            path = os.path.join(base, name)
            info = os.lstat(path)
            if stat.S_ISLNK(info.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(info.st_mode):
                with open(path, "rb") as handle:
                    content = handle.read()
            else:
                content = ""
            found[os.path.relpath(path, root)] = (stat.S_IFMT(info.st_mode), stat.S_IMODE(info.st_mode), info.st_uid, info.st_gid, content)
    return found


def messages(stderr):
    """Log lines without their time; usage texts and tracebacks are left out. Our own additions follow the common text."""
    return [line.split("] ", 1)[1] for line in stderr.splitlines() if re.match(r"\[\d{4}/\d\d/\d\d \d\d:\d\d:\d\d [AP]M\] ", line)]


class Case:
    def __init__(self, name, args, prepare=None, env=None, log=False, files=True):
        self.name, self.args, self.prepare, self.env, self.log, self.files = name, args, prepare, env or {}, log, files

    def run(self, program):
        """Result of one program in a fresh directory."""
        home = tempfile.mkdtemp()
        try:
            write(f"{home}/m.json", json.dumps(METADATA, ensure_ascii=False))
            os.mkdir(f"{home}/o", 0o755)
            os.mkdir(f"{home}/t", 0o755)
            if self.prepare:
                self.prepare(home)
            env = {k: v for k, v in os.environ.items() if not k.startswith("OS_CONFIG")} | self.env
            if isinstance(program, Forked):
                status, out, err = program.run(self.args, env, home)
            else:
                done = subprocess.run([program] + self.args, cwd=home, env=env, capture_output=True, stdin=subprocess.DEVNULL)
                status, out, err = done.returncode, done.stdout, done.stderr
            return status, out, tree(f"{home}/o"), messages(err.decode(errors="replace"))
        finally:
            shutil.rmtree(home)

    def compare(self, real, ours):
        """The differences as text; empty when the programs agree."""
        # The real one reads some of its environment as it is imported.
        theirs, own = self.run(PEER if self.env else real), self.run(ours)
        names = ["exit status", "stdout", "files"] + (["log"] if self.log else [])
        return [f"{what}: {a!r} became {b!r}" for what, a, b in zip(names, theirs, own)
                if a != b and (self.files or what != "files")]


APPLY = ["-m", "m.json", "-t", "t", "-o", "o"]


def files(spec):
    """A prepare function writing {path: text or (text, mode)}."""
    def prepare(home):
        for path, data in spec.items():
            write(f"{home}/{path}", *(data if isinstance(data, tuple) else (data,)))
    return prepare


def links(spec, more=None):
    def prepare(home):
        files(more or {})(home)
        for path, target in spec.items():
            os.makedirs(os.path.dirname(f"{home}/{path}"), exist_ok=True)
            os.symlink(target, f"{home}/{path}")
    return prepare


def mustache_cases():
    partials = {"part.mustache": "PART {{s}}\nL2", "person.mustache": "P {{name}}\n\nnext\n"}
    return [Case(f"mustache_{name}", APPLY, files({"t/out": text, **partials})) for name, text in MUSTACHE.items()]


def oac_cases():
    cases = [Case(f"oac_{name}", APPLY, files({"t/a": "x{{s}}", "t/a.oac": text}), log=name not in ("bad_yaml", "body"))
             for name, text in OAC.items()]
    keep_empty, no_empty = "allow_empty: true", "allow_empty: false"
    cases += [
        Case("empty_kept", APPLY, files({"t/a": "", "t/a.oac": keep_empty}), log=True),
        Case("empty_not_made", APPLY, files({"t/a": "{{nul}}", "t/a.oac": no_empty}), log=True),
        Case("empty_deleted", APPLY, files({"t/a": "{{nul}}", "t/a.oac": no_empty, "o/a": "old"}), log=True),
        Case("blank_is_not_empty", APPLY, files({"t/a": "\n", "t/a.oac": no_empty}), log=True),
        Case("oac_found_with_validate", APPLY + ["-v"], files({"t/a": "x", "t/a.oac": "mode: 600"}), log=True),
        Case("oac_alone", APPLY, files({"t/a": "x", "t/b.oac": "wrong: 1"}), log=True),
        Case("oac_directory", APPLY, files({"t/a": "x", "t/a.oac/f": "y"})),
    ]
    return cases


def tree_cases():
    script = "#!/bin/sh\n"
    return [
        Case("nested", APPLY, files({"t/a/b/c": "{{s}}", "t/d": "x"})),
        Case("validate", APPLY + ["-v"], files({"t/a": "x"}), log=True),
        Case("one_bad_of_two", APPLY, files({"t/a": "x", "t/b": "{{/s}}"})),
        Case("no_root", ["-m", "m.json", "-t", "nowhere", "-o", "o"], log=True),
        Case("root_is_file", ["-m", "m.json", "-t", "t/a", "-o", "o"], files({"t/a": "x"})),
        Case("slashes", ["-m", "m.json", "-t", "t/", "-o", "o/"], files({"t/a": "x"}), log=True),
        Case("output_made", ["-m", "m.json", "-t", "t", "-o", "o/new/er"], files({"t/a": "x"}), log=True),
        Case("mode_kept", APPLY, files({"t/a": "x", "o/a": ("old", 0o640)})),
        Case("mode_kept_executable", APPLY, files({"t/a": "x", "o/a": ("old", 0o755)})),
        Case("mode_overridden", APPLY, files({"t/a": "x", "t/a.oac": "mode: 0600", "o/a": ("old", 0o644)})),
        Case("target_link", APPLY, links({"o/a": "b"}, {"t/a": "x", "o/b": ("old", 0o600)})),
        Case("target_link_same_content", APPLY, links({"o/a": "b"}, {"t/a": "x", "o/b": ("x", 0o600)})),
        Case("target_broken_link", APPLY, links({"o/a": "nowhere"}, {"t/a": "x"})),
        Case("target_same", APPLY, files({"t/a": "x", "o/a": "x"})),
        Case("linked_template", APPLY, links({"t/b": "a"}, {"t/a": "x"})),
        Case("linked_directory", APPLY, links({"t/d": "../elsewhere"}, {"t/a": "x", "elsewhere/e": "y"})),
        Case("broken_template_link", APPLY, links({"t/b": "nowhere"}, {"t/a": "x"})),
        Case("hidden_files", APPLY, files({"t/.a": "x", "t/.d/b": "y"})),
        Case("program", APPLY, files({"t/a": (script + "cat; echo; pwd >/dev/null; echo \"$X\"", 0o755)}), {"X": "é"}),
        Case("program_env_cwd", APPLY, files({"t/a": (script + "cat f", 0o755), "f": "from the current directory"})),
        Case("program_arguments", APPLY, files({"t/a": (script + "echo $#", 0o755)})),
        Case("program_fails", APPLY, files({"t/a": (script + "echo out; exit 3", 0o755), "t/b": "x"})),
        Case("program_killed", APPLY, files({"t/a": (script + "kill -9 $$", 0o755)})),
        Case("program_bad_interpreter", APPLY, files({"t/a": ("#!/no/such\n", 0o755)})),
        Case("program_no_interpreter", APPLY, files({"t/a": ("text", 0o755)})),
        Case("program_bad_utf8", APPLY, files({"t/a": (script + "printf '\\377'", 0o755)})),
        Case("program_stderr_only", APPLY, files({"t/a": (script + "echo e >&2", 0o755)})),
        Case("program_is_not_mustache", APPLY, files({"t/a": (script + "echo '{{s}}'", 0o755)})),
        Case("program_with_oac", APPLY, files({"t/a": (script + "echo x", 0o755), "t/a.oac": "mode: 0600"})),
        Case("program_python_json", APPLY, files({"t/a": ("#!/usr/bin/python3\nimport json,sys\nprint(sorted(json.load(sys.stdin)))", 0o755)})),
        Case("old_environment_root", ["-m", "m.json", "-o", "o"], files({"t/a": "x"}), {"OS_CONFIG_APPLIER_TEMPLATES": "t"}),
        Case("target_is_directory", APPLY, files({"t/a": "x", "o/a/f": "y"}), files=False),  # the peer leaves its temporary file
        Case("parent_is_file", APPLY, files({"t/a/b": "x", "o/a": "y"})),
        Case("subhash", APPLY + ["-s", "d"], files({"t/a": "{{a}}{{s}}{{.}}"})),
        Case("subhash_deep", APPLY + ["-s", "nest.in"], files({"t/a": "{{top}}"})),
    ] + [Case(f"subhash_{key}", APPLY + ["--subhash", key], files({"t/a": "{{.}}"}), log=True)
         for key in ("s", "l", "missing", "nul", "d.a", "")]


def metadata_cases():
    one, two = {"a": {"x": 1, "y": [1, 2]}, "s": "one"}, {"a": {"y": [3], "z": None}, "b": 2, "s": {"k": 1}}
    both = files({"1.json": json.dumps(one), "2.json": json.dumps(two), "t/a": "{{.}}"})
    to = ["-t", "t", "-o", "o"]
    broken = files({"1.json": "[1", "t/a": "x"})
    return [
        Case("merge", ["-m", "1.json", "2.json"] + to, both),
        Case("merge_reversed", ["-m", "2.json", "1.json"] + to, both),
        Case("metadata_twice", ["-m", "1.json", "-m", "2.json"] + to, both),
        Case("metadata_equals", ["--metadata=1.json"] + to, both),
        Case("metadata_attached", ["-m1.json"] + to, both),
        Case("metadata_abbreviated", ["--met", "1.json", "2.json"] + to, both),
        Case("fallback", ["--fallback-metadata", "1.json", "-m", "2.json"] + to, both),
        Case("fallback_none", ["--fallback-metadata", "-m", "2.json"] + to, both),
        Case("environment", to, both, {"OS_CONFIG_FILES": "1.json:2.json"}),
        Case("environment_empty", to, both, {"OS_CONFIG_FILES": ""}),
        Case("environment_empty_names", to, both, {"OS_CONFIG_FILES": ":1.json::"}),
        Case("metadata_over_environment", ["-m", "2.json"] + to, both, {"OS_CONFIG_FILES": "1.json"}),
        Case("metadata_none_uses_environment", to + ["-m"], both, {"OS_CONFIG_FILES": "1.json"}),
        Case("list_file", ["--os-config-files", "list"] + to, files({"1.json": json.dumps(one), "list": '["1.json"]', "t/a": "{{.}}"})),
        Case("list_file_environment", to, files({"1.json": json.dumps(one), "list": '["1.json"]', "t/a": "{{.}}"}), {"OS_CONFIG_FILES_PATH": "list"}),
        Case("list_file_missing", ["--os-config-files", "nowhere"] + to, both),
        Case("list_file_object", ["--os-config-files", "1.json"] + to, both),
        Case("list_file_broken", ["--os-config-files", "1.json"] + to, broken),
        Case("missing_file", ["-m", "nowhere", "1.json"] + to, both),
        Case("broken_file", ["-m", "1.json"] + to, broken, log=True),
        Case("list_document", ["-m", "1.json", "2.json"] + to, files({"1.json": "[1]", "2.json": json.dumps(two), "t/a": "{{.}}"})),
        Case("scalar_document", ["-m", "1.json", "--key", "x"], files({"1.json": "3"}), log=True),
        Case("empty_file", ["-m", "1.json"] + to, files({"1.json": "", "t/a": "x"})),
        Case("directory_as_file", ["-m", "t"] + to, both),
        Case("duplicate_keys", ["-m", "1.json"] + to, files({"1.json": '{"a": 1, "b": 2, "a": 3}', "t/a": "{{.}}"})),
        Case("not_a_number", ["-m", "1.json"] + to, files({"1.json": '{"a": [NaN, Infinity, -Infinity]}', "t/a": "{{a}}"})),
        Case("positional", ["-m", "m.json", "--", "x"]), Case("no_arguments_value", ["-o"]),
    ]


def key_cases():
    cases = [Case(name, ["-m", "m.json"] + args, log=name not in ("unknown_type",)) for args, name in KEYS]
    for kind, values in (("dsn", DSNS), ("swiftdevices", SWIFT)):
        cases += [Case(f"{kind}_{i}", ["-m", "v.json", "--key", "v", "--type", kind], files({"v.json": json.dumps({"v": value})}))
                  for i, value in enumerate(values)]
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--default-links", required=True)
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    if not os.path.exists(PEER):
        print("SKIPPED: the real os-apply-config is not installed")
        return 77
    ours = os.path.abspath(os.path.join(os.environ.get("HEARTH_AGENT_LINKS") or args.default_links, "os-apply-config"))
    os.umask(0o022)
    real = Forked(PEER, ["os_apply_config.apply_config"], dict(os.environ))
    cases = mustache_cases() + oac_cases() + tree_cases() + metadata_cases() + key_cases()
    failed = 0
    for case in cases:
        if args.cases and case.name not in args.cases:
            continue
        differences = case.compare(real, ours)
        failed += bool(differences)
        for line in differences:
            print(f"{case.name}: {line}")
    print(f"{len(cases)} cases, {failed} differ")
    return 1 if failed else 0


sys.exit(main())
