"""Interfaces: where joints, forces and contacts take hold of a body, as linear operators on nodal displacements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.errors import BodyError
from flexmbs.fem.rigid_motion import skew
from flexmbs.fem.shell_model import ShellModel
from flexmbs.mesh.names import near_names


@dataclass(frozen=True)
class Interface:
    """A marker tied to a node set, one node, a material point or a coupling of the file. Exactly one is given.

    Attributes
    ----------
    set : name of a node set of the mesh
    node : node number of the mesh file
    point : (x, y, z), m, in mesh coordinates
    kind : "averaged" (RBE3: the marker follows the least-squares rigid motion of the nodes, equal weights) or
        "rigid" (RBE2: all nodes of the set follow the marker); None: "averaged", or as the coupling says
    coupling : name of a coupling of the mesh file: its nodes and weights, the marker at its reference node
    """

    set: str | None = None
    node: int | None = None
    point: tuple[float, float, float] | None = None
    kind: str | None = None
    coupling: str | None = None


@dataclass(frozen=True)
class Attachment:
    """An interface found on the mesh.

    Attributes
    ----------
    nodes : (k,) indices of the nodes; empty for a material point
    position : (3,) m, of the marker
    center : (3,) m, weighted mean of the nodes
    weights : (k,) of the nodes, with sum 1
    operator : (6, ndof) sparse: displacement (m) and rotation (rad) of the marker per nodal displacement
    has_rotation : False where the nodes do not determine a rotation
    rigid : all the nodes follow the marker (so the mesh is stiffer there)
    """

    name: str
    nodes: np.ndarray
    position: np.ndarray
    center: np.ndarray
    weights: np.ndarray
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
    given = [w for w in (interface.set, interface.node, interface.point, interface.coupling) if w is not None]
    if len(given) != 1:
        raise BodyError(
            f"interface '{name}': give exactly one of set, node and point, or a coupling ({len(given)} were given)"
        )
    if interface.kind not in (None, "averaged", "rigid"):
        raise BodyError(f"interface '{name}': kind is \"averaged\" or \"rigid\", not {interface.kind!r}")
    if interface.point is not None:
        return _attach_point(fem, name, interface)
    if interface.coupling is not None:
        return _attach_coupling(fem, name, interface)
    nodes = _nodes(fem.mesh, name, interface)
    return attach_nodes(fem, name, nodes, interface.kind == "rigid")


def attach_nodes(
    fem, name: str, nodes: np.ndarray, rigid: bool, weights: np.ndarray | None = None, position=None
) -> Attachment:
    """A marker on nodes: at ``position`` (default: their mean), with ``weights`` (default: equal)."""
    weights = np.full(len(nodes), 1.0 / len(nodes)) if weights is None else weights / np.sum(weights)
    center = weights @ fem.mesh.points[nodes]
    position = center if position is None else np.asarray(position, dtype=float)
    if isinstance(fem, ShellModel):
        operator, has_rotation = _shell_average(nodes, weights, fem.mesh.points, fem.K.shape[0]), True
    elif fem.dofs_per_node == 6:
        operator, has_rotation = _beam_average(nodes, weights, fem.K.shape[0]), True
    else:
        operator, has_rotation = _solid_average(nodes, weights, fem.mesh.points, fem.K.shape[0])
    size = np.linalg.norm(np.ptp(fem.mesh.points, axis=0))
    if np.linalg.norm(position - center) > 1e-12 * size:
        if not has_rotation:
            raise BodyError(f"interface '{name}': its nodes lie on one line, but its marker does not lie on their mean")
        operator = _moved(operator, position - center)
    # a single node is its own marker: nothing needs to follow it
    rigid = rigid and (len(nodes) > 1 or (fem.dofs_per_node == 6 and position is not center))
    if rigid and not has_rotation:
        raise BodyError(f"interface '{name}': its nodes lie on one line, a rigid marker could spin about it; add nodes")
    return Attachment(name, nodes, position, center, weights, operator, has_rotation, rigid)


def _attach_coupling(fem, name: str, interface: Interface) -> Attachment:
    mesh = fem.mesh
    found = [coupling for coupling in mesh.couplings if coupling.name == interface.coupling]
    if len(found) != 1:
        known = near_names(interface.coupling, [coupling.name for coupling in mesh.couplings])
        raise BodyError(
            f"interface '{name}': {mesh.source or 'the mesh'} has {len(found) or 'no'} coupling"
            f"{'s' * (len(found) > 1)} '{interface.coupling}'. {known}"
        )
    coupling = found[0]
    where = f"interface '{name}': {coupling.where or mesh.source}: {coupling.name}"
    rigid = coupling.kind == "rigid"
    if interface.kind not in (None, "rigid" if rigid else "averaged"):
        raise BodyError(f"{where} is {'rigid' if rigid else 'averaging'}; leave kind out, or name a node set")
    if len(coupling.nodes) == 0:
        raise BodyError(f"{where} joins no node of an element of the body")
    if not {1, 2, 3} <= set(coupling.dofs):
        raise BodyError(
            f"{where} couples components {', '.join(map(str, coupling.dofs))}; an interface needs all displacements "
            "(1, 2, 3): name a node set"
        )
    if len(np.unique(coupling.nodes)) < len(coupling.nodes):
        raise BodyError(f"{where} names a node twice; name a node set")
    position = mesh.points[coupling.reference] if coupling.reference >= 0 else coupling.point
    return attach_nodes(fem, name, np.asarray(coupling.nodes), rigid, coupling.weights, position)


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
    return Attachment(name, np.empty(0, dtype=np.int64), point, point, np.empty(0), operator, True, False)


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


def _beam_average(nodes: np.ndarray, weights: np.ndarray, ndof: int) -> sparse.csr_matrix:
    """Mean displacement and mean rotation of beam nodes."""
    k = len(nodes)
    rows = np.tile(np.arange(6), k)
    columns = (6 * nodes[:, None] + np.arange(6)).ravel()
    return sparse.csr_matrix((np.repeat(weights, 6), (rows, columns)), shape=(6, ndof))


def _shell_average(nodes: np.ndarray, weights: np.ndarray, points: np.ndarray, ndof: int) -> sparse.csr_matrix:
    """As solids where the nodes' displacements determine a rotation; the mean of the nodes' own about other axes.

    The rotation of a shell's node about the normal is hardly felt by the shell: a mean of it would be no support.
    """
    r = points[nodes] - weights @ points[nodes]
    inverse = fitted_inverse(weights, r)
    J = np.sum(weights @ (r * r)) * np.eye(3) - r.T @ (weights[:, None] * r)
    dense = np.zeros((6, len(nodes), 6))
    dense[:3, :, :3] = np.eye(3)[:, None, :] * weights[:, None]
    dense[3:, :, :3] = np.einsum("ij,kjl->ikl", inverse, weights[:, None, None] * skew(r))
    dense[3:, :, 3:] = (np.eye(3) - inverse @ J)[:, None, :] * weights[:, None]
    columns = (6 * nodes[:, None] + np.arange(6)).ravel()
    rows = np.repeat(np.arange(6), len(columns))
    return sparse.csr_matrix((dense.ravel(), (rows, np.tile(columns, 6))), shape=(6, ndof))


def fitted_inverse(weights: np.ndarray, r: np.ndarray) -> np.ndarray:
    """(3, 3) J^-1 of ``_solid_average``; zero about axes on which all the nodes lie."""
    J = np.sum(weights @ (r * r)) * np.eye(3) - r.T @ (weights[:, None] * r)
    moments, axes = np.linalg.eigh(J)
    felt = moments > 1e-12 * max(moments[2], np.finfo(float).tiny)
    return (axes[:, felt] / moments[felt]) @ axes[:, felt].T


def _moved(operator: sparse.csr_matrix, offset: np.ndarray) -> sparse.csr_matrix:
    """The operator of a marker that lies ``offset`` (3,) from the mean and turns with it: d + theta x offset."""
    arm = sparse.csr_matrix(-skew(offset[None])[0])
    return sparse.vstack([operator[:3] + arm @ operator[3:], operator[3:]]).tocsr()


def _solid_average(
    nodes: np.ndarray, weights: np.ndarray, points: np.ndarray, ndof: int
) -> tuple[sparse.csr_matrix, bool]:
    """Least-squares rigid motion: d = sum w u, theta = J^-1 sum w r x u, J = sum w (r.r I - r r^T), r from sum w x."""
    k = len(nodes)
    r = points[nodes] - weights @ points[nodes]
    dense = np.zeros((6, k, 3))
    dense[:3] = np.eye(3)[:, None, :] * weights[:, None]
    J = np.sum(weights @ (r * r)) * np.eye(3) - r.T @ (weights[:, None] * r)
    moments = np.linalg.eigvalsh(J)
    # nodes on one line (or a single one) leave a rotation free: the smallest moment vanishes
    has_rotation = bool(moments[0] > 1e-12 * max(moments[2], np.finfo(float).tiny))
    if has_rotation:
        dense[3:] = np.einsum("ij,kjl->ikl", np.linalg.inv(J), weights[:, None, None] * skew(r))
    columns = (3 * nodes[:, None] + np.arange(3)).ravel()
    rows = np.repeat(np.arange(6), 3 * k)
    flat = dense.reshape(6, -1)
    return sparse.csr_matrix((flat.ravel(), (rows, np.tile(columns, 6))), shape=(6, ndof)), has_rotation


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
