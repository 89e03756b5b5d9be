"""Scripts of studies: written by ``flexmbs study new``, read by the other commands."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from flexmbs.case.cases import Case
from flexmbs.case.parameters import Setting, settings_of
from flexmbs.common.atomic_files import what_is, write_bytes
from flexmbs.common.errors import FlexmbsError, StudyError
from flexmbs.common.installed_data import cases_folder
from flexmbs.study.store.layout import STUDY
from flexmbs.study.study import Study

_TEMPLATE = '''"""A study of {name}: {title}.

flexmbs study run {script}        computes the runs that are missing; Ctrl-C stops it, the same command goes on
flexmbs study report {script}     writes one HTML page with everything
"""

from pathlib import Path

import flexmbs as fm

study = fm.Study(
    {case},
    # What varies: (lowest, highest), [a list of values], fm.Range(..., log=True), fm.Normal(mean, deviation), ...
    space={{
{space}    }},
    sampler=fm.{sampler},
    seed={seed},
    fixed={fixed},  # values that differ from the defaults of the case in all runs
    folder=Path(__file__).with_suffix(""),  # of the runs
    keep={keep!r},  # "figures": results are not kept, only figures
)

if __name__ == "__main__":
    study.run()
    study.report()
'''


def open_study(path: str | Path) -> Study:
    """The study of a script (.py with a variable ``study``), of a folder, or of the study.json in it.

    Raises StudyError if there is none.
    """
    path = Path(path)
    if path.suffix == ".py":
        return _of_script(path)
    folder = path.parent if path.name == STUDY else path
    if what_is(folder / STUDY):
        raise StudyError(
            f"{path}: no study here (no {STUDY}); expected the script of a study (.py) or its folder. "
            "'flexmbs study new' writes a script"
        )
    return Study.open(folder)


def _of_script(path: Path) -> Study:
    wrong = what_is(path)
    if wrong:
        raise StudyError(f"{path}: {wrong}; expected the script of a study, as 'flexmbs study new' writes one")
    spec = importlib.util.spec_from_file_location(f"flexmbs_study_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except FlexmbsError:
        raise
    except Exception as error:
        raise StudyError(f"{path}: the script raised {type(error).__name__}: {error}") from error
    study = getattr(module, "study", None)
    if not isinstance(study, Study):
        what = "has no variable 'study'" if study is None else f"'study' is a {type(study).__name__}"
        raise StudyError(f"{path}: {what}; a script of a study says: study = fm.Study(...)")
    return study


def write_script(
    path: Path, case: Case, space: Mapping[str, object], sampler: object, seed: int, fixed: Mapping[str, object],
    keep: str,
) -> None:  # fmt: skip
    """Write a script that states a study, with all parameters of its case as comments to choose from.

    Raises StudyError if the file exists or cannot be written.
    """
    if path.exists():
        raise StudyError(f"{path} exists; give another name")
    settings = {setting.name: setting for setting in settings_of(case.parameters)}
    lines = [_line(name, _code(entry), settings.get(name.partition("[")[0])) for name, entry in space.items()]
    lines += [
        "# " + _line(name, _example(setting), setting)
        for name, setting in settings.items() if name not in {key.partition("[")[0] for key in space} | set(fixed)
    ]  # fmt: skip
    text = _TEMPLATE.format(
        name=case.name, title=case.title, script=path.name, case=_case(case, path), seed=seed, fixed=dict(fixed),
        space="".join(f"        {line}\n" for line in lines), sampler=repr(sampler), keep=keep,
    )  # fmt: skip
    write_bytes(path, text.encode(), StudyError)


def _case(case: Case, script: Path) -> str:
    """The case as an expression: its name if it comes with flexmbs, otherwise its path beside the script."""
    if case.path.parent == cases_folder():
        return repr(case.name)
    place, folder = case.path.resolve(), script.resolve().parent
    if place.is_relative_to(folder):
        return f"Path(__file__).parent / {place.relative_to(folder).as_posix()!r}"
    return repr(str(place))


def _line(name: str, entry: str, setting: Setting | None) -> str:
    about = ""
    if setting is not None:
        about = "  # " + ", ".join(filter(None, [setting.unit, setting.help, f"default {setting.default}"]))
    return f"{name!r}: {entry},{about}"


def _example(setting: Setting) -> str:
    """A possible entry for a parameter."""
    default = setting.default
    if setting.kind is float and isinstance(default, float) and default != 0.0:
        low, high = sorted((0.9 * default, 1.1 * default))
        return f"({low:.6g}, {high:.6g})"
    if setting.kind is bool:
        return "[True, False]"
    if setting.kind is int and isinstance(default, int):
        return f"[{default}, {default + 1}]"
    return f"[{default!r}]"


def _code(entry: object) -> str:
    if isinstance(entry, tuple | list | str | int | float | bool) or entry is None:
        return repr(entry)
    if isinstance(entry, Sequence):
        return repr(list(entry))
    return f"fm.{entry!r}"
