"""What is said of a run: what decided its steps, hits shorter than the modes resolve, what modes of the assembled machine tell.

A mode with the acceleration a at the start moves by (a / w^2) (1 - cos w t) from there: it vibrates about the deflection a / w^2
of the slow motion, to the lowest order (analysis.run.quasi_static_start finds it to all orders).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmbs.analysis.linear.machine_modes import MachineModes, machine_modes
from flexmbs.analysis.run.condensed_modes import with_all_modes
from flexmbs.analysis.run.driver_limits import DrivenMotions
from flexmbs.common.errors import BodyError
from flexmbs.core.layout.force_tables import HALF_TURN
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.state import Settings, State
from flexmbs.mechanism.contact.shapes import Sphere
from flexmbs.mechanism.forces import Bushing
from flexmbs.mechanism.high_modes import eigenvectors
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.advice import PERIODS
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.result.trajectory import ContactRecord


class ImpactNotes:
    """The hardest hit of each contact of a run, and what the modes of the bodies make of it."""

    def __init__(self, system: Mechanism) -> None:
        self.system = system
        self.hardest: dict[str, ContactRecord] = {}

    def of(self, model: Model, contacts: Iterable[ContactRecord]) -> str:
        """With these contacts (some may be known): the hardest hit of each body, if its modes do not resolve it.

        Of a law with stiffness: a rigid impact takes no time, with any number of modes.

        It is then shorter than a few periods of the highest mode with inertia that moves the marker;
        ``body.advice(contact=...)`` says the same before a run. Empty if there is none.
        """
        for record in contacts:
            if record.name not in self.hardest or record.peak_force > self.hardest[record.name].peak_force:
                self.hardest[record.name] = record
        return "; ".join(
            f"contact '{record.name}' of {record.duration:.2g} s is only {periods:.2g} periods of the highest mode of "
            f"'{body}' there, which has too few modes for it (docs/impact_modes.md; advice(contact=...) of the body "
            "says how many it needs)"
            for body, (record, periods) in self._of_bodies(model).items()
            if periods < PERIODS
        )

    def _of_bodies(self, model: Model) -> dict[str, tuple[ContactRecord, float]]:
        """Flexible body -> its hardest hit, and the periods of its highest mode in it."""
        found: dict[str, tuple[ContactRecord, float]] = {}
        for contact in self.system.contacts.values() if self.hardest else ():
            if contact.law.is_rigid:
                continue
            for name, point in zip(contact.point_names, contact.points, strict=True):
                record = self.hardest.get(name)
                for marker in (point.a, point.b) if record is not None else ():
                    highest = _highest(model, marker)
                    known = found.get(marker.body)
                    if highest > 0.0 and (known is None or record.peak_force > known[0].peak_force):
                        found[marker.body] = record, record.duration * highest
        return found


def soft_contacts(system: Mechanism, records: Iterable[ContactRecord]) -> list[str]:
    """Contacts into which a ball has sunk by more than its radius: their law is too soft, or in other units."""
    deepest: dict[str, float] = {}
    for record in records:
        deepest[record.name] = max(deepest.get(record.name, 0.0), record.max_depth)
    radii: dict[str, float] = {}
    for contact in system.contacts.values():
        found = [shape.radius for shape in (contact.first, contact.second) if isinstance(shape, Sphere) and shape.radius > 0.0]
        radii |= dict.fromkeys(contact.point_names, min(found, default=np.inf))
    return [
        f"contact '{name}': one body sinks into the other by {depth:.3g} m, more than the radius {radii[name]:g} m: its law is far "
        "too soft (N and m: Hertz between steel balls of 10 mm has 1e10 N/m^1.5)"
        for name, depth in deepest.items()
        if depth > radii.get(name, np.inf)
    ]


def _highest(model: Model, marker) -> float:
    """Hz: highest mode with inertia of the marker's body that moves it; 0 on rigid bodies."""
    body = model.bodies.get(marker.body)
    if not isinstance(body, FlexibleBody) or marker.fields is None or not body.mode_count:
        return 0.0
    reach = np.linalg.norm(marker.fields.Phi, axis=1)
    condensed = model.condensed_units[model.modal[marker.body]] != 0.0
    moving = ~condensed & (reach > 1e-6 * reach.max(initial=0.0))
    return float(body.frequencies[moving].max(initial=0.0))


LARGEST = 300  # coordinates of a machine whose modes are found at each run: 0.5 s
SAME, OTHER = 1e-6, 2.0  # parts by which ratios of one statement differ; factor by which the machine has less than that
AT_REST = 1e-9  # rad/s, m/s and their rates: rounding of differences


def notes_of_machine(system: Mechanism, model: Model, row: np.ndarray, as_stated: bool, least: float) -> tuple[str, list[str]]:
    """The lowest modes of a machine with damped bodies as text (empty: there are none), and what to say at the end of a run.

    ``row``: the first of the log, ``as_stated``: of a start that nothing has been changed of; vibrations below ``least`` of
    the size of a body are not reported.
    """
    damped = any(np.any(model.bodies[name].De) for name in model.modal)
    starts = as_stated and len(model.modal) > 0
    starts = starts and bool(np.any(np.abs(DrivenMotions(system, model).driven(model, row[None])[0, 1:]) > AT_REST))
    if not (damped or starts) or len(model.tables.functions):  # functions of users may have memory
        return "", []
    if model.coordinate_count > LARGEST:
        return f"not told above {LARGEST} coordinates; system.linearize() computes it" if damped else "", []
    try:
        modes = machine_modes(with_all_modes(model), float(row[TIME]))
        notes = [_missing_damping(model, modes) if damped else ""]
        notes += [_ringing(model, modes, row[model.log_row.a], least)] if starts else []
    except (np.linalg.LinAlgError, BodyError, ValueError):
        return "", []
    return modes.text() if damped else "", [note for note in notes if note]


