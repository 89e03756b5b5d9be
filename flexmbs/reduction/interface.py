"""Interfaces: where joints, forces and contacts take hold of a body, as linear operators on nodal displacements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.errors import BodyError
from flexmbs.mesh.names import near_names


@dataclass(frozen=True)
class Interface:
    """A marker tied to a node set, to one node, or to a material point. Exactly one of the three is given.

    Attributes
    ----------
    set : name of a node set of the mesh
    node : node number of the mesh file
    point : (x, y, z), m, in mesh coordinates
    kind : "averaged" (RBE3: the marker follows the least-squares rigid motion of the nodes, equal weights) or
        "rigid" (RBE2: all nodes of the set follow the marker)
    """

    set: str | None = None
    node: int | None = None
    point: tuple[float, float, float] | None = None
    kind: str = "averaged"


@dataclass(frozen=True)
class Attachment:
    """An interface found on the mesh.

    Attributes
    ----------
    nodes : (k,) indices of the nodes; empty for a material point
    position : (3,) m
    operator : (6, ndof) sparse: displacement (m) and rotation (rad) of the marker per nodal displacement
    has_rotation : False where the nodes do not determine a rotation
    rigid : all the nodes follow the marker (so the mesh is stiffer there)
    """

    name: str
    nodes: np.ndarray
    position: np.ndarray
    operator: sparse.csr_matrix
    has_rotation: bool
    rigid: bool


def attach_all(fem, interfaces: Mapping[str, str | Interface]) -> dict[str, Attachment]:
    """Find every interface on the mesh; BodyError names what is missing."""
    attached = {}
    for name, interface in interfaces.items():
        attached[name] = _attach(fem, name, Interface(set=interface) if isinstance(interface, str) else interface)
    _check_rigid_sets_apart(attached)
    return attached


def _attach(fem, name: str, interface: Interface) -> Attachment:
    if not isinstance(interface, Interface):
        raise BodyError(f"interface '{name}': give a node set's name or an Interface, not {interface!r}")
    given = [w for w in (interface.set, interface.node, interface.point) if w is not None]
    if len(given) != 1:
        raise BodyError(f"interface '{name}': give exactly one of set, node and point ({len(given)} were given)")
    if interface.kind not in ("averaged", "rigid"):
        raise BodyError(f"interface '{name}': kind is \"averaged\" or \"rigid\", not {interface.kind!r}")
    if interface.point is not None:
        return _attach_point(fem, name, interface)
    nodes = _nodes(fem.mesh, name, interface)
    if fem.dofs_per_node == 6:
        operator, has_rotation = _beam_average(nodes, fem.K.shape[0]), True
    else:
        operator, has_rotation = _solid_average(nodes, fem.mesh.points, fem.K.shape[0])
    # a single node is its own marker: nothing needs to follow it
    rigid = interface.kind == "rigid" and len(nodes) > 1
    if rigid and not has_rotation:
        raise BodyError(f"interface '{name}': its nodes lie on one line, a rigid marker could spin about it; add nodes")
    position = fem.mesh.points[nodes].mean(axis=0)
    return Attachment(name, nodes, position, operator, has_rotation, rigid)


def _attach_point(fem, name: str, interface: Interface) -> Attachment:
    point = np.asarray(interface.point, dtype=float)
    if point.shape != (3,) or not np.all(np.isfinite(point)):
        raise BodyError(f"interface '{name}': point is three finite coordinates in m, not {interface.point!r}")
    if interface.kind == "rigid":
        raise BodyError(f"interface '{name}': a material point has no nodes to hold rigidly; use kind=\"averaged\"")
    try:
        operator = sparse.csr_matrix(fem.point_operator(point))
    except BodyError as error:
        raise BodyError(f"interface '{name}': {error}") from error
    return Attachment(name, np.empty(0, dtype=np.int64), point, operator, True, False)


def _nodes(mesh, name: str, interface: Interface) -> np.ndarray:
    if interface.node is not None:
        found = np.flatnonzero(np.asarray(mesh.node_ids) == interface.node)
        if len(found) == 0:
            raise BodyError(
                f"interface '{name}': {mesh.source or 'the mesh'} has no node {interface.node}; its nodes are numbered "
                f"{np.min(mesh.node_ids)} to {np.max(mesh.node_ids)}"
            )
        return found[:1]
    if interface.set not in mesh.node_sets:
        raise BodyError(
            f"interface '{name}': {mesh.source or 'the mesh'} has no node set '{interface.set}'. "
            f"{near_names(interface.set, mesh.node_sets)}"
        )
    nodes = np.unique(np.asarray(mesh.node_sets[interface.set], dtype=np.int64))
    if len(nodes) == 0:
        raise BodyError(f"interface '{name}': node set '{interface.set}' is empty")
    return nodes


def _beam_average(nodes: np.ndarray, ndof: int) -> sparse.csr_matrix:
    """Mean displacement and mean rotation of beam nodes."""
    k = len(nodes)
    rows = np.tile(np.arange(6), k)
    columns = (6 * nodes[:, None] + np.arange(6)).ravel()
    return sparse.csr_matrix((np.full(6 * k, 1.0 / k), (rows, columns)), shape=(6, ndof))


def _solid_average(nodes: np.ndarray, points: np.ndarray, ndof: int) -> tuple[sparse.csr_matrix, bool]:
    """Least-squares rigid motion: d = mean u, theta = J^-1 sum r x u, J = sum (r.r I - r r^T), r from the mean."""
    k = len(nodes)
    r = points[nodes] - points[nodes].mean(axis=0)
    dense = np.zeros((6, k, 3))
    dense[:3] = np.eye(3)[:, None, :] / k
    J = np.sum(r * r) * np.eye(3) - r.T @ r
    moments = np.linalg.eigvalsh(J)
    # nodes on one line (or a single one) leave a rotation free: the smallest moment vanishes
    has_rotation = bool(moments[0] > 1e-12 * max(moments[2], np.finfo(float).tiny))
    if has_rotation:
        dense[3:] = np.einsum("ij,kjl->ikl", np.linalg.inv(J), skew(r))
    columns = (3 * nodes[:, None] + np.arange(3)).ravel()
    rows = np.repeat(np.arange(6), 3 * k)
    flat = dense.reshape(6, -1)
    return sparse.csr_matrix((flat.ravel(), (rows, np.tile(columns, 6))), shape=(6, ndof)), has_rotation


def skew(r: np.ndarray) -> np.ndarray:
    """(k, 3) -> (k, 3, 3) with skew(r) u = r x u."""
    S = np.zeros((len(r), 3, 3))
    S[:, 0, 1], S[:, 0, 2], S[:, 1, 2] = -r[:, 2], r[:, 1], -r[:, 0]
    return S - S.transpose(0, 2, 1)


def _check_rigid_sets_apart(attached: Mapping[str, Attachment]) -> None:
    rigid = [a for a in attached.values() if a.rigid]
    for i, first in enumerate(rigid):
        for second in rigid[:i]:
            shared = len(np.intersect1d(first.nodes, second.nodes))
            if shared:
                raise BodyError(
                    f"interfaces '{second.name}' and '{first.name}' are both rigid and share {shared} nodes; "
                    "make one of them averaged, or join the two sets"
                )
