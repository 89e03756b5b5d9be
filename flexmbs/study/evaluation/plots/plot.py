"""Plots of a study's table by the name of their kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.study.evaluation.plots.histogram import histogram
from flexmbs.study.evaluation.plots.main_effects import main_effects
from flexmbs.study.evaluation.plots.parallel_coordinates import parallel_coordinates
from flexmbs.study.evaluation.plots.response_surface import response_surface
from flexmbs.study.evaluation.plots.scatter_matrix import scatter_matrix
from flexmbs.study.evaluation.table import StudyTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Kinds of plots that a table gives; "histories" needs the histories of the runs: plots/history_band.py.
KINDS = ("scatter", "parallel", "effects", "histogram", "surface")


def plot(
    table: StudyTable,
    kind: str,
    names: Sequence[str] | None = None,
    *,
    response: str | None = None,
    color: str | None = None,
    title: str | None = None,
    save: str | Path | None = None,
) -> Figure | None:
    """Draw a table (with failed runs as rows of nan, so that they are shown) and return the figure, or write it.

    Parameters
    ----------
    kind : "scatter" (matrix), "parallel" (coordinates), "effects" (main effects), "histogram", "surface"
    names : columns to draw; for "surface" two parameters
    response : figure, for "effects" and "surface"
    color : column that colours runs, for "scatter" and "parallel"
    save : file to write, in a format that matplotlib knows by its ending

    StudyError for an unknown kind or column, for options that the kind does not have, and if no run has finished.
    """
    has_response = kind in ("effects", "surface")
    if kind not in KINDS:
        raise StudyError(f"no plot {kind!r}. {near_names(kind, (*KINDS, 'histories'))}")
    if response is not None and not has_response:
        raise StudyError(f"plot {kind!r} has no response; name it as one of the columns")
    if color is not None and kind not in ("scatter", "parallel"):
        raise StudyError(f"plot {kind!r} is not coloured by a column; 'scatter' and 'parallel' are")
    if kind == "scatter":
        return scatter_matrix(table, names, color=color, title=title, save=save)
    if kind == "parallel":
        return parallel_coordinates(table, names, color=color, title=title, save=save)
    if kind == "histogram":
        return histogram(table, names, title=title, save=save)
    draw = main_effects if kind == "effects" else response_surface
    return draw(table, response, names, title=title, save=save)
