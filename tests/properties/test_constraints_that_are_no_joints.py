"""Couplings, rods, cables, driven markers and what rolls, on moving bodies: reduced and absolute coordinates agree."""

import numpy as np
import pytest
from constraint_checks import check_derivatives, end_state
from random_mechanisms import rigid_body

import flexmbs as fm
from flexmbs.model.compile_mechanism import compile_system

RTOL, ATOL = 1e-10, 1e-12
AGREE = 1e-7  # some hundred steps of rtol each, and what the motion makes of them


def bodies(system, rng, count: int) -> list:
    parts = [system.add(rigid_body(rng), f"body {i}") for i in range(count)]
    for part in parts:
        part.marker("in", 0.3 * rng.normal(size=3), rng.normal(size=3))
        part.marker("out", 0.3 * rng.normal(size=3), rng.normal(size=3))
    return parts


def on_a_carrier(coordinates: str, state) -> fm.System:
    """A body that swings on ground; on it two bodies on a revolute and a cylindrical joint, which ``state`` couples."""
    rng = np.random.default_rng(11)
    system = fm.System(gravity=(1.0, -9.0, 2.0), coordinates=coordinates)
    carrier, one, two = bodies(system, rng, 3)
    swing = system.revolute(system.ground["origin"], carrier["in"], axis=(1, 2, 3), angle=0.4, rate=1.0, name="swing")
    first = system.revolute(carrier["out"], one["in"], axis=(1, 0, 1), angle=0.2, name="first")
    at = carrier.marker("at", (0.5, 0.1, 0.2))
    second = system.cylindrical(at, two["in"], axis=(0, 1, 1), angle=0.1, displacement=0.3, name="second")
    second.spring(30.0, coordinate="displacement").spring(4.0, coordinate="angle")
    state(system, swing, first, second)
    return system


def hanging(coordinates: str, state) -> fm.System:
    """Two bodies on spherical joints of ground, and a free one, for ``state`` to tie."""
    rng = np.random.default_rng(5)
    system = fm.System(gravity=(0.0, -9.0, 2.0), coordinates=coordinates)
    one, two, three = bodies(system, rng, 2) + [system.add(rigid_body(rng), "body 2", position=(1.0, 1.0, 0.0))]
    three.marker("in", (0.2, 0.0, 0.1))
    places = {"left": (0.0, 2.0, 0.0), "right": (2.0, 2.0, 0.5)}
    ends = [system.ground.marker(name, place) for name, place in places.items()]
    for end, part in zip(ends, (one, two), strict=True):
        system.spherical(end, part["in"], rotation=rng.normal(size=3), angular_velocity=rng.normal(size=3))
    state(system, ends, one, two, three)
    return system


def stand(coordinates: str, state) -> fm.System:
    """A disc (or ball) above a plane that swings about the world's y axis."""
    system = fm.System(gravity=(0.3, 0.2, -9.0), coordinates=coordinates)
    table = system.add(fm.RigidBody(50.0, (20.0, 30.0, 40.0)), "table")
    hinge = system.revolute(system.ground["origin"], table["origin"], axis="y", angle=0.1, rate=0.2, name="hinge")
    hinge.spring(500.0)
    state(system, table)
    return system


def disc(system, table):
    wheel = system.add(
        fm.RigidBody(2.0, (0.05, 0.05, 0.1)),
        "wheel",
        position=(0.1, 0.2, 0.5),
        rotation=(1.2, 0.2, 0.1),
        angular_velocity=(0.5, 0.3, 6.0),
    )
    plane = table.marker("plane", (0.0, 0.0, 0.1), (0.05, 0.1, 0.4))
    system.rolling_disc(wheel["origin"], plane, 0.3, name="rolling")


def ball(system, table):
    marble = system.add(fm.RigidBody(2.0, (0.05, 0.05, 0.05)), "marble", position=(0.1, 0.2, 0.5), velocity=(1, 0.5, 0))
    system.rolling_ball(marble["origin"], table.marker("plane", rotation=(0.05, 0.1, 0.4)), 0.3, name="rolling")


