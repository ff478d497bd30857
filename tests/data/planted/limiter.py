"""specs/limiter.may: three calls in each window of ten seconds. Windows begin at 4, 14, 24, ..."""

from served import Server, serve

LIMIT, WINDOW, PHASE = 3, 10, 4


class Limiter(Server):
    bugs = ("late-window", "shared-slot", "racing-call")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.now = self.window = 0
        self.calls = {}

    def Call(self, q):
        self.now += int(q["seconds"])
        phase = PHASE + 1 if self.has("late-window") else PHASE
        window = (self.now + WINDOW - phase) // WINDOW
        if window != self.window:
            self.window, self.calls = window, {}
        user = len(q["user"]) % 8 if self.has("shared-slot") else q["user"]
        made = self.calls.get(user, 0)
        if made == LIMIT:
            return {"TooMany": {"retry_after": WINDOW - (self.now - PHASE) % WINDOW}}
        if self.has("racing-call"):
            yield 0.0003
        self.calls[user] = made + 1
        return {"Allowed": {"remaining": LIMIT - made - 1}}


serve(Limiter)
