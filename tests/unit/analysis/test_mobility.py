"""Degrees of freedom, redundancy as text, isolated freedoms, singular positions."""

import numpy as np
import pytest
from planar_four_bar import bar, four_bar
from scipy.spatial.transform import Rotation

import flexmbs as fm
from flexmbs.analysis.prepare.prepare import prepared


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_four_bar_of_revolutes(coordinates):
    found = fm.mobility(four_bar(coordinates))
    # three bodies, four revolutes: 18 - 20; planar: three of the twenty repeat others
    assert (found.body_freedoms, found.constraints, found.gruebler, found.freedoms) == (18, 20, -2, 1)
    (redundancy,) = found.redundant
    assert redundancy.sentence == (
        "revolute 'C' constrains the translation along z and the rotations about x and y, already constrained by "
        "revolute 'A', revolute 'B' and revolute 'D'"
    )
    assert found.analysis.startswith("dynamic")
    driven = fm.mobility(four_bar(coordinates, speed=1.0))
    assert (driven.freedoms, driven.freedoms_without_drivers, driven.drivers) == (0, 1, 1)
    assert driven.analysis.startswith("kinematic")


def test_door_on_two_hinges():
    system = fm.System()
    door = system.add(fm.RigidBody.box(500.0, (1.0, 0.1, 2.0), center=(0.5, 0.0, 1.0)), name="door")
    system.revolute(system.ground.marker("low"), door.marker("low"), name="lower")
    top = (0.0, 0.0, 2.0)
    system.revolute(system.ground.marker("high", position=top), door.marker("high", position=top), name="upper")
    found = fm.mobility(system)
    assert (found.gruebler, found.freedoms, found.redundant_count) == (-4, 1, 5)
    assert found.redundant[0].others == ("revolute 'lower'",)


def test_constraint_directions_of_a_slanted_axis_are_named_by_vectors():
    system = fm.System()
    door = system.add(fm.RigidBody.box(500.0, (1.0, 1.0, 1.0)), name="door")
    marker = door["origin"]
    system.revolute(system.ground.marker("one"), marker, axis=(0.0, 1.0, 1.0), name="one")
    system.revolute(system.ground.marker("two"), marker, axis=(0.0, 1.0, 1.0), name="two")
    (redundancy,) = fm.mobility(system).redundant
    assert redundancy.motions[3:] == ("rotation about x", "rotation about (0, 0.707, -0.707)")


def test_bodies_welded_twice():
    system = fm.System()
    body = system.add(bar(1.0), name="body")
    for name in ("one", "two"):
        system.fixed(system.ground["origin"], body["origin"], name=name)
    found = fm.mobility(system)
    assert (found.freedoms, found.redundant_count) == (0, 6)
    assert found.redundant[0].sentence == (
        "fixed 'two' constrains the translations along x, y and z and the rotations about x, y and z, already "
        "constrained by fixed 'one'"
    )


def rod_between_balls(rod: fm.RigidBody) -> fm.System:
    system = fm.System()
    crank = system.add(bar(0.3), name="crank")
    rod = system.add(rod, name="rod")
    slider = system.add(fm.RigidBody.box(1000.0, (0.1, 0.1, 0.1)), name="slider")
    system.revolute(system.ground["origin"], crank["origin"], angle=0.7, name="bearing")
    system.spherical(crank.marker("end", position=(0.3, 0.0, 0.0)), rod["origin"], name="big end")
    guide = system.ground.marker("guide", position=(0.0, 0.0, 0.2))
    system.prismatic(guide, slider["origin"], displacement=1.2, name="guide")
    system.spherical(rod.marker("end", position=(1.0, 0.0, 0.0)), slider["origin"], name="small end")
    return system


def test_spin_of_a_rod_between_ball_joints_is_isolated():
    found = fm.mobility(rod_between_balls(fm.RigidBody.cylinder(1000.0, 0.02, 1.0, center=(0.5, 0.0, 0.0))))
    assert found.freedoms == 2 and not found.massless
    assert found.isolated == ("body 'rod' can spin about its x axis: nothing drives or loads it",)


