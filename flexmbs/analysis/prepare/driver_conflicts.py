"""Drivers that contradict each other or the joints: detected before a run, and reported by name.

A driver whose row is a linear combination of the rows of the loops and of other drivers prescribes a motion that these
already determine. If it prescribes the same motion the driver is redundant; otherwise no motion exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.analysis.assembly.close_loops import assembled
from flexmbs.analysis.assembly.independent_constraints import nearby
from flexmbs.analysis.assembly.misalignment import is_misalignment
from flexmbs.analysis.evaluation.constraint_directions import dense, null_space
from flexmbs.analysis.evaluation.driver_elimination import imposed, with_drivers, without_drivers
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.common.errors import MechanismError
from flexmbs.core.layout.tables import OPENINGS
from flexmbs.core.mechanics.signals import impose_drivers
from flexmbs.model.compiled_model import Model

DEPENDENT = 1e-7
# Derivatives of drivers that are not given are finite differences with a relative error of about 1e-9.
SAME = 1e-5
MAX_UNKNOWNS = 1000  # above, conflicts are detected during the run only (flexmbs.analysis.run.run_in_chunks)


@dataclass(frozen=True)
class Driver:
    """A prescribed joint coordinate, or a constraint that prescribes a motion (coupling, rod, marker component).

    ``number`` is that of the coordinate or of the constraint in the model.
    """

    name: str
    number: int
    is_coordinate: bool


def drivers_of(model: Model) -> list[Driver]:
    """All drivers of a model: coordinates first."""
    found = [Driver(f"driver of '{model.coordinate_names[k]}'", int(k), True) for k in model.driven_coordinates]
    for c, name in enumerate(model.constraint_names):
        if name in model.prescribing:
            found.append(Driver(f"driver '{name}'", c, False))
    return found


def closed_with_drivers(model: Model, t: float) -> Model:
    """:func:`assembled`, naming contradictory drivers.

    Raises
    ------
    MechanismError
        Drivers contradict each other or the joints, or the loops cannot be closed.
    """
    drivers = drivers_of(model)
    try:
        closed = assembled(model, t)
    except MechanismError as error:
        if not drivers or not len(model.tables.constraints) or is_misalignment(error):
            raise
        return _closed_one_by_one(model, drivers, t, error)
    if drivers and len(model.tables.constraints) and len(model.q) <= MAX_UNKNOWNS:
        _check(closed, drivers, t)
    return closed


def _closed_one_by_one(model: Model, drivers: Sequence[Driver], t: float, error: MechanismError) -> Model:
    """Close the loops without drivers, then add drivers one at a time; the first that cannot be satisfied is named."""
    model = imposed(model, t)
    try:
        closed = _closed_with(model, (), drivers, t)
    except MechanismError:
        raise error from None
    for i, driver in enumerate(drivers):
        at_start = replace(model, q=closed.q, v=closed.v, reference=closed.reference)
        try:
            closed = _closed_with(at_start, drivers[: i + 1], drivers, t)
        except MechanismError as failure:
            conflict = MechanismError(_conflict(model, closed, driver, drivers[:i], t, failure))
            conflict.closing = closed.closing
            raise conflict from None
    return imposed(closed, t)


def _closed_with(model: Model, kept: Sequence[Driver], drivers: Sequence[Driver], t: float) -> Model:
    ignored = frozenset(d.number for d in drivers if not d.is_coordinate and d not in kept)
    held = {d.number for d in kept if d.is_coordinate}
    found = assembled(with_drivers(model, held), t, ignored)
    return replace(found, tables=model.tables)


def _conflict(model: Model, closed: Model, driver: Driver, earlier: Sequence[Driver], t: float, failure) -> str:
    """Why ``driver`` cannot be satisfied in addition to the loops and the ``earlier`` drivers."""
    partners = _Dependence(closed, [*earlier, driver], t).partners(len(earlier))
    locks = f". {closed.closing.locks}" if closed.closing is not None and closed.closing.axes else ""
    if partners is None:
        return f"the {driver.name} demands a position that the loops cannot reach at t = {t:g} s: {failure}{locks}"
    reason = ""
    if driver.is_coordinate:
        unit = model.stored_units[model.stored_names.index(model.coordinate_names[driver.number])]
        wanted, possible, suffix = model.q[driver.number], closed.q[driver.number], ""
        if abs(wanted - possible) < 1e-9:
            wanted, possible, suffix = model.v[driver.number], closed.v[driver.number], "/s"
        reason = f": it demands {wanted:.6g} {unit}{suffix} at t = {t:g} s, where only {possible:.6g} is possible"
    return _contradiction(driver, partners) + reason + locks


def _contradiction(driver: Driver, partners: Sequence[Driver]) -> str:
    if not partners:
        return f"the {driver.name} moves a coordinate that the joints lock"
    return f"the {driver.name} contradicts the {' and the '.join(partner.name for partner in partners)}"


def _check(closed: Model, drivers: Sequence[Driver], t: float) -> None:
    """MechanismError for drivers of locked coordinates and for redundant drivers with different accelerations."""
    dependence = _Dependence(closed, drivers, t)
    for i, driver in enumerate(drivers):
        partners = dependence.partners(i)
        if partners is None:
            continue
        if not partners:
            raise MechanismError(
                f"{_contradiction(driver, ())}: its loop leaves no motion. Remove the driver, or a joint of its loop"
            )
        if not dependence.agrees(i):
            raise MechanismError(f"{_contradiction(driver, partners)}: they demand different accelerations at t = {t:g} s")


class _Dependence:
    """Dependence of driver rows on the rows of the loops, in the closed position and slightly further along."""

    def __init__(self, closed: Model, drivers: Sequence[Driver], t: float):
        self.closed, self.drivers, self.t = closed, drivers, t
        undriven = without_drivers(closed, t)
        moved = nearby(undriven, t)
        self.places = [self._place(one) for one in ((undriven,) if moved is None else (undriven, moved))]

    def _place(self, model: Model) -> tuple[np.ndarray, np.ndarray]:
        """(null space of the rows without drivers, (drivers, coordinates) rows of the drivers)."""
        evaluator = Evaluator(model)
        G = dense(evaluator.constraint_matrix(model.q, model.reference, self.t, OPENINGS))
        prescribed = np.zeros(len(G), dtype=bool)
        rows = np.zeros((len(self.drivers), model.coordinate_count))
        for constraint, name in zip(model.tables.constraints, model.constraint_names, strict=True):
            if name in model.prescribing:
                at = int(constraint["row"] - evaluator.rows[0])
                prescribed[at : at + int(constraint["rows"])] = True
        for i, driver in enumerate(self.drivers):
            if driver.is_coordinate:
                rows[i, driver.number] = 1.0
            else:
                rows[i] = G[int(model.tables.constraints[driver.number]["row"] - evaluator.rows[0])]
        return null_space(G[~prescribed]), rows

    def partners(self, i: int) -> list[Driver] | None:
        """Earlier drivers on which driver ``i`` depends (empty: on the loops alone); None if it is independent."""
        chosen: list[Driver] = []
        for free, rows in self.places:
            seen = rows @ free
            size = max(float(np.linalg.norm(rows[i])), 1e-300)
            if i == 0 or not np.any(seen[:i]):
                coefficients, rest = np.zeros(i), seen[i]
            else:
                coefficients = np.linalg.lstsq(seen[:i].T, seen[i], rcond=1e-9)[0]
                rest = seen[i] - coefficients @ seen[:i]
            if np.linalg.norm(rest) > DEPENDENT * size:
                return None
            chosen = [driver for driver, c in zip(self.drivers, coefficients, strict=False) if abs(c) > 1e-6]
        return chosen

    def agrees(self, i: int) -> bool:
        """Whether the acceleration that driver ``i`` prescribes agrees with the loops and the other drivers."""
        model = self.closed
        undriven = without_drivers(model, self.t)
        evaluator = Evaluator(undriven)
        zero = np.zeros_like(model.q)
        G = dense(evaluator.constraint_matrix(undriven.q, undriven.reference, self.t))
        right = -evaluator.residual(undriven.q, undriven.v, zero, undriven.reference, self.t)[evaluator.rows]
        demanded = zero.copy()
        impose_drivers(model.tables, evaluator.work.signal, model.q.copy(), model.v.copy(), demanded)
        own = np.zeros(len(G), dtype=bool)
        driver = self.drivers[i]
        others = [d.number for d in self.drivers[:i] if d.is_coordinate]
        unit = np.eye(model.coordinate_count)
        if driver.is_coordinate:
            row, wanted = unit[driver.number], demanded[driver.number]
        else:
            at = int(model.tables.constraints[driver.number]["row"] - evaluator.rows[0])
            own[at] = True
            row, wanted = G[at], right[at]
        system = np.vstack([G[~own], unit[others]])
        found = np.linalg.lstsq(system, np.concatenate([right[~own], demanded[others]]), rcond=1e-9)[0]
        return bool(abs(row @ found - wanted) <= SAME * max(1.0, float(np.abs(found).max())))
