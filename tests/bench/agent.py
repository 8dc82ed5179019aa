"""The measurements of agent.sh. Usage: agent.py BINARY ROUNDS"""
import ctypes
import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

BINARY, ROUNDS = sys.argv[1], int(sys.argv[2])
THEIRS = "/usr/bin"
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C", "NO_PROXY": "*"}
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
WORK = tempfile.mkdtemp(prefix="agent-bench-")
OURS = WORK + "/bin"


def path(name):
    return os.path.join(WORK, name)


def write(name, text, mode=0o644):
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name), "w") as f:
        f.write(text)
    os.chmod(path(name), mode)


def times(command, before, env):
    """Mean wall and CPU milliseconds of a run."""
    wall = cpu = 0.0
    for _ in range(ROUNDS):
        before()
        begin = time.monotonic()
        child = subprocess.Popen(command, env=env, **QUIET)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        if status != 0:
            sys.exit("%s: status %d" % (command, status))
        wall += time.monotonic() - begin
        cpu += usage.ru_utime + usage.ru_stime
    return 1000 * wall / ROUNDS, 1000 * cpu / ROUNDS


def peak(command, env):
    """The largest resident set in KiB, read from the process itself as it ends: what wait4(2) tells begins with that of the
    program which forked it."""
    libc = ctypes.CDLL(None, use_errno=True)
    traceme, cont, setoptions, trace_exit = 0, 7, 0x4200, 0x40
    pid = os.fork()
    if pid == 0:
        null = os.open("/dev/null", os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(null, fd)
        libc.ptrace(traceme, 0, None, None)
        os.execve(command[0], command, env)
    largest = 0
    _, status = os.waitpid(pid, 0)
    libc.ptrace(setoptions, pid, None, ctypes.c_void_p(trace_exit))
    while os.WIFSTOPPED(status):
        number = os.WSTOPSIG(status)
        if status >> 16:
            with open("/proc/%d/status" % pid) as f:
                largest = max([int(line.split()[1]) for line in f if line.startswith("VmHWM")] + [largest])
            number = 0
        libc.ptrace(cont, pid, None, ctypes.c_void_p(0 if number == signal.SIGTRAP else number))
        _, status = os.waitpid(pid, 0)
    return largest


def compare(label, program, arguments, before=lambda: None, env=None):
    rows = []
    for directory in (OURS, THEIRS):
        command = [os.path.join(directory, program)] + arguments
        full = dict(env or ENV, PATH=directory + ":" + ENV["PATH"])
        rows.append(times(command, before, full) + (peak(command, full),))
    (wall, cpu, rss), (their_wall, their_cpu, their_rss) = rows
    print("%-36s cpu %7.2f / %8.2f ms = 1/%-6.1f wall %7.2f / %8.2f ms = 1/%-6.1f peak %5.1f / %5.1f MB" % (
        label, cpu, their_cpu, their_cpu / max(cpu, 0.01), wall, their_wall, their_wall / wall, rss / 1024, their_rss / 1024))


class Metadata(http.server.BaseHTTPRequestHandler):
    polls = 0
    signals = 0

    def log_message(self, *_):
        pass

    def do_GET(self):
        type(self).polls += self.command == "GET"
        body = b'{"k": 1}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        type(self).signals += 1
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Metadata)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def idle(directory, port):
    """Resident and private KiB of a daemon after five polls of two sources."""
    write("daemon.conf", "[DEFAULT]\ncachedir=%s\nbackup_cachedir=%s\ncommand=true\nmin_polling_interval=0.2\npolling_interval=0.2\n"
          "collectors=local\ncollectors=request\n[local]\npath=%s\n[request]\nmetadata_url=http://127.0.0.1:%d/\n" % (
              path("daemon-cache"), path("daemon-backup"), path("local"), port))
    shutil.rmtree(path("daemon-cache"), ignore_errors=True)
    Metadata.polls = 0
    daemon = subprocess.Popen([os.path.join(directory, "os-collect-config"), "--config-file", path("daemon.conf")], env=ENV, **QUIET)
    try:
        for _ in range(1200):
            if Metadata.polls >= 6:
                break
            time.sleep(0.05)
        with open("/proc/%d/smaps_rollup" % daemon.pid) as f:
            sizes = {line.split(":")[0]: int(line.split()[1]) for line in f if line.endswith("kB\n")}
    finally:
        daemon.kill()
        daemon.wait()
    return sizes["Rss"], sizes["Private_Clean"] + sizes["Private_Dirty"]


def compare_daemons(port):
    (rss, private), (their_rss, their_private) = idle(OURS, port), idle(THEIRS, port)
    print("%-36s rss %5.1f / %5.1f MB = 1/%.1f, private %.1f / %.1f MB" % (
        "idle daemon, two sources", rss / 1024, their_rss / 1024, their_rss / rss, private / 1024, their_private / 1024))


