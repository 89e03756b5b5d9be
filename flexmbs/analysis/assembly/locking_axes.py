"""Hinge axes that are nearly parallel lock their loop: four hinges move only when they are parallel (or special)."""

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
from flexmbs.model.loop_closure_report import OddAxis
from flexmbs.model.spanning_tree import SpanningTree

PARALLEL = 1e-7  # rad, from which on axes are not parallel
NEARLY = np.radians(10.0)  # up to which they are taken to be meant parallel
MOVE = 0.05  # rad, or part of the size: a loop that cannot go a good part of it is locked


def loop_joints(tree: SpanningTree, joint) -> tuple:
    """The joints of the loop that a cut joint closes, beginning with it."""
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


def odd_axes(model: Model, t: float) -> tuple[OddAxis, ...]:
    """In loops of joints with one axis of rotation at most: axes that are nearly parallel to most of the others."""
    evaluator = Evaluator(model)
    zero = np.zeros_like(model.q)
    evaluator.residual(model.q, zero, zero, model.reference, t, OPENINGS)
    found: dict[str, OddAxis] = {}
    for cut in model.tree.cut:
        directions = _hinges(model, evaluator, loop_joints(model.tree, cut))
        if directions is not None and len(directions) > 1:
            for axis in _odd(directions):
                found.setdefault(axis.joint, axis)
    return tuple(found.values())


def locking_axes(model: Model, t: float) -> tuple[OddAxis, ...]:
    """:func:`odd_axes` of loops of an assembled model that cannot move while their bodies keep their shape."""
    found = []
    odd = {axis.joint: axis for axis in odd_axes(model, t)}
    for cut in model.tree.cut if odd else ():
        names = {joint.name for joint in loop_joints(model.tree, cut)}
        if names & set(odd) and not _moves(without_drivers(model, t), t, cut.name, names):
            found += [replace(odd.pop(name), locked=True) for name in sorted(names & set(odd))]
    return tuple(found)


def _hinges(model: Model, evaluator: Evaluator, joints) -> dict[str, np.ndarray] | None:
    """Unit vectors of the axes of rotation in world axes; None when a joint has several (the loop is not planar)."""
    directions = {}
    for joint in joints:
        if joint.type.ends_with_ball or any(axis.curve is not None for axis in joint.type.axes):
            return None
        turning = {axis.direction for axis in joint.type.axes if axis.kind == "rotation"}
        if len(turning) > 1:
            return None
        for direction in turning:
            body = evaluator.work.frame[model.body_names.index(joint.a.body)][:9].reshape(3, 3)
            directions[joint.name] = body @ joint.a.rotation @ np.array(direction)
    return directions


def _odd(directions: dict[str, np.ndarray]) -> list[OddAxis]:
    names = list(directions)
    axes = np.array([directions[name] for name in names])
    angles = np.arcsin(np.minimum(np.linalg.norm(np.cross(axes[:, None], axes[None]), axis=2), 1.0))
    alike = angles < PARALLEL
    most = int(np.argmax(alike.sum(axis=1)))
    others = tuple(name for name, same in zip(names, alike[most], strict=True) if same)
    return [
        OddAxis(name, float(angle), others)
        for name, angle in zip(names, angles[most], strict=True)
        if PARALLEL <= angle <= NEARLY
    ]


def _moves(model: Model, t: float, cut: str, names: set[str]) -> bool:
    """Whether one loop alone can go some way along a motion that its joints allow here, and stay closed."""
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
