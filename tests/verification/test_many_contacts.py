"""Groups of many bodies (contact_all): the contacts of single records, energy, resumption, and what is refused."""

import numpy as np
import pytest
from long_runs import same

import flexmbs as fm
from flexmbs import MechanismError, SimulationError

RADIUS, SIDE = 0.005, 0.05
WALLS = [(np.zeros(3), axis) for axis in np.eye(3)] + [(SIDE * axis, -axis) for axis in np.eye(3)]


def box(count=12, law=None, exclude=(), **options):
    """Spheres in a box without gravity; bodies are called "ball 0" and so on."""
    system, rng, shapes = fm.System(gravity=(0.0, 0.0, 0.0)), np.random.default_rng(3), []
    for number in range(count):
        place = 0.0125 * (np.array([number % 4, number // 4 % 4, number // 16]) + 0.5)
        velocity = rng.normal(size=3)
        ball = system.add(fm.RigidBody.sphere(2500.0, RADIUS), f"ball {number}", position=place, velocity=velocity)
        shapes.append(fm.Sphere(ball["origin"], RADIUS))
    for number, (place, normal) in enumerate(WALLS):
        wall = system.ground.marker(f"wall {number}", position=place)
        shapes.append(fm.Plane(wall, normal=tuple(normal)))
    system.contact_all(shapes, law=law or fm.Hertz(1e7), name="spheres", exclude=exclude, **options)
    return system


def contacts_of(system, t_end=4e-3, **options):
    result = system.simulate(t_end, rtol=1e-6, integrator="explicit", progress=False, **options)
    return result, sorted((contact.start, contact.name, contact.end) for contact in result.contacts)


def test_a_group_finds_the_contacts_that_single_records_find():
    exclude = [("ball 0", "ball 1")]
    (grouped, found), (_single, expected) = (contacts_of(box(exclude=exclude, grouped=kind)) for kind in (True, False))
    assert len(expected) > 10
    assert [name for _start, name, _end in found] == [name for _start, name, _end in expected]
    # errors are measured body by body in groups: the steps differ
    np.testing.assert_allclose([row[0] for row in found], [row[0] for row in expected], rtol=1e-4)
    assert grouped.stats["integrator"] == "explicit"
    assert not any(name.endswith("ball 0 - ball 1") for _start, name, _end in found)


def test_pairs_of_a_group_that_touch_again_after_each_other_in_one_record():
    """Fewer records than pairs that touch in the run, but enough for those at once."""
    _result, found = contacts_of(box(grouped=True, max_contacts=12))
    _result, expected = contacts_of(box(grouped=True))
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    assert len({name for _start, name, _end in found}) > 12


@pytest.mark.parametrize(("rtol", "error"), [(1e-6, 1e-3), pytest.param(1e-8, 1e-5, marks=pytest.mark.slow)], ids=["1e-6", "1e-8"])
def test_elastic_contacts_keep_the_energy_over_1000_impacts(rtol, error):
    result = box(12, grouped=True).simulate(0.7, rtol=rtol, store_every=20, progress=False)
    assert len(result.contacts) > 1000
    assert fm.energy_error(result) < error


@pytest.mark.parametrize("law", [fm.Flores(1e7, 0.7), fm.LankaraniNikravesh(1e7, 0.9), fm.HuntCrossley(1e7, damping=0.3)])
def test_damped_contacts_never_gain_energy(law):
    result = box(12, law, grouped=True).simulate(0.06, rtol=1e-6, progress=False)
    energy = result["energy.total"]
    assert len(result.contacts) > 50
    assert np.all(np.diff(energy) < 1e-7 * energy[0])
    assert energy[-1] < 0.9 * energy[0]


def test_a_run_with_a_group_is_resumed_to_the_same_digits(tmp_path):
    def run(**options):
        return box(12, fm.Flores(1e7, 0.7), grouped=True).simulate(0.03, rtol=1e-6, **options)

    def interrupt(progress):
        raise KeyboardInterrupt

    whole = run(out=tmp_path / "whole", progress=False)
    with pytest.raises(KeyboardInterrupt):
        run(out=tmp_path / "cut", progress=interrupt)
    assert fm.load(tmp_path / "cut").t[-1] < 0.03
    same(whole, run(out=tmp_path / "cut", resume=True, progress=False))


def test_names_of_pairs_and_open_contacts():
    result, _ = contacts_of(box(grouped=True), 2e-3)
    names = {contact.name for contact in result.contacts}
    assert all(name.startswith("spheres: ball ") for name in names)
    assert any(" - wall " in name for name in names) and any(" - ball " in name for name in names)


def test_bodies_at_a_joint_do_not_touch():
    system = fm.System()
    one, two, three = (
        system.add(fm.RigidBody.sphere(2500.0, 0.1), name, position=(x, 0.0, 0.0))
        for name, x in (("one", 0.0), ("two", 0.15), ("three", 1.0))
    )
    system.spherical(one["origin"], two.marker("hook", position=(-0.15, 0.0, 0.0)), name="ball joint")
    shapes = [fm.Sphere(body["origin"], 0.1) for body in (one, two, three)]
    found = system.contact_all(shapes, fm.Hertz(1e7), name="all")
    assert [contact.name for contact in found] == ["all: one - three", "all: two - three"]


def test_what_is_refused():
    system = box(grouped=True)
    with pytest.raises(MechanismError, match=r"'radau' cannot take the group .* grouped=False"):
        system.simulate(1e-3, integrator="radau", progress=False)
    with pytest.raises(SimulationError, match=r"more pairs touch at once .*'spheres' \(1\); give .*max_contacts"):
        box(grouped=True, max_contacts=1).simulate(4e-3, progress=False)
    system = box(grouped=True)
    system.add(fm.RigidBody.sphere(2500.0, RADIUS), "late", position=(0.0125, 0.00625, 0.00625))
    late = [fm.Sphere(system.bodies[name].markers["origin"], RADIUS) for name in ("late", "ball 0")]
    system.contact_all(late, fm.Hertz(1e7), name="pair", grouped=True)
    with pytest.raises(MechanismError, match=r"contact 'pair: late - ball 0' starts with a penetration of 0.00375 m"):
        system.simulate(1e-3, progress=False)
    with pytest.raises(MechanismError, match="exclude names the body 'ball 99'"):
        box(exclude=[("ball 0", "ball 99")])
    with pytest.raises(MechanismError, match="exclude takes pairs of bodies"):
        box(exclude=["ball 0"])
    with pytest.raises(MechanismError, match="max_contacts = 0 must be a positive"):
        box(grouped=True, max_contacts=0)
    system, law = fm.System(), fm.Hertz(1e7)
    wall = fm.Plane(system.ground["origin"])
    with pytest.raises(MechanismError, match="contact_all 'w': give at least two shapes"):
        system.contact_all([wall], law, name="w")
    with pytest.raises(MechanismError, match="no pair of these shapes can touch"):
        system.contact_all([wall, fm.Plane(system.ground.marker("other"))], law)
    with pytest.raises(MechanismError, match="expected shapes such as fm.Sphere"):
        system.contact_all([wall, system.ground], law)
