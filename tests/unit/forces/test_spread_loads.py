"""Pressure and line loads on flexible bodies: resultants, work, and deflections of beams."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import box_mesh, line_mesh, rectangle
from flexmbs.mechanism.distributed_loads import Places

STEEL = fm.Material("steel", 2e11, 0.3, 7800.0)
RUBBER = fm.Material("rubber", 1e6, 0.3, 1000.0)
LENGTH, WIDTH, HEIGHT = 1.0, 0.05, 0.02


@pytest.fixture(scope="module")
def beam():
    mesh = line_mesh(LENGTH, 16, rectangle(WIDTH, HEIGHT), STEEL)
    return fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="hinge", count=8))


@pytest.fixture(scope="module")
def block():
    mesh = box_mesh((0.6, 0.1, 0.1), (6, 2, 2), RUBBER)
    return fm.reduce(mesh, interfaces={"hinge": "ROOT", "tip": "TIP"}, modes=fm.ClampedFree(at="hinge", count=5))


def clamped(body, damping=0.0):
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    part = system.add(body, name="beam")
    system.fixed(system.ground["origin"], part["hinge"], name="clamp")
    return system, part


def volume(body, q):
    """Volume inside the surface of a body at modal coordinates q."""
    s = body.surface
    points = s.points + np.tensordot(q, s.modes, axes=(0, 0))
    points = points + np.tensordot(body.quadratic_coordinates(q), s.quadratic, axes=(0, 0))
    a, b, c = points[fm.SurfaceMesh(points, s.faces).triangles].transpose(1, 0, 2)
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0


def test_pressure_all_around_has_no_resultant_and_the_work_of_the_volume(block):
    system, part = clamped(block)
    fields = system.pressure(part, 1.0).fields
    n = block.mode_count
    area = 2.0 * (0.1 * 0.1 + 0.6 * 0.1 * 2.0)
    assert np.abs(fields[:, :6]).max() < 1e-12 * area
    step = 1e-5
    for a, unit in enumerate(step * np.eye(n)):
        slope = (volume(block, unit) - volume(block, -unit)) / (2.0 * step)
        assert fields[0, 6 + a] == pytest.approx(-slope, abs=1e-9)
        for b, other in enumerate(step * np.eye(n)):
            corners = volume(block, unit + other) - volume(block, unit - other)
            corners -= volume(block, other - unit) - volume(block, -unit - other)
            # second differences of a volume of 6e-3 m3 with steps of 1e-5: 1e-18 / 1e-10
            assert fields[1 + b, 6 + a] == pytest.approx(-corners / (4.0 * step**2), abs=1e-6)


def test_pressure_on_one_face_has_its_resultant(block):
    system, part = clamped(block)
    top = block.surface.points[:, 2].max()
    fields = system.pressure(part, 1.0, where=lambda x: x[:, 2] > top - 1e-9).fields
    force = np.array([0.0, 0.0, -0.06])
    assert fields[0, :3] == pytest.approx(force, abs=1e-14)
    low, high = block.surface.points.min(axis=0), block.surface.points.max(axis=0)
    center = np.array([*(0.5 * (low + high))[:2], top])
    assert fields[0, 3:6] == pytest.approx(np.cross(center, force), abs=1e-14)


def test_expansion_is_the_derivative_of_the_whole(block):
    """First-order rows against differences of the nonlinear pressure forces."""
    system, part = clamped(block)
    top = block.surface.points[:, 2].max()
    fields = system.pressure(part, 1.0, where=lambda x: x[:, 2] > top - 1e-9).fields
    surface, triangles = block.surface, fm.SurfaceMesh(block.surface.points, block.surface.faces).triangles
    triangles = triangles[(surface.points[:, 2] > top - 1e-9)[triangles].all(axis=1)]
    places = Places(block, surface.points, surface.modes, None, surface.quadratic)

    def whole(q):
        r = places.at(q)
        corners = r[triangles]
        areas = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        F = np.zeros_like(r)
        for k in range(3):
            np.add.at(F, triangles[:, k], -areas / 3.0)
        modal = np.einsum("nkc,kc->n", places.gradient(q), F)
        return np.concatenate([F.sum(axis=0), np.cross(r, F).sum(axis=0), modal])

    for a, unit in enumerate(1e-5 * np.eye(block.mode_count)):
        slope = (whole(unit) - whole(-unit)) / 2e-5  # their cubic part leaves 4e-9
        assert fields[1 + a] == pytest.approx(slope, abs=1e-7 * max(1.0, np.abs(slope).max()))


@pytest.mark.parametrize("follower", [False, True])
def test_beam_under_a_uniform_load_deflects_as_euler_bernoulli(beam, follower):
    """w L^4 / (8 E I) at the tip, and the whole load at the clamp."""
    system, part = clamped(beam)
    w = 5.0
    system.line_load(part, beam.node_ids[np.argsort(beam.points[:, 0])], (0.0, 0.0, -w), follower=follower, name="snow")
    # rest: statics by heavy damping is slow, so the mean of the free swing about it is taken
    result = system.simulate(0.4, rtol=1e-7)
    inertia = WIDTH * HEIGHT**3 / 12.0 if np.ptp(beam.surface.points[:, 2]) < 0.03 else HEIGHT * WIDTH**3 / 12.0
    expected = w * LENGTH**4 / (8.0 * 2e11 * inertia)
    deflection = -result["beam.tip.displacement.z"]
    times = np.linspace(0.0, 0.4, 4001)
    mean = np.interp(times, result.t, deflection).mean()
    assert mean == pytest.approx(expected, rel=0.05)
    assert deflection.max() == pytest.approx(2.0 * expected, rel=0.05)


def test_line_load_in_one_direction_is_the_sum_of_its_point_forces(beam):
    from flexmbs.analysis.evaluation.evaluate import Evaluator
    from flexmbs.analysis.prepare.prepare import prepared

    order = np.argsort(beam.points[:, 0])
    numbers, x = beam.node_ids[order], beam.points[order, 0]
    found = []
    for spread in (True, False):
        system, part = clamped(beam)
        part.modal_coordinates[:] = 0.02 * np.arange(1, beam.mode_count + 1)[::-1]
        if spread:
            system.line_load(part, numbers, (1.0, 2.0, -3.0))
        else:
            lengths = np.gradient(x) * np.r_[0.5, np.ones(len(x) - 2), 0.5]
            for number, length in zip(numbers, lengths, strict=True):
                marker = part.marker(f"node {number}", node=int(number))
                system.force(marker, tuple(length * np.array([1.0, 2.0, -3.0])))
        model = prepared(system)
        zero = np.zeros_like(model.q)
        found.append(Evaluator(model).residual(model.q, zero, zero, model.reference, 0.0))
    assert found[0] == pytest.approx(found[1], rel=1e-11, abs=1e-12)


def test_following_line_load_turns_with_the_beam(beam):
    """First order: the force has the rotation of each node; its resultant turns by the mean rotation."""
    system, part = clamped(beam)
    order = np.argsort(beam.points[:, 0])
    loads = system.line_load(part, beam.node_ids[order], (0.0, 1.0, 0.0), follower=True)
    fields = loads[1].fields
    lengths = np.gradient(beam.points[order, 0]) * np.r_[0.5, np.ones(len(order) - 2), 0.5]
    turn = np.einsum("k,nkc->nc", lengths, beam.rotations[:, order])
    assert fields[1:, :3] == pytest.approx(np.cross(turn, [0.0, 1.0, 0.0]), abs=1e-13)
    assert fields[0, :3] == pytest.approx([0.0, LENGTH, 0.0], abs=1e-13)


def test_strain_and_stress_sensors_of_a_bent_beam(block):
    system, part = clamped(block)
    top = block.surface.points[:, 2].max()
    start = block.surface.points[:, 0].min()
    near = np.flatnonzero((np.abs(block.points[:, 2] - block.points[:, 2].max()) < 1e-9) & (np.abs(block.points[:, 1]) < 1e-9))
    if len(near) < 3:
        near = np.flatnonzero(np.abs(block.points[:, 2] - block.points[:, 2].max()) < 1e-9)
    first, second = block.node_ids[near[np.argsort(block.points[near, 0])[[1, 3]]]]
    a, b = part.marker("a", node=int(first)), part.marker("b", node=int(second))
    system.sensor("strain", b, a, name="gauge")
    place = (start + 0.1, 0.0, top)
    system.sensor("stress", part, at=place, component="xx", name="stress")
    system.sensor("modal coordinate", part, component=1, name="second mode")
    system.force(part["tip"], (0.0, 0.0, -0.01))
    result = system.simulate(0.2)
    positions = [np.array([result[f"beam.{m}.position.{x}"] for x in "xyz"]) for m in "ab"]
    length = np.linalg.norm(positions[1] - positions[0], axis=0)
    assert result["gauge"] == pytest.approx(length / length[0] - 1.0, abs=1e-14)
    nearest = int(np.argmin(np.linalg.norm(block.surface.points - place, axis=1)))
    stress = [result.stress("beam", t)[nearest, 0] for t in result.t[::10]]
    assert result["stress"][::10] == pytest.approx(stress, rel=1e-9, abs=1e-9)
    assert result["second mode"] == pytest.approx(result.trajectory.q[:, 1], abs=0.0)
    assert result.unit("stress") == "Pa"


def test_bad_places_are_refused(block, beam):
    system, part = clamped(block)
    for action, message in (
        (lambda: system.pressure(part, 1.0, where=lambda x: x[:, 0] > 9.0), "where= chooses no face"),
        (lambda: system.pressure(part, 1.0, where=lambda x: x[0] > 0.0), "must return one bool for each"),
        (lambda: system.line_load(part, [1], (0, 0, 1)), "at least two node numbers"),
        (lambda: system.line_load(part, [1, 10**6], (0, 0, 1)), "has no node 1000000"),
        (lambda: system.line_load(part, block.node_ids[:2], (0, 0, 1), follower=True), "have no rotations"),
        (lambda: system.sensor("stress", part, component="xx"), "give at="),
        (lambda: system.sensor("modal coordinate", part, component=99), "no mode 99"),
    ):
        with pytest.raises(fm.MechanismError, match=message):
            action()
    assert system.loads == {}
