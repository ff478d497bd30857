"""DataFrames of Spark: on a cluster of two executors, each a process of its own, and on one machine."""

from __future__ import annotations

import datetime
import json
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import COUNTER, SPECS

import mayhap

if "CI" not in os.environ:
    pytest.importorskip("pyspark", reason="skipped: pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("skipped: java is not installed", allow_module_level=True)

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import mayhap.spark

os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "4",
    # An error is one, and no accident that may not happen again.
    "spark.task.maxFailures": "1",
    "spark.sql.streaming.stateStore.providerClass": ROCKS,
}
KV = SPECS / "kv.may"
ETAG = SPECS / "kv_etag.may"
FORGETS = KV.read_text().replace("    on Get", "    on restart { data := {}; }\n\n    on Get")


def session(master: str) -> SparkSession:
    builder = SparkSession.builder.master(master)
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A cluster of two executors, each a process."""
    spark = session("local-cluster[2,1,1024]")
    yield spark
    spark.stop()


def simulated(spec: Path, seeds: int, steps: int, clients: int = 0) -> list[dict[str, Any]]:
    """The events of simulations that are mixed, each with keys and clients of its own."""
    runs = []
    for seed in range(seeds):
        words = [sys.executable, "-m", "mayhap", "simulate", str(spec), "--steps", str(steps), "--seed", str(seed)]
        words += ["--net", "tcp", "--lost", "3", "--clients", str(clients)] if clients else []
        lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
        runs.append([own(event, seed, clients) for event in map(json.loads, lines) if "mayhap" not in event])
    chance = random.Random(7)
    mixed = []
    while runs := [run for run in runs if run]:
        mixed.append(chance.choice(runs).pop(0))
    return mixed


def own(event: dict[str, Any], seed: int, clients: int) -> dict[str, Any]:
    """The event of one simulation among others."""
    if "c" in event:
        event["c"] += seed * clients
    for part in ("q", "a"):
        for fields in event[part].values() if isinstance(event.get(part), dict) else ():
            if isinstance(fields, list):
                fields[0] = f"{seed}{fields[0]}"
            elif isinstance(fields, dict) and "key" in fields:
                fields["key"] = f"{seed}{fields['key']}"
        if part == "q" and isinstance(event.get("q"), dict) and isinstance(event["q"].get("Get"), str):
            event["q"]["Get"] = f"{seed}{event['q']['Get']}"
    return event


def planted(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events with a wrong value in an answer in the second half."""
    for at in range(len(events) // 2, len(events)):
        got = events[at].get("a")
        found = isinstance(got, dict) and (got.get("Get") or got.get("Ok"))
        if found:
            wrong = json.loads(json.dumps(events[at]))
            if "Get" in got:
                wrong["a"]["Get"][1] = "wrong"
            else:
                wrong["a"]["Ok"]["value"] = "wrong"
            return [*events[:at], wrong, *events[at + 1 :]]
    raise LookupError


def table(spark: SparkSession, events: list[dict[str, Any]]) -> DataFrame:
    """The events in no order, in several partitions."""
    rows = [(at, json.dumps(event)) for at, event in enumerate(events)]
    random.Random(3).shuffle(rows)
    return spark.createDataFrame(rows, "ts long, event string").repartition(3)


@pytest.mark.parametrize(("spec", "net"), [(KV, "sync"), (ETAG, "sync"), (KV, "tcp"), (ETAG, "tcp")])
def test_a_recording_of_a_hundred_keys_has_the_verdict_of_one_process(spark: SparkSession, spec: Path, net: str) -> None:
    events = simulated(spec, 9, 250, 4 if net == "tcp" else 0)
    judge = mayhap.Spec.load(spec)
    rows = mayhap.spark.validate(table(spark, events), judge, net=net).collect()
    assert judge.validate(events, net=net).is_accept
    assert {row.verdict for row in rows} == {"accept"}
    assert len(rows) >= 100 and len({row.key for row in rows}) == len(rows)
    events = planted(events)
    whole = judge.validate(events, net=net)
    assert whole.kind == "reject" and whole.line is not None
    rows = mayhap.spark.validate(table(spark, events), judge, net=net).collect()
    (wrong,) = [row for row in rows if row.verdict != "accept"]
    assert (wrong.verdict, wrong.ts) == ("reject", whole.line - 1)
    assert "wrong" in wrong.reason and "only" in wrong.reason
    # The number of an event is that in the recording of its key.
    assert 1 <= wrong.event <= wrong.events


@pytest.mark.parametrize("net", ["sync", "tcp"])
def test_a_restart_reaches_every_key(spark: SparkSession, net: str) -> None:
    forgets, keeps = mayhap.Spec.from_text(FORGETS), mayhap.Spec.load(KV)
    puts = [{"c": 1, "q": {"Put": [str(key), "x"]}, "a": {"Put": [str(key), "x"]}} for key in range(20)]
    gets = [{"c": 2, "q": {"Get": str(key)}, "a": {"Get": [str(key), ""]}} for key in range(30)]
    events = [*puts, {"restart": True}, *gets]
    rows = mayhap.spark.validate(table(spark, events), forgets, net=net).collect()
    assert forgets.validate(events, net=net).is_accept
    assert {row.verdict for row in rows} == {"accept"} and {row.events for row in rows} == {2, 3}
    rows = mayhap.spark.validate(table(spark, events), keeps, net=net).collect()
    first = min(row.ts for row in rows if row.verdict == "reject")
    assert keeps.validate(events, net=net).line == first + 1
    assert sum(row.verdict == "reject" for row in rows) == 20


def test_columns_have_the_keys_of_events(spark: SparkSession) -> None:
    spec = mayhap.Spec.load(ETAG)
    put = "named_struct('Put', named_struct('key', k, 'value', v, 'if_match', null)) as q"
    rows = [(1, 10, "a", "x"), (1, 2, "b", "y"), (2, 1, "a", "z")]
    df = spark.createDataFrame(rows, "day int, nr int, k string, v string").selectExpr("day", "nr", put, "'\"NoContent\"' as a")
    found = mayhap.spark.validate(df, spec, time=["day", "nr"]).collect()
    assert {(row.key, row.verdict, row.events) for row in found} == {("a", "accept", 2), ("b", "accept", 1)}
    # Two spellings of a key are one key.
    day = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    spelled = [(day, '{"Put": ["a", "1"]}', '{"Put": ["a", "1"]}'), (day.replace(day=2), r'{"Get":  "\u0061"}', '{"Get":["a","2"]}')]
    (row,) = mayhap.spark.validate(spark.createDataFrame(spelled, "ts timestamp, q string, a string"), mayhap.Spec.load(KV)).collect()
    assert (row.key, row.verdict, row.event, row.ts.astimezone(datetime.timezone.utc)) == ("a", "reject", 2, day.replace(day=2))


def test_a_request_without_a_key_has_a_row_of_its_own(spark: SparkSession) -> None:
    text = """enum Request { Get(int), Ping } protocol p { request Request; response int; var m: map<int, int> = {};
        on Get(k) { reply m.get_or(k, 0); } on Ping { reply 7; } }"""
    events = [{"q": {"Get": 5}, "a": 0}, {"q": "Ping", "a": 7}, {"q": "Ping", "a": 8}]
    rows = mayhap.spark.validate(table(spark, events), mayhap.Spec.from_text(text)).collect()
    assert {(row.key, row.verdict, row.event) for row in rows} == {("5", "accept", None), (None, "reject", 2)}


GOOD = [(1, '{"Put": ["a", "1"]}', '{"Put": ["a", "1"]}'), (2, '{"Get": "a"}', '{"Get": ["a", "1"]}')]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ((3, '{"Put": ["a", 3.0]}', '{"Put": ["a", "1"]}'), "the row with ts = 3, column q, at ['Put'][1]: "),
        ((3, '{"Get": "a"}', "NaN"), "the row with ts = 3, column a: expected"),
        ((3, '{"Get": "a"}', None), "the row with ts = 3, column a: the request has no answer"),
        ((3, None, None), "the row with ts = 3: expected one of the keys"),
        ((None, '{"Get": "a"}', '{"Get": ["a", "1"]}'), "a row has no time: its column ts is null"),
        ((2, '{"Get": "a"}', '{"Get": ["a", "1"]}'), 'the row with ts = 2: another event of key "a" has the same time'),
    ],
)
def test_a_bad_row_is_named(spark: SparkSession, row: tuple[Any, ...], said: str) -> None:
    df = spark.createDataFrame([*GOOD, row], "ts int, q string, a string")
    with pytest.raises(PySparkException) as raised:
        mayhap.spark.validate(df, mayhap.Spec.load(KV)).collect()
    assert said in str(raised.value)


