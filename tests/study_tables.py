"""Tables of studies made of arrays, for tests of what is done with them."""

import numpy as np

from flexmbs.study.evaluation.columns import FIGURE, PARAMETER, Column
from flexmbs.study.evaluation.table import StudyTable


def table_of(parameters, figures, units=None, not_run=0):
    """Names -> arrays; a run whose figures are all nan has failed."""
    units = units or {}

    def column(name, values, role):
        values = np.asarray(values)
        if values.dtype.kind in "US":
            return Column(name, units.get(name, ""), "", role, values.astype(object))
        whole = bool((values[np.isfinite(values)] % 1 == 0).all())
        return Column(name, units.get(name, ""), "", role, values.astype(float), whole)

    columns = {name: column(name, values, PARAMETER) for name, values in parameters.items()}
    columns |= {name: column(name, values, FIGURE) for name, values in figures.items()}
    count = len(next(iter(columns.values())).values)
    numbers = [c.values for c in columns.values() if c.role == FIGURE and not c.is_text]
    finished = ~np.all(np.isnan(numbers), axis=0) if numbers else np.ones(count, bool)
    keys = np.array([b"%032x" % run for run in range(count)])
    failed = int((~finished).sum())
    return StudyTable(columns, np.arange(count), keys, finished, np.full(count, 0.1), failed, not_run)


UNITS = {"length": "m", "stiffness": "Pa", "force": "N", "deflection": "m"}


def pendulum_like(count, failing=0.05, seed=0):
    """A study of numbers spread over decades, whole numbers, text, a constant, failed runs and an infinite value."""
    random = np.random.default_rng(seed)
    length = random.uniform(0.8, 1.2, count)
    stiffness = 10.0 ** random.uniform(9.0, 11.3, count)
    modes = random.integers(2, 6, count)
    mesh = np.array(["rod_coarse.inp", "rod_medium.inp", "rod_fine.inp"])[random.integers(0, 3, count)]
    force = 16e3 * np.sqrt(stiffness / 2e11) * length**1.5 * (1.0 + 0.05 * random.normal(size=count))
    deflection = 1e-3 * length**3 * (2e11 / stiffness) ** 0.3
    fixed = np.full(count, 3.0)
    failed = random.random(count) < failing
    if count > 20:
        force[np.flatnonzero(~failed)[0]] = np.inf
    for figure in (force, deflection, fixed):
        figure[failed] = np.nan
    parameters = {"length": length, "stiffness": stiffness, "modes": modes, "mesh": mesh}
    return table_of(parameters, {"force": force, "deflection": deflection, "fixed": fixed}, UNITS)
