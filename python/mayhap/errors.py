"""The exceptions of the package. Their texts are what the command ``mayhap`` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._testing import Report


class Error(Exception):
    """An error of mayhap, or of what it was given."""


class SpecError(Error):
    """A specification cannot be read, or has errors."""


class TraceError(Error):
    """A recording cannot be read or judged, or an object is no event."""


class UsageError(Error, ValueError):
    """An argument has no meaning here."""


def _replayed(script: str) -> str:
    """A call that can be pasted into a test; it runs a script."""
    is_raw = "'''" not in script and not script.endswith(("'", "\\"))
    literal = "r'''" + script + "'''" if is_raw else repr(script)
    return f"again:  mayhap.replay(spec, make, {literal})"


class TestError(Error, AssertionError):
    """A test did not pass. The text is that of its report."""

    __test__ = False

    report: Report
    """The report of the test."""

    def __init__(self, report: Report) -> None:
        super().__init__("\n\n".join([str(report), *map(_replayed, report.scripts)]))
        self.report = report

    def __reduce__(self) -> tuple[type[TestError], tuple[Report]]:
        return type(self), (self.report,)


class ViolationError(TestError):
    """The system did what no server may do that follows the specification, or broke down."""


class ReplayError(Error, AssertionError):
    """A script does not pass: it shows its failure again, or does not fit the specification."""


class InconclusiveError(TestError):
    """Nothing was tested, or some answers were too hard to judge."""
