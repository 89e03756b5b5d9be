"""Closing the loops: start values that satisfy every constraint, in position and in velocity.

Positions by a damped Gauss-Newton iteration with the smallest change of coordinates (Nikravesh, Computer-Aided Analysis
of Mechanical Systems (1988), 4.3): first only of coordinates whose start values were not given, then of all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbs.analysis.evaluate import Evaluator
from flexmbs.analysis.sparse import least_change
from flexmbs.errors import MechanismError
from flexmbs.kernels.tables import CLOSURE, OPENINGS, ROTATION
from flexmbs.model.model import Model

CLOSED = 1e-12  # m or rad
LARGEST_MOVE = 0.5  # of one iteration, m or rad
ITERATIONS = 100


def assembled(model: Model, t: float = 0.0) -> Model:
    """``model`` with start values for which loops are closed and velocities are consistent.

    Raises
    ------
    MechanismError
        A loop cannot be closed from there: the joint that is open most, and by how much.
    """
    if len(model.tables.constraints) == 0:
        return model
    return _Assembly(model, t).run()


@dataclass(frozen=True)
class _OwnCoordinates:
    """Coordinates of a joint that closes a loop (which of them turn), and its rows among the constraints."""

    own: np.ndarray
    rows: np.ndarray
    turned: np.ndarray


class _Assembly:
    def __init__(self, model: Model, t: float):
        self.model, self.t = model, t
        self.evaluator = Evaluator(model)
        self.q, self.v, self.reference = model.q.copy(), model.v.copy(), model.reference.copy()
        levels = model.tables.coordinates["level"][: model.coordinate_count]
        driven = model.tables.coordinates["signal"][: model.coordinate_count] >= 0
        self.movable = ~(driven & (levels == 0))
        self.changeable = ~(driven & (levels <= 1))
        self.position_rows = self._rows_of_level(0)
        self.rate_rows = self._rows_of_level(1)

    def _rows_of_level(self, highest: int) -> np.ndarray:
        """Rows whose position (0), or position or rate (1), is constrained."""
        kept = []
        first = self.evaluator.rows[0]
        for constraint in self.model.tables.constraints:
            rows = np.arange(constraint["rows"]) + constraint["row"] - first
            kept.append(rows[np.broadcast_to(constraint["level"] <= highest, rows.shape)])
        return np.concatenate(kept)

    def run(self) -> Model:
        self._guess_closures()
        given = self.model.given[: self.model.coordinate_count]
        closed = self._close(self.movable & ~given)
        if not closed and not self._close(self.movable):
            self._refuse()
        self._match_rates()
        return replace(self.model, q=self.q, v=self.v, reference=self.reference)

    def _openings(self, q, reference) -> np.ndarray:
        return self.evaluator.openings(q, self.v, reference, self.t)[0][self.position_rows]

    def _guess_closures(self) -> None:
        """Coordinates of the joints that close loops: of a few turned starts the one with the smallest opening.

        Closures have coordinates of their own, so that all are fitted at once.
        """
        tables, first = self.model.tables, self.evaluator.rows[0]
        found: list[_OwnCoordinates] = []
        for constraint in tables.constraints:
            if constraint["kind"] != CLOSURE:
                continue
            axes = tables.axes[constraint["start"] : constraint["end"]]
            own = np.unique(axes["coordinate"]).astype(int)
            own = own[self.movable[own] & ~self.model.given[own]]
            rows = np.arange(constraint["rows"]) + constraint["row"] - first
            turned = np.intersect1d(axes["coordinate"][axes["kind"] == ROTATION], own)
            if len(own):
                found.append(_OwnCoordinates(own, rows, turned))
        if not found:
            return
        best = np.full(len(found), np.inf)
        start = self.q
        for angle in (0.0, 2.0, -2.0):
            q = start.copy()
            for closure in found:
                q[closure.turned] += angle
            q, sizes = self._fit(q, found)
            for number, closure in enumerate(found):
                if sizes[number] < best[number] - 1e-9:
                    best[number] = sizes[number]
                    self.q = self.q.copy()
                    self.q[closure.own] = q[closure.own]
            if best.max() < 1e-9:
                return

    def _fit(self, q: np.ndarray, closures: list[_OwnCoordinates]) -> tuple[np.ndarray, np.ndarray]:
        """Least squares of every closure for its own coordinates; returns coordinates and what stays open."""
        sizes = np.full(len(closures), np.inf)
        zero = np.zeros_like(q)
        for _ in range(20):
            opening = self.evaluator.openings(q, self.v, self.reference, self.t)[0]
            now = np.array([np.linalg.norm(opening[closure.rows]) for closure in closures])
            if not np.any(now < 0.999 * sizes) or now.max() < CLOSED:
                return q, now
            sizes = np.minimum(sizes, now)
            base = self.evaluator.residual(q, zero, zero, self.reference, self.t, OPENINGS)
            matrices = [np.zeros((len(closure.rows), len(closure.own))) for closure in closures]
            for column in range(max(len(closure.own) for closure in closures)):
                a = zero.copy()
                a[[closure.own[column] for closure in closures if column < len(closure.own)]] = 1.0
                moved = self.evaluator.residual(q, zero, a, self.reference, self.t, OPENINGS) - base
                for matrix, closure in zip(matrices, closures, strict=True):
                    if column < len(closure.own):
                        matrix[:, column] = moved[self.evaluator.rows[closure.rows]]
            q = q.copy()
            for matrix, closure in zip(matrices, closures, strict=True):
                change = -np.linalg.lstsq(matrix, opening[closure.rows], rcond=1e-10)[0]
                q[closure.own] += change * min(1.0, 1.0 / max(np.abs(change).max(), 1e-300))
        return q, sizes

    def _close(self, movable: np.ndarray) -> bool:
        """Damped Gauss-Newton on the movable coordinates; True when every loop is closed (then kept)."""
        q, reference = self.q.copy(), self.reference.copy()
        opening = self._openings(q, reference)
        if not np.any(movable):
            return bool(np.abs(opening).max(initial=0.0) < CLOSED)
        for _ in range(ITERATIONS):
            size = float(np.linalg.norm(opening))
            if np.abs(opening).max(initial=0.0) < CLOSED:
                self.q, self.reference = q, reference
                return True
            G = self.evaluator.constraint_matrix(q, reference, self.t, OPENINGS)[self.position_rows][:, movable]
            change = -least_change(G, opening)
            change *= min(1.0, LARGEST_MOVE / max(float(np.abs(change).max()), 1e-300))
            for _ in range(12):
                trial = q.copy()
                trial[: len(movable)][movable] += change
                turned = self._fold(trial, reference)
                found = self._openings(trial, turned)
                if np.linalg.norm(found) < size or np.abs(found).max() < CLOSED:
                    break
                change *= 0.5
            else:
                if np.abs(opening).max() < 100.0 * CLOSED:  # rounding is all that is left
                    self.q, self.reference = q, reference
                    return True
                return False
            q, reference, opening = trial, turned, found
        return False

    def _fold(self, q: np.ndarray, reference: np.ndarray) -> np.ndarray:
        """Fold rotation vectors of balls in ``q`` into the quaternions."""
        from flexmbs.kernels.rotation import rotate_quaternion

        turned = reference.copy()
        for ball, start in enumerate(self.model.balls):
            rotate_quaternion(reference[ball], *q[start : start + 3], turned[ball])
            q[start : start + 3] = 0.0
        return turned

    def _match_rates(self) -> None:
        """Velocities that the constraints allow: those not given change first, then all, by as little as possible."""
        n = self.model.coordinate_count
        G = self.evaluator.constraint_matrix(self.q, self.reference, self.t)[self.rate_rows]
        given = self.model.given_rates[:n]
        for movable in (self.changeable & ~given, self.changeable):
            for _ in range(3):
                rate = self._rates()
                if np.abs(rate).max(initial=0.0) < CLOSED or not np.any(movable):
                    break
                self.v[:n][movable] -= least_change(G[:, movable], rate)
            if np.abs(self._rates()).max(initial=0.0) < 1e-9 * max(1.0, float(np.abs(self.v).max())):
                return
        rate = np.abs(self._rates())
        worst = self.evaluator.rows[self.rate_rows[int(np.argmax(rate))]]
        raise MechanismError(
            f"the start velocities cannot be made consistent: constraint '{self.model.coordinate_names[worst]}' still "
            f"opens at {rate.max():.3g} m/s or rad/s; do drivers contradict each other, or is the mechanism locked?"
        )

    def _rates(self) -> np.ndarray:
        self.evaluator.residual(self.q, self.v, np.zeros_like(self.q), self.reference, self.t, 1)
        return self.evaluator.work.constraint[self.evaluator.rows, 1][self.rate_rows]

    def _refuse(self) -> None:
        opening = self._openings(self.q, self.reference)
        first = self.evaluator.rows[0]
        sizes = {}
        for c, constraint in enumerate(self.model.tables.constraints):
            rows = np.isin(self.position_rows, np.arange(constraint["rows"]) + constraint["row"] - first)
            part = opening[rows]
            turn = float(np.linalg.norm(part[3:])) if constraint["rows"] == 6 else 0.0
            sizes[self.model.constraint_names[c]] = (float(np.linalg.norm(part[:3])), turn)
        name, (gap, turn) = max(sizes.items(), key=lambda item: item[1][0] + item[1][1])
        raise MechanismError(
            f"the loops cannot be closed from the start values: joint '{name}' stays open by {gap:.6g} m and "
            f"{turn:.6g} rad. Start nearer to a closed position, or check lengths and axes"
        )
