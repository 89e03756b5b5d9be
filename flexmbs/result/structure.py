"""The constant part of a result, needed to read its histories: bodies, markers, contacts, names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from flexmbs.common.errors import UnknownHistoryError
from flexmbs.common.names_in_messages import near_names
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields


@dataclass(frozen=True)
class BodyRecord:
    """One body of the mechanism; the first one is ground.

    Attributes
    ----------
    flexible : FlexibleBody or None (rigid bodies and ground)
    coordinate_start, rate_start : int
        Where the modal coordinates of a flexible body begin in q and in v.
    center : (3,) m, centre of mass in the body frame (drawn for rigid bodies)
    mass, inertia : kg, and (3, 3) kg m2 about the centre of mass, of a rigid body
    shape_points : (np, 3) m, surface of a rigid body in its frame; empty: drawn as a small frame
    shape_faces : (k,) int, VTK style [count, i, j, k, ...]
    """

    name: str
    flexible: FlexibleBody | None = None
    coordinate_start: int = 0
    rate_start: int = 0
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    shape_points: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))
    shape_faces: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    mass: float = 0.0
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))

    @property
    def coordinates(self) -> slice:
        """Where the modal coordinates lie in q (empty for rigid bodies)."""
        return slice(self.coordinate_start, self.coordinate_start + self._modes)

    @property
    def rates(self) -> slice:
        """Where the modal rates lie in v (empty for rigid bodies)."""
        return slice(self.rate_start, self.rate_start + self._modes)

    @property
    def _modes(self) -> int:
        return 0 if self.flexible is None else self.flexible.mode_count


@dataclass(frozen=True)
class MarkerRecord:
    """A named point of a body.

    Attributes
    ----------
    name : str
        Name within the body ("tip"); histories are called "body.marker.position.x" and so on.
    body : str
    fields : PointFields or None
        How it moves with the modes of a flexible body; None: fixed in the body frame.
    position : (3,) m; rotation : (3, 3)
        In the undeformed body frame (with ``fields`` their position counts).
    """

    name: str
    body: str
    fields: PointFields | None = None
    position: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))


@dataclass(frozen=True)
class ContactPair:
    """Geometry of a contact: a sphere (or point, radius 0) at marker a against a plane or a sphere at marker b.

    Attributes
    ----------
    marker_a, marker_b : int
        Indices into ``Structure.markers``.
    normal : (3,) or None
        Outward normal of the plane in the frame of marker b; None: b is a sphere too.
    """

    name: str
    marker_a: int
    marker_b: int
    radius_a: float = 0.0
    radius_b: float = 0.0
    normal: np.ndarray | None = None


@dataclass(frozen=True)
class OutlineRecord:
    """Surface of a shape of contacts that pictures show, in axes of its marker (an index into ``Structure.markers``).

    Attributes
    ----------
    points : (np, 3) m
    faces : (k,) int, VTK style [count, i, j, k, ...]
    """

    marker: int
    points: np.ndarray
    faces: np.ndarray


@dataclass(frozen=True)
class JointRecord:
    """A joint between two markers: indices into ``Structure.markers``; marker a is on the side of ground.

    Attributes
    ----------
    free_translations, free_rotations : (k, 3)
        Orthonormal directions along and about which marker b may move relative to marker a, in axes of marker a at the
        start. Motion along curves and surfaces is not among them.
    kind : of joint, such as "revolute"
    curve : (k, 3) m, points of the curve along which marker b moves, in axes of marker a; empty: there is none
    """

    name: str
    marker_a: int
    marker_b: int
    free_translations: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)), compare=False)
    free_rotations: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)), compare=False)
    kind: str = ""
    curve: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)), compare=False)


@dataclass(frozen=True)
class LinkRecord:
    """What acts along lines between markers: a spring, a rod, a cable.

    Attributes
    ----------
    kind : "spring damper", "torsion spring", "bushing", "rod", "cable" ...
    markers : indices into ``Structure.markers``, two or more, in the order in which a cable passes them; of a belt,
        the first markers of the joints of its pulleys, the first one again at the end if it is closed
    radii : m, of the pulleys of a belt, negative on the other side of the belt; empty: not a belt
    """

    name: str
    kind: str
    markers: tuple[int, ...]
    radii: tuple[float, ...] = ()


@dataclass(frozen=True)
class ClearanceRecord:
    """A joint with clearance.

    Attributes
    ----------
    points : names of its contact points; those of a pin's ends stand first
    shifts : names of its translations across, "u" and "v" or "x", "y", "z"
    ends : m along the pin, of each point of a pin in its bore; none: the joint has no pin
    radial, radius, length : m; 0: not given
    """

    name: str
    points: tuple[str, ...]
    shifts: tuple[str, ...]
    ends: tuple[float, ...] = ()
    radial: float = 0.0
    radius: float = 0.0
    length: float = 0.0

    @property
    def is_pin(self) -> bool:
        """Whether a pin turns in a bore."""
        return len(self.ends) > 0


@dataclass(frozen=True)
class Structure:
    """The constant part of a result.

    Attributes
    ----------
    bodies : tuple of BodyRecord, ground first
    coordinate_names : nq names, such as "hinge.angle" or "pendulum.bending y 1"
    rate_names : nv names of the velocities: "hinge.angle.rate", of a ball joint "ball.rotation.omega.x"
    coordinate_units : nq units ("rad", "m", "" for quaternions), or empty: judged by the name
    quaternion_starts : (k,) int
        Where in q unit quaternions (w, x, y, z) of ball joints begin; ``rate_of`` is -1 there.
    rate_of : (nq,) int
        v[rate_of[i]] is the time derivative of q[i]; None: found by the names ("X" and "X.rate").
    gravity : (3,) m/s2
    joints : tuple of JointRecord; clearances : tuple of ClearanceRecord; links : tuple of LinkRecord
    record_names, record_units : of the columns of ``Trajectory.record``
    ledger_names, ledger_kinds : of the lines of the energy ledger: names of elements, and what they do with energy
    outlines : tuple of OutlineRecord, each shape of contacts once; spheres and planes are drawn from their ContactPair
    stated : plain values for reports: entries of bodies, joints, constraints, forces
        and contacts, degrees of freedom (flexmbs.analysis.recording.entries); "run": settings and versions
    """

    bodies: tuple[BodyRecord, ...]
    coordinate_names: tuple[str, ...]
    rate_names: tuple[str, ...]
    markers: tuple[MarkerRecord, ...] = ()
    contacts: tuple[ContactPair, ...] = ()
    coordinate_units: tuple[str, ...] = ()
    quaternion_starts: tuple[int, ...] = ()
    rate_of: np.ndarray | None = None
    reaction_names: tuple[str, ...] = ()
    driven_names: tuple[str, ...] = ()
    record_names: tuple[str, ...] = ()
    record_units: tuple[str, ...] = ()
    ledger_names: tuple[str, ...] = ()
    ledger_kinds: tuple[str, ...] = ()
    gravity: np.ndarray = field(default_factory=lambda: np.array([0.0, -9.81, 0.0]))
    joints: tuple[JointRecord, ...] = ()
    clearances: tuple[ClearanceRecord, ...] = ()
    outlines: tuple[OutlineRecord, ...] = ()
    links: tuple[LinkRecord, ...] = ()
    stated: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.rate_of is None:
            position = {name: i for i, name in enumerate(self.rate_names)}
            rate_of = np.array([position.get(f"{name}.rate", -1) for name in self.coordinate_names], dtype=np.int64)
            for start in self.quaternion_starts:
                rate_of[start : start + 4] = -1
            object.__setattr__(self, "rate_of", rate_of)

    @property
    def contact_names(self) -> tuple[str, ...]:
        return tuple(pair.name for pair in self.contacts)

    def body_index(self, name: str) -> int:
        """Index of the body of that name; UnknownHistoryError names the bodies that exist."""
        index = self._body_indices.get(str(name))
        if index is None:
            raise UnknownHistoryError(f"no body named '{name}'. {near_names(str(name), self._body_indices)}")
        return index

    @cached_property
    def _body_indices(self) -> dict[str, int]:
        return {body.name: index for index, body in reversed(list(enumerate(self.bodies)))}
