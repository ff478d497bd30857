"""An adapter for a real Redis: mayhap test specs/redis_strings.may --sut 'stdio:python3 examples/sut_redis.py 6379'"""
import os, socket, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "adapters"))
from mayhap_adapter import Client, Closed, Refused, serve

ANSWERS = {b"": Closed, b"+OK\r\n": "Ok", b"$-1\r\n": {"Text": None}, b"-ERR wrong": Refused,
           b"-ERR value": "NotAnInteger", b"-ERR incre": "Overflow"}

class Redis(Client):
    def __init__(self):
        self.redis = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        self.lines = self.redis.makefile("rb")
    def ask(self, request):
        name, values = next(iter(request.items())) if isinstance(request, dict) else (request, [])
        words = [str(word).encode() for word in [name, *(values.values() if isinstance(values, dict) else values)]]
        words = words if b"".join(words[2:]).isascii() else words[:1]  # lengths are those of ASCII text: Redis refuses this
        self.redis.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
        line = self.lines.readline()
        if line[:1] == b"$" and line[:10] not in ANSWERS:
            return {"Text": self.lines.read(int(line[1:]) + 2)[:-2].decode()}
        return ANSWERS.get(line[:10]) or {"Number": int(line[1:])}
    def close(self):
        self.redis.shutdown(socket.SHUT_RDWR)

serve(Redis, reset=lambda: Redis().ask("FlushAll"))
