"""Forces in joints: springs, friction, end stops, motors and applied efforts along one joint coordinate each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.common.plausible_values import warn_if_implausible
from flexmbs.core.laws.force.applied import AppliedLaw
from flexmbs.core.laws.force.force_law import ForceLaw, ReactionLoad
from flexmbs.core.laws.force.friction import FrictionLaw
from flexmbs.core.laws.force.joint_friction import JointFriction
from flexmbs.core.laws.force.sticking_friction import StickingFriction
from flexmbs.core.laws.force.stop import StopLaw
from flexmbs.core.laws.friction.dry_friction import DryFriction
from flexmbs.core.laws.friction.friction_law import ContactFriction, ResistingFriction
from flexmbs.mechanism.characteristics import CharacteristicLike
from flexmbs.mechanism.forces import (
    Element,
    QuantityLike,
    checked_law,
    friction_law,
    motor_law,
    normal_force_of,
    quantity,
    spring_law,
)
from flexmbs.mechanism.geometry.rotations import as_number, as_positive
from flexmbs.mechanism.joint_type import JointType
from flexmbs.mechanism.rigid_stops import RigidStop, rigid_stop, stop_ends
from flexmbs.mechanism.sensors import UserInputs, user_function


class JointForces:
    """Methods of :class:`flexmbs.mechanism.joint.Joint`; efforts are N along displacements, N m about angles.

    Histories: "J.angle.spring.effort" (force or torque on the coordinate, positive in its positive direction) and
    "J.angle.spring.power" (effort times rate: power supplied to the mechanism, W).
    """

    name: str
    type: JointType
    forces: list[Element]
    stops: list[RigidStop]
    cut: bool
    _single: Callable[[str | None, str], str]

    def spring(
        self,
        stiffness: CharacteristicLike = 0.0,
        damping: CharacteristicLike = 0.0,
        rest: float = 0.0,
        coordinate: str | None = None,
        *,
        preload: float = 0.0,
        name: str | None = None,
    ) -> Self:
        """Add a spring and damper on a coordinate: effort -(k (x - rest) + preload + c x').

        Parameters
        ----------
        stiffness : N/m or N m/rad, or elastic effort versus x - rest as two rows (x, effort) or a Characteristic
        damping : N s/m or N m s/rad, or damping effort versus rate in the same forms
        rest : m or rad
        preload : N or N m, acts in the negative direction of the coordinate
        """
        chosen = self._single(coordinate, "a spring")
        law = spring_law(stiffness, damping, rest, preload, f"joint '{self.name}', spring")
        self._check_angles(chosen, "spring", rest=rest)
        return self._add_force(chosen, "spring", law, name)

    def friction(
        self,
        static: float | ContactFriction | DryFriction,
        dynamic: float | None = None,
        *,
        normal_force: QuantityLike | str,
        transition: float | None = None,
        full_slip: float | None = None,
        radius: float | None = None,
        lag: float = 1e-3,
        bearing_length: float | None = None,
        axial_radius: float | None = None,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> Self:
        """Add friction: effort -mu(rate) normal_force radius.

        ``fm.DryFriction`` in place of the coefficients sticks: a joint at rest is held by a constraint until it needs
        more than the static friction, does not creep, and each change is an event of the run (docs/joints.md). Its
        "reaction" is that of the same instant, without a lag. It is for one coordinate of a joint, for both of a
        cylindrical joint together (no ``coordinate``), and for spherical joints.

        With coefficients it is Coulomb's, regularised (core/laws/force/friction.py): a sticking joint creeps at less
        than ``transition``; choose it small compared with the speeds of interest. A law in their place (``fm.Coulomb``,
        ``fm.Stribeck``, ``fm.Threlfall``, ``fm.LuGre``, one of your own) slips at radius times rate, in m/s; the
        bristle of ``fm.LuGre`` is the history "J.angle.friction.bristle.x" (m).

        Parameters
        ----------
        static, dynamic : coefficients; dynamic None: the same as static. Or ``static``: a friction law
        normal_force : N, a number, a function of time, a sensor, or "reaction": the load carried by the joint itself
            (the joint is then cut: modelled by constraints; see ``lag``)
        transition, full_slip : m/s or rad/s: speed at which the static coefficient is reached, and above which the
            dynamic one applies (None: 1.5 times ``transition``); a law has its own
        radius : m, of the sliding faces of a rotation; not for translations
        lag : s; with "reaction", the load follows the reaction of the joint with this time constant. Without a lag,
            friction and reaction would depend on each other instantaneously, with no or several solutions where
            friction jams (Painleve paradox); error: lag times the rate of change of the load
        bearing_length : m; with "reaction", a moment transverse to the axis adds 2 moment / bearing_length to the load
            (fm.DryFriction: both ends of the bearing carry F/2 + M/L and F/2 - M/L); None: moments are ignored
        axial_radius : m; fm.DryFriction of a rotation with "reaction": radius at which an axial force has friction;
            None: it has none
        """
        warn_if_implausible("friction", getattr(static, "static", static), f"joint '{self.name}', friction")
        if isinstance(static, DryFriction):
            if not dynamic is transition is full_slip is None:
                raise MechanismError(
                    f"joint '{self.name}', friction: dynamic=, transition= and full_slip= are not for fm.DryFriction, "
                    "which has its own coefficients and needs no transition"
                )
            return self._add_sticking(static, normal_force, radius, bearing_length, axial_radius, coordinate, name)
        if axial_radius is not None:
            raise MechanismError(f"joint '{self.name}', friction: axial_radius= is for fm.DryFriction")
        chosen = self._single(coordinate, "friction")
        where = f"joint '{self.name}', friction"
        turns = self.type.coordinates[chosen] == "rad"
        if turns and radius is None:
            raise MechanismError(f"{where}: a rotation needs radius=, the radius (m) of the sliding faces")
        if not turns and radius is not None:
            raise MechanismError(f"{where}: radius= is for rotations; '{chosen}' is a displacement")
        at = 1.0 if radius is None else as_positive(radius, f"{where}: radius (m)")
        law: FrictionLaw | JointFriction
        if isinstance(static, ContactFriction):
            if not dynamic is transition is full_slip is None:
                raise MechanismError(f"{where}: dynamic=, transition= and full_slip= are not for a law, which has its own")
            if isinstance(static, ResistingFriction) and (static.rolling > 0.0 or static.pivoting > 0.0):
                raise MechanismError(f"{where}: rolling= and pivoting= of {type(static).__name__} are for contacts; give radius=")
            law = JointFriction(static, at, *normal_force_of(normal_force, lag, bearing_length, where))
        else:
            law = friction_law(static, dynamic, normal_force, at, transition, full_slip, lag, bearing_length, where)
        if law.normal is None:
            self._require_one_axis(where)
            self.cut = True
        return self._add_force(chosen, "friction", law, name)

    def _add_sticking(
        self,
        law: DryFriction,
        normal_force: QuantityLike | str,
        radius: float | None,
        bearing_length: float | None,
        axial_radius: float | None,
        coordinate: str | None,
        name: str | None,
    ) -> Self:
        where, units = f"joint '{self.name}', friction", self.type.coordinates
        chosen = self._motions_with_friction(coordinate)
        turns = not chosen or any(units[name] == "rad" for name in chosen)
        if turns and radius is None:
            raise MechanismError(f"{where}: a rotation needs radius=, the radius (m) of the sliding faces")
        if not turns and (radius is not None or axial_radius is not None):
            raise MechanismError(f"{where}: radius= and axial_radius= are for rotations; {chosen[0]!r} is a displacement")
        r = 1.0 if radius is None else as_positive(radius, f"{where}: radius (m)")
        pressing, _lag, arm = normal_force_of(normal_force, 1.0, bearing_length, where)
        slides = {axis.coordinate: axis.factor for axis in self.type.axes if axis.kind == "translation"}
        advance = abs(slides.get(chosen[0], 0.0)) if turns and len(chosen) == 1 else 0.0
        if axial_radius is not None and (len(chosen) != 1 or advance > 0.0 or pressing is not None):
            raise MechanismError(f"{where}: axial_radius= is for a rotation about one axis with normal_force='reaction'")
        axial = 0.0 if axial_radius is None else as_positive(axial_radius, f"{where}: axial_radius (m)") / r
        along = float(np.hypot(r, advance))  # slip per radian along a thread
        radii = tuple(along if units[name] == "rad" else 1.0 for name in chosen) or (r,)
        made = StickingFriction(law, chosen, radii, pressing, 0.5 * arm, axial, r if advance > 0.0 else 0.0, advance)
        for element in self.forces:
            if isinstance(element.law, StickingFriction) and (set(element.law.coordinates) & set(chosen) or not chosen):
                raise MechanismError(f"{where}: '{element.name}' acts there already; two that stick share no load")
        if made.normal is None:
            if chosen:
                self._require_one_axis(where)
            self.cut = True
        word = chosen[0] if len(chosen) == 1 else "slip" if chosen else self.type.axes[-1].coordinate
        return self._add_force(word, "friction", made, name)

    def _motions_with_friction(self, coordinate: str | None) -> tuple[str, ...]:
        """Coordinates that share a cone of friction; none: the rotation of a spherical joint."""
        if coordinate is None and self.type.name == "cylindrical":
            return tuple(name for name in self.type.coordinates if name not in self.type.play)
        if self.type.ends_with_ball and coordinate in (None, self.type.axes[-1].coordinate):
            if len(self.type.axes) > 1:
                raise MechanismError(
                    f"joint '{self.name}' ({self.type.name}): friction of a rotation in space is for spherical joints"
                )
            return ()
        return (self._single(coordinate, "friction"),)

    def limit(
        self,
        lower: float | None = None,
        upper: float | None = None,
        *,
        stiffness: float | None = None,
        restitution: float | None = None,
        damping: float = 0.0,
        exponent: float = 1.0,
        depth: float = 1e-4,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> Self:
        """Add stops: compliant ones (``stiffness``) or rigid ones (``restitution``).

        Compliant stops push with F + c d', F = k d^exponent, at depth d beyond an end, and never pull. At rigid stops the
        rate jumps by the balance of momentum of the whole mechanism to -restitution times its value, until the
        coordinate rests there; impulses are in the result's events.

        Parameters
        ----------
        lower, upper : m or rad; None: no stop at that end
        stiffness : N/m^exponent or N m/rad^exponent; an exponent above 1 makes the force start smoothly
        damping : N s/m or N m s/rad. Not as deep as ``depth`` (m or rad), what exceeds F of it is faded in, so that the
            force starts at zero; what rests there is damped in full
        """
        chosen = self._single(coordinate, "a limit")
        where = f"joint '{self.name}', limit"
        if (stiffness is None) == (restitution is None):
            raise MechanismError(f"{where}: give either stiffness= (a compliant stop) or restitution= (a rigid one)")
        ends = stop_ends(lower, upper, where)
        if restitution is not None:
            self.stops.append(rigid_stop(self.stops, chosen, ends, restitution, name, where))
            self._check_angles(chosen, "limit", lower=lower, upper=upper)
            return self
        assert stiffness is not None
        power, c = as_number(exponent, f"{where}: exponent", 1.0), as_number(damping, f"{where}: damping", 0.0)
        law = StopLaw(*ends, as_positive(stiffness, f"{where}: stiffness"), power, c, as_positive(depth, f"{where}: depth"))
        self._check_angles(chosen, "limit", lower=lower, upper=upper)
        return self._add_force(chosen, "limit", law, name)

    def motor(
        self, curve: CharacteristicLike, command: QuantityLike = 1.0, coordinate: str | None = None, *, name: str | None = None
    ) -> Self:
        """Add a motor: effort command T(rate), with T its torque-speed curve at full command.

        In reverse (command < 0) the curve is mirrored: command * T(-rate).

        Parameters
        ----------
        curve : two rows (speeds in rad/s or m/s, torques in N m or forces in N), or a Characteristic
        command : number, function of time, or sensor (a controller's output), normally in [-1, 1]
        """
        chosen = self._single(coordinate, "a motor")
        return self._add_force(chosen, "motor", motor_law(curve, command, f"joint '{self.name}', motor"), name)

    def actuate(
        self,
        effort: QuantityLike | Callable[..., object],
        inputs: UserInputs = (),
        coordinate: str | None = None,
        *,
        name: str | None = None,
        compiled: bool | None = None,
    ) -> Self:
        """Apply an effort in the positive direction: a number, a sensor, or a function f(t, *inputs) of sensors."""
        chosen = self._single(coordinate, "an actuator")
        where = f"joint '{self.name}', effort"
        if callable(effort) and len(inputs) > 0:
            effort = user_function(where, effort, inputs, 1, compiled).sensor()
        return self._add_force(chosen, "actuator", AppliedLaw(quantity(effort, where)), name)

    def force(self, law: ForceLaw, coordinate: str | None = None, *, name: str | None = None) -> Self:
        """Add a force law (``fm.ForceLaw``) on a coordinate; histories: "J.angle.KIND.effort" and ".power"."""
        chosen = self._single(coordinate, "a force law")
        where = f"joint '{self.name}', force"
        law = checked_law(law, where)
        if isinstance(law.given, ReactionLoad):
            self._require_one_axis(where)
            self.cut = True
        return self._add_force(chosen, law.kind, law, name)

    def _add_force(self, coordinate: str, word: str, law: ForceLaw, name: str | None) -> Self:
        taken = {element.name for element in self.forces}
        wanted = f"{self.name}.{coordinate}.{name or word}"
        chosen, number = wanted, 2
        while chosen in taken:
            if name is not None:
                raise MechanismError(f"joint '{self.name}': the name '{name}' is taken on '{coordinate}'")
            chosen, number = f"{wanted} {number}", number + 1
        self.forces.append(Element(chosen, law, joint=self, coordinate=coordinate))
        return self

    def _check_angles(self, coordinate: str, word: str, **values: float | None) -> None:
        """Warn if an angle looks like degrees."""
        for name, value in values.items():
            if self.type.coordinates[coordinate] == "rad" and value is not None:
                warn_if_implausible("angle", float(value), f"joint '{self.name}', {word}: {name}")

    def _require_one_axis(self, where: str) -> None:
        if self.type.play:
            raise MechanismError(
                f"{where}: the load of a joint with play is that of its contact; state friction there, with "
                "Clearance(friction=...), or give normal_force as a number, function or sensor"
            )
        directions = np.array([axis.direction for axis in self.type.axes if axis.kind != "ball"])
        across = np.linalg.norm(np.cross(directions, directions[0]), axis=1)
        bent = any(axis.kind not in ("rotation", "translation") for axis in self.type.axes)
        if bent or np.any(across > 1e-12):
            raise MechanismError(
                f"{where}: normal_force='reaction' is for joints with one axis (revolute, prismatic, cylindrical, "
                f"screw), not {self.type.name}; give the normal force as a number, function or sensor"
            )
