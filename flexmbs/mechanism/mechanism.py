"""The mechanism as a case script states it: bodies, joints, forces, contacts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.common.names_in_messages import Named, refuse_unwritable
from flexmbs.common.plausible_values import warn_if_implausible
from flexmbs.core.laws.contact.contact_law import ContactLaw
from flexmbs.core.laws.friction.friction_law import ContactFriction
from flexmbs.mechanism.body_in_system import BodyInSystem
from flexmbs.mechanism.constraint_methods import ConstraintMethods
from flexmbs.mechanism.constraints import Belt, Constraint, ElasticCoupling
from flexmbs.mechanism.contact.body_surface import BodySurface
from flexmbs.mechanism.contact.capsule import Capsule
from flexmbs.mechanism.contact.contact import Contact, checked_friction
from flexmbs.mechanism.contact.contact_group import ContactGroup
from flexmbs.mechanism.contact.pairs import contact_points
from flexmbs.mechanism.contact.shapes import Shape, Sphere
from flexmbs.mechanism.contact.surface import RigidSurface
from flexmbs.mechanism.contact.surface_pairs import refuse_memory
from flexmbs.mechanism.contact_methods import ContactMethods
from flexmbs.mechanism.control_methods import SignalMethods
from flexmbs.mechanism.event_methods import EventMethods
from flexmbs.mechanism.force_methods import ForceMethods
from flexmbs.mechanism.geometry.rotations import RotationLike, as_quaternion, as_vector
from flexmbs.mechanism.high_modes import DampedModes, QuasiStatic
from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.joint_methods import JointMethods
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.rigid_body import RigidBody
from flexmbs.reduction.flexible_body import FlexibleBody

COORDINATES = ("reduced", "absolute")

# Attributes with parts by name: those that are shown, and all, no two of which have one name.
_SHOWN = ("bodies", "joints", "loads", "springs", "bushings", "contacts", "constraints", "couplers", "states")
_NAMED = (*_SHOWN, "contact_groups", "sensors", "functions", "events", "latches")


class Mechanism(JointMethods, ConstraintMethods, ForceMethods, SignalMethods, ContactMethods, EventMethods):
    """Bodies, joints, forces and contacts; the only mutable object of the pipeline.

    Case scripts state it as a :class:`flexmbs.System`, which adds the analyses.

    Parameters
    ----------
    gravity : (3,) m/s2, in world axes; without it (0, 0, -9.81), z points up
    coordinates : "reduced" (coordinates of the joints that carry the bodies; joints that close loops are constraints)
        or "absolute" (coordinates of every body, all joints are constraints): the same motion and reactions
    """

    def __init__(self, gravity: ArrayLike = (0.0, 0.0, -9.81), coordinates: str = "reduced") -> None:
        self.coordinates = coordinates
        self.gravity = gravity
        self.ground = BodyInSystem("ground", None)
        self.bodies: dict[str, BodyInSystem] = Named("body", {"ground": self.ground})
        self.joints: dict[str, Joint] = Named("joint")
        self.contacts: dict[str, Contact] = {}
        self.contact_groups: dict[str, ContactGroup] = {}
        self.constraints: dict[str, Constraint] = {}
        self.couplers: dict[str, ElasticCoupling] = {}
        self.belts: dict[str, Belt] = {}
        self._start_forces()
        self._start_signals()
        self._start_events()

    @property
    def gravity(self) -> np.ndarray:
        """(3,) m/s2, world axes; assign a vector to change it."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        vector = as_vector(value, "gravity (m/s2)").copy()
        warn_if_implausible("gravity", vector, "gravity")
        vector.flags.writeable = False  # a changed component would not be checked
        self._gravity = vector

    @property
    def coordinates(self) -> str:
        """ "reduced" or "absolute"."""
        return self._coordinates

    @coordinates.setter
    def coordinates(self, value: str) -> None:
        if value not in COORDINATES:
            raise MechanismError(f"coordinates = {value!r}: expected one of {', '.join(COORDINATES)}")
        self._coordinates = value

    def add(
        self,
        body: RigidBody | FlexibleBody,
        name: str,
        *,
        position: ArrayLike | None = None,
        rotation: RotationLike | None = None,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        modal_coordinates: ArrayLike | None = None,
        modal_velocities: ArrayLike | None = None,
        high_modes: QuasiStatic | DampedModes | None = None,
    ) -> BodyInSystem:
        """Add a body, perhaps with its place in the world; without any joint it is free (six freedoms).

        Parameters
        ----------
        position, velocity : (3,) m, m/s of the body's frame in world axes at the start; those of joints follow from them
        rotation : matrix, rotation vector or quaternion of the body's frame
        angular_velocity : (3,) rad/s in body axes
        modal_coordinates, modal_velocities : (modes,) start values
        high_modes : what is done with modes above a frequency (flexible bodies); None: they are as all others
        """
        if not isinstance(body, RigidBody | FlexibleBody) and isinstance(name, RigidBody | FlexibleBody):
            raise MechanismError(f"add: the body stands first, then its name: add(body, {body!r})")
        if name in self.bodies:
            raise MechanismError(f"a body named '{name}' exists already")
        self._check_name(name)
        if not isinstance(body, RigidBody | FlexibleBody):
            raise MechanismError(f"body '{name}': expected a RigidBody or a FlexibleBody, got {type(body).__name__}")
        where = f"body '{name}'"
        part = BodyInSystem(name, body, high_modes)
        stated = {"position": position, "rotation": rotation, "velocity": velocity, "angular_velocity": angular_velocity}
        part.stated = frozenset(word for word, given in stated.items() if given is not None)
        if part.stated:
            zero = np.zeros(3)
            part.pose = (
                as_vector(zero if position is None else position, f"{where}: position (m)"),
                as_quaternion(rotation, where),
            )
            part.twist = (
                as_vector(zero if velocity is None else velocity, f"{where}: velocity (m/s)"),
                as_vector(zero if angular_velocity is None else angular_velocity, f"{where}: angular_velocity (rad/s)"),
            )
        n = part.mode_count
        if modal_coordinates is not None:
            given = as_vector(modal_coordinates, f"{where}: modal_coordinates", n)
            part.modal_coordinates = part.own_coordinates(given)
        if modal_velocities is not None:
            given = as_vector(modal_velocities, f"{where}: modal_velocities", n)
            part.modal_velocities = part.own_coordinates(given)
        self.bodies[name] = part
        return part

    def contact(
        self,
        first: Shape | BodyInSystem,
        second: Shape | BodyInSystem,
        law: ContactLaw,
        name: str | None = None,
        friction: ContactFriction | None = None,
    ) -> Contact:
        """Contact between two shapes (docs/contact.md), with a law of the normal force and perhaps friction.

        A body stands for its surface: ``fm.BodySurface``, or of a rigid one against spheres and capsules
        ``fm.RigidSurface``.
        """
        name = name or f"contact {len(self.contacts) + 1}"
        self._check_name(name)
        where = f"contact '{name}'"
        first, second = self._shape(first, second, where), self._shape(second, first, where)
        if not isinstance(law, ContactLaw):
            raise MechanismError(f"{where}: law must be a contact law such as fm.Hertz(...), not {law!r}")
        if first.marker.body == second.marker.body:
            raise MechanismError(f"{where}: both shapes are on body '{first.marker.body}'")
        first, second, points = contact_points(first, second, where, law.is_rigid)
        if law.is_rigid and friction is not None:
            raise MechanismError(
                f"{where}: friction of rigid contact is part of its law: law=fm.Rigid(friction=...), without friction="
            )
        checked = checked_friction(friction, (first, second), where)
        refuse_memory(points, law, checked, where)
        return self._add_contact(Contact(name, first, second, law, points, checked))

    def _shape(self, given: object, other: object, where: str) -> Shape:
        """A shape whose marker belongs to this system; of a body its surface."""
        shape: object = given
        if isinstance(given, BodyInSystem):
            smooth = isinstance(other, Sphere | Capsule) and not given.is_flexible
            shape = RigidSurface(given) if smooth else BodySurface(given)  # type: ignore[arg-type]  # it takes bodies too
        if not isinstance(shape, Shape):
            raise MechanismError(f"{where}: expected a shape such as fm.Sphere(marker, radius), got {type(shape).__name__}")
        self._check_marker(shape.marker, where)
        return shape

    def __repr__(self) -> str:
        parts = [f"{word}: {', '.join(getattr(self, word))}" for word in _SHOWN if getattr(self, word)]
        return f"{type(self).__name__}({'; '.join(parts)})"

    def _check_marker(self, marker: Marker, where: str) -> None:
        if isinstance(marker, BodyInSystem):
            known = "', '".join(marker.markers) or "none yet: add one with .marker(name, ...)"
            raise MechanismError(
                f"{where}: expected a marker, got the body '{marker.name}'; name one of its markers, such as "
                f"body['name'] (it has: '{known}'); joints take bodies with a point of the world, at=(x, y, z)"
            )
        if not isinstance(marker, Marker):
            raise MechanismError(f"{where}: expected a marker such as body['name'], got {type(marker).__name__}")
        owner = self.bodies.get(marker.body)
        if owner is None or marker not in (*owner.markers.values(), owner.frame):
            raise MechanismError(f"{where}: marker '{marker.label}' belongs to another system")

    def _check_name(self, name: str) -> None:
        if not isinstance(name, str) or not name.strip():
            raise MechanismError(f"a name must be a text that is not empty, not {name!r}")
        refuse_unwritable((name,), "system", MechanismError)
        if any(name in getattr(self, group) for group in _NAMED):
            raise MechanismError(f"the name '{name}' is taken")
