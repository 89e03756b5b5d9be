"""The mechanism as a case script states it: bodies, joints, forces, contacts."""

from __future__ import annotations

import numpy as np

from flexmbs.errors import MechanismError
from flexmbs.kernels.laws import ContactLaw
from flexmbs.reduction.body import FlexibleBody
from flexmbs.system.bodies import BodyInSystem, suggestion
from flexmbs.system.constraints import Component, Coupling, Distance
from flexmbs.system.contacts import Contact, Plane, Sphere
from flexmbs.system.elements import Joint, Load, SpringDamper
from flexmbs.system.joints import JOINT_TYPES
from flexmbs.system.markers import Marker
from flexmbs.system.rigid import RigidBody
from flexmbs.system.rotations import as_number, as_quaternion, as_vector
from flexmbs.system.signals import signal

COORDINATES = ("reduced", "absolute")


class System:
    """Bodies, joints, forces and contacts; the only mutable object of the pipeline.

    Parameters
    ----------
    gravity : (3,) m/s2, in world axes
    coordinates : "reduced" (coordinates of the joints that carry the bodies; joints that close loops are constraints)
        or "absolute" (coordinates of every body, all joints are constraints): the same motion and reactions
    """

    def __init__(self, gravity=(0.0, 0.0, -9.81), coordinates: str = "reduced"):
        if coordinates not in COORDINATES:
            raise MechanismError(f"coordinates = {coordinates!r}: expected one of {', '.join(COORDINATES)}")
        self.coordinates = coordinates
        self.gravity = as_vector(gravity, "gravity (m/s2)")
        self.ground = BodyInSystem("ground", None)
        self.bodies: dict[str, BodyInSystem] = {"ground": self.ground}
        self.joints: dict[str, Joint] = {}
        self.loads: dict[str, Load] = {}
        self.springs: dict[str, SpringDamper] = {}
        self.contacts: dict[str, Contact] = {}
        self.constraints: dict[str, Coupling | Distance | Component] = {}

    def add(
        self, body: RigidBody | FlexibleBody, name: str, *, position=None, rotation=None, velocity=None,
        angular_velocity=None, modal_coordinates=None, modal_velocities=None,
    ) -> BodyInSystem:  # fmt: skip
        """Add a body; a pose or velocity makes it free (six freedoms), joints may hold it otherwise.

        Parameters
        ----------
        position, velocity : (3,) m, m/s of the body's frame in world axes
        rotation : matrix, rotation vector or quaternion of the body's frame
        angular_velocity : (3,) rad/s in body axes
        modal_coordinates, modal_velocities : (modes,) start values
        """
        if name in self.bodies:
            raise MechanismError(f"a body named '{name}' exists already")
        self._check_name(name)
        if not isinstance(body, RigidBody | FlexibleBody):
            raise MechanismError(f"body '{name}': expected a RigidBody or a FlexibleBody, got {type(body).__name__}")
        part = BodyInSystem(name, body)
        where = f"body '{name}'"
        if any(given is not None for given in (position, rotation, velocity, angular_velocity)):
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
            part.modal_coordinates = as_vector(modal_coordinates, f"{where}: modal_coordinates", n)
        if modal_velocities is not None:
            part.modal_velocities = as_vector(modal_velocities, f"{where}: modal_velocities", n)
        self.bodies[name] = part
        return part

    def joint(self, kind: str, a: Marker, b: Marker, name: str | None = None, **axis) -> Joint:
        """Connect marker ``a`` to marker ``b`` by a joint of the registered kind."""
        if kind not in JOINT_TYPES:
            raise MechanismError(f"no joint type '{kind}'{suggestion(kind, JOINT_TYPES)}")
        name = name or f"{kind} {sum(j.type.name == kind for j in self.joints.values()) + 1}"
        for marker in (a, b):
            self._check_marker(marker, f"joint '{name}'")
        self._check_name(name)
        joint_type = JOINT_TYPES[kind](name, **axis)
        if a.body == b.body:
            raise MechanismError(f"joint '{name}': both markers are on body '{a.body}'")
        for marker in (a, b):
            if not marker.can_turn and kind != "spherical":
                raise MechanismError(
                    f"joint '{name}': marker '{marker.label}' is a single node of a solid and has no rotation; "
                    "only a spherical joint can sit there, or name a node set as an interface in reduce()"
                )
        if kind == "spherical" and not b.can_turn:
            raise MechanismError(f"joint '{name}': marker '{b.label}' has no rotation; make it the first marker")
        self.joints[name] = Joint(name, joint_type, a, b)
        return self.joints[name]

    def _start(self, joint: Joint, coordinate: str, value: float | None, rate: float | None) -> Joint:
        """Start values of a coordinate; None: not given, zero unless loops need something else."""
        try:
            for number, start, given, word in (
                (value, joint.start, joint.given, "start"),
                (rate, joint.start_rate, joint.given_rates, "start rate of"),
            ):
                if number is not None:
                    start[coordinate] = as_number(number, f"joint '{joint.name}': {word} {coordinate}")
                    given.add(coordinate)
        except MechanismError:
            del self.joints[joint.name]  # a refused joint must not stay in the system
            raise
        return joint

    def revolute(self, a: Marker, b: Marker, axis="z", angle=None, rate=None, name=None, cut=False) -> Joint:
        """Rotation of b against a about ``axis`` of a; start ``angle`` (rad) and ``rate`` (rad/s)."""
        return self._start(self.joint("revolute", a, b, name, axis=axis), "angle", angle, rate)

    def prismatic(self, a: Marker, b: Marker, axis="x", displacement=None, rate=None, name=None, cut=False) -> Joint:
        """Translation of b against a along ``axis`` of a; start ``displacement`` (m) and ``rate`` (m/s)."""
        return self._start(self.joint("prismatic", a, b, name, axis=axis), "displacement", displacement, rate)

    def spherical(self, a: Marker, b: Marker, rotation=None, angular_velocity=(0.0, 0.0, 0.0), name=None) -> Joint:
        """Any rotation of b against a; start ``rotation`` and ``angular_velocity`` (rad/s, axes of b)."""
        return self._start_ball(self.joint("spherical", a, b, name), rotation, angular_velocity)

    def _start_ball(self, joint: Joint, rotation, angular_velocity) -> Joint:
        joint.rotation = as_quaternion(rotation, f"joint '{joint.name}'")
        joint.angular_velocity = as_vector(angular_velocity, f"joint '{joint.name}': angular_velocity (rad/s)")
        return joint

    def fixed(self, a: Marker, b: Marker, name=None) -> Joint:
        """b stays on a."""
        return self.joint("fixed", a, b, name)

    def free(
        self, a: Marker, b: Marker, position=(0.0, 0.0, 0.0), rotation=None, velocity=(0.0, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, 0.0), name=None,
    ) -> Joint:  # fmt: skip
        """Six freedoms of b against a: start position and velocity in axes of a, angular velocity in axes of b."""
        joint = self._start_ball(self.joint("free", a, b, name), rotation, angular_velocity)
        place, speed = as_vector(position, "position (m)"), as_vector(velocity, "velocity (m/s)")
        for letter, value, rate in zip("xyz", place, speed, strict=True):
            self._start(joint, letter, value, rate)
        return joint

    def force(self, marker: Marker, force, follower: bool = False, name: str | None = None) -> Load:
        """Force (three numbers or functions of time, N) at a marker, in world axes or following the marker.

        A pulse that is shorter than the steps can be stepped over: give ``simulate`` a ``max_step`` then.
        """
        return self._load(marker, force, False, follower, name)

    def torque(self, marker: Marker, torque, follower: bool = False, name: str | None = None) -> Load:
        """Torque (three numbers or functions of time, N m) on a marker, in world axes or following the marker."""
        return self._load(marker, torque, True, follower, name)

    def _load(self, marker: Marker, components, is_torque: bool, follower: bool, name: str | None) -> Load:
        kind = "torque" if is_torque else "force"
        name = name or f"{kind} {len(self.loads) + 1}"
        self._check_name(name)
        self._check_marker(marker, f"{kind} '{name}'")
        if np.ndim(np.array(components, dtype=object)) != 1 or len(components) != 3:
            raise MechanismError(
                f"{kind} '{name}': expected three components, numbers or functions of time, got {components!r}"
            )
        if (is_torque or follower) and not marker.can_turn:
            raise MechanismError(f"{kind} '{name}': marker '{marker.label}' cannot turn; use an interface")
        x, y, z = (signal(c, f"{kind} '{name}'") for c in components)
        self.loads[name] = Load(name, marker, (x, y, z), is_torque, follower)
        return self.loads[name]

    def spring_damper(self, a: Marker, b: Marker, stiffness, damping=0.0, length=0.0, name=None) -> SpringDamper:
        """Spring (N/m) and damper (N s/m) along the line between two markers; ``length`` (m) is its free length."""
        name = name or f"spring {len(self.springs) + 1}"
        self._check_name(name)
        for marker in (a, b):
            self._check_marker(marker, f"spring '{name}'")
        numbers = [
            as_number(value, f"spring '{name}': {word}", 0.0)
            for value, word in ((stiffness, "stiffness"), (damping, "damping"), (length, "length"))
        ]
        self.springs[name] = SpringDamper(name, a, b, *numbers)
        return self.springs[name]

    def contact(self, first: Sphere, second: Sphere | Plane, law: ContactLaw, name: str | None = None) -> Contact:
        """Elastic contact of a sphere or point with a plane or another sphere."""
        name = name or f"contact {len(self.contacts) + 1}"
        self._check_name(name)
        if isinstance(first, Plane):
            first, second = second, first
        if not isinstance(first, Sphere) or not isinstance(second, Sphere | Plane) or not isinstance(law, ContactLaw):
            raise MechanismError(f"contact '{name}': give a Sphere or Point, a Plane or Sphere, and a law (Hertz)")
        for shape in (first, second):
            self._check_marker(shape.marker, f"contact '{name}'")
        if first.marker.body == second.marker.body:
            raise MechanismError(f"contact '{name}': both shapes are on body '{first.marker.body}'")
        if isinstance(second, Plane) and not second.marker.can_turn:
            raise MechanismError(f"contact '{name}': a plane needs a marker that can turn, not '{second.marker.label}'")
        if not isinstance(second, Plane) and first.radius + second.radius <= 0.0:
            raise MechanismError(f"contact '{name}': two points cannot touch; give at least one a radius")
        self.contacts[name] = Contact(name, first, second, law)
        return self.contacts[name]

    def __repr__(self) -> str:
        groups = {"bodies": self.bodies, "joints": self.joints, "loads": self.loads, "springs": self.springs}
        groups["contacts"] = self.contacts
        parts = [f"{word}: {', '.join(names)}" for word, names in groups.items() if names]
        return f"System({'; '.join(parts)})"

    def simulate(self, t_end: float, **options):
        """Integrate from the start values to ``t_end`` (s): see :func:`flexmbs.analysis.dynamics.simulate`."""
        from flexmbs.analysis.dynamics import simulate

        return simulate(self, t_end, **options)

    def kinematics(self, t_end: float, **options):
        """Motion that drivers determine alone, to ``t_end`` (s): see :func:`flexmbs.analysis.kinematics.kinematics`."""
        from flexmbs.analysis.kinematics import kinematics

        return kinematics(self, t_end, **options)

    def statics(self, **options):
        """Static equilibrium, a result with one time: see :func:`flexmbs.analysis.statics.statics`."""
        from flexmbs.analysis.statics import statics

        return statics(self, **options)

    def assemble(self, **options):
        """Start values with loops closed, a result with one time: see :func:`flexmbs.analysis.statics.assemble`."""
        from flexmbs.analysis.statics import assemble

        return assemble(self, **options)

    def describe(self):
        """Bodies, joints, forces, degrees of freedom: see :func:`flexmbs.analysis.description.describe`."""
        from flexmbs.analysis.description import describe

        return describe(self)

    def linearize(self, **options):
        """Frequencies and modes about a steady state: see :func:`flexmbs.analysis.linear.linearize`."""
        from flexmbs.analysis.linear import linearize

        return linearize(self, **options)

    def _check_marker(self, marker: Marker, where: str) -> None:
        if isinstance(marker, BodyInSystem):
            known = "', '".join(marker.markers) or "none yet: add one with .marker(name, ...)"
            raise MechanismError(
                f"{where}: expected a marker, got the body '{marker.name}'; name one of its markers, such as "
                f"body['name'] (it has: '{known}')"
            )
        if not isinstance(marker, Marker):
            raise MechanismError(f"{where}: expected a marker such as body['name'], got {type(marker).__name__}")
        owner = self.bodies.get(marker.body)
        if owner is None or marker not in (*owner.markers.values(), owner.frame):
            raise MechanismError(f"{where}: marker '{marker.label}' belongs to another system")

    def _check_name(self, name: str) -> None:
        for group in (
            self.bodies, self.joints, self.loads, self.springs, self.contacts, self.constraints,
        ):  # fmt: skip
            if name in group:
                raise MechanismError(f"the name '{name}' is taken")
