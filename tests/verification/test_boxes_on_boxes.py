"""A rigid box, thrown at random on fixed boxes, plates, planes and wedges: each run ends, and no event gains energy."""

import numpy as np
import pytest

import flexmbs as fm

TOP, BIG = 0.2, (0.6, 0.6, 0.2)


def thrown(seed, base):
    """A box of random size, place, motion and law above a ``base`` at the origin."""
    random, system = np.random.default_rng(seed), fm.System(gravity=(0, 0, -9.81))
    size, axis, angle = tuple(random.uniform(0.05, 0.2, 3)), random.normal(size=3), random.uniform(0, 3)
    box = system.add(
        fm.RigidBody.box(1000.0, size),
        "box",
        position=(random.uniform(-0.25, 0.25), random.uniform(-0.25, 0.25), TOP + 0.2 * random.random()),
        rotation=tuple(axis / np.linalg.norm(axis) * angle),
        velocity=tuple(0.5 * random.normal(size=3)),
        angular_velocity=tuple(3.0 * random.normal(size=3)),
    )
    law = fm.Rigid(friction=float(random.uniform(0.1, 0.7)), restitution=float(random.uniform(0, 0.5)))
    top = system.ground.marker("top", (0, 0, -0.5 * BIG[2]))
    if base == "plane":
        shape = fm.Plane(system.ground["origin"], (0, 0, 1))
    elif base == "plate":
        shape = fm.Rectangle(system.ground["origin"], BIG[:2], normal="z", thickness=0.02)
    elif base == "ridge":  # the box falls on an edge that is upmost
        shape = fm.Box(system.ground.marker("ridge", (0, 0, -0.3), rotation=(np.pi / 4, 0, 0)), (0.6, 0.4, 0.4))
    else:
        shape = fm.Box(top, BIG)
    system.contact(fm.Box(box.frame, size), shape, law=law, name="k")
    return system


def fall(seed, base):
    result = thrown(seed, base).simulate(1.0, rtol=1e-6)
    lost = {}  # by instants: of contacts that share an impulse one may gain what the other loses
    for event in result.events:
        lost[event.time] = lost.get(event.time, 0.0) + event.energy_lost
    assert min(lost.values(), default=0.0) >= -1e-9
    ledger = result.energy_ledger()
    assert ledger.largest_balance <= 1e-3 * ledger.scale
    return result


# each of these opened and closed contacts for ever, or took ever shorter steps
@pytest.mark.parametrize(
    "seed, base",
    [
        (6, "plane"),
        (91, "plane"),
        (10, "box"),
        (22, "box"),
        (125, "box"),
        (8, "box"),
        (3, "ridge"),
        (0, "ridge"),
        (20, "ridge"),
        (30, "ridge"),
    ],
)
def test_falls_that_did_not_end(seed, base):
    fall(seed, base)


@pytest.mark.slow
@pytest.mark.parametrize("base", ["plane", "box", "plate", "ridge"])
def test_random_falls(base):
    for seed in range(30):
        fall(seed, base)


def sliding_box(velocity):
    """A box on a fixed box, which slides along it."""
    size, system = (0.2, 0.1, 0.05), fm.System(gravity=(0, 0, -9.81))
    box = system.add(fm.RigidBody.box(1000.0, size), "box", position=(0, 0, 0.5 * size[2]), velocity=(velocity, 0, 0))
    base = fm.Box(system.ground.marker("base", (0, 0, -0.1)), (0.5, 0.5, 0.2))
    system.contact(fm.Box(box.frame, size), base, law=fm.Rigid(friction=0.1), name="k")
    return system


def test_box_slides_over_an_edge():
    """Corners leave the face over its rounded edge, where edges that cross take over: a few instants, which were 3052."""
    result = sliding_box(1.0).simulate(0.5)
    assert len({round(event.time, 9) for event in result.events}) < 20
    assert result["box.free.z"][-1] < -0.05
