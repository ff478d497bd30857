"""specs/pages.may: names in pages of two. A cursor stands for the name before it."""

from bisect import bisect_left, bisect_right

from served import Raw, Server, serve

PAGE = 2
WIDEST = 10


class Pages(Server):
    bugs = ("offset-cursor", "inclusive-cursor", "removed-place", "truncates", "unescaped")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.names = []
        self.places = {}

    def Add(self, q):
        if q["name"] not in self.names:
            self.names = sorted([*self.names, q["name"]])
        return "Done"

    def Remove(self, q):
        self.names = [name for name in self.names if name != q["name"]]
        return "Done"

    def begin_of(self, place):
        name, offset = place
        if self.has("offset-cursor"):
            return offset
        if self.has("removed-place"):
            return self.names.index(name) + 1
        return (bisect_left if self.has("inclusive-cursor") else bisect_right)(self.names, name)

    def List(self, q):
        begin, cursor, next_one = 0, q.get("cursor"), None
        if cursor is not None:
            if cursor not in self.places:
                return "NoCursor"
            begin = self.begin_of(self.places[cursor])
        names = self.names[begin : begin + PAGE]
        if begin + PAGE < len(self.names):
            next_one = self.token(len(self.places) + 1)
            self.places[next_one] = names[-1], begin + PAGE
        if self.has("unescaped"):
            quoted, end = ", ".join(f'"{name}"' for name in names), f'"{next_one}"' if next_one else "null"
            return Raw(f'{{"Page": {{"names": [{quoted}], "next": {end}}}}}'.encode())
        if self.has("truncates"):
            names = [name[:WIDEST] for name in names]
        return {"Page": {"names": names, "next": next_one}}


serve(Pages)
