#!/usr/bin/env python3
"""Tests Unison, and rsync in both directions, by specs/sync.may, and the file system of the temporary directory by specs/posix.may. It
prints what each does with its shortest script.

Usage: test.py MAYHAP [SECONDS [SEED]]      MAYHAP is the command; all tests together take a minute, or SECONDS
The scripts of what is found are kept in mayhap-sync/NAME.
"""

import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
import campaign

SPECS = os.path.normpath(os.path.join(HERE, "..", "..", "specs"))
# What the manual of Unison allows; see the constants of the specification.
MANUAL = {"SKIPS": True, "FAILS": True, "STOPS": True}
FAST = {**MANUAL, "MISSES": True}
# One name, and contents of one size: what a fast check may take for equal.
ALIKE = {"NAMES": ["a"], "TEXTS": ["1", "2"], "DEPTH": 1}
SYNC = "sync/sync.py"
# The name of a test, the specification, the adapter with its options, the constants, and the part of the time that it takes. The first
# one is the search that takes longest; the others follow each other beside it.
TESTS = [
    ("unison-old-records", "sync", f"{SYNC} --hide .unison. unison -fastcheck true -confirmbigdel=false", {**FAST, **ALIKE}, 1),
    ("unison-slow", "sync", f"{SYNC} unison -fastcheck false", MANUAL, 0.2),
    ("unison-exit-codes", "sync", f"{SYNC} --hide .unison. unison -fastcheck true -confirmbigdel=false", {"SKIPS": True, "MISSES": True, **ALIKE}, 0.2),
    ("unison-leftovers", "sync", f"{SYNC} unison -fastcheck true -confirmbigdel=false", {**FAST, **ALIKE}, 0.3),
    ("rsync-both-ways", "sync", f"{SYNC} rsync", {}, 0.2),
    ("system-calls", "posix", "posix/posix.py", {}, 0.1),
]
# The requests for each second: they take less, and the rest is for shrinking.
RATES = {"sync": 150, "posix": 1000}


def steps(failure):
    """The requests and answers of a script, in a line each."""
    asked = []
    for step in failure["steps"]:
        if "ask" in step:
            asked.append(step["ask"]["request"]["short"])
        elif "answer" in step:
            outcome = step["answer"]["outcome"]
            answer = outcome["answer"]["short"] if "answer" in outcome else "no answer"
            yield f"{asked.pop(0)} → {answer}"


def test(mayhap, seconds, seed, name, spec, adapter, constants, part):
    """The lines of what was found."""
    for program in "unison", "rsync":
        if f" {program}" in adapter and not shutil.which(program):
            return [f"{name}: skipped: {program} is not installed"]
    requests, spec = int(seconds * part * RATES[spec]), os.path.join(SPECS, spec + ".may")
    arguments = ["--sut", f"stdio:exec python3 {HERE}/../{adapter}", "--net", "sync"]
    for constant, value in constants.items():
        arguments += ["--set", f"{constant}={json.dumps(value)}"]
    arguments += ["--time", str(seconds * part), "--seed", str(seed), "--shrink-time", "10"]
    found = campaign.run(mayhap, spec, name, os.path.join("mayhap-sync", name), arguments, (0, 1, 3, 4), requests)
    if found is None:
        return []
    allowed = ", ".join(constants) or "nothing"
    lines = [f"{name}: `{adapter}`, {allowed} allowed: {found['requests']} requests in {found['seconds']:.0f} s, {len(found['failures'])} causes"]
    for failure in found["failures"]:
        cause = failure["cause"].removeprefix(spec + ":")
        lines.append(f"  {cause}, after {failure['requests_to_find']} requests")
        lines += [f"    {step}" for step in steps(failure)]
    return lines


if __name__ == "__main__":
    mayhap, seconds, seed = campaign.arguments(__doc__)
    with ThreadPoolExecutor(2) as pool:
        for lines in pool.map(lambda of: test(mayhap, float(seconds), seed, *of), TESTS):
            print("\n".join(lines), flush=True)
