"""Magnitudes of the terms in each entry of the constraint matrix, which distinguish rounding from small values.

A rod from the centre of a ball joint to a point of the body that turns in it constrains nothing: its entry d . (w x d)
is zero, but is computed as about 1e-17. Compared with other such entries it looks significant; compared with |w| |d| it
is rounding. An entry is a difference of marker velocities for a coordinate that moves at unit rate; its terms are the
motion of the body frames, the lever arms to the markers, and the modal displacement at the markers.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from flexmbs.core.layout.tables import CABLE, CLOSURE, COUPLING, ROLLING, Tables
from flexmbs.model.mechanism_size import size_of_body

ROUNDING = 1e-8  # entries below this fraction of their terms are zero


class EntrySizes:
    """Magnitudes of the terms in the entries of each constraint, (constraints, 2): translations (m), rotations (rad)"""

    def __init__(self, tables: Tables, frames: np.ndarray):
        """``frames`` (bodies,): body frames at this position, with their accelerations for zero coordinate rates."""
        self.base = frames.view(np.ndarray).copy()  # fields of record arrays are slow to read
        ends = _ends(tables)
        self.count, self.constraint, self.marker, self.body = ends.count, ends.constraint, ends.marker, ends.body
        self.modal, self.weights = ends.modal, ends.weights
        offsets, bodies = tables.markers["p_BM"][self.marker], self.base[self.body]
        points = bodies["p_WB"] + np.einsum("mij,mj->mi", bodies["R_WB"], offsets)
        first = np.searchsorted(self.constraint, np.arange(self.count))
        spans = np.linalg.norm(points - points[first[self.constraint]], axis=1)
        across = np.zeros(self.count)
        np.maximum.at(across, self.constraint, spans)
        rolling = tables.constraints["kind"] == ROLLING
        across[rolling] += tables.constraints["length"][rolling]
        self.arm = np.linalg.norm(offsets, axis=1) + across[self.constraint]

    def of(self, frames: np.ndarray, a: np.ndarray) -> np.ndarray:
        """(constraints, 2) magnitudes for coordinate rates ``a`` (size,) with at most one coordinate per constraint."""
        frames = frames.view(np.ndarray)
        turn = np.linalg.norm(frames["alpha_WB"] - self.base["alpha_WB"], axis=1)[self.body]
        move = np.linalg.norm(frames["a_WB"] - self.base["a_WB"], axis=1)[self.body] + turn * self.arm
        for number, modes in enumerate(self.modal):
            if modes is not None:
                move[number] += modes[1] @ np.abs(a[modes[0]])
                turn[number] += modes[2] @ np.abs(a[modes[0]])
        sizes = np.zeros((self.count, 2))
        np.add.at(sizes[:, 0], self.constraint, self.weights * move)
        np.add.at(sizes[:, 1], self.constraint, turn)
        return sizes


@dataclass(frozen=True)
class _Ends:
    """The markers of all constraints: what does not depend on the position."""

    count: int
    constraint: np.ndarray
    marker: np.ndarray
    body: np.ndarray
    weights: np.ndarray
    modal: list[tuple[slice, np.ndarray, np.ndarray] | None]


_known_ends: WeakKeyDictionary[Tables, _Ends] = WeakKeyDictionary()


def _ends(tables: Tables) -> _Ends:
    """Found once for each model."""
    if tables not in _known_ends:
        ends = [_markers(tables, constraint) for constraint in tables.constraints.view(np.ndarray)]
        constraint = np.repeat(np.arange(len(ends)), [len(found) for found in ends])
        marker = np.array([m for found in ends for m in found], dtype=np.int64)
        body = tables.markers["body"][marker]
        weights = np.ones(len(marker))
        cables = tables.constraints["kind"][constraint] == CABLE
        weights[cables] = np.maximum(1.0, tables.terms["factor"].max(initial=1.0))
        modes = {b: _modes(tables, b) for b in np.unique(body)}
        _known_ends[tables] = _Ends(len(ends), constraint, marker, body, weights, [modes[b] for b in body])
    return _known_ends[tables]


def _modes(tables: Tables, body: int) -> tuple[slice, np.ndarray, np.ndarray] | None:
    """Modal coordinates of a body, with the largest displacement (m) and rotation (rad) of a marker in each mode.

    Maxima over the whole body: a torsion mode displaces the markers on its axis by rounding only.
    """
    n = int(tables.bodies["modes"][body])
    if n == 0:
        return None
    record = tables.bodies[body]
    markers = tables.markers[(tables.markers["body"] == body) & (tables.markers["flexible"] != 0)]
    if len(markers) == 0:
        return None
    places, first = int(record["place_end"] - record["place_start"]), int(record["order_start"])
    fields = tables.pool[markers["fields_at"][:, None] + np.arange(6 * places)].reshape(-1, 2, 3, places)
    largest = np.zeros((2, n))
    order = tables.mode_order[first : first + n]
    largest[:, order] = np.linalg.norm(fields[..., :n], axis=2).max(axis=0)
    moves, turns = largest
    start, size = int(record["modal_start"]), size_of_body(tables, body)
    return slice(start, start + n), moves + size * turns, turns + moves / size


def _markers(tables: Tables, constraint) -> list[int]:
    if constraint["kind"] == COUPLING:
        return []  # its entries are the factors themselves, without cancellation
    if constraint["kind"] == CABLE:
        return [int(m) for m in tables.terms["coordinate"][constraint["start"] : constraint["end"]]]
    return [int(constraint["a"]), int(constraint["b"])]


def without_rounding(values: np.ndarray, sizes: np.ndarray, constraint) -> np.ndarray:
    """``values`` (rows,) of one constraint and column; those that are rounding relative to ``sizes`` (2,) become 0."""
    size = np.full(len(values), sizes[0])
    if constraint["kind"] == CLOSURE:
        size[3:] = sizes[1]
    return np.where(np.abs(values) <= ROUNDING * size, 0.0, values)
