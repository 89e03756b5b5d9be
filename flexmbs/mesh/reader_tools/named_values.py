"""Sets from arrays of integers: formats without sets mark regions with a number on every cell or node."""

from __future__ import annotations

import re

import numpy as np

_WORDS = tuple(
    "region mat block group part zone physical entity ref pid prop domain label"
    " tag body marker attribute set color component bound surface patch subdomain".split()
)
_GEOMETRICAL = re.compile(r"geometrical|dim_tags|elementary", re.IGNORECASE)
_FEW, _MAX_SETS = 10, 1000  # so many sets are made of few cells, and at most


def sets_of_values(
    data: dict[str, np.ndarray], ids: np.ndarray, *, zero_is_none: bool = False
) -> tuple[dict[str, np.ndarray], list[str]]:
    """Sets "name value" of the elements (nodes) ``ids`` (n,) by the integers (n,) that arrays of such a name give them.

    Returns the sets and the names of the arrays that make none. Negative values stand for no group, and so does 0 when
    it is the only value or ``zero_is_none``.
    """
    sets: dict[str, np.ndarray] = {}
    unused = []
    for name, values in data.items():
        distinct = np.unique(values)
        looks_so = any(word in name.lower() for word in _WORDS) and not _GEOMETRICAL.search(name)
        if not looks_so or len(distinct) > min(_MAX_SETS, max(len(values) // 2, _FEW)):
            unused.append(name)
            continue
        lowest = 1 if zero_is_none or len(distinct) == 1 else 0
        for value in distinct[distinct >= lowest]:
            sets[f"{name} {value}"] = ids[values == value]
    return sets, unused
