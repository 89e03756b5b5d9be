"""A run in which energy appears that nothing supplied does not end as finished.

Along the accepted steps
    E(t) - E(0) <= W(t),
E kinetic, gravity and elastic energy, W what drivers, loads and the efforts of motors, actuators, friction and bushings
have put in (the integral of their power where it is positive): dampers only take.  The difference of both sides is
compared with the largest energy that has moved so far; an integrator within its tolerance stays below a thousandth of
that, and a motion that has gone wrong soon consists of nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.evaluation.massless_motions import mass_properties
from flexmbs.analysis.run.supplied_power import SuppliedPower
from flexmbs.common.errors import ResultWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.state import Settings
from flexmbs.model.compiled_model import Model

GAINED = 0.2  # of the largest energy that has moved: what may appear
TOLERANCES = 20.0  # ... or so many times rtol, whichever is more
MARGIN = 1.0  # of the work put in, for its integration from step to step
# Where a force is a function of time, of sensors or of a controller, its power at the ends of the steps may say little
# about that between them (a hammer's blow): only far more than all energies tells.
FAR_MORE = 1e4
REST_SPEED = 1e-4  # m/s: the whole mechanism at this speed is as good as at rest
REST_PLACE = 1e-6  # m: its weight times this
SHORTER_STEPS = "Give max_step, a tenth of what that motion lasts"
REST_MODES = 100.0  # times the elastic energy of the tolerance of the modal coordinates


@dataclass
class _Account:
    """Running sums over the steps so far."""

    t: float
    power: float
    start: np.ndarray  # energies (3,), J
    total: float  # their sum at the last step
    driven: np.ndarray  # (3, drivers), see SuppliedPower.driven
    work: float = 0.0
    moved: float = 0.0  # largest energy that has moved


class EnergyWatch:
    """Takes the accepted steps as they come; :meth:`take` says when energy has appeared, and how much."""

    def __init__(self, system, model: Model, settings: Settings):
        self.power = SuppliedPower(system, model)
        self.applies = self.power.is_known and len(model.tables.condensed) == 0
        self.allowed = max(GAINED, TOLERANCES * float(settings.rtol))
        self.system = system
        self.account: _Account | None = None
        self.passed_over: tuple[str, float, float] | None = None  # driver, begin and end of the step, s
        if self.applies:
            self.floor = self._floor(model, settings)

    def _floor(self, model: Model, settings: Settings) -> float:
        """Energies of a mechanism that rests within rounding and tolerances, J."""
        masses = {name: mass_properties(body)[0] for name, body in model.bodies.items()}
        weight = float(np.linalg.norm(model.tables.gravity))
        floor = sum(masses.values()) * (REST_SPEED**2 + REST_PLACE * weight)
        for name, part in model.modal.items():
            stiffness = np.diag(model.bodies[name].Ke)
            floor += REST_MODES * 0.5 * float(stiffness @ np.asarray(settings.atol_q[part]) ** 2)
        return floor

    def take(self, model: Model, rows: np.ndarray, arrays: dict[str, np.ndarray]) -> tuple[float, str] | None:
        """When (s) and how energy has appeared in these rows, which ``arrays`` describe; None when all is well."""
        if not self.applies or len(rows) == 0:
            return None
        t, energy = rows[:, TIME], arrays["energy"]
        power = self.power.of(model, rows, arrays)
        driven = self.power.driven(model, rows)
        if self.account is None:
            self.account = _Account(float(t[0]), float(power[0]), energy[0].copy(), float(energy[0].sum()), driven[0])
        account = self.account
        work = account.work + np.cumsum(self._work(account, t, power, energy.sum(axis=1), driven))
        change = energy - account.start
        moved = energy[:, 0] + np.abs(change[:, 1]) + np.maximum(np.abs(change[:, 2]), np.abs(energy[:, 2]))
        moved = np.maximum.accumulate(np.concatenate([[account.moved], moved]))
        gained = change.sum(axis=1) - work
        limit = self.allowed * moved[1:] + MARGIN * work
        if self.power.varies:
            first = account.start[0] + account.start[2]
            limit = np.maximum(limit, FAR_MORE * (first + work + np.maximum(-change[:, 1], 0.0)))
        rounding = 1e-9 * float(np.abs(account.start).max())
        wrong = gained > limit + self.floor + rounding
        self.account = _Account(
            float(t[-1]), float(power[-1]), account.start, float(energy[-1].sum()), driven[-1], float(work[-1]),
            float(moved[-1]),
        )  # fmt: skip
        if not np.any(wrong):
            return None
        i = int(np.argmax(wrong))
        return float(t[i]), self._told(model, rows[i], {name: array[i] for name, array in arrays.items()}, work[i])

    def tell(self) -> None:
        """ResultWarning when a step was longer than what a driver did."""
        if self.passed_over is not None:
            warn(
                f"{self._passing()}: curves between the ends of that step, and what a prescribed rate leads to, are "
                f"not right. {SHORTER_STEPS}",
                ResultWarning,
            )

    def because(self, reason: str) -> str:
        """``reason`` why constraints have opened, unless a step was longer than what a driver did: then that."""
        return reason if self.passed_over is None else f"{self._passing()}. {SHORTER_STEPS} ({reason})"

    def _passing(self) -> str:
        name, begin, end = self.passed_over
        step = f"the step from t = {begin:.6g} to {end:.6g} s"
        return f"{step} passes over a motion of the driver of '{name}', which is quicker"

    def _work(self, account: _Account, t, power, total, driven) -> np.ndarray:
        """(rows,) J put in over each step; where a driver has done more than the step's ends show, all that came."""
        times, powers = np.concatenate([[account.t], t]), np.concatenate([[account.power], power])
        work = 0.5 * np.diff(times) * (powers[1:] + powers[:-1])
        came = np.diff(np.concatenate([[account.total], total]))
        states = np.concatenate([account.driven[None], driven])
        seen = self.power.is_seen(times, states)
        if self.passed_over is None and not np.all(seen):
            passed = self.power.passed_over(times, states)
            if passed is not None:
                self.passed_over = passed[1], float(times[passed[0]]), float(times[passed[0] + 1])
        return np.where(seen, work, np.maximum(work, came))

    def _told(self, model: Model, row: np.ndarray, arrays: dict[str, np.ndarray], work: float) -> str:
        kinetic, gravity, elastic = arrays["energy"]
        start = self.account.start
        gained = float(arrays["energy"].sum() - start.sum() - work)
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
            f"with {work:.3g} J from drivers and forces. Most is in body '{fastest}' (about {size:.2g} J)"
            f"{self._largest_force(model, row)}. Tighter tolerances (rtol), and describe() for constraints that repeat "
            "others, are what to try"
        )

    def _largest_force(self, model: Model, row: np.ndarray) -> str:
        """The constraint that pulls most, in words."""
        n, own = len(model.coordinate_names), model.coordinate_count
        if n == own:
            return ""
        forces = row[model.log_row.a][own:]
        k = int(np.argmax(np.abs(forces)))
        name = model.coordinate_names[own + k]
        return f"; the largest constraint force is that of '{name}', {abs(forces[k]):.2g} N or N m"
