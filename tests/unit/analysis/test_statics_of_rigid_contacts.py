"""Equilibrium and vibration of what rests on rigid contacts, stops and dry joints, against closed forms."""

import numpy as np
import pytest

import flexmbs as fm

G, MASS = 9.81, 2.0
CORNERS = [(x, y, -0.05) for x in (0.1, -0.1) for y in (0.1, -0.1)]


def block(slope: float, friction: float, stiffness: float = 0.0, height: float = 0.1) -> fm.System:
    """A block on four corners above a slope, held uphill by a spring that pulls at its centre."""
    system = fm.System(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    body = system.add(fm.RigidBody(MASS, (0.01,) * 3), name="block", position=(0.0, 0.0, height))
    floor = fm.Plane(system.ground.frame, normal=(0.0, 0.0, 1.0))
    for i, corner in enumerate(CORNERS):
        point = fm.Point(body.marker(f"corner {i}", position=corner))
        system.contact(point, floor, law=fm.Rigid(0.0, friction=friction), name=f"c{i}")
    if stiffness > 0.0:
        wall = system.ground.marker("wall", position=(-1.0, 0.0, 0.05))
        system.spring_damper(wall, body["origin"], stiffness=stiffness, damping=0.0, length=1.0, name="spring")
    return system


def slide(**start) -> tuple[fm.System, fm.Joint]:
    system = fm.System(gravity=(0.0, 0.0, -G))
    body = system.add(fm.RigidBody(MASS, (0.1,) * 3), name="body")
    return system, system.prismatic(system.ground.frame, body["origin"], axis="z", name="slide", **start)


def test_a_falling_block_sticks_where_it_lands():
    result = block(0.2, 0.5).statics()
    assert result["block.position.x"][0] == pytest.approx(0.05 * np.tan(0.2), rel=1e-12)  # it fell along gravity
    assert result["block.position.z"][0] == pytest.approx(0.05, abs=1e-12)
    normal = sum(result[f"c{i}.force"][0] for i in range(4))
    assert normal == pytest.approx(MASS * G * np.cos(0.2), rel=1e-12)
    assert sum(result[f"c{i}.friction"][0] for i in range(4)) == pytest.approx(MASS * G * np.sin(0.2), rel=1e-12)


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_a_block_that_slips_stops_where_friction_is_enough(friction):
    """Gravity along the slope less Coulomb's friction stretches the spring."""
    stretched = MASS * G * (np.sin(0.4) - friction * np.cos(0.4)) / 100.0
    system = block(0.4, friction, stiffness=100.0)
    # corners rest within a band of 1e-9 of their load
    assert system.statics()["block.position.x"][0] == pytest.approx(stretched, rel=4e-9)
    run = system.simulate(0.01, from_equilibrium=True, progress=False)
    assert np.ptp(run["block.position.x"]) < 1e-10


def test_what_slips_for_ever_has_no_equilibrium():
    with pytest.raises(fm.SimulationError, match="no equilibrium"):
        block(0.4, 0.3).statics()


def test_closed_contacts_are_constraints_of_a_vibration():
    modes = block(0.0, 0.0, stiffness=100.0, height=0.05).linearize()
    assert set(modes.touching) == {"c0", "c1", "c2", "c3"}
    assert modes.frequencies[-1] == pytest.approx(np.sqrt(100.0 / MASS) / (2.0 * np.pi), rel=1e-9)
    assert np.count_nonzero(modes.frequencies > 1e-3) == 1  # it slides and turns freely otherwise
    with pytest.raises(fm.SimulationError, match="no degree of freedom"):
        block(0.0, 0.5, stiffness=100.0, height=0.05).linearize()  # it sticks


def test_ladder_leans_within_its_cone_and_slips_out_of_it():
    """A rod between a rough floor and a smooth wall: tan(angle from the wall) <= 2 mu."""

    def leaning(angle):
        system = fm.System(gravity=(0.0, -G, 0.0))
        c, s = np.cos(angle), np.sin(angle)
        rod = system.add(fm.RigidBody(MASS, (0.2,) * 3), name="rod")
        system.planar(system.ground.frame, rod["origin"], u=0.5 * s, v=0.5 * c, angle=angle, name="plane")
        foot, head = rod.marker("foot", position=(0.0, -0.5, 0.0)), rod.marker("head", position=(0.0, 0.5, 0.0))
        floor, wall = (fm.Plane(system.ground.frame, normal=n) for n in ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0)))
        system.contact(fm.Point(foot), floor, law=fm.Rigid(0.0, friction=0.3), name="floor")
        system.contact(fm.Point(head), wall, law=fm.Rigid(0.0), name="wall")
        system.contact(fm.Point(head), floor, law=fm.Rigid(0.0), name="head on the floor")
        return system

    held = leaning(np.arctan(0.599)).statics()
    assert held["wall.force"][0] == pytest.approx(0.5 * MASS * G * 0.599, rel=1e-9)
    fallen = leaning(np.arctan(0.601)).statics()
    assert fallen["rod.position.y"][0] == pytest.approx(0.0, abs=1e-9)  # it lies on the floor


