#!/bin/sh
# Guess: a server that gets a request of HTTP/1.0 sends an answer of unknown length without Transfer-Encoding, and closes the connection.
# RFC 9112, section 6.1: "A server MUST NOT send a response containing Transfer-Encoding unless the corresponding request indicates
# HTTP/1.1 (or later minor revisions)."
# True: uvicorn sends chunks with its parser httptools, which it takes by default if it is there; with h11 it does as guessed.
# Source: uvicorn 0.54.0, httptools 0.9.0, h11 0.14.0.
# It matters to clients of HTTP/1.0 (ab, old proxies, health checks): they take the sizes of the chunks for content.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check uvicorn==0.54.0 httptools==0.9.0 h11==0.14.0
cd "$there"
cat >run.py <<'END'
import importlib.metadata as packages, socket, threading, time
import uvicorn
async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    await send({"type": "http.response.body", "body": b"hello"})
def answer(parser):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    options = {"host": "127.0.0.1", "port": port, "http": parser, "log_level": "critical", "lifespan": "off"}
    server = uvicorn.Server(uvicorn.Config(app, **options))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    with socket.create_connection(("127.0.0.1", port), timeout=5) as s:
        s.sendall(b"GET / HTTP/1.0\r\nHost: a\r\n\r\n")
        seen = b""
        while more := s.recv(4096):
            seen += more
    server.should_exit = True
    head, _, content = seen.partition(b"\r\n\r\n")
    return b"transfer-encoding: chunked" in head.lower(), content
for name in ("uvicorn", "httptools", "h11"):
    print(name, packages.version(name))
found = {parser: answer(parser) for parser in ("httptools", "h11")}
for parser, (chunked, content) in found.items():
    print(f"with {parser}: chunked {chunked}, after the head: {content}")
assert found["httptools"] == (True, b"5\r\nhello\r\n0\r\n\r\n")
assert found["h11"] == (False, b"hello")
END
"$there/venv/bin/python" run.py
