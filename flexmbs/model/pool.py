"""The pool of floats that records of the tables point into, while it grows."""

from __future__ import annotations

import numpy as np


class Pool:
    """One growing array of floats; ``add`` returns the offset."""

    def __init__(self):
        self.parts: list[np.ndarray] = []
        self.size = 0
        self._known: dict[int, tuple[np.ndarray, int]] = {}  # by identity; keeps the arrays alive

    def add(self, values) -> int:
        flat = np.ascontiguousarray(values, dtype=float).ravel()
        at = self.size
        self.parts.append(flat)
        self.size += len(flat)
        return at

    def add_once(self, values: np.ndarray) -> int:
        """Offset of an array that many records refer to: it is added when it comes first."""
        if id(values) not in self._known:
            self._known[id(values)] = values, self.add(values)
        return self._known[id(values)][1]

    def array(self) -> np.ndarray:
        return np.concatenate(self.parts) if self.parts else np.zeros(1)
