"""Meshes of several families, joined by couplings, equations and ties, that the tests share."""

from dataclasses import replace

import numpy as np
from shell_meshes import flat, sheet

from flexmbs import Coupling, ElementBlock, Equation, Material, MeshSurface, Tie, box_mesh, line_mesh, rectangle
from flexmbs.mesh.connectivity import outer_faces

# Without lateral contraction a bar of solids bends as a beam does, clamped or rigidly coupled faces included.
STEEL = Material("steel without lateral strain", 210e9, 0.0, 7850.0)
LENGTH, DEPTH = 0.5, 0.02


def merged(first, second, prefix, **fields):
    """Both meshes in one, nodes and elements of the second after those of the first; its sets get the prefix."""
    count, ids = len(first.points), max(block.ids.max() for block in first.blocks)
    blocks = tuple(replace(b, nodes=b.nodes + count, ids=b.ids + ids) for b in second.blocks)
    sets = {prefix + name: np.asarray(nodes) + count for name, nodes in second.node_sets.items()}
    return replace(
        first,
        points=np.vstack([first.points, second.points]),
        node_ids=np.arange(1, count + len(second.points) + 1),
        blocks=(*first.blocks, *blocks),
        node_sets={**first.node_sets, **sets},
        element_sets={},
        source="mixed mesh",
        **fields,
    )


def with_node(mesh, point):
    """The mesh with one more node, and its index."""
    ids = np.append(mesh.node_ids, mesh.node_ids.max() + 1)
    return replace(mesh, points=np.vstack([mesh.points, point]), node_ids=ids), len(mesh.points)


def bar_and_beam(kind, divisions=(12, 2, 2), elements=12):
    """A bar 0.5 m x 20 mm x 20 mm, the first half of solids, the second of beams, joined by an RBE2 or RBE3."""
    half = LENGTH / 2
    solid = box_mesh((half, DEPTH, DEPTH), divisions, STEEL)
    middle = (half, DEPTH / 2, DEPTH / 2)
    beam = line_mesh(half, elements, rectangle(DEPTH, DEPTH), STEEL, start=middle)
    joint = Coupling("joint", kind, len(solid.points), solid.node_sets["TIP"])
    return merged(solid, beam, "BEAM ", couplings=(joint,))


def whole_beam(elements=48):
    return line_mesh(LENGTH, elements, rectangle(DEPTH, DEPTH), STEEL, start=(0.0, DEPTH / 2, DEPTH / 2))


def tied_blocks(gap=0.0, tolerance=None, kind="hex20"):
    """The same bar of two blocks of solids with other divisions, tied at the middle across a gap."""
    half = LENGTH / 2
    first = box_mesh((half, DEPTH, DEPTH), (10, 2, 2), STEEL, kind)
    second = box_mesh((half - gap, DEPTH, DEPTH), (10, 3, 3), STEEL, kind)
    second = replace(second, points=second.points + [half + gap, 0.0, 0.0])
    mesh = merged(first, second, "SECOND ")
    face = end_face(first, "TIP")
    return replace(mesh, surfaces={"FACE": face}, ties=(Tie("glue", "SECOND ROOT", "FACE", tolerance=tolerance),))


def end_face(mesh, name):
    """Surface of the faces of a box whose nodes are all in a set."""
    inside = np.zeros(len(mesh.points), bool)
    inside[mesh.node_sets[name]] = True
    return MeshSurface({kind: rows[inside[rows].all(axis=1)] for kind, rows, _ in outer_faces(mesh)})


def ribbed_plate(divisions=(16, 8), thickness=0.004, rib=(0.03, 0.006), width=0.2):
    """A plate 0.4 m long of shells with a rib of beams under its middle line, joined node by node by RBE2s."""
    plate, grid = sheet("quad4", divisions, flat(0.4, width), thickness, STEEL)
    middle = grid[:, divisions[1] // 2]
    height, rib_width = rib
    below = plate.points[middle] - [0.0, 0.0, 0.5 * (thickness + height)]
    count = len(plate.points)
    nodes = count + np.arange(len(middle))
    ids = plate.blocks[0].ids.max() + np.arange(1, len(middle))
    section = rectangle(rib_width, height, (0.0, 1.0, 0.0))
    beams = ElementBlock("beam2", ids, np.column_stack([nodes[:-1], nodes[1:]]), STEEL, section)
    pairs = enumerate(zip(middle, nodes, strict=True))
    couplings = tuple(Coupling(f"arm {i}", "rigid", int(above), np.array([node])) for i, (above, node) in pairs)
    return replace(
        plate,
        points=np.vstack([plate.points, below]),
        node_ids=np.arange(1, count + len(nodes) + 1),
        blocks=(*plate.blocks, beams),
        couplings=couplings,
        node_sets={"ROOT": np.append(grid[0], nodes[0]), "TIP": grid[-1], "EDGE": grid[0]},
        source="ribbed plate",
    )


def everything_joined():
    """A small body with every kind of joint, chained.

    Two tied blocks of solids; a beam on an average of their end; shells on the beam's tip, rigidly; an average of the
    shells that carries nothing; a node pinned to the shells by equations.
    """
    solids = tied_blocks(gap=0.0004)
    beam_root = len(solids.points)
    beam = line_mesh(0.1, 2, rectangle(0.01, 0.01), STEEL, start=(0.52, 0.015, 0.012), direction=(1.0, 0.5, 0.2))
    with_beam = merged(solids, beam, "BEAM ")
    shell, grid = sheet("quad4", (2, 2), flat(0.05, 0.05), 0.002, STEEL)
    shell = replace(shell, points=shell.points + [0.7, 0.1, 0.05], node_sets={"EDGE": grid[0], "CORNER": grid[-1, -1:]})
    mesh = merged(with_beam, shell, "SHELL ")
    corner = int(mesh.node_sets["SHELL CORNER"][0])
    mesh, pinned = with_node(mesh, mesh.points[corner])
    mesh, floating = with_node(mesh, (0.75, 0.12, 0.04))
    couplings = (
        Coupling("mean", "average", beam_root, mesh.node_sets["SECOND TIP"]),
        Coupling("hand", "rigid", int(mesh.node_sets["BEAM TIP"][0]), mesh.node_sets["SHELL EDGE"]),
        Coupling("bare", "average", floating, mesh.node_sets["SHELL EDGE"]),
    )
    pair, factors = np.array([pinned, corner]), np.array([1.0, -1.0])
    equations = tuple(Equation(f"pin {dof}", pair, np.array([dof, dof]), factors) for dof in (1, 2, 3))
    return replace(mesh, couplings=couplings, equations=equations)
