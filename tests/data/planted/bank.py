"""specs/bank.may: accounts and transfers. The fee is 1; who transfers locks both accounts."""

from served import Server, serve

FEE = 1


class Bank(Server):
    bugs = ("overdrawn-by-the-fee", "refused-but-credited", "lost-deposit", "opened-twice", "deadlock")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.balances = {}
        self.locked = set()

    def Open(self, q):
        if q["account"] in self.balances:
            return "Refused"
        if self.has("opened-twice"):
            yield 0.0005
        self.balances[q["account"]] = 0
        return "Done"

    def Deposit(self, q):
        account, amount = q["account"], int(q["amount"])
        if account not in self.balances:
            return "NoAccount"
        before = self.balances[account]
        if self.has("lost-deposit"):
            yield 0.0005
        self.balances[account] = before + amount
        return "Done"

    def lock(self, *accounts):
        """In the order given, so that two who lock the same ones in another order wait for each other."""
        for account in dict.fromkeys(accounts):
            while account in self.locked:
                yield 0.0005
            self.locked.add(account)
            yield 0.0005

    def Transfer(self, q):
        sender, to, amount = q["from"], q["to"], int(q["amount"])
        if self.has("deadlock"):
            yield from self.lock(sender, to)
        done = self.transfer(sender, to, amount)
        self.locked -= {sender, to}
        return done

    def transfer(self, sender, to, amount):
        if sender not in self.balances or to not in self.balances:
            return "NoAccount"
        refused = self.balances[sender] < amount + (0 if self.has("overdrawn-by-the-fee") else FEE)
        if not refused:
            self.balances[sender] -= amount + FEE
        if not refused or self.has("refused-but-credited"):
            self.balances[to] += amount
        return "Refused" if refused else "Done"

    def Balance(self, q):
        if q["account"] not in self.balances:
            return "NoAccount"
        return {"Balance": self.balances[q["account"]]}


serve(Bank)
