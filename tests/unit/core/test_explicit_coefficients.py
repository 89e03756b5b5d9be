"""Order conditions of the explicit pairs over all rooted trees (Hairer, Norsett and Wanner I, 1993, II.2).

Sums of some hundred products of coefficients up to 44 in double precision: 1e-12.
"""

from functools import cache

import numpy as np
import pytest

from flexmbs.core.methods.explicit_coefficients import HIGH, LOW, ORDER, STAGES, A, C, E, F


@cache
def trees(order: int) -> tuple:
    """Rooted trees with ``order`` vertices; a tree is the sorted tuple of its branches."""
    return tuple(sorted(forests(order - 1, order - 1)))


@cache
def forests(vertices: int, largest: int) -> frozenset:
    """Sets of trees with so many vertices in all, none larger than ``largest``."""
    if vertices == 0:
        return frozenset({()})
    found = set()
    for size in range(1, min(vertices, largest) + 1):
        for tree in trees(size):
            for rest in forests(vertices - size, largest):
                found.add(tuple(sorted((tree, *rest))))
    return frozenset(found)


def size(tree) -> int:
    return 1 + sum(size(branch) for branch in tree)


def density(tree) -> int:
    return size(tree) * int(np.prod([density(branch) for branch in tree], dtype=int))


def stage_weights(tree, a):
    """Product over the branches of the root, at every stage."""
    found = np.ones(len(a))
    for branch in tree:
        found = found * (a @ stage_weights(branch, a))
    return found


def conditions(pair: int, weights, order: int):
    """What the elementary weights of all trees of an order are, and what the exact solution has."""
    a = A[pair]
    found = np.array([weights @ stage_weights(tree, a) for tree in trees(order)])
    return found, np.array([1.0 / density(tree) for tree in trees(order)])


def test_number_of_rooted_trees():
    assert [len(trees(order)) for order in range(1, 10)] == [1, 1, 2, 4, 9, 20, 48, 115, 286]


@pytest.mark.parametrize("pair", [LOW, HIGH])
def test_solution_has_its_order_and_no_more(pair):
    weights = A[pair, STAGES[pair] - 1]
    for order in range(1, ORDER[pair] + 1):
        found, exact = conditions(pair, weights, order)
        assert np.abs(found - exact).max() < 1e-12
    found, exact = conditions(pair, weights, ORDER[pair] + 1)
    assert np.abs(found - exact).max() > 1e-7


@pytest.mark.parametrize(("pair", "weights", "order"), [(LOW, E[LOW], 4), (HIGH, E[HIGH], 5), (HIGH, F[HIGH], 3)])
def test_estimate_measures_the_error_of_its_order(pair, weights, order):
    for below in range(1, order + 1):
        assert np.abs(conditions(pair, weights, below)[0]).max() < 1e-12
    assert np.abs(conditions(pair, weights, order + 1)[0]).max() > 1e-5


@pytest.mark.parametrize("pair", [LOW, HIGH])
def test_stages_lie_at_their_nodes_and_the_last_is_the_end(pair):
    assert np.abs(A[pair].sum(axis=1) - C[pair]).max() < 1e-14
    assert C[pair, STAGES[pair] - 1] == 1.0
    assert np.all(np.triu(A[pair]) == 0.0)
