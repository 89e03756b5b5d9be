"""A result in closed form: a bar swings about the z axis, bends in its first mode and touches a plane once."""

import numpy as np
from made_up_run import nothing

from flexmbs import ContactRecord, FlexibleBody
from flexmbs.reduction.flexible_body import InertiaFields, PointFields, SurfaceFields
from flexmbs.result.structure import BodyRecord, ContactPair, MarkerRecord, Structure
from flexmbs.result.trajectory import Trajectory

YOUNGS_MODULUS = 210e9
SECTIONS = 41
CORNERS = np.array([[-0.002, -0.01], [0.002, -0.01], [0.002, 0.01], [-0.002, 0.01]])  # y, z
SWING, BEND = 3.0, 20.0  # rad/s


def shape(x):
    """Deflection, slope and curvature of the mode 1 - cos(pi x / 2)."""
    k = 0.5 * np.pi
    return 1.0 - np.cos(k * x), k * np.sin(k * x), k * k * np.cos(k * x)


def shortening(x):
    """Second-order axial displacement for q = 1: -1/2 int slope^2."""
    k = 0.5 * np.pi
    return -0.5 * k * k * (0.5 * x - np.sin(2.0 * k * x) / (4.0 * k))


def swept_faces():
    faces = []
    for i in range(SECTIONS - 1):
        for c in range(4):
            a, b = 4 * i + c, 4 * i + (c + 1) % 4
            faces += [4, a, b, b + 4, a + 4]
    last = 4 * (SECTIONS - 1)
    return np.array([*faces, 4, 0, 1, 2, 3, 4, last, last + 3, last + 2, last + 1])


def bar_surface():
    x = np.repeat(np.linspace(0.0, 1.0, SECTIONS), 4)
    y, z = np.tile(CORNERS, (SECTIONS, 1)).T
    deflection, slope, curvature = shape(x)
    zero = np.zeros_like(x)
    modes = np.stack([-y * slope, deflection, zero], axis=1)[None]
    quadratic = np.stack([shortening(x), -0.5 * y * slope**2, zero], axis=1)[None]
    stress = np.zeros((1, len(x), 6))
    stress[0, :, 0] = -YOUNGS_MODULUS * y * curvature
    return SurfaceFields(np.stack([x, y, z], axis=1), swept_faces(), modes, quadratic, stress)


def point_fields(x):
    deflection, slope, _ = shape(x)
    return PointFields(
        position=np.array([x, 0.0, 0.0]),
        Phi=np.array([[0.0, deflection, 0.0]]),
        Psi=np.array([[0.0, 0.0, slope]]),
        Zu=np.array([[shortening(x), 0.0, 0.0]]),
        Zr=np.zeros((1, 3)),
    )


def bar():
    x = np.linspace(0.0, 1.0, 11)
    deflection, slope, _ = shape(x)
    zero = np.zeros_like(x)
    P = np.zeros((1, 3, 4))
    P[0, 1, 1] = np.sqrt(0.15)  # so that it has the modal mass Me
    return FlexibleBody(
        name="bar",
        mass=0.628,
        frequencies=np.array([3.3]),
        mode_labels=("bending y 1",),
        Me=np.array([[0.15]]),
        Ke=np.array([[60.0]]),
        De=np.zeros((1, 1)),
        pairs=np.array([[0, 0]]),
        inertia=InertiaFields(np.zeros((3, 4)), P, np.zeros((1, 3, 4))),
        points=np.stack([x, zero, zero], axis=1),
        node_ids=np.arange(1, 12),
        modes=np.stack([zero, deflection, zero], axis=1)[None],
        rotations=np.stack([zero, zero, slope], axis=1)[None],
        quadratic=np.stack([shortening(x), zero, zero], axis=1)[None],
        quadratic_rotations=np.zeros((1, 11, 3)),
        markers={"hinge": point_fields(0.0), "tip": point_fields(1.0)},
        surface=bar_surface(),
        attached_at="hinge",
    )


def structure():
    return Structure(
        bodies=(BodyRecord("ground"), BodyRecord("pendulum", bar(), coordinate_start=1, rate_start=1)),
        coordinate_names=("hinge.angle", "pendulum.bending y 1"),
        rate_names=("hinge.angle.rate", "pendulum.bending y 1.rate"),
        markers=(MarkerRecord("stop", "ground"), MarkerRecord("tip", "pendulum", fields=point_fields(1.0))),
        contacts=(ContactPair("stop", marker_a=1, marker_b=0, normal=np.array([1.0, 0.0, 0.0])),),
    )


def motion(t):
    """Angle and modal coordinate with two derivatives, each (nt, 2); the angle is measured from hanging."""
    q = np.stack([0.5 * np.pi * np.cos(SWING * t), 0.03 * np.sin(BEND * t)], axis=1)
    v = np.stack([-0.5 * np.pi * SWING * np.sin(SWING * t), 0.03 * BEND * np.cos(BEND * t)], axis=1)
    a = np.stack([-SWING * SWING * q[:, 0], -BEND * BEND * q[:, 1]], axis=1)
    return q, v, a


def trajectory(steps=151, t_end=0.75):
    t = np.linspace(0.0, t_end, steps)
    q, v, a = motion(t)
    angle = q[:, 0] - 0.5 * np.pi  # the bar lies along its x axis, which hangs at -90 degrees
    rotation = np.zeros((steps, 2, 3, 3))
    rotation[:, 0] = np.eye(3)
    rotation[:, 1, 2, 2] = 1.0
    rotation[:, 1, 0, 0] = rotation[:, 1, 1, 1] = np.cos(angle)
    rotation[:, 1, 1, 0] = np.sin(angle)
    rotation[:, 1, 0, 1] = -np.sin(angle)
    spin = np.zeros((steps, 2, 3))
    spin[:, 1, 2] = v[:, 0]
    force = 2000.0 * np.exp(-(((t - 0.52) / 0.004) ** 2))
    force[force < 1.0] = 0.0
    deflection = shape(1.0)[0] * q[:, 1]
    tip = np.stack([1.0 + shortening(1.0) * q[:, 1] ** 2, deflection, 0.0 * t], axis=1)
    touching = {
        "contact_point": np.einsum("tij,tj->ti", rotation[:, 1], tip)[:, None],
        "contact_push": force[:, None, None] * np.array([1.0, 0.0, 0.0]),
    }
    return Trajectory(
        t=t,
        q=q,
        v=v,
        a=a,
        energy=np.stack([v[:, 0] ** 2, np.sin(angle), 60.0 * q[:, 1] ** 2], axis=1),
        contact_gap=np.sin(q[:, :1]),
        contact_force=force[:, None],
        body_position=np.zeros((steps, 2, 3)),
        body_rotation=rotation,
        **{**nothing(steps, 2, 1), **touching, "body_angular_velocity": spin},
        contacts=(ContactRecord("stop", 0.51, 0.53, 2000.0, 0.52, 14.2, 1.2, 0.9, 1e-4),),
        stats={"steps_accepted": steps - 1},
    )
