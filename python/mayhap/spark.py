"""Recordings in DataFrames of Spark: each key is judged where its events are.

``validate`` judges a table, ``monitor`` a stream. The page docs/SPARK.md says what rows are, and what differs on a cluster.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from . import _keyed
from ._keyed import Plan
from ._spec import Spec
from .errors import UsageError

try:
    from pyspark.sql import functions as F
    from pyspark.sql import types as T
except ImportError as error:
    raise ImportError("mayhap.spark needs pyspark, pyarrow and pandas: pip install 'mayhap[spark]'") from error

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["monitor", "validate"]

_VALUES = ("c", "q", "a")
_FLAGS = ("lost", "closed", "restart")
_WHOLE = ("event", "value")
_KINDS = {
    "tinyint": "int",
    "smallint": "int",
    "int": "int",
    "bigint": "int",
    "date": "date",
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
    "float": "float",
    "double": "float",
}
_TYPES = {"int": "bigint", "float": "double"}
_PACKS = "bucket int, first binary, rows binary"


def validate(
    df: DataFrame,
    spec: Spec,
    time: str | Sequence[str] = "ts",
    *,
    event: str | None = None,
    net: str = "sync",
    exchange_time: float = 1.0,
    memory: int = 1024,
    reason_time: float = 1.0,
) -> DataFrame:
    """Judge a recording in a DataFrame, key by key.

    A row is an event: its columns ``q``, ``a``, ``c``, ``lost``, ``closed`` and ``restart`` are the keys of events, or the column
    ``event`` (else ``value``, or any other that is named) has the event as one JSON text. ``time`` names the column that orders the
    events, or up to four; no two events of a key may have the same time. With ``net="sync"`` rows are whole exchanges, with
    ``net="tcp"`` also single events of clients.

    The result has a row for each key: ``key`` (null for requests that touch no key), ``verdict``, ``event`` (the number of the deciding
    event among those of the key, from 1), its time, ``events`` (their number) and ``reason``. It is computed when Spark computes it; a
    row that is no event fails the query then, with a ``TraceError`` in its message.

    ``exchange_time`` and ``reason_time`` are seconds, for one exchange and for the reason of a verdict; ``memory`` is the MiB that a
    Python worker may take. Raises ``SpecError`` if the keys of the specification cannot be judged one by one, and ``UsageError`` if
    columns are missing.
    """
    plan, rows = _planned(df, spec, time, event, net, (exchange_time, memory, reason_time))
    is_clients = net != "sync"
    packs = rows.mapInArrow(functools.partial(_keyed.route, plan, is_clients), _PACKS)
    if is_clients:
        packs = _together(packs).mapInArrow(functools.partial(_keyed.reroute, plan), _PACKS)
    return _together(packs).mapInArrow(functools.partial(_keyed.judge, plan), _result(plan, "events bigint, reason string"))


def monitor(
    stream: DataFrame,
    spec: Spec,
    time: str | Sequence[str] = "ts",
    *,
    event: str | None = None,
    net: str = "sync",
    exchange_time: float = 1.0,
    memory: int = 1024,
    reason_time: float = 1.0,
) -> DataFrame:
    """Judge a stream of events, key by key, while it grows.

    The rows are as for ``validate``, and so are the arguments. The result is a stream in the output mode ``append``: a row for each key
    as soon as it is rejected, outside or at fault, and a row ``unknown`` for each event that was too hard. The sessions are the
    state in the checkpoint of the query. A key with an event that comes after a later one of it was judged becomes ``unknown``.
    """
    from . import _streamed

    plan, rows = _planned(stream, spec, time, event, net, (exchange_time, memory, reason_time))
    return _streamed.verdicts(plan, rows, _result(plan, "reason string"))


def _together(packs: DataFrame) -> DataFrame:
    """The packs of each bucket in one partition, in the order of their first times."""
    return packs.repartition("bucket").sortWithinPartitions("bucket", "first")


def _result(plan: Plan, more: str) -> str:
    """The columns of verdicts."""
    times = (f"`{name}` {_TYPES.get(kind, kind)}" for name, kind in plan.time)
    return ", ".join(["key string", "verdict string", "event bigint", *times, more])


def _planned(
    df: DataFrame,
    spec: Spec,
    time: str | Sequence[str],
    event: str | None,
    net: str,
    limits: tuple[float, int, float],
) -> tuple[Plan, DataFrame]:
    """The plan, and the rows: a line and the times."""
    if net not in ("sync", "tcp"):
        raise UsageError(f"net={net!r}: rows are judged over 'sync' or 'tcp'")
    names = [time] if isinstance(time, str) else list(time)
    if not 1 <= len(names) <= 4:
        raise UsageError("time names from one to four columns, which order the events")
    kinds = []
    for name in names:
        found = _typed(df, name, "the time of events").simpleString()
        if found not in _KINDS:
            types = "an integer, a float, a date or a timestamp"
            raise UsageError(f"column {name} is {found}, which does not order events: make it {types}")
        if name in ("key", "verdict", "event", "events", "reason"):
            raise UsageError(f"column {name} of the time has the name of a column of the result: rename it")
        kinds.append(_KINDS[found])
    event, line = _line(df, event, names if net == "sync" else [])
    buckets = max(1, int(df.sparkSession.conf.get("spark.sql.shuffle.partitions") or 200))
    plan = Plan(spec, net, tuple(zip(names, kinds)), event, buckets, limits)
    # What is refused is refused here, not in a task.
    _ = plan.keys
    return plan, df.select(line.alias("line"), *(df[f"`{name}`"] for name in names))


def _typed(df: DataFrame, name: str, what: str) -> T.DataType:
    """The type of a column, which must be there."""
    if name not in df.columns:
        near = get_close_matches(name, df.columns, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"there is no column {name}, {what}{hint}; the columns are {', '.join(df.columns)}")
    return df.schema[name].dataType


def _line(df: DataFrame, event: str | None, answered: list[str]) -> tuple[str | None, Column]:
    """The column of whole events, if there is one, and the expression of a line.

    If there are columns of the time in ``answered``, which name the row, a request needs its answer.
    """
    if event is None and "q" not in df.columns:
        event = next((name for name in _WHOLE if name in df.columns), None)
        if event is None:
            found = ", ".join(df.columns)
            raise UsageError(f"there is no column q (a request), and none of whole events, event or value; the columns are {found}")
    if event is not None:
        kind = _typed(df, event, "the events")
        if not isinstance(kind, (T.StringType, T.BinaryType)):
            raise UsageError(f"column {event} is {kind.simpleString()}: a whole event is a JSON text, as to_json makes it")
        return event, df[f"`{event}`"].cast("string")
    json = {name: _json(df, name) for name in _VALUES if name in df.columns}
    if answered:
        json.update(_paired(df, json.get("a", F.lit(None)), answered))
    parts = [_member(name, text) for name, text in json.items()]
    for name in (name for name in _FLAGS if name in df.columns):
        if not isinstance(df.schema[name].dataType, T.BooleanType):
            raise UsageError(f"column {name} is {df.schema[name].dataType.simpleString()}: it is true, or false or null")
        parts.append(F.when(df[name], F.lit(f'"{name}": true')))
    return None, F.concat(F.lit("{"), F.concat_ws(", ", *parts), F.lit("}"))


def _is_set(df: DataFrame, flag: str) -> Column:
    return F.coalesce(df[flag], F.lit(False)) if flag in df.columns else F.lit(False)


def _paired(df: DataFrame, answer: Column, names: list[str]) -> dict[str, Column]:
    """The request and the answer of whole exchanges. A row that has only one of them is an error, which names the row by its time."""
    time = [part for name in names for part in (F.lit(f"{name} = "), df[f"`{name}`"].cast("string"), F.lit(", "))]

    def missing(why: str) -> Column:
        return F.raise_error(F.concat(F.lit("the row with "), *time, F.lit(why))).cast("string")

    no_request = missing("column q: there is an answer, but no request")
    no_answer = missing("column a: the request has no answer; lost = true says that it was lost, and 'null' is the JSON null")
    return {
        "q": F.when(df["q"].isNull() & answer.isNotNull(), no_request).otherwise(_json(df, "q")),
        "a": F.when(df["q"].isNull() | _is_set(df, "lost"), answer).otherwise(F.coalesce(answer, no_answer)),
    }


def _member(name: str, json: Column) -> Column:
    """The member of an event, if it has it."""
    return F.concat(F.lit(f'"{name}": '), json)


def _json(df: DataFrame, name: str) -> Column:
    """The JSON of a column: text is JSON already."""
    kind = df.schema[name].dataType
    if isinstance(kind, (T.StructType, T.MapType, T.ArrayType, T.VariantType)):
        return F.to_json(df[name])
    return df[name].cast("string")
