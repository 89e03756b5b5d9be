"""Mechanisms with closed loops against published and exact solutions, in reduced and in absolute coordinates.

Every case runs as `flexmbs run` runs it, with its default tolerances. What is asked for: 1e-8 for the squeezing
mechanism and the car axis, 1e-6 for the others.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from flexmbs.cases import run_case

BOTH = pytest.mark.parametrize("coordinates", ["reduced", "absolute"])


def ran(case, coordinates, **values):
    outcome = run_case(case, {"coordinates": coordinates, **values})
    if "constraint_error" in outcome.figures:
        assert outcome.figures["constraint_error"] < 1e-10  # m, rad
    return outcome.figures


@BOTH
def test_squeezing_mechanism(reference, figures, coordinates):
    data = reference("ivp_andrews")
    found = ran("andrews_squeezer", coordinates)
    what = f"Andrews' squeezing mechanism, {coordinates}"
    figures(f"{what}, angles", "own solution", found["q"], data["own"]["q"], 1e-8)
    figures(f"{what}, angles", "IVP test set", found["q"], data["published"]["q"], 1e-8)
    # relative to the rate of the crank; the published digits are good to 4e-10 of it
    figures(f"{what}, rates", "own solution", found["v"], data["own"]["v"], 1e-8, scale=1140.0)


@BOTH
def test_car_axis(reference, figures, coordinates):
    data, found = reference("ivp_caraxis"), ran("car_axis", coordinates)
    for source, place in (("own solution", data["own"]), ("IVP test set", data["published"])):
        figures(f"car axis, {coordinates}", source, [found[name] for name in place], list(place.values()), 1e-8)


@BOTH
@pytest.mark.parametrize("init", ["init1", "init2"])
@pytest.mark.parametrize("physical_mass", [False, True])
def test_flexible_slider_crank(reference, figures, coordinates, init, physical_mass):
    key = f"{'physical_mass_1_15' if physical_mass else 'testset'}_{init}_nlstiff0"
    data = reference("ivp_crank")
    found = ran("slider_crank_simeon", coordinates, init=init, physical_mass=physical_mass)
    sources = [("own solution", data[key])]
    if key == "testset_init1_nlstiff0":
        sources.append(("IVP test set", data["published"]))
    what = f"Simeon's slider-crank, {init}{', physical mass' if physical_mass else ''}, {coordinates}"
    for source, end in sources:
        places = [[part[name] for name in ("phi2", "x3")] for part in (found, end)]
        figures(f"{what}: phi2, x3", source, *places, 1e-6)
        shapes = [[part[f"q{k}"] for k in (1, 2, 3, 4)] for part in (found, end)]
        # the start values of init1 break the constraints by 1e-9 m: that much of q1 is not known
        figures(f"{what}: q1 to q4", source, *shapes, 1e-5, scale=max(map(abs, shapes[1])))


def four_bars(loops, t_end):
    """(x, y, vx, vy) of the first point: the verticals turn as one, the beams do not turn."""
    inertia, lever = (loops + 1) / 3.0 + loops, 0.5 * (loops + 1) + loops  # of m l^2 and m l

    def rates(t, state):
        return state[1], -9.81 * lever / inertia * np.cos(state[0])

    phi, omega = solve_ivp(rates, (0.0, t_end), (0.5 * np.pi, -1.0), method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    return np.cos(phi), np.sin(phi), -omega * np.sin(phi), omega * np.cos(phi)


def check_four_bars(figures, coordinates, loops):
    # in absolute coordinates every passage of a singular position costs 1e-6 m (integrate.singular)
    allowed, gap = (1e-6, 1e-10) if coordinates == "reduced" else (3e-5, 1e-8)
    found = run_case("n_four_bar", {"coordinates": coordinates, "loops": loops}).figures
    place = [found[name] for name in ("x", "y", "vx", "vy")]
    exact = four_bars(loops, 10.0)
    figures(f"four-bars, {loops} windows, {coordinates}", "exact equation", place, exact, allowed, scale=1.0)
    assert found["constraint_error"] < gap
    assert found["energy_error"] < 1e-6  # of the largest kinetic energy


@BOTH
@pytest.mark.parametrize("loops", [1, 2])
def test_four_bars(reference, figures, coordinates, loops):
    exact = list(reference("rigid_n_fourbar")[str(loops)].values())
    assert exact == pytest.approx(four_bars(loops, 10.0), abs=1e-9)
    check_four_bars(figures, coordinates, loops)


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("loops", [10, 40])
def test_many_four_bars(figures, coordinates, loops):
    check_four_bars(figures, coordinates, loops)


@BOTH
@pytest.mark.parametrize("speed", ["fast", "slow"])
def test_heavy_top(reference, figures, coordinates, speed):
    found = ran("heavy_top", coordinates, speed=speed)
    data = reference("rigid_heavy_top")[speed]
    figures(
        f"heavy top, {speed}, {coordinates}", "own solution", found["position_end"], data["pos_t2"], 1e-6, scale=1.0
    )


def test_bricard_keeps_its_energy_and_is_the_same_in_both_coordinates():
    reduced, absolute = ran("bricard", "reduced"), ran("bricard", "absolute")
    for found in (reduced, absolute):
        assert found["energy_error"] < 1e-6
    # integration error at the default tolerances after five swings
    assert [reduced[axis] for axis in "xyz"] == pytest.approx([absolute[axis] for axis in "xyz"], abs=1e-6)
