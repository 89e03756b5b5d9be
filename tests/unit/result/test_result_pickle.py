"""Results and errors of runs go through pickle, as pools of processes and Dask send them."""

import math
import pickle
from concurrent.futures import ProcessPoolExecutor

import long_runs
import numpy as np
import pytest

import flexmbs as fm


def same(first, second):
    assert second.names == first.names and second.status == first.status
    assert repr(second.contacts) == repr(first.contacts) and second.stats == first.stats
    for name in first.names:
        assert np.array_equal(first[name], second[name], equal_nan=True), name


@pytest.mark.parametrize("name", ["impact", "four_bar"])  # flexible body and contact; redundant reactions and a ball
@pytest.mark.parametrize("stored", [False, True])
def test_results_are_pickled(name, stored, tmp_path, monkeypatch):
    result = long_runs.run(name, {"impact": 0.001, "four_bar": 0.02}[name], tmp_path / "run" if stored else None)
    monkeypatch.chdir(tmp_path)
    if stored:
        result = fm.load("run")
    monkeypatch.chdir("/")  # a path that depends on the current folder would mean nothing elsewhere
    copy = pickle.loads(pickle.dumps(result))
    same(result, copy)
    time = 0.5 * result.t[-1]
    if name == "impact":
        assert np.array_equal(copy.von_mises("pendulum", time), result.von_mises("pendulum", time))
        assert copy.resampled([time])["stop.gap"] == result.resampled([time])["stop.gap"]
    further = long_runs.SYSTEMS[name][0]().simulate(1.5 * result.t[-1], start=copy, max_step=1e-4)
    assert further.t[0] == result.t[-1]


def failing(t):
    return 1.0 if t < 0.2 else math.nan


def stopped(out):
    system = fm.System()
    body = system.add(fm.RigidBody(mass=1.0, inertia=(1.0, 1.0, 1.0)), name="block")
    system.prismatic(system.ground["origin"], body["origin"], axis="x", name="slide")
    system.force(body["origin"], (failing, 0.0, 0.0))
    return system.simulate(1.0, out=out)


@pytest.mark.parametrize("stored", [False, True])
def test_error_of_a_run_comes_back_from_a_process_with_its_result(stored, tmp_path):
    import multiprocessing

    with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        error = pool.submit(stopped, str(tmp_path / "run") if stored else None).exception(timeout=200)
    assert type(error) is fm.SimulationError and "0.2" in str(error)
    assert error.result.status.startswith("stopped: ") and 0.1 < error.result.t[-1] <= 0.2
    assert error.state.t == pytest.approx(error.result.t[-1])
    assert error.result["slide.displacement"][-1] > 0.0


def test_kinematics_and_statics_are_pickled():
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    joint = system.revolute(system.ground["origin"], rod["origin"], name="hinge", angle=1.0)
    joint.prescribe(lambda t: 1.0 + t)
    result = system.kinematics(0.1)
    same(result, pickle.loads(pickle.dumps(result)))
