"""Static equilibrium: found, stable, with the right reactions; refused with the worst equation; start of a run."""

import numpy as np
import pytest
from planar_four_bar import bar, four_bar

import flexmbs as fm

G = 9.81


def test_pendulum_falls_to_its_stable_equilibrium():
    system = fm.System(gravity=(0.0, -G, 0.0))
    rod = system.add(fm.RigidBody.rod(2.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], angle=1.5, name="hinge")  # nearly upright
    found = system.statics()
    assert np.sin(found["hinge.angle"][0]) == pytest.approx(-1.0, abs=1e-12)
    assert found["hinge.reaction.force.y"][0] == pytest.approx(2.0 * G, rel=1e-10)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_mass_on_a_spring(coordinates):
    system = fm.System(gravity=(0.0, 0.0, -G), coordinates=coordinates)
    block = system.add(bar(0.1), name="block")
    system.prismatic(system.ground["origin"], block["origin"], axis="z", name="slide").spring(50.0, rest=0.2)
    found = system.statics()
    mass = system.bodies["block"].body.mass
    assert found["slide.displacement"][0] == pytest.approx(0.2 - mass * G / 50.0, abs=1e-12)


def test_four_bar_hangs_alike_in_both_coordinates_and_lower_than_any_pose_near():
    found = [four_bar(coordinates).statics() for coordinates in ("reduced", "absolute")]
    for name in ("A.angle", "D.angle", "D.reaction.force.x", "D.reaction.force.y", "energy.gravity"):
        assert found[0][name] == pytest.approx(found[1][name], abs=1e-9), name
    weights = sum(part.body.mass for part in four_bar().bodies.values() if part.body is not None) * G
    held = found[0]["A.reaction.force.y"][0] + found[0]["D.reaction.force.y"][0]
    assert held == pytest.approx(weights, rel=1e-9)
    for change in (-0.05, 0.05):
        system = four_bar(angle=float(found[0]["A.angle"][0]) + change)
        for name in "BD":  # of the two ways to close the loop the one of the equilibrium
            system.joints[name].start["angle"] = float(found[0][f"{name}.angle"][0])
        system.joints["A"].hold()
        assert system.assemble()["energy.gravity"][0] > found[0]["energy.gravity"][0]


def test_ball_rests_on_an_elastic_contact():
    system = fm.System(gravity=(0.0, 0.0, -G))
    ball = system.add(fm.RigidBody.sphere(1000.0, 0.1), name="ball")
    system.prismatic(system.ground["origin"], ball["origin"], axis="z", displacement=0.11, name="way")
    law = fm.PowerLaw(stiffness=1e5, exponent=1.5)
    system.contact(fm.Sphere(ball["origin"], 0.1), fm.Plane(system.ground["origin"], normal=(0.0, 0.0, 1.0)), law, name="floor")
    found = system.statics()
    weight = system.bodies["ball"].body.mass * G
    assert found["floor.force"][0] == pytest.approx(weight, rel=1e-8)
    assert found["floor.gap"][0] == pytest.approx(-((weight / 1e5) ** (2.0 / 3.0)), rel=1e-8)
    run = system.simulate(0.1, from_equilibrium=True)
    assert np.ptp(run["way.displacement"]) < 1e-9


def test_no_equilibrium_names_the_worst_equation():
    system = fm.System(gravity=(0.0, 0.0, -G))
    system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), name="brick", position=(0.0, 0.0, 1.0))
    with pytest.raises(fm.SimulationError, match="statics: no equilibrium .* worst equation: 'brick.free.z', unbalanced by 9.81 "):
        system.statics()


def test_neutral_equilibrium_stays_where_it_is():
    system = fm.System(gravity=(0.0, 0.0, -G))
    wheel = system.add(bar(1.0), name="bar")
    system.revolute(system.ground["origin"], wheel["origin"], axis="z", angle=0.3, name="hinge")
    assert system.statics()["hinge.angle"][0] == 0.3


def test_run_from_equilibrium_stays_there():
    run = four_bar().simulate(1.0, from_equilibrium=True)
    assert np.ptp(run["A.angle"]) < 1e-8
    assert run["energy.kinetic"].max() < 1e-12


def test_flexible_beam_sags_as_in_linear_statics():
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    flexible = fm.reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="root", bending=(4, 4)))
    system = fm.System(gravity=(0.0, -0.01, 0.0))
    beam = system.add(flexible, name="beam")
    system.fixed(system.ground["origin"], beam["root"], name="clamp")
    found = system.statics()
    q = np.array([found[f"beam.{label}"][0] for label in flexible.mode_labels])
    load = flexible.inertia.P[:, 1, 0] * np.sqrt(flexible.mass) * -0.01
    assert q == pytest.approx(np.linalg.solve(flexible.Ke, load), abs=2e-6 * np.abs(q).max())
    assert found["clamp.reaction.force.y"][0] == pytest.approx(flexible.mass * 0.01, rel=1e-9)
