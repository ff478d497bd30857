"""What executors do for ``mayhap.spark.monitor``: each key has a session, which is saved as the state of the stream."""

from __future__ import annotations

import functools
import json
import zlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.stateful_processor import StatefulProcessor
from pyspark.sql.streaming.state import GroupStateTimeout

from ._keyed import Plan, _time, read
from .errors import TraceError, UsageError

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.stateful_processor import StatefulProcessorHandle
    from pyspark.sql.streaming.state import GroupState

Row = tuple[Any, ...]

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def verdicts(plan: Plan, rows: DataFrame, result: str) -> DataFrame:
    """The verdicts on the rows of a stream."""
    times = ", ".join(f"t{at} bigint" for at in range(len(plan.time)))
    keyed = f"key string, kind string, client bigint, line string, {times}"
    events = rows.mapInArrow(functools.partial(_events, plan), keyed)
    if plan.net != "sync":
        if rows.sparkSession.conf.get(_PROVIDER, None) != _ROCKS:
            raise UsageError(f"a stream of single events has two steps with state, for which Spark needs the setting {_PROVIDER}={_ROCKS}")
        # Spark allows one applyInPandasWithState in a query, but another kind of step before it.
        events = events.groupBy("client").transformWithStateInPandas(_Clients(plan), keyed, "Append", "None")
    state = "saved binary, last string, done boolean"
    judge = functools.partial(_of_key, plan)
    return events.groupBy("key").applyInPandasWithState(judge, result, state, "append", GroupStateTimeout.NoTimeout)


def _events(plan: Plan, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Read the rows, and find their keys."""
    import pyarrow

    for batch in batches:
        lines, times, misfit = read(plan, batch)
        texts = lines.to_pylist()
        found = plan.keys.read(texts, misfit)
        for row, (kind, _, _) in enumerate(found):
            if kind == "restart" and (plan.net != "sync" or not plan.keys.ignores_restarts):
                why = "a restart concerns all keys, also those that are not known yet: a stream has none"
                raise TraceError(misfit(row, "", why))
        kept = [row for row, (kind, _, _) in enumerate(found) if kind != "restart"]
        columns = [
            pyarrow.array([found[row][2] for row in kept], pyarrow.string()),
            pyarrow.array([found[row][0] for row in kept], pyarrow.string()),
            pyarrow.array([found[row][1] for row in kept], pyarrow.int64()),
            pyarrow.array([texts[row] for row in kept], pyarrow.string()),
            *(time.take(pyarrow.array(kept, pyarrow.int64())) for time in times),
        ]
        names = ["key", "kind", "client", "line", *(f"t{at}" for at in range(len(times)))]
        yield pyarrow.RecordBatch.from_arrays(columns, names=names)


def _in_order(plan: Plan, frames: Iterable[pandas.DataFrame]) -> list[tuple[list[int], Any]]:
    """The rows with their times, in the order of time."""
    names = [f"t{at}" for at in range(len(plan.time))]
    rows = [row for frame in frames for row in frame.itertuples(index=False)]
    timed = [([int(getattr(row, name)) for name in names], row) for row in rows]
    timed.sort(key=lambda row: row[0])
    return timed


def _late(plan: Plan, last: str | None, time: list[int]) -> str | None:
    """What is wrong with the order of two events, if anything is."""
    before = json.loads(last) if last else None
    if before is None or time > before:
        return None
    return f"an event with {plan.shown(time)} came when one with {plan.shown(before)} had been judged, so the order is not known"


class _Clients(StatefulProcessor):
    """Gives the events of a client the key of its request under way."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state: the key under way, whether there is one, and the time of the last event."""
        self.state = handle.getValueState("client", "key string, under_way boolean, last string")

    def handleInputRows(self, key: Any, rows: Iterator[pandas.DataFrame], timerValues: Any) -> Iterator[pandas.DataFrame]:
        """Find the keys of some events."""
        import pandas

        plan, out = self.plan, []
        under_way, is_under_way, last = self.state.get() or (None, False, None)
        for time, row in _in_order(plan, rows):
            why = _late(plan, last, time)
            if why is None and is_under_way and row.kind != "end":
                why = "it sends a request while another one has no answer yet; such recordings are not judged key by key"
            if why is not None:
                raise TraceError(plan.misfit(plan.shown(time), "", f"client {row.client}: {why}"))
            last = json.dumps(time)
            found = under_way if row.kind == "end" else row.key
            under_way, is_under_way = (found, True) if row.kind == "request" else (None, False)
            out.append((found, row.kind, row.client, row.line, *time))
        self.state.update((under_way, is_under_way, last))
        names = ["key", "kind", "client", "line", *(f"t{at}" for at in range(len(plan.time)))]
        yield pandas.DataFrame(out, columns=names)

    def close(self) -> None:
        """Nothing is left open."""


def _of_key(plan: Plan, group: Row, frames: Iterable[pandas.DataFrame], state: GroupState) -> Iterator[pandas.DataFrame]:
    """Judge the events of a key, from the session that was saved."""
    import pandas

    saved, last, is_done = state.get if state.exists else (None, None, False)
    if is_done:
        return
    (exchange_time, memory, reason_time), spec = plan.limits, plan.spec
    if saved:
        session = spec.restore(zlib.decompress(saved), exchange_time=exchange_time, memory=memory)
    else:
        session = spec.session(net=plan.net, exchange_time=exchange_time, memory=memory)
    rows = _in_order(plan, frames)
    out: list[Row] = []
    late: tuple[list[int], str] | None = None
    for at, (time, _) in enumerate(rows):
        why = _late(plan, last, time)
        if why is not None:
            late, rows = (time, why), rows[:at]
            break
        last = json.dumps(time)
    found = session._core.push_lines([row.line for _, row in rows], lambda at: plan.shown(rows[at][0]))
    for at, (kind, line, doubt) in found:
        time = [_time(of, number) for (_, of), number in zip(plan.time, rows[at][0])]
        if kind == "unknown":
            out.append((group[0], kind, None, *time, doubt))
            continue
        verdict = session.verdict(reason_time)
        out.append((group[0], verdict.kind, verdict.line, *time, verdict.reason))
        is_done = True
    if late is not None and not is_done:
        time = [_time(of, number) for (_, of), number in zip(plan.time, late[0])]
        out.append((group[0], "unknown", None, *time, late[1]))
        is_done = True
    # The text of a short session has all its events, much of them in common.
    state.update((b"" if is_done else zlib.compress(session.save().encode(), 1), last, is_done))
    names = ["key", "verdict", "event", *(name for name, _ in plan.time), "reason"]
    if out:
        yield pandas.DataFrame(out, columns=names)
