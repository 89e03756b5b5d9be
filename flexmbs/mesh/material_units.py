"""The units in which moduli and densities are those of usual materials, and doubts about the units of a mesh.

Engineering materials lie close together in SI, most within two decades of 1e11 Pa and at 1e3 to 1e4 kg/m3. The units that
bring a material's numbers there are likely its own: those of a system, or mixed ones (MPa with g/cm3, psi with lb/in3).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.plausible_values import MAX_PART, SOLID_DENSITIES, SOLID_MODULI
from flexmbs.mesh.connectivity import bounding_box
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.properties import AnisotropicMaterial, AnyMaterial, Material, OrthotropicMaterial
from flexmbs.mesh.unit_systems import SI, UNIT_SYSTEMS, UnitSystem, same_units, unit_system

_MODULUS, _DENSITY = 5e10, 4000.0  # Pa and kg/m3 of the usual material: between plastics and steel
_FAR_OFF = 2.6  # decades from the usual that no common engineering material has
_CLEARLY = 1.2  # decades within which a material is surely common, and by which another system must fit better than SI
_APART = 4.0  # decades between the best and the next system that make soft materials (rubber, foam) recognisable too
_CAPPED = 5.0  # decades that one odd material (a rigid or massless stand-in) counts at most
_ADVICE = "flexmbs takes m, kg, s, N, Pa (steel: E = 210e9, density = 7850)"
_SUSPECTED = "inconsistent units suspected"

_MM_KG_S = UNIT_SYSTEMS["mm-kg-s"]  # its moduli look like psi, its densities are those of mm-kg-ms: only both together tell
_STRESSES = {"m-kg-s": "Pa", "mm-t-s": "MPa", "mm-kg-ms": "GPa", "mm-kg-s": "kPa", "in-lbf-s": "psi"}
_DENSITIES = {"m-kg-s": "kg/m3", "mm-t-s": "t/mm3", "mm-kg-ms": "kg/mm3", "mm-kg-s": "kg/mm3", "in-lbf-s": "lbf s2/in4"}
_PSI, _LB_IN3, _LB_FT3 = UNIT_SYSTEMS["in-lbf-s"].stress, 0.45359237 / 0.0254**3, 0.45359237 / 0.3048**3


def _pair(names: str, stress: float, density: float) -> UnitSystem:
    """The system with these units of stress (Pa) and density (kg/m3) whose unit of length is the metre."""
    return UnitSystem(names, 1.0, density, math.sqrt(density / stress))


_FEET, _FEET_UNITS = _pair("lbf/ft2 and slug/ft3", _PSI / 144.0, 32.17404855643045 * _LB_FT3), "0.3048,14.5939029372,1"
_PAIRS = {  # each with the systems that the two units are from, as read_mesh calls them
    **{
        _pair(f"{_STRESSES[one.name]} and {_DENSITIES[other.name]}", one.stress, other.density): (one.name, other.name)
        for one, other in product(UNIT_SYSTEMS.values(), repeat=2)
        if one is other or _MM_KG_S not in (one, other)
    },
    _pair("dyn/cm2 and g/cm3", 0.1, 1e3): ("0.01,0.001,1", "0.01,0.001,1"),
    _FEET: (_FEET_UNITS, _FEET_UNITS),
    **{_pair(f"{unit} and g/cm3", stress, 1e3): ("", "") for unit, stress in (("Pa", 1.0), ("MPa", 1e6), ("GPa", 1e9))},
    **{_pair(f"{unit} and lb/in3", stress, _LB_IN3): ("", "") for unit, stress in (("psi", _PSI), ("ksi", 1e3 * _PSI))},
}


@dataclass(frozen=True)
class _Numbers:
    """Modulus and density of a material in some units; not positive: not stated."""

    modulus: float
    density: float
    name: str = ""
    where: str = ""

    def decades_off(self, units: UnitSystem) -> float:
        """Distance from the usual material, were the numbers in these units, in decades; inf: not told from another system."""
        stiffer = math.log10(self.modulus * units.stress / _MODULUS) if self.modulus > 0.0 else 0.0
        denser = math.log10(self.density * units.density / _DENSITY) if self.density > 0.0 else 0.0
        off = math.hypot(stiffer, 2.0 * denser)  # densities differ less
        return math.inf if units is _MM_KG_S and (off > _CLEARLY or not min(self.modulus, self.density) > 0.0) else off

    def __str__(self) -> str:
        stated = {f"density {self.density:g}": self.density, f"E = {self.modulus:g}": self.modulus}
        return f"material {self.name} has {' and '.join(text for text, value in stated.items() if value > 0.0)}"


def usual_units(modulus: float, density: float) -> UnitSystem | None:
    """The units in which a modulus and a density are those of a metal or plastic; None when there are none."""
    found = []
    for pair, (_, system) in _PAIRS.items():
        # Pa and kg/m3; in units of a system, soft and light materials are real: rubber and foam.
        softest, lightest = (SOLID_MODULI[0], SOLID_DENSITIES[0]) if system in UNIT_SYSTEMS else (1.3e9, 630.0)
        heaviest = SOLID_DENSITIES[1]
        if pair is _FEET:  # metals: foams and honeycombs in SI have the numbers of plastics, or of the heaviest, in these units
            softest, lightest, heaviest = 4e10, 1600.0, 12_000.0
        if softest <= modulus * pair.stress <= SOLID_MODULI[1] and lightest <= density * pair.density <= heaviest:
            found.append(pair)
    return min(found, key=_Numbers(modulus, density).decades_off, default=None)


def doubt_about_si(modulus: float, density: float) -> str | None:
    """A sentence's end, "look like MPa and t/mm3 (in SI: 2.1e+11 and 7850)", when they can hardly be in Pa and kg/m3."""
    pair = usual_units(modulus, density)
    if pair is None or _Numbers(modulus, density).decades_off(SI) <= _FAR_OFF:
        return None
    return f"look like {pair.name} (in SI: {modulus * pair.stress:g} and {density * pair.density:g})"


