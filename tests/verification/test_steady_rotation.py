"""Small motions about steady rotation: closed forms, and refusal where the equations are periodic."""

from itertools import pairwise

import numpy as np
import pytest
from eigenvalues import furthest, quadratic

import flexmbs as fm

SMALL = fm.RigidBody(1e-9, 1e-9 * np.ones(3))  # carries joints
GRAVITY = 9.81
# S. J. Hammond's four blades in SI units: hub mass (kg), stiffness (N/m), damping (N s/m), and of a blade mass, static
# moment and inertia about its hinge (kg, kg m, kg m2), hinge (m), lag damper (N m s/rad)
HAMMOND = dict(
    blades=4, hub=8026.64665, k=1240481.7454, c=51078.6601, mass=94.8603695, S=289.13440624, I=1084.6543628, e=0.3048, lag=0.0,
    damper=4067.45382,
)  # fmt: skip
LIGHT = dict(blades=3, hub=40.0, k=4e3, c=0.0, mass=2.0, S=1.6, I=1.28, e=0.2, lag=3.0, damper=0.0)


def bladed_rotor(p, speed, turning=True, broken=0):
    """A hub on springs in x and y with lagging blades; ``turning``: x and y turn with it. The first dampers may be broken."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    ground = system.ground["origin"]
    cross, spin = system.add(SMALL, name="cross"), system.add(SMALL, name="spin")
    hub = system.add(fm.RigidBody(p["hub"], (1.0, 1.0, 1.0)), name="hub")
    system.prismatic(spin["origin"] if turning else ground, cross["origin"], axis="x", name="x")
    system.prismatic(cross["origin"], hub["origin"], axis="y", name="y")
    drive = system.revolute(ground if turning else hub["origin"], spin["origin"], name="drive")
    drive.prescribe(fm.Polynomial([0.0, speed]))
    system.bushing(ground, hub["origin"], (p["k"], p["k"], 0, 0, 0, 0), (p["c"], p["c"], 0, 0, 0, 0))
    arm = p["S"] / p["mass"]
    own = p["I"] - p["mass"] * arm**2
    for k in range(p["blades"]):
        angle = 2.0 * np.pi * k / p["blades"]
        blade = system.add(fm.RigidBody(p["mass"], (1e-9, own + 1e-9, own + 1e-9), (arm, 0.0, 0.0)), name=f"blade {k}")
        place = (p["e"] * np.cos(angle), p["e"] * np.sin(angle), 0.0)
        hinge = (hub if turning else spin).marker(f"hinge {k}", place, fm.rotation((0.0, 0.0, angle)))
        damper = 0.0 if k < broken else p["damper"]
        system.revolute(hinge, blade["origin"], name=f"lag {k}").spring(p["lag"], damping=damper)
    return system


def coleman(p, speed):
    """Eigenvalues in the turning frame, by multiblade coordinates: hub x + iy, 2/N sum lag e^(i azimuth); other lag motions."""
    n, S, inertia, k = p["blades"], p["S"], p["I"], p["lag"] + p["S"] * p["e"] * speed**2
    M = np.array([[p["hub"] + n * p["mass"], 0.5j * n * S], [-1j * S, inertia]])
    D = np.array([[p["c"], 0.0], [0.0, p["damper"] - 2j * speed * inertia]])
    K = np.array([[p["k"], 0.0], [0.0, k - inertia * speed**2 - 1j * speed * p["damper"]]])
    whirl = quadratic(M, D, K) - 1j * speed
    return np.concatenate([whirl, whirl.conj(), *[np.roots([inertia, p["damper"], k])] * (n - 2)])


@pytest.mark.parametrize(("p", "speed"), [(LIGHT, 12.0), (LIGHT, 19.3), (HAMMOND, 15.7), (HAMMOND, 26.2)])
def test_ground_resonance_in_the_turning_frame(p, speed):
    found = bladed_rotor(p, speed).linearize().eigenvalues
    exact = coleman(p, speed)
    assert furthest(np.concatenate([found, found.conj()]), exact) < 1e-6 * np.abs(exact).max()
    assert found.real.max() == pytest.approx(exact.real.max(), rel=1e-6, abs=1e-6)


def test_one_damper_out_is_unstable_between_two_speeds():
    """Hammond's rotor on an isotropic hub: Floquet exponents change sign at 156.942 and 200.734 rpm (integrated at 1e-11)."""
    for rpm, sign in ((156.941, -1), (156.943, 1), (200.733, 1), (200.735, -1)):
        growth = bladed_rotor(HAMMOND, rpm * np.pi / 30.0, broken=1).linearize().eigenvalues.real.max()
        assert np.sign(growth) == sign


