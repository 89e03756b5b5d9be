"""Reduction of mixed bodies: interfaces on couplings, agreement with other meshes of the same bar, what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from mixed_meshes import STEEL, bar_and_beam, everything_joined, merged, ribbed_plate, tied_blocks, whole_beam, with_node
from shell_meshes import flat, sheet

from flexmbs import (
    BodyError,
    BoundaryCondition,
    ClampedFree,
    Coupling,
    CraigBampton,
    ElementBlock,
    Equation,
    FreeFree,
    Interface,
    MeshError,
    PointMass,
    SpringSection,
    assemble,
    box_mesh,
    line_mesh,
    natural_modes,
    rectangle,
    reduce,
)
from flexmbs.fem.supports import held_components
from flexmbs.reduction.reduce import reduce_model

ROOT = Interface(set="ROOT", kind="rigid")
BARS = {
    "rigid": (lambda: bar_and_beam("rigid"), "BEAM TIP"),
    "averaged": (lambda: bar_and_beam("average"), "BEAM TIP"),
    "tied": (lambda: tied_blocks(gap=0.0004), "SECOND TIP"),
}


@pytest.mark.parametrize("name", BARS)
def test_bar_in_two_pieces_moves_as_one_beam(name):
    """Frequencies, marker motion and its second order, clamped, against 48 beams of the whole bar."""
    make, tip = BARS[name]
    choice = ClampedFree("hinge", bending=(2, 2))
    found = reduce(make(), interfaces={"hinge": ROOT, "tip": tip}, modes=choice)
    expected = reduce(whole_beam(), interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=choice)
    assert found.mode_labels == expected.mode_labels
    # an averaged face gives way locally: 0.5 %
    assert found.frequencies == pytest.approx(expected.frequencies, rel=6e-3)
    for field, tolerance in (("Phi", 0.01), ("Psi", 0.01), ("Zu", 0.03), ("Zr", 0.03)):
        values, exact = getattr(found.markers["tip"], field), getattr(expected.markers["tip"], field)
        assert values == pytest.approx(exact, abs=tolerance * np.abs(exact).max())


@pytest.mark.parametrize("make", [lambda: bar_and_beam("rigid"), lambda: tied_blocks(gap=0.0004), everything_joined, ribbed_plate])
def test_reduced_frequencies_are_those_of_the_model(make):
    mesh = make()
    model = assemble(mesh)
    free = reduce(mesh, interfaces={}, modes=FreeFree(count=6))
    natural = natural_modes(model, held_components(model, []), 6)
    assert np.count_nonzero(natural.frequencies == 0.0) == 6
    assert free.frequencies == pytest.approx(natural.frequencies[6:], rel=1e-6)
    held_set = "EDGE" if "EDGE" in mesh.node_sets else "ROOT"
    clamped = reduce(mesh, interfaces={"hinge": Interface(set=held_set, kind="rigid")}, modes=ClampedFree("hinge", count=6))
    held = natural_modes(model, held_components(model, [held_set]), 6)
    assert clamped.frequencies == pytest.approx(held.frequencies, rel=1e-6)
    assert clamped.mass == pytest.approx(model.mass, rel=1e-12)


def test_projected_geometric_stiffness_under_a_unit_load_at_a_marker():
    """Row i of Z at a marker is the projected geometric stiffness of all parts and joints under a unit load i there."""
    mesh = bar_and_beam("average", (6, 1, 1), 4)
    fem = assemble(mesh)
    body = reduce(mesh, interfaces={"hinge": ROOT, "tip": "BEAM TIP"}, modes=ClampedFree("hinge", count=3))
    held = held_components(fem, ["ROOT"])
    D = fem.dependence.D
    free = ~held[fem.dependence.independent]
    fields = np.concatenate([body.modes, body.rotations], axis=2).reshape(3, -1).T
    K = (D.T @ fem.K @ D).toarray()[np.ix_(free, free)]
    tip = 6 * int(fem.mesh.node_sets["BEAM TIP"][0])
    for component in range(3):
        load = np.zeros(fem.ndof)
        load[tip + component] = 1.0
        small = np.zeros(D.shape[1])
        small[free] = np.linalg.solve(K, (D.T @ load)[free])
        u0 = D @ small
        S = fem.geometric_stiffness(u0) + fem.dependence.stiffness(fem.K @ u0 - load)
        projected = fields.T @ (S @ fields)
        factor = np.where(body.pairs[:, 0] == body.pairs[:, 1], -0.5, -1.0)
        expected = factor * projected[body.pairs[:, 0], body.pairs[:, 1]]
        # the clamped face is the set ROOT, whose reactions do no work; conditioning of the dense solution
        found = body.markers["tip"].Zu
        assert found[:, component] == pytest.approx(expected, abs=1e-6 * np.abs(found).max())


def test_coupling_interfaces_of_a_mixed_body():
    """The markers of an RBE2 and of an RBE3 in the file are their reference nodes."""
    mesh = everything_joined()
    interfaces = {
        "hinge": ROOT,
        "hand": Interface(coupling="hand"),
        "bare": Interface(coupling="bare"),
        "mean": Interface(coupling="mean"),
    }
    body = reduce(mesh, interfaces=interfaces, modes=CraigBampton("hinge", count=2, keep="hand"))
    fields = {"Phi": body.modes, "Psi": body.rotations, "Zu": body.quadratic, "Zr": body.quadratic_rotations}
    for coupling in mesh.couplings:
        marker, node = body.markers[coupling.name], coupling.reference
        assert marker.position == pytest.approx(mesh.points[node], abs=1e-12)
        for field, nodal in fields.items():
            expected = nodal[:, node]
            assert getattr(marker, field) == pytest.approx(expected, abs=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("kind", ["rigid", "average"])
def test_a_support_of_the_file_on_a_reference_node_is_the_held_coupling(kind):
    """Natural modes with the reference node held are the modes of the body that its coupling holds."""
    bar = box_mesh((0.2, 0.02, 0.02), (6, 1, 1), STEEL)
    mesh, node = with_node(bar, (-0.03, 0.02, 0.0))
    support = BoundaryCondition("CLAMP", np.array([node]), (1, 2, 3, 4, 5, 6))
    joint = Coupling("eye", kind, node, bar.node_sets["ROOT"])
    mesh = replace(mesh, couplings=(joint,), boundary_conditions=(support,))
    model = assemble(mesh)
    natural = natural_modes(model, held_components(model), 5).frequencies
    body = reduce(mesh, interfaces={"eye": Interface(coupling="eye")}, modes=ClampedFree("eye", count=5))
    assert body.frequencies == pytest.approx(natural, rel=1e-8)
    # without the support in the file nothing hangs on the average: the plain model, with the same result
    plain = reduce(
        replace(mesh, boundary_conditions=()), interfaces={"eye": Interface(coupling="eye")}, modes=ClampedFree("eye", count=5)
    )
    assert plain.frequencies == pytest.approx(natural, rel=1e-8)


def test_a_rigid_set_on_followers_is_refused():
    mesh = bar_and_beam("rigid", (3, 1, 1), 3)
    mesh.node_sets["MIDDLE"] = mesh.couplings[0].nodes
    words = r"a' is rigid, but 8 of its nodes \(node \d+\) already follow mixed mesh: joint; .*Interface\(coupling"
    with pytest.raises(BodyError, match=words):
        reduce(mesh, interfaces={"a": Interface(set="MIDDLE", kind="rigid")}, modes=FreeFree(count=1))
    reduce(mesh, interfaces={"a": "MIDDLE"}, modes=FreeFree(count=1))  # averaged: fine


def test_overlapping_interfaces():
    mesh = box_mesh((0.2, 0.02, 0.02), (4, 1, 1), STEEL)
    mesh.node_sets["HALF"] = mesh.node_sets["TIP"][:5]
    rigid, half = Interface(set="TIP", kind="rigid"), Interface(set="HALF", kind="rigid")
    for other in (half, "HALF"):
        with pytest.raises(BodyError, match="interfaces 'a' and 'b' overlap: they share 5 nodes"):
            reduce(mesh, interfaces={"a": rigid, "b": other}, modes=FreeFree(count=1))
    with pytest.raises(BodyError, match="interfaces 'a' and 'b' are both rigid and share 5 nodes"):
        reduce_model(assemble(mesh), interfaces={"a": rigid, "b": half}, modes=FreeFree(count=1))
    both = reduce_model(assemble(mesh), interfaces={"a": rigid, "b": "HALF"}, modes=FreeFree(count=1))
    assert np.all(np.isfinite(both.markers["b"].Phi))


def spring_to_ground():
    mesh = bar_and_beam("rigid", (3, 1, 1), 3)
    section = SpringSection(stiffness=np.array([1e3, 0, 0, 0, 0, 0]))
    node = mesh.node_sets["BEAM TIP"]
    block = ElementBlock("spring1", np.array([77]), np.array([node]), section=section, where="a.inp:9")
    return replace(mesh, blocks=(*mesh.blocks, block))


def symmetric_equation():
    mesh = bar_and_beam("rigid", (3, 1, 1), 3)
    pair = np.array([mesh.node_sets["BEAM TIP"][0], 0])
    mirror = Equation("mirror", pair, np.array([1, 1]), np.array([1.0, 1.0]), where="a.inp:12")
    return replace(mesh, equations=(mirror,))


@pytest.mark.parametrize(("make", "words"), [(spring_to_ground, "a.inp:9.*element 77"), (symmetric_equation, "a.inp:12: mirror")])
def test_what_holds_the_body_is_named(make, words):
    with pytest.raises(BodyError, match=f"cannot move freely.*{words}"):
        reduce(make(), interfaces={}, modes=FreeFree(count=1))


def test_unconnected_parts_are_named():
    solid = box_mesh((0.1, 0.02, 0.02), (2, 1, 1), STEEL)
    mesh = merged(solid, line_mesh(0.1, 2, rectangle(0.01, 0.01), STEEL, start=(1, 0, 0)), "BEAM ")
    words = r"2 unconnected parts \(for example node 1 in one of 32 nodes \(element 1 and 1 more\), node 33 in"
    with pytest.raises(BodyError, match=words):
        reduce(mesh, interfaces={}, modes=FreeFree(count=1))
    model = assemble(mesh)
    assert np.count_nonzero(natural_modes(model, held_components(model, []), 4).frequencies == 0.0) == 12


def beam_on_a_node():
    """A beam that begins at the middle node of a solid's end."""
    solid = box_mesh((0.1, 0.02, 0.02), (4, 2, 2), STEEL)
    at = int(np.argmin(np.linalg.norm(solid.points - [0.1, 0.01, 0.01], axis=1)))
    beam = line_mesh(0.1, 2, rectangle(0.01, 0.01), STEEL, start=solid.points[at])
    mesh = merged(solid, beam, "BEAM ")
    nodes = mesh.blocks[1].nodes.copy()
    nodes[nodes == len(solid.points)] = at
    mesh = replace(mesh, blocks=(mesh.blocks[0], replace(mesh.blocks[1], nodes=nodes)))
    return mesh, int(mesh.node_ids[at])


