"""specs/mutex.may: a lock."""

from served import Server, serve


class Mutex(Server):
    bugs = ("taken-twice", "free-released", "sometimes-taken", "waits")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.taken = False

    def Acquire(self):
        taken = self.taken and not self.sometimes("sometimes-taken")
        if self.has("taken-twice"):
            yield 0.0003
        while taken and self.has("waits"):
            yield 0.0005
            taken = self.taken
        if taken:
            return "Fail"
        self.taken = True
        return "Acquire"

    def Release(self):
        if not self.taken and not self.has("free-released"):
            return "Fail"
        self.taken = False
        return "Release"


serve(Mutex)
