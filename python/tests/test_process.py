"""The package and its process: signals, the GIL, the command, and the Z3 of others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import SPECS

import mayhap


def script(text: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text), *words], capture_output=True, text=True, timeout=120, check=False
    )


def endless():
    while True:
        yield {"q": 5, "a": 1}


class Slow:
    def ask(self, client, request):
        time.sleep(0.001)
        return 0


class Hanging:
    def ask(self, client, request):
        time.sleep(1000)


ZERO = "protocol p { request int; response int; on q { reply 0; } }"


@pytest.mark.parametrize("work", ["file", "endless", "push_all", "test 1", "test 3", "hang 1", "hang 3"])
def test_ctrl_c_ends_work_within_a_second(cmp_rst, tmp_path, work) -> None:
    zero = mayhap.Spec.from_text(ZERO)
    long = tmp_path / "long.ndjson"
    if work == "file":
        long.write_text("".join(f'{{"q": {n}, "a": 1}}\n' for n in range(1, 1_000_000)))
    does = {
        "file": lambda: cmp_rst.validate(long),
        "endless": lambda: cmp_rst.validate(endless()),
        "push_all": lambda: cmp_rst.session(net="sync").push_all(endless()),
        "test 1": lambda: mayhap.test(zero, Slow, requests=10**6),
        "test 3": lambda: mayhap.test(zero, Slow, requests=10**6, clients=3),
        "hang 1": lambda: mayhap.test(zero, Hanging, requests=10**6),
        "hang 3": lambda: mayhap.test(zero, Hanging, requests=10**6, clients=3),
    }
    after = 0.3
    timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
    started = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        does[work]()
    assert time.monotonic() - started - after < 1


def test_other_threads_run_while_a_recording_is_judged(cmp_rst, tmp_path) -> None:
    long = tmp_path / "long.ndjson"
    long.write_text("".join(f'{{"q": {n}, "a": 1}}\n' for n in range(1, 200_000)))
    counted, is_over = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not is_over.wait(0.001):
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    assert cmp_rst.validate(long).is_accept
    is_over.set()
    thread.join()
    assert counted > 20


def test_the_command_is_the_same_command(tmp_path) -> None:
    for words in (["mayhap"], [sys.executable, "-m", "mayhap"]):
        if words == ["mayhap"]:
            words = [os.path.join(os.path.dirname(sys.executable), "mayhap")]
        assert subprocess.run([*words, "check", SPECS / "kv.may"], capture_output=True, check=False).returncode == 0
        refused = subprocess.run([*words, "nonsense"], capture_output=True, text=True, check=False)
        assert refused.returncode == 2 and "unrecognized subcommand" in refused.stderr
        piped = f"'{words[0]}' {' '.join(words[1:])} simulate {SPECS / 'cmp_rst.may'} --steps 100000 --seed 1 | head -1"
        line = subprocess.run(piped, shell=True, capture_output=True, text=True, check=False)
        assert line.stdout.startswith('{"q"') and line.stderr == ""


def test_the_command_ends_at_ctrl_c() -> None:
    serve = [sys.executable, "-m", "mayhap", "serve", str(SPECS / "cmp_rst.may"), "--tcp", "127.0.0.1:0"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        killer = threading.Timer(20, process.kill)
        killer.start()
        assert "listening" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait() in (0, 130)
        killer.cancel()


@pytest.mark.parametrize("first", ["z3", "mayhap"])
def test_the_z3_of_others_is_another_one(first) -> None:
    pytest.importorskip("z3")
    second = "mayhap" if first == "z3" else "z3"
    text = f"""
        import {first}, {second}, sys, z3, mayhap
        def ask():
            # This needs the solver: a cube between two others.
            spec = mayhap.Spec.from_text('''protocol p {{ request int; response int; on q {{
                let x = choose int; let y = choose int; assume x * x + y * y == 25; assume x > y; assume y > 0; reply x; }} }}''')
            assert spec.validate([{{"q": 0, "a": 4}}]).is_accept
            assert spec.validate([{{"q": 0, "a": 5}}]).kind == "reject"
        def solve():
            x = z3.Int("x")
            solver = z3.Solver()
            solver.add(x > 2, x < 4)
            assert solver.check() == z3.sat and solver.model()[x].as_long() == 3
        for _ in range(20):
            ask(); solve()
        maps = open("/proc/self/maps").read()
        print(len({{line.split()[-1] for line in maps.splitlines() if "libz3" in line}}), z3.get_version_string())
    """
    done = script(text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "2", "both have a library of their own"


def test_a_thread_that_is_stuck_does_not_keep_the_process() -> None:
    text = f"""
        import mayhap, time
        class Hanging:
            def ask(self, client, request):
                time.sleep(1000)
        try:
            mayhap.test(mayhap.Spec.from_text("{ZERO}"), Hanging, clients=2, deadline=0.1)
        except mayhap.ViolationError as error:
            print(error)
    """
    done = script(text)
    assert done.returncode == 0 and "got no answer" in done.stdout, done.stderr
