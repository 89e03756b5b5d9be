"""The spectrum of a history of a result, sampled part by part so that memory does not grow with the samples."""

from __future__ import annotations

import numpy as np

from flexmbs.result.spectrum import AMPLITUDE, Spectrum, spectrum_of
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.plotting.curves import check_names, time_window

#: Numbers interpolated at a time.
AT_ONCE = 4_000_000


def history_spectrum(
    result: DrawableResult,
    name: str,
    start: float | None,
    end: float | None,
    *,
    kind: str = AMPLITUDE,
    window: str = "hann",
    highest: float | None = None,
    segments: int = 1,
) -> Spectrum:
    """See :meth:`flexmbs.Result.spectrum`."""
    check_names(result, [name], "spectrum")
    low, high = time_window(result, start, end)
    width = max(64, result.trajectory.q.shape[1], 24 * len(result.structure.bodies))
    count = max(AT_ONCE // width, 1024)

    def sample(times: np.ndarray) -> np.ndarray:
        parts = [times[first : first + count] for first in range(0, len(times), count)]
        return np.concatenate([result.resampled(part)[name] for part in parts])

    steps = result.t[(result.t >= low) & (result.t <= high)]
    return spectrum_of(
        sample, name, result.unit(name), steps, (low, high), kind=kind, taper=window, highest=highest, segments=segments
    )
