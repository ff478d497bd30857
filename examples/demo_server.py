#!/usr/bin/env python3
"""A key-value store with entity tags: one JSON value a line, one connection a client, each with a thread of its own.

    $ examples/demo_server.py 7000 &
    $ echo '{"Put": {"key": "a", "value": "x", "if_match": null}}' | nc -N 127.0.0.1 7000
    "NoContent"

It means to do what `specs/kv_etag.may` says. `make demo` asks `mayhap test` if it does.
"""

import json
import socketserver
import sys
import threading
import time


class Store:
    def __init__(self):
        self.lock = threading.Lock()
        self.data = {}  # value and tag of each key

    def matches(self, key, tag):
        """Whether a condition holds: there is a value, and its tag is this one, whether written with W/ or without."""
        return key in self.data and self.data[key][1]["opaque"] == tag["opaque"]

    def get(self, key, if_none_match=None):
        with self.lock:
            if key not in self.data:
                return "NotFound"
            if if_none_match and self.matches(key, if_none_match):
                return "NotModified"
            value, tag = self.data[key]
            return {"Ok": {"value": value, "tag": tag}}

    def put(self, key, value, if_match=None):
        with self.lock:
            if if_match and not self.matches(key, if_match):
                return "PreconditionFailed"
            # The time of the last change is a weak tag: two changes may fall into the same tick of the clock.
            self.data[key] = value, {"weak": True, "opaque": f"{time.time_ns():x}"}
            return "NoContent"


class Client(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        for line in self.rfile:
            ((name, carried),) = json.loads(line).items()
            answer = {"Get": store.get, "Put": store.put}[name](**carried)
            self.wfile.write(json.dumps(answer).encode() + b"\n")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True


store = Store()
with Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Client) as server:
    print("listening on {}:{}".format(*server.server_address), flush=True)
    server.serve_forever()
