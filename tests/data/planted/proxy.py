"""A forward proxy with bugs: python3 proxy.py --port 8080 [--bug NAME]"""
import argparse, itertools, socket, socketserver

HOP = {"connection", "keep-alive", "proxy-connection", "te", "upgrade"}
BUGS = ["altered-header", "lost-header", "lost-byte", "passed-on", "named", "no-via", "host", "answer-byte", "answer-header", "status",
        "directive", "range", "hops", "condition", "gone", "weak"]


class Messages:
    """The messages of a connection."""

    def __init__(self, link):
        self.link, self.bytes = link, b""

    def more(self):
        read = self.link.recv(65536)
        if not read:
            raise EOFError
        self.bytes += read

    def head(self):
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        line, *headers = head.decode("latin-1").split("\r\n")
        return line, [(name.lower(), value.strip()) for name, value in (header.split(":", 1) for header in headers)]

    def body(self, headers, has_none=False):
        length = 0 if has_none else int(dict(headers).get("content-length", 0))
        while len(self.bytes) < length:
            self.more()
        body, self.bytes = self.bytes[:length], self.bytes[length:]
        return body


def forwarded(headers):
    named = {name.strip() for key, value in headers if key == "connection" for name in value.lower().split(",")}
    if bug == "named":
        named = set()
    ends = HOP - {"te"} if bug == "passed-on" else HOP
    before = [value for key, value in headers if key == "via"]
    via = [] if bug == "no-via" else [("via", ", ".join([*before, "1.1 planted"]))]
    return [(key, value) for key, value in headers if key not in ends and key not in named and key != "via"] + via


def known(headers):
    """The headers of a request, one of which this proxy treats in a way of its own by its name."""
    if bug == "directive":
        return [(key, value) for key, value in headers if key != "cache-control"]
    if bug == "range":
        return [(key, value.replace("=-", "=0-") if key == "range" else value) for key, value in headers]
    if bug == "hops":
        return [(key, str(int(value) - 1) if key == "max-forwards" else value) for key, value in headers]
    return headers


def written(line, headers, body):
    return (line + "\r\n" + "".join(f"{key}: {value}\r\n" for key, value in headers) + "\r\n").encode("latin-1") + body


def altered(headers, of):
    """The headers, one of which is another one every third time."""
    at = next((at for at, (key, _) in enumerate(headers) if len(key) < 4 and key != "via"), None)
    if bug == "altered-header" and of == "request" and at is not None and next(turn) % 3 == 0:
        headers[at] = (headers[at][0], headers[at][1] + "!")
    if (bug == "lost-header" and of == "request" or bug == "answer-header" and of == "answer") and at is not None:
        del headers[at]
    return headers


class Client(socketserver.BaseRequestHandler):
    def handle(self):
        client = Messages(self.request)
        self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                self.serve(client)
        except (EOFError, OSError):
            pass

    def serve(self, client):
        line, headers = client.head()
        method, target, _ = line.split(" ")
        body = client.body(headers)
        origin, path = target.removeprefix("http://").split("/", 1)
        if bug == "lost-byte" and len(body) > 1:
            body = body[:-1]
        kept = [(key, value) for key, value in forwarded(headers) if key not in ("host", "content-length")]
        if bug == "condition" and method == "GET" and dict(kept).get("if-none-match") == "*":
            self.request.sendall(written("HTTP/1.1 304 Not Modified", [], b""))
            return
        host = dict(headers).get("host", origin) if bug == "host" else origin
        asked = [("host", host), *altered(known(kept), "request"), ("content-length", str(len(body))), ("connection", "close")]
        place, port = origin.rsplit(":", 1)
        try:
            with socket.create_connection((place, int(port))) as link:
                link.sendall(written(f"{method} /{path} HTTP/1.1", asked, body))
                server = Messages(link)
                line, answered = server.head()
                content = server.body(answered, method == "HEAD" or line.split(" ")[1] in ("204", "304"))
        except (EOFError, OSError):
            self.request.sendall(written("HTTP/1.1 502 Bad Gateway", [("content-length", "0")], b""))
            return
        if bug == "answer-byte" and len(content) > 1:
            content = content[:-1]
        if bug == "status" and line.split(" ")[1] == "503":
            line = "HTTP/1.1 502 Bad Gateway"
        if bug == "gone" and line.split(" ")[1] == "410":
            line = "HTTP/1.1 404 Not Found"
        if bug == "weak":
            answered = [(key, value.removeprefix("W/") if key == "etag" else value) for key, value in answered]
        length = [] if line.split(" ")[1] in ("204", "304") else [("content-length", str(len(content)))]
        kept = [(key, value) for key, value in forwarded(answered) if key != "content-length"]
        self.request.sendall(written(line, altered(kept, "answer") + length, content))


class Proxy(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads, request_queue_size = True, True, 64


arguments = argparse.ArgumentParser()
arguments.add_argument("--port", type=int, required=True)
arguments.add_argument("--bug", choices=BUGS)
given = arguments.parse_args()
bug, turn = given.bug, itertools.count()
with Proxy(("127.0.0.1", given.port), Client) as proxy:
    proxy.serve_forever()
