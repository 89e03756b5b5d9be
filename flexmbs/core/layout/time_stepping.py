"""Arrays of steps in time through rigid contacts (core.stepping.moreau); nothing in them outlives a step but counts.

Unknowns that no joint, constraint or force couples stand in different *blocks*. A contact moves those of its two bodies
only, so that hundreds of contacts between many bodies cost little.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.tables import Tables, lengths
from flexmbs.machine_code.blocks import Block


class TimeStepping(Block):
    """Blocks of unknowns, and up to k closed contacts with their columns of G^T and A^-1 G^T, one behind the other."""

    fields = {
        "block_start": ("i8", 1),  # (blocks + 1,) where the unknowns of each block begin in
        "block_unknowns": ("i8", 1),  # (free,)
        "block_of_body": ("i8", 1),  # (bodies,) -1: nothing on its path to ground is unknown
        "factors": ("f8", ("free", "largest")),  # those of each block in its rows and first columns
        "pivots": ("i8", ("free",)),  # in the order of block_unknowns
        "part": ("f8", ("largest",)),
        "right_side": ("f8", ("free",)),
        "change": ("f8", ("free",)),  # of velocities in the step; of multipliers their impulses
        "joint_point": ("f8", ("bodies", 3)),  # Workspace.joint_point, which every pass back to ground moves
        "generalised": ("f8", ("n",)),  # force of a unit impulse
        "closed": ("i8", ("k",)),
        "column_start": ("i8", ("column_ends",)),
        "column_unknown": ("i8", ("entries",)),
        "direction": ("f8", (3, "entries")),  # G^T along the normal and two tangents
        "response": ("f8", (3, "entries")),  # A^-1 G^T
        "own": ("f8", ("k", 3, 3)),  # G A^-1 G^T of each contact alone
        "axes": ("f8", ("k", 3, 3)),  # normal and tangents, world axes
        "place": ("f8", ("k", 3)),  # m
        "speed_before": ("f8", ("k", 3)),  # m/s
        "speed_free": ("f8", ("k", 3)),  # at the end of the step without impulses of contacts
        "speed_after": ("f8", ("k", 3)),
        "impulse": ("f8", ("k", 3)),  # N s on body a
        "local": ("f8", (3,)),
        "limit": ("f8", ("k",)),  # coefficients of friction of this step
        "step_length": ("f8", ("k", 2)),  # reciprocals of the largest eigenvalues of own: normal, tangential
        "found": ("i8", ("k",)),  # numbers of the pairs of groups that touch
        "seen": ("i8", ("contacts",)),
        "contact_of": ("i8", ("pair_hash",)),  # contacts of the numbers in Workspace.touching
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
    of_blocks = np.bincount(block) if len(block) else np.zeros(1, dtype=np.int64)
    k = max(1, contacts)
    sizes = {"k": k, "column_ends": k + 1, "largest": int(of_blocks.max()), "pair_hash": hash_size}
    return TimeStepping.zeros(
        lengths(tables) | sizes | {"entries": k * int(np.sort(of_blocks)[-2:].sum())},
        block_start=np.concatenate([[0], np.cumsum(of_blocks)]),
        block_unknowns=np.argsort(block, kind="stable"),
        block_of_body=block_of_body,
        implicit=implicit,
    )
