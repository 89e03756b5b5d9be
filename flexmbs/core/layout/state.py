"""What the step loop carries from step to step, its settings and its scratch arrays.

A state can be stopped between any two steps and continued with the same digits: everything that influences
stepping (step size, controller memory, tangent, factorisation flags) is in it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.core.layout.log_rows import LogRow
from flexmbs.core.layout.switch_tables import SLOT
from flexmbs.core.layout.tables import BALL, Tables, active_size, dense_unknowns, history_size, lengths, sharing_size
from flexmbs.machine_code.blocks import Block

# The named numbers of State, in the order in which its arrays (and saved states) hold them.
NUMBERS = (
    "time",
    "step_size",  # proposed for the next step, s
    "last_step_size",  # of the step accepted last; 0: none yet
    "last_error",  # its error in parts of the tolerance
    "factored_step_size",  # for which the iteration matrix was factorised: h (Radau), h beta (one stage); 0: for none
    "convergence_rate",  # of Newton's iteration, the slowest of the last solution: what the next one begins with
    "last_convergence_rate",  # of its last correction: above Settings.reuse_rate the tangent is renewed
    "reference_singular_value",  # of the constraints, since they were chosen (core.equations.projection)
    "lower_order_error",  # estimates of a BDF step, in parts of the tolerance
    "higher_order_error",
    "current_order_error",
    "rtol",  # of the settings
    "measured_time",  # where the measurement of an order of Radau IIA has begun, and its cost so far
    "measured_cost",
    "singular_value",  # smallest of the constraints, when their matrix was last factorised
    "singular_value_before",  # that of the time before
    "remaining_singular_value",  # that of the rows that are not replaced
    "gain_before",  # motion per evaluation before the trial of another order
    "next_flight",  # s, to the next bounce of a sequence that the log had no more room for; 0: there is none
    "moved_since_tangent",  # the mechanism since its mass matrix and constraints were taken (core.equations.finish_constraints)
    "passage",  # distance of a singular position within which rows are replaced, rad; 0: none
    "fall",  # of the smallest singular value per rad of the mechanism
    "regular_step_size",  # s, of the last step away from singular positions
    "regular_speed",  # of the mechanism then, rad/s
    "largest_load",  # of contacts that rest so far, N (core.stepping.rigid.resting_groups)
    "rest_ended",  # s: when a group of them came to its limit the last time
    "holding_slack",  # of their margin, where they were held with rounding at their limit, N
    "multiplier_noise",  # corrections of multipliers that stay whatever the factors: rounding
    "unsettled_multiplier",  # largest of those corrections, and when it was, s
    "unsettled_time",
    "largest_multiplier",  # so far
    "rebound",  # m/s, behind the last hit of rigid contacts
    "least_rebound",  # m/s, of hits that rebound at present
    "instant",  # where the events of rigid contacts that come at once began (core.stepping.rigid.resolve)
)
FLAGS = (
    "tangent_status",
    "has_prediction",  # 1: a step came before this one that is continued smoothly
    "last_step_rejected",
    "worst_coordinate",  # with the largest part in the error, or in Newton's last correction
    "tangent_refreshes_left",  # steps that still begin with a new tangent, because an old one was useless
    "reselect_constraints",  # 1: the choice of independent constraints is to be made anew
    "reselection_requested",  # 1: it was, and the constraints have not recovered since
    "replaced_count",  # constraint rows that are replaced at present (core.equations.singular_positions)
    "order",  # of BDF; of Radau IIA which one of its orders
    "history_length",  # points that BDF remembers; stages of the last step of Radau IIA
    "steps_at_order",  # since the order of Radau IIA, or order or step size of BDF changed
    "initial_phase",  # 1: order and step size still rise from the start
    "rejection_score",  # tells oscillations at the border of stability (core.methods.bdf)
    "low_order_steps_left",  # for which orders above 2 are not allowed
    "low_order_duration",  # steps for which they were not allowed the last time
    "short_steps",  # in a row (core.stepping.step_loop)
    "order_trial",  # 1, -1: a higher or lower order of Radau IIA is being tried (core.methods.radau_order)
    "next_trial",  # direction of the next one
    "order_wait",  # steps before it
    "order_wait_length",  # after one that fails
    "events_at_once",  # since State.instant
    "low_hits",  # in a row (core.stepping.rigid.resolve)
    "held_rank",  # columns of State.holding
)
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
# Values of tangent_status: all, or only the mass matrix, to be computed before the next step; taken at an earlier state
# and still good; taken at this very state, so that there is no better one.
ALL_STALE, MASS_STALE, REUSABLE, CURRENT = range(4)
TOUCHES_NOW = 2  # of State.active, before a run begins: the contact touches, and is to begin
TANGENT_REFRESHES = 8  # steps that begin with a new tangent where that of the step before was useless
INDEX_3, INDEX_2, INDEX_1 = range(3)  # Settings.formulation
MAX_REPLACED = 64  # constraint rows that can be replaced at once
# What a touching contact has done since it touched, one record per contact; kept as rows of floats in files.
EPISODE = np.dtype(
    [
        ("start", "f8"),
        ("impulse", "f8"),
        ("peak_force", "f8"),
        ("peak_time", "f8"),
        ("approach_speed", "f8"),
        ("rebound_speed", "f8"),
        ("max_depth", "f8"),
    ]
)
# A contact that has ended, as the log has it.
ENDED_CONTACT = np.dtype([("contact", "i8"), ("pair", "i8"), ("end", "f8"), *EPISODE.descr])
# What has happened at an instant (core.layout.switch_tables): an impact or change of mode of rigid contact `source`,
# event `source` of the user, a lock or release of switch `source`.  Vectors in world axes; impulses N s on body a.
# `row`: the first row of the log behind it.
OCCURRENCE = np.dtype(
    [
        ("time", "f8"),
        ("row", "i8"),
        ("kind", "i8"),
        ("source", "i8"),
        ("pair", "i8"),
        ("mode", "i8"),
        ("mode_before", "i8"),
        ("approach_speed", "f8"),
        ("rebound_speed", "f8"),
        ("slip_before", "f8", (3,)),
        ("slip_after", "f8", (3,)),
        ("normal_impulse", "f8"),
        ("friction_impulse", "f8", (3,)),
        ("normal", "f8", (3,)),
        ("place", "f8", (3,)),
        ("energy_lost", "f8"),
    ]
)
# Fields of blocks that are not saved: addresses mean nothing in another process, and no later step depends on the rest.
NOT_SAVED = (
    "entries",
    "stage_v",
    "stage_a",
    "intermediate_q",
    "intermediate_v",
    "intermediate_a",
    "squared_error",
    "drivers",
    "driven_forces",
    "driver_signals",
    "knots",
    "driven",
    "patch_matrix",
    "patch_pivots",
    "patch_x",
)
# outcome of a call of the loop
CHUNK_FULL, FINISHED, UNDERFLOW, NOT_FINITE, SINGULAR, DIVERGED, DEPENDENT, TOO_MANY_CONTACTS = range(8)
NO_CONTACT_SLOT, JAMMED, STOPPED_BY_EVENT, EVENT_WITHOUT_END, CONTRADICTORY_LOCK, CHATTERS = range(8, 14)


class State(Block):
    """Coordinates are those of the step's chart: three per ball, zero at the start of each step."""

    fields = {
        "q": ("f8", ("n",)),
        "v": ("f8", ("n",)),
        "a": ("f8", ("n",)),
        "reference": ("f8", ("balls", 4)),  # quaternions of the chart
        "active": ("i8", ("flags",)),  # contacts: 1 while touching, 1 + the number of the pair in a group; then switches
        "armed": ("i8", ("events",)),  # whether an event of the user can happen (core.layout.switch_tables)
        "episode": (EPISODE, ("contacts",)),  # of the touching contacts
        "contact_history": ("f8", ("history",)),  # what the laws of touching contacts remember (core.laws.contact.contact_law)
        "sharing": ("f8", ("shares", "shares")),  # as Workspace.sharing
        "wishes": ("f8", ("sharers", "sharers")),  # normal forces of contacts without load on equal springs, by those of others
        "holding": ("f8", ("slot_rows", "slot_rows")),  # rows F of contacts that rest (core.stepping.rigid.resting_groups)
        "holding_bearing": ("f8", ("slot_rows", "joint_frictions", 6)),  # reactions of joints by unit forces on these rows
        "largest_effort": ("f8", ("n",)),  # driving forces so far, or as their rounding allows (core.stepping.driver_steps)
        "speed": ("f8", ("bodies",)),  # largest speed of its points so far (core.methods.motion_scales)
        "decided": ("i8", ("n",)),  # steps whose size the error of each coordinate has decided
        "samples": ("i8", ("samplers",)),  # how many each has taken
        # what the method remembers of earlier steps (Method.history rows); each method says what it keeps there
        "history_t": ("f8", ("remembered",)),
        "history_q": ("f8", ("remembered", "n")),
        "history_v": ("f8", ("remembered", "n")),
        "history_a": ("f8", ("remembered", "n")),
        "mass": ("f8", ("free", "width")),  # full, or its band (core.linalg.matrix)
        "damping": ("f8", ("free", "width")),
        "stiffness": ("f8", ("free", "width")),
        "scale": ("f8", ("free",)),  # powers of two that bring the unknowns to like size
        "replaced": ("i8", ("free",)),  # 1: a multiplier whose row is replaced (core.equations.singular_positions)
        "replaced_rows": ("i8", ("replaceable",)),  # which unknowns these are
        "replacement_direction": ("f8", ("replaceable", "free")),  # M w of each
        "number": ("f8", (len(NUMBERS),)),
        "flag": ("i8", (len(FLAGS),)),
        "count": ("i8", (len(COUNT_NAMES),)),
    }
    parts = {
        **{name: ("number", index) for index, name in enumerate(NUMBERS)},
        **{name: ("flag", index) for index, name in enumerate(FLAGS)},
        **{name: ("count", index) for index, name in enumerate(COUNT_NAMES)},
    }


