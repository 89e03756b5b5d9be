"""Which nodes and faces of a mesh are in use, the outer faces, and which parts nothing joins or only a hinge.

Solids that one node or collinear nodes join to the rest rotate about them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from flexmbs.common.names_in_messages import few
from flexmbs.mesh.element_kinds import KINDS, faces_of, is_solid
from flexmbs.mesh.mesh import Coupling, ElementBlock, Mesh, MeshSurface


def nodes_in_use(mesh: Mesh) -> np.ndarray:
    """(nn,) bool: nodes of elements (of any kind), couplings, equations and point masses."""
    used = np.zeros(len(mesh.points), bool)
    for elements in (*mesh.blocks, *mesh.other_elements):
        used[elements.nodes[elements.nodes >= 0]] = True
    for coupling in mesh.couplings:
        used[coupling.reference] = True
        used[coupling.nodes] = True
    for equation in mesh.equations:
        used[equation.nodes] = True
    used[[point.node for point in mesh.point_masses]] = True
    return used


def bounding_box(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest coordinates of the nodes of elements, point masses and couplings, each (3,), m.

    Nodes that only give a direction (of a beam, of a coordinate system) do not count, unless there is nothing else.
    """
    used = nodes_in_use(mesh)
    points = mesh.points[used] if used.any() else mesh.points
    return points.min(axis=0), points.max(axis=0)


def without_unused_nodes(mesh: Mesh) -> Mesh:
    """The mesh without nodes that nothing uses (they would have no stiffness); sets lose them too."""
    used = nodes_in_use(mesh)
    if used.all():
        return mesh
    dropped = mesh.node_ids[~used]
    warning = f"{mesh.source}: {len(dropped)} nodes that belong to no element are left out ({few(dropped)})."
    return replace(with_nodes(mesh, used), warnings=(*mesh.warnings, warning))


def with_nodes(mesh: Mesh, kept: np.ndarray) -> Mesh:
    """The mesh with only the nodes of the mask ``kept`` (nn,) bool, and with what is left of all that names nodes.

    Every node of every block must be kept; other elements, equations and point masses that lose a node that they
    cannot do without are dropped. Couplings keep the place of a reference node that is left out.
    """
    index = np.where(kept, np.cumsum(kept) - 1, -1)

    def left(nodes: np.ndarray) -> np.ndarray:
        found = index[nodes]
        return found[found >= 0]

    def whole(nodes: np.ndarray) -> np.ndarray:
        return ((index[nodes] >= 0) | (nodes < 0)).all(axis=1)

    return replace(
        mesh,
        points=mesh.points[kept],
        node_ids=mesh.node_ids[kept],
        blocks=tuple(replace(block, nodes=index[block.nodes]) for block in mesh.blocks),
        node_sets={name: left(nodes) for name, nodes in mesh.node_sets.items()},
        surfaces={
            name: MeshSurface({kind: index[rows[whole(rows)]] for kind, rows in surface.faces.items()})
            for name, surface in mesh.surfaces.items()
        },
        couplings=tuple(_coupling(coupling, index, mesh.points) for coupling in mesh.couplings),
        equations=tuple(replace(e, nodes=index[e.nodes]) for e in mesh.equations if kept[e.nodes].all()),
        point_masses=tuple(replace(point, node=int(index[point.node])) for point in mesh.point_masses if kept[point.node]),
        boundary_conditions=tuple(replace(held, nodes=left(held.nodes)) for held in mesh.boundary_conditions),
        displacement_systems={name: left(nodes) for name, nodes in mesh.displacement_systems.items()},
        other_elements=tuple(
            replace(
                others,
                ids=others.ids[whole(others.nodes)],
                nodes=np.where(others.nodes < 0, -1, index[others.nodes])[whole(others.nodes)],
            )
            for others in mesh.other_elements
        ),
    )


def _coupling(coupling: Coupling, index: np.ndarray, points: np.ndarray) -> Coupling:
    nodes = index[coupling.nodes]
    weights = None if coupling.weights is None else coupling.weights[nodes >= 0]
    left = replace(coupling, nodes=nodes[nodes >= 0], weights=weights)
    if coupling.reference < 0:
        return left
    reference = int(index[coupling.reference])
    return replace(left, reference=reference, point=points[coupling.reference] if reference < 0 else None)


