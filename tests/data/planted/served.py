"""A small TCP server: one JSON value a line, one connection a client, answers in the order of the requests.

    class Counter(Server):
        bugs = ("loses",)
        def Add(self, k): self.n += k; return "Done"
    serve(Counter)

A handler has the name of its request. It returns the answer, or it is a generator: at `yield` others have their turn, at
`yield 0.001` for that many seconds at least. So requests of several clients overlap only where a handler yields.
An exception ends the server, as it would any other.
"""

import json
import random
import selectors
import socket
import sys
import time
from types import GeneratorType

NOTHING = object()  # no answer is sent, ever


class Raw(bytes):
    """An answer that is sent as it is."""


class Server:
    """A server that has at most one of its bugs."""

    bugs = ()
    overtaking = ()  # bugs for which requests of one connection run beside each other

    def __init__(self, bug, seed):
        self.bug = bug
        self.chance = random.Random(seed)
        self.client = 0  # the connection whose request begins
        self.prefix = f"{self.chance.randrange(16**4):04x}"

    def has(self, bug):
        assert bug in self.bugs, bug
        return self.bug == bug

    def token(self, number):
        """A token that nobody guesses: two servers give out different ones, unless they have the same seed."""
        return f"{self.prefix}-{number}"

    def sometimes(self, bug):
        """Whether a flaky bug shows this time."""
        return self.has(bug) and self.chance.random() < 0.3

    def parse(self, line):
        return json.loads(line)

    def text(self, answer):
        return json.dumps(answer)

    def answer(self, request):
        """`"Read"` and `{"Write": 3}` are requests; what a request carries is handed over as it is."""
        if isinstance(request, str):
            return getattr(self, request)()
        ((name, carried),) = request.items()
        return getattr(self, name)(carried)


class Connection:
    def __init__(self, number, stream, server, tasks):
        self.number, self.stream, self.server, self.tasks = number, stream, server, tasks
        self.rest, self.requests, self.running = b"", [], 0

    def read(self):
        """Whether the connection goes on."""
        try:
            received = self.stream.recv(65536)
        except OSError:
            received = b""
        *lines, self.rest = (self.rest + received).split(b"\n")
        self.requests += lines
        self.begin()
        return bool(received)

    def begin(self):
        while self.requests and (not self.running or self.server.bug in self.server.overtaking):
            self.server.client = self.number
            result = self.server.answer(self.server.parse(self.requests.pop(0)))
            if isinstance(result, GeneratorType):
                self.running += 1
                self.tasks.append((0.0, self, result))
            else:
                self.send(result)

    def resume(self, task):
        try:
            pause = next(task) or 0
            self.tasks.append((time.monotonic() + pause, self, task))
        except StopIteration as end:
            self.running -= 1
            self.send(end.value)
            self.begin()

    def send(self, answer):
        if answer is NOTHING:
            return
        line = answer if isinstance(answer, Raw) else self.server.text(answer).encode()
        try:
            self.stream.sendall(line + b"\n")
        except OSError:
            pass  # the client has left


def options(kind):
    given = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    if len(sys.argv) % 2 == 0 or given.keys() - {"--bug", "--port", "--seed"}:
        sys.exit(f"usage: {sys.argv[0]} [--port N] [--bug NAME] [--seed N]; bugs: {', '.join(kind.bugs)}")
    bug = given.get("--bug")
    if bug is not None and bug not in kind.bugs:
        sys.exit(f"{sys.argv[0]} has no bug `{bug}`, but these: {', '.join(kind.bugs)}")
    return int(given.get("--port", 0)), bug, given.get("--seed")


def serve(kind):
    port, bug, seed = options(kind)
    server, tasks, number = kind(bug, seed), [], 0
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    print(f"listening on 127.0.0.1:{listener.getsockname()[1]}", flush=True)
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    while True:
        patience = max(0.0, min(due for due, _, _ in tasks) - time.monotonic()) if tasks else None
        for key, _ in selector.select(patience):
            if key.fileobj is listener:
                stream, _ = listener.accept()
                stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                number += 1
                selector.register(stream, selectors.EVENT_READ, Connection(number, stream, server, tasks))
            elif not key.data.read():
                selector.unregister(key.fileobj)
                if not key.data.running:
                    key.fileobj.close()
        now = time.monotonic()
        due = [task for task in tasks if task[0] <= now]
        tasks[:] = [task for task in tasks if task[0] > now]
        for _, connection, task in due:
            connection.resume(task)
