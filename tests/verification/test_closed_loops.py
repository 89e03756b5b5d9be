"""Mechanisms with closed loops against published and exact solutions, in reduced and in absolute coordinates.

Every case runs as `flexmbs run` runs it, with its default tolerances. What is asked for: 1e-8 for the squeezing
mechanism and the car axis, 1e-6 for the others.
"""

import numpy as np
import pytest
from case_runs import balanced
from scipy.integrate import solve_ivp

from flexmbs import load_case, run_case
from flexmbs.reduction.body_cache import bodies_kept_in_memory

BOTH = pytest.mark.parametrize("coordinates", ["reduced", "absolute"])


def ran(case, coordinates, run=balanced, **values):
    outcome = run(case, {"coordinates": coordinates, **values})
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
    # the crank has turned two and a half times
    figures(f"{what}, crank", "IVP test set", found["q"][0], data["published"]["q"][0], 1e-9)
    # relative to the rate of the crank; the published digits are good to 4e-10 of it
    figures(f"{what}, rates", "own solution", found["v"], data["own"]["v"], 1e-8, scale=1140.0)


@BOTH
def test_car_axis(reference, figures, coordinates):
    data, found = reference("ivp_caraxis"), ran("car_axis", coordinates)
    for source, place in (("own solution", data["own"]), ("IVP test set", data["published"])):
        figures(f"car axis, {coordinates}", source, [found[name] for name in place], list(place.values()), 1e-8)
    figures(f"car axis, {coordinates}, right end", "IVP test set", found["y_right"], data["published"]["y_right"], 1e-9)


@pytest.mark.parametrize("coordinates", ["reduced", pytest.param("absolute", marks=pytest.mark.slow)])
@pytest.mark.parametrize("init", ["init1", "init2"])
@pytest.mark.parametrize("physical_mass", [False, True])
@pytest.mark.parametrize("nlstiff", [False, True])
def test_flexible_slider_crank(reference, figures, coordinates, init, physical_mass, nlstiff):
    key = f"{'physical_mass_1_15' if physical_mass else 'testset'}_{init}_nlstiff{int(nlstiff)}"
    data = reference("ivp_crank")
    found = ran("slider_crank_simeon", coordinates, init=init, physical_mass=physical_mass, nlstiff=nlstiff)
    sources = [("own solution", data[key])]
    if key == "testset_init1_nlstiff0":
        sources.append(("IVP test set", data["published"]))
        assert found["phi2"] == pytest.approx(data["published"]["phi2"], rel=1e-7)
    variant = f"{init}{', physical mass' if physical_mass else ''}{', cubic energy' if nlstiff else ''}"
    what = f"Simeon's slider-crank, {variant}, {coordinates}"
    for source, end in sources:
        places = [[part[name] for name in ("phi2", "x3")] for part in (found, end)]
        figures(f"{what}: phi2, x3", source, *places, 1e-6)
        shapes = [[part[f"q{k}"] for k in (1, 2, 3, 4)] for part in (found, end)]
        # relative to the swings of q1 (m); the start values of init1 break the constraints by 1e-9 m
        figures(f"{what}: q1 to q4", source, *shapes, 1e-5, scale=5e-4)


