"""The energy ledger of a run is looked at: a balance far beyond the tolerance warns, one far beyond that stops the run.

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

from collections.abc import Sequence

import numpy as np

from flexmbs.analysis.evaluation.massless_motions import mass_properties
from flexmbs.analysis.recording.energy_books import EnergyBooks
from flexmbs.common.errors import ResultWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.state import Settings
from flexmbs.model.compiled_model import Model
from flexmbs.result.energy_ledger import BALANCE, STORED_IN_CONTACTS, exchanged
from flexmbs.result.event_records import IMPACT, LOCK, EventRecord

WARN = 30.0  # times what the tolerance explains
STOP, STOP_SHARE = 100.0 * WARN, 0.05  # and at least this part of the energy exchanged
LEAST_GRAVITY = 10.0  # m/s2, of forces on bodies without weight
# The books are not better than LEAST_RTOL, with states of users (cubics between rows) and motions whose rates are
# differences than COARSE_RTOL; a part of the largest energy is rounding.
LEAST_RTOL, COARSE_RTOL, ROUNDING = 1e-11, 1e-7, 1e-13
NAMED, SMALL, NEARLY = 0.5, 0.1, 0.9  # part of the balance that names its cause; between which it has grown


class LedgerWatch:
    """Looks at the balance of the steps as they arrive."""

    def __init__(self, model: Model, settings: Settings, rtol: float, books: EnergyBooks):
        coarse = np.any(model.state_coordinates) or any(signal.by_differences for signal in model.signal_list)
        self.rtol, self.finest = rtol, max(rtol, COARSE_RTOL if coarse else LEAST_RTOL)
        asked = rtol / float(settings.rtol)  # steps may have a tolerance of their own
        self.slow, self.still = self._at_tolerances(model, asked * settings.atol_q, asked * settings.atol_v)
        self.columns = [i for i, column in enumerate(model.record_columns) if column.name.endswith(".power")]
        self.causes = [f"{kind} of '{name}'" for kind, name in zip(books.kinds, books.names, strict=True)]
        self.causes += [f"force of '{model.record_columns[i].name.removesuffix('.power')}'" for i in self.columns]
        self.causes += [f"normal force of '{name}'" for name in model.contact_names[: model.recorded_contacts]]
        self.last: dict[str, np.ndarray] | None = None  # first row of the run or of the steps taken last, each (1, ...)
        self.balance = self.turnover = self.largest = 0.0
        # largest balance, J; when, s; the last time it was small, and the first one when it was nearly the largest
        self.worst = self.worst_at = self.quiet_at = self.grown_at = 0.0
        self.explained = self.exchanged = 0.0  # J up to now
        self.along, self.square, self.changes = np.zeros(len(self.causes)), np.zeros(len(self.causes)), 0.0
        self.instants: dict[str, tuple[float, float]] = {}  # cause: J, and s of the first

    @staticmethod
    def _at_tolerances(model: Model, atol_q: np.ndarray, atol_v: np.ndarray) -> tuple[float, float]:
        """K and U of the module, J."""
        controlled = np.isfinite(atol_q) & np.isfinite(atol_v)  # not states
        bodies = [mass_properties(body) for body in model.bodies.values()]
        inertia = sum(mass + np.trace(inertia) for mass, _center, inertia in bodies)
        energy = 0.5 * inertia * atol_v[controlled].max(initial=0.0) ** 2
        weight = sum(mass for mass, _center, _inertia in bodies) * max(LEAST_GRAVITY, float(np.linalg.norm(model.tables.gravity)))
        for name, part in model.modal.items():
            at = np.where(np.isfinite(atol_q[part]), atol_q[part], 0.0)
            energy += 0.5 * float(np.diag(model.bodies[name].Ke) @ at**2)
        return float(energy), float(weight * atol_q[controlled].max(initial=0.0))

    def take(
        self, rows: np.ndarray, arrays: dict[str, np.ndarray], events: Sequence[EventRecord], seen: np.ndarray | None, rest: float
    ) -> tuple[float, str] | None:
        """Time (s) and message where the run must stop, in these ``rows`` that ``arrays`` describe; None: nowhere.

        ``events`` among them; ``seen`` (rows,): steps that resolve their drivers (None: some steps are left out);
        ``rest``: J of a mechanism at rest.
        """
        ledger, energy = arrays["ledger"], arrays["energy"]
        now = {
            "t": rows[:, TIME],
            "ledger": ledger,
            "energy": energy,
            "force": arrays["contact_force"],
            "gap": arrays["contact_gap"],
        }
        now["power"] = arrays["record"][:, self.columns]
        if self.last is None:
            self.first = self.last = {name: array[:1] for name, array in now.items()}
        both = {name: np.concatenate([self.last[name], array]) for name, array in now.items()}
        self.last = {name: array[-1:].copy() for name, array in now.items()}
        step = {name: np.diff(array, axis=0) for name, array in both.items()}
        came = step["ledger"][:, BALANCE]
        came = came if seen is None else np.where(seen, came, 0.0)
        self._attribute(both, step, came, events, seen is None)
        balance = self.balance + np.cumsum(came)
        turnover = self.turnover + np.cumsum(np.abs(step["energy"][:, 0]))
        since = (np.concatenate([self.first[name], now[name]]) for name in ("energy", "ledger"))
        scale = np.maximum.accumulate(np.append(self.exchanged, exchanged(*since)))[2:]
        self.largest = max(self.largest, float(np.abs(energy).max()))
        explained = self.finest * (scale + turnover) + 2.0 * np.sqrt(scale * self.slow) + self.slow + self.still
        explained += ROUNDING * self.largest + 1e-300
        self.balance, self.turnover = float(balance[-1]), float(turnover[-1])
        size, t = np.abs(balance), now["t"]
        stops = (size > STOP * explained) & (size > STOP_SHARE * scale + rest)
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

    def message(self) -> str:
        """How far the balance is beyond the tolerance, where and by what."""
        beyond = float(f"{abs(self.worst) / self.explained:.2g}")
        return (
            f"the energy balance is off by {self.worst:.3g} J at t = {self.worst_at:.6g} s, of {self.exchanged:.3g} J "
            f"exchanged: {beyond:.0f} times what rtol = {self.rtol:g} explains. {self._origin()}. With a tighter rtol, or a "
            "max_step shorter than the shortest force, the error of the integration vanishes; what stays is an error of a force or "
            "of an energy (docs/energy.md)"
        )

    def _origin(self) -> str:
        name, (size, since) = max(self.instants.items(), key=lambda one: abs(one[1][0]), default=("", (0.0, 0.0)))
        if abs(size) > NAMED * abs(self.worst):
            return f"{size:.3g} J of it arose in the {name}, first at t = {since:.6g} s"
        share = self.along**2 / np.maximum(self.square * self.changes, 1e-300)
        when = f"It arose between t = {self.quiet_at:.6g} and {self.grown_at:.6g} s"
        if len(share) and share.max() > NAMED:
            return f"{when}, in proportion to the work of the {self.causes[int(np.argmax(share))]}"
        return f"{when}, in proportion to the work of no single element"

    def warn(self) -> None:
        """ResultWarning if the balance has been far beyond the tolerance."""
        if abs(self.worst) > WARN * self.explained:
            warn(self.message(), ResultWarning)
