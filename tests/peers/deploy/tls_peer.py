"""The agent's own port by TLS, judged by Debian's OpenSSL (Python's ssl): only who trusts the certificate of the heartbeat gets an
answer. usage: tls_peer.py HEARTH_AGENT"""

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "..", "e2e", "deploy")]
import conductor  # noqa: E402  (found by the line above)
from own_network import free_port  # noqa: E402


def ask(port, context):
    """The status line and the body of GET /v1/status."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as plain:
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as tls:
            tls.sendall(b"GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = b""
            while data := tls.recv(65536):
                answer += data
            return answer.split(b"\r\n")[0].decode(), json.loads(answer.split(b"\r\n\r\n", 1)[1]), tls.version()


def beat_of(agent, files, *words):
    """A running agent's first heartbeat, and the port of that agent."""
    serving = conductor.Conductor(files)
    port = free_port()
    running = subprocess.Popen([agent, "deploy", f"ipa-api-url=http://127.0.0.1:{serving.port}", f"ipa-listen-port={port}", *words],
                               stdout=subprocess.DEVNULL)
    try:
        assert serving.beat.wait(60), "no heartbeat"
        yield serving.beats[0], port
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
        serving.close()


def refused(port, context):
    try:
        ask(port, context)
    except ssl.SSLError as error:
        return str(error)
    raise AssertionError("a client was served that should not be")


def main(agent):
    with tempfile.TemporaryDirectory() as files:
        for beat, port in beat_of(agent, files):
            assert beat["callback_url"] == f"https://127.0.0.1:{port}", beat
            pem = beat["agent_verify_ca"]
            status, body, version = ask(port, ssl.create_default_context(cadata=pem))
            assert status == "HTTP/1.1 200 OK" and "started_at" in body, (status, body)
            assert version == "TLSv1.3", version
            old = ssl.create_default_context(cadata=pem)
            old.maximum_version = ssl.TLSVersion.TLSv1_2
            assert ask(port, old)[2] == "TLSv1.2"
            assert "CERTIFICATE_VERIFY_FAILED" in refused(port, ssl.create_default_context())
            shown = subprocess.run(["openssl", "x509", "-noout", "-text"], input=pem, capture_output=True, text=True, check=True).stdout
            for part in ("IP Address:127.0.0.1", "CA:TRUE", "ecdsa-with-SHA256", "prime256v1", "Not After : Dec 31 23:59:59 2049"):
                assert part in shown, (part, shown)
        for beat, port in beat_of(agent, files, "ipa-advertise-protocol=http"):
            assert beat["callback_url"] == f"http://127.0.0.1:{port}" and "agent_verify_ca" not in beat, beat
    print("ok")


main(os.path.abspath(sys.argv[1]))
