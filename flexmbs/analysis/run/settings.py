"""Settings of a run: checks of tolerances and limits, and the block for the step loop."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.analysis.run.driver_limits import driver_limits
from flexmbs.analysis.run.integrators import FORMULATIONS
from flexmbs.analysis.run.tolerances import AbsoluteTolerance, absolute_tolerances, motion_per_unit, motion_scales
from flexmbs.common.errors import MechanismError, MechanismWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.state import Settings
from flexmbs.core.layout.switch_tables import HELD_BY_OTHERS, RESTING, SLOT
from flexmbs.core.methods.integrator import Integrator
from flexmbs.core.methods.moreau import Moreau
from flexmbs.model.compiled_model import Model

LONGEST = 1e7  # s, 116 days: a longer t_end may be in the wrong unit
LOOSEST = 0.05  # rtol, and atol in rad, m, rad/s or m/s: larger values cause a warning
MAX_DEFORMATION = 10.0  # relative to the size of a body; a run is stopped beyond


def largest_coordinates(body) -> np.ndarray:
    """(n,) modal coordinates that move a node by ``MAX_DEFORMATION`` sizes of the body (infinite without motion)."""
    size = float(np.linalg.norm(np.ptp(body.points, axis=0)))
    largest = np.linalg.norm(body.modes, axis=2).max(axis=1, initial=0.0)
    return np.divide(MAX_DEFORMATION * size, largest, out=np.full(len(largest), np.inf), where=largest > 0.0)


def check_end(t_end: float, where: str = "") -> None:
    """MechanismError unless ``t_end`` (s) is a positive finite number; a warning beyond ``LONGEST``."""
    if not _is_number(t_end) or not (np.isfinite(t_end) and t_end > 0.0):
        raise MechanismError(f"{where}t_end = {t_end!r} must be a positive finite number of seconds")
    if t_end > LONGEST:
        warn(f"{where}t_end = {t_end:g} s is {t_end / 86400.0:.3g} days; times are in s", MechanismWarning)


def check_step(max_step: float) -> None:
    """MechanismError unless ``max_step`` (s) is a positive number."""
    if not _is_number(max_step) or not max_step > 0.0:
        raise MechanismError(f"max_step = {max_step!r} s must be positive")


def check_tolerances(rtol: float, atol: AbsoluteTolerance) -> None:
    """MechanismError for an rtol out of range; warnings for tolerances too loose to control the error."""
    if not _is_number(rtol) or not (np.isfinite(rtol) and rtol > 0.0):
        raise MechanismError(f"rtol = {rtol!r} must be a positive finite number")
    if rtol < 100.0 * np.finfo(float).eps:
        raise MechanismError(f"rtol = {rtol:g} is below the limit of double precision (2e-14)")
    if rtol > 1.0:
        raise MechanismError(f"rtol = {rtol:g}: the relative error of a step must be at most 1, normally 1e-3 to 1e-9")
    if rtol > LOOSEST:
        warn(f"rtol = {rtol:g} allows errors of {rtol:.0%} in each step; use 1e-3 to 1e-9", MechanismWarning)
    given = atol.items() if isinstance(atol, Mapping) else [("", atol)]
    for kind, value in given:
        if kind != "state" and _is_number(value) and np.isfinite(value) and value > LOOSEST:
            name = f"atol['{kind}']" if kind else "atol"
            text = f"{name} = {value:g} (rad, m, rad/s or m/s) allows errors of that size in each step"
            warn(text, MechanismWarning)


def _is_number(value) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)


def pairs_of_contacts(model: Model) -> np.ndarray:
    """(contacts + switches,) largest value of ``State.active``: how many pairs a contact serves, or its modes."""
    groups, owner = model.tables.groups, model.tables.contacts["group"]
    sizes = np.append((groups["end"] - groups["start"]) ** 2, 1)
    sizes = sizes[np.where(owner < 0, len(groups), owner)]
    rigid = model.tables.contacts["rigid"] != 0
    switches = np.where(model.tables.switches["kind"] == SLOT, len(sizes), HELD_BY_OTHERS)
    return np.concatenate([np.where(rigid, RESTING, sizes), switches])


def _check_constraints(model: Model, integrator: Integrator) -> None:
    """MechanismError if the integrator does not support the constraints or contacts of the mechanism."""
    if integrator.trees_only and len(model.tables.constraints):
        raise MechanismError(
            f"integrator '{integrator.name}' is for trees without closed loops, but this mechanism has constraints "
            f"({', '.join(model.constraint_names[:5])}); use 'radau' or another implicit integrator"
        )
    if integrator.trees_only and np.any(model.tables.switches["kind"] != SLOT):
        raise MechanismError(
            f"integrator '{integrator.name}' is for trees without constraints, but events lock or free "
            f"{', '.join(model.switch_names[:5])}; use 'radau' or another implicit integrator"
        )
    in_time = isinstance(integrator, Moreau)
    rigid = model.tables.contacts["rigid"] != 0
    if not in_time and np.any(rigid[model.tables.contacts["group"] >= 0]):
        raise MechanismError(
            f"integrator '{integrator.name}' locates events, which the group of rigid contacts that contact_all has "
            "made of many bodies has not; use integrator=fm.Moreau(step=...), or contact_all(..., grouped=False)"
        )
    if integrator.trees_only and not in_time and np.any(rigid):
        raise MechanismError(
            f"integrator '{integrator.name}' is for trees without constraints, which rigid contacts "
            f"({', '.join(np.array(model.contact_names)[rigid[: len(model.contact_names)]][:5])}) are while they are "
            "closed; use 'radau' or another implicit integrator"
        )
    if not (integrator.trees_only or in_time) and len(model.tables.groups):
        raise MechanismError(
            f"integrator '{integrator.name}' cannot take the group that contact_all has made of many bodies; use "
            "'explicit' (for trees without closed loops), or contact_all(..., grouped=False)"
        )


def make_settings(
    model: Model, t_end: float, rtol: float, atol: AbsoluteTolerance, max_step: float, integrator: Integrator
) -> Settings:
    """Settings of the step loop.

    Raises
    ------
    MechanismError
        A value is not finite or not positive, or the integrator does not support the constraints of the mechanism.
    """
    _check_constraints(model, integrator)
    in_time = isinstance(integrator, Moreau)
    atol_q, atol_v = absolute_tolerances(model, rtol, atol)
    internal = max(integrator.internal(rtol), min(rtol, integrator.min_tolerance(len(model.tables.constraints) > 0)))
    parameters, limits = integrator.parameters(rtol), driver_limits(model, float(t_end), rtol)
    share, rtol = internal / rtol, internal
    if in_time:
        max_step = min(max_step, integrator.step)
    n = len(model.q)
    floor = np.zeros(n)
    for start in model.balls:
        floor[start : start + 3] = 1.0
    largest = np.full(n, np.inf)
    for name, part in model.modal.items():
        largest[part] = largest_coordinates(model.bodies[name])
    newton_tolerance = max(10.0 * np.finfo(float).eps / rtol, integrator.newton_part(rtol))
    return Settings(
        t_end=float(t_end),
        rtol=float(rtol),
        atol_q=share * atol_q,
        atol_v=share * atol_v,
        floor_q=floor,
        **motion_scales(model, atol, damps=not integrator.trees_only),
        largest_q=largest,
        pairs=pairs_of_contacts(model),
        motion=motion_per_unit(model),
        max_step=float(min(max_step, t_end)),
        **limits,
        max_growth=integrator.max_growth,
        newton_tolerance=float(newton_tolerance),
        reuse_rate=integrator.reuse_rate(len(model.tables.free)),
        formulation=FORMULATIONS[integrator.formulation],
        max_order=int(integrator.max_order),
        projection_levels=integrator.projection_levels,
        explicit=int(integrator.trees_only),
        parameters=parameters,
    )
