"""Scratch arrays of the events of rigid contacts (core.contact.rigid); nothing in them outlives an event."""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.cone_work import ConeWork, allocate_cone_work
from flexmbs.core.layout.switch_tables import SLOT
from flexmbs.core.layout.tables import Tables
from flexmbs.machine_code.blocks import Block


class RigidContacts(Block):
    """Closed contacts of an event, k slots; three rows of each: normal and two tangents.  With work arrays of their programs."""

    fields = ConeWork.fields | {
        "margin": ("f8", 2),  # (2, margins) at the start and the end of a step (core.stepping.switch_events)
        "event_residual": ("f8", 1),  # (n,) of the evaluation of sensors
        "pending": ("i8", 1),  # (events,) 1: it happens now (core.stepping.user_events)
        "lock_before": ("i8", 1),  # (switches,) flags before the actions of events, and rates before their locks
        "lock_rate": ("f8", 1),
        "lock_restitution": ("f8", 1),  # of the locks that close, as those of stops
        "closed": ("i8", 1),  # (k,) closed contacts in the order of their slots
        "row": ("i8", 1),  # (3 k,) rows of the closed contacts, and of joints with friction behind them; -1: none
        "row_scale": ("f8", 1),  # radii of joints, 1 of contacts
        "mode_before": ("i8", 1),  # (switches,) of the contact that each slot serves
        "place": ("i8", 1),  # (n,) of each coordinate among the unknowns
        "response": ("f8", 2),  # (3 k, free) M^-1 G^T
        "delassus": ("f8", 2),  # (3 k, 3 k) W = G M^-1 G^T
        "contact_velocity": ("f8", 1),  # (3 k,)
        "contact_acceleration": ("f8", 1),
        "contact_free": ("f8", 1),  # accelerations without contact forces
        "contact_force": ("f8", 1),
        "impulse": ("f8", 1),
        "contact_friction": ("f8", 1),  # (k,) numbers of laws
        "contact_static": ("f8", 1),
        "contact_restitution": ("f8", 1),
        "contact_tangential": ("f8", 1),
        "restitution_stated": ("f8", 2),  # (2, k)
        "contact_mode": ("i8", 1),
        "contact_mode_of": ("i8", 1),
        "direction_of": ("f8", 2),  # (k, 2)
        "lasting": ("i8", 1),  # (k,) closed contacts whose bodies do not part; of them:
        "contact_sliding": ("i8", 1),
        "contact_direction": ("f8", 2),
        "chosen_delassus": ("f8", 2),
        "chosen_free": ("f8", 1),
        "chosen_force": ("f8", 1),
        "group": ("i8", 1),  # (k,) of lasting contacts (core.stepping.rigid.resting_groups)
        "member": ("i8", 1),  # (k,) closed contacts of a group
        "resting": ("i8", 1),  # (k,) whether each closed contact is in a group that rests
        "chosen_change": ("f8", 1),  # (3 k,) of forces in a step
        "spring": ("f8", 1),  # (k,) compliance of closed contacts in the problem that decides their modes
        "by_springs": ("i8", 1),  # (k,) whether lasting contacts share as springs (core.stepping.rigid.sharing)
        "sliding_matrix": ("f8", 2),  # (k, k) normal accelerations by normal forces with their friction
        "held_force": ("f8", 1),  # (3 k,) of such groups
        "beyond": ("f8", 1),  # (3 k,) added to accelerations where a group is at its limit
        "failed": ("i8", 1),  # (2,) status of a problem without a solution (core.contact.rigid.contact_work), contact
        "on_row": ("i8", 1),  # (3 k,)
        "pivots": ("i8", 1),
        "cholesky": ("f8", 2),
        # joints with friction that sticks, j of them, with three numbers for what each can move along
        "joint_mode_before": ("i8", 1),  # (j,)
        "joint_mode_kept": ("i8", 1),  # during an impact
        "joint_of": ("i8", 1),  # (k,) joint friction behind the contacts of an impact
        "joint_share": ("f8", 1),  # of its normal impulse
        "bearing": ("f8", 3),  # (3 k, j, 6) force and moment of the bearings by a unit impulse on a row
        "bearing_before": ("f8", 2),  # (j, 6) by the locks
        "lock_change": ("f8", 1),  # (free,) velocities and impulses by the locks; with friction of joints
        "lock_trial": ("f8", 1),
        "joint_rests": ("i8", 1),
        "joint_turns": ("i8", 1),  # how often its mode has been changed in an event
        "joint_load": ("f8", 1),  # (j,) normal force, N
        "joint_compliance": ("f8", 2),  # (j, 3) acceleration of its row by a unit force on it
        "joint_slip": ("f8", 2),  # (j, 3) m/s, m/s^2, N
        "joint_acceleration": ("f8", 2),
        "joint_force": ("f8", 2),
        "kept": ("f8", 1),  # (n,) accelerations and multipliers
        "jammed": ("f8", 1),  # (2,) joint friction without a consistent mode (-1: none), what its coefficient may be
    }
    parts = ConeWork.parts