# what does not depend on which constraints are chosen as independent
KEPT_BETWEEN_CHOICES = tuple(name for name, shape in State.shapes.items() if not {"free", "replaceable"} & {*shape})


def named(arrays: Mapping[str, np.ndarray], name: str):
    """A named number of State in the arrays of a saved state."""
    field, index = State.parts[name]
    return arrays[f"state.{field}"][index]


def as_saved(array: np.ndarray) -> np.ndarray:
    """A field as files have it: records of floats are rows of a matrix (a view: it can be assigned)."""
    names = array.dtype.names
    return array if names is None else array.view(np.ndarray).view(np.float64).reshape(len(array), len(names))


class Settings(Block):
    """Tolerances as in scipy.integrate.solve_ivp: error of y stays below atol + rtol |y| in each step (rms norm)."""

    fields = {
        "t_end": ("f8", 0),
        "rtol": ("f8", 0),
        "atol_q": ("f8", 1),
        "atol_v": ("f8", 1),
        # errors against the motion of bodies (core.methods.motion_scales); without it each coordinate for itself
        "by_motion": ("i8", 0),
        "reach_q": ("f8", 1),  # (n,) displacement of the fastest point of the body per unit of a modal coordinate, m
        "reach_v": ("f8", 1),  # (n,) speed of the fastest point per unit of a rate; 0: measured against itself
        "vibration_time": ("f8", 1),  # (n,) 1 / w of a mode, s
        "scale_body": ("i8", 1),  # (n,) body whose speed a rate is measured against
        "body_size": ("f8", 1),  # (bodies,) m
        # points of the flexible bodies at which errors are measured: those of body b from point_start[b] to [b + 1]
        "point_start": ("i8", 1),
        "points": ("f8", 2),  # (points, 3) undeformed, in the frame of the body
        "point_Phi_at": ("i8", 1),  # (bodies,) where the modes (modes, points of the body, 3) begin
        "point_Phi": ("f8", 1),
        "least_speed": ("f8", 1),  # (bodies,) m/s, that counts before they move faster
        "floor_q": ("f8", 1),  # added to |q|: 1 for rotation vectors, whose size is not that of the rotation
        "largest_q": ("f8", 1),  # a run stops where |q| exceeds it
        "pairs": ("i8", 1),  # (contacts + switches,) largest values of State.active
        "motion": ("f8", 1),  # (n,) rad, or sizes of the mechanism, per unit of a coordinate
        "max_step": ("f8", 0),
        # (drivers, 3) that limit steps: signal, its column that is an acceleration, and what steps may miss of it
        "drivers": ("f8", 2),  # (core.stepping.driver_steps)
        "driven_forces": ("f8", 2),  # (driven coordinates, 3) of trees that drivers alone move
        "driver_signals": ("i8", 1),  # signals that are evaluated for them, behind those that they are made of
        "knots": ("i8", 1),  # piecewise functions of drivers in Tables.pool, on whose knots steps end
        "max_growth": ("f8", 0),  # of the step, from one to the next
        "newton_tolerance": ("f8", 0),
        "reuse_rate": ("f8", 0),  # simplified Newton keeps its tangent while it converges at least at this rate
        "formulation": ("i8", 0),  # of the constraints (core.methods.one_stage)
        "max_order": ("i8", 0),
        "explicit": ("i8", 0),  # 1: the method needs no tangent
        "projection_levels": ("i8", 0),  # to which accepted steps are projected: 1 positions, 2 velocities too
        "parameters": ("f8", 1),  # of the method
    }


