"""By what turns between markers are counted: the coordinate of a hinge between their bodies, or from step to step."""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import make_record
from flexmbs.mechanism.events import Free

PARALLEL = 0.99  # cosine, of the axis of a hinge and the axis about which turns are counted


class TurnTable:
    """The records of ``Tables.turns``, one for each pair of markers and axis."""

    def __init__(self, compiler) -> None:
        self.compiler, self.records, self.known = compiler, [], {}

    def number(self, a, b, axis) -> int:
        """Number of the turns of marker b about ``axis`` (3) of marker a; zero: a general rotation."""
        key = a, b, tuple(axis)
        if key not in self.known:
            self.known[key] = len(self.records)
            record = make_record(t.TURN, a=self.compiler.marker(a), b=self.compiler.marker(b), axis=axis)
            name, factor, direction, R = self.hinge(a, b)
            if name and abs(direction @ axis) > PARALLEL:
                n = np.array(axis)
                axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
                record["coordinate"], record["factor"] = self.compiler.coordinate_index[name], factor * np.sign(direction @ n)
                record["offset"] = np.arctan2(n @ axial, np.trace(R) - n @ R @ n)
            else:
                record["at"] = t.TURN_MEMORY * sum(int(known["at"]) >= 0 for known in self.records)
            self.records.append(record)
        return self.known[key]

    def of_bushing(self, a, b, stiffness: np.ndarray) -> int:
        """Number of the turns about the hinge between both bodies, or the only axis without ``stiffness`` (3, 3)."""
        name, _factor, direction, R = self.hinge(a, b)
        values, axes = np.linalg.eigh(stiffness)
        only_one = values[0] <= 1e-9 * values[2] < values[1]
        hinged = name and direction @ R @ direction > PARALLEL  # the axis is the same in a and in b
        return self.number(a, b, direction if hinged else axes[:, 0] if only_one else np.zeros(3))

    def hinge(self, a, b) -> tuple[str, float, np.ndarray, np.ndarray]:
        """Coordinate, factor and direction in the axes of a of a joint that turns b about one axis, and R_AB where it is 0.

        No coordinate: there is none. One that events can let go does not count.
        """
        system = self.compiler.system
        lets_go = any(isinstance(action, Free) for event in system.events.values() for action in event.do)
        for joint in system.joints.values():
            turning = [axis for axis in joint.type.axes if axis.kind == "rotation"]
            plain = len(turning) == 1 and all(axis.kind in ("rotation", "translation") for axis in joint.type.axes)
            if plain and {a.body, b.body} == {joint.a.body, joint.b.body} and not (joint.cut and lets_go):
                first, second, sign = (joint.a, joint.b, 1.0) if a.body == joint.a.body else (joint.b, joint.a, -1.0)
                R = a.rotation.T @ first.rotation
                name = f"{joint.name}.{turning[0].coordinate}"
                return name, sign * turning[0].factor, R @ turning[0].direction, R @ second.rotation.T @ b.rotation
        return "", 0.0, np.zeros(3), np.eye(3)
