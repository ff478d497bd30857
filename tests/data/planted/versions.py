"""specs/versions.may: an object store that keeps all versions."""

from served import NOTHING, Server, serve

KEPT = 20


class Versions(Server):
    bugs = (
        "third-version", "deleted-copied", "newest-for-old", "reuses-versions", "purges-after-20", "copy-onto-itself",
    )

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.kept = {}  # versions of an object, the oldest first, with their bodies; None is a mark
        self.number = 0

    def add(self, key, body):
        self.number += 1
        if self.has("third-version") and self.number % 3 == 0:
            version = self.token(self.number - 1)
        else:
            version = self.token(self.number)
        versions = self.kept.setdefault(key, {})
        versions[version] = body
        if self.has("purges-after-20") and len(versions) > KEPT:
            del versions[next(iter(versions))]
        return version

    def newest(self, key):
        return next(reversed(self.kept[key].items())) if key in self.kept else (None, None)

    def Put(self, q):
        return {"Stored": self.add(q["key"], q["body"])}

    def Copy(self, q):
        if q["from"] == q["to"] and self.has("copy-onto-itself"):
            return NOTHING  # waits for a lock that it has
        _, body = self.newest(q["from"])
        if body is None and self.has("deleted-copied"):
            body = next((body for body in reversed(self.kept.get(q["from"], {}).values()) if body is not None), None)
        if body is None:
            return "Missing"
        return {"Stored": self.add(q["to"], body)}

    def Get(self, q):
        key, version = q["key"], q.get("version")
        newest, body = self.newest(key)
        if version is None:
            version = newest
        elif not self.has("newest-for-old") or version not in self.kept.get(key, {}):
            body = self.kept.get(key, {}).get(version)
        return "Missing" if body is None else {"Content": {"version": version, "body": body}}

    def Delete(self, q):
        mark = self.add(q["key"], None)
        if self.has("reuses-versions"):
            self.number -= 1
        return {"Marked": mark}


serve(Versions)
