"""Verdicts, with their evidence."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any, Literal, NoReturn, cast

from . import _json, _mayhap

Kind = Literal["accept", "reject", "unknown", "outside", "fault"]
"""The kinds of verdicts."""

Judge = Callable[[list[str]], "_mayhap.Judged"]
"""A function that judges a recording once more, with further options of the command."""


class Verdict:
    """The verdict on a recording. Its text is what the command prints."""

    __slots__ = ("_again", "_explanation", "_report", "_text", "_whole", "kind", "line")

    kind: Kind
    """The verdict in one word."""
    line: int | None
    """The line of the event that decided; for events in memory, its position from 1."""

    def __init__(
        self,
        kind: str,
        line: int | None,
        text: str,
        explanation: list[str],
        report: dict[str, Any],
        again: Judge | None,
    ) -> None:
        self.kind = cast(Kind, kind)
        self.line = line
        self._text = text.rstrip("\n")
        self._explanation = explanation
        self._report = report
        self._again = again
        self._whole: dict[str, Any] | None = None

    @property
    def is_accept(self) -> bool:
        """Whether some choices explain all answers."""
        return self.kind == "accept"

    @property
    def reason(self) -> str | None:
        """The explanation of a verdict that is no acceptance, in words."""
        return None if self.is_accept or not self._explanation else "\n".join(self._explanation)

    @property
    def because(self) -> list[int]:
        """The lines of the events that rule out the rejected answer, in order."""
        return sorted({*(self._report.get("reason") or []), *(self._report.get("requests") or [])})

    @property
    def possible(self) -> list[Any]:
        """The answers that were possible instead of the rejected one, as far as they are known."""
        return list(self._report.get("possible") or [])

    @property
    def witness(self) -> list[Any] | None:
        """The choices that explain an accepted recording; ``None`` if there are none, or more than a thousand.

        The recording is judged once more, and the choices are replayed as a check.
        """
        found = self.report.get("witness") if self.is_accept else None
        return None if found is None else list(found)

    @property
    def report(self) -> dict[str, Any]:
        """The report of ``mayhap validate --format json``. The recording is judged once more for it."""
        if self._whole is None:
            again = self._again
            self._whole = self._report if again is None else _json.read(again(["--format", "json"]).json)
        return self._whole

    def html(self) -> str:
        """The page of ``mayhap validate --html``. The recording is judged once more for it."""
        page = None if self._again is None else self._again(["--html", "page"]).html
        return f"<pre>{html.escape(str(self))}</pre>" if page is None else page

    def _repr_html_(self) -> str:
        page = self.html()
        if self._again is None:
            return page
        # The page has styles of its own, which are not for the notebook around it.
        frame = 'style="width: 100%; height: 30em; border: 0" sandbox="allow-scripts"'
        return f'<iframe srcdoc="{html.escape(page)}" {frame}></iframe>'

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is neither true nor false, as it may be unknown: ask verdict.is_accept, or verdict.kind")

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        at = "" if self.line is None else f" at line {self.line}"
        return f"<mayhap.Verdict: {self.kind}{at}>"
