"""Operations that take a mesh and return a new one, and questions asked of a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError, MeshWarning
from flexmbs.common.names_in_messages import names_arguments, near_names
from flexmbs.common.user_warnings import warn
from flexmbs.mesh.material_units import doubt_about_si
from flexmbs.mesh.materials import AnyMaterial, Material
from flexmbs.mesh.mesh import Mesh


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
