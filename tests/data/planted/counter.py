"""specs/counter.may: a counter."""

from served import Server, serve

JOURNAL = 20  # entries after which the journal is written anew


class Counter(Server):
    bugs = ("lost-add", "wraps", "forgets-the-21st-add", "endless-borrow")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.n = self.adds = 0

    def Add(self, k):
        self.adds += 1
        if self.has("forgets-the-21st-add") and self.adds == JOURNAL + 1:
            k = 0
        before = self.n
        if self.has("lost-add"):
            yield 0.002
        self.n = before + int(k)
        while self.n < 0 and self.has("endless-borrow"):
            pass
        if self.has("wraps"):
            self.n = (self.n + 2**31) % 2**32 - 2**31
        return "Done"

    def Read(self):
        return {"Value": self.n}


serve(Counter)
