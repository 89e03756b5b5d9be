"""Reactions of redundant mechanisms: least in size, balanced, the same in both kinds of coordinates."""

import numpy as np
import pytest
from planar_four_bar import four_bar

import flexmbs as fm

G = 9.81
PARTS = [f"{kind}.{axis}" for kind in ("force", "moment") for axis in "xyz"]


def wrench(result, joint: str) -> np.ndarray:
    """(steps, 6)"""
    return np.array([result[f"{joint}.reaction.{part}"] for part in PARTS]).T


def door(coordinates: str) -> fm.System:
    system = fm.System(gravity=(0.0, 0.0, -G), coordinates=coordinates)
    leaf = system.add(fm.RigidBody.box(100.0, (1.0, 0.1, 2.0), center=(0.5, 0.0, 1.0)), name="door")
    for name, height in (("lower", 0.0), ("upper", 2.0)):
        place = (0.0, 0.0, height)
        frame, hinge = system.ground.marker(name, position=place), leaf.marker(name, position=place)
        system.revolute(frame, hinge, name=name)
    return system


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_two_hinges_share_the_load_of_a_door(coordinates):
    """Least f1^2 + f2^2 + (m1^2 + m2^2) / L^2: half the weight each; tilting is held partly by a couple."""
    found = door(coordinates).statics()
    weight, height, length = 20.0 * G, 2.0, 2.0
    lower, upper = wrench(found, "lower")[0], wrench(found, "upper")[0]
    # couple f at the distance h and equal moments m hold the moment w b: h f + 2 m = w b, least 2 f^2 + 2 m^2 / L^2
    tilt = weight * 0.5
    f = tilt * height / (height**2 + 4.0 * length**2)
    m = 0.5 * (tilt - height * f)
    assert lower == pytest.approx([f, 0.0, 0.5 * weight, 0.0, -m, 0.0], abs=1e-8)
    assert upper == pytest.approx([-f, 0.0, 0.5 * weight, 0.0, -m, 0.0], abs=1e-8)


def sideways(coordinates: str, speed: float | None = None) -> fm.System:
    system = four_bar(coordinates, speed)
    system.force(system.bodies["coupler"]["end"], (0.0, 0.0, 5.0))
    return system


@pytest.mark.parametrize("driven", [False, True])
def test_spatial_load_on_a_planar_loop(driven):
    runs = [sideways(c, 2.0 if driven else None).simulate(0.5, rtol=1e-10) for c in ("reduced", "absolute")]
    for joint in "ABCD":
        first, second = (wrench(run, joint)[-1] for run in runs)
        assert first == pytest.approx(second, abs=1e-6), joint
    if driven:
        first, second = (run["A.angle.driving_force"][-1] for run in runs)
        assert first == pytest.approx(second, abs=1e-6)
    # what the sideways force needs comes from the two joints with ground
    held = wrench(runs[0], "A")[:, 2] + wrench(runs[0], "D")[:, 2]
    assert held == pytest.approx(-5.0, abs=1e-9)


def test_no_other_self_stress_makes_them_smaller():
    """Random self-stresses, from the null space of the matrix of all joints, are orthogonal to the reactions."""
    from flexmbs.analysis.prepare.prepare import prepared
    from flexmbs.analysis.recording.reactions import _SelfStress, redundant_count
    from flexmbs.core.layout.tables import make_workspace

    system = sideways("reduced")
    result = system.simulate(0.2)
    model = prepared(system)
    basis = _SelfStress(model, make_workspace(model.tables), redundant_count(model))
    rows = np.zeros((1, 1 + len(model.coordinate_names)))
    rows[0, 1 + model.stored_columns] = result.trajectory.q[-1]
    forces, wrenches = basis._units(rows)
    left, _singular, _right = np.linalg.svd(forces[0][:, basis.free])
    stress = np.einsum("mr,msk->rsk", left[:, -basis.spare :], wrenches[0])
    found = np.array([wrench(result, name)[-1] for name in result.structure.reaction_names])
    for one in stress:
        assert np.sum(one * basis.weights[0] ** 2 * found) == pytest.approx(0.0, abs=1e-9)


def test_saved_and_resampled_results_hold_the_same_reactions(tmp_path):
    saved = sideways("reduced").simulate(0.2, out=tmp_path / "run")
    fresh = sideways("reduced").simulate(0.2)
    loaded = fm.load(tmp_path / "run")
    sampled = fresh.resampled(fresh.t)
    for joint in "AD":
        expected = wrench(sampled, joint)  # asked before the whole is
        for other in (saved, loaded, fresh):
            assert wrench(other, joint) == pytest.approx(expected, abs=1e-12)


def test_couplings_count_with_the_forces_on_their_coordinates():
    """A rotor geared to itself twice: two equal couplings share the moment that one would carry."""
    from flexmbs.mechanism.constraints import Coupling

    runs = []
    for count in (1, 2):
        system = fm.System(gravity=(0.0, 0.0, 0.0))
        rotors = [system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name=name) for name in ("first", "second")]
        joints = [system.revolute(system.ground["origin"], rotor["origin"], name=f"J{k}") for k, rotor in enumerate(rotors)]
        system.torque(rotors[0]["origin"], (0.0, 0.0, 3.0))
        for k in range(count):
            name = f"gear {k}"
            system.constraints[name] = Coupling(name, ((joints[0], "angle", 1.0), (joints[1], "angle", 2.0)))
        runs.append(system.simulate(0.1))
    alone = runs[0]["gear 0.reaction.force.x"][-1]
    assert runs[1]["gear 0.reaction.force.x"][-1] == pytest.approx(0.5 * alone, rel=1e-9)
    assert runs[1]["gear 1.reaction.force.x"][-1] == pytest.approx(0.5 * alone, rel=1e-9)
