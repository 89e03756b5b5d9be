"""Motion in time: run the compiled step loop in chunks, store what is finished, say why a run stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from flexmbs.analysis.bind import fault_of
from flexmbs.analysis.choice import chosen
from flexmbs.analysis.condensed import start_values, with_all_modes, with_condensed_modes
from flexmbs.analysis.drivers import closed_with_drivers
from flexmbs.analysis.independent import better_rows
from flexmbs.analysis.inertia import check_inertia
from flexmbs.analysis.integrators import Integrator
from flexmbs.analysis.prepare import ready, with_unknowns
from flexmbs.analysis.reactions import spreading
from flexmbs.analysis.settings import ABSURD, make_settings
from flexmbs.analysis.statics import in_equilibrium
from flexmbs.analysis.steps import described_steps, driven_coordinates
from flexmbs.analysis.structure import result_structure
from flexmbs.analysis.tolerances import Given
from flexmbs.errors import MechanismError, SimulationError
from flexmbs.integrate import state as s
from flexmbs.kernels.jit import announce_compilation
from flexmbs.kernels.tables import make_workspace
from flexmbs.model.ends import coordinate_beyond, end_passed
from flexmbs.model.model import Model
from flexmbs.result import ContactRecord, Result, RunWriter
from flexmbs.system.compiled_functions import told

CHUNK_SECONDS = 0.05  # between two returns to Python: progress, Ctrl-C
WRITE_SECONDS = 1.0  # between two chunk files
# Constraints that were left out as redundant and open by more than this (m or rad) are not redundant: drivers that
# agree at the start contradict each other later.  Redundant ones stay closed to about 1e-9.
OPEN, OPENED = 1e-6, -1
OFF_CURVE = 100  # outcome beside those of the step loop: something has left its curve


@dataclass(frozen=True)
class Progress:
    """What a progress callback gets: simulated time and its end, current step size (s), steps so far."""

    time: float
    t_end: float
    step: float
    steps: int


def simulate(
    system, t_end: float, *, rtol: float = 1e-6, atol: Given = None, max_step: float = np.inf,
    integrator: str | Integrator = "auto", out: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None, from_equilibrium: bool = False,
) -> Result:  # fmt: skip
    """Integrate a system from its start values to ``t_end``.

    Parameters
    ----------
    t_end : s
    rtol, atol : tolerances of positions and velocities as in ``scipy.integrate.solve_ivp``; ``atol`` one number (SI
        units), or numbers by kind of coordinate, such as {"mode": 1e-7} (flexmbs.analysis.tolerances)
    max_step : s, largest step
    integrator : "auto" (analysis.choice), "radau", "generalised_alpha", "bdf", "explicit", or one with parameters, such
        as ``fm.BDF(max_order=3)``; ``stats["integrator"]`` tells which it was, ``stats["integrator_reason"]`` why
    out : folder that receives the result while the run grows (None: memory only)
    progress : called with a :class:`Progress` about twenty times a second
    from_equilibrium : start at rest in static equilibrium (flexmbs.analysis.statics), drivers with their rates

    Raises
    ------
    MechanismError
        The system cannot be computed, or starts in penetration; nothing has been run.
    SimulationError
        The run stopped early; its message says why, and ``error.result`` holds what was finished (also in ``out``).
    """
    model = ready(system)
    active = None
    if from_equilibrium:
        model, active = in_equilibrium(model, 0.0)
    method, reason = chosen(integrator, model)
    model = with_condensed_modes(model, 0.0, method)
    run = _Run(system, model, make_settings(model, t_end, rtol, atol, max_step, method), method, out, progress)
    run.reason = reason
    if active is not None:
        run.state.active[:] = active
    return run.go()


class _Run:
    """One run: state, scratch arrays, log and writer."""

    def __init__(self, system, model: Model, settings: s.Settings, integrator: Integrator, out, progress):
        self.model, self.settings, self.progress = model, settings, progress
        self.method, self.reason = integrator.method, ""
        self.opening = 0.0  # of constraints, largest in the last steps
        self.balls = len(model.balls)
        announce_compilation()
        begin = time.perf_counter()
        self.work = make_workspace(model.tables)
        self.compile_seconds = time.perf_counter() - begin
        self.scratch = s.make_scratch(model.tables, self.method)
        self.state = s.make_state(model.tables, self.balls, self.method.history)
        self.log = s.make_log(model.tables, self.balls)
        self.state.q[:], self.state.v[:], self.state.reference[:] = model.q, model.v, model.reference
        self.state.a[:] = start_values(model)
        self.structure = result_structure(system, model)
        self.out = out
        self.writer: RunWriter | None = None
        self.pending: list[dict[str, np.ndarray]] = []
        self.pending_contacts: list[ContactRecord] = []
        self.solve_seconds = self.began = 0.0
        self.off_curve: tuple[float, str] | None = None  # when, and what is said, where a curve ended
        self.cause: Exception | None = None  # what a user function raised where the run stopped

    def go(self) -> Result:
        from flexmbs.integrate.loop import advance, impose_start, start

        begin = time.perf_counter()
        impose_start(self.model.tables, self.state, self.work)
        self._check_start()
        if self._warm_up(advance, start) == s.SINGULAR:
            check_inertia(self.model, 0.0)
            raise MechanismError(f"the mass matrix is singular at the start: {self._massless()} carries no inertia")
        self.compile_seconds += time.perf_counter() - begin
        self.writer = RunWriter(self.out, self.structure)
        begin = self.began = time.perf_counter()
        outcome = start(self.model.tables, self.state, self.settings, self.scratch, self.work)
        self._store_start()
        try:
            with self.model.signals.catching():
                outcome = self._loop(advance, outcome)
        except KeyboardInterrupt:
            self.solve_seconds = time.perf_counter() - begin
            self._finish("stopped: interrupted by the user")
            raise
        self.solve_seconds = time.perf_counter() - begin
        return self._end(outcome)

    def _loop(self, advance, outcome: int) -> int:
        """Chunks of steps until the run ends; the first is written at once, so that a killed run shows something."""
        last_write, steps, chunk = -np.inf, 0, 64
        while outcome == s.CHUNK_FULL:
            chunk_begin = time.perf_counter()
            outcome = self._advance(advance, chunk)
            if self.opening > OPEN:
                return OPENED
            error = self.model.signals.error
            if isinstance(error, KeyboardInterrupt):
                raise error
            if error is not None:
                return s.NOT_FINITE
            now = time.perf_counter()
            taken = max(int(self.state.count[s.STEPS]) - steps, 1)
            steps = int(self.state.count[s.STEPS])
            chunk = int(np.clip(taken * CHUNK_SECONDS / max(now - chunk_begin, 1e-6), 16, len(self.log.rows)))
            if self.progress is not None:
                time_now, step = self.state.number[s.TIME], self.state.number[s.STEP]
                self.progress(Progress(time_now, float(self.settings.t_end), step, steps))
            if self.out is not None and now - last_write > WRITE_SECONDS:
                self._flush()
                last_write = now
            if outcome in (s.DEPENDENT, s.UNDERFLOW):
                outcome = self._choose_constraints(outcome)
        return outcome

    def _choose_constraints(self, outcome: int) -> int:
        """Another set of independent constraints, when there is a better one here; then the run goes on."""
        from flexmbs.integrate.settle import restart_constraints

        tables, state = self.model.tables, self.state
        present = tables.free[tables.coordinates["multiplier"][tables.free] != 0]
        rows = better_rows(self.model, present, state.q, state.reference, state.number[s.TIME])
        if rows is None:
            return s.CHUNK_FULL if outcome == s.DEPENDENT else outcome
        self.model = with_unknowns(self.model, rows)
        tables, state = self.model.tables, s.make_state(self.model.tables, self.balls, self.method.history)
        for name in s.KEPT_BETWEEN_CHOICES:
            getattr(state, name)[:] = getattr(self.state, name)
        self.state, self.scratch = state, s.make_scratch(tables, self.method)
        restarted = restart_constraints(tables, state, self.scratch, self.work)
        return s.CHUNK_FULL if restarted else s.SINGULAR

    def _check_start(self) -> None:
        from flexmbs.analysis.evaluate import gaps

        beyond = coordinate_beyond(self.model.ends, self.state.q[None, :])
        if beyond is not None:
            raise MechanismError(f"at the start {end_passed(beyond[1], self.state.q)}")
        for name, gap in zip(self.model.contact_names, gaps(self.model, self.work, self.state), strict=True):
            if gap < -1e-12 and not self.state.active[self.model.contact_names.index(name)]:
                raise MechanismError(
                    f"contact '{name}' starts {-gap:.3g} m inside: move a body or the stop until the gap is positive"
                )

    def _warm_up(self, advance, start) -> int:
        """Load or compile the kernels on a copy of the state, so that compile time is told apart from solve time."""
        copy = self.state.copy()
        outcome = start(self.model.tables, copy, self.settings, self.scratch, self.work)
        self._start_lags(copy, start)
        advance(self.model.tables, copy, self.settings, self.scratch, self.work, self.log, 0)
        self.log.filled[:] = 0
        self._describe(self.log.rows[:0])
        return outcome

    def _start_lags(self, copy: s.State, start) -> None:
        """Loads that follow reactions begin at these; friction changes them in turn, so this is iterated."""
        tables = self.model.tables
        states = tables.states[list(self.model.lags)]
        for _ in range(30 if len(states) else 0):
            found = self.work.signal[states["signal"], 0].copy()
            change = np.abs(found - self.state.v[states["coordinate"]]).max()
            if not np.isfinite(change):
                break
            self.state.v[states["coordinate"]] = copy.v[states["coordinate"]] = found
            if change <= 1e-12 * np.abs(found).max():
                break
            start(tables, copy, self.settings, self.scratch, self.work)

    def _store_start(self) -> None:
        from flexmbs.integrate.loop import write_row

        self.log.filled[:] = 0
        write_row(self.model.tables, self.state, self.log)
        self.pending.append(self._describe(self.log.rows[:1]))

    def _advance(self, advance, chunk: int) -> int:
        outcome = advance(self.model.tables, self.state, self.settings, self.scratch, self.work, self.log, chunk)
        rows, contacts = self.log.filled
        beyond = coordinate_beyond(self.model.ends, self.log.rows[:rows, 1:])
        if beyond is not None:
            rows, outcome = beyond[0] + 1, OFF_CURVE
            self.off_curve = self.log.rows[beyond[0], 0], end_passed(beyond[1], self.log.rows[beyond[0], 1:])
        if rows:
            self.pending.append(self._describe(self.log.rows[:rows]))
            self.opening = float(self.pending[-1]["constraint_error"].max())
        for row in self.log.contacts[:contacts]:
            self.pending_contacts.append(self._contact(row))
        return outcome

    def _contact(self, row) -> ContactRecord:
        index, begin, end, peak, peak_time, impulse = (float(x) for x in row)
        return ContactRecord(self.model.contact_names[int(index)], begin, end, peak, peak_time, impulse)

    def _describe(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        return described_steps(self.model, self.work, rows)

    def _flush(self) -> None:
        if not self.pending:
            return
        joined = {name: np.concatenate([part[name] for part in self.pending]) for name in self.pending[0]}
        self.writer.append(joined, self.pending_contacts, self._stats())
        self.pending, self.pending_contacts = [], []

    def _stats(self) -> dict[str, float]:
        stats = {name: int(value) for name, value in zip(s.COUNT_NAMES, self.state.count, strict=True)}
        running = self.solve_seconds == 0.0 and self.began > 0.0
        stats["solve_seconds"] = time.perf_counter() - self.began if running else self.solve_seconds
        stats["compile_seconds"] = self.compile_seconds
        stats["integrator"], stats["integrator_reason"] = self.method.name, self.reason
        return stats

    def _open_contacts(self) -> list[ContactRecord]:
        """Contacts that still touch at the end: their end is not known."""
        names, episode = self.model.contact_names, self.state.episode
        return [
            ContactRecord(
                names[c], float(episode[c, s.START]), np.nan, float(episode[c, s.PEAK]), float(episode[c, s.PEAK_TIME]),
                float(episode[c, s.IMPULSE]),
            )
            for c in np.flatnonzero(self.state.active)
        ]  # fmt: skip

    def _finish(self, status: str) -> Result:
        self._flush()
        settle = spreading(with_all_modes(self.model))
        trajectory = self.writer.finish(status, self._stats(), self._open_contacts(), settle)
        return Result(self.structure, trajectory, settle if self.out is None else None)

    def _end(self, outcome: int) -> Result:
        if outcome == s.FINISHED:
            return self._finish("finished")
        reason = self._reason(outcome)
        error = SimulationError(reason)
        error.result = self._finish(f"stopped: {reason}")
        raise error from (self.model.signals.error or self.cause)

    def _reason(self, outcome: int) -> str:
        if outcome == OFF_CURVE:
            when, what = self.off_curve
            return f"at t = {when:.9g} s {what}"
        now, h = self.state.number[s.TIME], self.state.number[s.STEP]
        worst = self.model.coordinate_names[int(self.state.flag[s.WORST])]
        where = f"at t = {now:.9g} s with step {h:.3g} s"
        signals = self.model.signals
        if signals.error is not None:
            if signals.failed == "a function of time":
                signals.failed = self._broken_signals().partition(" raised ")[0] or signals.failed
            return f"{signals.failed} raised an exception {where}:\n{told(signals.error)}"
        fault, time_of_fault, self.cause = fault_of(self.model, self.work)
        if fault and time_of_fault >= now:
            return f"{fault} at t = {time_of_fault:.9g} s"
        broken = self._broken_signals()
        if broken:
            return f"{broken}, {where}"
        if outcome == OPENED:
            return f"{self._contradiction()}, {where}"
        if outcome == s.DIVERGED:
            k = int(self.state.flag[s.WORST])
            body = next(name for name, part in self.model.modal.items() if part.start <= k < part.stop)
            return (
                f"body '{body}' is deformed by more than {ABSURD:g} times its size {where} ('{worst}'): the motion "
                "diverges (is the geometric stiffness left out, or the body far too soft?)"
            )
        if outcome == s.SINGULAR:
            return f"the mass matrix is singular {where}: {self._massless()} carries no inertia"
        if outcome == s.NOT_FINITE:
            return f"the motion is no longer finite {where}; worst coordinate: '{worst}'"
        return (
            f"the step size fell to nothing {where}; worst coordinate: '{worst}'. The motion diverges there, "
            "or the tolerances are beyond double precision"
        )

    def _broken_signals(self) -> str:
        """What is wrong with functions of time where the run stopped; empty when they are finite there."""
        now, step = self.state.number[s.TIME], self.state.number[s.STEP]
        faults = []
        for given in self.model.signal_list:
            for ahead in (0.0, 0.5 * step, step, 10.0 * step, 1e-9 * float(self.settings.t_end)):
                fault = given.fault(now + ahead)
                if fault:
                    faults.append(fault)
                    break
        return ", ".join(faults)

    def _contradiction(self) -> str:
        """What drivers demand of each other where the constraints have opened."""
        state = self.state
        here = replace(self.model, q=state.q.copy(), v=state.v.copy(), reference=state.reference.copy())
        try:
            closed_with_drivers(here, state.number[s.TIME])
        except MechanismError as error:
            return f"the motion cannot go on: {error}"
        drivers = [self.model.coordinate_names[k] for k in driven_coordinates(self.model)]
        stuck = f", where its drivers ({', '.join(drivers)}) cannot lead it further" if drivers else ""
        return (
            f"constraints have opened by {self.opening:.3g} m or rad: the mechanism is in a singular position{stuck}"
        )

    def _massless(self) -> str:
        mass = self.state.mass
        names = [self.model.coordinate_names[k] for k in self.model.tables.free]
        values, vectors = np.linalg.eigh(0.5 * (mass + mass.T)) if np.all(np.isfinite(mass)) else (None, None)
        if values is None:
            return "an entry is not finite, so some coordinate"
        return f"'{names[int(np.argmax(np.abs(vectors[:, 0])))]}'"
