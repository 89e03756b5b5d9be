"""Which nodes of a mesh are in use, and the mesh without the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.common.names_in_messages import few
from flexmbs.mesh.couplings import Coupling
from flexmbs.mesh.mesh import Mesh, MeshSurface


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
