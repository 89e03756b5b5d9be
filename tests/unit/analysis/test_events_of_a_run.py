"""What happens in an instant of a run, as Result.events has it: bounces, transitions, files, resumed runs."""

import math

import numpy as np
import pytest
from long_runs import same

import flexmbs as fm
from flexmbs.analysis.run import run_in_chunks

GRAVITY = 9.81


def ball(restitution=0.5, height=1.0, speed=0.0):
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    body = system.add(fm.RigidBody(2.0, (0.01, 0.01, 0.01)), name="ball")
    start = {"axis": "z", "displacement": height, "rate": speed}
    system.prismatic(system.ground["origin"], body["origin"], name="guide", **start)
    floor = fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0))
    system.contact(fm.Point(body["origin"]), floor, law=fm.Rigid(restitution=restitution), name="floor")
    return system


@pytest.fixture(scope="module")
def bounces():
    return ball().simulate(2.0, rtol=1e-9, max_step=0.01)


def test_bounces_are_impacts(bounces):
    """v_k = e^k sqrt(2 g h), at t_0 + 2 sum v_j / g; losses m (v_k^2 - v_k+1^2) / 2."""
    impacts = bounces.impacts("floor")
    speeds = math.sqrt(2.0 * GRAVITY) * 0.5 ** np.arange(15)
    times = math.sqrt(2.0 / GRAVITY) + np.append(0.0, np.cumsum(2.0 * speeds[1:] / GRAVITY))
    first = impacts[:15]
    assert [event.time for event in first] == pytest.approx(times, rel=1e-12)
    assert [event.approach_speed for event in first] == pytest.approx(speeds, rel=1e-9)
    assert [event.rebound_speed for event in first] == pytest.approx(0.5 * speeds, rel=1e-9)
    assert [event.normal_impulse for event in first] == pytest.approx(2.0 * 1.5 * speeds, rel=1e-9)
    assert [event.energy_lost for event in first] == pytest.approx(0.75 * speeds**2, rel=1e-9)
    assert {event.mode for event in impacts[:-1]} == {"open"}
    assert first[0].normal == (0.0, 0.0, 1.0) and first[0].impulse == pytest.approx([0.0, 0.0, first[0].normal_impulse])


def test_the_last_impact_closes_the_contact(bounces):
    (closed,) = bounces.transitions()
    assert closed.mode_before == "open" and closed.mode == bounces.impacts()[-1].mode == "sliding"
    assert closed.time == bounces.impacts()[-1].time
    assert [event.time for event in bounces.events] == sorted(event.time for event in bounces.events)


def test_unknown_names_get_near_ones(bounces):
    with pytest.raises(KeyError, match="near names: floor"):
        bounces.impacts("flor")


def test_an_impact_at_the_very_start_is_not_lost():
    result = ball(height=0.0, speed=-3.0).simulate(0.1)
    (first, *_later) = result.events
    assert (first.time, first.kind, first.approach_speed) == (0.0, "impact", pytest.approx(3.0))
    assert result["guide.displacement.rate"][:2] == pytest.approx([-3.0, 1.5])
    assert result.t[1] == 0.0


def test_folders_keep_each_event_once(bounces, tmp_path, monkeypatch):
    for name, value in (("WRITE_SECONDS", 0.0), ("CHUNK_SECONDS", 1e-9), ("WRITING_SHARE", 1e9)):
        monkeypatch.setattr(run_in_chunks, name, value)

    def interrupt(progress):
        if progress.time > 1.0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ball().simulate(2.0, rtol=1e-9, max_step=0.01, out=tmp_path / "run", progress=interrupt)
    part = fm.load_state(tmp_path / "run")
    assert 0.9 < part.t < 1.9
    resumed = ball().simulate(2.0, rtol=1e-9, max_step=0.01, out=tmp_path / "run", resume=True)
    same(bounces, resumed)
    same(bounces, fm.load(tmp_path / "run"))
    bounces.save(tmp_path / "saved")
    assert fm.load(tmp_path / "saved").events == bounces.events
