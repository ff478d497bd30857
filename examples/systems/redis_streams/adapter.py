"""Joins Redis to the specification of its streams. One redis-server serves all runs; it is emptied before each.

    mayhap test specs/systems/redis_streams.may --sut 'stdio:python3 examples/systems/redis_streams/adapter.py'
"""
import os, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import resp, server
from mayhap_adapter import Client, serve

redis = server.Server("redis-server --bind 127.0.0.1 --port {port} --save '' --loglevel warning")
ERRORS = {
    "NOGROUP": "NoGroup", "BUSYGROUP": "Busy", "ERR The ID specified in XADD is equal or smaller": "TooSmall",
    "ERR The ID specified in XADD must be greater": "Zero", "ERR The XGROUP subcommand requires the key": "NoStream",
    "ERR no such key": "NoStream", "ERR The ID specified in XSETID is smaller": "TooSmall", "ERR COUNT must be > 0": "OutOfRange",
}


def text(id): return "%d-%d" % (id["ms"], id["seq"])
def parsed(id): return dict(zip(("ms", "seq"), map(int, id.split("-")))) if id else None
def limit(count): return [] if count is None else ["COUNT", count]
def place(at): return {"Start": "0-0", "End": "$"}[at] if isinstance(at, str) else text(at["At"])
def entries(answer): return [{"id": parsed(id), "value": fields and fields[1]} for id, fields in answer]
def read(answer): return {"Entries": entries(answer[0][1])} if answer else "Nil"


class Failed(Exception):
    pass


class Streams(Client):
    def __init__(self):
        self.redis = resp.Redis(redis)

    def command(self, *words):
        answer = self.redis.command(*words)
        if isinstance(answer, resp.Error):
            raise Failed(next(said for start, said in ERRORS.items() if answer.startswith(start)))
        return answer

    def counted(self, *words):
        answer = self.command(*words)
        return "Ok" if answer == "OK" else {"Number": answer}

    def ask(self, request):
        try:
            return super().ask(request)
        except Failed as failed:
            return str(failed)

    def Add(self, ms, seq, value, maxlen, no_stream):
        options = (["NOMKSTREAM"] if no_stream else []) + ([] if maxlen is None else ["MAXLEN", maxlen])
        answer = self.command("XADD", "s", *options, "%d-%s" % (ms, "*" if seq is None else seq), "field", value)
        return {"Added": parsed(answer)} if answer else "Nil"

    def Delete(self, *ids): return self.counted("XDEL", "s", *map(text, ids))
    def TrimLength(self, n): return self.counted("XTRIM", "s", "MAXLEN", n)
    def TrimBefore(self, ms, seq): return self.counted("XTRIM", "s", "MINID", "%d-%d" % (ms, seq))
    def Length(self): return self.counted("XLEN", "s")

    def Range(self, to, backward, count, **start):
        ends = [text(start["from"]), text(to)]
        words = ["XREVRANGE", "s", *reversed(ends)] if backward else ["XRANGE", "s", *ends]
        return {"Entries": entries(self.command(*words, *limit(count)) or [])}

    def Read(self, after, count): return read(self.command("XREAD", *limit(count), "STREAMS", "s", text(after)))

    def CreateGroup(self, at, make_stream):
        return self.counted("XGROUP", "CREATE", "s", "g", place(at), *(["MKSTREAM"] if make_stream else []))

    def SetGroup(self, at=None, **id): return self.counted("XGROUP", "SETID", "s", "g", place(at or id))
    def DestroyGroup(self): return self.counted("XGROUP", "DESTROY", "s", "g")
    def CreateConsumer(self, who): return self.counted("XGROUP", "CREATECONSUMER", "s", "g", who)
    def DeleteConsumer(self, who): return self.counted("XGROUP", "DELCONSUMER", "s", "g", who)

    def ReadNew(self, who, count, no_ack):
        words = ["XREADGROUP", "GROUP", "g", who, *limit(count), *(["NOACK"] if no_ack else []), "STREAMS", "s", ">"]
        return read(self.command(*words))

    def ReadHistory(self, who, after, count):
        return read(self.command("XREADGROUP", "GROUP", "g", who, *limit(count), "STREAMS", "s", text(after)))

    def Ack(self, *ids): return self.counted("XACK", "s", "g", *map(text, ids))

    def Claim(self, who, ids, force, just_id):
        options = (["FORCE"] if force else []) + (["JUSTID"] if just_id else [])
        answer = self.command("XCLAIM", "s", "g", who, 0, *map(text, ids), *options)
        return {"Ids": [parsed(id) for id in answer]} if just_id else {"Entries": entries(answer)}

    def AutoClaim(self, who, start, count, just_id):
        options = ["JUSTID"] if just_id else []
        next, claimed, deleted = self.command("XAUTOCLAIM", "s", "g", who, 0, text(start), "COUNT", count, *options)
        said = {"next": parsed(next), "deleted": [parsed(id) for id in deleted]}
        if just_id:
            return {"ClaimedIds": {"ids": [parsed(id) for id in claimed], **said}}
        return {"Claimed": {"entries": entries(claimed), **said}}

    def Pending(self):
        number, least, most, of = self.command("XPENDING", "s", "g")
        of = [[who, int(count)] for who, count in of or []]
        return {"Summary": {"number": number, "least": parsed(least), "most": parsed(most), "of": of}}

    def PendingOf(self, who, count):
        answer = self.command("XPENDING", "s", "g", "-", "+", count, *([who] if who else []))
        return {"Details": [{"id": parsed(id), "owner": owner, "count": times} for id, owner, _, times in answer]}

    def SetId(self, ms, seq): return self.counted("XSETID", "s", "%d-%d" % (ms, seq))

    def Info(self):
        answer = self.command("XINFO", "STREAM", "s")
        said = dict(zip(answer[::2], answer[1::2]))
        return {"Is": {"length": said["length"], "last": parsed(said["last-generated-id"]), "added": said["entries-added"],
                       "max_deleted": parsed(said["max-deleted-entry-id"]), "groups": said["groups"],
                       "first": parsed(said["first-entry"] and said["first-entry"][0])}}

    def Drop(self): return self.counted("DEL", "s")
    def close(self): self.redis.close()


serve(Streams, lambda: resp.empty(redis))
