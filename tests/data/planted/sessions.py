"""specs/sessions.may: sessions that end when they are idle. The clock ticks with every second request."""

from served import Server, serve

REQUESTS_A_TICK = 2
IDLE = 2  # ticks after which a session has expired


class Sessions(Server):
    bugs = ("late-logout", "unknown-goodbye", "last-user", "reuses-tokens", "racing-token", "sometimes-alive")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.sessions = {}  # user and last use of a token
        self.shown = set()  # tokens of which a client has spoken
        self.ended = {}
        self.requests = self.number = 0
        self.latest = None

    def tick(self):
        self.requests += 1
        return (self.requests - 1) // REQUESTS_A_TICK

    def new_token(self):
        if self.has("reuses-tokens"):
            return next(token for token in map(self.token, range(1, 10**6)) if token not in self.sessions)
        self.number += 1
        while self.token(self.number) in self.shown:
            self.number += 1
        return self.token(self.number)

    def Login(self, q):
        now, token = self.tick(), self.new_token()
        if self.has("racing-token"):
            self.number -= 1
            yield 0.0003
            self.number += 1
        self.sessions[token] = q["user"], now
        self.latest = q["user"]
        return {"Welcome": {"token": token}}

    def Use(self, q):
        now, token = self.tick(), q["token"]
        self.shown.add(token)
        if token in self.ended and self.sometimes("sometimes-alive"):
            return {"Hello": {"user": self.ended[token]}}
        user, used = self.sessions.pop(token, (None, now - IDLE))
        if now - used >= IDLE:
            return "Denied"
        self.sessions[token] = user, now
        return {"Hello": {"user": self.latest if self.has("last-user") else user}}

    def Logout(self, q):
        now, token = self.tick(), q["token"]
        self.shown.add(token)
        if token not in self.sessions:
            return "Goodbye" if self.has("unknown-goodbye") else "Denied"
        user, used = self.sessions.pop(token)
        self.ended[token] = user
        alive = now - used <= IDLE if self.has("late-logout") else now - used < IDLE
        return "Goodbye" if alive else "Denied"


serve(Sessions)
