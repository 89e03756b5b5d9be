"""Joints out of line and bodies bent for them: measured, judged, and refused or warned of by name.

What counts as a misalignment is told by the ranks: what stays open in the nearest rigid pose lies in directions in
which the joints cannot move in random poses, were all of them free.  (Bars that are too short leave the loop open in
a direction in which they do move elsewhere.)

Judged is what drivers do not demand and the stated modal coordinates do not explain:

- rigid bodies: any misalignment is refused;
- up to ``LARGEST_GAP`` of the mechanism's size and ``LARGEST_ANGLE``, about what the coarsest class (v) of ISO 2768-1
  allows parts of 100 mm, flexible bodies are bent by the least energy, with a warning; larger ones are refused;
- strains above ``LARGEST_STRAIN``, the elastic limit of common spring steels, are refused whatever the gap is;
- where only drivers demand the bending: a warning above ``LARGEST_STRAIN``, refusal above ``LARGEST_DRIVEN_STRAIN``,
  beyond which small strains, which everything here assumes, are no longer so.
"""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.assembly.elastic_closure import rigid_rank
from flexmbs.analysis.assembly.loop_equations import Loops, scaled
from flexmbs.analysis.assembly.nearest_pose import Pose
from flexmbs.analysis.evaluation.constraint_directions import dense
from flexmbs.common.errors import MechanismError, MechanismWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout.tables import CLOSURE, OPENINGS
from flexmbs.fem.stress_field import von_mises
from flexmbs.model.compiled_model import Model
from flexmbs.model.loop_closure_report import BentBody, Closing, MisalignedJoint
from flexmbs.reduction.flexible_body import FlexibleBody

LARGEST_GAP = 0.01  # of the size of the mechanism
LARGEST_ANGLE = np.radians(2.0)
LARGEST_STRAIN = 5e-3
LARGEST_DRIVEN_STRAIN = 0.1
NOTABLE_STRAIN = 1e-6  # 0.2 MPa in steel: less comes of the digits of mesh files, and is not warned of
OUT_OF_REACH = 0.5  # share of an opening that rigid motion cannot close, from which on it is a misalignment
PLACES, MOVE = 9, np.pi  # random poses, and how far away they are: rad, or parts of the size


def misaligned_joints(loops: Loops, pose: Pose) -> tuple[MisalignedJoint, ...]:
    """The joints that stay open in ``pose``, the worst first."""
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
                    joint.name, joint.type.name, joint.a.label, joint.b.label, tuple(map(float, gap)),
                    tuple(map(float, turn)),
                )
            )  # fmt: skip
    return tuple(sorted(found, key=lambda one: -_size(one, loops.length)))


def _size(joint: MisalignedJoint, length: float) -> float:
    return float(np.linalg.norm(joint.gap)) / length + float(np.linalg.norm(joint.turn))


def misalignment_size(joints: tuple[MisalignedJoint, ...], length: float) -> float:
    """The largest one, as parts of the size of the mechanism and rad."""
    return max((_size(joint, length) for joint in joints), default=0.0)


def is_small(joints: tuple[MisalignedJoint, ...], length: float) -> bool:
    """Within what flexible bodies are bent for."""
    return all(
        np.linalg.norm(joint.gap) <= LARGEST_GAP * length and np.linalg.norm(joint.turn) <= LARGEST_ANGLE
        for joint in joints
    )


def out_of_reach(loops: Loops, pose: Pose, movable: np.ndarray, misalignment: float) -> bool:
    """Whether what is open in ``pose`` lies in directions in which rigid motion closes nothing, in random poses.

    ``movable`` (n,) bool: joint coordinates, those that are held or driven too.
    """
    if not np.any(movable):
        return True
    rows, columns = loops.row_scales(), loops.column_scales()[movable]
    opening = rows * pose.opening / pose.size
    chance, rank, shares = np.random.default_rng(2), rigid_rank(misalignment), []
    for _ in range(PLACES):
        q = pose.q.copy()
        q[: len(movable)][movable] += MOVE * columns * chance.uniform(-1.0, 1.0, np.count_nonzero(movable))
        G = dense(scaled(loops.matrix(q, pose.reference, OPENINGS)[:, movable], rows, columns))
        left, singular, _right = np.linalg.svd(G, full_matrices=False)
        reached = left[:, singular > rank].T @ opening
        shares.append(np.sqrt(max(1.0 - float(reached @ reached), 0.0)))
    return bool(np.median(shares) > OUT_OF_REACH)


