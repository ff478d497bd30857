"""The toy concurrent language once more, each process a thread: they hand each other the one permission to run.

With an argument more, `rashly`, a receive does not wait for a value: a mistake that --versus shows.

mayhap explore --cmd 'python3 examples/choices/toy.py F' --versus 'python3 examples/choices/toy_threads.py F'
"""

import sys
import threading
from collections import defaultdict, deque

from choices import choose

RASHLY = "rashly" in sys.argv[2:]


class Process(threading.Thread):
    def __init__(self, name, world):
        super().__init__(daemon=True)
        self.name, self.world = name, world
        self.turn, self.can_go = threading.Semaphore(0), None
        world.processes.append(self)

    def run(self):
        self.turn.acquire()
        variables = {}

        def value(word):
            return variables[word] if word in variables else int(word)

        for words in self.world.classes[self.name]:
            if words[0] == "print":
                print(value(words[1]))
            elif words[0] == "spawn":
                self.blocked(lambda: True)
                self.world.let(Process(words[1], self.world))
            elif words[0] == "send":
                self.blocked(lambda: True)
                self.world.channels[words[1]].append(value(words[2]))
            else:
                channel = self.world.channels[words[2]]
                self.blocked(lambda: RASHLY or len(channel) > 0)
                variables[words[0]] = channel.popleft() if channel else 0
        self.can_go = None
        self.world.back.pop().release()

    def blocked(self, can_go):
        self.can_go = can_go
        self.world.back.pop().release()
        self.turn.acquire()


class World:
    def __init__(self, text):
        for sign in "(),=":
            text = text.replace(sign, " ")
        parts = [part.split("{") for part in text.split("}") if part.strip()]
        bodies = [(head.split()[1], body.split(";")) for head, body in parts]
        self.classes = {name: [words.split() for words in body if words.strip()] for name, body in bodies}
        self.processes, self.channels, self.back = [], defaultdict(deque), []

    def let(self, process):
        """Lets a process run to its next blocked step."""
        done = threading.Semaphore(0)
        self.back.append(done)
        if not process.is_alive():
            process.start()
        process.turn.release()
        done.acquire()


def main():
    world = World(open(sys.argv[1]).read())
    world.let(Process("Main", world))
    while ready := [process for process in world.processes if process.can_go and process.can_go()]:
        world.let(ready[choose("process", len(ready))])
    for process in world.processes:
        if process.can_go:
            print("stuck:", process.name)


main()
