"""Thickness and sections given to meshes that have none, and the units that materials look like."""

import math

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import (
    ElementBlock,
    Layer,
    Mesh,
    MeshError,
    ShellSection,
    TrussSection,
    box_mesh,
    circle,
    mass_properties,
    with_material,
)
from flexmbs.mesh.material_units import check_units, usual_units

SQUARE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.0), (0, 2, 0)])
STEEL = {"youngs_modulus": 210e9, "poisson_ratio": 0.3, "density": 8000.0}


def bare(*blocks):
    return Mesh(SQUARE, np.arange(1, 6), blocks, source="bare.msh", file_format="Gmsh")


def frame():
    """Three sides of the square as beams, along x and along y, and a truss."""
    ids = np.array([1, 2, 3])
    return bare(
        ElementBlock("beam2", ids, np.array([(0, 1), (1, 2), (2, 3)])), ElementBlock("truss2", ids[:1] + 3, np.array([(3, 4)]))
    )


def test_one_thickness_for_all_shells():
    mesh = bare(ElementBlock("quad4", np.array([1]), np.array([(0, 1, 2, 3)]), thickness=np.full((1, 4), 0.5)))
    mesh = with_material(fm.with_thickness(mesh, 0.002), **STEEL)
    assert mass_properties(mesh).mass == pytest.approx(16.0)
    assert fm.check_mesh(mesh) is not None and mesh.blocks[0].section.thickness == 0.002


def test_sections_of_beams_and_trusses_by_text_or_object():
    mesh = with_material(fm.with_section(fm.with_section(frame(), "rect:0.02,0.01"), "area:3e-4"), **STEEL)
    assert mass_properties(mesh).mass == pytest.approx((3 * 2e-4 + 3e-4) * 8000.0)
    fm.check_mesh(mesh)
    pipe = fm.with_section(frame(), "pipe:0.02,0.002").blocks[0].section
    assert pipe.area == pytest.approx(math.pi * (0.02**2 - 0.018**2))
    same = fm.with_section(frame(), circle(0.01)).blocks[0].section
    assert same.Iy == pytest.approx(fm.with_section(frame(), "circle:0.01").blocks[0].section.Iy)
    assert fm.with_section(frame(), TrussSection(1e-4)).blocks[0].section is None


def test_local_y_is_across_every_beam():
    beams = fm.with_section(frame(), "rect:0.02,0.01").blocks[0]
    assert beams.y_axes.tolist() == [[0, 1, 0], [1, 0, 0], [0, 1, 0]]
    with_own = bare(ElementBlock("beam2", np.array([1]), np.array([(1, 2)]), y_axes=np.array([(0, 0, 1.0)])))
    assert fm.with_section(with_own, "rect:0.02,0.01").blocks[0].y_axes.tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("text", ["round:1", "rect:1", "rect:1,x", "circle:-1", "circle:", "pipe:1,2,3", "", "area:x"])
def test_texts_that_are_no_section(text):
    with pytest.raises(MeshError, match=r"is unknown.*Give rect:WIDTH_Y,WIDTH_Z"):
        fm.with_section(frame(), text)


def test_what_cannot_be_given():
    solid = box_mesh((1, 1, 1), (1, 1, 1))
    with pytest.raises(MeshError, match="no shell elements.*hex20"):
        fm.with_thickness(solid, 0.01)
    with pytest.raises(MeshError, match="no beam elements.*hex20"):
        fm.with_section(solid, "circle:0.01")
    with pytest.raises(MeshError, match="no truss elements"):
        fm.with_section(solid, "area:1e-4")
    plate = ElementBlock("quad4", np.array([1]), np.array([(0, 1, 2, 3)]))
    with pytest.raises(MeshError, match=r"2 m on a mesh that is 1 m long: give it in m.*\(if you meant mm: 0.002"):
        fm.with_thickness(bare(plate), 2.0)
    with pytest.raises(MeshError, match="positive"):
        fm.with_thickness(bare(plate), -1.0)
    layered = ElementBlock("quad4", np.array([1]), np.array([(0, 1, 2, 3)]), section=ShellSection(0.1, (Layer(None, 0.1),)))
    with pytest.raises(MeshError, match="1 layers"):
        fm.with_thickness(bare(layered), 0.01)


def test_the_message_that_asks_shows_the_call():
    shell, beam = ElementBlock("quad4", np.array([1]), np.array([(0, 1, 2, 3)])), frame()
    shown = mass_properties(bare(shell)).missing + mass_properties(beam).missing
    for call in (
        "with_thickness(mesh, T)",
        "--thickness T",
        "with_section(mesh, 'circle:RADIUS')",
        "--section rect:WIDTH_Y,WIDTH_Z",
        "with_section(mesh, 'area:A')",
        "--material E,NU,RHO",
    ):
        assert any(call in sentence for sentence in shown), call
    with pytest.raises(MeshError, match="--thickness T"):
        fm.check_mesh(with_material(bare(shell), **STEEL))
    with pytest.raises(MeshError, match="--section area:A"):
        fm.check_mesh(with_material(fm.with_section(beam, "circle:0.01"), **STEEL))


@pytest.mark.parametrize(
    ("modulus", "density", "names"),
    [
        (207000, 7.93, "MPa and g/cm3"),
        (2.9e7, 0.283, "psi and lb/in3"),
        (70, 2.7, "GPa and g/cm3"),
        (2.1e12, 7.85, "dyn/cm2 and g/cm3"),
        (29000, 0.284, "ksi and lb/in3"),
        (2000, 1.15, "MPa and g/cm3"),
    ],
)
def test_moduli_and_densities_of_no_system_get_a_remark(modulus, density, names):
    assert usual_units(modulus, density).name == names
    mesh = with_material(box_mesh((1, 0.1, 0.1), (2, 1, 1)), fm.Material("S", modulus, 0.3, density))
    (remark,) = check_units(mesh)
    assert names in remark
    assert ("--units 0.01,0.001,1" in remark) == ("dyn" in names)


@pytest.mark.parametrize(("modulus", "density"), [(1e20, 1e-20), (5.0, 1e-9), (1e6, 15.0), (0.1, 1000.0)])
def test_stand_ins_and_soft_materials_get_none(modulus, density):
    assert usual_units(modulus, density) is None


def test_one_stand_in_among_materials_of_a_known_system_gets_none():
    one, other = (
        ElementBlock("tet4", np.array([i]), np.array([(0, 1, 2, 4)]), fm.Material(f"M{i}", E, 0.3, rho))
        for i, E, rho in ((1, 210000.0, 7.85e-9), (2, 2e9, 8e-9))
    )
    (warning,) = check_units(bare(one, other))
    assert "mm-t-s" in warning and "no system" not in warning
