"""What a study is - a case, what is varied, at which points, in which folder - and its runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Self

from flexmbs.case.cases import Case, CaseOutcome, checked_parameters, load_case, run_case
from flexmbs.common.errors import CaseError, StudyError, StudyWarning
from flexmbs.common.names_in_messages import few
from flexmbs.common.user_warnings import warn
from flexmbs.result.result import Result, load
from flexmbs.study.execution.limits import RunLimits
from flexmbs.study.execution.run_points import run_points
from flexmbs.study.execution.run_tasks import task_of
from flexmbs.study.execution.shards import Shard
from flexmbs.study.execution.study_outcome import StudyOutcome
from flexmbs.study.execution.study_progress import StudyProgress, study_progress
from flexmbs.study.figure_check import FigureCheck
from flexmbs.study.sampler_names import sampler_by_name, sampler_from_json
from flexmbs.study.samplers import Sampler
from flexmbs.study.space import Space
from flexmbs.study.store.case_source import source_of
from flexmbs.study.store.layout import CASE, LOG, STUDY
from flexmbs.study.store.run_record import FAILED, FINISHED, RunRecord
from flexmbs.study.store.statement import Statement
from flexmbs.study.store.store import Store
from flexmbs.study.study_status import StudyStatus

#: A point of a study: its index, its values, the record of its run.
Row = tuple[int, Mapping[str, object], RunRecord | None]


class StatedStudy:
    """A study as it is stated, and its runs; :class:`flexmbs.Study` also evaluates them.

    Its parameters are described there.
    """

    def __init__(
        self,
        case: Case | str | os.PathLike[str],
        space: Space | Mapping[str, object],
        sampler: Sampler | str = "lhs",
        *,
        runs: int | None = None,
        seed: int = 0,
        fixed: Mapping[str, object] | None = None,
        figures: Sequence[str] = (),
        folder: str | os.PathLike[str] | None = None,
        keep: str = "results",
        histories: Sequence[str] = (),
        history_times: int = 201,
        storage: Mapping[str, Any] | None = None,
    ) -> None:
        source = source_of(case)
        self.case = case if isinstance(case, Case) else load_case(source.path)
        if isinstance(space, Space) and fixed is not None:
            raise StudyError("fixed: a Space has its fixed values already; give them where it is made")
        stated = space if isinstance(space, Space) else Space(self.case.parameters, space, fixed)
        self.sampler = _sampler(sampler, runs)
        self.seed = seed
        self.figures = (figures,) if isinstance(figures, str) else tuple(figures)
        self.store = Store(Path("studies") / self.case.name if folder is None else folder)
        self.points = self.sampler.points(stated, seed)
        self.space = self.points.space  # of a list of points: with its columns
        for index in self.points.extremes:  # what the case refuses, it refuses here, before anything is computed
            checked_parameters(self.case, {**self.space.fixed, **self.points[index]})
        self._edited: Path | None = None  # the case file, if this study was opened with the copy in its folder
        self._statement = Statement.of(
            source,
            stated.to_json(),
            self.sampler.to_json(),
            seed,
            fixed=self.space.fixed,
            keep=keep,
            histories=tuple(histories),
            history_times=history_times,
            storage=dict(storage or {}),
        )

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Self:
        """The study in a folder, as it was stated; StudyError if there is none.

        If the case file is not there any more, cannot be loaded or has changed, its copy in the folder serves for
        evaluation, with a StudyWarning; ``run`` refuses a changed case.
        """
        store = Store(folder)
        stated = store.open()
        spec, original = stated.spec, Path(stated.spec.case)
        wrong = _unusable(original, spec.case_digest)
        case = load_case(store.folder / CASE if wrong else original)
        sampler = sampler_from_json(stated.sampler)
        study = cls(
            case,
            Space.from_json(case.parameters, stated.space),
            sampler,
            seed=stated.seed,
            folder=store.folder,
            keep=spec.keep,
            histories=spec.histories,
            history_times=spec.history_times,
            storage=spec.storage,
        )
        study.case = replace(case, name=stated.case)
        if wrong:
            study._edited = original
            warn(f"{original}: {wrong}; what is shown is of the case as the study began ({case.path})", StudyWarning)
        return study

    @property
    def folder(self) -> Path:
        """Folder of the study."""
        return self.store.folder

    def __len__(self) -> int:
        """Number of points."""
        return len(self.points)

    def __str__(self) -> str:
        varied = "\n".join(f"  {line}" for line in str(self.space).splitlines())
        return f"study of {self.case.name}: {len(self)} points ({self.sampler}), in {self.folder}, varying\n{varied}"

    def run(
        self,
        *,
        workers: int | None = None,
        executor: object = None,
        shard: str | tuple[int, int] | Shard | None = None,
        limits: RunLimits | None = None,
        retries: int = 2,
        on_error: str = "skip",
        retry_failed: bool = False,
        accept_versions: bool = False,
        threads: int = 1,
        progress: Callable[[StudyProgress], object] | bool = True,
    ) -> StudyOutcome:
        """Compute the runs that are missing; how many were computed, were there, failed.

        Parameters
        ----------
        workers : runs at once on this machine; default: one per processor
        executor : where: None: processes of this machine; "dask": a local Dask cluster; the address of a Dask scheduler
            ("tcp://..."); a ``distributed.Client``; any ``concurrent.futures.Executor``
        shard : (3, 40) or "3/40": the third of 40 parts, for job arrays without any scheduler of runs
        limits : of time, memory and disk space of each run
        retries : new attempts after a worker died or the system failed
        on_error : when a run fails: "skip" or "nan": go on; "stop": begin no further ones
        retry_failed : also compute runs again that failed earlier, from the state that they saved
        accept_versions : go on although another version of flexmbs computed the runs so far
        threads : of the linear algebra of each run
        progress : True: a bar on the terminal; False: nothing; or a function that gets a ``StudyProgress``

        Raises
        ------
        StudyError
            Nothing was computed: the folder holds another study, or the case file has changed (the lines that differ
            are shown). Or the study stopped: the disk is full, a run failed with on_error="stop", a figure is unknown.
        KeyboardInterrupt
            Ctrl-C: runs that were going on have saved their state; the next call goes on from there.
        """
        stated = self._begun(accept_versions)
        return self._compute(
            self.points,
            stated,
            progress,
            workers=workers,
            executor=executor,
            shard=shard,
            limits=limits,
            retries=retries,
            on_error=on_error,
            retry_failed=retry_failed,
            threads=threads,
            on_answer=FigureCheck(self.case.name, self.figures, self.store),
        )

    def evaluate(self, points: Sequence[Mapping[str, object]], **options: Any) -> list[RunRecord]:
        """Records of runs at any points (parameter -> value), computed unless they are there: for optimisers.

        They are kept in the folder of the study, but are no rows of its table. ``options``: those of :meth:`run`.
        """
        stated = self._begun(options.pop("accept_versions", False))
        keys = [task_of(self.case, stated.spec, values).key for values in points]
        self._compute(points, stated, **options)
        found = [self.store.record(key) for key in keys]
        return [record for record in found if record is not None]

    def _compute(
        self,
        points: Sequence[Mapping[str, object]],
        stated: Statement,
        progress: Callable[[StudyProgress], object] | bool = False,
        **options: Any,
    ) -> StudyOutcome:
        compute = partial(run_points, points, self.store, stated.spec, case=self.case, **options)
        if callable(progress):
            return compute(progress=progress)
        with study_progress(self.case.name, plain=progress) as line:
            return compute(progress=line if progress else None)

    def _begun(self, accept_versions: bool) -> Statement:
        """The statement in the folder, after it was written or compared."""
        statement = self._statement
        if self._edited is not None and self._edited.exists():
            now = source_of(self._edited)  # refused with the lines that differ
            spec = replace(statement.spec, case=str(now.path), case_digest=now.digest)
            statement = replace(statement, spec=spec, case_files=now.files, case_text=now.text)
        return self.store.create_or_open(statement, accept_versions=accept_versions)

    def point(self, index: int) -> Mapping[str, object]:
        """Parameter -> value of one point; values that are the same in all runs are in ``space.fixed``."""
        self._require_index(index)
        return self.points[index]

    def key(self, index: int) -> str:
        """Name of the run of a point in the store."""
        return task_of(self.case, self._stored().spec, self.point(index)).key

    def rows(self) -> Iterator[Row]:
        """Index, values and record of each point, one after the other, in any order.

        The record of a point that was not computed yet is None. Memory: 600 bytes a point.
        """
        points = list(self.points)  # the order of the store is not theirs, and they are made in blocks
        indices = self._indices(points)
        for record in self.store.records():  # one pass over the store, however many of its runs are packed
            for index in indices.pop(bytes.fromhex(record.key), ()):
                yield index, points[index], record
        for index in chain.from_iterable(indices.values()):
            yield index, points[index], None

    def _indices(self, points: Sequence[Mapping[str, object]]) -> dict[bytes, tuple[int, ...]]:
        """Key of a run -> its points (several, if their values are equal)."""
        spec = self._stored().spec
        found: dict[bytes, tuple[int, ...]] = {}
        for index, values in enumerate(points):
            key = bytes.fromhex(task_of(self.case, spec, values).key)
            found[key] = (*found.get(key, ()), index)
        return found

    def status(self) -> StudyStatus:
        """How many points are finished, failed, begun, missing. Visits every file of the study."""
        indices = self._indices(self.points)
        known = (("finished", self.store.finished_keys()), ("failed", self.store.failed_keys()), ("begun", self.store.begun_keys()))
        count = {"finished": 0, "failed": 0, "begun": 0, "missing": 0}
        for key, points in indices.items():
            found = [what for what, keys in known if key in keys]
            count[found[0] if found else "missing"] += len(points)
        size = self.store.size()
        return StudyStatus(str(self.folder), len(self.points), **count, packed=size.packed, files=size.files, bytes=size.bytes)

    def record(self, index: int) -> RunRecord | None:
        """Record of a run: all its parameters, figures, statistics, warnings; None if it was not computed yet."""
        return self.store.record(self.key(index))

    def result(self, index: int) -> Result:
        """The result of a run; StudyError if it was not kept or is not there."""
        key = self.key(index)
        record = self.store.record(key)
        if record is None:
            raise StudyError(f"{self.folder}: run {index} was not computed yet")
        if self._stored().spec.keep != "results" and record.status == FINISHED:
            raise StudyError(
                f"{self.folder}: this study keeps figures only (keep='figures'); study.run_alone({index}) computes the run again"
            )
        return load(self.store.files_of(key))

    def run_alone(self, index: int, out: str | os.PathLike[str] | None = None) -> CaseOutcome:
        """The run of a point in this process, outside of the study: to look at a failure, or at a result not kept."""
        values = {**self.space.fixed, **self.point(index)}
        return run_case(self.case, values, out=None if out is None else Path(out), storage=self._statement.spec.storage)

    def failed(self) -> list[tuple[int, RunRecord]]:
        """Index and record of each failed run."""
        found = [(index, record) for index, _, record in self.rows() if record is not None and record.status == FAILED]
        return sorted(found, key=lambda row: row[0])

    def log(self, index: int) -> str:
        """What a run printed; of a failed run with its warnings and the traceback."""
        content = self.store.content_of(self.key(index), LOG)
        return "" if content is None else content.decode("utf-8", "replace")

    def failure_text(self, index: int) -> str:
        """All that is known of a failed run, for people: its parameters, why it failed, its log."""
        record = self.record(index)
        if record is None or record.failure is None:
            raise StudyError(f"{self.folder}: run {index} has not failed; failed ones: {self._failed_text()}")
        values = "\n".join(f"  {name} = {value}" for name, value in record.parameters.items())
        time = "" if record.failure.time is None else f", at t = {record.failure.time:.6g} s"
        return (
            f"run {index} (key {record.key}), attempts: {record.attempts}\n{values}\n"
            f"{record.failure.kind}{time}: {record.failure.message}\n\n{self.log(index)}"
        ).rstrip()

    def _failed_text(self) -> str:
        return few([index for index, _ in self.failed()], 20) or "none"

    def pack(self) -> int:
        """Put the folders of finished runs into a few large files; how many. They are read as before."""
        self._stored()
        return self.store.pack()

    def _stored(self) -> Statement:
        """The statement in the folder, after a check that it is of this study; a changed case is warned of."""
        if not (self.folder / STUDY).exists():
            raise StudyError(f"{self.folder}: no run of this study was computed yet; study.run() or 'flexmbs study run'")
        stored, own = self.store.open(), self._statement
        if own.spec.case_digest != stored.spec.case_digest:
            if self._edited is None:
                copy = self.folder / CASE
                warn(f"{own.spec.case}: has changed since this study began; its runs are of {copy}", StudyWarning)
            spec = replace(own.spec, case_digest=stored.spec.case_digest)
            own = replace(own, spec=spec, case_files=stored.case_files)
        stored.merged_with(own, self.folder, accept_versions=True)
        return stored

    def _require_index(self, index: int) -> None:
        if not 0 <= index < len(self.points):
            raise StudyError(f"no run {index}: the study has {len(self.points)} points, 0 to {len(self.points) - 1}")


def _sampler(given: Sampler | str, runs: int | None) -> Sampler:
    if isinstance(given, str):
        return sampler_by_name(given, **({} if runs is None else {"runs": runs}))
    if not isinstance(given, Sampler):
        raise StudyError(f"sampler={given!r}: it is a name such as 'lhs', or a sampler such as fm.Sobol(256)")
    if runs is not None:
        raise StudyError(f"runs={runs} is for samplers given by name; {given} has its own number of runs")
    return given


def _unusable(case: Path, digest: str) -> str:
    """Why a case file cannot take part in an evaluation; empty if it is what the study began with."""
    if not case.exists():
        return "is not there any more"
    try:
        return "" if source_of(case).digest == digest else "has changed since the study began"
    except (StudyError, CaseError, SyntaxError) as error:
        return f"cannot be loaded ({error})"
