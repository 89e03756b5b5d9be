"""FLEXMBS_PLAIN_PYTHON=1: every kernel runs as the Python function that it is written as, with the same numbers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

SCRIPT = Path(__file__).parent / "plain_steps.py"


def first_steps(plain: str) -> dict:
    environment = {**os.environ, "FLEXMBS_PLAIN_PYTHON": plain}
    done = subprocess.run([sys.executable, SCRIPT], env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_first_steps_of_the_founding_case_have_the_same_numbers():
    plain, compiled = first_steps("1"), first_steps("0")
    assert plain["python_steps"] == plain["steps"] and compiled["python_steps"] == 0
    assert plain["steps"] == compiled["steps"] >= 3
    # steps follow from error estimates, small differences of numbers that rounding has changed
    assert np.allclose(plain["t"], compiled["t"], rtol=1e-10, atol=0.0)
    assert np.allclose(plain["hinge.angle"], compiled["hinge.angle"], rtol=1e-14, atol=0.0)
    assert np.allclose(plain["stop.gap"], compiled["stop.gap"], rtol=0.0, atol=1e-14)
    assert np.allclose(plain["energy.total"], compiled["energy.total"], rtol=0.0, atol=1e-12)
