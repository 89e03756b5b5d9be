"""The directions that each joint constrains, as rows on the motions of the bodies, named in the joint's own axes.

In absolute coordinates a joint contributes three or six rows to the constraint matrix, and columns for its massless
coordinates. The left null space of these columns gives the rows that the joint constrains: five for a revolute joint.
Lengths are divided by the size of the mechanism, so that translations and rotations are comparable.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.evaluation.sparse import RANK_TOLERANCE
from flexmbs.core.layout.tables import CLOSURE, OPENINGS
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.model.compiled_model import Model
from flexmbs.model.mechanism_size import size_in_pose

SMALL = 1e-3  # rows have unit length: singular values that are all smaller are rounding
NAMED = 0.9999  # cosine above which a constrained direction is named after an axis of the marker


@dataclass(frozen=True)
class ConstraintDirections:
    """Rows H with H xdot = 0; xdot holds frame velocities over ``length``, angular velocities and modal rates.

    Attributes
    ----------
    owners : name of the joint or constraint of each row
    labels : direction of each row: "translation along x", "rotation about (0, 0.6, 0.8)", "length" ...
    rows : (m, columns), each of unit length (zero if it constrains nothing)
    columns : (columns,) coordinate numbers in the absolute model
    scales : (columns,) factor of each column: ``length`` for translations
    rates : joint coordinate (number in the absolute model) -> (columns,) its rate as a function of xdot
    """

    owners: tuple[str, ...]
    labels: tuple[str, ...]
    rows: np.ndarray
    columns: np.ndarray
    scales: np.ndarray
    rates: dict[int, np.ndarray]

    def rank(self) -> int:
        return rank(self.rows)


def rank(rows: np.ndarray) -> int:
    """Rank of rows of comparable size."""
    if min(rows.shape) == 0:
        return 0
    singular = np.linalg.svd(rows, compute_uv=False)
    return int(np.count_nonzero(singular > RANK_TOLERANCE * max(float(singular[0]), SMALL)))


def dense(matrix) -> np.ndarray:
    """A constraint matrix, dense or sparse, as a dense array."""
    return matrix.toarray() if issparse(matrix) else matrix


def null_space(rows: np.ndarray) -> np.ndarray:
    """(columns, k) orthonormal basis of the motions that no row constrains."""
    rows = dense(rows)
    if len(rows) == 0:
        return np.eye(rows.shape[1])
    _left, singular, right = np.linalg.svd(rows, full_matrices=True)
    found = int(np.count_nonzero(singular > RANK_TOLERANCE * max(float(singular.max(initial=0.0)), SMALL)))
    return right[found:].T


def constraint_directions(system: Mechanism, model: Model, t: float) -> ConstraintDirections:
    """Rows of all joints in the order stated, then of the other constraints; ``model`` is absolute, without drivers."""
    return _Rows(system, model, t).build()


class _Rows:
    def __init__(self, system: Mechanism, model: Model, t: float):
        self.system, self.model = system, model
        evaluator = Evaluator(model)
        self.G = dense(evaluator.constraint_matrix(model.q, model.reference, t, OPENINGS))
        evaluator.residual(model.q, 0.0 * model.q, 0.0 * model.q, model.reference, t, OPENINGS)
        self.frame = evaluator.work.frame
        self.first = int(evaluator.rows[0]) if len(evaluator.rows) else 0
        self.length = size_in_pose(model.tables, evaluator.work.frame)
        self.own = self._own_coordinates()
        joint_columns = {k for numbers in self.own.values() for k in numbers}
        others = joint_columns | set(np.flatnonzero(model.state_coordinates))
        self.columns = np.array([k for k in range(model.coordinate_count) if k not in others], dtype=int)
        places = {model.coordinate_index[f"{branch.joint.name}.{letter}"] for branch in model.tree.branches for letter in "xyz"}
        self.scales = np.array([self.length if k in places else 1.0 for k in self.columns])
        self.rates: dict[int, np.ndarray] = {}
        self.found: list[tuple[str, str, np.ndarray]] = []

    def _own_coordinates(self) -> dict[str, list[int]]:
        """Coordinates of each cut joint."""
        own: dict[str, list[int]] = {joint.name: [] for joint in self.model.tree.cut}
        for name, number in self.model.coordinate_index.items():
            joint = name.rsplit(".", 1)[0]
            if joint in own:
                own[joint].append(number)
        return own

    def build(self) -> ConstraintDirections:
        constraints = self.model.tables.constraints
        closures = [c for c in range(len(constraints)) if constraints[c]["kind"] == CLOSURE]
        for c in closures:
            self._closure(c)
        for c in sorted(set(range(len(constraints))) - set(closures)):
            self._other(c)
        rows = np.array([row for _owner, _label, row in self.found]).reshape(-1, len(self.columns))
        return ConstraintDirections(
            tuple(owner for owner, _label, _row in self.found),
            tuple(label for _owner, label, _row in self.found),
            rows,
            self.columns,
            self.scales,
            self.rates,
        )

    def _block(self, c: int) -> np.ndarray:
        constraint = self.model.tables.constraints[c]
        start = int(constraint["row"]) - self.first
        return self.G[start : start + int(constraint["rows"])]

    def _closure(self, c: int) -> None:
        """A joint: its coordinates are eliminated; the remaining rows are named along the axes of its first marker."""
        name = self.model.constraint_names[c]
        block = self._block(c).copy()
        block[:3] /= self.length
        if len(block) == 6:
            block[3:] = self._from_second_to_first(self.system.joints[name]) @ block[3:]
        own = self.own[name]
        bodies = block[:, self.columns] * self.scales
        left, singular, _right = np.linalg.svd(block[:, own], full_matrices=True)
        if own:
            for number, rate in zip(own, -np.linalg.pinv(block[:, own], rcond=RANK_TOLERANCE) @ bodies, strict=True):
                self.rates[number] = rate
        held = left[:, np.count_nonzero(singular > RANK_TOLERANCE * max(singular.max(initial=0.0), SMALL)) :]
        for label, direction in named_directions(held):
            self._keep(name, label, direction @ bodies)

    def _from_second_to_first(self, joint) -> np.ndarray:
        turns = []
        for marker in (joint.a, joint.b):
            body = self.frame["R_WB"][self.model.body_names.index(marker.body)]
            turns.append(body @ marker.rotation)
        return turns[0].T @ turns[1]

    def _other(self, c: int) -> None:
        """A constraint other than a joint: its joint coordinates are expressed by the motions of the bodies."""
        name, block = self.model.constraint_names[c], self._block(c)
        start = int(self.model.tables.constraints[c]["row"])
        for i, row in enumerate(block):
            motion = row[self.columns] * self.scales
            for number, rate in self.rates.items():
                if row[number] != 0.0:
                    motion = motion + row[number] * rate
            label = "its motion" if len(block) == 1 else self.model.coordinate_names[start + i].removeprefix(f"{name}.")
            self._keep(name, label, motion)

    def _keep(self, owner: str, label: str, row: np.ndarray) -> None:
        size = float(np.linalg.norm(row))
        self.found.append((owner, label, row / size if size > 1e-12 else 0.0 * row))


def named_directions(held: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """A basis of the span of ``held`` (3 or 6, k), along coordinate axes where possible: (name, direction)."""
    found: list[tuple[str, np.ndarray]] = []
    rest = held
    for part, kind in ((slice(0, 3), "translation along"), (slice(3, 6), "rotation about")):
        for i, letter in enumerate("xyz"):
            at = part.start + i
            if at < len(held) and rest.shape[1] and np.linalg.norm(rest[at]) > NAMED:
                direction = rest @ rest[at] / np.linalg.norm(rest[at])
                found.append((f"{kind} {letter}", direction))
                rest = _without(rest, direction)
    for part, kind in ((slice(0, 3), "translation along"), (slice(3, 6), "rotation about")):
        other = np.delete(rest, part, axis=0)
        if rest.shape[1] == 0:
            break
        _left, singular, right = np.linalg.svd(other, full_matrices=True)
        pure = rest @ right[np.count_nonzero(singular > 1e-6) :].T
        for direction in pure.T:
            found.append((f"{kind} {_vector(direction[part])}", direction))
            rest = _without(rest, direction)
    for direction in rest.T:
        place, turn = _vector(direction[:3]), _vector(direction[3:])
        found.append((f"translation along {place} combined with the rotation about {turn}", direction))
    return found


def _without(basis: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Orthonormal basis of the complement of ``direction`` within the span of ``basis``."""
    left, _singular, _right = np.linalg.svd(basis - np.outer(direction, direction @ basis), full_matrices=False)
    return left[:, : basis.shape[1] - 1]


def _vector(direction: np.ndarray) -> str:
    unit = direction / max(float(np.linalg.norm(direction)), 1e-300)
    unit = unit * (1.0 if unit[np.argmax(np.abs(unit) > 1e-6)] > 0.0 else -1.0)
    return "(" + ", ".join(f"{x:.3g}" if abs(x) > 5e-4 else "0" for x in unit) + ")"
