"""``check_mesh`` finds each defect, names where it is and what would be right."""

from dataclasses import replace

import numpy as np
import pytest
from solid_meshes import box

from flexmbs import (
    BoundaryCondition,
    Coupling,
    ElementBlock,
    Material,
    Mesh,
    MeshError,
    SkippedCard,
    SpringSection,
    assemble,
    box_mesh,
    check_mesh,
    line_mesh,
    nodes_of,
    read_mesh,
    rectangle,
    scaled,
    with_material,
)
from flexmbs.mesh.element_kinds import KINDS

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)


@pytest.fixture
def solid():
    return box_mesh((1.0, 0.1, 0.1), (4, 2, 2), STEEL)


@pytest.fixture
def beam():
    return line_mesh(1.0, 4, rectangle(0.004, 0.02), STEEL)


def changed_block(mesh, **changes):
    return replace(mesh, blocks=(replace(mesh.blocks[0], **changes),))


def test_good_meshes_pass(solid, beam):
    assert check_mesh(solid) == check_mesh(beam) == ()


def test_material_density_and_section_are_needed(solid, beam):
    with pytest.raises(MeshError, match=r"no material; use with_material\(mesh, youngs_modulus="):
        check_mesh(changed_block(solid, material=None))
    with pytest.raises(MeshError, match=r"STEEL without density; use with_material\(mesh, density="):
        check_mesh(changed_block(solid, material=replace(STEEL, density=None)))
    with pytest.raises(MeshError, match=r"no beam section; use with_rectangular_section"):
        check_mesh(changed_block(beam, section=None))
    with pytest.raises(MeshError, match=r"section with Iz = 0; it must be positive"):
        check_mesh(changed_block(beam, section=replace(beam.blocks[0].section, Iz=0.0)))


@pytest.mark.parametrize(("name", "line", "card"), [("no_material.inp", 7, "SOLID SECTION"), ("no_section.inp", 5, "BEAM SECTION")])
def test_file_without_material_or_section(test_data, name, line, card):
    with pytest.raises(MeshError, match=rf"{name}:{line}: .*add \*{card}"):
        check_mesh(read_mesh(test_data / "mesh" / name))


@pytest.mark.parametrize("kind", ["hex8", "hex20"])
def test_negative_and_zero_volume(kind):
    mesh = box_mesh((1.0, 0.1, 0.1), (2, 1, 1), STEEL, kind)
    nodes = mesh.blocks[0].nodes.copy()
    nodes[1, [0, 4, 1, 5, 2, 6, 3, 7]] = nodes[1, [4, 0, 5, 1, 6, 2, 7, 3]]
    if kind == "hex20":
        nodes[1, [8, 12, 9, 13, 10, 14, 11, 15]] = nodes[1, [12, 8, 13, 9, 14, 10, 15, 11]]
    with pytest.raises(MeshError, match=rf"element 2 \({kind}, corner nodes .* has negative volume"):
        check_mesh(changed_block(mesh, nodes=nodes))
    with pytest.raises(MeshError, match=r"element 1 .* has zero volume \(2 such elements in all\)"):
        check_mesh(replace(mesh, points=mesh.points * [1.0, 0.0, 1.0]))


def test_tetrahedra_turned_inside_out(meshes):
    mesh = with_material(read_mesh(meshes / "pendulum_tet10.msh"), STEEL)
    with pytest.raises(MeshError, match="tet10.*negative volume"):
        check_mesh(replace(mesh, points=mesh.points * [1.0, 1.0, -1.0]))


def test_mid_side_node_pulled_through_the_element(solid):
    points = solid.points.copy()
    points[solid.blocks[0].nodes[0, 8]] += [0.0, 0.2, 0.0]
    with pytest.raises(MeshError, match=r"element 1 .* volume"):
        check_mesh(replace(solid, points=points))


def test_beam_without_length_or_along_its_y_axis(beam):
    points = beam.points.copy()
    points[2] = points[1]
    with pytest.raises(MeshError, match="beam element 2 between nodes 2 and 3 has zero length"):
        check_mesh(replace(beam, points=points))
    with pytest.raises(MeshError, match="lies along its section's y axis"):
        check_mesh(changed_block(beam, section=rectangle(0.004, 0.02, (1.0, 0.0, 0.0))))


@pytest.mark.parametrize("kind", ["tet10", "pyramid13", "wedge15", "hex20"])
def test_middle_nodes_near_corners(kind):
    """Inside out near the corner only, where the mass is integrated: what assembling refuses, the check refuses."""
    mesh = box(kind, (1, 1, 1))
    points, nodes, known = mesh.points.copy(), mesh.blocks[0].nodes[0], KINDS[kind]
    corner, middle = nodes[known.edges[0][0]], nodes[known.corner_count]
    points[middle] += 0.85 * (points[corner] - points[middle])
    mesh = replace(mesh, points=points)
    for check in (assemble, check_mesh):
        with pytest.raises(MeshError, match=f"{kind}.* negative volume .*check its node order and .*mid"):
            check(mesh)


def test_unconnected_parts(solid):
    shifted = solid.points + [0.0, 1.0, 0.0]
    block = solid.blocks[0]
    twice = np.vstack([block.nodes, block.nodes + len(solid.points)])
    ids = np.arange(1, 2 * len(block.ids) + 1)
    mesh = Mesh(
        np.vstack([solid.points, shifted]), np.arange(1, 2 * len(shifted) + 1), (ElementBlock(block.kind, ids, twice, STEEL),)
    )
    count, elements = len(shifted), len(block.ids)
    (warning,) = (text for text in check_mesh(mesh) if "unconnected" in text)
    assert f"2 unconnected parts (for example node 1 in one of {count} nodes (element 1 and {elements - 1} m" in warning
    assert f"node {count + 1} in one of {count} nodes (element {elements + 1} and" in warning
    joined = replace(mesh, couplings=(Coupling("arm", "rigid", 0, np.array([count])),))
    assert not any("unconnected" in text for text in check_mesh(joined))


