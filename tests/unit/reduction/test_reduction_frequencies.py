"""Frequencies of reduced bodies against exact and independent values."""

import numpy as np
import pytest

from flexmbs import ClampedFree, FreeFree, Interface, Material, read_mesh, reduce, with_material

# Roots of cos x cosh x = -1 (clamped-free) and = 1 (free-free), 16 digits
CLAMPED_FREE = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613])
FREE_FREE = np.array([4.730040744862704, 7.853204624095838, 10.99560783800167])


def bar_frequencies(roots, length, thickness, E=210e9, density=7850.0):
    return (roots / length) ** 2 * np.sqrt(E * thickness**2 / 12.0 / density) / (2.0 * np.pi)


@pytest.mark.parametrize(("kind", "thickness"), [("bending y", 0.004), ("bending z", 0.02)])
@pytest.mark.parametrize(
    ("modes", "roots"), [(ClampedFree("hinge", bending=(3, 3)), CLAMPED_FREE), (FreeFree(bending=(3, 3)), FREE_FREE)]
)
def test_line_mass_beam_has_the_exact_frequencies(blade, modes, roots, kind, thickness):
    body = reduce(blade, interfaces={"hinge": "ROOT"}, modes=modes, beam_theory="euler-bernoulli", rotary_inertia=False)
    found = [f for f, label in zip(body.frequencies, body.mode_labels, strict=True) if label.startswith(kind)]
    # Hermite elements: error (x h)^4 / 720 of a root x, 5e-7 for the third with 80 elements
    np.testing.assert_allclose(found, bar_frequencies(roots, 1.0, thickness), rtol=1e-6)


def test_axial_and_torsional_frequencies_of_a_beam(square_beam):
    body = reduce(square_beam, interfaces={"hinge": "ROOT"}, modes=ClampedFree("hinge", axial=1, torsion=1))
    by_label = dict(zip(body.mode_labels, body.frequencies, strict=True))
    # Saint-Venant torsion of a square: J = 0.1406 a^4, polar Ip = a^4 / 6; linear elements: error (pi h / 2 L)^2 / 24
    G = 210e9 / 2.6
    assert by_label["axial 1"] == pytest.approx(np.sqrt(210e9 / 7850.0) / (4 * 0.5), rel=1e-4)
    assert by_label["torsion 1"] == pytest.approx(np.sqrt(G * 0.1406 * 6.0 / 7850.0) / (4 * 0.5), rel=5e-4)


@pytest.mark.parametrize("kind", ["averaged", "rigid"])
def test_solid_bar_agrees_with_the_beam(square_beam, square_solid, kind):
    """An averaged end may warp, a rigid one cannot contract: each shifts frequencies by about h / L / 4 = 1 %."""
    choice = ClampedFree("hinge", bending=(2, 2), torsion=1, axial=1)
    solid = reduce(square_solid, interfaces={"hinge": Interface(set="ROOT", kind=kind)}, modes=choice)
    beam = reduce(square_beam, interfaces={"hinge": "ROOT"}, modes=choice)
    assert solid.mode_labels == beam.mode_labels
    np.testing.assert_allclose(solid.frequencies, beam.frequencies, rtol=0.012)


def test_averaged_end_is_softer_than_rigid_end(square_solid):
    averaged, rigid = (
        reduce(
            square_solid,
            interfaces={"hinge": Interface(set="ROOT", kind=kind)},
            modes=ClampedFree("hinge", count=8),
            second_order="none",
        ).frequencies
        for kind in ("averaged", "rigid")
    )
    assert np.all(averaged < rigid)


@pytest.mark.parametrize("mesh_file", ["pendulum_hex20.inp", "pendulum_tet10.msh"])
@pytest.mark.parametrize(("kind", "tolerance"), [("averaged", 0.003), ("rigid", 0.007)])
def test_pendulum_of_solids_agrees_with_the_beam(meshes, mesh_file, kind, tolerance):
    choice = ClampedFree("hinge", bending=(6, 0))
    beam = reduce(read_mesh(meshes / "pendulum_beam.inp"), interfaces={"hinge": "ROOT"}, modes=choice)
    mesh = with_material(read_mesh(meshes / mesh_file), Material("STEEL", 210e9, 0.3, 7850.0))
    solid = reduce(mesh, interfaces={"hinge": Interface(set="ROOT", kind=kind)}, modes=choice, second_order="none")
    np.testing.assert_allclose(solid.frequencies, beam.frequencies, rtol=tolerance)


def test_modes_up_to_a_frequency(blade):
    choice = ClampedFree("hinge", max_frequency=100.0)
    body = reduce(blade, interfaces={"hinge": "ROOT"}, modes=choice, second_order="none")
    more = reduce(blade, interfaces={"hinge": "ROOT"}, modes=ClampedFree("hinge", count=20), second_order="none")
    np.testing.assert_array_equal(body.frequencies, more.frequencies[more.frequencies <= 100.0])
    assert body.mode_count >= 4  # 3.3, 16.5, 20.4 and 57 Hz


# CalculiX 2.20, C3D10, E = 210 GPa, nu = 0.3, rho = 7850 kg/m3 (set NBIG held; free after six rigid-body modes), Hz
CONROD = {
    "clamped": [404.8507, 968.3384, 2499.678, 2720.516, 4330.167, 6545.78, 7071.13, 9093.296, 9894.038, 11862.63],
    "free": [1113.203, 2172.715, 2835.091, 3224.439, 5117.564, 6091.48, 6288.194, 7964.236, 8758.805, 9504.319],
}


@pytest.mark.slow
@pytest.mark.parametrize("hold", ["clamped", "free"])
def test_connecting_rod_agrees_with_calculix(meshes, hold):
    modes = ClampedFree("big", count=10) if hold == "clamped" else FreeFree(count=10)
    mesh = read_mesh(meshes / "conrod.inp")
    kind = "rigid" if hold == "clamped" else "averaged"  # a rigid set would stiffen the free rod, too
    body = reduce(mesh, interfaces={"big": Interface(set="NBIG", kind=kind)}, modes=modes, second_order="none")
    # CalculiX integrates the mass with 4 points, which moves frequencies by up to 7e-5 in its lowest modes
    np.testing.assert_allclose(body.frequencies, CONROD[hold], rtol=1e-3 if hold == "free" else 3e-4)