class Scratch(Block):
    """Arrays of one step.

    The end of the step stands in ``end_q``, ``end_v``, ``end_a``, whatever the method; other rows of the stages mean
    what their names say (core.methods.one_stage), or are the inner stages of Radau IIA.
    """

    fields = {
        "q": ("f8", ("stages", "n")),
        "v": ("f8", ("stages", "n")),
        "a": ("f8", ("stages", "n")),
        "bdf_weights": ("f8", (3, 9)),  # of backward differentiation
        "stage_v": ("f8", ("explicit_stages", "n")),  # velocities and accelerations of the stages of an explicit method
        "stage_a": ("f8", ("explicit_stages", "n")),
        "intermediate_q": ("f8", ("inside", "n")),  # motion at points inside the step (core.methods.intermediate_rows)
        "intermediate_v": ("f8", ("inside", "n")),
        "intermediate_a": ("f8", ("inside", "n")),
        "start_reference": ("f8", ("balls", 4)),  # quaternions of the step's chart, while another one is logged
        "signal": ("f8", ("stages", "signals", 3)),  # at the stages
        "residual": ("f8", ("n",)),
        "shifted_residual": ("f8", ("n",)),
        "unshifted": ("f8", ("free",)),  # values before a shift
        "stage_residual": ("f8", ("stages", "free")),
        "stage_change": ("f8", ("stages",)),  # of one coordinate
        "prediction_weight": ("f8", ("stages",)),  # of the last step
        "real": ("f8", 2),  # (free, free) factors; of explicit methods of Workspace.dense
        "complex": ("c16", ("matrices", "free", "width")),
        "real_pivots": ("i8", ("free",)),
        "complex_pivots": ("i8", ("matrices", "free")),
        "projection": ("f8", ("free", "width")),  # factors of the mass matrix with constraints
        "projection_pivots": ("i8", ("free",)),
        "replacement_force": ("f8", (3, "replaceable")),  # along the direction of each replaced row, by stage
        "target_acceleration": ("f8", (3, "replaceable")),  # along it
        "border_real": (
            "f8",
            ("replaceable", "free"),
        ),  # of the replaced rows, and Schur complements (core.equations.singular_positions)
        "border_complex": ("c16", ("replaceable", "free")),
        "schur_real": ("f8", ("replaceable", "replaceable")),
        "schur_complex": ("c16", ("replaceable", "replaceable")),
        "schur_real_pivots": ("i8", ("replaceable",)),
        "schur_complex_pivots": ("i8", ("replaceable",)),
        "part_real": ("f8", ("replaceable",)),
        "part_complex": ("c16", ("replaceable",)),
        "real_x": ("f8", ("free",)),
        "complex_x": ("c16", ("matrices", "free")),
        "error_q": ("f8", ("free",)),  # estimated local error
        "error_v": ("f8", ("free",)),
        "squared_error": ("f8", ("n",)),  # of each coordinate in parts of the tolerance (core.methods.error_norm)
        "scale_q": ("f8", ("n",)),  # sizes of positions and rates from the motion of the body; 0: their own
        "scale_v": ("f8", ("n",)),
        "deflection": ("f8", ("bodies",)),  # m
        "missed_q": ("f8", ("n",)),  # the errors themselves
        "missed_v": ("f8", ("n",)),
        "weight_q": ("f8", ("free",)),  # reciprocal tolerances at the start of the step
        "weight_v": ("f8", ("free",)),
        "point_q": ("f8", ("n",)),  # a point of the interpolant
        "point_v": ("f8", ("n",)),
        "point_a": ("f8", ("n",)),
        "driven": ("f8", (4, "driven")),  # driven accelerations and forces in a step (core.stepping.driver_steps)
        "patch_matrix": ("f8", ("massless", "massless")),  # derivatives of their equations (core.equations.massless_patches)
        "patch_pivots": ("i8", ("massless",)),
        "patch_x": ("f8", ("massless",)),
        "entries": ("i8", (3,)),  # addresses of the method's functions (core.stepping.linking)
        "algebraic": ("i8", 0),  # how many of the unknowns are multipliers or condensed modes
    }
    parts = {
        # addresses of the functions of core.methods.method_interface; 0: there is none
        "attempt_step": ("entries", 0),
        "update_history": ("entries", 1),
        "fill_intermediate_rows": ("entries", 2),
        "end_q": ("q", 2),
        "end_v": ("v", 2),
        "end_a": ("a", 2),
        "end_signal": ("signal", 2),
        # one implicit stage (core.methods.one_stage)
        "known_q": ("q", 0),
        "known_v": ("v", 0),
        "unknown_a": ("a", 0),
        "correction_q": ("q", 1),
        "own_v": ("v", 1),
        "algorithmic_a": ("a", 1),
        # backward differentiation (core.methods.bdf)
        "differentiation_weights": ("bdf_weights", 0),
        "prediction_weights": ("bdf_weights", 1),
        "error_weights": ("bdf_weights", 2),
    }


