"""By what turns between markers are counted: the coordinates of the hinges between their bodies, or from step to step."""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import make_record
from flexmbs.mechanism.events import Free

PARALLEL = 0.99  # cosine, of the axis of a hinge and the axis about which turns are counted


class TurnTable:
    """The records of ``Tables.turns``, one for each pair of markers and axis, with their names."""

    def __init__(self, compiler) -> None:
        self.compiler, self.records, self.names = compiler, compiler.records["turns"], []
        events = compiler.system.events.values()
        self.lets_go = any(isinstance(action, Free) for event in events for action in event.do)
        self.ways = {}  # from each body: joints without other axes, both their markers, the axis that turns
        for joint in compiler.system.joints.values():
            turning = [axis for axis in joint.type.axes if axis.kind == "rotation"]
            if len(turning) <= 1 and all(axis.kind in ("rotation", "translation") for axis in joint.type.axes):
                for first, second, sign in (joint.a, joint.b, 1.0), (joint.b, joint.a, -1.0):
                    self.ways.setdefault(first.body, []).append((joint, first, second, sign, turning))

    def number(self, a, b, axis) -> int:
        """Number of the turns of marker b about ``axis`` (3) of marker a; zero: a rotation about any axis."""
        n, terms = np.array(axis), self.compiler.records["terms"]
        name = f"'{b.label}' against '{a.label}' about {tuple(n.tolist())}"
        if name not in self.names:
            record = make_record(t.TURN, a=self.compiler.marker(a), b=self.compiler.marker(b), axis=axis)
            record["at"], record["start"], record["kept"] = t.TURN_MEMORY * len(self.records), len(terms), True
            hinges, R = self.hinges(a, b)
            for along in (n, R @ n):  # the axis as it sits in a and in b
                if hinges and all(abs(hinge[2] @ along) > PARALLEL for hinge in hinges):
                    axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
                    record["offset"] = np.arctan2(n @ axial, np.trace(R) - n @ R @ n)
                    record["kept"] = self.lets_go and any(joint.cut for joint, *_ in hinges)
                    for joint, turning, direction in hinges:
                        k = self.compiler.coordinate_index[f"{joint.name}.{turning.coordinate}"]
                        terms.append(make_record(t.TERM, coordinate=k, factor=turning.factor * np.sign(direction @ along)))
                    break
            record["end"] = len(terms)
            self.records.append(record)
            self.names.append(name)
        return self.names.index(name)

    def of_bushing(self, a, b, stiffness: np.ndarray) -> int:
        """Number of the turns about the hinges between both bodies, or the only axis without ``stiffness`` (3, 3)."""
        hinges, R = self.hinges(a, b)
        n = hinges[0][2] if hinges else np.zeros(3)
        if not all(abs(n @ hinge[2]) > PARALLEL for hinge in hinges) or n @ R @ n <= PARALLEL:  # it lies alike in a and in b
            values, axes = np.linalg.eigh(stiffness)
            n = axes[:, 0] if values[0] <= 1e-9 * values[2] < values[1] else np.zeros(3)
        return self.number(a, b, n)

    def hinges(self, a, b) -> tuple[list, np.ndarray]:
        """Joints with their turning axes and the directions of these in a, which lead from a to b; R_AB where all are 0.

        None: there is no such way, or another joint is part of it.
        """
        reached = {a.body: ([], a.rotation.T)}
        for body in (queue := [a.body]):
            hinges, R = reached[body]
            if body == b.body:
                return hinges, R @ b.rotation
            for joint, first, second, sign, turning in self.ways.get(body, ()):
                if second.body not in reached:
                    found = [(joint, axis, sign * R @ first.rotation @ axis.direction) for axis in turning]
                    reached[second.body] = [*hinges, *found], R @ first.rotation @ second.rotation.T
                    queue.append(second.body)
        return [], np.eye(3)
