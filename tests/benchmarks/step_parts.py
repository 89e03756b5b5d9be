"""The parts of a step of Radau of order 5 timed alone, in compiled loops, at the end of a run; how often each ran."""

from __future__ import annotations

import time
from collections.abc import Callable

import numba
import numpy as np

import flexmbs as fm
from flexmbs.analysis.prepare.prepare import ready
from flexmbs.analysis.recording.log_records import described_steps
from flexmbs.analysis.run.settings import make_settings
from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.tangent import consistent_accelerations, update_tangent
from flexmbs.core.layout.state import make_log, make_scratch, make_state
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.methods.method_table import METHODS
from flexmbs.core.methods.radau import estimate_error, factorise_newton, newton_update, predict, set_stages
from flexmbs.core.stepping.accept_step import accept_step
from flexmbs.core.stepping.contact_events import first_event
from flexmbs.core.stepping.linking import link_method
from flexmbs.core.stepping.write_log_rows import write_row

ROUNDS, BATCH = 100, 1e-3  # of each round about so many seconds for each part; the quickest counts
ROWS = 64  # described at once
FIFTH = 0  # of the orders 5, 9, 13


@numba.njit
def repeat_residual(tables, state, settings, scratch, work, log, h, count):
    for _ in range(count):
        residual(tables, state.active, state.contact_history, state.q, state.v, state.a, state.reference, work, scratch.residual)


@numba.njit
def repeat_tangent(tables, state, settings, scratch, work, log, h, count):
    for _ in range(count):
        update_tangent(tables, state, scratch, work, 3)


@numba.njit
def repeat_factorise(tables, state, settings, scratch, work, log, h, count):
    for _ in range(count):
        factorise_newton(tables, state, scratch, work, FIFTH, h)


@numba.njit
def repeat_solve(tables, state, settings, scratch, work, log, h, count):
    for _ in range(count):
        newton_update(tables, state, scratch, work, FIFTH, h)


@numba.njit
def repeat_stages(tables, state, settings, scratch, work, log, h, count):
    for _ in range(count):
        set_stages(tables, state, scratch, FIFTH, h)


@numba.njit
def repeat_predict(tables, state, settings, scratch, work, log, h, count):
    for _ in range(count):
        predict(tables, state, scratch, work, FIFTH, h)


@numba.njit
def repeat_error(tables, state, settings, scratch, work, log, h, count):
    for _ in range(count):
        estimate_error(tables, state, settings, scratch, work, FIFTH, h)


@numba.njit
def repeat_events(tables, state, settings, scratch, work, log, h, count):
    for _ in range(count):
        first_event(tables, state, scratch, work, h, 0)


@numba.njit
def repeat_log(tables, state, settings, scratch, work, log, h, count):
    for _ in range(count):
        log.row_count = 0
        write_row(tables, state, log)


@numba.njit
def repeat_accept(tables, state, settings, scratch, work, log, h, count):
    for _ in range(count):
        accept_step(tables, state, settings, scratch, work, h, 1.0, 0)


LOOPS = {
    "residual": repeat_residual,
    "tangent": repeat_tangent,
    "factorise": repeat_factorise,
    "solve": repeat_solve,
    "stages": repeat_stages,
    "predict": repeat_predict,
    "error": repeat_error,
    "events": repeat_events,
    "log row": repeat_log,
    "accept": repeat_accept,
}
PARTS = (*LOOPS, "describe")


def quickest_together(loops: dict[str, Callable[[int], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """Microseconds of one pass of each ``loop(count)``; in turn, because the speed of a machine changes in time."""
    counts = {}
    for name, loop in loops.items():
        loop(1)
        counts[name], seconds = 1, 0.0
        while seconds < BATCH:
            begin = time.perf_counter()
            loop(counts[name])
            seconds = time.perf_counter() - begin
            counts[name] *= 2 if seconds < BATCH else 1
    best = dict.fromkeys(loops, np.inf)
    for _ in range(rounds):
        for name, loop in loops.items():
            begin = time.perf_counter()
            loop(counts[name])
            best[name] = min(best[name], (time.perf_counter() - begin) / counts[name])
    return {name: 1e6 * seconds for name, seconds in best.items()}


def part_loops(system: fm.System, result: fm.Result) -> dict[str, Callable[[int], object]]:
    """What to time for each part; of "describe" one pass describes ``ROWS`` rows."""
    model = ready(system)
    tables, end = model.tables, float(result.trajectory.t[-1])
    settings = make_settings(model, end, 1e-4, 1e-6, np.inf, fm.Radau())
    balls, n = len(model.balls), model.coordinate_count
    method, work = METHODS["radau"], make_workspace(tables)
    state, scratch = make_state(tables, balls, method.history_rows), make_scratch(tables, method)
    link_method(scratch, method)
    log, h = make_log(tables, balls), end / result.stats["steps_accepted"]
    if balls:  # results hold quaternions
        state.q[:], state.v[:], state.reference[:] = model.q, model.v, model.reference
    else:
        state.q[:n], state.v[:n] = result.trajectory.q[-1], result.trajectory.v[-1]
    consistent_accelerations(tables, state, scratch, work, 3)
    for _ in range(ROWS):
        write_row(tables, state, log)
    rows = log.rows[:ROWS].copy()
    kept = []  # blocks must live as long as the loops

    def passes(loop):
        own_state, own = state.copy(), scratch.copy()  # no loop sees what another one leaves
        own.a[:] = state.a
        factorise_newton(tables, own_state, own, work, FIFTH, h)
        set_stages(tables, own_state, own, FIFTH, h)
        kept.append((own_state, own))
        return lambda count: loop(tables, own_state, settings, own, work, log, h, count)

    def describe(count):
        for _ in range(count):
            described_steps(model, work, rows)

    return {**{name: passes(loop) for name, loop in LOOPS.items()}, "describe": describe}


def parts_alone(system: fm.System, result: fm.Result, **others: Callable[[int], object]) -> dict[str, float]:
    """Microseconds of one call of each part ("describe": per row), and of one pass of ``others``, in turn."""
    found = quickest_together({**part_loops(system, result), **others})
    return {**found, "describe": found["describe"] / ROWS}


def calls(result: fm.Result) -> dict[str, float]:
    """How often each part ran with fm.Radau(max_order=5); tangents are counted in whole ones (all three matrices)."""
    stats, m = result.stats, len(result.trajectory.v[0])
    steps, iterations = stats["steps_accepted"], stats["newton_iterations"]
    attempts = steps + stats["steps_rejected"] + stats["newton_failures"]
    return {
        "residual": 3 * iterations,
        "tangent": (stats["residual_evaluations"] - 3 * iterations) / (1 + 3 * m),
        "factorise": stats["factorisations"],
        "solve": iterations,
        "stages": iterations + attempts,
        "predict": attempts,
        "error": attempts,
        "events": steps,
        "log row": steps,
        "accept": steps,
        "describe": steps,
    }
