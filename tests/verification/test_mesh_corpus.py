"""Mesh files of other people's tools are read with their sets and materials, or refused with a reason.

The files are not part of the project: FLEXMBS_CORPUS names their folder (one folder per format), without it these tests
skip. docs/mesh_corpus.md is the table of the outcomes. What a file names (sets, materials, node counts) is found here
a second time by plain patterns of its text, which know nothing of the readers.
"""

import os
import re
import sys
from pathlib import Path

import pytest

from flexmbs import Mesh, MeshError, read_mesh

CORPUS = Path(os.environ.get("FLEXMBS_CORPUS", ""))
ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(not os.environ.get("FLEXMBS_CORPUS"), reason="FLEXMBS_CORPUS names no folder")
sys.path.insert(0, str(ROOT / "docs"))

from make_corpus_table import REFUSED, corpus_files, outcome  # noqa: E402

FILES = corpus_files(CORPUS) if os.environ.get("FLEXMBS_CORPUS") else []


@pytest.fixture(scope="module")
def outcomes():
    return [outcome(path, CORPUS) for path in FILES]


def test_every_file_is_read_or_refused_in_seconds(outcomes):
    assert len(outcomes) == len(FILES) > 0
    for result in outcomes:
        assert result.seconds < 10.0, result.file
        assert result.verdict != REFUSED or Path(result.file).name in result.words


def test_at_most_a_tenth_of_the_structural_ones_is_refused(outcomes):
    refused = [result for result in outcomes if result.verdict == REFUSED]
    # What is no structural mesh says so: two dimensions, fluid, no nodes, no elements, an unknown ending.
    no_structure = re.compile(
        r"2 (dimensions|coordinates)|no three-dimensional structural|no nodes|no GRID|unknown mesh format"
        r"|the (file|deck) (has|holds) no |no structural|no element in",
        re.I,
    )
    structural = [result for result in refused if not no_structure.search(result.words)]
    assert len(structural) <= 0.1 * (len(outcomes) - len(refused) + len(structural)), structural


def text_of(path: Path) -> str:
    return path.read_bytes().decode("latin-1")


def abaqus_names(path: Path, pattern: str) -> set[str]:
    lines = re.split(r"^\s*\*STEP\b", text_of(path), maxsplit=1, flags=re.I | re.M)[0].splitlines()
    cards = [line.upper().replace(" ", "") for line in lines if line.startswith("*") and not line.startswith("**")]
    return {found.group(1).strip('"') for card in cards if (found := re.search(pattern, card))}


@pytest.mark.parametrize(
    "path", [p for p in FILES if p.suffix == ".inp" and p.parent.name in ("abaqus", "calculix")], ids=lambda p: p.name
)
def test_sets_and_materials_named_in_an_abaqus_file(path):
    mesh = read(path)
    node_sets = abaqus_names(path, r"^\*(?:NSET|NODE|NGEN|NFILL)\b.*[,]NSET=([^,]+)")
    element_sets = abaqus_names(path, r"^\*(?:ELSET|ELEMENT|ELGEN)\b.*,ELSET=([^,]+)")
    materials = abaqus_names(path, r"^\*MATERIAL\b.*,NAME=([^,]+)")
    assert node_sets <= {name.upper().replace(" ", "") for name in mesh.node_sets}
    assert element_sets <= {name.upper().replace(" ", "") for name in mesh.element_sets}
    assert materials <= {name.upper().replace(" ", "") for name in mesh.materials}


@pytest.mark.parametrize(
    "path", [p for p in FILES if p.suffix in (".bdf", ".dat") and p.parent.name != "ansys"], ids=lambda p: p.name
)
def test_materials_of_a_nastran_deck(path):
    mesh = read(path)
    decks = [path, *(p for p in path.parent.iterdir() if p.suffix in (".blk", ".inc") and p.name in text_of(path))]
    cards = {nastran_material(line) for deck in decks for line in text_of(deck).splitlines()} - {None}
    assert len(mesh.materials) >= len(cards)


def nastran_material(line: str) -> tuple[str, int] | None:
    """Kind and number of a MAT card in free fields, or in fields of eight columns."""
    line = line.upper().expandtabs(8)
    found = re.match(r"MAT([1289])\*?\s*,\s*(\d+)", line) or re.match(r"MAT([1289])[ *]{4} *(\d+) *$", line[:16])
    return (found[1], int(found[2])) if found else None


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix == ".msh"], ids=lambda p: p.name)
def test_physical_groups_of_a_gmsh_file(path):
    mesh = read(path)
    names = re.search(r"\$PhysicalNames(.*?)\$EndPhysicalNames", text_of(path), flags=re.S)
    expected = set(re.findall(r'"([^"]+)"', names.group(1))) if names else set()
    assert expected <= set(mesh.node_sets)


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix == ".cdb"], ids=lambda p: p.name)
def test_components_of_an_ansys_archive(path):
    mesh = read(path)
    for kind, sets in (("NODE", mesh.node_sets), ("ELEM", mesh.element_sets)):
        names = re.findall(rf"^CMBLOCK\s*,\s*([^,\s]+)\s*,\s*{kind}", text_of(path), flags=re.M | re.I)
        assert {name.upper() for name in names} <= {name.upper() for name in sets}


def read(path: Path) -> Mesh:
    try:
        return read_mesh(path)
    except MeshError as error:
        pytest.skip(f"refused: {error}")
