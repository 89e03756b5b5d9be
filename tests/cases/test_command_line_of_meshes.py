"""flexmbs info, modes and reduce on decks without mass, of doubtful units, without thickness, section or material."""

import json
import math
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from flexmbs import FlexmbsError
from flexmbs.app.cli.main import cli

PLATE = """*NODE, NSET=ALL
1,0,0,0
2,0.5,0,0
3,0.5,0.25,0
4,0,0.25,0
*ELEMENT, TYPE=S4, ELSET=S
1,1,2,3,4
*NSET, NSET=ROOT
1,4
"""
BULK = "CEND\nBEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\n"
WITHOUT_MASS = {
    "CBUSH": "CBUSH,1,1,1,2,,,,0\nPBUSH,1,K,1.+6,1.+6,1.+6,1.,1.,1.\n",
    "CELAS2": "CELAS2,1,1.+6,1,1,2,1\n",
    "density 0": "CTETRA,1,1,1,2,3,4\nPSOLID,1,1\nMAT1,1,2.1+11,,.3,0.\n",
}
SOLID = "CTETRA,1,1,1,2,3,4\nPSOLID,1,1\nMAT1,1,{},,.3,{}\n"


def flexmbs(*arguments, check=True):
    """The command in this process; errors of flexmbs as the one line that they become."""
    result = CliRunner().invoke(cli, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, FlexmbsError):
        raise result.exception
    assert not check or result.exit_code == 0, result.exception
    return SimpleNamespace(returncode=result.exit_code, stdout=result.stdout, stderr=str(result.exception or ""))


@pytest.fixture
def plate(tmp_path):
    path = tmp_path / "plate.inp"
    path.write_text(PLATE)
    return path


def deck(tmp_path, cards):
    path = tmp_path / "deck.bdf"
    path.write_text(f"{BULK}{cards}ENDDATA\n")
    return path


@pytest.mark.parametrize("cards", WITHOUT_MASS.values(), ids=WITHOUT_MASS)
def test_info_of_a_body_without_mass(tmp_path, cards):
    path = deck(tmp_path, cards)
    text = flexmbs("info", path).stdout
    assert "mass          0 kg" in text and "center" not in text
    summary = json.loads(flexmbs("info", path, "--json").stdout)
    assert summary["mass"] == 0.0 and summary["center"] is None and summary["inertia"] is None


@pytest.mark.parametrize(
    ("modulus", "density", "doubt"),
    [
        ("210000.", "7850.", "inconsistent units suspected"),
        ("207000.", "7.93", "MPa and g/cm3, which match no system"),
        ("2.07+5", "7.93-9", "as in the mm-t-s system"),
    ],
)
def test_info_of_suspected_units_shows_the_file_below_the_warning(tmp_path, modulus, density, doubt):
    path = deck(tmp_path, SOLID.format(modulus, density))
    lines = flexmbs("info", path).stdout.splitlines()
    assert lines[2].startswith("warning: ") and doubt in lines[2]
    assert any(line.startswith("nodes         4") for line in lines) and sum(doubt in line for line in lines) == 1
    summary = json.loads(flexmbs("info", path, "--json").stdout)
    assert summary["nodes"] == 4 and doubt in summary["warnings"][0] and summary["warnings"][0] in (summary["doubtful_units"])


def test_modes_with_doubtful_units_say_so_above_the_table(tmp_path):
    path = deck(tmp_path, SOLID.format("207000.", "7.93"))
    lines = flexmbs("modes", path, "--count", "1").stdout.splitlines()
    assert lines[0].startswith("warning: ") and "MPa and g/cm3" in lines[0] and "MPa and g/cm3" not in lines[-1]
    mixed = flexmbs("modes", deck(tmp_path, SOLID.format("210000.", "7850.")), check=False)
    assert mixed.returncode == 1 and "inconsistent units" in mixed.stderr and mixed.stdout == ""


def test_what_a_mesh_lacks_is_given_on_the_command_line(plate, tmp_path):
    text = flexmbs("info", plate).stdout
    assert "with_thickness(mesh, T) (m), on the command line --thickness T" in text
    refused = flexmbs("modes", plate, "--material", "210e9,0.3,8000", check=False)
    assert refused.returncode == 1 and "--thickness T" in refused.stderr
    given = ("--thickness", "0.01", "--material", "210e9,0.3,8000")
    assert "10 kg" in flexmbs("info", plate, *given).stdout  # 0.5 x 0.25 x 0.01 m
    found = json.loads(flexmbs("modes", plate, *given, "--fix", "ROOT", "--count", "1", "--json").stdout)
    assert found["mass"] == pytest.approx(10.0)
    body = tmp_path / "plate.h5"
    arguments = ("reduce", plate, "-o", body, "--interface", "root=ROOT", "--modes", "1", "--json")
    assert json.loads(flexmbs(*arguments, *given).stdout)["mass"] == pytest.approx(10.0)


