"""Failure diagnosis: why a run stopped, when, with which step size, and which equation failed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse

from flexmbs.analysis.assembly.independent_constraints import free_columns
from flexmbs.analysis.evaluation.constraint_directions import null_space
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.prepare.bind_functions import fault_of
from flexmbs.analysis.prepare.driver_conflicts import closed_with_drivers
from flexmbs.analysis.prepare.prepare import with_choice
from flexmbs.analysis.prepare.prescribed_motions import jump_between
from flexmbs.analysis.run.failure_causes import chatters, equation_name, grows, jammed, no_slot
from flexmbs.analysis.run.resume import fill
from flexmbs.analysis.run.run_model import RunModel, empty_blocks
from flexmbs.analysis.run.saved_state_comparison import CHOICE
from flexmbs.analysis.run.settings import MAX_DEFORMATION
from flexmbs.common.errors import MechanismError
from flexmbs.core.layout import state as s
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.methods.method_interface import Method
from flexmbs.core.stepping.step_loop import advance
from flexmbs.mechanism.user_functions import exception_text
from flexmbs.model.compiled_model import Model
from flexmbs.model.more_slots import slots_of
from flexmbs.result.saved_state import SavedState

OPENED, HALTED = -1, 100  # outcomes in addition to those of the step loop
UNBOUNDED = 1e6  # times the largest value before (functions of the state: times 1): a function that tends to infinity
# Smallest singular value of the constraints, relative to the largest, below which they count as dependent; it decreases
# with the square root of the distance to the singular position.
DEPENDENT, NEARLY_DEPENDENT = 1e-4, 0.02
LOST = 1e-6  # inertia relative to that at the start below which it counts as zero
LARGE_FORCE = 1e9  # times the largest inertia at the start
TAKES_PART = 0.1  # smallest coefficient of a constraint in the dependence that is reported


class Failure:
    """Why a run stopped, in the state in which the step loop left it.

    ``outcome``: of the step loop, or ``OPENED`` or ``HALTED``; ``limit``: what kept the steps small (:func:`step_size_limit`).
    """

    def __init__(self, run: RunModel, outcome: int, limit: str):
        self.run, self.outcome, self.limit = run, outcome, limit
        self.system, self.model, self.state = run.system, run.model, run.state

    @property
    def where(self) -> str:
        time = self.run.recorder.opened_at if self.outcome == OPENED else self.state.time
        return f"at t = {time:.9g} s with step {self.state.step_size:.3g} s"

    @property
    def worst(self) -> str:
        return equation_name(self.system, self.model, int(self.state.worst_coordinate))

    def reason(self) -> tuple[str, BaseException | None]:
        """The reason as text, and the exception of the user function that caused it, if any."""
        if self.outcome == HALTED:
            when, what = self.run.halted
            dependent = self._held_up() or self._dependent(NEARLY_DEPENDENT)
            return (f"{dependent}, {self.where}; " if dependent else "") + f"at t = {when:.9g} s {what}", None
        signals = self.model.signals
        if signals.error is not None:
            if signals.failed == "a function of time":
                signals.failed = self._broken_signals().partition(" raised ")[0] or signals.failed
            text = f"{signals.failed} raised an exception {self.where}:\n{exception_text(signals.error)}"
            return text, signals.error
        fault, time_of_fault, cause = fault_of(self.model, self.run.work)
        if fault and time_of_fault >= self.state.time:
            return f"{fault} at t = {time_of_fault:.9g} s; {self.where}; worst equation: {self.worst}", cause
        broken = self._broken_signals()
        if broken:
            return f"{broken}, {self.where}; worst equation: {self.worst}", None
        return self._mechanical_reason(), None

    def _mechanical_reason(self) -> str:
        """The reason in the mechanism itself."""
        if self.outcome == OPENED:
            return f"{self._contradiction()}, {self.where}"
        if self.outcome == s.DIVERGED:
            k = int(self.state.worst_coordinate)
            body = next(name for name, part in self.model.modal.items() if part.start <= k < part.stop)
            return (
                f"body '{body}' is deformed by more than {MAX_DEFORMATION:g} times its size {self.where} "
                f"({self.worst}): the motion diverges (check for missing geometric stiffness or a body far too soft)"
            )
        if self.outcome == s.SINGULAR:
            cause = self._without_inertia() or self._dependent() or "the mass matrix is singular"
            return f"the accelerations are not determined {self.where}; worst equation: {self.worst}. {cause}"
        if self.outcome == s.TOO_MANY_CONTACTS:
            groups = ", ".join(f"'{group.name}' ({group.max_contacts})" for group in self.system.contact_groups.values())
            return (
                f"more pairs touch at once {self.where} than a group has contacts: {groups}; give "
                "contact_all(..., max_contacts=...) a larger number"
            )
        if self.outcome == s.JAMMED:
            return jammed(self.model, self.run.rigid, self.run.solver, self.where)
        if self.outcome == s.CHATTERS:
            return chatters(self.model, self.state, self.where)
        if self.outcome == s.NO_CONTACT_SLOT:
            return no_slot(self.model, slots_of(self.model.switch_names), self.where)
        if self.outcome == s.EVENT_WITHOUT_END:
            name = self.model.event_names[int(self.state.worst_coordinate)]
            return (
                f"event '{name}' happens for ever {self.where}: its actions, or those of the events that they cause, "
                "bring about its condition again; state it with repeats=False, or let another event arm it"
            )
        if self.outcome == s.CONTRADICTORY_LOCK:
            name = self.model.switch_names[int(self.state.worst_coordinate)]
            return (
                f"'{name}' cannot be locked {self.where}: drivers and other constraints prescribe its motion, so that "
                "a lock contradicts them"
            )
        if self.outcome == s.NOT_FINITE:
            return f"the motion is no longer finite {self.where}; worst equation: {self.worst}"
        return self._underflow()

    def _underflow(self) -> str:
        causes = (self._jumping, self._growing, self._dependent, self._without_inertia)
        cause = grows(self.model, self.state) or next((found for found in (cause() for cause in causes) if found), "")
        if not cause:
            cause = "the motion diverges or jumps there, or the tolerances are too tight for double precision"
        return f"the step size became too small {self.where}: {self.limit}; worst equation: {self.worst}. {cause}"

    def _without_inertia(self) -> str:
        """The motion whose inertia has vanished since the start; empty if there is none."""
        model, state = self.model, self.state
        evaluator = Evaluator(model)
        free = model.free_coordinates
        before = np.diag(evaluator.mass_matrix(model.q, model.reference, 0.0))[free]
        now = evaluator.residual(state.q, 0.0 * state.v, 0.0 * state.a, state.reference, state.time)
        G = evaluator.constraint_matrix(state.q, state.reference, state.time)
        # inertia is computed by differences of the residual, in which large forces would mask it
        if issparse(G) or not np.abs(now).max(initial=0.0) < LARGE_FORCE * before.max(initial=0.0):
            return ""
        M = evaluator.mass_matrix(state.q, state.reference, state.time)[np.ix_(free, free)]
        scale = 1.0 / np.sqrt(np.maximum(np.maximum(before, np.diag(M)), 1e-12 * before.max()))
        motions = null_space(G[:, free] * scale)
        if motions.shape[1] == 0:
            return ""
        values, vectors = np.linalg.eigh(motions.T @ (scale[:, None] * M * scale) @ motions)
        if values[0] > LOST:
            return ""
        k = int(free[np.argmax(np.abs(motions @ vectors[:, 0]))])
        return (
            f"the mass matrix has become singular: the inertia of {equation_name(self.system, model, k)} has "
            f"fallen to {abs(values[0]):.1e} of that at the start"
        )

    def _dependent(self, limit: float = DEPENDENT) -> str:
        """Constraints that have become dependent; empty if there are none."""
        smallest, tied = self._tied()
        if smallest > limit:
            return ""
        return (
            f"constraints have become dependent: the mechanism is in a singular position (smallest singular value {smallest:.1e} "
            f"of the largest): {tied}{self._pushes()}"
        )

    def _held_up(self) -> str:
        """Drivers that only the deformation of bodies lets move on, and their forces; empty if there are none.

        With rigid bodies fewer constraints would be independent than at the start of the run.
        """
        model, state, evaluator, ranks = self.model, self.state, Evaluator(self.model), []
        rigid = np.setdiff1d(model.free_coordinates, [k for part in model.modal.values() for k in range(part.start, part.stop)])
        if not (len(model.driven_coordinates) and model.modal and len(evaluator.rows)):
            return ""
        for q, reference, t in ((model.q, model.reference, 0.0), (state.q, state.reference, state.time)):
            G = evaluator.constraint_matrix(q, reference, t)
            if issparse(G) or not np.all(np.isfinite(G)):
                return ""
            ranks.append(np.linalg.matrix_rank(G[:, rigid], NEARLY_DEPENDENT * np.linalg.norm(G[:, rigid], 2)))
        if ranks[1] >= ranks[0]:
            return ""
        place = "the mechanism is in a singular position, where its drivers could not move it if its bodies were rigid"
        return f"{place}: they deform them{self._pushes()}"

    def _pushes(self) -> str:
        """With what forces the drivers push at a singular position; empty without drivers."""
        model, x = self.model, self.state
        forces = np.abs(Evaluator(model).residual(x.q, x.v, x.a, x.reference, x.time))
        named = [f"'{model.coordinate_names[k]}' ({forces[k]:.3g} N or N m)" for k in model.driven_coordinates]
        return f", with driving forces that grow without bound: {', '.join(named)}" if named else ""

    def _tied(self) -> tuple[float, str]:
        """Smallest singular value of the constraints relative to the largest, and the names of those involved.

        Infinite if it cannot be computed.
        """
        model, state = self.model, self.state
        evaluator = Evaluator(model)
        G = evaluator.constraint_matrix(state.q, state.reference, state.time)
        used = np.isin(evaluator.rows, model.tables.free)
        if not np.any(used) or issparse(G) or not np.all(np.isfinite(G)):
            return np.inf, ""
        rows = free_columns(model, G)[used]
        left, singular, _right = np.linalg.svd(rows)
        smallest = float(singular[-1]) if len(singular) == len(rows) else 0.0
        numbers = evaluator.rows[used][np.abs(left[:, -1]) > TAKES_PART]
        tied = dict.fromkeys(equation_name(self.system, model, int(k)).partition("constraint ")[2] for k in numbers)
        return smallest / float(singular.max(initial=1e-300)), f"constraint {', constraint '.join(tied)}"

    def _jumping(self) -> str:
        """A driver that jumps where the run stopped; empty if there is none."""
        now = float(self.state.time)
        ahead = max(1e-6 * float(self.run.settings.t_end), 10.0 * float(self.state.step_size))
        return jump_between(self.system, now - ahead, now + ahead)

    def _growing(self) -> str:
        """A function of time or of the state that tends to infinity where the run stopped; empty if there is none."""
        now, found = float(self.state.time), []
        for given in self.model.signal_list:
            if given.value is not None:
                before = max(abs(float(given.value(0.01 * i * now))) for i in range(0, 91, 5))
                found.append((given.name, before, abs(float(given.value(now)))))
        found += [(name, 1.0, value) for name, value in zip(*self._outputs(self.state, now), strict=True)]
        for name, before, value in found:
            if value > UNBOUNDED * max(before, 1e-300):
                return f"{name} grows without bound: {value:.3g} at t = {now:.9g} s"
        return ""

    def _outputs(self, state: s.State, t: float) -> tuple[list[str], np.ndarray]:
        """Names of the continuous user functions, and the magnitude of their outputs."""
        functions, evaluator = self.model.tables.functions, Evaluator(self.model)
        evaluator.residual(state.q, state.v, state.a, state.reference, t)
        outputs = evaluator.work.signal[len(self.model.tables.signals) :, 0]
        called = [k for k, user in enumerate(self.model.user_functions) if user and not functions["sampled"][k]]
        names = [self.model.user_functions[k].name for k in called]
        parts = [outputs[functions["output"][k] : functions["output"][k] + functions["outputs"][k]] for k in called]
        return names, np.array([np.abs(part).max() for part in parts])

    def _broken_signals(self) -> str:
        """What is wrong with functions of time where the run stopped; empty if they are finite."""
        now, step = self.state.time, self.state.step_size
        times = [now + ahead for ahead in (0.0, 0.5 * step, step, 10.0 * step, 1e-9 * float(self.run.settings.t_end))]
        faults = [next(filter(None, map(given.fault, times)), "") for given in self.model.signal_list]
        return ", ".join(filter(None, faults))

    def _contradiction(self) -> str:
        """The conflict between drivers where the constraints have opened, or the constraint that has opened."""
        if not len(self.model.driven_coordinates) and not self.model.prescribing:
            return self._opened()
        x = self.state
        try:
            closed_with_drivers(replace(self.model, q=x.q.copy(), v=x.v.copy(), reference=x.reference.copy()), x.time)
        except MechanismError as error:
            return f"the motion cannot continue: {error}"
        smallest, tied = self._tied()
        which = f": {tied}" if smallest < np.inf else ""
        opened = f"constraints have opened by {self.run.recorder.opening:.3g} m or rad"
        return f"{opened}: the mechanism is in a singular position{which}{self._pushes()}"

    def _opened(self) -> str:
        """The constraint that has opened although it was redundant at the start."""
        state, evaluator = self.state, Evaluator(self.model)
        opening = evaluator.openings(state.q, state.v, state.reference, float(state.time))[0]
        left_out = ~np.isin(evaluator.rows, self.model.tables.free)
        k = int(evaluator.rows[int(np.argmax(np.where(left_out, np.abs(opening), 0.0)))])
        return (
            f"constraints have opened by {self.run.recorder.opening:.3g} m or rad: {equation_name(self.system, self.model, k)} "
            "is redundant at the start and now contradicts the others; the mechanism is in a singular position, or a "
            "flexible body would have to stretch but has no mode for it (fm.CraigBampton has)"
        )


def step_size_limit(model: Model, method: Method, saved: SavedState, state: s.State, settings: s.Settings, log: s.Log) -> str:
    """What kept the steps small before ``state``: those from ``saved`` on are repeated and their failures counted."""
    model = with_choice(model, *(saved.arrays[f"tables.{name}"] for name in CHOICE))
    again, scratch, rigid, solver = empty_blocks(model, method)
    fill(saved, {"state": again, "scratch": scratch})
    parts = (model.tables, again, settings, scratch, make_workspace(model.tables), log, rigid, solver)
    advance(*parts, int(state.steps_accepted) - int(again.steps_accepted))
    before, step = again.copy(), float(again.step_size)
    advance(*parts, 1)
    newton, rejected = again.newton_failures - before.newton_failures, again.steps_rejected - before.steps_rejected
    if newton >= max(rejected, 1):
        return f"Newton's iteration did not converge in {_attempts(newton)}"
    if rejected:
        return f"the error estimate exceeded the tolerance in {_attempts(rejected)}"
    if again.step_size == step:
        return "the error estimate required ever smaller steps"
    return "the matrix of Newton's iteration is singular"


def _attempts(count: int) -> str:
    return f"{count} attempt{'s' if count != 1 else ''}"
