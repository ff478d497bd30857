"""JSON as objects of Python, with numbers of any size and as many digits as they have."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


class Number(float):
    """A number of JSON that no ``float`` is, such as ``1e400``: the nearest ``float``, which keeps the text of the number.

    As an answer it is written as this text. Only equal texts are equal numbers.
    """

    text: str
    """The number, as JSON has it."""

    def __new__(cls, text: str) -> Number:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]
        return (self.text,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.text == other.text

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text


def digits(number: int) -> str:
    """The digits of an integer, of which ``str`` writes no more than 4,300."""
    return str(Decimal(number))


def _integer(text: str) -> int:
    """The integer with these digits, of which ``int`` reads no more than 4,300."""
    return int(Decimal(text))


def _number(text: str) -> float:
    """The number of a text with a point or an exponent."""
    number = float(text)
    return number if repr(number) == text or _is_exact(number, text) else Number(text)


def _is_exact(number: float, text: str) -> bool:
    """Whether the text that Python writes of a ``float`` is this number."""
    try:
        return Decimal(repr(number)) == Decimal(text)
    except ArithmeticError:
        # An exponent with more digits than those of decimals have.
        return False


_DECODER = json.JSONDecoder(parse_float=_number)
_DECODER_OF_LONG_INTEGERS = json.JSONDecoder(parse_float=_number, parse_int=_integer)


def read(text: str) -> Any:
    """The object of a JSON text that mayhap has written."""
    try:
        return _DECODER.decode(text)
    except ValueError:
        return _DECODER_OF_LONG_INTEGERS.decode(text)
