"""From a mesh to a finite element model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.errors import MeshError
from flexmbs.fem.beam_model import assemble_beams
from flexmbs.fem.model import FEModel
from flexmbs.fem.shell_elements import SHELL_KINDS
from flexmbs.fem.shell_model import assemble_shells
from flexmbs.fem.solid_elements import SolidOptions
from flexmbs.fem.solid_model import assemble_solids
from flexmbs.fem.solid_shapes import SOLID_KINDS
from flexmbs.fem.uncomputed import refuse_uncomputed
from flexmbs.mesh.materials import Material
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.node_use import with_nodes
from flexmbs.mesh.properties import ShellSection

BEAM_THEORIES = ("timoshenko", "euler-bernoulli")


def assemble(
    mesh: Mesh,
    beam_theory: str = "timoshenko",
    rotary_inertia: bool = True,
    *,
    hex8: str = "incompatible",
    hex20: str = "full",
) -> FEModel:
    """Consistent mass, stiffness and second-order operators of a mesh of beams, of solids or of shells.

    Parameters
    ----------
    mesh : Mesh
        All blocks beams ("beam2"), all solids (``SOLID_KINDS``) or all shells (``SHELL_KINDS``), with material and
        density.
    beam_theory : "timoshenko" (shear-flexible) or "euler-bernoulli"; ignored for solids
    rotary_inertia : bool
        False: beams have line mass only, neither rotary nor torsional inertia; ignored for solids.
    hex8 : "incompatible" (internal modes: bends right with one element through the thickness) or "plain"
    hex20 : "full" (3x3x3 points for the stiffness) or "reduced" (2x2x2: softer in coarse meshes, but a row of
        single elements, clamped or not, has motions without stiffness: use it with two elements across at least)

    Raises
    ------
    MeshError
        No elements, a mixture of beams, solids and shells, an unknown element kind, missing material, density or
        section (shells: thickness), elements of zero or negative size, an elasticity that is not positive definite.
    ValueError
        Unknown ``beam_theory``, ``hex8`` or ``hex20``.
    """
    options = SolidOptions(hex8, hex20)
    if beam_theory not in BEAM_THEORIES:
        raise ValueError(f"beam_theory is {beam_theory!r}; it must be one of {', '.join(BEAM_THEORIES)}")
    kinds = sorted({block.kind for block in mesh.blocks})
    if not any(len(block.nodes) for block in mesh.blocks):
        raise MeshError(f"{mesh.source or 'mesh'}: there are no elements to assemble")
    unknown = [kind for kind in kinds if kind not in ("beam2", *SOLID_KINDS, *SHELL_KINDS)]
    if unknown:
        raise MeshError(
            f"{mesh.source or 'mesh'}: elements of kind {', '.join(unknown)} cannot be computed with; "
            f"bodies are made of beam2, {', '.join((*SHELL_KINDS, *SOLID_KINDS))}"
        )
    refuse_uncomputed(mesh)
    for block in mesh.blocks:
        _require_material(block, mesh.source)
    mesh = _without_unused_nodes(mesh)
    if kinds == ["beam2"]:
        return assemble_beams(mesh, beam_theory, rotary_inertia)
    families = {"beam2": "beams"} | dict.fromkeys(SHELL_KINDS, "shells") | dict.fromkeys(SOLID_KINDS, "solids")
    mixed = sorted({families[kind] for kind in kinds})
    if len(mixed) > 1:
        raise MeshError(
            f"{mesh.source or 'mesh'}: {' and '.join(mixed)} in one body cannot be assembled together; make two bodies"
        )
    return assemble_shells(mesh) if mixed == ["shells"] else assemble_solids(mesh, options)


def _without_unused_nodes(mesh: Mesh) -> Mesh:
    """The mesh without nodes that no element uses (they would make the stiffness matrix singular)."""
    used = np.zeros(len(mesh.points), bool)
    for block in mesh.blocks:
        used[block.nodes] = True
    return mesh if used.all() else with_nodes(mesh, used)


def _require_material(block: ElementBlock, source: str) -> None:
    where = f"{source or 'mesh'}: {block.kind} elements {block.ids[:3].tolist()}..."
    if isinstance(block.section, ShellSection) and block.section.layers:
        for layer in block.section.layers:
            _require_material(replace(block, material=layer.material, section=None), source)
        return
    if block.material is None:
        raise MeshError(f"{where} have no material; give Young's modulus (Pa), Poisson's ratio and density (kg/m3)")
    material = block.material
    if material.density is None or not material.density > 0.0:
        raise MeshError(
            f"{where}: material {material.name!r} has density {material.density}; give a positive one in kg/m3"
        )
    if not isinstance(material, Material):
        return  # checked where its stiffness matrix is made
    if not material.youngs_modulus > 0.0:
        raise MeshError(
            f"{where}: material {material.name!r} has Young's modulus {material.youngs_modulus} Pa, not above 0"
        )
    if not -1.0 < material.poisson_ratio < 0.5:
        raise MeshError(
            f"{where}: material {material.name!r} has Poisson's ratio {material.poisson_ratio}, not between -1 and 0.5"
        )
