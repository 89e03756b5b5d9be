"""Scratch arrays of the events of rigid contacts (core.contact.rigid); nothing in them outlives an event."""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.cone_work import ConeWork, allocate_cone_work
from flexmbs.core.layout.switch_tables import SLOT
from flexmbs.core.layout.tables import Tables, lengths
from flexmbs.machine_code.blocks import Block


class RigidContacts(Block):
    """Closed contacts of an event, k slots, with work arrays of their programs.

    Three ``contact_rows`` of each: normal and two tangents.
    """

    fields = ConeWork.fields | {
        "margin": ("f8", (2, "margins")),  # at the start and the end of a step (core.stepping.switch_events)
        "event_residual": ("f8", ("n",)),  # of the evaluation of sensors
        "pending": ("i8", ("events",)),  # 1: it happens now (core.stepping.user_events)
        "lock_before": ("i8", ("switches",)),  # flags before the actions of events, and rates before their locks
        "lock_rate": ("f8", ("switches",)),
        "lock_restitution": ("f8", ("switches",)),  # of the locks that close, as those of stops
        "closed": ("i8", ("k",)),  # closed contacts in the order of their slots
        "row": ("i8", ("contact_rows",)),  # rows of the closed contacts, and of joints with friction behind them; -1: none
        "row_scale": ("f8", 1),  # radii of joints, 1 of contacts
        "mode_before": ("i8", ("switches",)),  # of the contact that each slot serves
        "place": ("i8", ("n",)),  # of each coordinate among the unknowns
        "response": ("f8", ("contact_rows", "free")),  # M^-1 G^T
        "delassus": ("f8", ("contact_rows", "contact_rows")),  # W = G M^-1 G^T
        "contact_velocity": ("f8", ("contact_rows",)),
        "contact_acceleration": ("f8", ("contact_rows",)),
        "contact_free": ("f8", ("contact_rows",)),  # accelerations without contact forces
        "contact_force": ("f8", ("contact_rows",)),
        "impulse": ("f8", ("contact_rows",)),
        "contact_friction": ("f8", ("k",)),  # numbers of laws
        "contact_static": ("f8", ("k",)),
        "contact_restitution": ("f8", ("k",)),
        "contact_tangential": ("f8", ("k",)),
        "restitution_stated": ("f8", (2, "k")),
        "contact_mode": ("i8", ("k",)),
        "contact_mode_of": ("i8", ("k",)),
        "direction_of": ("f8", ("k", 2)),
        "fresh_direction": ("f8", ("k", 2)),  # of friction of closed contacts that have just begun to slide
        "lasting": ("i8", ("k",)),  # closed contacts whose bodies do not part; of them:
        "contact_sliding": ("i8", ("k",)),
        "contact_direction": ("f8", ("k", 2)),
        "chosen_delassus": ("f8", ("contact_rows", "contact_rows")),
        "chosen_free": ("f8", ("contact_rows",)),
        "chosen_force": ("f8", ("contact_rows",)),
        "group": ("i8", ("k",)),  # of lasting contacts (core.stepping.rigid.resting_groups)
        "member": ("i8", ("k",)),  # closed contacts of a group
        "resting": ("i8", ("k",)),  # whether each closed contact is in a group that rests
        "chosen_change": ("f8", ("contact_rows",)),  # of forces in a step
        "spring": ("f8", ("k",)),  # compliance of closed contacts in the problem that decides their modes
        "by_springs": ("i8", ("k",)),  # whether lasting contacts share as springs (core.stepping.rigid.sharing)
        "sliding_matrix": ("f8", ("k", "k")),  # normal accelerations by normal forces with their friction
        "held_force": ("f8", ("contact_rows",)),  # of such groups
        "beyond": ("f8", ("contact_rows",)),  # added to accelerations where a group is at its limit
        "failed": ("i8", (2,)),  # status of a problem without a solution (core.contact.rigid.contact_work), contact
        "on_row": ("i8", ("contact_rows",)),
        "pivots": ("i8", ("contact_rows",)),
        "cholesky": ("f8", ("contact_rows", "contact_rows")),
        # joints with friction that sticks, j of them, with three numbers for what each can move along
        "joint_mode_before": ("i8", ("j",)),
        "joint_mode_kept": ("i8", ("j",)),  # during an impact
        "joint_of": ("i8", ("k",)),  # joint friction of each closed contact, -1, or joint
        "joint_share": ("f8", ("k",)),  # of its normal force
        "bearing": ("f8", ("contact_rows", "j", 6)),  # force and moment of the bearings by a unit impulse on a row
        "bearing_before": ("f8", ("j", 6)),  # by the locks
        "lock_change": ("f8", ("free",)),  # velocities and impulses by the locks; with friction of joints
        "lock_trial": ("f8", ("free",)),
        "joint_angle": ("f8", ("j", 2)),  # of a spherical joint, by its parts of the cone, in a round; its change
        "joint_load": ("f8", ("j",)),  # normal force, N
        "kept": ("f8", ("n",)),  # accelerations and multipliers
        "jammed": ("f8", 1),  # (2,) joint friction without a consistent mode (-1: none), what its coefficient may be
    }
    parts = ConeWork.parts


def make_rigid_contacts(tables: Tables) -> RigidContacts:
    """Arrays for all slots of a mechanism."""
    j = len(tables.joint_frictions)
    k = int(np.count_nonzero(tables.switches["kind"] == SLOT)) + 2 * j  # a spherical joint has two parts
    sizes = lengths(tables) | {"k": k, "contact_rows": 3 * k, "j": j, "margins": 3 * len(tables.switches) + len(tables.events)}
    given = {"row_scale": np.ones(3 * k), "jammed": np.array([-1.0, 0.0])}
    return RigidContacts.zeros(sizes, **allocate_cone_work(k).arrays, **given)
