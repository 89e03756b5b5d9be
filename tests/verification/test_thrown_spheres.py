"""No contact is stepped through: spheres of random size, speed and tolerance (tests/thrown_spheres.py)."""

import pytest
from thrown_spheres import missed


def throws(seeds, obstacles):
    pairs, passages, wrong = 0, 0, []
    for seed in seeds:
        one, two, three = missed(seed, obstacles)
        pairs, passages, wrong = pairs + one, passages + two, wrong + three
    assert wrong == []
    return pairs, passages


def test_every_passage_is_found():
    pairs, passages = throws(range(4), 18)
    assert pairs > 50 and passages > 30


@pytest.mark.slow
def test_every_passage_of_10000_pairs_is_found():
    pairs, passages = throws(range(1000, 1400), 36)
    assert pairs > 10000 and passages > 7000
