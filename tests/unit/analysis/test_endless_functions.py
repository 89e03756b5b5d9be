"""Ctrl-C where a function of the user never returns, in Python and in compiled code."""

import math
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import flexmbs as fm


def pushed(force, controller=None):
    system = fm.System()
    body = system.add(fm.RigidBody(mass=1.0, inertia=(1.0, 1.0, 1.0)), name="block")
    slide = system.prismatic(system.ground["origin"], body["origin"], axis="x", name="slide")
    system.force(body["origin"], (force, 0.0, 0.0))
    if controller is not None:
        given = system.function(controller, [system.sensor("coordinate", slide)], name="controller", compiled=False)
        system.force(body["origin"], (given, 0.0, 0.0))
    return system


class Table:
    """What numba cannot compile; from 0.5 s on its caller waits for ever."""

    def __init__(self, endless):
        self.endless, self.waits = endless, False

    def __call__(self, t, *_inputs):
        while self.endless and t > 0.5:
            self.waits = True
            time.sleep(0.001)
        return math.sin(t)


@pytest.fixture
def ctrl_c():
    """One Ctrl-C when the run has come to where it waits for ever."""
    over = threading.Event()

    def start(table):
        def press():
            while not over.wait(0.2):
                if table.waits:
                    os.kill(os.getpid(), signal.SIGINT)
                    return

        threading.Thread(target=press, daemon=True).start()

    yield start
    over.set()


@pytest.mark.parametrize("kind", ["function of time", "function of a sensor"])
def test_endless_python_function_is_interrupted_by_the_first_ctrl_c(kind, tmp_path, ctrl_c):
    def system(table):
        return pushed(table) if kind == "function of time" else pushed(0.0, table)

    table = Table(endless=True)
    ctrl_c(table)
    with pytest.raises(KeyboardInterrupt):
        system(table).simulate(1.0, max_step=1e-3, out=tmp_path)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    kept = fm.load(tmp_path)
    assert kept.status == "stopped: interrupted by the user"
    assert 0.05 < kept.t[-1] <= 0.5  # the end of a chunk of steps
    resumed = system(Table(endless=False)).simulate(1.0, max_step=1e-3, out=tmp_path, resume=True)
    whole = system(Table(endless=False)).simulate(1.0, max_step=1e-3)
    assert np.array_equal(resumed.t, whole.t) and np.array_equal(resumed.trajectory.q, whole.trajectory.q)


COMPILED = """
import math, sys
sys.path.insert(0, {folder!r})
import test_endless_functions as tests

def endless(t):
    x = 0.0
    while t > 0.5:
        x = math.sin(x + t)
    return math.sin(t) + x

print("begins", flush=True)
tests.pushed(endless).simulate(1.0, max_step=1e-4, out={out!r})
"""


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="signals as on Unix")
def test_endless_compiled_function_ends_with_the_second_ctrl_c(tmp_path):
    script = COMPILED.format(folder=os.path.dirname(__file__), out=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE)
    deadline = time.monotonic() + 200.0
    while not (tmp_path / "state.npz").exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(3.0)  # to be where it never returns
    process.send_signal(signal.SIGINT)
    time.sleep(1.0)
    assert process.poll() is None  # noted, but no Python runs that could obey
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20.0) == -signal.SIGINT
    process.stderr.close()
    kept = fm.load(tmp_path)
    assert kept.status.startswith("interrupted at t = ") and 0.0 < kept.t[-1] <= 0.5
    resumed = pushed(math.sin).simulate(1.0, max_step=1e-4, out=tmp_path, resume=True)
    assert resumed.status == "finished" and resumed.t[-1] == 1.0
