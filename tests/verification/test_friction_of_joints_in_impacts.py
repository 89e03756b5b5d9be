"""Coulomb's impulses of friction in joints: in impacts, at rigid stops and locks; against closed forms, and by energy."""

import numpy as np
import pytest

import flexmbs as fm

G = 9.81
MASS, ARM, LENGTH, INERTIA = 1.3, 0.3, 0.5, 0.02
RADIUS = 0.03
ABOUT = INERTIA + MASS * ARM**2  # about the hinge


def gains(result) -> list[float]:
    """Energy just behind each instant less that just before it and less what is booked, J."""
    t, energy = result.t, result["energy.total"]
    found = []
    for time in np.unique([event.time for event in result.events]):
        at = np.flatnonzero(np.abs(t - time) < 1e-12)
        if len(at) > 1:
            found.append(float(energy[at[-1]] - energy[at[0]]))
    return found


def pendulum(friction: float, **options) -> tuple[fm.System, fm.Joint, object]:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    rod = system.add(fm.RigidBody(MASS, (INERTIA,) * 3, center=(ARM, 0.0, 0.0)), name="rod")
    hinge = system.revolute(system.ground.frame, rod.frame, axis="z", name="hinge", **options)
    hinge.friction(fm.DryFriction(friction), normal_force="reaction", radius=RADIUS)
    return system, hinge, rod


def impulses(friction: float, rate: float, after: float) -> tuple[float, float]:
    """Impulse at the tip and of the friction (N m s) of a pendulum whose rate changes: J dw = M - L P, R = m c dw + P."""
    change, sense = after - rate, -np.sign(after) if after != 0.0 else -np.sign(rate)
    moment = 0.0
    for _ in range(200):
        tip = (moment - ABOUT * change) / LENGTH
        moment = sense * friction * RADIUS * abs(MASS * ARM * change + tip)
    return tip, moment


@pytest.mark.parametrize("restitution", [0.5, 1.0])
@pytest.mark.parametrize("friction", [0.3, 2.0])
def test_the_tip_of_a_pendulum_hits_a_wall(friction, restitution):
    system, _hinge, rod = pendulum(friction, angle=-0.001, rate=2.0)
    tip = fm.Point(rod.marker("tip", position=(LENGTH, 0.0, 0.0)))
    wall = fm.Plane(system.ground.frame, normal=(0.0, -1.0, 0.0))
    system.contact(tip, wall, law=fm.Rigid(restitution), name="wall")
    result = system.simulate(0.002, rtol=1e-10, progress=False)
    (hit,) = [event for event in result.events if event.kind == "impact"]
    rate = hit.approach_speed / LENGTH
    expected, moment = impulses(friction, rate, -restitution * rate)
    assert hit.normal_impulse == pytest.approx(expected, rel=1e-9)
    # the impulse of the wall and of the friction, each times the mean rate
    lost = (expected * LENGTH - moment) * 0.5 * (1.0 - restitution) * rate
    assert hit.energy_lost == pytest.approx(lost, rel=1e-8, abs=1e-15)
    assert np.abs(result["energy.balance"]).max() < 1e-9 * 0.5 * ABOUT * rate**2


def two_links(friction: float, joint: str) -> tuple[fm.System, list]:
    """A double pendulum whose upper joint has friction."""
    system = fm.System(gravity=(0.0, 0.0, -G))
    rod, turned = fm.RigidBody(1.0, (0.02,) * 3, center=(0.0, 0.0, -0.25)), {}
    if joint == "spherical":
        turned = {"rotation": (0.0, -1.2, 0.0), "angular_velocity": (1.0, 0.0, 2.0)}
    links = [system.add(rod, name="upper", **turned), system.add(rod, name="lower")]
    if joint == "revolute":
        upper = system.revolute(system.ground.frame, links[0].frame, axis="y", angle=-1.2, name="hinge")
    else:
        upper = system.spherical(system.ground.frame, links[0].frame, name="ball")
    end = links[0].marker("end", position=(0.0, 0.0, -0.5))
    lower = system.revolute(end, links[1].frame, axis="y", angle=0.5, name="knee")
    upper.friction(fm.DryFriction(friction), normal_force="reaction", radius=RADIUS)
    return system, [*links, lower]


@pytest.mark.parametrize("what", ["wall", "rough wall", "poisson", "stop", "lock"])
@pytest.mark.parametrize(("friction", "restitution"), [(0.6, 1.0), (0.6, 0.3), (2.0, 1.0), (0.6, 0.0)])
@pytest.mark.parametrize("joint", ["revolute", "spherical"])
def test_no_energy_is_gained_and_all_is_booked(what, joint, friction, restitution):
    system, (_upper, lower, knee) = two_links(friction, joint)
    if what == "stop":
        knee.limit(lower=-0.3, upper=0.9, restitution=restitution)
    elif what == "lock":
        system.event(0.3, fm.Lock(knee))
    else:
        rough = {"friction": 0.4} if what == "rough wall" else {"impact": "poisson"} if what == "poisson" else {}
        wall = fm.Plane(system.ground.marker("w", position=(0.2, 0.0, 0.0)), normal=(1.0, 0.0, 0.0))
        tip = fm.Point(lower.marker("tip", position=(0.0, 0.0, -0.5)))
        system.contact(tip, wall, law=fm.Rigid(restitution, **rough), name="wall")
    result = system.simulate(0.6, rtol=1e-8, progress=False)
    losses = [event.energy_lost for event in result.events if event.kind in ("impact", "lock")]
    assert losses and sum(losses) > -1e-12
    assert max(gains(result), default=0.0) < 1e-9
    assert np.abs(result["energy.balance"]).max() < 3e-7


@pytest.mark.parametrize("what", ["wall", "stop"])
def test_a_force_that_follows_the_acceleration_takes_no_part_in_an_impact(what):
    """It is finite: the ball rebounds with e times its speed, and loses what it would without the force."""
    system = fm.System(gravity=(0.0, 0.0, -G))
    ball = system.add(fm.RigidBody(MASS, (0.1,) * 3), name="ball")
    fall = system.prismatic(system.ground.frame, ball["origin"], axis="z", displacement=0.1, name="fall")
    if what == "stop":
        fall.limit(lower=0.0, upper=1.0, restitution=0.5)
    else:
        floor = fm.Plane(system.ground.frame, normal=(0.0, 0.0, 1.0))
        system.contact(fm.Point(ball["origin"]), floor, law=fm.Rigid(0.5), name="floor")
    felt = system.sensor("acceleration", ball["origin"], component="z")
    follows = system.function(lambda t, a: -0.4 * a, [felt])  # as 0.4 kg more would, but for the impact
    system.force(ball["origin"], (0.0, 0.0, follows))
    result = system.simulate(0.2, rtol=1e-9, progress=False)
    speed = np.sqrt(2.0 * G * MASS / (MASS + 0.4) * 0.1)
    hit = next(event for event in result.events if event.kind in ("impact", "lock"))
    assert abs(hit.approach_speed) == pytest.approx(speed, rel=1e-8)
    assert abs(hit.normal_impulse) == pytest.approx(1.5 * MASS * speed, rel=1e-8)
    assert hit.energy_lost == pytest.approx(0.5 * MASS * 0.75 * speed**2, rel=1e-8)
    assert np.abs(result["energy.balance"]).max() < 1e-8
