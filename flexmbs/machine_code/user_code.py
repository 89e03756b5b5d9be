"""Functions of users as C functions: compiled once, kept in the process and in the cache folder.

numba is imported only where a function is compiled, or where its machine code calls what numba brings with it.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import sys
import time
import types
import weakref
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.cache_folder import cache_folder, folders_to_read
from flexmbs.common.lazy_import import load
from flexmbs.machine_code import load_objects
from flexmbs.machine_code.object_cache import keep, read_kept
from flexmbs.machine_code.outer_values import COUNT, PLACES, SYMBOL, OuterValues
from flexmbs.machine_code.signature import Signature
from flexmbs.machine_code.sources import circumstances

_FOLDER = "functions"  # in the cache folder
_LINE = re.compile(r'File "([^"<]+)", line (\d+)')  # in messages of numba


class CannotCompileError(Exception):
    """A user's function that cannot be compiled: file and line, and the reason."""


class UserCode:
    """A C function; it stays what it is as long as this object is kept."""

    def __init__(self, place: tuple[int, ctypes.c_int64, Any], words: np.ndarray, arrays: list[np.ndarray]):
        self.address, values, self._engine = place
        self._read = words, arrays
        values.value = words.ctypes.data


_objects: dict[str, bytes | CannotCompileError] = {}  # by key
_kept: list[OuterValues] = []  # whose keys hold ids
_used: weakref.WeakValueDictionary[tuple, UserCode] = weakref.WeakValueDictionary()  # by key and values
_idle: dict[str, list[tuple[int, ctypes.c_int64, Any]]] = {}  # places that nobody uses
_seconds = 0.0


def seconds_so_far() -> float:
    """Time (s) that this process has spent on compiling users' functions."""
    return _seconds


def compile_user_function(function: Callable, signature: Signature) -> UserCode:
    """C function of a Python function, in which an exception gives NaN; CannotCompileError where that cannot be."""
    if not isinstance(getattr(function, "py_func", function), types.FunctionType):
        raise CannotCompileError(f"{type(function).__name__} is no plain function")
    if len(signature.results) > 1 and set(signature.results) != {float}:
        raise TypeError("a user's function returns numbers of one kind: floats")
    outer = OuterValues(function)
    try:
        key, content = _object(outer, signature)
    except CannotCompileError:
        if not outer.late:
            raise
        outer = OuterValues(function, with_late=False)  # a few functions of numba need constants
        key, content = _object(outer, signature)
    known = key, *((np.shape(value), np.asarray(value).tobytes()) for value in outer.late)
    made = _used.get(known)
    if made is None:
        idle = _idle.setdefault(key, [])
        if not idle:
            idle += _places(content)
        place = idle.pop()
        made = _used[known] = UserCode(place, *outer.words())
        weakref.finalize(made, idle.append, place)
    return made


def _places(content: bytes) -> list[tuple[int, ctypes.c_int64, Any]]:
    """C functions of an object file, each with the address of what it reads; loading takes a millisecond."""
    import llvmlite.binding as llvm

    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(codemodel="jitdefault", jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(content))
    engine.finalize_object()
    values = (ctypes.c_int64 * COUNT).from_address(engine.get_global_value_address(PLACES))
    cells = [ctypes.c_int64.from_buffer(values, 8 * number) for number in range(COUNT)]
    return [(engine.get_function_address(f"{SYMBOL}{number}"), cell, engine) for number, cell in enumerate(cells)]


def _object(outer: OuterValues, signature: Signature) -> tuple[str, bytes]:
    """Key and object file of a function: known, from the cache folder, or compiled now, and kept."""
    global _seconds
    if outer.memory:
        raise CannotCompileError(outer.memory)
    text = repr((outer.parts, signature.kinds, signature.results, _circumstances()))
    key = hashlib.sha256(text.encode()).hexdigest()[:32]
    if key not in _objects:
        file = Path(_FOLDER, f"user-{key}.o")
        files = [folder / file for folder in folders_to_read() if outer.lasting]
        content = next((content for content in map(read_kept, files) if content), None)
        if content and not _can_be_loaded(content.partition(b"\n")[0].decode().split()):
            content = None
        if not content:
            begin = time.perf_counter()
            content, lasting = _compiled(outer, signature)
            _seconds += time.perf_counter() - begin
            if lasting and outer.lasting:
                keep(cache_folder() / file, content)
        _kept.extend([] if outer.lasting else [outer])
        _objects[key] = content
    found = _objects[key]
    if isinstance(found, CannotCompileError):
        raise found
    return key, found.partition(b"\n")[2]


def _compiled(outer: OuterValues, signature: Signature) -> tuple[bytes | CannotCompileError, bool]:
    """Object file behind a line with the names that it needs, or why there is none; whether other processes can use it."""
    code = outer.helper.function.__code__
    where = f"{code.co_filename}:{code.co_firstlineno}"
    try:
        content, needed, lasting = load("flexmbs.machine_code.user_object:object_file")(outer.helper, signature)
    except Exception as error:  # numba's frontend raises many types; each reaches the user as a warning
        lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("Failed in")]
        place = _LINE.search(str(error))  # the innermost, relative to the folder in which Python runs
        where = f"{os.path.abspath(place[1])}:{place[2]}" if place else where
        return CannotCompileError(f"{where}: {(lines or [repr(error)])[0].rstrip(' .')}"), False
    if any(name.startswith(("PyObject_", "PySys_", "numba_unpickle")) for name in needed) or not _can_be_loaded(needed):
        return CannotCompileError(f"{where}: it calls Python (such as print): {', '.join(needed)}"), False
    return " ".join(needed).encode() + b"\n" + content, lasting


def _can_be_loaded(names: list[str]) -> bool:
    """Whether all that machine code calls is there; LLVM ends the process where it is not."""
    import llvmlite.binding as llvm

    load_objects.load()  # with functions of the C library
    if all(llvm.address_of_symbol(name) for name in names):
        return True
    from numba.core.registry import cpu_target
    from numba.core.runtime import rtsys

    rtsys.initialize(cpu_target.target_context)
    return all(llvm.address_of_symbol(name) for name in names)


@cache
def _circumstances() -> str:
    """What else the machine code of users' functions depends on."""
    import llvmlite.binding as llvm

    digest, here = hashlib.sha256(), Path(__file__).parent
    for name in ("numba_types", "outer_values", "signature", "user_code", "user_object"):
        digest.update((here / f"{name}.py").read_bytes())
    processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    stated = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    return repr((circumstances(), sys.version, processor, stated, digest.hexdigest()))
