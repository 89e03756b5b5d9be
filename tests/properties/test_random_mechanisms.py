"""Random mechanisms in both kinds of coordinates: they end with the energy that was supplied, or stop by name."""

import numpy as np
import pytest
from constraint_checks import end_state
from mechanisms_with_loops import damped_elements, energy_defect, names_of, random_mechanism

import flexmbs as fm

T_END = 0.3
MOST_STEPS = 15000
SMALLEST = 1e-8  # J: mechanisms of some kg that loops have locked rest up to rounding
# Conservative: rtol (1e-6 a step) adds up over some hundred steps. Otherwise the work of dampers and drivers is
# integrated by the trapezoidal rule over steps of at most 10 ms.
CONSERVATIVE, WITH_WORK = 1e-4, 2e-3
AGREE = 1e-4  # m and rotation matrices, likewise


class TooManySteps(Exception):
    pass


def watch(progress: fm.Progress) -> None:
    if progress.steps > MOST_STEPS:
        raise TooManySteps(progress)


def outcome(seed: int, coordinates: str):
    """The state at the end, or the message with which the run has stopped; asserts that either is right."""
    sketch = random_mechanism(seed, coordinates)
    system = sketch.system
    with_work = bool(damped_elements(system)) or any(joint.drivers for joint in system.joints.values())
    try:
        result = system.simulate(T_END, max_step=0.01 if with_work else np.inf, progress=watch, stop_on_deformation=False)
    except fm.FlexmbsError as error:
        assert any(f"'{name}" in str(error) for name in names_of(system)), str(error)
        return str(error)
    assert result.status == "finished"
    defect, size = energy_defect(system, result)
    assert defect <= (WITH_WORK if with_work else CONSERVATIVE) * size + SMALLEST, (defect, size)
    return end_state(result)


def check(seed: int) -> bool:
    """Whether it ended in both kinds of coordinates (with the same motion then)."""
    ends = [outcome(seed, coordinates) for coordinates in ("reduced", "absolute")]
    if any(isinstance(end, str) for end in ends):
        return False
    assert ends[1] == pytest.approx(ends[0], abs=AGREE * max(1.0, np.abs(ends[0]).max()))
    return True


# with loops, flexible bodies and redundant constraints
@pytest.mark.parametrize("seed", [2, 3, 20, 29, 30])
def test_a_few_mechanisms(seed):
    assert check(seed)


@pytest.mark.slow
def test_three_hundred_mechanisms():
    """Most of them run to their end: stops by name are the exception."""
    ended = [check(seed) for seed in range(300)]
    assert np.count_nonzero(ended) >= 290
