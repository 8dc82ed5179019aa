"""The real os-refresh-config against ours: exit status, stdout, files made, and log lines."""
import fcntl
import os

from compare import Side, arguments, need, plain, run_all, run_both, script

PEER = "/usr/bin/os-refresh-config"
LOCK = ["--lockfile", "{D}/lock"]
BASE = {"OS_REFRESH_CONFIG_BASE_DIR": "{D}/b"}
PHASES = {"b/%s.d/10-x" % phase: script("echo %s\n" % phase) for phase in ("pre-configure", "configure", "post-configure", "migration")}

CASES = {
    "print_base": {"args": ["--print-base"]},
    "print_base_default": {"args": ["--print-base"], "env": {}},
    "print_phases": {"args": ["--print-phases"]},
    "no_directories": {},
    "all_phases": {"files": PHASES},
    "debug": {"files": {"b/configure.d": None}, "args": LOCK + ["--log-level", "DEBUG"]},
    "error_level": {"files": PHASES, "args": LOCK + ["--log-level=ERROR"]},
    "critical_level": {"files": {"b/configure.d/1": script("exit 3\n")}, "args": LOCK + ["--log-level", "CRITICAL"]},
    "failure": {"files": dict(PHASES, **{"b/configure.d/20-bad": script("exit 3\n")})},
    "failure_with_handlers": {"files": dict(PHASES, **{"b/configure.d/20-bad": script("exit 3\n"), "b/error.d/1": script("echo handled\n")})},
    "failing_handlers": {"files": {"b/configure.d/1": script("exit 3\n"), "b/error.d/1": script("exit 4\n")}},
    "killed_script": {"files": {"b/configure.d/1": script("kill -9 $$\n")}},
    "timeout": {"files": {"b/configure.d/1": script("sleep 60\n"), "b/error.d/1": script("echo handled\n")}, "args": LOCK + ["--timeout", "1"]},
    "timeout_not_reached": {"files": PHASES, "args": LOCK + ["--timeout", "60"]},
    "locked": {"files": PHASES, "locked": True},
    "lock_is_not_inherited": {"files": {"b/configure.d/1": script("ls -l /proc/$$/fd | grep -c '/lock$'; true\n")}},
    "unknown_option": {"args": ["--nope"], "stderr": False},
    "unknown_level": {"args": ["--log-level", "FOO"], "stderr": False},
    "bad_timeout": {"args": ["--timeout", "x"], "stderr": False},
    "operand": {"args": ["x"], "stderr": False},
}


def prepare(side, case):
    lock = os.path.join(side.dir, "lock")
    with open(lock, "a") as made:
        os.chmod(made.name, 0o600)
        if case.get("locked"):
            HELD.append(os.dup(made.fileno()))
            fcntl.flock(HELD[-1], fcntl.LOCK_EX)
    return case.get("args", LOCK), case.get("env", BASE)


def said(text):
    return [line for line in plain(text).split("\n") if "dib-run-parts: line " not in line]  # a shell's own words


def check(name, case):
    sides = [Side(PEER), Side(os.path.join(OPTIONS.links, "os-refresh-config"), OPTIONS.links)]
    return run_both(sides, case, prepare, said)


HELD = []
OPTIONS = arguments()
need(PEER)
run_all(CASES, OPTIONS.cases, check)