def outer_faces(mesh: Mesh) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Faces of solids that no other solid shares, and all shells: kind, (k, n) nodes, (k,) elements counted through the blocks."""
    solid, shells, start = [], [], 0
    for block in mesh.blocks:
        numbers = np.arange(start, start + len(block.ids))
        start += len(block.ids)
        dimension = KINDS[block.kind].dimension
        if dimension == 2:
            shells.append((block.kind, block.nodes, numbers))
        elif dimension == 3:
            solid += [(kind, block.nodes[:, local], numbers) for kind, local in faces_of(block.kind)]
    return _unshared(solid) + shells


def by_key(pairs: Iterable[tuple[Any, np.ndarray]]) -> dict[Any, np.ndarray]:
    """For each key of pairs (key, array) its arrays one behind another."""
    found: dict[Any, list[np.ndarray]] = {}
    for key, rows in pairs:
        found.setdefault(key, []).append(rows)
    return {key: np.concatenate(parts) for key, parts in found.items()}


def _unshared(faces: list[tuple[str, np.ndarray, np.ndarray]]) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Faces whose corners occur once; a face of first order beside one of second order is the same place."""
    rows, owners = (by_key((kind, nodes) for kind, nodes, _ in faces), by_key((kind, numbers) for kind, _, numbers in faces))
    outer = []
    for corners in (3, 4):
        same = [kind for kind in rows if KINDS[kind].corner_count == corners]
        if not same:
            continue
        keys = np.sort(np.concatenate([rows[kind][:, :corners] for kind in same]), axis=1)
        _, inverse, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        once = (counts == 1)[inverse.ravel()]
        for kind in same:
            alone, once = once[: len(rows[kind])], once[len(rows[kind]) :]
            outer.append((kind, rows[kind][alone], owners[kind][alone]))
    return outer


def ring(kind: str) -> list[int]:
    """Nodes of a face in the order in which its edge meets them, middles between their corners; none inside."""
    known = KINDS[kind]
    if not known.has_middle_nodes:
        return list(range(known.corner_count))
    return [node for i in range(known.corner_count) for node in (i, known.corner_count + i)]


_ON_A_LINE = 1e-6  # of the size of the mesh, off the line
MAX_NAMED = 3


def hinged_parts(mesh: Mesh) -> tuple[str, ...]:
    """One sentence for each part of solids, but the largest, that can turn against all to which it is joined.

    Solids have no rotations, so a part that shares only nodes on one line with others turns about that line.
    """
    blocks = [block for block in mesh.blocks if is_solid(block.kind) and len(block.nodes)]
    if not blocks:
        return ()
    part = _sharing_faces(blocks)
    if part.max() == 0:
        return ()
    part = _sharing_three_nodes(mesh, part, _members(blocks, part))
    members = _members(blocks, part)
    shared = _outside(mesh) | (np.bincount(members[:, 0], minlength=len(mesh.points)) > 1)
    sizes, ids = np.bincount(part), np.concatenate([block.ids for block in blocks])
    members = members[np.argsort(members[:, 1], kind="stable")]
    found = []
    for rows in np.split(members, np.flatnonzero(np.diff(members[:, 1])) + 1):
        nodes, number = rows[:, 0], int(rows[0, 1])
        joints = nodes[shared[nodes]]
        if number != sizes.argmax() and len(joints) and _on_a_line(mesh, joints):
            found.append(_sentence(mesh, ids[part == number], joints))
    more = len(found) - MAX_NAMED
    and_others = (f"{mesh.source}: {more} more parts are connected to the rest only by nodes on one line.",) if more > 0 else ()
    return (*found[:MAX_NAMED], *and_others)


def _sharing_faces(blocks: list[ElementBlock]) -> np.ndarray:
    """(ne,) number of the part of each element, where elements that share a face are in one part."""
    keys, owners, first = [], [], 0
    for block in blocks:
        numbers = first + np.arange(len(block.nodes))
        first += len(block.nodes)
        for face, local in faces_of(block.kind):
            corners = local[: KINDS[face].corner_count]
            keys.append(np.sort(block.nodes[:, corners], axis=1)[:, :3])  # three corners say which face it is
            owners.append(numbers)
    keys, owners = np.concatenate(keys), np.concatenate(owners)
    order = np.lexsort(keys.T[::-1])
    same = (keys[order[1:]] == keys[order[:-1]]).all(axis=1)
    pairs = owners[order[:-1]][same], owners[order[1:]][same]
    return linked(*pairs, first)


