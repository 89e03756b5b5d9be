"""The finite element model of springs, dashpots and bushings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.fem.lines.line_elements import LineModel, line_model
from flexmbs.fem.lines.spring_elements import SPRING_KINDS, SpringElements, spring_elements
from flexmbs.fem.section_forces import SpringForces
from flexmbs.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class SpringModel(LineModel):
    """``FEModel`` of springs; their masses sit at their nodes.

    A bushing between nodes that are apart acts in the middle, on rigid arms from both nodes (as the CBUSH of Nastran
    does), so that rotation of the whole strains nothing.
    """

    elements: SpringElements

    @property
    def damping(self) -> sparse.csr_matrix | None:
        if not self.elements.damping.any():
            return None
        return self.elements.stiffness_matrix(len(self.mesh.points), self.elements.damping)

    @property
    def to_ground(self) -> tuple[str, ...]:
        """Names of the springs and dashpots that connect a node to ground."""
        e = self.elements
        holding = e.grounded & (e.stiffness.any(axis=1) | e.damping.any(axis=1))
        return tuple(name for name, held in zip(e.names, holding, strict=True) if held)

    def forces(self, fields: np.ndarray) -> np.ndarray:
        """(springs, 6, n) forces (N) and moments (N m) in each spring's axes, in the order of ``elements.names``.

        Positive where end 2 moves away from end 1; springs along their line have the first alone. ``fields`` (ndof, n).
        """
        return self.elements.stiffness[:, :, None] * (self.elements.strain @ self.elements.local(np.asarray(fields)))

    def spring_forces(self, displacement: np.ndarray) -> SpringForces:
        blocks = [np.asarray(block.ids) for block in self.mesh.blocks if block.kind in SPRING_KINDS]
        return SpringForces(np.concatenate(blocks), self.elements.names, self.forces(self._column(displacement))[..., 0])

    @property
    def not_rigid(self) -> tuple[str, ...]:
        """Names of springs between components of two nodes that a small rigid motion of the body strains."""
        return self.elements.resisting_rotation(self.mesh.points)

    def inertia_samples(self, modes, pairs, quadratic):
        """As ``FEModel.inertia_samples``: half of each mass at each of its nodes."""
        heavy = self.elements.mass > 0.0
        nodes = self.elements.nodes[heavy].ravel()
        W = sparse.diags(np.repeat(0.5 * self.elements.mass[heavy], 2), format="csr", shape=2 * (len(nodes),))
        return self.mesh.points[nodes], _at_nodes(modes, nodes), _at_nodes(quadratic, nodes), W


def assemble_springs(mesh: Mesh) -> SpringModel:
    """Matrices and masses of the springs of a mesh, over all its nodes with six freedoms each.

    Raises
    ------
    MeshError
        No springs, a spring without section, negative constants, a spring along its line without one.
    """
    elements = spring_elements(mesh)
    halves = np.tile([0.5, 0.5, 0.5, 0.0, 0.0, 0.0], 2)
    return line_model(SpringModel, mesh, elements, elements.mass[:, None, None] * np.diag(halves))


def _at_nodes(fields: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """(n, m, 3) displacements at nodes, of (ndof, n) fields."""
    return fields.reshape(len(fields) // 6, 6, fields.shape[1])[nodes, :3].transpose(2, 0, 1)
