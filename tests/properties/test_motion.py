"""Laws that whole motions obey: conservation, the rigid limit, order, tolerance, chunks, the choice of axes."""

from dataclasses import replace

import numpy as np
import pytest
from random_mechanisms import RUBBER, flexible_body, random_tree, rigid_body
from scipy.special import ellipj, ellipk

import flexmbs as fm
from flexmbs import line_mesh, rectangle
from flexmbs.analysis.run import run_in_chunks as run
from flexmbs.analysis.run import simulate as dynamics
from flexmbs.analysis.run.settings import make_settings

STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)


def energy_change(result):
    total = result["energy.total"]
    return np.abs(total - total[0]).max() / result["energy.kinetic"].max()


def spherical_chain(kinds, gravity=(0.0, -9.81, 0.0)):
    """Bodies hanging on each other by spherical joints, thrown into motion in all directions."""
    rng = np.random.default_rng(7)
    system = fm.System(gravity=gravity)
    at = system.ground.marker("pivot")
    for i, kind in enumerate(kinds):
        body = rigid_body(rng) if kind == "rigid" else flexible_body(kind)
        part = system.add(body, name=f"body {i}")
        if kind == "rigid":
            part.marker("hinge", position=(-0.3, 0.0, 0.0))
            part.marker("tip", position=(0.3, 0.1, 0.0))
        system.spherical(at, part["hinge"], rotation=rng.normal(size=3), angular_velocity=2.0 * rng.normal(size=3))
        at = part["tip"]
    return system


@pytest.mark.parametrize("kinds", [("rigid", "rigid"), ("clamped beam", "mean-axes beam"), ("solid", "rigid")])
def test_free_motion_keeps_its_energy_to_the_tolerance(kinds):
    loose = energy_change(spherical_chain(kinds).simulate(0.5, rtol=1e-5, atol=1e-7, stop_on_deformation=False))
    tight = energy_change(spherical_chain(kinds).simulate(0.5, rtol=1e-9, atol=1e-11, stop_on_deformation=False))
    # some hundred steps, each within its tolerance
    assert loose < 100 * 1e-5
    assert tight < 100 * 1e-9


@pytest.mark.parametrize("kind", ["clamped beam", "mean-axes beam", "solid"])
def test_free_flexible_body_keeps_its_momentum(kind):
    """A body in free flight without gravity: momentum by the rates of its own kinetic energy in rigid motions."""
    body = flexible_body(kind)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    velocities = np.linspace(1.0, -0.5, body.mode_count) * 0.5
    system.add(
        body,
        name="body",
        rotation=(0.3, -0.2, 0.5),
        velocity=(1.0, 2.0, 3.0),
        angular_velocity=(1.0, -2.0, 1.5),
        modal_velocities=velocities,
    )
    result = system.simulate(0.5, rtol=1e-9, atol=1e-11)
    linear, angular = momenta(body, result)
    # 1e-9 a step, some hundred steps
    assert np.abs(linear - linear[0]).max() < 1e-7 * np.abs(linear[0]).max()
    assert np.abs(angular - angular[0]).max() < 1e-7 * np.abs(angular[0]).max()


def momenta(body, result):
    """Linear momentum and angular momentum about the world origin, from the inertia fields and the stored histories."""
    run = result.trajectory
    rates = run.v[:, -body.mode_count :]
    coordinates = run.q[:, -body.mode_count :]
    a, b = body.pairs.T
    linear, angular = [], []
    unit = np.zeros(body.inertia.X.shape[1])
    unit[0] = np.sqrt(body.mass)  # the function 1 in the basis whose first member is 1 / sqrt(mass)
    for i in range(len(run.t)):
        q, v = coordinates[i], rates[i]
        square, square_rate = q[a] * q[b], v[a] * q[b] + q[a] * v[b]
        fields = body.inertia
        local = fields.X + np.tensordot(q, fields.P, 1) + np.tensordot(square, fields.Z, 1)
        local_rate = np.tensordot(v, fields.P, 1) + np.tensordot(square_rate, fields.Z, 1)
        R = run.body_rotation[i, 1]
        position = run.body_position[i, 1][:, None] * unit + R @ local
        spin = run.body_angular_velocity[i, 1]
        velocity = run.body_velocity[i, 1][:, None] * unit + np.cross(spin, R @ local, axis=0) + R @ local_rate
        linear.append(velocity @ unit)
        moments = position @ velocity.T
        angular.append([moments[1, 2] - moments[2, 1], moments[2, 0] - moments[0, 2], moments[0, 1] - moments[1, 0]])
    return np.array(linear), np.array(angular)


def swing(body, t_end=0.6, rtol=1e-8, **start):
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    part = system.add(body, name="rod", **start)
    system.spherical(system.ground.marker("pivot"), part["hinge"], angular_velocity=(0.5, 1.0, -1.0))
    return system.simulate(t_end, rtol=rtol, atol=1e-3 * rtol, stop_on_deformation=False)


def test_stiff_body_moves_like_a_rigid_one():
    errors = []
    for stiffness in (1e10, 1e12):
        mesh = line_mesh(0.5, 8, rectangle(0.02, 0.03), replace(STEEL, youngs_modulus=stiffness))
        modes = fm.ClampedFree(at="hinge", count=3)
        soft = swing(fm.reduce(mesh, interfaces={"hinge": "ROOT"}, modes=modes, trust_units=True))
        body = fm.RigidBody.from_mesh(mesh)
        system = fm.System(gravity=(0.0, -9.81, 0.0))
        part = system.add(body, name="rod")
        system.spherical(system.ground.marker("pivot"), part["origin"], angular_velocity=(0.5, 1.0, -1.0))
        rigid = system.simulate(0.6, rtol=1e-8, atol=1e-11)
        errors.append(np.abs(soft.rotation("rod")[-1] - rigid.rotation("rod")[-1]).max())
    # slopes by the weight: q L^3 / (6 E I) is 5e-3 rad for the softer one, and falls with the stiffness
    assert errors[0] < 1e-2
    assert errors[1] < 0.02 * errors[0]


