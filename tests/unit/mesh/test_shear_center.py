"""The shear centre of beam sections, as the programs count it."""

import pytest

from flexmbs import read_mesh
from flexmbs.mesh.sections.profile_section import profile_section

NODES = "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=B31, ELSET=E\n1, 1, 2\n"
GENERAL = NODES + "*BEAM GENERAL SECTION, ELSET=E, DENSITY=1000.\n1e-3, 2e-6, 0, 1e-6, 1e-8\n0, 1, 0\n2e11, 8e10\n"
PBEAM = (
    "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nCBEAM,1,5,1,2,0.,1.,0.\nMAT1,1,2.+11,,.3,7800.\n"
    "PBEAM,5,1,1.-3,2.-6,1.-6,,1.-8,\n,,,,,,,,\n,1.,1.,,,,,,\n,,,,,.01,.02,.01,.02\nENDDATA\n"
)


def section_of(tmp_path, name, text, **options):
    (tmp_path / name).write_text(text)
    return read_mesh(tmp_path / name, **options).blocks[0].section


def test_general_sections_of_abaqus_have_both_centers_from_the_node(tmp_path):
    both = section_of(tmp_path, "a.inp", GENERAL + "*CENTROID\n0.01, 0.02\n*SHEAR CENTER\n-0.03, 0.05\n")
    assert both.centroid == pytest.approx((0.01, 0.02))
    assert both.shear_center == pytest.approx((-0.04, 0.03))
    # without a card of its own each is at the node
    assert section_of(tmp_path, "b.inp", GENERAL + "*CENTROID\n0.01, 0.02\n").shear_center == pytest.approx((-0.01, -0.02))
    assert section_of(tmp_path, "c.inp", GENERAL).shear_center == (0.0, 0.0)


def test_nodes_of_a_cbeam_are_its_shear_centers(tmp_path):
    section = section_of(tmp_path, "a.bdf", PBEAM)
    assert section.centroid == pytest.approx((0.01, 0.02))
    assert section.shear_center == pytest.approx((-0.01, -0.02))
    in_mm = section_of(tmp_path, "b.bdf", PBEAM, units=(1e-3, 1.0, 1.0))
    assert in_mm.shear_center == pytest.approx((-1e-5, -2e-5))


def test_profiles_of_ansys_count_it_and_of_nastran_bars_do_not():
    channel = profile_section("ansys", "CHAN", [0.04, 0.04, 0.06, 0.003, 0.003, 0.003])
    assert channel.centroid == (0.0, 0.0)
    bar = profile_section("nastran", "CHAN", [0.04, 0.06, 0.003, 0.003])
    beam = profile_section("nastran", "CHAN", [0.04, 0.06, 0.003, 0.003], line="shear center")
    assert bar.shear_center == (0.0, 0.0)
    # the same channel, whatever its axes are called
    assert max(map(abs, channel.shear_center)) == pytest.approx(max(map(abs, beam.shear_center)), rel=1e-3)
    assert max(map(abs, channel.shear_center)) > 0.02
