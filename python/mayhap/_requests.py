"""Requests of a specification as a strategy of Hypothesis."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import _mayhap

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

    from ._spec import Spec


def requests(spec: Spec) -> SearchStrategy[Any]:
    """A strategy of the requests of a specification, as its ``generate`` block says. They shrink to simple ones."""
    try:
        from hypothesis import strategies
    except ImportError as error:
        raise ImportError("mayhap.requests needs Hypothesis: pip install 'mayhap[hypothesis]'") from error
    source = _mayhap.Requests(spec._core)

    @strategies.composite
    def request(draw: DrawFn) -> Any:
        return json.loads(source.draw(lambda bound: draw(strategies.integers(0, bound - 1))))

    return request()
