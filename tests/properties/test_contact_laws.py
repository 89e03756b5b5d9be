"""What holds for every registered contact law."""

import numpy as np
import pytest

from flexmbs.core.laws.contact import LAWS, Hertz, PowerLaw, law_energy, law_force, law_number
from flexmbs.core.laws.contact.base import PARAMETERS
from flexmbs.core.layout.tables import CONTACT

EXAMPLES = [PowerLaw(3e4), PowerLaw(2e7, 2.0), Hertz(1.5e10)]


def record(law):
    row = np.zeros(1, dtype=CONTACT)
    row["law"] = law_number(law)
    for name, value in zip(("p0", "p1", "p2", "p3")[:PARAMETERS], law.parameters(), strict=False):
        row[name] = value
    return row[0]


def test_every_law_has_an_example():
    assert {law_number(law) for law in EXAMPLES} == set(range(len(LAWS)))


@pytest.mark.parametrize("law", EXAMPLES)
def test_force_is_the_slope_of_the_energy_and_grows(law):
    row = record(law)
    depths = np.array([1e-6, 1e-5, 1e-4, 1e-3])
    forces = [law_force(row, depth) for depth in depths]
    slopes = [(law_energy(row, d * 1.0001) - law_energy(row, d * 0.9999)) / (2e-4 * d) for d in depths]
    assert law_force(row, 0.0) == law_energy(row, 0.0) == 0.0
    # central difference with a relative step of 1e-4: error 1e-8, rounding 1e-12
    np.testing.assert_allclose(slopes, forces, rtol=1e-7)
    assert np.all(np.diff(forces) > 0.0)
