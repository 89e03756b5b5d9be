"""Imports go one way: no cycle between files, none hidden in functions, none by name but in one place."""

import ast
from pathlib import Path

import pytest

import flexmbs
from flexmbs.app.cli.main import COMMANDS
from flexmbs.common.lazy_import import load
from flexmbs.mesh.mesh_formats import FORMATS

PACKAGE = Path(flexmbs.__file__).parent
# Own modules that functions import, each with its reason.
ALLOWED_IN_FUNCTIONS: dict[tuple[str, str], str] = {}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


def own_imports(tree: ast.AST) -> set[str]:
    """Modules of flexmbs that the import statements below ``tree`` name."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "flexmbs":
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in MODULES else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "flexmbs"}
    return found


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """What is left when all that imports nothing of the rest, or is not imported by it, is taken away in turn."""
    graph = {name: set(others) - {name} for name, others in graph.items()}
    while True:
        imported = set().union(*graph.values())
        ends = [name for name, others in graph.items() if not others & graph.keys() or name not in imported]
        if not ends:
            return sorted([name, *sorted(others & graph.keys())] for name, others in graph.items())
        for name in ends:
            del graph[name]


def test_no_relative_imports():
    relative = [
        name for name, tree in MODULES.items() for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def test_no_cycle_between_files():
    """Types are imported like all else: nothing hides behind TYPE_CHECKING."""
    assert cycles({name: own_imports(tree) for name, tree in MODULES.items()}) == []


def children(container: str) -> dict[str, set[str]]:
    """Packages and files right below a package -> those beside them that they import."""
    depth = container.count(".") + 1
    graph: dict[str, set[str]] = {}
    for name, tree in MODULES.items():
        if name.startswith(container + "."):
            inside = {other for other in own_imports(tree) if other.startswith(container + ".")}
            graph.setdefault(name.split(".")[depth], set()).update(other.split(".")[depth] for other in inside)
    return graph


PACKAGES = [module_name(path) for path in sorted(PACKAGE.rglob("__init__.py"))]


@pytest.mark.parametrize("container", PACKAGES)
def test_no_cycle_between_packages(container):
    assert cycles(children(container)) == []


def test_own_modules_are_imported_at_the_top():
    hidden = {
        (name, other)
        for name, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for other in own_imports(node)
    }
    assert hidden == set(ALLOWED_IN_FUNCTIONS)


def test_modules_are_imported_by_name_in_one_place():
    users = {name for name, tree in MODULES.items() if "import_module" in ast.dump(tree)}
    worker = "flexmbs.machine_code.compile_worker"  # a process that compiles the modules which it is given
    assert users == {"flexmbs.common.lazy_import", worker}


def test_what_tables_state_by_name_exists():
    for reader in {known.reader for known in FORMATS}:
        assert reader.startswith("flexmbs.mesh.readers.") and callable(load(reader))
    for command, (reference, text) in COMMANDS.items():
        assert reference.startswith("flexmbs.app.cli.") and load(reference).name == command and text


def test_the_top_level_shows_packages():
    files = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert files <= {"__init__.py", "__init__.pyi", "py.typed", "__main__.py"}
