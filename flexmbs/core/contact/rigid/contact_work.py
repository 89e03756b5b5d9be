"""Work arrays and outcome of the contact problem in :mod:`flexmbs.core.contact.rigid.complementarity`."""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.cone_work import ConeWork, allocate_cone_work
from flexmbs.machine_code.blocks import Block

#: Modes of a contact, as in ``State.active``.
OPEN, SLIDING, STICKING, RESTING = range(4)
#: What a solution ended with.
SOLVED, NO_SOLUTION, PAINLEVE, AMBIGUOUS, NOT_CONVERGED = range(5)

_VECTORS = ("y", "off", "step", "trial_lam", "trial_y", "trial_off", "best_lam", "nearest", "shift", "velocity")


class ContactWork(Block):
    """Scratch arrays of problems of up to ``contacts`` contacts, made by :func:`allocate_contact_work`.

    Outcome of the last call: ``y`` (3k), ``contact`` (that which a status names, -1: none), ``critical_friction``
    (coefficient at which it jams), ``error`` (largest error of the conditions, relative to the largest sum of
    magnitudes in y). Of an impact: ``velocity`` (3k) afterwards, ``energy`` lost (J), ``reduction`` (factor on the
    coefficients of restitution). How it was found: ``newton_steps``, ``rounds`` with
    given friction and ``parts_of_friction`` (core.contact.rigid.given_friction).
    """

    fields = ConeWork.fields | {
        "matrix": ("f8", 2),
        "softened": ("f8", 2),
        "pivots": ("i8", 1),
        "vectors": ("f8", 2),
        "mu": ("f8", 1),
        "least": ("f8", 1),
        "normal_step": ("f8", 1),
        "tangent_step": ("f8", 1),
        "sliding": ("i8", 1),
        "direction": ("f8", 2),
        "all_mu": ("f8", 1),
        "least_size": ("f8", 0),  # of y: errors refer to no less
        "contact": ("i8", 0),
        "critical_friction": ("f8", 0),
        "newton_steps": ("i8", 0),
        "rounds": ("i8", 0),
        "parts_of_friction": ("i8", 0),
        "reduction": ("f8", 0),
        "energy": ("f8", 0),
    }
    parts = ConeWork.parts | {name: ("vectors", row) for row, name in enumerate(_VECTORS)}


def allocate_contact_work(contacts: int) -> ContactWork:
    """Work arrays for problems of up to that many contacts."""
    rows = 3 * contacts
    return ContactWork(
        **allocate_cone_work(contacts).arrays,
        matrix=np.zeros((rows, rows)),
        softened=np.zeros((rows, rows)),
        pivots=np.zeros(rows, np.int64),
        vectors=np.zeros((len(_VECTORS), rows)),
        mu=np.zeros(contacts),
        least=np.zeros(contacts),
        normal_step=np.zeros(contacts),
        tangent_step=np.zeros(contacts),
        sliding=np.zeros(contacts, np.int64),
        direction=np.zeros((contacts, 2)),
        all_mu=np.zeros(contacts),
        least_size=0.0,
        contact=-1,
        critical_friction=0.0,
        newton_steps=0,
        rounds=0,
        parts_of_friction=0,
        reduction=1.0,
        energy=0.0,
    )
