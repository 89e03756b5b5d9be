"""Blocks with rigid contacts that rest, slide and topple: on an incline, in stacks, over an edge."""

import numpy as np
import pytest

import flexmbs as fm

SIZE = (0.2, 0.1, 0.06)
GRAVITY = 9.81
NANOMETRE = 1e-9


def stack(count, offsets=None, friction=0.4, tilt=0.0):
    """Blocks on each other on a plane; ``offsets`` (count,) along x and y, m."""
    system = fm.System(gravity=(GRAVITY * np.sin(tilt), 0.0, -GRAVITY * np.cos(tilt)))
    below, law = fm.Plane(system.ground["origin"], (0, 0, 1)), fm.Rigid(friction=friction)
    for i in range(count):
        x, y = (0.0, 0.0) if offsets is None else offsets[i]
        block = system.add(fm.RigidBody.box(800.0, SIZE), name=f"b{i}", position=(x, y, (i + 0.5) * SIZE[2]))
        shape = fm.Box(block.frame, SIZE)
        system.contact(shape, below, law=law, name=f"c{i}")
        below = shape
    return system


def drift(result, count):
    """Largest change of a coordinate of the origins, m."""
    names = [f"b{i}.free.{axis}" for i in range(count) for axis in "xyz"]
    return max(float(np.abs(result[name] - result[name][0]).max()) for name in names)


def test_block_rests_on_a_rough_incline_for_100_s():
    result = stack(1, tilt=0.3).simulate(100.0)
    assert drift(result, 1) < NANOMETRE
    assert result.energy_ledger().loss == pytest.approx(0.0, abs=1e-11)  # rounding of 100 s


def test_two_blocks_with_an_offset_rest_on_the_corners_of_what_they_share():
    """The edges that cross carry as corners do; the whole weight is carried."""
    result = stack(2, offsets=[(0.0, 0.0), (0.03, 0.02)]).simulate(100.0)
    assert drift(result, 2) < NANOMETRE
    carried = sum(result[name][-1] for name in result.names if name.startswith("c1[") and name.endswith(".force"))
    assert carried == pytest.approx(800.0 * np.prod(SIZE) * GRAVITY, rel=1e-9)


def test_stack_of_ten_rests_for_100_s():
    offsets = [(0.01 * (i % 3), 0.005 * (i % 2)) for i in range(10)]
    assert drift(stack(10, offsets).simulate(100.0), 10) < NANOMETRE


def test_stack_of_ten_equal_and_aligned_blocks_rests():
    assert drift(stack(10).simulate(100.0), 10) < NANOMETRE


def pushed(sides, rate, duration):
    """A stack of cuboids with square bases of these ``sides``, m, pushed near the floor with a force that grows; its result."""
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    below, law = fm.Plane(system.ground["origin"], (0, 0, 1)), fm.Rigid(friction=0.5)
    for i, side in enumerate(sides):
        size = (side, side, 0.1)
        block = system.add(fm.RigidBody.box(1000.0, size), name=f"b{i}", position=(0.0, 0.0, 0.1 * i + 0.05))
        shape = fm.Box(block.frame, size)
        system.contact(shape, below, law=law, name=f"c{i}")
        below = shape
        if i == 0:
            system.force(block.marker("push", (-side / 2, 0.0, -0.04)), (fm.Polynomial([0.0, rate]), 0.0, 0.0))
    return system.simulate(duration)


def test_the_upper_block_sticks_to_the_one_that_slides_until_no_forces_hold_it():
    """Its front corners reach limits of their own before; as long as the rear ones hold it, that is no event."""
    weights = [1000.0 * side**2 * 0.1 * GRAVITY for side in (0.2, 0.14)]
    rate, limit = 0.625 * sum(weights), 0.5 * sum(weights)
    result = pushed((0.2, 0.14), rate, 1.8)
    slips, lets_go = limit / rate, 2.0 * limit / rate  # both together up to mu g
    instants = sorted({round(event.time, 6) for event in result.events})
    assert instants == pytest.approx([0.0, slips, lets_go], abs=1e-6)
    along = rate * (lets_go - slips) ** 3 / 6.0 / (sum(weights) / GRAVITY)
    assert np.interp(lets_go, result.t, result["b1.free.x"]) == pytest.approx(along, rel=1e-4)
    assert result.energy_ledger().largest_balance < 1e-6 * result.energy_ledger().scale


