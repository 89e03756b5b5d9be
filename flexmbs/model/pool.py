"""The pool of floats that records of the tables point into, while it grows."""

from __future__ import annotations

import numpy as np


class Pool:
    """One growing array of floats; ``add`` returns the offset."""

    def __init__(self):
        self.parts: list[np.ndarray] = []
        self.size = 0

    def add(self, values) -> int:
        flat = np.ascontiguousarray(values, dtype=float).ravel()
        at = self.size
        self.parts.append(flat)
        self.size += len(flat)
        return at

    def array(self) -> np.ndarray:
        return np.concatenate(self.parts) if self.parts else np.zeros(1)
