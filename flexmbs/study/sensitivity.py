"""Which parameters a figure depends on: Sobol indices, Morris' elementary effects, and what any sample gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError
from flexmbs.common.versions import require
from flexmbs.study.checks import ensure
from flexmbs.study.plot_axes import finished_figure, new_figure, no_formula
from flexmbs.study.table import Numbers, is_text, named, numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame, Series

RESAMPLES, SEED = 200, 1
OPTIONS = {"num_resamples": RESAMPLES, "conf_level": 0.95, "seed": SEED}  # of analyses of SALib
MOST_LEVELS = 12  # up to here first-order indices of given data come from the means of the levels
LEAST_RUNS, MOST_RUNS = 200, 50_000  # below, first-order indices are noise; above, some runs are chosen at random
CORRELATED, EXPLAINED = 0.3, 0.7  # of which notes speak: correlation of two parameters, R2
#: Indices that are drawn side by side: the first group whose first one is there.
BARS = (("ST", "S1"), ("mu_star", "sigma"), ("SRC", "SRRC", "S1"), ("S1",))
MOST_PARAMETERS = 20  # that are drawn
MEANINGS = {
    "S1": "share of the variance that vanishes if this parameter alone is fixed (first order)",
    "ST": "share of the variance that this parameter takes part in, alone and with others (total)",
    "mu_star": "mean size of the change of the figure, per whole range of the parameter",
    "mu": "mean change; smaller than mu_star if the direction changes",
    "sigma": "standard deviation of the changes: the effect is not linear, or depends on other parameters",
    "SRC": "regression coefficient: deviations of the figure for one deviation of the parameter, if the dependence were linear",
    "SRRC": "the same with ranks instead of values: for dependences that rise or fall throughout",
    "rank": "Spearman's rank correlation",
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
    r2: Mapping[str, float] = field(default_factory=dict)  # name of a regression -> R2
    second_order: DataFrame | None = None  # Sobol indices of pairs, upper triangle

    @property
    def meanings(self) -> dict[str, str]:
        """Name of each index -> what it says, in one sentence."""
        return {name: text for name, text in MEANINGS.items() if name in self.indices}

    def as_text(self) -> DataFrame:
        """The indices as text, "0.31 ± 0.02" where there is a confidence, "-" where there is none."""
        shown = self.indices[[name for name in self.indices if not name.endswith("_conf")]].map("{:.3g}".format)
        for name in shown:
            widths = self.indices.get(f"{name}_conf")
            if widths is not None:
                shown[name] += widths.map(lambda width: f" ± {width:.2g}" if np.isfinite(width) else "")
        return shown.mask(self.indices[shown.columns].isna(), "-")

    def __str__(self) -> str:
        r2 = [f"R2 of {name}: {value:.3f}" for name, value in self.r2.items()]
        left_out = f", {self.left_out} left out" if self.left_out else ""
        heading = f"{self.figure}: {self.method} from {self.runs} runs{left_out}"
        return "\n".join([heading, self.as_text().to_string(), *r2, *self.notes]) + "\n"


def sobol_indices(table: DataFrame, figure: str, names: Sequence[str], runs: int, *, second_order: bool = False) -> Sensitivities:
    """First-order and total Sobol indices with the 95 % confidence of a bootstrap (and second-order ones).

    Parameters
    ----------
    names : the D parameters in the order of the sample of SALib.sample.sobol
    runs : number of points of the whole sample: base points of D + 2 runs each, or 2 D + 2 with ``second_order``

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

    Parameters
    ----------
    names : the D parameters in the order of the sample of SALib.sample.morris
    points : (n, D) of the sample in the unit cube, before they became values: trajectories of D + 1 runs
    levels : of the grid of the sample

    Trajectories with a run without a finite value are left out; StudyError if those are more than a tenth.
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
    """(n,) values of a figure, nan where there is no finite one; StudyError if no two differ."""
    values = numbers(table, figure)
    finite = values[np.isfinite(values)]
    ensure(len(finite) > 1, f"sensitivity of {figure}: only {len(finite)} runs have a finite value")
    varies = np.ptp(finite) > 1e-14 * np.abs(finite).max()
    ensure(varies, f"sensitivity of {figure}: it is {finite[0]:g} in all runs; nothing influences it")
    return values


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
    """Indices of all varied parameters that any sample of independent parameters gives.

    SRC, SRRC and rank correlations are for numbers only.  S1: from the means of the levels for text and for up to
    twelve values, else by RBD-FAST of SALib, from 200 runs on.  Runs without a finite value are left out.  The notes
    say where indices are not sound.  StudyError with fewer than 2 (D + 1) runs for D parameters.
    """
    from pandas import DataFrame

    names = [name for name in named(table, "parameters") if name != figure]
    runs = table[names].assign(**{figure: _varying(table, figure)}).replace([np.inf, -np.inf], np.nan).dropna()
    least = 2 * (len(names) + 1)
    wrong = f"{len(runs)} runs with finite values are too few for {len(names)} parameters; at least {least} are needed"
    ensure(len(runs) >= least and np.ptp(runs[figure]) > 0.0, f"sensitivity of {figure}: {wrong}")
    left_out = len(table) - len(runs)
    runs = runs.sample(min(len(runs), MOST_RUNS), random_state=SEED)
    values, inputs = runs[figure] / float(runs[figure].abs().max()), runs[names].select_dtypes("number").astype(float)
    inputs = inputs.loc[:, np.ptp(inputs, axis=0) > 0.0]
    inputs /= np.abs(inputs).max(axis=0)  # squares of huge values would be infinite
    indices, r2, notes = DataFrame(index=names), dict[str, float](), list[str]()
    if inputs.size:
        indices["SRC"], indices["SRC_conf"], r2["SRC"] = _regression(inputs, values)
        indices["SRRC"], indices["SRRC_conf"], r2["SRRC"] = _regression(inputs.rank(), values.rank())
        indices["rank"] = inputs.corrwith(values, method="spearman")
        notes += _doubts(inputs, r2)
    if len(runs) >= LEAST_RUNS:
        found = {name: _share(runs[name], values) for name in names}
        indices["S1"], indices["S1_conf"] = ({name: both[k] for name, both in found.items()} for k in (0, 1))
    else:
        wrong = f"parameters that are text have indices from {LEAST_RUNS} runs on, not {len(runs)}"
        ensure(inputs.size, f"sensitivity of {figure}: {wrong}")
        notes.append(f"First-order indices of given data need at least {LEAST_RUNS} runs.")
    notes += [f"{left_out} of {len(table)} runs have no finite value and are left out."] if left_out else []
    method = "regression and given-data indices"
    by = "S1" if "S1" in indices and indices["S1"].notna().any() else str(indices.columns[0])
    return _ranked(table, figure, method, indices, by, len(runs), len(runs) + left_out, notes, r2=r2)


