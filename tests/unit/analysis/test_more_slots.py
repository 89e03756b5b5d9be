"""Runs that find room for more closed rigid contacts than they began with."""

import numpy as np
import pytest
from long_runs import same

import flexmbs as fm
from flexmbs.analysis.run import run_in_chunks
from flexmbs.model import compile_switches

GRAVITY = 9.81
HEIGHTS = (0.1, 0.15, 0.2)


def balls(heights=HEIGHTS, restitution=0.0):
    """Balls on vertical guides over one floor."""
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    floor = fm.Plane(system.ground["origin"], (0.0, 0.0, 1.0))
    for number, height in enumerate(heights):
        ball = system.add(fm.RigidBody(1.0, (0.01, 0.01, 0.01)), name=f"ball {number}")
        guide = {"axis": "z", "displacement": height, "name": f"guide {number}"}
        system.prismatic(system.ground["origin"], ball["origin"], **guide)
        system.contact(fm.Point(ball["origin"]), floor, law=fm.Rigid(restitution), name=f"floor {number}")
    return system


def run(**options):
    return balls().simulate(0.25, **options)


@pytest.fixture
def one_slot(monkeypatch):
    monkeypatch.setattr(compile_switches, "MOST_SLOTS", 1)


def test_a_run_goes_on_with_more_slots(one_slot, monkeypatch):
    few = run()
    monkeypatch.setattr(compile_switches, "MOST_SLOTS", 24)
    enough = run()
    assert [event.name for event in few.events] == [event.name for event in enough.events]
    first = [next(event.time for event in few.impacts(f"floor {k}")) for k in range(len(HEIGHTS))]
    assert first == pytest.approx(np.sqrt(2.0 * np.array(HEIGHTS) / GRAVITY), rel=1e-12)
    assert {event.mode for event in few.transitions()} == {"sliding"}
    for k in range(len(HEIGHTS)):
        assert few[f"floor {k}.force"][-1] == pytest.approx(GRAVITY)
    ledger = few.energy_ledger()
    assert ledger.loss == pytest.approx(GRAVITY * sum(HEIGHTS)) and ledger.largest_balance < 1e-9


def test_all_at_once_at_the_start(one_slot):
    result = balls(heights=(0.0,) * 3).simulate(0.01)
    assert [result[f"floor {k}.force"][0] for k in range(3)] == pytest.approx([GRAVITY] * 3)


def test_such_a_run_is_resumed_to_the_same_digits(one_slot, tmp_path, monkeypatch):
    for name, value in (("WRITE_SECONDS", 0.0), ("CHUNK_SECONDS", 1e-9), ("WRITING_SHARE", 1e9)):
        monkeypatch.setattr(run_in_chunks, name, value)
    whole = run(max_step=3e-3)

    def interrupt(progress):
        if progress.time > 0.205:  # all are closed
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(max_step=3e-3, out=tmp_path / "run", progress=interrupt)
    assert len(fm.load_state(tmp_path / "run").note["switch_names"]) == 3
    same(whole, run(max_step=3e-3, out=tmp_path / "run", resume=True))
