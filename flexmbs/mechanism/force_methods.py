"""The methods of Mechanism for forces: springs, bushings, point loads, distributed loads on flexible bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError, MechanismWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.laws.force.applied import AppliedLaw
from flexmbs.core.laws.force.force_law import ForceLaw
from flexmbs.mechanism import distributed_loads
from flexmbs.mechanism.body_in_system import BodyInSystem, suggestion
from flexmbs.mechanism.characteristics import CharacteristicLike
from flexmbs.mechanism.forces import (
    Bushing,
    Element,
    Load,
    LoadLike,
    Quantity,
    QuantityLike,
    SpreadLoad,
    checked_law,
    quantity,
    spring_law,
)
from flexmbs.mechanism.geometry.rotations import as_vector
from flexmbs.mechanism.joint_type import DirectionLike, unit_axis
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.sensors import Sensor, UserInputs, user_function


class ForceMethods:
    """Mixed into :class:`flexmbs.mechanism.mechanism.Mechanism`."""

    def _start_forces(self) -> None:
        self.loads: dict[str, Load | SpreadLoad] = {}
        self.springs: dict[str, Element] = {}
        self.bushings: dict[str, Bushing] = {}

    def force(
        self,
        marker: Marker,
        force: LoadLike,
        follower: bool = False,
        name: str | None = None,
        *,
        inputs: UserInputs = (),
        compiled: bool | None = None,
    ) -> Load:
        """Force (N) at a marker, in world axes or those of the marker (``follower``).

        Parameters
        ----------
        force : three numbers, functions of time or sensors; or, with ``inputs`` (sensors), a function f(t, *inputs)
            that returns three numbers
        compiled : see :meth:`function`

        Steps may skip a pulse that is shorter than they are: set ``max_step`` in ``simulate``.
        """
        return self._load(marker, force, False, follower, name, inputs, compiled)

    def torque(
        self,
        marker: Marker,
        torque: LoadLike,
        follower: bool = False,
        name: str | None = None,
        *,
        inputs: UserInputs = (),
        compiled: bool | None = None,
    ) -> Load:
        """Torque (N m) on a marker; parameters as in :meth:`force`."""
        return self._load(marker, torque, True, follower, name, inputs, compiled)

    def _load(
        self,
        marker: Marker,
        components: LoadLike,
        is_torque: bool,
        follower: bool,
        name: str | None,
        inputs: UserInputs,
        compiled: bool | None,
    ) -> Load:
        kind = "torque" if is_torque else "force"
        name = name or f"{kind} {len(self.loads) + 1}"
        where = f"{kind} '{name}'"
        self._check_name(name)
        self._check_marker(marker, where)
        if (is_torque or follower) and not marker.can_turn:
            raise MechanismError(f"{where}: marker '{marker.label}' cannot turn; use an interface")
        self.loads[name] = Load(name, marker, self._three(components, where, inputs, compiled), is_torque, follower)
        return self.loads[name]

    def _three(self, components: LoadLike, where: str, inputs: UserInputs, compiled: bool | None) -> tuple[Quantity, ...]:
        """Three quantities from three of them, from a sensor of three numbers, or from a user function."""
        inputs = (inputs,) if isinstance(inputs, Sensor) else tuple(inputs)
        if callable(components) and inputs:
            components = user_function(where, components, inputs, 3, compiled).sensor()
        if isinstance(components, Sensor):
            components = tuple(components[i] for i in range(components.size))
        if inputs and not all(isinstance(part, Sensor) for part in components):
            raise MechanismError(f"{where}: inputs= requires one function f(t, *inputs) that returns three numbers")
        parts = tuple(components) if np.iterable(components) and not isinstance(components, str) else ()
        if len(parts) != 3 or any(np.ndim(part) > 0 for part in parts if not isinstance(part, Sensor)):
            raise MechanismError(f"{where}: expected three components, numbers or functions of time, got {components!r}")
        return tuple(quantity(part, where) for part in parts)

    def spring_damper(
        self,
        a: Marker,
        b: Marker,
        stiffness: CharacteristicLike = 0.0,
        damping: CharacteristicLike = 0.0,
        length: float = 0.0,
        name: str | None = None,
        *,
        preload: float = 0.0,
        force: Callable[..., object] | None = None,
        inputs: UserInputs = (),
        compiled: bool | None = None,
    ) -> Element:
        """Spring and damper along the line between two markers: tension k (l - length) + preload + c l'.

        Histories: "NAME.length", "NAME.rate", "NAME.force" (tension, N), "NAME.power" (W, what it puts into the
        mechanism).

        Parameters
        ----------
        stiffness : N/m, or tension versus elongation as two rows (m, N) or a Characteristic
        damping : N s/m, or tension versus rate in the same forms
        length : m, at which the elastic tension is zero
        preload : N, tension at that length
        force : f(t, length, rate, *inputs) -> tension (N), instead of stiffness and damping (it stores no energy)
        """
        name = name or f"spring {len(self.springs) + 1}"
        where = f"spring '{name}'"
        self._check_force_ends(a, b, name, where, turn=False)
        law = spring_law(stiffness, damping, length, preload, f"{where}:")
        if isinstance(law.rest, float) and law.rest < 0.0:
            raise MechanismError(f"{where}: length {law.rest:g} m must not be negative")
        parts = (law.stiffness, law.damping, law.preload)
        works = any(not isinstance(part, float) or part != 0.0 for part in parts)
        if force is None and not works:
            warn(f"{where} has no stiffness, damping or preload: it does nothing", MechanismWarning)
        if force is not None:
            if works:
                raise MechanismError(f"{where}: give either force= or stiffness, damping and preload")
            seen = (self.sensor("distance", b, a), self.sensor("distance rate", b, a))
            rule = user_function(where, force, (*seen, *inputs), 1, compiled)
            law = AppliedLaw(rule.sensor("N"), -1.0)
        self.springs[name] = Element(name, law, a=a, b=b)
        return self.springs[name]

    def torsion_spring(
        self,
        a: Marker,
        b: Marker,
        stiffness: CharacteristicLike = 0.0,
        damping: CharacteristicLike = 0.0,
        rest: float = 0.0,
        axis: DirectionLike = "z",
        name: str | None = None,
        *,
        preload: float = 0.0,
    ) -> Element:
        """Torsion spring and damper about ``axis`` of a: torque -(k (angle - rest) + preload + c angle') on b.

        The angle is the rotation of b relative to a about the axis, over any number of turns. It starts with those of
        the joints that turn b about this axis, else between -pi and pi. Histories: "NAME.angle", "NAME.rate", "NAME.torque",
        "NAME.power".

        Parameters
        ----------
        stiffness : N m/rad, or elastic torque versus angle from rest as two rows (rad, N m) or a Characteristic
        damping : N m s/rad, or torque versus rate in the same forms
        rest : rad
        """
        name = name or f"torsion spring {len(self.springs) + 1}"
        where = f"torsion spring '{name}'"
        self._check_force_ends(a, b, name, where, turn=True)
        law = spring_law(stiffness, damping, rest, preload, f"{where}:")
        self.springs[name] = Element(name, law, a=a, b=b, axis=unit_axis(axis, name))
        return self.springs[name]

    def force_element(
        self, a: Marker, b: Marker, law: ForceLaw, axis: DirectionLike | None = None, name: str | None = None
    ) -> Element:
        """Force law (``fm.ForceLaw``) along the line between two markers, or about ``axis`` of a.

        The law acts on the distance (m), positive where it pushes the markers apart, or on the rotation of b relative
        to a (rad, as in :meth:`torsion_spring`). Histories: "NAME.length", "NAME.rate", "NAME.force" (tension, N),
        "NAME.power", or "NAME.angle", "NAME.rate", "NAME.torque", "NAME.power".
        """
        name = name or f"force element {len(self.springs) + 1}"
        where = f"force element '{name}'"
        self._check_force_ends(a, b, name, where, turn=axis is not None)
        direction = None if axis is None else unit_axis(axis, name)
        self.springs[name] = Element(name, checked_law(law, where), a=a, b=b, axis=direction)
        return self.springs[name]

    def bushing(
        self,
        a: Marker,
        b: Marker,
        stiffness: ArrayLike,
        damping: ArrayLike = 0.0,
        name: str | None = None,
        *,
        rest: ArrayLike | None = None,
        preload: ArrayLike | None = None,
    ) -> Bushing:
        """Elastic connection in all six directions: force and moment -(K (e - rest) + preload + C e') on b.

        e: displacement (m) and rotation (rad) of b relative to a, in the axes of a.  Histories: "NAME.displacement.x",
        "NAME.rotation.x", "NAME.force.x", "NAME.moment.x" (on b, axes of a), "NAME.power".

        Where joints let b turn about one axis of a, or the stiffness about one axis is zero, the rotation is the tilt of that
        axis plus any number of turns about it. Else it is the rotation vector, which jumps at half a turn; a run warns there.

        Parameters
        ----------
        stiffness, damping : (6, 6), or their diagonals (6,), or (translation, rotation): N/m, N m/rad; N s/m, N m s/rad
        rest, preload : (6,) m and rad; N and N m
        """
        name = name or f"bushing {len(self.bushings) + 1}"
        where = f"bushing '{name}'"
        self._check_force_ends(a, b, name, where, turn=True)
        K, C = _matrix(stiffness, f"{where}: stiffness"), _matrix(damping, f"{where}: damping")
        given = (("rest", rest), ("preload", preload))
        offsets = (as_vector(np.zeros(6) if one is None else one, f"{where}: {word}", 6) for word, one in given)
        self.bushings[name] = Bushing(name, a, b, K, C, *offsets)
        return self.bushings[name]

    def line_load(
        self,
        body: BodyInSystem,
        nodes: Sequence[int] | np.ndarray,
        force: LoadLike,
        follower: bool = False,
        name: str | None = None,
    ) -> Load | tuple[Load | SpreadLoad, ...]:
        """Force per length along a row of nodes of a flexible body.

        Parameters
        ----------
        nodes : node numbers in order along the line; the load between two neighbours is shared equally
        force : three numbers, functions of time or sensors (N/m), in world axes; with ``follower`` in body axes that
            rotate with the nodes (requires nodes with rotations: beams, shells), accurate to first order in the
            deformation
        """
        name = name or f"line load {len(self.loads) + 1}"
        where = f"line load '{name}'"
        self._check_flexible(body, name, where)
        components = self._three(force, where, (), None)
        lengths, places = distributed_loads.node_lengths(body, nodes, where)
        if not follower:
            marker = distributed_loads.mean_marker(body, places, lengths, name)
            self.loads[name] = Load(name, marker, components, False, False, float(lengths.sum()))
            return self.loads[name]
        for component, fields, letter in zip(
            components, distributed_loads.following_lines(body, places, lengths, where), "xyz", strict=True
        ):
            self.loads[f"{name}.{letter}"] = SpreadLoad(f"{name}.{letter}", body.name, component, fields)
        return tuple(self.loads[f"{name}.{letter}"] for letter in "xyz")

    def pressure(
        self,
        body: BodyInSystem,
        pressure: QuantityLike,
        where: Callable[[np.ndarray], np.ndarray] | None = None,
        follower: bool = True,
        name: str | None = None,
    ) -> SpreadLoad:
        """Pressure (Pa, positive into the body) on a part of the surface of a flexible body.

        Parameters
        ----------
        pressure : number, function of time, or sensor
        where : function of points (k, 3) m of the undeformed surface in the body frame -> (k,) bool; a face is loaded
            if all its points are selected; None: the whole surface
        follower : True: normal to the deformed surface (accurate to first order in the deformation); False: with the
            normals and areas of the undeformed body
        """
        name = name or f"pressure {len(self.loads) + 1}"
        label = f"pressure '{name}'"
        self._check_flexible(body, name, label)
        amplitude = quantity(pressure, f"{label}: pressure (Pa)")
        fields = distributed_loads.pressure_fields(body, where, follower, label)
        self.loads[name] = SpreadLoad(name, body.name, amplitude, fields)
        return self.loads[name]

    def _check_force_ends(self, a: Marker, b: Marker, name: str, where: str, turn: bool) -> None:
        self._check_name(name)
        for marker in (a, b):
            self._check_marker(marker, where)
            if turn and not marker.can_turn:
                raise MechanismError(f"{where}: marker '{marker.label}' cannot turn; use an interface")
        if a is b:
            raise MechanismError(f"{where}: both ends are marker '{a.label}'")

    def _check_flexible(self, body: object, name: str, where: str) -> None:
        self._check_name(name)
        if not isinstance(body, BodyInSystem) or body.name not in self.bodies:
            raise MechanismError(f"{where}: expected a body that system.add(...) returned, got {body!r}")
        if not body.is_flexible:
            flexible = [part.name for part in self.bodies.values() if part.is_flexible]
            raise MechanismError(f"{where}: body '{body.name}' is not flexible{suggestion(body.name, flexible)}")


def _matrix(given: ArrayLike, where: str) -> np.ndarray:
    """(6, 6) matrix from a matrix, a diagonal, two numbers (translation, rotation) or one; positive semidefinite."""
    try:
        values = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise MechanismError(f"{where}: expected numbers, got {given!r}") from None
    if values.shape == ():
        values = np.full(6, float(values))
    elif values.shape == (2,):
        values = np.repeat(values, 3)
    matrix = np.diag(values) if values.shape == (6,) else values
    if matrix.shape != (6, 6) or not np.all(np.isfinite(matrix)):
        raise MechanismError(
            f"{where}: expected a (6, 6) matrix, its diagonal (6,) or (translation, rotation), got shape {values.shape}"
        )
    size = np.abs(matrix).max(initial=0.0)
    if np.abs(matrix - matrix.T).max() > 1e-9 * size:
        raise MechanismError(f"{where}: the matrix is not symmetric and would generate energy in a closed cycle")
    if np.linalg.eigvalsh(matrix).min() < -1e-9 * size:
        raise MechanismError(f"{where}: the matrix has a negative eigenvalue {np.linalg.eigvalsh(matrix).min():.3g}")
    return 0.5 * (matrix + matrix.T)
