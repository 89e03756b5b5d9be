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


def test_public_names_are_there():
    """The table names the modules that define them."""
    modules = {name: getattr(getattr(flexmbs, name), "__module__", None) for name in flexmbs.__all__}
    own = {name: module for name, module in modules.items() if isinstance(module, str) and module.startswith("flexmbs.")}
    assert own == {name: flexmbs._MODULE_OF[name] for name in own}


def test_former_names_are_the_new_ones_with_a_warning():
    for former, name in flexmbs._FORMER.items():
        with pytest.warns(DeprecationWarning, match=f"flexmbs.{former} is now called flexmbs.{name};"):
            assert getattr(flexmbs, former) is getattr(flexmbs, name)


def test_type_checkers_see_the_same_names():
    assert STUB.read_text() == stub(), "run python tests/unit/test_public_names.py"


def test_cases_use_public_names_only():
    assert {path.name: found for path in CASES if (found := deep_imports(path.read_text()))} == {}


def test_pages_use_public_names_only():
    wrong = {}
    for path in PAGES:
        page = path.read_text()
        names = {name.split(".")[0] for name in re.findall(r"\bfm\.([A-Za-z_]+)", page)}
        blocks = [] if path.name in INSIDE else CODE_BLOCK.findall(page)
        found = [*sorted(names - set(dir(flexmbs))), *(module for block in blocks for module in deep_imports(block))]
        if found:
            wrong[path.name] = found
    assert wrong == {}


def test_importing_flexmbs_loads_nothing_of_it():
    script = "import sys, flexmbs; print(sorted(name for name in sys.modules if name.startswith(('flexmbs.', 'numpy'))))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['flexmbs.common', 'flexmbs.common.lazy_import']"


if __name__ == "__main__":
    STUB.write_text(stub())
