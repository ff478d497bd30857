"""A queue of jobs, one JSON value on each line: server.py PORT [MISTAKE]."""
import json, socketserver, sys, threading

MISTAKE = sys.argv[2] if sys.argv[2:] else ""
jobs, last, lock = {}, 0, threading.Lock()

class Client(socketserver.StreamRequestHandler):
    def handle(self):
        is_client = False  # who only looks whether the server is there asks nothing
        for line in self.rfile:
            is_client = True
            with lock:
                self.wfile.write(json.dumps(self.answer(json.loads(line))).encode() + b"\n")
        with lock:
            for id in jobs:
                if jobs[id] is self and MISTAKE != "keeps":
                    jobs[id] = None
                if MISTAKE == "frees all" and is_client:
                    jobs[id] = None

    def answer(self, request):
        global last
        name, id = next(iter(request.items())) if isinstance(request, dict) else (request, None)
        ready = sorted(id for id in jobs if jobs[id] is None)
        if name == "Put":
            last += 1
            jobs[last] = None
            return {"Inserted": last}
        if name in ("Reserve", "PeekReady"):
            if not ready:
                return "Nothing"
            if name == "Reserve":
                jobs[ready[0]] = self
            return {"Job": ready[0]}
        if id not in jobs or jobs[id] is not self and not (name == "Delete" and jobs[id] is None):
            return "NotFound"
        jobs[id] = None
        if name == "Delete":
            del jobs[id]
        return "Done"

class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads = True, True
    disable_nagle_algorithm = True

Client.disable_nagle_algorithm = True
Server(("127.0.0.1", int(sys.argv[1])), Client).serve_forever()
