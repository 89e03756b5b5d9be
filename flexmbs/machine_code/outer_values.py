"""What a user's function reads beyond its arguments: a key of all of it, and a copy of the function to be compiled.

The key covers bytecode, that of all functions that are called, and outer values (of closures, globals, modules) that are
compiled in. Floats and numpy arrays are not: machine code reads them from memory, so that only their types count.
"""

from __future__ import annotations

import dis
import hashlib
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

#: In object files: C functions with numbers, which differ in where they find the address of outer values.
SYMBOL, PLACES, COUNT = "flexmbs.user", "flexmbs.places", 8
_KNOWN = {"builtins", "cmath", "math", "numba", "numpy", "operator"}  # packages whose functions numba knows itself
_CONSTANTS = (int, float, complex, str, bytes, type(None), np.generic, np.dtype)


@dataclass(frozen=True)
class Late:
    """Stands for an outer value that is read from memory: words from ``at`` on hold a float, or address and lengths."""

    at: int
    dtype: str = "f8"
    dimensions: int = 0


@dataclass(eq=False)
class Helper:
    """Stands for a function that is compiled together with what calls it, with these options of numba's."""

    options: dict[str, Any]
    function: Callable[..., Any] | None = None
    dispatcher: Any = None  # of numba, once it is needed


class OuterValues:
    """Key and copy of a function; without ``with_late`` all values are compiled in.

    Attributes
    ----------
    helper : the copy, in which outer values are replaced by ``Late`` and ``Helper``
    parts : what the machine code is made of; ``lasting``: with the same ``repr`` in every process
    late : values that are read from memory, floats and arrays
    memory : the list, dict or set that is read, which the function may change, and where; empty: there is none
    """

    def __init__(self, function: Callable[..., Any], with_late: bool = True):
        self.parts: list[Any] = []
        self.late: list[Any] = []
        self.lasting, self.memory = True, ""
        self._with_late, self._words = with_late, 0
        self._helpers: dict[int, Helper] = {}  # by id of their function
        self._kept: list[Any] = []  # what ids are taken of
        self.helper = self._function(function)

    def words(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Words to be read, and copies of the arrays that they point to."""
        copies = [np.array(value, order="C") for value in self.late]
        words = [[x.ctypes.data, *x.shape] if x.ndim else [x.astype("f8").view("i8")] for x in copies]
        return np.array([word for part in words for word in part], dtype="i8"), copies

    def _function(self, function: Any) -> Helper:
        given = getattr(function, "py_func", function)
        if id(given) in self._helpers:
            self.parts.append(list(self._helpers).index(id(given)))
            return self._helpers[id(given)]
        helper = Helper({name: value for name, value in getattr(function, "targetoptions", {}).items() if name != "parallel"})
        self._helpers[id(given)] = helper
        code, empty = given.__code__, types.CellType()
        digest, names, _attributes = _read_by(code, given.__doc__)
        self.parts += [digest, repr(helper.options)]
        scope = {"__name__": given.__module__}
        for name in names:
            if name in given.__globals__:
                scope[name] = self._replaced(name, given.__globals__[name], code)
        values = [None if cell == empty else cell.cell_contents for cell in given.__closure__ or ()]
        cells = [self._replaced(name, value, code) for name, value in zip(code.co_freevars, values, strict=True)]
        for name, value in (*enumerate(given.__defaults__ or ()), *(given.__kwdefaults__ or {}).items()):
            self._constant(str(name), value, code)
        closure = tuple(types.CellType(value) for value in cells)
        helper.function = types.FunctionType(code, scope, given.__name__, given.__defaults__, closure)
        helper.function.__kwdefaults__ = given.__kwdefaults__
        self._kept.append(given)
        return helper

    def _replaced(self, name: str, value: Any, code: types.CodeType, late: bool = True) -> Any:
        """What stands in the copy for an outer value that ``code`` reads."""
        self.parts.append(name)
        late = late and self._with_late
        if late and type(value) in (float, np.float64):
            return self._read_late(value, Late(self._words))
        if late and type(value) is np.ndarray and value.ndim and value.dtype.kind in "fiubc" and value.dtype.isnative:
            return self._read_late(value, Late(self._words, value.dtype.str, value.ndim))
        if self.memory or (getattr(value, "__module__", "") or "").partition(".")[0] in _KNOWN:
            pass
        elif isinstance(value, types.FunctionType) or hasattr(value, "py_func") and hasattr(value, "targetoptions"):
            return self._function(value)
        elif isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] not in _KNOWN:
            copy = types.ModuleType(value.__name__)
            for part in _read_by(code)[2]:
                if hasattr(value, part):  # numba looks it up by itself, and takes it as a constant
                    setattr(copy, part, self._replaced(part, getattr(value, part), code, late=False))
            return copy
        self._constant(name, value, code)
        return value

    def _read_late(self, value: Any, late: Late) -> Late:
        self.late.append(value)
        self.parts.append(late)
        self._words += 1 + late.dimensions
        return late

    def _constant(self, name: str, value: Any, code: types.CodeType) -> None:
        self.parts.append(type(value).__qualname__)
        if isinstance(value, tuple):
            self.parts += [len(value), getattr(value, "_fields", ())]
            for part in value:
                self._constant(name, part, code)
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            self.parts += [value.dtype.str, value.shape, value.flags.f_contiguous, hashlib.sha256(value.tobytes()).hexdigest()]
        elif isinstance(value, _CONSTANTS):
            self.parts.append(repr(value))
        elif isinstance(value, types.ModuleType) or (getattr(value, "__module__", "") or "").partition(".")[0] in _KNOWN:
            self.parts.append(getattr(value, "__qualname__", getattr(value, "__name__", repr(value))))
        else:
            self.parts.append(id(value))
            self._kept.append(value)
            self.lasting = False
        if isinstance(value, list | dict | set | bytearray) and not self.memory:
            what = f"{code.co_name} reads the {type(value).__name__} '{name}', of which compiled code would have a copy"
            self.memory = f"{code.co_filename}:{code.co_firstlineno}: {what}"


@lru_cache(maxsize=4096)
def _read_by(code: types.CodeType, text: str | None = None) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Digest of a code without its name, place and docstring, and the global names and attributes that it reads."""
    names, attributes, constants = set(), set(), []
    for number, constant in enumerate(code.co_consts):
        if isinstance(constant, types.CodeType):
            constant, more, others = _read_by(constant)
            names.update(more)
            attributes.update(others)
        constants.append(None if number == 0 and constant == text else constant)
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes.add(instruction.argval)
    kinds = ("code", "names", "varnames", "freevars", "cellvars", "flags", "argcount", "kwonlyargcount", "posonlyargcount")
    parts = [constants, code.co_exceptiontable, *(getattr(code, f"co_{kind}") for kind in kinds)]
    return hashlib.sha256(repr(parts).encode()).hexdigest(), tuple(sorted(names)), tuple(sorted(attributes))
