"""Sessions: events that are judged while they are observed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from . import _json, _mayhap
from ._verdict import Verdict


class Progress(NamedTuple):
    """The progress of a session after an event."""

    kind: str
    """``accept``, ``reject``, ``unknown``, ``outside`` or ``fault``: what can be said of all events so far."""
    line: int | None = None
    """The position of the event that decided, from 1."""
    doubt: str | None = None
    """The question that was too hard, if it is unknown."""

    @property
    def is_explained(self) -> bool:
        """Whether some choices explain the events so far."""
        return self.kind == "accept"


class Session:
    """A judge of events one by one. Threads may share it."""

    def __init__(self, core: _mayhap.Session) -> None:
        self._core = core

    def push(self, event: dict[str, Any]) -> Progress:
        """Observe an event. One that is malformed raises ``TraceError``, and the session goes on without it."""
        return Progress(*self._core.push(event))

    def push_all(self, events: Iterable[dict[str, Any]]) -> Progress:
        """Observe events one by one. If one is malformed, those before it stay observed."""
        progress = self._core.push_all(events)
        return Progress("accept") if progress is None else Progress(*progress)

    def settle(self) -> Progress:
        """Judge what the end of the events shows, and once more as a whole what was too hard one by one."""
        return Progress(*self._core.settle())

    def verdict(self, reason_time: float = 1.0) -> Verdict:
        """The verdict on the events so far; ``reason_time`` is the number of seconds to look for its reason."""
        kind, line, explanation, reason, possible = self._core.evidence(reason_time)
        at = "" if line is None else f" at line {line}"
        text = "".join(f"{words}\n" for words in [f"session: {kind}{at}", *(f"  {words}" for words in explanation)])
        report = {"verdict": kind, "event": line, "explanation": explanation, "reason": reason}
        report["possible"] = [_json.read(answer) for answer in possible]
        return Verdict(kind, line, text, explanation, report, None)

    def save(self) -> str:
        """The session as a text, from which ``spec.restore(text)`` continues it, in another process too."""
        return self._core.save()

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<mayhap.Session: {len(self)} events observed here>"
