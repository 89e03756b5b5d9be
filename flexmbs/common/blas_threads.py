"""How many threads the linear algebra of NumPy and SciPy uses, by threadpoolctl.

OpenBLAS, which their wheels bring, starts as many threads as the machine has processors, for products of a microsecond
too, and lets them wait in loops: on a machine with other work such a product takes a thousand times as long. Work of
many small products therefore runs with one thread, and only large products with all of them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from threadpoolctl import ThreadpoolController, threadpool_limits

# what is to be restored for a large product, inside one_blas_thread; None outside
_outside: ContextVar[threadpool_limits | None] = ContextVar("_outside", default=None)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within this context NumPy and SciPy multiply matrices with one thread. Also a decorator; may be nested."""
    if _outside.get() is not None:
        yield
        return
    with _controller(len(sys.modules)).limit(limits=1, user_api="blas") as limits:
        token = _outside.set(limits)
        try:
            yield
        finally:
            _outside.reset(token)


@contextmanager
def all_blas_threads() -> Iterator[None]:
    """Within :func:`one_blas_thread`: as many threads as outside of it, for a product that takes long."""
    limits = _outside.get()
    if limits is None:
        yield
        return
    limits.restore_original_limits()
    try:
        yield
    finally:
        _controller(len(sys.modules)).limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _controller(_modules: int) -> ThreadpoolController:
    """The libraries that are loaded; looking for them takes 2 ms, and only another import can bring more of them."""
    return ThreadpoolController()
