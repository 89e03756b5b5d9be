"""Universal files: nodes, elements, groups, coordinate systems in the datasets of several generations."""

from pathlib import Path

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import MeshError
from flexmbs.mesh.element_kinds import KINDS, jacobian_determinants
from flexmbs.mesh.readers.unv.build_mesh import read_unv

DATA = Path(__file__).parents[3] / "data" / "mesh" / "unv"
BOX, OLD = (DATA / "box.unv").read_text(), (DATA / "old.unv").read_text()
LINES = BOX.splitlines()


@pytest.fixture(scope="module")
def box():
    return read_unv(DATA / "box.unv")


def written(folder, text):
    file = folder / "bad.unv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("latin-1"))
    return file


def refused(folder, text, line, *words):
    with pytest.raises(MeshError) as caught:
        read_unv(written(folder, text))
    message = str(caught.value)
    assert f"bad.unv:{line}" in message, message
    for word in words:
        assert word in message, message


def line_of(start):
    return next(number for number, line in enumerate(LINES, 1) if line.startswith(start))


NODES, ELEMENTS, GROUPS = line_of("  2411"), line_of("  2412"), line_of("  2467")


def test_nodes_with_fortran_exponents(box):
    assert box.node_ids.tolist() == list(range(1, 11))
    np.testing.assert_array_equal(box.points[6], (2, 1, 3))


def test_solids_and_beams_are_bodies_faces_and_edges_are_geometry(box):
    assert {block.kind: block.ids.tolist() for block in box.blocks} == {"beam2": [5], "wedge6": [2], "hex8": [1]}
    others = {own.type_name: (own.role, own.ids.tolist()) for own in box.other_elements}
    assert others["quad4"] == ("geometry", [3])
    assert others["line2"] == ("geometry", [4])  # without a cross section
    assert others["lumped mass 161"] == ("connector", [6])


def test_groups_of_nodes_and_elements(box):
    assert box.node_ids[box.node_sets["LEFT"]].tolist() == [1, 4, 5]
    assert sorted(box.element_ids[box.element_sets["ALL"]].tolist()) == [1, 2]
    assert box.surfaces["ALL"].faces["quad4"].tolist() == [[0, 3, 2, 1]]


def test_rigid_elements_are_couplings(box):
    (coupling,) = box.couplings
    assert box.node_ids[coupling.reference] == 10
    assert box.node_ids[coupling.nodes].tolist() == [5, 8]


def test_systems_and_the_nodes_that_move_in_them(box):
    system = box.coordinate_systems["2"]
    assert system.kind == "cylindrical"
    np.testing.assert_array_equal(system.origin, [1, 2, 3])
    np.testing.assert_array_equal(system.axes[:, 0], [0, 1, 0])
    assert box.node_ids[box.displacement_systems["2"]].tolist() == [9]


def test_units_are_reported_results_listed(box):
    assert any("mm (milli-newton)" in warning for warning in box.warnings)
    assert [own.card for own in box.skipped if own.analysis] == ["dataset 58"]


def test_old_datasets_and_the_order_of_second_order_nodes():
    mesh = read_unv(DATA / "old.unv")
    (block,) = mesh.blocks
    assert block.kind == "tet10"
    edges = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
    np.testing.assert_allclose(mesh.points[block.nodes[0, 4:]], mesh.points[block.nodes[0][np.array(edges)]].mean(axis=1))
    assert mesh.node_ids[mesh.node_sets["BASE"]].tolist() == [1, 2, 3, 5]


def test_quadratic_wedges_and_hexahedra_are_numbered_around_their_rings(tmp_path):
    for descriptor, corners in ((113, 3), (116, 4)):
        angles = 2 * np.pi * np.arange(corners) / corners
        ring = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
        around = np.stack([ring, (ring + np.roll(ring, -1, axis=0)) / 2], axis=1).reshape(-1, 3)
        points = np.vstack([around, ring + (0, 0, 1), around + (0, 0, 2)])
        count = len(points)
        nodes = "".join(
            f"{i + 1:10d}{1:10d}{1:10d}{11:10d}\n" + "".join(f"{v:25.16E}" for v in point) + "\n" for i, point in enumerate(points)
        )
        numbers = [f"{i + 1:10d}" for i in range(count)]
        rows = "\n".join("".join(numbers[i : i + 8]) for i in range(0, count, 8))
        head = "".join(f"{v:10d}" for v in (1, descriptor, 1, 1, 7, count))
        text = f"    -1\n  2411\n{nodes}    -1\n    -1\n  2412\n{head}\n{rows}\n    -1\n"
        mesh = read_unv(written(tmp_path, text))
        (block,) = mesh.blocks
        kind = KINDS[block.kind]
        places = mesh.points[block.nodes[0]]
        np.testing.assert_allclose(places[kind.corner_count :], places[np.array(kind.edges)].mean(axis=1), atol=1e-12)
        assert (jacobian_determinants(kind, places[None]) > 0).all()