def likely_system(mesh: Mesh) -> UnitSystem | None:
    """The system of units that the numbers of a mesh (of its file, if it was converted) suggest; None: inconclusive."""
    stated = _stated(mesh)
    if not stated:
        return UNIT_SYSTEMS["mm-t-s"] if _size_in_file(mesh) > MAX_PART else None
    if any(_of_no_system(entry) for entry in stated):
        return None
    off = {one: np.mean([min(entry.decades_off(one), _CAPPED) for entry in stated]) for one in UNIT_SYSTEMS.values()}
    best, *others = sorted(off, key=off.__getitem__)
    if off[SI] <= min(_FAR_OFF, off[best] + _CLEARLY):
        return SI
    apart = min(min(map(entry.decades_off, others)) - entry.decades_off(best) for entry in stated)
    return best if off[best] <= _FAR_OFF or (off[best] < _CAPPED - 0.1 and apart >= _APART) else None


def _of_no_system(entry: _Numbers) -> UnitSystem | None:
    """The units of a material of usual numbers that are those of none of the systems: psi and lb/in3, feet and slugs."""
    pair = usual_units(entry.modulus, entry.density)
    if pair is None or min(map(entry.decades_off, UNIT_SYSTEMS.values())) <= _FAR_OFF:
        return None
    return pair if entry.decades_off(pair) <= _CLEARLY else None


