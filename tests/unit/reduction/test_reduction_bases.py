"""Craig-Bampton, attachment and static modes: what they must show exactly, and what advice says of them."""

import numpy as np
import pytest
from scipy import linalg

from flexmbs import BodyError, ClampedFree, CraigBampton, FreeFree, Interface, StaticModes, assemble, reduce
from flexmbs.fem.rigid_motion import rigid_motions
from flexmbs.reduction.reduce import reduce_model

ENDS = {"hinge": "ROOT", "tip": "TIP"}


@pytest.fixture(scope="module")
def solid(square_solid):
    return assemble(square_solid)


def linear(fem, modes, interfaces=ENDS, **options):
    """Nodes count alike, as in the dense solutions below."""
    interfaces = {k: Interface(set=v, weights="equal") if isinstance(v, str) else v for k, v in interfaces.items()}
    return reduce_model(fem, interfaces=interfaces, modes=modes, second_order="none", **options)


def compliance(body, name):
    """(6, 6) displacement and rotation of a marker under unit loads there, through the modes."""
    motion = np.hstack([body.markers[name].Phi, body.markers[name].Psi])
    return motion.T @ np.linalg.solve(body.Ke, motion)


def free_frequencies(body):
    """Hz, of the body with its frame free: rigid motions and modes together."""
    X = body.inertia.X
    rigid = np.zeros((6, *X.shape))
    rigid[[0, 1, 2], [0, 1, 2], 0] = np.sqrt(body.mass)
    rigid[3:] = [np.cross(axis[:, None], X, axis=0) for axis in np.eye(3)]
    B = np.concatenate([rigid, body.inertia.P]).reshape(6 + body.mode_count, -1)
    K = np.zeros((len(B), len(B)))
    K[6:, 6:] = body.Ke
    return np.sqrt(np.abs(linalg.eigh(K, B @ B.T, eigvals_only=True)[6:])) / (2.0 * np.pi)


def interface_of(kind):
    return {"hinge": Interface(set="ROOT", kind=kind), "tip": Interface(set="TIP", kind=kind)}


@pytest.mark.parametrize("kind", ["averaged", "rigid"])
@pytest.mark.parametrize(
    "modes",
    [
        CraigBampton("hinge", count=4),
        CraigBampton("hinge", count=0),
        ClampedFree("hinge", count=3, static=StaticModes(["tip"])),
        FreeFree(count=3, attachment=True),
    ],
)
def test_static_response_at_the_markers_is_that_of_the_full_model(solid, modes, kind):
    body = linear(solid, modes, interface_of(kind))
    full = body.flexibility[1]
    scale = np.sqrt(np.outer(np.diag(full), np.diag(full)))
    np.testing.assert_allclose(compliance(body, "tip") / scale, full / scale, atol=1e-8)
    assert np.nanmax(np.abs(body.advice().static_error["tip"])) < 1e-8


def test_flexibility_is_a_static_solution_of_the_held_model(solid):
    """By a dense solution with the marker of ROOT held by Lagrange multipliers."""
    body = linear(solid, ClampedFree("hinge", count=1))
    nodes, points = solid.mesh.node_sets, solid.mesh.points
    C = [_least_squares_motion(points, nodes[name]) for name in ("ROOT", "TIP")]
    K = np.block([[solid.K.toarray(), C[0].T], [C[0], np.zeros((6, 6))]])
    u = np.linalg.solve(K, np.vstack([C[1].T, np.zeros((6, 6))]))[: solid.ndof]
    np.testing.assert_allclose(body.flexibility[1], C[1] @ u, atol=1e-9 * np.abs(C[1] @ u).max())


def _least_squares_motion(points, nodes):
    """(6, ndof) rigid motion about the mean that fits the nodes best."""
    R = rigid_motions(points[nodes], 3, points[nodes].mean(axis=0))
    C = np.zeros((6, 3 * len(points)))
    C[:, (3 * np.asarray(nodes)[:, None] + np.arange(3)).ravel()] = np.linalg.pinv(R)
    return C


