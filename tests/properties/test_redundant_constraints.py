"""Constraints whose rows are rounding: what a joint holds already, said again. The motion is that without them.

In joint coordinates such a row is a difference of equal numbers, some 1e-17 in size, and nothing else stands beside it.
"""

import numpy as np
import pytest
from constraint_checks import end_state

import flexmbs as fm
from flexmbs.analysis.assembly.independent_constraints import independent_rows
from flexmbs.analysis.evaluation import entry_sizes
from flexmbs.analysis.prepare.prepare import prepared

CENTRED = {  # joints that keep the origins of their markers together
    "spherical": {},
    "revolute": {"axis": "z"},
    "universal": {"first": "x", "second": "y"},
    "constant_velocity": {"axis": "z"},
}
T_END, RTOL = 0.3, 1e-9
# Both runs keep rtol a step; the integrators differ (a tree without constraints may be run by an explicit one).
AGREE = 1e-6


def rod(system, joint, part, rng):
    point = joint.b.position + rng.normal(size=3)
    system.rod(joint.a, part.marker("p", point), float(np.linalg.norm(point - joint.b.position)), name="again")


def rod_from_the_body(system, joint, part, rng):
    """The other way round: from a point of the carrier to the centre on the body."""
    point = joint.a.position + rng.normal(size=3)
    end = system.bodies["arm"].marker("p", point)
    system.rod(end, joint.b, float(np.linalg.norm(point - joint.a.position)), name="again")


def cable(system, joint, part, rng):
    point = joint.b.position + rng.normal(size=3)
    system.cable([joint.a, part.marker("p", point)], float(np.linalg.norm(point - joint.b.position)), name="again")


def second_ball(system, joint, part, rng):
    system.spherical(joint.a, joint.b, name="again")


def point_on_line(system, joint, part, rng):
    system.inline(joint.a, joint.b, axis=tuple(rng.normal(size=3)), name="again", cut=True)


def point_in_plane(system, joint, part, rng):
    system.inplane(joint.a, joint.b, normal=tuple(rng.normal(size=3)), name="again", cut=True)


REPEATS = (rod, rod_from_the_body, cable, second_ball, point_on_line, point_in_plane)


def body(rng) -> fm.RigidBody:
    return fm.RigidBody(1.0 + rng.random(), np.diag(0.1 + 0.02 * rng.random(3)), 0.3 * rng.normal(size=3))


def mechanism(kind: str, seed: int, coordinates: str, repeat=None) -> fm.System:
    """A body in a joint under test on an arm that turns; all at random places, every second one with turned markers."""
    rng = np.random.default_rng([seed, len(kind)])
    system = fm.System(gravity=(0.0, -9.81, 1.0), coordinates=coordinates)
    arm, part = (system.add(body(rng), name) for name in ("arm", "part"))
    turned = seed % 2 * rng.normal(size=(2, 3))
    far = 100.0 * (seed % 3 == 2) * rng.normal(size=3)  # frames far from where things happen
    base = system.ground.marker("base", rng.normal(size=3))
    system.revolute(base, arm.marker("in", 0.3 * rng.normal(size=3)), axis="x", rate=1.0, name="carrier")
    ends = arm.marker("out", rng.normal(size=3), turned[0]), part.marker("in", far + rng.normal(size=3), turned[1])
    joint = system.joint(kind, *ends, "under test", **CENTRED[kind])
    if repeat is not None:
        repeat(system, joint, part, rng)
    return system


def check(kind: str, seed: int, coordinates: str, repeat) -> None:
    plain = mechanism(kind, seed, coordinates).simulate(T_END, rtol=RTOL)
    system = mechanism(kind, seed, coordinates, repeat)
    result = system.simulate(T_END, rtol=RTOL)
    assert result.status == "finished"
    expected = end_state(plain)
    assert end_state(result) == pytest.approx(expected, abs=AGREE * np.abs(expected).max())
    energy = result["energy.total"]
    assert np.ptp(energy) < 1e-6 * (result["energy.kinetic"].max() + np.ptp(result["energy.gravity"]))
    assert result["constraint_error"].max() < 1e-8
    redundant = fm.mobility(system).redundant
    assert {item.owner.split("'")[1] for item in redundant} == {"again"}


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
@pytest.mark.parametrize("kind", sorted(CENTRED))
def test_run_with_a_rod_that_blocks_nothing_is_the_run_without_it(kind, coordinates):
    check(kind, 0, coordinates, rod)


@pytest.mark.parametrize("repeat", REPEATS[1:], ids=lambda repeat: repeat.__name__)
def test_other_constraints_that_block_nothing(repeat):
    check("spherical", 1, "reduced", repeat)
    check("universal", 2, "absolute", repeat)


@pytest.mark.slow
@pytest.mark.parametrize("repeat", REPEATS, ids=lambda repeat: repeat.__name__)
@pytest.mark.parametrize("kind", sorted(CENTRED))
def test_every_joint_and_constraint_at_twenty_places(kind, repeat):
    for seed in range(20):
        for coordinates in ("reduced", "absolute"):
            check(kind, seed, coordinates, repeat)


@pytest.mark.parametrize("kind", sorted(CENTRED))
def test_rank_does_not_count_rounding(kind, monkeypatch):
    """Without the comparison of entries with their terms the rod would be kept: the test above can fail."""
    system = mechanism(kind, 1, "reduced", rod)
    assert len(independent_rows(prepared(system), 0.0)) == 0
    monkeypatch.setattr(entry_sizes, "ROUNDING", 0.0)
    kept = independent_rows(prepared(system), 0.0)
    assert len(kept) == 1


def test_short_arm_is_no_rounding():
    """A rod from a millimetre beside the centre of a ball joint, at a metre, blocks a rotation."""
    system = fm.System()
    part = system.add(fm.RigidBody(1.0, np.eye(3)), "part")
    system.spherical(system.ground["origin"], part["origin"], name="ball")
    system.rod(system.ground.marker("beside", (0.0, 1e-3, 0.0)), part.marker("p", (1.0, 0.0, 0.0)), np.hypot(1.0, 1e-3))
    assert len(independent_rows(prepared(system), 0.0)) == 1
    mobility = fm.mobility(system)
    assert mobility.freedoms == 2 and not mobility.redundant
