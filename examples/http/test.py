#!/usr/bin/env python3
"""Tests Apache, nginx and lighttpd by specs/http.may, and prints what each does that RFC 9110 does not allow.

Usage: test.py MAYHAP [SECONDS [SEED]]      MAYHAP is the command; each server is tested for 60 seconds
The scripts of what is found are kept in mayhap-http/SERVER.
"""

import json
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
import campaign

SPEC = os.path.join(HERE, "..", "..", "specs", "http.may")
# The section of RFC 9110 that says what a field of a request means.
SECTIONS = {"if_match": "§13.1.1", "if_none_match": "§13.1.2", "modified": "§13.1.3", "unmodified": "§13.1.4"}


def section(cause):
    """The section that a cause is about: by the conditions that the request needs."""
    conditions = [name for name in SECTIONS if name in re.split(r"[ (),]+", cause)]
    if not conditions:
        return "§8.8"
    return SECTIONS[conditions[0]] if len(conditions) == 1 else "§13.2.2"


def steps(failure):
    """The requests and answers of a script, in a line each."""
    for step in failure["steps"]:
        if "ask" in step:
            yield step["ask"]["request"]["short"]
        elif "answer" in step:
            outcome = step["answer"]["outcome"]
            answer = outcome["answer"]["json"] if "answer" in outcome else {"status": "no answer"}
            tag = answer.get("tag")
            yield f"    {answer['status']}{' ' + json.dumps(tag) if tag else ''}"


def test(mayhap, server, port, seconds, seed):
    directory, kept = tempfile.mkdtemp(prefix="mayhap-http-"), os.path.join("mayhap-http", server)
    os.chmod(directory, 0o755)
    arguments = ["--sut", f"http://127.0.0.1:{port}", "--start", f"{HERE}/serve {server} {port} {directory}"]
    arguments += ["--reset", f"rm -f {directory}/www/*", "--time", str(seconds), "--seed", str(seed), "--shrink-time", "5"]
    try:
        found = campaign.run(mayhap, SPEC, server, kept, arguments)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if found is None:
        return
    print(f"{server}: {found['requests']} requests in {found['seconds']:.0f} s, {len(found['failures'])} causes")
    for failure in found["failures"]:
        cause = failure["cause"]
        if ".may:" in cause:
            cause = cause.split(" ", 1)[1]
        print(f"  {section(cause):8} {cause}, after {failure['requests_to_find']} requests")
        for also in failure["also"]:
            print(f"           also {also}")
        for step in steps(failure):
            print(f"             {step}")


if __name__ == "__main__":
    mayhap, seconds, seed = campaign.arguments(__doc__)
    for number, server in enumerate(["apache", "nginx", "lighttpd"]):
        test(mayhap, server, 8091 + number, seconds, seed)
