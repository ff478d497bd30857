#!/bin/sh
# Guess: a WSGI server sends no content after a HEAD, whatever the application returns: RFC 9110, section 9.3.2, says MUST NOT.
# True: waitress, cheroot and Python's wsgiref send the content that the application returned, if it answers HEAD as it answers GET.
# Source: waitress 3.0.2, cheroot 11.1.2, wsgiref of Python 3.11.
# It matters to clients with a persistent connection: the content is read as the beginning of the next answer.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check waitress==3.0.2 cheroot==11.1.2
cd "$there"
cat >run.py <<'END'
import importlib.metadata as packages, socket, sys, threading, time
def app(environ, start):
    start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "5")])
    return [b"hello"]
def free():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
def with_waitress(port):
    import waitress
    waitress.serve(app, host="127.0.0.1", port=port, _quiet=True)
def with_cheroot(port):
    from cheroot.wsgi import Server
    Server(("127.0.0.1", port), app).start()
def with_wsgiref(port):
    from wsgiref.simple_server import WSGIRequestHandler, make_server
    WSGIRequestHandler.log_message = lambda *_: None
    make_server("127.0.0.1", port, app).serve_forever()
def after_head(serve):
    port = free()
    threading.Thread(target=serve, args=(port,), daemon=True).start()
    for _ in range(100):
        try:
            s = socket.create_connection(("127.0.0.1", port), timeout=5)
            break
        except OSError:
            time.sleep(0.05)
    s.sendall(b"HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    seen = b""
    while more := s.recv(4096):
        seen += more
    return seen.partition(b"\r\n\r\n")[2]
found = {serve.__name__[5:]: after_head(serve) for serve in (with_waitress, with_cheroot, with_wsgiref)}
for name in ("waitress", "cheroot"):
    print(name, packages.version(name), "sends after a HEAD:", found[name])
print("wsgiref of Python", sys.version.split()[0], "sends after a HEAD:", found["wsgiref"])
assert set(found.values()) == {b"hello"}
END
"$there/venv/bin/python" run.py
