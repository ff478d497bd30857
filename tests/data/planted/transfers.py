"""specs/transfers.may: four accounts that are read at once."""

from served import Server, serve


class Transfers(Server):
    bugs = ("exact-balance", "missing-but-debited", "to-oneself", "torn-read", "lost-transfer")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.balances = {0: 10, 1: 10, 2: 10, 3: 10}

    def Transfer(self, q):
        sender, to, amount = int(q["from"]), int(q["to"]), int(q["amount"])
        enough = self.balances.get(sender, -1) - amount
        if enough < 0 or (enough == 0 and self.has("exact-balance")):
            return "Fail"
        if to not in self.balances:
            if self.has("missing-but-debited"):
                self.balances[sender] -= amount
            return "Fail"
        before = self.balances[sender], self.balances[to]
        if self.has("lost-transfer"):
            yield 0.0005
        if self.has("to-oneself") or (self.has("lost-transfer") and sender != to):
            self.balances[sender] = before[0] - amount
            self.balances[to] = before[1] + amount
        else:
            self.balances[sender] -= amount
            self.balances[to] += amount
        return {"Transfer": q}

    def Read(self):
        read = []
        for account in self.balances:
            read.append([account, self.balances[account]])
            if self.has("torn-read"):
                yield 0.0003
        return {"Read": read}


serve(Transfers)
