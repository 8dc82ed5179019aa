"""A program in Python that is started often: most of its time goes into imports. Here they are done once, in a process of which
each run is a fork, with arguments, environment, folder, stdout and stderr of its own."""
import atexit
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import types


class Forked:
    """PROGRAM, whose MODULES are imported once. What Python reads when it starts (LC_ALL, TZ) is ENV's."""

    def __init__(self, program, modules, env, interpreter=sys.executable):
        self.server = subprocess.Popen([interpreter, "-B", os.path.abspath(__file__), program, *modules], env=env, stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)

    def run(self, args, env, cwd, timeout=60):
        """Exit status, and what was written to stdout and stderr."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            request = {"args": args, "env": env, "cwd": cwd, "timeout": timeout,
                       "streams": ["/proc/%d/fd/%d" % (os.getpid(), file.fileno()) for file in (out, err)]}
            self.server.stdin.write(json.dumps(request) + "\n")
            self.server.stdin.flush()
            status = int(self.server.stdout.readline())
            out.seek(0)
            err.seek(0)
            return status, out.read(), err.read()

    def close(self):
        self.server.stdin.close()
        self.server.wait()


def leave_after(work):
    """Does it in a fork, and ends as the interpreter would, except that nothing is taken apart: to touch what all forks share would copy
    it, which takes longer than most programs do."""
    status = 1
    try:
        work()
        status = 0
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            status = end.code or 0
        else:
            print(end.code, file=sys.stderr)
    except BaseException:
        kind, value, trace = sys.exc_info()
        sys.excepthook(kind, value, trace.tb_next)
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status & 0xff)


def become(program, code, request):
    """In the fork: what the interpreter had done before the program's first line."""
    streams = [os.open(os.devnull, os.O_RDONLY)] + [os.open(path, os.O_WRONLY) for path in request["streams"]]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv[:] = [program, *request["args"]]  # in place: some take it as a default, when they are imported
    signal.alarm(request["timeout"])
    module = types.ModuleType("__main__")
    module.__file__ = program
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


def main(program, *modules):
    sys.path[0] = os.path.dirname(program)
    for module in modules:
        importlib.import_module(module)
    with open(program, "rb") as file:
        code = compile(file.read(), program, "exec")
    gc.freeze()
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            leave_after(lambda: become(program, code, json.loads(line)))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
