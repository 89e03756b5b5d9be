"""Damping ratios of modes by their frequency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import BodyError


@dataclass(frozen=True)
class DampingByFrequency:
    """Damping ratios of modes by their frequency, constant in each range (``reduce(damping=...)``).

    Attributes
    ----------
    ratios : pairs (frequency in Hz up to which the ratio holds, that frequency included; fraction of critical damping).
        Frequencies rise; the last one is infinite, so that every mode has a ratio.

    Raises
    ------
    BodyError : frequencies do not rise or do not end at infinity, or a ratio is negative or not finite.

    Example
    -------
    1 % up to 100 Hz, 10 % up to 1 kHz, critical damping above::

        DampingByFrequency(((100.0, 0.01), (1000.0, 0.1), (math.inf, 1.0)))
    """

    ratios: Sequence[tuple[float, float]]

    def __post_init__(self) -> None:
        try:
            pairs = tuple((float(limit), float(ratio)) for limit, ratio in self.ratios)
        except (TypeError, ValueError):
            raise BodyError(
                f"DampingByFrequency: ratios must be pairs (frequency in Hz, damping ratio), not {self.ratios!r}"
            ) from None
        object.__setattr__(self, "ratios", pairs)
        limits = [limit for limit, _ in pairs]
        if not all(low < high for low, high in zip([0.0, *limits], limits, strict=False)):
            raise BodyError(f"DampingByFrequency: frequencies must be positive (Hz) and rise, got {limits}")
        if not pairs or limits[-1] != math.inf:
            above = f"above {limits[-1]:g} Hz have no ratio" if pairs else "have no ratio"
            raise BodyError(f"DampingByFrequency: modes {above}; let the last frequency be math.inf")
        wrong = [ratio for _, ratio in pairs if not (math.isfinite(ratio) and ratio >= 0.0)]
        if wrong:
            raise BodyError(
                f"DampingByFrequency: damping ratios must be finite and not negative, got "
                f"{', '.join(f'{ratio:g}' for ratio in wrong)}"
            )

    def at(self, frequencies: np.ndarray) -> np.ndarray:
        """The damping ratios of modes with these ``frequencies`` (Hz), in the shape of ``frequencies``."""
        limits, values = np.array(self.ratios).T
        return values[np.searchsorted(limits, frequencies, side="left")]


#: Profiles that have a name. "adams": the default of Adams Flex for flexible bodies.
DAMPING_PROFILES = {"adams": DampingByFrequency(((100.0, 0.01), (1000.0, 0.1), (math.inf, 1.0)))}
