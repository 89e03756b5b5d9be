"""What cannot become a body is refused by name: what is wrong, where, what to do. In Python and on the command line."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from shell_meshes import flat, sheet

from flexmbs import (
    BodyError,
    ClampedFree,
    CraigBampton,
    ElementBlock,
    FlexmbsError,
    Interface,
    Material,
    Mesh,
    MeshError,
    OrthotropicMaterial,
    box_mesh,
    reduce,
)

STEEL = Material("STEEL", 210e9, 0.3, 7850.0)
RIGID_TWICE = {"root": Interface(set="ROOT", kind="rigid"), "all": Interface(set="ALL", kind="rigid")}


@pytest.fixture(scope="module")
def solid():
    """5 x 2 x 2 quadratic hexahedra, 0.5 m x 0.1 m x 0.1 m."""
    return box_mesh((0.5, 0.1, 0.1), (5, 2, 2), STEEL)


def changed(mesh, **changes):
    return replace(mesh, blocks=(replace(mesh.blocks[0], **changes),))


def inside_out(mesh):
    nodes = mesh.blocks[0].nodes.copy()
    nodes[2] = nodes[2][[4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11, 16, 17, 18, 19]]
    return changed(mesh, nodes=nodes)


def two_parts(mesh):
    count, nodes = len(mesh.points), mesh.blocks[0].nodes
    block = ElementBlock("hex20", np.arange(1, 2 * len(nodes) + 1), np.vstack([nodes, nodes + count]), STEEL)
    points = np.vstack([mesh.points, mesh.points + [0.0, 1.0, 0.0]])
    return Mesh(points, np.arange(1, 2 * count + 1), (block,), node_sets=dict(mesh.node_sets), source="two bars")


def thin_as_nothing(_mesh):
    mesh, grid = sheet("quad4", (4, 4), flat(), thickness=0.0)
    return replace(mesh, node_sets={"ROOT": grid[0], "TIP": grid[-1]})


def with_set(mesh, nodes):
    return replace(mesh, node_sets={**mesh.node_sets, "FEW": np.asarray(nodes)})


def along_an_edge(mesh):
    return with_set(mesh, np.flatnonzero((mesh.points[:, 0] == 0.0) & (mesh.points[:, 1] == 0.0)))


def of_material(material):
    return lambda mesh: changed(mesh, material=material)


PLASTIC = OrthotropicMaterial("PLY", 1e9, 1e9, 1e9, 0.9, 0.9, 0.9, 1e8, 1e8, 1e8, 1500.0)
BAD_MESHES = {
    "negative Jacobian": (inside_out, r"element 3 \(hex20, corner nodes .* has negative volume .* node order"),
    "no density": (of_material(replace(STEEL, density=None)), r"material STEEL without density; use with_material\("),
    "no mass": (of_material(replace(STEEL, density=0.0)), r"'STEEL' has density 0.0; give a positive one in kg/m3"),
    "no thickness": (thin_as_nothing, r"element 1 has thickness 0 m|first: element 1\) have thickness 0 m"),
    "incompressible": (of_material(Material("RUBBER", 1e6, 0.5, 1e3)), "'RUBBER' has Poisson's ratio 0.5; it must lie between"),
    "no stiffness": (of_material(Material("AIR", 0.0, 0.3, 1.2)), "'AIR' has Young's modulus 0.0 Pa; it must be positive"),
    "not positive definite": (
        of_material(PLASTIC),
        "'PLY' has an elasticity matrix that is not positive definite.* check its Poisson's",
    ),
    "unconnected parts": (two_parts, r"two bars.* 2 .*parts"),
}


@pytest.mark.parametrize("name", BAD_MESHES)
def test_meshes_that_are_no_body(solid, name):
    change, message = BAD_MESHES[name]
    # unconnected parts are named by the mesh's checks or, where joints may connect them, by the model
    with pytest.raises(FlexmbsError if name == "unconnected parts" else MeshError, match=message):
        reduce(change(solid), interfaces={"root": "ROOT", "tip": "TIP"}, modes=ClampedFree("root", count=2))


BAD_CHOICES = {
    "frame on one node": (
        None,
        {"root": Interface(node=1)},
        ClampedFree("root", count=2),
        r"interface 'root': its 1 node.* determine no rotation; use a set of nodes that spans an",
    ),
    "frame on a set of one node": (
        lambda mesh: with_set(mesh, [7]),
        {"root": "FEW"},
        ClampedFree("root", count=2),
        "interface 'root': its 1 node.* determine no rotation",
    ),
    "frame on a line": (
        along_an_edge,
        {"root": "FEW"},
        CraigBampton("root", count=2),
        "interface 'root': its 5 node.* one point or on one line and determine no rotation",
    ),
    "rigid line": (
        along_an_edge,
        {"root": Interface(set="FEW", kind="rigid")},
        ClampedFree("root", count=2),
        "interface 'root': its nodes lie on one line, about which a rigid marker could spin; add nodes",
    ),
    "rigid sets that overlap": (
        None,
        RIGID_TWICE,
        ClampedFree("root", count=2),
        "interfaces 'root' and 'all' overlap: they share 21 nodes .* remove them",
    ),
    "averaged sets that overlap": (
        None,
        {"root": "ROOT", "all": "ALL"},
        ClampedFree("root", count=2),
        "interfaces 'root' and 'all' overlap: they share 21 nodes .* remove them",
    ),
    "more modes than freedoms": (
        None,
        {"root": "ROOT"},
        ClampedFree("root", count=5000),
        "5000 modes were requested, but this mesh has only 507; request fewer",
    ),
    "more modes than are left": (
        None,
        {"root": "ROOT", "tip": "TIP"},
        CraigBampton("root", count=502),
        "502 modes were requested, but this mesh has only 501",
    ),
    "a set that is not there": (
        None,
        {"root": "ROTO"},
        ClampedFree("root", count=2),
        r"interface 'root': .*no node set 'ROTO'. Did you mean ROOT\?",
    ),
    "a frame that is not there": (
        None,
        {"root": "ROOT"},
        ClampedFree("hinge", count=2),
        r"ClampedFree\(at='hinge'\): no such interface; there are: root",
    ),
}


@pytest.mark.parametrize("name", BAD_CHOICES)
def test_choices_that_have_no_meaning(solid, name):
    change, interfaces, modes, message = BAD_CHOICES[name]
    with pytest.raises(BodyError, match=message):
        reduce(change(solid) if change else solid, interfaces=interfaces, modes=modes)


def test_a_single_node_of_a_solid_carries_forces_but_no_hinge(solid):
    from flexmbs import MechanismError, System

    interfaces = {"root": "ROOT", "corner": Interface(node=int(solid.node_ids[solid.node_sets["TIP"][0]]))}
    body = reduce(solid, interfaces=interfaces, modes=ClampedFree("root", count=2))
    assert not body.markers["corner"].has_rotation and np.isnan(body.advice().static_error["corner"][3:]).all()
    system = System()
    part = system.add(body, name="bar")
    with pytest.raises(MechanismError, match="bar.*corner.*rotation|corner.*rotation"):
        system.revolute(system.ground["origin"], part["corner"], axis="z", name="hinge")


def test_memory_that_is_not_there_is_said_before_it_is_taken(solid, monkeypatch):
    monkeypatch.setenv("FLEXMBS_MEMORY_GB", "0.0001")
    with pytest.raises(BodyError, match=r"factorising 5\d\d unknowns.* is needed, but only .* is available. A coarser mesh"):
        reduce(solid, interfaces={"root": "ROOT"}, modes=ClampedFree("root", count=2))


def test_what_is_poor_is_said_with_the_error_to_expect():
    """The warnings of the mesh's checks reach the body: plain hexahedra, one to the thickness of the bar."""
    mesh = box_mesh((0.5, 0.1, 0.1), (5, 1, 1), STEEL, "hex8")
    choice = {"interfaces": {"root": "ROOT"}, "modes": ClampedFree("root", count=2)}
    (plain,) = reduce(mesh, hex8="plain", **choice).warnings
    (better,) = reduce(mesh, **choice).warnings
    assert "hex8 plain elements are the only ones through the thickness" in plain and "about 20 % too high" in plain
    assert "about 2.8 % too high for waves 1 m long" in better


