"""A cache of texts that live for a while, one JSON value on each line: cache.py --port PORT [--bug BUG]. A bug is one of

kept-deadline     Set of a key that is there keeps the end of its life
touch-in-vain     Touch gives no new life
reads-renew       Get gives a new life, too
old-timer         the timer of a deleted text is not cancelled, and removes what is set under the key later
cut               a text has room for 4096 octets
two-stores        long texts have a store of their own; Set of a short one does not remove the long one
full-page         Append to a text that ends at the end of a page of 4096 octets writes over the last page
"""
import os
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../planted"))
from served import Server, serve

LIFE, PAGE = 300, 4096


class Entry:
    def __init__(self, content, until):
        self.content, self.until = content, until


class Cache(Server):
    bugs = ("kept-deadline", "touch-in-vain", "reads-renew", "old-timer", "cut", "two-stores", "full-page")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.entries, self.long = {}, {}
        self.timers = {}  # the ends of lives of deleted texts

    def answer(self, request):
        """The time is the same for all that a request does."""
        self.now = time.monotonic_ns() // 1_000_000
        ((name, fields),) = request.items()
        key = fields["key"]
        if self.now >= self.timers.get(key, self.now + 1):
            del self.timers[key]
            self.remove(key)
        if key in self.entries and self.now >= self.entries[key].until:
            self.remove(key)
        entry = self.entries.get(key)
        if name != "Set" and not entry:
            return {"at": self.now, "result": "Missing"}
        return {"at": self.now, "result": getattr(self, name)(entry, **fields)}

    def remove(self, key):
        self.entries.pop(key, None)
        self.long.pop(key, None)

    def read(self, entry, key):
        return self.long.get(key, entry.content)

    def write(self, entry, key, content):
        if self.has("cut"):
            content = content[:PAGE]
        if len(content) > PAGE:
            self.long[key] = content
            return
        entry.content = content
        if not self.has("two-stores"):
            self.long.pop(key, None)

    def Set(self, entry, key, text):
        until = entry.until if entry and self.has("kept-deadline") else self.now + LIFE
        self.entries[key] = Entry(b"", until)
        self.write(self.entries[key], key, text.encode())
        return "Done"

    def Append(self, entry, key, text):
        content = self.read(entry, key)
        if self.has("full-page") and len(content) % PAGE == 0:
            content = content[:-PAGE]
        self.write(entry, key, content + text.encode())
        return "Done"

    def Touch(self, entry, key):
        if not self.has("touch-in-vain"):
            entry.until = self.now + LIFE
        return "Done"

    def Get(self, entry, key):
        if self.has("reads-renew"):
            entry.until = self.now + LIFE
        return {"Text": self.read(entry, key).decode(errors="ignore")}

    def Delete(self, entry, key):
        if self.has("old-timer"):
            self.timers.setdefault(key, entry.until)
        self.remove(key)
        return "Done"


serve(Cache)