def bent_bodies(model: Model, q: np.ndarray) -> tuple[BentBody, ...]:
    """Flexible bodies whose modal coordinates in ``q`` are not those stated in ``model``, the most energy first."""
    found = []
    for name, part in model.modal.items():
        body, change = model.bodies[name], q[part] - model.q[part]
        if np.any(change):
            energy = 0.5 * float(change @ body.Ke @ change)
            found.append(BentBody(name, energy, largest_strain(body, change), _largest_stress(body, change)))
    return tuple(sorted(found, key=lambda one: -one.energy))


def largest_strain(body: FlexibleBody, q: np.ndarray) -> float | None:
    """Largest linear strain along an edge of the drawn surface at modal coordinates ``q``; None without a surface.

    An estimate: shear along the edges (of a twisted beam) is not seen, and means along edges are smaller than peaks.
    """
    ends = _edges(np.asarray(body.surface.faces))
    if len(ends) == 0:
        return None
    points, moved = body.surface.points[ends], np.tensordot(q, body.surface.modes, axes=(0, 0))[ends]
    edges, stretch = points[:, 0] - points[:, 1], moved[:, 0] - moved[:, 1]
    lengths = np.einsum("ij,ij->i", edges, edges)
    real = lengths > 1e-18
    return float(np.abs(np.einsum("ij,ij->i", edges, stretch)[real] / lengths[real]).max(initial=0.0))


def _edges(faces: np.ndarray) -> np.ndarray:
    """(k, 2) corners of the edges of VTK faces [count, i, j, k, count, ...]; mid-side nodes left out."""
    found, at = [np.zeros((0, 2), dtype=int)], 0
    while at < len(faces):
        count = int(faces[at])
        corners = faces[at + 1 : at + 1 + {6: 3, 8: 4}.get(count, count)]
        found.append(np.column_stack([corners, np.roll(corners, 1)]))
        at += 1 + count
    return np.concatenate(found)


def _largest_stress(body: FlexibleBody, q: np.ndarray) -> float | None:
    if not body.has_stress:
        return None
    return float(von_mises(np.tensordot(q, body.surface_stress_modes, axes=(0, 0))).max(initial=0.0))


def judged(closing: Closing) -> Closing:
    """``closing``, when it can be accepted.

    Raises
    ------
    MechanismError
        Bodies are strained too much; ``error.closing`` holds the numbers.
    """
    limit = LARGEST_DRIVEN_STRAIN if closing.drivers else LARGEST_STRAIN
    worst = max((body.strain for body in closing.bodies if body.strain is not None), default=0.0)
    if worst > limit:
        remedy = (
            "Let the drivers begin where the loops close" if closing.drivers
            else "Bring the markers into line, or state the modal coordinates of a body that is meant to be bent"
        )  # fmt: skip
        raise refusal(f"the loops close only by straining bodies beyond {100.0 * limit:g} %", closing, remedy)
    return closing


def refusal(what: str, closing: Closing, remedy: str) -> MechanismError:
    """The error that says ``what`` is wrong, with the numbers of ``closing`` in words and as ``error.closing``."""
    error = MechanismError(f"{what}: {closing.sentence}. {remedy}")
    error.closing = closing
    return error


def joints_to_blame(error: MechanismError) -> bool:
    """Whether ``error`` is a refusal of joints out of line, which no driver has a part in."""
    closing = vars(error).get("closing")
    return closing is not None and bool(closing.joints) and not closing.drivers


def refuse_rigid(joints: tuple[MisalignedJoint, ...], axes, flexible: bool) -> MechanismError:
    """Joints out of line that nothing may bend for."""
    limits = f"{100.0 * LARGEST_GAP:g} % of the size of the mechanism or {np.degrees(LARGEST_ANGLE):g} degrees"
    bent = f"by more than {limits}, for which flexible bodies are not bent"
    reason = bent if flexible else "and no flexible body can be bent for them"
    return refusal(
        f"the loops cannot be closed: joints are out of line, {reason}", Closing(joints=joints, axes=axes),
        "Bring the markers into line, or give a joint of the loop more freedom (cylindrical, universal, spherical)",
    )  # fmt: skip


def tell(closing: Closing | None) -> None:
    """Warn of what was bent to close the loops, and of axes that lock them."""
    if closing is None:
        return
    least = LARGEST_STRAIN if closing.drivers else NOTABLE_STRAIN
    strains = [body.strain for body in closing.bodies]
    strained = any(strain > least if strain is not None else not closing.drivers for strain in strains)
    if closing.axes or strained:
        warn(f"joints are out of line: {closing.sentence}", MechanismWarning)
