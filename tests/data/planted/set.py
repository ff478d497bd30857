"""specs/set.may: a set of integers that only grows."""

from served import Server, serve

SLOTS = 8


class Growing(Server):
    bugs = ("lost-add", "negative", "same-slot", "sometimes-behind")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.elements, self.behind = {}, {}  # by slot

    def slot(self, x):
        return int(x) % SLOTS if self.has("same-slot") else int(x)

    def Add(self, x):
        before = self.elements
        if self.has("lost-add"):
            yield 0.0005
        if int(x) >= 0 or not self.has("negative"):
            self.behind, self.elements = before, {**before, self.slot(x): x}
        return {"Add": x}

    def Read(self):
        elements = self.behind if self.sometimes("sometimes-behind") else self.elements
        return {"Read": list(elements.values())}


serve(Growing)