@pytest.mark.parametrize("speed", [12.0, 19.3])
def test_blades_on_a_support_that_does_not_turn_are_refused_by_name(speed):
    system = bladed_rotor(LIGHT, speed, turning=False)
    with pytest.raises(fm.SimulationError, match=r"periodic.*\['[xy]\.displacement', 'lag .*'drive\.angle' .*turning frame"):
        system.linearize()


def tilting_rotor(Ix, Iy, Iz, speed, stiffness, turning):
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    one, two = system.add(SMALL, name="one"), system.add(SMALL, name="two")
    rotor = system.add(fm.RigidBody(1.0, (Ix, Iy, Iz)), name="rotor")
    for axis, (a, b) in zip("zxy" if turning else "xyz", pairwise([system.ground, one, two, rotor]), strict=True):
        joint = system.revolute(a["origin"], b["origin"], axis=axis, name=axis)
        if axis == "z":
            joint.prescribe(rate=speed)
        else:
            joint.spring(stiffness["xy".index(axis)])
    return system


@pytest.mark.parametrize("stiffness", [(100.0, 100.0), (100.0, 150.0)])
def test_symmetric_rotor_on_a_support_that_does_not_turn(stiffness):
    across, Iz, speed = 1.0, 2.0, 20.0
    found = tilting_rotor(across, across, Iz, speed, stiffness, False).linearize().eigenvalues
    exact = quadratic(across * np.eye(2), Iz * speed * np.array([[0.0, 1.0], [-1.0, 0.0]]), np.diag(stiffness))
    assert furthest(np.concatenate([found, found.conj()]), exact) < 1e-6


def test_rotor_out_of_round_is_refused_but_in_the_turning_frame():
    Ix, Iy, Iz, speed, k = 1.0, 1.6, 2.0, 20.0, 100.0
    with pytest.raises(fm.SimulationError, match=r"periodic.*'x\.angle'.*'z\.angle' \(20 rad/s\)"):
        tilting_rotor(Ix, Iy, Iz, speed, (k, k), False).linearize()
    found = tilting_rotor(Ix, Iy, Iz, speed, (k, k), True).linearize().eigenvalues
    D = (Ix + Iy - Iz) * speed * np.array([[0.0, -1.0], [1.0, 0.0]])
    exact = quadratic(np.diag([Ix, Iy]), D, np.diag([k + (Iz - Iy) * speed**2, k + (Iz - Ix) * speed**2]))
    assert furthest(np.concatenate([found, found.conj()]), exact) < 1e-6


def test_unbalance_does_not_change_the_equations():
    system = fm.System()
    cross, rotor = system.add(SMALL, name="cross"), system.add(fm.RigidBody(2.0, (1.0, 1.0, 1.0), (0.01, 0.0, 0.0)), name="rotor")
    hub = system.add(SMALL, name="hub")
    system.prismatic(system.ground["origin"], cross["origin"], axis="x", name="x").spring(200.0)
    system.prismatic(cross["origin"], hub["origin"], axis="y", name="y").spring(800.0)
    system.revolute(hub["origin"], rotor["origin"], name="spin").prescribe(fm.Polynomial([0.0, 30.0]))
    assert system.linearize().eigenvalues.imag == pytest.approx([10.0, 20.0], rel=1e-7)


def hub_with_rod(gravity, bearing, speed=5.0, angle=0.1):
    """A rod hinged at 0.4 m to a hub that turns at 5 rad/s, perhaps in a second bearing that closes a loop."""
    system = fm.System(gravity=gravity)
    hub, rod = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="hub"), system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], hub["origin"], name="spin").prescribe(fm.Polynomial([0.0, speed]))
    system.revolute(hub.marker("rim", (0.4, 0.0, 0.0)), rod["origin"], angle=angle, name="hinge")
    if bearing:
        a, b = (body.marker("top", (0.0, 0.0, 1.0)) for body in (system.ground, hub))
        system.joint(bearing, a, b, name="bearing", cut=True)
    return system


@pytest.mark.parametrize("bearing", ["cylindrical", "revolute"])
def test_second_bearing_of_a_driven_hub(bearing):
    found = hub_with_rod((0.0, 0.0, -GRAVITY), bearing).linearize().eigenvalues
    assert found.imag == pytest.approx([5.0 * np.sqrt(1.5 * 0.4)], rel=1e-7)


