"""No contact is stepped through: spheres of random size, speed and tolerance, thrown at all kinds of obstacles."""

import pytest
from thrown_at_surfaces import missed as missed_at_plate
from thrown_at_surfaces import plate_body
from thrown_spheres import missed


def throws(seeds, count, missed_by):
    pairs, passages, wrong = 0, 0, []
    for seed in seeds:
        one, two, three = missed_by(seed, count)
        pairs, passages, wrong = pairs + one, passages + two, wrong + three
    assert wrong == []
    return pairs, passages


def test_every_passage_is_found():
    pairs, passages = throws(range(4), 18, missed)
    assert pairs > 50 and passages > 30


@pytest.mark.slow
def test_every_passage_through_a_vibrating_plate_is_found():
    body = plate_body()
    pairs, passages = throws(range(2), 10, lambda seed, count: missed_at_plate(body, seed, count))
    assert pairs == 20 and passages > 5


@pytest.mark.slow
def test_every_passage_of_10000_pairs_is_found():
    pairs, passages = throws(range(1000, 1400), 36, missed)
    assert pairs > 10000 and passages > 7000


@pytest.mark.slow
def test_every_passage_of_2000_spheres_through_a_vibrating_plate_is_found():
    body = plate_body()
    pairs, passages = throws(range(100, 200), 20, lambda seed, count: missed_at_plate(body, seed, count))
    assert pairs == 2000 and passages > 600
