"""Mass and stiffness of the elements whose material states damping."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.fe_model import FEModel
from flexmbs.mesh.mesh import ElementBlock
from flexmbs.mesh.properties import Damping, ShellSection


@dataclass(frozen=True, eq=False)
class DampedPart:
    """M (kg) and K (N/m), (ndof, ndof), of the elements whose materials have ``damping``."""

    damping: Damping
    M: sparse.csr_matrix
    K: sparse.csr_matrix


def damped_parts(fem: FEModel) -> list[DampedPart]:
    """One part for each kind of elements and each damping of their materials; empty when no material states any.

    Springs have dashpots of their own, point masses none.

    Raises
    ------
    BodyError
        Layers of one shell whose materials differ in damping.
    """
    parts = []
    for family in fem.families:
        stated = [_damping(block) for block in family.mesh.blocks]
        for damping in dict.fromkeys(stated):
            if damping is not None:
                chosen = np.array([other == damping for other in stated])
                M, K = (family.M, family.K) if chosen.all() else family.matrices_of(chosen)
                parts.append(DampedPart(damping, fem.widened(family, M), fem.widened(family, K)))
    return parts


def _damping(block: ElementBlock) -> Damping | None:
    if not (isinstance(block.section, ShellSection) and block.section.layers):
        return getattr(block.material, "damping", None)
    found = dict.fromkeys(getattr(layer.material, "damping", None) for layer in block.section.layers)
    if len(found) > 1:
        raise BodyError(
            f"{block.where or block.property_name}: the layers of a shell have different damping; give all layers"
            " the same damping, or give modal damping ratios"
        )
    return next(iter(found))
