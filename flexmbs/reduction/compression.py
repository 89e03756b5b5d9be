"""Second-order fields of many pairs of modes, replaced by fewer fields with quadratic forms as their coordinates.

With amplitudes A_a of the modes (those of equal energy), w_p = A_a A_b, a state of at most that energy has
sum_p (q_a q_b / w_p)^2 <= 1. The singular value decomposition w_p Z_p = sum_r U_r sigma_r V_pr in the norm of the
body's mass then gives sum_p q_a q_b Z_p = sum_r s_r(q) Y_r, s_r = sum_p V_pr q_a q_b / w_p, Y_r = sum_p w_p V_pr Z_p,
and leaving out all sigma_r below one of them changes no state by more than that one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.reduction.body_layout import mapped
from flexmbs.reduction.flexible_body import FlexibleBody


@dataclass
class Compression:
    """Fields processed so far, as combinations of a few.

    Attributes
    ----------
    smallest : singular values below it are left out
    vectors : (pairs so far, K) V, with orthonormal columns
    fields : arrays (K, ...), each field of which is a combination sum_p w_p V_pr Z_p
    squared_error : sum of the squares of the largest singular value left out each time
    """

    smallest: float
    vectors: np.ndarray
    fields: list[np.ndarray]
    squared_error: float = 0.0

    def add(self, fields: list[np.ndarray], weights: np.ndarray, gram) -> None:
        """Take in a block of pairs: arrays (b, ...), their weights (b,); ``gram(arrays)`` (k, k) are inner products."""
        scaled = [weights.reshape(-1, *[1] * (field.ndim - 1)) * field for field in fields]
        if self.fields:
            scaled = [np.concatenate(both) for both in zip(self.fields, scaled, strict=True)]
        known, kept = self.vectors.shape
        vectors = np.zeros((known + len(weights), kept + len(weights)))
        vectors[:known, :kept], vectors[known:, kept:] = self.vectors, np.eye(len(weights))
        values, turn = np.linalg.eigh(gram(scaled))
        keep = values > self.smallest**2
        self.squared_error += float(np.max(values[~keep], initial=0.0))
        turn = turn[:, keep][:, ::-1]
        self.vectors = vectors @ turn
        self.fields = [np.tensordot(turn.T, field, 1) for field in scaled]


def compressed(blocks: Iterable[list[np.ndarray]], weights: np.ndarray, gram, smallest: float):
    """Forms (K, npairs), arrays (K, ...) and the error, from blocks of arrays in the order of the pairs."""
    result, done = Compression(smallest, np.zeros((0, 0)), []), 0
    for fields in blocks:
        count = len(fields[0])
        result.add(fields, weights[done : done + count], gram)
        done += count
    return result.vectors.T / weights, result.fields, float(np.sqrt(result.squared_error))


def with_field_for_each_pair(body: FlexibleBody) -> FlexibleBody:
    """The same body without ``forms``, for files of other tools that only know pairs of modes."""
    if body.forms is None:
        return body

    spread = mapped(body, "K", lambda fields: np.tensordot(body.forms.T, fields, 1))
    return replace(spread, forms=None)
