"""Studies: many runs of one case - what is varied, at which points, in which folder - and what they say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from flexmbs.case.case_source import source_of
from flexmbs.case.cases import Case, CaseOutcome, checked_parameters, load_case, run_case
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.names_in_messages import few
from flexmbs.common.user_warnings import warn
from flexmbs.result.result import Result, load
from flexmbs.study.checks import ensure, names_of
from flexmbs.study.claim import LOG
from flexmbs.study.history_band import HistoryBand, plot_bands, study_band
from flexmbs.study.plots import plot
from flexmbs.study.point_list import sampler_from_json
from flexmbs.study.reliability import Reliability, reliability
from flexmbs.study.report import write_report
from flexmbs.study.run_key import RunSpec, named_file_digests, run_key
from flexmbs.study.run_record import FAILED, RunRecord
from flexmbs.study.run_tasks import RunLimits
from flexmbs.study.samplers import Morris, Sampler, SobolIndices, sampler_by_name
from flexmbs.study.scheduler import run_points
from flexmbs.study.sensitivity import Sensitivities, given_data_indices, morris_effects, sobol_indices
from flexmbs.study.space import Points, Space
from flexmbs.study.statement import CASE, STUDY, Statement, damaged
from flexmbs.study.store import Store, StudyStatus
from flexmbs.study.study_outcome import StudyOutcome, study_progress
from flexmbs.study.table import Row, collect, export

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


class Study:
    """Many runs of one case with varied parameters, of which none is lost and none is computed twice.

    ``study.run()`` computes what is missing; ``study.table()``, ``plot()``, ``report()`` evaluate what is there. The
    same script can be run again at any time, also in several processes and on several machines that share the folder.

    Parameters
    ----------
    case : name of a case that comes with flexmbs, path of a case file, or a case that was loaded
    space : parameter -> what it varies over: (low, high), a list of values, ``fm.Range``, ``fm.Normal``, ... or a
        frozen distribution of scipy.stats; "axis[1]" is one component of a parameter that is a tuple
        (empty for ``fm.PointList``, which names its parameters itself)
    sampler : "lhs", "sobol", "halton", "random" (with ``runs``), "grid", or a sampler such as ``fm.Sobol(256)``
    runs : number of runs, for a sampler given by name
    seed : of the sampler, and of parameters with ``fm.RunSeeds()``
    fixed : parameter -> value, for parameters that differ from their defaults in all runs
    figures : names of the figures of interest: columns of tables and plots (default: all figures that are numbers)
    folder : of the study; default: studies/CASE
    keep : "results": the whole result folder of each run; "figures": its figures and ``histories`` only
    histories : names of histories that are stored with the figures, at ``history_times`` evenly spaced times
    storage : ``store_every``, ``output_step``, ``storage_limit`` of ``System.simulate``

    Raises StudyError or CaseError for anything that does not fit the case; nothing is computed or written then.
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
        loaded = case if isinstance(case, Case) else load_case(source.path)
        ensure(not isinstance(space, Space) or fixed is None, "fixed: a Space has its own; give them where it is made")
        stated = space if isinstance(space, Space) else Space(loaded.parameters, space, fixed)
        if isinstance(sampler, str):
            sampler = sampler_by_name(sampler, **({} if runs is None else {"runs": runs}))
        else:
            right = "it is a name such as 'lhs', or a sampler such as fm.Sobol(256)"
            ensure(isinstance(sampler, Sampler), f"sampler={sampler!r}: {right}")
            ensure(runs is None, f"runs={runs} is for samplers given by name; {sampler} has its own number of runs")
        options = {"keep": keep, "histories": names_of(histories), "history_times": history_times, "storage": dict(storage or {})}
        statement = Statement.of(loaded, source, stated.to_json(), sampler.to_json(), seed, fixed=stated.fixed, **options)
        store = Store(Path("studies") / loaded.name if folder is None else folder)
        self._set_up(store, statement, sampler.points(stated, seed), sampler)
        self.figures: tuple[str, ...] = names_of(figures)
        self._case: Case | None = loaded
        for index in self.points.extremes:  # what the case refuses, it refuses here, before anything is computed
            used = asdict(checked_parameters(loaded, {**self.space.fixed, **self.points[index]}))
            other = [name for name, value in self.space.parameters(self.points[index]).items() if used[name] != value]
            changed = f"changes {', '.join(other)} where they are made (__post_init__?); do that in resolve(parameters)"
            ensure(not other, f"the case {loaded.name} {changed}")

    def _set_up(self, store: Store, statement: Statement, points: Points, sampler: Sampler) -> None:
        self.store, self._statement, self.points, self.sampler = store, statement, points, sampler
        self.seed, self.space = statement.seed, points.space  # of a list of points: with its columns

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Self:
        """The study in a folder, as it was stated; StudyError if there is none.

        Nothing in the folder and no case file is executed, so that studies of others can be looked at. ``run`` loads
        the case, and refuses a changed one.
        """
        store = Store(folder)
        stated = store.open()
        right = "run the study's script once with accept_versions (flexmbs study run SCRIPT.py --accept-versions); runs are kept"
        former = f"{store.folder / STUDY}: was written by flexmbs 0.1.0, which did not describe the case in it"
        ensure(stated.case.settings, f"{former}: {right}")
        study = cls.__new__(cls)
        try:
            sampler = sampler_from_json(stated.sampler)
            points = sampler.points(Space.from_json(stated.case.parameters(), stated.space), stated.seed)
        except (StudyError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise damaged(store.folder, error) from None
        study._set_up(store, stated, points, sampler)
        study.figures, study._case = (), None
        original = Path(stated.spec.case)
        wrong = "is not there any more" if not original.exists() else ""
        if not wrong and source_of(original).digest != stated.spec.case_digest:
            wrong = "has changed since the study began"
        if wrong:
            warn(f"{original}: {wrong}; what is shown is of the case as the study began ({store.folder / CASE})", StudyWarning)
        return study

    @property
    def case(self) -> Case:
        """The case; of a study that was opened its file is loaded (and so run) now.

        StudyError with the difference if it has changed since the study began; if it is not there any more, the copy in
        the study's folder serves.
        """
        if self._case is None:
            stated = self._statement
            path = Path(stated.spec.case)
            path = path if path.exists() else self.folder / CASE
            now = source_of(path)
            stated.require_same_case(str(path), now.digest, now.files, now.text, self.folder)
            if str(path) != stated.spec.case:
                warn(f"{stated.spec.case}: is not there any more; its copy {path} is used", StudyWarning)
            self._statement = replace(stated, spec=replace(stated.spec, case=str(path)))
            self._case = replace(load_case(path), name=stated.case.name)
        return self._case

    @property
    def folder(self) -> Path:
        """Folder of the study."""
        return self.store.folder

    def __len__(self) -> int:
        """Number of points."""
        return len(self.points)

    def __str__(self) -> str:
        varied = "\n".join(f"  {line}" for line in str(self.space).splitlines())
        name = self._statement.case.name
        return f"study of {name}: {len(self)} points ({self.sampler}), in {self.folder}, varying\n{varied}"

    def run(
        self,
        *,
        workers: int | None = None,
        executor: object = None,
        shard: str | tuple[int, int] | None = None,
        limits: RunLimits | None = None,
        retries: int = 2,
        on_error: str = "skip",
        retry_failed: bool = False,
        accept_versions: bool = False,
        threads: int = 1,
        progress: Callable[[StudyOutcome], object] | bool = True,
    ) -> StudyOutcome:
        """Compute the runs that are missing; how many were computed, were there, failed.

        Parameters
        ----------
        workers : runs at once on this machine; default: one per processor
        executor : where: None: processes of this machine; "dask": a local Dask cluster; the address of a Dask scheduler
            ("tcp://..."); a ``distributed.Client``; any ``concurrent.futures.Executor``
        shard : (3, 40) or "3/40": the third of 40 parts, for job arrays without any scheduler of runs
        limits : of time and memory of each run
        retries : new attempts after a worker died or the system failed
        on_error : when a run fails: "skip" or "nan": go on; "stop": begin no further ones
        retry_failed : also compute runs again that failed earlier, from the state that they saved
        accept_versions : go on although another version of flexmbs computed the runs so far
        threads : of the linear algebra of each run
        progress : True: a bar on the terminal; False: nothing; or a function that gets the outcome so far, always
            the same object

        Raises
        ------
        StudyError
            Nothing was computed: the folder holds another study, or the case file has changed (the lines that differ
            are shown). Or the study stopped: the disk is full, a run failed with on_error="stop", a figure is unknown.
        KeyboardInterrupt
            Ctrl-C: runs that were going on have saved their state; the next call goes on from there.
        """
        where = {"workers": workers, "executor": executor, "shard": shard, "threads": threads, "figures": self.figures}
        how = {"limits": limits, "retries": retries, "on_error": on_error, "retry_failed": retry_failed}
        return self._compute(self.points, accept_versions, progress, **where, **how)

    def evaluate(self, points: Sequence[Mapping[str, object]], **options: Any) -> list[RunRecord]:
        """Records of runs at any points (parameter -> value), computed unless they are there: for optimisers.

        They are kept in the folder of the study, but are no rows of its table. ``options``: those of :meth:`run`.
        """
        for values in points:
            checked_parameters(self.case, {**self.space.fixed, **values})
        self._compute(points, **options)
        found = (self.store.record(self._key(values)) for values in points)
        return [record for record in found if record is not None]

    def _compute(self, points: Any, accept_versions: bool = False, progress: Any = False, **options: Any) -> StudyOutcome:
        case = self.case  # first: loaded, and compared
        stated = self.store.create_or_open(self._statement, accept_versions=accept_versions)
        compute = partial(run_points, points, self.store, stated.spec, case=case, **options)
        if progress is not True:
            return compute(progress=progress or None)
        with study_progress(case.name) as line:
            return compute(progress=line)

    def point(self, index: int) -> Mapping[str, object]:
        """Parameter -> value of one point; values that are the same in all runs are in ``space.fixed``."""
        last = len(self) - 1
        ensure(0 <= index <= last, f"no run {index}: the study has {last + 1} points, 0 to {last}")
        return self.points[index]

    def key(self, index: int) -> str:
        """Name of the run of a point in the store."""
        return self._key(self.point(index))

    def _key(self, values: Mapping[str, object], spec: RunSpec | None = None) -> str:
        spec, parameters = spec or self._stored().spec, self.space.parameters(values)
        files = named_file_digests(parameters, spec.directory)
        for name, value in parameters.items():
            if isinstance(value, str) and value.strip() and name not in files and (name, value) in self._former_files:
                files[name] = self._former_files[name, value]
        return run_key(spec, parameters, files)

    @cached_property
    def _former_files(self) -> dict[tuple[str, object], str]:
        """Parameter and value -> hash of the file that it named when its runs were computed, and that may have gone."""
        found = ((record.parameters, record.files) for record in self.store.records())
        return {(name, str(parameters.get(name))): digest for parameters, files in found for name, digest in files.items()}

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
            key = bytes.fromhex(self._key(values, spec))
            found[key] = (*found.get(key, ()), index)
        return found

    def status(self) -> StudyStatus:
        """How many points are finished, failed, begun, missing. Visits every file of the study."""
        return self.store.status(self._indices(self.points))

    def record(self, index: int) -> RunRecord | None:
        """Record of a run: all its parameters, figures, statistics, warnings; None if it was not computed yet."""
        return self.store.record(self.key(index))

    def result(self, index: int) -> Result:
        """The result of a run; StudyError if it was not kept or is not there."""
        record = self.record(index)
        if record is None:
            raise StudyError(f"{self.folder}: run {index} was not computed yet")
        kept = self._stored().spec.keep == "results" or record.status == FAILED
        again = f"(keep='figures'); study.run_alone({index}) computes the run again"
        ensure(kept, f"{self.folder}: this study keeps figures only {again}")
        return load(self.store.files_of(record.key))

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
        return (self.store.content_of(self.key(index), LOG) or b"").decode("utf-8", "replace")

    def pack(self) -> int:
        """Put the folders of finished runs into one file; how many. They are read as before."""
        self._stored()
        return self.store.pack()

    def _stored(self) -> Statement:
        """The statement in the folder, after a check that it is of this study; a changed case is warned of."""
        begun = (self.folder / STUDY).exists()
        ensure(begun, f"{self.folder}: no run of this study was computed yet; study.run() or 'flexmbs study run'")
        stored, own = self.store.open(), self._statement
        if own.spec.case_digest != stored.spec.case_digest:
            warn(f"{own.spec.case}: has changed since this study began; its runs are of {self.folder / CASE}", StudyWarning)
            own = replace(own, spec=replace(own.spec, case_digest=stored.spec.case_digest), case_files=stored.case_files)
        stored.merged_with(own, self.folder, accept_versions=True)
        return stored

    def table(self, figures: Sequence[str] = (), *, on_error: str = "nan", lists: Sequence[str] = ()) -> DataFrame:
        """Varied parameters and figures of all runs: a pandas DataFrame with the numbers of the points as index "run".

        Parameters
        ----------
        figures : names of columns; default: those of the study, or all figures that are numbers or text
        on_error : "nan": a failed run is a row whose figures are nan; "skip": it has no row
        lists : figures that are lists and become columns "peak_forces[0]", "peak_forces[1]", ...

        Columns: parameters, figures (one that is called like a parameter or "run.*" as "figures.NAME"), run.status ("finished" or
        "failed"), run.reason (why it failed; of messages that differ in their numbers only the first), run.seconds and
        run.key.  Texts are categories; whole numbers are int64 if each run has one.
        ``attrs``: "parameters" and "figures": names; "units" and "helps": column -> text; "failed" and "not_run":
        numbers of runs; "warnings": [text, number of runs, first run]; "left_out": lists that have no column.

        Raises StudyError for an unknown figure, and if pandas is missing.
        """
        parameters = {name: (self.space.units[name], self.space.helps[name]) for name in self.space.names}
        wanted = tuple(map(self._column, names_of(figures) or self.figures))
        lists = (*names_of(lists), *(name.partition("[")[0] for name in wanted if name.endswith("]")))
        return collect(self.rows(), parameters, wanted, on_error=on_error, units=self._statement.case.units, lists=lists)

    def plot(
        self, kind: str, names: Sequence[str] | None = None, *, save: str | os.PathLike[str] | None = None, **options: Any
    ) -> Figure | None:
        """Draw all runs, and return the matplotlib figure or write it to ``save``.

        Parameters
        ----------
        kind : "scatter" (matrix), "parallel" (coordinates), "effects" (main effects), "histogram", "surface" (response
            surface), "histories" (bands of quantiles over time)
        names : columns to draw, default: what varies; for "surface" two parameters; for "histories" the histories
        options : ``response``: the figure of "effects" and "surface", default: the first that varies; ``color``: a column
            that colours the runs of "scatter" and "parallel"; ``title``
        """
        place, wanted = None if save is None else Path(save), names_of(names or ())
        if kind == "histories":
            ensure(wanted, "plot 'histories' needs the names of histories: names=['hinge.angle']")
            wrong = few(option for option in ("response", "color") if options.pop(option, None) is not None)
            ensure(not wrong, f"plot 'histories' has no {wrong}; it takes the names of histories and a title")
            return plot_bands([self.band(name) for name in wanted], save=place, **options)
        columns = {*wanted, *filter(None, (options.get("response"), options.get("color")))}
        lists = [name.partition("[")[0] for name in columns if name.endswith("]") and name not in self.space.names]
        return plot(self.table(lists=lists), kind, wanted or None, save=place, **options)

    def band(self, history: str) -> HistoryBand:
        """Quantiles over all finished runs of a history, at common times."""
        return study_band(self.store, self._stored().spec, (record for _, _, record in self.rows()), history)

    def sensitivity(self, figure: str, *, table: DataFrame | None = None) -> Sensitivities:
        """How much each varied parameter matters for a figure, by the method that the sampler allows.

        Sobol indices with ``fm.SobolIndices``, elementary effects with ``fm.Morris``; with other samplers what any
        sample gives: rank correlations and, from 200 runs on, first-order indices. ``table``: of this study.
        """
        table, figure = self.table() if table is None else table, self._column(figure)
        if isinstance(self.sampler, SobolIndices):
            return sobol_indices(table, figure, self.space.names, len(self), second_order=self.sampler.second_order)
        if isinstance(self.sampler, Morris):
            assert self.points.unit is not None
            return morris_effects(table, figure, self.space.names, self.points.unit, self.sampler.levels)
        return given_data_indices(table, figure)

    def reliability(
        self,
        figure: str,
        *,
        above: float | None = None,
        below: float | None = None,
        confidence: float = 0.95,
        table: DataFrame | None = None,
    ) -> Reliability:
        """Probability that a figure is above or below a limit, with its confidence interval."""
        table, sampler = self.table() if table is None else table, self.sampler.name
        return reliability(table, self._column(figure), above=above, below=below, confidence=confidence, sampler=sampler)

    def export(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Write the table as .csv, .jsonl or .parquet; ``options``: those of :meth:`table`."""
        export(self.table(**options), Path(path))
        return Path(path)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        limits: Mapping[str, tuple[float | None, float | None]] | None = None,
        histories: Sequence[str] = (),
        force: bool = False,
    ) -> Path:
        """Write one HTML page with everything that can be said of the study, and the table beside it as CSV.

        Parameters
        ----------
        path : default: report.html in the study's folder, which is replaced
        limits : figure -> (lowest, highest) allowed value, None for none: the probability to be beyond is stated
        histories : names of histories shown as bands; default: those that the study keeps
        force : replace ``path`` and its CSV if they exist; StudyError otherwise
        """
        target = self.folder / "report.html" if path is None else Path(path)
        csv = target.with_suffix(".csv")
        ensure(csv != target, f"{target}: the page ends in .html; its table is written to {csv.name}")
        there = next((file for file in (target, csv) if file.exists() and path is not None and not force), None)
        ensure(there is None, f"{there} exists; give another name, or replace it with --force (in Python: force=True)")
        table, stated = self.table(), self._stored()
        missed: list[Reliability] = []
        for name, (lowest, highest) in (limits or {}).items():
            missed += [] if lowest is None else [self.reliability(name, below=lowest, table=table)]
            missed += [] if highest is None else [self.reliability(name, above=highest, table=table)]
        versions = stated.versions[0] if stated.versions else {}
        facts = [
            ("case", f"{stated.case.name} ({stated.spec.case})"),
            ("sampler", f"{self.sampler}, seed {stated.seed}"),
            ("fixed", ", ".join(f"{name} = {value}" for name, value in stated.spec.fixed.items())),
            ("folder", str(self.folder)),
            ("versions", ", ".join(f"{name} {version}" for name, version in versions.items() if name != "sources")),
            ("hash of the case", stated.spec.case_digest),
        ]
        export(table, csv)
        write_report(
            target,
            table,
            title=stated.case.title,
            facts=[fact for fact in facts if fact[1]],
            space=[line.partition(": ")[::2] for line in str(self.space).splitlines()],
            figures=tuple(map(self._column, self.figures)),
            histories=names_of(histories) or stated.spec.histories,
            band=self.band,
            sensitivity=lambda figure: self.sensitivity(figure, table=table),
            reliabilities=missed,
            csv=csv.name,
        )
        return target

    def _column(self, figure: str) -> str:
        """Column of a figure in the table: a figure that is called like a varied parameter has another name there."""
        return f"figures.{figure}" if figure in self.space.names else figure
