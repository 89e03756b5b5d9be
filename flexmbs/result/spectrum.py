"""Spectra of histories: amplitudes or power spectral densities over frequency."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import FlexmbsError, ResultWarning
from flexmbs.common.user_warnings import warn
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.plot_curves import check_names, time_window

AMPLITUDE, DENSITY = "amplitude", "density"
#: Samples: the fewest, and the most that are taken before a warning.
FEWEST, MOST = 4096, 2**20
#: The sampling is fine enough when the last part of the band has no more than this share of the mean square.
LAST_PART, LEFT_THERE = 0.8, 1e-6
#: A peak stands out from what surrounds it by this part of the largest value.
PROMINENCE = 0.01
#: Lines between those of the transform (by zeros behind the samples), for up to so many samples.
FINER, NOT_TOO_MANY = 4, 2**18
PEAKS, MAX_PLACES = 8, 200
#: A peak counts if it is higher than what larger ones leak there, by this factor.
ABOVE_LEAKAGE = 1.5


@dataclass(frozen=True)
class SpectrumPeak:
    """A maximum of a spectrum: its frequency (Hz) and value, between the lines of the spectrum."""

    frequency: float
    value: float


@dataclass(frozen=True)
class Spectrum:
    """One-sided spectrum of a history.

    Attributes
    ----------
    frequency : (k,) Hz, evenly spaced from 0 to the end of the band
    value : (k,)
        kind "amplitude": of the sine at that frequency, in ``unit``; at 0 the mean, which is left out if ``mean`` was
        subtracted. kind "density": power spectral density in unit^2/Hz; its integral is the mean square.
    name, unit : of the history; value_unit : of ``value``
    window : of scipy.signal; resolution : Hz, the noise bandwidth of the window, within which sines are not separate
    start, end : s; samples : their number, evenly spaced in between; segments : whose densities are averaged
    mean : of the history, subtracted before
    share_above : share of the mean square at frequencies that ``highest`` cut off
    peaks : tuple of SpectrumPeak, largest first
    """

    name: str
    unit: str
    kind: str
    frequency: np.ndarray = field(repr=False)
    value: np.ndarray = field(repr=False)
    window: str
    resolution: float
    start: float
    end: float
    samples: int
    segments: int
    mean: float
    share_above: float
    peaks: tuple[SpectrumPeak, ...]

    @property
    def value_unit(self) -> str:
        """Unit of ``value``."""
        if self.kind == AMPLITUDE:
            return self.unit
        squared = f"({self.unit})2" if re.search(r"\W|\d", self.unit) else f"{self.unit}2"
        return f"{squared}/Hz" if self.unit else "1/Hz"

    def rms(self, low: float = 0.0, high: float = math.inf) -> float:
        """Root mean square of what lies from ``low`` to ``high`` (Hz), in the unit of the history; for densities."""
        if self.kind != DENSITY:
            raise FlexmbsError('rms of a spectrum of amplitudes: ask for kind="density"')
        inside = (self.frequency >= low) & (self.frequency <= high)
        return float(np.sqrt(np.sum(self.value[inside]) * (self.frequency[1] - self.frequency[0])))


def spectrum_of(
    sample: Callable[[np.ndarray], np.ndarray],
    name: str,
    unit: str,
    steps: np.ndarray,
    window: tuple[float, float],
    *,
    kind: str = AMPLITUDE,
    taper: str = "hann",
    highest: float | None = None,
    segments: int = 1,
) -> Spectrum:
    """Spectrum of a history from its values at any times (``sample``); ``steps``: stored times within ``window``."""
    low, high = window
    _check(kind, highest, segments, high - low)
    values, rate = _sampled(sample, steps, low, high, highest, name)
    mean = float(values.mean())
    values = values - mean
    frequency, value, resolution = _transformed(values, rate, kind, taper, segments)
    share, inside = 0.0, np.ones(len(frequency), dtype=bool)
    if highest is not None:
        inside = frequency <= highest
        power = value if kind == DENSITY else value**2
        share = float(power[~inside].sum() / (power.sum() or 1.0))
    frequency, value = frequency[inside], value[inside]
    leak = _leakage(taper, _part_length(len(values), segments), len(frequency), kind)
    peaks = _peaks(frequency, value, leak, lowest=rate / _part_length(len(values), segments))
    return Spectrum(name, unit, kind, frequency, value, taper, resolution, low, high, len(values), segments, mean, share, peaks)


def _check(kind: str, highest: float | None, segments: int, span: float) -> None:
    if kind not in (AMPLITUDE, DENSITY):
        raise FlexmbsError(f'spectrum: kind is {kind!r}; it must be "{AMPLITUDE}" or "{DENSITY}"')
    if not isinstance(segments, int | np.integer) or not 1 <= segments <= 1000:
        raise FlexmbsError(f"spectrum: segments is {segments!r}; it must be a whole number from 1 to 1000")
    if segments > 1 and kind == AMPLITUDE:
        raise FlexmbsError('spectrum: averages over segments are for kind="density"; amplitudes take the whole window')
    if not span > 0.0:
        raise FlexmbsError("spectrum: the run has a single instant: there is nothing to transform")
    if highest is not None and not (np.isfinite(highest) and highest * span >= 8.0):
        least = f"at least {8.0 / span:.3g} Hz (8 periods in the window of {span:g} s)"
        raise FlexmbsError(f"spectrum: highest is {highest!r}; it must be a frequency of {least}")


def _sampled(
    sample: Callable[[np.ndarray], np.ndarray], steps: np.ndarray, low: float, high: float, highest: float | None, name: str
) -> tuple[np.ndarray, float]:
    """Values at evenly spaced times, dense enough that nothing is folded back into the band, and their rate in Hz."""
    wanted = max(FEWEST, 4 * len(steps), 0 if highest is None else math.ceil(5.0 * highest * (high - low)))
    count = 2 ** math.ceil(math.log2(min(wanted, MOST)))
    while True:
        values = sample(low + (high - low) * np.arange(count) / count)
        if not np.all(np.isfinite(values)):
            raise FlexmbsError(f"spectrum: {name} is not finite everywhere in the window")
        left = _share_at_end(values)
        if left <= LEFT_THERE or 2 * count > MOST:
            break
        count *= 2
    rate = count / (high - low)
    if left > LEFT_THERE:
        warn(
            f"spectrum: {name} has {100.0 * left:.2g} % of its mean square above {0.5 * LAST_PART * rate:.3g} Hz, near "
            f"the end of what {count} samples show (jumps have no end); a shorter window (start, end) resolves more",
            ResultWarning,
        )
    return values, rate


def _share_at_end(values: np.ndarray) -> float:
    """Share of the mean square in the last part of the band."""
    power = np.abs(np.fft.rfft((values - values.mean()) * np.hanning(len(values)))) ** 2
    floor = (np.finfo(float).eps * np.abs(values).max(initial=0.0) * len(values)) ** 2  # of rounding
    total = float(power.sum())
    return float(power[int(LAST_PART * len(power)) :].sum()) / total if total > floor else 0.0


def _weights(taper: str, length: int) -> np.ndarray:
    from scipy import signal

    try:
        return signal.get_window(taper, length)
    except (ValueError, TypeError) as error:
        known = "common ones: hann, flattop, blackmanharris, boxcar"
        raise FlexmbsError(f"spectrum: no window {taper!r} in scipy.signal ({error}); {known}") from None


def _part_length(samples: int, segments: int) -> int:
    """Samples of each of ``segments`` parts that overlap by a half."""
    return samples if segments == 1 else 2 * samples // (segments + 1)


def _transformed(values: np.ndarray, rate: float, kind: str, taper: str, segments: int) -> tuple[np.ndarray, np.ndarray, float]:
    from scipy import signal

    length = _part_length(len(values), segments)
    weights = _weights(taper, length)
    frequency, power = signal.welch(
        values,
        rate,
        weights,
        length,
        length // 2 if segments > 1 else 0,
        detrend="constant" if segments > 1 else False,
        nfft=FINER * length if length <= NOT_TOO_MANY else length,
        scaling="spectrum" if kind == AMPLITUDE else "density",
    )
    resolution = float(rate * np.sum(weights**2) / np.sum(weights) ** 2)
    if kind == DENSITY:
        return frequency, power, resolution
    # power of a line of a sine is half the square of its amplitude; 0 and the end of the band have no counterpart
    sines = np.full(len(power), 2.0)
    sines[0] = sines[-1] = 1.0
    return frequency, np.sqrt(sines * power), resolution


def _peaks(frequency: np.ndarray, value: np.ndarray, leak: np.ndarray, lowest: float) -> tuple[SpectrumPeak, ...]:
    """The largest peaks from ``lowest`` Hz on, between the lines; not those that larger ones leak (``leak``)."""
    from scipy import signal

    if not value.max(initial=0.0) > 0.0:
        return ()
    least = PROMINENCE * value.max()
    places, _ = signal.find_peaks(value, height=least, prominence=least)  # the height first: it is found sooner
    found: list[int] = []
    for place in places[np.argsort(-value[places], kind="stable")][:MAX_PLACES]:
        if all(value[place] > ABOVE_LEAKAGE * leak[abs(place - other)] * value[other] for other in found):
            found.append(int(place))
    peaks = [_between_lines(frequency, value, place) for place in found]
    return tuple([peak for peak in peaks if peak.frequency >= lowest][:PEAKS])


def _between_lines(frequency: np.ndarray, value: np.ndarray, place: int) -> SpectrumPeak:
    """Top of the parabola through the logarithms of three lines, which a window's main lobe comes close to."""
    low, top, high = np.log(np.maximum(value[place - 1 : place + 2], 1e-300))
    bend = low - 2.0 * top + high
    shift = 0.5 * (low - high) / bend if bend < 0.0 else 0.0
    spacing = frequency[1] - frequency[0]
    return SpectrumPeak(float(frequency[place] + shift * spacing), float(np.exp(top - 0.25 * (low - high) * shift)))


def _leakage(taper: str, length: int, lines: int, kind: str) -> np.ndarray:
    """(lines,) largest part of a sine that the window shows at so many lines beside it, or farther."""
    weights = _weights(taper, length)
    size = np.abs(np.fft.rfft(weights, FINER * length if length <= NOT_TOO_MANY else length)) / weights.sum()
    envelope = np.maximum.accumulate(size[::-1])[::-1][:lines]
    return envelope if kind == AMPLITUDE else envelope**2


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
