#!/usr/bin/env python3
"""Measures the command as users run it, and writes docs/PERFORMANCE.md's table and its plot.

It builds what it runs, a yardstick too: a program that reads the lines of CMP-RST and judges them by hand.

Times are those of the processor (user and system), the smallest of nine runs: a loaded machine changes them least.
"""
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PAGE, PLOT = ROOT / "docs/PERFORMANCE.md", ROOT / "docs/performance.svg"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
RANGES = ["--range", "request=0..1000", "--range", "choose=900..965"]
# Name, specification, how its trace is made, exchanges.
WORKLOADS = [
    ("CMP-RST", "cmp_rst.may", ("simulate", RANGES), 1_000_000),
    ("CMP-RST, the machine", "cmp_rst_machine.may", ("simulate", RANGES), 1_000_000),
    ("kv_etag, 1,000 keys", "kv_etag.may", ("write", "kv_etag_1000"), 200_000),
    ("kv_etag, 10,000 keys", "kv_etag.may", ("write", "kv_etag_10000"), 200_000),
    ("memcached, 1,000 keys", "memcached.may", ("write", "memcached_1000"), 100_000),
    ("register", "register.may", ("simulate", []), 200_000),
    ("lease", "lease.may", ("simulate", []), 50_000),
    ("idgen", "idgen.may", ("simulate", []), 50_000),
]
LENGTHS = [10_000, 100_000, 1_000_000, 10_000_000]
# Every shipped specification, with this number of simulated exchanges each; twice as many and more cost no more memory if the state
# is bounded.
SHIPPED = 5_000, 20_000
# What takes longer is stopped, seconds of wall clock; its place in the table says so.
PATIENCE = 15


