"""Which steps of a run are stored: the options of users, and the limit of a result.

When a result would become too large, only every second, fourth, ... step is stored. Which rows of the log these are depends
on the rows alone, not on when they arrive: decisions are made at fixed numbers of rows. Always stored are rows of events,
the row before an instant in which something jumps, and the first row in which a ball joint has turned a further radian, as
its rotation vector is interpolated, which is unique up to pi.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from flexmbs.common.errors import MechanismError, ResultWarning, SimulationError
from flexmbs.common.progress import size_text
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.log_rows import TIME
from flexmbs.model.compiled_model import Model

DEFAULT_LIMIT = 100e6  # bytes of a result, unless the user says which steps to store
SMALLEST = 64  # rows that a limit must hold

#: ``storage_limit`` as users give it: bytes, None (no limit), or "auto".
StorageLimit = float | Literal["auto"] | None


@dataclass(frozen=True)
class Storage:
    """Which rows of the log are stored.

    Attributes
    ----------
    every : store every n-th row
    step : s, store the first row at or after each multiple of it; 0: not by time
    limit : bytes that the result may take; infinite: no limit
    stated : whether the user stated the limit
    """

    every: int = 1
    step: float = 0.0
    limit: float = DEFAULT_LIMIT
    stated: bool = False

    @property
    def is_selective(self) -> bool:
        """Whether the user asked for some of the steps only."""
        return self.every > 1 or self.step > 0.0


def checked_storage(store_every: int | None, output_step: float | None, storage_limit: StorageLimit, duration: float) -> Storage:
    """The options as a :class:`Storage`; ``duration`` of the run in s.

    Raises
    ------
    MechanismError
        A value is of the wrong kind or size, or two options contradict each other.
    """
    if store_every is not None and output_step is not None:
        raise MechanismError(
            f"store_every = {store_every!r} and output_step = {output_step!r} both say which steps are stored; give "
            "store_every (every n-th step) or output_step (one step every so many seconds)"
        )
    if store_every is not None and not (_is_number(store_every, int | np.integer) and store_every >= 1):
        raise MechanismError(f"store_every = {store_every!r} must be a whole number of steps, 1 or more")
    if output_step is not None:
        if not (_is_number(output_step) and 0.0 < output_step < np.inf):
            raise MechanismError(f"output_step = {output_step!r} must be a positive finite number of seconds")
        if output_step > duration * (1.0 + 1e-9):
            raise MechanismError(
                f"output_step = {output_step:g} s is longer than the run, {duration:g} s: nothing but its start and "
                "end would be stored"
            )
    stated = storage_limit is not None and storage_limit != "auto"
    if stated and not (_is_number(storage_limit) and storage_limit > 0.0):
        raise MechanismError(
            f'storage_limit = {storage_limit!r} must be a positive number of bytes, "auto" ({DEFAULT_LIMIT:g}, unless '
            "store_every or output_step is given) or None (no limit)"
        )
    if stated:
        limit = float(storage_limit)  # type: ignore[arg-type]
    else:
        asked = store_every is not None or output_step is not None
        limit = np.inf if storage_limit is None or asked else DEFAULT_LIMIT
    return Storage(int(store_every or 1), float(output_step or 0.0), limit, stated)


def limit_in_bytes(storage: Storage, model: Model, row_bytes: int, duration: float) -> float:
    """The limit, and at least what must always be stored, in rows of ``row_bytes``.

    Raises
    ------
    MechanismError
        The limit that the user stated is too small for that.
    """
    samples = sum(2.0 * duration / float(sampler["period"]) for sampler in model.tables.samplers)
    least = SMALLEST + samples
    if storage.stated and storage.limit < least * row_bytes:
        raise MechanismError(
            f"storage_limit = {storage.limit:g} bytes holds {storage.limit / row_bytes:.0f} steps of this mechanism, "
            f"{row_bytes} bytes each; at least {least * row_bytes:.3g} bytes are needed ({SMALLEST} steps"
            + (f", and {samples:.0f} at the samples of controllers, which are always stored" if samples else "")
            + ")"
        )
    return max(storage.limit, least * row_bytes)


def _is_number(value: object, kind: object = int | float | np.number) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)  # type: ignore[arg-type]


LARGE = 1e9  # bytes of a result without limit, of which a warning tells when it has grown to EARLY of them
EARLY = 0.05
FIRST = 8  # this part of the limit is used before steps are left out
PERIODS, MAX_PIECE = 64, 1024  # decisions while the limit is used up; rows of the log between two of them at most
RESERVE = 0.03  # this part of the limit is for what comes between two decisions
MAX_STRIDE = 2**20
MEASURED, OVERHEAD = 128, 1.05  # rows whose size in a file is measured, and for what they do not show
TURN = 1.0  # rad of a ball between stored rows, unless a single step turns it further
#: What the next decisions depend on, beside the rows whose size is measured: the numbers of a saved state.
_NUMBERS = ("stride", "largest_stride", "since_needed", "turned", "waits", "began", "needed", "others", "used_before")
_NUMBERS = (*_NUMBERS, "unmeasured", "row_bytes", "expected")


class RowThinner:
    """Chooses the rows to store from the rows of the log as they arrive.

    Attributes
    ----------
    stride, largest_stride : every so many of the chosen rows are stored, now and at most so far
    waits : whether the last row has been chosen but is not stored; it may be needed beside the next one
    row_bytes : bytes of a row in a file, as far as known
    expected : bytes of all chosen rows, when the first of them was left out
    warned : whether the user has been warned of the size
    """

    def __init__(
        self,
        model: Model,
        storage: Storage,
        limit: float,
        t_end: float,
        row_bytes: float,
        measure: Callable[[np.ndarray], float],
        booked: int = 0,
    ) -> None:
        """``limit`` in bytes; ``measure`` gives the bytes of a row in a file, of rows of the log.

        ``booked``: how many numbers stand behind each row (analysis.recording.energy_books).
        """
        self.storage, self.limit, self.t_end, self.row_bytes, self.measure = storage, limit, t_end, float(row_bytes), measure
        rows = limit / row_bytes / PERIODS
        self.piece, self.period = int(min(max(rows, 1), MAX_PIECE)), max(rows, 1.0)
        self.stride = self.largest_stride = 1
        self.since_needed = self.needed = self.others = self.unmeasured = 0  # rows
        self.turned = self.began = self.used_before = self.expected = 0.0
        self.waits = self.warned = False
        self.forget_rows(model.log_row.width + booked)
        self._lay_out(model)

    def forget_rows(self, width: int) -> None:
        """Rows of ``width`` numbers will come."""
        self.recent = np.zeros((0, width))  # rows stored last, whose size in a file is measured

    def _lay_out(self, model: Model) -> None:
        """Columns of the angular velocities of the balls (balls, 3)."""
        self._spins = model.log_row.v.start + np.add.outer(np.array(model.balls, dtype=np.int64), np.arange(3))

    def widen(self, model: Model, wider: Callable[[np.ndarray], np.ndarray]) -> None:
        """Rows of a model with more switches will come; ``wider`` makes such rows of those that are kept here."""
        self._lay_out(model)
        self.recent = wider(self.recent)

    @property
    def active(self) -> bool:
        """Whether rows have been left out."""
        return self.largest_stride > 1

    def take(self, rows: np.ndarray, chosen: np.ndarray, needed: np.ndarray, last: np.ndarray | None, logged: int) -> np.ndarray:
        """Rows to store, of those that have come so far.

        ``chosen`` (rows,): stored unless they can be left out; ``needed``: always stored; ``last``: the row before these,
        of ``logged`` ones (None: there is none).
        """
        if last is None and len(rows):
            last, self.began = rows[0], float(rows[0, TIME])
        stored, begin = [rows[:0]], 0
        while begin < len(rows):
            end = min(len(rows), begin + self.piece - (logged + begin) % self.piece)
            part = slice(begin, end)
            stored.append(self._stored(np.vstack([last, rows[part]]), chosen[part], needed[part]))
            last, begin = rows[end - 1], end
            if (logged + end) % self.piece == 0 and np.isfinite(self.limit):
                self._decide(float(last[TIME]))
        return np.concatenate(stored)

    @np.errstate(over="ignore", invalid="ignore")
    def _stored(self, rows: np.ndarray, chosen: np.ndarray, needed: np.ndarray) -> np.ndarray:
        """Those to store of the row before and the next ones, which ``chosen`` and ``needed`` describe."""
        step = np.diff(rows[:, TIME])
        speed = np.linalg.norm(rows[:, self._spins], axis=-1).max(axis=1, initial=0.0)
        turns = 0.5 * (speed[1:] + speed[:-1]) * step / TURN
        turns[~np.isfinite(turns)] = 0.0  # of a run that diverges
        turned = np.cumsum(np.append(self.turned, turns))  # one after the other, however many come at once
        needed = chosen & (needed | (np.floor(turned[1:]) > np.floor(turned[:-1])))
        number = self.since_needed + np.cumsum(chosen)
        since_needed = number - np.maximum.accumulate(np.where(needed, number, 0))
        candidates = np.append(self.waits, chosen)
        stored = np.append(False, chosen & (since_needed % self.stride == 0))
        stored[:-1] |= candidates[:-1] & ((step <= 0.0) | (turns > 1.0))
        self.turned, self.since_needed, self.waits = turned[-1], since_needed[-1], candidates[-1] and not stored[-1]
        self.needed += np.count_nonzero(needed)
        self.others += np.count_nonzero(chosen & ~needed)
        self.unmeasured += np.count_nonzero(stored)
        if np.isfinite(self.limit):
            self.recent = np.concatenate([self.recent, rows[stored]])[-MEASURED:]
        return rows[stored]

    def _decide(self, t: float) -> None:
        """Choose the stride with which the rest of the run fits into the rest of the limit, if it goes on as so far."""
        if self.unmeasured >= self.period and self.used >= self.limit / FIRST:
            self.row_bytes = OVERHEAD * self.measure(self.recent)
            self.used_before, self.unmeasured = self.used, 0
        if t <= self.began or (self.stride == 1 and self.used < self.limit / FIRST):
            return
        # what a row so far amounts to in the rest of the run
        to_come = max(self.t_end - t, 0.0) / (t - self.began) * self.row_bytes
        left = (1.0 - RESERVE) * self.limit - self.used - to_come * (self.needed - 1)  # the first row is none of an event
        if not self.active:
            self.expected = self.used + to_come * (self.needed + self.others)
            if self.expected <= self.limit:
                return
        highest = min(2 * self.stride, MAX_STRIDE) if self.active else MAX_STRIDE  # where the limit is used up: step by step
        self.stride = 1
        while self.stride < highest and left * self.stride < to_come * self.others:
            self.stride *= 2
        self.largest_stride = max(self.largest_stride, self.stride)

    @property
    def used(self) -> float:
        """Bytes that the stored rows take; the same however they came."""
        return self.used_before + self.unmeasured * self.row_bytes

    def expected_bytes(self, t: float) -> float:
        """Bytes at the end of the run, if it goes on as it did until ``t``."""
        if t <= self.began:
            return 0.0
        return min(self.used * (1.0 + max(self.t_end - t, 0.0) / (t - self.began)), max(self.limit, self.used))

    def saved(self) -> dict[str, np.ndarray]:
        """Everything that the next decisions depend on, for a saved state; nothing in it changes later."""
        return {"recorder.recent": self.recent, "recorder.budget": np.array([float(getattr(self, name)) for name in _NUMBERS])}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Go on from :meth:`saved`; SimulationError if it does not fit this mechanism."""
        recent, numbers = (np.array(arrays.get(f"recorder.{name}", ()), dtype=float) for name in ("recent", "budget"))
        if recent.ndim != 2 or recent.shape[1] != self.recent.shape[1]:
            raise SimulationError("the saved state is damaged: recorder.recent does not hold rows of the log")
        if numbers.shape != (len(_NUMBERS),) or not np.all(numbers >= 0.0) or not np.all(np.isfinite(numbers)):
            raise SimulationError(f"the saved state is damaged: recorder.budget does not hold {len(_NUMBERS)} numbers")
        if not np.all(np.frexp(numbers[:2])[0] == 0.5) or not 1 <= numbers[0] <= numbers[1]:
            raise SimulationError("the saved state is damaged: recorder.budget states a stride that is no power of two")
        self.recent = recent
        for name, value in zip(_NUMBERS, numbers, strict=True):
            setattr(self, name, type(getattr(self, name))(value))

    def stats(self) -> dict[str, int]:
        """Statistics of the run: every so many steps at least are stored, of those that the user asks for."""
        return {"storage_stride": self.largest_stride}

    def warn_of_growth(self, t: float) -> None:
        """ResultWarning, once, when a result without limit will be large, or steps are left out from now on."""
        if self.warned:
            return
        if self.active:
            self.warned = True
            warn(
                f"all steps of this run would make a result of about {size_text(self.expected)}: from t = {t:.4g} s on, "
                f"steps are left out (one in {self.largest_stride} or fewer are stored, and those of events) to keep it below "
                f"storage_limit = {size_text(self.storage.limit)}; curves between stored steps do not show what vibrates "
                "faster than these follow each other. For more or fewer steps give storage_limit, store_every or "
                "output_step",
                ResultWarning,
            )
        elif not np.isfinite(self.limit) and self.used > EARLY * LARGE and self.expected_bytes(t) > LARGE:
            self.warned = True
            warn(
                f"the result of this run will take about {size_text(self.expected_bytes(t))} ({self.row_bytes:.0f} bytes a "
                f"step, {size_text(self.used)} until t = {t:.4g} s). Give storage_limit (bytes), or a larger output_step or "
                "store_every, to store fewer steps",
                ResultWarning,
            )

    def warn_of_excess(self) -> None:
        """ResultWarning if the result has become larger than its limit."""
        if self.used > 1.05 * self.limit:
            warn(
                f"the result takes {size_text(self.used)}, more than storage_limit = {size_text(self.storage.limit)}: the "
                "steps at events (contacts, samples of controllers) and at every radian that a ball joint turns are always "
                "stored",
                ResultWarning,
            )
