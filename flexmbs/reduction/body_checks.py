"""Validation of every number of a flexible body before kernels and viewers use it.

Files may be written by others, edited or damaged. Whatever the source, inconsistent data are rejected here by name,
because compiled code trusts counts and indices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.reduction.flexible_body import FlexibleBody, PointFields

# Shapes in letters: n modes, p pairs, K second-order fields, N nodes, S points of the surface, R functions of the
# inertia, M stress points, Q faces, E line elements, G markers plus one, F numbers; in the order in which sizes become
# known.
_ARRAYS = {
    "frequencies": ("n",),
    "pairs": ("p", 2),
    "forms": ("K", "p"),
    "Me": ("n", "n"),
    "Ke": ("n", "n"),
    "De": ("n", "n"),
    "points": ("N", 3),
    "node_ids": ("N",),
    "modes": ("n", "N", 3),
    "rotations": ("n", "N", 3),
    "quadratic": ("K", "N", 3),
    "quadratic_rotations": ("K", "N", 3),
    "cubic": ("K", "n"),
    "flexibility": ("G", 6, 6),
}
_PARTS = {
    "inertia": {"X": (3, "R"), "P": ("n", 3, "R"), "Z": ("K", 3, "R")},
    "surface": {
        "points": ("S", 3),
        "faces": ("F",),
        "modes": ("n", "S", 3),
        "quadratic": ("K", "S", 3),
        "stress_modes": ("n", "S", 6),
        "elements": ("Q",),
    },
    "stress_modes.points": {
        "positions": ("M", 3),
        "element_ids": ("M",),
        "node_ids": ("M",),
        "region": ("M",),
        "layer": ("M",),
        "height": ("M",),
        "axes": ("M", 3, 3),
    },
    "stress_modes": {"stress": ("n", "M", 6), "strain": ("n", "M", 6)},
    "section_force_modes": {"element_ids": ("E",), "positions": ("E", 2, 3), "axes": ("E", 3, 3), "forces": ("n", "E", 2, 6)},
}
_MARKER = {"position": (3,), "Phi": ("n", 3), "Psi": ("n", 3), "Zu": ("K", 3), "Zr": ("K", 3)}
_INTEGERS = ("pairs", "node_ids", "element_ids", "region", "layer", "faces", "elements")
_OPTIONAL = ("rotations", "quadratic_rotations", "forms", "cubic", "flexibility", "strain", "elements")
LARGEST = 1e150  # its square is still finite: energies and modal masses contain squares
_ERRORS = ("compression_error", "field_error")


@dataclass
class _Check:
    """Sizes that the letters of shapes stand for, taken from the arrays checked so far."""

    where: str
    letters: dict[str, int] = field(default_factory=dict)
    source: dict[str, str] = field(default_factory=dict)

    def fail(self, what: str) -> None:
        raise BodyError(f"{self.where}: {what}")

    def arrays(self, owner, shapes: Mapping[str, tuple], prefix: str = "") -> dict[str, np.ndarray | None]:
        """All arrays of ``owner`` as float64 or int64."""
        return {key: self.array(getattr(owner, key), key, shape, prefix) for key, shape in shapes.items()}

    def array(self, value, key: str, shape: tuple, prefix: str) -> np.ndarray | None:
        name, whole = prefix + key, key in _INTEGERS
        if value is None and key in _OPTIONAL:
            return None
        if not isinstance(value, np.ndarray) or value.dtype.kind not in ("iu" if whole else "fiu"):
            held = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
            self.fail(f"{name} is {held}; expected an array of {'whole ' * whole}numbers")
        if value.ndim != len(shape):
            self.fail(f"{name} has the shape {value.shape}; expected {self._words(shape)}")
        for want, got in zip(shape, value.shape, strict=True):
            if isinstance(want, str) and want not in self.letters:
                self.letters[want], self.source[want] = got, name
        if any(self.letters.get(want, want) != got for want, got in zip(shape, value.shape, strict=True)):
            self.fail(f"{name} has the shape {value.shape}; expected {self._words(shape)}")
        if whole:
            return value.astype(np.int64, copy=False)
        value = value.astype(float, copy=False)
        if not np.all(np.abs(value) < LARGEST):
            great = "" if not np.all(np.isfinite(value)) else f", or not below {LARGEST:g}"
            self.fail(f"{name} contains values that are not finite numbers{great}")
        return value

    def number(self, value, name: str) -> float:
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
            self.fail(f"{name} is {type(value).__name__}; expected a number")
        if not abs(value) < LARGEST:
            self.fail(f"{name} is {value}; expected a finite number")
        return float(value)

    def _words(self, shape: tuple) -> str:
        """A shape with where its numbers come from."""
        sizes = ", ".join(str(self.letters.get(size, "any")) if isinstance(size, str) else str(size) for size in shape)
        known = sorted({self.source[size] for size in shape if size in self.source})
        return f"({sizes}{',' * (len(shape) == 1)})" + (f", as {' and '.join(known)} have it" if known else "")


def as_array(values: object, where: str) -> np.ndarray:
    """A copy of an array, or lists as one."""
    try:
        return np.array(values)
    except ValueError:
        raise BodyError(f"{where}: the rows of the list differ in length; expected an array of numbers") from None


def checked_arrays(given: Mapping[str, object], where: str) -> dict[str, np.ndarray]:
    """Some arrays of a body with one second-order field for each pair, also lists: float64 or int64, of shapes that agree."""
    check = _Check(where)
    shapes = {key: tuple("p" if size == "K" else size for size in shape) for key, shape in {**_ARRAYS, "faces": ("F",)}.items()}
    found = {}
    for key, values in given.items():
        array = as_array(values, f"{where}: {key}")
        if key in _INTEGERS and array.dtype.kind == "f" and np.all((array == np.trunc(array)) & (np.abs(array) < 2**53)):
            array = array.astype(np.int64)
        found[key] = check.array(array, key, shapes[key], "")
    return found


def checked_body(body: FlexibleBody, where: str) -> FlexibleBody:
    """``body`` with arrays of float64 and int64, after checking everything in it.

    Types, shapes and counts agree; numbers are finite; pairs, faces and marker names refer to existing items; mass,
    stiffness and inertia are physically possible.

    Raises
    ------
    BodyError
        The message starts with ``where`` and says which array is wrong and what was expected.
    """
    check = _started(body, where)
    _check_texts(body, check)
    changes: dict[str, object] = check.arrays(body, _ARRAYS)
    for name in ("inertia", "surface", "stress_modes", "section_force_modes"):
        part = getattr(body, name)
        if part is None and name in ("stress_modes", "section_force_modes"):
            continue
        inner = {}
        if name == "stress_modes":
            points = check.arrays(part.points, _PARTS["stress_modes.points"], "stress_modes.points.")
            inner["points"] = replace(part.points, **points)
        changes[name] = replace(part, **check.arrays(part, _PARTS[name], f"{name}."), **inner)
    changes["inertia"] = replace(
        changes["inertia"], **{key: check.number(getattr(body.inertia, key), f"inertia.{key}") for key in _ERRORS}
    )
    changes["mass"] = check.number(body.mass, "mass")
    changes["markers"] = {name: _marker(marker, name, check) for name, marker in body.markers.items()}
    body = replace(body, **changes)
    _check_references(body, check)
    check_physics(body, where)
    return body


def check_mechanics(body: FlexibleBody, where: str) -> None:
    """BodyError unless the data used by the kernels are consistent; for bodies assembled in memory."""
    check = _started(body, where)
    names = ("frequencies", "pairs", "forms", "Me", "Ke", "De", "cubic")
    check.arrays(body, {name: _ARRAYS[name] for name in names})
    check.arrays(body.inertia, _PARTS["inertia"], "inertia.")
    if not check.number(body.mass, "mass") > 0.0:
        check.fail(f"mass {body.mass} kg must be positive")
    for name, marker in body.markers.items():
        _marker(marker, name, check)
    _check_counts(body, check)


def check_point_fields(fields: PointFields, name: str, body: FlexibleBody, where: str) -> None:
    """BodyError unless the fields of marker ``name`` are those of a marker on ``body``."""
    check = _started(body, where)
    check.arrays(body, {key: _ARRAYS[key] for key in ("frequencies", "pairs", "forms")})
    _marker(fields, name, check)


def _started(body: FlexibleBody, where: str) -> _Check:
    """A check that knows the number of markers, and of second-order fields where there is one for each pair."""
    check = _Check(where)
    if body.forms is None:
        check.letters["K"] = len(body.pairs) if isinstance(body.pairs, np.ndarray) and body.pairs.ndim else 0
        check.source["K"] = "pairs"
    check.letters["G"] = len(body.markers) + 1 if isinstance(body.markers, Mapping) else 0
    check.source["G"] = "the markers"
    return check


def _marker(marker: PointFields, name: str, check: _Check) -> PointFields:
    if not isinstance(marker.has_rotation, bool | np.bool_):
        check.fail(f"markers.{name}.has_rotation is {marker.has_rotation!r}; expected true or false")
    return replace(marker, **check.arrays(marker, _MARKER, f"markers.{name}."), has_rotation=bool(marker.has_rotation))


def _check_texts(body: FlexibleBody, check: _Check) -> None:
    for key in ("name", "source", "attached_at"):
        value = getattr(body, key)
        if not (isinstance(value, str) or key == "attached_at" and value is None):
            check.fail(f"{key} is {type(value).__name__}; expected text")
    for key in ("mode_labels", "warnings"):
        value = getattr(body, key)
        if not (isinstance(value, tuple) and all(isinstance(text, str) for text in value)):
            check.fail(f"{key} is {type(value).__name__}; expected texts")
    if not isinstance(body.markers, Mapping) or not all(isinstance(name, str) for name in body.markers):
        check.fail("markers must be a mapping from names to fields")
    if not isinstance(body.options, Mapping):
        check.fail("options must be a mapping from names to values")
    for key, value in body.options.items():
        if key == "normal_modes_to_hz" or not isinstance(value, str | bool | np.bool_):  # the only one that is computed with
            check.number(value, f"options.{key}")
    if not isinstance(body.places, Mapping) or body.places and body.places.keys() != body.markers.keys():
        check.fail(f"places are those of {', '.join(body.places)}; expected all markers ({', '.join(body.markers)}), or none")


def _check_counts(body: FlexibleBody, check: _Check) -> None:
    """Labels and pairs of the modes that there are."""
    n, pairs = body.mode_count, body.pairs
    if len(body.mode_labels) != n:
        check.fail(f"{len(body.mode_labels)} mode_labels for {n} modes")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= n or np.any(pairs[:, 0] > pairs[:, 1])):
        check.fail(f"pairs must be (a, b) with 0 <= a <= b <= {n - 1}")
    if len(np.unique(pairs, axis=0)) != len(pairs):
        check.fail("pairs contains a pair of modes twice")
    if body.inertia.X.shape[1] < 1:
        check.fail("inertia.X has no columns; the first carries the centre of mass")


def _check_references(body: FlexibleBody, check: _Check) -> None:
    """What refers to something else in the body."""
    _check_counts(body, check)
    if body.attached_at is not None and body.attached_at not in body.markers:
        check.fail(f"attached_at is '{body.attached_at}', which is not a marker; markers: {', '.join(body.markers)}")
    found = check_faces(body.surface.faces, len(body.surface.points), f"{check.where}: surface.faces")
    elements = body.surface.elements
    if elements is not None and len(elements) != found:
        check.fail(f"surface.elements has {len(elements)} numbers for {found} faces")


def check_faces(faces: np.ndarray, count: int, where: str) -> int:
    """Number of faces; BodyError unless they are [number of points, these points, ...], points below ``count``."""
    at, starts, numbers = 0, [], faces.tolist()
    while at < len(numbers):
        if not 1 <= numbers[at] < len(numbers) - at:
            raise BodyError(f"{where}: the face at {at} has {numbers[at]} points, but {len(numbers) - at - 1} numbers follow")
        starts.append(at)
        at += 1 + numbers[at]
    rows = np.delete(faces, starts)
    if len(rows) and (rows.min() < 0 or rows.max() >= count):
        worst = rows.min() if rows.min() < 0 else rows.max()
        raise BodyError(f"{where}: point index {worst} is out of range; there are {count} points, counted from 0")
    return len(starts)


ASYMMETRY = 1e-8  # of the largest entry
NEGATIVE = 1e-6  # eigenvalues after scaling to a diagonal of ones
CONTRADICTION = 1e-6  # of the modal masses to the inertia fields
REACH = 2.0  # times the largest distance of a point from the centre of mass


def check_physics(body: FlexibleBody, where: str) -> None:
    """BodyError unless mass and stiffness are physically possible; shapes and finiteness must be checked before."""

    def fail(what: str) -> None:
        raise BodyError(f"{where}: {what}")

    if not body.mass > 0.0:
        fail(f"the mass is {body.mass:g} kg; it must be positive")
    if np.any(body.frequencies < 0.0):
        fail(f"frequencies contains {body.frequencies.min():g} Hz; frequencies must not be negative")
    with np.errstate(over="ignore", invalid="ignore"):
        for name, matrix in (("Me", body.Me), ("Ke", body.Ke)):
            problem = _not_positive(matrix)
            if problem:
                fail(f"{name} {problem}")
        gram = np.einsum("aks,bks->ab", body.inertia.P, body.inertia.P)
        norms = np.sqrt(np.diag(gram))
        apart = np.abs(body.Me - gram) > (CONTRADICTION + body.inertia.compression_error) * np.outer(norms, norms)
        if not np.all(np.isfinite(gram)) or np.any(apart):
            fail("Me and inertia.P contradict each other: Me is the integral of the products of the modes")
        _check_size(body, fail)


def _not_positive(matrix: np.ndarray) -> str:
    """Why a matrix is not symmetric or has a negative eigenvalue; empty if it is valid."""
    size = np.abs(matrix).max(initial=0.0)
    if np.any(np.abs(matrix - matrix.T) > ASYMMETRY * size):
        return "is not symmetric"
    diagonal = np.diag(matrix)
    if size == 0.0:
        return ""
    scale = np.sqrt(np.maximum(diagonal, 1e-12 * size))
    scaled = matrix / scale / scale[:, None]
    if not np.all(np.isfinite(scaled)) or np.linalg.eigvalsh(scaled)[0] < -NEGATIVE:
        return "has a negative eigenvalue: the body would gain energy by deforming or moving"
    return ""


def _check_size(body: FlexibleBody, fail) -> None:
    """The centre of mass and the radius of gyration lie within the points that the body consists of."""
    points = np.concatenate([body.points, body.surface.points])
    if not body.has_stress or not len(points):  # without elements a few points may stand for the body
        return
    low, high = points.min(axis=0), points.max(axis=0)
    slack, centre = np.linalg.norm(high - low), body.center
    if np.any(centre < low - slack) or np.any(centre > high + slack) or not np.all(np.isfinite(centre)):
        fail(f"the centre of mass {centre} m (inertia.X, mass) is outside the points of the body")
    radius = np.sqrt(np.sum(body.inertia.X[:, 1:] ** 2) / body.mass)
    reach = np.linalg.norm(points - centre, axis=1).max()
    if not radius <= REACH * reach:
        fail(f"the radius of gyration is {radius:.3g} m (inertia.X, mass), the farthest point {reach:.3g} m away")