@pytest.mark.parametrize("modes", [CraigBampton("hinge", count=6), FreeFree(count=6, attachment=True)])
def test_modes_are_orthogonal_and_hold_no_rigid_motion(solid, modes):
    body = linear(solid, modes)
    size = np.sqrt(np.diag(body.Me))
    np.testing.assert_allclose(body.Me / np.outer(size, size), np.eye(body.mode_count), atol=1e-9)
    size = np.sqrt(np.diag(body.Ke))
    np.testing.assert_allclose(body.Ke / np.outer(size, size), np.eye(body.mode_count), atol=1e-9)
    np.testing.assert_allclose(body.frequencies, np.sqrt(np.diag(body.Ke) / np.diag(body.Me)) / 2 / np.pi, rtol=1e-9)
    np.testing.assert_allclose(np.abs(body.modes).max(axis=1).max(axis=1), 1.0, atol=0.3)  # largest displacement 1 m
    if isinstance(modes, CraigBampton):
        assert not body.markers["hinge"].Phi.any() and not body.markers["hinge"].Psi.any()
    else:
        R = rigid_motions(solid.mesh.points, 3, solid.center)
        momentum = R.T @ (solid.M @ body.modes.reshape(body.mode_count, -1).T)
        assert np.abs(momentum[:3]).max() < 1e-9 * body.mass
        assert np.abs(momentum[3:]).max() < 1e-9 * body.mass * 0.5


def test_craig_bampton_frequencies_come_from_above_and_converge(solid):
    exact = linear(solid, ClampedFree("hinge", count=6)).frequencies
    errors = [linear(solid, CraigBampton("hinge", count=n)).frequencies[:6] / exact - 1.0 for n in (0, 4, 12)]
    assert all(np.all(error > -1e-9) for error in errors)
    assert np.all(errors[1] <= errors[0] + 1e-9) and np.all(errors[2] <= errors[1] + 1e-9)
    assert errors[2].max() < 2e-3


def test_free_frequencies_of_craig_bampton(solid):
    """Frame and modes together vibrate as the free body does, up to half the highest held frequency."""
    body = linear(solid, CraigBampton("hinge", count=12))
    free = linear(solid, FreeFree(count=8)).frequencies
    known = free[free < 0.5 * body.options["normal_modes_to_hz"]]
    assert len(known) >= 5
    np.testing.assert_allclose(free_frequencies(body)[: len(known)], known, rtol=2e-4)


def test_responses_to_inertia_are_added_only_where_they_matter(solid):
    """None for constraint modes alone; a loose tolerance adds fewer than all (six for each of the two interfaces)."""
    assert linear(solid, CraigBampton("hinge", count=0)).mode_count == 6
    counts = [
        linear(solid, CraigBampton("hinge", count=8, frequency_tolerance=tolerance)).mode_count for tolerance in (None, 1e-2, 1e-7)
    ]
    everything = linear(solid, CraigBampton("hinge", count=8, static=StaticModes(acceleration=True))).mode_count
    assert counts[0] == 14 < counts[1] < counts[2] == everything


def test_a_beam_held_at_both_ends_is_the_limit_of_no_motion_at_the_tip(blade):
    """Fixed-interface modes of a strip are those of a bar clamped at both ends: roots of cos x cosh x = 1."""
    from flexmbs.reduction.checked import hold
    from flexmbs.reduction.constrained_body import fixed
    from flexmbs.reduction.interface import attach_all
    from flexmbs.reduction.mode_selection import compute_modes

    fem = assemble(blade, "euler-bernoulli", rotary_inertia=False)
    attached = attach_all(fem, ENDS)
    T, problem = hold(fem, attached, "hinge")
    found = compute_modes(fem, T, fixed(problem, (attached["tip"].operator @ T).toarray()), ClampedFree("hinge", bending=(2, 0)))
    roots = np.array([4.730040744862704, 7.853204624095838])
    np.testing.assert_allclose(found.omega, roots**2 * np.sqrt(210e9 * 0.004**2 / 12.0 / 7850.0), rtol=1e-6)


