"""The toy concurrent language of examples/toy_concurrency.rs, each process a generator that yields at blocked steps.

mayhap explore --cmd 'python3 examples/choices/toy.py examples/choices/spawning.toy'
"""

import sys
from collections import defaultdict, deque

from choices import choose


def parse(text):
    classes = {}
    for sign in "(),=":
        text = text.replace(sign, " ")
    for part in filter(str.strip, text.split("}")):
        head, body = part.split("{")
        classes[head.split()[1]] = [words.split() for words in body.split(";") if words.strip()]
    return classes


def value(word, variables):
    return variables[word] if word in variables else int(word)


def process(body, world):
    """Yields whether it can go, each time it is blocked; goes on when it is told to."""
    classes, processes, channels = world
    variables = {}
    for words in body:
        if words[0] == "print":
            print(value(words[1], variables))
        elif words[0] == "spawn":
            yield lambda: True
            start(words[1], world)
        elif words[0] == "send":
            yield lambda: True
            channels[words[1]].append(value(words[2], variables))
        else:
            variable, _, channel = words
            yield lambda: len(channels[channel]) > 0
            variables[variable] = channels[channel].popleft()


def start(name, world):
    classes, processes, _ = world
    running = process(classes[name], world)
    entry = [name, running, None]
    processes.append(entry)
    proceed(entry)


def proceed(entry):
    entry[2] = next(entry[1], None)


def main():
    world = (parse(open(sys.argv[1]).read()), [], defaultdict(deque))
    start("Main", world)
    while True:
        ready = [entry for entry in world[1] if entry[2] and entry[2]()]
        if not ready:
            break
        proceed(ready[choose("process", len(ready))])
    for name, _, blocked in world[1]:
        if blocked:
            print("stuck:", name)


main()
