"""Joints with clearance against closed forms and geometry.

The references by separate programs are in test_clearance_references.py.
"""

import numpy as np
import pytest
from scipy.optimize import brentq

import flexmbs as fm

GRAVITY = 9.81
PLAY = 5e-4  # m
STIFF = fm.Hertz(2e9)
PENDULUM = fm.RigidBody(1.2, (0.025, 0.01, 0.03), center=(0.05, -0.25, 0.02))


def hung(kind, clearance, body=PENDULUM, **start):
    """A body on a joint "hinge" with clearance, gravity along -y."""
    system = fm.System(gravity=(0.0, -GRAVITY, 0.0))
    part = system.add(body, name="body")
    getattr(system, kind)(system.ground.marker("bore"), part["origin"], name="hinge", clearance=clearance, **start)
    return system


def gained(result):
    """Change of the energy over a run, J."""
    return result["energy.total"][-1] - result["energy.total"][0]


def test_ball_in_socket_moves_as_the_journal_in_its_bore():
    """In the plane they are the same; first three contacts of the reference journal_clearance_pendulum (c0.5mm)."""
    body = fm.RigidBody(1.2, (0.025,) * 3, center=(0.0, -0.25, 0.0))
    play = fm.Clearance(radial=PLAY, law=fm.LankaraniNikravesh(2e9, 0.9))
    system = hung("spherical", play, body, rotation=[0.0, 0.0, np.pi / 3.0])
    result = system.simulate(0.0247, rtol=1e-9, atol=1e-14, progress=False)
    starts, peaks = zip(*((contact.start, contact.peak_force) for contact in result.contacts), strict=True)
    # the reference is good for 6e-11
    assert starts == pytest.approx((0.010096375546923055, 0.016577395358352193, 0.0239150521052554), rel=1e-9)
    assert peaks == pytest.approx((202.01976687649824, 226.20378696350008, 173.84350756327302), rel=1e-8)
    assert result["hinge.eccentricity"].max() == pytest.approx(PLAY + 2.3260226192672656e-05, rel=1e-6)


@pytest.mark.parametrize(
    ("kind", "clearance", "start"),
    [
        ("spherical", fm.Clearance(radial=PLAY, law=STIFF), {"angular_velocity": (1.0, 2.0, 3.0)}),
        ("revolute", fm.Clearance(radial=PLAY, axial=3e-4, law=STIFF, length=0.03, radius=0.01, tilting=True), {"angle": 0.4}),
        ("cylindrical", fm.Clearance(radial=PLAY, law=STIFF, length=0.03, radius=0.01, tilting=True), {"angle": 0.4}),
        ("prismatic", fm.Clearance(radial=PLAY, law=STIFF, length=0.1, section=(0.04, 0.03)), {"rate": 2.0}),
    ],
)
def test_elastic_contact_in_space_keeps_the_energy(kind, clearance, start):
    """Normals and rates that did not belong to their gaps would lose or gain some at every contact."""
    result = hung(kind, clearance, **start).simulate(0.05, rtol=1e-8, atol=1e-12, progress=False)
    assert sum(np.isfinite(contact.end) for contact in result.contacts) >= 4
    assert gained(result) == pytest.approx(0.0, abs=1e-8)  # of about 0.1 J that move


def test_slider_between_rails():
    """It hits flat with both corners of a side: half a period of two springs, at equal intervals."""
    mass, speed, stiffness = 0.5, 0.3, 1e6
    play = fm.Clearance(radial=1e-3, law=fm.LinearContact(stiffness), length=0.1, section=0.04, normal="z", velocity=(speed,))
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    slider = system.add(fm.RigidBody(mass, (1e-3,) * 3), name="slider")
    system.prismatic(system.ground.marker("rail"), slider["origin"], rate=2.0, name="guide", clearance=play)
    result = system.simulate(0.0135, rtol=1e-9, atol=1e-13, progress=False)
    lasts, flight = np.pi * np.sqrt(mass / (2.0 * stiffness)), 1e-3 / speed
    assert [contact.name for contact in result.contacts] == ["guide[-+]", "guide[++]", "guide[--]", "guide[+-]"]
    for contact, start in zip(result.contacts, np.repeat([flight, 3.0 * flight + lasts], 2), strict=True):
        assert contact.start == pytest.approx(start, rel=1e-9)
        assert contact.duration == pytest.approx(lasts, rel=1e-8)
        assert contact.peak_force == pytest.approx(speed * np.sqrt(0.5 * mass * stiffness), rel=1e-8)
    assert result["guide.displacement"][-1] == pytest.approx(2.0 * 0.0135, rel=1e-12)


