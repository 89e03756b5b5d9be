"""Cases: a Python file that states a problem, and the driver that runs it.

A case file holds

- its title as the first line of its docstring,
- ``Parameters``: a frozen dataclass whose fields are made with :func:`parameter`,
- ``build(parameters) -> System`` and ``figures(result, parameters) -> dict``; the parameters ``t_end``, ``rtol`` and
  ``atol`` go to ``System.simulate``.  Or, for a case without motion, ``analyse(parameters) -> dict`` of figures,
- optionally ``resolve(parameters) -> Parameters``: replaces parameters left at None by what is used instead (values of
  the mesh file), so that the summary shows them,
- optionally ``PLOTS``: title -> names of histories, and ``VIEW``: options of the animation.
"""

from __future__ import annotations

import difflib
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

from flexmbs.analysis.run.settings import check_end, check_tolerances
from flexmbs.app.case.parameters import from_values, settings_of
from flexmbs.common.atomic_files import what_is, write_bytes
from flexmbs.common.errors import CaseError, FlexmbsError, MechanismError, ResultFolderError, SimulationError
from flexmbs.common.installed_data import cases_folder, meshes_folder
from flexmbs.result.file_names import SUMMARY
from flexmbs.result.result import Result
from flexmbs.result.run_folder import RunFolder, taken
from flexmbs.view.plots import plot_histories


def parameter(
    default: object, unit: str, help: str, *, minimum: float | None = None, maximum: float | None = None
):  # fmt: skip
    """A field of a case's ``Parameters``: default value, SI unit ("" without) and one line of explanation.

    ``minimum`` and ``maximum`` (both included) are what numbers are checked against before anything is computed.
    """
    return field(default=default, metadata={"unit": unit, "help": help, "minimum": minimum, "maximum": maximum})


@dataclass(frozen=True)
class Case:
    """A case file that has been read."""

    name: str
    path: Path
    title: str
    module: ModuleType

    @property
    def parameters(self) -> type:
        return self.module.Parameters

    @property
    def view(self) -> dict[str, object]:
        """Options of its animation: ``VIEW``, and its title."""
        return {"title": self.title, **getattr(self.module, "VIEW", {})}


@dataclass(frozen=True)
class CaseOutcome:
    """What a run of a case yields: ``result`` is None for cases without motion, ``view`` says how to show it."""

    case: str
    parameters: Mapping[str, object]
    figures: Mapping[str, object]
    stats: Mapping[str, object]
    result: Result | None
    view: Mapping[str, object]

    def summary(self) -> dict[str, object]:
        """The content of summary.json."""
        return _plain({
            "case": self.case, "parameters": self.parameters, "figures": self.figures, "stats": self.stats,
            "view": self.view,
        })  # fmt: skip


def list_cases() -> tuple[Case, ...]:
    """The cases that come with flexmbs, by name."""
    paths = sorted(path for path in cases_folder().glob("*.py") if not path.name.startswith("_"))
    return tuple(load_case(path) for path in paths)


