"""Joins beanstalkd to its specification; it is started anew for each run.

    mayhap test specs/systems/beanstalkd.may --sut 'stdio:python3 examples/systems/beanstalkd/adapter.py'
"""
import os, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import server
from mayhap_adapter import Client, Closed, serve

beanstalkd = server.Server("beanstalkd -l 127.0.0.1 -p {port}")
SECONDS = {"Now": 0, "Soon": 1, "Late": 1000, "Zero": 0, "Long": 1000}
COMMANDS = {
    "Put": "put {pri} {delay} {ttr} {size}\r\n{body}", "Reserve": "reserve-with-timeout 0", "ReserveJob": "reserve-job {}",
    "Delete": "delete {}", "Release": "release {id} {pri} {delay}", "Bury": "bury {id} {pri}", "Touch": "touch {}",
    "Kick": "kick {}", "KickJob": "kick-job {}", "Peek": "peek {}", "PeekReady": "peek-ready", "PeekDelayed": "peek-delayed",
    "PeekBuried": "peek-buried", "Use": "use {}", "Watch": "watch {}", "Ignore": "ignore {}", "Pause": "pause-tube {tube} {delay}",
    "Stats": "stats-job {}",
}
ANSWERS = {
    "TIMED_OUT": "TimedOut", "DEADLINE_SOON": "DeadlineSoon", "DELETED": "Deleted", "NOT_FOUND": "NotFound",
    "RELEASED": "Released", "BURIED": "IsBuried", "TOUCHED": "Touched", "NOT_IGNORED": "NotIgnored", "PAUSED": "Paused",
    "BAD_FORMAT": "BadFormat",
}
COUNTS = ["pri", "reserves", "releases", "buries", "kicks", "timeouts"]


class Worker(Client):
    def __init__(self):
        self.socket, self.lines = beanstalkd.connect()

    def ask(self, request):
        if request == "Quit":
            self.socket.sendall(b"quit\r\n")
            self.lines.read()  # until the other side has ended the connection
            self.__init__()
            return "Bye"
        name, carried = next(iter(request.items())) if isinstance(request, dict) else (request, None)
        fields = {k: SECONDS[v] if k in ("delay", "ttr") else v for k, v in carried.items()} if isinstance(carried, dict) else {}
        size = len(fields.get("body", "").encode())
        self.socket.sendall(COMMANDS[name].format(carried, size=size, **fields).encode() + b"\r\n")
        word, *rest = self.lines.readline().decode().split() or [""]
        if word in ("RESERVED", "FOUND"):
            return {"Job": {"id": int(rest[0]), "body": self.lines.read(int(rest[1]) + 2)[:-2].decode()}}
        if word == "OK":
            lines = self.lines.read(int(rest[0]) + 2).decode().splitlines()
            said = dict(line.split(": ") for line in lines if ": " in line)
            return {"Is": {"state": said["state"], "tube": said["tube"].strip('"'), **{k: int(said[k]) for k in COUNTS}}}
        if word == "KICKED":
            return {"Kicked": int(rest[0]) if rest else None}
        if word in ("INSERTED", "USING", "WATCHING"):
            return {word.capitalize(): rest[0] if word == "USING" else int(rest[0])}
        return ANSWERS[word] if word else Closed

    def close(self):
        self.socket.close()


serve(Worker, reset=beanstalkd.start)
