"""What a method of integration is to the step loop: functions that are called by address, and sizes of its arrays.

The loop (core.stepping.step_loop) does everything else: step size, events, constraints at the end of a step, charts of
rotations, the log.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.layout.state import Scratch, Settings, State
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.machine_code.entry import Entry, interface


@interface
def attempt_step(
    tables: Tables, state: State, settings: Settings, scratch: Scratch, work: Workspace, h: float
) -> tuple[int, float, float]:
    """Try a step of ``h``: (iterations, error in parts of the tolerance, power of h with which it falls).

    The end of the step stands in ``scratch.end_q``, ``end_v`` and ``end_a``. Iterations 0: it failed, and what to do
    next (a smaller ``state.step_size``, a new tangent) is prepared.
    """


@interface
def update_history(tables: Tables, state: State, settings: Settings, scratch: Scratch, h: float) -> float:
    """Remember in ``state.history_*`` what the method needs of the accepted step, before the state moves to its end.

    The factor that the method wants for the next step, or 0.
    """


@interface
def fill_intermediate_rows(tables: Tables, state: State, settings: Settings, scratch: Scratch, work: Workspace, h: float) -> int:
    """Motion at equidistant points inside the step, which is about to be accepted, into ``scratch.intermediate_*``.

    For methods whose steps are too long for the interpolation of results; how many rows there are.
    """


@dataclass(frozen=True)
class Method:
    """A method of integration.

    Attributes
    ----------
    name : as in ``simulate(integrator=...)``
    attempt_step, update_history, fill_intermediate_rows : entries of the interfaces above; a method without them has
        steps of its own (core.stepping.moreau)
    history_rows : of State.history_*
    stages : rows of the stages in Scratch, at least 3: the end of the step is the third one
    matrices : complex ones that are factorised; 0: it needs no matrices at all
    explicit_stages : rows of Scratch.stage_v and stage_a
    intermediate_rows : rows of Scratch.intermediate_*
    """

    name: str
    attempt_step: Entry | None = None
    update_history: Entry | None = None
    fill_intermediate_rows: Entry | None = None
    history_rows: int = 0
    stages: int = 3
    matrices: int = 1
    explicit_stages: int = 0
    intermediate_rows: int = 0
