"""Requests of a specification as a strategy of Hypothesis."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from . import _json, _mayhap
from ._spec import Spec, _core

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

_TRIES = 20


def requests(spec: Spec) -> SearchStrategy[Any]:
    """A strategy of the requests of a specification, as its ``generate`` block says. They shrink to simple ones."""
    try:
        from hypothesis import assume, strategies
    except ImportError as error:
        raise ImportError("mayhap.requests needs Hypothesis: pip install 'mayhap[hypothesis]'") from error
    source = _mayhap.Requests(_core(spec))
    chance = random.Random(0)
    # If no request is known to keep the client's duty in any state, the others are drawn.
    keeps_duty = any(source.draw(chance.randrange)[1] for _ in range(_TRIES))

    @strategies.composite
    def request(draw: DrawFn) -> Any:
        drawn, is_kept = source.draw(lambda bound: draw(strategies.integers(0, bound - 1)))
        assume(is_kept or not keeps_duty)
        return _json.read(drawn)

    return request()