def _missing_damping(model: Model, modes: MachineModes) -> str:
    known = [ratio for name in model.modal if (ratio := _stated_ratio(model.bodies[name])) is not None]
    if not known or not len(modes.frequencies) or modes.damping_ratios[0] > min(known) / OTHER:
        return ""
    return (
        f"damping: the lowest modes of the assembled machine have {modes.text()} (its drivers held), not the "
        f"{100.0 * min(known):.3g} % of its bodies alone; system.damp({min(known):g}) states it for the machine"
    )


def _stated_ratio(body: FlexibleBody) -> float | None:
    """The damping ratio that all modes of a body have alone; None if there is none, or if they differ."""
    omega, vectors = eigenvectors(body)
    ratios = np.einsum("ik,ij,jk->k", vectors, body.De, vectors) / (2.0 * np.maximum(omega, 1e-300))
    return float(ratios[0]) if len(ratios) and 0.0 < ratios.max() and np.ptp(ratios) <= SAME * ratios[0] else None


def _ringing(model: Model, modes: MachineModes, acceleration: np.ndarray, least: float) -> str:
    """How far the body that is farthest from it starts from the deflection of the slow motion, relative to its size."""
    modal = np.concatenate([np.r_[part] for part in model.modal.values()])
    modal = modal[model.tables.coordinates["unit"][modal] == 0.0]  # others follow their loads anyway
    if not len(modal) or not len(modes.frequencies):
        return ""
    found = np.linalg.lstsq(modes.shapes[modal], acceleration[modal], rcond=1e-10)[0]
    deflection, moved = modes.shapes @ (found / (2.0 * np.pi * modes.frequencies) ** 2), []
    for name, part in model.modal.items():
        body = model.bodies[name]
        size = float(np.linalg.norm(np.tensordot(deflection[part], body.modes, 1), axis=1).max(initial=0.0))
        moved.append((size / float(np.linalg.norm(np.ptp(body.points, axis=0))), size, name))
    share, size, worst = max(moved)
    if share <= least:
        return ""
    return (
        f"start: drivers move at t = 0 s, and flexible bodies start as stated: '{worst}' {size:.2g} m off the "
        f"deflection that this motion and the loads demand. It vibrates about that by as much, from {modes.frequencies[0]:.4g} Hz "
        "up, and forces in joints are off with it from the first instant on; quasi_static_start=True starts without vibration"
    )


NAMED = 5  # coordinates that are named
# Vibrations of less damping than this (of critical) keep their amplitude, and the steps that follow them, for the run.
UNDAMPED = 1e-3
MANY_STEPS, MOST = 1000, 0.5  # when they are worth a word: of so many steps this part is theirs


def decided_by(model: Model, state: State, settings: Settings) -> str:
    """The coordinates whose errors limited most steps, with their shares of all attempts, as text; where none did, drivers.

    Steps limited by something else (largest step, growth, events, samples, failures of Newton's iteration) are not
    counted. Which coordinate has the largest error in parts of its tolerance: core.methods.error_norm.
    """
    attempts = int(state.steps_accepted) + int(state.steps_rejected)
    if not attempts or not state.decided.any():
        return "functions of time: drivers and loads" if attempts and len(settings.drivers) else ""
    order = np.argsort(-state.decided, kind="stable")[:NAMED]
    shares = [f"{model.coordinate_names[k]} {state.decided[k] / attempts:.0%}" for k in order if state.decided[k] > 0]
    return ", ".join(shares)


def vibrations_that_decide(model: Model, state: State) -> str:
    """A note that undamped vibrations decide most steps, and what would help; empty if they do not."""
    total = int(state.decided.sum())
    if total < MANY_STEPS:
        return ""
    for name, part in model.modal.items():
        body = model.bodies[name]
        decided = state.decided[part]
        if decided.sum() < MOST * total:
            continue
        stiffness, mass, damping = np.diag(body.Ke), np.diag(body.Me), np.diag(body.De)
        critical = 2.0 * np.sqrt(np.maximum(stiffness * mass, 0.0))
        undamped = damping <= UNDAMPED * critical
        if decided[undamped].sum() < MOST * total:
            continue
        return f"undamped vibrations of '{name}' decide {decided[undamped].sum() / total:.0%} of the steps: damping helps"
    return ""


def half_turns(bushings: Iterable[Bushing], model: Model, state: State) -> list[str]:
    """A note of each of ``bushings``, those of the model, whose moment has jumped because it turned too far."""
    notes = []
    for bushing, record in zip(bushings, model.tables.bushings, strict=True):
        turn = model.tables.turns[record["turn"]]
        acts = any(np.any(part[3:]) for part in (bushing.stiffness, bushing.damping, bushing.preload))
        if acts and not np.any(turn["axis"]) and state.contact_history[turn["at"] + HALF_TURN] > 0.0:
            notes.append(
                f"bushing '{bushing.name}' passed half a turn at t = {state.contact_history[turn['at'] + HALF_TURN]:.6g} s, where "
                "its moment jumps: turns of a rotation about any axis cannot be counted. They are about the hinges "
                "between its bodies, or about the only axis without stiffness"
            )
    return notes
