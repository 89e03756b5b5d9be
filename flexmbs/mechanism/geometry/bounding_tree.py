"""A tree of bounding boxes, flat, in the order of a walk from its root (core.contact.distance.triangulated_surface)."""

from __future__ import annotations

import numpy as np

from flexmbs.core.contact.distance.triangulated_surface import BEHIND, COUNT, FIRST, NODE

LEAF = 2  # boxes in a leaf, at most


def bounding_tree(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(nodes, NODE) numbers of the tree and (n,) the order in which its leaves refer to the boxes.

    low, high : (n, 3) corners of the boxes, m. Branches are split in the middle of the order along the longest axis.
    """
    middle, nodes, order = 0.5 * (low + high), [], []

    def add(chosen: np.ndarray) -> None:
        node = np.zeros(NODE)
        node[0:3], node[3:6] = low[chosen].min(axis=0), high[chosen].max(axis=0)
        nodes.append(node)
        if len(chosen) <= LEAF:
            node[FIRST], node[COUNT] = len(order), len(chosen)
            order.extend(chosen)
        else:
            axis = int(np.argmax(np.ptp(middle[chosen], axis=0)))
            sorted_ones = chosen[np.argsort(middle[chosen, axis], kind="stable")]
            half = len(chosen) // 2
            add(sorted_ones[:half])
            add(sorted_ones[half:])
        node[BEHIND] = len(nodes)

    add(np.arange(len(low)))
    return np.array(nodes), np.array(order)