@pytest.mark.parametrize("coordinates", ["reduced", "absolute"])
def test_hub_that_a_gear_turns(coordinates):
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates=coordinates)
    shaft, hub = (system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name=name) for name in ("shaft", "hub"))
    rod = system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    drive = system.revolute(system.ground["origin"], shaft["origin"], name="drive")
    drive.prescribe(rate=5.0)
    follower = system.revolute(system.ground.marker("beside", (2.0, 0.0, 0.0)), hub["origin"], name="follower")
    system.gear(drive, follower, ratio=-2.0)
    system.revolute(hub.marker("rim", (0.4, 0.0, 0.0)), rod["origin"], angle=0.1, name="hinge")
    modes = system.linearize()
    assert modes.eigenvalues.imag == pytest.approx([10.0 * np.sqrt(1.5 * 0.4)], rel=1e-7)
    assert modes.turning == pytest.approx({"drive.angle": 5.0, "follower.angle": -10.0})


def test_hub_that_a_constraint_turns_is_linearised_in_reduced_coordinates():
    system = fm.System(gravity=(0.0, 0.0, 0.0), coordinates="absolute")
    hub, rod = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="hub"), system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    spin = system.revolute(system.ground["origin"], hub["origin"], rate=5.0, name="spin")
    system.revolute(hub.marker("rim", (0.4, 0.0, 0.0)), rod["origin"], name="hinge")
    with pytest.warns(fm.MechanismWarning, match=r"joint 'spin': prescribe\(rate=5, coordinate='angle'\)"):
        system.linearize()
    system.couple((spin, 1.0), value=fm.Polynomial([0.0, 5.0]))
    modes = system.linearize()
    assert modes.eigenvalues.imag == pytest.approx([5.0 * np.sqrt(1.5 * 0.4)], rel=1e-7)
    assert modes.turning == pytest.approx({"spin.angle": 5.0})


def test_hub_whose_acceleration_is_prescribed_keeps_its_start_rate():
    def hub(acceleration):
        system = fm.System(gravity=(0.0, 0.0, 0.0))
        hub, rod = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="hub"), system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
        spin = system.revolute(system.ground["origin"], hub["origin"], rate=5.0, name="spin")
        spin.prescribe(acceleration=acceleration)
        system.revolute(hub.marker("rim", (0.4, 0.0, 0.0)), rod["origin"], angle=0.1, name="hinge")
        return system

    assert hub(0.0).linearize().eigenvalues.imag == pytest.approx([5.0 * np.sqrt(1.5 * 0.4)], rel=1e-7)
    with pytest.raises(fm.SimulationError, match=r"the driver of 'spin\.angle' accelerates by 1 "):
        hub(1.0).linearize()


def test_slow_rotation_beside_a_fast_one_counts():
    system = hub_with_rod((0.0, -GRAVITY, 0.0), None, speed=1e-4, angle=-0.5 * np.pi)
    fast = system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="fast")
    system.revolute(system.ground["origin"], fast["origin"], name="beside").prescribe(rate=300.0)
    with pytest.raises(fm.SimulationError, match=r"periodic.*'spin\.angle' \(0\.0001 rad/s\)"):
        system.linearize()


def test_governor():
    """Watt's: arms and links of length L, balls m, sleeve M; cos(angle) = (m + M) g / (m speed^2 L)."""
    m, M, L, speed = 1.0, 2.0, 0.5, 8.0
    system = fm.System(gravity=(0.0, 0.0, -GRAVITY))
    shaft, sleeve = system.add(SMALL, name="shaft"), system.add(fm.RigidBody(M, (1.0, 1.0, 1.0)), name="sleeve")
    system.revolute(system.ground["origin"], shaft["origin"], name="spin").prescribe(rate=speed)
    start = 0.7
    system.prismatic(shaft["origin"], sleeve["origin"], axis="z", displacement=-2.0 * L * np.cos(start), name="slide")
    for k, side in enumerate((1.0, -1.0)):
        arm = system.add(fm.RigidBody(m, 1e-9 * np.ones(3), (0.0, 0.0, -L)), name=f"arm {k}")
        link = system.add(SMALL, name=f"link {k}")
        ends = (body.marker("end", (0.0, 0.0, -L)) for body in (arm, link))
        system.revolute(shaft["origin"], arm["origin"], axis="y", angle=-side * start, name=f"top {k}")
        system.revolute(next(ends), link["origin"], axis="y", angle=2.0 * side * start, name=f"ball {k}")
        system.revolute(next(ends), sleeve["origin"], axis="y", name=f"bottom {k}", cut=True)
    cosine = (m + M) * GRAVITY / (m * speed**2 * L)
    stiffness = 2.0 * m * speed**2 * L**2 * (1.0 - cosine**2)
    inertia = 2.0 * m * L**2 + 4.0 * M * L**2 * (1.0 - cosine**2)
    assert system.linearize().eigenvalues.imag == pytest.approx([np.sqrt(stiffness / inertia)], rel=1e-6)


