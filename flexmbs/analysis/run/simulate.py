"""Simulation in time, from the start values of a system or from a saved state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from flexmbs.analysis.prepare.prepare import ready, with_independent_constraints
from flexmbs.analysis.prepare.prescribed_motions import check_motions
from flexmbs.analysis.recording.stored_steps import StorageLimit, checked_storage
from flexmbs.analysis.run import resume as saves
from flexmbs.analysis.run.auto_integrator import choose_integrator
from flexmbs.analysis.run.condensed_modes import with_condensed_modes
from flexmbs.analysis.run.quasi_static_start import without_vibration
from flexmbs.analysis.run.run_in_chunks import Run
from flexmbs.analysis.run.run_progress import RunProgress
from flexmbs.analysis.run.settings import check_end, check_step, check_tolerances, make_settings
from flexmbs.analysis.run.settled_contacts import settled
from flexmbs.analysis.run.time_stepping import prepared_for_steps
from flexmbs.analysis.run.tolerances import AbsoluteTolerance
from flexmbs.analysis.statics.statics import in_equilibrium
from flexmbs.common.errors import MechanismError
from flexmbs.common.progress import Progress, Stage, on_progress, report
from flexmbs.common.user_warnings import collected_warnings
from flexmbs.core.layout.state import TOUCHES_NOW
from flexmbs.core.methods.integrator import Integrator
from flexmbs.core.methods.moreau import Moreau
from flexmbs.machine_code.user_code import seconds_so_far
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.fewer_terms import KeptTerms, with_fewer_terms
from flexmbs.model.more_slots import slots_of, with_slots
from flexmbs.model.second_order_terms import run_tolerance
from flexmbs.model.spanning_tree import DEEP
from flexmbs.result.result import Result
from flexmbs.result.result_folder import ResultFolder, locked_result_folder
from flexmbs.result.saved_state import SavedState


class SimulateOptions(TypedDict, total=False):
    """What :func:`simulate` and ``System.simulate`` take by name."""

    rtol: float
    atol: AbsoluteTolerance
    max_step: float
    integrator: str | Integrator
    out: str | Path | ResultFolder | None
    progress: Callable[[Progress], None] | bool | None
    from_equilibrium: bool
    quasi_static_start: bool
    settle_contacts: bool
    store_every: int | None
    output_step: float | None
    storage_limit: StorageLimit
    resume: bool
    start: SavedState | Result | str | Path | None
    force: bool
    second_order: str
    energy_ledger: bool
    stop_on_imbalance: bool
    stop_on_deformation: bool


@on_progress()
def simulate(
    system: Mechanism,
    t_end: float,
    *,
    rtol: float = 1e-6,
    atol: AbsoluteTolerance = None,
    max_step: float = np.inf,
    integrator: str | Integrator = "auto",
    out: str | Path | ResultFolder | None = None,
    progress: Callable[[Progress], None] | bool | None = None,
    from_equilibrium: bool = False,
    quasi_static_start: bool = False,
    settle_contacts: bool = False,
    store_every: int | None = None,
    output_step: float | None = None,
    storage_limit: StorageLimit = "auto",
    resume: bool = False,
    start: SavedState | Result | str | Path | None = None,
    force: bool = False,
    second_order: str = "auto",
    energy_ledger: bool = True,
    stop_on_imbalance: bool = True,
    stop_on_deformation: bool = True,
) -> Result:
    """Integrate a system from its start values, or from a saved state, to ``t_end``.

    Parameters
    ----------
    t_end : s
    rtol, atol : tolerances of positions and velocities as in ``scipy.integrate.solve_ivp``; ``atol`` one number (SI
        units), or numbers by kind of coordinate, such as {"mode": 1e-7} (flexmbs.analysis.run.tolerances)
    max_step : s, largest step
    integrator : "auto" (flexmbs.analysis.run.auto_integrator), "radau", "generalised_alpha", "bdf", "explicit",
        or one with parameters, such as ``fm.BDF(max_order=3)`` or ``fm.Moreau(step=1e-3)``;
        ``stats["integrator"]`` and ``stats["integrator_reason"]`` state the choice and the reason
    out : folder to which the result is written during the run (None: memory only); it is locked for other runs
    progress : called with a :class:`Progress` about twenty times a second; None: a bar on the terminal, or an output
        of the notebook, shows simulated time, step size and what is left of a run that takes longer than a second
        (not after ``fm.show_progress(False)``, nor with FLEXMBS_PROGRESS=0 in the environment); False: nothing is shown
    from_equilibrium : start at rest in static equilibrium (flexmbs.analysis.statics.statics), drivers with their rates
    quasi_static_start : start in motion without vibration: modal coordinates and velocities follow from the deflection
        of the bodies by inertia forces and loads (flexmbs.analysis.run.quasi_static_start), joints as stated
    settle_contacts : bodies that penetrate each other at the start are moved apart until they touch, with the smallest
        motion of the joints (flexmbs.analysis.run.settled_contacts); without it penetration at the start is an error
    store_every : store every n-th row of the log (one row a step; explicit methods add rows inside long steps); events
        and the last step are always stored
    output_step : s, store the first step at or after each multiple of it, and events and the last step; for other
        times see :meth:`Result.resampled`
    storage_limit : bytes that the result may take: only every second, fourth, ... step is stored when it would become
        larger (docs/storage.md); "auto": 100 MB, but no limit with ``store_every`` or ``output_step``; None: no limit
    resume : continue the run in ``out`` from its last saved state (from the start values if there is none); a killed or
        interrupted run then gives exactly the results of an uninterrupted one
    start : saved state, or the result or folder of a run, from whose end a new run starts
    force : replace the result in ``out``; without it (and without ``resume``) a folder with a result is refused
    second_order : "auto" leaves out second-order terms of flexible bodies whose effect is a small part of rtol (none at
        1e-7 and below; flexmbs.model.second_order_terms); "all" none. ``stats`` says how many are kept, and the
        bound of the error.
    energy_ledger : book work and losses of every element (docs/energy.md); False saves a few per cent of the run time
    stop_on_imbalance : stop where the energies, or the balance of the ledger, are far beyond what rtol explains
        (docs/energy.md); False: go on, and warn
    stop_on_deformation : stop where the displacements of a modal body are wrong by more than half of the largest, because
        it deforms further than its modes describe (docs/validity.md); False: go on, and warn

    Raises
    ------
    MechanismError
        The system cannot be computed, starts with penetration, or does not match the saved state; nothing was run.
    ResultFolderError
        ``out`` cannot be written, is in use by another run, or holds a result.
    SimulationError
        The run stopped early. The message gives the reason; ``error.result`` holds the finished steps (also in ``out``)
        and ``error.state`` the state from which ``start=`` continues.
    """
    if second_order not in ("auto", "all"):
        raise MechanismError(f"second_order must be 'auto' or 'all', not {second_order!r}")
    check_end(t_end)  # before the bodies are compiled
    storage = checked_storage(store_every, output_step, storage_limit, t_end)
    check_tolerances(rtol, atol)
    check_step(max_step)
    if isinstance(out, ResultFolder):
        resume = out.resume
    if from_equilibrium and quasi_static_start:
        raise MechanismError("give either from_equilibrium=True (at rest) or quasi_static_start=True (in motion)")
    saves.check_start_options(out, resume, start, from_equilibrium or quasi_static_start, force)
    silent = _nothing if progress is False else None
    with locked_result_folder(out, force=force, resume=resume) as folder, on_progress(silent), collected_warnings() as warnings:
        saved = saves.start_state(folder, resume, start)
        if saved is not None and not (t_end >= saved.t if resume else t_end > saved.t):
            raise MechanismError(f"t_end = {t_end!r} s must be later than the time of the saved state, {saved.t:.9g} s")
        check_motions(system, 0.0 if saved is None else saved.t, t_end)
        options = {"rtol": rtol, "atol": atol, "max_step": float(max_step), "integrator": integrator}
        if second_order != "auto":
            options["second_order"] = second_order
        if not energy_ledger:
            options["energy_ledger"] = False
        how = "rest" if from_equilibrium else "motion" if quasi_static_start else ""
        callback = report if progress is None or progress is True else progress or None
        known = seconds_so_far()
        run = _prepared(system, t_end, options, RunProgress(callback), saved, how, settle_contacts)
        run.warnings, run.stops_on_imbalance, run.stops_on_deformation = warnings, stop_on_imbalance, stop_on_deformation
        run.starts_as_stated = not how
        run.compile_seconds += seconds_so_far() - known
        return run.go(folder, storage, saved, resume)


def _nothing(_stage: Stage) -> None:
    """A callback that shows nothing."""


def _prepared(
    system: Mechanism,
    t_end: float,
    options: dict[str, Any],
    progress: RunProgress,
    saved: SavedState | None,
    computed: str,
    settle: bool,
) -> Run:
    """The run of a system, ready to start.

    ``options``: tolerances, largest step and integrator, second-order terms if not "auto".
    ``settle``: move bodies apart that penetrate each other at the start.
    ``computed``: start in equilibrium ("rest"), without vibration ("motion"), or as stated ("").
    """
    model = ready(system, whole=True)
    method, reason = choose_integrator(options["integrator"], model)
    if not method.trees_only and system.coordinates == "reduced" and model.tree.depth > DEEP:
        model = ready(system)  # cut into segments, which is faster for implicit methods
    if settle and saved is None:
        model = settled(model, 0.0)
    stated, active = model, None
    if computed == "rest" and saved is None:
        model, active = in_equilibrium(model, 0.0)
    if computed == "motion" and saved is None:
        model = without_vibration(model, 0.0)
    if "second_order" not in options:
        model = with_fewer_terms(system, model, run_tolerance(options["rtol"], len(model.contact_names) > 0))
    terms = KeptTerms.of(stated, model)
    if isinstance(method, Moreau):
        stated = model = prepared_for_steps(model)
    model = with_condensed_modes(model, 0.0, method)
    slots = 0 if saved is None else slots_of(saved.note["switch_names"])  # a run may have found room for more
    if slots > slots_of(model.switch_names):
        stated, model = with_slots(stated, slots), with_independent_constraints(with_slots(model, slots), 0.0)
    settings = make_settings(model, t_end, options["rtol"], options["atol"], options["max_step"], method)
    requested = {name: repr(value) for name, value in {**options, "integrator": method}.items()}
    run = Run(system, stated, model, settings, method, requested, progress)
    run.reason, run.terms, run.rtol = reason, terms, float(options["rtol"])
    if options.get("energy_ledger", True) and not isinstance(method, Moreau):
        run.keep_energy_ledger()
    if active is not None:
        run.state.active[:] = TOUCHES_NOW * active
    return run