def test_nodes_that_do_not_exist_or_are_no_numbers(solid):
    nodes = solid.blocks[0].nodes.copy()
    nodes[2, 5] = 10_000
    with pytest.raises(MeshError, match=r"element 3 uses a node that does not exist \(index 10000"):
        check_mesh(changed_block(solid, nodes=nodes))
    points = solid.points.copy()
    points[7, 1] = np.nan
    with pytest.raises(MeshError, match=r"node 8 has the coordinates .*nan"):
        check_mesh(replace(solid, points=points))


def test_unused_nodes_are_a_warning(solid):
    mesh = replace(solid, points=np.vstack([solid.points, [9.0, 9.0, 9.0]]), node_ids=np.append(solid.node_ids, 777))
    (warning,) = check_mesh(mesh)
    assert "1 nodes belong to no element (first: 777)" in warning


@pytest.mark.parametrize("mesh_name", ["solid", "beam"])
def test_millimetres_with_density_in_kg_per_m3(mesh_name, request):
    mesh = scaled(request.getfixturevalue(mesh_name), 1000.0)
    with pytest.raises(MeshError, match=r"density 7850.*the mesh is 1000 long.*scaled\(mesh, 1e-3\)"):
        check_mesh(mesh)
    assert "inconsistent units suspected" in check_mesh(mesh, trust_units=True)[0]


def test_modulus_in_mpa_with_density_in_kg_per_m3(solid):
    with pytest.raises(MeshError, match=r"density 7850, as in m-kg-s, but E = 210000, as in mm-t-s.*by 1e\+06"):
        check_mesh(with_material(solid, youngs_modulus=2.1e5))


def test_millimetre_tonne_second_system_is_a_warning(solid):
    mesh = with_material(scaled(solid, 1000.0), youngs_modulus=2.1e5, density=7.85e-9)
    (warning,) = check_mesh(mesh)
    assert "mm-t-s system" in warning and "--units mm-t-s" in warning


def test_set_misspelt_or_empty(solid):
    with pytest.raises(MeshError, match=r"no node set ROTO. Did you mean ROOT\? There are: ROOT, TIP, ALL"):
        nodes_of(solid, "ROTO")
    empty = replace(solid, node_sets={"ROOT": np.array([], int)})
    with pytest.raises(MeshError, match="node set ROOT is empty"):
        nodes_of(empty, "ROOT")
    assert nodes_of(solid, "root").tolist() == solid.node_sets["ROOT"].tolist()
    with pytest.raises(MeshError, match="no node set ROOT. There are none"):
        nodes_of(replace(solid, node_sets={}), "ROOT")


def test_elements_on_the_same_nodes_are_a_warning(solid):
    (block,) = solid.blocks
    twice = replace(block, ids=np.append(block.ids, 99), nodes=np.vstack([block.nodes, block.nodes[1:2]]))
    (warning,) = check_mesh(replace(solid, blocks=(twice,)))
    assert "1 elements of kind hex20" in warning and f"{block.ids[1]} and 99" in warning


def test_springs_need_no_material_and_may_share_their_nodes(beam):
    springs = ElementBlock("spring1", np.array([90, 91]), np.array([[2], [2]]), section=SpringSection(np.ones(6)))
    assert check_mesh(replace(beam, blocks=(*beam.blocks, springs))) == ()


def test_beams_without_a_direction_of_their_own_have_that_of_the_section(beam):
    assert check_mesh(changed_block(beam, y_axes=np.full((4, 3), np.nan))) == ()


def test_what_the_reader_left_out_is_told_but_for_loads_and_plasticity(beam):
    left_out = [
        SkippedCard("RJOINT", "a.bdf", (14,), 1),
        SkippedCard("*PLASTIC", "a.inp", (4,), 1),
        SkippedCard("TB,BISO", "a.cdb", (4,), 1),
        SkippedCard("FORCE", "a.bdf", (5,), 1, analysis=True),
    ]
    (warning,) = check_mesh(replace(beam, skipped=tuple(left_out)))
    assert warning == "left out: a.bdf: RJOINT is skipped (line 14)."


def test_nodes_that_are_held_or_may_be_joined_are_not_to_be_dropped(beam):
    loose = replace(beam, points=np.vstack([beam.points, [[2.0, 0.0, 0.0]]]), node_ids=np.append(beam.node_ids, 777))
    assert "drop: without_unused_nodes()" in check_mesh(loose)[0]
    held = BoundaryCondition("SPC 1", np.array([len(beam.points)]), (1, 2, 3))
    (warning,) = check_mesh(replace(loose, boundary_conditions=(held,)))
    assert "belong to no element but are held (first: 777)" in warning and "drop" not in warning
    _, warning = check_mesh(replace(loose, skipped=(SkippedCard("RJOINT", "a.bdf", (14,), 1),)))
    assert "777" in warning and "what was left out may connect them" in warning


def test_coupling_of_an_unknown_kind_is_refused():
    with pytest.raises(MeshError, match=r"coupling 'joint': kind is 'rbe2'; it must be 'rigid' \(RBE2\) or 'average' \(RBE3\)"):
        Coupling("joint", "rbe2", 0, np.array([1, 2]))
