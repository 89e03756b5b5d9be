"""Patch tests of every element kind that a mesh can hold: a kind without one fails ``test_every_kind_has_a_patch``.

A patch of unequal, distorted elements gets the displacements of a state of constant strain (curvature, twist, force) at
its outer nodes. The inner ones must find their places, and the recovered stress or force must be constant and right.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve
from shell_meshes import flat, sheet
from solid_meshes import STEEL, box

from flexmbs import ElementBlock, Mesh, SpringSection, TrussSection, assemble, rectangle
from flexmbs.fem.fe_model import single_model
from flexmbs.fem.shells.strains import SHELL_KINDS
from flexmbs.fem.solids.kinds import SOLID_KINDS
from flexmbs.fem.springs import springs as springs_family
from flexmbs.mesh.element_kinds import KINDS

E, NU, G = STEEL.youngs_modulus, 0.3, STEEL.shear_modulus
GRADIENT = 1e-3 * np.array([[1.0, 0.5, -0.2], [0.1, -0.7, 0.3], [0.4, 0.2, 0.6]])
PLACES = np.array([0.0, 0.13, 0.41, 0.6, 1.0])  # of the nodes of lines


@dataclass
class Patch:
    """A model, the exact displacement (ndof,), the components to solve for, and exact values of what is recovered."""

    model: object
    exact: np.ndarray
    inner: np.ndarray
    recovered: dict = field(default_factory=dict)


def solids(kind, **options):
    model = assemble(box(kind, (2, 2, 2), distort=0.2), **options)
    points = model.mesh.points
    inner = np.repeat(np.all((points > 1e-9) & (points < 1 - 1e-9), axis=1), 3)
    strain = 0.5 * (GRADIENT + GRADIENT.T)
    stress = E * NU / ((1 + NU) * (1 - 2 * NU)) * np.trace(strain) * np.eye(3) + 2 * G * strain
    six = stress[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
    return Patch(model, (points @ GRADIENT.T).ravel(), inner, {"stress": six})


def shells(kind, membrane, curvature):
    """u = a x + b y, v = c x + d y, and w with the curvatures (wxx, wyy, wxy)."""
    mesh, grid = sheet(kind, (3, 3), flat(), thickness=0.01, distort=0.3)
    model, (x, y) = assemble(mesh), mesh.points[:, :2].T
    (a, b, c, d), (xx, yy, xy) = membrane, curvature
    exact = np.column_stack(
        [a * x + b * y, c * x + d * y, 0.5 * (xx * x**2 + yy * y**2) + xy * x * y]
        + [yy * y + xy * x, -(xx * x + xy * y), np.full_like(x, 0.5 * (c - b))]
    )
    outer = np.unique(np.concatenate([grid[0], grid[-1], grid[:, 0], grid[:, -1]]))
    inner = np.ones((len(x), 6), bool)
    inner[outer] = False
    plane = np.array([[1, NU, 0], [NU, 1, 0], [0, 0, (1 - NU) / 2]]) * E / (1 - NU**2)
    forces = {"membrane": 0.01 * plane @ [a, d, b + c], "moments": -(0.01**3) / 12 * plane @ [xx, yy, 2 * xy]}
    return Patch(model, exact.ravel(), inner.ravel(), forces)


def line(kind, section, material=STEEL):
    """A straight line of unequal elements along x; the middle nodes of second-order kinds lie off their middles."""
    count = len(PLACES) - 1
    if KINDS[kind].node_count == 3:
        nodes = np.array([[0, 2, 1], [2, 4, 3]])
    else:
        nodes = np.column_stack([np.arange(count), np.arange(1, count + 1)])
    points = np.column_stack([PLACES, 0 * PLACES, 0 * PLACES])
    block = ElementBlock(kind, np.arange(len(nodes)) + 1, nodes, material, section)
    return Mesh(points, np.arange(len(points)) + 1, (block,), source=f"{kind} line")


def beams(kind, **options):
    """Constant axial strain, twist and both curvatures."""
    section = rectangle(0.02, 0.06)
    model = assemble(line(kind, section), **options)
    x = model.mesh.points[:, 0]
    strain, twist, about_y, about_z = 1e-4, 2e-2, 3e-2, -5e-2
    exact = np.column_stack([strain * x, 0.5 * about_z * x**2, -0.5 * about_y * x**2, twist * x, about_y * x, about_z * x])
    inner = np.repeat((x > 1e-9) & (x < 1 - 1e-9), 6)
    forces = [E * section.area * strain, 0, 0, G * section.torsion_constant * twist, E * section.Iy * about_y]
    return Patch(model, exact.ravel(), inner, {"forces": np.array([*forces, E * section.Iz * about_z])})


def trusses(kind):
    """Constant axial strain; across the line there is no stiffness."""
    model = assemble(line(kind, TrussSection(1e-4)))
    exact = np.zeros((len(PLACES), 6))
    exact[:, 0] = 1e-4 * PLACES
    inner = np.zeros_like(exact, bool)
    inner[1:-1, 0] = True
    return Patch(model, exact.ravel(), inner.ravel(), {"forces": np.array([E * 1e-4 * 1e-4, 0, 0, 0, 0, 0])})


def model_of_springs(mesh):
    return single_model(springs_family(mesh))


def springs(kind):
    """In series, with flexibilities as the parts of the line; to ground: each carries its own displacement."""
    stiffness = 1.0 / np.diff(PLACES) if kind == "spring2" else np.ones(len(PLACES))
    blocks = []
    for number, k in enumerate(stiffness):
        nodes = [[number, number + 1]] if kind == "spring2" else [[number]]
        section = SpringSection(1e5 * k * np.eye(6)[0])
        blocks.append(ElementBlock(kind, np.array([number + 1]), np.array(nodes), section=section))
    points = np.column_stack([PLACES, 0 * PLACES, 0 * PLACES])
    model = model_of_springs(Mesh(points, np.arange(len(points)) + 1, tuple(blocks), source="springs"))
    exact, inner = np.zeros((len(PLACES), 6)), np.zeros((len(PLACES), 6), bool)
    exact[:, 0] = PLACES if kind == "spring2" else 0.3
    inner[1:-1, 0] = kind == "spring2"
    ends = [-1e5, 0, 0, 0, 1e5] if kind == "spring2" else [0.3e5] * len(PLACES)
    return Patch(model, exact.ravel(), inner.ravel(), {"reactions": np.array(ends)})


BENT, STRETCHED = (0.0,) * 4, (1e-3, 2e-3, -1e-3, 3e-3)
FLAT = (0.0, 0.0, 0.0)
PATCHES = {
    **{kind: [lambda kind=kind: solids(kind)] for kind in SOLID_KINDS},
    **{
        kind: [
            lambda kind=kind: shells(kind, STRETCHED, FLAT),
            lambda kind=kind: shells(kind, BENT, (1.0, 0.0, 0.0)),
            lambda kind=kind: shells(kind, BENT, (0.3, 1.0, 0.0)),
            lambda kind=kind: shells(kind, BENT, (0.0, 0.0, 1.0)),
        ]
        for kind in SHELL_KINDS
    },
    **{
        kind: [lambda kind=kind: beams(kind), lambda kind=kind: beams(kind, beam_theory="euler-bernoulli")]
        for kind in ("beam2", "beam3")
    },
    **{kind: [lambda kind=kind: trusses(kind)] for kind in ("truss2", "truss3")},
    **{kind: [lambda kind=kind: springs(kind)] for kind in ("spring1", "spring2")},
}
PATCHES["hex8"].append(lambda: solids("hex8", hex8="plain"))
PATCHES["hex20"].append(lambda: solids("hex20", hex20="reduced"))


def test_every_kind_has_a_patch():
    assert set(PATCHES) == set(KINDS)


@pytest.mark.parametrize(("kind", "number"), [(kind, i) for kind, patches in PATCHES.items() for i in range(len(patches))])
def test_patch(kind, number):
    patch = PATCHES[kind][number]()
    model, exact, inner = patch.model, patch.exact, patch.inner
    K, found = model.K.tocsr(), exact.copy()
    if inner.any():
        found[inner] = spsolve(K[inner][:, inner].tocsc(), -K[inner][:, ~inner] @ exact[~inner])
    assert found == pytest.approx(exact, abs=1e-9 * abs(exact).max())
    for what, value in patch.recovered.items():
        rows = recovered(what, model, exact)
        assert len(rows)
        # rounding of strains against rotations and displacements, which are larger than they
        assert rows == pytest.approx(np.broadcast_to(value, rows.shape), abs=1e-8 * max(abs(value).max(), 1.0))


def recovered(what, model, u):
    if what == "stress":
        return np.concatenate([model.stress(u, at=at).stress for at in ("integration points", "element nodes", "nodes")])
    if what == "forces":
        return model.section_forces(u).forces.reshape(-1, 6)
    if what == "reactions":
        return (model.K @ u)[0::6]
    return getattr(model.shell_forces(u), what)
