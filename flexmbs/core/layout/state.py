"""What the step loop carries from step to step, its settings and its scratch arrays.

A state can be stopped between any two steps and continued with the same digits: everything that influences
stepping (step size, controller memory, tangent, factorisation flags) is in it.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.abi.blocks import Block
from flexmbs.core.layout.tables import BALL, Tables

# entries of State.number (floats)
(
    TIME, STEP, OLD_STEP, OLD_ERROR, FACTORED_STEP, CONTRACTION, LAST_CONTRACTION, INDEPENDENCE, LOWER_ERROR,
    HIGHER_ERROR, PRESENT_ERROR, ACCURACY,
) = range(12)  # fmt: skip
# entries of State.flag (integers)
(
    TANGENT, HAS_PREDICTION, REJECTED_LAST, WORST, VOLATILE, STRAYED, ASKED, HOLDING, ORDER, DEPTH, SINCE, RAISING,
    STRIKES, CAPPED, SENTENCE, CREEPING,
) = range(16)  # fmt: skip
# values of the flag TANGENT: all or the mass matrix to be computed anew before the next step; taken at an earlier
# state and still good; taken at this very state, so that there is no better one
ALL_STALE, MASS_STALE, GOOD, HERE = range(4)
# entries of State.count
STEPS, REJECTIONS, NEWTON_FAILURES, RESIDUALS, TANGENTS, FACTORISATIONS, NEWTON_ITERATIONS, EVENTS = range(8)
COUNT_NAMES = (
    "steps_accepted",
    "steps_rejected",
    "newton_failures",
    "residual_evaluations",
    "tangent_evaluations",
    "factorisations",
    "newton_iterations",
    "events",
)
# Where a tangent of the step before was useless, that of the next steps is taken anew at once.
VOLATILE_STEPS = 8
END = 2  # row of Scratch.q, v and a that holds the end of the step, whatever the method
MOST_HELD = 64  # directions that can be held at once
# places in Scratch.entries: the functions of core.methods.interface; 0: there is none
ATTEMPT, KEEP, INNER_ROWS = range(3)
# columns of State.episode, one row per contact
START, IMPULSE, PEAK, PEAK_TIME = range(4)
# what does not depend on which constraints are chosen as independent
KEPT_BETWEEN_CHOICES = (
    "q", "v", "a", "reference", "active", "episode", "samples", "history_t", "history_q", "history_v", "history_a",
    "number", "flag", "count",
)  # fmt: skip
# outcome of a call of the loop
CHUNK_FULL, FINISHED, UNDERFLOW, NOT_FINITE, SINGULAR, DIVERGED, DEPENDENT = range(7)


class State(Block):
    """Coordinates are those of the step's chart: three per ball, zero at the start of each step."""

    fields = {
        "q": ("f8", 1),
        "v": ("f8", 1),
        "a": ("f8", 1),
        "reference": ("f8", 2),  # (balls, 4) quaternions of the chart
        "active": ("i8", 1),  # (contacts,) 1 while touching
        "episode": ("f8", 2),  # (contacts, 4) of the touching contacts
        "samples": ("i8", 1),  # (samplers,) how many each has taken
        # what the method remembers of earlier steps (Method.history rows); each method says what it keeps there
        "history_t": ("f8", 1),
        "history_q": ("f8", 2),
        "history_v": ("f8", 2),
        "history_a": ("f8", 2),
        "mass": ("f8", 2),  # (free, free), or its band (core.linalg.matrix)
        "damping": ("f8", 2),
        "stiffness": ("f8", 2),
        "scale": ("f8", 1),  # (free,) powers of two that bring the unknowns to like size
        "held": (
            "i8",
            1,
        ),  # (free,) 1: a multiplier that is replaced near a singular position (core.equations.singular_positions)
        "holder": ("i8", 1),  # (slots,) which unknowns are held
        "direction": ("f8", 2),  # (slots, free) M w of each
        "number": ("f8", 1),
        "flag": ("i8", 1),
        "count": ("i8", 1),
    }