def end_state(result):
    return np.concatenate([result.trajectory.q[-1], result.trajectory.v[-1]])


def pendulum():
    """Mass of 1 kg on 1 m, released horizontally."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    bob = system.add(fm.RigidBody.point(1.0, (0.0, -1.0, 0.0)), name="bob")
    system.revolute(system.ground.marker("pivot"), bob["origin"], angle=-np.pi / 2, name="hinge")
    return system


def test_fixed_steps_converge_with_order_five(monkeypatch):
    def never_shorten_a_step(*arguments):
        settings = make_settings(*arguments)
        values = {name: getattr(settings, name) for name in settings.fields}
        return type(settings)(**values | {"rtol": 1.0, "newton_tolerance": 1e-12})

    monkeypatch.setattr(dynamics, "make_settings", never_shorten_a_step)
    # angle of the pendulum: -2 asin(k sn(K - w t, k)), k = sin(45 deg)
    sn = ellipj(ellipk(0.5) - np.sqrt(9.81), 0.5)[0]
    exact = -2.0 * np.arcsin(np.sqrt(0.5) * sn)
    errors = []
    for steps in (10, 20, 40):
        result = pendulum().simulate(1.0, max_step=1.0 / steps, integrator=fm.Radau(max_order=5))
        assert result.stats["steps_rejected"] == 0 and len(result.t) < steps + 20  # the start values grow to max_step
        errors.append(abs(result["hinge.angle"][-1] - exact))
    for coarse, fine in zip(errors, errors[1:], strict=False):
        assert np.log2(coarse / fine) == pytest.approx(5.0, abs=0.2)


def test_error_falls_with_the_tolerance():
    system = spherical_chain(("clamped beam", "rigid"))
    exact = end_state(system.simulate(0.4, rtol=1e-10, atol=1e-12, stop_on_deformation=False))
    errors = []
    for rtol in (1e-3, 1e-5, 1e-7):
        errors.append(np.abs(end_state(system.simulate(0.4, rtol=rtol, atol=1e-2 * rtol, stop_on_deformation=False)) - exact).max())
    # proportional would be 1e-2 from one to the next; errors of opposite sign may meet and hide at a loose tolerance
    for coarse, fine in zip(errors, errors[1:], strict=False):
        assert fine < 0.3 * coarse
    assert errors[-1] < 1e-4


@pytest.mark.parametrize("chunk", [1e-9, 10.0])
def test_chunks_do_not_change_a_digit(chunk, monkeypatch, tmp_path):
    """Short chunks, long chunks, progress reports and storage leave the motion as it is, bit by bit."""
    plain = spherical_chain(("clamped beam", "rigid")).simulate(0.3)
    monkeypatch.setattr(run, "CHUNK_SECONDS", chunk)
    monkeypatch.setattr(run, "WRITE_SECONDS", 1e-3)
    seen = []
    result = spherical_chain(("clamped beam", "rigid")).simulate(0.3, progress=seen.append, out=tmp_path)
    assert seen[-1].time == 0.3
    for name in ("t", "q", "v", "a"):
        assert np.array_equal(getattr(plain.trajectory, name), getattr(result.trajectory, name))
        assert np.array_equal(getattr(plain.trajectory, name), getattr(fm.load(tmp_path).trajectory, name))


def bar(direction=(1.0, 0.0, 0.0), start=(0.0, 0.0, 0.0), y_axis=(0.0, 1.0, 0.0)):
    mesh = line_mesh(0.8, 8, rectangle(0.06, 0.1, y_axis), RUBBER, start=start, direction=direction)
    return fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="hinge", count=5))


def test_motion_does_not_depend_on_the_axes_of_the_mesh():
    """The same bar meshed elsewhere and turned by a rotation moves the same way in the world."""
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_rotvec([0.4, -0.7, 0.3]).as_matrix()
    plain, turned = bar(), bar(direction=turn[:, 0], y_axis=turn[:, 1], start=(3.0, -2.0, 1.0))
    tips = []
    for body, rotation in ((plain, None), (turned, turn)):
        system = fm.System(gravity=(0.0, -9.81, 0.0))
        part = system.add(body, name="bar")
        hinge = part.marker("turned hinge", on="hinge", rotation=rotation)
        joint = system.spherical(system.ground.marker("pivot"), hinge, angular_velocity=(0.5, 1.0, -1.0))
        assert joint.coordinates == ("rotation",)
        result = system.simulate(0.5, rtol=1e-9, atol=1e-11)
        tips.append([result[f"bar.tip.position.{axis}"][-1] for axis in "xyz"])
    assert np.abs(np.subtract(*tips)).max() < 1e-7  # 1e-9 a step, some hundred steps


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_keep_their_energy(seed):
    """Springs, contacts and all kinds of bodies together; contacts start open."""
    system = random_tree(seed)
    system.contacts.clear()
    result = system.simulate(0.2, rtol=1e-8, atol=1e-10)
    assert energy_change(result) < 1e-6  # 1e-8 a step, some hundred steps
