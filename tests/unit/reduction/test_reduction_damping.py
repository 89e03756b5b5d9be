"""Damping from materials and dashpots: exact where it is uniform, by strain energy elsewhere; ratios by frequency."""

import math
from dataclasses import replace

import numpy as np
import pytest
from mixed_meshes import bar_and_beam
from scipy import linalg
from shell_meshes import flat, sheet

from flexmbs import (
    BodyError,
    ClampedFree,
    CraigBampton,
    Damping,
    DampingByFrequency,
    ElementBlock,
    FreeFree,
    Layer,
    Material,
    PointMass,
    Rayleigh,
    ShellSection,
    SpringSection,
    assemble,
    box_mesh,
    line_mesh,
    read_mesh,
    rectangle,
    reduce,
)
from flexmbs.reduction.reduce import reduce_model

ENDS = {"hinge": "ROOT", "tip": "TIP"}
MODES = ClampedFree("hinge", count=4)
PLAIN = Material("STEEL", 210e9, 0.3, 7850.0)


def bar(*dampings):
    """Bar 0.5 m x 20 mm x 20 mm of hexahedra, cut along its length into blocks with these dampings."""
    mesh = box_mesh((0.5, 0.02, 0.02), (16, 2, 2), PLAIN)
    block, cells = mesh.blocks[0], np.arange(len(mesh.blocks[0].nodes))
    along = mesh.points[block.nodes].mean(axis=1)[:, 0]
    part = np.minimum((along / 0.5 * len(dampings)).astype(int), len(dampings) - 1)
    blocks = tuple(
        replace(block, ids=block.ids[cells[part == i]], nodes=block.nodes[part == i], material=replace(PLAIN, damping=damping))
        for i, damping in enumerate(dampings)
    )
    return replace(mesh, blocks=blocks, element_sets={})


def damped(mesh, damping="material", **options):
    return reduce(mesh, interfaces=ENDS, modes=MODES, second_order="none", damping=damping, **options)


def ratios(body):
    omega = 2.0 * np.pi * body.frequencies
    return np.diag(body.De) / (2.0 * omega * np.diag(body.Me))


def test_one_material_with_rayleigh_damping():
    found, expected = damped(bar(Damping(3.0, 2e-5))), damped(bar(None), Rayleigh(3.0, 2e-5))
    np.testing.assert_allclose(found.De, expected.De, atol=1e-9 * np.abs(expected.De).max())


@pytest.mark.parametrize("dampings", [(Damping(3.0),), (Damping(3.0), None)])
def test_point_masses_are_not_damped_by_the_material(dampings):
    """alpha M of the elements alone: what a mass adds to Me has no part in De."""
    mesh = bar(*dampings)
    tip = mesh.node_sets["TIP"][0]
    heavy = replace(mesh, point_masses=(PointMass("tip mass", int(tip), 2.0, np.zeros((3, 3)), np.zeros(3)),))
    body = damped(heavy)
    spread = np.linalg.eigvalsh(3.0 * body.Me - body.De)
    assert spread.max() > 1e-3 * np.abs(body.De).max() and spread.min() > -1e-9 * np.abs(body.De).max()


def test_one_material_with_a_loss_factor():
    """Every mode has half the loss factor as its damping ratio."""
    np.testing.assert_allclose(ratios(damped(bar(Damping(structural=0.04)))), 0.02, rtol=1e-8)


def test_loss_factors_are_weighted_with_strain_energy():
    """A clamped bar, damped in the half next to the clamp only: parts of strain energy by int w''^2 of the exact mode.

    1 %: shear, and an averaged clamp, which lets the end's section warp.
    """
    found = ratios(damped(bar(Damping(structural=0.1), None)))
    root = 1.875104068711961
    sigma = (np.cosh(root) + np.cos(root)) / (np.sinh(root) + np.sin(root))
    x = np.linspace(0.0, 1.0, 20001)
    bend = np.cosh(root * x) + np.cos(root * x) - sigma * (np.sinh(root * x) + np.sin(root * x))
    part = np.trapezoid(bend[:10001] ** 2, x[:10001]) / np.trapezoid(bend**2, x)
    np.testing.assert_allclose(found[:2], 0.05 * part, rtol=0.01)


