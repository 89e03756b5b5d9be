"""A small case in a file, which uses a module beside it."""

import itertools

import pytest

CASE = '''"""A small case."""

from dataclasses import dataclass

from flexmbs.case.cases import parameter


@dataclass(frozen=True)
class Parameters:
    length: float = parameter(1.0, "m", "length", minimum=0.0)
    mesh: str = parameter("", "", "mesh file")


def analyse(parameters):
    return {"double": 2.0 * parameters.length}
'''
_number = itertools.count()


@pytest.fixture
def case(tmp_path):
    path = tmp_path / "rod.py"
    path.write_text(CASE)
    return path


@pytest.fixture
def helped_case(tmp_path, monkeypatch):
    """A case that imports a module of its own, and that module's file."""
    name = f"helper_{next(_number)}"  # modules stay imported
    monkeypatch.syspath_prepend(tmp_path)
    helper = tmp_path / f"{name}.py"
    helper.write_text("FACTOR = 2.0\n")
    path = tmp_path / "helped.py"
    path.write_text(CASE.replace("2.0 *", f"{name}.FACTOR *").replace("from flexmbs", f"import {name}\nfrom flexmbs", 1))
    return path, helper
