"""Conditions that others imply already take no freedom, and weak springs to ground are no part of a body."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL, box, straight_beam
from mixed_meshes import merged

from flexmbs import (
    BodyError,
    ElementBlock,
    Equation,
    FreeFree,
    MeshSurface,
    PointMass,
    SpringSection,
    Tie,
    assemble,
    box_mesh,
    natural_modes,
    reduce,
)
from flexmbs.mesh.connectivity import outer_faces


def free_modes(mesh, count=3):
    model = assemble(mesh)
    return model, natural_modes(model, np.zeros(model.ndof, bool), count).frequencies


@pytest.mark.parametrize("seed", range(6))
def test_the_same_equation_twice_takes_one_freedom(seed):
    rng = np.random.default_rng(seed)
    mesh = box("hex8", (4, 2, 2), size=(1.0, 0.2, 0.2))
    nodes = rng.choice(len(mesh.points), 4, replace=False)
    dofs, coefficients = rng.integers(1, 4, 4), np.round(rng.uniform(-3.0, 3.0, 4), 2)
    once = Equation("A", nodes, dofs, coefficients)
    again = Equation("B", nodes, dofs, 1.7 * coefficients)
    (first, one), (second, two) = (free_modes(replace(mesh, equations=e)) for e in ((once,), (once, again)))
    assert first.dependence.D.shape == second.dependence.D.shape
    np.testing.assert_allclose(two, one, rtol=1e-9, atol=1e-6)


def stacked_blocks(divisions, turn):
    """A block on another, turned in space, and the faces of the lower one that the upper one stands on, in halves."""
    lower, upper = box_mesh((1.0, 0.3, 0.2), (4, 3, 2), STEEL), box_mesh((1.0, 0.3, 0.2), divisions, STEEL)
    mesh = merged(lower, replace(upper, points=upper.points + [0.0, 0.0, 0.2]), "upper ")
    on_top = [(kind, rows[np.abs(mesh.points[rows][..., 2] - 0.2).max(axis=1) < 1e-9]) for kind, rows, _ in outer_faces(lower)]

    def part(low, high):
        def inside(rows):
            x = mesh.points[rows][..., 0]
            return (x.min(axis=1) > low - 1e-9) & (x.max(axis=1) < high + 1e-9)

        return MeshSurface({kind: rows[inside(rows)] for kind, rows in on_top if inside(rows).any()})

    bottom = len(lower.points) + np.flatnonzero(np.abs(mesh.points[len(lower.points) :, 2] - 0.2) < 1e-9)
    x = mesh.points[bottom, 0]
    rotation = np.linalg.qr(np.random.default_rng(turn).normal(size=(3, 3)))[0] if turn else np.eye(3)
    return replace(
        mesh,
        points=mesh.points @ rotation.T,
        surfaces={"LEFT": part(0.0, 0.5), "RIGHT": part(0.5, 1.0), "WHOLE": part(0.0, 1.0)},
        node_sets={"left": bottom[x < 0.5 + 1e-9], "right": bottom[x > 0.5 - 1e-9], "all": bottom},
    )


@pytest.mark.parametrize("turn", [0, 1])
def test_two_ties_that_meet_in_a_line_are_one(turn):
    mesh = stacked_blocks((6, 5, 2), turn)
    whole = free_modes(replace(mesh, ties=(Tie("t", "all", "WHOLE"),)))[1]
    halves = free_modes(replace(mesh, ties=(Tie("l", "left", "LEFT"), Tie("r", "right", "RIGHT"))))[1]
    assert np.count_nonzero(halves == 0.0) == 6
    np.testing.assert_allclose(halves[6:], whole[6:], rtol=1e-7)


@pytest.mark.parametrize("values", [{"stiffness": 10.0}, {"damping": 100.0}])
def test_weak_springs_and_dashpots_to_ground_are_refused_by_name(values):
    mesh = straight_beam()
    section = SpringSection(**{name: np.full(6, value) for name, value in values.items()})
    block = ElementBlock("spring1", np.array([99]), np.array([[1]]), section=section, where="a.inp:7")
    with pytest.raises(BodyError, match="cannot move freely.*99"):
        reduce(replace(mesh, blocks=(*mesh.blocks, block)), interfaces={}, modes=FreeFree(count=2))


def test_motions_with_mass_and_without_stiffness_have_frequency_zero():
    """A mass with inertia beside a node of a solid turns freely: as many elastic modes as asked for come besides."""
    mesh = box("hex8", (4, 2, 2), size=(1.0, 0.2, 0.2))
    corner = PointMass("m", 0, 1.0, 0.01 * np.eye(3), np.array([0.0, 0.0, 0.05]))
    frequencies = free_modes(replace(mesh, point_masses=(corner,)), 3)[1]
    assert np.count_nonzero(frequencies > 0.0) == 3 and frequencies[frequencies > 0.0].min() > 100.0
    assert np.all(np.diff(frequencies) >= 0.0)
