"""Ties: nodes of one surface glued to the faces of another that are nearest, across small gaps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, ElementKind, shape_gradients, shape_values

if TYPE_CHECKING:  # imported where it is needed: it takes a tenth of a second
    from scipy.spatial import cKDTree
from scipy import sparse

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import few
from flexmbs.fem.mpc.couplings import name_of
from flexmbs.fem.mpc.dependence import JoinedRows, rows_of
from flexmbs.fem.rigid_motion import NodeFit, node_fit
from flexmbs.fem.sparsity_pattern import summed_blocks
from flexmbs.mesh.mesh import Mesh, Tie

_AT_ONCE = 2000  # points whose possible faces are listed together: bounds the memory
_NEWTON_STEPS = 12
_EQUAL = 1e-9  # of the size of faces: of equally near ones the first counts, not round-off


@dataclass(frozen=True)
class NearestFaces:
    """For each of m points the nearest face."""

    kind: np.ndarray  # (m,) str
    nodes: np.ndarray  # (m, 8) int, of the face, padded with -1
    values: np.ndarray  # (m, 8) shape functions of the place on the face
    gap: np.ndarray  # (m,) m, to that place
    size: np.ndarray  # (m,) m, of the face


def nearest_faces(points: np.ndarray, nodes: np.ndarray, faces: dict[str, np.ndarray], reach: float = np.inf) -> NearestFaces:
    """The faces that are nearest to nodes, whatever the sizes of the faces.

    ``points`` (nn, 3) m; ``nodes`` (m,) int; ``faces`` kind -> (k, width) nodes; ``reach`` m, beyond which the nearest face
    need not be found: what is then reported is farther than this too.
    """
    count = len(nodes)
    best = NearestFaces(
        np.full(count, "", dtype=object), np.full((count, 8), -1), np.zeros((count, 8)), np.full(count, np.inf), np.ones(count)
    )
    groups = [group for kind, rows in faces.items() for group in _of_like_size(kind, points, rows)]
    for group in groups:
        _, face = group.centers.query(points[nodes])  # how near the nearest face must be
        _improve(best, group, points[nodes], np.arange(count), face)
    for group in groups:
        for start in range(0, count, _AT_ONCE):
            at = np.arange(start, min(start + _AT_ONCE, count))
            near = np.minimum(best.gap[at], reach)
            found = group.centers.query_ball_point(points[nodes[at]], near + (1.0 + _EQUAL) * group.radius)
            at, face = np.repeat(at, [len(own) for own in found]), np.concatenate(found).astype(int)
            bound = np.minimum(best.gap[at], reach) + _EQUAL * group.radius
            possible = group.away(points[nodes[at]], face) <= bound
            _improve(best, group, points[nodes], at[possible], face[possible])
    return best


def face_sizes(corners: np.ndarray) -> np.ndarray:
    """(k,) m, diagonals of the boxes around faces (k, width, 3)."""
    return np.linalg.norm(np.ptp(corners, axis=1), axis=1)


@dataclass(frozen=True)
class _Group:
    """Faces of one kind and similar size: their nodes, corners (k, width, 3), centres and bounding boxes."""

    kind: str
    rows: np.ndarray
    corners: np.ndarray
    centers: cKDTree
    radius: float
    low: np.ndarray
    high: np.ndarray

    def away(self, points: np.ndarray, face: np.ndarray) -> np.ndarray:
        """(m,) m, of points (m, 3) from the box around a face each: the face is no nearer."""
        outside = np.maximum(self.low[face] - points, points - self.high[face])
        return np.linalg.norm(np.maximum(outside, 0.0), axis=1)


def _of_like_size(kind: str, points: np.ndarray, rows: np.ndarray) -> list[_Group]:
    """Groups whose sizes differ by less than a factor 2: one long face shall not widen the search among short ones."""
    from scipy.spatial import cKDTree

    known = KINDS[kind]
    nodal = points[rows]
    corners = nodal[:, : known.corner_count]
    centers = corners.mean(axis=1)
    # Midside nodes off the middle of their edge move the face by at most twice their offset (sum of their shape
    # functions at the centre of a quad8).
    bulge = np.zeros((len(rows), 1))
    for edge, middle in zip(known.edges, nodal.transpose(1, 0, 2)[known.corner_count :], strict=False):
        offset = np.linalg.norm(middle - corners[:, list(edge)].mean(axis=1), axis=1)
        bulge = np.maximum(bulge, 2.0 * offset[:, None])
    if known.inner_count:  # their shape functions reach 1
        bulge += np.linalg.norm(nodal[:, -known.inner_count :] - centers[:, None], axis=2).max(axis=1)[:, None]
    radius = np.linalg.norm(corners - centers[:, None], axis=2).max(axis=1) + bulge[:, 0]
    low, high = corners.min(axis=1) - bulge, corners.max(axis=1) + bulge
    order = np.floor(np.log2(np.maximum(radius, np.finfo(float).tiny)))
    groups = []
    for own in (order == value for value in np.unique(order)):
        tree = cKDTree(centers[own])
        groups.append(_Group(kind, rows[own], nodal[own], tree, float(radius[own].max()), low[own], high[own]))
    return groups


def _improve(best: NearestFaces, group: _Group, points: np.ndarray, at: np.ndarray, face: np.ndarray) -> None:
    """Put faces of the group into ``best`` where they are nearer: pairs of a point ``at`` and a ``face``."""
    if not len(at):
        return
    values = _projected(group.kind, group.corners[face], points[at])
    gap = np.linalg.norm(points[at] - np.einsum("mk,mki->mi", values, group.corners[face]), axis=1)
    least = np.full(len(points), np.inf)
    np.minimum.at(least, at, gap)
    equal = np.flatnonzero(gap <= least[at] + _EQUAL * group.radius)  # faces on both sides of an edge, to round-off
    equal = equal[np.lexsort((face[equal], at[equal]))]
    chosen = equal[np.unique(at[equal], return_index=True)[1]]
    chosen = chosen[gap[chosen] <= best.gap[at[chosen]] + _EQUAL * group.radius]
    at, face, width = at[chosen], face[chosen], group.rows.shape[1]
    best.kind[at], best.gap[at] = group.kind, gap[chosen]
    best.nodes[at, :width], best.values[at, :width] = group.rows[face], values[chosen]
    best.size[at] = face_sizes(group.corners[face])


def _projected(kind: str, corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(m, k) shape functions of the places on faces (m, k, 3) that are nearest to points (m, 3)."""
    known = KINDS[kind]
    xi = np.tile(known.reference_nodes[: known.corner_count].mean(axis=0), (len(points), 1))
    for _ in range(_NEWTON_STEPS):
        values, gradients = shape_values(known, xi), shape_gradients(known, xi)
        away = points - np.einsum("mk,mki->mi", values, corners)
        tangents = np.einsum("mka,mki->mai", gradients, corners)
        metric = tangents @ tangents.transpose(0, 2, 1)
        step = np.linalg.solve(metric, np.einsum("mai,mi->ma", tangents, away)[..., None])[..., 0]
        moved = _inside(known.corner_count, xi + step)
        if np.abs(moved - xi).max() < 1e-13:
            break
        xi = moved
    found = shape_values(known, xi)
    over = np.flatnonzero(_on_boundary(known.corner_count, xi))
    if len(over):
        found[over] = _on_edges(known, corners[over], points[over], found[over])
    return found


