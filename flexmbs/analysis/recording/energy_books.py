"""The energy ledger of a run: who supplies energy and who dissipates it, integrated over every step.

All rows of the log are integrated as they come, whatever of them is stored; the sums stand behind the numbers of each
row, so that thinning, saved states and resumed runs carry them along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.recording.log_records import described_steps
from flexmbs.core.laws.contact.rigid import FRICTION as COEFFICIENT_OF_FRICTION
from flexmbs.core.laws.force.spring import SpringLaw
from flexmbs.core.layout.energy_booking import flow_starts, make_booking
from flexmbs.core.layout.switch_tables import HOLD
from flexmbs.core.layout.switch_tables import IMPACT as IMPACT_OF_CONTACT
from flexmbs.core.layout.tables import SURFACES, ZERO_MATRIX, make_workspace
from flexmbs.core.stepping.book_energy import book_energy
from flexmbs.mechanism.forces import Element, Load
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.result.energy_ledger import (
    CONTACT,
    CONTACT_FRICTION,
    DAMPING,
    DRIVER,
    FRICTION,
    IMPACT,
    LOAD,
    LOCK,
    MODAL_DAMPING,
    MOTOR,
    is_loss,
)

# what the quadrature of an interval may miss of all energy that has flowed, of rtol
RESOLVED, RESOLVED_AT_LEAST_AND_MOST = 1e-2, (1e-14, 1e-8)
FRICTION_LAW = "friction"  # ForceLaw.kind


@dataclass(frozen=True)
class Entry:
    """A line of the ledger: its kind (flexmbs.result.energy_ledger), the name of the element, its flow."""

    kind: str
    name: str
    flow: int


def _prescribed(model: Model) -> Iterator[Entry]:
    """Drivers of coordinates, and constraints that prescribe something in time."""
    for k in model.driven_coordinates:
        yield Entry(DRIVER, model.coordinate_names[k], int(k))
    for name, constraint in zip(model.constraint_names, model.tables.constraints, strict=True):
        if name in model.prescribing:
            yield Entry(DRIVER, name, int(constraint["row"]))


def _loads(system: Mechanism, model: Model) -> Iterator[Entry]:
    first = flow_starts(model.tables)
    at_load, at_spread = first["loads"], first["spread_loads"]
    for name, load in system.loads.items():
        if isinstance(load, Load):
            yield Entry(LOAD, name, at_load)
            at_load += 1
        else:
            yield Entry(LOAD, name, at_spread)
            at_spread += 1


def _elements(system: Mechanism, model: Model) -> Iterator[Entry]:
    """Elements in the order of the tables: those of joints, then the others."""
    elements: list[Element] = [element for joint in system.joints.values() for element in joint.forces]
    elements += system.springs.values()
    for flow, element in enumerate(elements, start=flow_starts(model.tables)["elements"]):
        law = element.law
        if isinstance(law, SpringLaw) and isinstance(law.damping, float | int) and law.damping == 0.0:
            continue
        supplies = law.is_driven or (law.energy is None and not law.is_passive and law.kind != FRICTION_LAW)
        kind = MOTOR if supplies else FRICTION if law.kind == FRICTION_LAW else DAMPING
        yield Entry(kind, element.name, flow)


def _of_tables(system: Mechanism, model: Model) -> Iterator[Entry]:
    """Dampers of bushings, couplers and modes; contacts."""
    first = flow_starts(model.tables)
    for i, bushing in enumerate(system.bushings.values()):
        if np.any(bushing.damping):
            yield Entry(DAMPING, bushing.name, first["bushings"] + i)
    for i, coupler in enumerate(system.couplers.values()):
        if coupler.damping != 0.0:
            yield Entry(DAMPING, coupler.name, first["couplers"] + i)
    for i, name in enumerate(model.body_names):
        if i > 0 and model.tables.bodies["damping_kind"][i] != ZERO_MATRIX and model.tables.bodies["modes"][i] > 0:
            yield Entry(MODAL_DAMPING, name, first["bodies"] + i)
    for i, name in enumerate(model.contact_names):
        record = model.tables.contacts[i]
        if record["rigid"] != 0:
            yield Entry(IMPACT, name, first["impacts"] + i)
        else:
            yield Entry(CONTACT, name, first["contacts"] + i)
        if _rubs(model, record):
            yield Entry(CONTACT_FRICTION, name, first["friction"] + i)
    for i, name in enumerate(model.switch_names):
        if model.tables.switches["kind"][i] == HOLD:
            yield Entry(LOCK, name, first["locks"] + i)


def _rubs(model: Model, contact) -> bool:
    """Whether the friction of a contact has a line of its own; that of surfaces is in the line of their contact."""
    if contact["rigid"] != 0:
        return model.tables.pool[int(contact["at"]) + COEFFICIENT_OF_FRICTION] != 0.0
    return contact["friction"] != 0 and contact["kind"] != SURFACES


class EnergyBooks:
    """Books the energy of one run.

    A booked row is a row of the log with ``size`` numbers behind it: the flows of the entries, what contacts store, and
    the energy at the start of the run.

    Attributes
    ----------
    names, kinds : of the lines of the ledger
    """

    def __init__(self, system: Mechanism, model: Model, rtol: float):
        self.resolved = float(np.clip(RESOLVED * rtol, *RESOLVED_AT_LEAST_AND_MOST))
        entries = [*_prescribed(model), *_loads(system, model), *_elements(system, model), *_of_tables(system, model)]
        self.names, self.kinds = tuple(entry.name for entry in entries), tuple(entry.kind for entry in entries)
        self.flows = np.array([entry.flow for entry in entries], dtype=np.int64)
        self.drivers = np.array([entry.flow for entry in entries if entry.kind == DRIVER], dtype=np.int64)
        self.signs = np.where([is_loss(kind) for kind in self.kinds], -1.0, 1.0)
        self.booked = np.zeros(flow_starts(model.tables)["flows"], dtype=np.int64)
        self.booked[self.flows] = 1
        self.width, self.size = model.log_row.width, len(entries) + 2
        self.start = 0.0  # energy (J) at the first row of the run
        self._set_model(model)

    def _set_model(self, model: Model) -> None:
        self.model, self._booking = model, make_booking(model.tables, self.booked, self.resolved)
        self._work = make_workspace(model.tables)

    def rows(self, model: Model, last: np.ndarray | None, rows: np.ndarray, occurrences: np.ndarray) -> np.ndarray:
        """Booked rows of the log; ``last``: the booked row before them, None at the start of a run.

        ``occurrences``: what has happened meanwhile (flexmbs.core.layout.state.Log).
        """
        if model is not self.model:  # another choice of independent constraints
            self._set_model(model)
        log, booking = rows, self._booking
        booking.total[:] = 0.0
        if last is not None:
            booking.total[self.flows] = last[self.width : -2]
            log = np.concatenate([last[None, : self.width], rows])
        out = np.zeros((len(log), len(self.booked) + 1))
        book_energy(model.tables, np.ascontiguousarray(log), len(log), len(model.balls), booking, self._work, out)
        out = out[len(log) - len(rows) :]
        if len(occurrences):
            impulsive = occurrences[occurrences["energy_lost"] != 0.0]
            self._book_losses(impulsive, out)
            self._book_impulsive_work(log, len(log) - len(rows), impulsive, out)
        return np.column_stack([rows, out[:, self.flows], out[:, -1], np.full(len(rows), self.start)])

    def _book_losses(self, impulsive: np.ndarray, out: np.ndarray) -> None:
        """What impacts and locks have lost, from the row behind them on."""
        first = flow_starts(self.model.tables)
        for occurrence in impulsive:
            group = first["impacts" if occurrence["kind"] == IMPACT_OF_CONTACT else "locks"]
            out[occurrence["row"] :, group + occurrence["source"]] -= occurrence["energy_lost"]

    def _book_impulsive_work(self, log: np.ndarray, skipped: int, impulsive: np.ndarray, out: np.ndarray) -> None:
        """The work of drivers in impacts and locks: what these lose, and the energy that has come all the same.

        Of several drivers the sum is known; it is shared in proportion to their speeds.
        """
        if not len(self.drivers):
            return
        for row in np.unique(impulsive["row"]):
            after = row + skipped
            if not 0 < after < len(log):
                continue
            energy = described_steps(self.model, self._work, np.ascontiguousarray(log[after - 1 : after + 1]))["energy"]
            lost = impulsive["energy_lost"][impulsive["row"] == row].sum()
            speeds = np.abs(log[after, self.model.log_row.v][self.drivers])
            shares = speeds / speeds.sum() if speeds.sum() > 0.0 else np.full(len(speeds), 1.0 / len(speeds))
            out[row:, self.drivers] += shares * (energy[1].sum() - energy[0].sum() + lost)

    def columns(self, booked: np.ndarray, energy: np.ndarray) -> np.ndarray:
        """(rows, lines + 2) ``Trajectory.ledger`` of booked rows with their ``energy`` (rows, 3)."""
        numbers = booked[:, self.width :]
        flows = numbers[:, :-2]
        balance = energy.sum(axis=1) - numbers[:, -1] - flows.sum(axis=1)
        return np.column_stack([self.signs * flows, numbers[:, -2], balance])
