"""Typed arguments of entries: which C arguments each becomes, and how Python values are checked and passed.

Every argument is passed as 64-bit words: an integer, a float, the address of a block or record; an array as its address
followed by its lengths. One result is returned by value, several are written behind an address, the last argument.
"""

from __future__ import annotations

import ctypes
import inspect
import operator
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from flexmbs.machine_code.blocks import Block


@dataclass(frozen=True)
class ArrayOf:
    """C-contiguous array of a dtype with a number of dimensions."""

    dtype: str
    dimensions: int


@dataclass(frozen=True)
class RecordOf:
    """One record of a structured array; only compiled code can pass it."""

    dtype: np.dtype


Floats = Annotated[np.ndarray, ArrayOf("f8", 1)]
Floats2 = Annotated[np.ndarray, ArrayOf("f8", 2)]
Floats3 = Annotated[np.ndarray, ArrayOf("f8", 3)]
Floats4 = Annotated[np.ndarray, ArrayOf("f8", 4)]
Integers = Annotated[np.ndarray, ArrayOf("i8", 1)]
Integers2 = Annotated[np.ndarray, ArrayOf("i8", 2)]
Complexes = Annotated[np.ndarray, ArrayOf("c16", 1)]
Complexes2 = Annotated[np.ndarray, ArrayOf("c16", 2)]

SCALARS = {int: ctypes.c_int64, float: ctypes.c_double, bool: ctypes.c_int64}


@dataclass(frozen=True)
class Signature:
    """Names and kinds of the arguments, kinds of the results.

    A kind is ``int``, ``float``, ``bool``, a subclass of ``Block``, :class:`ArrayOf` or :class:`RecordOf`.
    """

    names: tuple[str, ...]
    kinds: tuple
    results: tuple[type, ...]

    @classmethod
    def of(cls, function: Callable) -> Signature:
        """Signature from the annotations of a function; TypeError where one is missing or not known."""
        hints = typing.get_type_hints(function, include_extras=True)
        names = tuple(inspect.signature(function).parameters)
        missing = [name for name in (*names, "return") if name not in hints]
        if missing:
            raise TypeError(f"{function.__qualname__}: no type is stated for {', '.join(missing)}")
        kinds = tuple(_kind(hints[name], function, name) for name in names)
        return cls(names, kinds, _results(hints["return"], function))

    @property
    def by_value(self) -> bool:
        """Whether there is one result, which is returned."""
        return len(self.results) == 1

    def c_prototype(self):
        """(result, arguments) as ctypes."""
        arguments = []
        for kind in self.kinds:
            arguments.append(SCALARS.get(kind, ctypes.c_int64) if isinstance(kind, type) else ctypes.c_int64)
            if isinstance(kind, ArrayOf):
                arguments += [ctypes.c_int64] * kind.dimensions
        if len(self.results) > 1:
            arguments.append(ctypes.c_void_p)
        return (SCALARS[self.results[0]] if self.by_value else None), arguments


def _kind(hint, function, name):
    extras = [extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, ArrayOf | RecordOf)]
    if extras:
        return extras[0]
    if isinstance(hint, type) and (hint in SCALARS or issubclass(hint, Block)):
        return hint
    raise TypeError(f"{function.__qualname__}: {name} is {hint!r}, which no entry can take")


def _results(hint, function) -> tuple[type, ...]:
    if hint is type(None):
        return ()
    found = typing.get_args(hint) if typing.get_origin(hint) is tuple else (hint,)
    if not all(result in SCALARS for result in found):
        raise TypeError(f"{function.__qualname__}: returns {hint!r}; known are None, bool, int, float, tuples of these")
    return tuple(found)


def python_stub(name: str, signature: Signature, call: Callable, failures: list) -> Callable:
    """Function of Python values that checks them, passes them to the C function ``call``, and returns its results."""
    lines, passed, scope = [], [], {"_call": call, "_failures": failures, "_wrong": _wrong, "_raise": _raise}
    scope["_array"], scope["_index"] = np.ndarray, operator.index
    for argument, kind in zip(signature.names, signature.kinds, strict=True):
        if isinstance(kind, ArrayOf):
            scope[f"_dtype_{argument}"] = np.dtype(kind.dtype)
            lines += [
                f"if type({argument}) is not _array or {argument}.dtype != _dtype_{argument} or "
                f"{argument}.ndim != {kind.dimensions} or not {argument}.flags.c_contiguous:",
                f"    _wrong({name!r}, {argument!r}, {argument}, _kind_{argument})",
            ]
            scope[f"_kind_{argument}"] = kind
            passed.append(f"{argument}.__array_interface__['data'][0]")
            passed.append(f"*{argument}.shape")
        elif isinstance(kind, RecordOf):
            scope[f"_kind_{argument}"] = kind
            lines.append(f"_wrong({name!r}, {argument!r}, {argument}, _kind_{argument})")
        elif issubclass(kind, Block):
            scope[f"_block_{argument}"] = kind
            lines.append(f"if not isinstance({argument}, _block_{argument}):")
            lines.append(f"    _wrong({name!r}, {argument!r}, {argument}, _block_{argument})")
            passed.append(f"{argument}.address")
        else:
            passed.append(f"float({argument})" if kind is float else f"_index({argument})")
    count = len(signature.results)
    if count > 1:
        scope["_results"] = ctypes.c_int64 * count
        scope["_float_at"] = lambda words, i: ctypes.c_double.from_buffer(words, 8 * i).value
        lines.append("_words = _results()")
        passed.append("_words")
    lines.append(f"_found = _call({', '.join(passed)})")
    lines.append("if _failures:")
    lines.append("    _raise(_failures)")
    if count == 1:
        lines.append("return _found != 0" if signature.results[0] is bool else "return _found")
    elif count > 1:
        parts = [
            f"_float_at(_words, {i})" if kind is float else f"_words[{i}]{' != 0' if kind is bool else ''}"
            for i, kind in enumerate(signature.results)
        ]
        lines.append(f"return {', '.join(parts)}")
    source = f"def stub({', '.join(signature.names)}):\n" + "\n".join(f"    {line}" for line in lines)
    exec(source, scope)
    return scope["stub"]


def _wrong(function: str, argument: str, value, kind) -> None:
    is_subclass = isinstance(kind, ArrayOf) and isinstance(value, np.ndarray) and value.dtype == np.dtype(kind.dtype)
    if is_subclass and value.ndim == kind.dimensions and value.flags.c_contiguous:
        return
    if isinstance(kind, ArrayOf):
        expected = f"a C-contiguous array of {np.dtype(kind.dtype)} with {kind.dimensions} dimensions"
    else:
        expected = f"a {kind.__name__}" if isinstance(kind, type) else "a record, which only compiled code can pass"
    is_array = isinstance(value, np.ndarray)
    given = f"{value.dtype} of shape {value.shape}" if is_array else type(value).__name__
    raise TypeError(f"{function}: {argument} must be {expected}; got {given}")


def _raise(failures: list) -> None:
    text = "; ".join(dict.fromkeys(failures))
    failures.clear()
    raise RuntimeError(f"an error inside compiled code: {text}")
