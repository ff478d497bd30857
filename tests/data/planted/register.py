"""specs/register.may: a register that holds an integer or nothing."""

from served import Raw, Server, serve


class Register(Server):
    bugs = ("same-cas", "sometimes-stale", "racing-cas", "cas-on-nil", "prints-none", "reorders")
    overtaking = ("reorders",)

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.held = self.before = None

    def hold(self, x):
        self.before, self.held = self.held, x

    def Read(self):
        if self.held is None and self.has("prints-none"):
            return Raw(str({"Read": self.held}).encode())
        return {"Read": self.before if self.sometimes("sometimes-stale") else self.held}

    def Write(self, x):
        if self.has("reorders"):
            yield 0.001
        self.hold(x)
        return {"Write": x}

    def Cas(self, pair):
        old, new = pair
        if self.has("cas-on-nil"):
            unchanged = (self.held - old) != 0
        else:
            unchanged = self.held is None or self.held != old
        if self.has("racing-cas"):
            yield 0.0005
        if unchanged or (old == new and self.has("same-cas")):
            return "Fail"
        self.hold(new)
        return {"Cas": pair}


serve(Register)
