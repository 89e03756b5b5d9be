"""The directions of the displacement components of nodes."""

from __future__ import annotations

import numpy as np

from flexmbs.mesh.mesh import Mesh


def nodal_axes(mesh: Mesh) -> dict[int, np.ndarray]:
    """Node index -> (3, 3), columns are its displacement directions in mesh axes; nodes not listed have the mesh's."""
    found: dict[int, np.ndarray] = {}
    for name, nodes in mesh.displacement_systems.items():
        nodes = np.asarray(nodes, dtype=int)
        if len(nodes) and name in mesh.coordinate_systems:
            found.update(zip(nodes.tolist(), mesh.coordinate_systems[name].directions(mesh.points[nodes]), strict=True))
    return found


def component_direction(axes: dict[int, np.ndarray], node: int, component: int) -> np.ndarray:
    """(3,) direction in mesh axes of component 1 to 6 (4 to 6: of rotation) of a node."""
    turned = axes.get(int(node))
    return np.eye(3)[(component - 1) % 3] if turned is None else turned[:, (component - 1) % 3]
