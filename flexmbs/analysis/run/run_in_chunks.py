"""One run in time: calls the compiled step loop in chunks, stores finished steps, reports progress, saves states."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from flexmbs.analysis.prepare.prepare import with_choice
from flexmbs.analysis.prepare.prescribed_motions import jump_in_rows
from flexmbs.analysis.recording.deformation_watch import DeformationWatch
from flexmbs.analysis.recording.energy_books import EnergyBooks
from flexmbs.analysis.recording.log_records import bytes_of_row
from flexmbs.analysis.recording.reactions import reaction_settler
from flexmbs.analysis.recording.result_structure import result_structure, with_run
from flexmbs.analysis.recording.stored_steps import RowThinner, Storage, limit_in_bytes
from flexmbs.analysis.run import resume as saves
from flexmbs.analysis.run.condensed_modes import start_values, with_all_modes
from flexmbs.analysis.run.energy_watch import EnergyWatch
from flexmbs.analysis.run.failure_diagnosis import HALTED, OPENED, Failure, step_size_limit
from flexmbs.analysis.run.initialisation import warm_up
from flexmbs.analysis.run.recorder import OPEN, Recorder, open_contacts
from flexmbs.analysis.run.run_model import RunModel
from flexmbs.analysis.run.run_notes import (
    ImpactNotes,
    decided_by,
    half_turns,
    notes_of_machine,
    soft_contacts,
    vibrations_that_decide,
)
from flexmbs.analysis.run.run_progress import DeferredInterrupt, RunProgress
from flexmbs.analysis.run.saved_state_comparison import saved_choice, setting_differences, system_differences
from flexmbs.analysis.run.time_stepping import IN_TIME, note_of_sweeps
from flexmbs.common.errors import MechanismError, ResultWarning, SimulationError
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout import state as s
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.methods.integrator import Integrator
from flexmbs.core.stepping.write_log_rows import write_row
from flexmbs.machine_code import load_objects as library
from flexmbs.mechanism.events import Stop
from flexmbs.model.compiled_model import Model
from flexmbs.model.coordinate_limits import coordinate_beyond, end_passed
from flexmbs.model.fewer_terms import KeptTerms
from flexmbs.result.joined_file import compressed_size, parts_of
from flexmbs.result.result import Result
from flexmbs.result.result_folder import ResultFolder
from flexmbs.result.saved_state import SavedState
from flexmbs.result.storage import RunWriter
from flexmbs.result.stored_histories import StoredTrajectory
from flexmbs.result.trajectory import ContactRecord

UNSETTLED, MIN_FORCE = 1e-5, 1e-6  # of multipliers that are reported: of the largest, and N or N m
CHUNK_SECONDS = 0.05  # between two returns to Python, for progress and Ctrl-C
LOG_BYTES = 2**20  # of the steps of a chunk, at least 512 steps: small systems take 10 000 in CHUNK_SECONDS
WRITE_SECONDS = 1.0  # between two chunk files; longer if writing takes more than WRITING_SHARE of the time
WRITING_SHARE = 0.05


class Run(RunModel):
    """One run: the blocks of the step loop, and the recorder."""

    def __init__(
        self, system, stated: Model, model: Model, settings: s.Settings, integrator: Integrator, requested, progress: RunProgress
    ):
        self.warnings: list[str] = []  # those issued since the call of the user
        self.warned: int | None = None  # warnings before those of the end, which a run that goes on has not reached
        self.requested, self.method, self.reason = requested, integrator.method, ""
        self.rtol, self.stops_on_imbalance = float(settings.rtol), True  # as asked for; where energy is gained or missing
        self.deformation, self.stops_on_deformation = DeformationWatch(model), True
        self.system, self.stated, self.progress, self.settings = system, stated, progress, settings
        self.compile_seconds = library.load()
        self.work = make_workspace(model.tables)
        self.log = s.make_log(model.tables, len(model.balls), max(512, LOG_BYTES // (8 * model.log_row.width)))
        self._set_model(model)
        self.state.q[:], self.state.v[:], self.state.reference[:] = model.q, model.v, model.reference
        self.state.a[:] = start_values(model)
        self.structure = with_run(result_structure(system, model), float(settings.t_end), requested)
        self.books: EnergyBooks | None = None
        self.terms = KeptTerms.of(model, model)
        self.solve_seconds = self.loop_seconds = self.began = 0.0
        self.started: tuple[int, s.State, float] | None = None  # outcome, state and seconds of a start made already
        self.starts_as_stated = False  # not in equilibrium, nor on the slow motion
        self.halted: tuple[float, str] | None = None  # time and message where the run must stop

    @property
    def blocks(self) -> dict:
        return {"state": self.state, "scratch": self.scratch, "settings": self.settings}

    def keep_energy_ledger(self) -> None:
        """Book the energy of the run."""
        self.books = EnergyBooks(self.system, self.model, self.rtol)
        self.structure = replace(self.structure, ledger_names=self.books.names, ledger_kinds=self.books.kinds)

    def go(self, out: ResultFolder | None, storage: Storage, saved: SavedState | None, resume: bool) -> Result:
        """Start or resume the run, and carry it to its end."""
        t_end, row_bytes = float(self.settings.t_end), bytes_of_row(self.model, self.work)
        booked = 0 if self.books is None else self.books.size
        row_bytes += 8 * booked
        limit = limit_in_bytes(storage, self.model, row_bytes, t_end)
        exact = saved is not None and self._goes_on_exactly(saved, out if resume else None)
        if saved is not None and not exact:
            self._place(saved)
        self._warm_up(saved)
        writer = RunWriter(out, self.structure, saved if resume else None)
        watch = EnergyWatch(self.system, self.model, self.settings, self.rtol, self.books)
        thinner = RowThinner(self.model, storage, limit, t_end, row_bytes, self._bytes_in_file, booked)
        events = self.model.event_names
        self.recorder = Recorder(self.model, writer, storage, thinner, watch, self.books, events)
        self.impacts = ImpactNotes(self.system)
        self.machine: Sequence | None = None  # what its modes tell: text, and notes for the end
        begin = self.began = time.perf_counter()
        outcome = self._continue(saved, resume) if exact else self._begin(saved, resume)
        if self.model.signals.interrupted:  # nothing has been stored yet
            raise self.model.signals.error
        if self.machine is None:
            as_stated = self.starts_as_stated and saved is None
            self.machine = notes_of_machine(self.system, self.model, self.recorder.last, as_stated, self.rtol)
        self.mark = self._capture(saves.RUNNING), self.recorder.place
        interrupted: KeyboardInterrupt | None = None
        with DeferredInterrupt(self.model.signals.runs_user_code) as self.interrupt:
            try:
                with self.model.signals.catching():
                    outcome = self._loop(outcome)
            except KeyboardInterrupt as error:
                interrupted = error
                self._return_to_mark()
            self.solve_seconds += time.perf_counter() - begin
            self.began = 0.0
            if interrupted is None:
                return self._end(outcome)
            self._finish("stopped: interrupted by the user", saves.INTERRUPTED)
        raise interrupted

    def _goes_on_exactly(self, saved: SavedState, folder) -> bool:
        """Whether the method can continue with its full history; MechanismError if a resumed run must but cannot."""
        missing = saves.missing_parts(saved, self.stated, self.blocks)
        if missing:
            raise MechanismError(
                f"{'start' if folder is None else folder}: the saved state lacks {', '.join(missing)}: it was made by another "
                "version of flexmbs, or is damaged: run again"
            )
        found = system_differences(saved, self.stated) or setting_differences(saved, self.requested)
        if folder is not None and found:
            raise MechanismError(
                f"{folder}: this run cannot be resumed, because the system or settings differ: {'; '.join(found)}. To "
                "start a new run from its state, use start=... and another folder"
            )
        gone_over = bool(saved.note["in_time"]) != (self.steps is IN_TIME)
        if gone_over and folder is not None:
            raise MechanismError(
                f"{folder}: this run has gone over to Moreau's time steps and cannot be resumed; use start=... and "
                "integrator=fm.Moreau(step=...) to go on from its state"
            )
        return not found and not gone_over and saved.note["status"] != saves.STOPPED

    def _place(self, saved: SavedState) -> None:
        """Take positions, velocities, contacts and samples from a saved state; the method restarts."""
        self._set_model(saves.placed(self.model, saved))
        self.state.q[:], self.state.v[:], self.state.reference[:] = self.model.q, self.model.v, self.model.reference
        saves.carry_over(saved, self.model, self.state)

    def _bytes_in_file(self, rows: np.ndarray) -> float:
        """Bytes of a row in a result file, of rows of the log."""
        return compressed_size(self.recorder.describe(self.model, rows)) / len(rows)

    def _warm_up(self, saved: SavedState | None) -> None:
        known = () if saved is None else saved.note["coordinate_names"]
        begin = time.perf_counter()
        outcome, started, seconds = warm_up(self, known)
        self.compile_seconds += time.perf_counter() - begin - seconds
        if started is not None:
            self.started = outcome, started, seconds

    def _begin(self, saved: SavedState | None, resume: bool) -> int:
        """Start with consistent accelerations, which the initialisation may have computed, and write the first row."""
        begin = time.perf_counter()
        if self.started is None:
            self.log.filled[:] = 0
            outcome = self.steps.start(*self.parts())
            seconds = time.perf_counter() - begin
        else:
            outcome, self.state, seconds = self.started
            self.solve_seconds += seconds
        self.loop_seconds += seconds
        if resume and saved is not None:
            self._keep_account(saved)
            return outcome
        if outcome == s.NO_CONTACT_SLOT:
            outcome = self._find_slots(at_start=True)
        self._take_log()  # with what has happened in the very start
        return outcome

    def _continue(self, saved: SavedState, resume: bool) -> int:
        """Restore every array from a saved state."""
        t_end, max_step = self.settings.t_end.copy(), self.settings.max_step.copy()
        self._set_model(with_choice(self.model, **saved_choice(saved.arrays)))
        if not saves.fits(saved, self.blocks):
            raise MechanismError("start: the arrays of the saved state are not those of this mechanism: it is damaged")
        saves.fill(saved, self.blocks)
        self.settings.t_end, self.settings.max_step = t_end, max_step
        if resume:
            self._keep_account(saved)
        else:
            self.state.count[:] = 0
            empty = self.log.contacts[:0], self.log.occurrences[:0]
            self.recorder.take(self.model, saved.arrays["recorder.last"][None], *empty)
        return s.CHUNK_FULL

    def _keep_account(self, saved: SavedState) -> None:
        """Take over the counters of the run that is resumed."""
        self.state.count[:] = saved.arrays["state.count"]
        self.solve_seconds = float(saved.note["solve_seconds"])
        self.loop_seconds += float(saved.note["loop_seconds"])
        self.recorder.go_on(saved)
        self._take_over(saved.note)
        self.impacts.of(self.model, self._stored_contacts())
        self.warnings[:] = saved.note["warnings"]
        self.recorder.thinner.warned, self.machine = saved.note["warned_of_size"], saved.note["machine"]

    def _take_over(self, note: Mapping) -> None:
        """Go on from what a state says of the steps up to it."""
        self.deformation.go_on(note["deformation"])
        self.recorder.watch.go_on(note["energy"])
        self.terms.reach = dict(note["reach"])

    def _loop(self, outcome: int) -> int:
        """Advance in chunks of steps until the run ends; what ends before the first is due is written as a whole."""
        next_write, steps, chunk = self._first_write(), int(self.state.steps_accepted), 64
        while outcome == s.CHUNK_FULL:
            chunk_begin = time.perf_counter()
            outcome = self._advance(chunk)
            if self.recorder.opening > OPEN:
                return OPENED
            error = self.model.signals.error
            if isinstance(error, KeyboardInterrupt):
                raise error
            if error is not None:
                return s.NOT_FINITE
            if outcome in (s.DEPENDENT, s.UNDERFLOW):
                held = outcome == s.DEPENDENT and not self.log.occurrence_count
                outcome = self._choose_constraints(outcome)
                if held:
                    self.log.filled[:] = 0
                    self._take_log()
                    if self.recorder.opening > OPEN:
                        return OPENED
            if outcome == s.NO_CONTACT_SLOT:
                outcome = self._find_slots()
                self._take_log()
            if outcome == s.NO_CONTACT_SLOT:
                outcome = self._hand_over()
            lasts = outcome in (s.CHUNK_FULL, s.FINISHED, s.STOPPED_BY_EVENT)  # what else ends a run has its own message
            if self.recorder.gained is not None and self.stops_on_imbalance and lasts:
                self.halted = self.recorder.gained
                return HALTED
            if outcome != s.CHUNK_FULL:
                self._tell()
                return outcome
            self.mark = self._capture(saves.RUNNING), self.recorder.place
            now = time.perf_counter()
            taken = max(int(self.state.steps_accepted) - steps, 1)
            steps = int(self.state.steps_accepted)
            chunk = int(np.clip(taken * CHUNK_SECONDS / max(now - chunk_begin, 1e-6), 16, len(self.log.rows)))
            self._tell()
            self.recorder.thinner.warn_of_growth(float(self.state.time))
            if self.interrupt.requested:
                raise KeyboardInterrupt
            if self.recorder.writer.folder is not None and (now > next_write or self.recorder.is_full()):
                self._write()
                spent = time.perf_counter() - now
                next_write = now + max(WRITE_SECONDS, spent / WRITING_SHARE)
        return outcome

    def _tell(self) -> None:
        expected = self.recorder.thinner.expected_bytes(float(self.state.time))
        self.progress.tell(self.model, self.state, float(self.settings.t_end), expected)

    def _advance(self, chunk: int) -> int:
        begin = time.perf_counter()
        outcome = self.steps.advance(*self.parts(), chunk)
        self.loop_seconds += time.perf_counter() - begin
        rows, contacts, occurrences = self.log.filled
        t, q = self.log.rows[:rows, TIME], self.log.rows[:rows, self.model.log_row.q]
        beyond = coordinate_beyond(self.model.ends, q)
        if beyond is not None:
            rows, outcome = beyond[0] + 1, HALTED
            self.halted = t[beyond[0]], end_passed(beyond[1], q[beyond[0]])
        self.terms.watch(q[:rows])
        found = self.deformation.take(t[:rows], q[:rows], self.stops_on_deformation)
        if found is not None:
            rows, outcome = found[0] + 1, HALTED
            self.halted = t[found[0]], found[1]
        jump = jump_in_rows(self.system, self.model, np.vstack([self.recorder.last, self.log.rows[:rows]]))
        if jump is not None:
            outcome, self.halted = HALTED, jump
        log = self.log
        if outcome == s.DEPENDENT and rows and not occurrences:
            rows -= 1  # its multipliers are those of constraints that have become dependent: written anew behind the choice
        self.recorder.take(self.model, log.rows[:rows], log.contacts[:contacts], log.occurrences[:occurrences])
        return outcome

    def _take_log(self) -> None:
        """Write a row at the present state, and record what is in the log."""
        log = self.log
        write_row(self.model.tables, self.state, log)
        rows, contacts, occurrences = log.filled
        self.recorder.take(self.model, log.rows[:rows], log.contacts[:contacts], log.occurrences[:occurrences])

    def _capture(self, status: str) -> SavedState:
        """A saved state of the present state."""
        note = {
            **self.recorder.note(),
            **self.recorder.writer.position,
            "status": status,
            "solve_seconds": self._stats()["solve_seconds"],
            "loop_seconds": self.loop_seconds,
            "in_time": self.steps is IN_TIME,
            "warnings": self.warnings[: self.warned],
            "warned_of_size": self.recorder.thinner.warned,
            "machine": self.machine,
            "deformation": self.deformation.note(),
            "energy": self.recorder.watch.note(),
            "reach": dict(self.terms.reach),
        }
        state = saves.capture(self.model, self.stated, self.blocks, self.requested, note)
        return replace(state, arrays={**state.arrays, **self.recorder.saved()})

    def _first_write(self) -> float:
        """When the first chunk file is due: at once if a function of the user may never return, and be killed."""
        writer = self.recorder.writer
        if self.model.signals.has_user_functions and writer.keeps_short_runs:
            return self.began
        return self.began + WRITE_SECONDS

    def _return_to_mark(self) -> None:
        """Return to the state between the last two chunks of steps."""
        saved, place = self.mark
        if not np.array_equal(saved.arrays["tables.free"], self.model.tables.free):
            self._set_model(with_choice(self.model, **saved_choice(saved.arrays)))
        saves.fill(saved, self.blocks)
        self.recorder.return_to(place)
        self._take_over(saved.note)

    def _write(self) -> None:
        """Write a chunk file, then the state after it."""
        self.recorder.write(self._stats())
        saved = self.mark[0].at(self.recorder.writer.position)
        self.mark = saved, self.recorder.place
        self.recorder.writer.save_state(saved)

    def _stats(self) -> dict[str, float]:
        stats = {name: int(value) for name, value in zip(s.COUNT_NAMES, self.state.count, strict=True)}
        now = time.perf_counter() - self.began if self.began > 0.0 else 0.0
        choice = {
            "integrator": self.method.name,
            "integrator_reason": self.reason,
            "step_size_decided_by": decided_by(self.model, self.state, self.settings),
            "advice": "; ".join(self._advice()),
            "warnings": list(self.warnings),
        }
        if self.machine[0]:
            choice["machine_damping"] = self.machine[0]
        seconds = {
            "solve_seconds": self.solve_seconds + now,
            "loop_seconds": self.loop_seconds,
            "compile_seconds": self.compile_seconds,
        }
        return {**stats, **self.recorder.thinner.stats(), **seconds, **choice, **self.terms.stats(), **self.deformation.stats()}

    def _advice(self) -> tuple[str, ...]:
        """What slows the run, and what its modes do not resolve."""
        unresolved = self.impacts.of(self.model, self.recorder.contacts)
        return tuple(filter(None, (vibrations_that_decide(self.model, self.state), unresolved)))

    def _stored_contacts(self) -> list[ContactRecord]:
        """Contacts that have ended in the steps that are in the folder."""
        writer = self.recorder.writer
        return parts_of(writer.folder, str(writer.position["run"])).contacts if writer.folder is not None and writer.rows else []

    def _finish(self, status: str, kind: str, opened: bool = False) -> Result:
        """Store the remaining steps, and the last state from which a run can continue."""
        recorder, writer = self.recorder, self.recorder.writer
        writer.ends()
        if opened or not saves.finite(self.state):  # the state is that of the last chunk; its steps are kept
            saved, place = self.mark
            recorder.write(self._stats(), place)
            saved = replace(saved, note={**saved.note, "status": kind}).at(writer.position)
        else:
            recorder.write(self._stats())
            saved = self._capture(kind)
        writer.save_state(saved)
        recorder.add_last(self.model)
        recorder.write(self._stats())
        settle = reaction_settler(with_all_modes(self.model))
        contacts = [*recorder.contacts, *open_contacts(self.model, self.state)]
        trajectory = writer.finish(status, self._stats(), contacts, settle, recorder.events)
        settled = isinstance(trajectory, StoredTrajectory)
        return Result(self.structure, trajectory, None if settled else settle, saved)

    def _unsettled(self) -> list[str]:
        """What to say where multipliers did not converge to their tolerance."""
        state, limit = self.state, max(UNSETTLED * self.state.largest_multiplier, MIN_FORCE)
        if not state.unsettled_multiplier > limit:
            return []
        return [
            f"reactions and driving forces are uncertain by {state.unsettled_multiplier:.2g} N or N m at t = "
            f"{state.unsettled_time:.6g} s, where they did not converge: the mechanism passes a singular position, or forces "
            "depend on reactions more than reactions on them"
        ]

    def _stopped_by_event(self) -> str:
        """Status of a run that an event has stopped."""
        event = list(self.system.events.values())[int(self.state.worst_coordinate)]
        reason = next((action.reason for action in event.do if isinstance(action, Stop) and action.reason), "")
        return f"finished: stopped by event '{event.name}'{f' ({reason})' if reason else ''}"

    def _end(self, outcome: int) -> Result:
        self.warned = len(self.warnings)
        self.deformation.warn()
        if outcome in (s.FINISHED, s.STOPPED_BY_EVENT):
            self.recorder.watch.warn()
            self.recorder.thinner.warn_of_excess()
            self.terms.warn_of_reach()
            contacts = [*self._stored_contacts(), *self.recorder.contacts, *open_contacts(self.model, self.state)]
            notes = [*self._advice(), *soft_contacts(self.system, contacts), *self.machine[1]]
            if self.steps is IN_TIME:
                notes += filter(None, [note_of_sweeps(self.arrays[0])])
            notes += half_turns(self.system.bushings.values(), self.model, self.state)
            notes += self._unsettled()
            warn(notes, ResultWarning)
            return self._finish("finished" if outcome == s.FINISHED else self._stopped_by_event(), saves.FINISHED)
        limit = ""
        if outcome == s.UNDERFLOW:
            limit = step_size_limit(self.model, self.method, self.mark[0], self.state, self.settings, self.log)
        reason, cause = Failure(self, outcome, limit).reason()
        result = self._finish(f"stopped: {reason}", saves.STOPPED, outcome in (OPENED, HALTED))
        folder = self.recorder.writer.folder
        state = result.final_state
        places = ("error.result", "error.state") if folder is None else (folder, f"flexmbs.load_state('{folder}')")
        note = f"The finished steps are in {places[0]}; to continue from t = {state.t:.9g} s, use {places[1]}"
        error = SimulationError(f"{reason}\n{note}")
        error.result, error.state = result, state
        raise error from cause
