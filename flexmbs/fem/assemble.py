"""From a mesh to a finite element model."""

from __future__ import annotations

from dataclasses import replace

from flexmbs.common.errors import BodyWarning, MeshError
from flexmbs.common.progress import on_progress, stage
from flexmbs.common.user_warnings import warn
from flexmbs.fem.beams.beams import beams
from flexmbs.fem.beams.expansion import expanded
from flexmbs.fem.fe_model import FEModel, joined_model, single_model
from flexmbs.fem.mpc.multipoint_constraints import element_nodes, families, family_of, is_joined, with_joined_nodes
from flexmbs.fem.point_masses import point_masses
from flexmbs.fem.shear_panels import shear_panels
from flexmbs.fem.shells.shells import shells
from flexmbs.fem.shells.strains import SHELL_KINDS
from flexmbs.fem.solids.elements import SolidOptions
from flexmbs.fem.solids.kinds import SOLID_KINDS
from flexmbs.fem.solids.solids import solids
from flexmbs.fem.solvers.memory import memory_errors_named
from flexmbs.fem.springs import SPRING_KINDS, springs
from flexmbs.fem.trusses import TRUSS_KINDS, trusses
from flexmbs.mesh.connectivity import with_nodes
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import AnyMaterial, Material, OrthotropicMaterial, ShellSection, UnusableMaterial

BEAM_THEORIES = ("timoshenko", "euler-bernoulli")
_BEAM_KINDS = tuple(kind for kind, known in KINDS.items() if known.is_beam)
COMPUTED_KINDS = (*_BEAM_KINDS, *TRUSS_KINDS, *SPRING_KINDS, *SHELL_KINDS, *SOLID_KINDS)


@on_progress()
@memory_errors_named("assembling the matrices")
def assemble(
    mesh: Mesh, beam_theory: str = "timoshenko", rotary_inertia: bool = True, *, hex8: str = "incompatible", hex20: str = "file"
) -> FEModel:
    """Consistent mass, stiffness and second-order operators of a mesh.

    Solids, shells, shear panels, beams, trusses, springs and point masses, joined at common nodes and by rigid and averaging
    couplings, equations and ties.

    Parameters
    ----------
    mesh : Mesh
        Every block but springs with material and density.
    beam_theory : "timoshenko" (shear-flexible) or "euler-bernoulli"; ignored for solids
    rotary_inertia : bool
        False: beams have line mass only, neither rotary nor torsional inertia; ignored for solids.
    hex8 : "incompatible" (internal modes: bends right with one element through the thickness) or "plain"
    hex20 : "full" (3x3x3 points for the stiffness), "reduced" (2x2x2: softer in coarse meshes, but a row of single
        elements, clamped or not, has motions without stiffness: use it with two elements across at least) or "file":
        reduced where the file asks for it (C3D20R of Abaqus), but not in rows of single elements

    Raises
    ------
    MeshError
        No elements, an unknown element kind, missing material, density or section (shells: thickness), elements of
        zero or negative size, an elasticity that is not positive definite; couplings, equations and ties that
        contradict each other.
    ValueError
        Unknown ``beam_theory``, ``hex8`` or ``hex20``.

    Warns
    -----
    BodyWarning
        What the model leaves out or finds doubtful in its couplings, equations and ties (``FEModel.mesh.warnings``).
    """
    told = mesh.warnings
    stage(f"assembling ({len(mesh.points):,} nodes)", long=len(mesh.points) > 20_000)
    options = SolidOptions(hex8, hex20)
    if beam_theory not in BEAM_THEORIES:
        raise ValueError(f"beam_theory is {beam_theory!r}; it must be one of {', '.join(BEAM_THEORIES)}")
    if not any(len(block.nodes) for block in mesh.blocks):
        raise MeshError(f"{mesh.source or 'mesh'}: there are no elements to assemble")
    unknown = sorted({block.kind for block in mesh.blocks} - set(COMPUTED_KINDS))
    if unknown:
        raise MeshError(
            f"{mesh.source or 'mesh'}: elements of kind {', '.join(unknown)} are not supported; supported are"
            f" {', '.join(COMPUTED_KINDS)}"
        )
    _refuse_uncomputed(mesh)
    for block in mesh.blocks:
        if len(block.nodes) and block.kind not in SPRING_KINDS:
            _require_material(block, mesh.source)
    _require_mass(mesh)
    mesh = expanded(mesh)
    found = families(mesh)
    makers = {
        "solid": lambda part: solids(part, options),
        "shell": shells,
        "shear panel": shear_panels,
        "beam": lambda part: beams(part, beam_theory, rotary_inertia),
        "truss": trusses,
        "spring": springs,
    }
    # nodes of membranes have no rotations, which a plain model of shells does not know
    membranes = any(getattr(block.section, "behaviour", "") == "membrane" for block in mesh.blocks)
    alone = len(found) == 1 and found <= {"solid", "shell", "beam"} and not (is_joined(mesh) or membranes)
    mesh = _without_unused_nodes(mesh) if alone else with_joined_nodes(mesh)
    parts = [maker(_of_family(mesh, family)) for family, maker in makers.items() if family in found]
    if alone:
        model = single_model(parts[0])
    else:
        model = joined_model(mesh, [*parts, *([point_masses(mesh)] if mesh.point_masses else [])])
    warn(model.mesh.warnings, BodyWarning, known=told)
    return model


