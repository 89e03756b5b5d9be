"""A result in closed form: a ball falls on a plane, slides until it rolls, and a box stands beside it."""

import numpy as np
from made_up_run import nothing

from flexmbs import ContactRecord, Result
from flexmbs.result.structure import BodyRecord, ContactPair, MarkerRecord, OutlineRecord, Structure
from flexmbs.result.trajectory import Trajectory

RADIUS, WEIGHT, FRICTION = 0.1, 10.0, 0.3  # m, N, -
LANDS, BACK, ROLLS, END = 0.2, 0.21, 0.7, 1.0  # s: touches, impact over, slides no more, end of the run
PEAK = 60.0  # N
CORNERS = 0.5 * np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.3, 0.3) for z in (-0.2, 0.2)])
SIDES = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])


def times():
    even = np.linspace(0.0, END, 201)
    return np.unique(np.concatenate([even, np.linspace(LANDS, BACK, 41)]))


def slip(t):
    """m/s, while the ball slides: it starts at 2 m/s and ends linearly."""
    return np.where((t >= LANDS) & (t < ROLLS), 2.0 * (ROLLS - t) / (ROLLS - LANDS), 0.0)


def normal_force(t):
    """N: an impact, then the weight."""
    hit = PEAK * np.sin(np.pi * (t - LANDS) / (BACK - LANDS))
    return np.where(t < LANDS, 0.0, np.where(t < BACK, np.maximum(hit, 0.0), WEIGHT))


def structure():
    outline = OutlineRecord(2, CORNERS, np.insert(SIDES, 0, 4, axis=1).ravel())
    return Structure(
        bodies=(BodyRecord("ground"), BodyRecord("ball"), BodyRecord("box")),
        coordinate_names=(),
        rate_names=(),
        markers=(
            MarkerRecord("floor", "ground"),
            MarkerRecord("centre", "ball"),
            MarkerRecord("corner", "box", position=np.array([0.0, 0.15, 0.0])),
        ),
        contacts=(
            ContactPair("floor", 1, 0, radius_a=RADIUS, normal=np.array([0.0, 1.0, 0.0])),
            ContactPair("side", 1, 2, radius_a=RADIUS),
        ),
        outlines=(outline,),
    )


def trajectory():
    t = times()
    steps, force = len(t), normal_force(t)
    gap = np.where(t < LANDS, 0.5 * 9.81 * (LANDS**2 - t**2), -1e-6 * force)
    x = 2.0 * t - 0.5 * 2.0 * np.maximum(t - LANDS, 0.0) ** 2
    position = np.zeros((steps, 3, 3))
    position[:, 1, 0], position[:, 1, 1] = x, RADIUS + gap
    position[:, 2, 0] = 2.0
    rotation = np.tile(np.eye(3), (steps, 3, 1, 1))
    push = np.zeros((steps, 2, 3))
    push[:, 0, 0], push[:, 0, 1] = -FRICTION * force * (slip(t) > 0.0), force
    point = np.zeros((steps, 2, 3))
    point[:, 0, 0], point[:, 0, 1] = x, 0.5 * gap
    touching = {"contact_point": point, "contact_push": push, "contact_slip": np.stack([slip(t), 0.0 * t], axis=1)}
    moving = {"body_velocity": np.gradient(position, t, axis=0)}
    none = np.zeros((steps, 0))
    return Trajectory(
        t=t,
        q=none,
        v=none,
        a=none,
        energy=np.zeros((steps, 3)),
        contact_gap=np.stack([gap, np.full(steps, 0.5)], axis=1),
        contact_force=np.stack([force, 0.0 * t], axis=1),
        body_position=position,
        body_rotation=rotation,
        **{**nothing(steps, 3, 2), **moving, **touching},
        contacts=(ContactRecord("floor", LANDS, np.nan, PEAK, 0.5 * (LANDS + BACK), 1.0, 1.962, None, 1e-6 * PEAK),),
    )


def result():
    return Result(structure(), trajectory())
