"""Events in memory: what is one, and what is said of an object that is none."""

from __future__ import annotations

import decimal

import numpy
import pandas
import pytest

import mayhap


def said(call) -> str:
    with pytest.raises(mayhap.TraceError) as caught:
        call()
    return str(caught.value)


FINE = {"q": 5, "a": 1}


@pytest.mark.parametrize(
    ("event", "place", "why"),
    [
        (7, "events[1]", "int is no event"),
        (None, "events[1]", "NoneType is no event"),
        ('{"q": 5}', "events[1]", "json.loads"),
        ({"query": 5, "a": 1}, "events[1]", "the key 'query' has no meaning"),
        ({"Q": 5, "a": 1}, "events[1]", "the key 'Q' has no meaning; did you mean 'q'?"),
        ({1: 5}, "events[1]", "the key 1 is no string"),
        ({"q": 3.0, "a": 0}, "events[1]['q']", "3.0 is a float"),
        ({"q": numpy.float64(3), "a": 0}, "events[1]['q']", "3.0 is a float"),
        ({"q": 3, "a": float("nan")}, "events[1]['a']", "nan is no value: leave the key out"),
        ({"q": 3, "a": float("inf")}, "events[1]['a']", "inf is no value"),
        ({"q": 3, "a": pandas.NA}, "events[1]['a']", "leave the key out"),
        ({"q": 3, "a": None}, "events[1]['a']", "null is None"),
        ({"q": 3, "a": "x"}, "events[1]['a']", 'expected int, found the string "x"'),
        ({"q": decimal.Decimal(3), "a": 0}, "events[1]['q']", "decimal.Decimal has no form as JSON"),
        ({"q": [1, {"x": object()}], "a": 0}, "events[1]['q'][1]['x']", "object has no form as JSON"),
        ({"q": "\ud800", "a": 0}, "events[1]['q']", "surrogate"),
        ({"c": -1, "q": 3}, "events[1]['c']", "expected a number from 0"),
        ({"a": 1}, "events[1]", "needs its connection"),
        ({}, "events[1]", 'expected one of the keys "q"'),
    ],
)
def test_an_object_that_is_no_event_is_named_with_its_place(cmp_rst, event, place, why) -> None:
    text = said(lambda: cmp_rst.validate([FINE, event, FINE]))
    assert f"{place}\n" in text or f"{place}:" in text
    assert why in text
    # A session says the same, and goes on without it.
    session = cmp_rst.session(net="sync")
    assert why in said(lambda: session.push_all([FINE, event]))
    assert len(session) == 1
    assert session.push(FINE).is_explained


def test_an_object_that_contains_itself_is_refused(cmp_rst) -> None:
    endless: list[object] = []
    endless.append(endless)
    assert "nested too deeply" in said(lambda: cmp_rst.validate([{"q": endless}]))


def test_an_iterable_that_raises_is_named_and_its_exception_is_the_cause(cmp_rst) -> None:
    def events():
        yield FINE
        raise KeyError("gone")

    with pytest.raises(mayhap.TraceError, match=r"events\[1\] was not produced: KeyError: 'gone'") as caught:
        cmp_rst.validate(events())
    assert isinstance(caught.value.__cause__, KeyError)
    session = cmp_rst.session(net="sync")
    with pytest.raises(mayhap.TraceError):
        session.push_all(events())
    assert len(session) == 1


def test_what_is_no_recording_is_a_usage_error(cmp_rst) -> None:
    for recording in (5, FINE, None):
        with pytest.raises(mayhap.UsageError):
            cmp_rst.validate(recording)
    with pytest.raises(mayhap.TraceError, match="no events, so nothing was tested"):
        cmp_rst.validate([])
    with pytest.raises(ValueError, match="there is no network `nowhere`"):
        cmp_rst.validate([FINE], net="nowhere")


def test_integers_of_all_kinds_are_integers(cmp_rst) -> None:
    kinds = [numpy.int64(5), numpy.uint8(5), 10**40, -(10**40), 2**63, 2**64]
    assert cmp_rst.validate([{"q": 10**50, "a": 1}, *({"q": q, "a": numpy.int32(0)} for q in kinds)]).is_accept
    frame = pandas.DataFrame({"q": [5, 3, 2], "a": [1, 0, 1]})
    verdict = cmp_rst.validate(frame.to_dict("records"))
    assert (verdict.kind, verdict.line) == ("reject", 3)
    assert cmp_rst.validate({"q": row.q, "a": row.a} for row in frame.itertuples()).line == 3


def test_values_of_all_types_have_their_forms() -> None:
    spec = mayhap.Spec.from_text("""
        struct All { t: string, b: bytes, y: bool, o: option<int>, l: list<int>, s: set<int>, m: map<string, int>, i: map<int, string>,
            p: (int, string) }
        protocol echo { request All; response All; on q { reply q; } }
    """)
    value = {"t": 'ä"\\\n', "b": b"\xff\x00", "y": numpy.bool_(True), "o": None, "l": (1, 2), "s": {2, 1}, "m": {"k": 1}}
    value |= {"i": {1: "a", -2: "b"}, "p": (1, "x")}
    assert spec.validate([{"q": value, "a": value}]).is_accept
    for key, other in [("t", "x"), ("b", b"\xfe"), ("y", False), ("o", 1), ("l", [2, 1]), ("s", [3]), ("m", {}), ("p", [2, "x"])]:
        verdict = spec.validate([{"q": value, "a": {**value, key: other}}])
        assert verdict.kind == "reject", key


def test_remarks_are_not_read(cmp_rst) -> None:
    assert cmp_rst.validate([{"mayhap": 1, "spec": "cmp_rst"}, {**FINE, "t": 1.5, "note": object()}]).is_accept


def test_integers_of_any_number_of_digits_are_integers() -> None:
    spec = mayhap.Spec.from_text("const N: int = 0; protocol p { request int; response int; var n: int = choose; on q { n := n + N; reply q + n; } }", N=-(10**6000))
    large = 10**5000 + 3
    verdict = spec.validate([{"q": large, "a": 2 * large}, {"q": 0, "a": large}])
    assert (verdict.kind, verdict.possible) == ("reject", [large - 10**6000])
    witness = spec.validate([{"q": large, "a": 2 * large}]).witness
    assert witness[0]["choices"] == [large + 10**6000]
    session = spec.session(net="sync")
    assert session.push({"q": large, "a": 2 * large}).is_explained
    assert not session.push({"q": numpy.int64(0), "a": large}).is_explained
    assert session.verdict().possible == [large - 10**6000]
