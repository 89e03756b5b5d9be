"""The content of ``flexmbs info``."""

import json
from dataclasses import replace

import numpy as np
import pytest

from flexmbs import (
    BoundaryCondition,
    Coupling,
    ElementBlock,
    Equation,
    Material,
    MeshSurface,
    PointMass,
    ShellSection,
    SkippedCard,
    Tie,
    UnsupportedElements,
    box_mesh,
    rectangle,
)
from flexmbs.mesh.connectivity import outer_faces, ring
from flexmbs.mesh.mesh import MIDDLE_NODE
from flexmbs.mesh.reader_tools.element_blocks import weighted_sum
from flexmbs.mesh.summary import describe, summarize

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)


@pytest.fixture
def mesh():
    box = box_mesh((2.0, 1.0, 0.5), (2, 1, 1), STEEL, "hex8")
    return replace(
        box,
        points=np.vstack([box.points, [[-1.0, 0.5, 0.25], [9.0, 9.0, 9.0]]]),
        node_ids=np.arange(101, 101 + len(box.points) + 2),
        couplings=(Coupling("HINGE", "rigid", 12, box.node_sets["ROOT"]),),
        point_masses=(PointMass("MOTOR", 12, 3.0, np.zeros((3, 3)), np.zeros(3)),),
        boundary_conditions=(BoundaryCondition("SPC 1", box.node_sets["TIP"], (1, 2, 3)),),
        surfaces={"TOP": MeshSurface({"quad4": box.blocks[0].nodes[:, 4:]})},
        ties=(Tie("GLUE", "TOP", "BOTTOM"),),
        other_elements=(UnsupportedElements("CPS4", "geometry", np.array([7]), np.array([[0, 1, 2, 3]])),),
        skipped=(SkippedCard("*FILM", "a.inp", (4, 9), 2), SkippedCard("*STEP", "a.inp", (20,), 1, analysis=True)),
        warnings=("a.inp:3: doubtful.",),
        source="a.inp",
    )


def test_numbers(mesh):
    summary = summarize(mesh)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert summary["nodes"] == 14
    assert summary["elements"] == 3 and summary["elements_by_type"] == {"hex8": 2, "CPS4 (geometry)": 1}
    assert {"name": "ROOT", "kind": "node", "size": 4} in summary["sets"]
    assert {"name": "ALL", "kind": "element", "size": 2} in summary["sets"]
    assert {"name": "TOP", "kind": "surface", "size": 2} in summary["sets"]
    assert summary["mass"] == pytest.approx(7850.0 + 3.0)
    assert summary["center"] == pytest.approx([(7850.0 * 1.0 - 3.0) / 7853.0, 0.5, 0.25])
    assert summary["bounding_box"] == [[-1.0, 0.0, 0.0], [2.0, 1.0, 0.5]]  # the node at 9 belongs to nothing
    (steel,) = summary["materials"]
    assert (steel["name"], steel["youngs_modulus"], steel["density"]) == ("STEEL", 210e9, 7850.0)
    (section,) = summary["sections"]
    assert (section["kind"], section["elements"], section["material"]) == ("hex8", 2, "STEEL")
    assert [c["kind"] for c in summary["couplings"]] == ["rigid", "tie"]
    assert (summary["couplings"][0]["reference"], summary["couplings"][0]["size"]) == (113, 4)
    assert summary["units"] == "m-kg-s"
    assert [s["card"] for s in summary["skipped"]] == ["*FILM", "*STEP"]
    assert summary["skipped"][0]["lines"] == [4, 9]
    assert summary["warnings"] == ["a.inp:3: doubtful."]


def test_inertia_of_the_box_is_about_its_center():
    summary = summarize(box_mesh((2.0, 1.0, 0.5), (2, 1, 1), STEEL))
    expected = 7850.0 / 12.0 * np.diag([1.25, 4.25, 5.0])
    assert np.array(summary["inertia"]) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_without_density_the_mass_is_not_known(mesh):
    bare = replace(mesh, blocks=tuple(replace(b, material=replace(STEEL, density=None)) for b in mesh.blocks))
    summary = summarize(bare)
    assert summary["mass"] is summary["center"] is summary["inertia"] is None
    assert summary["volume"] == pytest.approx(1.0)
    assert any("without density" in warning for warning in summary["warnings"])
    assert "not known" in describe(summary)


