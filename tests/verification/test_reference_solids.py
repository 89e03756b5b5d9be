"""Natural frequencies of three solids as ``flexmbs modes`` gives them, against CalculiX 2.20 on the same meshes.

The meshes and frequencies are those of data/reference_solids (README there). CalculiX integrates the mass of C3D10 with
four points; the exact mass that flexmbs takes moves these frequencies by up to 7e-5, so 2e-4 is allowed.
"""

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from flexmbs.app.cli.main import cli

DATA = Path(__file__).parent / "data" / "reference_solids"
EXPECTED = json.loads((DATA / "frequencies.json").read_text())
STEEL = """*MATERIAL, NAME=STEEL
*ELASTIC
210.0E9, 0.3
*DENSITY
7850.0
*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL
"""


@pytest.fixture
def deck(tmp_path, meshes):
    """deck("conrod") is the path of that mesh with its material."""

    def write(name):
        if name == "conrod":
            return meshes / "conrod.inp"
        mesh = gzip.decompress((DATA / f"{name}_mesh.inp.gz").read_bytes()).decode()
        path = tmp_path / f"{name}.inp"
        path.write_text(mesh + STEEL)
        return path

    return write


def modes(path, *options):
    """What ``flexmbs modes PATH --json`` prints."""
    run = CliRunner().invoke(cli, ["modes", str(path), "--json", *options])
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout)


def elastic(found):
    return [hz for hz in found["frequencies_hz"] if hz > 0.0]


@pytest.mark.parametrize(
    ("name", "held"),
    [
        pytest.param("conrod", "none", marks=pytest.mark.slow),
        pytest.param("conrod", "NBIG", marks=pytest.mark.slow),
        ("cantilever", "none"),
        ("cantilever", "NFIX"),
    ],
)
def test_first_ten_frequencies(deck, figures, name, held):
    found = modes(deck(name), "--fix", held, "--count", "10")
    support = "free" if held == "none" else "clamped"
    assert len(found["frequencies_hz"]) == (16 if held == "none" else 10)
    expected = EXPECTED[f"{name}_{support}"][:10]
    figures(f"{name}, {support}: first ten frequencies", "CalculiX 2.20", elastic(found), expected, 2e-4)


@pytest.mark.parametrize(("speed", "allowed"), [(0, (1e-5, 1e-5)), (300, (1e-3, 3e-3))])
def test_rotating_blade(deck, figures, speed, allowed):
    """CalculiX stiffens by the whole initial displacement, flexmbs by its linear part: up to 3e-3 in modes 2 and 3."""
    found = elastic(modes(deck("blade"), "--fix", "NFIX", "--spin", str(speed), "--axis", "0,0,1", "--count", "3"))
    expected = EXPECTED[f"blade_rot{speed}"]
    what = f"rotating blade at {speed} rad/s"
    figures(f"{what}: first frequency", "CalculiX 2.20", found[:1], expected[:1], allowed[0])
    figures(f"{what}: second and third frequency", "CalculiX 2.20", found[1:3], expected[1:3], allowed[1])
