"""Sheng, Liu and Yu, "Dynamics of a flexible pendulum with impact" formulation (2006): pendulum hits a Hertz stop.

Reference with all terms of the same ansatz, one axial mode and n bending modes. Tolerances: the reference is good
to 1e-8 after several impacts; ours, at rtol 1e-7, must show 1e-5 in the first contact time and 1e-3 in the
force figures.
"""

import pytest

from flexmbs import run_case


@pytest.mark.parametrize("n", [1, 2, 3])
def test_contacts(reference, n):
    contacts = reference("flexible_pendulum_impact")[f"n{n}"]
    figures = run_case("flexible_pendulum_impact", {"bending_modes": n}).figures
    assert figures["contact_count"] == len(contacts)
    assert figures["first_contact_time"] == pytest.approx(contacts[0]["t_start"], rel=1e-5)
    assert figures["first_contact_duration"] == pytest.approx(contacts[0]["duration"], rel=1e-3)
    assert figures["first_peak_force"] == pytest.approx(contacts[0]["F_peak"], rel=1e-3)
    assert figures["first_impulse"] == pytest.approx(contacts[0]["impulse"], rel=1e-3)
    assert figures["contact_starts"] == pytest.approx([contact["t_start"] for contact in contacts], rel=1e-3)
    # each impact multiplies an error by about 10
    assert figures["peak_forces"] == pytest.approx([contact["F_peak"] for contact in contacts], rel=1e-3)
    assert figures["energy_error"] < 1e-6
