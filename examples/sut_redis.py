"""An adapter for a real Redis: mayhap test specs/redis_strings.may --sut 'stdio:python3 examples/sut_redis.py 6379'"""
import itertools, json, os, socket, sys, threading

ANSWERS = {b"": {"closed": True}, b"+OK\r\n": {"a": "Ok"}, b"$-1\r\n": {"a": {"Text": None}}, b"-ERR wrong": {"refused": True},
           b"-ERR value": {"a": "NotAnInteger"}, b"-ERR incre": {"a": "Overflow"}}
links = {}  # of the clients; what the tester itself asks for, to begin and to reset, is asked as client 0
threading.excepthook = lambda error: (sys.__excepthook__(*error[:3]), os._exit(1))  # what Redis answers otherwise is the end

def listen(c, redis):
    for line in itertools.chain(redis, [b""]):
        if line[:1] == b"$" and line[:10] not in ANSWERS:
            said = {"a": {"Text": redis.read(int(line[1:]) + 2)[:-2].decode()}}
        else:
            said = ANSWERS.get(line[:10]) or {"a": {"Number": int(line[1:])}}
        print(json.dumps({"c": c, **said} if c else {"ready": True}) + "\n", end="", flush=True)

for line in map(json.loads, sys.stdin):
    c, q = line.get("c", 0), line.get("q", "FlushAll" if "reset" in line else "DbSize")
    if "close" in line:
        links.pop(c).shutdown(socket.SHUT_RDWR)
        continue
    if c not in links:
        links[c] = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        threading.Thread(target=listen, args=(c, links[c].makefile("rb")), daemon=True).start()
    name, values = next(iter(q.items())) if isinstance(q, dict) else (q, [])
    words = [str(word).encode() for word in [name, *(values.values() if isinstance(values, dict) else values)]]
    words = words if b"".join(words[2:]).isascii() else words[:1]  # lengths are those of ASCII text: Redis refuses this
    links[c].sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