def test_parts_add_up_to_the_whole():
    """The same damping stated by two materials is that of one; damping of one half and of the other adds up."""
    first, second = Damping(3.0, 2e-5, 0.01), Damping(3.0, 2e-5, 0.010000000001)  # not the same object or value
    whole = damped(bar(first)).De
    scale = 1e-9 * np.abs(whole).max()
    np.testing.assert_allclose(damped(bar(first, second)).De, whole, atol=scale)
    np.testing.assert_allclose(damped(bar(first, None)).De + damped(bar(None, first)).De, whole, atol=scale)


@pytest.mark.parametrize("kind", ["solid", "beam"])
def test_mixed_bodies(kind):
    """A bar half of solids, half of beams: the damped halves' De add up to that of the same damping everywhere."""
    damping, mesh = Damping(5.0, 1e-5, 0.02), bar_and_beam("rigid")
    ends = {"hinge": "ROOT", "tip": "BEAM TIP"}

    def De(*which):
        blocks = tuple(
            replace(b, material=replace(b.material, damping=damping if i in which else None)) for i, b in enumerate(mesh.blocks)
        )
        fem = assemble(replace(mesh, blocks=blocks))
        return reduce_model(fem, interfaces=ends, modes=MODES, second_order="none", damping="material").De

    whole = De(0, 1)
    part = De(0 if kind == "solid" else 1)
    other = De(1 if kind == "solid" else 0)
    np.testing.assert_allclose(part + other, whole, atol=1e-9 * np.abs(whole).max())
    assert np.all(np.diag(part) > 0.0) and np.all(np.diag(part) < np.diag(whole))


def plate():
    """Quadrilaterals, 1 m x 1 m, held at the edge x = 0."""
    mesh, _ = sheet("quad4", (6, 6), flat(), material=PLAIN)
    return replace(mesh, node_sets={"ROOT": np.flatnonzero(mesh.points[:, 0] < 1e-9)})


def test_shells_of_two_materials():
    mesh = plate()
    block = mesh.blocks[0]
    half = len(block.nodes) // 2
    damping = Damping(structural=0.04)

    def body(first, second):
        blocks = tuple(
            replace(block, ids=block.ids[s], nodes=block.nodes[s], material=replace(block.material, damping=d))
            for s, d in ((slice(half), first), (slice(half, None), second))
        )
        fem = assemble(replace(mesh, blocks=blocks, element_sets={}))
        return reduce_model(fem, interfaces={"hinge": "ROOT"}, modes=MODES, second_order="none", damping="material")

    np.testing.assert_allclose(ratios(body(damping, damping)), 0.02, rtol=1e-8)
    first, second = ratios(body(damping, None)), ratios(body(None, damping))
    np.testing.assert_allclose(first + second, 0.02, rtol=1e-8)
    assert np.all(first > 0.0) and np.all(second > 0.0)


ABAQUS = """*NODE, NSET=ALL
1, 0, 0, 0
2, 1, 0, 0
3, 2, 0, 0
*NSET, NSET=ROOT
1
*ELEMENT, TYPE=B31, ELSET=E
1, 1, 2
2, 2, 3
*BEAM SECTION, ELSET=E, MATERIAL=M, SECTION=RECT
0.1, 0.2
0, 1, 0
*MATERIAL, NAME=M
*ELASTIC
210e9, 0.3
*DENSITY
7850
*DAMPING, STRUCTURAL=0.06
"""


def test_from_a_file(tmp_path):
    (tmp_path / "bar.inp").write_text(ABAQUS)
    body = reduce(
        read_mesh(tmp_path / "bar.inp"),
        interfaces={"hinge": "ROOT"},
        modes=ClampedFree("hinge", count=2),
        second_order="none",
        damping="material",
    )
    np.testing.assert_allclose(ratios(body), 0.03, rtol=1e-8)


def test_refused(blade):
    with pytest.raises(BodyError, match="no material of the mesh has damping"):
        damped(blade)
    with pytest.raises(BodyError, match="damping = 'steel': no such kind of damping. There are: material, adams."):
        damped(blade, "steel")
    with pytest.raises(BodyError, match="must be finite and not negative"):
        damped(line_mesh(1.0, 4, rectangle(0.1, 0.1), replace(PLAIN, damping=Damping(alpha=-1.0))))
    mesh = plate()
    layers = tuple(Layer(replace(PLAIN, damping=d), 0.001) for d in (None, Damping(alpha=1.0)))
    block = replace(mesh.blocks[0], material=None, section=ShellSection(thickness=0.002, layers=layers))
    with pytest.raises(BodyError, match="layers of a shell have different damping"):
        reduce_model(
            assemble(replace(mesh, blocks=(block,))),
            interfaces={"hinge": "ROOT"},
            modes=MODES,
            second_order="none",
            damping="material",
        )


