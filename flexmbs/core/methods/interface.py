"""What a method of integration is to the step loop: functions that are called by address (Scratch.entries)."""

from __future__ import annotations

from flexmbs.core.abi.kernel import interface
from flexmbs.core.layout.state import Scratch, Settings, State
from flexmbs.core.layout.tables import Tables, Workspace


@interface
def attempt_step(
    tables: Tables, state: State, settings: Settings, scratch: Scratch, work: Workspace, h: float
) -> tuple[int, float, float]:
    """Try a step of ``h``: (iterations, error in parts of the tolerance, its order).

    The end of the step stands in row END of ``scratch.q``, ``.v`` and ``.a``. Iterations 0: it failed, and what to do
    next (a smaller ``state.number[STEP]``, a new tangent) is prepared. The error falls as h to the power of its order.
    """


@interface
def keep_step(tables: Tables, state: State, settings: Settings, scratch: Scratch, h: float) -> float:
    """Remember what the method needs of the accepted step; the factor that it wants for the next one, or 0."""


@interface
def find_inner_rows(
    tables: Tables, state: State, settings: Settings, scratch: Scratch, work: Workspace, h: float
) -> int:
    """Motion inside the step, which is about to be accepted, into ``scratch.inner``; how many rows (inner_rows)."""
