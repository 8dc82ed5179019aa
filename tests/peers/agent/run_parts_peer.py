"""Debian's dib-run-parts against ours: exit status, stdout, files made, and what is said on stderr."""
import os

from compare import Side, arguments, need, plain, run_all, run_both, script

PEER = "/usr/bin/dib-run-parts"
NAMES = ["99-last", "10a", "10-a", "10-A", "010-z", "3_k", "2-b", "02-c", "b", "_x", "A", "-5neg", "5-x", "0-zero", "00"]

CASES = {
    "no_argument": {"args": []},
    "not_a_directory": {"args": ["{D}/none"]},
    "list_missing_directory": {"args": ["--list", "{D}/none"]},
    "order": {"files": {"p/" + n: script("echo $0\n") for n in NAMES}},
    "list": {"files": {"p/" + n: script("") for n in NAMES}, "args": ["--list", "{D}/p"]},
    "selection": {"files": {"p/a.dot": script("echo no\n"), "p/b": ("#!/bin/sh\necho no\n", 0o644), "p/sub/x": script("echo no\n"),
                            "p/c~": script("echo no\n"), "p/yes": script("echo yes\n")}},
    "empty_directory": {"files": {"p": None}},
    "first_failure_ends": {"files": {"p/1": script("echo one; exit 7\n"), "p/2": script("echo two\n")}},
    "killed": {"files": {"p/1": script("kill -KILL $$\n")}},
    "no_shebang": {"files": {"p/1": script("echo plain; [[ a == a ]] && echo bash\n", "")}},
    "missing_interpreter": {"files": {"p/1": script("", "#!/no/such/interpreter\n"), "p/2": script("echo two\n")}, "stderr": False},
    "regex": {"files": {"p/1": script("echo one\n"), "p/2.sh": script("echo two\n")}, "env": {"RUN_PARTS_REGEX": "[.]sh$"}},
    "empty_regex": {"files": {"p/1": script("echo one\n"), "p/2.sh": script("echo two\n")}, "env": {"RUN_PARTS_REGEX": ""}},
    "nothing_matches": {"files": {"p/1.x": script("echo one\n")}},
    "environment": {"files": {"p/1": script("echo $A $B ${C-unset}\n"), "environment.d/10-ten": "export A=1; C=3\n",
                              "environment.d/9-nine": "export B=$A-2\n", "environment.d/100-h": "echo sourced $C\n",
                              "environment.d/x.bash": "export D=4\n", "environment.d/bad name": "exit 9\n"}},
    "environment_fails": {"files": {"p/1": script("echo no\n"), "environment.d/1": "false\n"}},
    "environment_exits": {"files": {"p/1": script("echo no\n"), "environment.d/1": "exit 4\n"}},
    "environment_unset_variable": {"files": {"p/1": script("echo no\n"), "environment.d/1": "echo $nope\n"}, "stderr": False},
    "environment_returns": {"files": {"p/1": script("echo $A\n"), "environment.d/1": "export A=1\nreturn\n"}},
    "script_reads_stdin": {"files": {"p/1": script("cat; echo done\n")}},
    "output_untouched": {"files": {"p/1": script("printf 'a\\0b'; printf 'err' >&2\n")}},
    "relative_directory": {"files": {"p/1": script("pwd; echo $0\n")}, "args": ["p"]},
    "trailing_slash": {"files": {"p/1": script("echo $0\n")}, "args": ["{D}/p/"]},
    "linked_script": {"files": {"s": script("echo linked\n"), "p": None}, "links": {"p/10-l": "../s", "p/20-broken": "../none"}},
}


def said(text):
    """Without the shell's trace and its own words on killed children, and without usage texts, which are each program's own."""
    lines = []
    for line in plain(text).split("\n"):
        if line.lower().startswith("usage:"):
            break
        if not line.startswith("+") and ": line " not in line:
            lines.append(line)
    return lines


def prepare(side, case):
    for link, target in case.get("links", {}).items():
        os.symlink(target, os.path.join(side.dir, link))
    return case.get("args", ["{D}/p"]), case.get("env", {})


def check(name, case):
    return run_both([Side(PEER), Side(os.path.join(OPTIONS.links, "dib-run-parts"))], case, prepare, said)


OPTIONS = arguments()
need(PEER)
run_all(CASES, OPTIONS.cases, check)
