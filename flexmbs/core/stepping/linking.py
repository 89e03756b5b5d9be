"""Which compiled functions a run calls: the method that it is integrated with."""

from __future__ import annotations

from flexmbs.core.layout.state import ATTEMPT, INNER_ROWS, KEEP, Scratch
from flexmbs.core.methods.methods import Method


def link_method(scratch: Scratch, method: Method) -> None:
    """Let the step loop call the functions of ``method``; compiles what has to be compiled."""
    scratch.entries[ATTEMPT], scratch.entries[KEEP] = method.attempt.address, method.keep.address
    scratch.entries[INNER_ROWS] = method.inner_rows.address if method.inner_rows is not None else 0
