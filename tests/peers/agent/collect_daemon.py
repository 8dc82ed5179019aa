"""os-collect-config as a daemon: restarts by SIGHUP and by a changed configuration, signals, readiness. (The real one
ignores SIGHUP after its first command, so that it can't be the judge here.)"""
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from compare import arguments

OPTIONS = arguments()
DIR = tempfile.mkdtemp(prefix="collect-daemon-")
CONFIG = """[DEFAULT]
cachedir=%(dir)s/cache/deep
backup_cachedir=%(dir)s/backup
min_polling_interval=0.05
polling_interval=%(pause)s
collectors=local
command=%(command)s
[local]
path=%(dir)s/l
"""


def path(name):
    return os.path.join(DIR, name)


def write(name, text):
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name + ".new"), "w") as f:
        f.write(text)
    os.rename(path(name + ".new"), path(name))


def read(name):
    try:
        with open(path(name)) as f:
            return f.read()
    except FileNotFoundError:
        return ""


def configure(command, pause=0.1):
    return CONFIG % {"dir": DIR, "command": command, "pause": pause}


def wait_for(what, condition):
    for _ in range(1200):
        if condition():
            print("ok " + what)
            return
        time.sleep(0.05)
    print("FAILED " + what + "\n--- log\n" + read("log") + "--- out\n" + read("out"))
    raise SystemExit(1)


def main():
    ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    ready.bind(path("notify"))
    ready.settimeout(60)
    write("l/x", "1")
    # The first command rewrites the configuration, as os-apply-config does at a first boot.
    write("next.conf", configure("grep SigIgn /proc/self/status >>%s/out" % DIR, 60))
    write("c.conf", configure("echo first >>%s/out; cp %s/next.conf %s/c.conf" % (DIR, DIR, DIR)))
    with open(path("log"), "w") as log:
        daemon = subprocess.Popen([os.path.join(OPTIONS.links, "os-collect-config"), "--config-file", path("c.conf"), "--debug"],
                                  env={"PATH": os.environ["PATH"], "HOME": DIR, "NOTIFY_SOCKET": path("notify")},
                                  stdin=subprocess.DEVNULL, stderr=log)
    try:
        assert ready.recv(100) == b"READY=1"
        print("ok readiness is told")
        wait_for("a changed configuration restarts it", lambda: "Re-executing" in read("log"))
        write("l/x", "2")
        os.kill(daemon.pid, signal.SIGHUP)
        wait_for("the new configuration's command runs", lambda: "SigIgn" in read("out"))
        ignored = int(read("out").split("SigIgn:")[1].split()[0], 16)
        assert not ignored & (1 << (signal.SIGHUP - 1)), "the command must not ignore SIGHUP"
        print("ok the command does not ignore SIGHUP")
        restarts = read("log").count("Re-executing")
        write("l/x", "3")
        wait_for("it sleeps the long pause", lambda: "Sleeping" in read("log").split("Re-executing")[-1])
        os.kill(daemon.pid, signal.SIGHUP)
        wait_for("a hangup after a command restarts it", lambda: read("log").count("Re-executing") > restarts)
        wait_for("and the change is seen at once", lambda: read("out").count("SigIgn") == 2)
        assert daemon.poll() is None
        assert "deep" in os.listdir(path("cache"))
        print("ok missing parents of the cache are made")
        daemon.terminate()
        assert daemon.wait(10) == -signal.SIGTERM
        print("ok SIGTERM ends it")
    finally:
        daemon.kill()
        shutil.rmtree(DIR, ignore_errors=True)


main()
