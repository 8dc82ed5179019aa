"""The static agent where there is nothing but a kernel: a chroot that holds the program and its files, in a network namespace
with a real DNS server (dnsmasq). Names by DNS and /etc/hosts, IPv6, long answers, proxies, and no libc anywhere."""
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from compare import arguments

OPTIONS = arguments()
AGENT = os.path.realpath(os.path.join(OPTIONS.links, "os-collect-config"))
PLACES = "/usr/sbin:/usr/bin:/sbin:/bin"
DNSMASQ = shutil.which("dnsmasq", path=PLACES)
CHROOT = shutil.which("chroot", path=PLACES)
ZONE = ["--address=/meta.example/192.0.2.10", "--address=/six.example/2001:db8::10", "--address=/proxy.example/192.0.2.11",
        "--cname=alias.example,meta.example", "--host-record=meta.example,192.0.2.10",
        "--address=/dead-first.example/192.0.2.99", "--address=/dead-first.example/192.0.2.10"]
ZONE += ["--host-record=many.example,192.0.2.10"] + ["--host-record=many.example,2001:db8::%x" % i for i in range(16, 76)]
BAD = 0
SEEN = []


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        SEEN.append(self.path)
        body = json.dumps({"host": self.headers["Host"], "path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command == "GET" else b"")

    do_HEAD = do_GET


class V6Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6


def in_namespace():
    """Starts this program again in its own network and mount namespace."""
    words = ["unshare", "-nm"] if os.geteuid() == 0 else ["unshare", "-rnm"]
    if not DNSMASQ or subprocess.run(words + ["true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("SKIPPED: dnsmasq and network namespaces are needed")
        sys.exit(77)
    os.execvp("unshare", words + [sys.executable] + sys.argv + ["--", "inside"])


def report(what, good, said=""):
    global BAD
    BAD += not good
    print(("ok     " if good else "FAILED ") + what + ("" if good else "\n" + str(said)))


class Chroot:
    def __init__(self, directory):
        self.dir = directory
        for path in ("etc", "local", "t/etc", "out"):
            os.makedirs(os.path.join(directory, path))
        shutil.copy(AGENT, directory + "/agent")
        self.put("etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        self.put("etc/hosts", "192.0.2.10 by-hosts second-name\n")
        self.put("local/x", '{"a": {"b": 1}}')
        os.chmod(directory + "/local", 0o755)
        self.put("t/etc/made", "{{a.b}}\n")

    def put(self, path, text):
        with open(os.path.join(self.dir, path), "w") as f:
            f.write(text)

    def run(self, words, env=None):
        done = subprocess.run([CHROOT, self.dir, "/agent"] + words, env=env or {}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def ask(self, url, env=None, timeout=5):
        self.put("c.conf", "[request]\nmetadata_url=%s\ntimeout=%s\n" % (url, timeout))
        status, out, err = self.run(["os-collect-config", "--config-file", "/c.conf", "--print", "request"], env)
        return json.loads(out).get("request"), err


def check_names(chroot):
    for what, url, host in (("DNS", "http://meta.example/x", "meta.example"), ("an alias in DNS", "http://alias.example/x", "alias.example"),
                            ("an IPv6 address by DNS", "http://six.example/x", "six.example"), ("/etc/hosts", "http://by-hosts/x", "by-hosts"),
                            ("a second name in /etc/hosts", "http://second-name/x", "second-name"), ("localhost", "http://localhost/x", "localhost"),
                            ("an address", "http://192.0.2.10/x", "192.0.2.10"), ("an IPv6 address", "http://[2001:db8::10]/x", "[2001:db8::10]"),
                            ("an answer too long for a datagram", "http://many.example/x", "many.example"),
                            ("the second of two addresses", "http://dead-first.example/x", "dead-first.example")):
        got, said = chroot.ask(url)
        report("by " + what, got == {"host": host, "path": "/x"}, said)
    got, said = chroot.ask("http://nowhere.example/x")
    report("an unknown name is told", got is None and "looking up nowhere.example" in said, said)
    chroot.put("etc/nsswitch.conf", "hosts: mymachines resolve [!UNAVAIL=return] myhostname mdns4_minimal\n")
    got, said = chroot.ask("http://meta.example/x")
    report("modules in nsswitch.conf are not loaded", got is not None, said)
    os.remove(chroot.dir + "/etc/hosts")
    os.remove(chroot.dir + "/etc/resolv.conf")
    got, said = chroot.ask("http://localhost/x")
    report("localhost without /etc/hosts", got is not None, said)
    chroot.put("etc/resolv.conf", "nameserver 192.0.2.98\n")
    begin = time.monotonic()
    got, said = chroot.ask("http://meta.example/x", timeout=1)
    report("a DNS server that never answers costs no more than the timeout", got is None and time.monotonic() - begin < 5, said)
    chroot.put("etc/resolv.conf", "nameserver 127.0.0.1\n")


def check_proxies(chroot):
    for what, env in (("http_proxy", {"http_proxy": "http://proxy.example:3128"}), ("HTTP_PROXY without scheme", {"HTTP_PROXY": "proxy.example:3128"})):
        got, said = chroot.ask("http://unresolvable.example/x?a=b", env)
        report(what, got == {"host": "unresolvable.example", "path": "http://unresolvable.example/x?a=b"}, said)
    got, said = chroot.ask("http://meta.example/x", {"http_proxy": "http://proxy.example:3128", "no_proxy": "other,.example"})
    report("no_proxy", got == {"host": "meta.example", "path": "/x"}, said)


def check_files(chroot):
    status, out, err = chroot.run(["os-apply-config", "-t", "/t", "-o", "/out", "-m", "/local/x", "--fallback-metadata"])
    report("os-apply-config in a bare chroot", status == 0 and open(chroot.dir + "/out/etc/made").read() == "1\n", err)
    report("and it leaves nothing else", os.listdir(chroot.dir + "/out/etc") == ["made"], os.listdir(chroot.dir + "/out/etc"))
    chroot.put("c.conf", "[DEFAULT]\ncachedir=/cache\nbackup_cachedir=/backup\n[local]\npath=/local\n")
    status, out, err = chroot.run(["os-collect-config", "--config-file", "/c.conf", "--one-time", "-c", "true", "local"])
    report("os-collect-config keeps what it collected and says that there is no shell",
           status == 127 and open(chroot.dir + "/cache/x.json").read() == '{\n "a": {\n  "b": 1\n }\n}', err)
    libraries = [os.path.join(root, name) for root, _, names in os.walk(chroot.dir) for name in names if ".so" in name]
    report("no library was anywhere", libraries == [], libraries)


def main():
    subprocess.run(["mount", "--make-rprivate", "/"], check=False)
    for words in ("link set lo up", "addr add 192.0.2.10/32 dev lo", "addr add 192.0.2.11/32 dev lo", "addr add 2001:db8::10/128 dev lo nodad"):
        subprocess.run(["ip"] + words.split(), check=True)
    for server in (http.server.ThreadingHTTPServer(("0.0.0.0", 80), Handler), V6Server(("2001:db8::10", 80), Handler),
                   http.server.ThreadingHTTPServer(("192.0.2.11", 3128), Handler)):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    dns = subprocess.Popen([DNSMASQ, "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv", "--no-hosts", "--bind-interfaces", "--listen-address=127.0.0.1",
                            "--user=root", "--group=root", "--pid-file", "--local=/example/"] + ZONE)
    try:
        for _ in range(500):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", 53)) == 0:
                    break
            time.sleep(0.01)
        with tempfile.TemporaryDirectory(prefix="agent-network-") as directory:
            chroot = Chroot(directory)
            check_names(chroot)
            check_proxies(chroot)
            check_files(chroot)
    finally:
        dns.send_signal(signal.SIGTERM)
        dns.wait()
    print("%d failed" % BAD)
    sys.exit(1 if BAD else 0)


if "inside" in OPTIONS.cases:
    main()
else:
    in_namespace()
