"""Interfaces from the couplings of a mesh file."""

from dataclasses import replace

import numpy as np
import pytest

from flexmbs import BodyError, ClampedFree, Coupling, Interface, reduce

OFFSET = np.array([0.05, 0.01, -0.02])


def coupled(mesh, set_name, kind, offset=(0.0, 0.0, 0.0), **options):
    """``mesh`` with a reference node beside the mean of a set, and a coupling "grip" of the two."""
    nodes = np.asarray(mesh.node_sets[set_name])
    point = mesh.points[nodes].mean(axis=0) + offset
    return replace(
        mesh,
        points=np.vstack([mesh.points, point]),
        node_ids=np.append(mesh.node_ids, mesh.node_ids.max() + 1),
        couplings=(Coupling("grip", kind, len(mesh.points), nodes, **options),),
    )


def marker(mesh, interface):
    body = reduce(mesh, interfaces={"hinge": "ROOT", "tip": interface}, modes=ClampedFree("hinge", count=3, bending=None))
    return body.markers["tip"], body


@pytest.mark.parametrize("mesh", ["square_solid", "square_beam"])
@pytest.mark.parametrize("kind", ["rigid", "average"])
def test_coupling_is_the_set_seen_from_its_reference_node(request, mesh, kind):
    mesh = request.getfixturevalue(mesh)
    set_kind = {"rigid": "rigid", "average": "averaged"}[kind]
    if kind == "rigid" and len(mesh.node_sets["TIP"]) == 1:
        set_kind = "averaged"  # one beam node is its own marker
    # the coupling names no weights: all its nodes count alike
    weights = "equal" if kind == "average" else None
    at_mean, body = marker(mesh, Interface(set="TIP", kind=set_kind, weights=weights))
    found, other = marker(coupled(mesh, "TIP", kind, OFFSET), Interface(coupling="grip"))
    np.testing.assert_allclose(other.frequencies, body.frequencies, rtol=1e-8)
    np.testing.assert_allclose(found.position, at_mean.position + OFFSET, atol=1e-12)
    np.testing.assert_allclose(found.Psi, at_mean.Psi, atol=1e-6)
    np.testing.assert_allclose(found.Phi, at_mean.Phi + np.cross(at_mean.Psi, OFFSET), atol=1e-6)
    a, b = at_mean.Psi[body.pairs[:, 0]], at_mean.Psi[body.pairs[:, 1]]
    bent = 0.5 * (np.cross(a, np.cross(b, OFFSET)) + np.cross(b, np.cross(a, OFFSET)))
    bent[body.pairs[:, 0] == body.pairs[:, 1]] *= 0.5
    np.testing.assert_allclose(found.Zr, at_mean.Zr, atol=1e-4 * np.abs(at_mean.Zr).max())
    scale = np.abs(at_mean.Zu).max()
    np.testing.assert_allclose(found.Zu, at_mean.Zu + np.cross(at_mean.Zr, OFFSET) + bent, atol=1e-4 * scale)


def test_weights_of_an_averaging_coupling(square_solid):
    nodes = np.asarray(square_solid.node_sets["TIP"])
    weights = np.linspace(1.0, 2.0, len(nodes))
    share = weights / weights.sum()
    points = square_solid.points[nodes]
    mesh = coupled(square_solid, "TIP", "average", share @ points - points.mean(axis=0), weights=weights)
    found, body = marker(mesh, Interface(coupling="grip"))
    np.testing.assert_allclose(found.Phi, np.einsum("i,aik->ak", share, body.modes[:, nodes]), atol=1e-12)


def test_a_coupling_can_hold_the_frame(square_solid):
    mesh = coupled(square_solid, "ROOT", "rigid")
    held = reduce(mesh, interfaces={"hinge": Interface(coupling="grip")}, modes=ClampedFree("hinge", count=3))
    plain = reduce(square_solid, interfaces={"hinge": Interface(set="ROOT", kind="rigid")}, modes=ClampedFree("hinge", count=3))
    np.testing.assert_allclose(held.frequencies, plain.frequencies, rtol=1e-12)


@pytest.mark.parametrize(
    ("interface", "options", "message"),
    [
        (Interface(coupling="grap"), {}, "no coupling 'grap'.*Did you mean grip"),
        (Interface(coupling="grip", kind="rigid"), {}, "is averaging; omit kind"),
        (Interface(coupling="grip"), {"dofs": (1, 2)}, "couples components 1, 2; an interface needs all"),
        (Interface(coupling="grip", set="TIP"), {}, "2 were given"),
    ],
)
def test_wrong_coupling(square_solid, interface, options, message):
    with pytest.raises(BodyError, match=message):
        marker(coupled(square_solid, "TIP", "average", **options), interface)
