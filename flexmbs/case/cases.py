"""Cases: Python files that state a problem, and the functions that run them.

A case file contains

- its title: the first line of its docstring,
- ``Parameters``: a frozen dataclass whose fields are made with :func:`parameter`,
- ``build(parameters) -> System`` and ``figures(result, parameters) -> dict``; the parameters ``t_end``, ``rtol``,
  ``atol`` and ``max_step`` are passed to ``System.simulate``.  A case without motion has
  ``analyse(parameters) -> dict`` instead,
- optionally ``resolve(parameters) -> Parameters``: replaces parameters that are None by the values used instead (those
  of the mesh file, an end time that depends on others), so that the summary shows them. A case that takes its values
  from a JSON file has a text parameter ``parameters`` and reads it here (flexmbs.case.parameter_file),
- optionally ``SIMULATION``: further arguments of ``System.simulate``, such as {"quasi_static_start": True},
- optionally ``UNITS``: figure -> its SI unit, for labels of tables and plots,
- optionally ``PLOTS``: title -> names of histories, ``maps(result, parameters)``: title -> SpaceTimeMap, a quantity over
  position and time, and ``VIEW``: options of the animation.
"""

from __future__ import annotations

import difflib
import importlib.util
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from flexmbs.analysis.recording.stored_steps import checked_storage
from flexmbs.analysis.run.settings import check_end, check_tolerances
from flexmbs.case.parameters import from_values, settings_of
from flexmbs.common.atomic_files import path_problem, write_bytes
from flexmbs.common.errors import CaseError, FlexmbsError, MechanismError, ResultFolderError, SimulationError
from flexmbs.common.installed_data import cases_folder, meshes_folder
from flexmbs.common.user_warnings import collected_warnings
from flexmbs.result.event_records import last_modes
from flexmbs.result.result import Result
from flexmbs.result.result_folder import ResultFolder, locked_result_folder
from flexmbs.result.run_summary import SUMMARY, RunSummary
from flexmbs.view.animate import check_view
from flexmbs.view.plot_planes import plot_map
from flexmbs.view.plots import plot_histories

#: What ``SIMULATION`` of a case may set: arguments of ``System.simulate`` that decide the motion. Tolerances are
#: parameters; where and what to store is for those who run the case.
SIMULATION_OPTIONS = ("max_step", "integrator", "from_equilibrium", "quasi_static_start", "second_order")


def parameter(default: object, unit: str, help: str, *, minimum: float | None = None, maximum: float | None = None) -> Any:
    """A field of a case's ``Parameters``: default value, SI unit ("" for none) and a one-line description.

    Numbers below ``minimum`` or above ``maximum`` are rejected before anything is computed.
    """
    return field(default=default, metadata={"unit": unit, "help": help, "minimum": minimum, "maximum": maximum})


@dataclass(frozen=True)
class Case:
    """A case file that has been read."""

    name: str
    path: Path
    title: str
    module: ModuleType
    own_view: Mapping[str, object] = field(default_factory=dict)

    @property
    def parameters(self) -> type:
        return self.module.Parameters

    @property
    def units(self) -> dict[str, str]:
        """Figure -> unit, of the figures that have one: ``UNITS``."""
        return dict(getattr(self.module, "UNITS", {}))

    @property
    def view(self) -> dict[str, object]:
        """Options of the animation: ``VIEW`` and the title, or what :meth:`viewed` put in their place."""
        return {"title": self.title, **getattr(self.module, "VIEW", {}), **self.own_view}

    def viewed(self, **options: object) -> Case:
        """The case with these options of pictures and films instead of those of ``VIEW``; CaseError for wrong ones."""
        try:
            check_view(options, "view")
        except FlexmbsError as error:
            raise CaseError(str(error)) from None
        return replace(self, own_view={**self.own_view, **options})


