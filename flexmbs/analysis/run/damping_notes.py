"""What damping the assembled machine of a run has, where a ratio was stated for its bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.linalg import eigh

from flexmbs.analysis.evaluation.machine_modes import machine_modes
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.flexible_body import FlexibleBody

SAME, OTHER = 1e-6, 2.0  # parts by which ratios of one statement differ; factor from which on a ratio is another one
LARGEST = 300  # coordinates of a machine whose modes are told of at each run: 0.2 s


def stated_ratio(body: FlexibleBody) -> float | None:
    """The damping ratio that all modes of a body have alone; None if there is none, or if they differ."""
    moving = np.ix_(~body.massless, ~body.massless)
    if not np.any(body.De):
        return None
    squares, vectors = eigh(*(0.5 * (part + part.T)[moving] for part in (body.Ke, body.Me)))
    ratios = np.diag(vectors.T @ body.De[moving] @ vectors) / (2.0 * np.sqrt(np.maximum(squares, 1e-300)))
    return float(ratios[0]) if np.ptp(ratios) <= SAME * ratios[0] else None


def damping_of_run(system: Mechanism, model: Model) -> tuple[str, str]:
    """The lowest modes of a machine with damped bodies as text, and what to say where they have another ratio than stated."""
    if model.coordinate_count > LARGEST or not any(np.any(model.bodies[name].De) for name in model.modal):
        return "", ""
    try:
        modes = machine_modes(replace(model, v=np.zeros_like(model.v)))
        stated = {name: stated_ratio(model.bodies[name]) for name in model.modal}
    except (np.linalg.LinAlgError, ValueError):
        return "", ""
    known = [ratio for ratio in stated.values() if ratio is not None]
    if not known or not len(modes.frequencies) or system.damped_as_machine:
        return modes.text(), ""
    lowest = modes.damping_ratios[0]
    if min(known) / OTHER <= lowest <= max(known) * OTHER:
        return modes.text(), ""
    note = (
        f"damping: the lowest modes of the assembled machine have {modes.text()} (its drivers held), not the "
        f"{100.0 * known[0]:.3g} % of its bodies alone; system.damp({known[0]:g}) states it for the machine"
    )
    return modes.text(), note
