"""Minimum-norm reactions of mechanisms with redundant constraints.

Redundant constraints are left out of the equations of motion, so their multipliers are zero. Any self-stress (reactions
in equilibrium with each other: a null vector of G^T, G the matrix of all constraints) can be added without changing the
motion. Reported are the reactions that minimise the sum over all joints of |force|^2 + |moment|^2 / L^2, L the size of
the mechanism: they are unique, the same in reduced and absolute coordinates, and independent of which constraints were
left out (Wojtyra and Fraczek, Multibody System Dynamics 30 (2013) 153).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.tables import CABLE, COUPLING, PERMANENT, ROTATION, Workspace, active_size, history_size, make_workspace
from flexmbs.core.stepping.describe_rows import describe_unit_multipliers
from flexmbs.model.compiled_model import Model
from flexmbs.model.mechanism_size import size_of_bodies
from flexmbs.model.unknown_ordering import coloured, constraint_groups
from flexmbs.result.trajectory import Trajectory

# With more redundant constraints the reactions stay as they are: the work per step grows with the cube of the number.
MAX_REDUNDANT = 60
BATCH = 64  # steps at a time, to limit memory


def reaction_slots(model: Model) -> list[tuple[str, int]]:
    """(name, row of ``Workspace.reaction``) of every stated joint and constraint."""
    bodies = len(model.body_names)
    carrying = [(branch.joint.name, 1 + number) for number, branch in enumerate(model.tree.branches) if not branch.added]
    return carrying + [(name, bodies + number) for number, name in enumerate(model.constraint_names)]


def redundant_count(model: Model) -> int:
    """Scalar constraints that the equations of motion leave out."""
    kinds = model.tables.coordinates["multiplier"]  # switched ones, as of rigid contacts, are left out where none closes
    return int(np.count_nonzero(kinds == PERMANENT) - np.count_nonzero(kinds[model.tables.free] == PERMANENT))


def reaction_settler(model: Model) -> Callable[[Trajectory], Trajectory] | None:
    """The function that puts minimum-norm reactions into a trajectory of ``model``; None if reactions are unique.

    It is called when a reaction is first used or saved, so the run itself does no extra work.
    """
    return (lambda found: minimum_norm_reactions(model, found)) if 0 < redundant_count(model) <= MAX_REDUNDANT else None


def minimum_norm_reactions(model: Model, trajectory: Trajectory) -> Trajectory:
    """``trajectory`` with the self-stress added that minimises the reactions; driving forces change accordingly."""
    stress = _SelfStress(model, make_workspace(model.tables), redundant_count(model))
    # positions as the step loop logs them; the rotation vectors of ball joints are zero there, and what forces remember
    rows = np.zeros((len(trajectory.t), model.log_row.v.start + history_size(model.tables)))
    rows[:, TIME] = trajectory.t
    rows[:, model.log_row.q.start + model.stored_columns] = trajectory.q
    reaction, driving_force = trajectory.reaction.copy(), trajectory.driving_force.copy()
    for begin in range(0, len(rows), BATCH):
        part = slice(begin, begin + BATCH)
        stress.apply(rows[part], reaction[part], driving_force[part])
    record = trajectory.record.copy()
    names = [name for name, _slot in reaction_slots(model)]
    for i, column in enumerate(model.record_columns):
        if column.reaction_of:
            record[:, i] = column.factor * reaction[:, names.index(column.reaction_of), column.at]
    return trajectory.replaced(reaction=reaction, driving_force=driving_force, record=record)


class _SelfStress:
    def __init__(self, model: Model, work: Workspace, spare: int):
        self.model, self.work, self.spare = model, work, spare
        self.driven = model.driven_coordinates
        self.free = model.free_coordinates
        self.slots = np.array([slot for _name, slot in reaction_slots(model)])
        self.weights = self._weights()
        self._colour()

    def _colour(self) -> None:
        """Multipliers without a common coordinate or joint are evaluated together; masks separate their effects."""
        model, n = self.model, self.model.coordinate_count
        groups = constraint_groups(model.tables)
        self.stated = np.concatenate([own - n for own, _coordinates in groups])  # rows of rigid contacts are none
        bodies = len(model.body_names)
        size = len(model.coordinate_names)
        self.colour = np.full(size, -1)
        self.touched = np.zeros((size - n, n), dtype=bool)
        self.stressed = np.zeros((size - n, bodies + len(groups)), dtype=bool)
        things: list[list[int]] = [[] for _ in range(n + bodies + len(groups))]
        for c, (own, coordinates) in enumerate(groups):
            carried = self._carried(c)
            self.touched[np.ix_(own - n, coordinates)] = True
            self.stressed[np.ix_(own - n, [*carried, bodies + c])] = True
            for thing in (*coordinates, *(n + b for b in carried)):
                things[thing] += [int(k) - n for k in own]
        clashes = [(np.array([0]), np.array(members)) for members in things if members]
        # multipliers of one constraint always clash
        clashes += [(np.array([0]), own - n) for own, _coordinates in groups]
        for number, members in enumerate(coloured(clashes, size - n)):
            self.colour[n + members] = number

    def _carried(self, c: int) -> list[int]:
        """Bodies on the paths from ground to the markers of a constraint."""
        tables = self.model.tables
        constraint = tables.constraints[c]
        if constraint["kind"] == COUPLING:
            return []
        ends = [constraint["a"], constraint["b"]]
        if constraint["kind"] == CABLE:
            ends = tables.terms["coordinate"][constraint["start"] : constraint["end"]]
        found = set()
        for end in ends:
            body = int(tables.markers[end]["body"])
            while body > 0:
                found.add(body)
                body = int(tables.markers[tables.bodies[body]["parent_marker"]]["body"])
        return sorted(found)

    def apply(self, rows: np.ndarray, reaction: np.ndarray, driving_force: np.ndarray) -> None:
        """Change reactions (count, slots, 6) and driving forces (count, driven) in place."""
        forces, wrenches = self._units(np.ascontiguousarray(rows))
        # null vectors of the rows' transpose: the last left singular vectors
        left, _singular, _right = np.linalg.svd(forces[:, :, self.free], full_matrices=True)
        stress = left[:, :, forces.shape[1] - self.spare :]
        changes = np.einsum("tmr,tmsk->tskr", stress, wrenches, optimize=True)
        chosen = changes * self.weights[:, :, :, None]
        wanted = reaction * self.weights
        count = len(rows)
        orthogonal, triangle = np.linalg.qr(chosen.reshape(count, -1, self.spare))
        along = np.einsum("tij,ti->tj", orthogonal, wanted.reshape(count, -1))
        amount = -np.linalg.solve(triangle, along[:, :, None])[:, :, 0]
        reaction += np.einsum("tskr,tr->tsk", changes, amount)
        driving_force += np.einsum("tmr,tr,tmn->tn", stress, amount, forces[:, :, self.driven], optimize=True)

    def _units(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(count, multipliers, coordinates) and (count, multipliers, slots, 6): effect of each unit multiplier."""
        model, n = self.model, self.model.coordinate_count
        size, count, balls = len(model.coordinate_names), len(rows), len(model.balls)
        colours, slots = int(self.colour.max()) + 1, self.stressed.shape[1]
        forces, reaction = np.zeros((count, colours, size)), np.zeros((count, colours, slots, 6))
        describe_unit_multipliers(
            model.tables,
            rows,
            count,
            balls,
            self.colour,
            self.work,
            np.zeros(active_size(model.tables), dtype=np.int64),
            np.zeros((balls, 4)),
            *np.zeros((4, size)),
            np.zeros((slots, 6)),
            forces,
            reaction,
        )
        own = self.colour[n:]
        stressed = self.stressed[:, self.slots, None]
        forces, reaction = forces[:, own, :n] * self.touched, reaction[:, own][:, :, self.slots] * stressed
        return forces[:, self.stated], reaction[:, self.stated]

    def _weights(self) -> np.ndarray:
        """(1, slots, 6) weights that make forces and moments comparable."""
        length = size_of_bodies(self.model.tables)
        weights = np.ones((len(self.slots), 6))
        weights[:, 3:] = 1.0 / length
        bodies = len(self.model.body_names)
        for c, constraint in enumerate(self.model.tables.constraints):
            if constraint["kind"] == COUPLING:
                weights[self.slots == bodies + c, 0] = self._coupling_weight(constraint, length)
        return weights[None]

    def _coupling_weight(self, constraint, length: float) -> float:
        """Norm of the forces and moments that a unit multiplier of a coupling exerts on its coordinates."""
        tables, total = self.model.tables, 0.0
        for term in tables.terms[constraint["start"] : constraint["end"]]:
            turns = np.any(tables.axes["kind"][tables.axes["coordinate"] == term["coordinate"]] == ROTATION)
            total += (term["factor"] / (length if turns else 1.0)) ** 2
        return float(np.sqrt(total))
