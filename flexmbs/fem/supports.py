"""Which components of a model are held: by node sets, or as the boundary conditions of the file say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmbs.errors import MeshError
from flexmbs.fem.model import FEModel
from flexmbs.mesh.operations import nodes_of


def held_components(model: FEModel, sets: Sequence[str] | None = None) -> np.ndarray:
    """(ndof,) bool.

    Parameters
    ----------
    sets : names of node sets whose nodes are held in all components; an empty sequence holds nothing; None: the
        boundary conditions of the mesh

    Raises
    ------
    MeshError
        A set is not there or empty; a boundary condition holds components of a local coordinate system.
    """
    held = np.zeros((len(model.mesh.points), model.dofs_per_node), bool)
    if sets is not None:
        for name in sets:
            held[nodes_of(model.mesh, name)] = True
        return held.ravel()
    turned = {int(node): name for name, nodes in model.mesh.displacement_systems.items() for node in nodes}
    for condition in model.mesh.boundary_conditions:
        dofs = [dof - 1 for dof in condition.dofs if dof <= model.dofs_per_node]
        local = [int(node) for node in condition.nodes if int(node) in turned]
        if local and len({dof for dof in dofs if dof < 3}) not in (0, 3):
            raise MeshError(
                f"{condition.where or model.mesh.source}: {condition.name} holds single components of coordinate system"
                f" {turned[local[0]]}, which cannot be computed; name the sets to hold (--fix SET)."
            )
        held[np.ix_(condition.nodes, dofs)] = True
    return held.ravel()
