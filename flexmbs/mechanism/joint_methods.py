"""The methods of Mechanism for joints.

All have the same form: two markers, the geometry of the joint, start values and start rates of its coordinates (None:
not given; zero, unless closing a loop or the place of a body requires another value), ``name``, and ``cut``: True models
the joint by constraints even if the spanning tree could contain it. Some take a ``clearance``: play with contact
(docs/clearance.md). With ``at`` (3,), m, a point of the world at the start, bodies stand in place of the markers: these are
made there, with the axes of the world, so that ``axis`` and its like are directions in the world (docs/joints.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.common.plausible_values import warn_if_implausible
from flexmbs.mechanism.body_in_system import BodyInSystem, suggestion
from flexmbs.mechanism.clearance.clearance import Clearance
from flexmbs.mechanism.clearance.free_motions import with_clearance
from flexmbs.mechanism.contact.contact import Contact
from flexmbs.mechanism.geometry.curves import Curve
from flexmbs.mechanism.geometry.rotations import RotationLike, as_number, as_quaternion, as_vector
from flexmbs.mechanism.geometry.surfaces import Surface
from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.joint_clearance import FILM, checked_clearance, play_contacts, start_of_play
from flexmbs.mechanism.joint_type import DirectionLike
from flexmbs.mechanism.joints import JOINT_TYPES
from flexmbs.mechanism.markers import Marker

#: What a joint connects: a marker, or with ``at`` a body.
End: TypeAlias = Marker | BodyInSystem


class JointMethods:
    """Mixed into Mechanism, which has the attributes declared here."""

    bodies: dict[str, BodyInSystem]
    joints: dict[str, Joint]
    contacts: dict[str, Contact]
    _check_marker: Callable[[Marker, str], None]
    _check_name: Callable[[str], None]
    _add_contact: Callable[[Contact], Contact]

    def joint(
        self,
        kind: str,
        a: End,
        b: End,
        name: str | None = None,
        cut: bool = False,
        clearance: Clearance | None = None,
        at: ArrayLike | None = None,
        **geometry: Any,
    ) -> Joint:
        """Connect marker ``a`` to marker ``b`` by a joint of the registered kind, with play if it has a clearance."""
        if kind not in JOINT_TYPES:
            raise MechanismError(f"unknown joint type '{kind}'{suggestion(kind, JOINT_TYPES)}")
        name = name or f"{kind} {sum(j.type.name == kind for j in self.joints.values()) + 1}"
        self._check_name(name)
        joint_type = JOINT_TYPES[kind](name, **geometry)
        first, second = (self._end(end, at, name) for end in (a, b))
        if clearance is not None:
            joint_type = with_clearance(joint_type, checked_clearance(clearance, name), f"joint '{name}'")
        if first.body == second.body:
            raise MechanismError(f"joint '{name}': both markers are on body '{first.body}'")
        only_ball = joint_type.ends_with_ball and len(joint_type.axes) == 1
        for marker, needed in ((first, not only_ball), (second, not joint_type.ends_with_ball)):
            if needed and not marker.can_turn:
                raise MechanismError(
                    f"joint '{name}': marker '{marker.label}' is a single node of a solid and has no rotation; only a "
                    "spherical joint, or the second marker of another joint with free rotation, can be attached there; "
                    "otherwise define a node set as an interface in reduce()"
                )
        joint = Joint(name, joint_type, first, second, cut=bool(cut), clearance=clearance)
        if clearance is not None:
            start_of_play(joint, clearance)
            for contact in play_contacts(joint, clearance):
                self._add_contact(contact)
        self.joints[name] = joint
        return joint

    def _end(self, end: End, at: ArrayLike | None, name: str) -> Marker:
        """The marker of joint ``name`` on one of its bodies, with ``at`` a new one there."""
        if at is None:
            self._check_marker(end, f"joint '{name}'")  # type: ignore[arg-type]  # a body is refused there
            return end  # type: ignore[return-value]
        if not isinstance(end, BodyInSystem):
            raise MechanismError(f"joint '{name}': with at= give the two bodies, not {end!r}; without it, their markers")
        if self.bodies.get(end.name) is not end:
            raise MechanismError(f"joint '{name}': body '{end.name}' belongs to another system")
        label = name
        while label in end.markers:  # of the user, or of a joint that was refused
            label += " at"
        return end.marker(label, at=at)

    def _state(
        self,
        joint: Joint,
        values: dict[str, float | None],
        rates: dict[str, float | None],
        rotation: RotationLike | None = None,
        angular_velocity: ArrayLike | None = None,
        position: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
    ) -> Joint:
        """Set start values and rates by coordinate, those of a ball joint, and of x, y, z together; None: not given."""
        where = f"joint '{joint.name}'"
        try:
            if position is not None:
                values.update(zip("xyz", as_vector(position, f"{where}: position (m)"), strict=True))
            if velocity is not None:
                rates.update(zip("xyz", as_vector(velocity, f"{where}: velocity (m/s)"), strict=True))
            for numbers, start, given, word, kind in (
                (values, joint.start, joint.given, "start", "angle"),
                (rates, joint.start_rate, joint.given_rates, "start rate of", "speed"),
            ):
                for coordinate, number in numbers.items():
                    if number is not None:
                        start[coordinate] = as_number(number, f"{where}: {word} {coordinate}")
                        if joint.type.coordinates[coordinate] == "rad":
                            warn_if_implausible(kind, start[coordinate], f"{where}: {word} {coordinate}")
                        given.add(coordinate)
            if rotation is not None:
                joint.rotation = as_quaternion(rotation, where)
                joint.given.add("rotation")
            if angular_velocity is not None:
                joint.angular_velocity = as_vector(angular_velocity, f"{where}: angular_velocity (rad/s)")
                joint.given_rates.add("rotation")
        except MechanismError:
            # a rejected joint must not remain in the system, nor what touches in it
            del self.joints[joint.name]
            for name in (joint.name, f"{joint.name}.{FILM}") if joint.clearance is not None else ():
                self.contacts.pop(name, None)
            raise
        return joint

    def fixed(self, a: End, b: End, name: str | None = None, cut: bool = False, at: ArrayLike | None = None) -> Joint:
        """Marker b is fixed to marker a."""
        return self.joint("fixed", a, b, name, cut, at=at)

    def revolute(
        self,
        a: End,
        b: End,
        axis: DirectionLike = "z",
        angle: float | None = None,
        rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        clearance: Clearance | None = None,
        at: ArrayLike | None = None,
    ) -> Joint:
        """Rotation of b relative to a about ``axis`` of a; start ``angle`` (rad) and ``rate`` (rad/s)."""
        return self._state(self.joint("revolute", a, b, name, cut, clearance, at=at, axis=axis), {"angle": angle}, {"angle": rate})

    def prismatic(
        self,
        a: End,
        b: End,
        axis: DirectionLike = "x",
        displacement: float | None = None,
        rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        clearance: Clearance | None = None,
        at: ArrayLike | None = None,
    ) -> Joint:
        """Translation of b relative to a along ``axis`` of a; start ``displacement`` (m) and ``rate`` (m/s)."""
        joint = self.joint("prismatic", a, b, name, cut, clearance, at=at, axis=axis)
        return self._state(joint, {"displacement": displacement}, {"displacement": rate})

    def cylindrical(
        self,
        a: End,
        b: End,
        axis: DirectionLike = "z",
        displacement: float | None = None,
        angle: float | None = None,
        displacement_rate: float | None = None,
        angle_rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        clearance: Clearance | None = None,
        at: ArrayLike | None = None,
    ) -> Joint:
        """Translation of b along ``axis`` of a (``displacement``, m) and rotation about it (``angle``, rad)."""
        joint = self.joint("cylindrical", a, b, name, cut, clearance, at=at, axis=axis)
        values = {"displacement": displacement, "angle": angle}
        return self._state(joint, values, {"displacement": displacement_rate, "angle": angle_rate})

    def screw(
        self,
        a: End,
        b: End,
        pitch: float,
        axis: DirectionLike = "z",
        angle: float | None = None,
        rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """Rotation about ``axis`` of a (``angle``, rad) with which b advances ``pitch`` (m per turn) along it."""
        joint = self.joint("screw", a, b, name, cut, at=at, pitch=pitch, axis=axis)
        return self._state(joint, {"angle": angle}, {"angle": rate})

    def planar(
        self,
        a: End,
        b: End,
        normal: DirectionLike = "z",
        u: float | None = None,
        v: float | None = None,
        angle: float | None = None,
        u_rate: float | None = None,
        v_rate: float | None = None,
        angle_rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """b moves in a plane of a (``u``, ``v``, m) and turns about its ``normal`` (``angle``, rad).

        u × v = normal: with normal "z", u runs along x and v along y of marker a; with "x" along y and z.
        """
        joint = self.joint("planar", a, b, name, cut, at=at, normal=normal)
        return self._state(joint, {"u": u, "v": v, "angle": angle}, {"u": u_rate, "v": v_rate, "angle": angle_rate})

    def universal(
        self,
        a: End,
        b: End,
        first: DirectionLike = "x",
        second: DirectionLike = "y",
        angle1: float | None = None,
        angle2: float | None = None,
        angle1_rate: float | None = None,
        angle2_rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """Cross with one pin along axis ``first`` of a and the other along axis ``second`` of b (angles in rad)."""
        joint = self.joint("universal", a, b, name, cut, at=at, first=first, second=second)
        return self._state(joint, {"angle1": angle1, "angle2": angle2}, {"angle1": angle1_rate, "angle2": angle2_rate})

    def constant_velocity(
        self,
        a: End,
        b: End,
        axis: DirectionLike = "z",
        angle1: float | None = None,
        angle2: float | None = None,
        angle1_rate: float | None = None,
        angle2_rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """Shafts along ``axis`` of a and of b at any angle (bending angles, rad) with equal speeds of rotation."""
        joint = self.joint("constant_velocity", a, b, name, cut, at=at, axis=axis)
        return self._state(joint, {"angle1": angle1, "angle2": angle2}, {"angle1": angle1_rate, "angle2": angle2_rate})

    def spherical(
        self,
        a: End,
        b: End,
        rotation: RotationLike | None = None,
        angular_velocity: ArrayLike | None = None,
        name: str | None = None,
        cut: bool = False,
        clearance: Clearance | None = None,
        at: ArrayLike | None = None,
    ) -> Joint:
        """Free rotation of b relative to a; start ``rotation`` and ``angular_velocity`` (rad/s, axes of b)."""
        return self._state(self.joint("spherical", a, b, name, cut, clearance, at=at), {}, {}, rotation, angular_velocity)

    def free(
        self,
        a: End,
        b: End,
        position: ArrayLike | None = None,
        rotation: RotationLike | None = None,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """Six freedoms of b relative to a: start position and velocity in axes of a, angular velocity in axes of b."""
        return self._state(self.joint("free", a, b, name, cut, at=at), {}, {}, rotation, angular_velocity, position, velocity)

    def inline(
        self,
        a: End,
        b: End,
        axis: DirectionLike = "x",
        displacement: float | None = None,
        rate: float | None = None,
        rotation: RotationLike | None = None,
        angular_velocity: ArrayLike | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """The origin of b moves on a line along ``axis`` of a (``displacement``, m); b turns freely."""
        joint = self.joint("inline", a, b, name, cut, at=at, axis=axis)
        values, rates = {"displacement": displacement}, {"displacement": rate}
        return self._state(joint, values, rates, rotation, angular_velocity)

    def inplane(
        self,
        a: End,
        b: End,
        normal: DirectionLike = "z",
        u: float | None = None,
        v: float | None = None,
        u_rate: float | None = None,
        v_rate: float | None = None,
        rotation: RotationLike | None = None,
        angular_velocity: ArrayLike | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """The origin of b moves in a plane of a (``u``, ``v``, m, as in ``planar``); b turns freely."""
        joint = self.joint("inplane", a, b, name, cut, at=at, normal=normal)
        return self._state(joint, {"u": u, "v": v}, {"u": u_rate, "v": v_rate}, rotation, angular_velocity)

    def parallel(
        self,
        a: End,
        b: End,
        axis: DirectionLike = "z",
        position: ArrayLike | None = None,
        angle: float | None = None,
        velocity: ArrayLike | None = None,
        angle_rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """``axis`` of b stays parallel to that of a; ``position`` (m, axes of a) and ``angle`` about it are free."""
        joint = self.joint("parallel", a, b, name, cut, at=at, axis=axis)
        return self._state(joint, {"angle": angle}, {"angle": angle_rate}, position=position, velocity=velocity)

    def perpendicular(
        self,
        a: End,
        b: End,
        first: DirectionLike = "z",
        second: DirectionLike = "x",
        position: ArrayLike | None = None,
        angle1: float | None = None,
        angle2: float | None = None,
        velocity: ArrayLike | None = None,
        angle1_rate: float | None = None,
        angle2_rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """Axis ``second`` of b stays at a right angle to axis ``first`` of a; b turns about both and moves freely."""
        joint = self.joint("perpendicular", a, b, name, cut, at=at, first=first, second=second)
        values, rates = {"angle1": angle1, "angle2": angle2}, {"angle1": angle1_rate, "angle2": angle2_rate}
        return self._state(joint, values, rates, position=position, velocity=velocity)

    def orientation(
        self,
        a: End,
        b: End,
        position: ArrayLike | None = None,
        velocity: ArrayLike | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """The axes of b stay parallel to those of a; ``position`` (m, axes of a) is free."""
        return self._state(self.joint("orientation", a, b, name, cut, at=at), {}, {}, position=position, velocity=velocity)

    def point_on_curve(
        self,
        a: End,
        b: End,
        curve: Curve,
        s: float | None = None,
        rate: float | None = None,
        rotation: RotationLike | None = None,
        angular_velocity: ArrayLike | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """The origin of b moves on a ``curve`` of a like a bead on a wire (arc length ``s``, m); b turns freely."""
        joint = self.joint("point_on_curve", a, b, name, cut, at=at, curve=curve)
        return self._state(joint, {"s": s}, {"s": rate}, rotation, angular_velocity)

    def follow_curve(
        self,
        a: End,
        b: End,
        curve: Curve,
        s: float | None = None,
        rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """b moves on a ``curve`` fixed to a and turns with it, x forward (arc length ``s``, m): a car on a track."""
        return self._state(self.joint("follow_curve", a, b, name, cut, at=at, curve=curve), {"s": s}, {"s": rate})

    def point_on_surface(
        self,
        a: End,
        b: End,
        surface: Surface,
        u: float | None = None,
        v: float | None = None,
        u_rate: float | None = None,
        v_rate: float | None = None,
        rotation: RotationLike | None = None,
        angular_velocity: ArrayLike | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """The origin of b moves on a ``surface`` fixed to a (parameters ``u``, ``v``, m); b turns freely."""
        joint = self.joint("point_on_surface", a, b, name, cut, at=at, surface=surface)
        return self._state(joint, {"u": u, "v": v}, {"u": u_rate, "v": v_rate}, rotation, angular_velocity)

    def curve_on_curve(
        self,
        a: End,
        b: End,
        curve_a: Curve,
        curve_b: Curve,
        opposite: bool = True,
        sa: float | None = None,
        sb: float | None = None,
        sa_rate: float | None = None,
        sb_rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """A curve of b slides on a curve of a in one plane: cam and follower; arc lengths ``sa``, ``sb`` (m).

        opposite: the curves are travelled against each other at the contact, as two counterclockwise outlines outside
        each other are; False for an outline inside a ring.
        """
        joint = self.joint("curve_on_curve", a, b, name, cut, at=at, curve_a=curve_a, curve_b=curve_b, opposite=opposite)
        return self._state(joint, {"sa": sa, "sb": sb}, {"sa": sa_rate, "sb": sb_rate})

    def rolling_curves(
        self,
        a: End,
        b: End,
        curve_a: Curve,
        curve_b: Curve,
        opposite: bool = True,
        start_b: float = 0.0,
        s: float | None = None,
        rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """A curve of b rolls on a curve of a without slipping, in one plane; arc length ``s`` (m) on a.

        opposite: see ``curve_on_curve``; start_b: arc length (m) of the point of b that touches a at s = 0.
        """
        geometry: dict[str, Any] = dict(curve_a=curve_a, curve_b=curve_b, opposite=opposite, start_b=start_b)
        joint = self.joint("curve_on_curve", a, b, name, cut, at=at, rolling=True, **geometry)
        return self._state(joint, {"s": s}, {"s": rate})

    def cam_roller(
        self,
        a: End,
        b: End,
        curve: Curve,
        radius: float,
        side: str = "right",
        s: float | None = None,
        angle: float | None = None,
        s_rate: float | None = None,
        angle_rate: float | None = None,
        name: str | None = None,
        cut: bool = False,
        at: ArrayLike | None = None,
    ) -> Joint:
        """b is the centre of a roller of ``radius`` (m) on a planar ``curve`` of a; it turns freely in the plane.

        side: "right" is outside a counterclockwise outline. s: arc length (m) of the parallel curve on which the centre
        moves. A roller that turns with the cam without slipping: ``rolling_curves`` with a circle.
        """
        joint = self.joint("cam_roller", a, b, name, cut, at=at, curve=curve, radius=radius, side=side)
        return self._state(joint, {"s": s, "angle": angle}, {"s": s_rate, "angle": angle_rate})