def test_a_beam_on_one_node_of_a_solid_is_a_mechanism():
    mesh, node = beam_on_a_node()
    words = rf"2 elements of kind beam2 \(element 17\) can move.*at node {node}, where rotation is not transmitted"
    with pytest.raises(BodyError, match=words):
        reduce(mesh, interfaces={}, modes=FreeFree(count=1))


def test_shells_hinged_to_a_solid_by_an_edge_are_a_mechanism_and_by_a_face_are_not():
    solid = box_mesh((0.1, 0.1, 0.02), (2, 2, 1), STEEL, "hex8")
    for width, free in ((0.0, True), (1.0, False)):
        shell, grid = sheet("quad4", (2, 2), flat(0.1, 0.1), 0.002, STEEL)
        # an upright sheet on the middle line of the top, or a sheet that lies on the top
        lying = shell.points + [0.0, 0.05, 0.02]
        upright = np.column_stack([shell.points[:, 0], np.full(len(shell.points), 0.05), 0.07 + shell.points[:, 1]])
        shell = replace(shell, points=lying if width else upright)
        mesh = merged(solid, shell, "SHELL ")
        distance = np.linalg.norm(mesh.points[:, None] - solid.points[None], axis=2)
        index = np.where(distance.min(axis=1) < 1e-9, distance.argmin(axis=1), np.arange(len(mesh.points)))
        mesh = replace(mesh, blocks=tuple(replace(b, nodes=index[b.nodes]) for b in mesh.blocks))
        if free:
            with pytest.raises(BodyError, match=r"4 elements of kind quad4 .*can move.*at nodes"):
                reduce(mesh, interfaces={}, modes=FreeFree(count=1))
        else:
            assert reduce(mesh, interfaces={}, modes=FreeFree(count=1)).frequencies[0] > 0.0


def test_a_mass_that_can_spin_is_named():
    solid = box_mesh((0.1, 0.02, 0.02), (4, 1, 1), STEEL)
    line = np.flatnonzero((solid.points[:, 1] == 0.0) & (solid.points[:, 2] == 0.0))
    mesh, node = with_node(solid, (0.2, 0.0, 0.0))
    mass = PointMass("ball", node, 1.0, 1e-3 * np.eye(3), np.zeros(3))
    mesh = replace(mesh, couplings=(Coupling("rod", "rigid", node, line),), point_masses=(mass,))
    with pytest.raises(BodyError, match=f"rotation x of node {mesh.node_ids[node]}"):
        reduce(mesh, interfaces={}, modes=FreeFree(count=1))
    with pytest.raises(MeshError, match=r"rod: its \d nodes coincide or lie on one line"):
        assemble(replace(mesh, couplings=(Coupling("rod", "average", node, line),)))
