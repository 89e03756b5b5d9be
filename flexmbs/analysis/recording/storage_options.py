"""Which steps of a run are stored: the options of users, checked before any work is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from flexmbs.common.errors import MechanismError
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
