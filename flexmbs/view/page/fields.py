"""Displacement and stress of a flexible body over a run, as few fields times coefficients.

All that a run shows of a body with n modes lies in the span of its modes and second-order fields. The principal fields
of the run (singular vectors over the frames and points) capture it with the fewest; as many are kept, and as finely
quantised, as keeps the largest error of any frame and point within a tolerance. Every field is scaled so that its
largest coefficient is 1 and has the same step: all of them contribute alike to the error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.view.page.numbers import Quantised, multiples

Measure = Callable[[np.ndarray], np.ndarray]  # (..., components) -> (...)
NEGLIGIBLE = 2e-6  # of the largest singular value: far below the finest accuracy of a page
UNFELT = 1e-9  # of the largest term: what others sum up to that are left out
FIRST_STEP = 0.8  # of the tolerance: the step that is tried first
SAFE = 0.9  # of the step that suffices for a sample: what all points are tried with
TRUNCATED = 0.5  # of the tolerance: largest error of the fields that are left out
WORST = 1.81  # largest measure of a displacement or stress with all components at half a step, in steps
OF_COEFFICIENTS = 0.1  # of the tolerance: error of the coefficients
_FINEST, _COARSEST = 2.0**-22, 2.0**-8  # steps of coefficients, whose largest is 1
_TRIALS = 60
_AT_ONCE = 16  # frames
_TRIED_POINTS, _TRIED_FRAMES = 1500, 250


@dataclass(frozen=True, eq=False)
class RunField:
    """A field over a run: ``fields`` (r, n, components) times ``coefficients`` (nf, r).

    ``largest`` value and largest ``error`` of any frame and point, by the measure of the field.
    """

    fields: Quantised
    coefficients: Quantised
    largest: float
    error: float

    @property
    def count(self) -> int:
        """Number of fields."""
        return len(self.fields.numbers)

    def decoded(self) -> tuple[np.ndarray, np.ndarray]:
        """Fields (r, n, components) and coefficients (nf, r) as they are decoded."""
        return self.fields.values(), self.coefficients.values()


def length_of(vectors: np.ndarray) -> np.ndarray:
    """Measure of displacements: their length."""
    return np.sqrt(vectors[..., 0] ** 2 + vectors[..., 1] ** 2 + vectors[..., 2] ** 2)


def stress_size(stress: np.ndarray) -> np.ndarray:
    """Measure of stress (..., 6): bounds the error of components, of principal stresses and of von Mises stress."""
    xx, yy, zz, yz, xz, xy = np.moveaxis(stress, -1, 0)
    tensor = xx * xx + yy * yy + zz * zz + 2.0 * (yz * yz + xz * xz + xy * xy)
    mean = xx + yy + zz
    return np.sqrt(np.maximum(tensor, 1.5 * tensor - 0.5 * mean * mean))  # Frobenius norm; von Mises


def run_field(
    fields: Sequence[np.ndarray], coefficients: np.ndarray, tolerance: Callable[[float], float], measure: Measure
) -> RunField:
    """The fewest fields for sum_a coefficients_a fields_a within a tolerance.

    Parameters
    ----------
    fields : (m, n, components) at the points of a surface, in one or several parts along m; coefficients : (nf, m)
    tolerance : of the largest value by the measure -> largest error allowed
    """
    principal, weights = principal_fields(fields, coefficients)
    largest = largest_of(principal, weights, measure)
    allowed = tolerance(largest) or 1.0
    # points and frames of which the number of fields and the step are chosen, before they are checked on all; among the
    # frames those of the peaks of each coefficient: what lasts for a few frames only may be in no other field
    few = slice(None, None, max(1, principal.shape[1] // _TRIED_POINTS))
    rows = np.arange(0, len(weights), max(1, len(weights) // _TRIED_FRAMES))
    rows = np.union1d(rows, np.abs(weights).argmax(axis=0)) if weights.size else rows
    kept, step = _kept(principal[:, few], weights[rows], allowed, measure), FIRST_STEP * allowed
    for points, frames in ((few, rows), (slice(None), slice(None))):
        for _ in range(_TRIALS):
            peaks = np.abs(weights[:, :kept]).max(axis=0, initial=0.0)
            peaks[peaks == 0.0] = 1.0
            scaled = principal[:kept] * peaks[:, None, None]
            stored = Quantised(multiples(scaled, step), step)
            coded = _coefficients(weights[:, :kept] / peaks, _sizes(scaled, measure), OF_COEFFICIENTS * allowed)
            both = np.concatenate([principal[:, points], -stored.values()[:, points]])
            error = largest_of(both, np.concatenate([weights, coded.values()], axis=1)[frames], measure)
            if error <= allowed:
                break
            step *= max(0.5, min(0.9, 0.9 * allowed / error))
            kept += points != few and kept < len(principal)
        step *= SAFE
    return RunField(stored, coded, largest, error)


def single_fields(fields: np.ndarray, peaks: np.ndarray, coefficients: np.ndarray, tolerance: float, measure: Measure) -> RunField:
    """Fields (m, n, components) that are shown one at a time, each within a tolerance of its own largest value.

    ``peaks`` (m,) largest coefficient of each; coefficients (nf, m). The error is that of the field with the largest.
    """
    sizes = _sizes(fields, measure)
    sizes[sizes == 0.0] = 1.0
    unit, largest = fields / sizes[:, None, None], np.where(peaks > 0.0, peaks, 1.0) * sizes
    stored = Quantised(multiples(unit, tolerance / WORST), tolerance / WORST)
    errors = _sizes(unit - stored.values(), measure)
    coded = _coefficients(coefficients * sizes / largest, np.ones(len(peaks)), OF_COEFFICIENTS * tolerance)
    worst = int(np.argmax(errors))
    return RunField(stored, Quantised(coded.numbers, coded.step * largest), float(largest[worst]), float((errors * largest)[worst]))


def principal_fields(fields: Sequence[np.ndarray], coefficients: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal fields (k, n, components), the strongest first, and their coefficients (nf, k); see :func:`run_field`.

    Their directions are those of a sample of the points; what is left out is below rounding of single precision there.
    """
    count, components = fields[0].shape[1:]
    few = np.concatenate([part[:, :: max(1, count // _TRIED_POINTS)] for part in fields])
    reach = np.abs(coefficients).max(axis=0, initial=0.0) * np.abs(few).max(axis=(1, 2), initial=0.0)
    order = np.argsort(reach)
    felt = np.zeros(len(few), dtype=bool)  # of the hundreds of second-order fields a few
    felt[order] = np.cumsum(reach[order]) > UNFELT * reach.max(initial=0.0)
    parts = [part[own] for part, own in zip(fields, np.split(felt, np.cumsum([len(part) for part in fields])[:-1]), strict=True)]
    orthogonal, triangle = np.linalg.qr(coefficients[:, felt])  # (nf, k), (k, m)
    sample = triangle @ few.reshape(len(few), few[0].size)[felt]
    squares, vectors = np.linalg.eigh(sample @ sample.T)
    kept = np.flatnonzero(squares > NEGLIGIBLE**2 * max(float(squares.max(initial=0.0)), 1e-300))
    turn = vectors[:, kept[::-1]]
    rows = np.split(turn.T @ triangle, np.cumsum([len(part) for part in parts])[:-1], axis=1)
    found = np.zeros((turn.shape[1], count * components))
    for own, part in zip(rows, parts, strict=True):
        found += own @ part.reshape(len(part), count * components)
    return found.reshape(len(found), count, components), orthogonal @ turn


def largest_of(fields: np.ndarray, coefficients: np.ndarray, measure: Measure) -> float:
    """The largest value by a measure, of any point and row of coefficients."""
    return max((float(values.max(initial=0.0)) for values in measured(fields, coefficients, measure)), default=0.0)


def measured(fields: np.ndarray, coefficients: np.ndarray, measure: Measure) -> Iterator[np.ndarray]:
    """Values (k, n) by a measure, of a few rows of coefficients at a time; in single precision, for speed."""
    count, points, components = fields.shape
    flat = np.moveaxis(fields, 2, 1).astype(np.float32).reshape(count, components * points)
    rows = coefficients.astype(np.float32)
    for first in range(0, len(rows), _AT_ONCE):
        part = rows[first : first + _AT_ONCE]
        yield measure(np.moveaxis((part @ flat).reshape(len(part), components, points), 1, 2))


def _kept(principal: np.ndarray, weights: np.ndarray, allowed: float, measure: Measure) -> int:
    """How many fields are kept: those left out are together below a part of the tolerance."""
    low, high = min(1, len(principal)), len(principal)
    while low < high:
        middle = (low + high) // 2
        if largest_of(principal[middle:], weights[:, middle:], measure) <= TRUNCATED * allowed:
            high = middle
        else:
            low = middle + 1
    return high


def _sizes(fields: np.ndarray, measure: Measure) -> np.ndarray:
    """(k,) largest value of each field by a measure."""
    return np.array([float(measure(field).max(initial=0.0)) for field in fields])


def _coefficients(weights: np.ndarray, sizes: np.ndarray, allowed: float) -> Quantised:
    """Coefficients (nf, k) of fields of these sizes (k,), with steps that together cause no larger error."""
    steps = 2.0 * allowed / np.maximum(sizes * len(sizes), 1e-300)
    steps = np.clip(steps, _FINEST, _COARSEST)
    return Quantised(multiples(weights, steps), steps)
