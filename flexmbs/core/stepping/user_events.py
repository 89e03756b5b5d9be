"""Events that the user states: a sensor that crosses a value, and what is done there."""

from __future__ import annotations

from flexmbs.core.layout.switch_tables import NEVER
from flexmbs.machine_code.kernel import kernel


@kernel
def event_margins(tables, state, q, v, a, time, work, out):
    """out (events,): how far each event of the user is from happening."""
    for e in range(len(tables.events)):
        out[e] = NEVER


@kernel
def happen(tables, state, settings, scratch, work, log, rigid, solver, e):
    """Event ``e`` of the user happens now; an outcome."""
    return 0
