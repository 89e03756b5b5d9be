"""Nodes, elements, generating cards, sets and surfaces."""

import numpy as np
import pytest

from flexmbs.mesh.element_kinds import KINDS, jacobian_determinants


def block_of(mesh, type_name, kind=None):
    (block,) = (b for b in mesh.blocks if b.type_name == type_name and kind in (None, b.kind))
    return block


def numbers(mesh, name):
    return mesh.node_ids[mesh.node_sets[name]].tolist()


def test_element_types_of_a_flat_deck(deck):
    mesh = deck("solids.inp")
    kinds = {(block.type_name, block.kind): len(block.ids) for block in mesh.blocks}
    assert kinds == {
        ("C3D8R", "hex8"): 2,
        ("C3D6", "wedge6"): 1,
        ("C3D5", "pyramid5"): 1,
        ("C3D4", "tet4"): 1,
        ("SPRINGA", "spring2"): 1,
    }
    others = {other.type_name: (other.role, other.ids.tolist()) for other in mesh.other_elements}
    assert others == {"MASS": ("mass", [20]), "GAPUNI": ("contact", [40]), "quad4": ("geometry", [10])}
    for type_name in ("C3D8R", "C3D6", "C3D4"):
        block = block_of(mesh, type_name)
        assert jacobian_determinants(KINDS[block.kind], mesh.points[block.nodes]).min() > 0.0


def test_sets_of_numbers_ranges_sets_and_elements(deck):
    mesh = deck("solids.inp")
    assert numbers(mesh, "TIP") == [13, 14]
    assert numbers(mesh, "OFBRICKS") == list(range(1, 13))
    assert mesh.element_ids[mesh.element_sets["SOLIDS"]].tolist() == [1, 2, 3, 4, 5]
    assert mesh.element_ids[mesh.element_sets["FIRST"]].tolist() == [1, 2, 3]


def test_elements_on_faces_become_sets_of_nodes_and_surfaces(deck):
    mesh = deck("solids.inp")
    assert "SKIN" not in mesh.element_sets
    assert numbers(mesh, "SKIN") == [1, 2, 5, 6]
    assert mesh.surfaces["SKIN"].faces["quad4"].shape == (1, 4)


def test_surfaces_of_labels_of_nodes_and_free_faces(deck):
    mesh = deck("solids.inp")
    top = mesh.surfaces["TOP"].faces
    assert sorted(mesh.node_ids[top["quad4"]].tolist()) == [[5, 6, 7, 8], [6, 11, 12, 7]]
    assert mesh.node_ids[top["tri3"]].tolist() == [[11, 14, 12]]
    assert numbers(mesh, "ENDS") == [1, 4, 5, 8, 13, 14]
    hull = mesh.surfaces["HULL"]
    # quadrilaterals: 10 around the bricks less those under the pyramid and beside the wedge, 2 of the wedge;
    # triangles: 2 of the wedge, 4 of the pyramid, 4 of the tetrahedron (it covers half a face, which stays free)
    assert (len(hull.faces["quad4"]), len(hull.faces["tri3"])) == (10, 10)


def test_faces_point_outward(deck):
    mesh = deck("solids.inp")
    for rows in mesh.surfaces["TOP"].faces.values():
        a, b, c = (mesh.points[rows[:, i]] for i in range(3))
        assert (np.cross(b - a, c - a)[:, 2] > 0.0).all()


def test_sides_and_edges_of_shells(deck):
    mesh = deck("shells_and_beams.inp")
    sides = mesh.surfaces["SIDES"].faces
    assert mesh.node_ids[sides["quad8"]].tolist() == [[1, 2, 3, 4, 7, 8, 9, 10]]
    assert mesh.node_ids[sides["quad4"]].tolist() == [[3, 6, 5, 2]]
    assert mesh.node_ids[sides["tri3"]].tolist() == [[6, 11, 5]]
    assert mesh.node_ids[mesh.surfaces["RIM"].faces["line3"]].tolist() == [[4, 1, 10]]


def test_repeated_corners_make_triangles(deck):
    mesh = deck("shells_and_beams.inp")
    block = block_of(mesh, "S4", "tri3")
    assert mesh.node_ids[block.nodes].tolist() == [[5, 11, 6]]


def test_order_of_nodes_of_second_order_beams_and_orientation_nodes(deck):
    mesh = deck("shells_and_beams.inp")
    assert mesh.node_ids[block_of(mesh, "B32").nodes].tolist() == [[12, 13, 16]]
    beams = next(block for block in mesh.blocks if block.ids.tolist() == [10, 11])
    assert beams.y_axes.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


