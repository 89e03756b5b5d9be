"""Consistency checks of the constant part of a stored result: names, indices, shapes, finite numbers."""

from __future__ import annotations

from dataclasses import fields
from numbers import Real

import numpy as np

from flexmbs.common.errors import BodyError, SimulationError
from flexmbs.reduction.body_layout import LARGEST, check_faces, check_point_fields
from flexmbs.result.structure import Structure

_NAMES = [entry.name for entry in fields(Structure) if entry.type == "tuple[str, ...]"]


def check_structure(structure: Structure, where: str) -> None:
    """SimulationError naming the file ``where`` and the entry that cannot be read with the others."""
    try:
        _Check(structure, where).run()
    except BodyError as error:
        raise SimulationError(str(error)) from error


class _Check:
    def __init__(self, structure: Structure, where: str) -> None:
        self.structure, self.where = structure, where

    def fail(self, what: str) -> None:
        raise SimulationError(f"{self.where}: the result is damaged: {what}")

    def array(self, name: str, value, shape: tuple, kinds: str = "fiu") -> None:
        """-1 in ``shape``: any length."""
        fits = isinstance(value, np.ndarray) and value.dtype.kind in kinds and value.ndim == len(shape)
        if not fits or any(want not in (-1, got) for want, got in zip(shape, value.shape, strict=True)):
            found = f"{value.dtype} of shape {value.shape}" if isinstance(value, np.ndarray) else type(value).__name__
            self.fail(f"{name} is {found}; expected numbers of shape {shape}".replace("-1", "any"))
        if value.dtype.kind == "f" and not np.all(np.abs(value) < LARGEST):
            self.fail(f"{name} contains non-finite values")

    def index(self, name: str, value, end: int, start: int = 0) -> None:
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not start <= value < end:
            self.fail(f"{name} is {value!r}; expected a whole number from {start} to {end - 1}")

    def text(self, name: str, value) -> None:
        if not isinstance(value, str):
            self.fail(f"{name} is {value!r}; expected text")

    def run(self) -> None:
        s = self.structure
        for name in _NAMES:
            if not (isinstance(getattr(s, name), tuple) and all(isinstance(text, str) for text in getattr(s, name))):
                self.fail(f"{name} is not a tuple of names")
        if not isinstance(s.stated, dict):
            self.fail("what was stated is no table of names and values")
        nq, nv = len(s.coordinate_names), len(s.rate_names)
        if s.coordinate_units and len(s.coordinate_units) != nq or len(s.record_units) != len(s.record_names):
            self.fail("the numbers of units and names differ")
        if len(s.ledger_kinds) != len(s.ledger_names):
            self.fail("the numbers of names and kinds of the energy ledger differ")
        if not isinstance(s.quaternion_starts, tuple):
            self.fail("quaternion_starts is not a tuple of numbers")
        for start in s.quaternion_starts:
            self.index("a start of a quaternion", start, nq - 3)
        self.array("rate_of", s.rate_of, (nq,), "iu")
        if nq and (s.rate_of.min() < -1 or s.rate_of.max() >= nv):
            self.fail(f"rate_of refers to rate {s.rate_of.max()} of {nv}")
        self.array("gravity", s.gravity, (3,))
        if not s.bodies:
            self.fail("there are no bodies")
        for body in s.bodies:
            self.body(body, nq, nv)
        for marker in s.markers:
            self.marker(marker)
        for pair in (*s.contacts, *s.joints):
            self.text("the name of a contact or joint", pair.name)
            for name in ("marker_a", "marker_b"):
                self.index(f"{name} of '{pair.name}'", getattr(pair, name), len(s.markers))
        for clearance in s.clearances:
            self.clearance(clearance)
        for contact in s.contacts:
            for radius in (contact.radius_a, contact.radius_b):
                if isinstance(radius, bool) or not isinstance(radius, Real) or not abs(radius) < LARGEST:
                    self.fail(f"a radius of contact '{contact.name}' is {radius!r}; expected a number")
            if contact.normal is not None:
                self.array(f"the normal of contact '{contact.name}'", contact.normal, (3,))

        for joint in s.joints:
            self.text(f"the kind of joint '{joint.name}'", joint.kind)
            self.array(f"the curve of joint '{joint.name}'", joint.curve, (-1, 3))
        for link in s.links:
            self.link(link, len(s.markers))
        for outline in s.outlines:
            self.outline(outline, len(s.markers))

    def link(self, record, markers: int) -> None:
        self.text("the name of a link", record.name)
        self.text(f"the kind of link '{record.name}'", record.kind)
        if not isinstance(record.markers, tuple) or len(record.markers) < 2:
            self.fail(f"link '{record.name}' has markers {record.markers!r}; expected two or more")
        for marker in record.markers:
            self.index(f"a marker of link '{record.name}'", marker, markers)
        if len(record.radii) not in (0, len(record.markers)):
            self.fail(f"link '{record.name}' has {len(record.radii)} radii; expected one for each of its markers")

    def clearance(self, record) -> None:
        self.text("the name of a joint with clearance", record.name)
        known = {
            "points": set(self.structure.contact_names),
            "shifts": {name.removeprefix(f"{record.name}.") for name in self.structure.coordinate_names},
        }
        for what, names in known.items():
            found = getattr(record, what)
            if not isinstance(found, tuple) or not set(found) <= names:
                self.fail(f"{what} of the clearance of '{record.name}' are {found!r}, which do not exist")
        numbers = (*record.ends, record.radial, record.radius, record.length)
        for number in numbers:
            if isinstance(number, bool) or not isinstance(number, Real) or not abs(number) < LARGEST:
                self.fail(f"a length of the clearance of '{record.name}' is {number!r}; expected a number")
        if len(record.ends) > len(record.points):
            self.fail(f"the clearance of '{record.name}' has more ends than points")

    def outline(self, outline, markers: int) -> None:
        self.index("the marker of an outline", outline.marker, markers)
        self.array("the points of an outline", outline.points, (-1, 3))
        self.array("the faces of an outline", outline.faces, (-1,), "iu")
        check_faces(outline.faces, len(outline.points), f"{self.where}: faces of an outline")

    def body(self, body, nq: int, nv: int) -> None:
        self.text("the name of a body", body.name)
        modes = 0 if body.flexible is None else body.flexible.mode_count
        self.index(f"coordinate_start of body '{body.name}'", body.coordinate_start, nq + 1 - modes)
        self.index(f"rate_start of body '{body.name}'", body.rate_start, nv + 1 - modes)
        self.array(f"center of body '{body.name}'", body.center, (3,))
        if not isinstance(body.mass, Real) or not 0.0 <= body.mass < LARGEST:
            self.fail(f"mass of body '{body.name}' is {body.mass!r}")
        self.array(f"inertia of body '{body.name}'", body.inertia, (3, 3))
        self.array(f"shape_points of body '{body.name}'", body.shape_points, (-1, 3))
        self.array(f"shape_faces of body '{body.name}'", body.shape_faces, (-1,), "iu")
        check_faces(body.shape_faces, len(body.shape_points), f"{self.where}: body '{body.name}': shape_faces")

    def marker(self, marker) -> None:
        self.text("the name of a marker", marker.name)
        bodies = {body.name: body for body in self.structure.bodies}
        if not isinstance(marker.body, str) or marker.body not in bodies:
            self.fail(f"marker '{marker.name}' is on body {marker.body!r}, which does not exist")
        self.array(f"position of marker '{marker.name}'", marker.position, (3,))
        self.array(f"rotation of marker '{marker.name}'", marker.rotation, (3, 3))
        flexible = bodies[marker.body].flexible
        if marker.fields is None:
            return
        if flexible is None:
            self.fail(f"marker '{marker.name}' moves with modes, but body '{marker.body}' has none")
        check_point_fields(marker.fields, marker.name, flexible, self.where)
