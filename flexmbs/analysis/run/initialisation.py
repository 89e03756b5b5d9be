"""Initialisation of a run: checks of the start state, and consistent start values of lags."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from flexmbs.analysis.evaluation.evaluate import gaps
from flexmbs.analysis.evaluation.massless_motions import check_inertia
from flexmbs.analysis.recording.log_records import described_steps
from flexmbs.analysis.run.run_model import RunModel
from flexmbs.common.errors import MechanismError
from flexmbs.core.layout.state import SINGULAR, State
from flexmbs.core.layout.tables import AT_ZERO_FORCE, Workspace
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.stepping.step_loop import impose_start
from flexmbs.model.compiled_model import Model
from flexmbs.model.coordinate_limits import coordinate_beyond, end_passed

MAX_ROUNDS = 30  # iterations for loads that follow reactions


def check_start(model: Model, work: Workspace, state: State) -> None:
    """MechanismError if a coordinate is beyond the end of its curve, or a contact penetrates, at the start."""
    beyond = coordinate_beyond(model.ends, state.q[None, :])
    if beyond is not None:
        raise MechanismError(f"at the start, {end_passed(beyond[1], state.q)}")
    for c, (name, gap) in enumerate(zip(model.contact_names, gaps(model, work, state), strict=True)):
        # one that has separated at zero force, in a saved state
        released = model.tables.contacts[c]["separation"] == AT_ZERO_FORCE and state.time > 0.0
        if gap < -1e-12 and not state.active[c] and not released:
            raise MechanismError(
                f"contact '{name}' starts with a penetration of {-gap:.3g} m ({_bodies_of(model, c)}): move one of "
                "the bodies until the gap is positive, or let simulate(settle_contacts=True) move them until they touch"
            )
    depth, name = deepest_penetration(model, work, state)
    if depth < -1e-12 and state.time == 0.0:
        raise MechanismError(
            f"contact '{name}' starts with a penetration of {-depth:.3g} m: move one of the bodies until the gap is "
            "positive, or use contact_all(..., grouped=False) and simulate(settle_contacts=True)"
        )


def _bodies_of(model: Model, c: int) -> str:
    """The two bodies of a contact, for messages."""
    contact, markers = model.tables.contacts[c], model.tables.markers
    first, second = (model.body_names[markers[int(contact[name])]["body"]] for name in "ab")
    return f"'{first}' and '{second}'"


def warm_up(run: RunModel, known: Collection[str]) -> tuple[int, State | None, float]:
    """Load or compile the kernels, so that compile time is not counted as solve time, and start on a copy of the state.

    Returns the outcome of the start, the started copy (None: loads that follow reactions have changed the state since),
    and the seconds that the start took. MechanismError if the start is impossible. For ``known`` see :func:`start_lags`.
    """
    model, work, state, log = run.model, run.work, run.state, run.log
    impose_start(model.tables, state, work)
    check_start(model, work, state)
    copy = state.copy()
    run.steps.advance(*run.parts(copy), 0)
    described_steps(model, work, log.rows[:0])
    log.filled[:] = 0
    begin = time.perf_counter()
    outcome = run.steps.start(*run.parts(copy))
    seconds = time.perf_counter() - begin
    changed = start_lags(run, copy, known)
    if outcome == SINGULAR:
        check_inertia(replace(model, q=state.q.copy(), v=state.v.copy()), float(state.time))
        raise MechanismError(f"the mass matrix is singular at the start: {_massless(model, copy.mass)} has no inertia")
    return outcome, None if changed else copy, seconds


def _massless(model: Model, mass: np.ndarray) -> str:
    """The coordinate with the largest component in the motion with the smallest inertia."""
    if mass.shape[0] != mass.shape[1] or not np.all(np.isfinite(mass)):
        return "a motion"
    _values, vectors = np.linalg.eigh(0.5 * (mass + mass.T))
    return f"'{model.coordinate_names[model.tables.free[int(np.argmax(np.abs(vectors[:, 0])))]]}'"


def start_lags(run: RunModel, copy: State, known: Collection[str]) -> bool:
    """Set loads that follow reactions to the reactions at the start, iteratively, as friction changes the reactions.

    ``copy`` of the state has been started; coordinates in ``known`` keep the values of a saved state. Returns whether
    there are such loads.
    """
    model, state = run.model, run.state
    states = model.tables.states[list(model.lags)]
    states = states[[model.coordinate_names[k] not in known for k in states["coordinate"]]]
    for _ in range(MAX_ROUNDS if len(states) else 0):
        found = run.work.signal[states["signal"], 0].copy()
        change = np.abs(found - state.v[states["coordinate"]]).max()
        if not np.isfinite(change):
            break
        state.v[states["coordinate"]] = copy.v[states["coordinate"]] = found
        if change <= 1e-12 * np.abs(found).max():
            break
        run.log.filled[:] = 0
        run.steps.start(*run.parts(copy))
    return len(states) > 0


def deepest_penetration(model: Model, work: Workspace, state: State) -> tuple[float, str]:
    """Smallest gap (m) of the open pairs of all groups, negative if they overlap, and the name of the pair.

    Markers of flexible bodies are taken where the undeformed body has them.
    """
    tables, deepest = model.tables, (np.inf, "")
    if not len(tables.groups):
        return deepest
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    markers = tables.markers[tables.features["marker"]]
    frames = work.frame[markers["body"]]
    centres = frames["p_WB"] + np.einsum("fij,fj->fi", frames["R_WB"], markers["p_BM"])
    normals = np.einsum("fij,fjk,fk->fi", frames["R_WB"], markers["R_BM"], tables.features["normal"])
    for group in tables.groups:
        for gap, i, j in _overlaps(tables.features, group, centres, normals):
            size, first = int(group["end"] - group["start"]), int(group["start"])
            pair = min(i, j) * size + max(i, j) - first * (size + 1)
            excluded = tables.excluded[group["excluded_start"] : group["excluded_end"]]
            touching = state.active[group["slot_start"] : group["slot_end"]]
            same = tables.features["body"][i] == tables.features["body"][j]
            if gap < deepest[0] and not same and pair not in excluded and pair + 1 not in touching:
                deepest = gap, model.contact_name(int(group["slot_start"]), pair)
    return deepest


def _overlaps(features, group, centres, normals):
    """(gap, feature, feature) of spheres that overlap each other or a plane."""
    spheres = np.arange(group["start"], group["plane_start"])
    radii = features["radius"]
    pairs = cKDTree(centres[spheres]).query_pairs(2.0 * float(radii[spheres].max()), output_type="ndarray")
    i, j = spheres[pairs[:, 0]], spheres[pairs[:, 1]]
    gaps = np.linalg.norm(centres[i] - centres[j], axis=1) - radii[i] - radii[j]
    for k in np.flatnonzero(gaps < 0.0):
        yield float(gaps[k]), int(i[k]), int(j[k])
    for plane in range(group["plane_start"], group["end"]):
        heights = (centres[spheres] - centres[plane]) @ normals[plane] - radii[spheres]
        for k in np.flatnonzero(heights < 0.0):
            yield float(heights[k]), int(spheres[k]), plane
