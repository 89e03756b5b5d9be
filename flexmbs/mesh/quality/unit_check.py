"""Suspicions about units: which system the numbers of a mesh look like.

Engineering materials lie close together when their moduli and densities are in SI units: most moduli within a decade
or two of 1e11 Pa, most densities of 1e3 to 1e4 kg/m3. A system of units whose conversion brings the file's numbers
there is likely the file's; other systems miss by many decades.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import ShellSection
from flexmbs.mesh.material_units import FAR_OFF, METAL_DENSITY, decades_off, usual_units
from flexmbs.mesh.materials import AnisotropicMaterial, AnyMaterial, Material, OrthotropicMaterial
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.operations import bounding_box
from flexmbs.mesh.unit_systems import SI, UNIT_SYSTEMS, UnitSystem, same_units, unit_system

_LARGEST_PART = 50.0  # m; parts of mechanisms are smaller, and 50 mm of millimetres is already a small part
_CLEARLY = 1.2  # decades by which another system must fit better before anything is said
_APART = 4.0  # decades between the best and the next system that make soft materials (rubber, foam) recognisable too
_CAPPED = 5.0  # decades that one odd material (a rigid or massless stand-in) counts at most
_ONLY_IF_SURE = ("mm-kg-s",)  # its moduli (kPa) look like psi, its densities are those of mm-kg-ms
_ADVICE = "flexmbs takes m, kg, s, N, Pa (steel: E = 210e9, density = 7850)"


@dataclass(frozen=True)
class _Stated:
    """What a material states about units, in the file's numbers."""

    name: str
    where: str
    modulus: float | None
    density: float | None

    def decades_off(self, system: UnitSystem) -> float:
        """Distance from the usual engineering material, were the numbers in ``system``, in decades."""
        modulus = None if self.modulus is None else self.modulus * system.stress
        off = decades_off(modulus, None if self.density is None else self.density * system.density)
        if system.name in _ONLY_IF_SURE and (None in (self.modulus, self.density) or off > _CLEARLY):
            return math.inf
        return off

    def numbers(self) -> str:
        parts = [] if self.density is None else [f"density {self.density:g}"]
        parts += [] if self.modulus is None else [f"E = {self.modulus:g}"]
        return " and ".join(parts)


def likely_system(mesh: Mesh) -> UnitSystem | None:
    """The system of units that the numbers of a mesh suggest; None if they are inconclusive.

    A mesh that was converted is judged by the numbers of its file.
    """
    stated = _stated(mesh)
    if stated:
        fits = sorted((_mean_decades_off(stated, system), name) for name, system in UNIT_SYSTEMS.items())
        best, name = fits[0]
        si = _mean_decades_off(stated, SI)
        if si <= FAR_OFF and si <= best + _CLEARLY:
            return SI
        recognised = best <= FAR_OFF or (best <= _CAPPED - 0.1 and _uncapped_gap(stated, name) >= _APART)
        return UNIT_SYSTEMS[name] if recognised else None
    return UNIT_SYSTEMS["mm-t-s"] if _size(mesh) > _LARGEST_PART else None


def _mean_decades_off(stated: list[_Stated], system: UnitSystem) -> float:
    return sum(min(entry.decades_off(system), _CAPPED) for entry in stated) / len(stated)


def _uncapped_gap(stated: list[_Stated], best: str) -> float:
    """How much worse the next best system fits, for the least conclusive material."""
    others = [system for name, system in UNIT_SYSTEMS.items() if name != best]
    return min(min(e.decades_off(s) for s in others) - e.decades_off(UNIT_SYSTEMS[best]) for e in stated)


def check_units(mesh: Mesh, trust_units: bool = False) -> tuple[str, ...]:
    """Warnings about doubtful units; MeshError when units seem mixed, unless ``trust_units`` or units were given."""
    mixed = _mixed(mesh)
    if mixed and not (trust_units or mesh.units):
        raise MeshError(
            f"{mixed} If the numbers are correct, read the file with units='m-kg-s' (--units m-kg-s), or reduce the"
            " mesh with trust_units=True."
        )
    doubts = (mixed, _other_system(mesh), _contradicts_the_file(mesh), None if mixed else _of_no_system(mesh))
    return tuple(message for message in doubts if message)


def _other_system(mesh: Mesh) -> str | None:
    likely, given = likely_system(mesh), _given(mesh)
    if likely is None or same_units(likely, given):
        return None
    entry = next(iter(_stated(mesh)), None)
    if entry is None and not math.isclose(given.length, SI.length):
        return None  # the size alone tells no more than that the lengths are not metres
    seen = f"{mesh.source}: the mesh is {_size(mesh):g} long"
    if entry is not None:
        seen = f"{entry.where or mesh.source}: material {entry.name} has {entry.numbers()}"
    if mesh.units:
        origin = "the file states" if mesh.stated_units and mesh.stated_units.units == mesh.units else "were given:"
        return f"{seen} in the file, as in the {likely.name} system, but units {origin} {mesh.units}; which is correct?"
    return (
        f"{seen}, as in the {likely.name} system; {_ADVICE}. Give units='{likely.name}' (--units {likely.name}), or"
        " all results will be in the units of the input."
    )


