"""specs/lease.may: leases with fences. The clock ticks with every second request; a lease lasts for one tick."""

from served import Server, serve

REQUESTS_A_TICK = 2
LASTS = 1


class Lease(Server):
    bugs = ("renews-ended", "holds-ended", "any-fence", "third-fence", "fence-given-back", "racing-fence")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.leases = {}  # (fence, end) of a name
        self.last = self.requests = self.grants = 0

    def tick(self):
        self.requests += 1
        return (self.requests - 1) // REQUESTS_A_TICK

    def Acquire(self, q):
        now, name = self.tick(), q["name"]
        if name in self.leases:
            ends = self.leases[name][1]
            if now < ends or (now == ends and self.has("holds-ended")):
                return {"Held": {"ends": ends}}
        fence, ends = self.last + 1, now + LASTS
        self.grants += 1
        if self.has("racing-fence"):
            yield 0.0003
        if self.has("third-fence") and self.grants % 3 == 0:
            fence = self.last
        self.last = fence
        self.leases[name] = fence, ends
        return {"Granted": {"fence": fence, "ends": ends}}

    def holds(self, now, q):
        fence, ends = self.leases.get(q["name"], (None, 0))
        return now < ends and fence == int(q["fence"])

    def Renew(self, q):
        now = self.tick()
        late = self.has("renews-ended") and self.holds(now - 1, q)
        if not (self.holds(now, q) or late):
            return "Lost"
        self.leases[q["name"]] = int(q["fence"]), now + LASTS
        return {"Renewed": {"ends": now + LASTS}}

    def Release(self, q):
        now = self.tick()
        _, ends = self.leases.get(q["name"], (None, 0))
        if not (self.holds(now, q) or (now < ends and self.has("any-fence"))):
            return "Lost"
        del self.leases[q["name"]]
        if self.has("fence-given-back"):
            self.last -= 1
        return "Released"


serve(Lease)
