"""What a study is, as study.json states it, and whether another statement is of the same study."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from flexmbs.case.case_source import CaseDescription, CaseSource, difference
from flexmbs.case.cases import Case
from flexmbs.common.atomic_files import read_file, reason, write_bytes
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.file_lock import FileLock
from flexmbs.common.stored_arrays import parsed_json
from flexmbs.common.user_warnings import warn
from flexmbs.result.run_summary import MODEL
from flexmbs.study.checks import ensure
from flexmbs.study.claim import acquired
from flexmbs.study.point_list import sampler_from_json
from flexmbs.study.run_key import RunSpec, current_versions

STUDY, CASE = "study.json", "case.py"
FORMAT = 2  # 1 (flexmbs 0.1.0) did not describe the case
_PATIENCE = 30.0  # s; another process holds the lock for milliseconds
_SHOWN = 6  # differences that a message names


@dataclass(frozen=True)
class Statement:
    """A study: which case, over what, at which points, and how each run is made."""

    case: CaseDescription  # description of the case
    spec: RunSpec  # what all runs have in common; its ``sources`` are those that the keys contain
    space: Mapping[str, object]  # as their ``to_json`` give them
    sampler: Mapping[str, object]
    seed: int = 0  # of the sampler
    case_files: Mapping[str, str] = field(default_factory=dict)  # name of each module ("" for the case file) -> hash
    case_text: str = field(default="", compare=False)  # content of the case file, kept as case.py beside study.json
    # what the study was computed with: first that with which it was begun, then others that were accepted
    versions: tuple[Mapping[str, str], ...] = ()

    @classmethod
    def of(
        cls, case: Case, source: CaseSource, space: Mapping[str, Any], sampler: Mapping[str, Any], seed: int = 0, **options: Any
    ) -> Statement:
        """The statement of a study of this case with this program; ``options``: further fields of :class:`RunSpec`."""
        versions = current_versions()
        spec = RunSpec(str(source.path), source.digest, **{"directory": os.getcwd(), "sources": versions["sources"], **options})
        return cls(CaseDescription.of(case), spec, space, sampler, seed, source.files, source.text, (versions,))

    @classmethod
    def read(cls, folder: Path) -> Statement:
        """The statement in a folder; StudyError if there is none, or it cannot be understood."""
        path = folder / STUDY
        try:
            content = parsed_json(read_file(path))
        except FileNotFoundError:
            raise StudyError(f"{folder}: there is no study in this folder (no {STUDY})") from None
        except OSError as error:
            raise StudyError(f"{path}: cannot be read: {reason(error)}") from error
        except ValueError as error:
            raise damaged(folder, error) from None
        known: Any = content.get("format") if isinstance(content, dict) else None
        ensure(isinstance(known, int), f"{path}: is not the statement of a study (it has no format)")
        newer = f"was written by a newer flexmbs (format {known}, this one reads {FORMAT}): install that version"
        ensure(known <= FORMAT, f"{path}: {newer}")
        try:
            values = {entry.name: content[entry.name] for entry in fields(cls) if entry.name != "case_text"}
            case = {"name": values["case"]} if known == 1 else values["case"]
            units = {name: str(unit) for name, unit in case.get("units", {}).items()}
            values["case"] = CaseDescription(**case | {"units": units, "settings": tuple(case.get("settings", ()))})
            values["case"].parameters()
            values["spec"] = RunSpec(**values["spec"] | {"histories": tuple(values["spec"]["histories"])})
            values["versions"] = tuple(values["versions"])
            text = read_file(folder / CASE) if (folder / CASE).is_file() else b""
            return cls(**values, case_text=text.decode("utf-8", "replace"))
        except (KeyError, TypeError, ValueError, AttributeError, OSError) as error:
            raise damaged(folder, error) from None

    def to_json(self) -> dict[str, object]:
        """The content of study.json."""
        content = {"format": FORMAT, **asdict(self)}
        del content["case_text"]
        return _plain(content)

    def stored_in(self, folder: Path, *, accept_versions: bool = False) -> Statement:
        """The statement as it stands in ``folder`` from now on; StudyError if another study is there.

        More runs of the same sampler, another place of the same case file and, with ``accept_versions``, another
        version of flexmbs are taken over into study.json. Relative paths start from where the study was begun, as long
        as that folder is there, wherever it goes on.
        """
        with _locked(folder):
            if not (folder / STUDY).exists():
                taken = [name for name in ("runs", "runs.sqlite", MODEL) if os.path.lexists(folder / name)]
                what = "a result" if taken == [MODEL] else f"runs, but no {STUDY}: restore it from a backup"
                ensure(not taken, f"{folder}: holds {what} ({', '.join(taken)}); give another folder for this study")
                write_bytes(folder / CASE, self.case_text.encode(), StudyError)
                self._write(folder)
                return self
            stored = Statement.read(folder)
            merged = stored.merged_with(self, folder, accept_versions=accept_versions)
            if merged != stored:
                merged._write(folder)
            return merged

    def merged_with(self, other: Statement, folder: Path, *, accept_versions: bool = False) -> Statement:
        """This statement, stored in ``folder``, with what ``other`` may add to it; StudyError for other differences."""
        self.require_same_case(other.spec.case, other.spec.case_digest, other.case_files, other.case_text, folder)
        mine, its = self._compared(), other._compared()
        if mine["sampler"] != its["sampler"]:
            before, now = sampler_from_json(self.sampler), sampler_from_json(other.sampler)
            found = "; ".join(_differences(mine["sampler"], its["sampler"], "sampler"))
            more = f"the study has more runs than are asked for ({found}); give at least as many"
            ensure(now.extends(before) or not before.extends(now), f"{folder}: {more}")
            if now.extends(before):
                mine["sampler"] = its["sampler"]
        differences = _differences(mine, its)
        shown = "".join(f"\n  {line}" for line in differences[:_SHOWN]) + ("\n  ..." if len(differences) > _SHOWN else "")
        right = "give another folder, or state the same study, or more runs of a sampler that begins with the same points"
        ensure(not differences, f"{folder}: holds another study; {right}:{shown}")
        versions = self._merged_versions(other, folder, accept_versions)
        directory = self.spec.directory if os.path.isdir(self.spec.directory) else other.spec.directory
        spec = replace(self.spec, case=other.spec.case, directory=directory)
        return replace(self, case=other.case, sampler=its["sampler"], versions=versions, spec=spec)

    def require_same_case(self, path: str, digest: str, files: Mapping[str, str], text: str, folder: Path) -> None:
        """StudyError with the lines that differ if a case (file, hash, hashes of its files, text) is not the study's."""
        if self.spec.case_digest == digest:
            return
        names = sorted(self.case_files.keys() | files.keys())
        changed = [name for name in names if self.case_files.get(name) != files.get(name)]
        which = ", ".join(f"module {name}" if name else path for name in changed) or path
        lines = difference(self.case_text, text) if self.case_text else ""
        raise StudyError(
            f"{folder}: the case has changed since this study began ({which}), so its runs would be of two different "
            f"cases; give another folder, or restore the case ({folder / CASE} is a copy)" + (f":\n{lines}" if lines else "")
        )

    def _compared(self) -> dict[str, Any]:
        """What must be equal, as plain data."""
        other = ("case", "case_digest", "directory", "sources")
        spec = {name: value for name, value in asdict(self.spec).items() if name not in other}
        return _plain({"space": self.space, "sampler": self.sampler, "seed": self.seed, **spec})

    def _merged_versions(self, other: Statement, folder: Path, accept: bool) -> tuple[Mapping[str, str], ...]:
        now = dict(other.versions[0])
        if any(now == dict(known) for known in self.versions):
            return self.versions
        own = [dict(known) for known in self.versions if known["sources"] == now["sources"]]
        if not own and not accept:
            began, here = ({name: versions.get(name) for name in ("flexmbs", "sources")} for versions in (self.versions[0], now))
            right = "install that version, give another folder, or accept it (accept_versions=True, --accept-versions)"
            found = f"{'; '.join(_differences(began, here))}), and results may differ in their last digits or more"
            raise StudyError(f"{folder}: this study was computed with another flexmbs ({found}; {right}")
        before = own[-1] if own else dict(self.versions[-1])
        warn(f"{folder}: the study goes on with other versions: {'; '.join(_differences(before, now))}", StudyWarning)
        return (*self.versions, now)

    def _write(self, folder: Path) -> None:
        write_bytes(folder / STUDY, (json.dumps(self.to_json(), indent=1) + "\n").encode(), StudyError)


