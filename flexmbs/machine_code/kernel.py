"""``@kernel``: a function that entries compile in.

In a user's process it stays the Python function that it is. In a process that compiles
(:mod:`flexmbs.machine_code.compile_worker`) it is a numba function, part of every entry that calls it.
"""

from __future__ import annotations

from flexmbs.machine_code.switches import NUMBA_KERNELS

if NUMBA_KERNELS:
    from flexmbs.machine_code.numba_types import numba_kernel


def kernel(function):
    """Decorator of every function that runs compiled; arguments in the order model, state, outputs."""
    return numba_kernel(function) if NUMBA_KERNELS else function
