"""Misaligned joints and the bodies bent to close their loops: measured, then accepted with a warning or refused.

An opening is a misalignment if it lies in directions that the joints cannot reach by rigid motion in random poses, with
all joints free. (Bars that are too short leave the loop open in a direction that is reachable in other poses.)

Limits, apart from bending that drivers demand or that the stated modal coordinates explain:

- rigid bodies: any misalignment is refused;
- up to ``LARGEST_GAP`` of the mechanism's size and ``LARGEST_ANGLE`` (about the coarsest tolerance class (v) of
  ISO 2768-1 for parts of 100 mm), flexible bodies are bent with the least energy, with a warning; larger misalignment
  is refused;
- strains above ``LARGEST_STRAIN``, the elastic limit of common spring steels, are refused whatever the gap;
- if only drivers demand the bending: a warning above ``LARGEST_STRAIN``, refusal above ``LARGEST_DRIVEN_STRAIN``, where
  the assumption of small strains no longer holds.
"""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.assembly.elastic_closure import rigid_rank
from flexmbs.analysis.assembly.loop_equations import Loops, scaled
from flexmbs.analysis.assembly.nearest_pose import Pose
from flexmbs.analysis.evaluation.constraint_directions import dense
from flexmbs.analysis.evaluation.stations import stations_of
from flexmbs.common.errors import MechanismError, MechanismWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.tables import CLOSURE, OPENINGS
from flexmbs.fem.stress_field import von_mises
from flexmbs.model.compiled_model import Model
from flexmbs.model.loop_closure_report import BentBody, LoopClosure, MisalignedJoint
from flexmbs.reduction.flexible_body import FlexibleBody

LARGEST_GAP = 0.01  # relative to the size of the mechanism
LARGEST_ANGLE = np.radians(2.0)
LARGEST_STRAIN = 5e-3
LARGEST_DRIVEN_STRAIN = 0.1
NOTABLE_STRAIN = 1e-6  # 0.2 MPa in steel: smaller strains come from rounding in mesh files and cause no warning
OUT_OF_REACH = 0.5  # fraction of an opening that rigid motion cannot close; above, it is a misalignment
PLACES, MOVE = 9, np.pi  # number of random poses, and their distance in rad or relative to the size


def misaligned_joints(loops: Loops, pose: Pose) -> tuple[MisalignedJoint, ...]:
    """The joints that stay open in ``pose``, worst first."""
    every = np.zeros(len(loops.evaluator.rows))
    every[loops.position_rows] = pose.opening
    joints = {joint.name: joint for joint in loops.model.tree.cut}
    found = []
    for c, constraint in enumerate(loops.model.tables.constraints):
        if c in loops.ignored or constraint["kind"] != CLOSURE:
            continue
        opening = every[loops.rows_of(c)]
        gap, turn = opening[:3], opening[3:] if len(opening) == 6 else np.zeros(3)
        if np.abs(opening).max() > 1e-10:
            joint = joints[loops.model.constraint_names[c]]
            found.append(
                MisalignedJoint(
                    joint.name, joint.type.name, joint.a.label, joint.b.label, tuple(map(float, gap)), tuple(map(float, turn))
                )
            )
    return tuple(sorted(found, key=lambda one: -_size(one, loops.length)))


def _size(joint: MisalignedJoint, length: float) -> float:
    return float(np.linalg.norm(joint.gap)) / length + float(np.linalg.norm(joint.turn))


def misalignment_size(joints: tuple[MisalignedJoint, ...], length: float) -> float:
    """The largest misalignment: gap relative to the size of the mechanism plus angle in rad."""
    return max((_size(joint, length) for joint in joints), default=0.0)


def is_small(joints: tuple[MisalignedJoint, ...], length: float) -> bool:
    """Whether the misalignment is small enough for flexible bodies to be bent for it."""
    return all(
        np.linalg.norm(joint.gap) <= LARGEST_GAP * length and np.linalg.norm(joint.turn) <= LARGEST_ANGLE for joint in joints
    )


