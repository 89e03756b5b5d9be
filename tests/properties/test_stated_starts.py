"""What is stated of a start is what runs, for every joint: kept exactly wherever a consistent state has it, told otherwise."""

import warnings

import numpy as np
import pytest
from joint_examples import geometry
from random_mechanisms import rigid_body

import flexmbs as fm
from flexmbs import JOINT_TYPES

LOOSE = {  # joints with a clearance
    "loose revolute": {},
    "loose spherical": {},
    "loose cylindrical": {"length": 0.05},
    "loose prismatic": {"length": 0.05, "section": (0.02, 0.03)},
}
KINDS = sorted({*JOINT_TYPES, *LOOSE} - {"fixed"})
EXACT = 1e-12
BOTH = pytest.mark.parametrize("coordinates", ["reduced", "absolute"])


def told(system) -> tuple[fm.Result, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = system.assemble()
    return result, [str(one.message) for one in caught if "cannot all hold" in str(one.message)]


def place(result: fm.Result, marker) -> np.ndarray:
    """Position of a marker at the start, world axes, m."""
    run, k = result.trajectory, [body.name for body in result.structure.bodies].index(marker.body)
    return run.body_position[0, k] + run.body_rotation[0, k] @ marker.position


def joint_and_follower(kind: str, coordinates: str, cut: bool):
    """A joint with all its start values stated, and a second body that hangs freely on the first."""
    rng = np.random.default_rng([*map(ord, kind)])
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=coordinates)
    first, follower = system.add(rigid_body(rng), "first"), system.add(rigid_body(rng), "follower")
    base, inside = (end.marker("in", rng.normal(size=3), rng.normal(size=3)) for end in (system.ground, first))
    play = None
    if kind in LOOSE:
        play = fm.Clearance(radial=1e-3, law=fm.LankaraniNikravesh(1e8, 0.8), radius=0.01, **LOOSE[kind])
    kind = kind.removeprefix("loose ")
    joint = system.joint(kind, base, inside, "joint", cut, play, **geometry(kind, rng))
    names = [name for name in joint.type.coordinates if name not in joint.type.play]
    values, rates = {name: 0.5 * rng.normal() for name in names}, {name: rng.normal() for name in names}
    ball = (rng.normal(size=3), rng.normal(size=3)) if joint.type.ends_with_ball else (None, None)
    system._state(joint, values, rates, *ball)
    tip, post = first.marker("tip", rng.normal(size=3)), system.ground.marker("post", 2.0 * rng.normal(size=3))
    hung, end = follower.marker("hung", rng.normal(size=3)), follower.marker("end", rng.normal(size=3))
    system.spherical(tip, hung)
    return system, (post, tip, end), values, rates


def joint_in_a_loop(kind: str, coordinates: str, cut: bool = False, stretch: float | None = None):
    """:func:`joint_and_follower` with a rod from ground to the follower, whose length fits the stated start.

    ``stretch``: of a second rod, from ground to the first body, that does not fit it.
    """
    system, (post, tip, end), values, rates = joint_and_follower(kind, "reduced", False)
    open_loop = system.assemble()
    at = [place(open_loop, tip), place(open_loop, end)]
    system, (post, tip, end), values, rates = joint_and_follower(kind, coordinates, cut)
    system.rod(post, end, float(np.linalg.norm(at[1] - post.position)), name="stay")
    if stretch is not None:
        system.rod(post, tip, float(np.linalg.norm(at[0] - post.position)) * (1.0 + stretch), name="strut")
    return system, values, rates


def differences(result, values, rates) -> dict[str, float]:
    found = {name: result[f"joint.{name}"][0] - value for name, value in values.items()}
    return found | {f"{name}.rate": result[f"joint.{name}.rate"][0] - rate for name, rate in rates.items()}


@BOTH
@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_loop_can_have_is_kept(kind, cut, coordinates):
    system, values, rates = joint_in_a_loop(kind, coordinates, cut)
    result, messages = told(system)
    assert max(map(abs, differences(result, values, rates).values()), default=0.0) < EXACT
    assert messages == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_loop_cannot_have_is_told(kind):
    """A rod that is 3 % too long: whatever moves is named, with its values; or the loop does not close at all."""
    system, values, rates = joint_in_a_loop(kind, "reduced", stretch=0.03)
    try:
        result, messages = told(system)
    except fm.MechanismError as error:
        assert "strut" in str(error) or "velocit" in str(error)
        return
    changed = differences(result, values, rates)
    moved = [name for name in values if abs(changed[name]) > 1e-4]
    for name in moved:
        pair = f"'joint.{name}' {values[name]:.6g} -> {result[f'joint.{name}'][0]:.6g}"
        assert any(pair in message and "'strut'" in message for message in messages), pair
    assert moved or any("joint.rotation" in message for message in messages)