def make_rigid_contacts(tables: Tables) -> RigidContacts:
    """Arrays for all slots of a mechanism."""
    j = len(tables.joint_frictions)
    k = int(np.count_nonzero(tables.switches["kind"] == SLOT)) + 2 * j  # a spherical joint counts twice in an impact
    vectors = ("velocity", "acceleration", "free", "force")
    numbers = ("friction", "static", "restitution", "tangential")
    flags = (
        "contact_mode",
        "contact_mode_of",
        "lasting",
        "contact_sliding",
        "closed",
        "joint_of",
        "group",
        "member",
        "resting",
        "by_springs",
    )
    return RigidContacts(
        **allocate_cone_work(k).arrays,
        margin=np.zeros((2, 3 * len(tables.switches) + len(tables.events))),
        event_residual=np.zeros(len(tables.coordinates)),
        pending=np.zeros(len(tables.events), dtype=np.int64),
        lock_before=np.zeros(len(tables.switches), dtype=np.int64),
        lock_rate=np.zeros(len(tables.switches)),
        lock_restitution=np.zeros(len(tables.switches)),
        mode_before=np.zeros(len(tables.switches), dtype=np.int64),
        place=np.zeros(len(tables.coordinates), dtype=np.int64),
        response=np.zeros((3 * k, len(tables.free))),
        delassus=np.zeros((3 * k, 3 * k)),
        **{f"contact_{name}": np.zeros(3 * k) for name in vectors},
        impulse=np.zeros(3 * k),
        restitution_stated=np.zeros((2, k)),
        **{f"contact_{name}": np.zeros(k) for name in numbers},
        **{name: np.zeros(k, dtype=np.int64) for name in flags},
        direction_of=np.zeros((k, 2)),
        contact_direction=np.zeros((k, 2)),
        chosen_delassus=np.zeros((3 * k, 3 * k)),
        chosen_free=np.zeros(3 * k),
        chosen_force=np.zeros(3 * k),
        chosen_change=np.zeros(3 * k),
        spring=np.zeros(k),
        sliding_matrix=np.zeros((k, k)),
        held_force=np.zeros(3 * k),
        beyond=np.zeros(3 * k),
        failed=np.zeros(2, dtype=np.int64),
        on_row=np.zeros(3 * k, dtype=np.int64),
        pivots=np.zeros(3 * k, dtype=np.int64),
        cholesky=np.zeros((3 * k, 3 * k)),
        row=np.zeros(3 * k, dtype=np.int64),
        row_scale=np.ones(3 * k),
        joint_share=np.zeros(k),
        bearing=np.zeros((3 * k, j, 6)),
        bearing_before=np.zeros((j, 6)),
        lock_change=np.zeros(len(tables.free)),
        lock_trial=np.zeros(len(tables.free)),
        **{f"joint_{name}": np.zeros(j, dtype=np.int64) for name in ("mode_before", "mode_kept", "rests", "turns")},
        **{f"joint_{name}": np.zeros((j, 3)) for name in ("compliance", "slip", "acceleration", "force")},
        joint_load=np.zeros(j),
        kept=np.zeros(len(tables.coordinates)),
        jammed=np.array([-1.0, 0.0]),
    )