def out_of_reach(loops: Loops, pose: Pose, movable: np.ndarray, misalignment: float) -> bool:
    """Whether the opening in ``pose`` lies in directions that rigid motion cannot close in random poses.

    ``movable`` (n,) bool: joint coordinates, including held and driven ones.
    """
    if not np.any(movable):
        return True
    rows, columns = loops.row_scales(), loops.column_scales()[movable]
    opening = rows * pose.opening / pose.size
    random, rank, shares = np.random.default_rng(2), rigid_rank(misalignment), []
    for _ in range(PLACES):
        q = pose.q.copy()
        q[: len(movable)][movable] += MOVE * columns * random.uniform(-1.0, 1.0, np.count_nonzero(movable))
        G = dense(scaled(loops.matrix(q, pose.reference, OPENINGS)[:, movable], rows, columns))
        left, singular, _right = np.linalg.svd(G, full_matrices=False)
        reached = left[:, singular > rank].T @ opening
        shares.append(np.sqrt(max(1.0 - float(reached @ reached), 0.0)))
    return bool(np.median(shares) > OUT_OF_REACH)


def bent_bodies(model: Model, q: np.ndarray) -> tuple[BentBody, ...]:
    """Flexible bodies whose modal coordinates in ``q`` differ from those stated in ``model``, largest energy first."""
    found = []
    for name, part in model.modal.items():
        body, change = model.bodies[name], q[part] - model.q[part]
        if np.any(change):
            energy = 0.5 * float(change @ body.Ke @ change)
            stress = np.tensordot(change, body.surface_stress_modes, axes=(0, 0)) if body.has_stress else None
            largest = None if stress is None else float(von_mises(stress).max(initial=0.0))
            found.append(BentBody(name, energy, _largest_strain(body, change), largest))
    return tuple(sorted(found, key=lambda one: -one.energy))


def _largest_strain(body: FlexibleBody, q: np.ndarray) -> float | None:
    """Largest linear strain along lines between points at modal coordinates ``q``; None where too few are known.

    An estimate: shear (a twisted beam) is not captured, and the mean along a line is below the peak.
    """
    stations = stations_of(body)
    return None if stations is None else float(np.abs(q @ stations.strains).max())


def checked_strains(closing: LoopClosure) -> LoopClosure:
    """``closing``, if its strains are acceptable.

    Raises
    ------
    MechanismError
        Bodies are strained too much; ``error.closing`` holds the values.
    """
    limit = LARGEST_DRIVEN_STRAIN if closing.drivers else LARGEST_STRAIN
    worst = max((body.strain for body in closing.bodies if body.strain is not None), default=0.0)
    if worst > limit:
        remedy = (
            "Start the drivers at values for which the loops close"
            if closing.drivers
            else "Align the markers, or state the modal coordinates of a body that is meant to be bent"
        )
        raise closure_error(f"the loops close only by straining bodies beyond {100.0 * limit:g} %", closing, remedy)
    return closing


def closure_error(what: str, closing: LoopClosure, remedy: str) -> MechanismError:
    """A MechanismError: ``what`` is wrong, the values of ``closing`` (also as ``error.closing``), and the remedy."""
    error = MechanismError(f"{what}: {closing.sentence}. {remedy}")
    error.closing = closing
    return error


def is_misalignment(error: MechanismError) -> bool:
    """Whether ``error`` reports misaligned joints with no driver involved."""
    closing = vars(error).get("closing")
    return closing is not None and bool(closing.joints) and not closing.drivers


def misalignment_error(joints: tuple[MisalignedJoint, ...], axes, flexible: bool) -> MechanismError:
    """The error for misaligned joints whose loop no body may be bent to close."""
    limits = f"{100.0 * LARGEST_GAP:g} % of the size of the mechanism or {np.degrees(LARGEST_ANGLE):g} degrees"
    bent = f"by more than {limits}, the limit for bending flexible bodies"
    reason = bent if flexible else "and no flexible body can be bent to compensate"
    return closure_error(
        f"the loops cannot be closed: joints are misaligned, {reason}",
        LoopClosure(joints=joints, axes=axes),
        "Align the markers, or give a joint of the loop more freedom (cylindrical, universal, spherical)",
    )


def warn_of_misalignment(closing: LoopClosure | None) -> None:
    """Warn of bodies that were bent to close the loops, and of axes that lock them."""
    if closing is None:
        return
    least = LARGEST_STRAIN if closing.drivers else NOTABLE_STRAIN
    strains = [body.strain for body in closing.bodies]
    strained = any(strain > least if strain is not None else not closing.drivers for strain in strains)
    if closing.axes or strained:
        warn(f"joints are misaligned: {closing.sentence}", MechanismWarning)