PROFILE = ((100.0, 0.01), (1000.0, 0.1), (math.inf, 1.0))


def free_ratios(body):
    """Frequencies (Hz) and damping ratios of the body's own vibrations: eigenvectors of Ke and Me, damped by De."""
    squares, vectors = linalg.eigh(body.Ke, body.Me)
    De = vectors.T @ body.De @ vectors
    np.testing.assert_allclose(De, np.diag(np.diag(De)), atol=1e-9 * De.max())
    return np.sqrt(squares) / (2.0 * np.pi), np.diag(De) / (2.0 * np.sqrt(squares))


@pytest.mark.parametrize("basis", [ClampedFree("hinge", count=14), CraigBampton("hinge", count=6), FreeFree(count=14)])
@pytest.mark.parametrize("damping", ["adams", DampingByFrequency(PROFILE)])
def test_ratios_by_frequency(basis, damping):
    """Static modes too: by their frequencies in the basis, of which they are a part."""
    mesh = line_mesh(1.0, 10, rectangle(0.01, 0.02), PLAIN)
    frequencies, found = free_ratios(reduce(mesh, interfaces=ENDS, modes=basis, second_order="none", damping=damping))
    expected = np.select([frequencies <= 100.0, frequencies <= 1000.0], [0.01, 0.1], 1.0)
    assert {0.01, 0.1, 1.0} == set(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_a_frequency_belongs_to_the_range_that_it_ends():
    profile = DampingByFrequency([[100, 0.01], [1000, 0.1], [math.inf, 1]])
    assert profile == DampingByFrequency(PROFILE)
    np.testing.assert_array_equal(profile.at(np.array([0.0, 100.0, 100.1, 1000.0, 1e9])), [0.01, 0.01, 0.1, 0.1, 1.0])


@pytest.mark.parametrize(
    "ratios, said",
    [
        (((100.0, 0.01),), "modes above 100 Hz have no ratio; let the last frequency be math.inf"),
        ((), "modes have no ratio"),
        (((100.0, 0.01), (50.0, 0.1), (math.inf, 1.0)), "must be positive .* and rise"),
        (((100.0, 0.01), (100.0, 0.1), (math.inf, 1.0)), "must be positive .* and rise"),
        (((0.0, 0.01), (math.inf, 1.0)), "must be positive .* and rise"),
        (((math.nan, 0.01), (math.inf, 1.0)), "must be positive .* and rise"),
        (((100.0, -0.01), (math.inf, 1.0)), "finite and not negative, got -0.01"),
        (((100.0, 0.01), (math.inf, math.inf)), "finite and not negative, got inf"),
        (((100.0, 0.01), (math.inf, math.nan)), "finite and not negative, got nan"),
        ((100.0, 0.01), "must be pairs"),
        (0.01, "must be pairs"),
        ((("low", 0.01), (math.inf, 1.0)), "must be pairs"),
    ],
)
def test_wrong_ratios_by_frequency(ratios, said):
    with pytest.raises(BodyError, match=said):
        DampingByFrequency(ratios)


def test_unknown_name_of_a_profile():
    with pytest.raises(BodyError, match="damping = 'adam': no such kind of damping. Did you mean adams?"):
        damped(line_mesh(1.0, 4, rectangle(0.1, 0.1), PLAIN), "adam")


@pytest.mark.parametrize("whole", [True, False])
def test_springs_are_not_damped_by_a_material_that_they_have(whole):
    """A material given to all blocks, or to some springs alone, says nothing of springs: they have dashpots."""
    mesh = bar(Damping(beta=2e-5))
    tip, section = mesh.node_sets["TIP"], SpringSection(np.array([1e5, 0.0, 0.0, 0.0, 0.0, 0.0]), axial=True)
    material = mesh.blocks[0].material
    springs = [
        ElementBlock("spring2", np.array([9001 + i]), tip[[i, i + 1]][None], given, section)
        for i, given in enumerate((material, material if whole else None))
    ]
    free = [replace(block, material=None) for block in springs]
    found, expected = (damped(replace(mesh, blocks=(*mesh.blocks, *blocks))) for blocks in (springs, free))
    np.testing.assert_array_equal(found.De, expected.De)
