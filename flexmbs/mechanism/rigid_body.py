"""Rigid bodies: mass, centre and inertia, given, from simple shapes, from a mesh or from a closed surface."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import BodyError, MechanismWarning
from flexmbs.common.names_in_messages import names_arguments
from flexmbs.common.plausible_values import warn_if_implausible
from flexmbs.common.user_warnings import warn
from flexmbs.fem.assemble import assemble
from flexmbs.mechanism.geometry import primitives
from flexmbs.mechanism.geometry.rotations import Rotation, RotationLike, as_matrix, as_number, as_vector
from flexmbs.mechanism.geometry.surface_mesh import SurfaceMesh, enclosed_moments
from flexmbs.mechanism.geometry.swept_solids import Solid
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.operations import with_material
from flexmbs.mesh.properties import Material

_ROD_RADIUS = 0.01  # of its length, when drawn
_NEGATIVE = 1e-9  # part of the trace below which a negative second moment is rounding


@names_arguments(BodyError)
@dataclass(frozen=True, eq=False)
class RigidBody:
    """A rigid body in its own frame.

    Attributes
    ----------
    mass : float, kg
    inertia : (3, 3) kg m2, about the centre of mass, body axes (a vector of 3 is taken as its diagonal); without it a mass point
    center : (3,) m, centre of mass
    size : (3,) m or None, edges of a box drawn around the centre where no ``surface`` is given
    allow_nonphysical : accept an inertia that no mass distribution has, with a MechanismWarning that says by how much. Where
        a principal moment is negative, such a body serves for mass properties and in weld(), but not in a system
    surface : SurfaceMesh or None, what is drawn

    Raises
    ------
    BodyError
        Mass not positive, or (without ``allow_nonphysical``) an inertia that no mass distribution has: a principal
        moment is negative or exceeds the sum of the others.
    """

    mass: float
    inertia: np.ndarray = field(default_factory=lambda: np.zeros(3))
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    size: np.ndarray | None = None
    allow_nonphysical: bool = False
    surface: SurfaceMesh | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        try:
            inertia, center = np.asarray(self.inertia, dtype=float), np.asarray(self.center, dtype=float)
        except (TypeError, ValueError):
            raise BodyError(f"rigid body: inertia {self.inertia!r} and center {self.center!r} must be numbers") from None
        if inertia.shape == (3,):
            inertia = np.diag(inertia)
        mass = np.asarray(self.mass)
        if mass.ndim > 0 or mass.dtype.kind not in "iuf" or not 0.0 < mass < np.inf:
            raise BodyError(f"rigid body: mass {self.mass!r} kg must be positive")
        if inertia.shape != (3, 3) or not np.all(np.isfinite(inertia)) or not np.allclose(inertia, inertia.T):
            raise BodyError("rigid body: inertia must be a symmetric 3x3 matrix (or its 3 diagonal entries) in kg m2")
        if center.shape != (3,) or not np.all(np.isfinite(center)):
            raise BodyError("rigid body: center must be three finite numbers in m")
        object.__setattr__(self, "inertia", inertia)
        object.__setattr__(self, "center", center)
        if self.surface is None and self.size is not None:
            box = primitives.box(self.size).surface
            object.__setattr__(self, "surface", box.moved(center, np.eye(3)))
        reason = self.nonphysical_reason
        if reason and not self.allow_nonphysical:
            raise BodyError(f"rigid body: {reason}; allow_nonphysical=True accepts it{self._purpose}")
        if reason:
            warn(f"rigid body: {reason}; it is accepted{self._purpose}", MechanismWarning)

    @property
    def _purpose(self) -> str:
        moments = np.linalg.eigvalsh(self.inertia)
        return " for mass properties only" if moments[0] < -_NEGATIVE * np.abs(moments).max() else ""

    @property
    def nonphysical_reason(self) -> str:
        """Why no mass distribution has this inertia, as text; empty if the inertia is physical."""
        lowest = float(np.linalg.eigvalsh(_second_moment(self.inertia))[0])
        moments = np.linalg.eigvalsh(self.inertia)
        if lowest >= -_NEGATIVE * max(np.abs(moments).max(), 1e-300):
            return ""
        if self._purpose:
            return f"its inertia is not physical: it has a negative principal moment ({moments[0]:.6g} kg m2 of {moments} kg m2)"
        return (
            f"no mass distribution has principal moments {moments} kg m2; none may exceed the sum of the other two, as the largest "
            f"does by {-2.0 * lowest:.3g} kg m2 ({-2.0 * lowest / moments[2]:.2g} of it)"
        )

    @property
    def second_moment(self) -> np.ndarray:
        """int x x^T dm about the centre, (3, 3) kg m2: tr(J)/2 I - J.

        BodyError where a principal moment is negative: such a body would accelerate against its moments.
        """
        if (reason := self.nonphysical_reason) and self._purpose:
            raise BodyError(
                f"rigid body: {reason}. It cannot be simulated; it can be used only for mass properties and in weld() "
                "to a body with physical inertia"
            )
        return _second_moment(self.inertia)

    def inertia_about(self, point: ArrayLike) -> np.ndarray:
        """(3, 3) kg m2 about a point (3,) m of the body frame, body axes: the parallel-axis theorem."""
        arm = self.center - as_vector(point, "inertia_about: point (m)")
        return self.inertia + self.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))

    def principal_inertia(self) -> tuple[np.ndarray, Rotation]:
        """Principal moments (3,) kg m2, rising, about the centre, and the rotation from principal to body axes."""
        moments, axes = np.linalg.eigh(self.inertia)
        axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])  # right-handed
        return moments, Rotation(axes)

    def placed(self, position: ArrayLike = (0.0, 0.0, 0.0), rotation: RotationLike | None = None) -> RigidBody:
        """This body described in another frame, in which its own frame lies at ``position`` (m) with ``rotation``.

        Parameters
        ----------
        rotation : from the body's present axes to those of the other frame, in any form (``fm.rotation``)
        """
        place, turn = as_vector(position, "placed: position (m)"), as_matrix(rotation, "placed")
        return self._moved(place, turn)

    def in_frame(self, position: ArrayLike = (0.0, 0.0, 0.0), rotation: RotationLike | None = None) -> RigidBody:
        """This body described in a frame that lies at ``position`` (m) with ``rotation`` in its present frame.

        The inverse of :meth:`placed`: ``body.placed(p, R).in_frame(p, R)`` is the body again.
        """
        place, turn = as_vector(position, "in_frame: position (m)"), as_matrix(rotation, "in_frame").T
        return self._moved(-turn @ place, turn)

    def _moved(self, place: np.ndarray, turn: np.ndarray) -> RigidBody:
        """New place of the origin and of the axes; a copy, so that a body that was allowed does not warn again."""
        moved = copy.copy(self)
        turned = turn @ self.inertia @ turn.T
        changed = {
            "center": place + turn @ self.center,
            "inertia": 0.5 * (turned + turned.T),
            "size": None,
            "surface": None if self.surface is None else self.surface.moved(place, turn),
        }
        for name, value in changed.items():
            object.__setattr__(moved, name, value)
        return moved

    @classmethod
    def _of_solid(cls, density: float, solid: Solid, shape: str) -> RigidBody:
        density = as_number(density, f"rigid {shape}: density (kg/m3)")
        if density <= 0.0:
            raise BodyError(f"rigid {shape}: mass {density * solid.volume} kg must be positive")
        warn_if_implausible("density", density, f"rigid {shape}")
        if solid.surface is not None:
            warn_if_implausible("size", float(np.ptp(solid.surface.points, axis=0).max()), f"rigid {shape}")
        return cls(density * solid.volume, density * solid.inertia, solid.center, surface=solid.surface)

    @classmethod
    def point(cls, mass: float, center: ArrayLike = (0.0, 0.0, 0.0)) -> RigidBody:
        """All mass in one point."""
        return cls(mass).placed(center)

    @classmethod
    def rotor(cls, mass: float, moment: float, axis: str = "z", center: ArrayLike = (0.0, 0.0, 0.0)) -> RigidBody:
        """Rotor with a ``moment`` (kg m2) about its axis: across it those of a thin disc, half as large."""
        mass = as_number(mass, "rigid rotor: mass (kg)", minimum=1e-300)
        moment = as_number(moment, "rigid rotor: moment (kg m2)", minimum=1e-300)
        radius = float(np.sqrt(2.0 * moment / mass))
        disc = primitives.cylinder(radius, _ROD_RADIUS * radius, axis=axis).surface
        return cls(mass, 0.5 * moment * (1.0 + (np.arange(3) == "xyz".index(axis))), surface=disc).placed(center)

    @classmethod
    def rod(cls, mass: float, length: float) -> RigidBody:
        """Thin rod along x from the body's origin."""
        primitives.positive("rod", length=length)
        drawn = primitives.cylinder(_ROD_RADIUS * length, length).surface
        center = np.array([0.5 * length, 0.0, 0.0])
        mass = as_number(mass, "rigid rod: mass (kg)")
        inertia = mass * length**2 / 12.0 * np.array([0.0, 1.0, 1.0])
        return cls(mass, inertia, center, surface=drawn.moved(center, np.eye(3)))

    @classmethod
    def box(cls, density: float, size: ArrayLike, center: ArrayLike = (0.0, 0.0, 0.0)) -> RigidBody:
        """Homogeneous box (kg/m3) with edges ``size`` (3,) m along the body axes, its centre at ``center``."""
        return cls._of_solid(density, primitives.box(size), "box").placed(center)

    @classmethod
    def sphere(cls, density: float, radius: float, center: ArrayLike = (0.0, 0.0, 0.0)) -> RigidBody:
        """Homogeneous sphere."""
        return cls._of_solid(density, primitives.sphere(radius), "sphere").placed(center)

    @classmethod
    def cylinder(
        cls,
        density: float,
        radius: float,
        length: float,
        center: ArrayLike = (0.0, 0.0, 0.0),
        inner_radius: float = 0.0,
        axis: str = "x",
    ) -> RigidBody:
        """Homogeneous cylinder (a tube with ``inner_radius``) along "x", "y" or "z", its centre at ``center``."""
        solid = primitives.cylinder(radius, length, inner_radius, axis)
        return cls._of_solid(density, solid, "cylinder").placed(center)

    @classmethod
    def cone(cls, density: float, radius: float, length: float, top_radius: float = 0.0, axis: str = "x") -> RigidBody:
        """Cone, or frustum with ``top_radius``: its base at the origin, its tip at ``length`` (m) along the axis."""
        return cls._of_solid(density, primitives.cone(radius, length, top_radius, axis), "cone")

    @classmethod
    def torus(cls, density: float, radius: float, tube_radius: float, axis: str = "z") -> RigidBody:
        """Torus about the axis, centred at the origin; ``radius`` (m) reaches to the middle of the tube."""
        return cls._of_solid(density, primitives.torus(radius, tube_radius, axis), "torus")

    @classmethod
    def link(cls, density: float, length: float, width: float, thickness: float, hole_radius: float = 0.0) -> RigidBody:
        """Link with two eyes: a bar with round ends in the plane x y.

        The eyes are centred at the origin and at x = ``length`` (m); the thickness is centred on the plane. Holes of
        ``hole_radius`` (m, 0: none) go through both eyes along z.
        """
        return cls._of_solid(density, primitives.link(length, width, thickness, hole_radius), "link")

    @classmethod
    def plate(
        cls, density: float, size: ArrayLike, thickness: float, corner_radius: float = 0.0, holes: Sequence[Sequence[float]] = ()
    ) -> RigidBody:
        """Plate with edges ``size`` (2,) m along x and y, centred at the origin; round holes as (x, y, radius)."""
        return cls._of_solid(density, primitives.plate(size, thickness, corner_radius, holes), "plate")

    @classmethod
    def extrusion(
        cls, density: float, outline: ArrayLike, length: float, holes: Sequence[ArrayLike] = (), axis: str = "z"
    ) -> RigidBody:
        """Outline swept along an axis, from 0 to ``length`` (m).

        Parameters
        ----------
        outline : (n, 2) m, vertices of a polygon either way round; along "z" its coordinates are x, y, along "x" they
            are y, z and along "y" z, x. A third column is the bulge of the edge to the next vertex, as in DXF files:
            tan of a quarter of the angle of its arc (1: half a circle; 0: straight).
        holes : outlines within it

        BodyError when an outline crosses itself or another, or a hole lies outside.
        """
        return cls._of_solid(density, primitives.extrusion(outline, length, holes, axis), "extrusion")

    @classmethod
    def revolution(
        cls, density: float, outline: ArrayLike, angle: float = 2.0 * np.pi, holes: Sequence[ArrayLike] = (), axis: str = "z"
    ) -> RigidBody:
        """Outline in the half plane (r, z), r >= 0, swept about an axis by ``angle`` (rad).

        About "z" it starts in the plane x z; about "x" r starts along y, about "y" along z. ``outline`` and ``holes``
        as in :meth:`extrusion`; also BodyError where r < 0.
        """
        return cls._of_solid(density, primitives.revolution(outline, angle, holes, axis), "revolution")

    @classmethod
    def from_surface(cls, density: float, points: ArrayLike, triangles: ArrayLike) -> RigidBody:
        """What a closed surface of triangles encloses (an STL file's content, with coinciding points given once).

        Parameters
        ----------
        points : (np, 3) m
        triangles : (nt, 3) indices of points, anticlockwise seen from outside

        BodyError when the surface is not closed or turned inside out.
        """
        surface = SurfaceMesh.of_triangles(np.asarray(points), np.asarray(triangles))
        volume, center, second = enclosed_moments(surface)
        return cls._of_solid(density, Solid(volume, center, second, surface), "body from a surface")

    @classmethod
    def from_mesh(cls, mesh: Mesh, density: float | None = None) -> RigidBody:
        """Mass, centre and inertia of a mesh; ``density`` (kg/m3) overrides that of its materials, and needs none."""
        if density is not None:
            density = as_number(density, "rigid body from a mesh: density (kg/m3)", minimum=1e-300)
            any_stiffness = Material("rigid", 2.1e11, 0.3, density)
            blocks = tuple(replace(block, material=block.material or any_stiffness) for block in mesh.blocks)
            mesh = with_material(replace(mesh, blocks=blocks), density=density)
        model = assemble(mesh)
        drawn = model.surface(np.zeros((model.ndof, 0)), np.zeros((0, 2), dtype=int), np.zeros((model.ndof, 0)))
        surface = SurfaceMesh(drawn.points, drawn.faces) if len(drawn.faces) else None
        return cls(model.mass, model.inertia, model.center, surface=surface)


def _second_moment(inertia: np.ndarray) -> np.ndarray:
    return 0.5 * np.trace(inertia) * np.eye(3) - inertia
