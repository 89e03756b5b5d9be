"""Centrifugal load and softening of shells, with the rotary inertia of their walls."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.rigid_fit import arm_stiffness
from flexmbs.fem.shells.shell_elements import ShellGroup
from flexmbs.fem.shells.shell_inertia import mass_of_seven
from flexmbs.fem.shells.shell_strains import add_elements
from flexmbs.fem.sparsity_pattern import NodePattern


def shell_centrifugal(groups: list[ShellGroup], node_count: int, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
    """Load (ndof,) and softening (ndof, ndof) per square of the speed; ``across`` (3, 3) is the projection P.

    First and second derivatives of 1/2 int |P (x + z n + u + z (r + 1/2 S))|^2 dm, S of ``second_director``.
    """
    pattern = NodePattern(node_count, [group.nodes for group in groups])
    load, data = np.zeros((node_count, 6)), pattern.zeros(6)
    for group, positions in zip(groups, pattern.positions, strict=True):
        for part in group.chunks():
            np.add.at(load, part.nodes, np.einsum("enai,ena->eni", part.to_seven(), _load_of_seven(part, across)))
        add_elements(pattern, data, positions, group, lambda part: _softening(part, across))
    return load.ravel(), pattern.matrix(data)


def _load_of_seven(group: ShellGroup, across: np.ndarray) -> np.ndarray:
    """(ne, n, 7)"""
    place = np.concatenate([group.middle, group.normals], axis=2)
    return np.einsum("enamb,emb->ena", mass_of_seven(group, across)[..., :6], place, optimize=True)


def _softening(group: ShellGroup, across: np.ndarray) -> np.ndarray:
    """(ne, n, 6, n, 6)"""
    T = group.to_seven()
    soft = np.einsum("enai,enamb,embj->enimj", T, mass_of_seven(group, across), T, optimize=True)
    load = _load_of_seven(group, across)
    on_director = load[:, :, 3:6] + group.offset[:, None, None] * load[:, :, :3]
    turning = arm_stiffness(on_director.reshape(-1, 3), group.normals.reshape(-1, 3))
    count, nodes = group.nodes.shape
    for node in range(nodes):
        soft[:, node, 3:, node, 3:] += turning.reshape(count, nodes, 3, 3)[:, node]
    return soft
