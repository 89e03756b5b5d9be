"""A mechanism whose kernels are called one by one, as Python: nothing is compiled."""

import numpy as np

import flexmbs as fm
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.model.compile_mechanism import compile_system


def record(kind, /, **values):
    """One record whose fields are attributes."""
    found = np.zeros(1, kind).view(np.recarray)[0]
    for name, value in values.items():
        found[name] = value
    return found


def two_bodies() -> tuple[fm.System, list]:
    """Two free rigid bodies without gravity, and a marker on each that lies and points anywhere."""
    system, rng, markers = fm.System(gravity=(0.0, 0.0, 0.0)), np.random.default_rng(7), []
    for name, place in (("one", (0.0, 0.0, 0.0)), ("two", (0.7, -0.4, 1.1))):
        body = fm.RigidBody.box(700.0, (0.3, 0.2, 0.1), center=0.2 * rng.normal(size=3))
        part = system.add(body, name, position=place, rotation=rng.normal(size=3))
        markers.append(part.marker("end", position=0.3 * rng.normal(size=3), rotation=rng.normal(size=3)))
    return system, markers


class PlainState:
    """Tables and workspace of a system in absolute coordinates, at a random state with a random motion from there."""

    def __init__(self, system: fm.System, seed: int = 0):
        rng = np.random.default_rng(seed)
        self.model = compile_system(system, "absolute")
        self.tables, self.work = self.model.tables, make_workspace(self.model.tables)
        size, count = len(self.model.q), self.model.coordinate_count
        self.q = self.model.q + 0.3 * rng.normal(size=size)
        self.v, self.a = rng.normal(size=size), rng.normal(size=size)
        self.v[count:] = self.a[count:] = 0.0
        self.residual = np.zeros(size)

    def move(self, s: float = 0.0):
        """Frames of the bodies at time ``s`` of the motion q + v s + a s^2 / 2; nothing else acts."""
        q, v = self.q + s * self.v + 0.5 * s * s * self.a, self.v + s * self.a
        forward_kinematics.__wrapped__(self.tables, q, v, self.a, self.model.reference, self.work)
        self.residual[:] = 0.0
        for wrench in self.work.wrench:
            wrench.force[:], wrench.moment[:] = 0.0, 0.0
        return q, v, self.a

    def power(self, v) -> float:
        """Power of the forces that were subtracted from the residual and the wrenches since the last move, W."""
        total = -self.residual @ v
        for frame, wrench in zip(self.work.frame, self.work.wrench, strict=True):
            total -= wrench.force @ frame.v_WB + wrench.moment @ frame.w_WB
        return total


def derivative(function, step: float = 1e-3):
    """d function(s) / ds at s = 0: central differences of sixth order."""
    weights = ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))
    return sum(w * (np.array(function(i * step)) - np.array(function(-i * step))) for i, w in weights) / step
