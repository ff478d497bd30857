#!/usr/bin/env python3
"""What `mayhap.spark.validate` does in a second, beside two processes of `mayhap validate` on the same lines.

Usage: benches/spark.py MAYHAP [EVENTS] [MASTER]      with the package, pyspark, pyarrow and pandas installed; MAYHAP is the command.
The keys are those of ten simulations, which are mixed. Before it is measured, Spark has judged a small recording, as its start takes
seconds whatever comes then.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import pyarrow
import pyarrow.parquet

SPECS = pathlib.Path(__file__).parent.parent / "specs"
KEYS = {"kv": ["\": [\"", "\"Get\": \""], "kv_etag": ["\"key\": \""]}
"""What may be before a key."""
SIMULATIONS = 10
ROWS = 20_000
SCHEMA = pyarrow.schema([("ts", pyarrow.int64()), ("event", pyarrow.string())])


def record(command: str, name: str, events: int, at: pathlib.Path) -> None:
    """Write a recording as a table, and its halves as lines: no key is in both."""
    simulate = [command, "simulate", SPECS / f"{name}.may", "--steps", str(events // SIMULATIONS), "--seed"]
    with open(os.devnull, "w") as nowhere:
        runs = [subprocess.Popen([*simulate, str(seed)], stdout=subprocess.PIPE, stderr=nowhere, text=True) for seed in range(SIMULATIONS)]
    halves = [open(at / f"{name}.{half}.ndjson", "w") for half in range(2)]
    with pyarrow.parquet.ParquetWriter(at / f"{name}.parquet", SCHEMA) as table:
        count = 0
        while lines := list(mixed(runs, KEYS[name], halves)):
            times = range(count, count + len(lines))
            table.write_table(pyarrow.table({"ts": times, "event": lines}, schema=SCHEMA))
            count += len(lines)
    for half in halves:
        half.close()


def mixed(runs, before, halves):
    """Some next lines of each simulation in turn, with keys of its own."""
    for _ in range(ROWS):
        for number, run in enumerate(runs):
            if line := run.stdout.readline():
                for text in before:
                    line = line.replace(text, f"{text}{number}")
                halves[number % 2].write(line)
                yield line.rstrip("\n")


def main() -> None:
    command, events, master = [*sys.argv[1:], *["10000000", "local[2]"][len(sys.argv) - 2 :]]
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    import mayhap.spark

    session = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.driver.memory", "1g")
    # Partitions of 64 MiB would be three, for two cores.
    session = session.config("spark.sql.adaptive.advisoryPartitionSizeInBytes", "16m")
    spark = session.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    with tempfile.TemporaryDirectory() as directory:
        at = pathlib.Path(directory)
        for name in KEYS:
            spec = mayhap.Spec.load(SPECS / f"{name}.may")
            for count in (20_000, int(events)):
                record(command, name, count, at)
                begin = time.monotonic()
                judges = [subprocess.Popen([command, "validate", SPECS / f"{name}.may", at / f"{name}.{half}.ndjson"], stdout=subprocess.DEVNULL) for half in range(2)]
                assert [judge.wait() for judge in judges] == [0, 0]
                middle = time.monotonic()
                rows = mayhap.spark.validate(spark.read.parquet(str(at / f"{name}.parquet")), spec).collect()
                end = time.monotonic()
                assert {row.verdict for row in rows} == {"accept"} and sum(row.events for row in rows) == count
            processes, own = middle - begin, end - middle
            print(f"{name}: {count} events of {len(rows)} keys: two processes {processes:.1f} s, Spark {own:.1f} s, ratio {processes / own:.2f}")
    print(f"driver, Python: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB at most")
    spark.stop()


if __name__ == "__main__":
    main()
