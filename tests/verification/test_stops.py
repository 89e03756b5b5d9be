"""Faults that stop a run: each message tells time, step and whose equation it is, and leaves a state to restart from.

The times at which the faults strike are known; how near to them a run comes is told with each.
"""

import math

import numpy as np
import pytest

import flexmbs as fm

BLOCK = fm.RigidBody(1.0, (1.0, 1.0, 1.0))


def slider():
    """A block of 1 kg at 1 m/s on a rail; and its joint."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    block = system.add(BLOCK, name="block")
    return system, block, system.prismatic(system.ground["origin"], block["origin"], axis="x", name="slide", rate=1.0)


def pushed(force):
    system, block, _slide = slider()
    system.force(block["origin"], (force, 0.0, 0.0), name="push")
    return system


def thrust():
    """v' = v^2 from v = 1: v = 1 / (1 - t)."""
    system, block, slide = slider()
    system.force(block["origin"], lambda t, v: (v * v, 0.0, 0.0), inputs=(system.sensor("rate", slide),), name="thrust")
    return system


def vanishing_inertia(stopped=None):
    """A point on a rail on a turning arm without inertia: r = 1 m is led to zero at 1 s, the inertia is m r^2.

    Mended where it ``stopped``, nothing leads the point, and the arm is held.
    """
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    arm, dot = (system.add(fm.RigidBody.point(1.0), name=name) for name in ("arm", "dot"))
    turn = system.revolute(system.ground["origin"], arm["origin"], name="turn")
    rail = system.prismatic(arm["origin"], dot["origin"], axis="x", displacement=1.0, name="rail")
    if stopped is not None:
        turn.prescribe(stopped["turn.angle"])
    else:
        rail.prescribe(fm.Step(0.0, 1.0, 1.0, 0.0))
        system.torque(arm["origin"], (0.0, 0.0, 1.0), name="twist")
    return system


def locking(fault=True):
    """A rod of 0.8 m on a crank of 1 m: at sin(angle) = 0.8 it stands across the rail, and the crank cannot go on.

    Without the fault the crank is free, and rod and block are not joined.
    """
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    crank, rod = (system.add(fm.RigidBody.rod(1.0, length), name=n) for n, length in (("crank", 1.0), ("rod", 0.8)))
    block = system.add(fm.RigidBody.point(1.0), name="block")
    bearing = system.revolute(system.ground["origin"], crank["origin"], name="bearing", angle=0.0, rate=1.0)
    if fault:
        bearing.prescribe(fm.Polynomial([0.0, 1.0]))
    system.revolute(crank.marker("end", position=(1.0, 0.0, 0.0)), rod["origin"], name="pin")
    system.prismatic(system.ground["origin"], block["origin"], axis="x", name="guide", displacement=1.8)
    if fault:
        system.revolute(rod.marker("end", position=(0.8, 0.0, 0.0)), block["origin"], name="wrist", cut=True)
    return system


