"""Text full of numbers to an array."""

from __future__ import annotations

import warnings

import numpy as np


def numbers_in(text: bytes, dtype: type) -> np.ndarray | None:
    """The numbers of a text, separated by blanks and line ends, in order; None where something in it is no number.

    Control characters may count as blanks here: compare the number of values with what is expected.
    """
    if not text.strip():
        return np.empty(0, dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # how older versions of NumPy say what newer ones raise
        try:
            return np.fromstring(text, dtype, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