def test_a_section_on_the_command_line(plate):
    plate.write_text(PLATE.replace("TYPE=S4", "TYPE=B31").replace("1,1,2,3,4\n*NSET", "1,1,2\n*NSET"))
    assert "--section rect:WIDTH_Y,WIDTH_Z" in flexmbs("info", plate).stdout
    given = ("--section", "circle:0.02", "--material", "210e9,0.3,8000", "--json")
    assert json.loads(flexmbs("info", plate, *given).stdout)["mass"] == pytest.approx(math.pi * 0.02**2 * 0.5 * 8000)
    wrong = flexmbs("info", plate, "--section", "round:0.02", check=False)
    assert wrong.returncode == 1 and "rect:WIDTH_Y,WIDTH_Z, circle:RADIUS or pipe:RADIUS,WALL" in wrong.stderr
    millimetres = flexmbs("info", plate, "--section", "circle:20", check=False)
    assert "a section 40 m wide on a mesh that is 0.5 m long" in millimetres.stderr


@pytest.mark.parametrize("units", [(), ("--units", "mm-t-s")])
@pytest.mark.parametrize(
    ("material", "meant"),
    [
        ("210000,0.3,7.85e-9", "MPa and t/mm3 (in SI: 2.1e+11 and 7850)"),
        ("210000,0.3,7850", "MPa and kg/m3"),
        ("207,0.3,7.93e-6", "GPa and kg/mm3"),
        ("2.9e7,0.3,0.283", "psi and lb/in3"),
        ("5,0.49,1e-9", "look like other units"),
    ],
)
def test_a_material_that_is_not_in_si_is_refused_before_anything_is_computed(plate, units, material, meant):
    for command in ("modes", "info"):
        refused = flexmbs(command, plate, "--thickness", "1e-5", "--material", material, *units, check=False)
        assert refused.returncode == 1 and refused.stdout == "" and meant in refused.stderr


def test_a_material_in_si_on_a_mesh_in_millimetres_asks_for_the_units_of_the_file(plate):
    plate.write_text(PLATE.replace("0.5", "500").replace("0.25", "250"))
    given = ("--thickness", "0.01", "--material", "210e9,0.3,8000", "--fix", "ROOT", "--count", "1", "--json")
    refused = flexmbs("modes", plate, *given, check=False)
    assert refused.returncode == 1 and "the mesh is 500 long" in refused.stderr and "--units mm-t-s" in refused.stderr
    assert json.loads(flexmbs("modes", plate, *given, "--units", "mm-t-s").stdout)["mass"] == pytest.approx(10.0)


@pytest.mark.parametrize("material", ["5e6,0.49,1000", "2e9,0.4,1150", "1e7,0.1,30", "70e9,0.3,2700", "1e6,0.2,15"])
def test_soft_and_light_materials_in_si_are_taken(plate, material):
    assert flexmbs("info", plate, "--thickness", "0.01", "--material", material).returncode == 0


ODD = {
    "masses in one point, joined by a spring": (
        "GRID,5,,0.,0.,0.\nCBUSH,1,1,1,5,,,,0\nPBUSH,1,K,1.+6,1.+6,1.+6,1.,1.,1.\nCONM2,2,1,,2.0\nCONM2,3,5,,2.0\n",
        "neither stiffness nor mass",
        "this mesh has only 0",
    ),
    "masses on a line, joined by a spring": ("CELAS2,1,1.+6,1,1,2,1\nCONM2,2,1,,2.0\nCONM2,3,2,,2.0\n", None, "lies on a line"),
    "a membrane alone": (
        "GRID,5,,1.,1.,0.\nCQUAD4,1,1,1,2,5,3\nPSHELL,1,1,.01,-1\nMAT1,1,2.1+11,,.3,7850.\n",
        None,
        "not stiff in every direction",
    ),
    "springs alone": (WITHOUT_MASS["CBUSH"], "spring2 elements have none", "spring2 elements have none"),
}


@pytest.mark.parametrize(("cards", "of_modes", "of_reduce"), ODD.values(), ids=ODD)
def test_bodies_that_are_hardly_any_are_computed_or_refused_by_name(tmp_path, cards, of_modes, of_reduce):
    path = deck(tmp_path, cards)
    shown = flexmbs("modes", path, "--count", "1", check=False)
    assert (shown.returncode == 0) == (of_modes is None) and (of_modes or "") in shown.stderr
    refused = flexmbs("reduce", path, "-o", tmp_path / "body.h5", "--modes", "1", "--no-cache", check=False)
    assert refused.returncode == 1 and of_reduce in refused.stderr
