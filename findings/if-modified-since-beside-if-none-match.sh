#!/bin/sh
# Guess: who serves files and knows both fields follows RFC 9110, section 13.1.3: "A recipient MUST ignore If-Modified-Since if the
# request contains an If-None-Match header field": a tag that does not match gives 200, whatever the date is.
# True: bottle and CherryPy answer 304 if the date says so, although the tag is that of another version. aiohttp does as guessed.
# Source: bottle 0.13.4, CherryPy 18.10.0, aiohttp 3.13.2, each with its own way to serve a file.
# It matters to caches: a file that was replaced within the second of its date is never fetched again, which is what tags are for.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check bottle==0.13.4 CherryPy==18.10.0 aiohttp==3.13.2
cd "$there"
mkdir files
echo hello >files/a.txt
cat >run.py <<'END'
import http.client, importlib.metadata as packages, os, socket, subprocess, sys, time
port, kind = int(sys.argv[2]), sys.argv[1]
files = os.path.abspath("files")
if kind == "bottle":
    import bottle
    bottle.route("/<name>")(lambda name: bottle.static_file(name, root=files))
    bottle.run(host="127.0.0.1", port=port, quiet=True)
elif kind == "cherrypy":
    import cherrypy
    cherrypy.config.update({"server.socket_port": port, "log.screen": False})
    static = {"tools.staticdir.on": True, "tools.staticdir.dir": files, "tools.etags.on": True, "tools.etags.autotags": True}
    cherrypy.quickstart(type("Root", (), {})(), "/", {"/": static})
elif kind == "aiohttp":
    from aiohttp import web
    app = web.Application()
    app.router.add_static("/", files)
    web.run_app(app, host="127.0.0.1", port=port, print=None, access_log=None)
END
cat >ask.py <<'END'
import http.client, importlib.metadata as packages, socket, subprocess, sys, time
def free():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
def asked(port, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", "/a.txt", headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer
def statuses(kind):
    port = free()
    server = subprocess.Popen([sys.executable, "run.py", kind, str(port)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                plain = asked(port, {})
                break
            except OSError:
                time.sleep(0.1)
        date, tag = plain.headers["Last-Modified"], plain.headers["ETag"]
        assert date and tag, (kind, plain.headers.items())
        other = {"If-None-Match": '"of-another-version"'}
        return [asked(port, other | {"If-Modified-Since": date}).status, asked(port, other).status]
    finally:
        server.terminate()
        server.wait()
found = {}
for name in ("bottle", "CherryPy", "aiohttp"):
    found[name] = statuses(name.lower())
    print(name, packages.version(name), "with both fields:", found[name][0], "with the tag alone:", found[name][1])
assert found == {"bottle": [304, 200], "CherryPy": [304, 200], "aiohttp": [200, 200]}
END
"$there/venv/bin/python" ask.py
