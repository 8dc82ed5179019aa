"""The static agent, whose TLS is GnuTLS', against `openssl s_server`: every suite, group and
kind of certificate that a client should know, and certificates that must be refused."""
import os
import subprocess
import sys
import tempfile
import threading
import time

from compare import arguments, need
from own_network import enter, free_port

OPTIONS = arguments()
OPENSSL = "/usr/bin/openssl"
DIR = tempfile.TemporaryDirectory(prefix="tls-peer-")
KEYS = {
    "rsa2048": ["RSA", "rsa_keygen_bits:2048"], "rsa4096": ["RSA", "rsa_keygen_bits:4096"],
    "rsapss": ["RSA-PSS", "rsa_keygen_bits:2048"],
    "p256": ["EC", "ec_paramgen_curve:P-256"], "p384": ["EC", "ec_paramgen_curve:P-384"], "p521": ["EC", "ec_paramgen_curve:P-521"],
    "ed25519": ["ED25519"],
}
TLS12 = ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-ECDSA-AES128-SHA256",
         "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA", "ECDHE-RSA-AES128-GCM-SHA256",
         "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA384",
         "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA", "DHE-RSA-AES128-GCM-SHA256", "DHE-RSA-AES256-GCM-SHA384",
         "DHE-RSA-CHACHA20-POLY1305", "DHE-RSA-AES256-SHA256", "AES128-GCM-SHA256", "AES256-GCM-SHA384", "AES256-SHA256", "AES128-SHA"]
TLS13 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]
GROUPS = ["X25519", "X448", "P-256", "P-384", "P-521"]


def path(name):
    return os.path.join(DIR.name, name)


