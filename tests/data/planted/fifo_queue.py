"""specs/fifo_queue.may: a queue of integers."""

from served import Server, serve

RING = 20


class FifoQueue(Server):
    bugs = ("dequeued-twice", "lost-enqueue", "full-ring", "reorders", "sometimes-empty")
    overtaking = ("reorders",)

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.waiting = []

    def Enqueue(self, x):
        before = self.waiting
        if self.has("lost-enqueue"):
            yield 0.0005
        if self.has("reorders"):
            yield 0.001
        if self.has("full-ring") and len(self.waiting) == RING:
            before = before[1:]
        self.waiting = [*before, x]
        return {"Enqueue": x}

    def Dequeue(self):
        if not self.waiting or self.sometimes("sometimes-empty"):
            return "Fail"
        first = self.waiting[0]
        if self.has("dequeued-twice"):
            yield 0.0005
        self.waiting = self.waiting[1:]
        return {"Dequeue": first}


serve(FifoQueue)
