"""What rigid contacts, stops and joints with friction do while a mechanism is at rest.

The complementarity problem of an event (core.stepping.rigid.resolve) is solved at the position: contacts without a gap
part, slide or stick, and so do joints with friction, by the forces that act there. In equilibrium nothing accelerates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.evaluation.driver_elimination import with_tables
from flexmbs.common.errors import SimulationError
from flexmbs.core.contact.gap import gap_at
from flexmbs.core.contact.rigid.contact_work import allocate_contact_work
from flexmbs.core.equations.tangent import renew_accelerations
from flexmbs.core.laws.contact.rigid import FRICTION
from flexmbs.core.layout import state as s
from flexmbs.core.layout import switch_tables as w
from flexmbs.core.layout.records import make_records
from flexmbs.core.layout.rigid_contacts import make_rigid_contacts
from flexmbs.core.layout.tables import FUNCTION, POSITION_LEVEL, SIGNAL, VALUE, make_workspace
from flexmbs.core.mechanics.signals import evaluate_signals
from flexmbs.core.methods.bdf import METHOD
from flexmbs.core.stepping.rigid.resolve import resolve
from flexmbs.core.stepping.rigid.slots import CLOSED
from flexmbs.model.compiled_model import Model

NOBODY = -1
# tangents of a contact whose rows are on, by its ROWS_OFF
TANGENTS = {0: (1, 2), 1: (2,), 2: (1,), 3: ()}


@dataclass(frozen=True)
class Stop:
    """End of a rigid stop: a coordinate, its value there, 1 at an upper end and -1 at a lower one, the switch."""

    coordinate: int
    value: float
    side: int
    switch: int

    def gap(self, q: np.ndarray) -> float:
        return self.side * (self.value - float(q[self.coordinate]))


class RestModes:
    """Modes of all rigid contacts, stops and joints with friction of a model at rest (``moving``: its drivers move).

    Attributes
    ----------
    state : flags, history, accelerations and multipliers, as last decided
    rows : (k,) multipliers of switches that hold something
    """

    def __init__(self, model: Model, t: float, moving: bool, what: str):
        self.model, self.t, self.what = model if moving else _with_still_drivers(model, t), t, what
        tables = self.model.tables
        self.rigid = np.flatnonzero((tables.contacts["rigid"] != 0) & (tables.contacts["group"] < 0))
        self.stops = _stops(model)
        self.acts = bool(len(self.rigid) or self.stops or len(tables.joint_frictions))
        self.rows = np.zeros(0, dtype=np.int64)
        if not self.acts:
            return
        balls = len(model.balls)
        self.state = s.make_state(tables, balls, METHOD.history_rows)
        # nothing of the settings is read at an instant
        settings = s.Settings(**{name: np.zeros((0,) * dimensions) for name, (_, dimensions) in s.Settings.fields.items()})
        rigid = make_rigid_contacts(tables)
        self._log = s.make_log(tables, balls)
        work, scratch = make_workspace(tables), s.make_scratch(tables, METHOD)
        self._work, solver = work, allocate_contact_work(rigid.closed.size)
        self._blocks = (tables, self.state, settings, scratch, work, self._log, rigid, solver)

    def decide(self, q: np.ndarray, reference: np.ndarray, active: np.ndarray) -> None:
        """Modes at a position; ``active`` has the flags of the other contacts."""
        held = [stop for stop in self.stops if stop.gap(q) <= CLOSED]
        while True:
            self._settle(q, reference, active, held)
            rows = self.model.tables.switches["row"]
            pulls = [stop.side * self.state.a[rows[stop.switch]] for stop in held]
            if not held or max(pulls) <= 0.0:
                break
            held.pop(int(np.argmax(pulls)))
        self.rows = self._held_rows()

    def _settle(self, q: np.ndarray, reference: np.ndarray, active: np.ndarray, held: list[Stop]) -> None:
        tables, state = self.model.tables, self.state
        first = len(tables.contacts)
        state.q[:], state.v[:], state.a[:], state.reference[:] = q, self.model.resting_rates, 0.0, reference
        state.active[:], state.contact_history[:] = 0, 0.0
        state.active[:first] = np.where(tables.contacts["rigid"] != 0, 0, active[:first])
        for stop in held:
            state.active[first + stop.switch] = w.HELD
            state.contact_history[tables.switches["anchor_at"][stop.switch]] = stop.value
        state.time, state.instant = self.t, -np.inf
        self._log.filled[:] = 0
        outcome = resolve(*self._blocks, NOBODY, 0)
        impacts = self._log.occurrences["kind"][: self._log.occurrence_count] == w.IMPACT
        if outcome == s.NO_CONTACT_SLOT:
            raise SimulationError(f"{self.what}: more rigid contacts are closed at once than it has room for")
        if outcome != s.CHUNK_FULL:
            raise SimulationError(
                f"{self.what}: no forces of the closed rigid contacts and joints with friction fit a position at rest "
                f"({self._closed_names()}): a motion without inertia, friction that jams, or drivers that press bodies together"
            )
        if np.any(impacts):
            name = self.model.contact_names[int(self._log.occurrences["source"][int(np.argmax(impacts))])]
            raise SimulationError(f"{self.what}: drivers move the bodies of the rigid contact '{name}' into each other")
        if not renew_accelerations(tables, state, *self._blocks[3:5], 1) and held:
            raise SimulationError(f"{self.what}: the mass matrix is singular while rigid stops are held")
        for c in self.rigid:  # bodies that overlap are pushed apart
            state.contact_history[tables.contacts["history_at"][c] + w.HELD_GAP] = 0.0

    def _closed_names(self) -> str:
        model, flags = self.model, self.state.active
        names = [model.contact_names[c] for c in self.rigid if flags[c]]
        names += [model.switch_names[s] for s in model.tables.joint_frictions["switch"]]
        return ", ".join(f"'{name}'" for name in names[:8]) or "none is closed"

    def _held_rows(self) -> np.ndarray:
        tables, state = self.model.tables, self.state
        first, found = len(tables.contacts), []
        for number, switch in enumerate(tables.switches):
            on, row = state.active[first + number], int(switch["row"])
            if switch["kind"] == w.SLOT and on != w.UNUSED:
                mode, at = state.active[on - 1], tables.contacts["history_at"][on - 1]
                if mode != w.RESTING:
                    found.append(row)
                if mode == w.STICKING:
                    found += [row + k for k in TANGENTS[int(state.contact_history[at + w.ROWS_OFF])]]
            elif (switch["kind"] == w.HOLD and on == w.HELD) or (switch["kind"] == w.FRICTION_HOLD and on == w.STICKING):
                found += range(row, row + int(switch["rows"]))
        return np.array(found, dtype=np.int64)

    def stick(self) -> bool:
        """Let stick what slides though nothing moves: it does so in a vibration about this position; whether there is any."""
        if not self.acts or np.any(self.state.v != self.model.resting_rates):
            return False
        tables, flags, first = self.model.tables, self.state.active, len(self.model.tables.contacts)
        rough = [c for c in self.rigid if tables.pool[tables.contacts["at"][c] + FRICTION] > 0.0]
        places = np.array([*rough, *(first + tables.joint_frictions["switch"])], dtype=np.int64)
        sliding = places[flags[places] == w.SLIDING]
        flags[sliding] = w.STICKING
        self.rows = self._held_rows()
        return len(sliding) > 0

    def gaps(self, q: np.ndarray, reference: np.ndarray) -> np.ndarray:
        """(contacts and ends of stops,) m or rad; infinite of what is closed."""
        zero, flags = np.zeros_like(q), self.state.active
        first = len(self.model.tables.contacts)
        found = [
            np.inf if flags[c] else gap_at(self.model.tables, int(c), q, zero, zero, reference, self._work)[0] for c in self.rigid
        ]
        found += [np.inf if flags[first + stop.switch] else stop.gap(q) for stop in self.stops]
        return np.array(found)


def _with_still_drivers(model: Model, t: float) -> Model:
    """``model`` whose signals keep their values at time ``t``; rates that drivers prescribe are zero."""
    signals = model.tables.signals
    if len(signals) == 0:
        return model
    work = make_workspace(model.tables)
    evaluate_signals(model.tables, float(t), work.signal)
    n = len(signals)
    still = make_records(SIGNAL, n + 1, kind=FUNCTION, constant=[*work.signal[:n, VALUE], 0.0])
    coordinates = model.tables.coordinates.copy()
    coordinates["signal"][(coordinates["signal"] >= 0) & (coordinates["level"] > POSITION_LEVEL)] = n
    return with_tables(model, signals=still, coordinates=coordinates)


def _stops(model: Model) -> list[Stop]:
    tables, found = model.tables, []
    for event in tables.events:
        for action in tables.actions[event["action_start"] : event["action_end"]]:
            if action["kind"] == w.REBOUND:
                term = tables.terms[tables.switches["start"][action["target"]]]
                found.append(Stop(int(term["coordinate"]), float(event["value"]), int(event["direction"]), int(action["target"])))
    return found
