"""Tests of systems in Python."""

from __future__ import annotations

import enum
import operator
import os
from collections.abc import Callable
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any, Final, Protocol, SupportsIndex

from . import _json, _mayhap
from ._spec import Spec, _core
from .errors import InconclusiveError, ReplayError, TestError, UsageError, ViolationError


def _whole(name: str, value: object, least: int) -> int:
    """The value of a setting that is a whole number."""
    if isinstance(value, SupportsIndex) and not isinstance(value, bool) and least <= operator.index(value) < 2**64:
        return operator.index(value)
    shown = _json.digits(value) if type(value) is int else repr(value)
    raise UsageError(f"{name}={shown}: expected a whole number from {least} to {2**64 - 1}")


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
        kept = (run["failure"] for run in self.data.get("regressions", ()) if run.get("failure"))
        return [failure["script"] for failure in (*kept, *self.failures) if failure["script"]]

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
        clients=_whole("clients", clients, 1),
        requests=_whole("requests", requests, 0),
        seed=_whole("seed", seed, 0),
        time=time,
        steps=None if steps is None else _whole("steps", steps, 1),
        deadline=deadline,
        max_failures=_whole("max_failures", max_failures, 0),
        regressions=None if regressions is None else os.fspath(regressions),
    )
    verdict, text, data, cause = _mayhap.test(_core(spec), make, (LOST, REFUSED, CLOSED), settings)
    report = Report(verdict, text, _json.read(data))
    if verdict == "pass":
        return report
    failed = ViolationError if verdict in ("violation", "broken") else InconclusiveError
    error: TestError = failed(report)
    raise error from cause


def _attend(tasks: SimpleQueue[_mayhap.ClientTask | None]) -> None:
    """Ask a system for one client, request by request, until ``None`` comes."""
    while (task := tasks.get()) is not None:
        begun = task.begin()
        if begun is None:
            continue
        sut, client, request = begun
        try:
            answer = sut.ask(client, _json.read(request))
        except BaseException as error:  # It is the system's; one that ends the program ends the test.
            task.raised(error)
        else:
            task.returned(answer)


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
        clients=_whole("clients", clients, 1), requests=1, seed=0, time=None, steps=None, deadline=deadline, max_failures=1, regressions=None
    )
    failed = _mayhap.replay(_core(spec), make, (LOST, REFUSED, CLOSED), script, settings)
    if failed is not None:
        raise ReplayError(failed[0]) from failed[1]


test.__test__ = False  # type: ignore[attr-defined]
