"""Laws with damping: a mass hits a wall; restitution, depth, force and times (data/README.md, damped_contact_laws).

The runs have an rtol of 1e-9, and errors of some times that; peak times are known to the square root of rounding.
"""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.core.laws.contact.impact_damping import exact_factor

LAWS = {
    "hunt_crossley": lambda e, v: fm.HuntCrossley.from_restitution(1e9, e, v, exact=False),
    "lankarani_nikravesh": lambda e, v: fm.LankaraniNikravesh(1e9, e),
    "flores_2011": lambda e, v: fm.Flores(1e9, e),
    "gonthier": lambda e, v: fm.Gonthier(1e9, e),
}
GAP = 1e-3  # m


def hit(law, speed=1.0, mass=1.0, duration=0.005, gravity=0.0, **options) -> fm.Result:
    """A mass on a guide hits a wall from a distance of ``GAP``."""
    system = fm.System(gravity=(0.0, -gravity, 0.0))
    body = system.add(fm.RigidBody(mass, (1.0, 1.0, 1.0)), name="mass")
    wall = system.ground.marker("wall")
    system.prismatic(wall, body["origin"], axis="y", displacement=GAP, rate=-speed, name="guide")
    system.contact(fm.Point(body["origin"]), fm.Plane(wall), law, name="wall")
    return system.simulate(GAP / speed + duration, **{"rtol": 1e-9, "atol": 1e-13, **options})


def first(*arguments, **options) -> fm.ContactRecord:
    return hit(*arguments, **options).contacts[0]


@pytest.mark.parametrize("name", LAWS)
def test_published_damping(reference, figures, name):
    rows = reference("damped_contact_laws")["laws"][name][::3]
    found = [first(LAWS[name](row["e"], 1.0)) for row in rows]
    source = "own computation of this system"
    names = "duration", "max_depth", "peak_force"
    values = [[getattr(contact, what) for what in names] for contact in found]
    expected = [[row[what] for what in names] for row in rows]
    figures(f"{name}: duration, depth, peak force", source, np.ravel(values), np.ravel(expected), 1e-6)
    figures(f"{name}: restitution", source, [c.restitution for c in found], [r["e_measured"] for r in rows], 1e-6)
    times = [c.peak_time - c.start for c in found]
    figures(f"{name}: time of the peak", source, times, [r["time_of_peak"] for r in rows], 1e-5)


@pytest.mark.parametrize("law", [fm.LankaraniNikravesh(1e8, 0.5), fm.Flores(1e8, 0.3)])
def test_time_of_the_peak_scales_with_the_speed(law):
    """Hits at all speeds are similar, times as v^(-1/5), wherever the peak lies in its step or between two."""
    speeds = np.geomspace(0.1, 3.0, 40)
    hits = [first(law, speed=v, duration=0.05) for v in speeds]
    times = [(hit.peak_time - hit.start) * v**0.2 for hit, v in zip(hits, speeds, strict=True)]
    np.testing.assert_allclose(times, np.median(times), rtol=1e-6)


def test_linear_law(reference, figures):
    """Separation at zero depth and at zero force, of the law that is given the restitution."""
    rows = reference("damped_contact_laws")["anagnostopoulos_linear"][::4]
    source = "closed form of the damped oscillator"
    for separation in ("zero depth", "zero force"):
        found = [first(fm.Anagnostopoulos(1e6, row["e"], separation=separation)) for row in rows]
        end = separation.replace(" ", "_")
        restitution = [row[f"e_separation_at_{end}"] for row in rows]
        figures(f"linear law, {separation}: restitution", source, [c.restitution for c in found], restitution, 1e-6)
        values = [(c.duration, c.max_depth, c.peak_force) for c in found]
        expected = [(row[f"duration_{end}"], row["max_depth"], row["peak_force"]) for row in rows]
        what = f"linear law, {separation}: duration, depth, peak force"
        figures(what, source, np.ravel(values), np.ravel(expected), 1e-6)


def test_linear_law_with_a_stated_damping():
    law = fm.LinearContact.from_restitution(2e6, 0.4, 3.0)
    assert first(law, mass=3.0, duration=0.02).restitution == pytest.approx(0.4, rel=1e-6)
    # the mass of the hit is not that of the law: exp(-pi xi / sqrt(1 - xi^2))
    xi = law.damping / (2.0 * np.sqrt(2e6 * 12.0))
    expected = np.exp(-np.pi * xi / np.sqrt(1.0 - xi * xi))
    assert first(law, mass=12.0, duration=0.02).restitution == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("law", [fm.LankaraniNikravesh, fm.Flores, fm.Gonthier])
@pytest.mark.parametrize("speed", [0.02, 3.0])
def test_exact_factor_at_any_speed(law, speed):
    contact = first(law(1e8, 0.35, exact=True), speed=speed, duration=0.02)
    assert contact.restitution == pytest.approx(0.35, rel=1e-6)
    assert contact.approach_speed == pytest.approx(speed, rel=1e-9)
    assert contact.rebound_speed == pytest.approx(0.35 * speed, rel=1e-6)


