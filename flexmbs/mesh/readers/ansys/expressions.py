"""Numbers, scalar parameters and arithmetic in the arguments of commands."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping

_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[ED][+-]?\d+)?"
_PLAIN = re.compile(rf"[+-]?{_NUMBER}", re.ASCII)
_EXPRESSION = re.compile(r"[\w\s.%()*/+-]{1,500}", re.ASCII)
_OPERAND = re.compile(rf"(?P<number>{_NUMBER})|%?(?P<name>[A-Z_]\w*)%?", re.ASCII)


def _nearest_whole(value: float) -> float:
    return float(math.floor(value + 0.5))


_FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "ABS": abs,
    "SQRT": math.sqrt,
    "EXP": math.exp,
    "LOG": math.log,
    "LOG10": math.log10,
    "NINT": _nearest_whole,
}
_OPERATORS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}


def evaluate(text: str, parameters: Mapping[str, float | str | None]) -> float | None:
    """Value of a number or an arithmetic expression of numbers and parameters; None when it has none.

    The order of operations is that of Python, as in Ansys: -A**-B is -(A**(-B)). Trigonometric functions are left out:
    their unit depends on *AFUN.
    """
    text = text.strip().upper()
    try:
        if _PLAIN.fullmatch(text):
            value = _float(text)
        elif _EXPRESSION.fullmatch(text):
            value = _value(ast.parse(_OPERAND.sub(_in_python, text).strip(), mode="eval").body, parameters)
        else:
            return None
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None
    return value if math.isfinite(value) else None


def _float(number: str) -> float:
    return float(number.replace("D", "E"))


def _in_python(operand: re.Match) -> str:
    """A number as Python writes it, or the name of a parameter or function; blanks keep it apart from others."""
    return f" {operand['name'] or repr(_float(operand['number']))} "


def _value(node: ast.expr, parameters: Mapping[str, float | str | None]) -> float:
    match node:
        case ast.Constant(value=float(number)):
            return number
        case ast.Name(id=name) if isinstance(known := parameters.get(name), float):
            return known
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, parameters)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, parameters)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return _OPERATORS[type(sign)](_value(left, parameters), _value(right, parameters))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in _FUNCTIONS:
            return _FUNCTIONS[name](_value(argument, parameters))
    raise ValueError("no number, parameter or operation that has a value")
