"""Magnitudes of the terms in each entry of the constraint matrix, by which rounding is told from small values.

A rod from the centre of a ball joint to a point of the body that turns in it constrains nothing: its entry d . (w x d)
is zero, but is computed as about 1e-17. Compared with other such entries it looks significant; compared with |w| |d| it
is rounding. An entry is a difference of marker velocities for a coordinate that moves at unit rate; its terms are the
motion of the body frames, the lever arms to the markers, and the modal displacement at the markers.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.tables import CABLE, CLOSURE, COUPLING, ROLLING, Tables

ROUNDING = 1e-8  # entries below this fraction of their terms are zero
ALPHA, ACCELERATION = slice(18, 21), slice(21, 24)  # in a body's frame


class EntrySizes:
    """Magnitudes of the terms in each constraint's entries, (constraints, 2): translations (m), rotations (rad)."""

    def __init__(self, tables: Tables, frames: np.ndarray):
        """``frames`` (bodies, 24): body frames at this position, with their accelerations for zero coordinate rates."""
        self.tables, self.base = tables, frames.copy()
        ends = [_markers(tables, constraint) for constraint in tables.constraints]
        self.count = len(ends)
        self.constraint = np.repeat(np.arange(self.count), [len(found) for found in ends])
        self.marker = np.array([m for found in ends for m in found], dtype=np.int64)
        self.body = tables.markers["body"][self.marker]
        offsets = tables.pool[tables.markers["frame_at"][self.marker][:, None] + np.arange(3)]
        points = np.array(
            [self.base[b, 9:12] + self.base[b, :9].reshape(3, 3) @ x for b, x in zip(self.body, offsets, strict=True)]
        ).reshape(-1, 3)
        first = np.searchsorted(self.constraint, np.arange(self.count))
        spans = np.linalg.norm(points - points[first[self.constraint]], axis=1)
        across = np.zeros(self.count)
        np.maximum.at(across, self.constraint, spans)
        rolling = tables.constraints["kind"] == ROLLING
        across[rolling] += tables.constraints["length"][rolling]
        self.arm = np.linalg.norm(offsets, axis=1) + across[self.constraint]
        modes = {b: self._modes(b) for b in np.unique(self.body)}
        self.modal = [modes[b] for b in self.body]

    def _modes(self, body: int) -> tuple[slice, np.ndarray, np.ndarray] | None:
        """Modal coordinates of a body, with the largest displacement (m) and rotation (rad) of a marker in each mode.

        Maxima over the whole body: a torsion mode displaces the markers on its axis by rounding only.
        """
        record, n = self.tables.bodies[body], int(self.tables.bodies[body]["modes"])
        markers = self.tables.markers[(self.tables.markers["body"] == body) & (self.tables.markers["flexible"] != 0)]
        if n == 0 or len(markers) == 0:
            return None
        fields = self.tables.pool[markers["field_at"][:, None] + np.arange(6 * n)].reshape(-1, 2, n, 3)
        moves, turns = np.linalg.norm(fields, axis=3).max(axis=0)
        start, size = int(record["modal_start"]), self._span(body)
        return slice(start, start + n), moves + size * turns, turns + moves / size

    def _span(self, body: int) -> float:
        """Diagonal of the box around the markers of a body, m (1 if they coincide)."""
        places = self.tables.markers["frame_at"][self.tables.markers["body"] == body]
        size = float(np.linalg.norm(np.ptp(self.tables.pool[places[:, None] + np.arange(3)], axis=0)))
        return size if size > 1e-9 else 1.0

    def of(self, frames: np.ndarray, a: np.ndarray) -> np.ndarray:
        """(constraints, 2) magnitudes for coordinate rates ``a`` (size,) with at most one coordinate per constraint."""
        change = frames - self.base
        turn = np.linalg.norm(change[:, ALPHA], axis=1)[self.body]
        move = np.linalg.norm(change[:, ACCELERATION], axis=1)[self.body] + turn * self.arm
        for number, modes in enumerate(self.modal):
            if modes is not None:
                move[number] += modes[1] @ np.abs(a[modes[0]])
                turn[number] += modes[2] @ np.abs(a[modes[0]])
        weights = np.ones(len(self.marker))
        cables = self.tables.constraints["kind"][self.constraint] == CABLE
        weights[cables] = np.maximum(1.0, self.tables.terms["factor"].max(initial=1.0))
        sizes = np.zeros((self.count, 2))
        np.add.at(sizes[:, 0], self.constraint, weights * move)
        np.add.at(sizes[:, 1], self.constraint, turn)
        return sizes


def _markers(tables: Tables, constraint) -> list[int]:
    if constraint["kind"] == COUPLING:
        return []  # its entries are the factors themselves, without cancellation
    if constraint["kind"] == CABLE:
        return [int(m) for m in tables.terms["coordinate"][constraint["start"] : constraint["end"]]]
    return [int(constraint["a"]), int(constraint["b"])]


def without_rounding(values: np.ndarray, sizes: np.ndarray, constraint) -> np.ndarray:
    """``values`` (rows,) of one constraint and column; entries that are rounding of ``sizes`` (2,) become 0."""
    size = np.full(len(values), sizes[0])
    if constraint["kind"] == CLOSURE:
        size[3:] = sizes[1]
    return np.where(np.abs(values) <= ROUNDING * size, 0.0, values)
