"""How many threads the linear algebra of NumPy and SciPy uses.

OpenBLAS, which their wheels bring, starts as many threads as the machine has processors, for products of a microsecond
too, and lets them wait in loops: on a machine with other work such a product takes a thousand times as long. Work of
many small products therefore runs with one thread, and only large products with all of them.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

# as the wheels name the functions of C; with another underscore at the end, those of Fortran take addresses
_NAMES = [f"{prefix}openblas_{{}}_num_threads{suffix}" for prefix in ("scipy_", "") for suffix in ("", "64_", "_64")]
_lock = threading.Lock()
_depth = 0
_counts: list[int] = []


@cache
def _libraries() -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    """Functions that get and set the number of threads, of every OpenBLAS that NumPy and SciPy bring."""
    found = []
    for package in ("numpy", "scipy"):
        file = getattr(sys.modules.get(package), "__file__", None)
        if file is None:
            continue
        inside = Path(file).parent
        for folder in (inside.with_name(f"{package}.libs"), inside / ".dylibs"):
            for path in sorted(folder.glob("*openblas*")):
                found += _functions(path)
    return found


def _functions(path: Path) -> list[tuple[Callable[[], int], Callable[[int], None]]]:
    try:
        library = ctypes.CDLL(str(path))
    except OSError:
        return []
    for name in _NAMES:
        if hasattr(library, name.format("set")) and hasattr(library, name.format("get")):
            return [(library[name.format("get")], library[name.format("set")])]
    return []


def _set(counts: list[int]) -> None:
    for (_, setter), count in zip(_libraries(), counts, strict=True):
        setter(count)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within this context NumPy and SciPy multiply matrices with one thread. Also a decorator; may be nested."""
    global _depth, _counts
    with _lock:
        _depth += 1
        if _depth == 1:
            _counts = [getter() for getter, _ in _libraries()]
            _set([1] * len(_counts))
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if _depth == 0:
                _set(_counts)


@contextmanager
def all_blas_threads() -> Iterator[None]:
    """Within :func:`one_blas_thread`: as many threads as outside of it, for a product that takes long."""
    with _lock:
        inside = _depth > 0
        if inside:
            _set(_counts)
    try:
        yield
    finally:
        with _lock:
            if inside and _depth > 0:
                _set([1] * len(_counts))
