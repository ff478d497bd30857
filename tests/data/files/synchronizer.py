"""A small file synchronizer, correct or with one bug: synchronizer.py A B STATE [BUG]

A tree is a dict of its names, a file is a pair of its contents and its modification time. What both replicas agreed on is kept in STATE/archive.
The exit code is 1 if there was a conflict.
"""
import json
import os
import sys

BUGS = {
    "archive-lost": "the archive is not written if there was a conflict",
    "deletion-wins": "a file that was deleted here and changed there is deleted",
    "times": "a file is changed if its modification time is another one",
    "sizes": "a file is changed if its size is another one",
    "file-wins": "a file replaces a directory that was changed, too",
    "case": "names are compared without case",
    "partial-copy": "a copy ends after four octets",
    "empty-not-copied": "a new file without contents is not copied",
    "directory-stays": "a directory that was deleted comes back",
    "equal-forgotten": "what was changed alike in both is not agreed on",
    "flat": "a new directory is copied without the directories in it",
    "quiet-conflict": "the exit code is 0 after a conflict",
    "conflict-ends": "nothing is done after a conflict",
    "ghosts": "what was deleted in both stays in the archive",
    "pruned": "a directory that has lost its last file is removed",
}


class Conflict(Exception):
    """The rest is not looked at."""


class Synchronizer:
    def __init__(self, roots, state, bug):
        self.roots, self.bug, self.conflicts = roots, bug, 0
        self.archive = os.path.join(state, "archive")

    def run(self):
        a, b = (self.read(root) for root in self.roots)
        agreed = {}
        if os.path.exists(self.archive):
            with open(self.archive) as file:
                agreed = json.load(file)
        try:
            agreed = self.directory([], a, b, agreed)
        except Conflict:
            pass
        if not (self.bug == "archive-lost" and self.conflicts):
            with open(self.archive, "w") as file:
                json.dump(agreed, file)
        return 1 if self.conflicts and self.bug != "quiet-conflict" else 0

    def read(self, path):
        if os.path.isdir(path):
            return {name: self.read(os.path.join(path, name)) for name in sorted(os.listdir(path))}
        with open(path, encoding="latin-1", newline="") as file:
            return [file.read(), os.stat(path).st_mtime_ns]

    def same(self, x, y):
        """Whether two trees are equal: names and contents, not times."""
        if isinstance(x, dict) and isinstance(y, dict):
            return x.keys() == y.keys() and all(self.same(x[name], y[name]) for name in x)
        if isinstance(x, list) and isinstance(y, list):
            return x[0] == y[0]
        return x is None and y is None

    def unchanged(self, now, then):
        if isinstance(now, list) and isinstance(then, list):
            if self.bug == "times":
                return now[1] == then[1]
            if self.bug == "sizes":
                return len(now[0]) == len(then[0])
        if isinstance(now, dict) and isinstance(then, dict):
            return now.keys() == then.keys() and all(self.unchanged(now[name], then[name]) for name in now)
        return self.same(now, then)

    def directory(self, path, a, b, agreed):
        """Synchronizes a directory that both have; what they agree on from now on."""
        agreed = agreed if isinstance(agreed, dict) else {}
        new = {}
        for name in sorted(a.keys() | b.keys() | agreed.keys()):
            if self.bug == "case" and name.lower() != name and name.lower() in (a.keys() | b.keys()):
                continue
            kept = self.path(path + [name], a.get(name), b.get(name), agreed.get(name))
            if kept is not None:
                new[name] = kept
        if self.bug == "pruned" and path and not new and agreed:
            for root in self.roots:
                self.remove(os.path.join(root, *path))
            return None
        return new

    def path(self, path, a, b, agreed):
        if isinstance(a, dict) and isinstance(b, dict):
            return self.directory(path, a, b, agreed)
        if self.same(a, b):
            if a is None:
                return agreed if self.bug == "ghosts" else None
            return agreed if self.bug == "equal-forgotten" else a
        if self.unchanged(a, agreed):
            return self.propagate(path, b, 0, agreed)
        if self.unchanged(b, agreed):
            return self.propagate(path, a, 1, agreed)
        if self.bug == "deletion-wins" and (a is None or b is None):
            return self.propagate(path, None, 1 if a is None else 0, agreed)
        if self.bug == "file-wins" and isinstance(a, list) and isinstance(b, dict):
            return self.propagate(path, a, 1, agreed)
        self.conflicts += 1
        if self.bug == "conflict-ends":
            raise Conflict
        return agreed

    def propagate(self, path, new, to, agreed):
        """Gives the replica `to` the contents `new`."""
        source, target = (os.path.join(root, *path) for root in (self.roots[1 - to], self.roots[to]))
        if new is None and self.bug == "directory-stays" and os.path.isdir(target):
            self.copy(target, source)
            return agreed
        if self.bug == "empty-not-copied" and isinstance(new, list) and not new[0] and not os.path.exists(target):
            return agreed
        self.remove(target)
        if new is not None:
            self.copy(source, target)
        return new

    def remove(self, path):
        if os.path.isdir(path):
            for name in os.listdir(path):
                self.remove(os.path.join(path, name))
            os.rmdir(path)
        elif os.path.exists(path):
            os.unlink(path)

    def copy(self, source, target):
        if not os.path.isdir(source):
            with open(source, "rb") as old, open(target, "wb") as new:
                new.write(old.read(4) if self.bug == "partial-copy" else old.read())
            time = os.stat(source).st_mtime_ns
            os.utime(target, ns=(time, time))
            return
        os.mkdir(target)
        for name in os.listdir(source):
            file = os.path.join(source, name)
            if not (self.bug == "flat" and os.path.isdir(file)):
                self.copy(file, os.path.join(target, name))


if __name__ == "__main__":
    if not 4 <= len(sys.argv) <= 5 or sys.argv[4:] and sys.argv[4] not in BUGS:
        sys.exit(__doc__ + "\n".join(f"{bug:18}{what}" for bug, what in BUGS.items()))
    sys.exit(Synchronizer(sys.argv[1:3], sys.argv[3], (sys.argv + [None])[4]).run())