def contradicting(second=True):
    """A parallelogram whose cranks are both driven, alike until 0.5 s: then one driver demands (t - 0.5)^3 more."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    sizes = (("left", 1.0), ("right", 1.0), ("coupler", 2.0))
    left, right, coupler = (system.add(fm.RigidBody.rod(1.0, length), name=name) for name, length in sizes)
    far = system.ground.marker("far", position=(2.0, 0.0, 0.0))
    system.revolute(system.ground["origin"], left["origin"], name="first", angle=1.0).prescribe(fm.Polynomial([1.0, 1.0]))
    joint = system.revolute(far, right["origin"], name="second", angle=1.0)
    if second:
        joint.prescribe(lambda t: 1.0 + t + max(0.0, t - 0.5) ** 3)
    system.revolute(left.marker("end", position=(1.0, 0.0, 0.0)), coupler["origin"], name="third", angle=-1.0)
    ends = coupler.marker("end", position=(2.0, 0.0, 0.0)), right.marker("end", position=(1.0, 0.0, 0.0))
    system.revolute(*ends, name="fourth", cut=True)
    return system


SLIDE = "worst equation: coordinate 'slide.displacement' of joint 'slide' (between ground and body 'block')"
FAULTS = [
    # force 1 / (0.5 - t)^3: infinite at 0.5 s; the step falls below 1e-14 of the run 1e-12 s before. Whether the last
    # of these steps is repeated once more or just shrinks is a matter of rounding.
    pytest.param(
        lambda: pushed(lambda t: 1.0 / (0.5 - t) ** 3),
        lambda state: pushed(0.0),
        {},
        0.5,
        1e-6,
        [SLIDE, ["ever smaller steps", "error estimate exceeded the tolerance"], "force 'push' grows without bound"],
        id="force of time that grows",
    ),
    pytest.param(
        lambda: pushed(lambda t: 1.0 if t < 0.5 else math.nan),
        lambda state: pushed(0.0),
        {},
        0.5,
        1e-9,
        [SLIDE, "force 'push' is not finite"],
        id="force that is no number",
    ),
    pytest.param(
        lambda: pushed(lambda t: 1.0 if t < 0.5 else math.inf),
        lambda state: pushed(0.0),
        {},
        0.5,
        1e-9,
        [SLIDE, "force 'push' is not finite"],
        id="infinite force",
    ),
    # the pole moves by the integration error: 1e-6 relative in v near 1 / (1 - t)
    pytest.param(
        thrust,
        lambda state: slider()[0],
        {},
        1.0,
        1e-5,
        [SLIDE, "force 'thrust' grows without bound"],
        id="force of the state that grows",
    ),
    # angular momentum grows with the torque: the rate is t / r^2, and reaches 1e8 rad/s before the end
    pytest.param(
        vanishing_inertia,
        vanishing_inertia,
        {"rtol": 1e-3},
        1.0,
        0.05,
        ["mass matrix has become singular", "'turn.angle' of joint 'turn' (between ground and body 'arm')"],
        id="singular mass",
    ),
    pytest.param(
        locking,
        lambda state: locking(fault=False),
        {},
        math.asin(0.8),
        1e-6,
        # rounding decides which comes first at the dead centre: Newton fails, or the constraints have opened
        [
            ("Newton's iteration did not converge", "the mechanism is in a singular position"),
            ("constraints have become dependent", "constraints have opened by"),
            "driving forces that grow without bound: 'bearing.angle'",
            "constraint 'wrist' (between body 'rod' and body 'block')",
            "the mechanism is in a singular position",
        ],
        id="redundant constraint",
    ),
    # drivers that differ by 1e-6 are found: at 0.5 + 0.01 s or within the step after
    pytest.param(
        contradicting,
        lambda state: contradicting(second=False),
        {},
        0.51,
        0.05,
        ["driver of 'second.angle' contradicts the driver of 'first.angle'"],
        id="contradicting drivers",
    ),
    # the first step already asks for more than rounding allows
    pytest.param(
        lambda: pushed(lambda t: math.sin(40.0 * t)),
        lambda state: pushed(0.0),
        {"rtol": 3e-14, "atol": 1e-30},
        0.0,
        1e-9,
        [SLIDE, "the tolerances are too tight for double precision"],
        id="tolerance beyond double precision",
    ),
]


@pytest.mark.parametrize("in_folder", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["folder", "memory"])
@pytest.mark.parametrize(("build", "mended", "options", "when", "near", "words"), FAULTS)
def test_fault(build, mended, options, when, near, words, in_folder, tmp_path):
    folder = tmp_path if in_folder else None
    with pytest.raises(fm.SimulationError, match=r"at t = .* with step .* s") as caught:
        build().simulate(2.0, out=folder, **options)
    error, message = caught.value, str(caught.value)
    for word in words:
        assert any(way in message for way in ([word] if isinstance(word, str) else word))
    told = float(message.partition("at t = ")[2].partition(" s")[0])
    assert told == pytest.approx(when, abs=near)
    # what was finished can be looked at
    assert error.result.status == f"stopped: {message.rpartition('The finished steps')[0].strip()}"
    assert error.result.t[-1] == pytest.approx(when, abs=near)
    assert all(np.all(np.isfinite(error.result[name])) for name in error.result.names)
    # the saved state is that of the last chunk of steps at the latest, and can be read again
    kept = fm.load_state(error.state.save(tmp_path / "kept"))
    state = fm.load_state(folder) if in_folder else kept
    assert state.t == kept.t
    assert state.t == error.state.t <= error.result.t[-1]
    assert f"continue from t = {state.t:.9g} s" in message
    assert {name: state[name] for name in state.names} == {name: error.state[name] for name in state.names}
    # without the fault it runs on from there
    further = mended(state).simulate(state.t + 1e-3, start=state)
    assert further.status == "finished" and further.t[0] == state.t and further.t[-1] == state.t + 1e-3
    places = state.note["coordinate_names"]
    assert all(further[name][0] == state[name] for name in further.names if name in places)


def test_stopped_run_goes_on_in_its_folder_when_its_force_is_mended(tmp_path):
    """A force of time is no part of what is compared; the block then keeps the speed that it has."""
    with pytest.raises(fm.SimulationError):
        pushed(lambda t: 0.0 if t < 0.5 else math.nan).simulate(1.0, out=tmp_path)
    result = pushed(lambda t: 0.0).simulate(1.0, out=tmp_path, resume=True)
    assert result.t[0] == 0.0 and np.all(np.diff(result.t) > 0.0)
    assert result["slide.displacement"] == pytest.approx(result.t, abs=1e-12)
