"""Joins memcached to the specification of its meta commands. One memcached serves all runs; it is emptied before each.

    mayhap test specs/systems/memcached_meta.may --sut 'stdio:python3 examples/systems/memcached_meta/adapter.py'
"""
import os, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import server
from mayhap_adapter import Client, Closed, serve

memcached = server.Server("memcached -u nobody -l 127.0.0.1 -p {port} -t 1 -U 0")
SECONDS = {"Forever": 0, "Short": 100, "Long": 1000}
MODES = {"Set": "S", "Add": "E", "Append": "A", "Prepend": "P", "Replace": "R"}
CODES = {"EN": "Miss", "MN": "Nothing", "NS": "NotStored", "EX": "Exists", "NF": "NotFound"}


def life(seconds):
    return "Forever" if seconds == "-1" else "Short" if int(seconds) <= 100 else "Long"


def tokens(**given):
    """The flags of a command: `T=5` is T5, `I=True` is I, and nothing stands for None and False."""
    words = [name if value is True else name + str(SECONDS.get(value, value)) for name, value in given.items()
             if value is not None and value is not False]
    return "".join(" " + word for word in words)


class Cache(Client):
    def __init__(self):
        self.socket, self.lines = memcached.connect()

    def send(self, command, data=None):
        self.socket.sendall((command + "\r\n" + ("" if data is None else data + "\r\n")).encode())

    def line(self):
        return self.lines.readline().decode().split()

    def said(self, command, data=None):
        """The code of the answer, its value if there is one, and its flags; or the answer, if that is all of it."""
        self.send(command, data)
        words = self.line()
        if not words:
            raise Closed
        if words[0] == "CLIENT_ERROR":
            return "NotANumber" if "non-numeric" in words else "BadToken", None, None
        value = self.lines.read(int(words[1]) + 2)[:-2].decode() if words[0] == "VA" else None
        flags = {word[0]: word[1:] for word in words[1 if value is None else 2:]}
        return CODES.get(words[0], "Done"), value, flags

    def Mg(self, key, vivify, recache, ttl, no_bump, value, quiet):
        command = "mg " + key + tokens(R=500 if recache else None, T=ttl, N=vivify, u=no_bump, v=value, q=quiet) + " c f h t"
        code, data, flags = self.said(command + ("\r\nmn" if quiet else ""))
        if quiet and code == "Done":
            self.line()  # MN, which is here without quiet misses only
        if code != "Done":
            return code
        return {"Hit": {"value": data, "cas": int(flags["c"]), "flags": int(flags["f"]), "ttl": life(flags["t"]),
                        "hit": flags["h"] == "1", "won": "W" in flags, "stale": "X" in flags, "sent": "Z" in flags}}

    def Ms(self, key, mode, data, flags, ttl, cas, invalid):
        words = " c" + tokens(M=MODES[mode], F=flags, T=ttl, C=cas, I=invalid)
        code, _, said = self.said("ms %s %d%s" % (key, len(data.encode()), words), data)
        return {"Stored": {"cas": int(said["c"])}} if code == "Done" else code

    def Md(self, key, cas, invalid, ttl):
        code = self.said("md " + key + tokens(C=cas, I=invalid, T=ttl))[0]
        return "Deleted" if code == "Done" else code

    def Ma(self, key, down, delta, vivify, initial, ttl, cas):
        words = tokens(M="D" if down else None, D=delta, N=vivify, J=initial, T=ttl, C=cas)
        code, value, flags = self.said("ma " + key + words + " v c t")
        return {"Number": {"value": value, "cas": int(flags["c"]), "ttl": life(flags["t"])}} if code == "Done" else code

    def Get(self, key):
        self.send("get " + key)
        words = self.line()
        if words == ["END"]:
            return {"Value": None}
        data = self.lines.read(int(words[3]) + 2)[:-2].decode()
        self.line()
        return {"Value": data}

    def plain(self, command, data=None):
        self.send(command, data)
        return {"STORED": "Ok", "OK": "Ok", "TOUCHED": "Touched", "NOT_FOUND": "NotFound"}[self.line()[0]]

    def Set(self, key, data):
        return self.plain("set %s 0 0 %d" % (key, len(data.encode())), data)

    def Touch(self, key, ttl):
        return self.plain("touch %s %d" % (key, SECONDS[ttl]))

    def FlushAll(self):
        return self.plain("flush_all")

    def close(self):
        self.socket.close()


def reset():
    if not memcached.process:
        memcached.start()
    cache = Cache()
    cache.FlushAll()
    cache.close()


serve(Cache, reset)