DECK = """*NODE, NSET=ALL
1, 0, 0, 0
2, 0, 100, 0
3, 0, 100, 100
4, 0, 0, 100
5, 300, 0, 0
6, 300, 100, 0
7, 300, 100, 100
8, 300, 0, 100
9, 600, 0, 0
10, 600, 100, 0
11, 600, 100, 100
12, 600, 0, 100
*NSET, NSET=ROOT
1, 2, 3, 4
*NSET, NSET=TIP
9, 10, 11, 12
*ELEMENT, TYPE=C3D8, ELSET=BAR
1, 1, 2, 3, 4, 5, 6, 7, 8
2, 5, 6, 7, 8, 9, 10, 11, 12
*SOLID SECTION, ELSET=BAR, MATERIAL=STEEL
*MATERIAL, NAME=STEEL
*ELASTIC
210000., 0.3
*DENSITY
7.85e-9
"""
FAR_AWAY = (
    "".join(
        f"{20 + n}, {2000 + x}, {y}, {z}\n"
        for n, (x, y, z) in enumerate(
            [(0, 0, 0), (0, 100, 0), (0, 100, 100), (0, 0, 100), (300, 0, 0), (300, 100, 0), (300, 100, 100), (300, 0, 100)]
        )
    )
    + "*ELEMENT, TYPE=C3D8, ELSET=BAR\n7, 20, 21, 22, 23, 24, 25, 26, 27\n"
)
BAD_COMMANDS = {
    "good": ((), (), None),
    "negative Jacobian": (("\n2, 5, 6, 7, 8, 9, 10, 11, 12", "\n2, 5, 6, 8, 7, 9, 10, 11, 12"), (), "element 2 (hex8"),
    "no density": (("*DENSITY\n7.85e-9\n", ""), (), "bar.inp:21: 2 elements of kind hex8 (first: element 1)"),
    "singular material": (("210000., 0.3", "210000., 0.5"), (), "bar.inp:24: *ELASTIC: material STEEL has E = 210000"),
    "unconnected parts": (("*NSET, NSET=ROOT", f"{FAR_AWAY}*NSET, NSET=ROOT"), (), "parts"),
    "frame on one node": ((), ("--interface", "tip=node:9", "--at", "tip"), "determine no rotation"),
    "no such node": ((), ("--interface", "tip=node:99"), "no node 99; its nodes are numbered 1 to 12"),
    "overlap": ((), ("--interface", "all=ALL:rbe2", "--interface", "tip=TIP"), "overlap: they share 4 nodes"),
    "more modes than freedoms": ((), ("--modes", "500"), "500 modes were requested"),
    "no such set": ((), ("--interface", "tip=TOP"), "no node set or coupling 'TOP'. Did you mean TIP?"),
    "no thickness": (
        (
            "C3D8, ELSET=BAR\n1, 1, 2, 3, 4, 5, 6, 7, 8\n2, 5, 6, 7, 8, 9, 10, 11, 12\n*SOLID SECTION",
            "S4, ELSET=BAR\n1, 1, 2, 3, 4\n*SHELL SECTION",
        ),
        (),
        "bar.inp:20: *SHELL SECTION",
    ),
    "memory": ((), ("memory",), "coarser mesh"),
}


FAILURES = ("negative Jacobian", "no density", "singular material", "no thickness", "memory")  # others: wrong use


@pytest.mark.parametrize("name", BAD_COMMANDS)
def test_command_ends_in_one_line(tmp_path, monkeypatch, capsys, name):
    from flexmbs.app.cli.main import main

    change, extra, message = BAD_COMMANDS[name]
    if extra == ("memory",):
        extra = ()
        monkeypatch.setenv("FLEXMBS_MEMORY_GB", "0.000001")
    file, output = tmp_path / "bar.inp", tmp_path / "bar.h5"
    file.write_text(DECK.replace(*change) if change else DECK)
    arguments = ["reduce", file, "--units", "mm-t-s", "--interface", "root=ROOT", "-o", output, "--modes", 3, *extra]
    monkeypatch.setattr(sys, "argv", ["flexmbs", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    shown = capsys.readouterr()
    if message is None:
        assert ended.value.code == 0 and output.is_file() and shown.err == ""
        return
    assert ended.value.code == (1 if name in FAILURES else 2) and not output.exists() and shown.out == ""
    assert message in shown.err and shown.err.startswith("error: ") and len(shown.err.splitlines()) == 1
