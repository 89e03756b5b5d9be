"""Closing the loops: start values that satisfy every constraint, in position and in velocity.

Positions by a damped Gauss-Newton iteration with the smallest change of coordinates (Nikravesh, Computer-Aided Analysis
of Mechanical Systems (1988), 4.3): first only of joint coordinates whose start values were not given, then of all joint
coordinates, then of modal coordinates too.  Held coordinates (Joint.hold) never change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from flexmbs.analysis.evaluate import Evaluator
from flexmbs.analysis.sparse import least_change
from flexmbs.errors import MechanismError
from flexmbs.kernels.tables import CLOSURE, CURVE, INVERSE_CURVE, OPENINGS, ROTATION
from flexmbs.model.constraints import levels_of_rows
from flexmbs.model.model import Model

CLOSED = 1e-12  # m or rad
LARGEST_MOVE = 0.5  # of one iteration, m or rad
ITERATIONS = 100
# From a rough pose the iteration may end where the opening is smallest but not zero: then it starts again from poses
# that are turned by random angles of up to so many rad.
FRESH_STARTS, FRESH_TURN = 8, 1.0
# The iteration is given up when the opening falls by less than this part in so many steps.
SLOW, PATIENCE = 1e-3, 6
PLACES_ALONG = (0.125, 0.375, 0.625, 0.875)  # of a curve, where something on it may start


def assembled(model: Model, t: float = 0.0, ignored: frozenset[int] = frozenset()) -> Model:
    """``model`` with start values for which loops are closed and velocities are consistent.

    ``ignored``: numbers of constraints that need not hold.

    Raises
    ------
    MechanismError
        A loop cannot be closed from there: the joint that is open most, and by how much.
    """
    if len(model.tables.constraints) == len(ignored):
        return model
    return _Assembly(model, t, ignored).run()


def followed(model: Model, t: float, rates: bool = True) -> Model:
    """``model``, which stands near a closed position, closed at time ``t`` by as little motion as possible.

    ``rates``: its velocities are made consistent too.

    Raises
    ------
    MechanismError
        It cannot be closed from there, or its velocities cannot be made consistent.
    """
    if len(model.tables.constraints) == 0:
        return model
    return _Assembly(model, t, frozenset()).follow(rates)


def folded(model: Model, q: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """(balls, 4) ``reference`` with the rotation vectors of the balls in ``q`` folded in; there they become zero."""
    from flexmbs.kernels.rotation import rotate_quaternion

    turned = reference.copy()
    for ball, start in enumerate(model.balls):
        rotate_quaternion(reference[ball], *q[start : start + 3], turned[ball])
        q[start : start + 3] = 0.0
    return turned


@dataclass(frozen=True)
class _OwnCoordinates:
    """Coordinates of a joint that closes a loop, its rows among the constraints, and values from which to try."""

    own: np.ndarray
    rows: np.ndarray
    starts: list[np.ndarray]


class _Assembly:
    def __init__(self, model: Model, t: float, ignored: frozenset[int]):
        self.model, self.t, self.ignored = model, t, ignored
        self.evaluator = Evaluator(model)
        self.q, self.v, self.reference = model.q.copy(), model.v.copy(), model.reference.copy()
        levels = model.tables.coordinates["level"][: model.coordinate_count]
        driven = model.tables.coordinates["signal"][: model.coordinate_count] >= 0
        self.movable = ~(driven & (levels == 0)) & ~model.held[: model.coordinate_count]
        self.changeable = ~(driven & (levels <= 1))
        self.jointed = np.ones(model.coordinate_count, dtype=bool)  # False: modal coordinates
        for part in model.modal.values():
            self.jointed[part] = False
        self.position_rows = self._rows_of_level(0)
        self.rate_rows = self._rows_of_level(1)
        self.nearest = (np.inf, self.q, self.reference)

    def _rows_of_level(self, highest: int) -> np.ndarray:
        """Rows whose position (0), or position or rate (1), is constrained."""
        kept = []
        first = self.evaluator.rows[0]
        for c, constraint in enumerate(self.model.tables.constraints):
            if c in self.ignored:
                continue
            rows = np.arange(constraint["rows"]) + constraint["row"] - first
            kept.append(rows[levels_of_rows(constraint) <= highest])
        return np.concatenate(kept)

    def run(self) -> Model:
        self._guess_closures()
        given = self.model.given[: self.model.coordinate_count]
        choices = (self.movable & self.jointed & ~given, self.movable & self.jointed, self.movable)
        if not any(self._close(movable) for movable in choices) and not self._close_from_elsewhere():
            self._refuse()
        self._match_rates()
        return replace(self.model, q=self.q, v=self.v, reference=self.reference)

    def follow(self, rates: bool) -> Model:
        if not self._close(self.movable | self.model.held[: self.model.coordinate_count]):
            self._refuse()
        if rates:
            self._match_rates()
        return replace(self.model, q=self.q, v=self.v, reference=self.reference)

    def _close_from_elsewhere(self) -> bool:
        """Fresh starts from poses turned at random (the same ones every time)."""
        chance = np.random.default_rng(0)
        start = self.q
        turns = np.zeros(len(start), dtype=bool)
        for axis in self.model.tables.axes:
            if axis["kind"] == ROTATION and axis["factor"] != 0.0 and self.movable[axis["coordinate"]]:
                turns[axis["coordinate"]] = True
        for k in range(FRESH_STARTS if np.any(turns) else 0):
            self.q = start.copy()
            self.q[turns] += chance.uniform(-1.0, 1.0, np.count_nonzero(turns)) * FRESH_TURN * (k + 1) / FRESH_STARTS
            if self._close(self.movable & self.jointed):
                return True
        self.q = start
        return False

    def _openings(self, q, reference) -> np.ndarray:
        return self.evaluator.openings(q, self.v, reference, self.t)[0][self.position_rows]

    def _guess_closures(self) -> None:
        """Coordinates of the joints that close loops: of a few turned starts the one with the smallest opening.

        Closures have coordinates of their own, so that all are fitted at once.
        """
        tables, first = self.model.tables, self.evaluator.rows[0]
        found: list[_OwnCoordinates] = []
        for c, constraint in enumerate(tables.constraints):
            if constraint["kind"] != CLOSURE or c in self.ignored:
                continue
            axes = tables.axes[constraint["start"] : constraint["end"]]
            own = np.unique([*axes["coordinate"], *axes["second"][axes["second"] >= 0]]).astype(int)
            own = own[self.movable[own] & ~self.model.given[own]]
            rows = np.arange(constraint["rows"]) + constraint["row"] - first
            if len(own):
                found.append(_OwnCoordinates(own, rows, self._starts(axes, own)))
        if not found:
            return
        best = np.full(len(found), np.inf)
        start = self.q
        for trial in range(max(len(closure.starts) for closure in found)):
            q = start.copy()
            for closure in found:
                q[closure.own] = closure.starts[trial % len(closure.starts)]
            q, sizes = self._fit(q, found)
            for number, closure in enumerate(found):
                if sizes[number] < best[number] - 1e-9:
                    best[number] = sizes[number]
                    self.q = self.q.copy()
                    self.q[closure.own] = q[closure.own]
            if best.max() < 1e-9:
                return

    def _starts(self, axes, own: np.ndarray) -> list[np.ndarray]:
        """Values of the coordinates ``own`` from which a joint may close: a few angles, a few places on its curves."""
        turning = axes["coordinate"][(axes["kind"] == ROTATION) & (axes["factor"] != 0.0)]
        turned = np.isin(own, turning)
        starts = [self.q[own] + angle * turned for angle in ((0.0, 2.0, -2.0) if turned.any() else (0.0,))]
        curves = [axis for axis in axes if axis["kind"] in (CURVE, INVERSE_CURVE) and axis["coordinate"] in own]
        for places in product(PLACES_ALONG, repeat=len(curves)) if curves else ():
            values = self.q[own]
            for axis, place in zip(curves, places, strict=True):
                first, last = self.model.tables.pool[axis["at"] + 1 : axis["at"] + 3]
                values[own == axis["coordinate"]] = (first + place * (last - first) - axis["offset"]) / axis["factor"]
            starts.append(values)
        return starts

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
            return self._keep_if_closed(q, reference, opening, CLOSED)
        slow = 0
        for _ in range(ITERATIONS):
            size = float(np.linalg.norm(opening))
            if self._keep_if_closed(q, reference, opening, CLOSED):
                return True
            G = self.evaluator.constraint_matrix(q, reference, self.t, OPENINGS)[self.position_rows][:, movable]
            change = -least_change(G, opening)
            change *= min(1.0, LARGEST_MOVE / max(float(np.abs(change).max()), 1e-300))
            for _ in range(12):
                trial = q.copy()
                trial[: len(movable)][movable] += change
                turned = folded(self.model, trial, reference)
                found = self._openings(trial, turned)
                if np.linalg.norm(found) < size or np.abs(found).max() < CLOSED:
                    break
                change *= 0.5
            else:
                return self._keep_if_closed(q, reference, opening, 100.0 * CLOSED)  # rounding is all that is left
            slow = slow + 1 if np.linalg.norm(found) > (1.0 - SLOW) * size else 0
            q, reference, opening = trial, turned, found
            if slow > PATIENCE:
                break
        return self._keep_if_closed(q, reference, opening, CLOSED)

    def _keep_if_closed(self, q: np.ndarray, reference: np.ndarray, opening: np.ndarray, limit: float) -> bool:
        """Keep a pose that is closed; of the others remember the one that is open least."""
        if np.abs(opening).max(initial=0.0) < limit:
            self.q, self.reference = q, reference
            return True
        size = float(np.linalg.norm(opening))
        if size < self.nearest[0]:
            self.nearest = (size, q, reference)
        return False

    def _match_rates(self) -> None:
        """Velocities that the constraints allow: those not given change first, then all, by as little as possible."""
        n = self.model.coordinate_count
        G = self.evaluator.constraint_matrix(self.q, self.reference, self.t)[self.rate_rows]
        given = self.model.given_rates[:n]
        choices = (self.changeable & self.jointed & ~given, self.changeable & self.jointed, self.changeable)
        for movable in choices:
            for _ in range(3):
                rate = self._rates()
                if np.abs(rate).max(initial=0.0) < CLOSED or not np.any(movable):
                    break
                self.v[:n][movable] -= least_change(G[:, movable], rate)
            # functions of time without given derivatives have rates with errors of 1e-10 and more
            if np.abs(self._rates()).max(initial=0.0) < 1e-7 * max(1.0, float(np.abs(self.v).max())):
                return
        rate = np.abs(self._rates())
        worst = self.evaluator.rows[self.rate_rows[int(np.argmax(rate))]]
        raise MechanismError(
            f"the velocities cannot be made consistent: constraint '{self.model.coordinate_names[worst]}' still "
            f"opens at {rate.max():.3g} m/s or rad/s; do drivers contradict each other, or is the mechanism locked?"
        )

    def _rates(self) -> np.ndarray:
        self.evaluator.residual(self.q, self.v, np.zeros_like(self.q), self.reference, self.t, 1)
        return self.evaluator.work.constraint[self.evaluator.rows, 1][self.rate_rows]

    def _refuse(self) -> None:
        opening = self._openings(*self.nearest[1:])
        first = self.evaluator.rows[0]
        sizes = {}
        for c, constraint in enumerate(self.model.tables.constraints):
            if c in self.ignored:
                continue
            rows = np.isin(self.position_rows, np.arange(constraint["rows"]) + constraint["row"] - first)
            part = opening[rows]
            turn = float(np.linalg.norm(part[3:])) if constraint["rows"] == 6 else 0.0
            sizes[self.model.constraint_names[c]] = (float(np.linalg.norm(part[:3])), turn)
        name, (gap, turn) = max(sizes.items(), key=lambda item: item[1][0] + item[1][1])
        held = [f"'{self.model.coordinate_names[k]}'" for k in np.flatnonzero(self.model.held)]
        keeping = f" with {', '.join(held)} held" if held else ""
        twist = f" and {turn:.6g} rad" if turn > 1e-9 else ""
        raise MechanismError(
            f"the loops cannot be closed from the start values{keeping}: '{name}' stays open by {gap:.6g} m{twist}. "
            f"Start nearer to a closed position, or check lengths and axes"
        )
