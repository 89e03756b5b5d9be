"""Bodies reduced from meshes: statics of CalculiX through interface modes, free vibration, exact inertia.

Meshes: meshes/conrod.inp and data/reference_solids. Static displacements: CalculiX 2.20 on the same meshes, one set
held in all directions, 100 N along x, y and z spread equally over another, mean displacement of that set.
"""

import gzip
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg

from flexmbs import CraigBampton, FreeFree, Interface, assemble, read_mesh
from flexmbs.mesh import quadrature as gauss
from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values
from flexmbs.reduction.reduce import reduce_model

DATA = Path(__file__).parent / "data" / "reference_solids"
STEEL = """*MATERIAL, NAME=STEEL
*ELASTIC
210.0E9, 0.3
*DENSITY
7850.0
*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL
"""
STATIC = {
    "conrod": [
        [1.920043368279569e-07, -1.6043980233064531e-09, -5.077534983870965e-08],
        [-1.604388575268871e-09, 1.1986833037634411e-05, 1.9616266736290323e-09],
        [-5.07753561666932e-08, 1.9616265625537633e-09, 6.873669120967739e-05],
    ],
    "cantilever": [
        [5.967200438596491e-07, -4.341816484210527e-10, -2.0627790754385964e-10],
        [-4.3422448333318784e-10, 0.005934146052631577, -2.980368470175438e-09],
        [-2.0630319122851716e-10, -2.9803684877192982e-09, 0.001486619070175438],
    ],
    "blade": [
        [6.226859000000001e-07, 1.911537118836504e-16, -1.4707384661758297e-17],
        [2.2112354449453772e-18, 0.000307286041509434, -0.0008536222584905661],
        [-1.328454510966201e-17, -0.0008536222566037739, 0.004689141792452829],
    ],
}
SETS = {"conrod": ("NBIG", "NSMALL"), "cantilever": ("NFIX", "NTIP"), "blade": ("NFIX", "NTIP")}


@pytest.fixture(scope="module")
def model(meshes, tmp_path_factory):
    """model("blade") is that mesh assembled, once."""
    known = {}

    def assembled(name):
        if name not in known:
            path = meshes / "conrod.inp"
            if name != "conrod":
                path = tmp_path_factory.mktemp(name) / f"{name}.inp"
                path.write_text(gzip.decompress((DATA / f"{name}_mesh.inp.gz").read_bytes()).decode() + STEEL)
            known[name] = assemble(read_mesh(path))
        return known[name]

    return assembled


NAMES = [*(pytest.param(name, marks=pytest.mark.slow) for name in ("conrod", "cantilever")), "blade"]


@pytest.mark.parametrize("name", NAMES)
def test_static_displacement_through_interface_modes(model, figures, name):
    fem = model(name)
    held, loaded = SETS[name]
    # the reference spreads the load equally over the nodes, so that it acts at their mean
    mean = fem.mesh.points[np.unique(fem.mesh.node_sets[loaded])].mean(axis=0)
    equally = Interface(set=loaded, weights="equal", position=tuple(mean))
    interfaces = {"held": Interface(set=held, kind="rigid"), "loaded": equally}
    body = reduce_model(fem, interfaces=interfaces, modes=CraigBampton("held", count=4), second_order="none")
    Phi = body.markers["loaded"].Phi
    found = 100.0 * Phi.T @ np.linalg.solve(body.Ke, Phi)
    expected = np.array(STATIC[name])
    largest = np.abs(expected).max()
    figures(
        f"{name}: static displacement through interface modes",
        "CalculiX 2.20",
        found.ravel(),
        expected.ravel(),
        1e-6,
        scale=largest,
    )


@pytest.mark.slow
def test_craig_bampton_of_the_connecting_rod_vibrates_freely(model, figures):
    """All free frequencies up to half the highest of the modes held at both markers, which the rigid motion of the
    frame and the modes together must give.
    """
    fem = model("conrod")
    interfaces = {"big": "NBIG", "small": "NSMALL"}
    body = reduce_model(fem, interfaces=interfaces, modes=CraigBampton("big", count=20), second_order="none")
    free = reduce_model(fem, interfaces=interfaces, modes=FreeFree(count=16), second_order="none").frequencies
    known = free[free < 0.5 * body.options["normal_modes_to_hz"]]
    assert len(known) == 13
    figures(
        "conrod: free frequencies of its Craig-Bampton body", "all freedoms of the mesh", _free_frequencies(body)[:13], known, 1e-3
    )


def _free_frequencies(body):
    """Hz, of the body with its frame free: rigid motions and modes together."""
    X = body.inertia.X
    rigid = np.zeros((6, *X.shape))
    rigid[[0, 1, 2], [0, 1, 2], 0] = np.sqrt(body.mass)
    rigid[3:] = [np.cross(axis[:, None], X, axis=0) for axis in np.eye(3)]
    B = np.concatenate([rigid, body.inertia.P]).reshape(6 + body.mode_count, -1)
    K = np.zeros((len(B), len(B)))
    K[6:, 6:] = body.Ke
    return np.sqrt(np.abs(linalg.eigh(K, B @ B.T, eigvals_only=True)[6:])) / (2.0 * np.pi)


@pytest.mark.parametrize("name", NAMES)
def test_inertia_integrals_are_those_of_direct_quadrature(model, figures, name):
    """int f g dm for f, g among 1, coordinates and all components of the modes; points exact beyond their degree."""
    fem = model(name)
    held, _ = SETS[name]
    body = reduce_model(fem, interfaces={"held": Interface(set=held, kind="rigid")}, modes=CraigBampton("held", count=4))
    direct, found = _direct(fem, body), _from_cloud(body)
    scale = np.sqrt(np.outer(np.diag(direct), np.diag(direct)))  # each relative to the norms of its two fields
    figures(
        f"{name}: inertia integrals of position and modes",
        "direct quadrature",
        (found / scale).ravel(),
        (direct / scale).ravel(),
        1e-12,
        scale=1.0,
    )


def _direct(fem, body):
    nodal = np.concatenate([fem.mesh.points[None], body.modes]).transpose(1, 0, 2).reshape(len(fem.mesh.points), -1)
    nodal = np.column_stack([np.ones(len(nodal)), nodal])
    total = np.zeros((nodal.shape[1],) * 2)
    for block in fem.mesh.blocks:
        # degree 7 (tetrahedra, curved) and 15 (hexahedra, in each direction) at most
        points, weights = gauss.simplex(6, 3) if block.kind == "tet10" else gauss.cube(8, 3)
        values, gradients = shape_values(KINDS[block.kind], points), shape_gradients(KINDS[block.kind], points)
        for nodes in np.array_split(block.nodes, max(1, len(block.nodes) // 200)):
            jacobian = np.einsum("gnd,enk->egdk", gradients, fem.mesh.points[nodes])
            mass = block.material.density * weights * np.linalg.det(jacobian)
            samples = np.einsum("gn,enf->egf", values, nodal[nodes], optimize=True).reshape(-1, nodal.shape[1])
            total += samples.T @ (mass.reshape(-1, 1) * samples)
    return total


def _from_cloud(body):
    c = np.concatenate([body.inertia.X[None], body.inertia.P]).reshape(-1, body.inertia.X.shape[1])
    one = np.zeros(c.shape[1])
    one[0] = np.sqrt(body.mass)
    c = np.vstack([one, c])
    return c @ c.T
