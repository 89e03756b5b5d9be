"""The study that a command means: of a script, or of a folder."""

from __future__ import annotations

from pathlib import Path

from flexmbs.case.cases import executed
from flexmbs.common.atomic_files import path_problem
from flexmbs.common.errors import StudyError
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
    module = executed(path, f"flexmbs_study_{path.stem}", "script", StudyError)
    study = getattr(module, "study", None)
    if not isinstance(study, Study):
        what = "has no variable 'study'" if study is None else f"'study' is a {type(study).__name__}"
        raise StudyError(f"{path}: {what}; a script of a study says: study = fm.Study(...)")
    return study
