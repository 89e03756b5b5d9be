"""How large the entries of the constraint matrix are before their terms cancel: what tells a zero from a small number.

A rod from the centre of a ball joint to a point of the body that turns in it blocks nothing: its entry d . (w x d) is
zero, and is computed as some 1e-17.  Next to other such entries it looks like a number; next to |w| |d| it is rounding.
An entry is a difference of velocities of markers (for a coordinate that moves at unit rate); its terms are the motion
of the bodies' frames, the arms from these to the markers and to the other marker, and what a mode moves at a marker.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.tables import CABLE, CLOSURE, COUPLING, ROLLING, Tables

ROUNDING = 1e-8  # an entry below this part of its terms is zero: the arm of a rod is no longer than the joint is exact


class EntrySizes:
    """Sizes of the terms of every constraint's entries, (constraints, 2): of translations, m, and of rotations, rad."""

    def __init__(self, tables: Tables, frames: np.ndarray):
        """``frames`` (bodies,): of the position; with the accelerations when no coordinate moves."""
        self.tables, self.base = tables, frames.copy()
        ends = [_markers(tables, constraint) for constraint in tables.constraints]
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
        """Coordinates of a body's modes, and how far (m) and by how much (rad) each moves its markers at most.

        Of the whole body: a torsion mode moves the markers on its axis by rounding, and nothing else.
        """
        record, n = self.tables.bodies[body], int(self.tables.bodies[body]["modes"])
        markers = self.tables.markers[(self.tables.markers["body"] == body) & (self.tables.markers["flexible"] != 0)]
        if n == 0 or len(markers) == 0:
            return None
        moves, turns = (
            np.linalg.norm(self.tables.pool[markers[at][:, None] + np.arange(3 * n)].reshape(-1, n, 3), axis=2).max(axis=0)
            for at in ("Phi_at", "Psi_at")
        )
        start, size = int(record["modal_start"]), self._span(body)
        return slice(start, start + n), moves + size * turns, turns + moves / size

    def _span(self, body: int) -> float:
        """Size of a body by its markers, m."""
        places = self.tables.markers["p_BM"][self.tables.markers["body"] == body]
        size = float(np.linalg.norm(np.ptp(places, axis=0)))
        return size if size > 1e-9 else 1.0

    def of(self, frames: np.ndarray, a: np.ndarray) -> np.ndarray:
        """(constraints, 2) sizes when the coordinates move at the rates ``a`` (size,), one of each constraint's."""
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
        return []  # its entries are the factors themselves
    if constraint["kind"] == CABLE:
        return [int(m) for m in tables.terms["coordinate"][constraint["start"] : constraint["end"]]]
    return [int(constraint["a"]), int(constraint["b"])]


def without_rounding(values: np.ndarray, sizes: np.ndarray, constraint) -> np.ndarray:
    """``values`` (rows,) of one constraint in one column, entries that are rounding of terms of ``sizes`` (2,) zero."""
    size = np.full(len(values), sizes[0])
    if constraint["kind"] == CLOSURE:
        size[3:] = sizes[1]
    return np.where(np.abs(values) <= ROUNDING * size, 0.0, values)