def _regression(inputs: DataFrame, values: Series) -> tuple[Series, Series, float]:
    """Coefficients of standardised variables, half widths of their 95 % intervals (of least squares), and R2."""
    from pandas import Series
    from scipy.stats import t

    z = (inputs - inputs.mean()) / inputs.std(ddof=0)
    y = ((values - values.mean()) / values.std(ddof=0)).to_numpy()
    beta = np.linalg.lstsq(z, y, rcond=None)[0]
    unexplained = float(((y - z.to_numpy() @ beta) ** 2).sum())
    freedom = max(len(y) - z.shape[1] - 1, 1)
    covariance = np.linalg.pinv(z.T @ z) * unexplained / freedom
    width = t.ppf(0.975, freedom) * np.sqrt(np.diag(covariance))
    return Series(beta, z.columns), Series(width, z.columns), 1.0 - unexplained / len(y)


def _doubts(inputs: DataFrame, r2: Mapping[str, float]) -> list[str]:
    notes = []
    if r2["SRC"] < EXPLAINED:
        monotonic = "SRRC describe it" if r2["SRRC"] >= EXPLAINED else "nor do ranks explain it: rely on S1"
        notes.append(f"SRC explain {r2['SRC']:.0%} of the variance only: the dependence is not linear; {monotonic}.")
    pairs = inputs.corr("spearman").where(np.triu(np.ones((inputs.shape[1],) * 2, bool), k=1)).stack()
    if len(pairs) and pairs.abs().max() > CORRELATED:
        first, second = pairs.abs().idxmax()
        said = f"{first} and {second} are correlated in this sample ({pairs[first, second]:+.2f})"
        notes.append(f"{said}: what the one does and what the other does cannot be told apart, and all indices count it for both.")
    return notes


