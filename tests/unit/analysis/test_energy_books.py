"""The energy ledger in a run: saved states, steps that are left out, the table, the summary, without it."""

import json

import numpy as np
import pytest
from long_runs import same

import flexmbs as fm
from flexmbs.analysis.run import run_in_chunks


def engine():
    """A driven crank, a damped spring, a contact that loses energy, and a controller."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    crank, block = (system.add(fm.RigidBody.rod(1.0, 0.2), name=name) for name in ("crank", "block"))
    hinge = system.revolute(system.ground["origin"], crank["origin"], name="hinge")
    hinge.prescribe(fm.Polynomial([0.0, 12.0]))
    pin = crank.marker("pin", (0.2, 0.0, 0.0))
    guide = system.prismatic(system.ground["origin"], block["origin"], axis="x", displacement=0.5, name="guide")
    system.spring_damper(pin, block["origin"], stiffness=200.0, damping=3.0, length=0.3, name="spring")
    wall = system.ground.marker("wall", (0.35, 0.0, 0.0))
    law = fm.Anagnostopoulos(1e5, 0.5, separation="zero force")
    system.contact(fm.Point(block["origin"]), fm.Plane(wall, (1.0, 0.0, 0.0)), law, name="wall")
    speed = system.sensor("rate", guide)
    guide.actuate(system.controller("brake", lambda t, v: -2.0 * v, inputs=[speed], period=0.01), name="brake")
    return system


@pytest.fixture(scope="module")
def whole():
    return engine().simulate(1.0, storage_limit=None)


def test_resumed_run_has_the_same_digits(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(run_in_chunks, "WRITE_SECONDS", 0.0)
    monkeypatch.setattr(run_in_chunks, "CHUNK_SECONDS", 1e-3)

    def interrupt(progress):
        if progress.time > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine().simulate(1.0, storage_limit=None, out=tmp_path / "run", progress=interrupt)
    part = fm.load_state(tmp_path / "run")
    assert 0.3 < part.t < 0.9
    resumed = engine().simulate(1.0, storage_limit=None, out=tmp_path / "run", resume=True)
    same(whole, resumed)  # trajectory.ledger too
    assert resumed.energy_ledger() == whole.energy_ledger()


def test_new_run_from_a_state_begins_a_new_ledger(whole):
    later = engine().simulate(1.2, start=whole)
    assert later.energy_ledger(later.t[0]).work == 0.0
    ledger = later.energy_ledger()
    assert ledger.largest_balance < 1e-5 * ledger.scale


def test_steps_that_are_left_out_are_booked(whole):
    some = engine().simulate(1.0, store_every=7)
    there = np.searchsorted(whole.t, some.t, side="right") - 1
    assert len(some.t) < 0.5 * len(whole.t)
    for name in ("hinge.angle.work", "spring.loss", "wall.loss", "guide.displacement.brake.work", "energy.balance"):
        assert some[name][-1] == whole[name][-1], name
        assert some[name] == pytest.approx(whole[name][there], rel=1e-9, abs=1e-12), name


def test_the_ledger_is_balanced(whole):
    ledger = whole.energy_ledger()
    stored = sum(ledger.stored.values()) - sum(ledger.start.values())
    assert stored - ledger.work + ledger.loss == pytest.approx(ledger.balance, abs=1e-9 * ledger.scale)
    assert ledger.largest_balance < 1e-5 * ledger.scale
    kinds = ledger.by_kind()
    assert set(kinds) == {"driver", "motor", "damping", "contact"}
    assert kinds["driver"] == whole["hinge.angle.work"][-1] and kinds["contact"] > 0.01
    assert ledger.loss == pytest.approx(whole["energy.loss"][-1])
    for text in ("kinetic", "hinge.angle (driver)", "wall (contact)", "balance"):
        assert text in str(ledger)


def test_ledger_up_to_a_time(whole):
    half = whole.energy_ledger(0.5)
    assert 0.49 < half.t <= 0.5
    assert half.work == pytest.approx(whole.at(half.t)["energy.work"])
    with pytest.raises(ValueError, match="before the start"):
        whole.energy_ledger(-1.0)


def test_without_ledger():
    result = engine().simulate(0.1, energy_ledger=False)
    assert not [name for name in result.names if name.endswith((".work", ".loss", ".balance"))]
    with pytest.raises(fm.SimulationError, match="no energy ledger"):
        result.energy_ledger()


def test_written_and_loaded(whole, tmp_path):
    whole.save(tmp_path / "run")
    loaded = fm.load(tmp_path / "run")
    assert loaded.energy_ledger() == whole.energy_ledger()


def test_summary_of_a_case(tmp_path):
    outcome = fm.run_case("damped_impact", out=tmp_path / "run")
    energy = json.loads((tmp_path / "run" / "summary.json").read_text())["energy"]
    assert energy == outcome.result.energy_ledger().summary()
    assert energy["balance"] == pytest.approx(0.0, abs=1e-8 * energy["scale"])
