"""What users choose and get told: modes, interfaces, damping."""

from dataclasses import replace

import numpy as np
import pytest

from flexmbs import BodyError, ClampedFree, FreeFree, Interface, Material, Rayleigh, SecondOrder, line_mesh, rectangle, reduce

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)


@pytest.fixture(scope="module")
def short_beam():
    return line_mesh(1.0, 6, rectangle(0.004, 0.02), STEEL)


def reduced(mesh, modes=None, **options):
    interfaces = options.pop("interfaces", {"hinge": "ROOT", "tip": "TIP"})
    return reduce(mesh, interfaces=interfaces, modes=modes or ClampedFree("hinge", count=3), **options)


def test_labels_of_a_beam(blade):
    body = reduced(blade, ClampedFree("hinge", bending=(2, 1), axial=1, torsion=1))
    assert body.mode_labels == ("bending y 1", "bending z 1", "bending y 2", "torsion 1", "axial 1")
    largest = np.abs(body.modes).max(axis=(0, 1))
    np.testing.assert_allclose(largest, 1.0, rtol=1e-12)
    torsion = body.mode_labels.index("torsion 1")
    assert np.abs(body.rotations[torsion]).max() == pytest.approx(1.0) and not np.abs(body.modes[torsion]).any()


def test_one_number_of_bending_modes_takes_the_lowest_of_both_planes(blade):
    body = reduced(blade, ClampedFree("hinge", bending=3))
    assert body.mode_labels == ("bending y 1", "bending z 1", "bending y 2")


def test_beam_across_the_mesh_axes_is_chosen_by_count(short_beam):
    skew = line_mesh(1.0, 6, rectangle(0.004, 0.02, y_axis=(-1.0, 1.0, 0.0)), STEEL, direction=(1.0, 1.0, 0.0))
    body = reduced(skew)
    np.testing.assert_allclose(body.frequencies, reduced(short_beam).frequencies, rtol=1e-7)
    assert body.mode_labels == ("mode 1", "mode 2", "mode 3")
    with pytest.raises(BodyError, match="select modes by count"):
        reduced(skew, ClampedFree("hinge", bending=2))


def test_equal_bending_frequencies_are_turned_to_the_axes(square_solid):
    body = reduced(square_solid, ClampedFree("hinge", count=3))
    assert body.mode_labels == ("bending y 1", "bending z 1", "bending y 2")
    tip = body.markers["tip"].Phi
    np.testing.assert_allclose(tip[0], [0.0, tip[0, 1], 0.0], atol=1e-6)
    assert tip[0, 1] > 0.9 and tip[1, 2] > 0.9  # positive sign convention


def test_every_existing_mode_can_be_had_and_no_more(short_beam):
    body = reduced(short_beam, ClampedFree("hinge", count=36), second_order="none")  # 6 free nodes x 6
    assert body.mode_count == 36
    with pytest.raises(BodyError, match="has only 36"):
        reduced(short_beam, ClampedFree("hinge", count=37))
    with pytest.raises(BodyError, match="7 axial modes were requested, but this mesh has only 6"):
        reduced(short_beam, ClampedFree("hinge", axial=7))
    with pytest.raises(BodyError, match="torsion modes were requested, but this mesh has only 0"):
        reduced(short_beam, ClampedFree("hinge", torsion=1), rotary_inertia=False)


@pytest.mark.parametrize(
    ("modes", "message"),
    [
        (ClampedFree("hinge"), "nothing was given"),
        (ClampedFree("hinge", count=2, bending=1), "both were given"),
        (ClampedFree("hinge", count=-1), "whole number"),
        (ClampedFree("hinge", count=1.5), "whole number"),
        (ClampedFree("hinge", bending=(1, 2, 3)), "pair"),
        (FreeFree(max_frequency=float("nan")), "max_frequency"),
        (ClampedFree("hing", count=1), "no such interface; there are: hinge, tip"),
        ("clamped", "ClampedFree"),
    ],
)
def test_wrong_choice_of_modes(short_beam, modes, message):
    with pytest.raises(BodyError, match=message):
        reduced(short_beam, modes)


