"""Environment variables that choose how kernels run. They are read once, when the package is imported."""

from __future__ import annotations

import os


def _is_set(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


#: Every kernel and every entry runs as the Python function that it is written as: for a debugger, for coverage.
PLAIN_VARIABLE = "FLEXMBS_PLAIN_PYTHON"
#: Kernels check every index before they use it.
BOUNDS_VARIABLE = "FLEXMBS_BOUNDS_CHECK"
#: Kernels are numba functions: in the processes that compile, and in benchmarks that time kernels in compiled loops.
NUMBA_VARIABLE = "FLEXMBS_NUMBA_KERNELS"

PLAIN_PYTHON = _is_set(PLAIN_VARIABLE)
BOUNDS_CHECKED = _is_set(BOUNDS_VARIABLE)
NUMBA_KERNELS = _is_set(NUMBA_VARIABLE)
