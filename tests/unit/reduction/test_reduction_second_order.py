"""Second-order fields against the coupling shape function of a beam, and of solids against beams."""

import numpy as np
import pytest

from flexmbs import ClampedFree, Interface, reduce


@pytest.fixture(scope="module")
def strip(blade):
    return reduce(
        blade,
        interfaces={"hinge": "ROOT", "tip": "TIP"},
        modes=ClampedFree("hinge", bending=(3, 1)),
        beam_theory="euler-bernoulli",
        rotary_inertia=False,
    )


def slope_products(body, a, b):
    """int_0^x phi_a'.phi_b' at the nodes; quartic in each Hermite element, so three Gauss points are exact."""
    h, places_weights = np.diff(body.points[:, 0])[:, None], np.polynomial.legendre.leggauss(3)
    xi, weights = 0.5 + 0.5 * places_weights[0][None], 0.5 * places_weights[1]

    def slope(mode, axis, turn, sign):
        v, s = body.modes[mode, :, axis][:, None], sign * body.rotations[mode, :, turn][:, None]
        return 6 * (xi**2 - xi) * (v[:-1] - v[1:]) / h + (1 - 4 * xi + 3 * xi**2) * s[:-1] + (3 * xi**2 - 2 * xi) * s[1:]

    product = sum(slope(a, *w) * slope(b, *w) for w in ((1, 2, 1.0), (2, 1, -1.0)))
    per_element = product @ weights * h[:, 0]
    return np.concatenate([[0.0], np.cumsum(per_element)])


def test_beam_shortens_by_the_product_of_slopes(strip):
    """Sheng, Liu and Yu (2006): u_x = -1/2 int_0^x (phi')^2 for inextensible bending."""
    for p, (a, b) in enumerate(strip.pairs):
        expected = -(0.5 if a == b else 1.0) * slope_products(strip, a, b)
        # rounding of the static solution, eps * cond(K)
        np.testing.assert_allclose(strip.quadratic[p, :, 0], expected, atol=1e-9 * np.abs(strip.quadratic).max())


def test_marker_takes_the_nodes_second_order_motion(strip):
    np.testing.assert_array_equal(strip.markers["tip"].Zu, strip.quadratic[:, -1])
    np.testing.assert_array_equal(strip.markers["tip"].Zr, strip.quadratic_rotations[:, -1])


@pytest.mark.parametrize("kind", ["averaged", "rigid"])
def test_solid_bar_has_the_beams_second_order_motion(square_beam, square_solid, kind):
    choice = ClampedFree("hinge", bending=(2, 2))
    interfaces = {"hinge": Interface(set="ROOT", kind=kind), "tip": Interface(set="TIP", kind=kind)}
    solid = reduce(square_solid, interfaces=interfaces, modes=choice)
    beam = reduce(square_beam, interfaces=interfaces, modes=choice)
    for field in ("Zu", "Zr"):
        found, expected = getattr(solid.markers["tip"], field), getattr(beam.markers["tip"], field)
        # mode shapes of the two differ by about h / L / 4 = 1 % at the held end, their products by twice that
        np.testing.assert_allclose(found, expected, atol=0.03 * np.abs(expected).max())


def test_solid_turned_on_its_side_has_the_same_body(square_solid):
    """Nothing depends on the mesh axes: modes of the bar along z are those of the bar along x."""
    from dataclasses import replace

    turn = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # x -> y, y -> z, z -> x
    upright = replace(square_solid, points=square_solid.points @ turn.T)
    interfaces = {"hinge": "ROOT", "tip": "TIP"}
    flat = reduce(square_solid, interfaces=interfaces, modes=ClampedFree("hinge", bending=(2, 1)))
    tall = reduce(upright, interfaces=interfaces, modes=ClampedFree("hinge", bending=(1, 2)))
    assert tall.mode_labels == ("bending x 1", "bending z 1", "bending z 2")
    np.testing.assert_allclose(tall.frequencies, flat.frequencies, rtol=1e-8)
    axial = flat.markers["tip"].Zu[:, 0]
    np.testing.assert_allclose(
        np.sort(np.abs(tall.markers["tip"].Zu[:, 1])), np.sort(np.abs(axial)), atol=1e-6 * np.abs(axial).max()
    )
