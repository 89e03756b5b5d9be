"""Gmsh files without physical groups: their entities are offered as sets, and the warning says how to add groups."""

import numpy as np
import pytest

from flexmbs import ClampedFree, Interface, read_mesh, reduce, with_material

# A unit tetrahedron: volume 1, its faces 1 to 4 as surfaces, one edge as curve 6, a corner as point 2.
CORNERS = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))
FACES = ((1, 2, 3), (1, 2, 4), (2, 3, 4), (1, 3, 4))
ELEMENTS = [(15, 0, 2, (2,)), (1, 1, 6, (1, 2)), *((2, 2, k, face) for k, face in enumerate(FACES, 1)), (4, 3, 1, (1, 2, 3, 4))]


def version_1():
    lines = ["$NOD", "4", *(f"{i} {x} {y} {z}" for i, (x, y, z) in enumerate(CORNERS, 1)), "$ENDNOD", "$ELM"]
    lines += [str(len(ELEMENTS))]
    for i, (kind, _, tag, nodes) in enumerate(ELEMENTS, 1):
        lines += [f"{i} {kind} 0 {tag} {len(nodes)} {' '.join(map(str, nodes))}"]
    return "\n".join([*lines, "$ENDELM", ""])


def version_2(physical=0):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", "4"]
    lines += [*(f"{i} {x} {y} {z}" for i, (x, y, z) in enumerate(CORNERS, 1)), "$EndNodes", "$Elements"]
    lines += [str(len(ELEMENTS))]
    for i, (kind, dimension, tag, nodes) in enumerate(ELEMENTS, 1):
        group = physical if dimension == 3 else 0
        lines += [f"{i} {kind} 2 {group} {tag} {' '.join(map(str, nodes))}"]
    return "\n".join([*lines, "$EndElements", ""])


def version_41():
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$Nodes", "1 4 1 4", "3 1 0 4", "1", "2", "3", "4"]
    lines += [*(f"{x} {y} {z}" for x, y, z in CORNERS), "$EndNodes", "$Elements"]
    lines += [f"{len(ELEMENTS)} {len(ELEMENTS)} 1 {len(ELEMENTS)}"]
    for i, (kind, dimension, tag, nodes) in enumerate(ELEMENTS, 1):
        lines += [f"{dimension} {tag} {kind} 1", f"{i} {' '.join(map(str, nodes))}"]
    return "\n".join([*lines, "$EndElements", ""])


def read(tmp_path, text):
    path = tmp_path / "tetrahedron.msh"
    path.write_text(text)
    return read_mesh(path)


@pytest.mark.parametrize("text", [version_1(), version_2(), version_41()], ids=["1", "2.2", "4.1"])
def test_entities_are_offered_as_sets(tmp_path, text):
    mesh = read(tmp_path, text)
    expected = {f"surface_{k}": face for k, face in enumerate(FACES, 1)}
    expected |= {"volume_1": (1, 2, 3, 4), "curve_6": (1, 2), "point_2": (2,)}
    assert {name: tuple(mesh.node_ids[nodes]) for name, nodes in mesh.node_sets.items()} == expected
    assert set(mesh.surfaces) == set(expected) - {"volume_1", "point_2"} and list(mesh.element_sets) == ["volume_1"]
    (told,) = [warning for warning in mesh.warnings if "no physical groups" in warning]
    assert "1 point, 1 curve, 4 surfaces, 1 volume, such as surface_4" in told
    assert 'Physical Surface("hinge") = {4};' in told and 'addPhysicalGroup(2, [4], name="hinge")' in told


def test_a_file_with_groups_has_these_alone(tmp_path):
    mesh = read(tmp_path, version_2(physical=5))
    assert list(mesh.node_sets) == ["physical_3d_5"]
    assert not any("no physical groups" in warning for warning in mesh.warnings)


def test_an_entity_can_be_an_interface(tmp_path):
    mesh = with_material(read(tmp_path, version_41()), youngs_modulus=210e9, poisson_ratio=0.3, density=7850)
    modes = ClampedFree(at="face", count=1)
    body = reduce(mesh, interfaces={"face": Interface(set="surface_3")}, modes=modes, cache=False)
    assert np.allclose(body.markers["face"].position, (1 / 3, 1 / 3, 1 / 3))
