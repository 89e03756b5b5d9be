"""Few second-order fields in place of one for each pair of modes: within the stated error, and the same in motion."""

import numpy as np
import pytest

from flexmbs import BodyError, ClampedFree, Interface, Polynomial, SecondOrder, System, assemble, load_body, save_body
from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.tables import make_workspace
from flexmbs.model import second_order_terms
from flexmbs.model.compile_mechanism import compile_system
from flexmbs.reduction.body_layout import with_field_for_each_pair
from flexmbs.reduction.reduce import reduce_model

INTERFACES = {"hinge": "ROOT", "tip": Interface(set="TIP", kind="rigid")}
DEFLECTION, TOLERANCE, MODES = 0.1, 1e-4, 14


@pytest.fixture(scope="module", params=["blade", "square_solid"])
def fem(request):
    return assemble(request.getfixturevalue(request.param))


def body_of(fem, tolerance, **options):
    choice = SecondOrder(deflection=DEFLECTION, field_tolerance=tolerance, **options)
    return reduce_model(fem, interfaces=INTERFACES, modes=ClampedFree("hinge", count=MODES), second_order=choice)


@pytest.fixture(scope="module")
def exact(fem):
    return body_of(fem, None)


@pytest.fixture(scope="module")
def fewer(fem):
    return body_of(fem, TOLERANCE)


def states(body, fem, count):
    """Modal coordinates of the energy that the first mode has at the deflection."""
    size = np.linalg.norm(np.ptp(fem.mesh.points, axis=0))
    root = 2.0 * np.pi * body.frequencies * np.sqrt(np.diag(body.Me))
    directions = np.random.default_rng(2).standard_normal((count, len(root)))
    return directions / np.linalg.norm(directions, axis=1)[:, None] * DEFLECTION * size * root[0] / root


def second_order(body, fields, q):
    return np.tensordot(body.quadratic_coordinates(q), fields, 1)


def test_few_fields_are_left(exact, fewer):
    assert fewer.forms.shape == (len(fewer.quadratic), len(exact.pairs))
    assert len(fewer.quadratic) < 0.5 * len(exact.quadratic) == 0.5 * MODES * (MODES + 1) / 2


def test_displacements_are_within_the_stated_error(fem, exact, fewer):
    assert 0.0 < fewer.inertia.field_error <= TOLERANCE
    radius = np.sqrt(0.5 * np.trace(fem.inertia) / fem.mass)
    size = np.linalg.norm(np.ptp(fem.mesh.points, axis=0))
    for q in states(exact, fem, 20):
        difference = second_order(fewer, fewer.quadratic, q) - second_order(exact, exact.quadratic, q)
        # the mean over the nodes stands for that over the mass: within 10 % on these even meshes
        assert np.sqrt(np.mean(np.sum(difference**2, axis=1))) <= 1.1 * fewer.inertia.field_error * radius
        for name in INTERFACES:
            a, b = exact.markers[name], fewer.markers[name]
            shift = second_order(fewer, b.Zu, q) - second_order(exact, a.Zu, q)
            turn = second_order(fewer, b.Zr, q) - second_order(exact, a.Zr, q)
            assert np.hypot(np.linalg.norm(shift), size * np.linalg.norm(turn)) <= fewer.inertia.field_error * radius


def test_inertia_integrals_follow(fem, exact, fewer):
    for q in states(exact, fem, 10):
        moments = [
            (c := b.inertia.X + np.tensordot(q, b.inertia.P, 1) + second_order(b, b.inertia.Z, q)) @ c.T for b in (exact, fewer)
        ]
        # int x dx dm <= |x| |dx|, twice, and |x| is at most twice its value at rest here
        assert np.abs(moments[0] - moments[1]).max() < 4.0 * TOLERANCE * np.trace(moments[0])


def test_motion_is_that_of_the_same_fields_pair_by_pair(fewer, monkeypatch):
    """Kernels with quadratic forms and kernels with pairs, on the same fields: rounding only.

    Models leave out what changes the inertia by less than MOST, of forms and of pairs not the same; here they do not.
    """
    monkeypatch.setattr(second_order_terms, "MOST", second_order_terms.LEAST)
    results = []
    for body in (fewer, with_field_for_each_pair(fewer)):
        system = System(gravity=(1.0, -9.81, 2.0))
        arm = system.add(body, "arm")
        system.revolute(system.ground.marker("pivot"), arm["hinge"], axis="z", angle=0.3, rate=5.0)
        system.force(arm["tip"], (1.0, 2.0, 3.0))
        system.torque(arm["tip"], (0.1, 0.2, 0.3), follower=True)
        model = compile_system(system)
        rng = np.random.default_rng(0)
        q, v, a = (scale * rng.standard_normal(len(model.q)) for scale in (1e-2, 1.0, 10.0))
        out, contacts = np.zeros(len(q)), np.zeros(1, dtype=np.int64)
        residual(model.tables, contacts, np.zeros(0), q, v, a, np.zeros((1, 4)), make_workspace(model.tables), out)
        results.append(out)
    np.testing.assert_allclose(results[0], results[1], atol=1e-11 * np.abs(results[0]).max())


def test_a_spinning_strip_keeps_its_stiffness(blade):
    """First flapwise frequency at 60 rad/s, almost three times that at rest: forms carry the geometric stiffness."""
    found = []
    for tolerance in (None, 1e-3, 1e-6):
        body = body_of(assemble(blade), tolerance)
        system = System(gravity=(0.0, 0.0, 0.0))
        arm = system.add(body, "arm")
        joint = system.revolute(system.ground.marker("axle"), arm["hinge"], axis="y")
        joint.prescribe(Polynomial([0.0, 60.0]))
        found.append(system.linearize().frequencies[0])
    assert found[0] > 2.5 * body.frequencies[0]
    assert found[1] == pytest.approx(found[0], rel=1e-2) and found[2] == pytest.approx(found[0], rel=1e-5)


def test_forms_are_stored(fewer, tmp_path):
    save_body(fewer, tmp_path / "body.h5")
    again = load_body(tmp_path / "body.h5")
    assert np.array_equal(again.forms, fewer.forms) and again.inertia.field_error == fewer.inertia.field_error


def test_a_tight_tolerance_keeps_the_pairs(fem, exact):
    body = body_of(fem, 1e-8)
    if body.forms is None:
        scale = np.abs(exact.quadratic).max()
        np.testing.assert_allclose(body.quadratic, exact.quadratic, atol=1e-3 * scale)
    assert body.inertia.field_error <= 1e-8


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (SecondOrder(field_tolerance=0.5), "1e-8 to 0.1"),
        (SecondOrder(field_tolerance=1e-4, deflection=None), "also needs deflection"),
    ],
)
def test_wrong_choice(blade, choice, message):
    with pytest.raises(BodyError, match=message):
        reduce_model(assemble(blade), interfaces=INTERFACES, modes=ClampedFree("hinge", count=2), second_order=choice)
