#!/usr/bin/env python3
"""The price list of docs/PERFORMANCE.md: instructions an exchange with all passes of the compiler, and how many times that without
each.

Instructions are counted by callgrind, in the judge alone: they are the same on a busy machine. A run that takes more than a
minute is stopped; its cell says by how many times at least it is more.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/PERFORMANCE.md"
MARKS = ("<!-- passes: begin -->", "<!-- passes: end -->")
# Name, specification, exchanges; a workload of the benchmark `throughput` writes the trace, or the specification is simulated.
WORKLOADS = [
    ("CMP-RST", "specs/cmp_rst.may", 5_000, None),
    ("… machine", "specs/cmp_rst_machine.may", 5_000, None),
    ("kv_etag", "specs/kv_etag.may", 5_000, "kv_etag_1000"),
    ("memcached", "specs/memcached.may", 3_000, "memcached_1000"),
    ("lease", "specs/lease.may", 2_000, None),
    ("queue", "specs/queue.may", 2_000, None),
    ("idgen", "specs/idgen.may", 2_000, None),
    ("redis", "specs/redis_strings.may", 2_000, None),
    ("bank", "specs/bank.may", 1_000, None),
]
NOTHING, SECONDS = "nothing", 60
DONE = re.compile(r"Collected : (\d+)")


def lines(without):
    """The lines of a pass, its tests not counted; its file has its name."""
    files = {"passes": "*", "inlining": "inline"}.get(without, without.replace(" ", "_"))
    texts = [path.read_text() for path in (ROOT / "src/spec/passes").glob(f"{files}.rs")]
    return sum(len(text.split("\n#[cfg(test)]\nmod tests {")[0].splitlines()) for text in texts)


def built(bench):
    made = subprocess.run(["cargo", "bench", "--bench", bench, "--no-run"], cwd=ROOT, capture_output=True, text=True, check=True)
    return ROOT / re.search(r"\((\S*/deps/\S*)\)", made.stderr).group(1)


def count(bench, spec, trace, without, limit=None):
    """The instructions of a run; nothing if it takes too long."""
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=*judge_all*", "--callgrind-out-file=/dev/null", bench, spec, trace, without]
    try:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, "too long"
    return int(DONE.search(run.stderr).group(1)), run.stdout.strip()


def cell(with_all, without, verdicts):
    if without is None:
        return "stopped"
    ratio = f"{without / with_all:.2f}"
    return ratio if verdicts[0] == verdicts[1] else f"{ratio} (unknown)"


def columns(prices, passes, traces):
    for (name, spec, exchanges, _), trace in traces:
        with_all, verdict = count(prices, spec, trace, NOTHING)
        print(name, with_all // exchanges, verdict, file=sys.stderr)
        column = {NOTHING: f"{with_all // exchanges:,}"}
        for name_of_pass in passes:
            without, other = count(prices, spec, trace, name_of_pass, SECONDS)
            column[name_of_pass] = cell(with_all, without, (verdict, other))
            print(" ", name_of_pass, column[name_of_pass], file=sys.stderr)
        yield name, column


def put(prices, passes, traces):
    """Measures, and puts the table between its marks."""
    measured = list(columns(prices, passes, traces))
    head = ["without", "lines"] + [name for name, _ in measured]
    rows = [["(instructions an exchange)", ""] + [column[NOTHING] for _, column in measured]]
    rows += [[f"`{p}`", str(lines(p))] + [column[p] for _, column in measured] for p in passes]
    table = "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])
    (before, rest), (begin, end) = PAGE.read_text().split(MARKS[0]), MARKS
    PAGE.write_text(f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}")


def written(throughput, mayhap, directory):
    """The workloads with their traces."""
    for at, workload in enumerate(WORKLOADS):
        _, spec, exchanges, name = workload
        trace = Path(directory) / f"{at}.ndjson"
        if name:
            write = [throughput, "write", name, str(exchanges)]
            trace.write_bytes(subprocess.run(write, cwd=ROOT, capture_output=True, check=True).stdout)
        else:
            simulate = [mayhap, "simulate", spec, "--steps", str(exchanges), "--seed", "1", "--out", trace]
            subprocess.run(simulate, cwd=ROOT, capture_output=True, check=True)
        yield workload, trace


def main():
    prices, throughput = built("prices"), built("throughput")
    mayhap = sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/release/mayhap"
    listed = subprocess.run([prices], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as directory:
        put(prices, listed.splitlines(), list(written(throughput, mayhap, directory)))


main()
