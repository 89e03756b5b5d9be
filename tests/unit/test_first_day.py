"""What the mistakes of a first day are answered: what is wrong, where, and what would be right."""

from pathlib import Path

import numpy as np
import pytest

import flexmbs as fm

# a call, and below it the exception or warning with its words; "\u2026" (three dots in one) stands for paths and ends of lists
LINES = Path(__file__).with_name("first_day.txt").read_text(encoding="utf-8").splitlines()
ANSWERS = list(zip(LINES[::2], LINES[1::2], strict=True))


@pytest.fixture(scope="module")
def bar():
    """Of two bending modes."""
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    return fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="hinge", bending=(2, 0)))


def names(bar):
    """What the calls use: a mesh, a pendulum with a rigid body b, and one with the flexible body rod."""

    def pendulum(body, name, at):
        system = fm.System(gravity=(0, -9.81, 0))
        system.revolute(system.ground["origin"], system.add(body, name)[at], axis="z", name="h")
        return system

    rigid = fm.RigidBody(1.0, (0.1, 0.1, 0.1), center=(0.5, 0, 0))
    mesh = fm.read_mesh(fm.find_mesh("pendulum_beam.inp"))
    flexible = {"mesh": lambda: mesh, "flex": lambda: pendulum(bar, "rod", "hinge")}
    return {"fm": fm, "np": np, "pend": lambda: pendulum(rigid, "b", "origin"), **flexible}


@pytest.mark.parametrize(("call", "answer"), ANSWERS, ids=[call[-60:] for call, _ in ANSWERS])
def test_answer(call, answer, bar, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kind, words = answer.strip().split(": ", 1)
    if kind.endswith("Warning"):
        with pytest.warns(getattr(fm, kind)) as warned:
            exec(call, names(bar))
        said = [(type(one.message).__name__, str(one.message)) for one in warned]
    else:
        with pytest.raises(Exception) as raised:  # noqa: PT011
            exec(call, names(bar))
        said = [(raised.type.__name__, str(raised.value))]
    pieces = words.split("\u2026")
    assert any(name == kind and all(piece.strip() in text.replace("\n", " ") for piece in pieces) for name, text in said), said
