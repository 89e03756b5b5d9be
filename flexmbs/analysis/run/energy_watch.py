"""Energy balance of a run: a run that gains energy which nothing supplied is stopped.

Along the accepted steps
    E(t) - E(0) <= W(t),
E kinetic, gravity and elastic energy, W the work of drivers, loads, motors, actuators, friction and bushings (the
integral of their power where it is positive); dampers only dissipate. The excess is compared with the largest energy
exchanged so far: it stays below a thousandth of that if the integrator keeps its tolerance, and soon dominates if the
motion is wrong.  The energy ledger, where there is one, says it sharply (flexmbs.analysis.run.ledger_watch).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.evaluation.massless_motions import mass_properties
from flexmbs.analysis.recording.energy_books import EnergyBooks
from flexmbs.analysis.run.ledger_watch import LedgerWatch
from flexmbs.analysis.run.supplied_power import SuppliedPower
from flexmbs.common.errors import ResultWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.state import Settings
from flexmbs.model.compiled_model import Model
from flexmbs.result.event_records import EventRecord

GAIN_LIMIT = 0.2  # allowed energy gain relative to the largest energy exchanged
TOLERANCES = 20.0  # ... or this many times rtol, whichever is larger
MARGIN = 1.0  # relative to the work supplied, for the error of its integration
# If a force is a function of time, of sensors or of a controller, its power at the ends of the steps may not represent
# that in between (a hammer blow): the gain must then exceed all energies by this factor.
IMPULSIVE_FACTOR = 1e4
REST_SPEED = 1e-4  # m/s: speed of the whole mechanism that counts as rest
REST_PLACE = 1e-6  # m: displacement of its weight that counts as rest
SHORTER_STEPS = "Set max_step to about a tenth of the duration of that motion"
REST_MODES = 100.0  # times the elastic energy at the tolerance of the modal coordinates


@dataclass
class _Account:
    """Running sums over the steps so far."""

    t: float
    power: float
    start: np.ndarray  # energies (3,), J
    total: float  # their sum at the last step
    driven: np.ndarray  # (3, drivers), see SuppliedPower.driven
    first_lost: float  # J lost in impacts and locks at the first and the last step
    lost: float
    work: float = 0.0
    exchanged: float = 0.0  # largest energy exchanged, J


class EnergyWatch:
    """Checks the accepted steps as they arrive; :meth:`take` reports when energy was gained, and how much.

    ``rtol`` as the user has asked for; ``books``: the energy ledger, if there is one.
    """

    def __init__(self, system, model: Model, settings: Settings, rtol: float, books: EnergyBooks | None):
        self.power = SuppliedPower(system, model)
        conserves = len(model.tables.condensed) == len(model.tables.massless)
        self.applies = self.power.is_known and conserves
        self.ledger = LedgerWatch(model, settings, rtol, books) if books is not None and conserves else None
        self.allowed = max(GAIN_LIMIT, TOLERANCES * float(settings.rtol))
        self.system = system
        self.account: _Account | None = None
        self.skipped: tuple[str, float, float] | None = None  # driver, start and end of the step that skips its motion
        self.floor = self._floor(model, settings)

    def _floor(self, model: Model, settings: Settings) -> float:
        """Energy (J) of a mechanism at rest within rounding and tolerances."""
        masses = {name: mass_properties(body)[0] for name, body in model.bodies.items()}
        weight = float(np.linalg.norm(model.tables.gravity))
        floor = sum(masses.values()) * (REST_SPEED**2 + REST_PLACE * weight)
        for name, part in model.modal.items():
            stiffness = np.diag(model.bodies[name].Ke)
            floor += REST_MODES * 0.5 * float(stiffness @ np.asarray(settings.atol_q[part]) ** 2)
        return floor

    def take(
        self,
        model: Model,
        rows: np.ndarray,
        arrays: dict[str, np.ndarray],
        lost: np.ndarray,
        events: Sequence[EventRecord] = (),
        whole: bool = True,
    ) -> tuple[float, str] | None:
        """Time (s) and message of energy that is gained or missing in these rows, which ``arrays`` describe, or None.

        ``lost`` (rows,): J in impacts and locks so far; ``events`` since the rows before; ``whole``: no steps are left out.
        """
        if len(rows) == 0:
            return None
        before = self.account
        found = self._gain(model, rows, arrays, lost) if self.applies and (whole or not self.power.acts) else None
        if self.ledger is None or "ledger" not in arrays:
            return found
        seen = np.ones(len(rows), dtype=bool) if whole else None
        if whole and before is not None and self.applies:
            times, states = np.append(before.t, rows[:, TIME]), self.power.driven(model, rows)
            seen = self.power.is_seen(times, np.concatenate([before.driven[None], states]))
        return found or self.ledger.take(rows, arrays, events, seen, self.floor)

    def _gain(self, model: Model, rows: np.ndarray, arrays: dict[str, np.ndarray], lost: np.ndarray) -> tuple[float, str] | None:
        """Time (s) and message of an energy gain."""
        t, energy = rows[:, TIME], arrays["energy"]
        power = self.power.of(model, rows, arrays)
        driven = self.power.driven(model, rows)
        if self.account is None:
            start = energy[0].copy()
            at = float(lost[0])
            self.account = _Account(float(t[0]), float(power[0]), start, float(start.sum()), driven[0], at, at)
        account = self.account
        work = account.work + np.cumsum(self._work(account, t, power, energy.sum(axis=1), driven, lost))
        change = energy - account.start
        exchanged = energy[:, 0] + np.abs(change[:, 1]) + np.maximum(np.abs(change[:, 2]), np.abs(energy[:, 2]))
        exchanged = np.maximum.accumulate(np.concatenate([[account.exchanged], exchanged]))
        gained = change.sum(axis=1) - work + lost - account.first_lost
        limit = self.allowed * exchanged[1:] + MARGIN * work
        if self.power.varies:
            first = account.start[0] + account.start[2]
            limit = np.maximum(limit, IMPULSIVE_FACTOR * (first + work + np.maximum(-change[:, 1], 0.0)))
        rounding = 1e-9 * float(np.abs(account.start).max())
        wrong = gained > limit + self.floor + rounding
        self.account = _Account(
            float(t[-1]),
            float(power[-1]),
            account.start,
            float(energy[-1].sum()),
            driven[-1],
            account.first_lost,
            float(lost[-1]),
            float(work[-1]),
            float(exchanged[-1]),
        )
        if not np.any(wrong):
            return None
        i = int(np.argmax(wrong))
        here = {name: array[i] for name, array in arrays.items()}
        return float(t[i]), self._message(model, rows[i], here, work[i], lost[i] - account.first_lost)

    def warn(self) -> None:
        """ResultWarning if a step was longer than the motion of a driver, or if the balance is beyond the tolerance."""
        if self.ledger is not None and self.skipped is None:
            self.ledger.warn()
        if self.skipped is not None:
            warn(
                f"{self._skipping()}: histories within that step, and the position that follows from a prescribed "
                f"rate, are wrong. {SHORTER_STEPS}",
                ResultWarning,
            )

    def because(self, reason: str) -> str:
        """``reason`` for open constraints, preceded by the skipped motion of a driver if there is one."""
        return reason if self.skipped is None else f"{self._skipping()}. {SHORTER_STEPS} ({reason})"

    def _skipping(self) -> str:
        name, begin, end = self.skipped
        return f"the step from t = {begin:.6g} to {end:.6g} s skips a shorter motion of the driver of '{name}'"

    def _work(self, account: _Account, t, power, total, driven, lost) -> np.ndarray:
        """(rows,) J supplied in each step; if a step skips the motion of a driver, all energy gained in it."""
        times, powers = np.concatenate([[account.t], t]), np.concatenate([[account.power], power])
        work = 0.5 * np.diff(times) * (powers[1:] + powers[:-1])
        came = np.diff(np.concatenate([[account.total], total]))
        states = np.concatenate([account.driven[None], driven])
        seen = self.power.is_seen(times, states)
        if self.skipped is None and not np.all(seen):
            skipped = self.power.skipped_motion(times, states)
            if skipped is not None:
                self.skipped = skipped[1], float(times[skipped[0]]), float(times[skipped[0] + 1])
        at_once = (np.diff(times) == 0.0) & bool(self.power.names)  # drivers work in impacts and locks too
        came += np.where(at_once, np.diff(np.concatenate([[account.lost], lost])), 0.0)
        return np.where(seen & ~at_once, work, np.maximum(work, came))

    def _message(self, model: Model, row: np.ndarray, arrays: dict[str, np.ndarray], work: float, lost: float) -> str:
        kinetic, gravity, elastic = arrays["energy"]
        start = self.account.start
        gained = float(arrays["energy"].sum() - start.sum() - work + lost)
        taken = f" and {lost:.3g} J lost in impacts" if lost > 0.0 else ""
        sizes = []
        for b, name in enumerate(model.body_names[1:], start=1):
            mass, _center, inertia = mass_properties(model.bodies[name])
            v, w = arrays["body_velocity"][b], arrays["body_angular_velocity"][b]
            turning = float(np.linalg.eigvalsh(inertia)[-1]) * float(w @ w)
            sizes.append((0.5 * mass * float(v @ v) + 0.5 * turning, name))
        size, fastest = max(sizes)
        return (
            f"the mechanism has gained {gained:.3g} J that nothing supplied: kinetic {start[0]:.4g} -> {kinetic:.4g} "
            f"J, gravity {start[1]:.4g} -> {gravity:.4g} J, elastic {start[2]:.4g} -> {elastic:.4g} J since the start, "
            f"with {work:.3g} J from drivers and forces{taken}. Most of it is in body '{fastest}' (about {size:.2g} J)"
            f"{self._largest_force(model, row)}. Try a tighter tolerance (rtol), and check describe() for redundant "
            "constraints"
        )

    def _largest_force(self, model: Model, row: np.ndarray) -> str:
        """The constraint with the largest multiplier, as the end of a sentence; empty without constraints."""
        n, own = len(model.coordinate_names), model.coordinate_count
        if n == own:
            return ""
        forces = row[model.log_row.a][own:]
        k = int(np.argmax(np.abs(forces)))
        name = model.coordinate_names[own + k]
        return f"; the largest constraint force is that of '{name}', {abs(forces[k]):.2g} N or N m"