@BOTH
def test_the_play_of_a_pin_gives_way_before_what_is_stated(coordinates):
    """Three angles of a four-bar that miss its last hinge by 0.2 mm: the play of 0.5 mm takes it; 5 mm it cannot."""
    lengths, ground = (0.1, 0.3, 0.25), 0.28

    def four_bar(angles, play):
        system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=coordinates)
        before = system.ground.marker("A")
        for i, (length, angle) in enumerate(zip(lengths, angles, strict=True)):
            bar = system.add(fm.RigidBody.rod(1.0, length), name=f"bar{i}")
            system.revolute(before, bar["origin"], angle=angle, name=f"j{i}")
            before = bar.marker("end", (length, 0.0, 0.0))
        law = fm.LankaraniNikravesh(1e9, 0.9)
        last = fm.Clearance(radial=5e-4, law=law, radius=0.01) if play else None
        system.revolute(before, system.ground.marker("D", (ground, 0.0, 0.0)), name="j3", clearance=last)
        return system

    exact = four_bar((1.2, None, None), False).assemble()
    closed = [float(exact[f"j{i}.angle"][0]) for i in range(3)]
    for miss, fits in ((2e-4, True), (5e-3, False)):
        stated = [*closed[:2], closed[2] + miss / lengths[2]]
        result, messages = told(four_bar(stated, True))
        moved = float(max(abs(result[f"j{i}.angle"][0] - stated[i]) for i in range(3)))
        play = np.hypot(result["j3.u"][0], result["j3.v"][0])
        assert (moved < EXACT) is fits and (messages == []) is fits
        assert play == pytest.approx(miss, rel=1e-2) if fits else play < 1e-9


def test_rates_of_gears_and_rolling_balls_that_contradict_each_other_are_told():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    wheels = [system.add(fm.RigidBody.cylinder(7800.0, 0.05, 0.02), name) for name in ("A", "B")]
    rates = (2.0, 0.0)
    joints = [
        system.revolute(system.ground.marker(f"g{i}", (0.2 * i, 0.0, 0.0)), wheels[i]["origin"], rate=rates[i], name=f"j{i}")
        for i in range(2)
    ]
    system.gear(*joints, -2.0, name="pair")
    (message,) = told(system)[1]
    assert "'j0.angle' 2 -> 0.4 rad/s" in message and "'j1.angle' 0 -> -0.8 rad/s" in message and "'pair'" in message
    for stated, kept in (({"velocity": (1.0, 0.0, 0.0)}, 1.0), ({"angular_velocity": (0.0, 10.0, 0.0)}, 0.5), (None, None)):
        system = fm.System(gravity=(0.0, 0.0, 0.0))
        both = {"velocity": (1.0, 0.0, 0.0), "angular_velocity": (0.0, -3.0, 0.0)}
        ball = system.add(fm.RigidBody.sphere(7800.0, 0.05), "ball", position=(0.0, 0.0, 0.05), **(stated or both))
        system.rolling_ball(ball["origin"], system.ground.marker("floor"), 0.05, name="roll")
        result, messages = told(system)
        assert len(messages) == (stated is None)
        if stated is not None:
            assert result["ball.free.x.rate"][0] == pytest.approx(kept, abs=EXACT)
    assert "'ball.free.x' 1 ->" in messages[0] and "'ball.free.rotation.y' -3 ->" in messages[0] and "'roll'" in messages[0]


@BOTH
def test_positions_of_bodies_that_rods_and_floors_do_not_allow_are_told(coordinates):
    """A rod of 0.8 m between bodies stated 1 m apart, a ball stated 30 mm above the floor on which it rolls."""
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=coordinates)
    ends = [system.add(fm.RigidBody.sphere(7800.0, 0.05), name, position=(x, 0.0, 0.0)) for name, x in (("A", 0.0), ("B", 1.0))]
    system.rod(ends[0]["origin"], ends[1]["origin"], 0.8, name="link")
    (message,) = told(system)[1]
    assert "'A.free.x' 0 -> 0.1 m, 'B.free.x' 1 -> 0.9 m" in message and "'link'" in message
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=coordinates)
    ball = system.add(fm.RigidBody.sphere(7800.0, 0.05), "ball", position=(0.0, 0.0, 0.08))
    system.rolling_ball(ball["origin"], system.ground.marker("floor"), 0.05, name="roll")
    (message,) = told(system)[1]
    assert "'ball.free.z' 0.08 -> 0.05 m" in message and "'roll'" in message


def test_spin_of_a_leaning_disc_stated_about_world_axes_is_told():
    """add() takes it about body axes: stated so it rolls with the stated velocity, otherwise the rates contradict each other."""
    lean, radius, spin = 0.4, 0.5, 6.0
    turn = fm.rotation((0.5 * np.pi - lean, 0.0, 0.0)).matrix  # the axle, body z, leans from the horizontal -y
    centre, world = (0.0, 0.0, radius * np.cos(lean)), turn @ (0.0, 0.0, spin)
    velocity = np.cross(world, np.array(centre) + (0.0, radius * np.sin(lean), 0.0))
    for rates, contradicts in ((turn.T @ world, False), (world, True)):
        system = fm.System(gravity=(0.0, 0.0, 0.0))
        start = {"rotation": turn, "velocity": velocity, "angular_velocity": rates}
        disc = system.add(fm.RigidBody.cylinder(7800.0, radius, 0.02), "disc", position=centre, **start)
        system.rolling_disc(disc["origin"], system.ground.marker("floor"), radius, name="roll")
        messages = told(system)[1]
        assert len(messages) == contradicts, messages
    assert "about axes of the body" in messages[0]


def test_rates_that_a_slider_with_play_can_have_are_those_of_the_run():
    """Set "omega3" of the published slider-crank with clearance: 150, -75 and -0.01 rad/s at rest in its guide."""
    result = fm.run_case("slider_crank_translational_clearance", {"slider_rate": -0.01, "t_end": 1e-5}).result
    rates = np.cumsum([result[f"{name}.angle.rate"][0] for name in ("shaft", "crank_pin", "slider_pin")])
    assert rates == pytest.approx([150.0, -75.0, -0.01], rel=EXACT)