def test_text_names_everything(mesh):
    text = describe(summarize(mesh))
    words = ("2 hex8", "ROOT", "STEEL", "HINGE", "GLUE", "*FILM", "line 4, 9", "doubtful", "SPC 1", "3 kg", "7853 kg")
    assert [word for word in words if word not in text] == []
    assert "no part of a body: *STEP" in text


def test_long_lists_are_cut(mesh):
    many = replace(mesh, node_sets={f"S{k}": np.array([k]) for k in range(60)})
    text = describe(summarize(many), sets_at_most=10)
    assert "S9" in text and "S20" not in text and "more" in text


def test_outer_faces_of_a_box():
    faces = outer_faces(box_mesh((1, 1, 1), (3, 2, 2), kind="hex20"))
    assert [(kind, len(rows)) for kind, rows, _ in faces] == [("quad8", 2 * (6 + 6 + 4))]
    assert ring("quad8") == [0, 4, 1, 5, 2, 6, 3, 7]


def test_outer_faces_point_outward():
    box = box_mesh((1, 1, 1), (2, 2, 2), kind="hex8")
    ((_, rows, _),) = outer_faces(box)
    a, b, c, d = (box.points[rows[:, k]] for k in range(4))
    normals = np.cross(c - a, d - b)
    assert np.all(np.sum(normals * ((a + c) / 2 - 0.5), axis=1) > 0)


def test_beams_and_their_section():
    section = rectangle(0.02, 0.01)
    block = ElementBlock("beam2", np.array([1]), np.array([[0, 1]]), STEEL, section, property_name="PBAR 1")
    mesh = replace(box_mesh((1, 1, 1), (1, 1, 1)), blocks=(block,), element_sets={})
    (entry,) = summarize(mesh)["sections"]
    assert (entry["property"], entry["area"]) == ("PBAR 1", pytest.approx(2e-4))


def test_created_middle_nodes_are_one_row(mesh):
    means = ((number, np.array([number, 0, 1])) for number in (7, 8))
    made = [e for number, nodes in means for e in weighted_sum(f"{MIDDLE_NODE} {number}", nodes, [1.0, -0.5, -0.5], "deck.bdf:9")]
    found = summarize(
        replace(mesh, equations=(*made, Equation("MPC 3", np.array([0, 1]), np.array([1, 1]), np.array([1.0, -1.0]))))
    )
    equations = [(one["name"], one["size"]) for one in found["couplings"] if one["kind"] == "equation"]
    assert equations == [("MPC 3", 2), ("middle nodes of edges", 2)]


def test_shear_panels_are_counted_as_such(mesh):
    panel = ElementBlock("quad4", np.array([90]), np.array([[0, 1, 3, 2]]), STEEL, ShellSection(0.01, behaviour="shear"))
    found = summarize(replace(mesh, blocks=(*mesh.blocks, panel)))
    assert found["elements_by_type"] == {**summarize(mesh)["elements_by_type"], "quad4 (shear panel)": 1}


@pytest.mark.parametrize(("order", "sign"), [([4, 5, 6, 7, 0, 1, 2, 3], "negative"), ([0, 1, 2, 3, 0, 1, 2, 3], "zero")])
def test_solids_without_a_positive_volume_are_named(mesh, order, sign):
    block = mesh.blocks[0]
    found = summarize(replace(mesh, blocks=(replace(block, nodes=block.nodes[:, order]),)))
    assert any(
        "element 1 (hex8, corner nodes" in warning and f"has {sign} volume (2 such" in warning for warning in found["warnings"]
    )
    assert not any("volume" in warning for warning in summarize(mesh)["warnings"])