def _on_boundary(corner_count: int, xi: np.ndarray) -> np.ndarray:
    if corner_count == 4:
        return np.abs(xi).max(axis=1) > 1.0 - 1e-9
    return (xi.min(axis=1) < 1e-9) | (xi.sum(axis=1) > 1.0 - 1e-9)


def _on_edges(known: ElementKind, corners: np.ndarray, points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Shape functions (m, k) of the nearest places on edges, where these are nearer than the places of ``values``."""
    values = values.copy()
    gap = np.linalg.norm(points - np.einsum("mk,mki->mi", values, corners), axis=1)
    for first, last in known.edges:
        start, along = known.reference_nodes[first], known.reference_nodes[last] - known.reference_nodes[first]
        t = np.full(len(points), 0.5)
        for _ in range(_NEWTON_STEPS):
            xi = start + t[:, None] * along
            away = points - np.einsum("mk,mki->mi", shape_values(known, xi), corners)
            tangent = np.einsum("mka,mki,a->mi", shape_gradients(known, xi), corners, along)
            length = np.maximum((tangent**2).sum(axis=1), np.finfo(float).tiny)
            moved = np.clip(t + (tangent * away).sum(axis=1) / length, 0.0, 1.0)
            if np.abs(moved - t).max() < 1e-13:
                break
            t = moved
        own = shape_values(known, start + t[:, None] * along)
        reached = np.linalg.norm(points - np.einsum("mk,mki->mi", own, corners), axis=1)
        nearer = reached < gap
        values[nearer], gap[nearer] = own[nearer], reached[nearer]
    return values


def _inside(corner_count: int, xi: np.ndarray) -> np.ndarray:
    if corner_count == 4:
        return np.clip(xi, -1.0, 1.0)
    over = np.maximum(xi.sum(axis=1, keepdims=True) - 1.0, 0.0)
    clipped = np.clip(xi - 0.5 * over, 0.0, 1.0)
    return clipped / np.maximum(clipped.sum(axis=1, keepdims=True), 1.0)


# Nodes are tied across gaps up to this part of the size of the face, unless the tie says another distance.
GAP = 0.05


def tied_rows(mesh: Mesh, turning: np.ndarray) -> tuple[list[JoinedRows], list[str]]:
    """Conditions of all ties of the mesh, and warnings; a node that two ties want is tied by the first of them."""
    rows, warnings, taken = [], [], np.zeros(len(mesh.points), bool)
    for tie in mesh.ties:
        own, warned = tie_rows(mesh, tie, turning, taken)
        for part in own:
            taken[part.preferred // 6] = True
        rows += own
        warnings += warned
    return rows, warnings


def tie_rows(mesh: Mesh, tie: Tie, turning: np.ndarray, taken: np.ndarray) -> tuple[list[JoinedRows], list[str]]:
    """u = sum N_i u_i + theta x gap: the nodes of the first surface follow the faces of the second.

    N are the shape functions of the face at the node's place on it, theta the rotation that fits the displacements of
    the face's nodes best, so that rotation of the whole body strains nothing. Rotations follow by the shape functions
    where the nodes of both sides have any.

    ``turning`` (nn,) bool, nodes that have rotations; ``taken`` (nn,) bool, nodes that other ties already give. They are left
    out: following two faces across gaps, they would make these strain each other as no glue does.

    Returns conditions, and warnings for nodes that are taken or too far away to be tied (MeshError when all are too far).
    """
    nodes, faces = _sides(mesh, tie)
    nodes = np.setdiff1d(nodes, np.concatenate([rows.ravel() for rows in faces.values()]))
    if not len(nodes):
        return [], []
    if tie.tolerance is not None:
        reach = tie.tolerance
    else:
        reach = GAP * max(face_sizes(mesh.points[rows]).max() for rows in faces.values())
    nearest = nearest_faces(mesh.points, nodes, faces, 1.01 * reach)
    allowed = np.full(len(nodes), tie.tolerance) if tie.tolerance is not None else GAP * nearest.size
    near = nearest.gap <= allowed * (1.0 + 1e-9)
    if not near.any():
        raise _too_far(mesh, tie, nodes, faces, nearest, allowed)
    warnings = []
    again, away = near & taken[nodes], ~near & ~taken[nodes]
    if again.any():
        warnings.append(
            f"{name_of(mesh, tie)}: {again.sum()} of {len(nodes)} nodes of {tie.first} already belong to another tie"
            f" and are not tied to {tie.second} ({few(mesh.node_ids[nodes[again]])}); remove them from one of the"
            " ties."
        )
    if away.any():
        warnings.append(
            f"{name_of(mesh, tie)}: {away.sum()} of {len(nodes)} nodes of {tie.first} are too far from {tie.second} and"
            f" are not tied ({few(mesh.node_ids[nodes[away]])})."
        )
    tied = near & ~again
    return [row for kind in faces for row in _rows(mesh, tie, nearest, nodes, tied, kind, turning)], warnings


def _too_far(mesh: Mesh, tie: Tie, nodes: np.ndarray, faces, nearest: NearestFaces, allowed: np.ndarray) -> MeshError:
    closest = int(np.argmin(nearest.gap))
    gap = nearest_faces(mesh.points, nodes[[closest]], faces).gap[0]
    return MeshError(
        f"{name_of(mesh, tie)}: no node of {tie.first} lies on {tie.second}; the nearest, node"
        f" {mesh.node_ids[nodes[closest]]}, is {gap:.3g} m away and {allowed[closest]:.3g} m are"
        " allowed: check the surfaces, or give the tie a position tolerance"
    )


def _sides(mesh: Mesh, tie: Tie) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Nodes of one side and faces of the other; the first surface gives the nodes unless only it has faces."""

    def faces(name: str) -> dict[str, np.ndarray]:
        found = mesh.surfaces[name].faces if name in mesh.surfaces else {}
        return {kind: rows for kind, rows in found.items() if kind.startswith(("tri", "quad")) and len(rows)}

    first, second = tie.first, tie.second
    if not faces(second) and faces(first):
        first, second = second, first
    if not faces(second):
        raise MeshError(f"{name_of(mesh, tie)}: neither {tie.first} nor {tie.second} is a surface with faces; a tie needs one")
    if first in mesh.surfaces:
        return mesh.surfaces[first].nodes, faces(second)
    if first not in mesh.node_sets:
        raise MeshError(f"{name_of(mesh, tie)}: there is no surface or node set {first}")
    return np.unique(mesh.node_sets[first]), faces(second)


def _rows(mesh: Mesh, tie: Tie, nearest: NearestFaces, nodes, near, kind: str, turning) -> list[JoinedRows]:
    own = np.flatnonzero(near & (nearest.kind == kind))
    if not len(own):
        return []
    width = KINDS[kind].node_count
    face, values = nearest.nodes[own, :width], nearest.values[own, :width]
    equal = np.ones(face.shape)
    fit = node_fit(mesh.points, face, equal, mesh.points[nodes[own]], np.zeros(len(turning), bool), shares=values)
    name, ndof = name_of(mesh, tie), 6 * len(mesh.points)
    displaced = _displacements(ndof, nodes[own], fit, name)
    both = turning[nodes[own]] & turning[face].all(axis=1)
    if not both.any():
        return [displaced]
    axis = np.arange(3, 6)
    columns = 6 * np.column_stack([nodes[own][both], face[both]])[:, None] + axis[:, None]
    shares = np.column_stack([np.ones(both.sum()), -values[both]])
    count = 3 * int(both.sum())
    terms = np.broadcast_to(shares[:, None], columns.shape).reshape(count, -1)
    turned = rows_of(ndof, columns.reshape(count, -1), terms, columns[:, :, 0].ravel(), np.full(count, name, object))
    return [displaced, turned]


def _displacements(ndof: int, nodes: np.ndarray, fit: NodeFit, name: str) -> JoinedRows:
    m, k = fit.nodes.shape
    axis = np.arange(3)
    follower = (6 * nodes[:, None] + axis)[:, :, None]
    columns = np.broadcast_to((6 * fit.nodes[:, :, None] + axis).reshape(m, 1, 3 * k), (m, 3, 3 * k))
    values = -fit.operator(3)[:, :3].reshape(m, 3, 3 * k)
    columns = np.concatenate([follower, columns], axis=2).reshape(3 * m, -1)
    values = np.concatenate([np.ones((m, 3, 1)), values], axis=2).reshape(3 * m, -1)

    def second_order(fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return fit.second_order(fields, pairs)[0].reshape(3 * m, len(pairs))

    def stiffness(multipliers: np.ndarray) -> sparse.csr_matrix:
        return summed_blocks(ndof, *fit.stiffness(multipliers.reshape(m, 3), np.zeros((m, 3))))

    names = np.full(3 * m, name, dtype=object)
    return rows_of(ndof, columns, values, follower.ravel(), names, second_order=second_order, stiffness=stiffness)