def _share(inputs: Series, values: Series) -> tuple[float, float]:
    """First-order index of one parameter and the half width of its 95 % interval; nan where there is none.

    From the means of few levels (epsilon squared, free of bias), else by RBD-FAST (Tarantola, Gatelli and Mara 2006;
    bias correction of Tissot and Prieur 2012).
    """
    codes, levels = inputs.factorize()
    if 2 <= len(levels) <= MOST_LEVELS:
        random, y = np.random.default_rng(SEED), values.to_numpy()
        resampled = [_share_between(codes[rows], y[rows]) for rows in random.integers(len(y), size=(RESAMPLES // 2, len(y)))]
        return _share_between(codes, y), 1.96 * float(np.std(resampled, ddof=1))
    if len(levels) < 2 or is_text(inputs):
        return np.nan, np.nan
    require("SALib", "a first-order index of given data", StudyError, "studies")
    from SALib.analyze import rbd_fast

    options = {**OPTIONS, "num_resamples": RESAMPLES // 2}
    found = rbd_fast.analyze(_problem(["x"]), inputs.to_numpy(dtype=float)[:, None], values.to_numpy(), **options)
    return float(found["S1"][0]), float(found["S1_conf"][0])


def _share_between(codes: npt.NDArray[np.intp], values: Numbers) -> float:
    members = np.bincount(codes)
    means = np.bincount(codes, values) / np.maximum(members, 1)
    within = float(((values - means[codes]) ** 2).sum()) / max(len(values) - int((members > 0).sum()), 1)
    return 1.0 - within / float(values.var(ddof=1))


def plot_sensitivities(found: Sensitivities, *, title: str | None = None, save: Path | None = None) -> Figure | None:
    """Draw the indices of each parameter with their 95 % intervals; of more than twenty parameters the largest."""
    shown = [name for name in next(group for group in BARS if group[0] in found.indices) if name in found.indices]
    rows = found.indices.head(MOST_PARAMETERS).fillna(0.0).rename(index=no_formula)
    figure = new_figure(6.8, 1.5 + (0.2 * len(shown) + 0.12) * len(rows))
    axes = figure.subplots()
    widths = [rows.get(f"{name}_conf", 0.0 * rows[name]) for name in shown]
    ends = {"elinewidth": 1.0, "ecolor": "0.25", "capsize": 2.0}
    rows[shown].plot.barh(ax=axes, xerr=widths, width=0.8, color=["#1f77b4", "#9ecae1", "#e6a04b"], error_kw=ends, ylabel="")
    axes.invert_yaxis()
    axes.axvline(0.0, color="0.3", linewidth=0.8)
    axes.grid(True, axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_xlabel(no_formula(f"change of {found.figure} [{found.unit or '-'}]") if shown[0] == "mu_star" else "index")
    r2 = ", ".join(f"R² of {name} = {value:.2f}" for name, value in found.r2.items())
    hidden = len(found.indices) - len(rows)
    notes = [f"{found.runs} runs", r2, f"{hidden} more parameters are not shown" if hidden else ""]
    return finished_figure(figure, title or f"Sensitivity of {found.figure}: {found.method}", notes, save)
