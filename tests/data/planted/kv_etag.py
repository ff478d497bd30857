"""specs/kv_etag.may: a key-value store with entity tags. The tags of empty values are weak."""

from served import Server, serve

BUFFER = 20  # writes that a buffer has room for


class KvEtag(Server):
    bugs = ("missing-304", "weak-if-match", "refused-but-written", "drops-the-21st-write", "unquoted")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.data = {}
        self.puts = 0

    def Get(self, q):
        given = q.get("if_none_match")
        if q["key"] not in self.data:
            return "NotModified" if given and self.has("missing-304") else "NotFound"
        value, tag = self.data[q["key"]]
        if given and given["opaque"] == tag["opaque"]:
            return "NotModified"
        return {"Ok": {"value": value, "tag": tag}}

    def matches(self, key, given):
        if key not in self.data:
            return False
        _, tag = self.data[key]
        weak = tag["weak"] or given["weak"]
        return given["opaque"] == tag["opaque"] and (not weak or self.has("weak-if-match"))

    def Put(self, q):
        key, value, given = q["key"], q["value"], q.get("if_match")
        refused = given and not self.matches(key, given)
        if not refused or self.has("refused-but-written"):
            self.puts += 1
            if not (self.has("drops-the-21st-write") and self.puts == BUFFER + 1):
                self.data[key] = value, {"weak": value == "", "opaque": self.token(self.puts)}
        return "PreconditionFailed" if refused else "NoContent"

    def text(self, answer):
        return str(answer) if self.has("unquoted") and answer == "NotFound" else super().text(answer)


serve(KvEtag)
