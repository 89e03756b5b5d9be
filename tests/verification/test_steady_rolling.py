"""Small motions about steady rolling with a driven wheel: a disc, and the benchmark bicycle."""

import warnings

import numpy as np
import pytest
from eigenvalues import furthest, quadratic

import flexmbs as fm

SMALL = fm.RigidBody(1e-9, 1e-9 * np.ones(3))  # carries joints
GRAVITY = 9.81


def rolling_disc(speed, carried, lean=0.0, radius=0.25, mass=2.0):
    """A thin disc that rolls along x; ``carried``: on an axle that is driven, otherwise free."""
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    disc = system.add(fm.RigidBody(mass, mass * radius**2 * np.array([0.25, 0.5, 0.25])), name="disc")
    at = (0.0, 0.0, radius * np.cos(lean))
    if carried:
        fork = system.add(SMALL, name="fork")
        system.free(system.ground["origin"], fork["origin"], position=at, name="ride")
        system.revolute(fork["origin"], disc["origin"], axis="y", name="axle").prescribe(rate=speed)
    else:
        moving = dict(velocity=(radius * speed, 0.0, 0.0), angular_velocity=(0.0, speed, 0.0))
        turned = fm.rotation((lean, 0.0, 0.0))
        system.free(system.ground["origin"], disc["origin"], position=at, rotation=turned, name="ride", **moving)
    system.rolling_disc(disc["origin"], system.ground["origin"], radius, axle="y", name="roll")
    return system


