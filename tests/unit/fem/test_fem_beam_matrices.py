import numpy as np
import pytest
from fem_meshes import STEEL, clamped_modes, rectangle, rigid_rotations, solve_held, straight_beam
from scipy.linalg import eigh

from flexmbs import MeshError, assemble

THEORIES = ("euler-bernoulli", "timoshenko")
OBLIQUE = dict(direction=(1.0, 2.0, -2.0), section=rectangle(y_axis=(0.0, 1.0, 1.0)))


@pytest.mark.parametrize("theory", THEORIES)
def test_stiffness_is_symmetric_and_free_of_rigid_body_energy(theory):
    model = assemble(straight_beam(5, **OBLIQUE), theory)
    assert abs(model.K - model.K.T).max() <= 1e-12 * abs(model.K).max()
    turns, _, _ = rigid_rotations(model.mesh.points, with_turn=True)
    shifts = np.tile(np.eye(6)[:, :3], (6, 1))
    # rounding: K times unit motions cancels terms of the size of its largest entry
    assert abs(model.K @ np.hstack([turns, shifts])).max() <= 1e-11 * abs(model.K).max()
    assert np.linalg.matrix_rank(model.K.toarray(), tol=1e-9 * abs(model.K).max()) == model.ndof - 6


@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.parametrize("elements", (1, 4))
def test_cantilever_under_tip_loads_is_exact_with_any_number_of_elements(theory, elements):
    length, section = 0.5, rectangle(0.03, 0.05)
    model = assemble(straight_beam(elements, length, section=section), theory)
    loads = np.zeros((model.ndof, 6))
    loads[-6:] = np.eye(6)
    tip = solve_held(model, np.arange(6, model.ndof), loads)[-6:]
    E, G = STEEL.youngs_modulus, STEEL.shear_modulus
    shear = length / (5 / 6 * G * section.area) if theory == "timoshenko" else 0.0
    expected = [
        length / (E * section.area),
        length**3 / (3 * E * section.Iz) + shear,
        length**3 / (3 * E * section.Iy) + shear,
        length / (G * section.torsion_constant),
        length / (E * section.Iy),
        length / (E * section.Iz),
    ]
    # 1e-10: conditioning of the solve (entries over 6 decades) times rounding
    assert np.diag(tip) == pytest.approx(expected, rel=1e-10)
    assert tip[5, 1] == pytest.approx(length**2 / (2 * E * section.Iz), rel=1e-10)
    assert tip[4, 2] == pytest.approx(-(length**2) / (2 * E * section.Iy), rel=1e-10)


def test_clamped_free_frequencies_approach_the_exact_roots():
    # cos(x) cosh(x) = -1 (roots to 12 digits: any textbook on beam vibration, e.g. Blevins, table 8-1)
    roots = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613])
    section = rectangle()
    model = assemble(straight_beam(60), "euler-bernoulli", rotary_inertia=False)
    planar = np.setdiff1d(np.r_[1 : model.ndof : 6, 5 : model.ndof : 6], [1, 5])
    values = eigh(model.K[planar][:, planar].toarray(), model.M[planar][:, planar].toarray(), eigvals_only=True)[:3]
    exact = roots**4 * STEEL.youngs_modulus * section.Iz / (STEEL.density * section.area)
    # Hermite cubics err by (kh)^4 / 720 in the eigenvalue (Strang and Fix): 5e-7 at the third mode of 60 elements
    assert values == pytest.approx(exact, rel=1e-6)


def test_pinned_timoshenko_frequencies_follow_the_closed_form():
    length, section = 1.0, rectangle(0.1, 0.06)
    EI, kGA = STEEL.youngs_modulus * section.Iz, 5 / 6 * STEEL.shear_modulus * section.area
    line, rotary = STEEL.density * section.area, STEEL.density * section.Iz
    errors = []
    for elements in (20, 40):
        model = assemble(straight_beam(elements, length, section=section), "timoshenko")
        planar = np.setdiff1d(np.r_[1 : model.ndof : 6, 5 : model.ndof : 6], [1, model.ndof - 5])
        values = eigh(model.K[planar][:, planar].toarray(), model.M[planar][:, planar].toarray(), eigvals_only=True)
        k2 = (np.arange(1, 4) * np.pi / length) ** 2
        half = line + (rotary + EI * line / kGA) * k2
        exact = 2 * EI * k2**2 / (half + np.sqrt(half**2 - 4 * line * rotary / kGA * EI * k2**2))
        errors.append(values[:3] / exact - 1)
    # statics are exact; the deflection under distributed inertia errs by (kh)^2 / 12 in its shear part, which is
    # EI k^2 / kGA of the whole
    bound = k2 * (length / 40) ** 2 / 12 * EI * k2 / kGA
    assert np.all(abs(errors[1]) < bound)
    # order 2: a quarter each time the mesh is halved
    assert errors[1] / errors[0] == pytest.approx([0.25] * 3, rel=0.1)


def test_mass_properties_are_those_of_a_bar():
    model = assemble(straight_beam(3, 0.6, section=rectangle(0.02, 0.05)))
    mass = STEEL.density * 0.6 * 0.02 * 0.05
    assert model.mass == pytest.approx(mass, rel=1e-13)
    assert model.center == pytest.approx([0.3, 0, 0], abs=1e-14)
    across = mass * np.array([0.02**2 + 0.05**2, 0.6**2 + 0.05**2, 0.6**2 + 0.02**2]) / 12
    assert np.diag(model.inertia) == pytest.approx(across, rel=1e-12)


def test_without_rotary_inertia_rotation_about_the_axis_has_no_mass():
    model = assemble(straight_beam(2), rotary_inertia=False)
    assert abs(model.M[3::6]).max() == 0.0
    assert abs(assemble(straight_beam(2)).M[3::6]).max() > 0.0


def test_orientation_does_not_change_frequencies():
    along, oblique = (clamped_modes(assemble(straight_beam(6, **k)), [0], 6)[0] for k in ({}, OBLIQUE))
    # eigenvalues spread over 8 decades: rounding of the largest limits the smallest
    assert oblique == pytest.approx(along, rel=1e-7)


def test_nodes_without_elements_are_left_out():
    from dataclasses import replace

    mesh = straight_beam(3)
    stray = replace(
        mesh,
        points=np.vstack([[9.0, 9, 9], mesh.points]),
        node_ids=np.r_[77, mesh.node_ids],
        blocks=(replace(mesh.blocks[0], nodes=mesh.blocks[0].nodes + 1),),
        node_sets={"TIP": np.array([0, 4])},
    )
    model = assemble(stray)
    assert model.mesh.node_ids.tolist() == mesh.node_ids.tolist()
    assert model.mesh.node_sets["TIP"].tolist() == [3]
    assert abs(model.K - assemble(mesh).K).max() == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(section=None), "no section"),
        (dict(material=None), "no material"),
        (dict(section=rectangle(y_axis=(2.0, 0.0, 0.0))), "parallel"),
        (dict(section=rectangle(torsion_constant=-1.0)), "torsion_constant"),
        (dict(nodes=np.array([[0, 0]]), ids=np.array([8])), "element 8 has zero length"),
        (dict(kind="polyhedron"), "polyhedron"),
    ],
)
def test_impossible_beams_are_named(change, message):
    from dataclasses import replace

    mesh = straight_beam(2)
    with pytest.raises(MeshError, match=message):
        assemble(replace(mesh, blocks=(replace(mesh.blocks[0], **change),)))


def test_unknown_theory_is_refused():
    with pytest.raises(ValueError, match="euler-bernoulli"):
        assemble(straight_beam(2), "euler")
