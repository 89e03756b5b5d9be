"""Contact patches with massless boundary in runs, statics and linearisation, against springs in series."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import MechanismError, line_mesh, rectangle

MASS, STIFFNESS, SPEED = 0.05, 3e5, 0.2
STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)
BEAM = {"length": 0.3, "bending_stiffness": 43.75, "mass_per_length": 0.785, "supports": ("clamped", "clamped")}


def still_beam(**changed):
    """No mode with inertia: the beam is the spring of its static flexibility, L^3 / (192 EI)."""
    patches = {"markers": {"hit": 0.15}, "contact_patches": {"hit": "massless"}}
    return fm.uniform_beam(modes=0, **{**BEAM, **patches, **changed})


def mass_on(body, *, speed=SPEED, gravity=0.0, law=None, high_modes=None):
    """A mass that moves along y onto the middle of a fixed beam."""
    system = fm.System(gravity=(0.0, -gravity, 0.0))
    beam = system.add(body, name="beam", high_modes=high_modes)
    held = body.attached_at
    system.fixed(system.ground.marker("held", position=body.markers[held].position), beam[held])
    mass = system.add(fm.RigidBody(MASS, (1e-4, 1e-4, 1e-4)), name="mass")
    start = system.ground.marker("start", position=body.markers["hit"].position)
    system.prismatic(start, mass["origin"], axis="y", rate=-speed, name="guide")
    law = law or fm.PowerLaw(STIFFNESS)
    system.contact(fm.Point(mass["origin"]), fm.Plane(beam["hit"]), law=law, name="hit")
    return system


def in_series(body):
    return 1.0 / (1.0 / STIFFNESS + float(body.flexibility[list(body.markers).index("hit"), 1, 1]))


def test_hit_on_a_massless_patch_is_that_of_springs_in_series():
    body = still_beam()
    assert body.flexibility[2, 1, 1] == pytest.approx(0.3**3 / (192.0 * 43.75), rel=1e-9)
    result = mass_on(body).simulate(0.01, rtol=1e-9, atol=1e-13)
    (hit,) = result.contacts
    k = in_series(body)
    assert hit.peak_force == pytest.approx(SPEED * np.sqrt(k * MASS), rel=1e-7)
    assert hit.duration == pytest.approx(np.pi * np.sqrt(MASS / k), rel=1e-7)
    assert hit.impulse == pytest.approx(2.0 * MASS * SPEED, rel=1e-7)
    assert hit.restitution == pytest.approx(1.0, rel=1e-8)
    assert fm.energy_error(result) < 1e-8


def test_energy_is_kept_over_many_hits():
    """The mass bounces on the patch under gravity; a law with a steep start."""
    result = mass_on(still_beam(), gravity=500.0, law=fm.Hertz(1e9)).simulate(0.05, rtol=1e-7, atol=1e-13)
    assert len(result.contacts) > 15
    assert fm.energy_error(result) < 1e-6
    peaks = [contact.peak_force for contact in result.contacts[1:]]
    assert peaks == pytest.approx([peaks[0]] * len(peaks), rel=1e-6)


def test_statics_and_frequency_of_a_mass_on_a_patch():
    body, weight = still_beam(), MASS * 9.81
    system = mass_on(body, speed=0.0, gravity=9.81)
    assert system.statics()["guide.displacement"][-1] == pytest.approx(-weight / in_series(body), rel=1e-6)
    modes = system.linearize()
    assert modes.frequencies == pytest.approx([np.sqrt(in_series(body) / MASS) / (2.0 * np.pi)], rel=1e-6)


def test_a_run_goes_on_from_a_state_in_contact():
    body = fm.uniform_beam(modes=3, **BEAM, markers={"hit": 0.15}, contact_patches={"hit": "massless"})
    whole = mass_on(body).simulate(2e-3, rtol=1e-8, atol=1e-13)
    half = mass_on(body).simulate(4e-4, rtol=1e-8, atol=1e-13)
    assert np.isnan(half.contacts[0].end)
    rest = mass_on(body).simulate(2e-3, rtol=1e-8, atol=1e-13, start=half.final_state)
    assert rest.contacts[0].peak_force == pytest.approx(whole.contacts[0].peak_force, rel=1e-6)
    assert rest.contacts[0].end == pytest.approx(whole.contacts[0].end, rel=1e-6)


@pytest.fixture(scope="module")
def mixed():
    """Static modes mix with normal ones, so that high_modes changes the coordinates; "hit" is massless."""
    mesh = line_mesh(0.3, 12, rectangle(0.005, 0.02), STEEL)
    from dataclasses import replace

    mesh = replace(mesh, node_sets={**mesh.node_sets, "MIDDLE": np.array([6])})
    return fm.reduce(
        mesh,
        interfaces={"root": "ROOT", "tip": "TIP", "hit": "MIDDLE"},
        modes=fm.CraigBampton(at="root", count=4),
        contact_patches={"hit": fm.ContactPatch("massless", directions=("y",))},
        second_order="none",
    )


@pytest.mark.parametrize("high_modes", [fm.QuasiStatic(above=3000.0), fm.DampedModes(above=3000.0)])
def test_high_modes_leave_patches_as_they_are(mixed, high_modes):
    part = mass_on(mixed, high_modes=high_modes).bodies["beam"]
    assert np.array_equal(part.body.massless, mixed.massless) and part.condensed[-1]
    assert part.condensed.sum() > 1 if isinstance(high_modes, fm.QuasiStatic) else part.condensed.sum() == 1
    assert part.body.Ke[-1, -1] == pytest.approx(mixed.Ke[-1, -1], rel=1e-12)


def test_patches_carry_contacts_only(mixed):
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    beam = system.add(mixed, name="beam")
    system.fixed(system.ground.marker("held"), beam["root"])
    weight = system.add(fm.RigidBody(MASS, (1e-4, 1e-4, 1e-4)), name="weight")
    system.revolute(beam["hit"], weight["origin"], axis="z", name="hinge")
    with pytest.raises(MechanismError, match=r"joint of body 'weight' is at 'hit' on 'beam', a massless contact patch"):
        system.simulate(1e-3)
    with pytest.raises(MechanismError, match="massless contact patches need an implicit integrator"):
        mass_on(mixed).simulate(1e-3, integrator=fm.Explicit())


def test_nothing_rigid_hits_a_patch(mixed):
    with pytest.raises(MechanismError, match=r"contact 'hit': 'beam.hit' is a massless contact patch.*law with stiffness"):
        mass_on(mixed, law=fm.Rigid())
    system = fm.System()
    beam, weight = system.add(mixed, name="beam"), system.add(fm.RigidBody(MASS, (1e-4, 1e-4, 1e-4)), name="weight")
    with pytest.raises(MechanismError, match="contact 'hinge': 'beam.hit' is a massless contact patch"):
        system.revolute(beam["hit"], weight["origin"], name="hinge", clearance=fm.Clearance(radial=1e-4, law=fm.Rigid()))
    assert not system.contacts and not system.joints


@pytest.mark.parametrize("modes", [2, 8])
def test_impulses_of_a_rigid_hit_add_up_and_its_modes_are_not_blamed(modes):
    """Each impact stops what the modes give the marker as mass, 1 / (1/m + sum Phi^2); more modes make it smaller."""
    body = fm.uniform_beam(modes=modes, **BEAM, markers={"hit": 0.15})
    result = mass_on(body, law=fm.Rigid()).simulate(2e-3)
    first = result.impacts("hit")[0]
    reach = body.markers["hit"].Phi[:, 1]
    inertia = 1.0 / (1.0 / MASS + float(reach @ np.linalg.solve(body.Me, reach)))
    assert first.normal_impulse == pytest.approx(inertia * SPEED, rel=1e-6)
    assert "too few modes" not in result.stats["advice"]


def test_a_run_says_which_hits_its_modes_do_not_resolve():
    law = fm.Hertz(1e10)
    beam = {**BEAM, "markers": {"hit": 0.15}}
    with pytest.warns(fm.ResultWarning, match="contact 'hit' of .* periods of the highest mode of 'beam' there"):
        result = mass_on(fm.uniform_beam(modes=3, **beam), law=law).simulate(5e-4)
    assert "contact 'hit'" in result.stats["advice"]
