"""Public names have one import path, ``flexmbs.NAME``: complete, typed, and all that cases and pages use.

``python tests/unit/test_public_names.py`` writes the names for type checkers, flexmbs/__init__.pyi.
"""

import ast
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

import flexmbs

ROOT = Path(__file__).resolve().parents[2]
STUB = ROOT / "flexmbs" / "__init__.pyi"
CODE_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
CASES = sorted((ROOT / "cases").glob("*.py"))
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
# Pages that show a file of the package itself, which imports like all its files.
INSIDE = {"adding_a_joint.md", "adding_a_contact_law.md"}


def stub() -> str:
    """Text of __init__.pyi."""
    where = sorted(flexmbs._MODULE_OF.items(), key=lambda item: (item[1], item[0]))
    lines = [
        '"""Public names of flexmbs for type checkers and editors; at run time __init__.py loads them when first used.',
        "",
        "Written by tests/unit/test_public_names.py from the table in __init__.py.",
        '"""',
        "",
        "# isort: skip_file",
    ]
    for module, names in groupby(where, key=lambda item: item[1]):
        lines += [f"from {module} import {name} as {name}" for name, _ in names]
    return "\n".join([*lines, "", "__version__: str", ""])


def deep_imports(text: str) -> list[str]:
    """Modules of flexmbs other than ``flexmbs`` itself that a piece of code imports."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            found.append(node.module or "")
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return [module for module in found if module.startswith("flexmbs.")]


@pytest.mark.parametrize("name", flexmbs.__all__)
def test_a_public_name_is_there(name):
    value = getattr(flexmbs, name)
    module = getattr(value, "__module__", None)
    if isinstance(module, str) and module.startswith("flexmbs."):
        assert module == flexmbs._MODULE_OF[name], "the table names the module that defines it"


def test_type_checkers_see_the_same_names():
    assert STUB.read_text() == stub(), "run python tests/unit/test_public_names.py"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_cases_use_public_names_only(path):
    assert deep_imports(path.read_text()) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_pages_use_public_names_only(path):
    page = path.read_text()
    names = {name.split(".")[0] for name in re.findall(r"\bfm\.([A-Za-z_]+)", page)}
    assert names <= set(dir(flexmbs))
    blocks = [] if path.name in INSIDE else CODE_BLOCK.findall(page)
    assert [module for block in blocks for module in deep_imports(block)] == []


def test_importing_flexmbs_loads_nothing_of_it():
    script = "import sys, flexmbs; print(sorted(name for name in sys.modules if name.startswith(('flexmbs.', 'numpy'))))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['flexmbs.common', 'flexmbs.common.lazy_import']"


if __name__ == "__main__":
    STUB.write_text(stub())
