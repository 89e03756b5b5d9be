"""Interfaces: where joints, forces and contacts attach to a body, as linear operators on nodal displacements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.fem.rigid_motion import NodeFit, node_fit, skew
from flexmbs.mesh.marker_places import Place, place_of_set
from flexmbs.mesh.mesh import Coupling
from flexmbs.reduction.options import unit_vector


@dataclass(frozen=True)
class Interface:
    """A marker on a node set, a node, a material point or a coupling of the file (exactly one of them).

    Attributes
    ----------
    set : name of a node set of the mesh
    node : node number of the mesh file
    point : (x, y, z), m, in mesh coordinates
    kind : "averaged" (RBE3: the marker follows the least-squares rigid motion of the nodes, weighted by the area of
        their faces, or by length or volume) or "rigid" (RBE2: all nodes of the set follow the marker); None:
        "averaged", or the kind of the coupling
    coupling : name of a coupling of the mesh file: its nodes and weights, with the marker at its reference node
    position : (x, y, z), m, in mesh coordinates: position of the marker of a set; None: the centre of the bore,
        circle or sphere that the nodes lie on, otherwise their weighted mean (flexmbs.mesh.marker_places)
    axis : direction (x, y, z) of the marker's z axis, in mesh coordinates, or "fit": the axis of the cylinder, circle
        or plane that the nodes of the set lie on; None: the marker has the axes of the mesh
    weights : "equal": all nodes of a set have equal weights; None: weights by area, length or volume
    """

    set: str | None = None
    node: int | None = None
    point: tuple[float, float, float] | None = None
    kind: str | None = None
    coupling: str | None = None
    position: tuple[float, float, float] | None = None
    axis: tuple[float, float, float] | str | None = None
    weights: str | None = None


@dataclass(frozen=True)
class Attachment:
    """An interface found on the mesh."""

    nodes: np.ndarray  # (k,) indices; empty for a material point
    position: np.ndarray  # (3,) m, of the marker
    arm: np.ndarray  # (3,) m, from the mean of the nodes to the marker
    operator: sparse.csr_matrix  # (6, ndof): displacement (m) and rotation (rad) of the marker per nodal displacement
    has_rotation: bool  # False if the nodes do not determine a rotation
    rigid: bool  # all nodes follow the marker (which stiffens the mesh)
    fit: NodeFit | None = None  # how displacements of the nodes determine its motion; None if their own rotations do
    place: Place | None = None  # how the position of the marker was found
    name: str = ""

    def dofs(self, dofs_per_node: int) -> np.ndarray:
        """Indices of all components of the nodes."""
        return (dofs_per_node * self.nodes[:, None] + np.arange(dofs_per_node)).ravel()


def attach_all(fem, interfaces: Mapping[str, str | Interface]) -> dict[str, Attachment]:
    """Find every interface on the mesh; BodyError names missing items."""
    attached = {}
    for name, given in interfaces.items():
        try:
            found = _attach(fem, Interface(set=given) if isinstance(given, str) else given)
        except BodyError as error:
            raise BodyError(f"interface '{name}': {error}") from None
        attached[name] = replace(found, name=name)
    _check_rigid_sets_apart(attached)
    for attachment in attached.values():
        if attachment.rigid:
            _check_independent(fem, attachment)
    return attached


def _attach(fem, interface: Interface) -> Attachment:
    if not isinstance(interface, Interface):
        raise BodyError(f"must be the name of a node set or an Interface, not {interface!r}")
    ways = {"set": _attach_set, "node": _attach_node, "point": _attach_point, "coupling": _attach_coupling}
    given = [attach for way, attach in ways.items() if getattr(interface, way) is not None]
    if len(given) != 1:
        raise BodyError(f"give exactly one of set, node, point and coupling ({len(given)} were given)")
    if interface.kind not in (None, "averaged", "rigid"):
        raise BodyError(f'kind must be "averaged" or "rigid", not {interface.kind!r}')
    if interface.set is None and not (interface.position is None and interface.weights is None):
        raise BodyError("position and weights are only for a set of nodes")
    found = given[0](fem, interface)
    place = found.place or Place(found.position, "equal", found.position, found.position)
    axis = None if interface.axis is None else _axis(interface.axis, place)
    if axis is not None and not found.has_rotation:
        raise BodyError("its nodes determine no rotation, so its marker cannot have its own axis")
    return replace(found, place=replace(place, axis=axis))


def _attach_set(fem, interface: Interface) -> Attachment:
    if interface.set not in fem.mesh.node_sets:
        known = near_names(interface.set, fem.mesh.node_sets)
        raise BodyError(f"{fem.mesh.source or 'the mesh'} has no node set '{interface.set}'. {known}")
    nodes = np.unique(np.asarray(fem.mesh.node_sets[interface.set], dtype=np.int64))
    if len(nodes) == 0:
        raise BodyError(f"node set '{interface.set}' is empty")
    place, shares = place_of_set(fem.mesh, interface.set)
    weights = shares.values
    if interface.weights not in (None, "equal"):
        raise BodyError('weights must be None (by area, length or volume) or "equal"')
    if interface.weights == "equal":
        weights = np.full(len(nodes), 1.0 / len(nodes))
        centered = place.shape is not None and place.shape.is_round
        place = replace(place, by="equal", left_out=0, centroid=place.mean, position=place.position if centered else place.mean)
    if interface.position is not None:
        place = replace(place, position=_position(fem.mesh, interface.position, place))
    # exactly the mean, up to rounding: nodes on one line determine no motion of a marker beside the line
    own = np.linalg.norm(place.position - place.centroid) <= 1e-12 * np.linalg.norm(np.ptp(fem.mesh.points, axis=0))
    found = _attach_nodes(fem, nodes, interface.kind == "rigid", weights, None if own else place.position)
    return replace(found, place=place)


def _position(mesh, given, place: Place) -> np.ndarray:
    """(3,) m; BodyError unless it is a point near the body."""
    position = np.asarray(given, dtype=float)
    if position.shape != (3,) or not np.all(np.isfinite(position)):
        raise BodyError(f"position must be three finite coordinates in m, not {given!r}")
    away, size = np.linalg.norm(position - place.centroid), np.linalg.norm(np.ptp(mesh.points, axis=0))
    if away > size:
        raise BodyError(
            f"position {position.tolist()} m is {away:.4g} m from the mean of the nodes,"
            f" {place.centroid.tolist()} m, which is more than the size of the body ({size:.4g} m); give it in m and"
            " mesh axes"
        )
    return position


def _axis(given, place: Place) -> np.ndarray:
    """(3,) unit vector."""
    if isinstance(given, str):
        if given != "fit":
            raise BodyError(f'axis must be a direction (x, y, z) or "fit", not {given!r}')
        if place.shape is None or place.shape.axis is None:
            what = "a sphere" if place.shape is not None else "no cylinder, circle or plane"
            raise BodyError(f"its nodes lie on {what}, so no axis can be fitted; give a direction (x, y, z)")
        return place.shape.axis
    axis = unit_vector(given)
    if axis is None:
        raise BodyError(f"axis must be a direction (x, y, z), not {given!r}")
    return axis


def _attach_nodes(fem, nodes: np.ndarray, rigid: bool, weights: np.ndarray | None = None, position=None) -> Attachment:
    """A marker on nodes: at ``position`` (default: their mean), with ``weights`` (default: equal)."""
    weights = np.full(len(nodes), 1.0 / len(nodes)) if weights is None else weights / np.sum(weights)
    center = weights @ fem.mesh.points[nodes]
    position = center if position is None else np.asarray(position, dtype=float)
    operator, fit = _mean_motion(fem, nodes, weights, position)
    has_rotation = fit is None or bool(fit.has_rotation[0])
    size = np.linalg.norm(np.ptp(fem.mesh.points, axis=0))
    if not has_rotation and np.linalg.norm(position - center) > 1e-12 * size:
        raise BodyError("its nodes lie on one line, so its marker must be at their mean")
    # a single node is its own marker, with no followers
    rigid = rigid and (len(nodes) > 1 or (bool(fem.turning_nodes[nodes[0]]) and position is not center))
    if rigid and not has_rotation:
        raise BodyError("its nodes lie on one line, about which a rigid marker could spin; add nodes")
    return Attachment(nodes, position, position - center, operator, has_rotation, rigid, fit)


def _mean_motion(fem, nodes, weights, position) -> tuple[sparse.csr_matrix, NodeFit | None]:
    """(6, ndof) operator of a marker on nodes: for beams the mean displacement and rotation, otherwise a fit.

    A shell hardly resists the rotation of its nodes about the normal, so their mean would not support the body.
    """
    columns = (fem.dofs_per_node * nodes[:, None] + np.arange(fem.dofs_per_node)).ravel()
    fit = None
    if fem.dependence is None and fem.beam_theory:
        dense = np.tile(np.eye(6), (1, len(nodes))) * np.repeat(weights, 6)
        arm = position - weights @ fem.mesh.points[nodes]
        dense[:3] += -skew(arm[None])[0] @ dense[3:]
    else:
        fit = node_fit(fem.mesh.points, nodes[None], weights[None], position[None], fem.turning_nodes)
        dense = fit.operator(fem.dofs_per_node)[0].reshape(6, -1)
        if not fit.has_rotation[0]:
            dense[3:] = 0.0
    index = (np.repeat(np.arange(6), len(columns)), np.tile(columns, 6))
    return sparse.csr_matrix((dense.ravel(), index), shape=(6, fem.ndof)), fit


def _attach_coupling(fem, interface: Interface) -> Attachment:
    mesh = fem.mesh
    found = [coupling for coupling in mesh.couplings if coupling.name == interface.coupling]
    if len(found) != 1:
        known = near_names(interface.coupling, [coupling.name for coupling in mesh.couplings])
        raise BodyError(
            f"{mesh.source or 'the mesh'} has {len(found) or 'no'} coupling{'s' * (len(found) > 1)} '{interface.coupling}'. {known}"
        )
    coupling = found[0]
    where = f"{coupling.where or mesh.source}: {coupling.name}"
    rigid = coupling.kind == "rigid"
    if interface.kind not in (None, "rigid" if rigid else "averaged"):
        raise BodyError(f"{where} is {'rigid' if rigid else 'averaging'}; omit kind, or use a node set instead")
    if len(coupling.nodes) == 0:
        raise BodyError(f"{where} contains no node of an element of the body")
    if not {1, 2, 3} <= set(coupling.dofs):
        raise BodyError(
            f"{where} couples components {', '.join(map(str, coupling.dofs))}; an interface needs all displacements "
            "(1, 2, 3): use a node set instead"
        )
    if len(np.unique(coupling.nodes)) < len(coupling.nodes):
        raise BodyError(f"{where} contains a node twice; use a node set instead")
    position = mesh.points[coupling.reference] if coupling.reference >= 0 else coupling.point
    if rigid and fem.dependence is not None:
        return _attach_reference(fem, coupling, where)
    nodes = np.asarray(coupling.nodes)
    found = _attach_nodes(fem, nodes, rigid, coupling.weights, position)
    mean = mesh.points[nodes].mean(axis=0)
    return replace(found, place=Place(found.position, "coupling", mean, found.position - found.arm))


def _attach_reference(fem, coupling: Coupling, where: str) -> Attachment:
    """The marker is the reference node of a rigid coupling, whose nodes follow it in the model."""
    nodes, reference = np.asarray(coupling.nodes), int(coupling.reference)
    fit = node_fit(fem.mesh.points, nodes[None], np.ones((1, len(nodes))), fem.mesh.points[reference][None], fem.turning_nodes)
    if not (fit.has_rotation[0] or fem.stiff[6 * reference + 3 : 6 * reference + 6].all()):
        raise BodyError(f"{where}: its nodes lie on one line, about which the marker could spin; add nodes")
    operator = sparse.csr_matrix((np.ones(6), (np.arange(6), 6 * reference + np.arange(6))), shape=(6, fem.ndof))
    at, mean = fem.mesh.points[reference], fem.mesh.points[nodes].mean(axis=0)
    place = Place(at, "coupling", mean, mean)
    return Attachment(np.array([reference]), at, np.zeros(3), operator, True, False, place=place)


def _attach_point(fem, interface: Interface) -> Attachment:
    point = np.asarray(interface.point, dtype=float)
    if point.shape != (3,) or not np.all(np.isfinite(point)):
        raise BodyError(f"point must be three finite coordinates in m, not {interface.point!r}")
    if interface.kind == "rigid":
        raise BodyError('a material point cannot be rigid; use kind="averaged"')
    operator = sparse.csr_matrix(fem.point_operator(point))
    return Attachment(np.empty(0, dtype=np.int64), point, np.zeros(3), operator, True, False)


def _attach_node(fem, interface: Interface) -> Attachment:
    ids = np.asarray(fem.mesh.node_ids)
    nodes = np.flatnonzero(ids == interface.node)[:1]
    if len(nodes) == 0:
        has = f"{fem.mesh.source or 'the mesh'} has no node {interface.node}"
        raise BodyError(f"{has}; its nodes are numbered {np.min(ids)} to {np.max(ids)}")
    return _attach_nodes(fem, nodes, interface.kind == "rigid")


def _check_rigid_sets_apart(attached: Mapping[str, Attachment]) -> None:
    rigid = [a for a in attached.values() if a.rigid]
    for i, first in enumerate(rigid):
        for second in rigid[:i]:
            shared = len(np.intersect1d(first.nodes, second.nodes))
            if shared:
                raise BodyError(
                    f"interfaces '{second.name}' and '{first.name}' are both rigid and share {shared} nodes; "
                    "make one of them averaged, or merge the two sets"
                )


def _check_independent(fem, attachment: Attachment) -> None:
    """BodyError if nodes of a rigid set already follow something else."""
    if fem.dependence is None:
        return
    following = fem.dependence.follower_rows(attachment.dofs(6))
    if following:
        dof, joint = next(iter(following.items()))
        nodes = np.unique(np.fromiter(following, int) // 6)
        raise BodyError(
            f"interface '{attachment.name}' is rigid, but {len(nodes)} of its nodes (node"
            f" {fem.mesh.node_ids[dof // 6]}) already follow {joint}; use the coupling as the interface"
            " (Interface(coupling=...)), or make the interface averaged"
        )


def refuse_overlap(mesh, interfaces: Mapping[str, str | Interface]) -> None:
    """BodyError if the nodes of two interfaces (a set and another set or a coupling) overlap.

    A load at one marker would move the other without physical reason. A single node may be part of a set (a contact
    point on a bearing face). Couplings that share nodes are combined as in the model of the file.
    """
    groups = {name: _nodes_named(mesh, given) for name, given in interfaces.items()}
    names = [name for name, nodes in groups.items() if len(nodes) > 1]
    of_file = {name for name in names if getattr(interfaces[name], "coupling", None) is not None}
    for i, second in enumerate(names):
        for first in names[:i]:
            if {first, second} <= of_file:
                continue
            shared = np.intersect1d(groups[first], groups[second])
            if len(shared):
                raise BodyError(
                    f"interfaces '{first}' and '{second}' overlap: they share {len(shared)} nodes (node "
                    f"{mesh.node_ids[shared[0]]}, ...); remove them from one of the two, or use one interface"
                )


def _nodes_named(mesh, given: str | Interface) -> np.ndarray:
    """Nodes of a set or of a coupling, each once; empty for an unknown name (which is rejected elsewhere)."""
    interface = given if isinstance(given, Interface) else Interface(set=given if isinstance(given, str) else None)
    named = {coupling.name: coupling.nodes for coupling in mesh.couplings if coupling.name == interface.coupling}
    return np.unique(np.asarray(mesh.node_sets.get(interface.set, named.get(interface.coupling, ())), dtype=np.int64))
