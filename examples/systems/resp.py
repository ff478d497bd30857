"""A client of Redis: `Redis(server).command("GET", "a")` is the answer, an `Error` if it is one."""


class Error(str):
    pass


class Redis:
    def __init__(self, server):
        self.socket, self.lines = server.connect()

    def command(self, *words):
        words = [str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
        return self.read()

    def read(self):
        line = self.lines.readline()
        if not line:
            raise ConnectionError("the server has ended the connection")
        kind, rest = line[:1], line[1:-2].decode()
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == "-1" else self.lines.read(int(rest) + 2)[:-2].decode()
        if kind == b"*":
            return None if rest == "-1" else [self.read() for _ in range(int(rest))]
        return Error(rest) if kind == b"-" else rest

    def close(self):
        self.socket.close()


def empty(server):
    """Starts the server, if it does not run, and removes all that it has."""
    if not server.process:
        server.start()
    client = Redis(server)
    client.command("FLUSHALL")
    client.close()