def four_bars(loops, t_end):
    """(x, y, vx, vy) of the first point: the verticals turn as one, the beams do not turn."""
    inertia, lever = (loops + 1) / 3.0 + loops, 0.5 * (loops + 1) + loops  # of m l^2 and m l

    def rates(t, state):
        return state[1], -9.81 * lever / inertia * np.cos(state[0])

    phi, omega = solve_ivp(rates, (0.0, t_end), (0.5 * np.pi, -1.0), method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    return np.cos(phi), np.sin(phi), -omega * np.sin(phi), omega * np.cos(phi)


def check_four_bars(figures, coordinates, loops):
    found = ran("n_four_bar", coordinates, loops=loops)
    place = [found[name] for name in ("x", "y", "vx", "vy")]
    exact = four_bars(loops, 10.0)
    figures(f"four-bars, {loops} windows, {coordinates}", "exact equation", place, exact, 1e-6, scale=1.0)
    assert found["energy_error"] < 1e-7  # of the largest kinetic energy


@BOTH
@pytest.mark.parametrize("loops", [1, 2])
def test_four_bars(reference, figures, coordinates, loops):
    exact = list(reference("rigid_n_fourbar")[str(loops)].values())
    assert exact == pytest.approx(four_bars(loops, 10.0), abs=1e-9)
    check_four_bars(figures, coordinates, loops)


@BOTH
@pytest.mark.parametrize("loops", [10, pytest.param(40, marks=pytest.mark.slow)])
def test_many_four_bars(figures, coordinates, loops):
    check_four_bars(figures, coordinates, loops)


@BOTH
@pytest.mark.parametrize("speed", ["fast", "slow"])
def test_heavy_top(reference, figures, coordinates, speed):
    found = ran("heavy_top", coordinates, speed=speed)
    data = reference("rigid_heavy_top")[speed]
    figures(f"heavy top, {speed}, {coordinates}", "own solution", found["position_end"], data["pos_t2"], 1e-6, scale=1.0)


def test_bricard_keeps_its_energy_and_is_the_same_in_both_coordinates():
    reduced, absolute = ran("bricard", "reduced"), ran("bricard", "absolute")
    for found in (reduced, absolute):
        assert found["energy_error"] < 1e-6
    # integration error at the default tolerances after five swings
    assert [reduced[axis] for axis in "xyz"] == pytest.approx([absolute[axis] for axis in "xyz"], abs=1e-6)


@BOTH
def test_spatial_slider_crank(reference, figures, coordinates):
    data, found = reference("rigid_spatial_slider_crank")["t5"], ran("spatial_slider_crank", coordinates)
    ends = [found["theta_end"], found["x_end"]], [data["theta"], data["x"]]
    figures(f"spatial slider-crank, {coordinates}", "own solution", *ends, 1e-6)


def test_spatial_slider_crank_starts_as_its_reference_says(reference):
    data = reference("rigid_spatial_slider_crank")["initial"]
    result = run_case("spatial_slider_crank", {"t_end": 1e-4}).result
    assert result["slide.displacement"][0] == pytest.approx(data["x"], rel=1e-12)
    assert result["slide.displacement.rate"][0] == pytest.approx(data["vx"], rel=1e-12)
    spin = result.trajectory.body_angular_velocity[0, result.structure.body_index("rod")]
    assert spin == pytest.approx(data["rod_omega"], rel=1e-12)


FIGURES_TO_COMPARE = {  # case: figures, relative difference that both choices of coordinates may have at the end
    "cam_follower": (("height_end",), 1e-9),
    "rack_and_pinion": (("displacement_end", "angle_end"), 1e-7),
    "roller_coaster": (("s_end", "speed_end"), 1e-6),
    "flexible_four_bar": (("x_end", "mid_deflection_max"), 1e-3),
    "flexible_slider_crank": (("x_end", "mid_deflection_max"), 1e-3),
}


@pytest.mark.parametrize("case", FIGURES_TO_COMPARE)
def test_both_coordinates_agree(case):
    names, allowed = FIGURES_TO_COMPARE[case]
    with bodies_kept_in_memory():
        reduced, absolute = ran(case, "reduced"), ran(case, "absolute")
    # the largest deflection is that at the ends of steps, which differ
    assert [reduced[name] for name in names] == pytest.approx([absolute[name] for name in names], rel=allowed)
    if case == "flexible_slider_crank":
        assert 1e-6 < reduced["mid_deflection_max"] < 1e-4


@BOTH
def test_flexible_four_bar_tends_to_the_rigid_one(coordinates):
    """Deflection and error of the position fall as one over the stiffness."""
    module = load_case("flexible_four_bar").module
    p = module.Parameters()
    crank_angle = p.crank_angle + p.speed * (0.2 - 0.5 * p.run_up)
    rigid = p.ground + p.rocker * np.cos(module.rigid_angles(p, crank_angle)[1])
    # driver's work of a nearly rigid linkage: differences of large forces, not balanced to the tolerance
    values = {"run": run_case, "t_end": 0.2}
    soft, stiff = (ran("flexible_four_bar", coordinates, youngs_modulus=210e9 * factor, **values) for factor in (1e2, 1e4))
    assert soft["mid_deflection_max"] / stiff["mid_deflection_max"] == pytest.approx(100.0, rel=0.05)
    assert abs(stiff["x_end"] - rigid) < 1e-6
    assert abs(soft["x_end"] - rigid) < 1e-4


@pytest.mark.slow
def test_flexible_slider_crank_tends_to_the_rigid_one():
    module = load_case("flexible_slider_crank").module
    p = module.Parameters()
    outcome = run_case("flexible_slider_crank", {"youngs_modulus": 210e9 * 1e4, "t_end": 0.02})
    length = outcome.result["cylinder.displacement"][0] - p.crank
    angle = p.speed * (0.02 - 0.5 * p.run_up)
    rigid = p.crank * np.cos(angle) + np.sqrt(length**2 - (p.crank * np.sin(angle)) ** 2)
    assert outcome.figures["x_end"] == pytest.approx(rigid, abs=1e-7)
    assert outcome.figures["mid_deflection_max"] < 1e-8
