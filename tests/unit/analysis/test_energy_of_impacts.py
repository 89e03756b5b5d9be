"""Energy that impacts and friction of rigid contacts take, and the work that drivers do in impacts."""

import numpy as np
import pytest

import flexmbs as fm

GRAVITY = 9.81


def balance(result):
    """Largest balance of the ledger relative to the energy exchanged."""
    ledger = result.energy_ledger()
    return ledger.largest_balance / ledger.scale


def ledger_lines(result):
    return result.energy_ledger().summary()["loss"]


def thrown(gravity, law, height=1.0, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)):
    """A ball of 2 kg, 0.1 m in radius, over a plane."""
    system = fm.System(gravity=gravity)
    ball = system.add(fm.RigidBody(2.0, (0.008, 0.008, 0.008)), name="ball")
    place = {"position": (0.0, 0.0, 0.1 + height), "velocity": velocity, "angular_velocity": spin}
    system.free(system.ground["origin"], ball["origin"], name="place", **place)
    floor = fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0))
    system.contact(fm.Sphere(ball["origin"], 0.1), floor, law=law, name="floor")
    return system


def test_a_ball_that_comes_to_rest_loses_all_its_energy_in_impacts():
    result = thrown((0.0, 0.0, -GRAVITY), fm.Rigid(restitution=0.5)).simulate(2.0, rtol=1e-8)
    assert ledger_lines(result) == {"floor.impact": pytest.approx(2.0 * GRAVITY, rel=1e-9)}
    assert result["floor.impact"][-1] == pytest.approx(sum(event.energy_lost for event in result.impacts()))
    assert result.unit("floor.impact") == "J"
    assert balance(result) < 1e-10


def test_friction_in_impacts_and_between_them_is_booked():
    """A ball with spin on an incline: it bounces, slides and rolls."""
    gravity = GRAVITY * np.array([np.sin(0.3), 0.0, -np.cos(0.3)])
    law = fm.Rigid(restitution=0.6, friction=0.15)
    result = thrown(gravity, law, 0.2, velocity=(0.5, 0.3, 0.0), spin=(20.0, -5.0, 3.0)).simulate(3.0, rtol=1e-7)
    lines = ledger_lines(result)
    assert set(lines) == {"floor.impact", "floor.friction_loss"}
    assert lines["floor.impact"] > 0.1 and lines["floor.friction_loss"] > 0.01
    assert balance(result) < 1e-6


def test_a_block_that_slides_to_rest_loses_its_motion_in_friction():
    law = fm.Rigid(friction=0.3)
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    block = system.add(fm.RigidBody(2.0, (0.01, 0.01, 0.01)), name="block")
    system.planar(system.ground["origin"], block["origin"], normal="y", v_rate=1.0, name="place")
    system.contact(fm.Point(block["origin"]), fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0)), law=law, name="floor")
    result = system.simulate(1.0, rtol=1e-8)
    assert ledger_lines(result)["floor.friction_loss"] == pytest.approx(1.0, rel=1e-9)
    assert ledger_lines(result)["floor.impact"] == 0.0
    assert balance(result) < 1e-9


def test_a_table_that_is_driven_does_work_in_impacts():
    """Relative to the table v_k+1 = e v_k, as it moves uniformly; its driver does m (v+ - v-) times its speed."""
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    ball, table = (system.add(fm.RigidBody(2.0, (0.01, 0.01, 0.01)), name=name) for name in ("ball", "table"))
    drive = system.prismatic(system.ground["origin"], table["origin"], axis="z", name="drive")
    drive.prescribe(fm.Polynomial([0.0, 3.0]))
    system.prismatic(system.ground["origin"], ball["origin"], axis="z", displacement=1.0, name="guide")
    plane = fm.Plane(table["origin"], (0.0, 0.0, 1.0))
    system.contact(fm.Point(ball["origin"]), plane, law=fm.Rigid(restitution=0.9), name="hit")
    result = system.simulate(0.6, rtol=1e-8)  # until after the first impact
    (impact,) = result.impacts()
    lift = 2.0 * GRAVITY * 3.0 * result.t[-1]  # weight of the table
    work = result["drive.displacement.work"][-1]
    assert work == pytest.approx(lift + impact.normal_impulse * 3.0, rel=1e-9)
    assert impact.energy_lost == pytest.approx((1.0 - 0.9**2) * impact.approach_speed**2, rel=1e-9)
    assert result["energy.total"][-1] > 50.0  # more than at the start: the watch lets the driver's work pass
    assert balance(result) < 1e-10


def test_energy_that_is_gained_behind_impacts_is_noticed(monkeypatch):
    """A law that returns more than came is stopped even though less energy is left than at the start."""
    from flexmbs.analysis.run import energy_watch

    watch = energy_watch.EnergyWatch.take

    def with_gain(self, model, rows, watched, arrays, events):
        energy = arrays["energy"] + np.where(arrays["t"][:, None] > 1.2, [[10.0, 0.0, 0.0]], 0.0)
        return watch(self, model, rows, watched, {**arrays, "energy": energy}, events)

    monkeypatch.setattr(energy_watch.EnergyWatch, "take", with_gain)
    with pytest.raises(fm.SimulationError, match="gained 10 J that nothing supplied"):
        thrown((0.0, 0.0, -GRAVITY), fm.Rigid(restitution=0.1)).simulate(2.0)
