"""What executors do for ``mayhap.spark``: columns of Arrow become packed rows, and packed rows become verdicts.

Nothing here needs Spark. A ``Plan`` is all that executors are given, and it can be pickled.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _mayhap
from ._spec import Spec
from .errors import TraceError

if TYPE_CHECKING:
    import pyarrow

WAITING = 32 << 20
"""The bytes of rows that a task packs together."""
DAY = 24 * 60 * 60
ERA = datetime.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Plan:
    """A recording in a table: how it is judged, and where its rows have what."""

    spec: Spec
    net: str
    time: tuple[tuple[str, str], ...]
    """The columns of the time, each with ``int``, ``date``, ``timestamp``, ``timestamp_ntz`` or ``float``."""
    event: str | None
    """The column that has whole events; ``None`` if each key of events has a column."""
    buckets: int
    limits: tuple[float, int, float]
    """The seconds for an exchange, the MiB of memory, and the seconds for a reason."""

    @functools.cached_property
    def keys(self) -> _mayhap.Keys:
        """The keys of the specification."""
        return _mayhap.Keys(self.spec._core, self.net)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "keys"}

    def misfit(self, time: str, way: str, why: str) -> str:
        """What is wrong with a row: its time, its column, the way to the value there, and the reason."""
        column, rest = self.event, way
        if column is None and way.startswith("['"):
            column, _, rest = way[2:].partition("']")
        named = f", column {column}" if column else ""
        return f"the row with {time}{named}{f', at {rest}' if rest else ''}: {why}"

    def shown(self, numbers: Iterable[int | None]) -> str:
        """A time as it is named in messages: ``ts = 3``."""
        return ", ".join(f"{name} = {_time(kind, number)}" for (name, kind), number in zip(self.time, numbers))


def _time(kind: str, number: int | None) -> Any:
    """The value of a time in a column."""
    if number is None:
        return "null"
    if kind == "float":
        return _floated(number)
    if kind == "int":
        return number
    seconds = number * DAY if kind == "date" else 0
    when = ERA + datetime.timedelta(seconds=seconds, microseconds=number if kind != "date" else 0)
    if kind == "date":
        return when.date().isoformat()
    return when.isoformat(" ") + ("+00:00" if kind == "timestamp" else "")


def _floated(number: int) -> float:
    """The number whose bits are ordered as this integer is."""
    import struct

    bits = number ^ (0x7FFFFFFFFFFFFFFF if number < 0 else 0)
    return float(struct.unpack("<d", struct.pack("<q", bits))[0])


def _numbers(column: pyarrow.Array, kind: str) -> pyarrow.Array:
    """The times in a column as integers that are ordered as they are. NaN becomes null."""
    import pyarrow
    from pyarrow import compute

    if kind == "date":
        return column.cast(pyarrow.int32()).cast(pyarrow.int64())
    if kind != "float":
        return column.cast(pyarrow.int64())
    import numpy

    # Adding nothing makes one zero of both.
    floats = column.cast(pyarrow.float64()).to_numpy(zero_copy_only=False) + 0.0
    bits = floats.view(numpy.int64)
    numbers = numpy.where(bits < 0, bits ^ 0x7FFFFFFFFFFFFFFF, bits)
    return compute.if_else(pyarrow.array(numpy.isnan(floats)), pyarrow.scalar(None, pyarrow.int64()), pyarrow.array(numbers))


def _column(numbers: list[int | None], kind: str) -> pyarrow.Array:
    """The reverse of ``_numbers``."""
    import pyarrow

    if kind == "float":
        return pyarrow.array([None if number is None else _floated(number) for number in numbers], pyarrow.float64())
    if kind == "date":
        return pyarrow.array(numbers, pyarrow.int32()).cast(pyarrow.date32())
    zone = {"timestamp": pyarrow.timestamp("us", "UTC"), "timestamp_ntz": pyarrow.timestamp("us")}
    return pyarrow.array(numbers, pyarrow.int64()).cast(zone.get(kind, pyarrow.int64()))


def unpacked(plan: Plan, time: bytes | None) -> list[int | None]:
    """The numbers of a time that Rust has packed."""
    if time is None:
        return [None] * len(plan.time)
    return [int.from_bytes(time[at : at + 8], "big") - (1 << 63) for at in range(0, len(time), 8)]


def _by_time(plan: Plan) -> Callable[[bytes, str, str], str]:
    return lambda time, way, why: plan.misfit(plan.shown(unpacked(plan, time)), way, why)


def read(plan: Plan, batch: pyarrow.RecordBatch) -> tuple[pyarrow.Array, list[pyarrow.Array], Callable[[int, str, str], str]]:
    """The lines and the times of a batch, and the function that names what is wrong with a row by its index."""
    import pyarrow

    lines = batch.column(0).cast(pyarrow.string())
    times = [_numbers(batch.column(1 + at), kind) for at, (_, kind) in enumerate(plan.time)]

    def misfit(row: int, way: str, why: str) -> str:
        return plan.misfit(plan.shown(time[row].as_py() for time in times), way, why)

    for (name, _), time in zip(plan.time, times):
        if time.null_count:
            row = time.is_null().index(True).as_py()
            raise TraceError(f"a row has no time: its column {name} is null or NaN; its event is {lines[row].as_py()}")
    if lines.null_count:
        raise TraceError(misfit(lines.is_null().index(True).as_py(), "", "there is no event: the column is null"))
    return lines, times, misfit


def route(plan: Plan, by_client: bool, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Pack rows by the buckets of their keys, or of their clients."""
    router = _mayhap.Router(plan.keys, plan.buckets, len(plan.time), by_client)
    for batch in batches:
        lines, times, misfit = read(plan, batch)
        offsets, text, columns = _buffers(lines, times)
        if router.add(text, offsets, columns, misfit) >= WAITING:
            yield _packs(router)
    yield _packs(router)


