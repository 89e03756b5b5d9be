"""Ctrl-C while a finished run is being written: the files are complete, and the interrupt reaches the caller."""

import os
import signal

import pytest

import flexmbs as fm
from flexmbs.analysis.run import run_in_chunks
from flexmbs.common import atomic_files
from flexmbs.result.run_summary import RESULT


def falling():
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    ball = system.add(fm.RigidBody.sphere(1000.0, 0.1), name="ball")
    system.prismatic(system.ground["origin"], ball["origin"], axis="z", name="fall")
    return system


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("chunks", [False, True])
def test_reaches_the_caller(moment, chunks, tmp_path, monkeypatch):
    replace = os.replace

    def pressed(source, target):
        at = os.path.basename(target) == RESULT
        if at and moment == "before":
            os.kill(os.getpid(), signal.SIGINT)
        replace(source, target)
        if at and moment == "after":
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(atomic_files.os, "replace", pressed)
    if chunks:
        monkeypatch.setattr(run_in_chunks, "WRITE_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        falling().simulate(0.5, out=tmp_path, max_step=1e-3)
    monkeypatch.undo()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    kept = fm.load(tmp_path)
    assert kept.status == "finished" and kept.t[-1] == 0.5
    assert falling().simulate(0.5, out=tmp_path, max_step=1e-3, resume=True).status == "finished"


def test_error_of_the_run_does_not_hide_it(monkeypatch):
    system = falling()
    system.force(system.bodies["ball"]["origin"], (0.0, 0.0, lambda t: float("nan") if t > 0.2 else 0.0))
    finish = run_in_chunks.Run._finish

    def pressed(self, *details):
        os.kill(os.getpid(), signal.SIGINT)
        return finish(self, *details)

    monkeypatch.setattr(run_in_chunks.Run, "_finish", pressed)
    with pytest.raises(KeyboardInterrupt) as caught:
        system.simulate(0.5)
    assert isinstance(caught.value.__context__, fm.SimulationError)