def cargo(*args):
    done = subprocess.run(["cargo", *map(str, args)], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stderr


def tools():
    """The programs, built; the command guided by a profile if that can be."""
    guided = subprocess.run([ROOT / ".ci/guided"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if guided.returncode != 0:
        cargo("build", "--release", "--bins")
    built = {"how": "make release" if guided.returncode == 0 else "cargo build --release"}
    built["mayhap"] = Path(guided.stdout.strip() or TARGET / "release/mayhap")
    for bench in "throughput", "figure_3_1":
        built[bench] = ROOT / re.search(rf"\((.*{bench}-.*)\)", cargo("bench", "--no-run", "--bench", bench)).group(1)
    target = TARGET / "yardstick"
    cargo("build", "--release", "--manifest-path", ROOT / "benches/yardstick/Cargo.toml", "--target-dir", target)
    built["yardstick"] = target / "release/yardstick"
    return built


class TooSlow(Exception):
    """A program was stopped."""


def run(args, out=None, patience=None, every=0.002):
    """Runs a program; its processor seconds and the most memory that it held, in KiB.

    What the system says when a program has ended counts the memory of this script, which it was started from, too. So it is
    asked while the program runs; the peak never falls, and what is missed is what the last moment added, `every`
    seconds at most. Being asked takes time, too, so what is timed is asked seldom."""
    peak = 0
    with open(out or os.devnull, "wb") as sink:
        child = subprocess.Popen(list(map(str, args)), stdout=sink)
        ended, begun = 0, time.monotonic()
        while not ended:
            if patience and time.monotonic() - begun > patience:
                child.kill()
                child.wait()
                raise TooSlow
            peak = max(peak, peak_of(child.pid))
            time.sleep(every)
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(map(str, args))}: exit code {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, peak


def peak_of(pid):
    """The most memory that a running program has held since it began, in KiB; 0 if it has ended or has not begun."""
    try:
        if os.readlink(f"/proc/{pid}/exe") == os.readlink("/proc/self/exe"):
            return 0
        held = re.search(r"VmHWM:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(held.group(1)) if held else 0


def best(args):
    return min(run(args) for _ in range(9))


def record(tools, spec, how, count, path):
    """Writes a trace; the processor seconds that it took."""
    kind, what = how
    if kind == "write":
        return run([tools["throughput"], "write", what, count], path)[0]
    return run([tools["mayhap"], "simulate", ROOT / "specs" / spec, "--steps", count, *what], path)[0]


def judged(tools, spec, path):
    return best([tools["mayhap"], "validate", ROOT / "specs" / spec, path])


def table(tools, directory):
    lines = ["| trace | exchanges | recorded | judged | exchanges/s | memory |", "|---|---|---|---|---|---|"]
    for name, spec, how, count in WORKLOADS:
        path = directory / "trace.ndjson"
        made = record(tools, spec, how, count, path)
        seconds, memory = judged(tools, spec, path)
        lines.append(f"| {name} | {count:,} | {made:.2f} s | {seconds:.2f} s | {count / seconds:,.0f} | {memory / 1024:.1f} MiB |")
        print(lines[-1], flush=True)
        if name == "CMP-RST":
            by_hand, _ = best([tools["yardstick"], path])
            lines.append(f"| … reading the same lines and judging by hand | {count:,} | | {by_hand:.2f} s | {count / by_hand:,.0f} | |")
            lines.append(f"| … ratio to that, and to recording | | | {seconds / by_hand:.1f}, {seconds / made:.1f} | | |")
            print("\n".join(lines[-2:]), flush=True)
    return lines


def series(tools, directory):
    """For each length: seconds and KiB of a CMP-RST trace."""
    points = []
    for length in LENGTHS:
        path = directory / "trace.ndjson"
        record(tools, "cmp_rst.may", ("simulate", RANGES), length, path)
        points.append((length, *run([tools["mayhap"], "validate", ROOT / "specs/cmp_rst.may", path])))
        print(points[-1], flush=True)
    return points


def held(args):
    """The memory of a run, in MiB, as a cell. A short one may end before it is looked at; then it is run again."""
    try:
        runs = (run(args, patience=PATIENCE, every=0.0005)[1] for _ in range(20))
        return f"{next(filter(None, runs), 0) / 1024:.1f}"
    except TooSlow:
        return f"longer than {PATIENCE} s"


def shipped(tools, directory):
    """For each shipped specification: the memory of judging, and of a witness."""
    lines = ["| simulated | " + " | ".join(f"{length:,}: judged, MiB | with a witness, MiB" for length in SHIPPED) + " |",
             "|---" * (2 * len(SHIPPED) + 1) + "|"]
    for spec in sorted((ROOT / "specs").glob("*.may")):
        cells = [spec.stem]
        for length in SHIPPED:
            path = directory / "trace.ndjson"
            record(tools, spec.name, ("simulate", RANGES if "cmp" in spec.stem else []), length, path)
            for more in [], ["--witness", directory / "witness.ndjson"]:
                cells.append(held([tools["mayhap"], "validate", spec, path, *more]))
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return lines


def others(tools):
    """Beside Figure 3.1, and beside a state machine test by hand."""
    by_hand = ["cargo", "run", "--release", "--quiet", "--manifest-path", ROOT / "benches/by_hand/Cargo.toml",
               "--target-dir", TARGET / "by_hand"]
    lines = []
    for args in [tools["figure_3_1"], "--markdown"], by_hand:
        done = subprocess.run(list(map(str, args)), stdout=subprocess.PIPE, text=True, check=True)
        lines += ["", *done.stdout.strip().splitlines()]
    print("\n".join(lines), flush=True)
    return lines


def plot(points):
    """Microseconds an exchange and memory over the length of the trace, as SVG."""
    width, height, left, top = 640, 260, 60, 30
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * width} {height + 70}" font-family="sans-serif" font-size="13">']
    panels = [("microseconds an exchange", [seconds / length * 1e6 for length, seconds, _ in points]),
              ("peak memory, MiB", [memory / 1024 for _, _, memory in points])]
    for at, (title, values) in enumerate(panels):
        x0, most = at * width + left, max(values) * 1.25
        step = (width - left - 40) / (len(points) - 1)
        place = [(x0 + i * step, top + height - height * value / most) for i, value in enumerate(values)]
        parts.append(f'<text x="{x0}" y="{top - 12}">{title}</text>')
        parts.append(f'<path d="M{x0} {top} V{top + height} H{x0 + width - left - 40}" fill="none" stroke="#888"/>')
        parts.append(f'<polyline points="{" ".join(f"{x:.0f},{y:.0f}" for x, y in place)}" fill="none" stroke="#2563a8" stroke-width="2"/>')
        for (x, y), value, (length, _, _) in zip(place, values, points):
            parts.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="#2563a8"/>')
            parts.append(f'<text x="{x:.0f}" y="{y - 8:.0f}" text-anchor="middle">{value:.2f}</text>')
            parts.append(f'<text x="{x:.0f}" y="{top + height + 18}" text-anchor="middle">{length:,}</text>')
        parts.append(f'<text x="{x0 + (width - left) / 2 - 20}" y="{top + height + 36}" text-anchor="middle">exchanges in the trace</text>')
    PLOT.write_text("\n".join(parts + ["</svg>", ""]))


def machine(how):
    model = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} × {model}, {platform.system()}; {time.strftime('%Y-%m-%d')}; commit {commit}, built by `{how}`; load {load:.1f}."


def main():
    built = tools()
    with tempfile.TemporaryDirectory() as directory:
        lines = table(built, Path(directory))
        points = series(built, Path(directory))
        memory = shipped(built, Path(directory))
    plot(points)
    lines += ["", "| CMP-RST, exchanges | " + " | ".join(f"{length:,}" for length, *_ in points) + " |", "|---" * (len(points) + 1) + "|",
              "| µs an exchange | " + " | ".join(f"{seconds / length * 1e6:.2f}" for length, seconds, _ in points) + " |",
              "| peak memory, MiB | " + " | ".join(f"{held / 1024:.1f}" for *_, held in points) + " |", "", *memory]
    lines += others(built)
    page = PAGE.read_text()
    before, rest = page.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{machine(built['how'])}\n\n" + "\n".join(lines) + f"\n{END}{after}")


if __name__ == "__main__":
    main()
