"""Which compiled functions a run calls: those of the method that it is integrated with."""

from __future__ import annotations

from flexmbs.core.layout.state import Scratch
from flexmbs.core.methods.method_interface import Method
from flexmbs.machine_code.entry import Entry


def link_method(scratch: Scratch, method: Method) -> None:
    """Let the step loop call the functions of ``method``; compiles what has to be compiled."""
    scratch.attempt_step, scratch.update_history = _address(method.attempt_step), _address(method.update_history)
    scratch.fill_intermediate_rows = _address(method.fill_intermediate_rows)


def _address(function: Entry | None) -> int:
    """Address of a function, 0: there is none."""
    return 0 if function is None else function.address
