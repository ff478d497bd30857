"""specs/documents.may: JSON documents under paths, with entity tags."""

import json

from served import Server, serve


class Number(str):
    """A number with a fraction, kept as it was written."""


def text(value):
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {text(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(text, value)) + "]"
    return json.dumps(value)


def refused(status):
    return {"status": status, "location": None, "etag": None}


class Documents(Server):
    bugs = (
        "missing-304", "deleted-on-412", "written-on-400", "third-tag-kept", "reuses-paths", "stale-after-patch",
        "racing-if-match", "delete-of-nothing",
    )

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.documents = {}  # body and tag at a path
        self.written, self.posted = 0, 0

    def parse(self, line):
        return json.loads(line, parse_float=Number)

    def text(self, answer):
        return text(answer)

    def answer(self, q):
        handler = getattr(self, q["method"], None)
        return handler(q) if handler else refused(405)

    def unlike(self, q):
        """Whether the tag in If-Match is another one than that of the document."""
        _, tag = self.documents.get(q["path"], (None, None))
        return q.get("if_match") is not None and q["if_match"] != tag

    def save(self, path, body):
        self.written += 1
        tag = self.token(self.written)
        if self.has("third-tag-kept") and self.written % 3 == 0 and path in self.documents:
            tag = self.documents[path][1]
        self.documents[path] = body, tag
        return tag

    def path(self, number):
        return f"/{self.token(number)}"

    def GET(self, q):
        if q["path"] not in self.documents:
            return refused(304 if q.get("if_none_match") is not None and self.has("missing-304") else 404)
        body, tag = self.documents[q["path"]]
        if q.get("if_none_match") == tag:
            return {"status": 304, "location": None, "etag": tag}
        return {"status": 200, "location": None, "etag": tag, "body": body}

    def PUT(self, q):
        path = q["path"]
        if self.unlike(q):
            return refused(412)
        if "body" not in q:
            if self.has("written-on-400"):
                self.save(path, None)
            return refused(400)
        if self.has("racing-if-match"):
            yield 0.0005
        status = 200 if path in self.documents else 201
        return {"status": status, "location": None, "etag": self.save(path, q["body"])}

    def POST(self, q):
        if "body" not in q:
            return refused(400)
        self.posted += 1
        if self.has("reuses-paths"):
            path = self.path(len(self.documents) + 1)
        else:
            while self.path(self.posted) in self.documents:
                self.posted += 1
            path = self.path(self.posted)
        return {"status": 201, "location": path, "etag": self.save(path, q["body"])}

    def PATCH(self, q):
        path = q["path"]
        if path not in self.documents:
            return refused(404)
        if self.unlike(q):
            return refused(412)
        body, tag = self.documents[path]
        new_tag = self.save(path, [body, q.get("body")])
        if self.has("stale-after-patch"):
            self.documents[path] = body, tag
        return {"status": 200, "location": None, "etag": new_tag}

    def DELETE(self, q):
        path, unlike = q["path"], self.unlike(q)
        if path not in self.documents and not self.has("delete-of-nothing"):
            return refused(404)
        if not unlike or self.has("deleted-on-412"):
            del self.documents[path]
        return refused(412 if unlike else 204)


serve(Documents)
