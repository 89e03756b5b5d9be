"""What a mesh holds is computed, or refused by name: nothing is dropped in silence."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import box, rectangle, straight_beam

from flexmbs import MeshError, OrthotropicMaterial, UnusableMaterial, assemble


def changed(mesh, **fields):
    return replace(mesh, blocks=tuple(replace(block, **fields) for block in mesh.blocks))


def test_directions_of_single_elements_and_turned_principal_axes():
    straight = straight_beam(4, section=rectangle(y_axis=(0.0, 1.0, 0.0)))
    by_element = changed(straight, y_axes=np.tile([0.0, 0.0, 1.0], (4, 1)))
    turned = changed(straight, section=replace(straight.blocks[0].section, principal_angle=np.pi / 2))
    meant = changed(straight, section=rectangle(y_axis=(0.0, 0.0, 1.0)))
    expected = assemble(meant).K.toarray()
    assert abs(assemble(straight).K - expected).max() > 1e-3 * abs(expected).max()
    for mesh in (by_element, turned):
        assert assemble(mesh).K.toarray() == pytest.approx(expected, abs=1e-12 * abs(expected).max())
    missing = changed(meant, y_axes=np.full((4, 3), np.nan))  # NaN: the section's own direction
    assert assemble(missing).K.toarray() == pytest.approx(expected, abs=1e-12 * abs(expected).max())


def test_nonstructural_mass_of_beams_counts():
    heavy = changed(straight_beam(2), section=replace(rectangle(), nonstructural_mass=3.0))
    assert assemble(heavy).mass == pytest.approx(assemble(straight_beam(2)).mass + 3.0, rel=1e-12)


def test_infinite_shear_factors_leave_out_the_shear_deformation():
    stiff = changed(straight_beam(2), section=replace(rectangle(), shear_factor_y=np.inf, shear_factor_z=np.inf))
    without = assemble(straight_beam(2), beam_theory="euler-bernoulli").K.toarray()
    assert assemble(stiff).K.toarray() == pytest.approx(without, abs=1e-12 * abs(without).max())
    half = changed(straight_beam(2), section=replace(rectangle(), shear_factor_y=np.inf))
    assert np.isfinite(assemble(half).K.toarray()).all()


WOOD = OrthotropicMaterial("WOOD", 1e10, 1e9, 1e9, 0.3, 0.3, 0.3, 1e9, 1e9, 1e9, 500.0)
VENEER = replace(WOOD, name="VENEER", E3=None, nu13=None, nu23=None)
RUBBER = UnusableMaterial("RUBBER", "no *ELASTIC card")


@pytest.mark.parametrize(
    ("mesh", "words"),
    [
        (changed(straight_beam(1), material=WOOD, where="a.inp:7"), r"a.inp:7: beam2 .* material WOOD.*isotropic"),
        (changed(box("hex8"), material=VENEER, where="a.inp:7"), r"a.inp:7: hex8 .* material VENEER.*lacks E3"),
        (changed(box("hex8"), material=RUBBER), r"material RUBBER \(no \*ELASTIC card\)"),
        (changed(box("hex8"), kind="polyhedron"), "elements of kind polyhedron are not supported"),
    ],
)
def test_refused_by_name(mesh, words):
    with pytest.raises(MeshError, match=words):
        assemble(mesh)


def test_offsets_of_zero_are_none():
    beam = straight_beam(1)
    assert abs(assemble(changed(beam, offsets=np.zeros((1, 2, 3)))).K - assemble(beam).K).max() == 0.0
