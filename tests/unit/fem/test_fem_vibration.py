"""Natural modes of held and free models."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, box, straight_beam
from mixed_meshes import bar_and_beam

from flexmbs import (
    BodyError,
    BodyWarning,
    BoundaryCondition,
    CoordinateSystem,
    Material,
    MeshError,
    assemble,
    box_mesh,
    line_mesh,
    natural_modes,
    rectangle,
)
from flexmbs.fem.supports import held_components


@pytest.fixture(scope="module")
def beam():
    return assemble(line_mesh(1.0, 20, rectangle(0.004, 0.02), STEEL))


def test_clamped_beam_has_the_frequencies_of_the_characteristic_equation(beam):
    modes = natural_modes(beam, held_components(beam, ["ROOT"]), 2)
    section = rectangle(0.004, 0.02)
    # 1.8751 is the first root of cos x cosh x = -1; shear and rotary inertia lower slender modes by 2e-5 and 5e-4.
    for found, inertia in zip(modes.frequencies, (section.Iz, section.Iy), strict=True):
        exact = 1.875104**2 * np.sqrt(210e9 * inertia / (7850.0 * section.area)) / (2 * np.pi)
        assert found == pytest.approx(exact, rel=1e-3)
    # Participation of the first clamped-free mode: 0.6131 of the mass (Blevins, Formulas for Natural Frequency, 8-16).
    assert modes.effective_mass[0, 1] / beam.mass == pytest.approx(0.6131, abs=1e-3)


@pytest.mark.parametrize("kind", ["hex20", "wedge15"])
def test_free_solid_has_six_rigid_body_motions_and_all_its_mass(kind):
    model = assemble(box(kind, (4, 1, 1), size=(1.0, 0.1, 0.05)))
    modes = natural_modes(model, np.zeros(model.ndof, bool), 4)
    assert np.count_nonzero(modes.frequencies == 0.0) == 6 and len(modes.frequencies) == 10
    assert np.all(np.diff(modes.frequencies) >= 0.0)
    sums = modes.effective_mass.sum(axis=0)
    assert sums[:3] == pytest.approx(np.full(3, model.mass), rel=1e-9)
    assert sums[3:] == pytest.approx(np.diag(model.inertia), rel=1e-6)
    assert modes.shapes.T @ (model.M @ modes.shapes) == pytest.approx(np.eye(10), abs=1e-6)


@pytest.mark.parametrize(
    "mesh",
    [box_mesh((2.4, 0.04, 0.02), (120, 1, 1), STEEL), straight_beam(2000, 2.4, section=rectangle(0.02, 0.04))],
    ids=["solid", "beam"],
)
def test_slender_free_bodies_have_six_rigid_body_motions(mesh):
    """Their first elastic mode lies low, and must be told from rounding."""
    model = assemble(mesh)
    frequencies = natural_modes(model, np.zeros(model.ndof, bool), 3).frequencies
    assert np.count_nonzero(frequencies == 0.0) == 6
    radius, speed = 0.02 / np.sqrt(12.0), np.sqrt(STEEL.youngs_modulus / STEEL.density)
    # cosh(r) cos(r) = 1 for r = 4.730041; shear and rotary inertia lower it by 3e-4
    assert frequencies[6] == pytest.approx(4.730041**2 / (2.0 * np.pi * 2.4**2) * speed * radius, rel=1e-3)


def chain(elements, length=100.0):
    """A square rod of aluminium, 3.46 mm thick and 100 m long."""
    return assemble(line_mesh(length, elements, rectangle(np.sqrt(1.2e-5), np.sqrt(1.2e-5)), Material("AL", 7e10, 0.3, 2700.0)))


def bending(root, length=100.0):
    """Hz, of a root of the characteristic equation (Blevins, Formulas for Natural Frequency, 8-1)."""
    return (root / length) ** 2 * np.sqrt(7e10 * 1.2e-5 / 12.0 / 2700.0) / (2.0 * np.pi)


def test_elastic_modes_of_a_long_chain_are_no_rigid_motion():
    modes = natural_modes(chain(5000), np.zeros(6 * 5001, bool), 2)
    assert np.count_nonzero(modes.frequencies == 0.0) == 6
    # some 0.2 % off the exact frequency: rounding of K, whose largest entries are 5e14 times this omega^2 M
    np.testing.assert_allclose(modes.frequencies[6:8], bending(4.730041), rtol=5e-3)
    assert not modes.warnings


@pytest.mark.parametrize(("elements", "said"), [(1000, ""), (3000, "is uncertain by about"), (5000, "2 more modes are at 0 Hz")])
def test_frequencies_that_rounding_blurs_are_said(elements, said):
    held = np.zeros(6 * (elements + 1), bool)
    held[:6] = True
    if not said:
        modes = natural_modes(chain(elements), held, 2)
        np.testing.assert_allclose(modes.frequencies, bending(1.875104), rtol=1e-3)
        assert not modes.warnings
        return
    with pytest.warns(BodyWarning, match=said):
        modes = natural_modes(chain(elements), held, 3)
    (warning,) = modes.warnings
    assert said in warning and "mesh it with fewer" in warning


def test_many_loose_bars_have_as_many_motions_as_they_are_parts():
    bar = straight_beam(4)
    points = np.concatenate([bar.points + [0.0, 0.1 * k, 0.0] for k in range(27)])
    nodes = np.concatenate([bar.blocks[0].nodes + 5 * k for k in range(27)])
    block = replace(bar.blocks[0], ids=np.arange(1, 109), nodes=nodes)
    mesh = replace(bar, points=points, node_ids=np.arange(1, 136), blocks=(block,))
    modes = natural_modes(assemble(mesh), np.zeros(27 * 5 * 6, bool), 3)
    assert np.count_nonzero(modes.frequencies == 0.0) == 6 * 27 and np.all(modes.frequencies[6 * 27 :] > 1.0)


def test_small_and_large_solvers_agree():
    """The dense solver below 500 dofs and shift-invert Lanczos above, on the same mesh but for one element."""
    small, large = (assemble(box("hex20", (n, 1, 1), size=(n / 10, 0.1, 0.05))) for n in (10, 18))
    assert small.ndof < 500 < large.ndof
    for model in (small, large):
        held = np.repeat(model.mesh.points[:, 0] < 1e-9, 3)
        modes = natural_modes(model, held, 3)
        free = np.flatnonzero(~held)
        K, M = (matrix.tocsr()[free][:, free] for matrix in (model.K, model.M))
        residual = K @ modes.shapes[free] - M @ modes.shapes[free] * (2 * np.pi * modes.frequencies) ** 2
        assert np.abs(residual).max() <= 1e-8 * np.abs(K @ modes.shapes[free]).max()


def test_all_modes_up_to_a_frequency(beam):
    held = held_components(beam, ["ROOT"])
    twenty = natural_modes(beam, held, 20).frequencies
    limit = 0.5 * (twenty[16] + twenty[17])
    assert natural_modes(beam, held, max_hz=limit).frequencies == pytest.approx(twenty[:17], rel=1e-9)
    everything = natural_modes(beam, held, max_hz=1e12).frequencies
    assert len(everything) <= beam.ndof - 6 and everything[:20] == pytest.approx(twenty, rel=1e-6)


def test_fewer_modes_than_asked_for_are_said_once():
    """Of the twelve modes of a free beam of two nodes six are rigid."""
    beam = assemble(line_mesh(1.0, 1, rectangle(0.004, 0.02), STEEL))
    free = np.zeros(beam.ndof, bool)
    with pytest.warns(BodyWarning) as said:
        modes = natural_modes(beam, free, 12)
        assert natural_modes(beam, free, 6).warnings == ()
    assert modes.warnings == ("12 elastic modes were requested; the mesh has 6.",)
    (warning,) = said
    assert modes.warnings[0] in str(warning.message) and warning.filename == __file__


def test_parts_that_move_without_resistance_are_said():
    """A beam joined to the end of a bar without its rotations turns about it."""
    mesh = bar_and_beam("average", divisions=(2, 1, 1), elements=1)
    hinge = replace(mesh.couplings[0], dofs=(1, 2, 3))
    joined = assemble(replace(mesh, couplings=(hinge,)))
    with pytest.warns(BodyWarning, match="can turn|can move"):
        modes = natural_modes(joined, np.zeros(joined.ndof, bool), 2)
    assert np.count_nonzero(modes.frequencies == 0.0) > 6 and len(modes.warnings) == 1


def test_supports_of_the_file(beam):
    tip = BoundaryCondition("PIN", beam.mesh.node_sets["TIP"], (1, 2, 3), "a.inp:5")
    pinned = replace(beam.mesh, boundary_conditions=(tip,))
    held = held_components(assemble(pinned))
    assert np.flatnonzero(held).tolist() == [120, 121, 122]
    assert not held_components(assemble(pinned), []).any()
    system = CoordinateSystem("C", "cylindrical", np.zeros(3), np.eye(3))
    local = {"coordinate_systems": {"C": system}, "displacement_systems": {"C": tip.nodes}}
    assert held_components(assemble(replace(pinned, **local))).sum() == 3  # all three: the axes do not matter


def test_single_components_in_local_axes(beam):
    """A guide under 30 degrees at the tip: the same as the beam turned by them under a guide along the axes."""
    angle = np.radians(30.0)
    turn = np.array([[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0.0, 0.0, 1.0]])
    system = CoordinateSystem("C", "rectangular", np.zeros(3), turn)
    tip, root = beam.mesh.node_sets["TIP"], beam.mesh.node_sets["ROOT"]
    supports = (BoundaryCondition("ROOT", root, (1, 2, 3, 4, 5, 6)), BoundaryCondition("GUIDE", tip, (2,)))
    local = replace(beam.mesh, boundary_conditions=supports, coordinate_systems={"C": system}, displacement_systems={"C": tip})
    section = rectangle(0.004, 0.02, turn.T @ [0.0, 1.0, 0.0])
    turned = line_mesh(1.0, 20, section, STEEL, direction=turn.T @ [1.0, 0.0, 0.0])
    frequencies = []
    for mesh in (local, replace(turned, boundary_conditions=supports)):
        model = assemble(mesh)
        modes = natural_modes(model, held_components(model), 5)
        frequencies.append(modes.frequencies)
    assert frequencies[0] == pytest.approx(frequencies[1], rel=1e-9)
    assert abs(modes.shapes[120:123, 0] @ [0.0, 1.0, 0.0]) < 1e-12


def test_impossible_requests(beam):
    with pytest.raises(BodyError, match="every node is fixed"):
        natural_modes(beam, np.ones(beam.ndof, bool))
    with pytest.raises(BodyError, match="at least 1 mode"):
        natural_modes(beam, np.zeros(beam.ndof, bool), 0)
    with pytest.raises(MeshError, match="no node set TOP"):
        held_components(beam, ["TOP"])
    assert len(natural_modes(assemble(straight_beam(1)), np.zeros(12, bool), 12).frequencies) <= 12
    with pytest.raises(BodyError, match="1,000,000 modes .* only 12 degrees of freedom"):
        natural_modes(assemble(straight_beam(1)), np.zeros(12, bool), 1_000_000)


def test_rigid_motions_that_supports_leave_are_no_doubt():
    """A hinge about z at one end of a beam, and a bar of solids held at the nodes of one edge."""
    beam = assemble(line_mesh(1.0, 20, rectangle(0.004, 0.02), STEEL))
    held = np.zeros(beam.ndof, bool)
    held[:5] = True
    hinged = natural_modes(beam, held, 2)
    assert np.count_nonzero(hinged.frequencies == 0.0) == 1 and not hinged.warnings
    solid = assemble(box_mesh((1.0, 0.1, 0.1), (4, 1, 1), STEEL, "hex8"))
    edge = np.flatnonzero(np.abs(solid.mesh.points[:, :2]).max(axis=1) < 1e-9)
    held = np.zeros(solid.ndof, bool)
    held[(3 * edge[:, None] + np.arange(3)).ravel()] = True
    turning = natural_modes(solid, held, 2)
    assert np.count_nonzero(turning.frequencies == 0.0) == 1 and not turning.warnings