def deployments(port):
    """Ten trivial script deployments with signals. Heat's agents are no Debian package: 4.8 s of CPU was measured with them."""
    inputs = [{"name": "deploy_signal_id", "value": "http://127.0.0.1:%d/signal" % port}, {"name": "deploy_signal_verb", "value": "POST"}]
    items = [{"id": "d%d" % i, "name": "n%d" % i, "group": "script", "config": "#!/bin/sh\nexit 0\n", "inputs": inputs, "outputs": [], "options": {}}
             for i in range(10)]
    write("heat-config", json.dumps(items), 0o600)
    env = dict(ENV, HEAT_SHELL_CONFIG=path("heat-config"), HEAT_CONFIG_HOOKS=OURS + "/hooks", HEAT_CONFIG_DEPLOYED=path("deployed"),
               HEAT_SCRIPT_WORKING=path("script-work"), HEAT_SCRIPT_OUTPUTS=path("script-out"), PATH=OURS + ":" + ENV["PATH"])
    wall, cpu = times([OURS + "/55-heat-config"], lambda: shutil.rmtree(path("deployed"), ignore_errors=True), env)
    print("%-36s cpu %7.2f ms (Python: 4800), wall %7.2f ms, %d signals arrived" % ("ten deployments with signals", cpu, wall, Metadata.signals))
    if Metadata.signals != 10 * ROUNDS:
        sys.exit("signals are missing")


def move_away(output=[0]):
    """Nothing is removed: ext4 looks long for inodes that were not freed within the last seconds."""
    output[0] += 1
    if os.path.exists(path("out")):
        os.rename(path("out"), path("out-%d" % output[0]))


def fill():
    for i in range(10):
        write("local/%02d.json" % i, json.dumps({"key%d" % j: {"text": "x" * 40, "list": [j, 1.5, None]} for j in range(100)}))
    write("metadata.json", json.dumps({"item%d" % i: {"name": "n%d" % i, "text": "y" * 900, "on": True} for i in range(1100)}))
    write("small.json", json.dumps({"item%d" % i: {"name": "n%d" % i, "on": True, "list": [1, i], "deep": {"a": {"b": "c%d" % i}}, "text": "y" * 40}
                                    for i in range(7000)}))
    for i in range(100):
        lines = ["{{#item%d}}{{name}}={{on}}{{/item%d}} {{item%d.name}}\n" % (i + j, i + j, i + j * 7) for j in range(25)]
        write("templates/etc/d%d/file%d.conf" % (i % 10, i), "".join(lines))
    write("c.conf", "[DEFAULT]\ncachedir=%s/cache\n[local]\npath=%s/local\n" % (WORK, WORK))
    for phase in ("pre-configure", "configure"):
        write("base/%s.d/10-true" % phase, "#!/bin/sh\n", 0o755)
    os.makedirs(path("empty.d"))
    os.chmod(WORK, 0o755)
    os.chmod(path("local"), 0o755)


def main():
    for program in ("os-collect-config", "os-apply-config", "os-refresh-config", "dib-run-parts"):
        if not os.access(os.path.join(THEIRS, program), os.X_OK):
            print("SKIPPED: %s/%s is not installed" % (THEIRS, program))
            sys.exit(77)
    subprocess.run([BINARY, "install-links", OURS], check=True)
    fill()
    print("ours / Debian's Python, mean of %d runs; load %s" % (ROUNDS, open("/proc/loadavg").read().split()[0]))
    collect = ["--config-file", path("c.conf")]
    apply = ["--templates", path("templates"), "--metadata", path("metadata.json"), "--fallback-metadata", "--output", path("out")]
    compare("os-collect-config start", "os-collect-config", collect + ["--print-cachedir"])
    compare("os-apply-config start", "os-apply-config", ["--print-templates"])
    compare("os-refresh-config start", "os-refresh-config", ["--print-base"])
    compare("dib-run-parts, empty directory", "dib-run-parts", [path("empty.d")])
    compare("os-collect-config, 10 local files", "os-collect-config", collect + ["--one-time", "--print", "local"])
    compare("os-apply-config --key", "os-apply-config", ["--key", "item1.name"] + apply)
    compare("os-apply-config, 100 new files", "os-apply-config", apply, move_away)
    compare("os-apply-config, 100 same files", "os-apply-config", apply)
    small = [path("small.json") if word == path("metadata.json") else word for word in apply]
    compare("… 100 new files, 35,000 values", "os-apply-config", small, move_away)
    compare("os-refresh-config, 2 scripts", "os-refresh-config", ["--lockfile", path("lock")],
            env=dict(ENV, OS_REFRESH_CONFIG_BASE_DIR=path("base")))
    port = serve()
    compare_daemons(port)
    deployments(port)
    print("binary: %d bytes, %s" % (os.path.getsize(BINARY), subprocess.run([BINARY, "--version"], stdout=subprocess.PIPE, text=True).stdout.strip()))


try:
    main()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