def _of_no_system(mesh: Mesh) -> str | None:
    """A sentence on a material whose modulus and density are at home in units that go together in no system."""
    systems = [system for system in (_given(mesh), likely_system(mesh)) if system is not None]
    for entry in _stated(mesh):
        pair = usual_units(entry.modulus, entry.density)
        if pair is None or min(_best(entry)[1], *(entry.decades_off(system) for system in systems)) <= FAR_OFF:
            continue
        if any(math.isclose(entry.density * system.density, pair.density, rel_tol=1e-2) for system in systems):
            continue  # a stand-in of any stiffness
        doubt = f"{entry.where or mesh.source}: material {entry.name} has {entry.numbers()}, as in {pair.names}"
        if pair.system:
            return f"{doubt}: if lengths are in that system too, give units='{pair.system}' (--units {pair.system})."
        return (
            f"{doubt}, which match no system of units; {_ADVICE}. In SI they would be E = {pair.modulus:g} and"
            f" density = {pair.density:g}."
        )
    return None


def _contradicts_the_file(mesh: Mesh) -> str | None:
    stated = mesh.stated_units
    if stated is None or same_units(unit_system(stated.units), _given(mesh)):
        return None
    return f"{stated.where}: the file states the units {stated.units}, but {mesh.units} were given; which is correct?"


def _given(mesh: Mesh) -> UnitSystem:
    return unit_system(mesh.units) if mesh.units else SI


def _mixed(mesh: Mesh) -> str | None:
    """A sentence on numbers that cannot come from one system of units."""
    stated = _stated(mesh)
    for entry in stated:
        message = _mixed_in_one(entry, mesh)
        if message:
            return message
    sure = [(entry, _sure_system(entry)) for entry in stated if entry.density is not None]
    sure = [(entry, system) for entry, system in sure if system is not None]
    for entry, system in sure[1:]:
        first, first_system = sure[0]
        if system is not first_system:
            return (
                f"{entry.where or mesh.source}: inconsistent units suspected: material {entry.name} ({entry.numbers()})"
                f" looks like {system.name}, material {first.name} ({first.numbers()}) like {first_system.name};"
                " state both in one system of units."
            )
    if sure and sure[0][1] is SI and not mesh.units and _size(mesh) > _LARGEST_PART:
        remedy = "scaled(mesh, 1e-3) turns millimetres into metres (sections stay as they are)"
        if not sure[0][0].where:  # a material that was given to the mesh, not one of its file
            remedy += ", and so does reading the file with units='mm-t-s' (--units mm-t-s) before the material is given"
        return (
            f"{sure[0][0].where or mesh.source}: inconsistent units suspected: material {sure[0][0].name} has"
            f" {sure[0][0].numbers()} (SI), but the mesh is {_size(mesh):g} long: in millimetres? {_ADVICE}: {remedy}."
        )
    return None


def _mixed_in_one(entry: _Stated, mesh: Mesh) -> str | None:
    """Modulus and density of one metal that are each at home in another system."""
    if entry.modulus is None or entry.density is None or _best(entry)[1] <= FAR_OFF:
        return None
    by_density = _sure_system(_Stated(entry.name, "", None, entry.density))
    by_modulus = _sure_system(_Stated(entry.name, "", entry.modulus, None))
    if by_density is None or by_modulus is None or by_density is by_modulus:
        return None
    if entry.density * by_density.density < METAL_DENSITY:
        return None
    factor = by_modulus.stress / by_density.stress
    return (
        f"{entry.where or mesh.source}: inconsistent units suspected: material {entry.name} has density"
        f" {entry.density:g}, as in {by_density.name}, but E = {entry.modulus:g}, as in {by_modulus.name}; {_ADVICE}:"
        f" multiply E by {factor:g} to have it in {by_density.name} too."
    )


def _sure_system(entry: _Stated) -> UnitSystem | None:
    """The system in which the numbers are those of a common material, when there is just one."""
    best, off = _best(entry)
    return best if off <= _CLEARLY else None


def _best(entry: _Stated) -> tuple[UnitSystem, float]:
    offs = {name: entry.decades_off(system) for name, system in UNIT_SYSTEMS.items()}
    best = min(offs, key=offs.get)
    return UNIT_SYSTEMS[best], offs[best]


def _stated(mesh: Mesh) -> list[_Stated]:
    entries, given = [], _given(mesh)
    for material in _used_materials(mesh):
        modulus, density = _modulus(material), material.density
        modulus = modulus / given.stress if modulus is not None and modulus > 0.0 else None
        density = density / given.density if density is not None and density > 0.0 else None
        if modulus is not None or density is not None:
            entries.append(_Stated(material.name, material.where, modulus, density))
    return entries


def _used_materials(mesh: Mesh) -> list[AnyMaterial]:
    used: dict[int, AnyMaterial] = {}
    for block in mesh.blocks:
        layers = block.section.layers if isinstance(block.section, ShellSection) else ()
        for material in (block.material, *(layer.material for layer in layers)):
            if material is not None:
                used[id(material)] = material
    return list(used.values())


def _modulus(material: AnyMaterial) -> float | None:
    if isinstance(material, Material):
        return material.youngs_modulus
    if isinstance(material, OrthotropicMaterial):
        return max(material.E1, material.E2)
    if isinstance(material, AnisotropicMaterial):
        return float(np.max(np.diag(material.stiffness)))
    return None


def _size(mesh: Mesh) -> float:
    """Longest side of the bounding box in the file's numbers."""
    low, high = bounding_box(mesh)
    return float(np.max(high - low)) / _given(mesh).length
