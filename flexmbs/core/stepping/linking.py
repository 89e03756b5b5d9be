"""Which compiled functions a run calls: those of the method that it is integrated with."""

from __future__ import annotations

from flexmbs.core.layout.state import Scratch
from flexmbs.core.methods.method_interface import Method


def link_method(scratch: Scratch, method: Method) -> None:
    """Let the step loop call the functions of ``method``; compiles what has to be compiled."""
    scratch.attempt_step, scratch.update_history = method.attempt_step.address, method.update_history.address
    has_rows = method.fill_intermediate_rows is not None
    scratch.fill_intermediate_rows = method.fill_intermediate_rows.address if has_rows else 0
