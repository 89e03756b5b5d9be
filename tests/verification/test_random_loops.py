"""Random closed loops: without forces they keep their energy; those that drivers move have the forces of inverse dynamics.

Neither motion needs the iteration matrix: where Newton's iteration converges with any, singular positions and multipliers
must still be right.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from random_loops import COASTING, DRIVEN, random_loop

from flexmbs.analysis import kinematics

SOME, ALL = 40, 500
SOME_DRIVEN, ALL_DRIVEN = 10, 100
TURNS = 19.0
# Energy and speed, in parts of rtol: the worst of 500 runs is 9, the median 0.02.
ENERGY = 30.0
REACTION = 1e-6  # of the largest force, moment or driving force


def numbers(some, all_of_them):
    return [n if n < some else pytest.param(n, marks=pytest.mark.slow) for n in range(all_of_them)]


@pytest.mark.parametrize("number", numbers(SOME, ALL))
def test_loops_that_coast(number):
    loop, rng, kind = random_loop(COASTING, number)
    rtol = 10.0 ** rng.uniform(-9.0, -4.0)
    result = loop.system.simulate(min(10.0, TURNS * 2.0 * np.pi / abs(loop.speed)), rtol=rtol)
    energy = result["energy.kinetic"]
    assert energy == pytest.approx(energy[0], rel=ENERGY * rtol)
    assert result["constraint_error"].max() < 1e-6
    for joint in loop.joints if "wheel" in kind or kind in ("windows", "parallelogram") else ():
        assert result[f"{joint.name}.angle.rate"][-1] == pytest.approx(loop.speed, rel=ENERGY * rtol)


@pytest.mark.parametrize("number", numbers(13, 100))  # of number 12 another choice of constraints has no singular position
def test_reduced_and_absolute_coordinates_coast_alike(number):
    """Along the one way that they can go, past change points too, and so at the same speed at the end."""
    rates = []
    for coordinates in ("reduced", "absolute"):
        loop = random_loop(COASTING, number)[0]
        loop.system.coordinates = coordinates
        result = loop.system.simulate(2.0 * np.pi * 5.0 / abs(loop.speed), rtol=1e-8)
        rates.append(result[f"{loop.joints[0].name}.angle.rate"][-1])
    assert rates[0] == pytest.approx(rates[1], rel=1e-4)


def inverse_dynamics(system, times, monkeypatch):
    """Kinematics at given times, of which the first is 0."""
    with monkeypatch.context() as patch:
        patch.setattr(kinematics, "np", SimpleNamespace(**vars(np) | {"linspace": lambda *_: times}))
        return system.kinematics(float(times[-1]), steps=len(times) - 1)


@pytest.mark.parametrize("number", numbers(SOME_DRIVEN, ALL_DRIVEN))
@pytest.mark.parametrize(
    ("integrator", "rtol"), [("radau", 1e-6), ("radau", 1e-8), pytest.param("bdf", 1e-6, marks=pytest.mark.slow)]
)
def test_forces_of_driven_loops(number, integrator, rtol, monkeypatch):
    loop, _rng, kind = random_loop(DRIVEN, number)
    result = loop.system.simulate(min(5.0, 0.5 * TURNS * 2.0 * np.pi / abs(loop.speed)), rtol=rtol, integrator=integrator)
    rows = np.unique(np.linspace(0, len(result.t) - 1, 200).astype(int))
    exact = inverse_dynamics(random_loop(DRIVEN, number)[0].system, result.t[rows], monkeypatch)
    names = [name for name in exact.names if ".driving_" in name]
    if kind == "wheels":  # the reactions depend on which of the redundant constraints are chosen
        assert exact[names[0]] == pytest.approx(loop.load, rel=REACTION)  # power in is power out
    else:
        names += [name for name in exact.names if ".reaction." in name]
    for unit in {exact.unit(name) for name in names}:
        alike = [name for name in names if exact.unit(name) == unit]
        largest = max(np.abs(exact[name]).max() for name in alike)
        for name in alike:
            assert result[name][rows] == pytest.approx(exact[name], abs=REACTION * largest), name