def test_coordinates_in_a_system_of_dataset_18(tmp_path):
    turned = f"{1:10d}{0:10d}{0:10d}{1:10d}{1:10d}\nCS1\n" + "".join(f"{v:13.5E}" for v in (1, 2, 3, 1, 3, 3)) + "\n"
    turned += "".join(f"{v:13.5E}" for v in (1, 2, 4)) + "\n    -1\n"
    text = "    -1\n    18\n" + turned + OLD[OLD.index("    -1\n    15") :]
    mesh = read_unv(written(tmp_path, text))
    # local x is global y, local z global z
    np.testing.assert_allclose(mesh.points[[0, 2, 9]], [(1, 2, 3), (1, 3, 3), (1, 2, 4)], atol=1e-12)


def test_columns_that_touch_and_lines_without_columns(tmp_path):
    text = BOX.replace(f"{9:10d}{1:10d}{2:10d}{11:10d}", f"{9:10d}{1234567890:10d}{1234567890:10d}{11:10d}")
    assert len(read_unv(written(tmp_path, text)).points) == 10
    free = "\n".join(" ".join(line.split()) if i > NODES and i < ELEMENTS - 2 else line for i, line in enumerate(LINES, 1))
    free = free.replace("\n-1\n", "\n    -1\n")
    assert read_unv(written(tmp_path, free)).points.tolist() == read_unv(written(tmp_path, BOX)).points.tolist()


def test_line_ends_of_other_systems(tmp_path):
    for end in ("\r\n", "\r"):
        assert len(read_unv(written(tmp_path, BOX.replace("\n", end))).points) == 10


def test_binary_results_are_jumped_over(tmp_path):
    head = b"    -1\n    58b     1     2     1          8     0     0           0           0\nheader\n"
    binary = head + b"-1\n\x00\xff\n-1\n    -1\n"
    mesh = read_unv(written(tmp_path, binary + BOX.encode()))
    assert len(mesh.points) == 10
    refused(tmp_path, binary.replace(b"  8 ", b"999999999 ") + BOX.encode(), 2, "dataset 58")


@pytest.mark.parametrize(
    ("last", "line", "card"),
    [
        (NODES, NODES, "dataset 2411"),
        (NODES + 3, NODES + 3, "dataset 2411"),
        (ELEMENTS + 3, ELEMENTS + 3, "dataset 2412"),
        (GROUPS + 2, GROUPS + 2, "dataset 2467"),
    ],
)
def test_truncated(tmp_path, last, line, card):
    refused(tmp_path, "\n".join(LINES[:last]) + "\n", line, card)


def test_lines_that_are_missing_within_a_dataset(tmp_path):
    at = ELEMENTS + 2
    refused(tmp_path, "\n".join(LINES[: at - 1] + LINES[at:]), ELEMENTS + 2, "dataset 2412")
    refused(tmp_path, "\n".join(LINES[: ELEMENTS - 4] + LINES[ELEMENTS - 3 :]), ELEMENTS - 3, "dataset 2411", "coordinates")


def test_gigabyte_counts(tmp_path):
    head = LINES[ELEMENTS]
    refused(tmp_path, BOX.replace(head, head[:50] + f"{10**9:10d}", 1), ELEMENTS + 1, "1000000000 nodes")
    head = LINES[GROUPS]
    with pytest.raises(MeshError, match="dataset 2467"):
        read_unv(written(tmp_path, BOX.replace(head, head[:70] + f"{10**9:10d}", 1)))


def test_garbage_and_empty_files(tmp_path):
    refused(tmp_path, b"\x00\x01\x02" * 100, 1, "universal file")
    refused(tmp_path, "SOL 101\nCEND\n", 1, "universal file")
    refused(tmp_path, "", 0, "2411")


def test_duplicate_elements_and_nodes(tmp_path):
    rows = "\n".join(LINES[ELEMENTS : ELEMENTS + 2])
    refused(tmp_path, BOX.replace(rows, f"{rows}\n{rows}"), ELEMENTS + 3, "element 1 is defined twice")
    first, second = LINES[NODES : NODES + 2]
    again = f"{first}\n{second}\n{first}\n{second.replace('0.0', '0.5', 1)}"
    refused(tmp_path, BOX.replace(f"{first}\n{second}", again), NODES + 3, "defined twice with different coordinates")


def test_elements_on_missing_nodes(tmp_path):
    row = LINES[ELEMENTS + 1]
    refused(tmp_path, BOX.replace(row, row.replace("         8", "        88")), ELEMENTS + 1, "element 1", "node 88")


