"""Nearly parallel hinge axes, which lock their loop: a four-bar linkage moves only if its axes are parallel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.analysis.assembly.loop_equations import Loops, scaled
from flexmbs.analysis.assembly.nearest_pose import CLOSED, nearest_pose
from flexmbs.analysis.evaluation.constraint_directions import null_space
from flexmbs.analysis.evaluation.driver_elimination import without_drivers
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.core.layout.tables import OPENINGS
from flexmbs.model.compiled_model import Model
from flexmbs.model.loop_closure_report import NearlyParallelAxis
from flexmbs.model.spanning_tree import SpanningTree

PARALLEL = 1e-7  # rad: axes at larger angles are not parallel
NEARLY = np.radians(10.0)  # axes at smaller angles are assumed to be intended parallel
MOVE = 0.05  # rad, or relative to the size: a loop that cannot move a good part of it is locked


def loop_joints(tree: SpanningTree, joint) -> tuple:
    """The joints of the loop that a cut joint closes, starting with that joint."""
    carried = {branch.body: branch for branch in tree.branches}

    def path(body: str) -> list:
        joints = []
        while body != "ground":
            branch = carried[body]
            joints.append(branch.joint)
            body = branch.joint.b.body if branch.backwards else branch.joint.a.body
        return joints

    first, second = path(joint.a.body), path(joint.b.body)
    while first and second and first[-1] is second[-1]:
        first.pop()
        second.pop()
    added = {branch.joint.name for branch in tree.branches if branch.added}
    return tuple(one for one in (joint, *second, *reversed(first)) if one.name not in added)


def nearly_parallel_axes(model: Model, t: float) -> tuple[NearlyParallelAxis, ...]:
    """Axes nearly parallel to most others of their loop, in loops of joints with at most one axis of rotation."""
    evaluator = Evaluator(model)
    zero = np.zeros_like(model.q)
    evaluator.residual(model.q, zero, zero, model.reference, t, OPENINGS)
    found: dict[str, NearlyParallelAxis] = {}
    for cut in model.tree.cut:
        directions = _hinges(model, evaluator, loop_joints(model.tree, cut))
        if directions is not None and len(directions) > 1:
            for axis in _nearly_parallel(directions):
                found.setdefault(axis.joint, axis)
    return tuple(found.values())


def locking_axes(model: Model, t: float) -> tuple[NearlyParallelAxis, ...]:
    """:func:`nearly_parallel_axes` in loops of an assembled model that cannot move with rigid bodies."""
    found = []
    suspects = {axis.joint: axis for axis in nearly_parallel_axes(model, t)}
    for cut in model.tree.cut if suspects else ():
        names = {joint.name for joint in loop_joints(model.tree, cut)}
        if names & set(suspects) and not _moves(without_drivers(model, t), t, cut.name, names):
            found += [replace(suspects.pop(name), locked=True) for name in sorted(names & set(suspects))]
    return tuple(found)


def _hinges(model: Model, evaluator: Evaluator, joints) -> dict[str, np.ndarray] | None:
    """Unit vectors of the rotation axes in world axes; None if a joint has several (the loop is not planar)."""
    directions = {}
    for joint in joints:
        if joint.type.ends_with_ball or any(axis.curve is not None for axis in joint.type.axes):
            return None
        turning = {axis.direction for axis in joint.type.axes if axis.kind == "rotation"}
        if len(turning) > 1:
            return None
        for direction in turning:
            body = evaluator.work.frame["R_WB"][model.body_names.index(joint.a.body)]
            directions[joint.name] = body @ joint.a.rotation @ np.array(direction)
    return directions


def _nearly_parallel(directions: dict[str, np.ndarray]) -> list[NearlyParallelAxis]:
    names = list(directions)
    axes = np.array([directions[name] for name in names])
    angles = np.arcsin(np.minimum(np.linalg.norm(np.cross(axes[:, None], axes[None]), axis=2), 1.0))
    alike = angles < PARALLEL
    most = int(np.argmax(alike.sum(axis=1)))
    others = tuple(name for name, same in zip(names, alike[most], strict=True) if same)
    return [
        NearlyParallelAxis(name, float(angle), others)
        for name, angle in zip(names, angles[most], strict=True)
        if PARALLEL <= angle <= NEARLY
    ]


def _moves(model: Model, t: float, cut: str, names: set[str]) -> bool:
    """Whether one loop by itself can move a finite distance along an instantaneous motion and stay closed."""
    others = frozenset(c for c, name in enumerate(model.constraint_names) if name != cut)
    loops = Loops(model, t, others)
    own = np.array([name.rsplit(".", 1)[0] in names for name in model.coordinate_names[: model.coordinate_count]])
    columns = loops.column_scales()
    G = scaled(loops.matrix(model.q, model.reference, OPENINGS)[:, own], loops.row_scales(), columns[own])
    for direction in null_space(G).T:
        for sign in (1.0, -1.0):
            q = model.q.copy()
            move = sign * MOVE * direction / np.abs(direction).max()
            q[: len(own)][own] += columns[own] * move
            pose = nearest_pose(loops, own, q, model.reference)
            went = (pose.q - model.q)[: len(own)][own] / columns[own]
            if np.abs(pose.opening).max(initial=0.0) < 100.0 * CLOSED and np.abs(went).max() > 0.2 * MOVE:
                return True
    return False
