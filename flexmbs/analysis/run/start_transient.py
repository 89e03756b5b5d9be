"""How far flexible bodies begin from the slow motion that drivers and loads demand of them, where a run starts as stated.

A mode of the machine with the acceleration a at the start moves by p = (a / w^2) (1 - cos w t) from there: it vibrates about
the deflection a / w^2 of the slow motion, to the lowest order (analysis.run.quasi_static_start finds it to all orders).
"""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.prepare.prescribed_motions import Prescribed, prescribed_motions
from flexmbs.analysis.run.condensed_modes import with_all_modes
from flexmbs.analysis.statics.machine_modes import machine_modes
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model

AT_REST = 1e-9  # rad/s, m/s and their rates: rounding of differences
LARGEST = 300  # coordinates of a machine whose modes are found at each run: 0.5 s


def transient_of_start(system: Mechanism, model: Model, acceleration: np.ndarray, least: float) -> str:
    """What to say of a start in motion as stated; nothing where no driver moves, or below ``least`` of the size of a body.

    ``acceleration`` (n,) at the start.
    """
    modal = np.concatenate([np.empty(0, dtype=int), *(np.r_[part] for part in model.modal.values())])
    modal = modal[model.tables.coordinates["unit"][modal] == 0.0]  # without modes that follow their loads anyway
    known = model.coordinate_count <= LARGEST and not len(model.tables.functions)  # of users, which may have memory
    if not len(modal) or not known or not any(map(_moves, prescribed_motions(system))):
        return ""
    try:
        modes = machine_modes(with_all_modes(model), 0.0)
        found = np.linalg.lstsq(modes.shapes[modal], acceleration[modal], rcond=1e-10)[0]
    except (np.linalg.LinAlgError, ValueError):
        return ""
    deflection = modes.shapes @ (found / (2.0 * np.pi * modes.frequencies) ** 2)
    worst = (0.0, 0.0, "")
    for name, part in model.modal.items():
        body = model.bodies[name]
        moved = np.linalg.norm(np.tensordot(deflection[part], body.modes, 1), axis=1).max(initial=0.0)
        worst = max(worst, (float(moved) / float(np.linalg.norm(np.ptp(body.points, axis=0))), float(moved), name))
    if not len(modes.frequencies) or worst[0] <= least:
        return ""
    return (
        f"start: drivers move at t = 0 s, and flexible bodies start as stated: '{worst[2]}' {worst[1]:.2g} m off the deflection "
        f"that this motion and the loads demand. It vibrates about that by as much, from {modes.frequencies[0]:.4g} Hz up, "
        "and forces in joints are off with it from the first instant on; quasi_static_start=True starts without vibration"
    )


def _moves(one: Prescribed) -> bool:
    """Whether a driver has a rate or an acceleration at the start."""
    signal = one.signal
    first = signal.constant if signal.value is None else float(signal.value(0.0))
    jet = [first, *(0.0 if f is None else float(f(0.0)) for f in (signal.rate, signal.acceleration))]
    return any(abs(x) > AT_REST for x in jet[max(1 - one.level, 0) : 3 - one.level])
