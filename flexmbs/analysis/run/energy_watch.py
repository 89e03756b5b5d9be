"""The energy of a run is looked at: a balance of the ledger far beyond the tolerance warns, one far beyond that stops the run.

What tolerances explain of the balance, J:
    rtol (E + T) + 2 sqrt(E K) + K + U,
E the largest energy exchanged so far, T the sum of all changes of the kinetic energy (each swing adds to the error), K the
energy of rates and deformations as large as their absolute tolerances, since d(m v^2 / 2) = 2 sqrt(m v^2 / 2  m dv^2 / 2),
and U the work of forces like weights over the absolute tolerance of positions: mechanisms at rest.

Where the balance comes from: what appears in an instant belongs to what has happened there. Of what appears over time
every element e with the work W_e in each step could be the cause by having forces that are wrong in proportion; the
share of the changes of the balance that a multiple of W_e accounts for, by least squares, says which one it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy

import numpy as np

from flexmbs.analysis.evaluation.massless_motions import mass_properties
from flexmbs.analysis.recording.energy_books import EnergyBooks
from flexmbs.analysis.run.driver_limits import DrivenMotions
from flexmbs.common.errors import ResultWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.state import Settings
from flexmbs.model.compiled_model import Model
from flexmbs.result.energy_ledger import STORED_IN_CONTACTS, exchanged
from flexmbs.result.event_records import IMPACT, LOCK, EventRecord

WARN = 30.0  # times what the tolerance explains
STOP, STOP_SHARE = 100.0 * WARN, 0.05  # and at least this part of the energy exchanged;
GAIN_LIMIT, TOLERANCES = 0.2, 20.0  # or a gain of this part of it and this many times rtol
REST_SPEED = 1e-4  # m/s: speed of the whole mechanism that counts as rest
REST_PLACE = 1e-6  # m: displacement of its weight that counts as rest
REST_MODES = 100.0  # times the elastic energy at the tolerance of the modal coordinates
MIN_GRAVITY = 10.0  # m/s2, of forces on bodies without weight
# The books are not better than MIN_RTOL, with states of users (cubics between rows) and motions whose rates are
# differences than COARSE_RTOL; a part of the largest energy is rounding.
MIN_RTOL, COARSE_RTOL, ROUNDING = 1e-11, 1e-7, 1e-13
NAMED, SMALL, NEARLY = 0.5, 0.1, 0.9  # part of the balance that names its cause; between which it has grown
SEEN = ("before", "explained", "exchanged", "worst", "worst_at", "quiet_at", "grown_at", "first", "last", "balance", "turnover")
SEEN = (*SEEN, "largest", "along", "square", "changes", "instants", "rates")  # for saved states


class EnergyWatch:
    """Looks at the steps as they arrive.

    ``rtol`` as the user has asked for; ``books``: the energy ledger, without which only skipped motions are noticed.
    """

    def __init__(self, system, model: Model, settings: Settings, rtol: float, books: EnergyBooks | None):
        self.motions = DrivenMotions(system, model)
        self.before: dict[str, np.ndarray] | None = None  # (1, ...) time and state of the drivers at the last row
        self.books = books if len(model.tables.condensed) == len(model.tables.massless) else None
        self.explained = self.exchanged = 0.0  # J up to now
        # largest balance, J; when, s; the last time it was small, and the first one when it was nearly the largest
        self.worst = self.worst_at = self.quiet_at = self.grown_at = 0.0
        if self.books is None:
            return
        coarse = np.any(model.state_coordinates) or any(signal.by_differences for signal in model.signal_list)
        self.rtol, self.finest = rtol, max(rtol, COARSE_RTOL if coarse else MIN_RTOL)
        asked = rtol / float(settings.rtol)  # steps may have a tolerance of their own
        self.slow, self.still = self._at_tolerances(model, asked * settings.atol_q, asked * settings.atol_v)
        self.columns = [i for i, column in enumerate(model.record_columns) if column.name.endswith(".power")]
        self.causes = [f"{kind} of '{name}'" for kind, name in zip(self.books.kinds, self.books.names, strict=True)]
        self.causes += [f"force of '{model.record_columns[i].name.removesuffix('.power')}'" for i in self.columns]
        self.causes += [f"normal force of '{name}'" for name in model.contact_names[: model.recorded_contacts]]
        self.bodies = {name: mass_properties(model.bodies[name]) for name in model.body_names[1:]}
        self.last: dict[str, np.ndarray] | None = None  # first row of the run or of the steps taken last, each (1, ...)
        self.balance = self.turnover = self.largest = 0.0
        self.along, self.square, self.changes = np.zeros(len(self.causes)), np.zeros(len(self.causes)), 0.0
        self.instants: dict[str, tuple[float, float]] = {}  # cause: J, and s of the first
        self.floor = self._floor(model, settings)

    @staticmethod
    def _at_tolerances(model: Model, atol_q: np.ndarray, atol_v: np.ndarray) -> tuple[float, float]:
        """K and U of the module, J."""
        controlled = np.isfinite(atol_q) & np.isfinite(atol_v)  # not states
        bodies = [mass_properties(body) for body in model.bodies.values()]
        inertia = sum(mass + np.trace(inertia) for mass, _center, inertia in bodies)
        energy = 0.5 * inertia * atol_v[controlled].max(initial=0.0) ** 2
        weight = sum(mass for mass, _center, _inertia in bodies) * max(MIN_GRAVITY, float(np.linalg.norm(model.tables.gravity)))
        for name, part in model.modal.items():
            at = np.where(np.isfinite(atol_q[part]), atol_q[part], 0.0)
            energy += 0.5 * float(np.diag(model.bodies[name].Ke) @ at**2)
        return float(energy), float(weight * atol_q[controlled].max(initial=0.0))

    @staticmethod
    def _floor(model: Model, settings: Settings) -> float:
        """Energy (J) of a mechanism at rest within rounding and tolerances."""
        masses = sum(mass_properties(body)[0] for body in model.bodies.values())
        floor = masses * (REST_SPEED**2 + REST_PLACE * float(np.linalg.norm(model.tables.gravity)))
        for name, part in model.modal.items():
            stiffness = np.diag(model.bodies[name].Ke)
            floor += REST_MODES * 0.5 * float(stiffness @ np.asarray(settings.atol_q[part]) ** 2)
        return floor

    @np.errstate(over="ignore", invalid="ignore")  # of a run that diverges
    def take(
        self, model: Model, rows: np.ndarray, watched: np.ndarray, arrays: dict[str, np.ndarray], events: Sequence[EventRecord]
    ) -> tuple[float, str] | None:
        """Time (s) and message where the run must stop in these rows; None: nowhere.

        ``arrays`` describe the ``watched`` (rows,) ones; ``events`` since the rows before.
        """
        times, states = rows[:, TIME], self.motions.driven(model, rows)
        before = {"t": times[:1], "driven": states[:1]} if self.before is None else self.before
        self.before = {"t": times[-1:].copy(), "driven": states[-1:].copy()}
        seen = self.motions.is_seen(np.append(before["t"], times), np.concatenate([before["driven"], states]))
        if self.books is None or "ledger" not in arrays or not np.any(watched):
            return None
        unseen = np.append(0, np.cumsum(~seen)[watched])
        names = {"t": "t", "ledger": "ledger", "energy": "energy", "force": "contact_force", "gap": "contact_gap"}
        now = {name: arrays[key] for name, key in names.items()} | {"power": arrays["record"][:, self.columns]}
        if self.last is None:
            self.first = self.last = {name: array[:1] for name, array in now.items()}
        both = {name: np.concatenate([self.last[name], array]) for name, array in now.items()}
        self.last = {name: array[-1:].copy() for name, array in now.items()}
        step = {name: np.diff(array, axis=0) for name, array in both.items()}
        came = step["energy"].sum(axis=1) - step["ledger"][:, :STORED_IN_CONTACTS] @ self.books.signs
        came[np.diff(unseen) > 0] = 0.0  # the quadrature may not see these drivers either
        self.rates = arrays["body_velocity"][-1, 1:], arrays["body_angular_velocity"][-1, 1:]
        self._attribute(both, step, came, events, not np.all(watched))
        return self._judge(now, self.balance + np.cumsum(came), self.turnover + np.cumsum(np.abs(step["energy"][:, 0])))

    def _judge(self, now: dict[str, np.ndarray], balance: np.ndarray, turnover: np.ndarray) -> tuple[float, str] | None:
        """Compare the ``balance`` with what the tolerances explain; where and why the run must stop."""
        t, size, energy = now["t"], np.abs(balance), now["energy"]
        since = (np.concatenate([self.first[name], now[name]]) for name in ("energy", "ledger"))
        scale = np.maximum.accumulate(np.append(self.exchanged, exchanged(*since)))[2:]
        self.largest = max(self.largest, float(np.abs(energy).max()))
        explained = self.finest * (scale + turnover) + 2.0 * np.sqrt(scale * self.slow) + self.slow + self.still
        explained += ROUNDING * self.largest + 1e-300
        stops = (size > STOP * explained) & (size > STOP_SHARE * scale + self.floor)
        stops |= balance > max(GAIN_LIMIT, TOLERANCES * self.rtol) * scale + self.floor
        end = int(np.argmax(stops)) if np.any(stops) else len(t) - 1
        self.explained, self.exchanged = float(explained[end]), float(scale[end])
        i = int(np.argmax(size[: end + 1]))
        if size[i] > abs(self.worst):
            quiet = np.flatnonzero(size[: i + 1] <= SMALL * size[i])
            self.quiet_at = float(t[quiet[-1]]) if len(quiet) else self.quiet_at
            if abs(self.worst) < NEARLY * size[i]:
                self.grown_at = float(t[int(np.argmax((size >= NEARLY * size[i]) & (t > self.quiet_at)))])
            self.worst, self.worst_at = float(balance[i]), float(t[i])
        message = (float(t[end]), self.message()) if np.any(stops) else None
        self.balance, self.turnover = float(balance[-1]), float(turnover[-1])
        self.explained, self.exchanged = float(explained[-1]), float(scale[-1])
        return message

    def _attribute(self, both: dict, step: dict, came: np.ndarray, events: Sequence[EventRecord], sparse: bool) -> None:
        """Add changes of the balance to what may have caused them."""
        h, at_once = step["t"], step["t"] == 0.0
        if sparse and events:
            at = np.searchsorted(both["t"][1:], [event.time for event in events])
            at_once[at[at < len(at_once)]] = True
        for i in np.flatnonzero(at_once & (came != 0.0)):
            there = [event for event in events if both["t"][i] <= event.time <= both["t"][i + 1]]
            there = [event for event in there if event.kind in (IMPACT, LOCK)] or there
            if there:
                name = f"{there[0].kind} of '{there[0].name}'"
                total, since = self.instants.get(name, (0.0, there[0].time))
                self.instants[name] = total + float(came[i]), since
        pairs = {name: 0.5 * (both[name][1:] + both[name][:-1]) for name in ("power", "force")}
        flows = step["ledger"][:, :STORED_IN_CONTACTS], pairs["power"] * h[:, None], pairs["force"] * step["gap"]
        work, left = np.column_stack(flows)[~at_once], came[~at_once]
        self.along += left @ work
        self.square += (work**2).sum(axis=0)
        self.changes += float(left @ left)

    def note(self) -> dict[str, object]:
        """What has been seen so far, for a saved state: a run that is resumed tells what the whole one would."""
        return {"skipped": self.motions.skipped, **deepcopy({name: vars(self)[name] for name in SEEN if name in vars(self)})}

    def go_on(self, note: Mapping[str, object]) -> None:
        """Take over what a :meth:`note` holds."""
        self.motions.skipped = str(note.get("skipped", ""))
        vars(self).update({name: _with_arrays(note[name]) for name in SEEN if name in note})

    def message(self) -> str:
        """How far the balance is beyond the tolerance, where and by what."""
        beyond = float(f"{abs(self.worst) / self.explained:.2g}")
        how, who = ("gained", "supplied") if self.worst > 0.0 else ("lost", "took")
        return (
            f"the mechanism has {how} {abs(self.worst):.3g} J that nothing {who}, by t = {self.worst_at:.6g} s and of "
            f"{self.exchanged:.3g} J exchanged: {beyond:.0f} times what rtol = {self.rtol:g} explains. {self._origin()}. Try a "
            "tighter tolerance (rtol), or a max_step shorter than the shortest force; what stays is an error of a force or of an "
            "energy (docs/energy.md)"
        )

    def _origin(self) -> str:
        name, (size, since) = max(self.instants.items(), key=lambda one: abs(one[1][0]), default=("", (0.0, 0.0)))
        if abs(size) > NAMED * abs(self.worst):
            return f"{size:.3g} J of it arose in the {name}, first at t = {since:.6g} s"
        share = self.along**2 / np.maximum(self.square * self.changes, 1e-300)
        when = f"It arose between t = {self.quiet_at:.6g} and {self.grown_at:.6g} s"
        if len(share) and share.max() > NAMED:
            return f"{when}, in proportion to the work of the {self.causes[int(np.argmax(share))]}"
        sizes = [
            (0.5 * mass * float(v @ v) + 0.5 * float(np.linalg.eigvalsh(inertia)[-1] * (w @ w)), name)
            for (name, (mass, _center, inertia)), v, w in zip(self.bodies.items(), *self.rates, strict=True)
        ]
        size, fastest = max(sizes)
        return f"{when}, in proportion to the work of no single element; about {size:.2g} J are in body '{fastest}'"

    def warn(self) -> None:
        """ResultWarning if a step was longer than the motion of a driver, or if the balance is far beyond the tolerance."""
        if self.motions.skipped:
            warn(
                f"{self.motions.skipped}: histories within that step, and the position that follows from a prescribed rate, are "
                "wrong. Set max_step to about a tenth of the duration of that motion",
                ResultWarning,
            )
        elif abs(self.worst) > WARN * self.explained:
            warn(self.message(), ResultWarning)


def _with_arrays(value):
    """Lists, which JSON has in place of arrays, as arrays again; copies."""
    if isinstance(value, dict):
        return {name: _with_arrays(one) for name, one in value.items()}
    return np.array(value, dtype=float) if isinstance(value, list | tuple | np.ndarray) else value
