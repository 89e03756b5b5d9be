"""What a flexible body is made of, declared once: what is stored, and the checks of every number, follow from it.

Files may be written by others, edited or damaged. Whatever the source, inconsistent data are rejected here by name,
before kernels and viewers use them, because compiled code trusts counts and indices.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any

import numpy as np

from flexmbs.common.errors import BodyError
from flexmbs.fem.section_forces import SectionForceModes
from flexmbs.fem.stress_field import StressModes, StressPoints
from flexmbs.reduction.flexible_body import FlexibleBody, InertiaFields, PointFields, SurfaceFields


@dataclass(frozen=True)
class Array:
    """An array: its shape, of whole numbers or not, and whether it may be None.

    Letters in the shape: n modes, p pairs, K second-order fields, N nodes, S points of the surface, R functions of the
    inertia, M stress points, Q faces, E line elements, G markers plus one, F numbers.
    """

    shape: str
    whole: bool = False
    optional: bool = False

    @property
    def sizes(self) -> tuple[int | str, ...]:
        return tuple(int(size) if size.isdigit() else size for size in self.shape.split())


#: Values of each class by name: an Array, a float, a flag, text, texts, or another of these classes (of ``markers`` each value
#: is one). ``options`` and ``places`` are not declared here: ``_check_names`` and ``body_store`` know them.
#: Letters stand for the size with which they are first met, so what others are compared with comes first.
LAYOUT: dict[type, dict[str, Any]] = {
    FlexibleBody: {
        "name": str,
        "source": str,
        "attached_at": str | None,
        "mode_labels": tuple[str, ...],
        "warnings": tuple[str, ...],
        "frequencies": Array("n"),
        "pairs": Array("p 2", whole=True),
        "forms": Array("K p", optional=True),
        "Me": Array("n n"),
        "Ke": Array("n n"),
        "De": Array("n n"),
        "points": Array("N 3"),
        "node_ids": Array("N", whole=True),
        "modes": Array("n N 3"),
        "rotations": Array("n N 3", optional=True),
        "quadratic": Array("K N 3"),
        "quadratic_rotations": Array("K N 3", optional=True),
        "cubic": Array("K n", optional=True),
        "flexibility": Array("G 6 6", optional=True),
        "inertia": InertiaFields,
        "surface": SurfaceFields,
        "stress_modes": StressModes | None,
        "section_force_modes": SectionForceModes | None,
        "mass": float,
        "markers": Mapping[str, PointFields],
    },
    InertiaFields: {"X": Array("3 R"), "P": Array("n 3 R"), "Z": Array("K 3 R"), "compression_error": float, "field_error": float},
    SurfaceFields: {
        "points": Array("S 3"),
        "faces": Array("F", whole=True),
        "modes": Array("n S 3"),
        "quadratic": Array("K S 3"),
        "stress_modes": Array("n S 6"),
        "elements": Array("Q", whole=True, optional=True),
    },
    StressModes: {"points": StressPoints, "stress": Array("n M 6"), "strain": Array("n M 6", optional=True)},
    StressPoints: {
        "positions": Array("M 3"),
        "element_ids": Array("M", whole=True),
        "node_ids": Array("M", whole=True),
        "region": Array("M", whole=True),
        "layer": Array("M", whole=True),
        "height": Array("M"),
        "axes": Array("M 3 3"),
    },
    SectionForceModes: {
        "element_ids": Array("E", whole=True),
        "positions": Array("E 2 3"),
        "axes": Array("E 3 3"),
        "forces": Array("n E 2 6"),
    },
    PointFields: {
        "has_rotation": bool,
        "position": Array("3"),
        "Phi": Array("n 3"),
        "Psi": Array("n 3"),
        "Zu": Array("K 3"),
        "Zr": Array("K 3"),
    },
}
LARGEST = 1e150  # its square is still finite: energies and modal masses contain squares


def part_class(kind: Any) -> type | None:
    """The class of a part, also of an optional one; None of values that are no parts."""
    return next((part for part in LAYOUT if kind in (part, part | None)), None)


def mapped(part: Any, letter: str, change: Callable[[np.ndarray], np.ndarray]) -> Any:
    """A body (or a part of one) with ``change`` made to each of its arrays whose first axis counts ``letter``."""
    changes = {}
    for key, kind in LAYOUT[type(part)].items():
        value = getattr(part, key)
        if isinstance(kind, Array):
            if value is not None and kind.sizes[0] == letter:
                changes[key] = change(value)
        elif key == "markers":
            changes[key] = {name: mapped(marker, letter, change) for name, marker in value.items()}
        elif is_dataclass(value):
            changes[key] = mapped(value, letter, change)
    return replace(part, **changes)


def with_field_for_each_pair(body: FlexibleBody) -> FlexibleBody:
    """The same body without ``forms``, for files of other tools that only know pairs of modes."""
    if body.forms is None:
        return body
    forms = body.forms.T
    return mapped(replace(body, forms=None), "K", lambda fields: np.tensordot(forms, fields, 1))


@dataclass
class BodyCheck:
    """Sizes that the letters of shapes stand for, taken from the arrays checked so far."""

    where: str
    letters: dict[str, int] = field(default_factory=dict)
    source: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, body: FlexibleBody, where: str) -> BodyCheck:
        """A check that knows the number of markers, and of second-order fields where there is one for each pair."""
        check = cls(where, {"G": len(body.markers) + 1 if isinstance(body.markers, Mapping) else 0}, {"G": "the markers"})
        if body.forms is None:
            check.letters["K"] = len(body.pairs) if isinstance(body.pairs, np.ndarray) and body.pairs.ndim else 0
            check.source["K"] = "pairs"
        return check

    def fail(self, what: str) -> None:
        raise BodyError(f"{self.where}: {what}")

    def part(self, part: Any, prefix: str = "", only: Collection[str] = ()) -> Any:
        """``part`` with arrays of float64 and int64, after checking what its class declares (or ``only`` some of it)."""
        declared = LAYOUT[type(part)]
        return replace(part, **{key: self.value(getattr(part, key), declared[key], prefix + key) for key in only or declared})

    def value(self, value: Any, kind: Any, name: str) -> Any:
        if isinstance(kind, Array):
            return self.array(value, kind, name)
        if kind is float:
            return self.number(value, name)
        if kind is bool:
            if not isinstance(value, bool | np.bool_):
                self.fail(f"{name} is {value!r}; expected true or false")
            return bool(value)
        if kind == tuple[str, ...]:
            if not (isinstance(value, tuple) and all(isinstance(text, str) for text in value)):
                self.fail(f"{name} is {type(value).__name__}; expected texts")
            return value
        if kind in (str, str | None):
            if not isinstance(value, kind):
                self.fail(f"{name} is {type(value).__name__}; expected text")
            return value
        if isinstance(value, Mapping):
            return {key: self.part(marker, f"{name}.{key}.") for key, marker in value.items()}
        return None if value is None else self.part(value, f"{name}.")

    def array(self, value: Any, kind: Array, name: str) -> np.ndarray | None:
        if value is None and kind.optional:
            return None
        if not isinstance(value, np.ndarray) or value.dtype.kind not in ("iu" if kind.whole else "fiu"):
            held = f"an array of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
            self.fail(f"{name} is {held}; expected an array of {'whole ' * kind.whole}numbers")
        fits = value.ndim == len(kind.sizes)
        for want, got in zip(kind.sizes, value.shape if fits else (), strict=False):
            if isinstance(want, str) and want not in self.letters:
                self.letters[want], self.source[want] = got, name
            fits = fits and self.letters.get(want, want) == got
        if not fits:
            self.fail(f"{name} has the shape {value.shape}; expected {self._words(kind.sizes)}")
        if kind.whole:
            return value.astype(np.int64, copy=False)
        value = value.astype(float, copy=False)
        if not (value.max(initial=0.0) < LARGEST and value.min(initial=0.0) > -LARGEST):  # nor if one is no number
            great = "" if not np.all(np.isfinite(value)) else f", or not below {LARGEST:g}"
            self.fail(f"{name} contains values that are not finite numbers{great}")
        return value

    def number(self, value: Any, name: str) -> float:
        if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
            self.fail(f"{name} is {type(value).__name__}; expected a number")
        if not abs(value) < LARGEST:
            self.fail(f"{name} is {value}; expected a finite number")
        return float(value)

    def _words(self, sizes: tuple[int | str, ...]) -> str:
        """A shape with where its numbers come from."""
        shape = ", ".join(str(self.letters.get(size, "any")) if isinstance(size, str) else str(size) for size in sizes)
        known = sorted({self.source[size] for size in sizes if size in self.source})
        return f"({shape}{',' * (len(sizes) == 1)})" + (f", as {' and '.join(known)} have it" if known else "")


def checked_body(body: FlexibleBody, where: str) -> FlexibleBody:
    """``body`` with arrays of float64 and int64, after checking everything in it.

    Types, shapes and counts agree; numbers are finite; pairs, faces and marker names refer to existing items; mass,
    stiffness and inertia are physically possible.

    Raises
    ------
    BodyError
        The message starts with ``where`` and says which array is wrong and what was expected.
    """
    check = BodyCheck.of(body, where)
    _check_names(body, check)
    body = check.part(body)
    _check_counts(body, check)
    if body.attached_at is not None and body.attached_at not in body.markers:
        check.fail(f"attached_at is '{body.attached_at}', which is not a marker; markers: {', '.join(body.markers)}")
    found, elements = check_faces(body.surface.faces, len(body.surface.points), f"{where}: surface.faces"), body.surface.elements
    if elements is not None and len(elements) != found:
        check.fail(f"surface.elements has {len(elements)} numbers for {found} faces")
    _check_physics(body, check)
    return body


def check_mechanics(body: FlexibleBody, where: str) -> None:
    """BodyError unless the data used by the kernels are consistent; for bodies assembled in memory."""
    check = BodyCheck.of(body, where)
    check.part(body, only=("frequencies", "pairs", "forms", "Me", "Ke", "De", "cubic", "inertia", "mass"))
    if not body.mass > 0.0:
        check.fail(f"mass {body.mass} kg must be positive")
    check.part(body, only=("markers",))
    _check_counts(body, check)


def check_point_fields(fields: PointFields, name: str, body: FlexibleBody, where: str) -> None:
    """BodyError unless the fields of marker ``name`` are those of a marker on ``body``."""
    check = BodyCheck.of(body, where)
    check.part(body, only=("frequencies", "pairs", "forms"))
    check.part(fields, f"markers.{name}.")


def _check_names(body: FlexibleBody, check: BodyCheck) -> None:
    """Markers, options and places, which have names."""
    if not isinstance(body.markers, Mapping) or not all(isinstance(name, str) for name in body.markers):
        check.fail("markers must be a mapping from names to fields")
    if not isinstance(body.options, Mapping):
        check.fail("options must be a mapping from names to values")
    for key, value in body.options.items():
        if key == "normal_modes_to_hz" or not isinstance(value, str | bool | np.bool_):  # the only one that is computed with
            check.number(value, f"options.{key}")
    if not isinstance(body.places, Mapping) or body.places and body.places.keys() != body.markers.keys():
        check.fail(f"places are those of {', '.join(body.places)}; expected all markers ({', '.join(body.markers)}), or none")


def _check_counts(body: FlexibleBody, check: BodyCheck) -> None:
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


def _check_physics(body: FlexibleBody, check: BodyCheck) -> None:
    """Mass and stiffness are physically possible; shapes and finiteness have been checked."""
    if not body.mass > 0.0:
        check.fail(f"the mass is {body.mass:g} kg; it must be positive")
    if np.any(body.frequencies < 0.0):
        check.fail(f"frequencies contains {body.frequencies.min():g} Hz; frequencies must not be negative")
    with np.errstate(over="ignore", invalid="ignore"):
        for name, matrix in (("Me", body.Me), ("Ke", body.Ke)):
            problem = _not_positive(matrix)
            if problem:
                check.fail(f"{name} {problem}")
        if body.flexibility is not None:  # of which the advice asks what part the modes show
            try:
                np.linalg.inv(body.Ke)
            except np.linalg.LinAlgError:
                check.fail("Ke is singular: some deformation has no stiffness, though the flexibility of the body is stated")
        gram = np.einsum("aks,bks->ab", body.inertia.P, body.inertia.P)
        norms = np.sqrt(np.diag(gram))
        apart = np.abs(body.Me - gram) > (CONTRADICTION + body.inertia.compression_error) * np.outer(norms, norms)
        if not np.all(np.isfinite(gram)) or np.any(apart):
            check.fail("Me and inertia.P contradict each other: Me is the integral of the products of the modes")
        _check_size(body, check)


def _not_positive(matrix: np.ndarray) -> str:
    """Why a matrix is not symmetric or has a negative eigenvalue; empty if it is valid."""
    size = np.abs(matrix).max(initial=0.0)
    if np.any(np.abs(matrix - matrix.T) > ASYMMETRY * size):
        return "is not symmetric"
    if size == 0.0:
        return ""
    scale = np.sqrt(np.maximum(np.diag(matrix), 1e-12 * size))
    scaled = matrix / scale / scale[:, None]
    if not np.all(np.isfinite(scaled)) or np.linalg.eigvalsh(scaled)[0] < -NEGATIVE:
        return "has a negative eigenvalue: the body would gain energy by deforming or moving"
    return ""


def _check_size(body: FlexibleBody, check: BodyCheck) -> None:
    """The centre of mass and the radius of gyration lie within the points that the body consists of."""
    points = np.concatenate([body.points, body.surface.points])
    if not body.has_stress or not len(points):  # without elements a few points may stand for the body
        return
    low, high = points.min(axis=0), points.max(axis=0)
    slack, centre = np.linalg.norm(high - low), body.center
    if np.any(centre < low - slack) or np.any(centre > high + slack) or not np.all(np.isfinite(centre)):
        check.fail(f"the centre of mass {centre} m (inertia.X, mass) is outside the points of the body")
    radius = np.sqrt(np.sum(body.inertia.X[:, 1:] ** 2) / body.mass)
    reach = np.linalg.norm(points - centre, axis=1).max()
    if not radius <= REACH * reach:
        check.fail(f"the radius of gyration is {radius:.3g} m (inertia.X, mass), the farthest point {reach:.3g} m away")