class Log(Block):
    """Finished steps and contacts of one chunk, in the order in which they happened."""

    fields = {
        "rows": ("f8", 2),  # (capacity, width): see core.layout.log_rows
        "contacts": (ENDED_CONTACT, 1),  # (capacity,)
        "occurrences": (OCCURRENCE, 1),  # (capacity,)
        "filled": ("i8", 1),
    }
    parts = {"row_count": ("filled", 0), "contact_count": ("filled", 1), "occurrence_count": ("filled", 2)}


def replaceable_rows(tables: Tables) -> int:
    """How many constraint rows can be replaced at once (core.equations.singular_positions)."""
    return min(MAX_REPLACED, int(np.count_nonzero(tables.coordinates["multiplier"][tables.free])))


def make_state(tables: Tables, balls: int, history: int, matrices: bool = True) -> State:
    """A state at rest; ``history``: how many rows the method remembers (core.methods.method_table).

    ``matrices``: room for those that implicit methods need.
    """
    sizes = lengths(tables) | {
        "flags": active_size(tables),
        "history": history_size(tables),
        "shares": sharing_size(tables),
        "sharers": sharing_size(tables) // 3,
        "slot_rows": 3 * int(np.count_nonzero(tables.switches["kind"] == SLOT)) + 6 * len(tables.joint_frictions),
        "remembered": history,
        "width": 0 if not matrices else 2 * int(tables.band) + 1 if tables.band else len(tables.free),
        "replaceable": replaceable_rows(tables),
    }
    reference = np.tile([1.0, 0.0, 0.0, 0.0], (balls, 1))
    return State.zeros(sizes, reference=reference, armed=tables.events["armed"], scale=np.ones(len(tables.free)))


