"""Parameters of a case, and the conversion of command-line text to their values."""

from __future__ import annotations

import ast
import difflib
import math
import operator
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

from flexmbs.common.errors import CaseError

TYPES = (float, int, bool, str, tuple)
_TRUE, _FALSE, _NONE = ("true", "yes", "on", "1"), ("false", "no", "off", "0"), ("none", "")
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


@dataclass(frozen=True)
class Setting:
    """A parameter of a case, as shown by --help."""

    name: str
    kind: type
    optional: bool
    default: object
    unit: str
    help: str
    minimum: float | None = None
    maximum: float | None = None

    @property
    def limits(self) -> str:
        """The range of a number as text; empty if it has none."""
        low, high = (None if end is None else f"{end:g}" for end in (self.minimum, self.maximum))
        if low and high:
            return f"{low} to {high}"
        return f"at least {low}" if low else f"at most {high}" if high else ""


@lru_cache(maxsize=64)
def settings_of(parameters: type) -> tuple[Setting, ...]:
    """The parameters of a case; CaseError for a field whose type cannot be set from text."""
    hints = typing.get_type_hints(parameters)
    found = []
    for entry in fields(parameters):
        kinds = typing.get_args(hints[entry.name]) or (hints[entry.name],)
        plain = [kind for kind in kinds if kind is not types.NoneType]
        if len(plain) != 1 or plain[0] not in TYPES:
            raise CaseError(f"parameter {entry.name!r}: its type must be float, int, bool, str or tuple, optionally | None")
        unit, text = entry.metadata.get("unit", ""), entry.metadata.get("help", "")
        limits = entry.metadata.get("minimum"), entry.metadata.get("maximum")
        found.append(Setting(entry.name, plain[0], len(kinds) > len(plain), entry.default, unit, text, *limits))
    return tuple(found)


def from_values(parameters: type, values: Mapping[str, object]):
    """An instance of ``parameters`` with some values set, given as values or as text.

    Raises CaseError for an unknown name (with a suggestion), a wrong type, NaN, infinity, or a value out of range.
    """
    known = {setting.name: setting for setting in settings_of(parameters)}
    for name in values:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise CaseError(f"no parameter {name!r}{hint}; parameters: {', '.join(known)}")
    return parameters(**{name: converted(known[name], value) for name, value in values.items()})


def split_assignments(assignments: typing.Iterable[str], option: str = "--set") -> dict[str, str]:
    """["name=value", ...] of a command-line ``option`` as a mapping; CaseError if an equals sign is missing."""
    values = {}
    for text in assignments:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            example = "t_end=0.5" if option == "--set" else "zoom=2"
            raise CaseError(f"{option} {text!r}: write name=value, for example {option} {example}")
        values[name.strip()] = value.strip()
    return values


def number(text: str) -> float:
    """A number or an arithmetic expression of numbers and pi, such as "pi/2" or "2*0.3"; ValueError otherwise."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return float(_evaluate(ast.parse(text, mode="eval").body))
    except (SyntaxError, TypeError, KeyError, ZeroDivisionError, OverflowError, RecursionError) as error:
        raise ValueError(f"{text!r} is not a number") from error


def _evaluate(node: ast.AST) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id == "pi":
        return math.pi
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_evaluate(node.left), _evaluate(node.right))
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_evaluate(node.operand))
    raise TypeError(type(node).__name__)


def converted(setting: Setting, value: object) -> object:
    """A value of a parameter, given as value or as text; CaseError for a wrong type, NaN, infinity or out of range."""
    if value is None or (isinstance(value, str) and setting.optional and value.lower() in _NONE):
        if setting.optional:
            return None
        raise _wrong(setting, value)
    if setting.kind is str:
        return str(value)
    if setting.kind is bool:
        return _convert_bool(setting, value)
    if setting.kind is tuple:
        return _convert_tuple(setting, value)
    try:
        found = number(value) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        raise _wrong(setting, value) from None
    if not math.isfinite(found):
        raise CaseError(f"parameter {setting.name!r}{_unit(setting)} must be a finite number, not {value}")
    low, high = setting.minimum, setting.maximum
    if low is not None and found < low:
        raise CaseError(f"parameter {setting.name!r}{_unit(setting)} must be at least {low:g}, not {value}")
    if high is not None and found > high:
        raise CaseError(f"parameter {setting.name!r}{_unit(setting)} must be at most {high:g}, not {value}")
    if setting.kind is float:
        return found
    if found != int(found):
        raise _wrong(setting, value)
    return int(found)


def _convert_tuple(setting: Setting, value: object) -> tuple[float, ...]:
    """A tuple of numbers, as many as the default has; text is split at commas or blanks."""
    try:
        parts = value.strip("[]() ").replace(",", " ").split() if isinstance(value, str) else list(value)
        converted = tuple(number(part) if isinstance(part, str) else float(part) for part in parts)
    except (ValueError, TypeError):
        raise _wrong(setting, value) from None
    if not all(math.isfinite(part) for part in converted):
        raise CaseError(f"parameter {setting.name!r}{_unit(setting)} must contain only finite numbers, not {value}")
    if isinstance(setting.default, tuple) and len(converted) != len(setting.default):
        raise CaseError(f"parameter {setting.name!r}{_unit(setting)} must be {len(setting.default)} numbers, not {value!r}")
    return converted


def _convert_bool(setting: Setting, value: object) -> bool:
    text = str(value).lower()
    if text not in _TRUE + _FALSE:
        raise _wrong(setting, value)
    return text in _TRUE


def _wrong(setting: Setting, value: object) -> CaseError:
    wanted = {float: "a number", int: "a whole number", bool: "true or false", str: "text", tuple: "numbers such as 0,1,0"}[
        setting.kind
    ]
    return CaseError(f"parameter {setting.name!r}{_unit(setting)} must be {wanted}, not {value!r}")


def _unit(setting: Setting) -> str:
    return f" [{setting.unit}]" if setting.unit else ""
