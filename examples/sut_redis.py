"""An adapter for a real Redis: mayhap test specs/redis_strings.may --sut 'stdio:python3 examples/sut_redis.py 6379'"""
import json, os, queue, socket, sys, threading

ANSWERS = {b"+OK\r\n": "Ok", b"$-1\r\n": {"Text": None}, b"-ERR value is not an integer or out of range\r\n": "NotAnInteger",
           b"-ERR increment or decrement would overflow\r\n": "Overflow"}
lock, clients = threading.Lock(), {}
threading.excepthook = lambda error: (sys.__excepthook__(*error[:3]), os._exit(1))

def say(line):
    with lock:
        print(json.dumps(line), flush=True)

def connect():
    return socket.create_connection(("127.0.0.1", int(sys.argv[1]))).makefile("rwb")

def ask(link, q):  # what is asked, {"Set": {"key": "a", "value": "b"}} say, and what is answered
    name, values = next(iter(q.items())) if isinstance(q, dict) else (q, [])
    if values == [] and name in ("Del", "Exists") or "value" in values and not values["value"].isascii():
        return {"refused": True}  # Redis wants a key; lengths are those of ASCII text
    words = [str(word).encode() for word in [name, *(values.values() if isinstance(values, dict) else values)]]
    link.write(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words))
    link.flush()
    line = link.readline()
    if line[:1] == b"$" and line != b"$-1\r\n":
        return {"a": {"Text": link.read(int(line[1:]) + 2)[:-2].decode()}}
    return {"a": {"Number": int(line[1:])} if line[:1] == b":" else ANSWERS[line]}  # all else is the end

def client(c, requests):
    link = connect()
    for q in iter(requests.get, None):
        say({"c": c, **ask(link, q)})

for line in map(json.loads, sys.stdin):
    if "q" in line:
        if line["c"] not in clients:
            clients[line["c"]] = queue.SimpleQueue()
            threading.Thread(target=client, args=(line["c"], clients[line["c"]]), daemon=True).start()
        clients[line["c"]].put(line["q"])
    elif "close" in line:
        clients.pop(line["c"], queue.SimpleQueue()).put(None)
    elif "end" in line:
        break
    else:
        for c in list(clients):
            clients.pop(c).put(None)
        if "reset" in line:
            ask(connect(), "FlushAll")
        say({"ready": True})