def test_restitution_of_factors(reference):
    """The closed relation of factor and restitution; its table has ten digits."""
    for row in reference("damped_contact_laws")["closed_relation"]:
        e = row["e"]
        assert exact_factor(e) == pytest.approx(row["D_exact"], rel=1e-9)
        assert fm.HuntCrossley(1.0, damping=1.5 * (1.0 - e)).restitution_at(1.0) == pytest.approx(row["HuntCrossley"], rel=1e-9)
        for law, name in ((fm.LankaraniNikravesh, "LankaraniNikravesh"), (fm.Flores, "Flores"), (fm.Gonthier, "Gonthier")):
            assert law(1.0, e).restitution_at(3.0) == pytest.approx(row[name], rel=1e-9)


def test_exact_factor_at_the_ends_of_its_range():
    """Near 1 the factor tends to 3 (1 - e) / 2, near 0 to 1 / e."""
    for left in (1e-4, 1e-9, 1e-13):
        # the next term of the series is 1.5 (1 - e)^2; 1 - e itself is rounded to 1e-16
        assert exact_factor(1.0 - left) == pytest.approx(1.5 * left, rel=2.0 * left + 1e-6 + 1e-2 * (left < 1e-12))
    for e in (0.04, 0.03, 0.02, 1e-3):
        assert exact_factor(e) == pytest.approx(1.0 / e, rel=np.exp(-0.8 / e) + 2e-15)


def test_a_stated_speed_takes_the_place_of_the_approach_speed():
    """A hit at twice the speed of the law is damped twice as much."""
    law, same = fm.Gonthier(1e9, 0.5, speed=1.0), fm.HuntCrossley(1e9, damping=2.0 * 1.5 / 2.0)
    assert law.restitution_at(2.0) == pytest.approx(same.restitution_at(2.0), rel=1e-14)
    found, expected = (first(one, speed=2.0) for one in (law, same))
    assert found.restitution == pytest.approx(expected.restitution, rel=1e-9)
    assert found.restitution == pytest.approx(law.restitution_at(2.0), rel=1e-8)
    assert found.restitution < 0.4


def test_every_hit_has_its_own_damping():
    """A mass bounces to rest: speeds fall by the same factor from hit to hit."""
    contacts = hit(fm.Flores(1e9, 0.6, exact=True), speed=0.5, gravity=1.0, duration=1.4).contacts
    assert len(contacts) > 3
    # gravity acts during a contact of 1 ms: up to 1 % of the momentum; the damping of the first hit would give 0.7
    for contact in contacts[:3]:
        assert contact.restitution == pytest.approx(0.6, rel=1e-2)
    assert contacts[1].approach_speed == pytest.approx(contacts[0].rebound_speed, rel=1e-6)


def test_effective_mass_of_two_bodies():
    """Bodies of 1 and 3 kg meet: the damping of the linear law is that of 0.75 kg."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    one = system.add(fm.RigidBody.sphere(1.0, 0.1), name="one", position=(0.0, 0.0, 0.0))
    three = system.add(fm.RigidBody.sphere(3.0, 0.1), name="three", position=(0.201, 0.0, 0.0), velocity=(-1.0, 0.0, 0.0))
    system.contact(fm.Sphere(one["origin"], 0.1), fm.Sphere(three["origin"], 0.1), fm.Anagnostopoulos(1e5, 0.3))
    result = system.simulate(0.02, rtol=1e-9)
    (contact,) = result.contacts
    assert contact.restitution == pytest.approx(0.3, rel=1e-6)
    assert result["one.free.x.rate"][-1] == pytest.approx(-0.75 * 1.3, rel=1e-6)


def test_hertz_line_contact():
    """A steel cylinder on a plane: the force-depth relation in the run, and its energy."""
    steel = fm.Material("steel", 210e9, 0.3, 7850.0)
    law = fm.HertzLine.from_materials(0.01, 0.05, steel, steel)
    modulus = 210e9 / (2.0 * (1.0 - 0.3**2))
    assert law.modulus == pytest.approx(modulus, rel=1e-14)
    result = hit(law, mass=2.0, duration=1e-3)
    (contact,) = result.contacts
    inside = (result.t > contact.start) & (result.t < contact.end)
    load, depth = result["wall.force"][inside] / 0.05, -result["wall.gap"][inside]
    expected = load / (np.pi * modulus) * (np.log(4.0 * np.pi * modulus * 0.01 / load) - 1.0)
    np.testing.assert_allclose(depth, expected, rtol=1e-11)  # of a logarithm of rounded numbers
    assert contact.restitution == pytest.approx(1.0, abs=1e-7)
    # at the deepest point all kinetic energy is in the contact: the integral of the force over the depth
    p, depths = np.array(law.parameters()), np.linspace(0.0, contact.max_depth, 20001)
    forces = np.array([type(law).force(p, d, 0.0) for d in depths])
    assert np.trapezoid(forces, depths) == pytest.approx(0.5 * 2.0, rel=1e-6)