@pytest.mark.parametrize("what", ["crooked", "sprung", "not round"])
def test_spin_that_something_depends_on_is_not_isolated(what):
    size, center = (((1.0, 0.02, 0.03) if what == "not round" else (1.0, 0.02, 0.02)), (0.5, 0.01 * (what == "crooked"), 0.0))
    system = rod_between_balls(fm.RigidBody.box(1000.0, size, center=center))
    if what == "sprung":
        side = system.bodies["rod"].marker("side", position=(0.5, 0.1, 0.0))
        system.spring_damper(system.ground["origin"], side, 10.0)
    assert fm.mobility(system).isolated == ()


def test_spin_without_inertia_is_told_before_the_run(tmp_path):
    system = rod_between_balls(fm.RigidBody.rod(1.0, 1.0))
    (sentence,) = fm.mobility(system).massless
    assert sentence.startswith("body 'rod' has no inertia about its x axis")
    with pytest.raises(fm.MechanismError, match="mass matrix is singular: body 'rod' has no inertia about"):
        system.simulate(1.0, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_singular_positions():
    """Two bars in line between two pins: a structure with a freedom for a moment; a flat parallelogram moves on."""
    system = fm.System()
    first, second = system.add(bar(1.0), name="first"), system.add(bar(1.0), name="second")
    system.revolute(system.ground["origin"], first["origin"], name="A")
    system.revolute(first.marker("end", position=(1.0, 0.0, 0.0)), second["origin"], name="B")
    far = system.ground.marker("far", position=(2.0, 0.0, 0.0))
    system.revolute(far, second.marker("end", position=(1.0, 0.0, 0.0)), name="C")
    found = fm.mobility(system)
    assert (found.freedoms, found.momentary) == (0, 1)
    assert found.analysis.startswith("none: a structure")

    flat = fm.System()
    sides = [flat.add(bar(1.0), name=name) for name in ("left", "top", "right")]
    for side in sides:
        side.marker("end", position=(1.0, 0.0, 0.0))
    flat.revolute(flat.ground["origin"], sides[0]["origin"], angle=0.0, name="A")
    flat.revolute(sides[0]["end"], sides[1]["origin"], angle=0.0, name="B")
    flat.revolute(flat.ground.marker("D", position=(1.0, 0.0, 0.0)), sides[2]["origin"], angle=0.0, name="D")
    flat.revolute(sides[1]["end"], sides[2]["end"], name="C")
    found = fm.mobility(flat)
    assert (found.freedoms, found.momentary) == (1, 1)


def test_tree_of_flexible_and_free_bodies_counts_its_modes():
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    flexible = fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="hinge", bending=(3, 0)))
    system = fm.System()
    beam = system.add(flexible, name="beam")
    system.add(fm.RigidBody.point(1.0), name="dust")
    system.revolute(system.ground["origin"], beam["hinge"], name="hinge")
    found = fm.mobility(system)
    assert (found.body_freedoms, found.modes, found.freedoms) == (6 + 3 + 3, 3, 1 + 3 + 3)
    assert found.redundant == ()


def test_freedoms_are_those_of_the_equations_of_motion():
    """The number of unknown accelerations less that of independent multipliers, at random poses."""
    chance = np.random.default_rng(3)
    for _ in range(5):
        system = fm.System()
        body = system.add(bar(1.0), name="body")
        place, turn = chance.normal(size=3), chance.normal(size=3)
        pose = system.ground.marker("pose", position=place, rotation=turn)
        system.spherical(pose, body["origin"], name="ball")
        # a second ball on the body leaves only the spin about the line between them
        other = Rotation.from_rotvec(turn).apply([1.0, 0.0, 0.0])
        end = body.marker("end", position=(1.0, 0.0, 0.0))
        system.spherical(system.ground.marker("end", position=place + other), end, name="second")
        found = fm.mobility(system)
        tables = prepared(system).tables
        kinds = tables.coordinates["multiplier"][tables.free]
        assert found.freedoms == np.count_nonzero(kinds == 0) - np.count_nonzero(kinds == 1) == 1
        assert found.redundant_count == 1
