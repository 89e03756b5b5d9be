"""Storage within a limit: steps that the interpolation reproduces are left out when a result would become too large.

Every step is stored until an eighth of the limit is used and the run is expected to exceed it. From then on a step is
left out if the interpolation between its stored neighbours passes it within a tolerance, relative to the range of each
coordinate and rate so far. The tolerance begins at that of the run and follows the rows that remain for the rest of the
run. Which rows are stored depends on the rows alone, not on when they arrive.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.common.errors import SimulationError
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.stepping.thin_rows import CUBIC_RATE, LINEAR, QUINTIC, TURNING, thin_rows
from flexmbs.model.compiled_model import Model

VISIBLE = 1e-3  # of the range of a coordinate: what a curve may miss before a warning says so
COARSEST = 0.3
PIECE, LEAST_PIECE = 256, 16  # rows of the log between two decisions; fewer for small limits
FIRST = 8  # this part of the limit is used before steps are left out
IMPACT_ROWS = 256  # rows after a contact has started or ended that are stored while it is closed
LONGEST, LONGEST_NUMBERS = 4096, 2**20  # stretch without a stored row: in rows, and in numbers that wait in memory
ORDER = 6  # of the interpolation: rows grow with the -1/6th power of the tolerance
AIM = 0.9  # of the rows that remain
SPARE = 2.0  # longest stretch, relative to what would use up the rows that remain evenly
PERIODS = 64  # decisions for what remains of the rows or of the time
MOST = 100.0  # by which the tolerance changes at once


class RowThinner:
    """Chooses the rows to store from the rows of the log as they arrive.

    Attributes
    ----------
    active : whether rows are left out
    stored : rows so far
    tolerance, largest_tolerance : relative to the ranges, now and so far (0: every chosen row is stored)
    """

    def __init__(self, model: Model, limit: float, t_end: float, rtol: float, atol_q, atol_v) -> None:
        """``limit`` in rows; ``atol_q``, ``atol_v`` (n,) absolute tolerances of the run, SI units."""
        columns, n = model.log_row, model.coordinate_count
        self.limit, self.t_end = limit, t_end
        self.piece = int(np.clip(limit / (8 * FIRST), LEAST_PIECE, PIECE))
        self.finest = float(np.clip(rtol, 1e-9, VISIBLE))
        self.floor = np.array([atol_q[:n], atol_v[:n]])
        self.flags, self.columns = columns.active, (columns.q.start, columns.v.start, columns.a.start)
        self.kinds = _kinds(model)
        self.longest = int(np.clip(LONGEST_NUMBERS // columns.width, 64, LONGEST))
        self.active = False
        self.stored = self.last_switch = self.period_rows = self.period_candidates = 0
        self.stretch = self.longest
        self.tolerance = self.largest_tolerance = self.began = self.period_began = self.expected = 0.0
        self.ranges = np.outer([np.inf, -np.inf, 0.0], np.ones(n))
        self.limits = np.zeros((2, n))
        self.rows = np.zeros((0, columns.width))  # the row stored last, and those behind it that may be left out

    def take(self, rows: np.ndarray, chosen: np.ndarray, needed: np.ndarray, logged: int) -> np.ndarray:
        """Rows to store, of those that have come so far.

        ``chosen`` (rows,): stored unless they can be left out; ``needed``: always stored; ``logged``: rows of the log
        before these.
        """
        if logged == 0 and len(rows):
            self.began = self.period_began = float(rows[0, TIME])
        found, begin = [], 0
        while begin < len(rows):
            end = min(len(rows), begin + self.piece - (logged + begin) % self.piece)
            part = slice(begin, end)
            found.append(self._passed(rows[part], chosen[part], needed[part], logged + begin))
            if (logged + end) % self.piece == 0 and np.isfinite(self.limit):
                self._decide(float(rows[end - 1, TIME]))
            begin = end
        return np.concatenate(found) if len(found) != 1 else found[0]

    def _passed(self, rows: np.ndarray, chosen: np.ndarray, needed: np.ndarray, logged: int) -> np.ndarray:
        numbers = logged + np.arange(len(rows))
        switches = np.maximum.accumulate(np.where(needed, numbers, self.last_switch))
        self.last_switch = int(switches[-1])
        if np.isfinite(self.limit):
            self._see(rows)
        if not self.active:
            found = rows[chosen]
            self.rows = found[-1:].copy() if len(found) else self.rows
        else:
            if self.tolerance <= VISIBLE:
                needed = needed | (np.any(rows[:, self.flags] != 0.0, axis=1) & (numbers - switches < IMPACT_ROWS))
            found = self._thinned(rows[chosen], needed[chosen])
        self.stored += len(found)
        self.period_rows += len(found)
        self.period_candidates += int(np.count_nonzero(chosen))
        return found

    def _thinned(self, rows: np.ndarray, needed: np.ndarray) -> np.ndarray:
        waiting = len(self.rows)
        joined = np.concatenate([self.rows, rows])
        kept = np.zeros(len(joined), dtype=np.int64)
        wanted = np.concatenate([np.zeros(waiting, dtype=np.int64), needed.astype(np.int64)])
        last = thin_rows(
            joined, waiting, len(joined), self.kinds, *self.columns, self.limits[0], self.limits[1], wanted,
            self.stretch, kept,
        )  # fmt: skip
        self.rows = joined[last:].copy()
        return joined[kept != 0]

    def _see(self, rows: np.ndarray) -> None:
        """Extend the ranges of coordinates and the largest rates."""
        n = self.ranges.shape[1]
        q, v = (rows[:, at : at + n] for at in self.columns[:2])
        low, high, speed = self.ranges
        self.ranges = np.array([
            np.minimum(low, q.min(axis=0)), np.maximum(high, q.max(axis=0)), np.maximum(speed, np.abs(v).max(axis=0))
        ])  # fmt: skip

    def _decide(self, t: float) -> None:
        """Begin to leave rows out, or adapt the tolerance to the rows that remain."""
        left_time, left_rows = self.t_end - t, max(self.limit - self.stored, 1.0)
        if left_time <= 0.0 or t <= self.period_began:
            return
        rate, candidates = (count / (t - self.period_began) for count in (self.period_rows, self.period_candidates))
        ratio = rate * left_time / left_rows
        if not self.active:
            if self.stored < self.limit / FIRST or ratio <= 1.0 or not len(self.rows):
                return
            self.active, self.expected = True, self.stored + rate * left_time
            self.tolerance, ratio = self.finest, AIM
        elif self.period_rows < max(16.0, left_rows / PERIODS) and t - self.period_began < left_time / PERIODS:
            return
        factor = float(np.clip((ratio / AIM) ** ORDER, 1.0 / MOST, MOST))
        self.tolerance = float(np.clip(self.tolerance * factor, self.finest, COARSEST))
        self.largest_tolerance = max(self.largest_tolerance, self.tolerance)
        low, high, speed = self.ranges
        # no stretch is much longer than it has to be: what has no derivatives stored is interpolated by cubics
        self.stretch = int(np.clip(np.ceil(SPARE * candidates * left_time / left_rows), 2, self.longest))
        self.limits = np.maximum(self.tolerance * np.array([high - low, speed]), self.floor)
        self.period_began, self.period_rows, self.period_candidates = t, 0, 0

    def expected_rows(self, t: float) -> float:
        """Rows at the end of the run, if it goes on as it did until ``t``."""
        if t <= self.began or not self.stored:
            return 0.0
        return min(self.stored + self.stored / (t - self.began) * max(self.t_end - t, 0.0), max(self.limit, self.stored))

    @property
    def waits(self) -> bool:
        """Whether rows have come that are not stored and may be."""
        return len(self.rows) > 1

    def flush(self) -> np.ndarray:
        """The last row that has come, to be stored; those that wait before it are left out."""
        last, self.rows = self.rows[-1:], self.rows[-1:]
        self.stored += 1
        return last

    def saved(self) -> dict[str, np.ndarray]:
        """Everything that the next decisions depend on, for a saved state; nothing in it changes later."""
        return {
            "recorder.rows": self.rows, "recorder.ranges": self.ranges, "recorder.limits": self.limits,
            "recorder.budget": np.array([float(getattr(self, name)) for name in _NUMBERS]),
        }  # fmt: skip

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from :meth:`saved`; SimulationError if it does not fit this mechanism."""
        shapes = {"ranges": self.ranges.shape, "limits": self.limits.shape, "budget": (len(_NUMBERS),)}
        for name, shape in shapes.items():
            if arrays[f"recorder.{name}"].shape != shape:
                raise SimulationError(f"the saved state is damaged: recorder.{name} does not have the shape {shape}")
        rows = arrays["recorder.rows"]
        if rows.ndim != 2 or rows.shape[1] != self.rows.shape[1] or not np.all(np.isfinite(arrays["recorder.budget"])):
            raise SimulationError("the saved state is damaged: recorder.rows or recorder.budget")
        self.rows = np.ascontiguousarray(rows, dtype=float)
        self.ranges, self.limits = (np.array(arrays[f"recorder.{name}"], dtype=float) for name in ("ranges", "limits"))
        for name, value in zip(_NUMBERS, arrays["recorder.budget"], strict=True):
            setattr(self, name, type(getattr(self, name))(value))
        self.active = self.active and np.isfinite(self.limit) and len(self.rows) > 0


_NUMBERS = (
    "active", "stored", "last_switch", "period_rows", "period_candidates", "stretch", "tolerance", "largest_tolerance",
    "began", "period_began", "expected",
)  # fmt: skip


def _kinds(model: Model) -> np.ndarray:
    """(n,) how each coordinate is interpolated (core.stepping.thin_rows)."""
    coordinates = model.tables.coordinates[: model.coordinate_count]
    kinds = np.full(len(coordinates), QUINTIC, dtype=np.int64)
    kinds[coordinates["state"] != 0] = CUBIC_RATE
    kinds[coordinates["unit"] != 0.0] = LINEAR
    for ball in model.balls:
        kinds[ball : ball + 3] = TURNING
    return kinds
