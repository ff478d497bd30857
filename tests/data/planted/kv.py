"""specs/kv.may: a key-value store of strings. Keys are in their order, with the values beside them."""

from bisect import bisect_left

from served import Server, serve

LONGEST = 16


class Kv(Server):
    bugs = ("neighbour", "truncates", "stale", "lost-append", "reorders")
    overtaking = ("reorders",)

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.keys, self.values = [], []
        self.read = {}  # what was read lately

    def find(self, key):
        at = bisect_left(self.keys, key)
        return at, at < len(self.keys) and self.keys[at] == key

    def load(self, key):
        at, found = self.find(key)
        return self.values[at] if found else ""

    def store(self, key, value):
        at, found = self.find(key)
        if found:
            self.values[at] = value
        else:
            self.keys.insert(at, key)
            self.values.insert(at + 1 if self.has("neighbour") else at, value)

    def Get(self, key):
        if not self.has("stale"):
            return {"Get": [key, self.load(key)]}
        self.read.setdefault(key, self.load(key))
        return {"Get": [key, self.read[key]]}

    def Put(self, pair):
        key, value = pair
        if self.has("reorders"):
            yield 0.001
        self.store(key, value[:LONGEST] if self.has("truncates") else value)
        self.read.pop(key, None)
        return {"Put": pair}

    def Append(self, pair):
        key, value = pair
        before = self.load(key)
        if self.has("lost-append"):
            yield 0.0005
        self.store(key, before + value)
        return {"Append": pair}


serve(Kv)
