"""Servers for http_peer_test: prints "NAME PORT" lines for each, then serves until stdin closes.

Usage: http_peer.py DIRECTORY, where DIRECTORY holds good.pem/good.key and wrong.pem/wrong.key.
"""
import base64
import hashlib
import http.server
import socket
import ssl
import sys
import threading
import time

directory = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, body, status=200, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        path = self.path
        if path == "/echo":
            lines = [self.command] + sorted(f"{k.lower()}: {v}" for k, v in self.headers.items()) + [body.decode()]
            self.answer("\n".join(lines).encode())
        elif path == "/redirect":
            self.answer(b"", 302, [("Location", "/echo")])
        elif path.startswith("/to?"):  # /to?STATUS&URL
            status, url = path[4:].split("&", 1)
            self.answer(b"", int(status), [("Location", url)])
        elif path == "/loop":
            self.answer(b"", 302, [("Location", "/loop")])
        elif path == "/404":
            self.answer(b"gone", 404)
        elif path == "/big":
            self.answer(b"x" * 5_000_000)
        elif path == "/slow":
            time.sleep(30)
        elif path == "/drip":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            for _ in range(100):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.2)
        elif path == "/chunked":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in (b"one ", b"two ", b"three"):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
        elif path == "/short":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"only this")
            self.close_connection = True
        elif path == "/until-close":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"no length")
            self.close_connection = True
        elif path == "/204":
            self.send_response(204)
            self.end_headers()
        else:  # an absolute form: we are being used as a proxy
            self.answer(f"proxied {self.command} {path} {self.headers.get('Proxy-Authorization')}".encode())

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = handle_any

    def do_CONNECT(self):
        host, port = self.path.rsplit(":", 1)
        with socket.create_connection(("127.0.0.1", int(port))) as far:
            self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            pump = threading.Thread(target=copy, args=(far, self.connection), daemon=True)
            pump.start()
            copy(self.connection, far)
            pump.join()
        self.close_connection = True


def copy(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Garbage(http.server.BaseHTTPRequestHandler):
    def handle(self):
        self.request.recv(1000)
        self.request.sendall(b"SSH-2.0-OpenSSH\r\n\r\n")


def frame(opcode, payload, final=True):
    return bytes([(0x80 if final else 0) | opcode, len(payload)]) + payload


class WebSocket(http.server.BaseHTTPRequestHandler):
    """Answers each text with a ping in the middle of its fragmented echo; "bye" with the end of the connection."""

    def log_message(self, *args):
        pass

    def message(self):
        first, second = self.rfile.read(2)
        mask, payload = self.rfile.read(4), self.rfile.read(second & 0x7F)
        assert second & 0x80, "clients mask"
        return first & 0xF, bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))

    def do_GET(self):
        if self.path != "/talk":
            self.send_error(404)
            return
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        self.wfile.write(f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: {accept}\r\n\r\n".encode() + frame(1, b"welcome"))
        while True:
            opcode, text = self.message()
            if text == b"bye":
                self.wfile.write(frame(8, b""))
                break
            if opcode == 1:
                self.wfile.write(frame(1, b"echo ", False) + frame(9, b"?") + frame(0, text))
                assert self.message() == (10, b"?"), "a ping is answered"
        self.close_connection = True


def serve(name, handler, certificate=None):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *args: None  # clients that hang up are part of the tests
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{directory}/{certificate}.pem", f"{directory}/{certificate}.key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(name, server.server_port, flush=True)


serve("plain", Handler)
serve("other", Handler)
serve("tls", Handler, "good")
serve("wrong-name", Handler, "wrong")
serve("garbage", Garbage)
serve("websocket", WebSocket)
silent = socket.create_server(("127.0.0.1", 0))  # accepts by backlog, never answers
print("silent", silent.getsockname()[1], flush=True)
closed = socket.create_server(("127.0.0.1", 0))
print("closed", closed.getsockname()[1], flush=True)
closed.close()
print("end", 0, flush=True)
sys.stdin.read()
