"""A service that keeps notes, as JSON over HTTP: `python3 notes.py PORT`. The standard library is all that it needs.

POST /notes {"text"}            201 the note: {"id", "text", "version"}
GET /notes/ID                   200 the note, or 404
PUT /notes/ID {"text", "version"}   200 the note with its next version, 409 if it has another version, or 404
DELETE /notes/ID                204, or 404
DELETE /notes                   204: there are no notes any more

It has a mistake, which `mayhap test` finds.
"""

import json
import secrets
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

notes = {}
versions = {}
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # An answer is several writes: without this, the last one would wait for the client.
    disable_nagle_algorithm = True

    def answer(self, status, value=None):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        if value is not None:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def shown(self, id):
        return {"id": id, "text": notes[id], "version": versions[id]}

    def content(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def do_POST(self):
        asked = self.content()
        with lock:
            id = secrets.token_hex(4)
            notes[id], versions[id] = asked["text"], 1
            self.answer(201, self.shown(id))

    def do_GET(self):
        with lock:
            id = self.path.removeprefix("/notes/")
            self.answer(200, self.shown(id)) if id in notes else self.answer(404)

    def do_PUT(self):
        asked, id = self.content(), self.path.removeprefix("/notes/")
        with lock:
            if id not in versions:
                return self.answer(404)
            if versions[id] != asked["version"]:
                return self.answer(409)
            notes[id] = asked["text"]
            versions[id] += 1
            self.answer(200, self.shown(id))

    def do_DELETE(self):
        id = self.path.removeprefix("/notes/")
        with lock:
            if self.path == "/notes":
                notes.clear(), versions.clear()
                return self.answer(204)
            if id not in notes:
                return self.answer(404)
            del notes[id]
            self.answer(204)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
