"""Lines, keywords, comments, encodings, included files."""

import numpy as np
import pytest

from flexmbs import MeshError, read_mesh

NODES = "*NODE, NSET=Corners\n1, 0., 0., 0.\n2, 1., 0., 0.\n3, 0., 1.d0, 0.\n4, 0., 0., 1.\n"
TET = "*ELEMENT, TYPE=C3D4,\n ELSET=body\n7, 1, 2, 3, 4\n"


def test_keywords_continue_and_ignore_case_blanks_and_comments(read):
    mesh = read(
        "** a comment\n*Heading\n text\n"
        + NODES
        + "** within the data\n"
        + TET
        + "*Material ,Name = Steel\n*ELASTIC\n210e9, 0.3\n*Density\n7850.\n"
        + "*solid  section, Elset=BODY,\nmaterial=steel\n"
    )
    (block,) = mesh.blocks
    assert (block.kind, block.ids.tolist(), block.nodes.tolist()) == ("tet4", [7], [[0, 1, 2, 3]])
    assert (block.material.name, block.material.youngs_modulus, block.material.density) == ("STEEL", 210e9, 7850.0)
    assert block.where.endswith("mesh.inp:18")
    assert mesh.points[2].tolist() == [0.0, 1.0, 0.0]
    assert mesh.node_sets["CORNERS"].tolist() == [0, 1, 2, 3]
    assert mesh.element_sets["BODY"].tolist() == [0]


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.replace("\n", "\r").encode(),
        lambda text: b"\xef\xbb\xbf" + text.replace(", ", ",\t").encode(),
        lambda text: text.replace("** a comment", "** Gr\u00f6\u00dfe").encode("latin-1"),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode() + b"\x1a",
        lambda text: text.replace(" 0.\n", " 0.   ,  \n").replace("\n", "\n\n").encode(),
        lambda text: text.replace("0.", "-0.0E+00").replace("1.d0", "+1.0D+00").encode(),
    ],
    ids=["crlf", "old mac", "bom and tabs", "latin-1", "utf-16", "ctrl-z", "blank lines, commas at ends", "exponents"],
)
def test_texts_as_tools_write_them(read, changed):
    mesh = read(changed("** a comment\n" + NODES + TET))
    assert np.array_equal(mesh.points, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert mesh.blocks[0].nodes.tolist() == [[0, 1, 2, 3]]


def test_a_comma_too_many_before_numbers_is_no_continuation(read):
    mesh = read(NODES + TET + "*NSET, NSET=A,\n2, 3\n")
    assert mesh.node_sets["A"].tolist() == [1, 2]


def test_blank_coordinates_are_zero_and_nodes_of_the_plane_have_z_0(read):
    mesh = read(NODES + TET + "*NODE\n8, , 2.\n9, 1.,\n")
    assert mesh.points[-2:].tolist() == [[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]]


def test_included_file_and_input_parameter(read, tmp_path):
    data = NODES.partition("\n")[2]
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "nodes.txt").write_text(data)
    (tmp_path / "parts" / "outer.inp").write_text("*INCLUDE, INPUT=nodes.txt\n" + TET)
    assert len(read("*NODE, INPUT=parts/nodes.txt\n" + TET).points) == 4
    assert len(read("*NODE\n*INCLUDE, INPUT=parts\\nodes.txt\n" + TET).points) == 4
    mesh = read("*NODE\n*INCLUDE, INPUT=parts/outer.inp\n*NSET, NSET=A\n2\n")
    assert mesh.blocks[0].where.endswith("outer.inp:4")
    assert mesh.node_sets["A"].tolist() == [1]


def test_includes_that_are_missing_cyclic_or_outside(read, tmp_path):
    with pytest.raises(MeshError, match=r"mesh\.inp:1: \*INCLUDE: included file absent\.inp not found"):
        read("*INCLUDE, INPUT=absent.inp\n")
    with pytest.raises(MeshError, match=r"mesh\.inp:2: \*INCLUDE: mesh\.inp includes itself"):
        read("*NODE\n*INCLUDE, INPUT=mesh.inp\n")
    (tmp_path / "other.inp").write_text("*NODE\n*INCLUDE, INPUT=mesh.inp\n")
    with pytest.raises(MeshError, match=r"other\.inp:2: \*INCLUDE: mesh\.inp includes itself"):
        read("*NODE\n*INCLUDE, INPUT=other.inp\n")
    with pytest.raises(MeshError, match=r"mesh\.inp:1: \*INCLUDE needs the parameter INPUT=file"):
        read("*INCLUDE\n")
    (tmp_path / "deck").mkdir()
    outside = "*INCLUDE, INPUT=../nodes.inp\n" + TET
    (tmp_path / "nodes.inp").write_text(NODES)
    with pytest.raises(MeshError, match=r"mesh\.inp:1: \*INCLUDE: .* is outside the folder of the deck"):
        read(outside, "deck/mesh.inp")
    assert len(read(outside, "deck/mesh.inp", allow_outside=True).points) == 4


def test_what_is_skipped_is_listed_with_lines(read):
    mesh = read(NODES + TET + "*PLASTIC\n1, 2\n*AMPLITUDE, NAME=A\n0, 0\n*NOVELTY\n*STEP\n*FREQUENCY\n5\n*END STEP\n*PLASTIC\n")
    found = {skipped.card: (skipped.lines, skipped.analysis) for skipped in mesh.skipped}
    assert found == {
        "*PLASTIC": ((9, 18), False),
        "*AMPLITUDE": ((11,), True),
        "*NOVELTY": ((13,), False),
        "*STEP": ((14,), True),
        "*FREQUENCY": ((15,), True),
    }


def test_an_included_file_may_be_empty(tmp_path):
    (tmp_path / "nothing.inp").write_text("")
    path = tmp_path / "mesh.inp"
    path.write_text(NODES + "*INCLUDE, INPUT=nothing.inp\n" + TET)
    assert len(read_mesh(path).blocks[0].ids) == 1


def test_utf_16_decks_as_some_editors_save_them(tmp_path):
    path = tmp_path / "mesh.inp"
    path.write_bytes("*NODE\n1\n2, 1\n3, 0, 1\n4, 0, 0, 1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n".encode("utf-16"))
    assert len(read_mesh(path).points) == 4
