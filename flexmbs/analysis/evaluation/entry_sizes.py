"""Magnitudes of the terms in each entry of the constraint matrix, which distinguish rounding from small values.

A rod from the centre of a ball joint to a point of the body that turns in it constrains nothing: its entry d . (w x d)
is zero, but is computed as about 1e-17. Compared with other such entries it looks significant; compared with |w| |d| it
is rounding. An entry is a difference of marker velocities for a coordinate that moves at unit rate; its terms are the
motion of the body frames, the lever arms to the markers, and the modal displacement at the markers.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.tables import CABLE, CLOSURE, COUPLING, ROLLING, Tables
from flexmbs.model.mechanism_size import size_of_body

ROUNDING = 1e-8  # entries below this fraction of their terms are zero


class EntrySizes:
    """Magnitudes of the terms in the entries of each constraint, (constraints, 2): translations (m), rotations (rad)"""

    def __init__(self, tables: Tables, frames: np.ndarray):
        """``frames`` (bodies,): body frames at this position, with their accelerations for zero coordinate rates."""
        self.tables, self.base = tables, frames.copy()
        ends = [_markers(tables, constraint) for constraint in tables.constraints.view(np.ndarray)]
        self.count = len(ends)
        self.constraint = np.repeat(np.arange(self.count), [len(found) for found in ends])
        self.marker = np.array([m for found in ends for m in found], dtype=np.int64)
        self.body = tables.markers["body"][self.marker]
        offsets, bodies = tables.markers["p_BM"][self.marker], self.base[self.body]
        points = bodies["p_WB"] + np.einsum("mij,mj->mi", bodies["R_WB"], offsets)
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
        n = int(self.tables.bodies["modes"][body])
        if n == 0:
            return None
        record = self.tables.bodies[body]
        markers = self.tables.markers[(self.tables.markers["body"] == body) & (self.tables.markers["flexible"] != 0)]
        if len(markers) == 0:
            return None
        places, first = int(record["place_end"] - record["place_start"]), int(record["order_start"])
        fields = self.tables.pool[markers["fields_at"][:, None] + np.arange(6 * places)].reshape(-1, 2, 3, places)
        largest = np.zeros((2, n))
        order = self.tables.mode_order[first : first + n]
        largest[:, order] = np.linalg.norm(fields[..., :n], axis=2).max(axis=0)
        moves, turns = largest
        start, size = int(record["modal_start"]), size_of_body(self.tables, body)
        return slice(start, start + n), moves + size * turns, turns + moves / size

    def of(self, frames: np.ndarray, a: np.ndarray) -> np.ndarray:
        """(constraints, 2) magnitudes for coordinate rates ``a`` (size,) with at most one coordinate per constraint."""
        turn = np.linalg.norm(frames["alpha_WB"] - self.base["alpha_WB"], axis=1)[self.body]
        move = np.linalg.norm(frames["a_WB"] - self.base["a_WB"], axis=1)[self.body] + turn * self.arm
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
    """``values`` (rows,) of one constraint and column; those that are rounding relative to ``sizes`` (2,) become 0."""
    size = np.full(len(values), sizes[0])
    if constraint["kind"] == CLOSURE:
        size[3:] = sizes[1]
    return np.where(np.abs(values) <= ROUNDING * size, 0.0, values)
