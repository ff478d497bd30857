"""A test of a system by the command, with its report as a value: what `make http` and `make sync` share."""

import json
import os
import shutil
import subprocess
import sys
import tempfile


def run(mayhap, spec, name, kept, arguments, codes=(0, 1), requests=1_000_000):
    """The report of `mayhap test`, which goes on after the first failure until its time or its requests are over, as a dictionary.

    The scripts are kept in the folder `kept`, without those of an earlier test. If the exit code is none of `codes`, the output is
    printed, and the result is None.
    """
    directory = tempfile.mkdtemp(prefix="mayhap-report-")
    report = os.path.join(directory, "report.json")
    fixed = ["--clients", "1", "--max-failures", "0", "--requests", str(requests), "--regressions", kept, "--report", f"json:{report}"]
    shutil.rmtree(kept, ignore_errors=True)
    try:
        done = subprocess.run([mayhap, "test", spec, *arguments, *fixed], capture_output=True, text=True)
        if done.returncode not in codes:
            print(f"{name}: it was not tested (exit code {done.returncode})\n{done.stderr or done.stdout}")
            return None
        with open(report) as file:
            return json.load(file)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def arguments(usage):
    """The command, the seconds and the seed that a script was called with."""
    if len(sys.argv) < 2:
        sys.exit(usage)
    return [*sys.argv[1:4], *["60", "1"][len(sys.argv[1:4]) - 1 :]]
