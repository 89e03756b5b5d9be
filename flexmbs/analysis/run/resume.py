"""Saved states of a run: capturing the blocks, restoring them, and starting another run from a saved state."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.prepare.prepare import with_independent_constraints
from flexmbs.analysis.run.saved_state_comparison import CHOICE, check_indices, system_arrays, unknown_tables
from flexmbs.common.errors import MechanismError
from flexmbs.core.layout import state as s
from flexmbs.core.layout.force_tables import TURN_MEMORY
from flexmbs.core.layout.switch_tables import DISARMED, EVENT_MEMORY, SLIDING, SLOT, SLOT_OF, UNUSED
from flexmbs.core.layout.switch_tables import OPEN as OPEN_CONTACT
from flexmbs.core.layout.tables import POSITION_LEVEL
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.machine_code.blocks import Block
from flexmbs.model.compiled_model import Model
from flexmbs.result.result import Result
from flexmbs.result.saved_state import SavedState, has_state, load_state

RUNNING, FINISHED, INTERRUPTED, STOPPED = "running", "finished", "interrupted", "stopped"
OPEN = 1e-6  # m or rad: largest opening of constraints where a run starts
SAME_POSITION = 1e-6  # largest relative difference between a driver and the state from which a run starts


def capture(
    model: Model, stated: Model, blocks: Mapping[str, Block], requested: Mapping[str, str], note: Mapping[str, object]
) -> SavedState:
    """A copy of everything that the next steps depend on.

    Parameters
    ----------
    model : with the current choice of unknowns
    stated : as stated by the system, with its start values
    blocks : state, scratch, settings by name; all their arrays are saved, so that every method is covered
    requested : integrator and tolerances as stated by the user, as text
    note : counters of the run
    """
    arrays = {name: array.copy() for name, array in _saved_arrays(blocks)}
    arrays |= {f"tables.{name}": getattr(model.tables, name).copy() for name in CHOICE}
    names = {
        "coordinate_names": list(stated.coordinate_names),
        "coordinate_count": stated.coordinate_count,
        "rate_names": list(stated.rate_names),
        "contact_names": list(stated.contact_names),
        "switch_names": list(stated.switch_names),
        "event_names": list(stated.event_names),
        "turn_names": list(stated.turn_names),
        "samplers": _samplers(stated),
        "balls": [stated.coordinate_names[k] for k in stated.balls],
        "asked": dict(requested),
    }
    return SavedState(float(s.named(arrays, "time")), arrays, system_arrays(stated), {**names, **note})


def _saved_arrays(blocks: Mapping[str, Block]) -> Iterator[tuple[str, np.ndarray]]:
    """Names and arrays of the blocks as files have them; assigned elements are those of the blocks."""
    for block, content in blocks.items():
        for name, array in content.arrays.items():
            if name not in s.NOT_SAVED:
                yield f"{block}.{name}", s.as_saved(array)


def check_start_options(out, resume: bool, start, start_computed: bool, force: bool) -> None:
    """MechanismError if the arguments of a run specify more than one start."""
    if resume and (out is None or start is not None):
        raise MechanismError("resume=True continues the run in the folder out=...; give out=, and do not give start=")
    if resume and force:
        raise MechanismError("give either resume=True (continue the run in out=...) or force=True (replace it)")
    if start is None:
        return
    if start_computed:
        raise MechanismError("give either start=..., or from_equilibrium=True or quasi_static_start=True")
    if out is not None and isinstance(start, str | Path) and os.path.realpath(start) == os.path.realpath(out):
        raise MechanismError("start= and out= name the same folder: use resume=True to continue that run, or give another out=")


def start_state(out, resume: bool, start) -> SavedState | None:
    """The saved state from which a run starts; None if it starts from the start values of the system."""
    if start is None:
        return load_state(out) if resume and has_state(Path(out)) else None
    return as_state(start)


def as_state(start: SavedState | Result | str | os.PathLike) -> SavedState:
    """A saved state from the forms that users may give: a saved state, a result, a run folder, or a file."""
    if isinstance(start, Result):
        return start.final_state
    if isinstance(start, str | os.PathLike):
        return load_state(Path(start))
    if not isinstance(start, SavedState):
        raise MechanismError(f"start = {start!r}: expected a saved state, a result, or a path to either")
    return start


def fill(saved: SavedState, blocks: Mapping[str, Block]) -> None:
    """Copy the saved arrays into blocks of the same shapes (see :func:`fits`)."""
    for name, array in _saved_arrays(blocks):
        array[...] = saved.arrays[name]


def missing_parts(saved: SavedState, stated: Model, blocks: Mapping[str, Block]) -> list[str]:
    """Arrays of the blocks, and tables of the system, that a saved state lacks: it is of another version, or damaged."""
    arrays = [name for name, _array in _saved_arrays(blocks) if name not in saved.arrays]
    return arrays + unknown_tables(saved, stated)


def fits(saved: SavedState, blocks: Mapping[str, Block]) -> bool:
    """Whether the saved arrays match the blocks of a run in name, shape and type; MechanismError if one is damaged."""
    alike = all(
        saved.arrays[name].shape == array.shape and saved.arrays[name].dtype == array.dtype for name, array in _saved_arrays(blocks)
    )
    if alike:
        check_indices(saved.arrays, blocks)
    return alike


def finite(state: s.State) -> bool:
    """Whether all values are finite, so that a run can continue from this state."""
    return all(np.all(np.isfinite(getattr(state, name))) for name in ("q", "v", "a", "reference"))


def placed(model: Model, saved: SavedState) -> Model:
    """``model`` at the positions and velocities of a saved state; coordinates are matched by name.

    User states and outputs of controllers that are not in the saved state keep their start values; values that are not
    in the model are ignored.

    Raises
    ------
    MechanismError
        Coordinates are missing in the saved state, a loop is open, or a driver prescribes another position.
    """
    known = {name: k for k, name in enumerate(saved.note["coordinate_names"])}
    balls = {name: number for number, name in enumerate(saved.note["balls"])}
    q, v, reference = model.q.copy(), model.v.copy(), model.reference.copy()
    missing = []
    for k, name in enumerate(model.coordinate_names[: model.coordinate_count]):
        if name in known:
            q[k], v[k] = saved.arrays["state.q"][known[name]], saved.arrays["state.v"][known[name]]
        elif not model.state_coordinates[k]:
            missing.append(name)
    if missing:
        raise MechanismError(
            f"start: the saved state at t = {saved.t:.9g} s belongs to another mechanism: it has no "
            f"{', '.join(missing)}; it has {', '.join(saved.names)}"
        )
    for number, start in enumerate(model.balls):
        reference[number] = saved.arrays["state.reference"][balls[model.coordinate_names[start]]]
    here = replace(model, q=q, v=v, reference=reference)
    _check_place(here, saved.t)
    return with_independent_constraints(here, saved.t)


def carry_over(saved: SavedState, model: Model, state: s.State) -> None:
    """Copy time, closed contacts and the numbers of samples taken to ``state``; contacts and samplers by name."""
    state.time = saved.t
    contacts = saved.note["contact_names"]
    for c, name in enumerate(model.contact_names):
        if name in contacts:
            state.active[c] = saved.arrays["state.active"][contacts.index(name)]
            if state.active[c] and model.tables.contacts["group"][c] >= 0:
                raise MechanismError(
                    f"start: contact '{name}' of a group is closed in the state, whose system is another one; start "
                    "where no contact of the group is closed, or use contact_all(..., grouped=False)"
                )
            _carry_episode(saved, contacts.index(name), model, c, state)
            if state.active[c] and model.tables.contacts["rigid"][c]:
                state.active[c] = _slot_for(model, c, state)
    _carry_locks(saved, model, state)
    _carry_events(saved, model, state)
    _carry_turns(saved, model, state)
    samples = zip(saved.note["samplers"], saved.arrays["state.samples"].tolist(), strict=True)
    taken = {tuple(sampler): count for sampler, count in samples}
    for number, (name, period, first) in enumerate(_samplers(model)):
        due = int(np.ceil((saved.t - first) / period - 1e-9))  # a sampler with another period starts now
        state.samples[number] = taken.get((name, period, first), max(due, 0))


def _slot_for(model: Model, c: int, state: s.State) -> int:
    """Let a slot serve the closed rigid contact ``c``, whose mode is chosen at the start; its flag until then."""
    contacts, switches = len(model.contact_names), model.tables.switches
    unused = np.flatnonzero((switches["kind"] == SLOT) & (state.active[contacts:] == UNUSED))
    if not len(unused):
        return OPEN_CONTACT
    state.active[contacts + unused[0]] = 1 + c
    state.contact_history[int(model.tables.contacts["history_at"][c]) + SLOT_OF] = unused[0]
    return SLIDING  # not STICKING, whose number is that of TOUCHES_NOW


def _carry_locks(saved: SavedState, model: Model, state: s.State) -> None:
    """Copy what is locked, and where, and what has been let go, to the switches of the same names."""
    names = saved.note["switch_names"]
    first, there = len(model.contact_names), len(saved.note["contact_names"])
    for number, name in enumerate(model.switch_names):
        record = model.tables.switches[number]
        if name not in names or record["kind"] == SLOT:
            continue
        old = names.index(name)
        state.active[first + number] = saved.arrays["state.active"][there + old]
        if record["anchor_at"] >= 0:
            at = int(saved.system["switches"][old]["anchor_at"])
            state.contact_history[record["anchor_at"]] = saved.arrays["state.contact_history"][at]


def _carry_events(saved: SavedState, model: Model, state: s.State) -> None:
    """Copy which events can happen, and what they remember; those whose time is over do not happen again."""
    names = saved.note["event_names"]
    for number, name in enumerate(model.event_names):
        event = model.tables.events[number]
        if name in names:
            old = names.index(name)
            state.armed[number] = saved.arrays["state.armed"][old]
            here, at = int(event["memory_at"]), int(saved.system["events"][old]["memory_at"])
            memory = saved.arrays["state.contact_history"][at : at + EVENT_MEMORY]
            state.contact_history[here : here + EVENT_MEMORY] = memory
        elif event["sensor"] < 0 and event["value"] < saved.t:
            state.armed[number] = DISARMED


def _carry_turns(saved: SavedState, model: Model, state: s.State) -> None:
    """Copy what is remembered of the angles between the same markers about the same axes."""
    names = saved.note["turn_names"]
    for name, here in zip(model.turn_names, model.tables.turns["at"], strict=True):
        if name in names:
            at = int(saved.system["turns"][names.index(name)]["at"])
            state.contact_history[here : here + TURN_MEMORY] = saved.arrays["state.contact_history"][at : at + TURN_MEMORY]


def _carry_episode(saved: SavedState, there: int, model: Model, c: int, state: s.State) -> None:
    """Copy what a contact has done since it touched, and what its law remembers if it is the same law."""
    s.as_saved(state.episode)[c] = saved.arrays["state.episode"][there]
    record = model.tables.contacts[c]
    size, law = int(record["history"]), record["law"]
    if size == 0:
        return
    old = saved.system["contacts"]
    same = "history" in old.dtype.names and old[there]["history"] == size and old[there]["law"] == law
    if same:
        here, at = int(record["history_at"]), int(old[there]["history_at"])
        state.contact_history[here : here + size] = saved.arrays["state.contact_history"][at : at + size]
    elif state.active[c]:
        state.active[c] = s.TOUCHES_NOW  # another law: its contact begins now


def _samplers(model: Model) -> list[tuple[str, float, float]]:
    """(name, period, first) of every sampled controller."""
    return [
        (model.user_functions[sampler["function"]].name, float(sampler["period"]), float(sampler["first"]))
        for sampler in model.tables.samplers
    ]


def _check_place(model: Model, t: float) -> None:
    """MechanismError if loops are open in the state of ``model``, or its drivers prescribe another position."""
    evaluator = Evaluator(model)
    q, v = model.q.copy(), model.v.copy()
    evaluate_signals(model.tables, t, evaluator.work.signal)
    impose_drivers(model.tables, evaluator.work.signal, q, v, np.zeros_like(q))
    driven = model.tables.coordinates["level"] == POSITION_LEVEL
    apart = np.where(driven, np.abs(q - model.q), 0.0)
    k = int(np.argmax(apart)) if len(apart) else 0
    if len(apart) and apart[k] > SAME_POSITION * max(1.0, abs(q[k])):
        raise MechanismError(
            f"start: the driver of '{model.coordinate_names[k]}' prescribes {q[k]:.9g} at t = {t:.9g} s, but the saved "
            f"state has {model.q[k]:.9g}"
        )
    if len(evaluator.rows):
        openings, _rates = evaluator.openings(model.q, model.v, model.reference, t)
        worst = int(np.argmax(np.abs(openings)))
        if abs(openings[worst]) > OPEN:
            name = model.coordinate_names[evaluator.rows[worst]]
            raise MechanismError(f"start: '{name}' is open by {openings[worst]:.3g} m or rad in the saved state")
