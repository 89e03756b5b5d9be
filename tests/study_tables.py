"""Tables of studies made of arrays, for tests of what is done with them."""

import numpy as np

from flexmbs.study.run_record import RunFailure, RunRecord
from flexmbs.study.table import collect


def table_of(parameters, figures, units=None, not_run=0, message="diverged", warnings=()):
    """Names -> arrays; a run whose figures are all nan has failed."""
    units, count = units or {}, len(next(iter({**parameters, **figures}.values())))
    columns = [{name: np.asarray(values).tolist() for name, values in part.items()} for part in (parameters, figures)]

    def record(run):
        values = {name: column[run] for name, column in columns[1].items()}
        if values and all(value != value for value in values.values()):
            return RunRecord(f"{run:032x}", "failed", {}, {}, 0.1, failure=RunFailure("SimulationError", message))
        return RunRecord(f"{run:032x}", "finished", {}, values, 0.1, warnings=warnings)

    rows = [(run, {name: column[run] for name, column in columns[0].items()}, record(run)) for run in range(count)]
    rows += [(count + run, {}, None) for run in range(not_run)]
    own = {name: unit for name, unit in units.items() if name in figures}
    return collect(rows, {name: (units.get(name, ""), "") for name in parameters}, tuple(figures), units=own)


UNITS = {"length": "m", "stiffness": "Pa", "force": "N", "deflection": "m"}


def pendulum_like(count, failing=0.05, seed=0, **options):
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
    return table_of(parameters, {"force": force, "deflection": deflection, "fixed": fixed}, UNITS, **options)
