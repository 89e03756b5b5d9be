"""What all kinds of sensitivity analysis give: indices of the parameters, with their confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.common.quantities import aligned
from flexmbs.study.evaluation.columns import Numbers
from flexmbs.study.evaluation.table import StudyTable
from flexmbs.study.evaluation.table_text import shown


@dataclass(frozen=True)
class Sensitivities:
    """Indices of one response.

    Attributes
    ----------
    response, unit : the figure
    method : in words
    names : the D parameters
    indices : name of the index -> (D,) values; nan where it does not exist.  "S1_conf" is half the width of the 95 %
        interval of "S1", and so on
    meanings : name of the index -> what it says, in one sentence
    runs : number of runs that were used
    left_out : number of runs that could not be
    r2 : name of a regression -> R2
    notes : what limits the indices, in sentences
    second_order : (D, D) Sobol indices of pairs, upper triangle; None without
    """

    response: str
    unit: str
    method: str
    names: tuple[str, ...]
    indices: Mapping[str, Numbers]
    meanings: Mapping[str, str]
    runs: int
    left_out: int = 0
    r2: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    second_order: Numbers | None = None

    def __getitem__(self, index: str) -> Numbers:
        """(D,) values of an index."""
        try:
            return self.indices[index]
        except KeyError:
            raise KeyError(f"no index {index!r}. {near_names(index, self.indices)}") from None

    @property
    def main(self) -> str:
        """The index by which parameters are ranked."""
        ranked = [name for name in ("ST", "mu_star", "S1", "SRC") if name in self.indices]
        return next((name for name in ranked if np.isfinite(self.indices[name]).any()), next(iter(self.indices)))

    @property
    def order(self) -> list[int]:
        """Places of the parameters, the most influential first."""
        size = np.abs(self.indices[self.main])
        return sorted(range(len(self.names)), key=lambda place: -size[place] if np.isfinite(size[place]) else np.inf)

    def rows(self, digits: int = 3) -> list[list[str]]:
        """Header and a row for each parameter, as text; "0.31 ± 0.02" where there is a confidence."""
        plain = [name for name in self.indices if not name.endswith("_conf")]
        found = [["parameter", *plain]]
        for place in self.order:
            found.append([self.names[place], *(self._cell(name, place, digits) for name in plain)])
        return found

    def _cell(self, name: str, place: int, digits: int) -> str:
        value, width = float(self.indices[name][place]), self.indices.get(f"{name}_conf")
        if not np.isfinite(value):
            return "-"
        if width is None or not np.isfinite(width[place]):
            return shown(value, digits)
        return f"{shown(value, digits)} ± {shown(float(width[place]), 2)}"

    def __str__(self) -> str:
        r2 = [f"R2 of {name}: {value:.3f}" for name, value in self.r2.items()]
        left_out = f", {self.left_out} left out" if self.left_out else ""
        heading = f"{self.response}: {self.method} from {self.runs} runs{left_out}"
        return "\n".join([heading, *aligned(self.rows(), indent=""), *r2, *self.notes]) + "\n"


def varying_response(table: StudyTable, response: str) -> Numbers:
    """(n,) values of a figure, nan where there is no finite one; StudyError if no two differ."""
    values = np.array(table.numbers(response), dtype=float)
    values[~np.isfinite(values)] = np.nan
    finite = values[np.isfinite(values)]
    if len(finite) < 2:
        raise StudyError(f"sensitivity of {response}: only {len(finite)} runs have a finite value")
    if np.ptp(finite) <= 1e-14 * np.abs(finite).max():
        raise StudyError(f"sensitivity of {response}: it is {finite[0]:g} in all runs; nothing influences it")
    return values