def _of_family(mesh: Mesh, family: str) -> Mesh:
    """The mesh with only the blocks of one family, over all points."""
    return replace(mesh, blocks=tuple(block for block in mesh.blocks if len(block.nodes) and family_of(block) == family))


def _without_unused_nodes(mesh: Mesh) -> Mesh:
    """The mesh without nodes that no element uses (they would make the stiffness matrix singular)."""
    used = element_nodes(mesh)
    return mesh if used.all() else with_nodes(mesh, used)


def _require_mass(mesh: Mesh) -> None:
    """Elements may be without mass, but not all of the body."""
    for block in mesh.blocks:
        layers = block.section.layers if isinstance(block.section, ShellSection) else ()
        materials = [layer.material for layer in layers] or [block.material]
        if any(material is not None and (material.density or 0.0) > 0.0 for material in materials):
            return
        if getattr(block.section, "nonstructural_mass", 0.0) > 0.0 or getattr(block.section, "mass", 0.0) > 0.0:
            return
    if not mesh.point_masses:
        name = next((block.material.name for block in mesh.blocks if block.material is not None), None)
        reason = f"material {name!r} has density 0.0; give a positive one in kg/m3"
        if name is None:
            kinds = ", ".join(dict.fromkeys(block.kind for block in mesh.blocks))
            reason = f"{kinds} elements have none; add solids, shells, beams or point masses"
        raise MeshError(f"{mesh.source or 'mesh'}: the body has no mass: {reason}")


def _require_material(block: ElementBlock, source: str) -> None:
    where = f"{source or 'mesh'}: {block.kind} elements {block.ids[:3].tolist()}..."
    if isinstance(block.section, ShellSection) and block.section.layers:
        for layer in block.section.layers:
            _require_material(replace(block, material=layer.material, section=None), source)
        return
    if block.material is None:
        raise MeshError(f"{where} have no material; give Young's modulus (Pa), Poisson's ratio and density (kg/m3)")
    material = block.material
    if material.density is None or not material.density >= 0.0:
        raise MeshError(
            f"{where}: material {material.name!r} has density {material.density}; give a positive one in kg/m3 (0 for"
            " elements without mass)"
        )
    if not isinstance(material, Material):
        return  # checked where its stiffness matrix is made
    if not material.youngs_modulus > 0.0:
        raise MeshError(
            f"{where}: material {material.name!r} has Young's modulus {material.youngs_modulus} Pa; it must be positive"
        )
    # beams and bars only use the shear modulus that it stands for; files that give E and G may leave the range
    highest = 0.5 if block.kind in SOLID_KINDS else 1.0 if block.kind in SHELL_KINDS else float("inf")
    if not -1.0 < material.poisson_ratio < highest:
        raise MeshError(
            f"{where}: material {material.name!r} has Poisson's ratio {material.poisson_ratio}; it must lie between"
            f" -1 and {highest:g}"
        )


def _refuse_uncomputed(mesh: Mesh) -> None:
    """MeshError that names content of ``mesh`` which is not supported: ignored, it would give wrong results."""
    source = mesh.source or "mesh"
    for block in mesh.blocks:
        what = _uncomputed_in(block)
        if what:
            raise MeshError(f"{block.where or source}: {block.kind} elements with {what} are not supported")


def _uncomputed_in(block: ElementBlock) -> str:
    """What in a block is not supported, as text; empty if everything is."""
    section = block.section
    layers = section.layers if isinstance(section, ShellSection) else ()
    for material in [layer.material for layer in layers] or [block.material]:
        what = _uncomputed_material(block.kind, material)
        if what:
            return what
    if isinstance(section, ShellSection) and section.behaviour not in ("shell", "membrane", "shear"):
        return f"{section.behaviour} behaviour in place of a shell's"
    return ""


def _uncomputed_material(kind: str, material: AnyMaterial | None) -> str:
    if material is None or isinstance(material, Material):
        return ""
    if isinstance(material, UnusableMaterial):
        return f"material {material.name} ({material.reason})"
    if kind in SHELL_KINDS:
        return ""  # checked where the wall is made
    if kind not in SOLID_KINDS:
        return f"material {material.name}, which is not isotropic,"
    if isinstance(material, OrthotropicMaterial) and None in (material.E3, material.nu13, material.nu23):
        return f"material {material.name}, which is stated for plane stress (it lacks E3, nu13 or nu23),"
    return ""