def test_slider_that_hits_with_one_corner_turns():
    """Elastic impulse 2 m_eff v at a corner of a slider that is tilted, in the limit of a stiff corner."""
    mass, inertia, half, speed = 0.5, 1e-3, 0.05, 0.3
    play = fm.Clearance(radial=1e-3, law=fm.Hertz(1e13), length=2.0 * half, section=0.04, normal="z", velocity=(speed,))
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    slider = system.add(fm.RigidBody(mass, (inertia,) * 3), name="slider")
    guide = system.prismatic(system.ground.marker("rail"), slider["origin"], name="guide", clearance=play)
    guide.start["tilt"] = tilt = 1e-3
    contact = (result := system.simulate(0.004, rtol=1e-9, atol=1e-14, progress=False)).contacts[0]
    assert contact.name == "guide[++]"
    arm = half * np.cos(tilt) - 0.02 * np.sin(tilt)
    effective = 1.0 / (1.0 / mass + arm**2 / inertia)
    assert contact.start == pytest.approx((1e-3 - half * np.sin(tilt) - 0.02 * (np.cos(tilt) - 1.0)) / speed, rel=1e-9)
    # it turns by 1e-4 rad while it touches
    assert contact.impulse == pytest.approx(2.0 * effective * speed, rel=1e-3)
    assert result.at(contact.end)["guide.tilt.rate"] == pytest.approx(-contact.impulse * arm / inertia, rel=1e-3)


@pytest.mark.parametrize(("tilt_u", "tilt_v"), [(0.0, 0.0), (0.02, -0.03), (0.3, 0.1), (1e-9, 0.0)])
def test_ends_of_a_tilted_pin(tilt_u, tilt_v):
    """The farthest of many points of each rim."""
    play = fm.Clearance(radial=PLAY, law=STIFF, length=0.02, radius=0.01, tilting=True, offset=(1e-4, -2e-4))
    system = hung("revolute", play)
    system.joints["hinge"].start.update(tilt_u=tilt_u, tilt_v=tilt_v)
    result = system.assemble()
    origin = np.array([result[f"body.position.{axis}"][0] for axis in "xyz"])
    angles = np.linspace(0.0, 2.0 * np.pi, 100_001)
    for name, end in (("end 1", -0.01), ("end 2", 0.01)):
        rim = np.array([0.01 * np.cos(angles), 0.01 * np.sin(angles), np.full_like(angles, end)])
        x, y, _z = origin[:, None] + result.rotation("body")[0] @ rim
        # the points are half of 6e-5 rad off the farthest one
        assert result[f"hinge[{name}].gap"][0] == pytest.approx(0.0105 - np.hypot(x, y).max(), abs=1e-11)
        centre = origin + result.rotation("body")[0] @ [0.0, 0.0, end]
        assert result[f"hinge[{name}].eccentricity"][0] == pytest.approx(np.hypot(*centre[:2]), abs=1e-15)


@pytest.mark.parametrize("mass", [8.0, 60.0])
def test_lubricated_journal_carries_its_load(mass):
    """Short bearing at rest in its load (Ocvirk, NACA TN 2808, 1952): eccentricity, attitude angle, torque."""
    viscosity, radius, length, play, speed = 0.05, 0.02, 0.015, 5e-5, 300.0
    scale = viscosity * radius * length**3 / play**2

    def load(e):
        return scale * speed * e / (4.0 * (1.0 - e * e) ** 2) * np.sqrt(np.pi**2 * (1.0 - e * e) + 16.0 * e * e)

    e = brentq(lambda ratio: load(ratio) - mass * GRAVITY, 1e-6, 0.999)
    clearance = fm.Clearance(radial=play, law=STIFF, radius=radius, length=length, film=fm.JournalFilm(viscosity, 1e-6))
    system = hung("revolute", clearance, fm.RigidBody(mass, (0.01,) * 3), rate=speed)
    system.joints["hinge"].prescribe(rate=speed)
    result = system.simulate(0.3, rtol=1e-8, atol=1e-13, progress=False)
    # 8 kg: a whirl that has decayed to 1e-8
    assert result["hinge.eccentricity"][-1] == pytest.approx(e * play, rel=1e-6)
    attitude = np.arctan(np.pi * np.sqrt(1.0 - e * e) / (4.0 * e))
    assert result["hinge.contact_angle"][-1] + 0.5 * np.pi == pytest.approx(attitude, rel=1e-6)
    assert result["hinge.film.force"][-1] == pytest.approx(mass * GRAVITY, rel=1e-6)
    assert result["hinge.film.gap"][-1] == pytest.approx((1.0 - e) * play, rel=1e-6)
    across = scale * speed * np.pi * e / (4.0 * (1.0 - e * e) ** 1.5)
    torque = 2.0 * np.pi * viscosity * radius**3 * length * speed / (play * np.sqrt(1.0 - e * e))
    torque += 0.5 * play * e * across
    assert result["hinge.angle.driving_force"][-1] == pytest.approx(torque, rel=1e-6)
    assert result.contacts == ()
    # the film takes what the driver supplies
    assert result["energy.balance"][-1] == pytest.approx(0.0, abs=1e-9 * result["hinge.film.loss"][-1])


