"""The model of a run with its blocks, and what takes its place while the run goes on.

Another choice of independent constraints; more slots for closed rigid contacts; steps of fixed length.
"""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.assembly.independent_constraints import better_rows
from flexmbs.analysis.prepare.prepare import with_unknowns
from flexmbs.analysis.recording.energy_books import EnergyBooks
from flexmbs.analysis.run.recorder import Recorder
from flexmbs.analysis.run.settings import pairs_of_contacts
from flexmbs.analysis.run.time_stepping import (
    IN_TIME,
    WITH_EVENTS,
    make_steps,
    release_slots,
    replaced,
    step_after,
    why_not,
    without_slots,
)
from flexmbs.common.errors import ResultWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.contact.rigid.contact_work import ContactWork, allocate_contact_work
from flexmbs.core.equations.return_to_constraints import restart_constraints
from flexmbs.core.layout import state as s
from flexmbs.core.layout.rigid_contacts import RigidContacts, make_rigid_contacts
from flexmbs.core.layout.tables import PERMANENT, Workspace, make_workspace
from flexmbs.core.methods.method_interface import Method
from flexmbs.core.methods.moreau import METHOD as MOREAU
from flexmbs.core.methods.moreau import Moreau
from flexmbs.core.stepping.linking import link_method
from flexmbs.core.stepping.rigid.resolve import resolve
from flexmbs.core.stepping.step_loop import NO_CAUSE
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.model.more_slots import slots_of, with_slots

MAX_CLOSED = 100  # rigid contacts at once whose events are located; more are gone through in steps of fixed length


def empty_blocks(model: Model, method: Method) -> tuple[s.State, s.Scratch, RigidContacts, ContactWork]:
    """A state at rest, arrays of a step that call the functions of ``method``, and those of events of rigid contacts."""
    state = s.make_state(model.tables, len(model.balls), method.history_rows, method.matrices > 0)
    scratch, rigid = s.make_scratch(model.tables, method), make_rigid_contacts(model.tables)
    link_method(scratch, method)
    return state, scratch, rigid, allocate_contact_work(rigid.closed.size)


