"""A run that was interrupted and resumed has the statistics and warnings of one that was not."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.run import run_in_chunks
from flexmbs.analysis.run.energy_watch import EnergyWatch

OPTIONS = {"rtol": 1e-3, "stop_on_imbalance": False}
T_END = 0.3


def falling_bar():
    """Hits hardest, deforms furthest and sinks in deepest before 0.1 s; a driver moves from the start on."""
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    bar = fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree("hinge", bending=(2, 0)), damping=0.02)
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    pendulum, arm = system.add(bar, name="pendulum"), system.add(fm.RigidBody.rod(1.0, 0.3), name="arm")
    ball = system.add(fm.RigidBody.sphere(1e4, 0.01), name="ball")
    system.revolute(system.ground["origin"], pendulum["hinge"], name="hinge", angle=0.02)
    system.revolute(system.ground["origin"], arm["origin"], name="shaft").prescribe(fm.Polynomial([0.0, 0.3]))
    side = system.ground.marker("side", position=(2.0, 0.0, 0.0))
    system.prismatic(side, ball["origin"], axis="y", name="guide", displacement=0.04)
    stop = fm.Plane(system.ground["origin"], normal=(0.0, 1.0, 0.0))
    system.contact(fm.Point(pendulum["tip"]), stop, law=fm.Hertz(1e8), name="stop")
    system.contact(fm.Sphere(ball["origin"], 0.01), stop, law=fm.HuntCrossley(1400.0, damping=1.0), name="soft")
    return system


def interrupted_at(time):
    def progress(now):
        if now.time > time:
            raise KeyboardInterrupt

    return progress


def untimed(result):
    return {name: value for name, value in result.stats.items() if not name.endswith("_seconds")}


def test_every_statistic_and_warning(tmp_path, monkeypatch):
    take = EnergyWatch.take

    def falsified(self, model, rows, watched, arrays, events):
        energy = arrays["energy"].copy()
        energy[:, 0] += 2.0 * ((arrays["t"] > 0.04) & (arrays["t"] < 0.08))
        return take(self, model, rows, watched, {**arrays, "energy": energy}, events)

    monkeypatch.setattr(EnergyWatch, "take", falsified)
    with pytest.warns(fm.ResultWarning):
        whole = falling_bar().simulate(T_END, out=tmp_path / "whole", **OPTIONS)
    monkeypatch.setattr(run_in_chunks, "WRITE_SECONDS", 0.0)
    for time in (0.12, 0.2):
        with pytest.raises(KeyboardInterrupt):
            falling_bar().simulate(T_END, out=tmp_path / "cut", progress=interrupted_at(time), resume=True, **OPTIONS)
    for _finished_too in range(2):
        with pytest.warns(fm.ResultWarning):
            resumed = falling_bar().simulate(T_END, out=tmp_path / "cut", resume=True, **OPTIONS)
        assert untimed(resumed) == untimed(whole)
        assert resumed.stats["loop_seconds"] > 0.0
    for told in ("nothing supplied", "sinks into", "too few modes", "drivers move at"):
        assert any(told in text for text in whole.stats["warnings"]), told
    assert whole.stats["second_order_reach"] > 0.1 and whole.stats["machine_damping"]


def test_soft_contact_of_an_early_part(tmp_path, monkeypatch):
    """Contacts that have been written are told of at the end, too."""
    monkeypatch.setattr(run_in_chunks, "WRITE_SECONDS", 0.0)
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    ball = system.add(fm.RigidBody.sphere(1e4, 0.01), name="ball")
    system.prismatic(system.ground["origin"], ball["origin"], axis="y", name="guide", displacement=0.04)
    floor = fm.Plane(system.ground["origin"], normal=(0.0, 1.0, 0.0))
    system.contact(fm.Sphere(ball["origin"], 0.01), floor, law=fm.HuntCrossley(1400.0, damping=1.0), name="soft")
    with pytest.warns(fm.ResultWarning, match="sinks into"):
        result = system.simulate(1.0, out=tmp_path, max_step=1e-4)
    assert np.isnan(result.contacts[-1].end) and result.contacts[-1].max_depth < 0.01
