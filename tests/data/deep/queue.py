"""A queue of jobs, one JSON value on each line: queue.py --port PORT [--bug BUG]. A bug is one of

kept-releases     a job that is kicked keeps the number of times that it was released
newest-kicked     Kick takes the newest of the buried jobs
deletes-held      Delete takes jobs that other clients hold
kicks-held        KickJob takes any job that is not ready
passed-on         Release leaves the job among those that the client holds, all of which are ready when its connection ends
unburied          so does Bury
"""
import argparse
import json
import socketserver
import threading

BUGS = ["kept-releases", "newest-kicked", "deletes-held", "kicks-held", "passed-on", "unburied"]
arguments = argparse.ArgumentParser()
arguments.add_argument("--port", type=int, required=True)
arguments.add_argument("--bug", choices=BUGS)
given = arguments.parse_args()
BUG = given.bug
READY, BURIED, TRIES = "ready", "buried", 2


class Job:
    def __init__(self, id):
        self.id, self.state, self.released = id, READY, 0  # the state may be the client that holds the job

    def kick(self):
        self.state = READY
        if BUG != "kept-releases":
            self.released = 0


class Queue:
    """The jobs of all clients, from the oldest to the newest."""

    def __init__(self):
        self.jobs, self.last, self.lock = {}, 0, threading.Lock()

    def all(self, state):
        return [job for job in self.jobs.values() if job.state == state]

    def Put(self, client):
        self.last += 1
        self.jobs[self.last] = Job(self.last)
        return {"Inserted": self.last}

    def Reserve(self, client):
        for job in self.all(READY):
            job.state = client
            client.held.add(job)
            return {"Job": job.id}
        return "Nothing"

    def own(self, client, id):
        """The job, if this client holds it."""
        job = self.jobs.get(id)
        return job if job and job.state is client else None

    def Release(self, client, id):
        if not (job := self.own(client, id)):
            return "NotFound"
        job.released += 1
        job.state = READY if job.released < TRIES else BURIED
        if BUG != "passed-on":
            client.held.discard(job)
        return "Released" if job.state == READY else "Buried"

    def Bury(self, client, id):
        if not (job := self.own(client, id)):
            return "NotFound"
        job.state = BURIED
        if BUG != "unburied":
            client.held.discard(job)
        return "Buried"

    def Kick(self, client, bound):
        buried = self.all(BURIED)
        if BUG == "newest-kicked":
            buried.reverse()
        kicked = buried[:max(bound, 0)]
        for job in kicked:
            job.kick()
        return {"Kicked": len(kicked)}

    def KickJob(self, client, id):
        job = self.jobs.get(id)
        if not job or (job.state == READY if BUG == "kicks-held" else job.state != BURIED):
            return "NotFound"
        job.kick()
        return {"Kicked": 1}

    def Delete(self, client, id):
        job = self.jobs.get(id)
        if not job or job.state not in (READY, BURIED, client) and BUG != "deletes-held":
            return "NotFound"
        del self.jobs[id]
        client.held.discard(job)
        return "Deleted"

    def PeekReady(self, client):
        return next(({"Job": job.id} for job in self.all(READY)), "Nothing")

    def PeekBuried(self, client):
        return next(({"Job": job.id} for job in self.all(BURIED)), "Nothing")

    def close(self, client):
        for job in client.held:
            if BUG in ("passed-on", "unburied") or job.state is client:
                job.state = READY


class Client(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        self.held = set()
        for line in self.rfile:
            request = json.loads(line)
            name, *values = next(iter(request.items())) if isinstance(request, dict) else (request,)
            with queue.lock:
                answer = getattr(queue, name)(self, *values)
            self.wfile.write(json.dumps(answer).encode() + b"\n")
        with queue.lock:
            queue.close(self)


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads, request_queue_size = True, True, 64


queue = Queue()
Server(("127.0.0.1", given.port), Client).serve_forever()
