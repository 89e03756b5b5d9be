"""The methods of Mechanism for couplings, gears, belts, rods, cables, prescribed markers and rolling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.constraints import Belt, Cable, Component, Constraint, Coupling, Distance, ElasticCoupling, Rolling, Terms
from flexmbs.mechanism.geometry.rotations import as_nonzero, as_number, as_positive
from flexmbs.mechanism.joint import Joint, JointCoordinate
from flexmbs.mechanism.joint_type import DirectionLike, directions_in_plane, unit_axis
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.python_functions import FunctionOfTime
from flexmbs.mechanism.time_signals import Signal, driver, signal

Kept = TypeVar("Kept", bound=Constraint | ElasticCoupling)


class ConstraintMethods:
    """Mixin of Mechanism. A joint with several coordinates is given as (joint, "coordinate")."""

    joints: dict[str, Joint]
    constraints: dict[str, Constraint]
    couplers: dict[str, ElasticCoupling]
    belts: dict[str, Belt]
    _check_marker: Callable[[Marker, str], None]
    _check_name: Callable[[str], None]

    def couple(
        self,
        *terms: tuple[Joint, float] | tuple[Joint, str, float],
        value: FunctionOfTime | None = None,
        rate: FunctionOfTime | None = None,
        acceleration: FunctionOfTime | None = None,
        name: str | None = None,
    ) -> Coupling:
        """Constrain a sum of factor * joint coordinate: ``couple((wheel, 2.0), (slide, "displacement", -1.0))``.

        terms : (joint, factor) or (joint, coordinate, factor)
        value : number or function of time that the sum equals; None: its value at the stated start values
        rate, acceleration : derivatives of a Python function; without a value, the sum is prescribed by its rate or
            acceleration (see ``Joint.prescribe``)
        """
        name = self._constraint_name(name, "coupling")
        found = self._terms(terms, f"coupling '{name}'")
        given, level = None, 0
        if not (value is None and rate is None and acceleration is None):
            given, level = driver(value, rate, acceleration, f"coupling '{name}'")
        return self._keep(Coupling(name, found, signal=given, level=level))

    def couple_elastically(
        self,
        *terms: tuple[Joint, float] | tuple[Joint, str, float],
        stiffness: float,
        damping: float = 0.0,
        rest: float | None = None,
        name: str | None = None,
    ) -> ElasticCoupling:
        """Spring and damper on a sum of factor * joint coordinate: force -(k (sum - rest) + c sum') along the sum.

        terms : as in :meth:`couple`
        stiffness, damping : N/m and N s/m of a sum in m, N m/rad and N m s/rad of one in rad
        rest : m or rad; None: the sum of the stated start values
        """
        name = self._constraint_name(name, "elastic coupling")
        where = f"elastic coupling '{name}'"
        found = self._terms(terms, where)
        k, c = as_number(stiffness, f"{where}: stiffness", 0.0), as_number(damping, f"{where}: damping", 0.0)
        relaxed = None if rest is None else as_number(rest, f"{where}: rest")
        return self._keep(ElasticCoupling(name, found, k, c, relaxed))

    def _terms(self, terms: Sequence[object], where: str) -> Terms:
        """Joint, coordinate and factor of each term."""
        found = tuple(self._term(term, where) for term in terms)
        if len(found) == 0:
            raise MechanismError(f"{where}: give at least one (joint, factor)")
        keys = [(joint.name, coordinate) for joint, coordinate, _factor in found]
        if len(set(keys)) < len(keys):
            raise MechanismError(f"{where}: a coordinate is given twice: {keys}")
        return found

    def gear(
        self,
        first: JointCoordinate,
        second: JointCoordinate,
        ratio: float | None = None,
        teeth: tuple[float, float] | None = None,
        internal: bool = False,
        name: str | None = None,
    ) -> Coupling:
        """Gears on two joints: the coordinate of ``second`` grows by ``ratio`` times that of ``first``.

        first, second : joint or (joint, "coordinate"); the bearings of both wheels on one body, which may itself move
        ratio : negative for external gears whose axes point in the same direction
        teeth : numbers of teeth (first, second), instead of the ratio; ``internal``: one wheel is a ring gear

        They mesh at the stated start values. The multiplier is the torque on the second joint's coordinate; the tooth
        force does not act on the bearings (to include it, let pitch circles roll: ``rolling_curves``).
        """
        name = self._constraint_name(name, "gear")
        where = f"gear '{name}'"
        if (ratio is None) == (teeth is None):
            raise MechanismError(f"{where}: give either ratio= or teeth=(first, second)")
        if teeth is not None:
            if np.shape(teeth) != (2,):
                raise MechanismError(f"{where}: teeth = {teeth!r}; expected two numbers")
            one, two = (as_positive(number, f"{where}: number of teeth") for number in teeth)
            ratio = (1.0 if internal else -1.0) * one / two
        ratio = as_nonzero(ratio, f"{where}: ratio")
        driving, driven = self._coordinate(first, where), self._coordinate(second, where)
        return self.couple((*driven, 1.0), (*driving, -ratio), name=name)

    def rack_and_pinion(self, pinion: JointCoordinate, rack: JointCoordinate, radius: float, name: str | None = None) -> Coupling:
        """The displacement of ``rack`` grows by ``radius`` (m) times the angle of ``pinion``.

        A negative radius turns the sense around.

        Joints or (joint, "coordinate"); they mesh at the stated start values. The multiplier is the force on the rack.
        """
        name = self._constraint_name(name, "rack")
        where = f"rack and pinion '{name}'"
        radius = as_nonzero(radius, f"{where}: radius (m)")
        turn, move = self._coordinate(pinion, where), self._coordinate(rack, where)
        return self.couple((*move, 1.0), (*turn, -radius), name=name)

    def belt(
        self,
        pulleys: Sequence[JointCoordinate],
        radii: Sequence[float],
        stiffness: ArrayLike | None = None,
        damping: ArrayLike = 0.0,
        closed: bool = True,
        name: str | None = None,
    ) -> tuple:
        """A belt over two or more pulleys without slip; rigid, or elastic with ``stiffness``.

        Parameters
        ----------
        pulleys : joints or (joint, "coordinate"), in the order in which the belt passes them
        radii : m, one per pulley; negative where the pulley is on the other side of the belt and rotates in the
            opposite direction
        stiffness, damping : N/m, N s/m of each free span (one number, or one per span), relaxed at the stated start
            values
        closed : whether the belt runs from the last pulley back to the first (an open elastic belt has one span less)

        Returns the couplings, named ``name 1``, ``name 2`` ... The belt force on the bearings is not included.
        """
        name = self._constraint_name(name, "belt")
        where = f"belt '{name}'"
        if len(pulleys) < 2 or len(radii) != len(pulleys):
            raise MechanismError(f"{where}: give at least two pulleys and as many radii, got {len(pulleys)} and {len(radii)}")
        radii = [as_nonzero(radius, f"{where}: radius (m)") for radius in radii]
        ends = [(*self._coordinate(pulley, where), radius) for pulley, radius in zip(pulleys, radii, strict=True)]
        self.belts[name] = Belt(name, tuple(end[0] for end in ends), tuple(radii), closed)
        spans = list(zip(ends[:-1], ends[1:], strict=True))
        if stiffness is None:
            return tuple(self.couple(one, (*two[:2], -two[2]), name=f"{name} {i + 1}") for i, (one, two) in enumerate(spans))
        if closed:
            spans.append((ends[-1], ends[0]))
        made = []
        for i, (one, two) in enumerate(spans):
            k, c = (
                as_number(values[i] if np.ndim(values) else values, f"{where}: {word} of span {i + 1}", 0.0)
                for values, word in ((stiffness, "stiffness"), (damping, "damping"))
            )
            made.append(self._keep(ElasticCoupling(f"{name} {i + 1}", (one, (*two[:2], -two[2])), k, c)))
        return tuple(made)

    def rod(self, a: Marker, b: Marker, length: FunctionOfTime, name: str | None = None) -> Distance:
        """Massless rigid rod with spherical ends between two markers; ``length`` (m) may be a function of time."""
        name = self._constraint_name(name, "rod")
        where = f"rod '{name}'"
        self._check_pair(a, b, where)
        size, given = self._length(length, where)
        return self._keep(Distance(name, a, b, size, signal=given))

    def cable(
        self, markers: Sequence[Marker], length: FunctionOfTime, parts: Sequence[float] | None = None, name: str | None = None
    ) -> Cable:
        """Cable of ``length`` (m, or a function of time: a winch) from the first marker over the others to the last.

        It runs over the markers without friction (eyes, or pulleys of zero radius) and is always taut.
        parts : number of cable parts between neighbouring markers (a tackle), one per gap; default one
        """
        name = self._constraint_name(name, "cable")
        where = f"cable '{name}'"
        if len(markers) < 2:
            raise MechanismError(f"{where}: give at least two markers, got {len(markers)}")
        for marker in markers:
            self._check_marker(marker, where)
        parts = [1.0] * (len(markers) - 1) if parts is None else [as_positive(n, f"{where}: parts") for n in parts]
        if len(parts) != len(markers) - 1:
            raise MechanismError(f"{where}: parts = {parts!r}; expected {len(markers) - 1} numbers, one per gap")
        size, given = self._length(length, where)
        return self._keep(Cable(name, tuple(markers), tuple(parts), size, signal=given))

    def prescribe_point(
        self,
        a: Marker,
        b: Marker,
        axis: str,
        position: FunctionOfTime | None = None,
        rate: FunctionOfTime | None = None,
        acceleration: FunctionOfTime | None = None,
        name: str | None = None,
    ) -> Component:
        """Prescribe component ``axis`` ("x", "y", "z") of the position (m) of marker b relative to a, in the axes of a.

        At position, velocity or acceleration level as in ``Joint.prescribe``. The multiplier is the force on b.
        """
        name = self._constraint_name(name, "prescribed point")
        where = f"prescribed point '{name}'"
        self._check_pair(a, b, where)
        if axis not in ("x", "y", "z"):
            raise MechanismError(f"{where}: axis = {axis!r}; expected 'x', 'y' or 'z' of the first marker")
        for other in self.constraints.values():
            if isinstance(other, Component) and (other.a, other.b, "xyz"[other.axis]) == (a, b, axis):
                raise MechanismError(f"{where}: {axis} of '{b.label}' is prescribed already by '{other.name}'")
        given, level = driver(position, rate, acceleration, where)
        return self._keep(Component(name, a, b, "xyz".index(axis), signal=given, level=level))

    def rolling_disc(
        self,
        disc: Marker,
        plane: Marker,
        radius: float,
        axle: DirectionLike = "z",
        normal: DirectionLike = "z",
        name: str | None = None,
    ) -> Rolling:
        """A thin disc of ``radius`` (m) about the origin of ``disc`` rolls on a plane without slipping.

        disc : its centre; ``axle``: axis of this marker along its axle
        plane : a point of the plane; ``normal``: axis of this marker that points to the side of the disc

        The reaction "NAME.reaction.force" acts on the disc at its centre, with its moment.
        """
        return self._rolling(disc, plane, radius, axle, normal, name, False)

    def rolling_ball(
        self, ball: Marker, plane: Marker, radius: float, normal: DirectionLike = "z", name: str | None = None
    ) -> Rolling:
        """A ball of ``radius`` (m) about the origin of ``ball`` rolls on a plane without slipping; it may spin."""
        return self._rolling(ball, plane, radius, "z", normal, name, True)

    def _rolling(
        self, b: Marker, a: Marker, radius: float, axle: DirectionLike, normal: DirectionLike, name: str | None, is_ball: bool
    ) -> Rolling:
        name = self._constraint_name(name, "rolling")
        where = f"rolling '{name}'"
        self._check_pair(a, b, where)
        for marker in (a, b):
            if not marker.can_turn:
                raise MechanismError(f"{where}: marker '{marker.label}' has no rotation; use an interface of the body")
        radius = as_positive(radius, f"{where}: radius (m)")
        u, v = directions_in_plane(normal, name)
        directions = np.array([u, v, unit_axis(normal, name), unit_axis(axle, name)])
        return self._keep(Rolling(name, a, b, radius, directions, is_ball))

    def _constraint_name(self, name: str | None, word: str) -> str:
        if name is None:
            number = len(self.constraints) + 1
            while f"{word} {number}" in self.constraints:
                number += 1
            name = f"{word} {number}"
        self._check_name(name)
        return name

    def _keep(self, constraint: Kept) -> Kept:
        self._check_name(constraint.name)
        group = self.couplers if isinstance(constraint, ElasticCoupling) else self.constraints
        group[constraint.name] = constraint
        return constraint

    def _check_pair(self, a: Marker, b: Marker, where: str) -> None:
        for marker in (a, b):
            self._check_marker(marker, where)
        if a.body == b.body:
            raise MechanismError(f"{where}: both markers are on body '{a.body}'")

    def _length(self, length: FunctionOfTime, where: str) -> tuple[float, Signal | None]:
        """Length at t = 0 (m, positive) and the signal of one that changes."""
        if not callable(length):
            return as_positive(length, f"{where}: length (m)"), None
        given, _level = driver(length, None, None, f"{where}: length (m)")
        return as_positive(signal(length, where).value(0.0), f"{where}: length (m) at t = 0"), given

    def _coordinate(self, given: object, where: str) -> tuple[Joint, str]:
        """Joint and coordinate of a joint, or of (joint, "coordinate")."""
        joint, coordinate = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
        if not isinstance(joint, Joint):
            raise MechanismError(f"{where}: expected a joint or (joint, 'coordinate'), got {given!r}")
        if self.joints.get(joint.name) is not joint:
            raise MechanismError(f"{where}: joint '{joint.name}' belongs to another system")
        return joint, joint._single(coordinate, where)

    def _term(self, term: object, where: str) -> tuple[Joint, str, float]:
        if not isinstance(term, tuple) or len(term) not in (2, 3):
            raise MechanismError(f"{where}: expected (joint, factor) or (joint, coordinate, factor), got {term!r}")
        joint, coordinate = self._coordinate(term[:-1] if len(term) == 3 else term[0], where)
        return joint, coordinate, as_nonzero(term[-1], f"{where}: factor of '{joint.name}.{coordinate}'")
