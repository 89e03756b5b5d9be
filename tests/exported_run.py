"""A result of a made-up motion: a bar of solids that bends, a rigid block with a spring to it, a ball, a sphere."""

import warnings
from functools import cache

import numpy as np
from made_up_run import nothing

import flexmbs as fm
from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors
from flexmbs.result.structure import BodyRecord, ContactPair, JointRecord, LinkRecord, MarkerRecord, Structure
from flexmbs.result.trajectory import Trajectory

T_END, STEPS = 0.5, 120
BLOCK = np.array([[x, y, z] for z in (0.0, 0.1) for y in (0.0, 0.1) for x in (0.0, 0.1)])
QUADS = np.array([[4, 0, 2, 3, 1], [4, 4, 5, 7, 6], [4, 0, 1, 5, 4], [4, 2, 6, 7, 3], [4, 0, 4, 6, 2], [4, 1, 3, 7, 5]])


@cache
def bar(kind="hex20"):
    """A bar along x, 0.4 m long, held at its end x = 0, with four modes."""
    mesh = fm.box_mesh((0.4, 0.04, 0.02), (4, 1, 1), fm.Material("steel", 210e9, 0.3, 7850.0), kind=kind)
    modes = fm.CraigBampton(at="root", count=1, frequency_tolerance=None)
    with warnings.catch_warnings():  # it is coarse, and has few modes
        warnings.simplefilter("ignore", fm.FlexmbsWarning)
        return fm.reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=modes, name="bar", cache=False)


def coordinates(body, t):
    """(nt, n) m and their first and second derivatives."""
    rates = 2.0 * np.pi * (3.0 + 2.0 * np.arange(body.mode_count))
    size = 2e-4 / (1.0 + np.arange(body.mode_count))
    return [
        size * f for f in (np.sin(t[:, None] * rates), rates * np.cos(t[:, None] * rates), -(rates**2) * np.sin(t[:, None] * rates))
    ]


def structure(body):
    names = tuple(f"bar.{label}" for label in body.mode_labels)
    tip = MarkerRecord("tip", "bar", fields=body.markers["tip"])
    return Structure(
        bodies=(
            BodyRecord("ground"),
            BodyRecord("bar", body),
            BodyRecord("block", shape_points=BLOCK, shape_faces=QUADS.ravel()),
            BodyRecord("ball"),
        ),
        coordinate_names=names,
        rate_names=tuple(f"{name}.rate" for name in names),
        markers=(
            MarkerRecord("wall", "ground"),
            tip,
            MarkerRecord("corner", "block", position=BLOCK[-1]),
            MarkerRecord("middle", "ball"),
        ),
        contacts=(ContactPair("hit", 3, 0, radius_a=0.05, normal=np.array([0.0, 1.0, 0.0])),),
        joints=(JointRecord("hinge", 0, 1, free_rotations=np.array([[0.0, 0.0, 1.0]]), kind="revolute"),),
        links=(LinkRecord("spring", "spring damper", (1, 2)),),
        gravity=np.array([0.0, 0.0, -9.81]),
    )


def result(body=None, steps=STEPS):
    """The bar turns about z, the block moves along x, the ball falls."""
    body = bar() if body is None else body
    t = np.linspace(0.0, T_END, steps)
    q, v, a = coordinates(body, t)
    position, velocity = np.zeros((steps, 4, 3)), np.zeros((steps, 4, 3))
    position[:, 2, 0], velocity[:, 2, 0] = 0.6 + 0.1 * t, 0.1
    position[:, 3], velocity[:, 3, 2] = np.array([0.0, 0.3, 0.5]), -0.2
    position[:, 3, 2] -= 0.2 * t
    rotation, spin = np.tile(np.eye(3), (steps, 4, 1, 1)), np.zeros((steps, 4, 3))
    rotation[:, 1] = matrices_of_vectors(np.outer(2.0 * t, [0.0, 0.0, 1.0]))
    spin[:, 1, 2] = 2.0
    gap = np.full((steps, 1), 0.2)
    return fm.Result(
        structure(body),
        Trajectory(
            t=t,
            q=q,
            v=v,
            a=a,
            energy=np.zeros((steps, 3)),
            contact_gap=gap,
            contact_force=0.0 * gap,
            body_position=position,
            body_rotation=rotation,
            **{**nothing(steps, position.shape[1], 1), "body_velocity": velocity, "body_angular_velocity": spin},
        ),
    )
