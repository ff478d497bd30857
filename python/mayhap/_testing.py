"""Tests of systems in Python."""

from __future__ import annotations

import enum
import json
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, Protocol

from . import _mayhap
from ._spec import Spec
from .errors import InconclusiveError, ReplayError, TestError, ViolationError


class NoAnswer(enum.Enum):
    """What ``ask`` returns if there is no answer."""

    LOST = "lost"
    """No answer came; the request may have taken effect."""
    REFUSED = "refused"
    """The request certainly took no effect."""
    CLOSED = "closed"
    """The system ended the connection."""


LOST: Final = NoAnswer.LOST
REFUSED: Final = NoAnswer.REFUSED
CLOSED: Final = NoAnswer.CLOSED


class System(Protocol):
    """A system under test."""

    def ask(self, client: int, request: Any, /) -> Any:
        """Answer a request of a client: an object with the JSON of the specification's answers, or a ``NoAnswer``."""


class Report:
    """The report of a test. Its text is what the command prints."""

    def __init__(self, verdict: str, text: str, data: dict[str, Any]) -> None:
        self.verdict = verdict
        """``pass``, ``violation``, ``broken``, ``untested`` or ``unknown``."""
        self.data = data
        """The report of ``mayhap test --report json``."""
        self._text = text.rstrip("\n")

    @property
    def requests(self) -> int:
        """The number of requests."""
        return int(self.data["requests"])

    @property
    def runs(self) -> int:
        """The number of runs; each has a new system."""
        return int(self.data["runs"])

    @property
    def seed(self) -> int:
        """The seed of all random choices."""
        return int(self.data["seed"])

    @property
    def failures(self) -> list[dict[str, Any]]:
        """The failures, each with its cause and its script."""
        return list(self.data["failures"])

    @property
    def scripts(self) -> list[str]:
        """The scripts of the failures, each as short as it was made, for ``mayhap.replay``."""
        return [failure["script"] for failure in self.failures if failure.get("script")]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<mayhap.Report: {self.verdict} after {self.requests} requests>"


def test(
    spec: Spec,
    make: Callable[[], System],
    *,
    clients: int = 1,
    requests: int = 10_000,
    seed: int = 0,
    time: float | None = None,
    steps: int | None = None,
    deadline: float = 10.0,
    max_failures: int = 1,
    regressions: str | os.PathLike[str] | None = None,
) -> Report:
    """Test systems that ``make`` makes, one for each run.

    ``requests`` is the number of requests of all runs together, ``steps`` the most of one run, ``time`` the seconds after which the
    test ends, and ``deadline`` those after which a request without an answer counts as hanging. After ``max_failures`` causes the test
    ends; with 0 only after all requests. Scripts of failures are written into the directory ``regressions``. The variables
    ``MAYHAP_SEED``, ``MAYHAP_REQUESTS`` and ``MAYHAP_TIME`` of the environment override the test.

    With one client, the system is asked on the calling thread; with several, each has a thread of its own.

    Raises ``ViolationError`` with the report and the shrunk script if the system did something wrong or broke down, and
    ``InconclusiveError`` if nothing was tested or some answers were too hard to judge.
    """
    __tracebackhide__ = True
    settings = SimpleNamespace(
        clients=clients,
        requests=requests,
        seed=seed,
        time=time,
        steps=steps,
        deadline=deadline,
        max_failures=max_failures,
        regressions=None if regressions is None else os.fspath(regressions),
    )
    verdict, text, data, cause = _mayhap.test(spec._core, make, (LOST, REFUSED, CLOSED), settings)
    report = Report(verdict, text, json.loads(data))
    if verdict == "pass":
        return report
    failed = ViolationError if verdict in ("violation", "broken") else InconclusiveError
    error: TestError = failed(report)
    raise error from cause


def replay(
    spec: Spec,
    make: Callable[[], System],
    script: str,
    *,
    clients: int = 1,
    deadline: float = 10.0,
) -> None:
    """Run a script that once showed a failure, up to 20 times, each with a system that ``make`` makes.

    The text of a ``ViolationError`` ends with such a call, to be pasted into a test. ``clients`` and ``deadline`` are as for ``test``.

    Raises ``ReplayError`` if the script shows its failure again, or does not fit the specification.
    """
    __tracebackhide__ = True
    settings = SimpleNamespace(
        clients=clients, requests=1, seed=0, time=None, steps=None, deadline=deadline, max_failures=1, regressions=None
    )
    failed = _mayhap.replay(spec._core, make, (LOST, REFUSED, CLOSED), script, settings)
    if failed is not None:
        raise ReplayError(failed[0]) from failed[1]


test.__test__ = False  # type: ignore[attr-defined]
