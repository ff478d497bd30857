"""A program with types, as mypy sees it with `--strict`: it is checked by `.ci/python`, and runs here."""

from __future__ import annotations

from pathlib import Path
from typing import Union

import mayhap

Request = Union[str, "dict[str, int]"]


class Counter:
    """A system that adds."""

    def __init__(self) -> None:
        self.n = 0

    def ask(self, client: int, request: Request) -> int | mayhap.NoAnswer:
        """Answer a request."""
        if isinstance(request, dict):
            self.n += request["Add"]
        return self.n


def first_reason(spec: mayhap.Spec, path: Path) -> str:
    """The reason of a rejection, or nothing."""
    verdict: mayhap.Verdict = spec.validate(path, net="sync", exchange_time=0.5)
    if verdict.is_accept or verdict.line is None:
        return ""
    return verdict.reason or verdict.kind


def test_a_typed_program_runs(tmp_path: Path) -> None:
    text = """enum Request { Add(int), Get }
        protocol counter { request Request; response int; var n: int = 0;
            on Add(more) { n := n + more; reply n; } on Get { reply n; } }"""
    spec = mayhap.Spec.from_text(text, name=None)
    report: mayhap.Report = mayhap.test(spec, Counter, requests=50)
    assert report.requests == 50
    session: mayhap.Session = spec.session()
    progress: mayhap.Progress = session.push_all({"c": 1, **event} for event in ({"q": {"Add": 2}}, {"a": 3}))
    assert progress.line == 2 and not progress.is_explained
    path = tmp_path / "t.ndjson"
    path.write_text('{"q": {"Add": 2}, "a": 3}\n')
    assert "only 2 was possible" in first_reason(spec, path)
    try:
        spec.restore(session.save()).verdict()
    except mayhap.UsageError as error:
        raise AssertionError from error
