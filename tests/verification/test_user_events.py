"""Events of users against closed forms: locks, latches, releases, variables."""

import pytest

import flexmbs as fm


def two_shafts(**options):
    """Inertias 2 and 3 kg m2 on one axis, the first at 10 rad/s."""
    system = fm.System(gravity=(0, 0, 0))
    first = system.add(fm.RigidBody(1.0, (1, 1, 2.0)), "first")
    second = system.add(fm.RigidBody(1.0, (2, 2, 3.0)), "second")
    system.revolute(system.ground["origin"], first["origin"], name="shaft", rate=10.0)
    system.revolute(first["origin"], second["origin"], name="clutch", rate=-10.0)
    return system


def test_a_clutch_that_locks_conserves_angular_momentum_until_it_opens_at_an_angle():
    system = two_shafts()
    system.event(0.25, fm.Lock("clutch"))
    system.event(system.sensor("coordinate", system.joints["shaft"]) >= 5.0, fm.Free(system.joints["clutch"]))
    system.event(system.sensor("coordinate", system.joints["shaft"]) >= 6.0, fm.Stop("far enough"))
    result = system.simulate(2.0)
    assert result["shaft.angle.rate"][-1] == pytest.approx(4.0, rel=1e-12)  # 2 * 10 / (2 + 3)
    assert result["clutch.angle"][-1] == pytest.approx(-2.5, rel=1e-12)
    assert result["energy.kinetic"][-1] == pytest.approx(40.0, rel=1e-12)
    assert result.t[-1] == pytest.approx(0.25 + (6.0 - 2.5) / 4.0, rel=1e-13)
    assert result.status == "finished: stopped by event 'event 3' (far enough)"