def test_stops_hold_and_let_go():
    system, joint = slide()
    joint.limit(lower=-0.4, upper=0.4, restitution=0.5)
    joint.spring(stiffness=10.0)
    assert system.statics()["slide.displacement"][0] == pytest.approx(-0.4, abs=1e-12)
    system, joint = slide(displacement=-0.4)
    joint.limit(lower=-0.4, upper=0.4, restitution=0.5)
    joint.spring(stiffness=100.0)
    assert system.statics()["slide.displacement"][0] == pytest.approx(-MASS * G / 100.0, rel=1e-9)


@pytest.mark.parametrize(("rate", "end"), [(0.0, 0.0), (-1.0, 0.05 - 0.5 * G * 0.01), (1.0, 0.1 - 0.5 * G * 0.01)])
def test_a_run_starts_on_a_stop(rate, end):
    """It rests there, rebounds at once, or leaves."""
    system, joint = slide(displacement=-0.4, rate=rate)
    joint.limit(lower=-0.4, upper=0.4, restitution=0.5)
    height = system.simulate(0.1, progress=False)["slide.displacement"] + 0.4
    assert height[-1] == pytest.approx(end, abs=1e-9)
    assert height.min() > -1e-12


@pytest.mark.parametrize("height", [1e-3, 1e-6, 1e-9])
def test_bounces_on_a_stop_come_to_rest(height):
    """Restitution 1/2: at rest after three times the time of the fall."""
    system, joint = slide(displacement=-0.4 + height)
    joint.limit(lower=-0.4, upper=0.4, restitution=0.5)
    result = system.simulate(4.0 * np.sqrt(2.0 * height / G), progress=False)
    assert abs(result["slide.displacement"][-1] + 0.4) < 1e-12
    assert result["slide.displacement.rate"][-1] == 0.0
    assert result.stats["steps_accepted"] < 200


def test_a_run_starts_from_equilibrium_on_a_stop():
    system, joint = slide()
    joint.limit(lower=-0.4, upper=0.4, restitution=0.5)
    joint.spring(stiffness=10.0)
    assert np.ptp(system.simulate(0.1, from_equilibrium=True, progress=False)["slide.displacement"]) < 1e-12


@pytest.mark.parametrize("load", [50.0, "reaction"])
def test_dry_joint_stops_where_its_friction_is_enough(load):
    system, joint = slide()
    joint.spring(stiffness=100.0)
    joint.friction(fm.DryFriction(0.2, 0.1), normal_force=load)
    if load == "reaction":
        system.force(system.bodies["body"]["origin"], (50.0, 0.0, 0.0))
    found = system.statics()["slide.displacement"][0]
    assert found == pytest.approx(-(MASS * G - 0.1 * 50.0) / 100.0, rel=1e-9)


@pytest.mark.parametrize("what", ["assemble", "statics", "linearize"])
def test_every_kind_at_once(what):
    """Contact, stop, lock and dry joint in one mechanism, as none of them may be read beyond its tables."""
    system = block(0.1, 0.5, stiffness=100.0)
    body = system.add(fm.RigidBody(MASS, (0.1,) * 3), name="body")
    joint = system.prismatic(system.ground.frame, body["origin"], axis="x", name="slide")
    joint.limit(lower=-0.4, upper=0.4, restitution=0.5)
    joint.spring(stiffness=100.0)
    other = system.add(fm.RigidBody(MASS, (0.1,) * 3), name="other")
    dry = system.prismatic(body["origin"], other["origin"], axis="y", name="dry")
    dry.friction(fm.DryFriction(0.2), normal_force=10.0)
    system.event(0.01, fm.Lock(dry))
    found = getattr(system, what)()
    if what == "linearize":
        assert found.frequencies[-1] > 0.0


def test_statics_shows_forces_inside_the_cones():
    """Two rods, dry hinges at the ground and the apex, a foot on the floor: forces are not definite, of the foot 29.04 to 30.20 N.

    Least squares put 13.2 N m into a hinge that can bear 0.36 N m.
    """
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    rod = fm.RigidBody(2.0, (0.04, 0.04, 0.04), center=(0.25, 0.0, 0.0))
    one, two = system.add(rod, "one"), system.add(rod, "two")
    ground = system.revolute(system.ground["origin"], one["origin"], axis="-y", name="ground hinge", angle=0.9)
    apex = system.revolute(one.marker("end", (0.5, 0.0, 0.0)), two["origin"], axis="-y", name="apex", angle=-1.8)
    for joint, force in ((ground, 40.0), (apex, 60.0)):
        joint.friction(fm.DryFriction(0.3), normal_force=force, radius=0.03)
    foot = fm.Point(two.marker("foot", (0.5, 0.0, 0.0)))
    system.contact(foot, fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0)), law=fm.Rigid(friction=0.5), name="foot")
    system.force(one["end"], (0.0, 0.0, -20.0))
    found = system.statics()
    assert abs(found["ground hinge.angle.friction.effort"][0]) <= 0.36
    assert abs(found["apex.angle.friction.effort"][0]) <= 0.54
    assert 29.04 <= found["foot.force"][0] <= 30.20