@pytest.mark.parametrize("order", ["1, 2, 3", "1, 3, 2"])
def test_middle_node_of_trusses_is_found_by_its_place(read, order):
    mesh = read(f"*NODE\n1, 0, 0, 0\n2, 2, 0, 0\n3, 1, 0, 0\n*ELEMENT, TYPE=T3D3\n1, {order}\n")
    assert mesh.blocks[0].nodes.tolist() == [[0, 1, 2]]


def test_element_over_several_lines_with_and_without_commas(read):
    nodes = "".join(f"{i}, {i}., {i * i}., {i**3}.\n" for i in range(1, 11))
    for end in (",", ""):
        text = f"*NODE\n{nodes}*ELEMENT, TYPE=C3D10\n1, 1, 2, 3, 4, 5{end}\n6, 7, 8, 9, 10\n"
        assert read(text).blocks[0].nodes.tolist() == [list(range(10))]


def test_many_elements_are_read_as_few_are(read):
    """More data than one chunk has, with a line that only the exact path reads."""
    count = 60_000
    lines = [f"{i}, {i}., 0., 1.e0\n" for i in range(1, count + 1)]
    lines[30_000] = "30001, , 7., 1.\n"
    elements = "".join(f"{i}, {i}, {i + 1}\n" for i in range(1, count))
    mesh = read("*NODE\n" + "".join(lines) + "*ELEMENT, TYPE=B31\n" + elements)
    assert mesh.points[30_000].tolist() == [0.0, 7.0, 1.0]
    assert np.array_equal(mesh.node_ids, np.arange(1, count + 1))
    assert np.array_equal(mesh.blocks[0].nodes, np.column_stack([np.arange(count - 1), np.arange(1, count)]))


def test_generated_nodes_and_elements(deck):
    mesh = deck("generated.inp")
    where = dict(zip(mesh.node_ids.tolist(), mesh.points.tolist(), strict=True))
    assert where[3] == pytest.approx([1.0, 2.0, 0.0])  # *SYSTEM turns x to y and moves by 1
    assert where[52] == pytest.approx([1.0, 1.0, 1.0])  # *NFILL
    assert where[1052] == pytest.approx([4.0, 1.0, 1.0])  # *NCOPY
    assert where[202] == pytest.approx([2**0.5, 2**0.5, 0.0])  # *NGEN, LINE=C
    solids = block_of(mesh, "C3D8")
    assert solids.ids.tolist() == [1, 2, 3, 4, 11, 12, 13, 14]
    assert mesh.node_ids[solids.nodes[-1]].tolist() == [54, 55, 105, 104, 1054, 1055, 1105, 1104]
    trusses = [mesh.node_ids[b.nodes].tolist() for b in mesh.blocks if b.type_name == "T3D2"]
    assert sorted(trusses) == [[[200, 201]], [[201, 202]]]
    assert mesh.element_ids[mesh.element_sets["SECOND"]].tolist() == [101]


def test_missing_members_are_left_out_with_a_warning(read):
    mesh = read(
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n*NSET, NSET=A, GENERATE\n1, 1000000000, 1\n"
        "*NSET, NSET=B\n2, 77\n"
    )
    assert (mesh.node_sets["A"].tolist(), mesh.node_sets["B"].tolist()) == ([0, 1], [1])
    assert any(":6: node set A names 999999998 that do not exist (first: 3)" in text for text in mesh.warnings)
    assert any(":8: node set B names 1 that do not exist (first: 77)" in text for text in mesh.warnings)


def test_unknown_types_are_kept(read):
    mesh = read("*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=U7\n5, 1, 2\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n")
    (other,) = mesh.other_elements
    assert (other.type_name, other.role, other.nodes.tolist()) == ("U7", "unknown", [[0, 1]])
    assert any("element type U7 is unknown" in text for text in mesh.warnings)


def test_lines_without_their_continuation_hold_the_first_nodes(read):
    """As CalculiX reads a C3D20 deck whose type was changed to C3D4 and whose second lines were taken out."""
    nodes = "*NODE\n" + "".join(f"{k + 1}, {k % 2}, {k // 2 % 2}, {k // 4}\n" for k in range(8))
    mesh = read(nodes + "*ELEMENT, TYPE=C3D4, ELSET=E\n1, 1, 2, 3, 5, 6, 7,\n2, 4, 3, 2, 8, 6, 7,\n")
    assert mesh.blocks[0].nodes.tolist() == [[0, 1, 2, 4], [3, 2, 1, 7]]
    assert any("11: *ELEMENT: each line" in text and "2 extra nodes" in text for text in mesh.warnings)


def test_nodes_without_coordinates_lie_at_the_origin(read):
    mesh = read("*NODE\n1\n2, 1\n3, 0, 1\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n")
    assert mesh.points.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert any("2: *NODE: 1 nodes without coordinates" in text for text in mesh.warnings)
