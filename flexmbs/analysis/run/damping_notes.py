"""What damping the assembled machine of a run has, where a ratio was stated for its bodies."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.run.condensed_modes import with_all_modes
from flexmbs.analysis.statics.machine_modes import machine_modes
from flexmbs.common.errors import BodyError
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.high_modes import eigenvectors

SAME, OTHER = 1e-6, 2.0  # parts by which ratios of one statement differ; factor by which the machine has less than that
LARGEST = 300  # coordinates of a machine whose modes are told of at each run: that takes 0.5 s


def damping_of_run(model: Model, t: float) -> tuple[str, str]:
    """The lowest modes of a machine with damped bodies as text, and what to say where they have much less than stated."""
    if not any(np.any(model.bodies[name].De) for name in model.modal) or model.signals.has_user_functions:
        return "", ""
    if model.coordinate_count > LARGEST:
        return f"not told above {LARGEST} coordinates; system.linearize() computes it", ""
    try:
        modes = machine_modes(with_all_modes(model), t)
        stated = [stated_ratio(model.bodies[name]) for name in model.modal]
    except (np.linalg.LinAlgError, BodyError):
        return "", ""
    known = [ratio for ratio in stated if ratio is not None]
    if not known or not len(modes.frequencies) or modes.damping_ratios[0] > min(known) / OTHER:
        return modes.text(), ""
    note = (
        f"damping: the lowest modes of the assembled machine have {modes.text()} (its drivers held), not the "
        f"{100.0 * min(known):.3g} % of its bodies alone; system.damp({min(known):g}) states it for the machine"
    )
    return modes.text(), note


def stated_ratio(body: FlexibleBody) -> float | None:
    """The damping ratio that all modes of a body have alone; None if there is none, or if they differ."""
    omega, vectors = eigenvectors(body)
    ratios = np.einsum("ik,ij,jk->k", vectors, body.De, vectors) / (2.0 * np.maximum(omega, 1e-300))
    return float(ratios[0]) if len(ratios) and 0.0 < ratios.max() and np.ptp(ratios) <= SAME * ratios[0] else None