class Settings(Block):
    """Tolerances as in scipy.integrate.solve_ivp: error of y stays below atol + rtol |y| in each step (rms norm)."""

    fields = {
        "t_end": ("f8", 0),
        "rtol": ("f8", 0),
        "atol_q": ("f8", 1),
        "atol_v": ("f8", 1),
        "floor_q": ("f8", 1),  # added to |q|: 1 for rotation vectors, whose size is not that of the rotation
        "largest_q": ("f8", 1),  # a run stops where |q| exceeds it
        "max_step": ("f8", 0),
        "most_growth": ("f8", 0),  # of the step, from one to the next
        "newton_tolerance": ("f8", 0),
        "contraction": ("f8", 0),  # simplified Newton keeps its tangent while it contracts at least this fast
        "formulation": ("i8", 0),  # of the constraints (core.methods.one_stage)
        "most_order": ("i8", 0),
        "explicit": ("i8", 0),  # 1: the method needs no tangent
        "levels": ("i8", 0),  # to which accepted steps are projected: 1 positions, 2 velocities too
        "parameters": ("f8", 1),  # of the method
    }


class Scratch(Block):
    """Arrays of one step."""

    fields = {
        "q": ("f8", 2),  # (3, n) stages
        "v": ("f8", 2),
        "a": ("f8", 2),
        "weights": ("f8", 2),  # (3, 9) of backward differentiation
        "stages": ("f8", 3),  # (stages, 2, n) velocities and accelerations of an explicit method
        "inner": ("f8", 3),  # (3, 3, n) positions, velocities, accelerations inside its step (core.methods.inner_rows)
        "turns": ("f8", 2),  # (balls, 4)
        "signal": ("f8", 3),  # (3, signals, 3)
        "residual": ("f8", 1),  # (n,)
        "shifted": ("f8", 1),
        "old": ("f8", 1),  # (free,) values before a shift
        "stage_residual": ("f8", 2),  # (3, free)
        "real": ("f8", 2),  # (free, free) factors
        "complex": ("c16", 2),
        "real_pivots": ("i8", 1),
        "complex_pivots": ("i8", 1),
        "projection": ("f8", 2),  # (free, free) factors of the mass matrix with constraints
        "projection_pivots": ("i8", 1),
        "push": ("f8", 2),  # (3, slots) force along each held direction
        "aim": ("f8", 2),  # (3, slots) acceleration along it that is held
        "border_real": ("f8", 2),  # (slots, free), and Schur complements (core.equations.singular_positions)
        "border_complex": ("c16", 2),
        "schur_real": ("f8", 2),
        "schur_complex": ("c16", 2),
        "schur_real_pivots": ("i8", 1),
        "schur_complex_pivots": ("i8", 1),
        "part_real": ("f8", 1),
        "part_complex": ("c16", 1),
        "real_x": ("f8", 1),  # (free,)
        "complex_x": ("c16", 1),
        "error_q": ("f8", 1),
        "error_v": ("f8", 1),
        "weight_q": ("f8", 1),
        "weight_v": ("f8", 1),
        "point_q": ("f8", 1),  # (n,) a point of the interpolant
        "point_v": ("f8", 1),
        "point_a": ("f8", 1),
        "entries": ("i8", 1),  # addresses of the method's functions (core.stepping.linking)
        "algebraic": ("i8", 0),  # how many of the unknowns are multipliers or condensed modes
    }


class Log(Block):
    """Finished steps and contacts of one chunk, in the order in which they happened."""

    fields = {
        "rows": ("f8", 2),  # (capacity, width): t, q, quaternions of the balls, v, a, contact flags
        "contacts": ("f8", 2),  # (capacity, 6): contact, start, end, peak force, its time, impulse
        "filled": ("i8", 1),  # [rows, contacts]
    }


def hold_slots(tables: Tables) -> int:
    """How many directions can be held at once near singular positions (core.equations.singular_positions)."""
    return min(MOST_HELD, int(np.count_nonzero(tables.coordinates["multiplier"][tables.free])))


