"""The sources that a case consists of: its file, and the modules beside it that it imports."""

from __future__ import annotations

import ast
import difflib
import hashlib
import importlib.util
import os
import site
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from itertools import islice
from pathlib import Path

from flexmbs.case.cases import Case, load_case
from flexmbs.common.atomic_files import path_problem, reason
from flexmbs.common.errors import CaseError, StudyError
from flexmbs.common.versions import PACKAGE

# Where packages are installed, in this environment or another one that it builds on.
_INSTALLED = frozenset(("site-packages", "dist-packages"))
_LINES = 20  # of a difference that a message shows


@dataclass(frozen=True)
class CaseSource:
    """What a case consists of.

    Attributes
    ----------
    path : of the case file
    text : its content
    files : name of the module ("" for the case file itself) -> hash of the content
    digest : hash of all of them; it does not depend on where they are
    """

    path: Path
    text: str
    files: dict[str, str]
    digest: str


# Modules that loading a case has imported the first time; they are not imported a second time.
_imported_by: dict[str, frozenset[str]] = {}


def source_of(case: Case | str | os.PathLike[str]) -> CaseSource:
    """The sources of a case, given as read, by name or by path; it is loaded.

    StudyError for anything that is not in a file: the workers of a study load the case from there.
    """
    path = case_file(case)
    modules = sorted(_own_modules(path))
    try:
        content = path.read_bytes()
        files = {"": _digest(content)} | {name: _digest(_file_of(name).read_bytes()) for name in modules}
    except OSError as error:
        raise StudyError(f"{path}: the sources of the case cannot be read: {reason(error)}") from error
    together = hashlib.blake2b(digest_size=16)
    for name, digest in files.items():
        together.update(f"{name}\0{digest}\n".encode())
    return CaseSource(path, content.decode("utf-8", "replace"), files, together.hexdigest())


def case_file(case: object) -> Path:
    """Absolute path of the file of a case; StudyError if it has none."""
    right = "give the path of a case file, or the name of a case that comes with flexmbs ('flexmbs cases')"
    if isinstance(case, Case):
        path = Path(case.path)
        if path_problem(path):
            raise StudyError(
                f"{path}: the file of case {case.name!r} {path_problem(path)}, and workers load the case from it; {right}"
            )
    elif isinstance(case, str | os.PathLike):
        try:
            path = load_case(os.fspath(case)).path
        except CaseError as error:
            raise StudyError(str(error)) from error
    else:
        kind = "a function" if callable(case) and not isinstance(case, type) else f"of type {type(case).__name__}"
        raise StudyError(f"the case is {kind}, which the worker processes of a study cannot load; {right}")
    return Path(os.path.abspath(path))


def difference(before: str, now: str, names: tuple[str, str] = ("the study began with", "now")) -> str:
    """The lines that differ between two texts, as a unified diff of at most 20 lines; empty if they are equal."""
    lines = list(islice(difflib.unified_diff(before.splitlines(), now.splitlines(), *names, lineterm="", n=0), _LINES + 1))
    return "\n".join(lines[:_LINES] + (["..."] if len(lines) > _LINES else []))


def is_of_the_user(file: str | os.PathLike[str]) -> bool:
    """Whether a file is neither of the standard library, nor installed, nor part of flexmbs."""
    place = os.path.abspath(file)
    return not place.startswith(_program_folders()) and _INSTALLED.isdisjoint(Path(place).parts)


@cache
def _program_folders() -> tuple[str, ...]:
    places = {str(PACKAGE), *site.getsitepackages(), site.getusersitepackages()}
    places |= {path for name, path in sysconfig.get_paths().items() if name in ("stdlib", "platstdlib", "purelib", "platlib")}
    places |= {os.path.realpath(place) for place in places}
    return tuple(os.path.join(place, "") for place in sorted(places))


def _own_modules(path: Path) -> set[str]:
    """Names of the modules of the user that loading a case imports, by what it says and by what happens."""
    before = set(sys.modules)
    load_case(path)
    new = {name for name in set(sys.modules) - before if name != f"flexmbs_case_{path.stem}" and _is_own(name)}
    key = str(path)
    _imported_by[key] = _imported_by.get(key, frozenset()) | new
    found: set[str] = set()
    waiting = [*_imported_by[key], *_named_imports(path)]
    while waiting:
        name = waiting.pop()
        if name not in found and _is_own(name):
            found.add(name)
            waiting += _named_imports(_file_of(name), name)
    return found


def _named_imports(path: Path, module: str = "") -> Iterator[str]:
    """Names of modules in the import statements of a file, with the packages that they are in."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except SyntaxError:  # who imports it will say so
        return
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            parts = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*parts, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        for name in names:
            steps = name.split(".")
            yield from (".".join(steps[:count]) for count in range(1, len(steps) + 1))


def _is_own(name: str) -> bool:
    """Whether a name is that of a module of the user; installed packages are not even looked into."""
    top = name.partition(".")[0]
    if not top or top in ("flexmbs", "__main__") or top in sys.stdlib_module_names:
        return False
    if top != name and not any(map(is_of_the_user, _places(top))):
        return False
    file = _file(name)
    return file is not None and file.endswith(".py") and is_of_the_user(file)


def _places(top: str) -> list[str]:
    """Where a package is, also if it has no __init__.py."""
    spec = _spec(top)
    return [] if spec is None else list(spec.submodule_search_locations or ())


def _file(name: str) -> str | None:
    spec = _spec(name)
    return spec.origin if spec is not None and spec.has_location else None


def _spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None


def _file_of(name: str) -> Path:
    return Path(str(_file(name)))


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
