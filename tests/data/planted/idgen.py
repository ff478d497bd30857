"""specs/idgen.may: a generator of identifiers."""

from served import Server, serve

SLOTS = 20


class Idgen(Server):
    bugs = ("racing", "wraps-after-20", "sometimes-repeats", "newest-unknown")

    def __init__(self, bug, seed):
        super().__init__(bug, seed)
        self.given = []

    def New(self):
        number = len(self.given) + 1
        if self.has("racing"):
            yield 0.0003
        if self.has("wraps-after-20"):
            number = (number - 1) % SLOTS + 1
        if self.given and self.sometimes("sometimes-repeats"):
            number = len(self.given)
        self.given.append(self.token(number))
        return {"Fresh": self.given[-1]}

    def Known(self, id):
        known = self.given[:-1] if self.has("newest-unknown") else self.given
        return "Yes" if id in known else "No"


serve(Idgen)
