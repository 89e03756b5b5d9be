"""Arguments of the parts: blocks and arrays from their addresses."""

from __future__ import annotations

import numba
from numba import carray, types

from flexmbs.core.abi.blocks import block_at, pointer
from flexmbs.core.abi.kernel import kernel
from flexmbs.core.layout.tables import Tables, Workspace

WORDS = types.void(*(types.int64,) * 8)
tables_at = block_at(Tables)
workspace_at = block_at(Workspace)


@kernel
def floats_at(address, count):
    """(count,) floats at an address."""
    return carray(pointer(address), (count,), numba.float64)


@kernel
def integers_at(address, count):
    """(count,) integers at an address."""
    return carray(pointer(address), (count,), numba.int64)
