"""Rigid contacts with impacts and friction against event-driven special-purpose programs (data/README.md)."""

import json

import numpy as np
import pytest

from flexmbs import run_case

SOURCE = "own computation of this system"
EXACT = 1e-3  # m/s: bounces that follow on slower ones depend on gaps of 1e-16 m


def parameter_file(path, parameters):
    path.write_text(json.dumps(parameters))
    return {"parameters": str(path)}


def test_woodpecker_toy_from_the_cycle(reference, figures, tmp_path):
    """One period from the given state just after the impact of the beak: period, drop, every event."""
    expected = reference("rigid_impacts")["woodpecker_toy"]
    values = parameter_file(tmp_path / "set.json", expected["parameters"])
    start = [*expected["start_state"]["q"], *expected["start_state"]["u"]]
    found = run_case("woodpecker_toy", {**values, "start": start, "t_end": 0.1461, "rtol": 1e-8, "atol": 1e-11}).figures
    names = ("period", "drop_per_period", "mean_velocity", "energy_lost_per_cycle_J")
    wanted = [expected[name] for name in names]
    figures("woodpecker toy: period, drop, energy", SOURCE, [found[name] for name in names], wanted, 1e-8)
    assert len(found["events"]) == len(expected["events"])
    for event, other in zip(found["events"], expected["events"], strict=True):
        for name in ("event", "contact", "states_after", "impact_status"):
            assert event.get(name) == other.get(name)
    what = "woodpecker toy: times and positions of all events"
    times = [[e["t"], *e["q"]] for e in found["events"]]
    figures(what, SOURCE, times, [[e["t"], *e["q"]] for e in expected["events"]], 1e-7)
    hits, others = ([e for e in rows["events"] if e["event"] == "impact"] for rows in (found, expected))
    names = ("normal_impulse", "tangential_impulse", "energy_change")
    wanted = [[e[name] for name in names] for e in others]
    figures("woodpecker toy: impulses", SOURCE, [[e[name] for name in names] for e in hits], wanted, 1e-7)


@pytest.mark.slow
def test_woodpecker_toy_finds_its_cycle(reference, figures, tmp_path):
    expected = reference("rigid_impacts")["woodpecker_toy"]
    found = run_case("woodpecker_toy", parameter_file(tmp_path / "set.json", expected["parameters"])).figures
    names = ("period", "drop_per_period")
    wanted = [expected[name] for name in names]
    figures("woodpecker toy: limit cycle", SOURCE, [found[name] for name in names], wanted, 1e-9)
    figures("woodpecker toy: multiplier", SOURCE, found["leading_multiplier"], expected["leading_multiplier"], 1e-3)
    for name in ("q", "u"):
        state, other = found["start_state"][name], expected["start_state"][name]
        figures(f"woodpecker toy: state {name} behind the beak's impact", SOURCE, state, other, 1e-8, scale=0.1)


def test_play_in_a_guide(reference, figures, tmp_path):
    """195 impacts, seven bounce sequences that end in sliding, reversals and lift-off, in order."""
    expected = reference("rigid_impacts")["slider_crank_translational_clearance"]
    values = parameter_file(tmp_path / "set.json", expected["parameters"])
    outcome = run_case("slider_crank_translational_clearance", values)
    found = outcome.figures
    impacts, what = found["impacts"], "slider-crank with play in the guide"
    assert [impact["corners"] for impact in impacts] == expected["corners"]
    figures(f"{what}: times of all impacts", SOURCE, [i["t"] for i in impacts], expected["t"], 5e-8)
    fast = [k for k, speeds in enumerate(expected["approach_velocity"]) if speeds[0] > EXACT]
    for name, allowed in (("approach_velocity", 1e-8), ("normal_impulse", 1e-8)):
        values, wanted = [impacts[k][name] for k in fast], [expected[name][k] for k in fast]
        figures(f"{what}: {name}", SOURCE, values, wanted, allowed)
    first = expected["first"]
    names = ("theta", "omega_before", "omega_after", "tangential_impulse", "tangential_velocity_before")
    for name in names:
        figures(f"{what}: first impact, {name}", SOURCE, impacts[0][name], first[name], 1e-9, scale=1.0)
    for phase, other in zip(found["phases"], expected["phases"], strict=True):
        assert (phase["corner_states"], phase["cause"]) == (other["corner_states"], other["cause"])
    times = [[phase["t"] for phase in rows["phases"]] for rows in (found, expected)]
    figures(f"{what}: phases", SOURCE, *times, 1e-7, scale=1.0)
    figures(f"{what}: angles at the end", SOURCE, found["theta_end"], expected["theta_end"], 1e-9, scale=1.0)
    figures(f"{what}: velocities at the end", SOURCE, found["omega_end"], expected["omega_end"], 1e-7, scale=1.0)
    # a pin in space holds a plane mechanism redundantly: nothing acts across the plane
    across = [outcome.result[f"slider_pin.reaction.{name}"] for name in ("force.z", "moment.x", "moment.y")]
    assert np.abs(outcome.result["slider_pin.reaction.force.x"]).max() > 100.0 and np.abs(across).max() < 1e-9


def test_rigid_double_pendulum_at_a_wall(reference, figures, tmp_path):
    expected = reference("rigid_impacts")["double_pendulum_rigid_stop"]
    values = parameter_file(tmp_path / "set.json", expected["rigid_parameters"])
    wanted = expected["impacts"]
    run = run_case("double_pendulum_rigid_stop", {**values, "rtol": 1e-9, "atol": 1e-11})
    found, what = run.figures["impacts"][: len(wanted)], "rigid double pendulum at a wall"
    assert [impact["point"] for impact in found] == [impact["point"] for impact in wanted]
    for name in ("t", "approach_velocity", "impulse", "omega_before", "omega_after", "energy_change"):
        figures(f"{what}: {name}", SOURCE, [i[name] for i in found], [i[name] for i in wanted], 1e-8)
    energy = run.result["energy.total"]
    assert energy[0] - energy[-1] == pytest.approx(run.figures["energy_lost"], rel=1e-7)


# Allowed at the first, second and third impact: each multiplies the error of the mesh (240 elements) by ten and more.
FLEXIBLE = {"t": (1e-8, 1e-8, 1e-7), "approach_velocity": (1e-6, 1e-6, 1e-5), "impulse": (1e-6, 1e-6, 1e-5)}


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_flexible_pendulum_at_a_rigid_stop(reference, figures, tmp_path, n):
    expected = reference("rigid_impacts")["double_pendulum_rigid_stop"]
    (parameters,) = expected["flexible_parameters"]["sets"].values()
    values = parameter_file(tmp_path / "set.json", {"sets": {"one": {**parameters, "n": n}}})
    found = run_case("double_pendulum_rigid_stop", values).figures[f"n{n}"]
    what = f"flexible pendulum at a rigid stop, {n} modes"
    for name, allowed in FLEXIBLE.items():
        for k, (impact, other) in enumerate(zip(found, expected[f"n{n}"], strict=True)):
            figures(f"{what}: {name} of impact {k + 1}", SOURCE, impact[name], other[name], allowed[k])
    masses = [[impact["effective_mass"] for impact in rows] for rows in (found, expected[f"n{n}"])]
    figures(f"{what}: effective masses", SOURCE, *masses, 1e-6)
    for side in ("before", "after"):
        rates = [rows[0][f"qdot_{side}"] for rows in (found, expected[f"n{n}"])]
        figures(f"{what}: velocities {side} the first impact", SOURCE, *rates, 1e-6, scale=10.0)
