"""A store of objects over HTTP: objects.py --port PORT [--bug BUG]. A bug is one of

language          Content-Language is not kept, as Content-Length
parameters        Content-Type is kept without its parameters
no-store          an object with `Cache-Control: no-store` is not kept
expires           an object is gone when the date in its Expires is past
first-deleted     the trash keeps the object of a name that was deleted first
unamended         the trash has the object as it was put, before it was amended
short-block       content is read in blocks of 4096 octets; a short block after others is lost
"""
import argparse
import time
from email.utils import parsedate_to_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

BUGS = ["language", "parameters", "no-store", "expires", "first-deleted", "unamended", "short-block"]
arguments = argparse.ArgumentParser()
arguments.add_argument("--port", type=int, required=True)
arguments.add_argument("--bug", choices=BUGS)
given = arguments.parse_args()
BUG = given.bug
BLOCK = 4096
objects, put, trash, lock = {}, {}, {}, Lock()


def is_kept(name):
    if name == "content-length" or name == "content-language" and BUG == "language":
        return False
    return name.startswith(("content-", "x-meta-")) or name in ("cache-control", "expires")


def is_past(date):
    try:
        return parsedate_to_datetime(date).timestamp() < time.time()
    except ValueError:
        return False


class Client(BaseHTTPRequestHandler):
    protocol_version, wbufsize, disable_nagle_algorithm = "HTTP/1.1", -1, True

    def log_message(self, *_):
        pass

    def fields(self):
        fields = {name.lower(): value for name, value in self.headers.items() if is_kept(name.lower())}
        if BUG == "parameters" and "content-type" in fields:
            fields["content-type"] = fields["content-type"].split(";")[0]
        return fields

    def content(self):
        content, left = b"", int(self.headers.get("content-length", 0))
        while left > 0:
            block = self.rfile.read(min(left, BLOCK))
            left -= len(block)
            if len(block) == BLOCK or not content or BUG != "short-block":
                content += block
        return content

    def answer(self, status, fields={}, content=b""):
        self.send_response_only(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def serve(self):
        content = self.content()
        with lock:
            answer = getattr(self, self.command + self.path.split("/")[1])(self.path.split("/")[2], content)
        self.answer(*answer)

    do_PUT = do_GET = do_PATCH = do_DELETE = do_POST = serve

    def PUTobjects(self, name, content):
        is_new, fields = name not in objects, self.fields()
        if BUG != "no-store" or fields.get("cache-control") != "no-store":
            objects[name] = put[name] = fields, content
        return (201,) if is_new else (204,)

    def GETobjects(self, name, _):
        if name not in objects or BUG == "expires" and is_past(objects[name][0].get("expires", "")):
            return (404,)
        return (200, *objects[name])

    def PATCHobjects(self, name, _):
        if name not in objects:
            return (404,)
        fields, content = objects[name]
        objects[name] = fields | self.fields(), content
        return (204,)

    def DELETEobjects(self, name, _):
        if name not in objects:
            return (404,)
        object = objects.pop(name)
        if BUG != "first-deleted" or name not in trash:
            trash[name] = put[name] if BUG == "unamended" else object
        return (204,)

    def POSTtrash(self, name, _):
        if name not in trash:
            return (404,)
        if name in objects:
            return (409,)
        objects[name] = put[name] = trash.pop(name)
        return (204,)


class Store(ThreadingHTTPServer):
    request_queue_size = 64


Store(("127.0.0.1", given.port), Client).serve_forever()
