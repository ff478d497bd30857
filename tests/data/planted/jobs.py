"""specs/queue.may: jobs for workers. Two of them may wait."""

from served import Server, serve

ROOM = 2


class Queue(Server):
    bugs = ("taken-twice", "reuses-ids", "full-but-queued", "given-back-last", "unknown-given-back")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.waiting, self.taken = [], {}
        self.pushes = 0

    def new_id(self):
        if not self.has("reuses-ids"):
            return self.token(self.pushes)
        used = {job["id"] for job in self.waiting} | self.taken.keys()
        return next(id for id in map(self.token, range(1, len(used) + 2)) if id not in used)

    def Push(self, q):
        full = len(self.waiting) >= ROOM
        if full and not self.has("full-but-queued"):
            return "Full"
        self.pushes += 1
        job = {"id": self.new_id(), "work": q["work"]}
        self.waiting.append(job)
        return "Full" if full else {"Queued": {"id": job["id"]}}

    def Take(self):
        if not self.waiting:
            return "Empty"
        job = self.waiting[0]
        if self.has("taken-twice"):
            yield 0.0005
        self.waiting = [other for other in self.waiting if other is not job]
        self.taken[job["id"]] = job
        return {"Job": job}

    def Finish(self, q):
        return "Finished" if self.taken.pop(q["id"], None) else "NotTaken"

    def GiveBack(self, q):
        if q["id"] not in self.taken and not self.has("unknown-given-back"):
            return "NotTaken"
        job = self.taken.pop(q["id"])
        self.waiting.insert(len(self.waiting) if self.has("given-back-last") else 0, job)
        return "Waiting"


serve(Queue)
