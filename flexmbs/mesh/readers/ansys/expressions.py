"""Numbers, scalar parameters and arithmetic in the arguments of commands."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

_TOKEN = re.compile(r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[EeDd][+-]?\d+)?)|(?P<name>%?[A-Za-z_]\w*%?)|(?P<sign>\*\*|[-+*/()]))")
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "ABS": abs,
    "SQRT": math.sqrt,
    "EXP": math.exp,
    "LOG": math.log,
    "LOG10": math.log10,
    "NINT": lambda value: math.floor(value + 0.5),
}
_DEEPEST = 30


class _NoValue(Exception):
    """The expression has no value that the deck itself gives."""


def evaluate(text: str, parameters: Mapping[str, float | None]) -> float | None:
    """Value of a number or an arithmetic expression of numbers and parameters; None when it has none.

    Trigonometric functions are left out: their unit depends on *AFUN.
    """
    text = text.strip()
    if len(text) > 500:
        return None
    try:
        value, rest = _sum(_tokens(text), parameters, 0)
    except (_NoValue, ArithmeticError, ValueError):
        return None
    return float(value) if not rest and isinstance(value, int | float) and math.isfinite(value) else None


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _NoValue
        tokens.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    return tokens


def _sum(tokens, parameters, depth):
    if depth > _DEEPEST:
        raise _NoValue
    value, tokens = _product(tokens, parameters, depth)
    while tokens and tokens[0][1] in "+-":
        sign = tokens[0][1]
        other, tokens = _product(tokens[1:], parameters, depth)
        value = value + other if sign == "+" else value - other
    return value, tokens


def _product(tokens, parameters, depth):
    value, tokens = _power(tokens, parameters, depth)
    while tokens and tokens[0][1] in ("*", "/"):
        sign = tokens[0][1]
        other, tokens = _power(tokens[1:], parameters, depth)
        value = value * other if sign == "*" else value / other
    return value, tokens


def _power(tokens, parameters, depth):
    value, tokens = _signed(tokens, parameters, depth)
    while tokens and tokens[0][1] == "**":
        exponent, tokens = _signed(tokens[1:], parameters, depth)
        value = math.pow(value, exponent)
    return value, tokens


def _signed(tokens, parameters, depth):
    sign = 1.0
    while tokens and tokens[0][1] in ("+", "-"):
        sign = -sign if tokens[0][1] == "-" else sign
        tokens = tokens[1:]
    if not tokens:
        raise _NoValue
    (kind, text), tokens = tokens[0], tokens[1:]
    if kind == "number":
        return sign * float(text.upper().replace("D", "E")), tokens
    if text == "(":
        value, tokens = _closed(_sum(tokens, parameters, depth + 1))
        return sign * value, tokens
    if kind != "name":
        raise _NoValue
    name = text.strip("%").upper()
    if tokens and tokens[0][1] == "(":
        if name not in _FUNCTIONS:
            raise _NoValue
        value, tokens = _closed(_sum(tokens[1:], parameters, depth + 1))
        return sign * _FUNCTIONS[name](value), tokens
    value = parameters.get(name)
    if not isinstance(value, float):
        raise _NoValue
    return sign * value, tokens


def _closed(value_and_tokens):
    value, tokens = value_and_tokens
    if not tokens or tokens[0][1] != ")":
        raise _NoValue
    return value, tokens[1:]
