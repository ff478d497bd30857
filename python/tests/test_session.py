"""Sessions."""

from __future__ import annotations

import threading

import pytest

import mayhap

EVENTS = [{"c": 1, "q": 5}, {"c": 1, "a": 1}, {"c": 2, "q": 3}, {"c": 2, "a": 0}]


def test_events_are_judged_while_they_are_observed(cmp_rst) -> None:
    session = cmp_rst.session()
    assert session.push_all(EVENTS) == mayhap.Progress("accept")
    assert len(session) == 4
    assert session.push({"c": 1, "q": 2}).is_explained
    assert session.push({"c": 1, "a": 1}) == ("reject", 6, None)
    verdict = session.verdict()
    assert (verdict.kind, verdict.line, verdict.possible) == ("reject", 6, [0])
    assert str(verdict).startswith("session: reject at line 6\n  no ordering")
    assert verdict.witness is None and "reject at line 6" in verdict._repr_html_()


def test_a_saved_session_goes_on(cmp_rst) -> None:
    session = cmp_rst.session()
    session.push_all(EVENTS)
    for saved in (session.save(), session.save().encode()):
        later = cmp_rst.restore(saved)
        assert later.push_all([{"c": 1, "q": 2}, {"c": 1, "a": 1}]).kind == "reject"
    for broken in ("", session.save()[:-9], b"\xff"):
        with pytest.raises(mayhap.UsageError, match="no saved session"):
            cmp_rst.restore(broken)


def test_whole_exchanges_are_for_the_network_sync(cmp_rst) -> None:
    session = cmp_rst.session(net="sync")
    assert session.push({"q": 5, "a": 1}).is_explained
    assert session.settle() == mayhap.Progress("accept")
    with pytest.raises(mayhap.UsageError):
        cmp_rst.session(net="nowhere")


def test_a_session_is_shared_between_threads(cmp_rst) -> None:
    session = cmp_rst.session()

    def push(client: int) -> None:
        for n in range(1, 200):
            session.push_all([{"c": client, "q": -n}, {"c": client, "a": 0}])

    threads = [threading.Thread(target=push, args=(client,)) for client in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(session) == 4 * 199 * 2
    assert session.verdict().is_accept


def test_many_events_are_judged_up_to_the_malformed_one(cmp_rst) -> None:
    session = cmp_rst.session(net="sync")
    events = [{"q": n + 1, "a": 1} for n in range(1000)]
    with pytest.raises(mayhap.TraceError, match=r"events\[700\]\['q'\]: expected int"):
        session.push_all([*events[:700], {"q": "x", "a": 1}, *events[700:]])
    assert len(session) == 700
    with pytest.raises(mayhap.TraceError, match=r"events\[300\]: int is no event"):
        session.push_all([*events[700:], 5])
    assert len(session) == 1000 and session.verdict().is_accept