def test_dependent_static_modes_are_left_out(solid):
    once = linear(solid, CraigBampton("hinge", count=4))
    again = CraigBampton("hinge", count=4, static=StaticModes(["tip", "hinge"]))
    interfaces = {**ENDS, "same": "TIP", "held": "ROOT"}
    np.testing.assert_allclose(linear(solid, again, interfaces).frequencies, once.frequencies, rtol=1e-9)


def test_massless_static_modes_are_left_out(blade):
    """Beams without rotary inertia do not resist torsional acceleration: a torsional coordinate would have no mass."""
    fem = assemble(blade, "euler-bernoulli", rotary_inertia=False)
    assert linear(fem, CraigBampton("hinge", count=0)).mode_count == 5


def test_interfaces_can_be_left_free(solid):
    interfaces = {**ENDS, "middle": Interface(point=(0.25, 0.01, 0.01))}
    kept = linear(solid, CraigBampton("hinge", count=3, keep=["tip"], frequency_tolerance=None), interfaces)
    assert kept.mode_count == 9
    assert np.nanmax(kept.advice().static_error["middle"]) > 1e-3 > np.nanmax(kept.advice().static_error["tip"])
    assert linear(solid, CraigBampton("hinge", count=3, frequency_tolerance=None), interfaces).mode_count == 15


def test_load_case_at_nodes(solid):
    """A pressure on one side: its own response is in the basis."""
    top = np.flatnonzero(solid.mesh.points[:, 1] > 0.02 - 1e-9)
    forces = {int(solid.mesh.node_ids[node]): (0.0, -1.0, 0.0) for node in top}
    modes = ClampedFree("hinge", count=2, static=StaticModes(loads={"pressure": forces}))
    body, plain = linear(solid, modes), linear(solid, ClampedFree("hinge", count=2))
    assert body.mode_count == 3
    load = np.zeros((len(solid.mesh.points), 3))
    load[top, 1] = -1.0
    work = [(f := b.modes.reshape(b.mode_count, -1) @ load.ravel()) @ np.linalg.solve(b.Ke, f) for b in (body, plain)]
    C = _least_squares_motion(solid.mesh.points, solid.mesh.node_sets["ROOT"])
    K = np.block([[solid.K.toarray(), C.T], [C, np.zeros((6, 6))]])
    full = load.ravel() @ np.linalg.solve(K, np.append(load.ravel(), np.zeros(6)))[: solid.ndof]
    assert work[0] == pytest.approx(full, rel=1e-8) and work[1] < 0.999 * full


def test_second_order_fields_of_static_modes(blade):
    """A tip force bends a strip to the cubic w: its tip comes nearer by 1/2 int w'^2 = 3/5 w(L)^2 / L."""
    modes = CraigBampton("hinge", count=0)
    body = reduce(blade, interfaces=ENDS, modes=modes, beam_theory="euler-bernoulli", rotary_inertia=False)
    tip = body.markers["tip"]
    q = np.linalg.solve(body.Ke, tip.Phi[:, 1])
    deflection = tip.Phi[:, 1] @ q
    second = np.prod(q[body.pairs], axis=1) @ tip.Zu
    assert second[0] == pytest.approx(-0.6 * deflection**2, rel=1e-6)
    assert np.abs(second[1:]).max() < 1e-6 * deflection**2


def test_choice_by_effective_mass(solid):
    body = linear(solid, ClampedFree("hinge", effective_mass=0.7))
    moved = body.advice().effective_mass[:, :3].sum(axis=0) / body.mass
    assert moved.min() >= 0.7
    less = linear(solid, ClampedFree("hinge", count=body.mode_count - 1)).advice()
    assert less.effective_mass[:, :3].sum(axis=0).min() < 0.7 * body.mass
    with pytest.raises(BodyError, match="lowest 2 modes have only"):
        linear(solid, ClampedFree("hinge", effective_mass=0.7, count=2))


