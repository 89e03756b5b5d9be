"""How far modal bodies deform, and how wrong their displacements are for that: watched in runs, statics and kinematics.

Modal bodies are right to second order of the rotations inside them. What is missing is estimated at the stations of each body
(flexmbs.analysis.evaluation.stations), anew where rotation or stretch have grown by ``GROWN`` since the last time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.analysis.evaluation.stations import Stations, stations_of
from flexmbs.common.errors import ResultWarning
from flexmbs.common.user_warnings import warn
from flexmbs.model.compiled_model import Model
from flexmbs.reduction.flexible_body import FlexibleBody

WARN, STOP = 0.01, 0.5  # estimated error of displacements, relative to the largest one, that warns, and that stops
QUIET, GROWN = 0.05, 1.2  # rad: smaller rotations are judged at the end alone; 1 % takes 0.15 rad under a force at the end
FAR = "deforms further than its modes describe: "
REMEDY = (
    "Divide it into several bodies joined by fixed joints, whose rotations are smaller (docs/validity.md), or look for a load "
    "or driver that is too large"
)


SEEN = ("rotation", "strain", "strained_at", "error", "error_at", "second", "size", "largest", "ahead")  # for saved states


@dataclass
class BodyWatch:
    """What has been seen of one body: the largest values where errors were estimated, as in ``DeformationWatch.stats``."""

    name: str
    body: FlexibleBody
    part: slice
    stations: Stations
    rotation: float = 0.0
    strain: float = 0.0
    strained_at: Sequence[float] = (0.0, 0.0, 0.0)
    error: float = 0.0
    error_at: float = 0.0
    second: float = 0.0
    size: float = 0.0  # largest rotation (rad), or stretch that counts as one
    largest: Sequence[float] = ()  # its time and coordinates
    ahead: float = QUIET  # size of the next estimate

    def take(self, t: np.ndarray, q: np.ndarray, limit: float) -> int | None:
        """Look at coordinates (rows, n), up to the first row with an error beyond ``limit``: that row, or None."""
        fields, reach = self.stations.watched
        rows = np.flatnonzero(np.isfinite(q).all(axis=1) & (np.abs(q) @ reach > self.size))
        if not len(rows):
            return None
        t, q = t[rows], q[rows]
        sizes = np.sqrt((np.tensordot(q, fields, axes=1) ** 2).sum(axis=2).max(axis=1))
        while len(later := np.flatnonzero(sizes > self.ahead)):
            row = int(later[0])
            self.ahead = GROWN * float(sizes[row])
            self._estimate(float(t[row]), q[row])
            if self.error > limit:
                return int(rows[row])
        row = int(sizes.argmax())
        if sizes[row] > self.size:
            self.size, self.largest = float(sizes[row]), [float(t[row]), *q[row].tolist()]
        return None

    def _estimate(self, t: float, q: np.ndarray) -> None:
        (error, second), strains = self.stations.error(q), np.abs(q @ self.stations.strains)
        self.rotation = max(self.rotation, float(np.linalg.norm(np.tensordot(q, self.stations.rotations, 1), axis=1).max()))
        if error > self.error:
            self.error, self.error_at, self.second = error, t, second
        if strains.max() > self.strain:
            self.strain, self.strained_at = float(strains.max()), self.stations.places[strains.argmax()].tolist()

    def finish(self) -> None:
        """Estimate where rotation or stretch were largest."""
        if self.largest:
            self._estimate(self.largest[0], np.array(self.largest[1:]))

    def __str__(self) -> str:
        where = ", ".join(f"{x:.3g}" for x in self.strained_at)
        left_out = "" if len(self.body.pairs) else " (left out: no geometric stiffness)"
        return (
            f"its displacements are wrong by about {self.error:.2g} of the largest at t = {self.error_at:.6g} s. It turns by up to "
            f"{np.degrees(self.rotation):.3g} degrees against its frame and strains by {self.strain:.2g} at ({where}) m; motion of "
            f"second order is {self.second:.0%} of that of first{left_out}"
        )


class DeformationWatch:
    """Watches the modal bodies of a model."""

    def __init__(self, model: Model):
        self.bodies: list[BodyWatch] = []
        self.stopped: BodyWatch | None = None  # the body that has stopped the analysis
        for name, part in model.modal.items():
            body = model.bodies[name]
            if isinstance(body, FlexibleBody) and (stations := stations_of(body)) is not None:
                self.bodies.append(BodyWatch(name, body, part, stations))

    def take(self, t: np.ndarray, q: np.ndarray, stops: bool = True) -> tuple[int, str] | None:
        """Look at times (rows,) and coordinates (rows, n): the first row beyond ``STOP`` and why, None without one."""
        found, limit = None, STOP if stops else np.inf
        for body in self.bodies:
            row = body.take(t, q[:, body.part], limit)
            if row is not None:
                self.stopped, t, q = body, t[: row + 1], q[: row + 1]
                found = row, f"body '{body.name}' {FAR}{body}: more than {STOP:.0%}. {REMEDY}; stop_on_deformation=False goes on"
        return found

    def note(self) -> dict[str, dict]:
        """What has been seen so far, for a saved state: a run that is resumed tells what the whole one would."""
        return {body.name: {name: getattr(body, name) for name in SEEN} for body in self.bodies}

    def go_on(self, note: Mapping[str, dict]) -> None:
        """Take over what a :meth:`note` holds."""
        for body in self.bodies:
            vars(body).update(note.get(body.name, {}))

    def stats(self) -> Mapping[str, object]:
        """For the statistics of a result, of the body with the largest error and of all; nothing without modal bodies."""
        if not self.bodies:
            return {}
        worst = max(self.bodies, key=lambda body: (body.error, body.rotation))
        return {
            "deformation": f"Body '{worst.name}': {worst}.",
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
                warn(f"body '{body.name}' {FAR}{body}; more than {WARN:.0%}. {REMEDY}", ResultWarning)