class RunModel:
    """Mixed into :class:`flexmbs.analysis.run.run_in_chunks.Run`."""

    system: Mechanism
    stated: Model
    model: Model
    method: Method
    settings: s.Settings
    work: Workspace
    log: s.Log
    books: EnergyBooks | None
    recorder: Recorder
    reason: str
    rtol: float
    halted: tuple[float, str] | None

    def _set_model(self, model: Model) -> None:
        """Set a model with a new choice of unknowns, and make empty blocks for it."""
        self.model = model
        self.state, self.scratch, self.rigid, self.solver = empty_blocks(model, self.method)
        self.steps, self.arrays = WITH_EVENTS, (self.rigid, self.solver)
        if self.method is MOREAU:
            self.steps, self.arrays = IN_TIME, (make_steps(model),)

    def parts(self, state: s.State | None = None) -> tuple:
        """What the entries of the step loop take, with the state of the run or another one."""
        return (
            self.model.tables,
            self.state if state is None else state,
            self.settings,
            self.scratch,
            self.work,
            self.log,
            *self.arrays,
        )

    def _choose_constraints(self, outcome: int) -> int:
        """Switch to a better set of independent constraints, if there is one, and continue."""
        before = self.model, self.state, self.scratch
        tables, state = self.model.tables, self.state
        present = tables.free[tables.coordinates["multiplier"][tables.free] == PERMANENT]
        rows = better_rows(self.model, present, state.q, state.reference, state.time)
        if rows is None:
            return s.CHUNK_FULL if outcome == s.DEPENDENT else outcome
        chosen = with_unknowns(self.model, rows)
        self._set_model(without_slots(chosen) if self.steps is IN_TIME else chosen)
        copy_into(self.state, state)
        if restart_constraints(self.model.tables, self.state, self.scratch, self.work):
            return s.CHUNK_FULL
        self.model, self.state, self.scratch = before
        return s.SINGULAR

    def _find_slots(self, at_start: bool = False) -> int:
        """More room for closed rigid contacts: twice the slots; then the start or event that lacked them; an outcome.

        What happens there is in the log.
        """
        outcome, contacts = s.NO_CONTACT_SLOT, int(np.count_nonzero(self.model.tables.contacts["rigid"]))
        while outcome == s.NO_CONTACT_SLOT:
            slots = slots_of(self.model.switch_names)
            if slots >= min(contacts, MAX_CLOSED):
                self.log.filled[:] = 0  # what it holds has been recorded
                return outcome
            self._widen(min(2 * slots, contacts, MAX_CLOSED))
            self.log.filled[:] = 0
            if at_start:
                outcome = self.steps.start(*self.parts())
            elif restart_constraints(self.model.tables, self.state, self.scratch, self.work):
                outcome = resolve(*self.parts(), NO_CAUSE, 0)
            else:
                return s.SINGULAR
        return outcome

    def _widen(self, slots: int) -> None:
        """Go on with a model of that many slots at the same state."""
        old, state, tables = self.model, self.state, self.model.tables
        present = tables.free[tables.coordinates["multiplier"][tables.free] == PERMANENT]
        new = with_unknowns(with_slots(old, slots), present)
        self.stated = with_slots(self.stated, slots)
        self.settings = wider_settings(self.settings, pairs_of_contacts(new), old, new)
        self.work = make_workspace(new.tables)
        self.log = s.make_log(new.tables, len(new.balls), len(self.log.rows))
        self._set_model(new)
        copy_into(self.state, state)
        if self.books is not None:
            start = self.books.start
            self.books = EnergyBooks(self.system, new, self.rtol)
            self.books.start = start
        self.recorder.widen(old, new, self.books)

    def _hand_over(self) -> int:
        """More contacts are closed at once than events can follow: go on in steps of fixed length, and say so."""
        reason = why_not(self.model)
        if reason:
            return s.NO_CONTACT_SLOT
        step, time = step_after(self.log, self.state, float(self.settings.t_end)), float(self.state.time)
        text = (
            f"from t = {time:.6g} s on more than {slots_of(self.model.switch_names)} rigid contacts are closed at once: the run "
            f"goes on with Moreau's time steps of {step:.3g} s, without events and without control of the error. "
            "Choose the step with integrator=fm.Moreau(step=...)"
        )
        warn(text, ResultWarning)
        self.reason = f"{self.reason}; {text}"
        self._set_stepping(step)
        return s.CHUNK_FULL

    def _set_stepping(self, step: float) -> None:
        """Go on from the present state in steps of fixed length."""
        integrator, state = Moreau(step), self.state
        release_slots(self.model.tables, state)
        self.method = integrator.method
        self.settings = replaced(self.settings, integrator)
        self._set_model(without_slots(self.model))
        for name in s.KEPT_BETWEEN_CHOICES:
            if not name.startswith("history_"):
                getattr(self.state, name)[:] = getattr(state, name)


def wider_settings(settings: s.Settings, pairs: np.ndarray, old: Model, new: Model) -> s.Settings:
    """``settings`` with those of the last multiplier also for those behind it; ``pairs``: largest flags."""
    n, added = len(old.coordinate_names), len(new.coordinate_names) - len(old.coordinate_names)
    arrays = dict(settings.arrays)
    by_coordinate = ("atol_q", "atol_v", "reach_q", "reach_v", "vibration_time", "scale_body", "floor_q", "largest_q", "motion")
    for name in by_coordinate:
        if arrays[name].shape == (n,):
            arrays[name] = np.concatenate([arrays[name], np.repeat(arrays[name][-1:], added)])
    return s.Settings(**{**arrays, "pairs": pairs})


def copy_into(wider: s.State, state: s.State) -> None:
    """Copy what does not depend on the choice of unknowns to the state of a wider model."""
    for name in s.KEPT_BETWEEN_CHOICES:
        array, into = getattr(state, name), getattr(wider, name)
        if into.size:  # shares of very many contacts are not kept (core.layout.tables.sharing_size)
            into[tuple(slice(0, size) for size in array.shape)] = array
