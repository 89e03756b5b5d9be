"""Storage within a limit: steps that the interpolation reproduces are left out when a result would become too large.

Every step is stored until an eighth of the limit is used and the run is expected to exceed it. From then on a step is
left out if the interpolation between its stored neighbours passes it within a tolerance, relative to the range of each
coordinate and rate so far. The tolerance begins at that of the run and follows the rows that remain for the rest of the
run. Which rows are stored depends on the rows alone, not on when they arrive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from flexmbs.common.errors import SimulationError
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.state import Settings
from flexmbs.core.stepping.thin_rows import CUBIC_RATE, LINEAR, QUINTIC, TURNING, thin_rows
from flexmbs.model.compiled_model import Model

VISIBLE = 1e-3  # of the range of a coordinate: what a curve may miss before a warning says so
FINEST, COARSEST = 1e-9, 0.3  # bounds of the tolerance
PIECE, LEAST_PIECE = 256, 16  # rows of the log between two decisions; fewer for small limits
FIRST = 8  # this part of the limit is used before steps are left out
IMPACT_ROWS = 256  # rows after a contact has started or ended that are stored while it is closed
LONGEST, LONGEST_NUMBERS = 4096, 2**20  # stretch without a stored row: in rows, and in numbers that wait in memory
ORDER = 6  # of the interpolation: rows grow with the -1/6th power of the tolerance
AIM = 0.9  # of the rows that remain
END, RESERVE = 0.01, 0.03  # no decisions in this last part of the run, for which this part of the limit is kept
SPARE = 2.0  # longest stretch, relative to what would use up the rows that remain evenly
PERIODS, MOST_PERIODS = 64, 1024  # decisions for what remains of the rows or of the time, and for all rows
MOST, SLOWLY = 10.0, 2.0  # by which the tolerance changes at once, and grows where it is visible
INSUFFICIENT = 2.0  # times the rows that remain
MEASURED, OVERHEAD = 128, 1.05  # rows whose size in a file is measured, and for what they do not show


class RowThinner:
    """Chooses the rows to store from the rows of the log as they arrive.

    Attributes
    ----------
    active : whether rows are left out
    stored : rows so far
    row_bytes : bytes of a row, as far as known
    tolerance, largest_tolerance : relative to the ranges, now and so far (0: every chosen row is stored)
    """

    def __init__(
        self,
        model: Model,
        limit: float,
        t_end: float,
        settings: Settings,
        row_bytes: float,
        measure: Callable[[np.ndarray], float],
        booked: int = 0,
    ) -> None:
        """``limit`` in bytes; ``measure`` gives the bytes of a row in a file, of rows of the log.

        ``booked``: how many numbers stand behind each row (analysis.recording.energy_books).
        """
        columns, n = model.log_row, model.coordinate_count
        self.limit, self.t_end, self.row_bytes, self.measure = limit, t_end, float(row_bytes), measure
        self.piece = int(_within(limit / row_bytes / (8 * FIRST), LEAST_PIECE, PIECE))
        self.finest = _within(float(settings.rtol), FINEST, VISIBLE)
        self.floor = np.array([settings.atol_q[:n], settings.atol_v[:n]])
        self.kinds = _kinds(model)
        self._lay_out(model)
        self.active = False
        self.stored = self.last_switch = self.period_rows = self.period_candidates = 0
        self.stretch = self.longest
        self.tolerance = self.largest_tolerance = self.began = self.period_began = self.expected = 0.0
        self.used_before, self.stored_before = 0.0, 0  # when the size of a row was measured
        self.ranges = np.outer([np.inf, -np.inf, 0.0], np.ones(n))
        self.limits = np.zeros((2, n))
        self.forget_rows(columns.width + booked)

    def forget_rows(self, width: int) -> None:
        """Rows of ``width`` numbers will come."""
        self.rows = np.zeros((0, width))  # the row stored last, and those behind it that may be left out
        self.recent = self.rows  # rows stored last, of which the size in a file is measured

    def _lay_out(self, model: Model) -> None:
        """Columns of the rows of a model, and the longest stretch of them."""
        columns = model.log_row
        self.flags, self.columns = columns.active, (columns.q.start, columns.v.start, columns.a.start)
        self.longest = int(_within(LONGEST_NUMBERS // columns.width, 64, LONGEST))

    def widen(self, model: Model, wider: Callable[[np.ndarray], np.ndarray]) -> None:
        """Rows of a model with more switches will come; ``wider`` makes such rows of those that wait."""
        self._lay_out(model)
        self.rows, self.recent = wider(self.rows), wider(self.recent)

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
        if np.isfinite(self.limit):
            self.recent = np.concatenate([self.recent, found])[-MEASURED:]
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
            joined, waiting, len(joined), self.kinds, *self.columns, self.limits[0], self.limits[1], wanted, self.stretch, kept
        )
        self.rows = joined[last:].copy()
        return joined[kept != 0]

    def _see(self, rows: np.ndarray) -> None:
        """Extend the ranges of coordinates and the largest rates."""
        n = self.ranges.shape[1]
        q, v = (rows[:, at : at + n] for at in self.columns[:2])
        low, high, speed = self.ranges
        self.ranges = np.array(
            [np.minimum(low, q.min(axis=0)), np.maximum(high, q.max(axis=0)), np.maximum(speed, np.abs(v).max(axis=0))]
        )

    def _decide(self, t: float) -> None:
        """Begin to leave rows out, or adapt the tolerance to the rows that remain."""
        left_time = self.t_end - t
        if left_time <= END * (self.t_end - self.began) or t <= self.period_began:
            return
        left_rows = max((1.0 - RESERVE) * self.limit - self.used, 1.0) / self.row_bytes
        rate, candidates = (count / (t - self.period_began) for count in (self.period_rows, self.period_candidates))
        ratio = rate * left_time / left_rows
        if not self.active:
            early = self.used < max(self.limit / FIRST, self.used_before + self.limit / PERIODS)
            if early or ratio <= 1.0 or not len(self.rows):
                return
            self._measure()
            self.used_before = self.stored * self.row_bytes
            self.expected = self.used + rate * left_time * self.row_bytes
            if self.expected <= self.limit:
                return
            self.active, self.tolerance, ratio = True, self.finest, AIM
        else:
            period = max(16.0, left_rows / PERIODS, self.limit / self.row_bytes / MOST_PERIODS)
            if self.period_rows < period and t - self.period_began < left_time / PERIODS:
                return
            self._measure()
        factor = _within((ratio / AIM) ** ORDER, 1.0 / MOST, MOST)
        # beyond what is visible only if that takes far too many rows for longer than a burst of them, and slowly
        insufficient = self.tolerance > VISIBLE or (self.tolerance == VISIBLE and ratio > INSUFFICIENT)
        highest = min(SLOWLY * self.tolerance, COARSEST) if insufficient else VISIBLE
        self.tolerance = _within(self.tolerance * factor, self.finest, highest)
        self.largest_tolerance = max(self.largest_tolerance, self.tolerance)
        low, high, speed = self.ranges
        # no stretch is much longer than it has to be: what has no derivatives stored is interpolated by cubics
        self.stretch = int(_within(np.ceil(SPARE * candidates * left_time / left_rows), 2, self.longest))
        self.limits = np.maximum(self.tolerance * np.array([high - low, speed]), self.floor)
        self.period_began, self.period_rows, self.period_candidates = t, 0, 0

    def _measure(self) -> None:
        self.used_before, self.stored_before = self.used, self.stored
        self.row_bytes = OVERHEAD * self.measure(self.recent)

    @property
    def used(self) -> float:
        """Bytes that the stored rows take; the same however they came."""
        return self.used_before + (self.stored - self.stored_before) * self.row_bytes

    def expected_bytes(self, t: float) -> float:
        """Bytes at the end of the run, if it goes on as it did until ``t``."""
        if t <= self.began:
            return 0.0
        return min(self.used * (1.0 + max(self.t_end - t, 0.0) / (t - self.began)), max(self.limit, self.used))

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
            "recorder.rows": self.rows,
            "recorder.recent": self.recent,
            "recorder.ranges": self.ranges,
            "recorder.limits": self.limits,
            "recorder.budget": np.array([float(getattr(self, name)) for name in _NUMBERS]),
        }

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from :meth:`saved`; SimulationError if it does not fit this mechanism."""
        shapes = {"ranges": self.ranges.shape, "limits": self.limits.shape, "budget": (len(_NUMBERS),)}
        for name, shape in shapes.items():
            if arrays[f"recorder.{name}"].shape != shape:
                raise SimulationError(f"the saved state is damaged: recorder.{name} does not have the shape {shape}")
        for name in ("rows", "recent"):
            rows = arrays[f"recorder.{name}"]
            if rows.ndim != 2 or rows.shape[1] != self.rows.shape[1]:
                raise SimulationError(f"the saved state is damaged: recorder.{name} does not hold rows of the log")
            setattr(self, name, np.ascontiguousarray(rows, dtype=float))
        if not np.all(np.isfinite(arrays["recorder.budget"])):
            raise SimulationError("the saved state is damaged: recorder.budget")
        self.ranges, self.limits = (np.array(arrays[f"recorder.{name}"], dtype=float) for name in ("ranges", "limits"))
        for name, value in zip(_NUMBERS, arrays["recorder.budget"], strict=True):
            setattr(self, name, type(getattr(self, name))(value))
        self.active = self.active and np.isfinite(self.limit) and len(self.rows) > 0


_NUMBERS = (
    "active",
    "stored",
    "last_switch",
    "period_rows",
    "period_candidates",
    "stretch",
    "tolerance",
    "largest_tolerance",
    "began",
    "period_began",
    "expected",
    "used_before",
    "stored_before",
    "row_bytes",
)


def _within(value: float, lowest: float, highest: float) -> float:
    return float(min(max(value, lowest), highest))


def _kinds(model: Model) -> np.ndarray:
    """(n,) how each coordinate is interpolated (core.stepping.thin_rows)."""
    coordinates = model.tables.coordinates[: model.coordinate_count]
    kinds = np.full(len(coordinates), QUINTIC, dtype=np.int64)
    kinds[coordinates["state"] != 0] = CUBIC_RATE
    kinds[coordinates["unit"] != 0.0] = LINEAR
    for ball in model.balls:
        kinds[ball : ball + 3] = TURNING
    return kinds
