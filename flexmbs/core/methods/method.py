"""What a method of integration is to the step loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """A method of integration: two or three compiled functions, and the arrays that they need.

    The loop (core.stepping.step_loop) does everything else: step size, events, constraints at the end of a step, charts
    of rotations, the log.

    Attributes
    ----------
    name : as in ``simulate(integrator=...)``
    attempt_step : (tables, state, settings, scratch, work, h) -> (iterations, error, order).  Tries a step of ``h`` and
        leaves its end in ``scratch.end_q``, ``end_v``, ``end_a``.  The error, in parts of the tolerance, falls as h to
        the power of ``order``.  Iterations 0: the step failed, and what to do next (a smaller ``state.step_size``, a
        new tangent) is prepared
    update_history : (tables, state, settings, scratch, h) -> factor.  Remembers what it needs of the accepted step in
        ``state.history_*``, before the state moves to its end; the factor that it wants for the next step, or 0
    fill_intermediate_rows : (tables, state, settings, scratch, work, h) -> count.  Motion at equidistant points inside
        the step into ``scratch.intermediate_*``, for methods whose steps are too long for the interpolation of results
    history_rows : of State.history_*
    explicit_stages : rows of Scratch.stage_v and stage_a
    intermediate_rows : rows of Scratch.intermediate_*
    """

    name: str
    attempt_step: Callable | None = None
    update_history: Callable | None = None
    fill_intermediate_rows: Callable | None = None
    history_rows: int = 0
    explicit_stages: int = 0
    intermediate_rows: int = 0
