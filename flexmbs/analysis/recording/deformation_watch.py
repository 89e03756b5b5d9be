"""How far modal bodies deform, and how wrong their displacements are for that: watched in runs, statics and kinematics.

Modal bodies are right to second order of the rotations inside them. What is missing is estimated at the stations of each body
(flexmbs.reduction.stations), anew where the rotation has grown by ``GROWN`` since the last time. Their material has the law of
small strains: with forces referred to the deformed section and logarithmic strains, a stretch e needs a force smaller by 1.5 e.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import ResultWarning
from flexmbs.common.user_warnings import warn
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.stations import Stations, second_order_share, stations_of

WARN, STOP = 0.01, 0.5  # estimated error of displacements, relative to the largest one, that warns, and that stops
QUIET = 0.05  # rad: smaller rotations are not judged; 1 % takes 0.15 rad under a load at the end of a rod
GROWN = 1.2
OF_STRETCH = 1.5  # error relative to the stretch of a segment between two stations


@dataclass
class BodyWatch:
    """What has been seen of one body.

    Attributes
    ----------
    rotation, strain, strained_where : largest rotation (rad) against the frame, largest strain along an edge of the
        surface, and where (m, body frame)
    error, error_at, coordinates : largest estimated error, when (s), and the modal coordinates (n,) then
    second : displacements of second order relative to those of first, then
    since : s, when the error first exceeded ``WARN``
    """

    name: str
    body: FlexibleBody
    part: slice
    stations: Stations
    rotation: float = 0.0
    strain: float = 0.0
    strained_where: np.ndarray = field(default_factory=lambda: np.zeros(3))
    error: float = 0.0
    error_at: float = 0.0
    coordinates: np.ndarray | None = None
    second: float = 0.0
    since: float | None = None
    judged: float = QUIET  # rotation of the last estimate
    due: tuple[float, np.ndarray] | None = None  # time and coordinates of the largest rotation, if not estimated

    def take(self, t: np.ndarray, q: np.ndarray, limit: float) -> int | None:
        """Look at coordinates (rows, n), up to the first row from which the error is beyond ``limit``: that row, or None."""
        fields, parts, reach = self.stations.watched
        rows = np.flatnonzero(np.any(np.abs(q) @ reach > (self.rotation, self.strain), axis=1))  # finite ones alone
        if not len(rows):
            return None
        before, t, q = vars(self).copy(), t[rows], q[rows]
        turns, stretch, strains = np.split(q @ fields, parts, axis=1)
        turned = np.sqrt(np.einsum("rki,rki->rk", *2 * [turns.reshape(len(q), -1, 3)]).max(axis=1))
        errors, strains = OF_STRETCH * np.abs(stretch).max(axis=1), np.abs(strains)
        row, edge = np.unravel_index(int(strains.argmax()), strains.shape)
        if strains[row, edge] > self.strain:
            self.strain, self.strained_where = float(strains[row, edge]), self.stations.edges[edge]
        self._found(errors, t, q)
        row = int(turned.argmax())
        if turned[row] > self.rotation:
            self.rotation, self.due = float(turned[row]), (float(t[row]), q[row].copy()) if turned[row] > QUIET else None
            if self.rotation > GROWN * self.judged:
                self.judged = self.rotation
                errors = np.maximum(errors, self.settle() * (turned / self.rotation) ** 2)  # as they grow
        if self.since is None and self.error > WARN:
            self.since = float(t[int(np.argmax(errors >= min(WARN, errors.max())))])
        if not errors.max() > limit:
            return None
        vars(self).update(before)  # what comes behind the first row beyond is not kept
        end = self._first(q, turned, errors, limit) + 1
        self.take(t[:end], q[:end], np.inf)
        self.finish()
        return int(rows[end - 1])

    def _first(self, q: np.ndarray, turned: np.ndarray, errors: np.ndarray, limit: float) -> int:
        """The first row beyond ``limit``: errors grow with the largest rotation so far; ``errors``: rough ones."""
        rows = np.flatnonzero(turned >= np.maximum.accumulate(turned))
        later = rows[bisect_left(rows, True, key=lambda row: self.stations.error(q[row]) > limit) :]
        return int(later[0]) if len(later) else int(np.argmax(errors > limit))

    def settle(self) -> float:
        """The error by rotation that is due; 0: none is."""
        if self.due is None:
            return 0.0
        (when, q), self.due = self.due, None
        error = self.stations.error(q)
        self._found(np.array([error]), np.array([when]), q[None])
        return error

    def _found(self, errors: np.ndarray, t: np.ndarray, q: np.ndarray) -> None:
        """Keep the largest of the errors (rows,) if it is the largest so far."""
        row = int(errors.argmax())
        if errors[row] > self.error:
            self.error, self.error_at, self.coordinates = float(errors[row]), float(t[row]), q[row].copy()

    def finish(self) -> None:
        """What is due, and what is worth computing once only."""
        self.settle()
        if self.coordinates is not None:
            self.second, self.coordinates = second_order_share(self.body, self.coordinates), None

    def __str__(self) -> str:
        where = ", ".join(f"{x:.3g}" for x in self.strained_where)
        left_out = "" if len(self.body.pairs) else " (left out: no geometric stiffness)"
        return (
            f"body '{self.name}' deforms further than its modes describe: its displacements are wrong by about {self.error:.2g} "
            f"of the largest at t = {self.error_at:.6g} s. It turns by up to {np.degrees(self.rotation):.3g} degrees against its "
            f"frame and strains by {self.strain:.2g} at ({where}) m; motion of second order is {self.second:.0%} of that of "
            f"first{left_out}"
        )


REMEDY = (
    "Divide it into several bodies joined by fixed joints, whose rotations are smaller (docs/validity.md), or look for a load "
    "or driver that is too large"
)


class DeformationWatch:
    """Watches the modal bodies of a model."""

    def __init__(self, model: Model):
        self.bodies: list[BodyWatch] = []
        self.stopped: BodyWatch | None = None  # the body that has stopped the analysis
        for name, part in model.modal.items():
            body = model.bodies[name]
            stations = stations_of(body) if isinstance(body, FlexibleBody) else None
            if isinstance(body, FlexibleBody) and stations is not None:
                self.bodies.append(BodyWatch(name, body, part, stations))

    def take(self, t: np.ndarray, q: np.ndarray, stops: bool = True) -> tuple[int, str] | None:
        """Look at times (rows,) and coordinates (rows, n): the first row beyond ``STOP`` and why, None without one."""
        if not len(t):
            return None
        limit = STOP if stops else np.inf
        rows = [(row, body) for body in self.bodies if (row := body.take(t, q[:, body.part], limit)) is not None]
        if not rows:
            return None
        row, body = min(rows, key=lambda one: one[0])
        self.stopped = body
        return row, f"{body}: more than {STOP:.0%}. {REMEDY}; stop_on_deformation=False goes on"

    def stats(self) -> Mapping[str, object]:
        """For the statistics of a result, of the body with the largest error and of all; nothing without modal bodies."""
        if not self.bodies:
            return {}
        worst = max(self.bodies, key=lambda body: (body.error, body.rotation))
        return {
            "deformation_error": worst.error,
            "deformation_error_body": worst.name,
            "deformation_error_time": worst.error_at,
            "largest_rotation": max(body.rotation for body in self.bodies),
            "largest_strain": max(body.strain for body in self.bodies),
            "second_order_share": worst.second,
        }

    def warn(self) -> None:
        """The end, after which ``stats`` are exact: ResultWarning for each body that is wrong by more than ``WARN``."""
        for body in self.bodies:
            body.finish()
            if body.error > WARN and body is not self.stopped:  # which has said so
                since = body.error_at if body.since is None else body.since
                warn(f"{body}; beyond {WARN:.0%} from t = {since:.6g} s on. {REMEDY}", ResultWarning)
