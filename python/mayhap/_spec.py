"""Specifications."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _json, _mayhap
from ._session import Session
from ._verdict import Judge, Verdict
from .errors import UsageError

Constant = Union[bool, int, str, "list[Any]", "tuple[Any, ...]", "dict[str, Any]", None]
"""A value of a constant of a specification."""

Recording = Union[str, "os.PathLike[str]", Iterable["dict[str, Any]"]]
"""A recording: the path of a file, or events."""


def _core(spec: object) -> _mayhap.Spec:
    """The specification in Rust."""
    if not isinstance(spec, Spec):
        raise UsageError(f"{spec!r} is no specification: mayhap.Spec.load(path) reads one")
    return spec._core


class Spec:
    """A specification, compiled."""

    def __init__(self, core: _mayhap.Spec) -> None:
        self._core = core

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, name: str | None = None, **constants: Constant) -> Spec:
        """Read a specification from its file, and the files that it uses from the same directory.

        ``name`` selects a protocol of a file with several. All other keywords replace constants: ``FRESH=False``.
        """
        return cls(_mayhap.Spec.load(os.fspath(path), name, _set(constants)))

    @classmethod
    def from_text(cls, text: str, *, name: str | None = None, **constants: Constant) -> Spec:
        """Read a specification from a text."""
        return cls(_mayhap.Spec.of_text(text, name, _set(constants)))

    @property
    def name(self) -> str:
        """The name of the protocol."""
        return self._core.name

    def validate(
        self,
        recording: Recording,
        *,
        net: str | None = None,
        format: str | None = None,
        fail: str | Mapping[str, str] | None = None,
        nil: str | None = None,
        url: str | None = None,
        start: str | None = None,
        exchange_time: float | None = None,
        memory: int | None = None,
        reason_time: float | None = None,
        check_reason: bool = False,
        stats: bool = False,
    ) -> Verdict:
        """Judge a recording: a file in any format that ``mayhap validate`` reads, or an iterable of events.

        An event is a dict: ``{"q": …, "a": …}`` is an exchange, ``{"c": 1, "q": …}`` a request of client 1 and ``{"c": 1, "a": …}``
        its answer. The keywords are options of ``mayhap validate``; ``format`` is its ``--from``.
        """
        failing = ",".join(f"{name}={rule}" for name, rule in fail.items()) if isinstance(fail, Mapping) else fail
        named = {
            "net": net,
            "from": format,
            "fail": failing,
            "nil": nil,
            "url": url,
            "start": start,
            "exchange-time": exchange_time,
            "memory": memory,
            "reason-time": reason_time,
        }
        options = [f"--{key}={value}" for key, value in named.items() if value is not None]
        options += [flag for flag, is_set in (("--check-reason", check_reason), ("--stats", stats)) if is_set]
        again = self._judge_of(recording, options, format)
        judged = again([])
        report: dict[str, Any] = _json.read(judged.json)
        return Verdict(judged.kind, judged.line, judged.text, judged.explanation, report, again)

    def _judge_of(self, recording: Recording, options: list[str], format: str | None) -> Judge:
        """The function that judges a recording with these options and more."""
        if isinstance(recording, (str, os.PathLike)):
            path = os.fspath(recording)
            return lambda more: self._core.judge_file(path, [*options, *more])
        if format is not None:
            raise UsageError("format is for files: events have one form")
        events = _mayhap.Events(recording)
        return lambda more: self._core.judge_events(events, [*options, "--from=ndjson", *more])

    def session(self, *, net: str = "tcp", exchange_time: float = 1.0, memory: int = 256) -> Session:
        """Begin a session, which judges events while they are observed. With ``net="sync"``, events are whole exchanges."""
        return Session(self._core.session(net, None, exchange_time, memory))

    def restore(self, saved: str | bytes, *, exchange_time: float = 1.0, memory: int = 256) -> Session:
        """Continue a session that was saved."""
        try:
            text = saved if isinstance(saved, str) else saved.decode()
        except UnicodeDecodeError as error:
            raise UsageError("this is no saved session, or it is broken") from error
        return Session(self._core.session(None, text, exchange_time, memory))

    def __reduce__(self) -> tuple[Any, ...]:
        # The texts travel, not the paths of files: they need not be where the specification is unpickled.
        files, name, constants = self._core.parts
        return _of_parts, (tuple(files), name, tuple(constants))

    def __repr__(self) -> str:
        return f"<mayhap.Spec {self.name}>"


@functools.lru_cache(maxsize=16)
def _of_parts(files: tuple[tuple[str, str], ...], name: str | None, constants: tuple[tuple[str, str], ...]) -> Spec:
    """A specification of its parts, which is compiled once in each process."""
    return Spec(_mayhap.Spec.of_parts((list(files), name, list(constants))))


def _set(constants: dict[str, Constant]) -> list[tuple[str, str]]:
    return [(name, _written(name, value)) for name, value in constants.items()]


def _written(name: str, value: Any) -> str:
    """A value as a specification writes it."""
    if value is None:
        return "None"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _json.digits(int(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        parts = ", ".join(_written(name, part) for part in value)
        return f"[{parts}]" if isinstance(value, list) else f"({parts})"
    if isinstance(value, dict):
        entries = (f"{_written(name, key)}: {_written(name, part)}" for key, part in value.items())
        return "{" + ", ".join(entries) + "}"
    raise UsageError(f"the constant {name} cannot be {value!r}: bool, int, str, list, tuple, dict and None have a form")
