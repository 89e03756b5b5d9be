"""Trees of boxes over the items of a surface, with the bounds that make them follow the modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.core.contact.surfaces.layout import BRANCH

LEAF = 4  # items of a leaf at most


@dataclass(frozen=True)
class Tree:
    """Binary tree; children stand behind their parent.

    Attributes
    ----------
    order : (items,) items in the order of the leaves
    branches : (nb, 4) children (-1: a leaf), first item, behind the last item
    """

    order: np.ndarray
    branches: np.ndarray


def tree_of(centres: np.ndarray) -> Tree:
    """Items (k, 3) split in halves along the longest side of their box."""
    order = np.arange(len(centres))
    branches: list[list[int]] = [[-1, -1, 0, len(centres)]]
    waiting = [0]
    while waiting:
        branch = waiting.pop()
        first, last = branches[branch][2:]
        if last - first <= LEAF:
            continue
        own = order[first:last]
        low, high = centres[own].min(axis=0), centres[own].max(axis=0)
        middle = (last - first) // 2
        along = centres[own, int(np.argmax(high - low))]
        order[first:last] = own[np.argsort(along, kind="stable")]
        left = len(branches)
        branches[branch][:2] = left, left + 1
        branches += [[-1, -1, first, first + middle], [-1, -1, first + middle, last]]
        waiting += [left, left + 1]
    return Tree(order, np.array(branches, dtype=np.int64).reshape(-1, BRANCH))


def span(tree: Tree, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(nb, ...) middle and half width of the interval of each branch from those of the items (k, ...), in their order.

    Items are those of the tree's ``order``.
    """
    branches = tree.branches
    least, most = np.empty((len(branches), *low.shape[1:])), np.empty((len(branches), *low.shape[1:]))
    for branch in range(len(branches) - 1, -1, -1):
        left, right, first, last = branches[branch]
        if left < 0:
            least[branch], most[branch] = low[first:last].min(axis=0), high[first:last].max(axis=0)
        else:
            least[branch] = np.minimum(least[left], least[right])
            most[branch] = np.maximum(most[left], most[right])
    return 0.5 * (least + most), 0.5 * (most - least)
