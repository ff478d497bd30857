"""Choices from mayhap: run a program that imports this by `mayhap explore --cmd 'python3 program.py'`."""

import os
import sys

_channel = int(os.environ.get("MAYHAP_CHOICES", "3"))
_answers = os.fdopen(os.dup(_channel), "r")


def choose(label, arity):
    """One of `arity` alternatives, from 0."""
    os.write(_channel, f"choose {label} {arity}\n".encode())
    answer = _answers.readline()
    if not answer:
        os._exit(1)  # the run ends here
    return int(answer)


def refuse(label):
    """Ends a run that is to count as none."""
    os.write(_channel, f"refuse {label}\n".encode())
    os._exit(0)