def openssl(*words):
    subprocess.run([OPENSSL, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def certificate(name, kind, issuer, extensions, days=30):
    """NAME.key and NAME.pem, signed by `issuer` (itself where that is NAME)."""
    algorithm = KEYS[kind]
    openssl("genpkey", "-algorithm", algorithm[0], "-out", path(name + ".key"), *(["-pkeyopt", algorithm[1]] if algorithm[1:] else []))
    openssl("req", "-new", "-key", path(name + ".key"), "-subj", "/CN=" + name, "-out", path(name + ".csr"))
    with open(path(name + ".ext"), "w") as f:
        f.write(extensions)
    signer = ["-key", path(name + ".key")] if issuer == name else ["-CA", path(issuer + ".pem"), "-CAkey", path(issuer + ".key")]
    openssl("x509", "-req", "-in", path(name + ".csr"), *signer, "-days", str(days), "-extfile", path(name + ".ext"), "-out", path(name + ".pem"))


CA = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n"
LEAF = "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n"


def make_certificates():
    certificate("root", "rsa4096", "root", CA)
    certificate("middle", "p384", "root", CA)
    for kind in KEYS:
        certificate(kind, kind, "middle", LEAF)
    certificate("expired", "p256", "middle", LEAF, days=-1)
    certificate("other", "p256", "middle", LEAF.replace("localhost", "other.example").replace("127.0.0.1", "192.0.2.1"))
    certificate("stranger", "p256", "stranger", CA.replace("critical,keyCertSign", "critical,digitalSignature,keyCertSign") + LEAF)


class Server:
    """s_server, which passes what it decrypts to us and what we answer to the client."""

    def __init__(self, name, options):
        self.port = free_port()
        chain = [] if name == "stranger" else ["-cert_chain", path("middle.pem")]
        self.process = subprocess.Popen([OPENSSL, "s_server", "-quiet", "-accept", "127.0.0.1:%d" % self.port, "-cert", path(name + ".pem"),
                                         "-key", path(name + ".key"), *chain, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, cwd=DIR.name)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        head = b""
        for line in self.process.stdout:
            head = line if line.startswith((b"HEAD ", b"GET ")) else head
            if line == b"\r\n":
                body = b"" if head.startswith(b"HEAD") else b'{"ok": 1}'
                self.process.stdin.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" + body)
                self.process.stdin.flush()

    def close(self):
        self.process.kill()
        self.process.wait()


# A machine that has only such a file in /etc.
WITH_AUTHORITY = ["unshare", "-rm", "sh", "-ec", 'mount -t tmpfs none /etc; mkdir /etc/hearth; cp "$0" /etc/hearth/authority.pem; exec "$@"']


def ask(port, host="localhost", policy=None, authority=None):
    config = path("c.conf")
    with open(config, "w") as f:
        f.write("[request]\nmetadata_url=https://%s:%d/x\ntimeout=20\n" % (host, port))
    env = {"PATH": os.environ["PATH"], "HOME": DIR.name, "SSL_CERT_FILE": path("root.pem"), "NO_PROXY": "*"}
    if policy:  # stands for /etc/gnutls/config
        env["GNUTLS_SYSTEM_PRIORITY_FILE"] = path("policy")
        with open(path("policy"), "w") as f:
            f.write(policy)
    machine = [*WITH_AUTHORITY, path(authority)] if authority else []
    done = subprocess.run([*machine, os.path.join(OPTIONS.links, "os-collect-config"), "--config-file", config, "--print", "request"], env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    return '"ok": 1' in done.stdout, done.stderr


def listens(port):
    """Without connecting, which s_server would serve."""
    with open("/proc/net/tcp") as f:
        return any(line.split()[1].endswith(":%04X" % port) and line.split()[3] == "0A" for line in f.readlines()[1:])


BAD = 0


def check(what, name, options, expected=True, says="", host="localhost", policy=None, authority=None):
    global BAD
    server = Server(name, options)
    try:
        for _ in range(1000):
            if listens(server.port):
                break
            time.sleep(0.01)
        got, said = ask(server.port, host, policy, authority)
    finally:
        server.close()
    good = got == expected and says in said
    BAD += not good
    print("%s %s%s" % ("ok    " if good else "FAILED", what, "" if good else "\n" + said))


def check_idle():
    """A daemon that waits for its next poll keeps nothing of the system's bundle, which made it 9.6 MB, and has little mapped
    that it doesn't need (agent/static_program/seldom.ld)."""
    global BAD
    with open(path("bundle.pem"), "w") as bundle:
        for file in ("/etc/ssl/certs/ca-certificates.crt", path("root.pem")):
            with open(file) as f:
                bundle.write(f.read())
    server = Server("p256", [])
    for _ in range(1000):
        if listens(server.port):
            break
        time.sleep(0.01)
    with open(path("d.conf"), "w") as f:
        f.write("[DEFAULT]\ncommand=:\npolling_interval=1\ncachedir=%s\nbackup_cachedir=%s\n[request]\nmetadata_url=https://localhost:%d/x\n" % (
            path("cache"), path("backup"), server.port))
    with open(path("log"), "w") as log:
        daemon = subprocess.Popen([os.path.join(OPTIONS.links, "os-collect-config"), "--config-file", path("d.conf"), "request"],
                                  env={"HOME": DIR.name, "PATH": os.environ["PATH"], "SSL_CERT_FILE": path("bundle.pem"), "NO_PROXY": "*"}, stderr=log)
    idle = 0
    for _ in range(300):
        time.sleep(0.1)
        with open(path("log")) as log:
            said = log.read()
        if said.count("Sleeping") >= 3 and said.endswith("seconds.\n"):
            with open("/proc/%d/status" % daemon.pid) as status:
                idle = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))
            break
    daemon.kill()
    daemon.wait()
    server.close()
    good = 0 < idle <= 6_000_000 and os.path.exists(path("cache/request.json")) and "WARNING" not in said
    BAD += not good
    print("%s idle with the system's bundle: %d bytes%s" % ("ok    " if good else "FAILED", idle, "" if good else "\n" + said))


def main():
    enter()
    make_certificates()
    check_idle()
    for suite in TLS12:
        check("TLS 1.2 " + suite, "p256" if "ECDSA" in suite else "rsa2048", ["-tls1_2", "-cipher", suite + ":@SECLEVEL=1"])
    for suite in TLS13:
        check("TLS 1.3 " + suite, "p256", ["-tls1_3", "-ciphersuites", suite])
    for version in ("-tls1_2", "-tls1_3"):
        for group in GROUPS:
            check("%s group %s" % (version, group), "rsa2048", [version, "-groups", group])
        for kind in KEYS:
            check("%s certificate %s" % (version, kind), kind, [version])
    check("-tls1_3 group ffdhe2048", "p256", ["-tls1_3", "-groups", "ffdhe2048"])
    check("by address", "p256", [], host="127.0.0.1")
    check("an expired certificate", "expired", [], False, "certificate has expired")
    check("another host's certificate", "other", [], False, "hostname mismatch")
    check("another address's certificate", "other", [], False, "IP address mismatch", host="127.0.0.1")
    check("a stranger's certificate", "stranger", [], False, "self-signed certificate")
    check("a site's own authority", "stranger", [], host="127.0.0.1", authority="stranger.pem")
    check("the system's authorities beside the site's", "p256", [], host="127.0.0.1", authority="stranger.pem")
    check("another site's authority", "stranger", [], False, "self-signed certificate", "127.0.0.1", authority="root.pem")
    check("a site's authority that is damaged, beside the system's", "p256", [], host="127.0.0.1", authority="p256.ext")
    check("a stranger's certificate, and a damaged authority", "stranger", [], False, "certificates in /etc/hearth/authority.pem", "127.0.0.1", authority="p256.ext")
    check("TLS 1.1 only", "rsa2048", ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], False, "setting up TLS")
    check("CCM with short tags only", "p256", ["-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_8_SHA256"], False, "setting up TLS")
    check("another name's certificate by an unusual form of the address", "other", [], False, "IP address mismatch", host="127.1")
    check("a policy of the machine that allows it", "p256", ["-tls1_2"], policy="[overrides]\ndisabled-version = tls1.3\n")
    check("what the policy of the machine forbids", "p256", ["-tls1_3"], False, "setting up TLS", policy="[overrides]\ndisabled-version = tls1.3\n")
    print("%d failed" % BAD)
    sys.exit(1 if BAD else 0)


need(OPENSSL)
main()