def swinging(t):
    return 1.6 + 0.1 * np.sin(3.0 * t)


CASES = {
    "gear": (on_a_carrier, lambda s, c, one, two: s.gear(one, (two, "angle"), ratio=-2.5)),
    "rack": (on_a_carrier, lambda s, c, one, two: s.rack_and_pinion(one, (two, "displacement"), 0.2)),
    "three coordinates": (
        on_a_carrier,
        lambda s, c, one, two: s.couple((one, 1.0), (two, "angle", 2.0), (two, "displacement", -3.0)),
    ),
    "coupling by rate": (
        on_a_carrier,
        lambda s, c, one, two: s.couple((one, 1.0), (two, "angle", -2.0), rate=fm.Harmonic(0.5, 1.0)),
    ),
    "belt": (on_a_carrier, lambda s, c, one, two: s.belt([c, one, (two, "angle")], [0.3, 0.2, -0.1])),
    "elastic belt": (
        on_a_carrier,
        lambda s, c, one, two: s.belt([c, one, (two, "angle")], [0.3, 0.2, 0.1], stiffness=[300.0, 500.0, 400.0]),
    ),
    "rod": (hanging, lambda s, ends, one, two, three: s.rod(one["out"], three["in"], 1.2)),
    "rod that grows": (hanging, lambda s, ends, one, two, three: s.rod(one["out"], three["in"], fm.Harmonic(0.1, 3.0) + 1.6)),
    "cable": (hanging, lambda s, ends, one, two, three: s.cable([ends[0], three["in"], two["out"], ends[1]], 4.0, (2, 1, 3))),
    "winch": (hanging, lambda s, ends, one, two, three: s.cable([ends[0], three["in"], one["out"]], swinging)),
    "point": (hanging, lambda s, ends, one, two, three: s.prescribe_point(one["out"], three["in"], "y", fm.Harmonic(0.1, 0.5))),
    "point by rate": (
        hanging,
        lambda s, ends, one, two, three: s.prescribe_point(one["out"], three["in"], "x", rate=fm.Step(0.1, 0.8)),
    ),
    "point by acceleration": (
        hanging,
        lambda s, ends, one, two, three: s.prescribe_point(one["out"], three["in"], "z", acceleration=fm.Ramp(0, 1, 2)),
    ),
    "disc": (stand, disc),
    "ball": (stand, ball),
}
CONSERVATIVE = sorted(
    set(CASES) - {"coupling by rate", "rod that grows", "winch", "point", "point by rate", "point by acceleration"}
)


def build(case: str, coordinates: str = "reduced") -> fm.System:
    base, state = CASES[case]
    return base(coordinates, state)


@pytest.mark.parametrize("case", sorted(set(CASES) - {"elastic belt"}))
def test_constraints_are_differentiated_exactly(case):
    check_derivatives(compile_system(build(case)), 4)


@pytest.mark.parametrize("case", CASES)
def test_reduced_and_absolute_agree(case):
    reduced, absolute = (build(case, coordinates).simulate(0.4, rtol=RTOL, atol=ATOL) for coordinates in ("reduced", "absolute"))
    names = [name for name in reduced.structure.reaction_names]
    for result in (reduced, absolute):
        assert result["constraint_error"].max() < 1e-11
        if case in CONSERVATIVE:
            total = result["energy.total"]
            assert np.abs(total - total[0]).max() < AGREE * result["energy.kinetic"].max()
    one, two = (end_state(result) for result in (reduced, absolute))
    assert np.abs(one - two).max() < AGREE * np.abs(one).max()
    forces = [
        [[r[f"{name}.reaction.{kind}.{axis}"][-1] for kind in ("force", "moment") for axis in "xyz"] for name in names]
        for r in (reduced, absolute)
    ]
    assert np.abs(np.subtract(*forces)).max() < AGREE * np.abs(forces[0]).max()