def load_case(name: str | Path) -> Case:
    """Read a case: the path of a file, or the name of one that comes with flexmbs.

    Raises CaseError when there is no such file, when it cannot be executed, or when parts are missing.
    """
    path = Path(name)
    if path.suffix == ".py" or len(path.parts) > 1:
        wrong = what_is(path)
        hint = {"is a folder": "it is a folder", "does not exist": f"looked for {os.path.abspath(path)}"}.get(wrong)
        if wrong:
            wrong = f"no such file ({hint})" if hint else wrong
            raise CaseError(f"{path}: {wrong}; a case is a .py file, or a name of 'flexmbs cases'")
    else:
        path = cases_folder() / f"{name}.py"
    if what_is(path):
        known = [found.stem for found in sorted(cases_folder().glob("*.py")) if not found.name.startswith("_")]
        raise CaseError(f"no case {str(name)!r}{_near(Path(name).stem, known)}; cases: {', '.join(known)}")
    spec = importlib.util.spec_from_file_location(f"flexmbs_case_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    try:
        spec.loader.exec_module(module)
    except FlexmbsError:
        raise
    except Exception as error:
        raise CaseError(f"{path}: the case cannot be read: {type(error).__name__}: {error}") from error
    _check_parts(path, module)
    title = (module.__doc__ or path.stem).strip().splitlines()[0].rstrip(".")
    return Case(path.stem, path, title, module)


def find_mesh(name: str | Path) -> Path:
    """Path of a mesh file: as given, or of that name among the meshes that come with flexmbs.

    Raises CaseError naming the meshes there are.
    """
    for path in (Path(name), meshes_folder() / Path(name).name):
        if not what_is(path):
            return path
    if what_is(name) != "does not exist":
        raise CaseError(f"{name}: {what_is(name)}; expected a mesh file")
    known = sorted(path.name for path in meshes_folder().iterdir() if path.suffix in (".inp", ".msh"))
    raise CaseError(f"no mesh file {str(name)!r}{_near(Path(name).name, known)}; meshes: {', '.join(known)}")


def run_case(
    case: Case | str | Path,
    values: Mapping[str, object] | None = None,
    *,
    out: str | Path | RunFolder | None = None,
    progress: Callable[[object], None] | None = None,
    resume: bool = False,
    force: bool = False,
) -> CaseOutcome:
    """Run a case and, with ``out``, write its result and summary.json there.

    Parameters
    ----------
    values : parameter name -> value or text, for those that differ from their defaults
    progress : callback of ``System.simulate``
    resume : go on with the run in ``out`` where it was killed or interrupted
    force : replace the result that ``out`` holds

    Raises CaseError for a wrong parameter, ResultFolderError when ``out`` cannot be written, is in use by another run
    or holds a result that ``force`` does not give up, and what the case itself raises (MeshError, MechanismError, ...).
    A SimulationError leaves the finished part and a summary with the figures of that part in ``out``.
    """
    case = case if isinstance(case, Case) else load_case(case)
    parameters = checked_parameters(case, values or {})
    started = time.perf_counter()
    with taken(out, force=force, resume=resume) as folder:
        resume = resume or (folder is not None and folder.resume)
        if hasattr(case.module, "resolve"):
            parameters = case.module.resolve(parameters)
        outcome = _execute(case, parameters, folder, progress, resume)
        outcome.stats["total_seconds"] = time.perf_counter() - started
        if folder is not None:
            write_summary(outcome, folder.path)
    return outcome


def checked_parameters(case: Case, values: Mapping[str, object]):
    """The parameters of a case with some values set; CaseError also for an end time or tolerances out of range."""
    parameters = from_values(case.parameters, values)
    if hasattr(case.module, "analyse"):
        return parameters
    used = {entry.name: getattr(parameters, entry.name) for entry in fields(parameters)}
    rtol, atol = used.get("rtol"), used.get("atol")
    try:
        check_end(used["t_end"])
        check_tolerances(1e-6 if rtol is None else rtol, atol)
    except MechanismError as error:
        raise CaseError(f"{case.name}: parameter {error}") from None
    return parameters


def _execute(case: Case, parameters, out, progress, resume: bool) -> CaseOutcome:
    """Analyse, or simulate and evaluate."""
    used = asdict(parameters)
    if hasattr(case.module, "analyse"):
        figures = case.module.analyse(parameters)
        if out is not None:
            out.clear()
        return CaseOutcome(case.name, used, figures, {}, None, {})
    settings = {name: used[name] for name in ("rtol", "atol") if used.get(name) is not None}
    started = time.perf_counter()
    system = case.module.build(parameters)
    build_seconds = time.perf_counter() - started
    try:
        result = system.simulate(parameters.t_end, out=out, progress=progress, resume=resume, **settings)
    except SimulationError as error:
        result = getattr(error, "result", None)
        if result is not None and out is not None:
            stats = {**result.stats, "build_seconds": build_seconds, "status": result.status}
            figures = _figures_so_far(case, result, parameters)
            write_summary(CaseOutcome(case.name, used, figures, stats, result, case.view), out.path)
        raise
    stats = {**result.stats, "build_seconds": build_seconds, "status": result.status}
    return CaseOutcome(case.name, used, case.module.figures(result, parameters), stats, result, case.view)


def _figures_so_far(case: Case, result: Result, parameters) -> dict[str, object]:
    """Figures of the finished part of a run that stopped; none when the case cannot tell them from that part."""
    try:
        return case.module.figures(result, parameters)
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return {}


def write_summary(outcome: CaseOutcome, folder: Path) -> None:
    """Write folder/summary.json."""
    text = json.dumps(outcome.summary(), indent=2, allow_nan=False) + "\n"
    write_bytes(folder / SUMMARY, text.encode(), ResultFolderError)


def write_plots(case: Case, outcome: CaseOutcome, folder: Path) -> list[Path]:
    """Write the plots that the case asks for; histories that this run does not have are left out."""
    written = []
    for title, names in getattr(case.module, "PLOTS", {}).items():
        present = [name for name in names if name in outcome.result.names]
        if present:
            path = folder / (title.lower().replace(" ", "_") + ".png")
            plot_histories(outcome.result, present, save=path, title=f"{case.name}: {title}")
            written.append(path)
    return written


def _check_parts(path: Path, module: ModuleType) -> None:
    parameters = getattr(module, "Parameters", None)
    if not (isinstance(parameters, type) and is_dataclass(parameters)):
        raise CaseError(f"{path}: a case needs a frozen dataclass 'Parameters'")
    settings_of(parameters)
    if hasattr(module, "analyse"):
        return
    missing = [name for name in ("build", "figures") if not hasattr(module, name)]
    if missing:
        raise CaseError(f"{path}: a case needs functions build and figures, or analyse; missing: {', '.join(missing)}")
    if "t_end" not in parameters.__dataclass_fields__:
        raise CaseError(f"{path}: Parameters of a case with build() needs a field t_end (s)")


def _near(word: str, known: list[str]) -> str:
    found = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {found[0]!r}?)" if found else ""


def _plain(value: object) -> object:
    """NumPy values as lists and numbers; what is not finite as null, which JSON can hold."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value
