"""Beams whose shear centre lies off their centroid: forces at the centroid twist them."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, rectangle, rigid_rotations, solve_held, straight_beam
from scipy.linalg import eigh

from flexmbs import assemble
from flexmbs.mesh.sections.profile_section import profile_section

CENTER = (0.013, -0.021)
SECTION = replace(rectangle(0.02, 0.06), shear_center=CENTER)
E, G = STEEL.youngs_modulus, STEEL.shear_modulus
KINDS = {
    "timoshenko": (SECTION, "timoshenko"),
    "rigid in shear": (replace(SECTION, shear_factor_y=np.inf, shear_factor_z=np.inf), "timoshenko"),
    "euler-bernoulli": (SECTION, "euler-bernoulli"),
}
OBLIQUE = (1.0, 2.0, -2.0)


def model_of(kind, elements=4, **more):
    section, theory = KINDS[kind]
    return assemble(straight_beam(elements, section=section, **more), theory)


@pytest.mark.parametrize("kind", KINDS)
def test_rigid_motion_strains_nothing_to_second_order(kind):
    model = model_of(kind, direction=OBLIQUE)
    turns, pairs, second = rigid_rotations(model.mesh.points, with_turn=True)
    tolerance = 1e-11 * abs(model.K).max()  # rounding against the largest stiffness
    assert abs(model.K @ turns).max() < tolerance
    H = np.concatenate([-second, np.zeros_like(second)], axis=2).reshape(len(pairs), -1).T
    assert model.second_order_loads(turns, pairs) == pytest.approx(model.K @ H, abs=tolerance)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_of_rigid_rotation_turn_to_second_order(kind):
    model = model_of(kind, direction=OBLIQUE)
    turns, pairs, second = rigid_rotations(model.mesh.points, with_turn=True)
    factor = np.where(pairs[:, 0] == pairs[:, 1], 0.5, 1.0)[:, None, None]
    Z = np.concatenate([factor * second, np.zeros_like(second)], axis=2).reshape(len(pairs), -1).T
    x, linear, quadratic, _ = model.inertia_samples(turns, pairs, Z)
    assert linear == pytest.approx(np.cross(np.eye(3)[:, None], x[None]), abs=1e-13)
    assert quadratic == pytest.approx(factor * rigid_rotations(x, with_turn=True)[2], abs=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_geometric_stiffness_and_samples(kind):
    model = model_of(kind, direction=OBLIQUE)
    fields = np.random.default_rng(3).standard_normal((model.ndof, 3))
    a, b, w = fields.T
    (load,) = model.second_order_loads(fields, [(0, 1)]).T
    assert a @ (model.geometric_stiffness(w) @ b) == pytest.approx(w @ load, rel=1e-10)
    _, values, _, W = model.inertia_samples(fields, [], np.zeros((model.ndof, 0)))
    gram = sum(values[:, :, k] @ (W @ values[:, :, k].T) for k in range(3))
    assert gram == pytest.approx(fields.T @ model.M @ fields, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("elements", [1, 3])
def test_force_at_the_centroid_twists_and_at_the_shear_center_does_not(kind, elements):
    length = 0.8
    model = model_of(kind, elements, length=length)
    y, z = CENTER
    loads = np.zeros((model.ndof, 3))
    loads[-5, 0] = loads[-4, 1] = 1.0  # along y and z, at the centroid
    loads[-5, 2], loads[-3, 2] = 1.0, -z  # along y, at the shear centre
    tip = solve_held(model, np.arange(6, model.ndof), loads)[-6:]
    section = SECTION
    shear = length / (5 / 6 * G * section.area) if kind == "timoshenko" else 0.0
    bent = np.array([length**3 / (3 * E * section.Iz), length**3 / (3 * E * section.Iy)]) + shear
    twist = length / (G * section.torsion_constant)
    # 1e-9: conditioning of the solve
    assert tip[3] == pytest.approx([z * twist, -y * twist, 0.0], rel=1e-9, abs=1e-12 * twist)
    assert tip[1, 2] == pytest.approx(bent[0], rel=1e-9)
    # the centroid goes with the twist about the shear centre
    assert tip[1, 0] == pytest.approx(bent[0] + z**2 * twist, rel=1e-9)
    assert tip[2, 1] == pytest.approx(bent[1] + y**2 * twist, rel=1e-9)


def test_coupled_bending_and_torsion_of_a_beam_on_forks():
    """Both ends held across and against twist: v_s = V sin(k x), theta = T sin(k x), two exact roots for each k.

    E I k^4, G J k^2 against the mass in v = v_s + e_z theta (J. M. Gere, J. Appl. Mech. 21, 1954; no warping), with
    the rotary inertia rho I k^2.
    """
    length, elements = 1.5, 24
    z = 0.02
    section = replace(rectangle(0.02, 0.06, torsion_constant=3e-9), shear_center=(0.0, z))  # as of a thin-walled one
    model = assemble(straight_beam(elements, length, section=section), "euler-bernoulli")
    one_plane = np.setdiff1d(
        np.r_[1 : model.ndof : 6, 3 : model.ndof : 6, 5 : model.ndof : 6], [1, 3, model.ndof - 5, model.ndof - 3]
    )
    K, M = (A[one_plane][:, one_plane].toarray() for A in (model.K, model.M))
    found = eigh(K, M, eigvals_only=True)
    line = STEEL.density * section.area
    polar, rotary = STEEL.density * (section.Iy + section.Iz), STEEL.density * section.Iz
    exact = []
    for k in np.arange(1, 4) * np.pi / length:
        stiffness = np.diag([E * section.Iz * k**4, G * section.torsion_constant * k**2])
        mass = np.array([[line + rotary * k**2, line * z], [line * z, line * z**2 + polar]])
        exact.append(eigh(stiffness, mass, eigvals_only=True))
    exact = np.concatenate(exact)
    nearest = found[np.argmin(abs(found[:, None] - exact), axis=0)]
    # torsion is linear along an element: (k h)^2 / 12, 5e-3 at the third
    h2 = (np.repeat(np.arange(1, 4), 2) * np.pi / elements) ** 2
    assert np.all(abs(nearest / exact - 1) < h2 / 12)
    # the coupling matters: the first frequency without it is off by far more
    assert abs(E * section.Iz * (np.pi / length) ** 4 / line / exact[0] - 1) > 1e-2


def test_programs_that_count_the_shear_center():
    """A thin channel: 3 b^2 / (6 b + h) from the middle of its web (Timoshenko, Strength of Materials)."""
    dimensions = (0.04, 0.06, 0.001, 0.001)  # width, height, web and flange thickness
    beam = profile_section("nastran", "CHAN", dimensions, line="shear center")
    bar = profile_section("nastran", "CHAN", dimensions)
    assert bar.shear_center == (0.0, 0.0) and bar.centroid == (0.0, 0.0)
    width, height = 0.04 - 0.0005, 0.06 - 0.001
    from_web = 3 * width**2 / (6 * width + height)
    centroid = width**2 / (2 * width + height)
    # thin-wall theory: half a wall of 1 mm in 35 mm
    assert abs(np.linalg.norm(beam.shear_center)) == pytest.approx(from_web + centroid, rel=2e-2)
    assert np.add(beam.centroid, beam.shear_center) == pytest.approx([0.0, 0.0], abs=1e-12)
