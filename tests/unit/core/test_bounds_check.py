"""FLEXMBS_BOUNDS_CHECK=1: an index out of bounds ends the process where it is used, and says so."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
import flexmbs as fm
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.machine_code.load_objects import kernel_cache_folder
from flexmbs.model.compile_mechanism import compile_system
assert kernel_cache_folder().name.endswith("-checked")
system = fm.System()
ball = system.add(fm.RigidBody.sphere(7850.0, 0.1), name="ball")
system.revolute(system.ground["origin"], ball.marker("edge", position=(0, 0.1, 0)), axis="z", name="hinge")
model = compile_system(system)
zero = np.zeros(1)
assert np.isfinite(Evaluator(model).residual(zero, zero, zero, model.reference, 0.0)).all()
print("good tables are computed with", flush=True)
model.tables.bodies["x_at"][1] = len(model.tables.pool)  # behind check_tables
Evaluator(model).residual(zero, zero, zero, model.reference, 0.0)
print("nobody noticed", flush=True)
"""


@pytest.mark.slow
def test_a_bad_index_ends_the_process():
    environment = {**os.environ, "FLEXMBS_BOUNDS_CHECK": "1"}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=1800)
    assert done.stdout.splitlines()[0] == "good tables are computed with", done.stderr
    assert done.returncode == 70 and "nobody noticed" not in done.stdout
    assert "index" in done.stderr and "out of bounds" in done.stderr and "residual" in done.stderr
