"""Specifications and verdicts."""

from __future__ import annotations

import gzip
import json
import pathlib
import subprocess
import sys
import threading

import pytest
from conftest import SPECS

import mayhap

TRACE = [{"q": 5, "a": 1}, {"q": 3, "a": 0}, {"q": 2, "a": 1}]


@pytest.fixture
def recorded(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "t.ndjson"
    path.write_text("".join(json.dumps(event) + "\n" for event in TRACE))
    return path


def command(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mayhap", *map(str, words)], capture_output=True, text=True, check=False
    )


def test_a_verdict_says_what_the_command_prints(cmp_rst, recorded) -> None:
    verdict = cmp_rst.validate(recorded)
    printed = command("validate", SPECS / "cmp_rst.may", recorded)
    assert (str(verdict) + "\n", printed.returncode) == (printed.stdout, 1)
    assert (verdict.kind, verdict.line, verdict.because, verdict.possible) == ("reject", 3, [2], [0])
    assert not verdict.is_accept and "n >= 3" in verdict.reason
    in_memory = cmp_rst.validate(TRACE)
    assert str(in_memory) == str(verdict).replace(str(recorded), "events")
    assert verdict.report["reason"] == in_memory.report["reason"] == [2]


def test_a_verdict_is_because_of_the_lines_that_matter() -> None:
    spec = mayhap.Spec.load(SPECS / "kv_etag.may")
    weak, strong = ({"weak": weak, "opaque": "a"} for weak in (True, False))

    def put(value, tag=None):
        return {"Put": {"key": "x", "value": value, "if_match": tag}}

    def get(tag=None):
        return {"Get": {"key": "x", "if_none_match": tag}}

    # No server gives this answer to this request.
    alone = spec.validate([{"q": put("1"), "a": "NoContent"}, {"q": get(), "a": "NotModified"}])
    assert (alone.kind, alone.because) == ("reject", [])
    assert "(this answer is wrong whatever was answered before)" in alone.reason
    # Without the request on line 3 it would be right.
    events = [
        {"q": put("1"), "a": "NoContent"},
        {"q": get(strong), "a": "NotModified"},
        {"q": put("2", strong), "a": "PreconditionFailed"},
        {"q": get(), "a": {"Ok": {"value": "1", "tag": strong}}},
    ]
    after = spec.validate(events)
    assert (after.kind, after.because) == ("reject", [3])
    assert "(this answer is wrong after line 3, whatever was answered before)" in after.reason
    assert spec.validate([*events[:2], events[3]]).is_accept
    assert spec.validate([*events[:3], {"q": get(), "a": {"Ok": {"value": "1", "tag": weak}}}]).is_accept


def test_an_accepted_recording_has_a_witness_and_a_page(cmp_rst, recorded) -> None:
    verdict = cmp_rst.validate(TRACE[:2])
    assert verdict.is_accept and verdict.reason is None
    assert [step["a"] for step in verdict.witness] == [1, 0]
    assert verdict.html().startswith("<!doctype html>") and "<iframe" in verdict._repr_html_()
    assert cmp_rst.validate(TRACE).witness is None


def test_a_verdict_is_neither_true_nor_false(cmp_rst) -> None:
    with pytest.raises(TypeError, match="is_accept"):
        bool(cmp_rst.validate(TRACE))
    assert repr(cmp_rst.validate(TRACE)) == "<mayhap.Verdict: reject at line 3>"


def test_files_of_other_formats_are_read(cmp_rst, recorded, tmp_path) -> None:
    packed = tmp_path / "t.ndjson.gz"
    packed.write_bytes(gzip.compress(recorded.read_bytes()))
    assert cmp_rst.validate(str(packed)).line == 3
    history = tmp_path / "h.edn"
    history.write_text("{:process 0, :type :invoke, :f :write, :value 1}\n{:process 0, :type :ok, :f :write, :value 1}\n"
                       "{:process 0, :type :invoke, :f :read}\n{:process 0, :type :ok, :f :read, :value 2}\n")
    register = mayhap.Spec.load(SPECS / "register.may")
    assert register.validate(history).kind == "reject"
    assert register.validate(history, start="any").kind == "reject"
    with pytest.raises(mayhap.UsageError):
        register.validate(history, fail={"read": "sometimes"})


def test_an_array_of_events_is_refused_with_what_to_do(cmp_rst, tmp_path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps(TRACE))
    with pytest.raises(mayhap.TraceError, match="one event a line") as caught:
        cmp_rst.validate(path)
    assert "spec.validate(json.load(file))" in str(caught.value)
    assert cmp_rst.validate(json.loads(path.read_text())).line == 3


@pytest.mark.parametrize("wrong", [{"net": "tpc"}, {"memory": "much"}, {"start": "never"}, {"nil": "some"}, {"format": "hra"}])
def test_a_wrong_option_is_named_without_the_help_of_the_command(cmp_rst, recorded, wrong) -> None:
    with pytest.raises(mayhap.UsageError) as caught:
        cmp_rst.validate(recorded, **wrong)
    [(name, value)] = wrong.items()
    assert value in str(caught.value)
    assert "--help" not in str(caught.value) and "Usage:" not in str(caught.value)


def test_the_other_verdicts_have_their_words() -> None:
    text = """protocol p { request int; response int; var n: int = 0; on q {
        expects q != 1; if q == 2 { let l = [1]; reply l[q]; } reply q; } }"""
    spec = mayhap.Spec.from_text(text)
    assert spec.validate([{"q": 1, "a": 1}]).kind == "outside"
    fault = spec.validate([{"q": 2, "a": 1}])
    assert fault.kind == "fault" and "out of range" in str(fault)
    hard = mayhap.Spec.from_text("""protocol p { request int; response int; on q {
        let x = choose int; let y = choose int; assume x * x * x == y * y + 1; reply x; } }""")
    unknown = hard.validate([{"q": 0, "a": 1000003}], exchange_time=0.00001)
    assert unknown.kind == "unknown" and not unknown.is_accept


def test_constants_are_keywords() -> None:
    kv = SPECS / "kv.may"
    used = [{"q": {"Get": "a"}, "a": {"Get": ["a", "7"]}}]
    assert mayhap.Spec.load(kv).validate(used).kind == "reject"
    assert mayhap.Spec.load(kv, FRESH=False).validate(used).is_accept
    text = """const N: int = 0; const T: string = ""; const L: list<int> = []; const M: map<string, int> = {};
        protocol p { request int; response (int, string, list<int>, map<string, int>); on q { reply (N, T, L, M); } }"""
    spec = mayhap.Spec.from_text(text, N=-3, T='a"b', L=[1, 2], M={"k": 1})
    assert spec.validate([{"q": 0, "a": [-3, 'a"b', [1, 2], {"k": 1}]}]).is_accept
    with pytest.raises(mayhap.SpecError, match="did you mean `FRESH`"):
        mayhap.Spec.load(kv, FRSH=False)
    with pytest.raises(mayhap.UsageError, match="the constant FRESH cannot be"):
        mayhap.Spec.load(kv, FRESH=1.5)


def test_a_file_with_several_protocols_needs_a_name_and_uses_files_beside_it(tmp_path) -> None:
    (tmp_path / "words.may").write_text("enum Word { A, B }\n")
    body = "{ request int; response Word; on q { reply %s; } }"
    (tmp_path / "two.may").write_text(f"use words;\nprotocol a {body % 'A'}\nprotocol b {body % 'B'}\n")
    assert mayhap.Spec.load(tmp_path / "two.may", name="b").validate([{"q": 1, "a": "B"}]).is_accept
    with pytest.raises(mayhap.SpecError):
        mayhap.Spec.load(tmp_path / "two.may")


def test_errors_of_a_specification_are_what_the_command_prints(tmp_path) -> None:
    path = tmp_path / "wrong.may"
    path.write_text("protocol p { request int; response int; on q { reply r; } }\n")
    with pytest.raises(mayhap.SpecError) as caught:
        mayhap.Spec.load(path)
    assert str(caught.value) + "\n" == command("dualize", path).stderr
    with pytest.raises(mayhap.SpecError, match="no such file"):
        mayhap.Spec.load(tmp_path / "missing.may")
    with pytest.raises(mayhap.TraceError, match="no such file"):
        mayhap.Spec.from_text("protocol p { request int; response int; on q { reply q; } }").validate("missing.ndjson")


def test_a_specification_is_shared_between_threads(cmp_rst) -> None:
    lines: list[int | None] = []
    threads = [threading.Thread(target=lambda: lines.append(cmp_rst.validate(TRACE).line)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lines == [3, 3, 3, 3]


def test_what_else_is_in_memory_does_not_count_as_explanations(cmp_rst, tmp_path) -> None:
    ours = b"x" * (300 << 20)
    rising = tmp_path / "rising.ndjson"
    rising.write_text("".join(f'{{"q": {n}, "a": 1}}\n' for n in range(1, 100_000)))
    assert cmp_rst.validate(rising, memory=64).is_accept
    del ours
