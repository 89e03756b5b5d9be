"""Names for modes: bending, axial or torsion about the body's long axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

AXES = "xyz"
_SLICES = 40  # section means resolve some ten bending waves


def long_axis(fem) -> int | None:
    """0, 1 or 2 if the body is clearly longest along that mesh axis, otherwise None.

    Longest: the two large principal moments of inertia exceed the small one at least twice; along a mesh axis:
    within 1 degree.
    """
    moments, directions = np.linalg.eigh(fem.inertia)
    if moments[1] < 2.0 * moments[0]:
        return None
    cosines = np.abs(directions[:, 0])
    axis = int(np.argmax(cosines))
    return axis if cosines[axis] > np.cos(np.radians(1.0)) else None


def group_kind(dofs: np.ndarray, axis: int | None) -> str | None:
    """Kind of motion of an uncoupled group of beam dofs (nodal numbering, six per node).

    Exact for a straight beam: one group for each bending plane, one axial, one torsional.
    """
    if axis is None:
        return None
    parts = set(np.unique(dofs % 6).tolist())
    if parts <= {axis}:
        return "axial"
    if parts <= {3 + axis}:
        return "torsion"
    first, second = (k for k in range(3) if k != axis)
    for displacing, turning in ((first, second), (second, first)):
        if parts <= {displacing, 3 + turning}:
            return f"bending {AXES[displacing]}"
    return None


def section_kinds(fem, fields: np.ndarray, axis: int | None) -> list[str | None]:
    """Kind of each field (ndof, n) by the largest share of energy in the mean motion of sections along the axis.

    Shares: squared mean displacement along each axis, and squared mean rotation times the squared radius of gyration
    about the long axis. None if no share reaches 30 % (local modes) or the body has no long axis.
    """
    n = fields.shape[1]
    if axis is None or n == 0:
        return [None] * n
    shares = _section_energies(fem, fields, axis)
    names = {k: f"bending {AXES[k]}" for k in range(3)} | {axis: "axial", 3: "torsion"}
    best = np.argmax(shares, axis=0)
    return [names[int(b)] if shares[b, i] > 0.3 else None for i, b in enumerate(best)]


def aligned(fem, values: np.ndarray, fields: np.ndarray, axis: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Modes of equal frequency, rotated within their subspace so that they bend along mesh axes.

    values (k,) omega^2 ascending; fields (ndof, k) of equal modal mass. A square or round bar has pairs of equal
    bending frequencies, for which an eigensolver returns arbitrary directions.
    """
    if axis is None or len(values) < 2:
        return values, fields
    values, fields = values.copy(), fields.copy()
    ends = np.flatnonzero(np.diff(values) > _EQUAL * values[1:]) + 1
    for cluster in np.split(np.arange(len(values)), ends):
        if len(cluster) > 1:
            weights, means, _ = _section_motion(fem, fields[:, cluster], axis)
            sideways = np.sqrt(weights)[:, None] * means[:, 0 if axis != 0 else 1]
            turn = np.linalg.eigh(sideways.T @ sideways)[1][:, ::-1]
            fields[:, cluster] = fields[:, cluster] @ turn
            values[cluster] = values[cluster].mean()  # exactly equal, so that sorting keeps this order
    return values, fields


_EQUAL = 1e-6  # in omega^2: meshes break the symmetry by less, different modes differ by more


def _section_energies(fem, fields: np.ndarray, axis: int) -> np.ndarray:
    """(4, n) shares: mean displacement x, y, z and twist."""
    nodal = fields.reshape(len(fem.mesh.points), fem.dofs_per_node, -1)[fem.massive_nodes]
    gyration2 = fem.inertia[axis, axis] / fem.mass
    weights, means, twists = _section_motion(fem, fields, axis)
    energies = np.vstack([np.einsum("s,skn->kn", weights, means**2), gyration2 * (weights @ twists**2)])
    total = np.einsum("pkn,pkn->n", nodal[:, :3], nodal[:, :3])
    if fem.dofs_per_node == 6:
        total = total + gyration2 * np.sum(nodal[:, 3 + axis] ** 2, axis=0)
    return energies / np.maximum(total, 1e-300)


def _section_motion(fem, fields: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes (s,), mean displacement (s, 3, n) and mean twist (s, n) of each of s slices across the axis."""
    points, turning = fem.mesh.points[fem.massive_nodes], fem.turning_nodes[fem.massive_nodes]
    nodal = fields.reshape(len(fem.mesh.points), fem.dofs_per_node, -1)[fem.massive_nodes]
    first, second = ((axis + 1) % 3, (axis + 2) % 3)
    along = points[:, axis]
    slices = np.minimum((_SLICES * (along - along.min()) / np.ptp(along)).astype(int), _SLICES - 1)
    weights, means, twists = [], [], []
    for s in np.unique(slices):
        inside = np.flatnonzero(slices == s)
        u = nodal[inside, :3]
        mean = u.mean(axis=0)
        if turning[inside].all():
            twist = nodal[inside, 3 + axis].mean(axis=0)
        else:
            r = points[inside] - points[inside].mean(axis=0)
            moment = r[:, first] @ (u[:, second] - mean[second]) - r[:, second] @ (u[:, first] - mean[first])
            twist = moment / max(np.sum(r[:, [first, second]] ** 2), 1e-300)
        weights.append(len(inside))
        means.append(mean)
        twists.append(twist)
    return np.array(weights, dtype=float), np.array(means), np.array(twists)


def numbered(kinds: Sequence[str | None]) -> tuple[str, ...]:
    """["bending y", "axial", "bending y", None] -> ("bending y 1", "axial 1", "bending y 2", "mode 4")."""
    counts: dict[str, int] = {}
    labels = []
    for i, kind in enumerate(kinds):
        if kind is None:
            labels.append(f"mode {i + 1}")
        else:
            counts[kind] = counts.get(kind, 0) + 1
            labels.append(f"{kind} {counts[kind]}")
    return tuple(labels)