def test_floats_and_nan_of_pandas_are_named(spark: SparkSession) -> None:
    import pandas

    spec = mayhap.Spec.from_text("""protocol p { request int; response int; var m: map<int, int> = {}; on k { reply m.get_or(k, 0); } }""")
    frame = pandas.DataFrame({"t": [0.5, 1.5], "q": [3, None], "a": [0, 0]})
    with pytest.raises(PySparkException, match=r"the row with t = 0.5, column q: expected a whole number, found .3\.0."):
        mayhap.spark.validate(spark.createDataFrame(frame[:1]), spec, time="t").collect()
    with pytest.raises(PySparkException, match=r"the row with t = 1.5, column q: there is an answer, but no request"):
        mayhap.spark.validate(spark.createDataFrame(frame[1:]), spec, time="t").collect()
    (row,) = mayhap.spark.validate(spark.createDataFrame(frame[:1].astype({"q": "Int64"})), spec, time="t").collect()
    assert (row.key, row.verdict) == ("3", "accept")
    frame["t"] = float("nan")
    with pytest.raises(PySparkException, match="a row has no time: its column t is null or NaN"):
        mayhap.spark.validate(spark.createDataFrame(frame[:1]), spec, time="t").collect()


def test_what_cannot_be_judged_is_refused_at_once(spark: SparkSession) -> None:
    df, kv = spark.createDataFrame(GOOD, "ts int, q string, a string"), mayhap.Spec.load(KV)
    with pytest.raises(mayhap.SpecError, match=r"more is touched than what one part of the request is the key of \(<text>:7: `on Add"):
        mayhap.spark.validate(df, mayhap.Spec.from_text(COUNTER))
    with pytest.raises(mayhap.UsageError, match=r"there is no column ts, the time of events \(did you mean tss\?\); the columns are tss, q, a"):
        mayhap.spark.validate(df.withColumnRenamed("ts", "tss"), kv)
    with pytest.raises(mayhap.UsageError, match=r"there is no column q \(a request\), .* the columns are ts, request, a"):
        mayhap.spark.validate(df.withColumnRenamed("q", "request"), kv)
    with pytest.raises(mayhap.UsageError, match="column q is string, which does not order events"):
        mayhap.spark.validate(df, kv, time="q")
    with pytest.raises(mayhap.UsageError, match="column lost is int: it is true, or false or null"):
        mayhap.spark.validate(df.withColumn("lost", F.lit(1)), kv)
    names = "protocol p { request int; response bool; var m: map<int, client> = {}; on k from c { m[k] := c; reply true; } }"
    with pytest.raises(mayhap.SpecError, match="which client"):
        mayhap.spark.validate(df, mayhap.Spec.from_text(names))


