"""Which parameters a figure depends on: Sobol indices, Morris' elementary effects, and what any sample gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import no_formula
from flexmbs.common.versions import require
from flexmbs.study.checks import ensure
from flexmbs.study.plot_axes import finished_figure, new_figure, response_of
from flexmbs.study.table import Numbers, named

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

SEED = 1
OPTIONS = {"num_resamples": 100, "conf_level": 0.95, "seed": SEED}  # of analyses of SALib
MOST_LEVELS = 12  # that a parameter takes, which are ordered by the mean of the figure
LEAST_RUNS, MOST_RUNS = 200, 50_000  # below, first-order indices are noise; above, some runs are chosen at random
LEAST_RANKED, CORRELATED = 5, 0.3  # runs of a rank correlation; rank correlation of two parameters of which a note speaks
DRAWN = ("ST", "S1", "mu_star", "sigma", "rank correlation")  # side by side, in this order
MOST_PARAMETERS = 20  # that are drawn
MEANINGS = {  # index -> what it says
    "S1": "share of the variance that vanishes if this parameter alone is fixed (first order)",
    "ST": "share of the variance that this parameter takes part in, alone and with others (total)",
    "mu_star": "mean size of the change of the figure, per whole range of the parameter",
    "mu": "mean change; smaller than mu_star if the direction changes",
    "sigma": "standard deviation of the changes: the effect is not linear, or depends on other parameters",
    "rank correlation": "after Spearman: 1 if the figure rises with the parameter throughout, -1 if it falls",
}


@dataclass(frozen=True)
class Sensitivities:
    """Indices of one figure."""

    figure: str  # what depends on the parameters
    unit: str  # of the figure
    method: str  # in words
    # A row for each parameter, the most influential first, and a column for each index; nan where it does not exist.
    # "S1_conf" is half the width of the 95 % interval of "S1", and so on.
    indices: DataFrame
    runs: int  # number of runs that were used
    left_out: int = 0  # number of runs that could not be
    notes: Sequence[str] = ()  # what limits the indices, in sentences
    second_order: DataFrame | None = None  # Sobol indices of pairs, upper triangle

    def as_text(self) -> DataFrame:
        """The indices as text, "0.31 ± 0.02" where there is a confidence, "-" where there is none."""
        shown = self.indices[[name for name in self.indices if not name.endswith("_conf")]].map("{:.3g}".format)
        for name in shown:
            widths = self.indices.get(f"{name}_conf")
            if widths is not None:
                shown[name] += widths.map(lambda width: f" ± {width:.2g}" if np.isfinite(width) else "")
        return shown.mask(self.indices[shown.columns].isna(), "-")

    def __str__(self) -> str:
        left_out = f", {self.left_out} left out" if self.left_out else ""
        heading = f"{self.figure}: {self.method} from {self.runs} runs{left_out}"
        return "\n".join([heading, self.as_text().to_string(), *self.notes]) + "\n"


def sobol_indices(table: DataFrame, figure: str, names: Sequence[str], runs: int, *, second_order: bool = False) -> Sensitivities:
    """First-order and total Sobol indices (and second-order ones) of a sample of SALib.sample.sobol.

    ``names``: the D parameters in its order; ``runs``: number of its points, D + 2 for each base point or 2 D + 2.

    A base point one of whose runs has no finite value is left out as a whole: each is a sample of its own, so the indices
    stay those of a smaller sample, but describe the part of the space in which runs finish.  StudyError if more than a
    tenth are lost, since then that part is another one.
    """
    require("SALib", "Sobol indices", StudyError, "studies")
    from pandas import DataFrame
    from SALib.analyze import sobol

    block = (2 if second_order else 1) * len(names) + 2
    values, _, notes = _whole_blocks(table, figure, runs, block, "base points")
    found = sobol.analyze(_problem(names), values, calc_second_order=second_order, **OPTIONS)
    if found["S1_conf"].max() > 0.1:
        notes.append("Confidence intervals are wider than 0.1: take a larger base.")
    indices = DataFrame({name: found[name] for name in ("S1", "S1_conf", "ST", "ST_conf")}, names)
    pairs = DataFrame(found["S2"], names, names) if second_order else None
    return _ranked(table, figure, "Sobol indices", indices, "ST", len(values), runs, notes, second_order=pairs)


def morris_effects(table: DataFrame, figure: str, names: Sequence[str], points: Numbers, levels: int = 4) -> Sensitivities:
    """Morris' elementary effects, in units of the figure per whole range of the parameter.

    ``points``: (n, D) of SALib.sample.morris in the unit cube: trajectories of D + 1 runs.  Trajectories with a run without
    a finite value are left out; StudyError if those are more than a tenth.
    """
    require("SALib", "Morris' elementary effects", StudyError, "studies")
    from pandas import DataFrame
    from SALib.analyze import morris

    size = len(names) + 1
    values, kept, notes = _whole_blocks(table, figure, len(points), size, "trajectories")
    found = morris.analyze(_problem(names), points[np.repeat(kept, size)], values, num_levels=levels, **OPTIONS)
    indices = {name: np.ma.filled(found[name], np.nan).astype(float) for name in ("mu_star", "mu_star_conf", "mu", "sigma")}
    method, runs = "Morris' elementary effects", len(values)
    return _ranked(table, figure, method, DataFrame(indices, names), "mu_star", runs, len(points), notes)


def _ranked(
    table: DataFrame, figure: str, method: str, indices: DataFrame, by: str, runs: int, of: int, notes: list[str], **more: Any
) -> Sensitivities:
    ranked = indices.sort_values(by, key=abs, ascending=False, kind="stable")
    return Sensitivities(figure, table.attrs["units"].get(figure, ""), method, ranked, runs, of - runs, notes, **more)


def _problem(names: Sequence[str]) -> dict[str, Any]:
    return {"num_vars": len(names), "names": list(names), "bounds": [[0.0, 1.0]] * len(names)}


def _varying(table: DataFrame, figure: str) -> Numbers:
    """(n,) nan where there is no finite value; StudyError if no two differ."""
    scale = response_of(table, figure)
    ensure(scale.varies, f"sensitivity of {figure}: its {len(scale.finite)} finite values are alike; nothing influences it")
    return scale.values


def _whole_blocks(
    table: DataFrame, figure: str, runs: int, block: int, what: str
) -> tuple[Numbers, npt.NDArray[np.bool_], list[str]]:
    """Values of the blocks of the sample that are complete, which those are, and a note if some are not."""
    right = runs % block == 0 and (table.index < runs).all()
    ensure(right, f"sensitivity of {figure}: the table is not of a sample of {runs} points, {what} of {block} runs each")
    by_point = np.full(runs, np.nan)
    by_point[table.index] = _varying(table, figure)
    blocks = by_point.reshape(-1, block)
    kept = np.isfinite(blocks).all(axis=1)
    left_out = int((~kept).sum())
    ensure(
        left_out <= 0.1 * len(kept) and kept.sum() > 1,
        f"sensitivity of {figure}: {np.isnan(by_point).sum()} of {runs} runs have no finite value, which spoils {left_out} "
        f"of {len(kept)} {what}; at most a tenth may be left out, since indices would describe another space. Run "
        f"the missing points, or narrow the space to where runs finish",
    )
    ensure(np.ptp(blocks[kept]) > 0.0, f"sensitivity of {figure}: it is the same in all complete {what}")
    why = "because one of their runs has no finite value: the indices describe the part of the space in which runs finish."
    return blocks[kept].ravel(), kept, [f"{left_out} of {len(kept)} {what} are left out, {why}"] if left_out else []


def given_data_indices(table: DataFrame, figure: str) -> Sensitivities:
    """Rank correlations, and first-order indices from 200 runs on, that any sample of independent parameters gives.

    Runs without a finite value are left out; the notes say where indices are not sound.  StudyError with fewer than 5 runs.
    S1 by RBD-FAST: Tarantola, Gatelli and Mara (2006), bias correction of Tissot and Prieur (2012).
    """
    from pandas import DataFrame

    names = [name for name in named(table, "parameters") if name != figure]
    runs = table[names].assign(**{figure: _varying(table, figure)}).replace([np.inf, -np.inf], np.nan).dropna()
    ensure(len(runs) >= LEAST_RANKED and np.ptp(runs[figure]) > 0.0, f"sensitivity of {figure}: {len(runs)} runs are too few")
    left_out = len(table) - len(runs)
    runs = runs.sample(min(len(runs), MOST_RUNS), random_state=SEED)  # in any case in random order, as RBD-FAST needs it
    values = runs.pop(figure)
    values = values / values.abs().max()  # squares of huge values would be infinite
    runs = runs.loc[:, runs.nunique() > 1]
    ranks = runs.select_dtypes("number").rank()
    indices, notes = DataFrame({"rank correlation": ranks.corrwith(values.rank())}, names), list[str]()
    if len(runs) >= LEAST_RUNS:
        require("SALib", "a first-order index of given data", StudyError, "studies")
        from SALib.analyze import rbd_fast

        # RBD-FAST takes the runs in the order of a parameter; few levels, such as texts, in that of the mean of each
        few = [name for name in runs if runs[name].nunique() <= MOST_LEVELS]
        means = {name: runs[name].map(values.groupby(runs[name], observed=True).mean()) for name in few}
        ordered = runs.assign(**means).astype(dict.fromkeys(few, float)).select_dtypes("number")
        found = rbd_fast.analyze(_problem(list(ordered)), ordered.to_numpy(float), values.to_numpy(), **OPTIONS)
        first = DataFrame({name: found[name] for name in ("S1", "S1_conf")}, ordered.columns, dtype=float)
        indices = first.reindex(names).join(indices)
    else:
        ensure(len(ranks.columns), f"sensitivity of {figure}: text has indices from {LEAST_RUNS} runs on, not {len(runs)}")
        notes.append(f"First-order indices of given data need at least {LEAST_RUNS} runs.")
    notes += _doubts(ranks) if ranks.size else []
    notes += [f"{left_out} of {len(table)} runs have no finite value and are left out."] if left_out else []
    by = str(indices.columns[0])
    return _ranked(table, figure, "indices of given data", indices, by, len(runs), len(runs) + left_out, notes)


def _doubts(ranks: DataFrame) -> list[str]:
    """What chance does to rank correlations, and the two parameters that are correlated most."""
    chance = 1.96 / np.sqrt(len(ranks) - 1)  # the deviation of rank correlations of independent columns: 1 / sqrt(n - 1)
    notes = [f"Where a figure does not depend on a parameter, 95 % of rank correlations are within ±{chance:.2g}."]
    pairs = ranks.corr().where(np.triu(np.ones((ranks.shape[1],) * 2, bool), k=1)).stack()
    if len(pairs) and pairs.abs().max() > CORRELATED:
        first, second = pairs.abs().idxmax()
        said = f"{first} and {second} are correlated in this sample ({pairs[first, second]:+.2f})"
        notes.append(f"{said}: what the one does and what the other does cannot be told apart; all indices count it for both.")
    return notes


def plot_sensitivities(found: Sensitivities) -> Figure | None:
    """Draw the indices of each parameter with their 95 % intervals; of more than twenty parameters the largest."""
    rows = found.indices.head(MOST_PARAMETERS).fillna(0.0).rename(index=no_formula)
    shown = [name for name in DRAWN if name in rows]
    axes = (figure := new_figure(6.8, 1.5 + (0.2 * len(shown) + 0.12) * len(rows))).subplots()
    widths = [rows.get(f"{name}_conf", np.nan * rows[name]) for name in shown]
    ends = {"elinewidth": 1.0, "ecolor": "0.25", "capsize": 2.0}
    rows[shown].plot.barh(ax=axes, xerr=widths, width=0.8, color=["#1f77b4", "#9ecae1"], error_kw=ends, ylabel="")
    axes.invert_yaxis()
    axes.axvline(0.0, color="0.3", linewidth=0.8)
    axes.grid(True, axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_xlabel(no_formula(f"change of {found.figure} [{found.unit or '-'}]") if shown[0] == "mu_star" else "index")
    hidden = len(found.indices) - len(rows)
    notes = [f"{found.runs} runs", f"{hidden} more parameters are not shown" if hidden else ""]
    return finished_figure(figure, f"Sensitivity of {found.figure}: {found.method}", notes)