def test_advice_of_a_clamped_bar(solid):
    """Effective mass of the first bending mode of a clamped bar: 61.3 % (Blevins), axial: 8 / pi^2.

    Within 1 %: the nodes of the end are held in the mean only.
    """
    advice = linear(solid, ClampedFree("hinge", bending=1, axial=1)).advice()
    part = advice.effective_mass[:, :3] / advice.total_mass[:3]
    assert part[0, 1] == pytest.approx(0.613, abs=0.01)
    assert part[1, 0] == pytest.approx(8.0 / np.pi**2, abs=0.01)
    assert advice.total_mass[:3] == pytest.approx([solid.mass] * 3)
    assert advice.total_mass[3:] == pytest.approx(np.diag(solid.inertia), rel=1e-9)
    # a tip force strains the first mode only to 97 %; the axial one to 8 / pi^2
    assert advice.static_error["tip"][1] == pytest.approx(0.03, abs=0.01)
    assert advice.static_error["tip"][0] == pytest.approx(1.0 - 8.0 / np.pi**2, abs=0.02)
    assert any("'tip'" in remark for remark in advice.remarks)
    assert "CraigBampton(at='hinge')" in str(advice) and "highest frequency" in str(advice)
    assert linear(solid, CraigBampton("hinge", count=2, static=StaticModes(acceleration=True))).advice().remarks == ()


def test_all_modes_move_the_whole_mass(blade):
    fem = assemble(blade)
    body = linear(fem, ClampedFree("hinge", count=60))
    moved = body.advice().effective_mass.sum(axis=0) / body.advice().total_mass
    assert np.all(moved[:3] < 1.0 + 1e-9) and moved[1] > 0.97


@pytest.mark.parametrize(
    ("modes", "message"),
    [
        (CraigBampton("hing", count=1), r"CraigBampton\(at='hing'\): no such interface"),
        (CraigBampton("hinge", count=1, keep=["tp"]), "no such interface 'tp'.*Did you mean tip"),
        (CraigBampton("hinge", count=1, keep=["hinge"]), "holds the frame"),
        (CraigBampton("hinge"), "nothing was given"),
        (CraigBampton("hinge", count=1, frequency_tolerance=0.0), "frequency_tolerance must be a relative error above 0"),
        (ClampedFree("hinge", count=1, static=StaticModes(["tp"])), "no such interface 'tp'"),
        (ClampedFree("hinge", count=1, static=StaticModes(loads={"a": {999999: (1, 0, 0)}})), "no node 999999"),
        (ClampedFree("hinge", count=1, static=StaticModes(loads={"a": {1: (1, 0)}})), "three finite forces"),
        (ClampedFree("hinge", count=1, static=StaticModes(loads={"a": {}})), "has no force"),
        (ClampedFree("hinge", count=1, static=["tip"]), "static must be StaticModes"),
        (ClampedFree("hinge", effective_mass=1.5), "above 0 and below 1"),
        (ClampedFree("hinge", effective_mass=0.5, max_frequency=3.0), "not both"),
        (FreeFree(effective_mass=0.5), "modes of a free body have none"),
    ],
)
def test_wrong_basis(solid, modes, message):
    with pytest.raises(BodyError, match=message):
        linear(solid, modes)


def test_element_options_reach_the_elements():
    from flexmbs import Material, box_mesh

    mesh = box_mesh((0.5, 0.02, 0.02), (20, 1, 1), Material("STEEL", 210e9, 0.3, 7850.0), kind="hex8")
    first = [
        reduce(mesh, interfaces=ENDS, modes=ClampedFree("hinge", count=1), hex8=hex8).frequencies[0]
        for hex8 in ("incompatible", "plain")
    ]
    assert first[1] > 1.05 * first[0]
    with pytest.raises(BodyError, match="hex20 is 'some'"):
        reduce(mesh, interfaces=ENDS, modes=ClampedFree("hinge", count=1), hex20="some")
