"""Mass and stiffness of the elements whose material states damping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.embedding import six_a_node
from flexmbs.fem.fe_model import FEModel
from flexmbs.fem.lines.beam_model import BeamModel, assemble_beams
from flexmbs.fem.lines.truss_model import TrussModel, assemble_trusses
from flexmbs.fem.mixed_model import MixedModel
from flexmbs.fem.shells.shell_model import ShellModel, assemble_shells
from flexmbs.fem.solids.solid_model import SolidModel, solid_matrices
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

    Raises
    ------
    BodyError
        Layers of one shell whose materials differ in damping.
    """
    return [
        DampedPart(damping, *_matrices(part, damping, fem.dofs_per_node))
        for part in (fem.parts if isinstance(fem, MixedModel) else (fem,))
        if type(part) in _REMAKE  # springs have dashpots of their own, point masses none
        for damping in dict.fromkeys(_damping(block) for block in part.mesh.blocks)
        if damping is not None
    ]


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


def _matrices(part: FEModel, damping: Damping, dofs_per_node: int) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    if all(_damping(block) == damping for block in part.mesh.blocks):
        M, K = part.M, part.K
    else:
        M, K = _REMAKE[type(part)](part, lambda block: _damping(block) == damping)
    return (M, K) if part.dofs_per_node == dofs_per_node else (six_a_node(M.tocsr()), six_a_node(K.tocsr()))


def _of_solids(part: SolidModel, chosen: Callable[[ElementBlock], bool]):
    groups = [group for group in part.groups if chosen(part.mesh.blocks[group.region])]
    scalar_mass, K = solid_matrices(part.mesh, groups)
    return sparse.kron(scalar_mass, sparse.eye(3), format="csr"), K


def _reassembled(assemble: Callable[[FEModel, object], FEModel]):
    def matrices(part: FEModel, chosen: Callable[[ElementBlock], bool]):
        mesh = replace(part.mesh, blocks=tuple(block for block in part.mesh.blocks if chosen(block)))
        made = assemble(part, mesh)
        return made.M, made.K

    return matrices


_REMAKE = {
    SolidModel: _of_solids,
    ShellModel: _reassembled(lambda part, mesh: assemble_shells(mesh)),
    BeamModel: _reassembled(lambda part, mesh: assemble_beams(mesh, part.beam_theory, part.rotary_inertia)),
    TrussModel: _reassembled(lambda part, mesh: assemble_trusses(mesh)),
}
