"""What an adapter is made of: it joins a system to `mayhap test SPEC --sut 'stdio:python3 ADAPTER.py'`.

    import mayhap_adapter

    class Store(mayhap_adapter.Client):
        values = {}
        def Put(self, key, value):           # the request {"Put": {"key": "a", "value": 1}}
            self.values[key] = value
            return "Done"                    # its answer, as JSON
        def Get(self, key):
            return {"Value": self.values.get(key)}

    mayhap_adapter.serve(Store, reset=Store.values.clear)

A client of the tester is one object, with a thread of its own. If it has a connection to the system, `__init__` makes it and
`close` ends it. The object is made before the first request of the client, and another one after the connection has ended.

What a request returns is its answer. It may also return or raise `Lost` (no answer came; it may have happened), `Refused` (it
surely did not happen) or `Closed` (the system ended the connection); a `ConnectionError` is a `Closed`, unless the system
cannot be reached at all. Any other exception is a mistake: it is shown, and ends the adapter.

`serve(Store, reset, closes=True)` promises that `close` returns only when the system has taken notice that the connection has ended:
`self.socket.shutdown(socket.SHUT_WR)`, and then reading until the system ends its side, too. Then the tester ends connections now
and then, if the specification has an `on close` or `on open`.

`self.answer(message)` tells a client what it did not ask for; any thread may call it. A client whose requests do not wait for
each other sends them in `ask`, returns `LATER`, and calls `self.answer(answer)` when an answer comes, in the order of the
requests. `self.answer(Closed)` says that the system ended the connection.

`print` is for people: standard output is standard error as soon as this module is imported.

This file is all there is: copy it, or `pip install` its directory. It needs Python 3.8 and nothing else.
"""
import base64, json, os, queue, sys, threading, time, traceback

__all__ = ["Client", "Lost", "Refused", "Closed", "LATER", "serve", "to_bytes"]

LATER = object()
PATIENCE = 1.0  # seconds for the requests under way at a reset

_lock = threading.RLock()  # of the output, and of what was said on it
_output = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)  # for what the adapter starts, too
sys.stdout = sys.stderr


class Lost(Exception):
    """No answer came; the request may have happened. Its connection is over."""


class Refused(Exception):
    """The request surely did not happen, and is as if never sent."""


class Closed(Exception):
    """The system ended the connection of this client."""


class Client:
    """A client of the system. Its subclass has a method for each request, or its own `ask`."""

    number = 0  # the tester counts its clients from 1
    _link = None

    def close(self):
        """Ends the connection; if a request is under way, it is called by another thread, and ends the request."""

    def ask(self, request):
        """Answers a request: calls the method of its name with what it carries."""
        name, carried = request, []
        if isinstance(request, dict) and len(request) == 1:
            ((name, carried),) = request.items()
        if not isinstance(name, str) or hasattr(Client, name) or not hasattr(self, name):
            raise NotImplementedError("%s has no method for this request; `ask(self, request)` could answer it" % type(self).__name__)
        if isinstance(carried, dict):
            return getattr(self, name)(**carried)
        return getattr(self, name)(*carried) if isinstance(carried, list) else getattr(self, name)(carried)

    def answer(self, answer):
        """Tells the client something: an answer that is given later, or what it did not ask for; or `Lost`, `Refused`, `Closed`."""
        kind = answer if isinstance(answer, type) else type(answer)
        if kind in (Lost, Closed):
            self._link.end(kind.__name__.lower())
        else:
            self._link.say({"refused": True} if kind is Refused else {"a": answer})


def to_bytes(value):
    """What a value of type `bytes` is: as JSON it is a text, or {"$bytes": base64}. Answers may have `bytes` as they are."""
    return value.encode() if isinstance(value, str) else base64.b64decode(value["$bytes"])


def serve(client, reset, closes=False):
    """Answers requests until the tester ends. `client` is a subclass of `Client`; `reset` brings the system to its first state,
    and is None if the tester does that, with `--start` or `--reset`. `closes` promises that the system has taken notice of the end
    of a connection when `close` returns."""
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # what the adapter starts does not read the requests
    threading.excepthook = lambda error: _fail("a thread of the adapter failed", error.exc_value)
    links = {}
    for line in requests:
        if not line.strip():
            continue
        message = json.loads(line)
        if "q" in message:
            _pass_on(client, links, message)
        elif "close" in message:
            if message["c"] in links:
                links[message["c"]].give_up(closes)
        elif "end" in message:
            break
        else:
            if "reset" in message:
                _finish(links, PATIENCE)
                try:
                    reset and reset()
                except BaseException as error:
                    _fail("the reset failed", error)
            _write({"ready": True, "closes": True} if closes else {"ready": True})
    _finish(links, PATIENCE / 5)


