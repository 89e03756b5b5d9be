"""A body that slides along x, for tests of forces and functions."""

import numpy as np

import flexmbs as fm


def slider(mass=1.0, coordinates="reduced", **start):
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=coordinates)
    body = system.add(fm.RigidBody(mass=mass, inertia=np.eye(3)), name="mass")
    return system, body, system.prismatic(system.ground["origin"], body["origin"], axis="x", name="slide", **start)