def test_film_that_is_squeezed_out_leaves_the_load_to_the_surfaces():
    """Without rotation nothing keeps the film: what rests on the bearing at last is the dry law."""
    least, stiffness, mass = 2e-6, 1e8, 8.0
    film = fm.JournalFilm(viscosity=2e-3, least_thickness=least)
    play = fm.Clearance(radial=PLAY, law=fm.LinearContact(stiffness), radius=0.02, length=0.015, film=film)
    result = hung("revolute", play, fm.RigidBody(mass, (0.01,) * 3)).simulate(0.5, rtol=1e-7, progress=False)
    depth = mass * GRAVITY / stiffness
    assert result["hinge.eccentricity"][-1] == pytest.approx(PLAY - least + depth, rel=1e-6)
    assert result["hinge.force"][-1] == pytest.approx(mass * GRAVITY, rel=1e-4)
    assert np.array_equal(np.unique(result["hinge.phase"]), [0.0, 1.0, 2.0])  # flight, impact, at rest
    assert np.all(np.diff(result["hinge.phase"]) >= 0.0)


def test_friction_at_the_surface_of_the_pin_brakes_it():
    """A shaft that spins falls into its bearing: torque = coefficient * normal force * radius while it slides."""
    inertia, radius, coefficient = 1e-3, 0.01, 0.2
    law, friction = fm.LankaraniNikravesh(1e8, 0.5), fm.Coulomb(coefficient, transition=1e-3)
    play = fm.Clearance(radial=PLAY, law=law, radius=radius, friction=friction)
    system = hung("revolute", play, fm.RigidBody(2.0, (inertia,) * 3), rate=100.0)
    result = system.simulate(0.05, rtol=1e-7, progress=False)
    force = result["hinge.force"]
    touches = force > 1.0
    assert len(result.contacts) >= 2 and result["hinge.slip"][touches].min() > 0.5  # m/s
    assert result["hinge.friction"][touches] == pytest.approx(coefficient * force[touches], rel=1e-12)
    torque = coefficient * force * (radius + 0.5 * result["hinge.gap"])  # between the surfaces
    braked = -inertia * result["hinge.angle.acceleration"][touches]
    assert braked == pytest.approx(torque[touches], abs=1e-6 * torque.max())
    assert result["energy.balance"][-1] == pytest.approx(0.0, abs=1e-8)


def test_evenly_worn_bore_is_a_wider_bore():
    """Free fall across the clearance and the wear."""
    play = fm.Clearance(radial=PLAY, law=STIFF, radius=0.01, profile=fm.BoreProfile(np.full(24, 1e-4)))
    result = hung("revolute", play).simulate(0.03, rtol=1e-9, atol=1e-13, progress=False)
    assert result.contacts[0].start == pytest.approx(np.sqrt(2.0 * (PLAY + 1e-4) / GRAVITY), rel=1e-12)
    assert result.contacts[0].approach_speed == pytest.approx(np.sqrt(2.0 * GRAVITY * (PLAY + 1e-4)), rel=1e-9)


WORN = fm.BoreProfile(4e-5 + 3e-5 * np.cos(2.0 * (-np.pi + 2.0 * np.pi * np.arange(36) / 36)))


@pytest.mark.parametrize("offset", [(2e-4, 1e-4), (-5e-5, 3.5e-4), (0.0, 0.0), (3e-4, -5e-4)])
def test_pin_in_a_worn_bore(offset):
    """The nearest of many points of its surface."""
    play = fm.Clearance(radial=PLAY, law=STIFF, radius=0.01, profile=WORN, offset=offset)
    found = hung("revolute", play).assemble()["hinge.gap"][0]
    angles = np.linspace(-np.pi, np.pi, 200_001)
    reach = 0.0105 + WORN.spline(angles)
    x, y = reach * np.cos(angles) - offset[0], reach * np.sin(angles) - offset[1]
    assert found == pytest.approx(np.hypot(x, y).min() - 0.01, abs=1e-12)


