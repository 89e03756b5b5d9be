"""Content of meshes that no model supports: rejected by name, because ignoring it would give wrong results."""

from __future__ import annotations

from flexmbs.common.errors import MeshError
from flexmbs.fem.shells.registry import SHELL_KINDS
from flexmbs.fem.solids.solid_shape_functions import SOLID_KINDS
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import AnyMaterial, Material, OrthotropicMaterial, ShellSection, UnusableMaterial


def refuse_uncomputed(mesh: Mesh) -> None:
    """MeshError that names content of ``mesh`` which would change the body but is not supported."""
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
    if isinstance(section, ShellSection) and section.behaviour not in ("shell", "membrane"):
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
