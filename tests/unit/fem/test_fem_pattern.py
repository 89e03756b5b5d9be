"""Sums of element matrices."""

import numpy as np
import pytest

from flexmbs.fem.sparsity_pattern import NodePattern


@pytest.mark.parametrize("node_count", [8, 400])
def test_elements_near_each_other_and_far_apart_add_up(node_count):
    """Of 400 nodes, most blocks lie between those that the two elements touch: these are added to one by one."""
    random = np.random.default_rng(1)
    line = np.column_stack([np.arange(node_count - 1), np.arange(1, node_count)])
    pattern = NodePattern(node_count, [line])
    chosen = np.array([0, 1, node_count - 2])
    values = random.standard_normal((3, 2, 2, 2, 2))
    data = pattern.zeros(2)
    pattern.add(data, pattern.positions[0][chosen], values)
    expected = np.zeros((2 * node_count, 2 * node_count))
    for element, matrix in zip(line[chosen], values, strict=True):
        rows = (2 * element[:, None] + np.arange(2)).ravel()
        expected[np.ix_(rows, rows)] += matrix.reshape(4, 4)
    assert abs(pattern.matrix(data).toarray() - expected).max() < 1e-14
