"""Rigid bodies: mass, centre and inertia, given or from simple shapes or a mesh."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.errors import BodyError


def _positive(shape: str, sizes) -> np.ndarray:
    values = np.asarray(sizes, dtype=float)
    if not (np.all(np.isfinite(values)) and np.all(values > 0.0)):
        raise BodyError(f"rigid {shape}: its dimensions {sizes!r} m must be positive")
    return values


@dataclass(frozen=True)
class RigidBody:
    """A rigid body in its own frame.

    Attributes
    ----------
    mass : float, kg
    center : (3,) m, centre of mass
    inertia : (3, 3) kg m2, about the centre of mass, body axes (a vector of 3 is taken as its diagonal)

    Raises
    ------
    BodyError
        Mass not positive, or an inertia that no mass distribution has (a principal moment exceeds the sum
        of the others).
    """

    mass: float
    inertia: np.ndarray
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    size: np.ndarray | None = None  # box drawn around the centre, m

    def __post_init__(self):
        inertia = np.asarray(self.inertia, dtype=float)
        if inertia.shape == (3,):
            inertia = np.diag(inertia)
        center = np.asarray(self.center, dtype=float)
        if not (np.isfinite(self.mass) and self.mass > 0.0):
            raise BodyError(f"rigid body: mass {self.mass} kg must be positive")
        if inertia.shape != (3, 3) or not np.all(np.isfinite(inertia)) or not np.allclose(inertia, inertia.T):
            raise BodyError("rigid body: inertia must be a symmetric 3x3 matrix (or its 3 diagonal entries) in kg m2")
        if center.shape != (3,) or not np.all(np.isfinite(center)):
            raise BodyError("rigid body: center must be three finite numbers in m")
        object.__setattr__(self, "inertia", inertia)
        object.__setattr__(self, "center", center)
        lowest = float(np.linalg.eigvalsh(self.second_moment)[0])
        if lowest < -1e-9 * max(np.trace(inertia), 1e-300):
            moments = np.linalg.eigvalsh(inertia)
            raise BodyError(
                f"rigid body: principal moments {moments} kg m2 belong to no mass distribution; "
                "each must not exceed the sum of the other two"
            )

    @property
    def second_moment(self) -> np.ndarray:
        """int x x^T dm about the centre, (3, 3) kg m2: tr(J)/2 I - J."""
        return 0.5 * np.trace(self.inertia) * np.eye(3) - self.inertia

    @classmethod
    def point(cls, mass: float, center=(0.0, 0.0, 0.0)) -> RigidBody:
        """All mass in one point."""
        return cls(mass, np.zeros(3), np.asarray(center, dtype=float))

    @classmethod
    def box(cls, density: float, size, center=(0.0, 0.0, 0.0)) -> RigidBody:
        """Homogeneous box with edges ``size`` (3,) m along the body axes."""
        a, b, c = _positive("box", size)
        mass = density * a * b * c
        inertia = mass / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
        return cls(mass, inertia, np.asarray(center, dtype=float), np.asarray(size, dtype=float))

    @classmethod
    def sphere(cls, density: float, radius: float, center=(0.0, 0.0, 0.0)) -> RigidBody:
        """Homogeneous sphere."""
        _positive("sphere", radius)
        mass = density * 4.0 / 3.0 * np.pi * radius**3
        return cls(mass, np.full(3, 0.4 * mass * radius**2), np.asarray(center, float), np.full(3, 2.0 * radius))

    @classmethod
    def cylinder(cls, density: float, radius: float, length: float, center=(0.0, 0.0, 0.0)) -> RigidBody:
        """Homogeneous cylinder with its axis along x."""
        _positive("cylinder", (radius, length))
        mass = density * np.pi * radius**2 * length
        across = mass * (3.0 * radius**2 + length**2) / 12.0
        inertia = np.array([0.5 * mass * radius**2, across, across])
        return cls(mass, inertia, np.asarray(center, dtype=float), np.array([length, 2.0 * radius, 2.0 * radius]))

    @classmethod
    def rod(cls, mass: float, length: float) -> RigidBody:
        """Thin rod along x from the body's origin."""
        _positive("rod", length)
        return cls(
            mass, mass * length**2 / 12.0 * np.array([0.0, 1.0, 1.0]), np.array([0.5 * length, 0.0, 0.0]),
            np.array([length, 0.02 * length, 0.02 * length]),
        )  # fmt: skip

    @classmethod
    def from_mesh(cls, mesh, density: float | None = None) -> RigidBody:
        """Mass, centre and inertia of a mesh; ``density`` (kg/m3) overrides that of its materials."""
        from flexmbs.fem import assemble
        from flexmbs.mesh import with_material

        model = assemble(mesh if density is None else with_material(mesh, density=density))
        size = mesh.points.max(axis=0) - mesh.points.min(axis=0)
        return cls(model.mass, model.inertia, model.center, size)