def _pass_on(client, links, message):
    """Passes a request to its client. After a connection has ended, the tester numbers those that follow it: what was sent on a
    connection before its client knew that it had ended is lost."""
    number, connection = message["c"], message.get("connection", 1)
    with _lock:
        link = links.get(number)
        if link is None or link.is_over and link.connection != connection:
            link = links[number] = _Link(client, number, connection, link)
            link.start()
        link.take(message["q"])


def _finish(links, patience):
    """Ends all connections."""
    deadline = time.monotonic() + patience
    for link in links.values():
        link.leave()
    for link in links.values():
        link.join(max(0, deadline - time.monotonic()))
        link.finish()
    links.clear()


def _write(line):
    with _lock:
        try:
            _output.write(json.dumps(line, default=_json).encode() + b"\n")
            _output.flush()
        except OSError:
            os._exit(1)  # the tester is gone


def _json(value):
    if isinstance(value, (bytes, bytearray)):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"$bytes": base64.b64encode(value).decode()}
    raise TypeError("an answer is JSON, and this is not: %r" % (value,))


def _fail(what, error):
    """Shows a mistake, the most important line last, and ends the adapter."""
    traceback.print_exception(type(error), error, error.__traceback__)
    print(("%s: %s: %s" % (what, type(error).__name__, error)).replace("\n", " "), file=sys.stderr, flush=True)
    os._exit(1)


class _Link(threading.Thread):
    """A connection of a client, with the thread that serves it."""

    END = object()

    def __init__(self, kind, number, connection, before):
        super().__init__(daemon=True)
        self.kind, self.number, self.connection, self.before = kind, number, connection, before
        self.todo, self.client = queue.SimpleQueue(), None
        self.unanswered, self.is_over, self.is_busy, self.is_closed, self.is_given_up = 0, False, False, False, False

    def run(self):
        what = "client %d cannot open its connection" % self.number
        try:
            if self.before:
                self.before.join(PATIENCE)
            client = self.kind.__new__(self.kind)
            client.number, client._link = self.number, self
            client.__init__()  # it may be told something at once
            self.client = client
            for request in iter(self.todo.get, self.END):
                what = "client %d failed at the request %s" % (self.number, json.dumps(request))
                with _lock:
                    if self.is_over:
                        break
                    self.is_busy = True
                self.serve(request)
                self.is_busy = False
            what = "client %d cannot close its connection" % self.number
            self.close()
            if self.is_given_up:
                self.write({"closed": True})
        except BaseException as error:
            _fail(what, error)

    def serve(self, request):
        try:
            answer = self.client.ask(request)
        except (Lost, Refused, Closed) as said:
            answer = said
        except Exception as error:
            is_end = isinstance(error, ConnectionError) and not isinstance(error, ConnectionRefusedError)
            if not is_end and not self.is_over:
                raise
            answer = Closed
        if answer is not LATER:
            self.client.answer(answer)

    def take(self, request):
        """Takes a request, unless the connection is over: then it is lost."""
        if self.is_over:
            self.write({"lost": True})
        else:
            self.unanswered += 1
            self.todo.put(request)

    def write(self, what):
        _write({"c": self.number, "connection": self.connection, **what})

    def say(self, what):
        with _lock:
            if not self.is_over:
                self.unanswered = max(0, self.unanswered - 1)
                self.write(what)

    def end(self, how):
        """Says that the connection has ended, and with it all that was sent on it."""
        with _lock:
            if not self.is_over:
                self.write({how: True})
                for _ in range(self.unanswered - 1):
                    self.write({"lost": True})
                self.leave()

    def leave(self):
        """Says nothing more."""
        with _lock:
            self.is_over = True
            self.todo.put(self.END)

    def give_up(self, is_said):
        """Ends the connection as its client gives it up, and perhaps says so; the end of a connection is said once."""
        with _lock:
            self.is_given_up = is_said and not self.is_over
            self.leave()
        self.finish()

    def finish(self):
        """Ends the connection for the tester; a request under way ends with it."""
        self.leave()
        if self.is_busy:
            self.close()

    def close(self):
        with _lock:
            is_closed, self.is_closed = self.is_closed, True
        if not is_closed:
            try:
                self.client.close()
            except OSError:
                pass  # it has ended already