def damaged(folder: Path, error: Exception) -> StudyError:
    """What is said of a statement that cannot be understood."""
    kind = "" if isinstance(error, StudyError | ValueError) else f"{type(error).__name__}: "
    return StudyError(f"{folder / STUDY}: is damaged ({kind}{error}); restore it from a backup")


def _plain(content: Mapping[str, object]) -> dict[str, Any]:
    """As it is when it has been written and read: tuples as lists."""
    return json.loads(json.dumps(content))


def _differences(before: object, now: object, name: str = "") -> list[str]:
    """ "name: value in the study, value now" for each entry that differs."""
    if isinstance(before, dict) and isinstance(now, dict):
        parts = [(f"{name}.{key}".removeprefix("."), before.get(key), now.get(key)) for key in dict.fromkeys((*before, *now))]
        return [line for part, old, new in parts for line in _differences(old, new, part)]
    texts = ["nothing" if value is None else json.dumps(value) for value in (before, now)]
    shown = [text if len(text) <= 80 else text[:77] + "..." for text in texts]
    return [] if before == now else [f"{name}: {shown[0]} in the study, {shown[1]} now"]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    path, end = folder / "study.lock", time.monotonic() + _PATIENCE
    while (lock := acquired(path)) is None:
        holder = FileLock(path).holder()
        ensure(time.monotonic() < end, f"{folder}: the study is being written by another process ({holder})")
        time.sleep(0.01)
    try:
        lock.write()
        yield
    finally:
        lock.release()
