"""The Jacobian of solid elements: its sign says whether they are inside out, its variation how distorted they are."""

from __future__ import annotations

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, ElementKind, jacobian_determinants
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.names import few

#: Smallest over largest Jacobian of an element below which strain and stress in it are poor.
DISTORTED = 0.1


def sampled_jacobians(kind: ElementKind, corners: np.ndarray) -> np.ndarray:
    """(ne, number of samples) det dx/dxi of a solid kind, up to a constant; nodes at ``corners`` (ne, n, 3), m.

    Of pyramids, which have no polynomial shape functions, the volumes at the corners of the base.
    """
    if kind.sample_points is not None:
        return jacobian_determinants(kind, corners)
    base, top = corners[:, :4], corners[:, 4:5]
    after, before = np.roll(base, -1, axis=1) - base, np.roll(base, 1, axis=1) - base
    return np.einsum("eni,eni->en", np.cross(after, before), top - base)


def distortion_warnings(mesh: Mesh) -> tuple[str, ...]:
    """A sentence for each kind of solid element of which some are distorted."""
    found = []
    for kind in dict.fromkeys(block.kind for block in mesh.blocks if KINDS[block.kind].dimension == 3):
        blocks = [block for block in mesh.blocks if block.kind == kind and len(block.ids)]
        ids = np.concatenate([block.ids for block in blocks])
        jacobians = np.concatenate([sampled_jacobians(KINDS[kind], mesh.points[block.nodes]) for block in blocks])
        ratio = jacobians.min(axis=1) / jacobians.max(axis=1)
        order = np.argsort(ratio, kind="stable")
        poor = order[: np.count_nonzero(ratio < DISTORTED)]
        if poor.size:
            found.append(
                f"{mesh.source or 'mesh'}: {poor.size} {kind} elements are strongly distorted (worst first:"
                f" {few(ids[poor])}; the volume per corner varies down to {ratio[poor[0]]:.2g} of its largest): strain"
                " and stress in them are poor; improve the mesh there."
            )
    return tuple(found)
