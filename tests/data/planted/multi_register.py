"""specs/multi_register.may: registers that are read and written together."""

from served import Server, serve

LONGEST = 4


class MultiRegister(Server):
    bugs = ("torn", "own-writes-unseen", "first-letter", "long-list")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.written = {}

    def Txn(self, operations):
        done, written = [], self.written
        before = dict(written)
        for number, (op, name, value) in enumerate(operations):
            register = name[:1] if self.has("first-letter") else name
            if value is None:
                seen = before if self.has("own-writes-unseen") else written
                value = seen.get(register, 0)
            elif number < LONGEST or not self.has("long-list"):
                written[register] = value
            done.append([op, name, value])
            if self.has("torn"):
                yield 0.0003
        return {"Txn": done}


serve(MultiRegister)