def test_a_stack_of_five_pushed_at_the_bottom_slides_as_one():
    result = pushed((0.2,) * 5, 100.0, 1.5)
    slips, mass = 0.5 * 20.0 * GRAVITY / 100.0, 20.0
    assert sorted({round(event.time, 6) for event in result.events}) == pytest.approx([0.0, slips], abs=1e-6)
    for i in range(5):
        assert result[f"b{i}.free.x"][-1] == pytest.approx(100.0 * (1.5 - slips) ** 3 / 6.0 / mass, rel=1e-6)


def test_a_pile_on_a_tilting_table_slides_at_its_limit():
    """All three boxes reach theirs at once and slide next to none on each other, while the surface turns under the friction."""
    system, rate, law = fm.System(gravity=(0.0, 0.0, -GRAVITY)), 0.05, fm.Rigid(friction=0.4)
    table = system.add(fm.RigidBody.box(1000.0, (2.0, 2.0, 0.1)), "table")
    system.revolute(system.ground["origin"], table.frame, axis="y", name="tilt").prescribe(fm.Polynomial([0.0, rate]))
    below = fm.Plane(table.marker("top", (0.0, 0.0, 0.05)), (0, 0, 1))
    for i, side in enumerate((0.2, 0.16, 0.12)):
        body, size, height = system.add(fm.RigidBody.box(1000.0, (side, side, 0.1)), f"b{i}"), (side, side, 0.1), 0.1 + 0.1 * i
        motion = {"velocity": (rate * height, 0.0, 0.0), "angular_velocity": (0.0, rate, 0.0)}
        system.free(system.ground["origin"], body.frame, position=(0.0, 0.0, height), name=f"free{i}", **motion)
        shape = fm.Box(body.frame, size)
        system.contact(shape, below, law=law, name=f"c{i}")
        below = shape
    result = system.simulate(8.0)
    first = next(event.time for event in result.events if event.time > 0.0)
    assert first == pytest.approx(np.arctan(0.4) / rate, abs=2e-3)  # the centrifugal acceleration of 5e-4 m/s^2 is earlier
    assert len(result.events) <= 30
    assert result.energy_ledger().largest_balance < 1e-8 * result.energy_ledger().scale


def test_a_box_slides_over_an_edge_and_tips():
    """Decelerated by mu g until its centre is mu h / 2 before the edge; then its rear corners, without load, lift off.

    Corners leave the face over its rounded edge, where edges that cross take over at once: nothing drops by more than 1e-7 N s.
    """
    system, size, edge = fm.System(gravity=(0.0, 0.0, -GRAVITY)), (0.2, 0.1, 0.05), 0.25
    box = system.add(fm.RigidBody.box(1000.0, size), "b", position=(0.0, 0.0, 0.025), velocity=(1.0, 0.0, 0.0))
    table = fm.Box(system.ground.marker("table", (0.0, 0.0, -0.1)), (2.0 * edge, 0.5, 0.2))
    system.contact(fm.Box(box.frame, size), table, law=fm.Rigid(friction=0.1), name="c")
    result = system.simulate(0.5)
    way = edge - 0.1 * 0.5 * size[2] - 0.01 * 0.5 * 0.2  # less the rounding of the table
    over = (1.0 - np.sqrt(1.0 - 2.0 * 0.1 * GRAVITY * way)) / (0.1 * GRAVITY)
    changes = [(event.mode_before, event.mode, event.time) for event in result.events]
    parts = [time for *modes, time in changes if modes == ["sliding", "open"]]
    assert len(parts) == 6 and parts[2:4] == pytest.approx([over, over], abs=1e-6)  # after the front corners, before the edge
    assert len({round(event.time, 9) for event in result.events}) <= 6
    assert max(event.normal_impulse for event in result.events) < 1e-7
    assert result.energy_ledger().largest_balance < 1e-8 * result.energy_ledger().scale
    assert result["b.free.z"][-1] < -0.05


