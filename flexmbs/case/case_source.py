"""What is known of a case without running it: its sources, and the description that a study keeps of it."""

from __future__ import annotations

import ast
import difflib
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from flexmbs.case.cases import Case
from flexmbs.case.parameters import TYPES, Setting, settings_of
from flexmbs.common.atomic_files import path_problem, reason
from flexmbs.common.errors import CaseError
from flexmbs.common.installed_data import cases_folder
from flexmbs.common.names_in_messages import near_names

_LINES = 20  # of a difference that a message shows


@dataclass(frozen=True)
class CaseSource:
    """What a case consists of."""

    path: Path  # of the case file
    text: str  # its content
    files: dict[str, str]  # name of the module ("" for the case file itself) -> hash of the content
    digest: str  # hash of all of them; it does not depend on where they are


@dataclass(frozen=True)
class CaseDescription:
    """What is kept of a case that has been loaded, as plain data."""

    name: str  # of the case
    title: str = ""
    units: Mapping[str, str] = field(default_factory=dict)  # figure -> unit
    settings: tuple[Mapping[str, Any], ...] = ()  # its parameters, each as the fields of ``flexmbs.case.parameters.Setting``

    @classmethod
    def of(cls, case: Case) -> CaseDescription:
        """The description of a case that has been loaded."""
        settings = tuple(vars(setting) | {"kind": setting.kind.__name__} for setting in settings_of(case.parameters))
        return cls(case.name, case.title, case.units, settings)

    def parameters(self) -> tuple[Setting, ...]:
        """The parameters of the case."""
        kinds = {kind.__name__: kind for kind in TYPES}
        found = [Setting(**{**values, "kind": kinds[values["kind"]]}) for values in self.settings]
        return tuple(replace(one, default=tuple(one.default)) if isinstance(one.default, list) else one for one in found)


def source_of(case: Case | str | os.PathLike[str]) -> CaseSource:
    """The sources of a case, given as read, by name or by path. Nothing of them is run.

    CaseError for anything that is not in a file: the workers of a study load the case from there.
    """
    path = _case_file(case)
    try:
        content = path.read_bytes()
        files = {"": _digest(content)} | {name: _digest(file.read_bytes()) for name, file in sorted(_modules_beside(path).items())}
    except OSError as error:
        raise CaseError(f"{path}: the sources of the case cannot be read: {reason(error)}") from error
    together = hashlib.blake2b(digest_size=16)
    for name, digest in files.items():
        together.update(f"{name}\0{digest}\n".encode())
    return CaseSource(path, content.decode("utf-8", "replace"), files, together.hexdigest())


def difference(before: str, now: str) -> str:
    """The lines that differ between two texts, as a unified diff of at most 20 lines; empty if they are equal."""
    names = ("the study began with", "now")
    lines = list(islice(difflib.unified_diff(before.splitlines(), now.splitlines(), *names, lineterm="", n=0), _LINES + 1))
    return "\n".join(lines[:_LINES] + (["..."] if len(lines) > _LINES else []))


def _case_file(case: object) -> Path:
    """Absolute path of the file of a case."""
    right = "give the path of a case file, or the name of a case that comes with flexmbs ('flexmbs cases')"
    if isinstance(case, Case):
        path = case.path
    elif isinstance(case, str | os.PathLike):
        path = Path(case)
        if path.suffix != ".py" and len(path.parts) == 1:
            path = cases_folder() / f"{case}.py"
            if path_problem(path):
                raise CaseError(
                    f"no case {str(case)!r}. {near_names(str(case), sorted(p.stem for p in cases_folder().glob('*.py')))}"
                )
    else:
        kind = "a function" if callable(case) and not isinstance(case, type) else f"of type {type(case).__name__}"
        raise CaseError(f"the case is {kind}, which the worker processes of a study cannot load; {right}")
    if wrong := path_problem(path):
        raise CaseError(f"{path}: the file of the case {wrong}, and workers load the case from it; {right}")
    return Path(os.path.abspath(path))


def _modules_beside(path: Path) -> dict[str, Path]:
    """Name -> file of the modules in the folder of a case that it imports, and of those that these import."""
    found: dict[str, Path] = {}
    waiting = [(path, "")]
    while waiting:
        for name in _imported(*waiting.pop()):
            place = path.parent.joinpath(*name.split("."))
            for file in (place / "__init__.py", place.with_suffix(".py")):
                if name not in found and name.partition(".")[0] not in ("", "flexmbs") and file != path and file.is_file():
                    found[name] = file
                    waiting.append((file, name))
    return found


def _imported(path: Path, module: str) -> Iterator[str]:
    """Names of modules in the import statements of a file, with the packages that they are in."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError):  # who imports it will say so
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


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
