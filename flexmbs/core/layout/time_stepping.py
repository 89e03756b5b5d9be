"""Arrays of steps in time through rigid contacts (core.stepping.moreau); nothing in them outlives a step but counts.

Unknowns that no joint, constraint or force couples stand in different *blocks*. A contact moves those of its two bodies
only, so that hundreds of contacts between many bodies cost little.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.tables import Tables
from flexmbs.machine_code.blocks import Block


class TimeStepping(Block):
    """Blocks of unknowns, and up to k closed contacts with their columns of G^T and A^-1 G^T, one behind the other."""

    fields = {
        "block_start": ("i8", 1),  # (blocks + 1,) where the unknowns of each block begin in
        "block_unknowns": ("i8", 1),  # (free,)
        "block_of_body": ("i8", 1),  # (bodies,) -1: nothing on its path to ground is unknown
        "factors": ("f8", 2),  # (free, largest block) those of each block in its rows and first columns
        "pivots": ("i8", 1),  # (free,) in the order of block_unknowns
        "part": ("f8", 1),  # (largest block,)
        "right_side": ("f8", 1),  # (free,)
        "change": ("f8", 1),  # (free,) of velocities in the step; of multipliers their impulses
        "joint_point": ("f8", 2),  # (bodies, 3) Workspace.joint_point, which every pass back to ground moves
        "generalised": ("f8", 1),  # (n,) force of a unit impulse
        "closed": ("i8", 1),  # (k,)
        "column_start": ("i8", 1),  # (k + 1,)
        "column_unknown": ("i8", 1),
        "direction": ("f8", 2),  # (3, ...) G^T along the normal and two tangents
        "response": ("f8", 2),  # (3, ...) A^-1 G^T
        "own": ("f8", 3),  # (k, 3, 3) G A^-1 G^T of each contact alone
        "axes": ("f8", 3),  # (k, 3, 3) normal and tangents, world axes
        "place": ("f8", 2),  # (k, 3) m
        "speed_before": ("f8", 2),  # (k, 3) m/s
        "speed_free": ("f8", 2),  # at the end of the step without impulses of contacts
        "speed_after": ("f8", 2),
        "impulse": ("f8", 2),  # (k, 3) N s on body a
        "local": ("f8", 1),  # (3,)
        "limit": ("f8", 1),  # (k,) coefficients of friction of this step
        "step_length": ("f8", 2),  # (k, 2) reciprocals of the largest eigenvalues of own: normal, tangential
        "found": ("i8", 1),  # (k,) numbers of the pairs of groups that touch
        "seen": ("i8", 1),  # (contacts,)
        "contact_of": ("i8", 1),  # contacts of the numbers in Workspace.touching
        "implicit": ("i8", 0),  # 1: forces change within a step enough to need their derivatives
        "count": ("i8", 0),  # closed contacts of the step
        "most": ("i8", 0),  # of all steps
        "sweeps": ("i8", 0),
        "unsolved": ("i8", 0),  # steps whose contact problem was not solved to the tolerance
        "worst": ("f8", 0),  # what was left, m/s
    }


def make_time_stepping(
    tables: Tables, block: np.ndarray, block_of_body: np.ndarray, implicit: bool, contacts: int, hash_size: int
) -> TimeStepping:
    """Arrays for up to ``contacts`` closed contacts; ``block`` (free,): number of the block of each unknown."""
    sizes = np.bincount(block) if len(block) else np.zeros(1, dtype=np.int64)
    k = max(1, contacts)
    entries = k * int(np.sort(sizes)[-2:].sum())
    return TimeStepping(
        block_start=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        block_unknowns=np.argsort(block, kind="stable").astype(np.int64),
        block_of_body=np.asarray(block_of_body, dtype=np.int64),
        factors=np.zeros((len(block), int(sizes.max()))),
        pivots=np.zeros(len(block), dtype=np.int64),
        part=np.zeros(int(sizes.max())),
        right_side=np.zeros(len(block)),
        change=np.zeros(len(block)),
        joint_point=np.zeros((len(tables.bodies), 3)),
        generalised=np.zeros(len(tables.coordinates)),
        closed=np.zeros(k, dtype=np.int64),
        column_start=np.zeros(k + 1, dtype=np.int64),
        column_unknown=np.zeros(entries, dtype=np.int64),
        direction=np.zeros((3, entries)),
        response=np.zeros((3, entries)),
        own=np.zeros((k, 3, 3)),
        axes=np.zeros((k, 3, 3)),
        place=np.zeros((k, 3)),
        speed_before=np.zeros((k, 3)),
        speed_free=np.zeros((k, 3)),
        speed_after=np.zeros((k, 3)),
        impulse=np.zeros((k, 3)),
        local=np.zeros(3),
        limit=np.zeros(k),
        step_length=np.zeros((k, 2)),
        found=np.zeros(k, dtype=np.int64),
        seen=np.zeros(len(tables.contacts), dtype=np.int64),
        contact_of=np.zeros(hash_size, dtype=np.int64),
        implicit=int(implicit),
        count=0,
        most=0,
        sweeps=0,
        unsolved=0,
        worst=0.0,
    )
