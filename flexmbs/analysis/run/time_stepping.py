"""Two ways through a run: steps that end on events, and steps in time through rigid contacts (core.stepping.moreau).

What a run needs for the latter, and when it goes over to them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from flexmbs.analysis.evaluation.driver_elimination import with_tables
from flexmbs.common.errors import MechanismError
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.state import Log, Settings, State
from flexmbs.core.layout.switch_tables import SLOT, UNUSED
from flexmbs.core.layout.tables import Tables, power_of_two
from flexmbs.core.layout.time_stepping import TimeStepping, make_time_stepping
from flexmbs.core.methods.moreau import Moreau
from flexmbs.core.stepping.moreau.step_in_time import advance_in_time, start_in_time
from flexmbs.core.stepping.step_loop import advance, start
from flexmbs.model.compiled_model import Model
from flexmbs.model.tangent_shifts import tangent_shifts
from flexmbs.model.unknown_ordering import banded_order, coupling_graph

# of the run: a step after a hand-over
SHORTEST, LONGEST = 1e-6, 1e-3
LOOKED_AT = 100  # steps before it, whose median it is


def prepared_for_steps(model: Model) -> Model:
    """``model`` whose unknowns are those of bodies and permanent constraints alone, in an order with a small band.

    Raises
    ------
    MechanismError
        Something in it needs located events or elastic contact.
    """
    reason = why_not(model)
    if reason:
        raise MechanismError(f"fm.Moreau steps through rigid contacts only: {reason}")
    return without_slots(model)


def why_not(model: Model) -> str:
    """What of a mechanism has no place in steps in time; empty: nothing."""
    tables = model.tables
    elastic = np.flatnonzero((tables.contacts["rigid"] == 0) & (tables.contacts["group"] < 0))
    if len(elastic):
        return f"contact '{model.contact_names[elastic[0]]}' has an elastic law, and its onset is located as an event"
    if np.any(tables.contacts["rigid"] == 0):
        return "a group of contact_all has an elastic law"
    if np.any(model.condensed_units):
        return "modes condensed to their static deflection (high_modes) have no inertia for impulses"
    if np.any(tables.switches["kind"] != SLOT):
        return "what locks, or sticks in a joint, is switched by located events"
    if len(tables.events):
        return f"'{model.event_names[0]}', an event or the kink of a force, is located"
    return ""


def without_slots(model: Model) -> Model:
    """``model`` without the multipliers of slots among its unknowns."""
    tables = model.tables
    rows = np.concatenate([np.arange(s["row"], s["row"] + s["rows"]) for s in tables.switches] or [np.zeros(0, int)])
    free, band = banded_order(tables, np.array([k for k in tables.free if k not in set(rows.tolist())], dtype=np.int64))
    chosen = with_tables(model, free=free, band=band)
    return with_tables(chosen, **tangent_shifts(chosen.tables, chosen.tables.free, of_trees=True))


def make_steps(model: Model) -> TimeStepping:
    """The block of steps in time of a model of :func:`prepared_for_steps`."""
    tables = model.tables
    block = _blocks(tables)
    rigid = int(np.count_nonzero(tables.contacts["rigid"]))
    hash_size = power_of_two(2 * len(tables.contacts))
    return make_time_stepping(tables, block, _blocks_of_bodies(tables, block), _is_implicit(tables), rigid, hash_size)


def _blocks(tables: Tables) -> np.ndarray:
    """(free,) number of the block of each unknown: what joints, constraints and forces couple."""
    from scipy.sparse.csgraph import connected_components

    graph = coupling_graph(tables, tables.free)
    if graph is None:
        return np.zeros(len(tables.free), dtype=np.int64)
    return connected_components(graph, directed=False)[1].astype(np.int64)


def _blocks_of_bodies(tables: Tables, block: np.ndarray) -> np.ndarray:
    """(bodies,) block that moves each body, -1: none, its motion is prescribed."""
    place = np.full(len(tables.coordinates), -1)
    place[tables.free] = block
    found = np.full(len(tables.bodies), -1)
    for b in range(1, len(tables.bodies)):
        body = tables.bodies[b]
        parent = int(tables.markers["body"][body["parent_marker"]])
        own = list(range(body["modal_start"], body["modal_start"] + body["modes"]))
        for axis in tables.axes[body["axis_start"] : body["axis_end"]]:
            own += list(range(axis["coordinate"], axis["coordinate"] + (3 if axis["ball"] >= 0 else 1)))
            own += [int(axis["second"])] if axis["second"] >= 0 else []
        moving = [place[k] for k in own if place[k] >= 0]
        found[b] = moving[0] if moving else found[parent]
    return found


def _is_implicit(tables: Tables) -> bool:
    """Whether forces may be stiff."""
    stiff = ("elements", "bushings", "couplers", "functions", "states")
    return bool(np.any(tables.bodies["modes"] > 0)) or any(len(getattr(tables, name)) > 0 for name in stiff)


def release_slots(tables: Tables, state: State) -> None:
    """No slot serves a contact, and rigid contacts are open until the next step finds them closed."""
    contacts = len(tables.contacts)
    for s, switch in enumerate(tables.switches):
        state.active[contacts + s] = UNUSED
        state.a[switch["row"] : switch["row"] + switch["rows"]] = 0.0
    for c in np.flatnonzero(tables.contacts["rigid"]):
        at = tables.contacts["history_at"][c]
        state.active[c] = 0
        state.contact_history[at : at + tables.contacts["history"][c]] = 0.0


def replaced(settings: Settings, integrator: Moreau) -> Settings:
    """``settings`` of a run that goes on in steps of fixed length."""
    made = settings.copy()
    made.max_step = min(float(settings.max_step), integrator.step)
    return Settings(**{**made.arrays, "parameters": integrator.parameters(float(settings.rtol)), "explicit": 0})


def step_after(log: Log, state: State, t_end: float) -> float:
    """Length of the steps after a hand-over, s: the median of the last hundred, within limits of the run."""
    lengths = np.diff(log.rows[: log.row_count, TIME])
    lengths = lengths[lengths > 0.0][-LOOKED_AT:]
    median = float(np.median(lengths)) if len(lengths) else float(state.last_step_size)
    return float(np.clip(median, SHORTEST * t_end, LONGEST * t_end))


def note_of_sweeps(stepping: TimeStepping) -> str:
    """A warning where contact problems were not solved to the tolerance; else empty."""
    if not int(stepping.unsolved):
        return ""
    return (
        f"in {int(stepping.unsolved)} steps the impulses of the contacts were not found to the tolerance; speeds at "
        f"contacts changed by up to {float(stepping.worst):.2g} m/s in the last sweep. Use a smaller step, or "
        "fm.Moreau(step=..., max_sweeps=...) with more sweeps"
    )


class Steps(NamedTuple):
    """Entries ``start(tables, state, settings, scratch, work, log, *arrays)``, ``advance(..., *arrays, max_steps)``."""

    start: Callable[..., int]
    advance: Callable[..., int]


WITH_EVENTS = Steps(start, advance)
IN_TIME = Steps(start_in_time, advance_in_time)
