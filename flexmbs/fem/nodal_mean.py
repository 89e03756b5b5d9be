"""Mean of what the elements at a node say of it, added up chunk by chunk."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.mesh.mesh import Mesh


class NodalMean:
    """Sums of values (rows, ...) that elements add to ``count`` rows, and their means."""

    def __init__(self, count: int, shape: tuple[int, ...]) -> None:
        self._total = np.zeros((count, int(np.prod(shape))))
        self._hits = np.zeros(count)
        self._shape = shape

    def add(self, rows: np.ndarray, values: np.ndarray) -> None:
        """``values`` (k, ...) to ``rows`` (k,) int, repeated or not; negative rows are left out."""
        kept = np.flatnonzero(rows >= 0)
        if not len(kept):
            return
        touched, place = np.unique(rows[kept], return_inverse=True)
        gather = sparse.csr_matrix((np.ones(len(kept)), (place.ravel(), kept)), shape=(len(touched), len(rows)))
        self._total[touched] += gather @ values.reshape(len(rows), self._total.shape[1])
        self._hits[touched] += np.bincount(place.ravel(), minlength=len(touched))

    def mean(self) -> np.ndarray:
        """(count, ...); every row has been added to."""
        return (self._total / self._hits[:, None]).reshape(len(self._hits), *self._shape)


def regions(mesh: Mesh, with_section: bool) -> list[int]:
    """For each block the first one with the same material, and section if that counts too.

    Stress jumps where these change: it is averaged over the elements of one region only.
    """
    first: dict[str, int] = {}
    keys = [repr((block.material, block.section if with_section else None)) for block in mesh.blocks]
    return [first.setdefault(key, index) for index, key in enumerate(keys)]
