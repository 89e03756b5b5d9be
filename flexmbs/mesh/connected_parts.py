"""Into which parts a mesh falls: elements that neither share nodes nor are joined by couplings, equations or ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.mesh.mesh import Mesh

_NAMED_AT_MOST = 5


@dataclass(frozen=True)
class MeshPart:
    """One part: its number of nodes and of elements, and one of each by the file's numbers."""

    node_count: int
    element_count: int
    node: int
    element: int

    def __str__(self) -> str:
        elements = f"element {self.element} and {self.element_count - 1} more"
        return f"node {self.node} in one of {self.node_count} nodes ({elements})"


def parts_of(mesh: Mesh) -> list[MeshPart]:
    """The parts of a mesh, largest first.

    An averaging coupling joins its nodes only where its reference node is on something.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    blocks = [block for block in mesh.blocks if len(block.nodes)]
    first = [np.repeat(block.nodes[:, 0], block.nodes.shape[1]) for block in blocks]
    other = [block.nodes.ravel() for block in blocks]
    for group in joined_groups(mesh):
        first.append(np.full(len(group), group[0]))
        other.append(group)
    first, other = np.concatenate(first), np.concatenate(other)
    links = coo_matrix((np.ones(len(first)), (first, other)), (len(mesh.points),) * 2)
    _, label = connected_components(links, directed=False)
    on_elements = np.unique(np.concatenate([block.nodes.ravel() for block in blocks]))
    _, examples, nodes = np.unique(label[on_elements], return_index=True, return_counts=True)
    of_element = label[np.concatenate([block.nodes[:, 0] for block in blocks])]
    _, element, elements = np.unique(of_element, return_index=True, return_counts=True)
    ids = np.concatenate([block.ids for block in blocks])
    named = zip(nodes, elements, mesh.node_ids[on_elements[examples]], ids[element], strict=True)
    return sorted((MeshPart(*map(int, part)) for part in named), key=lambda part: -part.node_count)


def unconnected(mesh: Mesh) -> str:
    """What to say of a mesh that falls into several parts; empty for one."""
    parts = parts_of(mesh)
    if len(parts) < 2:
        return ""
    listed = ", ".join(map(str, parts[:_NAMED_AT_MOST]))
    return (
        f"{mesh.source}: the mesh falls into {len(parts)} unconnected parts (for example {listed}); merge coincident"
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
