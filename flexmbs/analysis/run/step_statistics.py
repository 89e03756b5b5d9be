"""What is said of the steps of a run: what decided their sizes, which bushings they turned too far."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from flexmbs.core.layout.force_tables import HALF_TURN
from flexmbs.core.layout.state import Settings, State
from flexmbs.mechanism.forces import Bushing
from flexmbs.model.compiled_model import Model

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
