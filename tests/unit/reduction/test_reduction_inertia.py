"""Inertia fields and body frames: what holds exactly for every body."""

import numpy as np
import pytest

from flexmbs import ClampedFree, FreeFree, Interface, SecondOrder, assemble
from flexmbs.reduction.reduce import reduce_model

INTERFACES = {"hinge": "ROOT", "tip": "TIP"}


@pytest.fixture(scope="module", params=["blade", "square_beam", "square_solid"])
def fem(request):
    return assemble(request.getfixturevalue(request.param))


@pytest.fixture(scope="module", params=["clamped", "free"])
def body(request, fem):
    modes = ClampedFree("hinge", count=5) if request.param == "clamped" else FreeFree(count=5)
    return reduce_model(fem, interfaces=INTERFACES, modes=modes)


def fields_of(body):
    """Modal fields (ndof, n) from the nodal ones."""
    nodal = body.modes if body.rotations is None else np.concatenate([body.modes, body.rotations], axis=2)
    return nodal.reshape(body.mode_count, -1).T


def test_mass_center_and_inertia(fem, body):
    X = body.inertia.X
    np.testing.assert_allclose(X[:, 0] * np.sqrt(body.mass), fem.mass * fem.center, atol=1e-12 * fem.mass)
    second = X[:, 1:] @ X[:, 1:].T
    inertia = np.trace(second) * np.eye(3) - second
    # rounding of sums over some thousand sample points
    np.testing.assert_allclose(inertia, fem.inertia, atol=1e-12 * np.abs(fem.inertia).max())


def test_modal_mass_and_stiffness_are_those_of_the_finite_elements(fem, body):
    fields = fields_of(body)
    Me = fields.T @ (fem.M @ fields)
    np.testing.assert_allclose(body.Me, Me, atol=1e-12 * np.abs(Me).max())
    np.testing.assert_allclose(body.Me, np.diag(np.diag(Me)), atol=1e-9 * np.abs(Me).max())
    omega2 = (2.0 * np.pi * body.frequencies) ** 2
    # K u of a mode loses eps * cond(K), about 1e-8 for slender beams
    np.testing.assert_allclose(np.diag(body.Ke), omega2 * np.diag(body.Me), rtol=1e-6)


@pytest.fixture(scope="module")
def strict_body(fem):
    modes = ClampedFree("hinge", count=5)
    strict = SecondOrder(tolerance=1e-13, deflection=None)
    return reduce_model(fem, interfaces=INTERFACES, modes=modes, second_order=strict)


def test_default_compression_holds_at_its_deflection(fem, body):
    """At 0.3 of the body's size, in equal-energy amplitudes, no second moment is off by more than the default 1e-10."""
    strict = reduce_model(
        fem,
        interfaces=INTERFACES,
        second_order=SecondOrder(tolerance=1e-13, deflection=None),
        modes=ClampedFree("hinge", count=5) if body.attached_at else FreeFree(count=5),
    )
    assert body.inertia.X.shape[1] <= strict.inertia.X.shape[1]
    root = body.frequencies * np.sqrt(np.diag(body.Me))
    amplitude = 0.3 * np.linalg.norm(np.ptp(fem.mesh.points, axis=0)) * root[0] / root
    assert 0.0 <= body.inertia.compression_error <= 1e-10
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = amplitude * rng.uniform(-1.0, 1.0, len(amplitude)) / len(amplitude)
        found, exact = (_second_moment(b, q) for b in (body, strict))
        # sums of up to 20 fields, each pair within the tolerance; 1e-13 of the strict body is far below
        assert np.abs(found - exact).max() < 20.0 * 1e-10 * np.trace(_second_moment(strict, 0.0 * q))


def _second_moment(body, q):
    a, b = body.pairs.T
    c = body.inertia.X + np.tensordot(q, body.inertia.P, 1) + np.tensordot(q[a] * q[b], body.inertia.Z, 1)
    return c @ c.T


def test_strict_compression_error_is_small_and_true(fem, strict_body):
    body = strict_body
    assert 0.0 <= body.inertia.compression_error < 1e-12
    pairs, Z = body.pairs, body.quadratic
    if body.quadratic_rotations is not None:
        Z = np.concatenate([Z, body.quadratic_rotations], axis=2)
    x, phi, z, W = fem.inertia_samples(fields_of(body), pairs, Z.reshape(len(pairs), -1).T)
    for a, b in ((z[0, :, 0], z[0, :, 0]), (phi[1, :, 1], z[-1, :, 0]), (x[:, 0], z[0, :, 0])):
        exact, scale = a @ (W @ b), np.sqrt((a @ (W @ a)) * (b @ (W @ b)))
        found = _integral(body, x, phi, z, a, b)
        assert found == pytest.approx(exact, abs=1e-11 * scale)


