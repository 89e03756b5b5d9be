"""Cylinders, circles, spheres and planes that the nodes of a set lie on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from flexmbs.mesh.connectivity import linked, ring
from flexmbs.mesh.coordinate_systems import across

# Nodes lie on a shape when at least this part of them is no farther off than this part of its radius (of a plane: of
# the size of the set).
KEPT, NEAR, NEAR_PLANE = 0.9, 0.01, 1e-3
LEAST_ARC = np.radians(60.0)  # of a cylinder or circle: below it the axis is poorly determined
WIDEST_FACET = np.radians(50.0)  # between neighbours: the corners of a box lie on a cylinder and on a sphere too
LEAST_POINTS, LEAST_LOOSE_POINTS = 6, 12  # loose: in no face and on no edge
_ROBUST = 0.003  # parts of the size: residuals beyond grow linearly, not with their squares
_MOST_POINTS, _TRIED_POINTS = 1000, 200  # fits, and choices of a start, with more gain nothing


@dataclass(frozen=True)
class FittedShape:
    """A shape fitted to nodes by robust least squares.

    Attributes
    ----------
    kind : "cylinder", "circle", "sphere" or "plane"
    center : (3,) m. Cylinder: on the axis, in the middle of the nodes' extent along it; circle, sphere: the centre;
        plane: the foot of the nodes' mean
    axis : (3,) unit vector along the axis, or normal to the plane or circle, its largest component positive; None of
        spheres
    radius : m; 0 for planes
    length : m, extent of a cylinder along its axis, else 0
    arc : rad, part of the circumference on which there are nodes (cylinder, circle), else 0
    rms, largest : m, root mean square and largest distance of the nodes from the shape
    """

    kind: str
    center: np.ndarray
    axis: np.ndarray | None
    radius: float
    length: float
    arc: float
    rms: float
    largest: float

    @property
    def is_round(self) -> bool:
        """Whether it has a centre of its own, wherever on it the nodes lie."""
        return self.kind != "plane"

    def __str__(self) -> str:
        parts = [self.kind if self.axis is None else f"{self.kind}, axis {_vector(self.axis)}"]
        if self.is_round:
            parts.append(f"radius {self.radius:.6g} m")
        if self.kind == "cylinder":
            parts.append(f"length {self.length:.6g} m")
        if self.kind in ("cylinder", "circle") and self.arc < 2.0 * np.pi - WIDEST_FACET:
            parts.append(f"arc {np.degrees(self.arc):.0f} degrees")
        return ", ".join(parts) + f"; nodes off it by {self.rms:.2g} m rms, {self.largest:.2g} m at most"


def fitted_shape(points: np.ndarray, nodes: np.ndarray, cells: Mapping[str, np.ndarray]) -> FittedShape | None:
    """The shape that the nodes (k,) of a set lie on, or None; ``points`` (nn, 3) m are those of the whole mesh.

    ``cells``: kind -> (m, n) faces of the set (which then is a surface) or edges; empty: loose points.
    """
    x = np.asarray(points, dtype=float)[nodes]
    if len(x) < (LEAST_POINTS if cells else LEAST_LOOSE_POINTS) or not np.all(np.isfinite(x)):
        return None
    mean = x.mean(axis=0)
    size = float(np.sqrt(np.mean(np.sum((x - mean) ** 2, axis=1))))
    if not 1e-9 * max(1e-300, float(np.abs(x).max())) < size < np.inf:
        return None
    scaled = (x - mean) / size
    spread, turn = np.linalg.svd(scaled, full_matrices=False)[1:]
    if spread[1] < 1e-3 * spread[0]:
        return None  # on one line
    neighbours = _neighbours(cells)
    pairs = (np.asarray(points, dtype=float)[neighbours] - mean) / size
    fit = _Fit(_thinned(scaled, _MOST_POINTS), scaled, pairs)
    is_surface = any(kind.startswith(("tri", "quad")) for kind in cells)
    found = fit.best(turn, is_surface)
    if found is None or (
        is_surface and found[0] != "plane" and _are_two_ends((np.asarray(points, dtype=float) - mean) / size, neighbours)
    ):
        return None
    kind, center, axis, radius, length, arc, away = found
    distances = size * np.abs(away)
    digits = 11 - int(np.ceil(np.log10(size)))  # beyond them it is rounding of the fit
    return FittedShape(
        kind,
        np.round(mean + size * center, digits) + 0.0,
        axis,
        size * radius,
        size * length,
        arc,
        float(np.sqrt(np.mean(distances**2))),
        float(distances.max()),
    )


def _are_two_ends(points: np.ndarray, neighbours: np.ndarray) -> bool:
    """Whether a surface is two flat parts: the ends of a bar lie on a cylinder across it, as thick as the bar is long."""
    used, ends = np.unique(neighbours, return_inverse=True)
    first, other = ends.reshape(-1, 2).T
    label = linked(first, other, len(used))
    count = int(label.max(initial=-1)) + 1
    parts = [points[used[label == number]] for number in range(count)] if count == 2 else []
    spreads = [np.linalg.svd(part - part.mean(axis=0), compute_uv=False) for part in parts]
    return count == 2 and all(spread[-1] <= NEAR_PLANE * spread[0] for spread in spreads)


def _neighbours(cells: Mapping[str, np.ndarray]) -> np.ndarray:
    """(m, 2) nodes that follow one another around faces and along edges."""
    found = [np.empty((0, 2), dtype=np.int64)]
    for kind, rows in cells.items():
        if kind.startswith(("tri", "quad")):
            around = ring(kind)
            found += [rows[:, [a, b]] for a, b in zip(around, np.roll(around, -1), strict=True)]
        elif rows.shape[1] == 3:
            found += [rows[:, [0, 2]], rows[:, [2, 1]]]
        elif rows.shape[1] == 2:
            found.append(rows)
    return np.concatenate(found)


@dataclass(frozen=True)
class _Fit:
    """Points about their mean, of size 1: a sample to fit, all of them, and neighbours (m, 2, 3)."""

    sample: np.ndarray
    points: np.ndarray
    neighbours: np.ndarray

    def best(self, turn: np.ndarray, is_surface: bool):
        """(kind, center, axis, radius, length, arc, distances (k,)) of the shape that fits, or None."""
        plane = self._plane(turn[2])
        if plane is not None:
            return plane if is_surface else (self._circle(plane) or plane)
        cylinder, sphere = self._cylinder(turn), self._sphere()
        if cylinder is None or sphere is None:
            return cylinder or sphere
        # two rings of nodes lie on both, with one centre: a bore with one element along it
        rms = [float(np.sqrt(np.mean(shape[-1] ** 2))) for shape in (cylinder, sphere)]
        return sphere if rms[1] < 0.2 * rms[0] and rms[0] > 1e-4 * cylinder[3] else cylinder

    def _plane(self, normal: np.ndarray):
        away = self.points @ normal
        away = away - np.median(away)
        if np.mean(np.abs(away) <= NEAR_PLANE) < 1.0:
            return None
        return "plane", normal * np.median(self.points @ normal), _upward(normal), 0.0, 0.0, 0.0, away

    def _circle(self, plane):
        axis = plane[2]
        first, second = across(axis)
        flat = self.sample @ np.column_stack([first, second])
        values = _robust(lambda p: np.hypot(*(flat - p[:2]).T) - p[2], _circle_through(flat))
        center = plane[1] + values[0] * first + values[1] * second
        found = self._on_axis(center, axis, abs(values[2]))
        return None if found is None else ("circle", center, axis, abs(values[2]), 0.0, found[2], found[3])

    def _cylinder(self, turn: np.ndarray):
        starts = np.vstack([turn, np.eye(3), _hemisphere()])
        few = _thinned(self.sample, _TRIED_POINTS)
        costs = np.array([_start(few, axis)[1] for axis in starts])
        best = None
        for axis in starts[np.argsort(costs)[: 1 if costs.min() < 1e-6 else 3]]:
            found = self._refined(axis)
            if found is not None and (best is None or np.sum(found[-1] ** 2) < np.sum(best[-1] ** 2)):
                best = found
        return best

    def _refined(self, axis: np.ndarray):
        first, second = across(axis)

        def parts(p: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
            turned = axis + p[3] * first + p[4] * second
            return p[0] * first + p[1] * second, turned / np.linalg.norm(turned), p[2]

        def away(p: np.ndarray) -> np.ndarray:
            center, along, radius = parts(p)
            r = self.sample - center
            return np.linalg.norm(r - np.outer(r @ along, along), axis=1) - radius

        center, along, radius = parts(_robust(away, [*_start(self.sample, axis)[0], 0.0, 0.0]))
        along = _upward(along)
        found = self._on_axis(center, along, abs(radius))
        if found is None:
            return None
        low, high, arc, misfit = found
        middle = center - (center @ along) * along + 0.5 * (low + high) * along
        return "cylinder", middle, along, abs(radius), high - low, arc, misfit

    def _on_axis(self, center: np.ndarray, axis: np.ndarray, radius: float):
        """Extent along the axis, arc, distances (k,); None where too few nodes are near, or on too small an arc."""
        r = self.points - center
        along = r @ axis
        sideways = r - np.outer(along, axis)
        misfit = np.linalg.norm(sideways, axis=1) - radius
        near = np.abs(misfit) <= NEAR * radius
        if not radius > 0.0 or near.mean() < KEPT:
            return None
        first, second = across(axis)
        angles = np.sort(np.arctan2(sideways[near] @ second, sideways[near] @ first))
        gaps = np.diff(angles, append=angles[0] + 2.0 * np.pi)
        arc = 2.0 * np.pi - float(gaps.max())
        if arc < LEAST_ARC or not self._smooth(lambda p: p - np.outer(p @ axis, axis), center):
            return None
        if not len(self.neighbours) and np.partition(gaps, -2)[-2] > WIDEST_FACET:
            return None
        arc = 2.0 * np.pi if gaps.max() <= WIDEST_FACET else arc
        at = along[near] + center @ axis
        return float(at.min()), float(at.max()), arc, misfit

    def _smooth(self, flattened, center: np.ndarray) -> bool:
        """Whether neighbours are close to each other as seen from the centre, along the circumference."""
        if not len(self.neighbours):
            return True
        a, b = (flattened(self.neighbours[:, k] - center) for k in (0, 1))
        cosine = np.sum(a * b, axis=1) / np.maximum(np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1), 1e-300)
        return bool(np.mean(cosine >= np.cos(WIDEST_FACET)) >= KEPT)

    def _sphere(self):
        A = np.column_stack([2.0 * self.sample, np.ones(len(self.sample))])
        start = np.linalg.lstsq(A, np.sum(self.sample**2, axis=1), rcond=None)[0]
        radius = np.sqrt(max(start[3] + start[:3] @ start[:3], 1e-12))
        values = _robust(lambda p: np.linalg.norm(self.sample - p[:3], axis=1) - p[3], [*start[:3], radius])
        center, radius = values[:3], abs(values[3])
        misfit = np.linalg.norm(self.points - center, axis=1) - radius
        # a cap seen under less than the least arc, one way across
        width = 2.0 * np.arcsin(min(1.0, 0.5 * float(np.linalg.norm(np.ptp(self.points, axis=0))) / max(radius, 1e-12)))
        near = np.mean(np.abs(misfit) <= NEAR * radius) >= KEPT
        if not near or width < LEAST_ARC or not self._smooth(lambda p: p, center):
            return None
        return "sphere", center, None, radius, 0.0, 0.0, misfit


def _thinned(points: np.ndarray, most: int) -> np.ndarray:
    return points if len(points) <= most else points[np.linspace(0, len(points) - 1, most).astype(int)]


def _start(points: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, float]:
    """The circle (x, y, radius) that the points lie on as seen along ``axis``, and how far off it they are."""
    flat = points @ np.column_stack(across(axis))
    circle = _circle_through(flat)
    misfit = np.hypot(*(flat - circle[:2]).T) - circle[2]
    # the median, so that nodes that lie elsewhere do not count; times large radii, so that no flat arc wins
    return circle, float(np.median(np.abs(misfit))) * max(1.0, circle[2])


def _robust(misfit, start) -> np.ndarray:
    from scipy.optimize import least_squares

    # in two passes: what lies elsewhere pulls less on the second
    rough = least_squares(misfit, start, loss="soft_l1", f_scale=10.0 * _ROBUST, x_scale="jac")
    exact = dict(xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=200)
    return least_squares(misfit, rough.x, loss="soft_l1", f_scale=_ROBUST, x_scale="jac", **exact).x


def _circle_through(flat: np.ndarray) -> np.ndarray:
    """(x, y, radius) by linear least squares (Kasa, IEEE Transactions on Instrumentation and Measurement 25, 1976)."""
    A = np.column_stack([2.0 * flat, np.ones(len(flat))])
    x, y, rest = np.linalg.lstsq(A, np.sum(flat**2, axis=1), rcond=None)[0]
    return np.array([x, y, np.sqrt(max(rest + x * x + y * y, 1e-12))])


def _hemisphere(count: int = 60) -> np.ndarray:
    """(count, 3) directions spread evenly over half a sphere (a spiral of golden angles)."""
    z = (np.arange(count) + 0.5) / count
    turn = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(count)
    return np.column_stack([np.sqrt(1.0 - z**2) * np.cos(turn), np.sqrt(1.0 - z**2) * np.sin(turn), z])


def _upward(axis: np.ndarray) -> np.ndarray:
    """``axis`` or its opposite: the largest component is positive."""
    return axis * np.sign(axis[np.argmax(np.abs(axis))])


def _vector(values: np.ndarray) -> str:
    return "[" + ", ".join(f"{value:.4g}" for value in np.round(values, 9) + 0.0) + "]"
