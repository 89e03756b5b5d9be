"""Studies: many runs of one case, and what they say."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.collect import collect
from flexmbs.study.evaluation.export import export
from flexmbs.study.evaluation.plots.history_band import HistoryBand, plot_histories_as_band
from flexmbs.study.evaluation.plots.plot import plot
from flexmbs.study.evaluation.reliability import Reliability, reliability
from flexmbs.study.evaluation.report.report import write_report
from flexmbs.study.evaluation.sensitivity.designs import MorrisDesign, SobolDesign
from flexmbs.study.evaluation.sensitivity.sensitivities import Sensitivities
from flexmbs.study.evaluation.sensitivity.sensitivity import sensitivity
from flexmbs.study.evaluation.table import StudyTable
from flexmbs.study.histories import band
from flexmbs.study.samplers import Morris, Sampler, SobolIndices
from flexmbs.study.space import Points
from flexmbs.study.stated_study import StatedStudy
from flexmbs.study.study_report import ReportSource, report_content

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Study(StatedStudy):
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

    def table(self, figures: Sequence[str] = (), *, on_error: str = "nan", lists: Sequence[str] = ()) -> StudyTable:
        """Varied parameters and figures of all runs.

        Parameters
        ----------
        figures : names of columns; default: those of the study, or all figures that are numbers or text
        on_error : "nan": a failed run is a row whose figures are nan; "skip": it has no row
        lists : figures that are lists and become columns "peak_forces[0]", "peak_forces[1]", ...
        """
        parameters = {name: (self.space.units[name], self.space.helps[name]) for name in self.space.names}
        wanted = tuple(map(self._column, figures or self.figures))
        lists = (*lists, *(name.partition("[")[0] for name in wanted if name.endswith("]")))
        table = collect(self.rows(), parameters, on_error, units=self.case.units, lists=lists)
        table = table.select(rows=np.argsort(table.index, kind="stable"))
        return table.select([*table.parameters, *wanted]) if wanted and len(table) else table

    def plot(
        self, kind: str, names: Sequence[str] | None = None, *, save: str | os.PathLike[str] | None = None, **options: Any
    ) -> Figure | None:
        """Draw all runs, and return the matplotlib figure or write it to ``save``.

        Parameters
        ----------
        kind : "scatter" (matrix), "parallel" (coordinates), "effects" (main effects), "histogram", "surface" (response
            surface), "histories" (bands of quantiles over time)
        names : columns to draw; for "surface" two parameters; for "histories" the histories
        options : ``response`` ("effects", "surface"), ``color`` ("scatter", "parallel"), ``title``
        """
        place = None if save is None else Path(save)
        if kind == "histories":
            if not names:
                raise StudyError("plot 'histories' needs the names of histories: names=['hinge.angle']")
            for option in ("response", "color"):
                if options.get(option) is not None:
                    raise StudyError(f"plot 'histories' has no {option}; it takes the names of histories and a title")
            return plot_histories_as_band([self.band(name) for name in names], save=place, **options)
        wanted = [*names] if names else None
        columns = {*(wanted or ()), *(value for value in (options.get("response"), options.get("color")) if value)}
        lists = [name.partition("[")[0] for name in columns if name.endswith("]") and name not in self.space.names]
        return plot(self.table(lists=lists), kind, wanted, save=place, **options)

    def band(self, history: str) -> HistoryBand:
        """Quantiles over all finished runs of a history, at common times."""
        return band(self.store, self._stored().spec, (record for _, _, record in self.rows()), history)

    def sensitivity(self, figure: str, *, table: StudyTable | None = None) -> Sensitivities:
        """How much each varied parameter matters for a figure, by the method that the sampler allows.

        Sobol indices with ``fm.SobolIndices``, elementary effects with ``fm.Morris``; with other samplers what any
        sample gives: regression coefficients, rank correlations, first-order indices. ``table``: of this study.
        """
        design = design_of(self.sampler, self.points)
        return sensitivity(self.table() if table is None else table, self._column(figure), design)

    def reliability(
        self,
        figure: str,
        *,
        above: float | None = None,
        below: float | None = None,
        confidence: float = 0.95,
        table: StudyTable | None = None,
    ) -> Reliability:
        """Probability that a figure is above or below a limit, with its confidence interval."""
        return reliability(
            self.table() if table is None else table,
            self._column(figure),
            above=above,
            below=below,
            confidence=confidence,
            sampler=self.sampler.name,
        )

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
    ) -> Path:
        """Write one HTML page with everything that can be said of the study, and the table beside it as CSV.

        Parameters
        ----------
        path : default: report.html in the study's folder
        limits : figure -> (lowest, highest) allowed value, None for none: the probability to be beyond is stated
        histories : names of histories shown as bands; default: those that the study keeps
        """
        target = self.folder / "report.html" if path is None else Path(path)
        csv = target.with_name(f"{target.stem}.csv")
        table = self.table()
        figures = tuple(map(self._column, self.figures))
        missed: list[Reliability] = []
        for name, (lowest, highest) in (limits or {}).items():
            missed += [] if lowest is None else [self.reliability(name, below=lowest, table=table)]
            missed += [] if highest is None else [self.reliability(name, above=highest, table=table)]
        source = ReportSource(
            str(self.folder),
            self.case,
            self.sampler,
            self.space,
            self._stored(),
            table,
            figures,
            self.band,
            lambda figure: self.sensitivity(figure, table=table),
        )
        export(table, csv)
        write_report(report_content(source, missed, histories, csv.name), target)
        return target

    def _column(self, figure: str) -> str:
        """Column of a figure in the table: a figure that is called like a varied parameter has another name there."""
        return f"figures.{figure}" if figure in self.space.names else figure


def design_of(sampler: Sampler, points: Points) -> SobolDesign | MorrisDesign | None:
    """The design of a sample that was made for sensitivity indices; None for any other sample."""
    names = points.space.names
    if isinstance(sampler, SobolIndices):
        return SobolDesign(names, len(points), sampler.second_order)
    if isinstance(sampler, Morris):
        assert points.unit is not None
        return MorrisDesign(names, points.unit, sampler.levels)
    return None