@pytest.mark.parametrize("speed", [-7.0, -0.01])
def test_the_slower_of_two_rotors_is_out_of_round(speed):
    def carriage(Iy):
        system = fm.System(gravity=(0.0, 0.0, 0.0))
        one, two = system.add(SMALL, name="one"), system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), name="two")
        system.revolute(system.ground["origin"], one["origin"], axis="x", name="x").spring(100.0)
        system.revolute(one["origin"], two["origin"], axis="y", name="y").spring(150.0)
        for name, inertia, rate in (("fast", (1.0, 1.0, 2.0), 20.0), ("slow", (1.0, Iy, 1.5), speed)):
            rotor = system.add(fm.RigidBody(1.0, inertia), name=f"{name} rotor")
            system.revolute(two["origin"], rotor["origin"], name=name).prescribe(rate=rate)
        return system

    found = carriage(1.0).linearize().eigenvalues
    spin = 2.0 * 20.0 + 1.5 * speed
    exact = quadratic(3.0 * np.eye(2), spin * np.array([[0.0, 1.0], [-1.0, 0.0]]), np.diag([100.0, 150.0]))
    assert furthest(np.concatenate([found, found.conj()]), exact) < 1e-6
    with pytest.raises(fm.SimulationError, match=r"periodic.*'fast\.angle' \(20 rad/s\), 'slow\.angle'"):
        carriage(1.3).linearize()


def test_gravity_in_the_plane_of_rotation_is_refused():
    with pytest.raises(fm.SimulationError, match=r"periodic.*K\['hinge\.angle', 'hinge\.angle'\]"):
        hub_with_rod((0.0, -GRAVITY, 0.0), None).linearize()


def flexible_rotor(speed, turning):
    """Example 5.9.1 of M. I. Friswell and others, Dynamics of Rotating Machines (2010): shaft along x, two discs."""
    steel = fm.Material("steel", 211e9, 211.0 / 162.4 - 1.0, 7810.0)
    mesh = fm.line_mesh(1.5, 24, fm.circle(0.025), steel)
    mesh.node_sets.update(first=np.array([8]), second=np.array([16]))
    ends = {"left": "ROOT", "right": "TIP", "first": "first", "second": "second"}
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    shaft = system.add(fm.reduce(mesh, interfaces=ends, modes=fm.CraigBampton(at="left", count=8)), name="shaft")
    carrier = system.add(SMALL, name="carrier")
    joints = [("revolute", dict(axis="x")), ("free", {})][:: 1 if turning else -1]
    places = [system.ground["origin"], carrier["origin"], shaft["left"]]
    for (kind, geometry), (a, b) in zip(joints, pairwise(places), strict=True):
        joint = system.joint(kind, a, b, name=kind, **geometry)
        if kind == "revolute":
            joint.prescribe(fm.Polynomial([0.0, speed]))
    for name, mass, across, polar in (
        ("first", 32.58972765, 0.1780892826, 0.3295636209),
        ("second", 51.52526111, 0.4235805841, 0.8050822049),
    ):
        disc = system.add(fm.RigidBody(mass, (polar, across, across)), name=f"{name} disc")
        system.fixed(shaft[name], disc["origin"])
    for name, at in (("left", 0.0), ("right", 1.5)):
        system.bushing(system.ground.marker(name, (at, 0.0, 0.0)), shaft[name], (0.0, 1e6, 1e6, 0.0, 0.0, 0.0))
    return system


@pytest.mark.filterwarnings("ignore::flexmbs.BasisWarning")
def test_flexible_rotor_at_4000_rpm():
    speed = 4000.0 * np.pi / 30.0
    found = flexible_rotor(speed, turning=True).linearize().eigenvalues.imag
    # in the stationary frame, the book's digits
    for stationary, sense in ((85.39, -1), (87.80, 1), (251.78, -1), (294.71, 1)):
        assert np.abs(found - abs(stationary - sense * speed)).min() < 0.006
    with pytest.raises(fm.SimulationError, match=r"periodic.*'revolute\.angle'"):
        flexible_rotor(speed, turning=False).linearize()
