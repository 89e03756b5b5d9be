"""Shear panels: patch test, exact energies, rigid motion to second order, a web with flanges, decks of Nastran."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL
from scipy.sparse.linalg import spsolve

from flexmbs import (
    BodyError,
    ClampedFree,
    ElementBlock,
    Mesh,
    MeshError,
    ShellSection,
    TrussSection,
    assemble,
    held_components,
    natural_modes,
    read_mesh,
    reduce,
)
from flexmbs.fem.fe_model import single_model
from flexmbs.fem.shear_panels import shear_panels

E, NU, G = STEEL.youngs_modulus, 0.3, STEEL.shear_modulus
T = 0.002
TURN = np.linalg.qr(np.random.default_rng(5).standard_normal((3, 3)))[0]
SHAPES = {
    "rectangle": [[0, 0, 0], [0.7, 0, 0], [0.7, 0.4, 0], [0, 0.4, 0]],
    "parallelogram": [[0, 0, 0], [0.7, 0, 0], [1.0, 0.4, 0], [0.3, 0.4, 0]],
    "trapezoid": [[0, 0, 0], [0.9, 0, 0], [0.6, 0.5, 0], [0.2, 0.5, 0]],
    "quadrilateral": [[0, 0, 0], [0.9, 0.1, 0], [0.7, 0.6, 0], [-0.1, 0.5, 0]],
    "warped": [[0, 0, 0.1], [0.9, 0.1, 0], [0.7, 0.6, 0.08], [-0.1, 0.5, 0]],
}


def panels(points, nodes=((0, 1, 2, 3),), section=None):
    block = ElementBlock("quad4", 10 + np.arange(len(nodes)), np.array(nodes), STEEL, section or ShellSection(T, behaviour="shear"))
    return Mesh(np.asarray(points, float), 1 + np.arange(len(points)), (block,), source="panels")


def model_of(points, **options):
    return single_model(shear_panels(panels(points, **options)))


def test_patch_of_parallelograms_carries_constant_skew_shear():
    """Rows of parallelograms of unequal sizes, anywhere in space: forces only at the outer nodes, the stress exact."""
    along, across = np.array([1.0, 0.0, 0.0]) @ TURN, np.array([0.4, 0.9, 0.0]) @ TURN
    r, s = np.meshgrid([0.0, 0.2, 0.7, 1.0], [0.0, 0.5, 0.6], indexing="ij")
    points = r.reshape(-1, 1) * along + s.reshape(-1, 1) * across
    number = np.arange(12).reshape(4, 3)
    nodes = [[number[i, j], number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]] for i in range(3) for j in range(2)]
    model = model_of(points, nodes=nodes)
    b = across / np.linalg.norm(across)
    shear = 5e6 * (np.outer(along, b) + np.outer(b, along)) / np.linalg.norm(np.cross(along, b))
    strain = ((1 + NU) * shear - NU * np.trace(shear) * np.eye(3)) / E
    u = (points @ strain).ravel()
    forces = (model.K @ u).reshape(4, 3, 3)
    assert abs(forces[1:3, 1]).max() < 1e-12 * abs(forces).max()
    six = [0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]
    for at in ("nodes", "element nodes", "integration points"):
        found = model.stress(u, at)
        assert found.stress == pytest.approx(np.tile(shear[six], (len(found), 1)), rel=1e-9, abs=1e-3)
    assert found.strain == pytest.approx(np.tile(strain[six], (6, 1)), abs=1e-15)
    area = np.linalg.norm(np.cross(along, 0.6 * across))
    assert 0.5 * u @ model.K @ u == pytest.approx(0.5 * area * T * np.sum(shear * strain), rel=1e-12)
    assert model.mass == pytest.approx(STEEL.density * T * area, rel=1e-12)


def test_flows_of_a_trapezoid_are_those_of_a_wedge():
    """q r^2 is constant in a wedge (Garvey 1951): q_a a^2 = q_b b^2 on the parallel sides, on the legs q^2 = q_a q_b."""
    (panel,) = model_of(SHAPES["trapezoid"]).families
    edges = np.roll(SHAPES["trapezoid"], -1, axis=0) - SHAPES["trapezoid"]
    half = 0.5 * np.array([-0.4 / 0.9, 1.0, -0.9 / 0.4, 1.0])[:, None] * edges
    assert panel.elements.forces[0] == pytest.approx(half + np.roll(half, 1, axis=0), rel=1e-12, abs=1e-15)


def test_energy_of_a_trapezoid_is_that_of_a_fine_mesh_of_membranes(n=16):
    """Under the flows q = q_m^2 h_a h_b / h^2 along all edges, h the distance from where the legs meet."""
    corners = np.array(SHAPES["trapezoid"], float)
    r, s = np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1), indexing="ij")
    shares = np.stack([(1 - r) * (1 - s), r * (1 - s), r * s, (1 - r) * s], axis=-1).reshape(-1, 4)
    points, number = shares @ corners, np.arange((n + 1) ** 2).reshape(n + 1, n + 1)
    nodes = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
    model = assemble(panels(points, nodes, ShellSection(T, behaviour="membrane")))
    load = np.zeros((len(points), 6))
    for line, sign in ((number[:, 0], -1), (number[-1], 1), (number[::-1, -1], -1), (number[0, ::-1], 1)):
        for i, j in zip(line[:-1], line[1:], strict=True):
            for t, weight in ((0.5 - 3**-0.5 / 2, 0.5), (0.5 + 3**-0.5 / 2, 0.5)):
                flow = 0.9 * 0.4 / (0.9 - (1 - t) * points[i, 1] - t * points[j, 1]) ** 2  # the legs meet at y = 0.9
                both = sign * weight * flow * (points[j] - points[i])
                load[i, :3], load[j, :3] = load[i, :3] + (1 - t) * both, load[j, :3] + t * both
    free = np.setdiff1d((6 * np.arange(len(points))[:, None] + [0, 1]).ravel(), [0, 1, 6 * number[-1, 0] + 1])
    u = spsolve(model.K.tocsr()[free][:, free].tocsc(), load.ravel()[free])
    (panel,) = model_of(corners).families
    assert load.ravel()[free] @ u == pytest.approx(1.0 / panel.elements.stiffness[0], rel=3e-3)


@pytest.mark.parametrize("shape", SHAPES)
def test_rigid_motion_strains_nothing_to_second_order(shape):
    points = np.array(SHAPES[shape]) @ TURN
    model = model_of(points)
    turn = np.array([0.3, -0.5, 0.2])
    u = np.cross(turn, points)
    assert abs(model.K @ u.ravel()).max() < 1e-12 * abs(model.K).max()
    second = np.cross(turn, u)  # of exp(turn) per 1/2
    load = model.second_order_loads(u.reshape(-1, 1), [(0, 0)])[:, 0]
    assert load + model.K @ second.ravel() == pytest.approx(np.zeros(12), abs=1e-12 * abs(load).max())


@pytest.mark.parametrize("shape", SHAPES)
def test_second_order_loads_project_the_geometric_stiffness(shape):
    model = model_of(SHAPES[shape])
    a, b, w = np.random.default_rng(3).standard_normal((3, model.ndof))
    K = model.geometric_stiffness(w)
    (load,) = model.second_order_loads(np.column_stack([a, b]), [(0, 1)]).T
    assert a @ (K @ b) == pytest.approx(w @ load, rel=1e-12)
    assert abs(K - K.T).max() <= 1e-12 * abs(K).max()


def test_a_web_between_flanges_sags_as_statics_say():
    """A cantilever of five bays: the web carries P / h, the flanges the moment at the middle of each bay (virtual work)."""
    bays, length, h, area, P = 5, 0.3, 0.2, 4e-4, 1e3
    lower = np.column_stack([length * np.arange(bays + 1), np.zeros(bays + 1), np.zeros(bays + 1)])
    points, n = np.vstack([lower, lower + [0.0, h, 0.0]]), bays + 1
    web = [[i, i + 1, n + i + 1, n + i] for i in range(bays)]
    rods = [[i, i + 1] for i in range(bays)] + [[n + i, n + i + 1] for i in range(bays)] + [[i, n + i] for i in range(1, n)]
    truss = ElementBlock("truss2", 100 + np.arange(len(rods)), np.array(rods), STEEL, TrussSection(area))
    mesh = panels(points, web)
    model = assemble(Mesh(points, mesh.node_ids, (*mesh.blocks, truss), source="web"))
    free = [6 * node + k for node in range(2 * n) if node not in (0, n) for k in (0, 1)]
    load = np.zeros(model.ndof)
    load[[6 * bays + 1, 6 * (n + bays) + 1]] = -0.5 * P  # half at either end of the last post
    u = np.zeros(model.ndof)
    u[free] = np.linalg.solve(model.K[free][:, free].toarray(), load[free])
    flanges = P * length * (np.arange(bays) + 0.5) / h  # from the tip
    work = 2.0 * np.sum(flanges**2) * length / (E * area) + bays * (P / h) ** 2 * length * h / (G * T)
    assert -load @ u / P == pytest.approx(-work / P, rel=1e-10)
    assert model.stress(u, "integration points").stress[:bays, 5] == pytest.approx(-P / (h * T) * np.ones(bays), rel=1e-9)
    assert model.section_forces(u).N[bays - 1] == pytest.approx([-flanges[0]] * 2, rel=1e-9)


def test_panels_of_nastran_are_computed(tmp_path):
    deck = tmp_path / "panel.bdf"
    grids = "".join(f"GRID,{i + 1},,{x},{y},0.0\n" for i, (x, y, _) in enumerate(SHAPES["rectangle"]))
    cards = "MAT1,1,2.1E11,,0.3,7850.0\nPSHEAR,2,1,0.002\nCSHEAR,7,2,1,2,3,4\nPROD,3,1,1.0E-4\nCROD,8,3,1,2\nCROD,9,3,3,4\n"
    deck.write_text("BEGIN BULK\n" + grids + cards + "ENDDATA\n")
    model = assemble(read_mesh(deck))
    u = np.zeros((4, 6))
    u[2:, 0] = 1e-4
    assert model.stress(u, "integration points").of_elements(7).stress[0, 5] == pytest.approx(G * 1e-4 / 0.4, rel=1e-9)


@pytest.mark.parametrize("twist", [0, 1])
def test_panels_of_ansys_are_computed_and_twist_panels_refused(tmp_path, twist):
    deck = tmp_path / "panel.cdb"
    nodes = "".join(f"N,{i + 1},{x},{y},0.0\n" for i, (x, y, _) in enumerate(SHAPES["rectangle"]))
    head = f"/PREP7\nET,1,28\nKEYOPT,1,1,{twist}\nR,1,0.002,,3.0\nMP,EX,1,2.1E11\nMP,NUXY,1,0.3\nMP,DENS,1,7850\n"
    deck.write_text(head + nodes + "TYPE,1\nREAL,1\nMAT,1\nE,1,2,3,4\nFINISH\n")
    mesh = read_mesh(deck)
    if twist:
        with pytest.raises(MeshError, match="twist behaviour"):
            assemble(mesh)
    else:
        assert assemble(mesh).mass == pytest.approx(0.28 * (7850.0 * 0.002 + 3.0), rel=1e-12)


def test_impossible_panels_are_refused_by_name():
    crossed = [[0, 0, 0], [0.9, 0, 0], [0.3, 0.2, 0], [0, 0.9, 0]]
    with pytest.raises(MeshError, match="element 10 .* has zero or negative area"):
        shear_panels(panels(crossed))
    with pytest.raises(MeshError, match="has thickness 0"):
        shear_panels(panels(SHAPES["rectangle"], section=ShellSection(0.0, behaviour="shear")))
    with pytest.raises(MeshError, match="have an offset; shear panels lie on their nodes"):
        shear_panels(panels(SHAPES["rectangle"], section=ShellSection(T, offset=0.01, behaviour="shear")))


def test_a_box_of_rods_and_panels_is_reduced_and_vibrates():
    """Twelve rods and six panels hold the eight corners of a box as statics need: six rigid motions, no mechanism."""
    corners = np.array([[x, y, z] for z in (0.0, 0.5) for y in (0.0, 0.3) for x in (0.0, 0.4)])
    faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]]
    edges = [[i, j] for i in range(8) for j in range(i) if np.count_nonzero(corners[i] != corners[j]) == 1]
    box = panels(corners, faces)
    rods = ElementBlock("truss2", 100 + np.arange(12), np.array(edges), STEEL, TrussSection(2e-4))
    sets = {"ROOT": np.arange(4), "TIP": np.arange(4, 8)}
    mesh = Mesh(corners, box.node_ids, (*box.blocks, rods), node_sets=sets, source="box")
    modes = natural_modes(assemble(mesh), held_components(assemble(mesh), []), count=3)
    assert np.count_nonzero(modes.frequencies == 0.0) == 6 and modes.warnings == ()
    body = reduce(mesh, interfaces={"root": "ROOT", "tip": "TIP"}, modes=ClampedFree("root", count=4), cache=False)
    assert body.mass == pytest.approx(assemble(mesh).mass, rel=1e-12)


def test_one_panel_that_nothing_holds_across_is_named():
    mesh = replace(panels(SHAPES["rectangle"]), node_sets={"ROOT": np.array([0, 1, 2])})
    with pytest.raises(BodyError, match="panels that nothing holds across"):
        reduce(mesh, interfaces={"root": "ROOT"}, modes=ClampedFree("root", count=1), cache=False)
