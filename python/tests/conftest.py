"""What the tests have in common: specifications, and systems for them."""

from __future__ import annotations

import pathlib

import pytest

import mayhap

pytest_plugins = ["pytester"]

SPECS = pathlib.Path(__file__).parents[2] / "specs"

COUNTER = """
enum Request { Add(int), Get }
protocol counter {
    request Request;
    response int;
    var n: int = 0;
    on Add(more) { n := n + more; reply n; }
    on Get { reply n; }
}
"""


@pytest.fixture(scope="session")
def cmp_rst() -> mayhap.Spec:
    """A server with a secret number."""
    return mayhap.Spec.load(SPECS / "cmp_rst.may")


@pytest.fixture(scope="session")
def counter() -> mayhap.Spec:
    """A server that adds."""
    return mayhap.Spec.from_text(COUNTER)


class Counter:
    """A system that adds."""

    def __init__(self) -> None:
        self.n = 0

    def ask(self, client: int, request: object) -> object:
        if isinstance(request, dict):
            self.n += request["Add"]
        return self.n
