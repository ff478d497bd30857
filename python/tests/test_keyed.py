"""Recordings that are divided by keys have the verdicts of one process, whatever the order in which their rows come and where they are
divided.

Here are the parts that executors run, without Spark: many small recordings are quickly judged so.
"""

from __future__ import annotations

import json
import random
import struct
from typing import Any

from conftest import SPECS

import mayhap
from mayhap import _mayhap

KV = (SPECS / "kv.may").read_text()
RESTART = "    on restart {{ data := {}; }}\n\n    on Get"
SPECIFICATIONS = [
    mayhap.Spec.from_text(KV),
    mayhap.Spec.from_text(KV, FRESH=False),
    mayhap.Spec.from_text(KV.replace("    on Get", RESTART.format("{}"), 1)),
    mayhap.Spec.from_text(KV.replace("    on Get", RESTART.format("choose"), 1)),
]
Packs = list[tuple[int, bytes, bytes]]


def recording(chance: random.Random, net: str) -> list[dict[str, Any]]:
    """A recording of a store that is restarted now and then without forgetting, and sometimes wrong."""
    events: list[dict[str, Any]] = []
    data: dict[str, str] = {}
    under_way: dict[int, Any] = {}
    restarts = chance.choice([0, 0.04])
    for _ in range(chance.randint(5, 60)):
        client = chance.randint(1, 4)
        if chance.random() < restarts:
            events.append({"restart": True})
            under_way.clear()
        elif client in under_way:
            answer = under_way.pop(client)
            events.append({"c": client, "lost": True} if chance.random() < 0.1 else {"c": client, "a": answer})
        else:
            request, answer = asked(chance, data)
            if net == "sync" or chance.random() < 0.2:
                end = {"lost": True} if chance.random() < 0.1 else {"a": answer}
                events.append({"c": client, "q": request, **end})
            else:
                events.append({"c": client, "q": request})
                under_way[client] = answer
    return [*events, {"c": 5, "q": {"Put": ["z", "1"]}, "a": {"Put": ["z", "1"]}}]


def asked(chance: random.Random, data: dict[str, str]) -> tuple[Any, Any]:
    """A request and its answer."""
    key, value = chance.choice("abcdef"), chance.choice("12")
    name = chance.choice(["Get", "Put", "Append"])
    if name == "Get":
        got = data.get(key, "") if chance.random() > 0.03 else chance.choice(["", "x", "1"])
        return {name: key}, {name: [key, got]}
    data[key] = value if name == "Put" else data.get(key, "") + value
    return {name: [key, value]}, {name: [key, value]}


def misfit(row: Any, way: str, why: str) -> str:
    return f"{row} {way} {why}"


def routed(keys: _mayhap.Keys, events: list[dict[str, Any]], by_client: bool, buckets: int, chance: random.Random) -> Packs:
    """The packs of some tasks, which pack when it happens."""
    rows = [(at, json.dumps(event).encode()) for at, event in enumerate(events)]
    chance.shuffle(rows)
    packs: Packs = []
    for task in range(3):
        router = _mayhap.Router(keys, buckets, 1, by_client)
        for at in range(task, len(rows), 12):
            batch = rows[at : at + 12 : 3]
            offsets = [0]
            for _, line in batch:
                offsets.append(offsets[-1] + len(line))
            times = struct.pack(f"<{len(batch)}q", *(time for time, _ in batch))
            router.add(b"".join(line for _, line in batch), struct.pack(f"<{len(offsets)}i", *offsets), [times], misfit)
            if chance.random() < 0.3:
                packs += router.take()
        packs += router.take()
    return sorted(packs)


def rerouted(keys: _mayhap.Keys, packs: Packs, buckets: int, chance: random.Random) -> Packs:
    """The packs of clients, in two tasks, as packs of keys."""
    out: Packs = []
    for task in range(2):
        router = _mayhap.Router(keys, buckets, 1, False)
        for pack in packs:
            if pack[0] % 2 == task:
                router.add_packed(*pack, misfit)
                if chance.random() < 0.3:
                    out += router.take()
        router.end(misfit)
        out += router.take()
    return sorted(out)


def test_any_division_has_the_verdict_of_one_process() -> None:
    kinds = []
    for seed in range(400):
        chance = random.Random(seed)
        net, spec, buckets = chance.choice(["sync", "tcp"]), chance.choice(SPECIFICATIONS), chance.choice([1, 3, 8])
        events = recording(chance, net)
        keys = _mayhap.Keys(spec._core, net)
        packs = routed(keys, events, net == "tcp", buckets, chance)
        if net == "tcp":
            packs = rerouted(keys, packs, buckets, chance)
        judge = _mayhap.Judge(keys, 1, (1.0, 1024, 0.01))
        rows = [row for pack in packs for row in judge.add(*pack, misfit)] + judge.end(misfit)
        wrong = [(int.from_bytes(time, "big") - (1 << 63) + 1, kind) for _, kind, _, time, _, _ in rows if time is not None]
        whole = spec.validate(events, net=net, reason_time=0.01)
        assert min(wrong, default=(None, "accept")) == (whole.line, whole.kind), (seed, net, events)
        assert len({row[0] for row in rows}) == len(rows)
        kinds.append(whole.kind)
    assert {kinds.count("accept") > 100, kinds.count("reject") > 50} == {True}, "both happen"