def _members(blocks: list[ElementBlock], part: np.ndarray) -> np.ndarray:
    """(k, 2) node and part of every node in every part, each once."""
    codes, first, count = [], 0, int(part.max()) + 1
    for block in blocks:
        own = part[first : first + len(block.nodes), None]
        codes.append(np.unique(block.nodes.astype(np.int64) * count + own))
        first += len(block.nodes)
    codes = np.unique(np.concatenate(codes))
    return np.column_stack([codes // count, codes % count])


def _sharing_three_nodes(mesh: Mesh, part: np.ndarray, members: np.ndarray) -> np.ndarray:
    """(ne,) parts again: one where they share nodes off a line, if no face (a brick beside two tetrahedra)."""
    by_pair: dict[tuple[int, int], list[int]] = {}
    in_several = np.bincount(members[:, 0], minlength=len(mesh.points))[members[:, 0]] > 1
    several = members[in_several]
    for rows in np.split(several, np.flatnonzero(np.diff(several[:, 0])) + 1):
        for i, one in enumerate(rows[:, 1]):
            for other in rows[:i, 1]:
                by_pair.setdefault((int(other), int(one)), []).append(int(rows[0, 0]))
    pairs = [pair for pair, nodes in by_pair.items() if not _on_a_line(mesh, np.array(nodes))]
    return linked(*np.array(pairs, int).reshape(-1, 2).T, int(part.max()) + 1)[part]


def linked(first: np.ndarray, other: np.ndarray, count: int) -> np.ndarray:
    """(count,) equal numbers of what pairs (k,), (k,) link, directly or through others."""
    from scipy.sparse import coo_matrix  # here: reading most meshes needs no SciPy
    from scipy.sparse.csgraph import connected_components

    links = coo_matrix((np.ones(len(first)), (first, other)), (count, count))
    return connected_components(links, directed=False)[1]


def _outside(mesh: Mesh) -> np.ndarray:
    """(nn,) bool: nodes of elements that are no solids, of couplings, equations and ties."""
    found = np.zeros(len(mesh.points), bool)
    for block in mesh.blocks:
        if not is_solid(block.kind):
            found[block.nodes] = True
    for group in joined_groups(mesh):
        found[group] = True
    return found


def _on_a_line(mesh: Mesh, nodes: np.ndarray) -> bool:
    points = mesh.points[nodes] - mesh.points[nodes].mean(axis=0)
    values = np.linalg.svd(points, compute_uv=False)
    return len(values) < 2 or values[1] <= _ON_A_LINE * np.linalg.norm(np.ptp(mesh.points, axis=0))


def _sentence(mesh: Mesh, ids: np.ndarray, joints: np.ndarray) -> str:
    line = f"nodes {few(mesh.node_ids[joints])}, which lie on one line," if len(joints) > 1 else ""
    elements = f"{len(ids)} solid elements (first: element {ids[0]})" if len(ids) > 1 else f"solid element {ids[0]}"
    return (
        f"{mesh.source}: {elements} are connected to the rest only by {line or f'node {mesh.node_ids[joints[0]]}'},"
        " about which they can rotate freely because nodes of solids have no rotation; connect whole faces, or"
        " couple more nodes."
    )


MAX_LISTED = 5


def part_labels(mesh: Mesh) -> np.ndarray:
    """(nn,) equal numbers of nodes in one part.

    An averaging coupling joins its nodes only where its reference node is on something.
    """
    blocks = [block for block in mesh.blocks if len(block.nodes)]
    first = [np.repeat(block.nodes[:, 0], block.nodes.shape[1]) for block in blocks]
    other = [block.nodes.ravel() for block in blocks]
    for group in joined_groups(mesh):
        first.append(np.full(len(group), group[0]))
        other.append(group)
    return linked(np.concatenate(first), np.concatenate(other), len(mesh.points))


def unconnected(mesh: Mesh) -> str:
    """What to say of a mesh that falls into several parts, the largest first; empty for one."""
    blocks, label = [block for block in mesh.blocks if len(block.nodes)], part_labels(mesh)
    on_elements = np.unique(np.concatenate([block.nodes.ravel() for block in blocks]))
    _, node, node_counts = np.unique(label[on_elements], return_index=True, return_counts=True)
    if len(node) < 2:
        return ""
    of_element = label[np.concatenate([block.nodes[:, 0] for block in blocks])]
    _, element, element_counts = np.unique(of_element, return_index=True, return_counts=True)
    node, element = mesh.node_ids[on_elements[node]], np.concatenate([block.ids for block in blocks])[element]
    listed = ", ".join(
        f"node {node[i]} in one of {node_counts[i]} nodes (element {element[i]} and {element_counts[i] - 1} more)"
        for i in np.argsort(-node_counts, kind="stable")[:MAX_LISTED]
    )
    return (
        f"{mesh.source}: the mesh falls into {len(node)} unconnected parts (for example {listed}); merge coincident"
        " nodes, connect the parts with a coupling or a tie, or make each part a body of its own"
    )


def joined_groups(mesh: Mesh) -> list[np.ndarray]:
    """Groups of nodes that something other than elements joins: couplings, equations, ties."""
    carrying = np.zeros(len(mesh.points), bool)
    for block in mesh.blocks:
        carrying[block.nodes] = True
    carrying[[point.node for point in mesh.point_masses]] = True
    rigid = [c for c in mesh.couplings if c.kind == "rigid" and len(c.nodes) and c.reference >= 0]
    for coupling in rigid:
        carrying[coupling.reference] = True
    groups = [np.append(c.nodes, c.reference) for c in rigid]
    groups += [
        np.append(c.nodes, c.reference)
        for c in mesh.couplings
        if c.kind == "average" and len(c.nodes) and c.reference >= 0 and carrying[c.reference]
    ]
    groups += [np.asarray(equation.nodes) for equation in mesh.equations if len(equation.nodes)]
    groups += [np.concatenate([_surface(mesh, tie.first), _surface(mesh, tie.second)]) for tie in mesh.ties]
    return [group for group in groups if len(group)]


def _surface(mesh: Mesh, name: str) -> np.ndarray:
    if name in mesh.surfaces:
        return mesh.surfaces[name].nodes
    return np.asarray(mesh.node_sets.get(name, np.empty(0, int)))
