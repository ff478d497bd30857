"""specs/static_etag.may: files with entity tags."""

import base64

from served import Server, serve

LONGEST = 24


def octets(content):
    return content.encode() if isinstance(content, str) else base64.b64decode(content["$bytes"])


def shown(content):
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"$bytes": base64.b64encode(content).decode()}


class StaticEtag(Server):
    bugs = ("any-missing", "strong-compare", "removed-still-cached", "third-tag-kept", "truncates", "text-only")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.files, self.cache = {}, {}
        self.writes = 0

    def matches(self, condition, tag):
        if condition == "Any":
            return True
        if self.has("strong-compare"):
            return tag in condition["OneOf"]
        return any(given["opaque"] == tag["opaque"] for given in condition["OneOf"])

    def Get(self, q):
        path, condition = q["path"], q.get("if_none_match")
        file = self.cache.get(path) if self.has("removed-still-cached") else self.files.get(path)
        if file is None:
            return {"NotModified": {"tag": None}} if condition == "Any" and self.has("any-missing") else "NotFound"
        tag, content = file
        if condition and self.matches(condition, tag):
            return {"NotModified": {"tag": tag}}
        return {"Ok": {"tag": tag, "content": content.decode() if self.has("text-only") else shown(content)}}

    def Write(self, q):
        path, content = q["path"], octets(q["content"])
        self.writes += 1
        tag = {"weak": False, "opaque": self.token(self.writes)}
        if path in self.files and self.has("third-tag-kept") and self.writes % 3 == 0:
            tag = self.files[path][0]
        self.files[path] = self.cache[path] = tag, content[:LONGEST] if self.has("truncates") else content
        return "Done"

    def Remove(self, q):
        self.files.pop(q["path"], None)
        return "Done"


serve(StaticEtag)
