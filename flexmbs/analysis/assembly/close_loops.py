"""Assembly: start values that satisfy every constraint, in position and in velocity.

Positions by a damped Gauss-Newton iteration with the smallest change of coordinates (Nikravesh, Computer-Aided Analysis
of Mechanical Systems (1988), 4.3): first changing only joint coordinates without given start values, then the play of
joints within its clearance too, then all others, then from new starting points by the Levenberg-Marquardt
method (nearest_pose). What is changed last is stated: analysis.prepare.moved_starts tells it. Flexible bodies are bent,
with the least elastic energy (elastic_closure), only where rigid motion cannot close a loop because joints are
misaligned, and only within the limits of flexmbs.analysis.assembly.misalignment. Held coordinates (Joint.hold) never
change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import NoReturn

import numpy as np

from flexmbs.analysis.assembly.elastic_closure import Elasticity, bent_closed, least_energy_change, rigid_rank
from flexmbs.analysis.assembly.locking_axes import locking_axes, nearly_parallel_axes
from flexmbs.analysis.assembly.loop_equations import Loops
from flexmbs.analysis.assembly.misalignment import (
    bent_bodies,
    checked_strains,
    is_small,
    misaligned_joints,
    misalignment_error,
    misalignment_size,
    out_of_reach,
)
from flexmbs.analysis.assembly.nearest_pose import CLOSED, Pose, nearest_pose
from flexmbs.analysis.assembly.play import play_limits
from flexmbs.analysis.evaluation.constraint_directions import dense
from flexmbs.analysis.evaluation.driver_elimination import without_drivers
from flexmbs.analysis.evaluation.quaternion_folding import folded
from flexmbs.analysis.evaluation.sparse import least_change
from flexmbs.common.errors import MechanismError
from flexmbs.core.layout.tables import CLOSURE, CURVE, INVERSE_CURVE, OPENINGS, ROTATION
from flexmbs.core.mechanics.splines import END, START
from flexmbs.model.compiled_model import Model
from flexmbs.model.loop_closure_report import LoopClosure

LARGEST_MOVE = 0.5  # of one iteration, m or rad
ITERATIONS = 100
# From a rough pose the iteration may end at a non-zero minimum of the opening; it is then restarted from poses turned
# by random angles of up to this many rad.
RESTARTS, RESTART_TURN = 8, 1.0
# The iteration stops when the opening decreases by less than this fraction in this many consecutive steps.
SLOW, PATIENCE = 1e-3, 6
LOOKS_MISALIGNED = 0.12  # relative to the size, and rad: smaller openings are misalignment, not a wrong pose
PLACES_ALONG = (0.125, 0.375, 0.625, 0.875)  # starting points along a curve, as fractions of its length


def assembled(model: Model, t: float = 0.0, ignored: frozenset[int] = frozenset()) -> Model:
    """``model`` with start values for which the loops are closed and the velocities consistent.

    ``ignored``: numbers of constraints that need not hold.

    Raises
    ------
    MechanismError
        A loop cannot be closed from the start values; names the joint that is open most, and by how much.
    """
    if len(model.tables.constraints) == len(ignored):
        return model
    return _Assembly(model, t, ignored).run()


def followed(model: Model, t: float, rates: bool = True) -> Model:
    """``model``, which is near a closed position, closed at time ``t`` by the smallest change of coordinates.

    ``rates``: also make the velocities consistent.

    Raises
    ------
    MechanismError
        The loops cannot be closed from there, or the velocities cannot be made consistent.
    """
    if len(model.tables.constraints) == 0:
        return model
    return _Assembly(model, t, frozenset()).follow(rates)


@dataclass(frozen=True)
class _OwnCoordinates:
    """Coordinates of a joint that closes a loop, its constraint rows, and starting values to try."""

    own: np.ndarray
    rows: np.ndarray
    starts: list[np.ndarray]


class _Assembly:
    def __init__(self, model: Model, t: float, ignored: frozenset[int]):
        self.model, self.t, self.ignored = model, t, ignored
        self.loops = Loops(model, t, ignored)
        self.evaluator = self.loops.evaluator
        self.q, self.v, self.reference = model.q.copy(), model.v.copy(), model.reference.copy()
        n = model.coordinate_count
        levels, driven = model.tables.coordinates["level"][:n], model.is_driven
        self.movable = ~(driven & (levels == 0)) & ~model.held[:n]
        self.changeable = ~(driven & (levels <= 1))
        self.jointed = np.ones(n, dtype=bool)  # False: modal coordinates
        for part in model.modal.values():
            self.jointed[part] = False
        self.play_limits = play_limits(model)
        self.play = np.isin(np.arange(n), [k for coordinates, _limit in self.play_limits for k in coordinates])
        self.free = ~model.given[:n] & ~self.play  # what gives way first
        self.nearest = (np.inf, self.q, self.reference)
        self.undriven: Loops | None = None  # without drivers of coordinates, made when needed

    def run(self) -> Model:
        self._guess_closures()
        closing = self._closed()
        self._match_rates(closing)
        found = replace(self.model, q=self.q, v=self.v, reference=self.reference)
        axes = locking_axes(replace(found, q=self._unbent()), self.t)
        closing = replace(closing, axes=axes)
        return replace(found, closing=closing if closing != LoopClosure() else None)

    def follow(self, rates: bool) -> Model:
        if not self._close(self.movable | self.model.held[: self.model.coordinate_count]):
            self._refuse(self.nearest[1], self.nearest[2])
        if rates:
            self._match_rates(self.model.closing or LoopClosure())
        return replace(self.model, q=self.q, v=self.v, reference=self.reference)

    def _unbent(self) -> np.ndarray:
        """The coordinates found, with the modal coordinates as stated."""
        q = self.q.copy()
        q[: len(self.jointed)][~self.jointed] = self.model.q[: len(self.jointed)][~self.jointed]
        return q

    def _closed(self) -> LoopClosure:
        """Close the loops by rigid motion, otherwise by bending flexible bodies as little as possible."""
        pose = self._rigid_pose()
        if pose is None:
            return LoopClosure()
        joints = misaligned_joints(self.loops, pose)
        flexible, bent, size = not np.all(self.jointed), None, misalignment_size(joints, self.loops.length)
        unreachable = bool(joints) and self._is_out_of_reach(pose, size)
        drivers = () if unreachable else self._demanding_drivers(pose)
        small = unreachable and is_small(joints, self.loops.length)
        if flexible and (drivers or small):
            bent = bent_closed(self.loops, self.movable & self.jointed, pose, 0.0 if drivers else size)
        if bent is not None:
            self.q, self.reference = bent.q, bent.reference
            return checked_strains(LoopClosure(() if drivers else joints, bent_bodies(self.model, bent.q), (), drivers))
        if unreachable:
            at_pose = replace(self.model, q=pose.q, reference=pose.reference)
            raise misalignment_error(joints, nearly_parallel_axes(at_pose, self.t), flexible and not small)
        return self._refuse(pose.q, pose.reference)

    def _rigid_pose(self) -> Pose | None:
        """None if rigid motion closes the loops (the pose is kept); otherwise the pose with the smallest opening."""
        every = self.movable & self.jointed & ~self.play
        unstated = every & self.free
        start = self.q, self.reference
        if self._close(unstated):
            return None
        pose = nearest_pose(self.loops, unstated, *start)
        if self._kept(pose) or np.any(self.play) and self._closes_by_play(pose):
            return None
        if self._is_misaligned(pose):
            return pose
        if self._close(every):
            return None
        for movable, turned in ((every, None), (unstated, unstated), (every, every)):
            for q in [start[0]] if turned is None else self._restarts(start[0], turned):
                found = nearest_pose(self.loops, movable, q, start[1])
                if self._kept(found):
                    return None
                pose = found if found.size < 0.9 * pose.size else pose
            if self._is_misaligned(pose):
                break
        return pose

    def _closes_by_play(self, pose: Pose) -> bool:
        """Close by the play of joints what unstated coordinates leave open, as far as clearances allow."""
        start = self.q, self.reference
        self.q, self.reference = pose.q, pose.reference
        unstated = self.movable & self.jointed & ~self.model.given[: self.model.coordinate_count]
        if self._close(unstated) and all(np.linalg.norm(self.q[k]) <= limit for k, limit in self.play_limits):
            return True
        self.q, self.reference = start
        return False

    def _is_out_of_reach(self, pose: Pose, size: float) -> bool:
        if self.undriven is None:
            self.undriven = Loops(without_drivers(self.model, self.t), self.t, self.ignored)
        return out_of_reach(self.undriven, pose, self.jointed, size)

    def _is_misaligned(self, pose: Pose) -> bool:
        """Whether a pose is slightly open in directions that no rigid motion closes; then no other pose is tried."""
        joints = misaligned_joints(self.loops, pose)
        size = misalignment_size(joints, self.loops.length)
        return 0.0 < size < LOOKS_MISALIGNED and self._is_out_of_reach(pose, size)

    def _kept(self, pose: Pose) -> bool:
        """Keep a pose if it is closed to rounding."""
        if np.abs(pose.opening).max(initial=0.0) >= 100.0 * CLOSED:
            return False
        self.q, self.reference = pose.q, pose.reference
        return True

    def _restarts(self, start: np.ndarray, movable: np.ndarray) -> Iterator[np.ndarray]:
        """Randomly turned poses, the same ones in every call."""
        turns = self.loops.turns() & movable
        random = np.random.default_rng(0)
        for k in range(RESTARTS if np.any(turns) else 0):
            q = start.copy()
            turn = random.uniform(-1.0, 1.0, np.count_nonzero(turns)) * RESTART_TURN * (k + 1) / RESTARTS
            q[: len(turns)][turns] += turn
            yield q

    def _demanding_drivers(self, pose: Pose) -> tuple[str, ...]:
        """Names of the position drivers if the loops close by rigid motion without them; otherwise none."""
        model, n = self.model, self.model.coordinate_count
        coordinates = [k for k in model.driven_coordinates if model.tables.coordinates["level"][k] == 0]
        names = [model.coordinate_names[k] for k in coordinates]
        prescribing = {c for c, name in enumerate(model.constraint_names) if name in model.prescribing}
        names += [model.constraint_names[c] for c in sorted(prescribing)]
        if not names:
            return ()
        undriven = Loops(without_drivers(model, self.t), self.t, self.ignored | prescribing)
        found = nearest_pose(undriven, self.jointed & ~model.held[:n], pose.q, pose.reference)
        return tuple(names) if np.abs(found.opening).max(initial=0.0) < 100.0 * CLOSED else ()

    def _guess_closures(self) -> None:
        """Coordinates of the joints that close loops: of several starting values, those with the smallest opening.

        The closing joints share no coordinates, so all are fitted at once.
        """
        tables, first = self.model.tables, self.evaluator.rows[0]
        found: list[_OwnCoordinates] = []
        for c, constraint in enumerate(tables.constraints):
            if constraint["kind"] != CLOSURE or c in self.ignored:
                continue
            axes = tables.axes[constraint["start"] : constraint["end"]]
            own = np.unique([*axes["coordinate"], *axes["second"][axes["second"] >= 0]]).astype(int)
            own = own[self.movable[own] & self.free[own]]
            rows = np.arange(constraint["rows"]) + constraint["row"] - first
            if len(own):
                found.append(_OwnCoordinates(own, rows, self._starts(axes, own)))
        if not found:
            return
        best = np.full(len(found), np.inf)
        start = self.q
        for trial in range(max(len(closure.starts) for closure in found)):
            q = start.copy()
            for closure in found:
                q[closure.own] = closure.starts[trial % len(closure.starts)]
            q, sizes = self._fit(q, found)
            for number, closure in enumerate(found):
                if sizes[number] < best[number] - 1e-9:
                    best[number] = sizes[number]
                    self.q = self.q.copy()
                    self.q[closure.own] = q[closure.own]
            if best.max() < 1e-9:
                return

    def _starts(self, axes, own: np.ndarray) -> list[np.ndarray]:
        """Starting values of the coordinates ``own`` of a joint: a few angles, and a few points along its curves."""
        turning = axes["coordinate"][(axes["kind"] == ROTATION) & (axes["factor"] != 0.0)]
        turned = np.isin(own, turning)
        starts = [self.q[own] + angle * turned for angle in ((0.0, 2.0, -2.0) if turned.any() else (0.0,))]
        curves = [axis for axis in axes if axis["kind"] in (CURVE, INVERSE_CURVE) and axis["coordinate"] in own]
        for places in product(PLACES_ALONG, repeat=len(curves)) if curves else ():
            values = self.q[own]
            for axis, place in zip(curves, places, strict=True):
                first, last = self.model.tables.pool[axis["at"] + np.array([START, END])]
                values[own == axis["coordinate"]] = (first + place * (last - first) - axis["offset"]) / axis["factor"]
            starts.append(values)
        return starts

    def _fit(self, q: np.ndarray, closures: list[_OwnCoordinates]) -> tuple[np.ndarray, np.ndarray]:
        """Least-squares fit of each closing joint to its own coordinates; coordinates and remaining openings."""
        sizes = np.full(len(closures), np.inf)
        zero = np.zeros_like(q)
        for _ in range(20):
            opening = self.evaluator.openings(q, self.v, self.reference, self.t)[0]
            now = np.array([np.linalg.norm(opening[closure.rows]) for closure in closures])
            if not np.any(now < 0.999 * sizes) or now.max() < CLOSED:
                return q, now
            sizes = np.minimum(sizes, now)
            base = self.evaluator.residual(q, zero, zero, self.reference, self.t, OPENINGS)
            matrices = [np.zeros((len(closure.rows), len(closure.own))) for closure in closures]
            for column in range(max(len(closure.own) for closure in closures)):
                a = zero.copy()
                a[[closure.own[column] for closure in closures if column < len(closure.own)]] = 1.0
                moved = self.evaluator.residual(q, zero, a, self.reference, self.t, OPENINGS) - base
                for matrix, closure in zip(matrices, closures, strict=True):
                    if column < len(closure.own):
                        matrix[:, column] = moved[self.evaluator.rows[closure.rows]]
            q = q.copy()
            for matrix, closure in zip(matrices, closures, strict=True):
                change = -np.linalg.lstsq(matrix, opening[closure.rows], rcond=1e-10)[0]
                q[closure.own] += change * min(1.0, 1.0 / max(np.abs(change).max(), 1e-300))
        return q, sizes

    def _close(self, movable: np.ndarray) -> bool:
        """Damped Gauss-Newton on the movable coordinates; True if every loop is closed (the pose is then kept)."""
        q, reference = self.q.copy(), self.reference.copy()
        opening = self.loops.openings(q, reference)
        if not np.any(movable):
            return self._keep_if_closed(q, reference, opening, CLOSED)
        slow = 0
        for _ in range(ITERATIONS):
            size = float(np.linalg.norm(opening))
            if self._keep_if_closed(q, reference, opening, CLOSED):
                return True
            G = self.evaluator.constraint_matrix(q, reference, self.t, OPENINGS)[self.loops.position_rows][:, movable]
            change = -least_change(G, opening)
            change *= min(1.0, LARGEST_MOVE / max(float(np.abs(change).max()), 1e-300))
            for _ in range(12):
                trial = q.copy()
                trial[: len(movable)][movable] += change
                turned = folded(self.model, trial, reference)
                found = self.loops.openings(trial, turned)
                if np.linalg.norm(found) < size or np.abs(found).max() < CLOSED:
                    break
                change *= 0.5
            else:
                return self._keep_if_closed(q, reference, opening, 100.0 * CLOSED)  # only rounding is left
            slow = slow + 1 if np.linalg.norm(found) > (1.0 - SLOW) * size else 0
            q, reference, opening = trial, turned, found
            if slow > PATIENCE:
                break
        return self._keep_if_closed(q, reference, opening, CLOSED)

    def _keep_if_closed(self, q: np.ndarray, reference: np.ndarray, opening: np.ndarray, limit: float) -> bool:
        """Keep a closed pose; of the others, remember the one with the smallest opening."""
        if np.abs(opening).max(initial=0.0) < limit:
            self.q, self.reference = q, reference
            return True
        size = float(np.linalg.norm(opening))
        if size < self.nearest[0]:
            self.nearest = (size, q, reference)
        return False

    def _match_rates(self, closing: LoopClosure) -> None:
        """Make the velocities consistent: change those without given values first, then all, as little as possible.

        Bodies that are bent to close the loops remain bent with the least energy as the joints move.
        """
        n, rows = self.model.coordinate_count, self.loops.rate_rows
        G = self.evaluator.constraint_matrix(self.q, self.reference, self.t)[rows]
        every, stated = self.changeable & self.jointed, self.model.given_rates[:n]
        joints = (every & ~stated & ~self.play, every & ~stated, every)
        for movable in (*joints, self.changeable) if not closing.bodies else joints:
            for _ in range(3):
                rate = self._rates()
                if np.abs(rate).max(initial=0.0) < CLOSED or not np.any(movable | bool(closing.bodies)):
                    break
                if closing.bodies:
                    self._bend_rates(dense(G), rate, movable, closing)
                else:
                    self.v[:n][movable] -= least_change(G[:, movable], rate)
            # rates obtained by finite differences have errors of 1e-10 and more
            if np.abs(self._rates()).max(initial=0.0) < 1e-7 * max(1.0, float(np.abs(self.v).max())):
                return
        rate = np.abs(self._rates())
        worst = self.evaluator.rows[rows[int(np.argmax(rate))]]
        raise MechanismError(
            f"the velocities cannot be made consistent: constraint '{self.model.coordinate_names[worst]}' is still "
            f"violated by {rate.max():.3g} m/s or rad/s; check for contradictory drivers or a locked mechanism"
        )

    def _bend_rates(self, G: np.ndarray, rate: np.ndarray, movable: np.ndarray, closing: LoopClosure) -> None:
        elastic, joints = Elasticity(self.model), np.flatnonzero(movable)
        rows, scales = self.loops.row_scales(self.loops.rate_rows), self.loops.column_scales()[joints]
        rank = rigid_rank(misalignment_size(closing.joints, self.loops.length))
        rest = np.zeros(len(elastic.columns))
        rigid, modal = rows[:, None] * G[:, joints] * scales, rows[:, None] * G[:, elastic.columns]
        moves, change = least_energy_change(rigid, modal, rows * rate, elastic, rest, rank)
        self.v[joints] += scales * moves
        self.v[elastic.columns] += change

    def _rates(self) -> np.ndarray:
        self.evaluator.residual(self.q, self.v, np.zeros_like(self.q), self.reference, self.t, 1)
        return self.evaluator.work.constraint[self.evaluator.rows, 1][self.loops.rate_rows]

    def _refuse(self, q: np.ndarray, reference: np.ndarray) -> NoReturn:
        opening = self.loops.openings(q, reference)
        sizes = {}
        for c, constraint in enumerate(self.model.tables.constraints):
            if c in self.ignored:
                continue
            part = opening[np.isin(self.loops.position_rows, self.loops.rows_of(c))]
            turn = float(np.linalg.norm(part[3:])) if constraint["rows"] == 6 else 0.0
            sizes[self.model.constraint_names[c]] = (float(np.linalg.norm(part[:3])), turn)
        name, (gap, turn) = max(sizes.items(), key=lambda item: item[1][0] + item[1][1])
        held = [f"'{self.model.coordinate_names[k]}'" for k in np.flatnonzero(self.model.held)]
        keeping = f" with {', '.join(held)} held" if held else ""
        angle = f" and {turn:.6g} rad" if turn > 1e-9 else ""
        raise MechanismError(
            f"the loops cannot be closed from the start values{keeping}: '{name}' stays open by {gap:.6g} m{angle}. "
            "Start closer to a closed position, or check lengths and axes"
        )
