"""Joins Redis to the specification of its sorted sets. One redis-server serves all runs; it is emptied before each.

    mayhap test specs/systems/redis_sorted_sets.may --sut 'stdio:python3 examples/systems/redis_sorted_sets/adapter.py'
"""
import os, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import resp, server
from mayhap_adapter import Client, serve

redis = server.Server("redis-server --bind 127.0.0.1 --port {port} --save '' --loglevel warning")
INF = 10**15
ERRORS = {
    "XX and NX options": "NotCompatible", "GT, LT, and/or NX": "NotCompatible", "INCR option supports": "OnePair",
    "resulting score is not a number": "NotANumber", "value is out of range": "Negative",
}
FLAGS = {"Any": [], "NXGT": ["NX", "GT"], "NXXX": ["NX", "XX"], "XXGT": ["XX", "GT"], "GTLT": ["GT", "LT"]}


def score(number): return {INF: "+inf", -INF: "-inf"}.get(number, number)
def number(text): return {"inf": INF, "-inf": -INF}[text] if text.endswith("inf") else int(text)
def bound(bound): return ("(" if bound["open"] else "") + str(score(bound["score"]))
def members(answer): return {"Members": [{"score": number(s), "member": m} for m, s in zip(answer[::2], answer[1::2])]}


class Sets(Client):
    def __init__(self):
        self.redis = resp.Redis(redis)

    def ask(self, request):
        answer = super().ask(request)
        if isinstance(answer, resp.Error):
            return next(said for words, said in ERRORS.items() if words in answer)
        return {"Number": answer} if isinstance(answer, int) else answer

    def command(self, *words): return self.redis.command(*words)

    def score(self, answer):
        return answer if isinstance(answer, resp.Error) else {"Score": answer and number(answer)}

    def add(self, key, change, options, pairs):
        words = [word for pair in pairs for word in (score(pair["score"]), pair["member"])]
        return self.command("ZADD", key, *FLAGS.get(change, [change]), *options, *words)

    def members(self, *words):
        answer = self.command(*words)
        return answer if isinstance(answer, resp.Error) else members(answer)

    def Add(self, key, change, ch, pairs): return self.add(key, change, ["CH"] if ch else [], pairs)
    def AddIncr(self, key, change, pairs): return self.score(self.add(key, change, ["INCR"], pairs))
    def IncrBy(self, key, by, member): return self.score(self.command("ZINCRBY", key, score(by), member))
    def Remove(self, key, members): return self.command("ZREM", key, *members)
    def Score(self, key, member): return self.score(self.command("ZSCORE", key, member))
    def Rank(self, key, member, reverse): return {"Rank": self.command("ZREVRANK" if reverse else "ZRANK", key, member)}
    def Card(self, key): return self.command("ZCARD", key)
    def Count(self, key, to, **start): return self.command("ZCOUNT", key, bound(start["from"]), bound(to))

    def Range(self, key, start, stop, reverse):
        return self.members("ZRANGE", key, start, stop, *(["REV"] if reverse else []), "WITHSCORES")

    def RangeByScore(self, key, to, reverse, limit, **start):
        ends, more = [bound(start["from"]), bound(to)], ["LIMIT", limit["offset"], limit["count"]] if limit else []
        ends = [*reversed(ends), "BYSCORE", "REV"] if reverse else [*ends, "BYSCORE"]
        return self.members("ZRANGE", key, *ends, *more, "WITHSCORES")

    def RangeStore(self, to, key, start, stop): return self.command("ZRANGESTORE", to, key, start, stop)
    def RemoveByRank(self, key, start, stop): return self.command("ZREMRANGEBYRANK", key, start, stop)
    def RemoveByScore(self, key, to, **start): return self.command("ZREMRANGEBYSCORE", key, bound(start["from"]), bound(to))
    def Pop(self, key, count, max): return self.members("ZPOPMAX" if max else "ZPOPMIN", key, count)

    def Store(self, to, both, left, right, aggregate):
        name = "ZINTERSTORE" if both else "ZUNIONSTORE"
        return self.command(name, to, 2, "k", "l", "WEIGHTS", left, right, "AGGREGATE", aggregate)

    def Delete(self, key): return self.command("DEL", key)
    def close(self): self.redis.close()


serve(Sets, lambda: resp.empty(redis))
