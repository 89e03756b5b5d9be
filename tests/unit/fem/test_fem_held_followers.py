"""Rigid couplings to nodes without elements: they support the body where such a node is held, and do nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from fem_meshes import STEEL

from flexmbs import BoundaryCondition, ClampedFree, Coupling, assemble, box_mesh, line_mesh, natural_modes, rectangle, reduce
from flexmbs.fem.mpc.multipoint_constraints import without_idle_links
from flexmbs.fem.supports import held_components, supported_nodes

ALL = (1, 2, 3, 4, 5, 6)


def linked(mesh, reach=(0.0, 0.0, 0.1), swapped=False):
    """The mesh with a node of its own at ``reach`` (m) from the first node of TIP, rigidly coupled to it."""
    tip, link = mesh.node_sets["TIP"][0], len(mesh.points)
    reference, follower = (link, tip) if swapped else (tip, link)
    return replace(
        mesh,
        points=np.vstack([mesh.points, mesh.points[tip] + reach]),
        node_ids=np.append(mesh.node_ids, 9999),
        couplings=(Coupling("RBE2 1", "rigid", reference, np.array([follower]), ALL),),
    )


def with_supports(mesh, nodes):
    return replace(mesh, boundary_conditions=(BoundaryCondition("SPC 1", nodes, ALL),))


def first_modes(mesh, sets=None):
    model = assemble(mesh)
    return natural_modes(model, held_components(model, sets), 2).frequencies


@pytest.fixture(scope="module")
def beam():
    return line_mesh(1.0, 4, rectangle(0.02, 0.03), STEEL)


@pytest.mark.parametrize("swapped", [False, True], ids=["follower held", "reference held"])
@pytest.mark.parametrize("reach", [(0.0, 0.0, 0.0), (0.0, 0.0, 0.1)], ids=["in one place", "apart"])
def test_holding_what_is_rigidly_coupled_holds_the_beam(beam, reach, swapped):
    exact = first_modes(beam, ["ROOT", "TIP"])
    link = np.array([len(beam.points)])
    mesh = linked(beam, reach, swapped)
    # the same matrices but for the order of the eliminations
    both = np.append(beam.node_sets["ROOT"], link)
    assert first_modes(with_supports(mesh, both)) == pytest.approx(exact, rel=1e-9)
    named = replace(mesh, node_sets={**mesh.node_sets, "LINK": link, "BOTH": both})
    assert first_modes(named, ["ROOT", "LINK"]) == pytest.approx(exact, rel=1e-9)
    assert first_modes(named, ["BOTH"]) == pytest.approx(exact, rel=1e-9)
    assert first_modes(named, ["ROOT"]) == pytest.approx(first_modes(beam, ["ROOT"]), rel=1e-9)


def test_a_link_that_hangs_on_a_solid_counts_only_where_it_is_held():
    solid = box_mesh((0.5, 0.05, 0.05), (4, 1, 1), STEEL)
    mesh, tip = linked(solid), solid.node_sets["TIP"][:1]
    assert assemble(mesh).dependence is None
    root = solid.node_sets["ROOT"]
    held = with_supports(mesh, np.append(root, len(solid.points)))
    assert assemble(without_idle_links(held, supported_nodes(held))).dependence is not None
    assert assemble(without_idle_links(held, supported_nodes(held, ["ROOT"]))).dependence is None
    assert first_modes(held) == pytest.approx(first_modes(with_supports(solid, np.append(root, tip))), rel=1e-8)
    modes = ClampedFree("root", count=2)
    free = [
        reduce(own, interfaces={"root": "ROOT"}, modes=modes, second_order="none", cache=False).frequencies for own in (held, solid)
    ]
    assert free[0] == pytest.approx(free[1], rel=1e-12)