def test_a_client_with_two_requests_under_way_is_named(spark: SparkSession) -> None:
    kv, said = mayhap.Spec.load(KV), "the row with ts = 1, column event: client 1 sends a request while another one of it has no answer yet"
    events = [{"c": 1, "q": {"Get": "a"}}, {"c": 1, "q": {"Get": "b"}}]
    # A request without an answer is under way, too.
    for first in ({}, {"c": 1}):
        with pytest.raises(PySparkException, match=said):
            mayhap.spark.validate(table(spark, [{**first, "q": {"Get": "a"}}, events[1]]), kv, net="tcp").collect()
    with pytest.raises(PySparkException, match='this is no whole exchange, which has "q" and "a"'):
        mayhap.spark.validate(table(spark, events), mayhap.Spec.load(KV)).collect()


def test_a_specification_is_pickled_with_its_texts(tmp_path: Path) -> None:
    (tmp_path / "sizes.may").write_text("const MOST: int = 3;")
    (tmp_path / "p.may").write_text("use sizes; protocol p { request int; response bool; on q { reply q < MOST; } } protocol other { request int; response int; on q { reply q; } }")
    spec = mayhap.Spec.load(tmp_path / "p.may", name="p", MOST=5)
    pickled = pickle.dumps(spec)
    shutil.rmtree(tmp_path)
    again = pickle.loads(pickled)
    assert again.name == "p" and again.validate([{"q": 4, "a": True}]).is_accept
    saved = spec.session().save()
    assert len(again.restore(saved)) == 0
    assert pickle.loads(pickle.dumps(again)).validate([{"q": 5, "a": False}]).is_accept


