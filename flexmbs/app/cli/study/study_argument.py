"""The study that a command means: of a script, or of a folder."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import FlexmbsError, StudyError
from flexmbs.study.statement import STUDY
from flexmbs.study.study import Study


def open_study(path: str | Path) -> Study:
    """The study of a script (.py with a variable ``study``), of a folder, or of the study.json in it.

    Raises StudyError if there is none.
    """
    path = Path(path)
    if path.suffix == ".py":
        return _of_script(path)
    folder = path.parent if path.name == STUDY else path
    if path_problem(folder / STUDY):
        raise StudyError(
            f"{path}: no study here (no {STUDY}); expected the script of a study (.py) or its folder. "
            "'flexmbs study new' writes a script"
        )
    return Study.open(folder)


def _of_script(path: Path) -> Study:
    wrong = path_problem(path)
    if wrong:
        raise StudyError(f"{path}: {wrong}; expected the script of a study, as 'flexmbs study new' writes one")
    spec = importlib.util.spec_from_file_location(f"flexmbs_study_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    if str(path.resolve().parent) not in sys.path:
        sys.path.append(str(path.resolve().parent))  # as for a script that Python runs
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
