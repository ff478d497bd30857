"""specs/cas_register.may: a register that always holds an integer."""

from served import Server, serve


class CasRegister(Server):
    bugs = ("failed-but-written", "own-copy", "sometimes-fails")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.held = 0
        self.copies = {}  # what a connection has read or written last

    def Read(self):
        if self.has("own-copy"):
            return {"Read": self.copies.setdefault(self.client, self.held)}
        return {"Read": self.held}

    def hold(self, x):
        self.held = self.copies[self.client] = x

    def Write(self, x):
        self.hold(x)
        return {"Write": x}

    def Cas(self, pair):
        old, new = pair
        unchanged = self.held != old or self.sometimes("sometimes-fails")
        if not unchanged or self.has("failed-but-written"):
            self.hold(new)
        return "Fail" if unchanged else {"Cas": pair}


serve(CasRegister)