@pytest.mark.parametrize("speed", [2.0, 8.0, 20.0])
def test_rolling_disc(speed):
    """Lean: 5/4 lambda^2 = g / r - 3 speed^2 (J. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, 1972)."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rolling_disc(speed, carried=True).linearize().eigenvalues
    exact = np.sqrt((GRAVITY / 0.25 - 3.0 * speed**2) / 1.25 + 0j)
    assert np.abs(found - exact).min() < 1e-7 * abs(exact)
    assert np.sort(np.abs(found))[-2 if speed > 4.0 else -3] < 1e-6  # all others: places, heading, speed


@pytest.mark.parametrize("lean", [0.0, 1e-5])
def test_free_rolling_disc_is_warned_of_and_no_driver_is_asked_for_that_cannot_be(lean):
    with pytest.warns(fm.MechanismWarning, match=r"'ride\.rotation\.y' moves steadily at 8 .* revolute joint on a body of small"):
        rolling_disc(8.0, carried=False, lean=lean).linearize()
    system = rolling_disc(8.0, carried=False)
    system.joints["ride"].prescribe(rate=2.0, coordinate="x")
    with pytest.raises(fm.SimulationError, match=r"free rotation 'ride\.rotation' turns at 8 rad/s; .*revolute joint"):
        system.linearize()
    with pytest.raises(fm.MechanismError, match=r"\['x', 'y', 'z'\], got 'rotation'; its rotations have no single angle"):
        system.joints["ride"].prescribe(rate=2.0, coordinate="rotation")


# Benchmark bicycle of J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007): x forward,
# z down; wheel base, trail (m), tilt (rad); of rear wheel, rear frame, fork and front wheel: mass, centre, Ixx, Iyy, Izz, Ixz
BASE, TRAIL, TILT = 1.02, 0.08, np.pi / 10.0
REAR, FRONT = 0.3, 0.35  # radii
PARTS = {
    "R": (2.0, (0.0, -REAR), (0.0603, 0.12, 0.0603, 0.0)),
    "B": (85.0, (0.3, -0.9), (9.2, 11.0, 2.8, 2.4)),
    "H": (4.0, (0.9, -0.7), (0.05892, 0.06, 0.00708, -0.00756)),
    "F": (3.0, (BASE, -FRONT), (0.1405, 0.28, 0.1405, 0.0)),
}


def bicycle(speed, driven):
    system = fm.System(gravity=(0.0, 0.0, GRAVITY))
    axis = np.array([np.sin(TILT), 0.0, np.cos(TILT)])
    head = np.array([BASE + TRAIL, 0.0, 0.0]) - axis

    def body(name, origin):
        mass, (x, z), (Ixx, Iyy, Izz, Ixz) = PARTS[name]
        inertia = np.array([[Ixx, 0.0, Ixz], [0.0, Iyy, 0.0], [Ixz, 0.0, Izz]])
        return system.add(fm.RigidBody(mass, inertia, np.array([x, 0.0, z]) - origin), name=name)

    hubs = np.array([0.0, 0.0, -REAR]), np.array([BASE, 0.0, -FRONT])
    frame, fork = body("B", np.zeros(3)), body("H", head)
    system.free(system.ground["origin"], frame["origin"], velocity=(speed, 0.0, 0.0), name="ride")
    system.revolute(frame.marker("head", head), fork["origin"], axis=axis, name="steer")
    holders = frame.marker("hub", hubs[0]), fork.marker("hub", hubs[1] - head)
    for name, radius, hub, holder in zip("RF", (REAR, FRONT), hubs, holders, strict=True):
        wheel = body(name, hub)
        axle = system.revolute(holder, wheel["origin"], axis="y", rate=-speed / radius, name=f"axle {name}")
        if name == "R" and driven:
            axle.prescribe(rate=-speed / radius)
        system.rolling_disc(
            wheel["origin"], system.ground["origin"], radius, axle="y", normal=(0.0, 0.0, -1.0), name=f"roll {name}"
        )
    return system


def whipple(v):
    """Lean and steer eigenvalues, by appendix A of the publication."""
    m, place, inertia = (np.array([PARTS[name][k] for name in "RBHF"]) for k in range(3))
    x, z = place.T
    Ixx, Iyy, Izz, Ixz = inertia.T
    front = slice(2, 4)
    mA = m[front].sum()
    xA, zA = m[front] @ x[front] / mA, m[front] @ z[front] / mA
    mx, mz = m @ x, m @ z
    Txx, Txz, Tzz = (Ixx + m * z**2).sum(), (Ixz - m * x * z).sum(), (Izz + m * x**2).sum()
    dx, dz, mf = x[front] - xA, z[front] - zA, m[front]
    Axx, Axz, Azz = (Ixx[front] + mf * dz**2).sum(), (Ixz[front] - mf * dx * dz).sum(), (Izz[front] + mf * dx**2).sum()
    s, c = np.sin(TILT), np.cos(TILT)
    u, mu = (xA - BASE - TRAIL) * c - zA * s, TRAIL / BASE * c
    All = mA * u**2 + Axx * s**2 + 2.0 * Axz * s * c + Azz * c**2
    Alx, Alz = -mA * u * zA + Axx * s + Axz * c, mA * u * xA + Axz * s + Azz * c
    SF = Iyy[3] / FRONT
    ST, SA = Iyy[0] / REAR + SF, mA * u + mu * mx
    M = np.array([[Txx, Alx + mu * Txz], [Alx + mu * Txz, All + 2.0 * mu * Alz + mu**2 * Tzz]])
    gravity = np.array([[mz, -SA], [-SA, -SA * s]])
    speed = c / BASE * np.array([[0.0, ST - mz], [0.0, SA + SF * s]])
    C = np.array(
        [[0.0, mu * ST + SF * c + Txz / BASE * c - mu * mz], [-(mu * ST + SF * c), Alz / BASE * c + mu * (SA + Tzz / BASE * c)]]
    )
    return quadratic(M, v * C, GRAVITY * gravity + v**2 * speed)


@pytest.mark.parametrize("speed", [1.0, 4.0, 5.0, 8.0])
def test_bicycle_at_speed(speed):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = bicycle(speed, driven=True).linearize().eigenvalues
    assert furthest(np.concatenate([found, found.conj()]), whipple(speed)) < 1e-9
    others = np.sort(np.abs(found))[: -np.count_nonzero(whipple(speed).imag >= 0.0)]
    assert others.max() < 1e-5  # place, heading, angles of the wheels


def test_bicycle_that_coasts_is_asked_for_a_driver_that_can_be():
    system = bicycle(5.0, driven=False)
    with pytest.warns(fm.MechanismWarning, match=r"joint 'axle R': prescribe\(rate=-16.6667, coordinate='angle'\)"):
        system.linearize()
    system.joints["axle R"].prescribe(rate=-5.0 / REAR, coordinate="angle")
    found = system.linearize().eigenvalues
    assert furthest(np.concatenate([found, found.conj()]), whipple(5.0)) < 1e-9


def test_published_eigenvalues_of_the_bicycle():
    exact = whipple(5.0)
    assert furthest(exact, [-14.07838969279824, -0.32286642900408613, -0.7753418821958424 + 4.46486771378823j]) < 1e-12


TRAILING, SPEED, CASTOR_RADIUS = 0.3, 2.0, 0.1


def castor(stiffness):
    """A trailing wheel on a carriage that is driven along x, perhaps with a spring across."""
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    parts = {"carriage": (1.0, 1.0), "across": (2.0, 1.0), "swivel": (1.0, 0.2)}
    carriage, across, swivel = (system.add(fm.RigidBody(m, J * np.ones(3)), name=name) for name, (m, J) in parts.items())
    wheel = system.add(fm.RigidBody(1.0, (0.01, 0.02, 0.01)), name="wheel")
    start = system.ground.marker("start", (0.0, 0.0, CASTOR_RADIUS))
    system.prismatic(start, carriage["origin"], axis="x", name="drive").prescribe(rate=SPEED)
    if stiffness:
        system.prismatic(carriage["origin"], across["origin"], axis="y", name="y").spring(stiffness)
    else:
        system.fixed(carriage["origin"], across["origin"])
    system.revolute(across["origin"], swivel["origin"], name="heading")
    system.revolute(swivel.marker("hub", (-TRAILING, 0.0, 0.0)), wheel["origin"], axis="y", name="axle")
    system.rolling_disc(wheel["origin"], system.ground["origin"], CASTOR_RADIUS, axle="y", name="roll")
    return system


def test_castor_without_a_free_rate():
    """The constraint alone leads the wheel: trailing heading' = -speed heading; the angle of the wheel is free."""
    assert castor(0.0).linearize().eigenvalues == pytest.approx([-SPEED / TRAILING, 0.0], rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("speed", [0.0, 2.0])
def test_cart_that_two_driven_wheels_lead_has_nothing_to_vibrate(speed):
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    carriage = system.add(SMALL, name="carriage")
    start = system.ground.marker("start", (0.0, 0.0, CASTOR_RADIUS))
    system.planar(start, carriage["origin"], name="ride")
    for name, side in (("left", 0.5), ("right", -0.5)):
        wheel = system.add(fm.RigidBody(1.0, (0.01, 0.02, 0.01)), name=name)
        axle = system.revolute(carriage.marker(name, (0.0, side, 0.0)), wheel["origin"], axis="y", name=f"{name} axle")
        axle.prescribe(rate=speed / CASTOR_RADIUS)
        system.rolling_disc(wheel["origin"], system.ground["origin"], CASTOR_RADIUS, axle="y", name=f"{name} roll")
    with pytest.raises(fm.SimulationError, match="no degree of freedom to vibrate"):
        system.linearize()


@pytest.mark.parametrize("speed", [0.0, 20.0, -3.0])
def test_towed_wheel_turns_and_its_suspension_does_not_stretch(speed):
    """(M + m + J / r^2) x'' + k x = 0, at any speed."""
    mass, inertia, k = 10.0, 0.2, 4e3
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    carriage, frame = (system.add(fm.RigidBody(mass, np.ones(3)), name=name) for name in ("carriage", "frame"))
    wheel = system.add(fm.RigidBody(mass, (0.5 * inertia, inertia, 0.5 * inertia)), name="wheel")
    start = system.ground.marker("start", (0.0, 0.0, CASTOR_RADIUS))
    system.prismatic(start, carriage["origin"], axis="x", name="drive").prescribe(rate=speed)
    system.prismatic(carriage["origin"], frame["origin"], axis="x", name="guide").spring(k)
    system.revolute(frame["origin"], wheel["origin"], axis="y", name="axle")
    system.rolling_disc(wheel["origin"], system.ground["origin"], CASTOR_RADIUS, axle="y", name="roll")
    modes = system.linearize()
    exact = np.sqrt(k / (2.0 * mass + inertia / CASTOR_RADIUS**2))
    assert modes.eigenvalues.imag.max() == pytest.approx(exact, rel=1e-7)
    assert modes.turning == pytest.approx({"axle.angle": speed / CASTOR_RADIUS} if speed else {})


def test_shimmy():
    """With force F across: 4 y'' - L heading'' + k y = F, (J + L^2) heading'' - L y'' = -L F, y' = L heading' + V heading."""
    k, L, J = 500.0, TRAILING, 0.21
    y, heading = np.poly1d([L, SPEED]), np.poly1d([1.0, 0.0])  # of s, both times s
    force = np.poly1d([4.0, 0.0, k]) * y - L * np.poly1d([1.0, 0.0, 0.0]) * heading
    balance = np.poly1d([J + L**2, 0.0, 0.0]) * heading - L * np.poly1d([1.0, 0.0, 0.0]) * y + L * force
    found = castor(k).linearize().eigenvalues
    assert furthest(np.concatenate([found, found.conj()]), np.roots(balance)) < 1e-6


@pytest.mark.parametrize("stacked", [True, False])
@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_cart_on_two_wheels_of_which_one_is_driven(coordinates, stacked):
    """It runs straight on; yaw settles if the mass is ahead of the axle by ``ahead``."""
    m, inertia, ahead, half, r, speed = 10.0, 1.0, 0.2, 0.5, 0.3, 3.0
    wheel = fm.RigidBody(1.0, (0.02, 0.04, 0.02))
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY), coordinates=coordinates)
    frame = system.add(fm.RigidBody(m, inertia * np.ones(3), (ahead, 0.0, 0.0)), name="frame")
    start = system.ground.marker("start", (0.0, 0.0, r))
    if stacked:
        along, across = system.add(SMALL, name="along"), system.add(SMALL, name="across")
        system.prismatic(start, along["origin"], axis="x", name="x")
        system.prismatic(along["origin"], across["origin"], axis="y", name="y")
        system.revolute(across["origin"], frame["origin"], name="heading")
    else:
        system.planar(start, frame["origin"], name="ride")
    for name, side in (("left", half), ("right", -half)):
        body = system.add(wheel, name=name)
        axle = system.revolute(frame.marker(name, (0.0, side, 0.0)), body["origin"], axis="y", name=f"{name} axle")
        system.rolling_disc(body["origin"], system.ground["origin"], r, axle="y", name=f"{name} roll")
        if name == "left":
            axle.prescribe(rate=speed / r)
    found = system.linearize().eigenvalues
    yaw = inertia + m * (half**2 + ahead**2) + 2.0 * 0.02 + (1.0 + 0.04 / r**2) * (2.0 * half) ** 2
    assert np.abs(found + m * ahead * speed / yaw).min() < 1e-7
    assert np.sort(np.abs(found))[-2] < 1e-6  # place, heading, angles of the wheels
