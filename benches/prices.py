#!/usr/bin/env python3
"""The price lists of docs/PERFORMANCE.md: instructions an exchange with all optimisations, and how many times that without each,
and without each pass of the compiler.

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
PRICES, PASSES = [(f"<!-- {name}: begin -->", f"<!-- {name}: end -->") for name in ("prices", "passes")]
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
    ("metrics", "tests/data/user/metrics.may", 1_000, None),
    ("lottery", "tests/data/user/lottery.may", 1_000, None),
    ("replicas", "tests/data/user/replicas.may", 100, None),
    ("http_conditional", "tests/data/user/http_conditional.may", 60, None),
    ("alike", "tests/data/hidden/alike.may", 300, None),
    ("sliding", "tests/data/hidden/sliding.may", 300, None),
    ("jobs", "tests/data/hidden/jobs.may", 300, None),
    ("pace", "tests/data/hidden/pace.may", 300, None),
    ("gauge", "tests/data/hidden/gauge.may", 300, None),
]
# The workloads on which the code itself is what an exchange costs: passes are measured on these.
QUICK = 9
# Where the code of each is, in-file tests not counted; that of a pass is the file of its name.
CODE = {
    "passes": ["spec/passes"],
    "inlining": ["spec/passes/inline.rs"],
    "directed": ["spec/reply_shapes.rs"],
    "merge": ["dualize/subsume.rs", "dualize/reduce.rs", "dualize/forms.rs"],
    "forget": ["dualize/forget.rs", "solve/forget.rs"],
    "sums": ["dualize/sums.rs", "solve/sum.rs"],
    "unite": ["dualize/focus.rs", "dualize/normal", "dualize/optional_step.rs", "dualize/merged_steps.rs"],
    "ahead": ["dualize/fork.rs"],
    "provenance": ["spec/provenance.rs"],
    "sink_choices": ["spec/sinking.rs"],
    "glides": ["process/glide.rs"],
}
NOTHING, SECONDS = "nothing", 60
DONE = re.compile(r"Collected : (\d+)")


def files_of(switch):
    return CODE.get(switch) or [f"spec/passes/{switch.replace(' ', '_')}.rs"]


def lines(paths):
    files = [f for path in paths for f in (sorted((ROOT / "src" / path).rglob("*.rs")) or [ROOT / "src" / path])]
    return sum(len(f.read_text().split("\n#[cfg(test)]\nmod tests {")[0].splitlines()) for f in files)


def built(bench):
    made = subprocess.run(["cargo", "bench", "--bench", bench, "--no-run"], cwd=ROOT, capture_output=True, text=True, check=True)
    return ROOT / re.search(r"\((\S*/deps/\S*)\)", made.stderr).group(1)


def count(bench, spec, trace, switch, limit=None):
    """The instructions of a run; nothing if it takes too long."""
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=*judge_all*", "--callgrind-out-file=/dev/null", bench, spec, trace, switch]
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


def columns(prices, switches, traces):
    for (name, spec, exchanges, _), trace in traces:
        with_all, verdict = count(prices, spec, trace, NOTHING)
        print(name, with_all // exchanges, verdict, file=sys.stderr)
        column = {NOTHING: f"{with_all // exchanges:,}"}
        for switch in switches:
            without, other = count(prices, spec, trace, switch, SECONDS)
            column[switch] = cell(with_all, without, (verdict, other))
            print(" ", switch, column[switch], file=sys.stderr)
        yield name, column


def put(marks, prices, switches, traces):
    """Measures, and puts the table between its marks."""
    measured = list(columns(prices, switches, traces))
    head = ["without", "lines"] + [name for name, _ in measured]
    rows = [["(instructions an exchange)", ""] + [column[NOTHING] for _, column in measured]]
    rows += [[f"`{s}`", str(lines(files_of(s)))] + [column[s] for _, column in measured] for s in switches]
    table = "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])
    (before, rest), (begin, end) = PAGE.read_text().split(marks[0]), marks
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
    switches, passes = [part.splitlines() for part in listed.split("\n\n")]
    with tempfile.TemporaryDirectory() as directory:
        traces = list(written(throughput, mayhap, directory))
        put(PASSES, prices, passes, traces[:QUICK])
        put(PRICES, prices, switches, traces)


main()
