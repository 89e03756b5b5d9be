"""Imports go one way: no cycle between files, none hidden in functions, none by name but in one place."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

import flexmbs
from flexmbs.app.cli.main import COMMANDS
from flexmbs.common.lazy_import import load
from flexmbs.mesh.read_mesh import FORMATS

PACKAGE = Path(flexmbs.__file__).parent
# Own modules that functions import, each with its reason.
ALLOWED_IN_FUNCTIONS: dict[tuple[str, str], str] = {}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def own_imports(statements: list[ast.Import | ast.ImportFrom]) -> set[str]:
    """Modules of flexmbs that import statements name."""
    found = set()
    for node in statements:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "flexmbs"}
        elif (node.module or "").split(".")[0] == "flexmbs":
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in PATHS else node.module for name in names}
    return found


def imports_among(nodes: Iterable[ast.AST]) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


@dataclass(frozen=True)
class Imports:
    """What a file imports: all in all, in its functions, and whether it has relative imports and uses import_module."""

    own: set[str]
    in_functions: set[str]
    relative: bool
    by_name: bool


@pytest.fixture(scope="module")
def modules() -> dict[str, Imports]:
    found = {}
    for name, path in PATHS.items():
        text = path.read_text()
        nodes = list(ast.walk(ast.parse(text)))
        functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        statements = imports_among(nodes)
        indented = any(statement.col_offset for statement in statements)
        hidden = [statement for function in functions * indented for statement in imports_among(ast.walk(function))]
        relative = any(isinstance(node, ast.ImportFrom) and node.level for node in statements)
        found[name] = Imports(own_imports(statements), own_imports(hidden), relative, "import_module" in text)
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


def test_no_relative_imports(modules):
    assert [name for name, imports in modules.items() if imports.relative] == []


def test_no_cycle_between_files(modules):
    """Types are imported like all else: nothing hides behind TYPE_CHECKING."""
    assert cycles({name: imports.own for name, imports in modules.items()}) == []


def children(container: str, modules: dict[str, Imports]) -> dict[str, set[str]]:
    """Packages and files right below a package -> those beside them that they import."""
    depth = container.count(".") + 1
    graph: dict[str, set[str]] = {}
    for name, imports in modules.items():
        if name.startswith(container + "."):
            inside = {other for other in imports.own if other.startswith(container + ".")}
            graph.setdefault(name.split(".")[depth], set()).update(other.split(".")[depth] for other in inside)
    return graph


def test_no_cycle_between_packages(modules):
    packages = [module_name(path) for path in sorted(PACKAGE.rglob("__init__.py"))]
    assert "flexmbs.mesh.readers" in packages
    assert {package: found for package in packages if (found := cycles(children(package, modules)))} == {}


def test_own_modules_are_imported_at_the_top(modules):
    hidden = {(name, other) for name, imports in modules.items() for other in imports.in_functions}
    assert hidden == set(ALLOWED_IN_FUNCTIONS)


def test_modules_are_imported_by_name_in_one_place(modules):
    worker = "flexmbs.machine_code.compile_worker"  # a process that compiles the modules which it is given
    assert {name for name, imports in modules.items() if imports.by_name} == {"flexmbs.common.lazy_import", worker}


def test_what_tables_state_by_name_exists():
    for reader in {known.reader for known in FORMATS}:
        assert reader.startswith("flexmbs.mesh.readers.") and callable(load(reader))
    for command, (reference, text) in COMMANDS.items():
        assert reference.startswith("flexmbs.app.cli.") and load(reference).name == command and text


def test_the_top_level_shows_packages():
    files = {path.name for path in PACKAGE.iterdir() if path.is_file()}
    assert files <= {"__init__.py", "__init__.pyi", "py.typed", "__main__.py"}