def tipping(overhang, duration):
    """A block whose centre stands ``overhang`` (m) beyond the edge on which the one below can carry it."""
    edge = 0.5 * SIZE[0] - 0.01 * 0.5 * min(SIZE)  # less the rounding
    return stack(2, offsets=[(0.0, 0.0), (edge + overhang, 0.0)], friction=5.0).simulate(duration, rtol=1e-9)


def test_block_topples_over_the_edge_beyond_its_centre():
    """Turns about the edge with m g d / (I + m (d^2 + h^2 / 4)), and stays with its centre before it."""
    overhang, duration = 1e-3, 1e-3
    result = tipping(overhang, duration)
    a, _b, h = SIZE
    arm = (a * a + h * h) / 12.0 + overhang**2 + 0.25 * h * h
    fall = 0.5 * overhang * (GRAVITY * overhang / arm) * duration**2
    assert result["b1.free.z"][0] - result["b1.free.z"][-1] == pytest.approx(fall, rel=1e-3)
    assert drift(tipping(-overhang, 1.0), 2) < NANOMETRE


@pytest.mark.parametrize("part", [0.0, 0.003, 0.009, 0.013])
def test_a_pyramid_is_pulled_apart(part):
    """One of two boxes under a third is pulled from under it: corners pass edges of boxes of one width while all three turn.

    The pull is more than mu times all the weight on the box from 1.962 s on. Of 16 such pulls 10 did not end: what was off
    its face by rounding grew, as the corners that had left it were held.
    """
    system, size, law = fm.System(gravity=(0.0, 0.0, -GRAVITY)), (0.2, 0.2, 0.1), fm.Rigid(friction=0.5)
    floor, shapes = fm.Plane(system.ground["origin"], (0, 0, 1)), []
    for name, x, z in (("left", -0.11, 0.05), ("right", 0.11, 0.05), ("top", 0.0, 0.15)):
        shapes.append(fm.Box(system.add(fm.RigidBody.box(1000.0, size), name, position=(x, 0.0, z)).frame, size))
    for a, b in ((0, floor), (1, floor), (2, shapes[0]), (2, shapes[1])):
        system.contact(shapes[a], b, law=law)
    system.force(system.bodies["right"].frame, (fm.Polynomial([0.0, 20.0 + part]), 0.0, 0.0))
    result = system.simulate(3.0)
    first = next(event.time for event in result.events if event.time > 0.0)
    assert first == pytest.approx(0.5 * (6.0 + 2.0) * GRAVITY / (20.0 + part), abs=1e-6)  # on the floor and under the third
    assert result["top.free.z"][-1] < 0.1
    assert result.energy_ledger().largest_balance < 1e-5 * result.energy_ledger().scale


def test_two_events_at_one_instant_gain_no_energy():
    """Bricks that touch side by side, the middle one pulled: events 2e-17 s apart, whose rounding the books took for 710 J."""
    system, size, law = fm.System(gravity=(0.0, 0.0, -GRAVITY)), (0.2, 0.1, 0.06), fm.Rigid(friction=0.3)
    floor, bricks = fm.Plane(system.ground["origin"], (0, 0, 1)), []
    for x, z in ((-0.2, 0.03), (0.0, 0.03), (0.2, 0.03), (-0.1, 0.09), (0.1, 0.09), (0.3, 0.09)):
        body = system.add(fm.RigidBody.box(800.0, size), f"brick {len(bricks)}", position=(x, 0.0, z))
        bricks.append(fm.Box(body.frame, size))
        system.contact(bricks[-1], floor, law=law)
    for a, b in ((3, 0), (3, 1), (4, 1), (4, 2), (5, 2), (0, 1), (1, 2), (3, 4), (4, 5)):
        system.contact(bricks[a], bricks[b], law=law)
    pulled = system.bodies["brick 1"].marker("pull", (0.0, -0.05, 0.0))
    system.spring_damper(system.ground.marker("hand", (0.0, -0.4, 0.03)), pulled, stiffness=300.0, damping=2.0)
    ledger = system.simulate(0.0138).energy_ledger()
    assert ledger.scale < 20.0  # what the spring had, J; rounding exchanged 3 kJ
    assert ledger.largest_balance < 1e-4 * ledger.scale  # of hundreds of hits within 10 ms
