"""Sensitivities from samples that were made for them: Sobol indices and Morris' elementary effects, through SALib."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError
from flexmbs.common.versions import require
from flexmbs.study.evaluation.columns import Numbers
from flexmbs.study.evaluation.sensitivity.sensitivities import Sensitivities, varying_response
from flexmbs.study.evaluation.table import StudyTable

CONFIDENCE, RESAMPLES, SEED = 0.95, 200, 1
MOST_LEFT_OUT = 0.1  # share of base samples or trajectories that may be missing

SOBOL_MEANINGS = {
    "S1": "share of the variance that vanishes if this parameter alone is fixed (first order)",
    "ST": "share of the variance that this parameter takes part in, alone and with others (total)",
}
MORRIS_MEANINGS = {
    "mu_star": "mean size of the change of the figure, per whole range of the parameter",
    "mu": "mean change; smaller than mu_star if the direction changes",
    "sigma": "standard deviation of the changes: the effect is not linear, or depends on other parameters",
}


@dataclass(frozen=True)
class SobolDesign:
    """A sample of SALib.sample.sobol (Saltelli): blocks of D + 2 runs, or 2 D + 2 with ``second_order``.

    ``names``: the D parameters in the order of the sample; ``runs``: number of points of the whole sample.
    """

    names: Sequence[str]
    runs: int
    second_order: bool = False

    @property
    def block(self) -> int:
        """Runs that belong to one base point."""
        return (2 if self.second_order else 1) * len(self.names) + 2


@dataclass(frozen=True)
class MorrisDesign:
    """A sample of SALib.sample.morris: trajectories of D + 1 runs.

    ``unit``: (n, D) points in the unit cube, before they became values of the parameters; ``levels``: of the grid.
    """

    names: Sequence[str]
    unit: Numbers
    levels: int = 4


def sobol_indices(table: StudyTable, response: str, design: SobolDesign) -> Sensitivities:
    """First-order and total Sobol indices with the 95 % confidence of a bootstrap (and second-order ones).

    A base point one of whose runs has no finite value is left out with all its runs: each base point is a sample of
    its own, so the indices stay those of a smaller sample, but describe the part of the space in which runs finish.
    StudyError if more than a tenth of the base points are lost, since then that part is another one.
    """
    require("SALib", "Sobol indices", StudyError, "studies")
    from SALib.analyze import sobol

    values, left_out = _whole_blocks(table, response, design.runs, design.block, "base points")
    found = sobol.analyze(
        _problem(design.names),
        values,
        calc_second_order=design.second_order,
        num_resamples=RESAMPLES,
        conf_level=CONFIDENCE,
        seed=SEED,
    )
    notes = _left_out_notes(left_out, design.runs // design.block, "base points")
    if float(np.max(found["S1_conf"])) > 0.1:
        notes.append("Confidence intervals are wider than 0.1: take a larger base.")
    indices = {name: np.asarray(found[name]) for name in ("S1", "S1_conf", "ST", "ST_conf")}
    return Sensitivities(
        response,
        table.column(response).unit,
        "Sobol indices",
        tuple(design.names),
        indices,
        SOBOL_MEANINGS,
        len(values),
        left_out * design.block,
        notes=tuple(notes),
        second_order=np.asarray(found["S2"]) if design.second_order else None,
    )


def morris_effects(table: StudyTable, response: str, design: MorrisDesign) -> Sensitivities:
    """Morris' elementary effects, in units of the figure per whole range of the parameter.

    Trajectories with a run without a finite value are left out; StudyError if those are more than a tenth.
    """
    require("SALib", "Morris' elementary effects", StudyError, "studies")
    from SALib.analyze import morris

    size = len(design.names) + 1
    unit = np.asarray(design.unit, dtype=float)
    values, left_out = _whole_blocks(table, response, len(unit), size, "trajectories")
    kept = _complete(_by_point(table, response, len(unit)), size)
    found = morris.analyze(
        _problem(design.names),
        unit[np.repeat(kept, size)],
        values,
        num_levels=design.levels,
        num_resamples=RESAMPLES,
        conf_level=CONFIDENCE,
        seed=SEED,
    )
    indices = {"mu_star": found["mu_star"], "mu_star_conf": found["mu_star_conf"], "mu": found["mu"], "sigma": found["sigma"]}
    return Sensitivities(
        response,
        table.column(response).unit,
        "Morris' elementary effects",
        tuple(design.names),
        {name: np.asarray(np.ma.filled(part, np.nan), dtype=float) for name, part in indices.items()},
        MORRIS_MEANINGS,
        len(values),
        left_out * size,
        notes=tuple(_left_out_notes(left_out, len(unit) // size, "trajectories")),
    )


def _problem(names: Sequence[str]) -> dict[str, Any]:
    return {"num_vars": len(names), "names": list(names), "bounds": [[0.0, 1.0]] * len(names)}


def _by_point(table: StudyTable, response: str, runs: int) -> Numbers:
    """(runs,) values in the order of the sample; nan for points without a run or a finite value."""
    values = np.full(runs, np.nan)
    if len(table) and int(table.index.max()) >= runs:
        raise StudyError(f"sensitivity of {response}: the table has run {table.index.max()}, but the sample {runs} points")
    values[table.index] = varying_response(table, response)
    return values


def _complete(values: Numbers, block: int) -> npt.NDArray[np.bool_]:
    """(blocks,) whether all runs of a block have a value."""
    return np.asarray(np.isfinite(values.reshape(-1, block)).all(axis=1))


def _whole_blocks(table: StudyTable, response: str, runs: int, block: int, what: str) -> tuple[Numbers, int]:
    """Values of the blocks that are complete, and the number of the others; StudyError if those are too many."""
    if runs % block:
        raise StudyError(f"sensitivity of {response}: {runs} points are no whole number of {what} of {block} runs")
    values = _by_point(table, response, runs)
    kept = _complete(values, block)
    left_out = int((~kept).sum())
    if left_out > MOST_LEFT_OUT * len(kept) or kept.sum() < 2:
        missing = int((~np.isfinite(values)).sum())
        raise StudyError(
            f"sensitivity of {response}: {missing} of {runs} runs have no finite value, which spoils {left_out} of "
            f"{len(kept)} {what}; at most a tenth may be left out, since indices would describe another space. Run "
            f"the missing points, or narrow the space to where runs finish"
        )
    chosen = values.reshape(-1, block)[kept].ravel()
    if np.ptp(chosen) == 0.0:
        raise StudyError(f"sensitivity of {response}: it is the same in all complete {what}")
    return chosen, left_out


def _left_out_notes(left_out: int, count: int, what: str) -> list[str]:
    if not left_out:
        return []
    return [
        f"{left_out} of {count} {what} are left out, because one of their runs has no finite value: the indices "
        f"describe the part of the space in which runs finish."
    ]
