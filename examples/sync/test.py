#!/usr/bin/env python3
"""Tests Unison, and rsync in both directions, by specs/sync.may, and prints what each does with its shortest script.

Usage: test.py MAYHAP [SECONDS [SEED]]      MAYHAP is the command; all tests together take a minute, or SECONDS
The scripts of what is found are kept in mayhap-sync/NAME.
"""

import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
import campaign

SPEC = os.path.normpath(os.path.join(HERE, "..", "..", "specs", "sync.may"))
# What the manual of Unison allows; see the constants of the specification.
MANUAL = {"SKIPS": True, "FAILS": True, "STOPS": True}
FAST = {**MANUAL, "MISSES": True}
# Few names and contents of one size: what a fast check may take for equal.
ALIKE = {"NAMES": ["a"], "TEXTS": ["1", "2", "3"]}
# The name of a test, the tool with its options, the constants, and the share of the time that it takes.
TESTS = [
    ("unison-slow", "unison -fastcheck false", MANUAL, 2),
    ("unison-exit-codes", "--hide .unison. unison -fastcheck true -confirmbigdel=false", {"SKIPS": True, "MISSES": True, **ALIKE}, 1),
    ("unison-leftovers", "unison -fastcheck true -confirmbigdel=false", {**FAST, **ALIKE}, 1),
    ("unison-lost-files", "--hide .unison. unison -fastcheck true -confirmbigdel=false", {**FAST, **ALIKE}, 3),
    ("rsync-both-ways", "rsync", {}, 1),
]


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


def test(mayhap, name, tool, constants, seconds, seed):
    program = "rsync" if "rsync" in tool else "unison"
    if not shutil.which(program):
        print(f"{name}: skipped: {program} is not installed")
        return
    arguments = ["--sut", f"stdio:exec python3 {HERE}/sync.py {tool}", "--net", "sync"]
    for constant, value in constants.items():
        arguments += ["--set", f"{constant}={json.dumps(value)}"]
    arguments += ["--time", str(seconds), "--seed", str(seed), "--shrink-time", "10"]
    found = campaign.run(mayhap, SPEC, name, os.path.join("mayhap-sync", name), arguments, codes=(0, 1, 3, 4))
    if found is None:
        return
    allowed = ", ".join(constants) or "nothing"
    print(f"{name}: `{tool}`, {allowed} allowed: {found['requests']} requests in {found['seconds']:.0f} s, {len(found['failures'])} causes")
    for failure in found["failures"]:
        cause = failure["cause"].removeprefix(SPEC + ":")
        print(f"  {cause}, after {failure['requests_to_find']} requests")
        for step in steps(failure):
            print(f"    {step}")


if __name__ == "__main__":
    mayhap, seconds, seed = campaign.arguments(__doc__)
    share = float(seconds) / sum(parts for *_, parts in TESTS)
    for name, tool, constants, parts in TESTS:
        test(mayhap, name, tool, constants, share * parts, seed)