def test_groups_of_nothing_are_empty_with_a_warning(tmp_path):
    """Gmsh names points in groups whose elements it does not write."""
    text = BOX.replace(
        LINES[GROUPS + 2], LINES[GROUPS + 2].replace("7         1", "7        71").replace("         4", "        74")
    )
    text = text.replace(LINES[GROUPS + 3], LINES[GROUPS + 3].replace("         5", "        75"))
    path = tmp_path / "box.unv"
    path.write_text(text)
    mesh = read_unv(path)
    assert len(mesh.node_sets.get("LEFT", ())) == 0
    assert any(f":{GROUPS + 1}:" in warning and "LEFT do not exist" in warning for warning in mesh.warnings)


def test_measured_geometry_is_no_mesh(tmp_path):
    nodes = "\n".join(LINES[NODES - 2 : ELEMENTS - 2])
    trace = "    -1\n    82\n         1         2         1\nNONE\n         1         2\n    -1\n"
    refused(tmp_path, nodes + "\n" + trace, len(nodes.splitlines()) + 6, "2412", "82")


@pytest.mark.parametrize(("descriptor", "role"), [(54, "plane"), (84, "axisymmetric")])
def test_meshes_in_the_plane(tmp_path, descriptor, role):
    plane = "\n".join(
        [*LINES[:ELEMENTS], f"{1:10d}{descriptor:10d}{1:10d}{1:10d}{7:10d}{4:10d}", LINES[ELEMENTS + 1][:40], "    -1"]
    )
    refused(tmp_path, plane + "\n", ELEMENTS + 1, role)


def lines_file(folder, descriptor):
    """Two lines from (0, 0, 0) to (1, 0, 0) as Salome writes edges."""
    nodes = "".join(f"{i + 1:10d}{1:10d}{1:10d}{11:10d}\n{0.5 * i:25.16E}{0.0:25.16E}{0.0:25.16E}\n" for i in range(3))
    rows = "".join(
        f"{i:10d}{descriptor:10d}{2:10d}{1:10d}{7:10d}{2:10d}\n{0:10d}{1:10d}{1:10d}\n{i:10d}{i + 1:10d}\n" for i in (1, 2)
    )
    return written(folder, f"    -1\n  2411\n{nodes}    -1\n    -1\n  2412\n{rows}    -1\n")


@pytest.mark.parametrize("descriptor", [11, 21])
def test_lines_take_the_section_of_a_beam_or_of_a_truss(tmp_path, descriptor):
    mesh = read_unv(lines_file(tmp_path, descriptor))
    assert [(block.kind, block.ids.tolist()) for block in mesh.blocks] == [("beam2", [1, 2])]
    (beam,) = fm.with_section(mesh, "rect:0.02,0.01").blocks
    assert (beam.kind, beam.section.area) == ("beam2", pytest.approx(2e-4))
    (truss,) = fm.with_section(mesh, "area:3e-4").blocks
    assert (truss.kind, truss.section.area, truss.nodes.tolist()) == ("truss2", 3e-4, [[0, 1], [1, 2]])


def test_mirrored_solids_are_turned_with_a_warning(tmp_path):
    row = f"{1:10d}{2:10d}{3:10d}{4:10d}{5:10d}{6:10d}{7:10d}{8:10d}"
    assert row in BOX
    mesh = read_unv(written(tmp_path, BOX.replace(row, f"{5:10d}{6:10d}{7:10d}{8:10d}{1:10d}{2:10d}{3:10d}{4:10d}")))
    (block,) = (block for block in mesh.blocks if block.kind == "hex8")
    assert (jacobian_determinants(KINDS["hex8"], mesh.points[block.nodes]) > 0.0).all()
    assert any("turned inside out by the order of their nodes (first: element 1)" in warning for warning in mesh.warnings)


def test_rods_beside_true_beams_are_trusses(tmp_path):
    nodes = "".join(f"{i + 1:10d}{1:10d}{1:10d}{11:10d}\n{0.5 * i:25.16E}{0.0:25.16E}{0.0:25.16E}\n" for i in range(3))
    lines = "".join(
        f"{number:10d}{descriptor:10d}{2:10d}{1:10d}{7:10d}{2:10d}\n{0:10d}{1:10d}{1:10d}\n{number:10d}{number + 1:10d}\n"
        for number, descriptor in ((1, 11), (2, 21))
    )
    path = tmp_path / "lines.unv"
    path.write_text(f"    -1\n  2411\n{nodes}    -1\n    -1\n  2412\n{lines}    -1\n")
    mesh = fm.with_section(fm.with_section(fm.read_mesh(path), "area:1e-4"), "rect:0.01,0.02")
    assert {block.kind: block.section.area for block in mesh.blocks} == pytest.approx({"truss2": 1e-4, "beam2": 2e-4})
