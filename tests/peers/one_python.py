"""`python` for a peer's shell script that calls it for each file with a few lines: nearly all of its time is starting, and imports. Here
one process answers all calls, one at a time: each with its own text, arguments, environment, folder and streams, and names of its own.
For texts that leave nothing behind in the modules that they import."""
import importlib
import os
import subprocess
import sys
import traceback

# `$0` is this program, and the pipes lie beside it.
CLIENT = """#!/bin/sh
printf '%s\\0' "$$" "$@" > "$0.request"
read -r status < "$0.answer"
exit "$status"
"""


class OnePython:
    """The program `path`, which runs as `python` would: the text of -c, or what comes from standard input (-)."""

    def __init__(self, path, modules, interpreter=sys.executable):
        for pipe in (".request", ".answer"):
            os.mkfifo(path + pipe)
        with open(path, "w", encoding="utf-8") as file:
            file.write(CLIENT)
        os.chmod(path, 0o755)
        self.server = subprocess.Popen([interpreter, "-B", os.path.abspath(__file__), path, *modules], stdin=subprocess.DEVNULL)

    def close(self):
        self.server.kill()
        self.server.wait()


def stand_in(caller):
    """Its folder, environment and streams become ours."""
    with open(f"/proc/{caller}/environ", "rb") as file:
        variables = dict(line.split(b"=", 1) for line in file.read().split(b"\0") if line)
    os.environb.clear()
    os.environb.update(variables)
    os.chdir(f"/proc/{caller}/cwd")
    for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY | os.O_APPEND), (2, os.O_WRONLY | os.O_APPEND)):
        stream = os.open(f"/proc/{caller}/fd/{number}", flags)
        os.dup2(stream, number)
        os.close(stream)


def text_of(words):
    if words[0] == "-c":
        return words.pop(1)
    if words[0] == "-":
        with open(0, encoding="utf-8", closefd=False) as stream:
            return stream.read()
    raise SystemExit(f"{__file__}: only -c TEXT and - are known here, not {words}")


def answer(words):
    """The exit status of a call, after what it prints."""
    status = 0
    try:
        text = text_of(words)
        sys.argv[:] = words
        exec(compile(text, "<string>", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        status = end.code or 0
        if not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
    except Exception:
        traceback.print_exc()
        status = 1
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return status & 0xff


def let_go():
    """Of the caller's streams, whose readers wait for their end."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)


def main(path, *modules):
    for module in modules:
        importlib.import_module(module)
    sys.path[0] = ""
    while True:
        with open(path + ".request", "rb") as file:
            caller, *words = file.read().decode().split("\0")[:-1]
        stand_in(caller)
        status = answer(words)
        let_go()
        with open(path + ".answer", "w", encoding="ascii") as file:
            file.write(f"{status}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
