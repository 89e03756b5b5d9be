"""Operations that take a mesh and return a new one (other material, thickness, sections), and questions asked of a mesh."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError, MeshWarning
from flexmbs.common.names_in_messages import names_arguments, near_names
from flexmbs.common.user_warnings import warn
from flexmbs.mesh.connectivity import bounding_box
from flexmbs.mesh.element_kinds import KINDS, is_shell
from flexmbs.mesh.material_units import doubt_about_si
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import AnyMaterial, BeamSection, Material, ShellSection, TrussSection
from flexmbs.mesh.sections.beam_sections import circle, pipe, rectangle


def scaled(mesh: Mesh, factors: float | Sequence[float]) -> Mesh:
    """The mesh with x, y, z multiplied by positive factors (one number: all three); beam sections stay as they are."""
    factors = np.broadcast_to(np.asarray(factors, float), (3,))
    if not (np.all(np.isfinite(factors)) and np.all(factors > 0.0)):
        raise MeshError(f"scaled: the factors must be positive finite numbers, got {factors.tolist()}.")
    return replace(mesh, points=mesh.points * factors)


@names_arguments(MeshError)
def with_material(
    mesh: Mesh,
    material: Material | None = None,
    *,
    youngs_modulus: float | None = None,
    poisson_ratio: float | None = None,
    density: float | None = None,
) -> Mesh:
    """The mesh with another material, or with single values (Pa, -, kg/m3) of its materials replaced.

    Raises MeshError when a value is not physical, or when a block has no material and E and nu are not both given.
    """
    given = {"youngs_modulus": youngs_modulus, "poisson_ratio": poisson_ratio, "density": density}
    given = {name: float(value) for name, value in given.items() if value is not None}
    changed: dict[AnyMaterial | None, AnyMaterial] = {}
    for block in mesh.blocks:
        if block.material not in changed:
            changed[block.material] = _changed_material(material or block.material, given)
    blocks = tuple(replace(block, material=changed[block.material]) for block in mesh.blocks)
    used = {material.name: material for material in changed.values()}
    for one in used.values() if material is not None or given.keys() & {"youngs_modulus", "density"} else ():
        doubt = doubt_about_si(one.youngs_modulus, one.density or 0.0) if isinstance(one, Material) else None
        if doubt:
            numbers = f"E = {one.youngs_modulus:g} and density = {one.density:g}"
            text = f"with_material: {one.name}: {numbers} {doubt}; they are taken as Pa and kg/m3, whatever the units of the file"
            warn(text, MeshWarning)
    return replace(mesh, blocks=blocks, materials={**mesh.materials, **used})


def _changed_material(base: AnyMaterial | None, given: dict[str, float]) -> AnyMaterial:
    if base is not None and not isinstance(base, Material) and set(given) <= {"density"}:
        if given and not 0.0 < given["density"] < np.inf:
            raise MeshError(f"material {base.name}: density = {given['density']:g} kg/m3 must be positive.")
        return replace(base, **given)
    if base is None or not isinstance(base, Material):
        if "youngs_modulus" not in given or "poisson_ratio" not in given:
            raise MeshError(
                "with_material: the mesh has elements without isotropic material; give youngs_modulus (Pa) and"
                " poisson_ratio (and density, kg/m3), or a whole Material."
            )
        name, density = ("MATERIAL", None) if base is None else (base.name, base.density)
        base = Material(name, given["youngs_modulus"], given["poisson_ratio"], density)
    material = replace(base, **given)
    density = 1.0 if material.density is None else material.density
    physical = 0.0 < material.youngs_modulus < np.inf and -1.0 < material.poisson_ratio < 0.5 and 0.0 < density < np.inf
    if not physical:
        raise MeshError(
            f"material {material.name}: E = {material.youngs_modulus:g} Pa, nu = {material.poisson_ratio:g}, density"
            f" = {density:g} kg/m3; E > 0, -1 < nu < 0.5 and density > 0 are required."
        )
    return material


def nodes_of(mesh: Mesh, name: str) -> np.ndarray:
    """Indices into ``mesh.points`` of a node set; upper and lower case do not count unless two sets differ in it.

    Raises MeshError for an unknown set (suggesting the nearest name) and for an empty one.
    """
    found = mesh.node_sets.get(name)
    if found is None:
        same = [known for known in mesh.node_sets if known.upper() == str(name).upper()]
        if len(same) != 1:
            raise MeshError(f"{mesh.source}: no node set {name}. {near_names(str(name), mesh.node_sets)}")
        found = mesh.node_sets[same[0]]
    if len(found) == 0:
        raise MeshError(f"{mesh.source}: the node set {name} is empty; it must have at least one node that an element uses.")
    return found


_ALONG = 1e-3  # sine of the angle below which a beam lies along the direction that should be across it
# What a text can say: the name, what it needs (m, m2), and the section made of it.
_SHAPES: dict[str, tuple[tuple[str, ...], Callable[..., BeamSection | TrussSection]]] = {
    "rect": (("width along y", "width along z"), rectangle),
    "circle": (("radius",), circle),
    "pipe": (("outer radius", "wall thickness"), pipe),
    "area": (("area of trusses",), lambda area: TrussSection(area)),
}
_WITH_SECTIONS = ("Abaqus/CalculiX", "Nastran", "Ansys")  # formats that tell beams from trusses
FORMS = "rect:WIDTH_Y,WIDTH_Z, circle:RADIUS or pipe:RADIUS,WALL for beams (m), area:A for trusses (m2)"


def with_thickness(mesh: Mesh, thickness: float) -> Mesh:
    """The mesh with one thickness (m) for all its shells, in place of any that they have.

    Raises
    ------
    MeshError
        The mesh has no shells, some of them have layers, or the thickness is not positive or as large as the mesh.
    """
    shells = [block for block in mesh.blocks if is_shell(block.kind)]
    if not shells:
        raise MeshError(f"{mesh.source}: the mesh has no shell elements that could take a thickness; it has {_held(mesh)}.")
    _check_lengths(mesh, f"a shell thickness of {thickness:g} m", thickness)
    return replace(mesh, blocks=tuple(_thick(mesh, block, float(thickness)) for block in mesh.blocks))


def with_rectangular_section(mesh: Mesh, *, width_y: float | None = None, width_z: float | None = None) -> Mesh:
    """The mesh with rectangular sections of the given widths (m) along local y and z on all its beams.

    A width that is None keeps the extent of the section's outline. Raises MeshError when there are no beams.
    """
    if not any(KINDS[block.kind].is_beam for block in mesh.blocks):
        raise MeshError(f"{mesh.source}: the mesh has no beam elements whose section could change; use scaled() for a solid.")
    blocks = []
    for block in mesh.blocks:
        if KINDS[block.kind].is_beam:
            y, z, axis = width_y, width_z, (0.0, 1.0, 0.0)
            if block.section is not None:
                extent, axis = np.ptp(block.section.outline, axis=0), block.section.y_axis
                y, z = extent[0] if y is None else y, extent[1] if z is None else z
            if y is None or z is None:
                raise MeshError(f"{mesh.source}: the beams have no section; give both width_y and width_z (m).")
            block = replace(block, section=rectangle(y, z, axis))
        blocks.append(block)
    return replace(mesh, blocks=tuple(blocks))


def with_section(mesh: Mesh, section: BeamSection | TrussSection | str) -> Mesh:
    """The mesh with one section for all its beams, or for all its trusses, in place of any that they have.

    Parameters
    ----------
    section : BeamSection, TrussSection, or text
        "rect:0.02,0.01" (widths along local y and z), "circle:0.01" (radius), "pipe:0.02,0.002" (outer radius, wall),
        all in m; "area:1e-4" (m2) for trusses, which lines without a section become where a file can only say that they
        are lines (Gmsh, UNV, ...). Local y is the section's ``y_axis`` (of a text: the mesh's y), made
        perpendicular to each beam, unless the file gives the beams their own; beams along it have the mesh's x.

    Raises
    ------
    MeshError
        The text is no section, the mesh has no beams (trusses), or the section is as large as the mesh.
    """
    section = section_from_text(section) if isinstance(section, str) else section
    is_truss = isinstance(section, TrussSection)
    if is_truss and not any(_takes(block, is_truss) for block in mesh.blocks):
        mesh = replace(mesh, blocks=tuple(_line_as_truss(mesh, block) for block in mesh.blocks))
    chosen = [block for block in mesh.blocks if _takes(block, is_truss)]
    if not chosen:
        what = "truss" if is_truss else "beam"
        raise MeshError(f"{mesh.source}: the mesh has no {what} elements that could take a section; it has {_held(mesh)}.")
    size = math.sqrt(section.area) if isinstance(section, TrussSection) else float(np.ptp(section.outline, axis=0).max(initial=0.0))
    _check_lengths(mesh, f"a section {size:g} m wide", size)

    def changed(block: ElementBlock) -> ElementBlock:
        directions = {} if isinstance(section, TrussSection) else _directions(mesh, block, section)
        return replace(block, section=section, **directions)

    return replace(mesh, blocks=tuple(changed(block) if _takes(block, is_truss) else block for block in mesh.blocks))


def section_from_text(text: str) -> BeamSection | TrussSection:
    """The section that a text such as "rect:0.02,0.01" names; MeshError for anything else, with the forms there are."""
    shape, _, numbers = text.partition(":")
    names, make = _SHAPES.get(shape.strip().lower(), ((), None))
    try:
        values = [float(part) for part in numbers.split(",")]
    except ValueError:
        values = []
    if make is None or len(values) != len(names) or not all(0.0 < value < math.inf for value in values):
        needed = f"; {shape.strip()} needs its {' and '.join(names)}, above 0" if names else ""
        raise MeshError(f"section '{text}' is unknown{needed}. Give {FORMS}.")
    return make(*values)


def _takes(block: ElementBlock, is_truss: bool) -> bool:
    kind = KINDS[block.kind]
    return block.kind.startswith("truss") if is_truss else kind.is_beam


def _line_as_truss(mesh: Mesh, block: ElementBlock) -> ElementBlock:
    if not KINDS[block.kind].is_beam or block.section is not None or mesh.file_format in _WITH_SECTIONS:
        return block
    return replace(block, kind=block.kind.replace("beam", "truss"), y_axes=None, offsets=None)


def _thick(mesh: Mesh, block: ElementBlock, thickness: float) -> ElementBlock:
    if not is_shell(block.kind):
        return block
    old = block.section if isinstance(block.section, ShellSection) else ShellSection(thickness)
    if old.layers:
        raise MeshError(
            f"{block.where or mesh.source}: {len(block.ids)} shells have {len(old.layers)} layers; their thickness"
            " is the sum of the layers and cannot be changed."
        )
    return replace(block, section=replace(old, thickness=thickness), thickness=None)


def _directions(mesh: Mesh, block: ElementBlock, section: BeamSection) -> dict[str, np.ndarray]:
    """Local y of beams that lie along the section's, where the file gives them none."""
    if block.y_axes is not None:
        return {}
    ends = mesh.points[block.nodes[:, :2]]
    along = ends[:, 1] - ends[:, 0]
    lengths = np.linalg.norm(along, axis=1)
    parallel = np.linalg.norm(np.cross(along, section.y_axis), axis=1) <= _ALONG * lengths
    if not parallel.any():
        return {}
    across = np.eye(3)[0 if abs(section.y_axis[0]) < 0.9 else 1]
    return {"y_axes": np.where(parallel[:, None], across, section.y_axis)}


def _check_lengths(mesh: Mesh, what: str, size: float) -> None:
    if not 0.0 < size < math.inf:
        raise MeshError(f"{what} is not possible; give a positive number (m).")
    low, high = bounding_box(mesh)
    longest = float(np.max(high - low))
    if longest > 0.0 and size >= longest:
        raise MeshError(
            f"{mesh.source}: {what} on a mesh that is {longest:g} m long: give it in m, whatever the units of the"
            f" file (if you meant mm: {size / 1000.0:g})."
        )


def _held(mesh: Mesh) -> str:
    return ", ".join(dict.fromkeys(block.kind for block in mesh.blocks)) or "no elements"
