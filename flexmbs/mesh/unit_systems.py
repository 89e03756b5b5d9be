"""Systems of units of mesh files, and meshes brought from them to SI."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import (
    AnisotropicMaterial,
    AnyMaterial,
    AnySection,
    BeamSection,
    Damping,
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


def converted(mesh: Mesh, system: UnitSystem) -> Mesh:
    """The mesh in SI units, its numbers so far being in ``system``: coordinates, materials, sections, masses."""
    if system.length == system.mass == system.time == 1.0:
        return replace(mesh, units=system.name)
    length = system.length
    done: dict[int, AnyMaterial] = {}

    def material(old: AnyMaterial | None) -> AnyMaterial | None:
        if old is not None and id(old) not in done:
            done[id(old)] = _material(old, system)
        return None if old is None else done[id(old)]

    return replace(
        mesh,
        points=mesh.points * length,
        blocks=tuple(_block(block, system, material) for block in mesh.blocks),
        materials={name: material(old) for name, old in mesh.materials.items()},
        equations=tuple(_equation(equation, length) for equation in mesh.equations),
        ties=tuple(tie if tie.tolerance is None else replace(tie, tolerance=tie.tolerance * length) for tie in mesh.ties),
        point_masses=tuple(
            replace(
                point, mass=point.mass * system.mass, inertia=point.inertia * system.mass * length**2, offset=point.offset * length
            )
            for point in mesh.point_masses
        ),
        coordinate_systems={name: replace(local, origin=local.origin * length) for name, local in mesh.coordinate_systems.items()},
        units=system.name,
    )


def _material(old: AnyMaterial, system: UnitSystem) -> AnyMaterial:
    density = None if old.density is None else old.density * system.density
    if isinstance(old, UnusableMaterial):
        return replace(old, density=density)
    changes: dict = {"density": density, "damping": _damping(old.damping, system)}
    if isinstance(old, AnisotropicMaterial):
        changes["stiffness"] = old.stiffness * system.stress
    elif isinstance(old, OrthotropicMaterial):
        for name in ("E1", "E2", "E3", "G12", "G13", "G23"):
            value = getattr(old, name)
            changes[name] = None if value is None else value * system.stress
    else:
        changes["youngs_modulus"] = old.youngs_modulus * system.stress
    return replace(old, **changes)


def _damping(old: Damping | None, system: UnitSystem) -> Damping | None:
    return None if old is None else replace(old, alpha=old.alpha / system.time, beta=old.beta * system.time)


def _block(block: ElementBlock, system: UnitSystem, material) -> ElementBlock:
    def lengths(values):
        return None if values is None else values * system.length

    return replace(
        block,
        material=material(block.material),
        section=_section(block.section, system, material),
        offsets=lengths(block.offsets),
        thickness=lengths(block.thickness),
        shell_offsets=lengths(block.shell_offsets),
    )


def _section(old: AnySection | None, system: UnitSystem, material) -> AnySection | None:
    length = system.length
    if isinstance(old, BeamSection):
        return replace(
            old,
            area=old.area * length**2,
            Iy=old.Iy * length**4,
            Iz=old.Iz * length**4,
            torsion_constant=old.torsion_constant * length**4,
            outline=old.outline * length,
            centroid=(old.centroid[0] * length, old.centroid[1] * length),
            shear_center=(old.shear_center[0] * length, old.shear_center[1] * length),
            dimensions=tuple(value * length for value in old.dimensions),
            nonstructural_mass=old.nonstructural_mass * system.mass / length,
            end=_section(old.end, system, material),
        )
    if isinstance(old, ShellSection):
        return replace(
            old,
            thickness=None if old.thickness is None else old.thickness * length,
            layers=tuple(
                replace(layer, material=material(layer.material), thickness=layer.thickness * length) for layer in old.layers
            ),
            offset=old.offset * length,
            nonstructural_mass=old.nonstructural_mass * system.mass / length**2,
        )
    if isinstance(old, TrussSection):
        return replace(
            old,
            area=old.area * length**2,
            torsion_constant=old.torsion_constant * length**4,
            nonstructural_mass=old.nonstructural_mass * system.mass / length,
        )
    return _spring(old, system) if isinstance(old, SpringSection) else old


def _spring(old: SpringSection, system: UnitSystem) -> SpringSection:
    # A force per length has the unit mass/time^2; every rotation that it involves brings one more length.
    rotations = 2 * _ROTATIONS
    if old.first_dof is not None:
        second = old.first_dof if old.second_dof is None else old.second_dof
        rotations = np.full(6, _ROTATIONS[old.first_dof - 1] + _ROTATIONS[second - 1])
    factors = system.mass / system.time**2 * system.length**rotations
    return replace(old, stiffness=old.stiffness * factors, damping=old.damping * factors * system.time, mass=old.mass * system.mass)


def _equation(old, length: float):
    """A relation with displacements is taken in metres: rotations and the constant get the unit of length."""
    rotation = np.asarray(old.dofs) > 3
    if rotation.all():
        return old
    return replace(
        old, coefficients=np.where(rotation, old.coefficients * length, old.coefficients), constant=old.constant * length
    )