@dataclass(frozen=True)
class CaseOutcome:
    """Outcome of a case: ``result`` is None for cases without motion, ``view`` holds the view settings.

    ``about``: what reports show beside the numbers, see :func:`_about`; ``warnings``: all that were issued.
    """

    case: str
    parameters: Mapping[str, object]
    figures: Mapping[str, object]
    stats: Mapping[str, object]
    result: Result | None
    view: Mapping[str, object]
    about: Mapping[str, object] = field(default_factory=dict)
    warnings: Sequence[str] = ()

    def summary(self) -> dict[str, object]:
        """The content of summary.json."""
        has_ledger = self.result is not None and self.result.trajectory.has("ledger")
        energy = {"energy": self.result.energy_ledger().summary()} if has_ledger else {}
        return _plain(
            {
                "case": self.case,
                "parameters": self.parameters,
                "figures": self.figures,
                **energy,
                **self.events(),
                "stats": self.stats,
                "view": self.view,
                "about": self.about,
                "warnings": self.warnings,
            }
        )

    def events(self) -> dict[str, object]:
        """ "events" of summary.json: how many there are of each kind, and how rigid contacts are at the end."""
        events = () if self.result is None else self.result.events
        if not events:
            return {}
        kinds = Counter(event.kind for event in events)
        return {"events": {"counts": dict(kinds), "last_modes": last_modes(events)}}


def list_cases() -> tuple[Case, ...]:
    """The cases that come with flexmbs, by name."""
    paths = sorted(path for path in cases_folder().glob("*.py") if not path.name.startswith("_"))
    return tuple(load_case(path) for path in paths)


def load_case(name: str | Path) -> Case:
    """Load a case, given as the path of a file or the name of one that comes with flexmbs.

    It may import modules beside it: its folder is added at the end of ``sys.path``.

    Raises CaseError if the file does not exist, cannot be executed, or lacks a required part.
    """
    path = Path(name)
    if path.suffix == ".py" or len(path.parts) > 1:
        wrong = path_problem(path)
        hint = {"is a folder": "it is a folder", "does not exist": f"looked for {os.path.abspath(path)}"}.get(wrong)
        if wrong:
            wrong = f"no such file ({hint})" if hint else wrong
            raise CaseError(f"{path}: {wrong}; expected a .py file, or a name listed by 'flexmbs cases'")
    else:
        path = cases_folder() / f"{name}.py"
    if path_problem(path):
        known = [found.stem for found in sorted(cases_folder().glob("*.py")) if not found.name.startswith("_")]
        raise CaseError(f"no case {str(name)!r}{_near(Path(name).stem, known)}; cases: {', '.join(known)}")
    module = executed(path, f"flexmbs_case_{path.stem}", "case file", CaseError)
    _check_parts(path, module)
    title = (module.__doc__ or path.stem).strip().splitlines()[0].rstrip(".")
    return Case(path.stem, path, title, module)