def make_state(tables: Tables, balls: int, history: int) -> State:
    """A state at rest; ``history``: how many rows the method remembers (core.methods.methods)."""
    n, m, c = len(tables.coordinates), len(tables.free), len(tables.contacts)
    width = 2 * int(tables.band) + 1 if tables.band else m
    reference = np.zeros((balls, 4))
    reference[:, 0] = 1.0
    return State(
        q=np.zeros(n),
        v=np.zeros(n),
        a=np.zeros(n),
        reference=reference,
        active=np.zeros(c, dtype=np.int64),
        episode=np.zeros((c, 4)),
        samples=np.zeros(len(tables.samplers), dtype=np.int64),
        history_t=np.zeros(history),
        history_q=np.zeros((history, n)),
        history_v=np.zeros((history, n)),
        history_a=np.zeros((history, n)),
        mass=np.zeros((m, width)),
        damping=np.zeros((m, width)),
        stiffness=np.zeros((m, width)),
        scale=np.ones(m),
        held=np.zeros(m, dtype=np.int64),
        holder=np.zeros(hold_slots(tables), dtype=np.int64),
        direction=np.zeros((hold_slots(tables), m)),
        number=np.zeros(12),
        flag=np.zeros(16, dtype=np.int64),
        count=np.zeros(8, dtype=np.int64),
    )


def make_scratch(tables: Tables, method) -> Scratch:
    """Arrays of one step of a method; core.stepping.linking connects them with its functions."""
    n, m, s = len(tables.coordinates), len(tables.free), max(1, len(tables.signals))
    width = 3 * int(tables.band) + 1 if tables.band else m
    slots = hold_slots(tables)
    kinds = tables.coordinates[tables.free]
    return Scratch(
        q=np.zeros((3, n)),
        v=np.zeros((3, n)),
        a=np.zeros((3, n)),
        weights=np.zeros((3, 9)),
        stages=np.zeros((method.stages, 2, n)),
        inner=np.zeros((3 if method.stages else 0, 3, n)),
        turns=np.zeros((int(np.count_nonzero(tables.axes["kind"] == BALL)), 4)),
        signal=np.zeros((3, s, 3)),
        residual=np.zeros(n),
        shifted=np.zeros(n),
        old=np.zeros(m),
        stage_residual=np.zeros((3, m)),
        real=np.zeros((m, width)),
        complex=np.zeros((m, width), dtype=complex),
        real_pivots=np.zeros(m, dtype=np.int64),
        complex_pivots=np.zeros(m, dtype=np.int64),
        projection=np.zeros((m, width)),
        projection_pivots=np.zeros(m, dtype=np.int64),
        push=np.zeros((3, slots)),
        aim=np.zeros((3, slots)),
        border_real=np.zeros((slots, m)),
        border_complex=np.zeros((slots, m), dtype=complex),
        schur_real=np.zeros((slots, slots)),
        schur_complex=np.zeros((slots, slots), dtype=complex),
        schur_real_pivots=np.zeros(slots, dtype=np.int64),
        schur_complex_pivots=np.zeros(slots, dtype=np.int64),
        part_real=np.zeros(slots),
        part_complex=np.zeros(slots, dtype=complex),
        real_x=np.zeros(m),
        complex_x=np.zeros(m, dtype=complex),
        error_q=np.zeros(m),
        error_v=np.zeros(m),
        weight_q=np.zeros(m),
        weight_v=np.zeros(m),
        point_q=np.zeros(n),
        point_v=np.zeros(n),
        point_a=np.zeros(n),
        entries=np.zeros(3, dtype=np.int64),
        algebraic=int(np.count_nonzero(kinds["multiplier"])) + int(np.count_nonzero(kinds["unit"])),
    )


def make_log(tables: Tables, balls: int, capacity: int = 512) -> Log:
    """An empty log for ``capacity`` steps."""
    n, c = len(tables.coordinates), len(tables.contacts)
    return Log(
        rows=np.zeros((capacity, 1 + n + 4 * balls + 2 * n + c)),
        contacts=np.zeros((capacity, 6)),
        filled=np.zeros(2, dtype=np.int64),
    )
