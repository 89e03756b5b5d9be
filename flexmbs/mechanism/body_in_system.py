"""Bodies as parts of a system, with their markers."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.common.plausible_values import warn_if_implausible
from flexmbs.mechanism.geometry.rotations import RotationLike, as_matrix, as_vector
from flexmbs.mechanism.high_modes import DampedModes, QuasiStatic, coordinate_frequencies, in_eigenvectors, with_damped_modes
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.rigid_body import RigidBody
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields

_AT = 1e-3  # of the size of a flexible body: what is so near to a place is there


def suggestion(name: str, known: Iterable[str]) -> str:
    """'; did you mean ...?' if a known name is similar, otherwise the list of known names."""
    known = [str(k) for k in known]
    near = difflib.get_close_matches(str(name), known, n=1)
    return f"; did you mean '{near[0]}'?" if near else f"; known: {', '.join(known) if known else 'none'}"


class BodyInSystem:
    """Ground, a rigid body or a flexible body within one system; ``part["name"]`` is one of its markers.

    ``condensed`` (modes,) marks modal coordinates without inertia, which follow their load statically.
    """

    def __init__(
        self, name: str, body: RigidBody | FlexibleBody | None, high_modes: QuasiStatic | DampedModes | None = None
    ) -> None:
        self.name = name
        self.body = body
        self._turn: np.ndarray | None = None  # transformation from own modal coordinates to those of the given body
        if high_modes is not None:
            self._apply(high_modes)
        self.condensed = self.body.massless.copy() if self.is_flexible else np.zeros(0, dtype=bool)
        if isinstance(high_modes, QuasiStatic):
            self.condensed |= coordinate_frequencies(self.body) > high_modes.above
        self.markers: dict[str, Marker] = {}
        self.pose: tuple[np.ndarray, np.ndarray] | None = None  # position, quaternion given to System.add
        self.stated: frozenset[str] = frozenset()  # words of those that were given
        self.twist: tuple[np.ndarray, np.ndarray] = (np.zeros(3), np.zeros(3))
        self.modal_coordinates = np.zeros(self.mode_count)
        self.modal_velocities = np.zeros(self.mode_count)
        if isinstance(body, FlexibleBody):
            for marker_name, fields in body.markers.items():
                turn = body.places[marker_name].rotation if marker_name in body.places else np.eye(3)
                self.markers[marker_name] = Marker(name, marker_name, fields.position, turn, fields)
        # the reference frame; on a flexible body it is not a material point, so nothing may be attached to it
        self.frame = Marker(name, "origin", np.zeros(3), np.eye(3))
        if not self.is_flexible:
            self.markers["origin"] = self.frame

    def _apply(self, high_modes: QuasiStatic | DampedModes) -> None:
        """Transform the body as ``high_modes`` requires."""
        if not isinstance(high_modes, QuasiStatic | DampedModes):
            raise MechanismError(f"body '{self.name}': high_modes = {high_modes!r}; expected QuasiStatic(above=Hz) or DampedModes")
        if not self.is_flexible:
            raise MechanismError(f"body '{self.name}': high_modes is for flexible bodies; this one is rigid")
        if isinstance(high_modes, DampedModes):
            self.body = with_damped_modes(self.body, high_modes)
        else:
            self.body, self._turn = in_eigenvectors(self.body)

    def own_coordinates(self, q: np.ndarray) -> np.ndarray:
        """(modes,) own modal coordinates for modal coordinates q (modes,) of the body that was added."""
        return q if self._turn is None else np.linalg.solve(self._turn, q)

    @property
    def is_flexible(self) -> bool:
        """Whether the body has modes of deformation."""
        return isinstance(self.body, FlexibleBody)

    @property
    def mode_count(self) -> int:
        """Number of modes; 0 for rigid bodies."""
        return self.body.mode_count if self.is_flexible else 0

    def __repr__(self) -> str:
        kind = type(self.body).__name__ if self.body is not None else "ground"
        return f"{self.name} ({kind}; markers: {', '.join(self.markers) or 'none'})"

    def __getitem__(self, name: str) -> Marker:
        if name not in self.markers:
            raise MechanismError(f"body '{self.name}' has no marker '{name}'{suggestion(name, self.markers)}")
        return self.markers[name]

    def marker(
        self,
        name: str,
        position: ArrayLike | None = None,
        rotation: RotationLike | None = None,
        *,
        node: int | None = None,
        on: str | None = None,
        at: ArrayLike | None = None,
    ) -> Marker:
        """Add a marker.

        Parameters
        ----------
        position : (3,) m, body frame (rigid bodies and ground)
        rotation : matrix, rotation vector or quaternion: marker axes in the body frame
        node : node number of the mesh (flexible bodies)
        on : name of an interface (flexible bodies), for another marker there with different axes
        at : (3,) m, a point of the world at the start, instead; ``rotation`` is then that of the marker in the world. Of
            flexible bodies the interface or node that is there
        """
        where = f"marker '{name}' on body '{self.name}'"
        if name in self.markers:
            raise MechanismError(f"{where}: the name is taken")
        refuse_unwritable((name,), f"a marker on body '{self.name}'", MechanismError)
        turn = as_matrix(rotation, where)
        if at is not None:
            if position is not None or node is not None or on is not None:
                raise MechanismError(f"{where}: at= is a place by itself, without position=, node= or on=")
            place, R = self._from_world(as_vector(at, f"{where}: at (m)"), where)
            turn = R.T @ turn
            if self.is_flexible:
                node, on = self._nearest(place, where)
            else:
                position = place
        if self.is_flexible:
            fields = self._fields(where, position, node, on)
            marker = Marker(self.name, name, fields.position, turn, fields)
        else:
            if node is not None or on is not None:
                raise MechanismError(f"{where}: node= and on= belong to flexible bodies; give position= in m")
            place = as_vector((0.0, 0.0, 0.0) if position is None else position, f"{where}: position (m)")
            if isinstance(self.body, RigidBody):
                gyration = np.sqrt(np.trace(self.body.inertia) / (2.0 * self.body.mass))
                warn_if_implausible("distance", float(np.linalg.norm(place - self.body.center)), where, gyration=float(gyration))
            marker = Marker(self.name, name, place, turn)
        self.markers[name] = marker
        return marker

    def _from_world(self, point: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
        """(3,) the point in the body's frame at the start, and the rotation (3, 3) of that frame."""
        if self.body is None:
            return point, np.eye(3)
        if self.pose is None:
            raise MechanismError(
                f"{where}: at= is a point of the world, where this body has no place yet: add(body, '{self.name}', position=..., "
                "rotation=...) gives it one; position=(0, 0, 0) if the body's frame is that of the world"
            )
        R = as_matrix(self.pose[1], where)
        return R.T @ (point - self.pose[0]), R

    def _nearest(self, place: np.ndarray, where: str) -> tuple[int | None, str | None]:
        """Node, or name of the interface, of a flexible body at a place in its frame."""
        body = self.body
        size = float(np.ptp(body.points, axis=0).max(initial=0.0))
        apart = {name: float(np.linalg.norm(fields.position - place)) for name, fields in body.markers.items()}
        nodes = np.linalg.norm(body.points - place, axis=1)
        on, node = min(apart, key=apart.get, default=None), int(np.argmin(nodes))
        if on is not None and apart[on] <= _AT * size:
            return None, on
        if nodes[node] <= _AT * size:
            return int(body.node_ids[node]), None
        interface = "" if on is None else f"interface '{on}' {apart[on]:.4g} m and "
        raise MechanismError(
            f"{where}: nothing of this flexible body is at that place: its nearest {interface}node {body.node_ids[node]} "
            f"{nodes[node]:.4g} m away; check the pose given to add(), or make an interface there in reduce()"
        )

    def _fields(self, where: str, position: ArrayLike | None, node: int | None, on: str | None) -> PointFields:
        body = self.body
        if position is not None or (node is None) == (on is None):
            raise MechanismError(f"{where}: on a flexible body give node=NUMBER or on='interface', not a position")
        if on is not None:
            if on not in body.markers:
                raise MechanismError(f"{where}: no interface '{on}'{suggestion(on, body.markers)}")
            return body.markers[on]
        found = np.flatnonzero(body.node_ids == node)
        if len(found) == 0:
            low, high = body.node_ids.min(), body.node_ids.max()
            raise MechanismError(f"{where}: the mesh has no node {node} (its numbers run from {low} to {high})")
        i = int(found[0])
        turns = body.rotations is not None
        n, pairs = body.mode_count, len(body.pairs)
        return PointFields(
            position=body.points[i],
            Phi=body.modes[:, i],
            Psi=body.rotations[:, i] if turns else np.zeros((n, 3)),
            Zu=body.quadratic[:, i],
            Zr=body.quadratic_rotations[:, i] if turns else np.zeros((pairs, 3)),
            has_rotation=turns,
        )