def _buffers(lines: pyarrow.Array, times: list[pyarrow.Array]) -> tuple[bytes, bytes, list[bytes]]:
    """The offsets and the text of lines, and the numbers of times, as bytes."""
    _, offsets, text = lines.buffers()
    start, count = lines.offset, len(lines)
    columns = [time.buffers()[1].slice(8 * time.offset, 8 * count).to_pybytes() for time in times]
    return offsets.slice(4 * start, 4 * (count + 1)).to_pybytes(), b"" if text is None else text.to_pybytes(), columns


def reroute(plan: Plan, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Pack the rows of clients, which come in the order of time, by the buckets of their keys."""
    router = _mayhap.Router(plan.keys, plan.buckets, len(plan.time), False)
    for batch in batches:
        for bucket, first, rows in zip(*(column.to_pylist() for column in batch.columns)):
            if router.add_packed(bucket, first, rows, _by_time(plan)) >= WAITING:
                yield _packs(router)
    router.end(_by_time(plan))
    yield _packs(router)


def _packs(router: _mayhap.Router) -> pyarrow.RecordBatch:
    import pyarrow

    packs = router.take()
    columns = [[pack[at] for pack in packs] for at in range(3)]
    types = [pyarrow.int32(), pyarrow.binary(), pyarrow.binary()]
    return pyarrow.RecordBatch.from_arrays(
        [pyarrow.array(column, kind) for column, kind in zip(columns, types)], names=["bucket", "first", "rows"]
    )


def judge(plan: Plan, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Judge packed rows: one verdict for each key."""
    judge, name = _mayhap.Judge(plan.keys, len(plan.time), plan.limits), _by_time(plan)
    for batch in batches:
        for bucket, first, rows in zip(*(column.to_pylist() for column in batch.columns)):
            yield from _verdicts(plan, judge.add(bucket, first, rows, name))
    yield from _verdicts(plan, judge.end(name))


def _verdicts(plan: Plan, rows: list[Any]) -> Iterator[pyarrow.RecordBatch]:
    """The batch of some verdicts, if there are any."""
    import pyarrow

    if rows:
        keys, kinds, events, times, counts, reasons = (list(column) for column in zip(*rows))
        numbers = list(zip(*(unpacked(plan, time) for time in times)))
        columns = [
            pyarrow.array(keys, pyarrow.string()),
            pyarrow.array(kinds, pyarrow.string()),
            pyarrow.array(events, pyarrow.int64()),
            *(_column(list(column), kind) for column, (_, kind) in zip(numbers, plan.time)),
            pyarrow.array(counts, pyarrow.int64()),
            pyarrow.array(reasons, pyarrow.string()),
        ]
        names = ["key", "verdict", "event", *(name for name, _ in plan.time), "events", "reason"]
        yield pyarrow.RecordBatch.from_arrays(columns, names=names)
