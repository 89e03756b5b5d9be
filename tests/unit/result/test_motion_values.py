"""Energies and gaps between steps follow from the motion."""

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

import flexmbs as fm

G, HEIGHT, RADIUS, MASS = 9.81, 1.0, 0.05, 2.0


@pytest.fixture(scope="module")
def bouncing():
    system = fm.System(gravity=(0.0, 0.0, -G))
    ball = system.add(fm.RigidBody.sphere(MASS / (4.0 / 3.0 * np.pi * RADIUS**3), RADIUS), name="ball")
    start = HEIGHT + RADIUS
    system.prismatic(system.ground["origin"], ball["origin"], axis="z", name="fall", displacement=start)
    floor = fm.Plane(system.ground["origin"], normal=(0, 0, 1))
    system.contact(fm.Sphere(ball["origin"], RADIUS), floor, law=fm.Rigid(restitution=0.5), name="floor")
    return system.simulate(1.2)


def test_between_two_hits_gap_and_energies_are_those_of_a_flight(bouncing):
    first = np.sqrt(2.0 * HEIGHT / G)
    speed = 0.5 * np.sqrt(2.0 * G * HEIGHT)  # after the first hit
    flight = 2.0 * speed / G
    steps = bouncing.t[(bouncing.t > first + 1e-6) & (bouncing.t < first + flight - 1e-6)]
    assert len(steps) < 4  # nearly nothing is stored of it
    times = np.linspace(first + 1e-4, first + flight - 1e-4, 50)
    found, since = bouncing.resampled(times), times - first
    assert found["floor.gap"] == pytest.approx(speed * since - 0.5 * G * since**2, abs=1e-6)
    assert found["energy.kinetic"] == pytest.approx(0.5 * MASS * (speed - G * since) ** 2, abs=1e-5)
    height = RADIUS + speed * since - 0.5 * G * since**2
    assert found["energy.gravity"] == pytest.approx(MASS * G * height, abs=1e-5)
    assert np.ptp(found["energy.total"]) < 1e-9


def test_energies_of_a_tumbling_body_and_of_a_flexible_one(meshes):
    """Half of the steps left out, and found again: the motion tells more than a curve through the others."""
    mesh = fm.read_mesh(meshes / "pendulum_beam.inp")
    bar = fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree("hinge", bending=(2, 0)))
    system = fm.System(gravity=(0.0, -G, 0.0))
    pendulum = system.add(bar, name="pendulum")
    system.revolute(system.ground["origin"], pendulum["hinge"], axis="z", name="hinge")
    tip = system.add(fm.RigidBody.box(7800.0, (0.1, 0.02, 0.04)), name="tip")
    system.spherical(pendulum["tip"], tip["origin"], name="ball")
    whole = system.simulate(0.3, rtol=1e-8)
    run = whole.trajectory
    kept = np.arange(0, len(run.t), 2)
    part = fm.Result(whole.structure, run.replaced(**{name: array[kept] for name, array in run.arrays().items()}))
    left_out = np.setdiff1d(np.arange(kept[-1]), kept)
    found = part.resampled(run.t[left_out])
    for name, part in {"energy.kinetic": 0.2, "energy.gravity": 0.2, "energy.elastic": 0.01}.items():
        exact = whole[name][left_out]
        curve = PchipInterpolator(run.t[kept], whole[name][kept])(run.t[left_out])
        assert np.abs(found[name] - exact).max() < part * np.abs(curve - exact).max(), name


def test_what_the_motion_does_not_explain_is_interpolated_by_itself(bouncing):
    """A gap that has nothing to do with the markers of its contact."""
    run = bouncing.trajectory
    strange = run.replaced(contact_gap=np.sin(3.0 * run.t)[:, None] + 2.0)
    middle = 0.5 * (run.t[:-1] + run.t[1:])[np.diff(run.t) > 1e-4]
    found = fm.Result(bouncing.structure, strange).resampled(middle)["floor.gap"]
    after = np.minimum(np.searchsorted(run.t, middle), len(run.t) - 1)
    ends = np.sort(np.stack([strange.contact_gap[after - 1, 0], strange.contact_gap[after, 0]]), axis=0)
    assert np.all(found >= ends[0] - 1e-12) and np.all(found <= ends[1] + 1e-12)  # no overshoot