def check_units(mesh: Mesh, trust_units: bool = False) -> tuple[str, ...]:
    """Warnings about doubtful units; MeshError when units seem mixed, unless ``trust_units`` or units were given."""
    mixed, remarks, systems = [], [], (unit_system(mesh.units or SI.name), *UNIT_SYSTEMS.values())
    for entry in _stated(mesh):
        pair = usual_units(entry.modulus, entry.density)
        if pair is None or min(map(entry.decades_off, systems)) <= _FAR_OFF:
            continue
        other, own = _PAIRS[pair]
        seen = f"{entry.where}: {entry}, as in {pair.name}"
        if own and own == other:
            remarks.append(f"{seen}: if lengths are in that system too, give units='{own}' (--units {own}).")
        elif other:
            mixed.append(
                f"{entry.where}: {_SUSPECTED}: material {entry.name} has density {entry.density:g}, as in {own}, but E ="
                f" {entry.modulus:g}, as in {other}; {_ADVICE}: multiply E by {pair.stress / UNIT_SYSTEMS[own].stress:g} for {own}."
            )
        else:
            right = f"E = {entry.modulus * pair.stress:g} and density = {entry.density * pair.density:g}"
            remarks.append(f"{seen}, which match no system of units; {_ADVICE}. In SI they would be {right}.")
    mixed += _between_materials(mesh)
    if mixed and not (trust_units or mesh.units):
        raise MeshError(f"{mixed[0]} If the numbers are correct, give units='m-kg-s' (--units m-kg-s) or trust_units=True.")
    return (*mixed[:1], *_other_systems(mesh), *([] if mixed else remarks[:1]))


def _between_materials(mesh: Mesh) -> Iterator[str]:
    """Sentences on materials that are in two systems, or in SI while the lengths are not."""
    nearest = [(entry, min(UNIT_SYSTEMS.values(), key=entry.decades_off)) for entry in _stated(mesh) if entry.density > 0.0]
    sure = [(entry, system) for entry, system in nearest if entry.decades_off(system) <= _CLEARLY]
    if not sure:
        return
    first, own = sure[0]
    for entry, system in sure:
        if system is not own:
            yield f"{entry.where}: {_SUSPECTED}: {entry}, like {system.name}, but {first}, like {own.name}; use one system."
    if own is SI and not mesh.units and _size_in_file(mesh) > MAX_PART:
        yield (
            f"{first.where}: {_SUSPECTED}: {first} (SI), but the mesh is {_size_in_file(mesh):g} long: in millimetres?"
            " scaled(mesh, 1e-3) turns them into metres (sections stay as they are); so does, for a material that is not the"
            " file's, reading the file with units='mm-t-s' (--units mm-t-s)."
        )


def _other_systems(mesh: Mesh) -> Iterator[str]:
    """Sentences on the system that the numbers suggest and the one that the file states, if the mesh is in another."""
    likely, stated = likely_system(mesh), mesh.stated_units
    given = unit_system(mesh.units or SI.name)
    seen = next((f"{entry.where}: {entry}" for entry in _stated(mesh)), "")  # else the size tells only that lengths are not m
    if likely is not None and not same_units(likely, given) and (seen or math.isclose(given.length, SI.length)):
        seen = seen or f"{mesh.source}: the mesh is {_size_in_file(mesh):g} long"
        if mesh.units or stated is not None:
            own = mesh.units or stated.units
            yield f"{seen} in the file, as in the {likely.name} system, but {own} are stated or given; which is correct?"
        else:
            yield f"{seen}, as in the {likely.name} system; {_ADVICE}. Give units='{likely.name}' (--units {likely.name})."
    if stated is not None and not same_units(unit_system(stated.units), given):
        yield f"{stated.where}: the file states the units {stated.units}, but {mesh.units} were given; which is correct?"


def _stated(mesh: Mesh) -> list[_Numbers]:
    """The numbers of the materials of elements, as they are in the file."""
    given = unit_system(mesh.units or SI.name)
    parts = [part for block in mesh.blocks for part in (block, *getattr(block.section, "layers", ()))]
    numbers = [
        _Numbers(_modulus(one) / given.stress, (one.density or 0.0) / given.density, one.name, one.where or mesh.source)
        for one in dict.fromkeys(part.material for part in parts if part.material is not None)
    ]
    return [entry for entry in numbers if entry.modulus > 0.0 or entry.density > 0.0]


def _modulus(material: AnyMaterial) -> float:
    if isinstance(material, AnisotropicMaterial):
        return float(np.max(np.diag(material.stiffness)))
    if isinstance(material, OrthotropicMaterial):
        return max(material.E1, material.E2)
    return material.youngs_modulus if isinstance(material, Material) else 0.0


def _size_in_file(mesh: Mesh) -> float:
    return float(np.ptp(bounding_box(mesh), axis=0).max()) / unit_system(mesh.units or SI.name).length
