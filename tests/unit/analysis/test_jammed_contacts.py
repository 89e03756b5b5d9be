"""Messages of runs whose rigid contacts have no solution."""

import math

import pytest

import flexmbs as fm

STEEP = 1.0  # rad


def rod_on_floor(friction, speed):
    """A rod of 1 m whose lower end slides over a floor at ``speed`` (m/s), inclined by STEEP."""
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    rod = system.add(fm.RigidBody(1.0, (1e-4, 1.0 / 12.0, 1.0 / 12.0)), name="rod")
    height = 0.5 * math.sin(STEEP)
    place = {"normal": "y", "u": height, "angle": -STEEP, "v_rate": speed}
    system.planar(system.ground["origin"], rod["origin"], name="plane", **place)
    end = rod.marker("end", (-0.5, 0.0, 0.0))
    floor = fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0))
    system.contact(fm.Point(end), floor, law=fm.Rigid(friction=friction), name="end on floor")
    return system


def test_a_rod_that_jams_names_the_contact_and_the_critical_coefficient():
    """(1 + 3 cos^2 phi) / (3 sin phi cos phi), Painleve (1895); Genot and Brogliato (1999)."""
    critical = (1.0 + 3.0 * math.cos(STEEP) ** 2) / (3.0 * math.sin(STEEP) * math.cos(STEEP))
    with pytest.raises(fm.SimulationError, match=r"contact 'end on floor' jams at t = 0 s.*2, above the") as error:
        rod_on_floor(2.0, -3.0).simulate(0.1)
    assert f"which is {critical:.6g} there" in str(error.value)
    assert rod_on_floor(0.3, -3.0).simulate(0.01).status == "finished"
