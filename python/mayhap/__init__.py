"""Could a server that follows this specification have done that?

A specification is a small server in a ``.may`` file, which chooses in secret whatever the protocol leaves open. This package judges
recordings by it, tests systems in Python against it, and draws requests from it for Hypothesis.
"""

from ._requests import requests
from ._session import Progress, Session
from ._spec import Spec
from ._testing import CLOSED, LOST, REFUSED, NoAnswer, Report, System, replay, test
from ._verdict import Verdict
from .errors import Error, InconclusiveError, ReplayError, SpecError, TestError, TraceError, UsageError, ViolationError

__all__ = [
    "CLOSED",
    "LOST",
    "REFUSED",
    "Error",
    "InconclusiveError",
    "NoAnswer",
    "Progress",
    "ReplayError",
    "Report",
    "Session",
    "Spec",
    "SpecError",
    "System",
    "TestError",
    "TraceError",
    "UsageError",
    "Verdict",
    "ViolationError",
    "replay",
    "requests",
    "test",
]
