"""Systems of units of mesh files, and meshes brought from them to SI."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.mesh import ElementBlock, Equation, Mesh, PointMass, Tie
from flexmbs.mesh.properties import (
    AnisotropicMaterial,
    BeamSection,
    Damping,
    Layer,
    Material,
    OrthotropicMaterial,
    ShellSection,
    SpringSection,
    TrussSection,
    UnusableMaterial,
)

_INCH, _POUND_FORCE = 0.0254, 4.4482216152605  # both exact by definition
_ROTATIONS = np.array([0, 0, 0, 1, 1, 1])


@dataclass(frozen=True)
class UnitSystem:
    """Units of length, mass and time, each as its size in m, kg and s; forces and stresses follow from them."""

    name: str
    length: float
    mass: float
    time: float

    @property
    def force(self) -> float:
        """Its unit of force, N."""
        return self.mass * self.length / self.time**2

    @property
    def stress(self) -> float:
        """Its unit of stress, Pa."""
        return self.force / self.length**2

    @property
    def density(self) -> float:
        """Its unit of density, kg/m3."""
        return self.mass / self.length**3


SI = UnitSystem("m-kg-s", 1.0, 1.0, 1.0)
UNIT_SYSTEMS: dict[str, UnitSystem] = {
    system.name: system
    for system in (
        SI,
        UnitSystem("mm-t-s", 1e-3, 1e3, 1.0),
        UnitSystem("mm-kg-ms", 1e-3, 1.0, 1e-3),
        UnitSystem("mm-kg-s", 1e-3, 1.0, 1.0),  # mN and kPa: what NX and Simcenter write by default
        UnitSystem("in-lbf-s", _INCH, _POUND_FORCE / _INCH, 1.0),  # mass in lbf s2/in
    )
}


def unit_system(units: str | Sequence[float]) -> UnitSystem:
    """A unit system by name ("mm-t-s", ...) or by three factors: its units of length, mass and time in m, kg, s.

    The factors may stand in one string with commas ("0.001,1000,1"). Raises MeshError for anything else.
    """
    if isinstance(units, str) and units.strip().lower() in UNIT_SYSTEMS:
        return UNIT_SYSTEMS[units.strip().lower()]
    parts = units.split(",") if isinstance(units, str) else list(np.atleast_1d(np.asarray(units, object)))
    try:
        factors = [float(part) for part in parts]
    except (TypeError, ValueError):
        factors = []
    if len(factors) != 3 or not all(math.isfinite(factor) and factor > 0.0 for factor in factors):
        hint = near_names(units, UNIT_SYSTEMS) if isinstance(units, str) else f"Known are {', '.join(UNIT_SYSTEMS)}."
        raise MeshError(
            f"units {units!r} are unknown. {hint} Or give three positive factors: the file's units of length, mass"
            " and time in m, kg and s, such as 0.001,1000,1."
        )
    return UnitSystem(",".join(f"{factor:.15g}" for factor in factors), *factors)


def known_name(factors: tuple[float, float, float]) -> str:
    """The name of the system with these units of length, mass and time in m, kg, s; the factors when it has none."""
    given = UnitSystem("", *factors)
    name = next((name for name, known in UNIT_SYSTEMS.items() if same_units(given, known, 1e-6)), None)
    return name or ",".join(f"{factor:.12g}" for factor in factors)


def same_units(one: UnitSystem, other: UnitSystem, tolerance: float = 1e-2) -> bool:
    """Whether two systems have the same units of length, mass and time, to a relative tolerance."""
    return all(math.isclose(getattr(one, name), getattr(other, name), rel_tol=tolerance) for name in ("length", "mass", "time"))


# How a value in a unit of a system becomes SI.
_TO_SI: dict[str, Callable[[Any, UnitSystem], Any]] = {
    "m": lambda value, own: value * own.length,
    "m2": lambda value, own: value * own.length**2,
    "m4": lambda value, own: value * own.length**4,
    "kg": lambda value, own: value * own.mass,
    "kg/m": lambda value, own: value * own.mass / own.length,
    "kg/m2": lambda value, own: value * own.mass / own.length**2,
    "kg m2": lambda value, own: value * own.mass * own.length**2,
    "kg/m3": lambda value, own: value * own.density,
    "Pa": lambda value, own: value * own.stress,
    "s": lambda value, own: value * own.time,
    "1/s": lambda value, own: value / own.time,
}
_OF_MATERIALS = {"density": "kg/m3", "damping": ""}
# The units of the fields; "" of those that hold parts of a mesh, fields without a unit are left out.
_UNITS: dict[type, dict[str, str]] = {
    Mesh: {"points": "m"} | dict.fromkeys(("blocks", "materials", "equations", "ties", "point_masses", "coordinate_systems"), ""),
    ElementBlock: {"material": "", "section": "", "offsets": "m", "thickness": "m", "shell_offsets": "m"},
    Tie: {"tolerance": "m"},
    PointMass: {"mass": "kg", "inertia": "kg m2", "offset": "m"},
    CoordinateSystem: {"origin": "m"},
    Material: {"youngs_modulus": "Pa"} | _OF_MATERIALS,
    OrthotropicMaterial: dict.fromkeys(("E1", "E2", "E3", "G12", "G13", "G23"), "Pa") | _OF_MATERIALS,
    AnisotropicMaterial: {"stiffness": "Pa"} | _OF_MATERIALS,
    UnusableMaterial: {"density": "kg/m3"},
    Damping: {"alpha": "1/s", "beta": "s"},
    BeamSection: {"area": "m2", "nonstructural_mass": "kg/m", "end": ""}
    | dict.fromkeys(("Iy", "Iz", "torsion_constant"), "m4")
    | dict.fromkeys(("outline", "centroid", "shear_center", "dimensions"), "m"),
    ShellSection: {"thickness": "m", "layers": "", "offset": "m", "nonstructural_mass": "kg/m2"},
    Layer: {"material": "", "thickness": "m"},
    TrussSection: {"area": "m2", "torsion_constant": "m4", "nonstructural_mass": "kg/m"},
}


def converted(mesh: Mesh, system: UnitSystem) -> Mesh:
    """The mesh in SI units, its numbers so far being in ``system``: coordinates, materials, sections, masses."""
    is_si = system.length == system.mass == system.time == 1.0
    return replace(mesh if is_si else _in_si(mesh, "", system, {}), units=system.name)


def _in_si(value: Any, unit: str, system: UnitSystem, done: dict[int, Any]) -> Any:
    """A value, or a part of a mesh: one that several others have is the same one in their counterparts (``done``)."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(_in_si(item, unit, system, done) for item in value)
    if isinstance(value, Mapping):
        return {name: _in_si(item, unit, system, done) for name, item in value.items()}
    if unit:
        return _TO_SI[unit](value, system)
    if isinstance(value, SpringSection):
        return _spring(value, system)
    if isinstance(value, Equation):
        return _equation(value, system.length)
    if id(value) not in done:
        fields = _UNITS[type(value)].items()
        done[id(value)] = replace(value, **{name: _in_si(getattr(value, name), own, system, done) for name, own in fields})
    return done[id(value)]


def _spring(old: SpringSection, system: UnitSystem) -> SpringSection:
    # A force per length has the unit mass/time^2; every rotation that it involves brings one more length.
    rotations = 2 * _ROTATIONS
    if old.first_dof is not None:
        second = old.first_dof if old.second_dof is None else old.second_dof
        rotations = np.full(6, _ROTATIONS[old.first_dof - 1] + _ROTATIONS[second - 1])
    factors = system.mass / system.time**2 * system.length**rotations
    return replace(old, stiffness=old.stiffness * factors, damping=old.damping * factors * system.time, mass=old.mass * system.mass)


def _equation(old: Equation, length: float) -> Equation:
    """A relation with displacements is taken in metres: rotations and the constant get the unit of length."""
    rotation = np.asarray(old.dofs) > 3
    if rotation.all():
        return old
    return replace(
        old, coefficients=np.where(rotation, old.coefficients * length, old.coefficients), constant=old.constant * length
    )
