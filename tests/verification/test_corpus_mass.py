"""Volumes, areas, masses and centres of real mesh files against other programs.

The files are not part of the project: the environment variable FLEXMBS_CORPUS names their folder. The other programs'
values with tool and version are in ``tests/data/corpus_masses.csv``; they are in the files' own units, as the numbers
are here, since nothing is converted. Materials without density count as massless there, and so they do here.
Tolerances are relative: the printed digits of the other program (CalculiX: seven), single precision of coordinates
(Exodus and VTK in pyvista), how warped quadrilaterals are integrated (pyNastran), else rounding.
"""

import csv
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from flexmbs import ShellSection, bounding_box, mass_properties, read_mesh
from flexmbs.mesh.element_kinds import is_shell
from flexmbs.mesh.quadrature import surface_samples

CORPUS = os.environ.get("FLEXMBS_CORPUS", "")
with open(Path(__file__).parents[1] / "data" / "corpus_masses.csv", newline="", encoding="utf-8") as table:
    ROWS = list(csv.DictReader(table))

pytestmark = pytest.mark.skipif(not CORPUS, reason="FLEXMBS_CORPUS names no folder of mesh files")


@cache
def mesh_and_properties(file):
    path = Path(CORPUS) / file
    if not path.is_file():
        pytest.skip(f"{file} is not in FLEXMBS_CORPUS")
    mesh = read_mesh(path)
    return mesh, mass_properties(replace(mesh, blocks=tuple(without_gaps(block) for block in mesh.blocks)))


def without_gaps(block):
    """The block with density 0 where the file gives a material without one."""
    section = block.section
    if isinstance(section, ShellSection):
        layers = tuple(replace(layer, material=massless(layer.material)) for layer in section.layers)
        section = replace(section, layers=layers)
    return replace(block, material=massless(block.material), section=section)


def massless(material):
    return material if material is None or material.density is not None else replace(material, density=0.0)


def area(mesh):
    shells = (block for block in mesh.blocks if is_shell(block.kind))
    return sum(surface_samples(block.kind, mesh.points[block.nodes])[1].sum() for block in shells)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['file']}-{row['quantity']}")
def test_a_real_file_weighs_what_other_programs_say(row):
    mesh, properties = mesh_and_properties(row["file"])
    tolerance = float(row["tolerance"])
    if row["quantity"] == "center":
        low, high = bounding_box(mesh)
        expected = np.array(row["value"].split(), float)
        assert np.abs(properties.center - expected).max() <= tolerance * np.linalg.norm(high - low)
        return
    found = {"volume": properties.volume, "mass": properties.mass, "area": area(mesh)}[row["quantity"]]
    assert found == pytest.approx(float(row["value"]), rel=tolerance)
