"""The Jacobian of solid elements: its sign says whether they are inside out, its variation how distorted they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.common.names_in_messages import few
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS, ElementKind, jacobian_determinants
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.quadrature import chunks, is_straight, rule, with_polynomials

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


def smallest_jacobians(kind: str, coordinates: np.ndarray) -> np.ndarray:
    """(ne,) the smallest of ``sampled_jacobians`` and of det dx/dxi at the points that integrate the mass.

    ``coordinates`` (ne, n, 3) of the elements' nodes, m.
    """
    smallest = sampled_jacobians(KINDS[kind], coordinates).min(axis=1)
    straight = is_straight(kind, coordinates) if kind in FIRST_ORDER else np.zeros(len(coordinates), bool)
    for name, rows in ((kind, np.flatnonzero(~straight)), (FIRST_ORDER.get(kind), np.flatnonzero(straight))):
        if not len(rows) or name in ("tet4", "pyramid5"):  # of these the samples say all
            continue
        for part in chunks(name, len(rows)):
            own = rows[part]
            known = replace(with_polynomials(name), sample_points=rule(name)[0])
            found = jacobian_determinants(known, coordinates[own, : known.node_count])
            smallest[own] = np.minimum(smallest[own], found.min(axis=1))
    return smallest


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
                f" {few(ids[poor])}; the smallest Jacobian is {ratio[poor[0]]:.2g} of the largest in the element):"
                " strain and stress in them are inaccurate; improve the mesh there."
            )
    return tuple(found)