def make_scratch(tables: Tables, method) -> Scratch:
    """Arrays of one step of a method; core.stepping.linking connects them with its functions."""
    m, s, explicit = len(tables.free), max(1, len(tables.signals)), method.matrices == 0
    width = 0 if explicit else 3 * int(tables.band) + 1 if tables.band else m
    dense = len(dense_unknowns(tables)) if explicit else 0
    kinds = tables.coordinates[tables.free]
    sizes = lengths(tables) | {
        "stages": method.stages,
        "explicit_stages": method.explicit_stages,
        "inside": method.intermediate_rows,
        "balls": int(np.count_nonzero(tables.axes["kind"] == BALL)),
        "signals": s,
        "driven": s + 2 * len(tables.coordinates),
        "matrices": method.matrices,
        "width": width,
        "replaceable": replaceable_rows(tables),
    }
    return Scratch.zeros(
        sizes,
        real=np.zeros((dense, dense) if explicit else (m, width)),
        algebraic=int(np.count_nonzero(kinds["multiplier"])) + int(np.count_nonzero(kinds["unit"])),
    )


def make_log(tables: Tables, balls: int, capacity: int = 512) -> Log:
    """An empty log for ``capacity`` steps."""
    n, c = len(tables.coordinates), len(tables.contacts)
    return Log(
        rows=np.zeros((capacity, LogRow(n, balls, c, history_size(tables), len(tables.switches)).width)),
        contacts=np.zeros(capacity + 4 * c, dtype=ENDED_CONTACT),
        occurrences=np.zeros(capacity + 4 * c + 8 * (len(tables.switches) + len(tables.events)), dtype=OCCURRENCE),
        filled=np.zeros(3, dtype=np.int64),
    )
