"""A small case without motion, for tests of what a case consists of."""

from pathlib import Path

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


def write_case(folder: Path, *helpers: str) -> Path:
    """The file of a case in this folder, which imports the modules ``helpers`` beside it."""
    path = folder / "rod.py"
    imports = "".join(f"import {name}\n" for name in helpers)
    path.write_text(CASE.replace("from flexmbs", f"{imports}from flexmbs", 1))
    for name in helpers:
        (folder / f"{name}.py").write_text("FACTOR = 2.0\n")
    return path