def test_elastic_contact_in_a_worn_bore_keeps_the_energy():
    play = fm.Clearance(radial=PLAY, law=STIFF, radius=0.01, profile=WORN)
    result = hung("revolute", play, angle=1.0).simulate(0.05, rtol=1e-8, atol=1e-12, progress=False)
    assert len(result.contacts) >= 3
    assert gained(result) == pytest.approx(0.0, abs=1e-8)


def test_wear_is_where_the_journal_rests():
    """A shaft that turns in its bearing: Archard's volume = coefficient / hardness * force * sliding distance."""
    mass, speed, radius, length = 2.0, 50.0, 0.01, 0.02
    law = fm.LankaraniNikravesh(1e8, 0.1, exact=True)
    play = fm.Clearance(radial=PLAY, law=law, radius=radius, length=length)
    system = hung("revolute", play, fm.RigidBody(mass, (0.01,) * 3), rate=speed)
    system.joints["hinge"].prescribe(rate=speed)
    result = system.simulate(0.5, rtol=1e-7, atol=1e-12, progress=False)
    worn = result.wear("hinge", coefficient=1e-4, hardness=1e9, bins=36)
    assert np.flatnonzero(worn.depth).tolist() == [9] and worn.angles[9] == pytest.approx(-0.5 * np.pi)
    volume = worn.depth.sum() * (radius + PLAY) * 2.0 * np.pi / 36 * length
    # the momentum of the body ends as it began, at rest: the mean force is its weight; surfaces touch at the radius of
    # the pin, to which the depth adds 2e-3
    assert volume == pytest.approx(1e-13 * mass * GRAVITY * speed * radius * 0.5, rel=3e-3)
    # the next run starts with the worn bore: after 1000 such runs there is room below, and none was lost elsewhere
    for offset, room in (((0.0, 0.0), PLAY), ((0.0, -PLAY), 0.0)):
        play = fm.Clearance(radial=PLAY, law=STIFF, radius=radius, profile=1000.0 * worn, offset=offset)
        gap = hung("revolute", play).assemble()["hinge.gap"][0]
        assert gap == pytest.approx(room, abs=1e-15) if room else 0.0 < gap < 1000.0 * worn.depth[9]


def rod(youngs_modulus):
    """A slender rod of 1 m with its first mode across."""
    mesh = fm.line_mesh(1.0, 4, fm.rectangle(0.02, 0.02), fm.Material("rod", youngs_modulus, 0.3, 7850.0))
    return fm.reduce(mesh, interfaces={"hinge": "ROOT"}, modes=fm.ClampedFree(at="hinge", count=1))


def hung_rod(body):
    system = fm.System(gravity=(0.0, -GRAVITY, 0.0))
    part, play = system.add(body, name="rod"), fm.Clearance(radial=PLAY, law=STIFF)
    system.revolute(system.ground.marker("bore"), part["hinge"], name="hinge", clearance=play)
    return system.simulate(0.03, rtol=1e-7, atol=1e-12, progress=False)


@pytest.mark.filterwarnings("ignore::flexmbs.common.errors.BasisWarning")
def test_flexible_neighbour():
    """A rod that falls without load is not bent; a stiff one hits its bearing as a rigid one does."""
    bends, stiff = rod(210e9), rod(210e14)
    result = hung_rod(bends)
    assert result.contacts[0].start == pytest.approx(np.sqrt(2.0 * PLAY / GRAVITY), rel=1e-7)
    before = result.t < result.contacts[0].start
    assert np.abs(result["rod.bending y 1"][before]).max() < 1e-12 < 1e-6 < np.abs(result["rod.bending y 1"]).max()
    assert len(result.contacts) >= 2 and gained(result) == pytest.approx(0.0, abs=1e-7)
    mass = stiff.mass
    body = fm.RigidBody(mass, (mass / 12.0,) * 3, center=(0.5, 0.0, 0.0))
    rigid = hung("revolute", fm.Clearance(radial=PLAY, law=STIFF), body).simulate(0.02, rtol=1e-7, progress=False)
    for name in ("peak_force", "duration"):
        expected = getattr(rigid.contacts[0], name)
        assert getattr(hung_rod(stiff).contacts[0], name) == pytest.approx(expected, rel=2e-3)