def streamed(spark: SparkSession, at: Path, net: str, sink: str, **options: str) -> Any:
    """A query that judges the files in a directory, one in each batch."""
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    stream = spark.readStream.schema("ts long, event string").option("maxFilesPerTrigger", 1).json(str(at / "in"))
    found = mayhap.spark.monitor(stream, mayhap.Spec.load(KV), net=net)
    writer = found.writeStream.format(sink).outputMode("append").option("checkpointLocation", str(at / "checkpoint"))
    return writer.options(**options).trigger(availableNow=True)


def put_files(at: Path, events: list[dict[str, Any]], count: int) -> None:
    """Write the events into files, one after another."""
    (at / "in").mkdir(parents=True)
    size = -(-len(events) // count)
    for number in range(count):
        put_file(at / "in" / f"{number:03}.json", number, list(enumerate(events))[number * size : (number + 1) * size])


def put_file(path: Path, age: int, events: list[tuple[int, dict[str, Any]]]) -> None:
    """Write events with their times. Spark takes files in the order of their ages."""
    path.write_text("\n".join(json.dumps({"ts": ts, "event": json.dumps(event)}) for ts, event in events) + "\n")
    os.utime(path, (1_700_000_000 + age, 1_700_000_000 + age))


def several_wrong(net: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """A recording with wrong answers, and the place of the first one of each key, as one process finds it."""
    events = simulated(KV, 3, 60, 2 if net == "tcp" else 0)
    for at in range(10, len(events), 40):
        later = [number for number in range(at, len(events)) if "Get" in (events[number].get("a") or "")]
        if later:
            events[later[0]]["a"]["Get"][1] = "wrong"
    spec, first, of_client = mayhap.Spec.load(KV), {}, {}
    for at, event in enumerate(events):
        if "q" in event:
            (fields,) = event["q"].values()
            of_client[event.get("c")] = fields if isinstance(fields, str) else fields[0]
        first.setdefault(of_client[event.get("c")], []).append((at, event))
    found = {}
    for key, own in first.items():
        progress = spec.session(net=net).push_all(event for _, event in own)
        if progress.line is not None:
            found[key] = own[progress.line - 1][0]
    assert len(found) >= 3
    return events, found


@pytest.mark.parametrize("net", ["sync", "tcp"])
def test_a_stream_rejects_when_it_happens(spark: SparkSession, tmp_path: Path, net: str) -> None:
    events, expected = several_wrong(net)
    put_files(tmp_path, events, 3)
    streamed(spark, tmp_path, net, "parquet", path=str(tmp_path / "out")).start().awaitTermination()
    rows = spark.read.parquet(str(tmp_path / "out")).collect()
    assert {row.verdict for row in rows} == {"reject"} and len(rows) == len(expected)
    assert {row.key: row.ts for row in rows} == expected
    # What comes later is judged from the checkpoint; a key is judged no more after a late event.
    late = [{"q": {"Get": "late"}, "a": {"Get": ["late", ""]}}, {"q": {"Get": "late"}, "a": {"Get": ["late", "x"]}}]
    if net == "sync":
        for number, (ts, event) in enumerate([(10_001, late[0]), (10_000, late[1]), (10_002, late[1])]):
            put_file(tmp_path / "in" / f"late{number}.json", 100 + number, [(ts, event)])
        streamed(spark, tmp_path, net, "parquet", path=str(tmp_path / "out")).start().awaitTermination()
        (row,) = spark.read.parquet(str(tmp_path / "out")).where("key = 'late'").collect()
        assert (row.verdict, row.ts) == ("unknown", 10_000) and "ts = 10001 had been judged" in row.reason


def test_a_stream_refuses_what_it_cannot_judge(spark: SparkSession, tmp_path: Path) -> None:
    put_files(tmp_path, [{"q": {"Get": "a"}, "a": {"Get": ["a", 3]}}], 1)
    with pytest.raises(PySparkException, match=r"the row with ts = 0, column event, at \['a'\]\['Get'\]\[1\]: "):
        streamed(spark, tmp_path, "sync", "noop").start().awaitTermination()
    # Nothing is lost: what was wrong is judged when it is right.
    os.remove(tmp_path / "in" / "000.json")
    (tmp_path / "in" / "000.json").write_text(json.dumps({"ts": 0, "event": '{"q": {"Get": "a"}, "a": {"Get": ["a", "x"]}}'}))
    streamed(spark, tmp_path, "sync", "parquet", path=str(tmp_path / "out")).start().awaitTermination()
    assert [row.key for row in spark.read.parquet(str(tmp_path / "out")).collect()] == ["a"]


PROGRAM = """
import sys
sys.path[:0] = {path!r}
import pathlib
from test_spark import session, streamed
at = pathlib.Path(sys.argv[1])
streamed(session("local[2]"), at, "sync", "parquet", path=str(at / "out")).start().awaitTermination()
"""


def test_a_stream_that_is_killed_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    events, expected = several_wrong("sync")
    put_files(tmp_path, events, 8)
    program = PROGRAM.format(path=[str(Path(__file__).parent)])
    words = [sys.executable, "-c", program, str(tmp_path)]
    commits = tmp_path / "checkpoint" / "commits"
    first = subprocess.Popen(words, start_new_session=True, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 100
    while not commits.is_dir() or len([name for name in os.listdir(commits) if name.isdigit()]) < 3:
        assert first.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    done = len([name for name in os.listdir(commits) if name.isdigit()])
    assert 3 <= done < 8
    subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
    # A file that the source had noted, but no batch yet, comes in one batch with the next.
    assert done < len([name for name in os.listdir(commits) if name.isdigit()]) <= 8
    # The log of the sink says which files count.
    logged = [json.loads(line)["path"] for line in written(tmp_path / "out" / "_spark_metadata")]
    import pyarrow.parquet

    tables = [pyarrow.parquet.read_table(path.removeprefix("file://")) for path in logged]
    rows = [row for table in tables for row in table.to_pylist()]
    assert len(rows) == len(expected) and {row["key"]: row["ts"] for row in rows} == expected


def written(log: Path) -> Iterator[str]:
    """The files that the log of a sink names, once each."""
    lines = [line for path in log.iterdir() if not path.name.startswith(".") for line in path.read_text().splitlines()]
    yield from sorted({line for line in lines if line.startswith("{")})
