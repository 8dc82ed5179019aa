"""Debian's openstack client, many times in one test. Its own code runs, each command in a process and an environment of its own; but the
second that loading its modules takes is spent once a test: a server has them and forks for each command.

run(words, environment) is like subprocess.run(["openstack", *words], env=environment, capture_output=True, text=True).
"""

import json
import os
import subprocess
import sys
import tempfile
import threading

SERVER = None
ONE_AT_A_TIME = threading.Lock()


def run(words, environment, timeout=120):
    global SERVER  # pylint: disable=global-statement
    with ONE_AT_A_TIME:
        if SERVER is None:
            SERVER = subprocess.Popen(["/usr/bin/python3", "-B", "-W", "ignore", os.path.abspath(__file__)], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True)
        SERVER.stdin.write(json.dumps([words, environment, os.getcwd(), timeout]) + "\n")
        SERVER.stdin.flush()
        code, out, err = json.loads(SERVER.stdout.readline())
    return subprocess.CompletedProcess(["openstack", *words], code, out, err)


def command(words, environment, directory, out, err):
    """In the child; does not return."""
    code = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdin, sys.stdout, sys.stderr = open(0, closefd=False), open(1, "w", closefd=False), open(2, "w", closefd=False)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(directory)
        sys.argv = ["openstack", *words]
        from openstackclient import shell  # pylint: disable=import-outside-toplevel
        code = shell.main(words)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # pylint: disable=broad-except
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


def load():
    """All that the client reads of this machine before it looks at its words: the modules of each command of each plugin, and who brings
    them. Nothing of it is run. What is not swept again need not be copied in a child, either."""
    import contextlib  # pylint: disable=import-outside-toplevel
    import gc  # pylint: disable=import-outside-toplevel
    import importlib.metadata  # pylint: disable=import-outside-toplevel
    for name in ("openstackclient.shell", "openstack.connection", "ironicclient.osc.plugin", "ironicclient.v1.client",
                 "ironicclient.osc.v1.baremetal_node", "heatclient.osc.plugin", "heatclient.v1.client", "heatclient.osc.v1.stack"):
        with contextlib.suppress(ImportError):  # a client that this machine has not; who needs it says so
            importlib.import_module(name)
    with contextlib.suppress(ImportError):
        from cliff import command as cliff_command  # pylint: disable=import-outside-toplevel
        from stevedore import extension  # pylint: disable=import-outside-toplevel
        for group in sorted(importlib.metadata.entry_points().groups):
            if group.startswith(("openstack.", "cliff.formatter", "keystoneauth1.plugin")):
                extension.ExtensionManager(group, on_load_failure_callback=lambda *_: None)
        if hasattr(cliff_command, "_get_distributions_by_modules"):
            cliff_command._get_distributions_by_modules()  # pylint: disable=protected-access
    gc.collect()
    gc.freeze()


def serve():
    sys.argv[0] = "openstack"  # which the modules take for their program's name as they are loaded
    load()
    for line in sys.stdin:
        words, environment, directory, timeout = json.loads(line)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if child == 0:
                import signal  # pylint: disable=import-outside-toplevel
                signal.alarm(timeout)
                command(words, environment, directory, out, err)
            status = os.waitpid(child, 0)[1]
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        sys.stdout.write(json.dumps([os.waitstatus_to_exitcode(status), *texts]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
