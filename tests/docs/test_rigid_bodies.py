"""docs/rigid_bodies.md: its lines of Python run and give what they say; its table names every shape there is."""

import re
from pathlib import Path

import numpy as np
import pytest

import flexmbs as fm

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rigid_bodies.md").read_text("utf-8")


def test_its_python_runs(capsys):
    (script,) = re.findall(r"^```python\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    names: dict = {}
    exec(compile(script, "page", "exec"), names)
    assert capsys.readouterr().out
    assert names["crank"].center == pytest.approx([0.2, 0.0, 0.0], abs=1e-15)  # link and pins are symmetric
    assert np.sum(names["moments"]) == pytest.approx(np.trace(names["crank"].inertia), rel=1e-12)


def test_its_table_names_every_way_to_make_a_body():
    ways = [name for name, value in vars(fm.RigidBody).items() if isinstance(value, classmethod) and name[0] != "_"]
    assert len(ways) >= 12
    assert [name for name in ways if f"`.{name}(" not in PAGE] == []