def _integral(body, x, phi, z, a, b):
    """Product of the coefficient rows that belong to the sampled fields a and b."""
    rows = [
        (field[..., k], coefficients[..., k, :])
        for field, coefficients in ((x[None], body.inertia.X[None]), (phi, body.inertia.P), (z, body.inertia.Z))
        for k in range(3)
    ]
    find = {f[i].tobytes(): c[i] for f, c in rows for i in range(len(f))}
    return find[np.ascontiguousarray(a).tobytes()] @ find[np.ascontiguousarray(b).tobytes()]


def test_mean_axes_have_no_momentum(fem):
    body = reduce_model(fem, interfaces=INTERFACES, modes=FreeFree(count=5))
    size, root = np.ptp(fem.mesh.points, axis=0).max(), np.sqrt(body.mass)
    # the shortening inside each beam element is added to the nodal field: it shifts the mean by a part of the order of
    # (waves / elements)^2, here at most 5 / elements^2
    second_order_part = 1e-9 if body.rotations is None else 5.0 / (len(body.points) - 1) ** 2
    for fields, tolerance in ((body.inertia.P, 1e-9), (body.inertia.Z, second_order_part)):
        scale = np.linalg.norm(fields, axis=(1, 2)).max()
        for field in fields:
            assert np.abs(field[:, 0]).max() < tolerance * scale
            cross = body.inertia.X @ field.T
            assert np.abs(cross - cross.T).max() < tolerance * scale * size * root


def test_held_marker_does_not_move_at_all(fem):
    body = reduce_model(fem, interfaces=INTERFACES, modes=ClampedFree("hinge", count=5))
    hinge = body.markers["hinge"]
    for field in (hinge.Phi, hinge.Psi, hinge.Zu, hinge.Zr):
        assert not field.any()
    assert np.abs(body.markers["tip"].Phi).max() == pytest.approx(1.0, abs=0.02)  # the free end moves most


def test_sets_that_move_as_one_give_one_marker(square_solid):
    """On a rigid set the least-squares marker of the same nodes is the rigid marker, at first and second order."""
    interfaces = {
        "hinge": "ROOT",
        "rigid": Interface(set="TIP", kind="rigid"),
        "averaged": Interface(set="TIP"),
        "corner": Interface(node=int(square_solid.node_ids[square_solid.node_sets["TIP"][0]])),
    }
    body = reduce_model(assemble(square_solid), interfaces=interfaces, modes=ClampedFree("hinge", count=4))
    rigid, corner = body.markers["rigid"], body.markers["corner"]
    assert not corner.has_rotation and rigid.has_rotation
    r = corner.position - rigid.position
    np.testing.assert_allclose(corner.Phi, rigid.Phi + np.cross(rigid.Psi, r), atol=1e-10)
    for p, (a, b) in enumerate(body.pairs):
        turning = np.cross(rigid.Psi[a], np.cross(rigid.Psi[b], r)) + np.cross(rigid.Psi[b], np.cross(rigid.Psi[a], r))
        second = rigid.Zu[p] + np.cross(rigid.Zr[p], r) + (0.25 if a == b else 0.5) * turning
        # 1e-9 of the largest second-order displacement: rounding of the static solution
        np.testing.assert_allclose(corner.Zu[p], second, atol=1e-9 * np.abs(body.quadratic).max())


def test_chosen_pairs_only(blade):
    choice = SecondOrder(pairs=[(1, 0), (2, 2)])
    fem = assemble(blade)
    some = reduce_model(fem, interfaces=INTERFACES, modes=ClampedFree("hinge", count=3), second_order=choice)
    full = reduce_model(fem, interfaces=INTERFACES, modes=ClampedFree("hinge", count=3))
    none = reduce_model(fem, interfaces=INTERFACES, modes=ClampedFree("hinge", count=3), second_order="none")
    assert some.pairs.tolist() == [[0, 1], [2, 2]] and none.pairs.shape == (0, 2)
    assert full.pairs.tolist() == [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]
    np.testing.assert_allclose(some.quadratic, full.quadratic[[1, 5]], atol=1e-12 * np.abs(full.quadratic).max())