def executed(path: Path, name: str, what: str, kind: type[FlexmbsError]) -> ModuleType:
    """The module of a file of the user, under this name; ``kind`` if it raises anything but an error of flexmbs."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up by name
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path and path.parent != cases_folder():
        sys.path.append(folder)  # for modules beside it, also those that its functions import
    try:
        spec.loader.exec_module(module)
    except FlexmbsError:
        raise
    except Exception as error:
        raise kind(f"{path}: the {what} raised {type(error).__name__}: {error}") from error
    return module


def find_mesh(name: str | Path) -> Path:
    """Path of a mesh file: the given path, or the mesh of that name that comes with flexmbs.

    Raises CaseError, which lists the available meshes.
    """
    for path in (Path(name), meshes_folder() / Path(name).name):
        if not path_problem(path):
            return path
    if path_problem(name) != "does not exist":
        raise CaseError(f"{name}: {path_problem(name)}; expected a mesh file")
    known = sorted(path.name for path in meshes_folder().iterdir() if path.suffix in (".inp", ".msh"))
    raise CaseError(f"no mesh file {str(name)!r}{_near(Path(name).name, known)}; meshes: {', '.join(known)}")


def run_case(
    case: Case | str | Path,
    values: Mapping[str, object] | None = None,
    *,
    out: str | Path | ResultFolder | None = None,
    progress: Callable[[object], None] | None = None,
    resume: bool = False,
    force: bool = False,
    storage: Mapping[str, Any] | None = None,
) -> CaseOutcome:
    """Run a case and, with ``out``, write its result and summary.json there.

    With ``out=ResultFolder(folder, keep_short=False)`` a run that finishes within about a second writes nothing.

    Parameters
    ----------
    values : parameter name -> value or text, for parameters that differ from their defaults
    progress : callback of ``System.simulate``
    resume : continue the killed, interrupted or finished run in ``out``
    force : replace the result in ``out``
    storage : which steps are stored: ``store_every``, ``output_step``, ``storage_limit`` of ``System.simulate``

    Raises CaseError for an invalid parameter, ResultFolderError if ``out`` cannot be written, is in use by another run
    or holds a result (without ``force``), and any error of the case itself (MeshError, MechanismError, ...).
    After a SimulationError, ``out`` holds the completed part of the run and a summary of it.
    """
    case = case if isinstance(case, Case) else load_case(case)
    parameters = checked_parameters(case, values or {})
    storage = {name: value for name, value in (storage or {}).items() if value is not None or name == "storage_limit"}
    if getattr(parameters, "t_end", 0.0) is not None:
        _check_storage(case, parameters, storage)
    started = time.perf_counter()
    with locked_result_folder(out, force=force, resume=resume) as folder, collected_warnings() as warnings:
        resume = resume or (folder is not None and folder.resume)
        if hasattr(case.module, "resolve"):
            parameters = case.module.resolve(parameters)
            _check_resolved(case, parameters, storage)
        outcome = replace(_execute(case, parameters, folder, progress, resume, storage), warnings=warnings)
        outcome.stats["total_seconds"] = time.perf_counter() - started
        if folder is not None and (folder.keep_short or folder.holds_result):
            write_summary(outcome, folder.path)
    return outcome


def checked_parameters(case: Case, values: Mapping[str, object]):
    """The parameters of a case with some values set; CaseError for invalid ones, including end time and tolerances."""
    parameters = from_values(case.parameters, values)
    if hasattr(case.module, "analyse"):
        return parameters
    used = {entry.name: getattr(parameters, entry.name) for entry in fields(parameters)}
    rtol, atol = used.get("rtol"), used.get("atol")
    try:
        if used["t_end"] is not None or not hasattr(case.module, "resolve"):
            check_end(used["t_end"])
        check_tolerances(1e-6 if rtol is None else rtol, atol)
    except MechanismError as error:
        raise CaseError(f"{case.name}: parameter {error}") from None
    return parameters


def _check_resolved(case: Case, parameters, storage: Mapping[str, Any]) -> None:
    """CaseError if the end time that a case has found is none, or does not go with the storage options."""
    if hasattr(case.module, "analyse"):
        return
    try:
        check_end(parameters.t_end)
    except MechanismError as error:
        raise CaseError(f"{case.name}: parameter {error}") from None
    _check_storage(case, parameters, storage)


def _check_storage(case: Case, parameters, storage: Mapping[str, Any]) -> None:
    """CaseError for storage options that are wrong or contradict each other, before anything is computed."""
    if hasattr(case.module, "analyse"):
        if storage:
            raise CaseError(f"{case.name}: this case has no motion, so {', '.join(storage)} cannot be given")
        return
    given = {"store_every": None, "output_step": None, "storage_limit": "auto", **storage}
    try:
        checked_storage(**given, duration=parameters.t_end)
    except MechanismError as error:
        raise CaseError(f"{case.name}: {error}") from None


def _execute(case: Case, parameters, out, progress, resume: bool, storage: Mapping[str, Any]) -> CaseOutcome:
    """Run ``analyse``, or simulate and compute the figures."""
    used = asdict(parameters)
    if hasattr(case.module, "analyse"):
        figures = case.module.analyse(parameters)
        if out is not None:
            out.clear()
        return CaseOutcome(case.name, used, figures, {}, None, {}, _about(case))
    settings = dict(getattr(case.module, "SIMULATION", {}))
    settings |= {name: used[name] for name in ("rtol", "atol", "max_step") if used.get(name) is not None}
    started = time.perf_counter()
    system = case.module.build(parameters)
    build_seconds = time.perf_counter() - started
    try:
        result = system.simulate(parameters.t_end, out=out, progress=progress, resume=resume, **settings, **storage)
    except SimulationError as error:
        result = getattr(error, "result", None)
        if result is not None and out is not None:
            figures = _figures_so_far(case, result, parameters)
            stats, warnings = _statistics(result, build_seconds), result.stats.get("warnings", ())
            outcome = CaseOutcome(case.name, used, figures, stats, result, case.view, _about(case), warnings)
            write_summary(outcome, out.path)
        raise
    stats, figures = _statistics(result, build_seconds), case.module.figures(result, parameters)
    if not isinstance(figures, Mapping):
        raise CaseError(f"the figures of the case are {figures!r:.40}; they are a dictionary, name -> value")
    outcome = CaseOutcome(case.name, used, figures, stats, result, case.view, _about(case))
    result.about = RunSummary.of({name: getattr(outcome, name) for name in _STATED})
    return outcome


_STATED = ("case", "parameters", "figures", "stats", "view", "about")  # of an outcome, that the result itself knows


def _statistics(result: Result, build_seconds: float) -> dict[str, object]:
    """Statistics of a run of a case; its warnings are apart."""
    own = {name: value for name, value in result.stats.items() if name != "warnings"}
    return {**own, "build_seconds": build_seconds, "status": result.status}


def _about(case: Case) -> dict[str, object]:
    """Title, units of the figures, units and meanings of the parameters, and the histories of each plot."""
    entries = settings_of(case.parameters)
    return {
        "title": case.title,
        "units": case.units,
        "plots": dict(getattr(case.module, "PLOTS", {})),
        "parameters": {entry.name: {"unit": entry.unit, "help": entry.help} for entry in entries},
    }


def _figures_so_far(case: Case, result: Result, parameters) -> dict[str, object]:
    """Figures of the completed part of a run that stopped; empty if the case cannot compute them from that part."""
    try:
        return case.module.figures(result, parameters)
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return {}


def write_summary(outcome: CaseOutcome, folder: Path) -> None:
    """Write folder/summary.json."""
    text = json.dumps(outcome.summary(), indent=2, allow_nan=False) + "\n"
    write_bytes(folder / SUMMARY, text.encode(), ResultFolderError)


def plot_files(case: Case, folder: Path) -> dict[str, Path]:
    """File of each plot in ``PLOTS`` of a case, by title."""
    return {title: _picture(folder, title) for title in getattr(case.module, "PLOTS", {})}


def _picture(folder: Path, title: str) -> Path:
    return folder / (title.lower().replace(" ", "_") + ".png")


def write_plots(case: Case, outcome: CaseOutcome, folder: Path) -> list[Path]:
    """Write the plots listed in ``PLOTS``, without histories that this run does not have, and ``maps`` of the case.

    Of a case whose VIEW shows a part of the run they show that part.
    """
    written, window = [], {name: time for name, time in outcome.result.view.items() if name in ("start", "end")}
    for title, path in plot_files(case, folder).items():
        present = [name for name in case.module.PLOTS[title] if name in outcome.result.names]
        if present:
            plot_histories(outcome.result, present, save=path, force=True, title=f"{case.name}: {title}", **window)
            written.append(path)
    if hasattr(case.module, "maps"):
        for title, shown in case.module.maps(outcome.result, case.parameters(**outcome.parameters)).items():
            path = _picture(folder, title)
            plot_map(shown, save=path, force=True, title=f"{case.name}: {title}")
            written.append(path)
    return written


def _check_parts(path: Path, module: ModuleType) -> None:
    parameters = getattr(module, "Parameters", None)
    if not (isinstance(parameters, type) and is_dataclass(parameters)):
        raise CaseError(f"{path}: a case needs a frozen dataclass 'Parameters'")
    settings_of(parameters)
    _check_units(path, getattr(module, "UNITS", {}))
    try:
        check_view(getattr(module, "VIEW", {}), f"{path}: VIEW")
    except FlexmbsError as error:
        raise CaseError(str(error)) from None
    if hasattr(module, "analyse"):
        return
    missing = [name for name in ("build", "figures") if not hasattr(module, name)]
    if missing:
        raise CaseError(f"{path}: a case needs build() and figures(), or analyse(); missing: {', '.join(missing)}")
    if "t_end" not in parameters.__dataclass_fields__:
        raise CaseError(f"{path}: Parameters of a case with build() needs a field t_end, the end time in s")
    for name in getattr(module, "SIMULATION", {}):
        if name not in SIMULATION_OPTIONS:
            known = ", ".join(SIMULATION_OPTIONS)
            raise CaseError(f"{path}: SIMULATION: no option {name!r}{_near(name, list(SIMULATION_OPTIONS))}; options: {known}")


def _check_units(path: Path, units: object) -> None:
    if not isinstance(units, Mapping):
        raise CaseError(f'{path}: UNITS must be a dictionary such as {{"peak_force": "N"}}, not {units!r}')
    for name, unit in units.items():
        if not (isinstance(name, str) and isinstance(unit, str)):
            raise CaseError(f"{path}: UNITS: name of a figure and its unit must be text, not {name!r}: {unit!r}")


def _near(word: str, known: list[str]) -> str:
    found = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {found[0]!r}?)" if found else ""


def _plain(value: object) -> object:
    """NumPy values as lists and numbers; values that are not finite as null, since JSON has no others."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return str(value) if isinstance(value, Path) else value
