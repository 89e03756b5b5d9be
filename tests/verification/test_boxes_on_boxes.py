"""Rigid boxes, thrown at random on boxes, plates, planes, wedges and each other: runs end, and no event gains energy."""

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
        (53, "plane"),  # a corner that slides makes another one bounce, for ever
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
    assert len(fall(seed, base).t) < 3000


@pytest.mark.slow
@pytest.mark.parametrize("base", ["plane", "box", "plate", "ridge"])
def test_random_falls(base):
    for seed in range(30):
        fall(seed, base)


KINDS = ("groove", "wedge", "slope", "free", "pair", "plates", "aligned", "extreme")


def turned(random):
    axis = random.normal(size=3)
    return tuple(axis / np.linalg.norm(axis) * random.uniform(0, 3))


class Scene:
    """Boxes of one scale and law; sizes and places are those at scale 1, and times go with its root."""

    def __init__(self, random, scale, density):
        self.random, self.scale, self.density = random, scale, density
        self.system, self.contacts, self.fixed = fm.System(gravity=(0, 0, -9.81)), 0, 0
        self.plane = fm.Plane(self.system.ground["origin"], (0, 0, 1))
        self.law = fm.Rigid(
            friction=float(random.choice([0.0, 0.3, 0.6])),
            restitution=float(random.choice([0.0, 0.3, 0.9])),
            impact=str(random.choice(["newton", "poisson"])),
        )

    def scaled(self, numbers):
        return tuple(self.scale * x for x in numbers)

    def body(self, name, position, rotation=(0, 0, 0), size=None, still=False):
        size = self.scaled(self.random.uniform(0.05, 0.2, 3) if size is None else size)
        moves, root = 0.0 if still else 1.0, self.scale**0.5
        body = self.system.add(
            fm.RigidBody.box(self.density, size),
            name,
            position=self.scaled(position),
            rotation=rotation,
            velocity=tuple(moves * root * 0.4 * self.random.normal(size=3)),
            angular_velocity=tuple(moves * 2.0 / root * self.random.normal(size=3)),
        )
        return fm.Box(body.frame, size)

    def above(self, z):
        return (*self.random.uniform(-0.1, 0.1, 2), z + 0.2 * self.random.random())

    def block(self, size, position, rotation=(0, 0, 0)):
        self.fixed += 1
        marker = self.system.ground.marker(f"block{self.fixed}", self.scaled(position), rotation=rotation)
        return fm.Box(marker, self.scaled(size))

    def below(self, size):
        """A box on the ground, fixed or free."""
        if self.random.random() < 0.5:
            return self.block(size, (0, 0, 0.5 * size[2]))
        box = self.body("below", (0, 0, 0.5 * size[2]), size=size, still=True)
        self.touch(box, self.plane)
        return box

    def touch(self, box, *others):
        for other in others:
            self.contacts += 1
            self.system.contact(box, other, law=self.law, name=f"k{self.contacts}")


def scene(seed, kind):
    """A box in a groove of planes or boxes, on a tilted one, on free ones, on another one that falls; plates; equal sizes."""
    random = np.random.default_rng([seed, KINDS.index(kind)])
    scale, density = 1.0, 1000.0
    if kind == "extreme":  # of 1 mm and 10 m, 1e-9 to 1e8 kg
        scale, density = float(random.choice([0.01, 0.1, 10.0, 50.0])), float(random.choice([1.0, 1e3, 1e5]))
    made = Scene(random, scale, density)
    sides = [(np.sin(s), 0, np.cos(s), s) for s in random.uniform(0.2, 1.2, 2) * (1, -1)]
    if kind == "groove":
        box = made.body("box", made.above(0.55), turned(random))
        made.touch(box, *(fm.Plane(made.system.ground["origin"], side[:3]) for side in sides))
    elif kind == "wedge":
        box = made.body("box", made.above(0.45), turned(random))
        made.touch(box, *(made.block((1.2, 0.6, 0.2), (-0.1 * x, 0, -0.1 * z), (0, s, 0)) for x, _y, z, s in sides))
    elif kind == "slope":
        box = made.body("box", made.above(0.5), turned(random))
        made.touch(box, made.block((0.4, 0.6, 0.3), (0, 0, 0), turned(random)))
    elif kind == "pair":
        one, two = made.body("one", made.above(0.2), turned(random)), made.body("two", made.above(0.65), turned(random))
        made.touch(one, made.plane)
        made.touch(two, made.plane, one)
    elif kind == "plates":
        size = random.permutation([random.uniform(0.1, 0.3), random.uniform(0.05, 0.3), random.choice([0.002, 0.005, 0.01])])
        marker = made.system.ground.marker("tilted", (0, 0, 0.05), rotation=tuple(0.3 * random.normal(size=3)))
        flat = fm.Rectangle(marker, (0.5, 0.4), normal="z", thickness=0.02)
        made.touch(made.body("box", made.above(0.4), turned(random), size), flat)
    elif kind == "aligned":
        size, part = random.choice([0.1, 0.2], 3), random.choice([0.0, 0.25, 0.5, 0.75], 2)
        height, turn = 1.5 * size[2] + random.choice([0.0, 0.05]), random.choice([0.0, 0.25, 0.5]) * np.pi
        box = made.body("box", (*part * size[:2], height), (0, 0, turn), size, still=random.random() < 0.5)
        made.touch(box, made.below(size), made.plane)
    else:
        box = made.body("box", made.above(0.48), turned(random))
        made.touch(box, made.below(random.uniform(0.1, 0.3, 3)), made.plane)
    return made.system, scale**0.5, 1e-3 * density * scale**4  # J: weight times size, of boxes at rest all the time


def fall_of(seed, kind):
    system, duration, least = scene(seed, kind)
    result = system.simulate(duration, rtol=1e-6)
    ledger, lost = result.energy_ledger(), {}
    for event in result.events:
        lost[event.time] = lost.get(event.time, 0.0) + event.energy_lost
    scale = max(ledger.scale, least)
    assert min(lost.values(), default=0.0) >= -1e-9 * scale
    assert ledger.largest_balance <= 1e-6 * scale


@pytest.mark.parametrize("kind", KINDS)
def test_scenes(kind):
    for seed in range(2):
        fall_of(seed, kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_random_scenes(kind):
    """504 in all; one stops, where a corner passes the edge of a thin plate fast (steps towards its bend underflow)."""
    stopped = []
    for seed in range(63):
        try:
            fall_of(seed, kind)
        except fm.SimulationError as error:
            stopped.append((seed, str(error)))
    assert len(stopped) <= (1 if kind == "plates" else 0), stopped
