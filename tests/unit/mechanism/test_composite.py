"""Welded bodies, frames and inertias that no mass distribution has."""

import warnings

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.recording.result_structure import result_structure
from flexmbs.model.compile_mechanism import compile_system

NEGATIVE = (-1.0, 2.0, 2.0)  # a negative principal moment
LOPSIDED = (1.0, 1.0, 5.0)  # one moment above the sum of the others


def not_physical(inertia, mass=1.0):
    with pytest.warns(fm.MechanismWarning):
        return fm.RigidBody(mass, inertia, allow_nonphysical=True)


def test_a_box_of_two_halves():
    whole = fm.RigidBody.box(1000.0, (0.4, 0.2, 0.1))
    half = fm.RigidBody.box(1000.0, (0.2, 0.2, 0.1))
    welded = fm.weld([fm.Part(half, (-0.1, 0.0, 0.0)), fm.Part(half, (0.1, 0.0, 0.0), (0.0, 0.0, np.pi))])
    assert welded.mass == pytest.approx(whole.mass, rel=1e-14)
    assert welded.center == pytest.approx(np.zeros(3), abs=1e-15)
    assert welded.inertia == pytest.approx(whole.inertia, abs=1e-14 * whole.inertia.max())


def test_masses_on_a_triangle_by_their_coordinates():
    masses, places = np.array([1.0, 2.0, 4.0]), np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [-1.0, 0.5, 0.25]])
    welded = fm.weld(fm.RigidBody.point(m, x) for m, x in zip(masses, places, strict=True))
    about_origin = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(masses, places, strict=True))
    assert welded.mass == 7.0
    assert welded.center == pytest.approx(masses @ places / 7.0)
    assert welded.inertia_about((0.0, 0.0, 0.0)) == pytest.approx(about_origin, rel=1e-14)


def test_all_parts_are_drawn_at_their_places():
    ball, bar = fm.RigidBody.sphere(1.0, 0.1), fm.RigidBody.rod(1.0, 1.0)
    turn = fm.EulerAngles("zyx", (0.5 * np.pi, 0.0, 0.0))
    welded = fm.weld([fm.Part(bar, rotation=turn), fm.Part(ball, (0.0, 1.0, 0.0)), fm.RigidBody.point(1.0)])
    points = welded.surface.points
    assert points[:, 1].max() == pytest.approx(1.1)
    assert np.abs(points[:, 0]).max() == pytest.approx(0.1)
    assert len(points) == len(ball.surface.points) + len(bar.surface.points)
    assert len(welded.surface.triangles) == len(ball.surface.triangles) + len(bar.surface.triangles)
    assert fm.weld([fm.RigidBody.point(1.0)]).surface is None


def test_results_draw_what_the_body_draws():
    system = fm.System()
    ball = fm.RigidBody.sphere(1000.0, 0.1, (0.5, 0.0, 0.0))
    system.add(ball, "ball", position=(0.0, 0.0, 1.0))
    system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0), size=(0.1, 0.2, 0.3)), "box", position=(0.0, 0.0, 0.0))
    system.add(fm.RigidBody.point(1.0), "dot", position=(0.0, 0.0, 0.0))
    records = {body.name: body for body in result_structure(system, compile_system(system)).bodies}
    distances = np.linalg.norm(records["ball"].shape_points - [0.5, 0.0, 0.0], axis=1)
    assert distances == pytest.approx(np.full(len(distances), 0.1))
    assert np.array_equal(records["ball"].shape_faces, ball.surface.faces)
    assert np.ptp(records["box"].shape_points, axis=0) == pytest.approx([0.1, 0.2, 0.3])
    assert len(records["dot"].shape_points) == 0


def test_principal_inertia_gives_the_tensor_back():
    body = fm.RigidBody.extrusion(7850.0, [[0, 0], [0.3, 0], [0.1, 0.1], [0, 0.4]], 0.05).placed(rotation=(0.3, 0.4, 0.5))
    moments, axes = body.principal_inertia()
    assert np.all(np.diff(moments) > 0.0)
    assert axes.matrix @ np.diag(moments) @ axes.matrix.T == pytest.approx(body.inertia, abs=1e-14)
    assert fm.rotation(axes.matrix).vector.shape == (3,)  # a proper rotation
    assert body.in_frame(body.center, axes).inertia == pytest.approx(np.diag(moments), abs=1e-15)


@pytest.mark.parametrize(
    ("inertia", "reason"),
    [(NEGATIVE, r"a negative principal moment \(-1 kg m2"), (LOPSIDED, "none may exceed the sum of the other two")],
)
def test_what_is_no_inertia_is_refused_unless_allowed(inertia, reason):
    with pytest.raises(fm.BodyError, match=f"{reason}.*allow_nonphysical=True"):
        fm.RigidBody(1.0, inertia)
    with pytest.warns(fm.MechanismWarning, match=reason):
        body = fm.RigidBody(1.0, inertia, allow_nonphysical=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it has been said
        moved = body.placed((1.0, 0.0, 0.0), (0.0, 0.0, 0.3))
        assert moved.in_frame((1.0, 0.0, 0.0), (0.0, 0.0, 0.3)).inertia == pytest.approx(np.diag(inertia))


def test_a_system_with_a_negative_moment_is_refused():
    system = fm.System()
    system.add(not_physical(NEGATIVE), "ghost", position=(0.0, 0.0, 0.0))
    with pytest.raises(fm.BodyError, match="cannot be simulated"):
        compile_system(system)


def test_welding_can_make_it_physical():
    heavy = fm.RigidBody.box(1000.0, (1.0, 1.0, 1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ghost = fm.RigidBody(1.0, NEGATIVE, allow_nonphysical=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        welded = fm.weld([heavy, ghost])
    assert welded.inertia == pytest.approx(heavy.inertia + np.diag(NEGATIVE))
    system = fm.System()
    system.add(welded, "both", position=(0.0, 0.0, 0.0))
    assert compile_system(system).body_names == ("ground", "both")


def test_a_composite_that_is_not_physical_is_named():
    ghost = not_physical(NEGATIVE)
    with pytest.warns(fm.MechanismWarning, match="negative principal moment"):
        fm.weld([ghost, fm.RigidBody.point(1.0)])


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ([], fm.BodyError, "weld: there are no parts"),
        ([fm.RigidBody.point(1.0), 3], fm.BodyError, "part 2 must be a RigidBody or a Part of one, got int"),
        ([fm.Part("bar")], fm.BodyError, "part 1 must be a RigidBody or a Part of one, got str"),
        ([fm.Part(fm.RigidBody.point(1.0), (0.0, 1.0))], fm.MechanismError, "part 1: placed: position"),
        ([fm.Part(fm.RigidBody.point(1.0), rotation=2.0 * np.eye(3))], fm.MechanismError, "part 1: placed: .* orthogonal"),
    ],
)
def test_wrong_parts_are_refused(parts, error, message):
    with pytest.raises(error, match=message):
        fm.weld(parts)
