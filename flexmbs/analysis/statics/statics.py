"""Static equilibrium and the assembled start position, as results with a single time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter

import numpy as np

from flexmbs.analysis.assembly.close_loops import followed
from flexmbs.analysis.evaluation.driver_elimination import imposed
from flexmbs.analysis.prepare.prepare import prepared, with_independent_constraints
from flexmbs.analysis.recording.deformation_watch import DeformationWatch
from flexmbs.analysis.recording.state_results import Moment, free_moment, result_of
from flexmbs.analysis.statics.equilibrium import equilibrium
from flexmbs.common.errors import SimulationError
from flexmbs.mechanism.geometry.rotations import as_number
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.result.result import Result


def statics(system: Mechanism, *, time: float = 0.0, out: str | Path | None = None, stop_on_deformation: bool = True) -> Result:
    """Static equilibrium to which the forces lead from the start values of the system.

    Drivers and loads have their values at ``time`` (s), and nothing moves; user states, lags and outputs of controllers
    keep their start values. The equilibrium is stable or neutral. Compliant contacts act where bodies overlap; rigid ones,
    stops and joints with friction hold what they can bear: it sticks where it came to rest on the way.
    ``stop_on_deformation=False``: as in :func:`flexmbs.simulate`.

    Returns
    -------
    Result with a single time: positions, reactions, driving forces, contact forces by name

    Raises
    ------
    MechanismError
        The loops cannot be closed.
    SimulationError
        No equilibrium was found; the worst equation is named. Or a body deforms further than its modes describe;
        ``error.result`` holds the equilibrium.
    """
    begin = perf_counter()
    model = prepared(system, as_number(time, "statics: time (s)"))
    balance = equilibrium(model, time, "statics: no equilibrium")
    a = np.zeros_like(model.q)
    a[balance.rows] = balance.multipliers
    still = imposed(balance.model, time)
    moment = Moment(float(time), still.q, model.resting_rates, a, still.reference, balance.active, balance.contact_history)
    watch = DeformationWatch(model)
    found = watch.take(np.array([moment.t]), moment.q[None], stop_on_deformation)
    watch.warn()
    stats = {"steps": 0, "solve_seconds": perf_counter() - begin, **watch.stats()}
    if found is None:
        return result_of(system, model, [moment], "finished", stats, out)
    error = SimulationError(f"statics: {found[1]}")
    error.result = result_of(system, model, [moment], f"stopped: {error}", stats, out)
    raise error


def in_equilibrium(model: Model, t: float) -> tuple[Model, np.ndarray]:
    """A prepared model in its static equilibrium, at rest except for its drivers, and its closed compliant contacts."""
    balance = equilibrium(model, t, "start from equilibrium: no equilibrium")
    still = followed(imposed(replace(balance.model, v=model.resting_rates), t), t)
    contacts = model.tables.arrays["contacts"]
    closed = np.zeros_like(balance.active)  # rigid ones and joints with friction are decided when the run starts
    closed[: len(contacts)] = np.where(contacts["rigid"] != 0, 0, balance.active[: len(contacts)])
    return with_independent_constraints(still, t), closed


def assemble(system: Mechanism, *, time: float = 0.0) -> Result:
    """The initial state of a run: loops closed, velocities consistent, with accelerations and reactions.

    Returns
    -------
    Result with a single time: ``result["hinge.angle"][0]``, ``result.show()``, ``result.animate("start.png")``

    Raises
    ------
    MechanismError
        The loops cannot be closed (names the joint that stays open most, and by how much), or drivers contradict each
        other.
    """
    begin = perf_counter()
    model = imposed(prepared(system, as_number(time, "assemble: time (s)")), time)
    moment = free_moment(model, time)
    return result_of(system, model, [moment], "assembled", {"steps": 0, "solve_seconds": perf_counter() - begin})