@pytest.mark.parametrize(
    ("interface", "message"),
    [
        ("ROT", "no node set 'ROT'.*Did you mean ROOT"),
        (Interface(node=99), "no node 99; its nodes are numbered 1 to 7"),
        (Interface(), "exactly one of set, node, point and coupling"),
        (Interface(set="ROOT", node=1), "exactly one of set, node, point and coupling"),
        (Interface(set="ROOT", kind="glued"), "averaged"),
        (Interface(point=(0.0, float("nan"), 0.0)), "three finite coordinates"),
        (Interface(point=(0.0, 1.0, 0.0)), "interface 'hinge': .*1"),
        (3, "must be the name of a node set or an Interface"),
    ],
)
def test_wrong_interface(short_beam, interface, message):
    with pytest.raises(BodyError, match=message):
        reduced(short_beam, interfaces={"hinge": interface})


def test_empty_set(short_beam):
    empty = replace(short_beam, node_sets={"ROOT": np.array([], dtype=int)})
    with pytest.raises(BodyError, match="node set 'ROOT' is empty"):
        reduced(empty, interfaces={"hinge": "ROOT"})


def test_one_node_of_a_solid_cannot_hold_it(square_solid):
    with pytest.raises(BodyError, match="determine no rotation"):
        reduced(square_solid, interfaces={"hinge": Interface(node=1)})


def test_an_interface_without_rotation_is_told_of(square_solid):
    points = square_solid.points
    edge = np.flatnonzero((points[:, 0] == 0.5) & (points[:, 1] == points[:, 1].max()))
    mesh = replace(square_solid, node_sets={**square_solid.node_sets, "EDGE": edge})
    interfaces = {"hinge": "ROOT", "corner": Interface(node=1), "edge": "EDGE"}
    body = reduced(mesh, interfaces=interfaces, second_order="none")
    one, line = (warning for warning in body.warnings if "only forces and spherical joints" in warning)
    assert "interface 'corner': its node of a solid determines no rotation" in one
    assert "interface 'edge': its nodes in one line of a solid determine no rotation" in line


def test_rigid_sets_that_share_nodes(square_solid):
    both = {"hinge": Interface(set="ROOT", kind="rigid"), "tip": Interface(set="ALL", kind="rigid")}
    with pytest.raises(BodyError, match="'hinge' and 'tip' overlap: they share"):
        reduced(square_solid, interfaces=both)


def test_material_point_of_a_beam_lies_between_its_nodes(short_beam):
    body = reduced(short_beam, interfaces={"hinge": "ROOT", "middle": Interface(point=(0.5 / 6, 0.0, 0.0))})
    middle = body.markers["middle"]
    first, second = body.modes[0, 1, 1], middle.Phi[0, 1]
    assert 0.2 < second / first < 0.3  # a clamped end leaves as x^2


def test_damping(short_beam):
    plain = reduced(short_beam)
    assert not plain.De.any()
    omega = 2.0 * np.pi * plain.frequencies
    np.testing.assert_allclose(np.diag(reduced(short_beam, damping=0.02).De), 0.04 * omega * np.diag(plain.Me))
    ratios = np.array([0.01, 0.02, 0.03])
    np.testing.assert_allclose(np.diag(reduced(short_beam, damping=ratios).De), 2 * ratios * omega * np.diag(plain.Me))
    De = reduced(short_beam, damping=Rayleigh(alpha=2.0, beta=1e-4)).De
    np.testing.assert_allclose(De, 2.0 * plain.Me + 1e-4 * plain.Ke)
    for wrong in (-0.1, float("nan"), [0.1, 0.2], "much"):
        with pytest.raises(BodyError, match="damping"):
            reduced(short_beam, damping=wrong)


def test_wrong_second_order_and_theory(short_beam):
    with pytest.raises(BodyError, match="second_order must be"):
        reduced(short_beam, second_order="some")
    with pytest.raises(BodyError, match="pairs must be of modes 0 to 2"):
        reduced(short_beam, second_order=SecondOrder(pairs=[(0, 3)]))
    with pytest.raises(BodyError, match="beam_theory"):
        reduced(short_beam, beam_theory="vlasov")
