"""Springs between markers, torsion springs and bushings against closed forms and their matrices."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmbs as fm
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.prepare.prepare import prepared


def two_bodies(seed=0):
    """A floating rigid body and ground, with markers at random places and axes."""
    rng = np.random.default_rng(seed)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    turn = Rotation.from_rotvec(0.3 * rng.normal(size=3))
    body = system.add(
        fm.RigidBody(mass=2.0, inertia=np.diag([0.3, 0.4, 0.5])),
        name="body",
        position=0.1 * rng.normal(size=3),
        rotation=turn.as_matrix(),
        velocity=rng.normal(size=3),
        angular_velocity=rng.normal(size=3),
    )
    a = system.ground.marker("a", position=rng.normal(size=3) * 0.1, rotation=0.4 * rng.normal(size=3))
    b = body.marker("b", position=rng.normal(size=3) * 0.1, rotation=0.4 * rng.normal(size=3))
    return system, a, b


def test_results_hold_length_rate_force_and_power_of_a_spring():
    system, a, b = two_bodies()
    system.spring_damper(a, b, stiffness=40.0, damping=3.0, length=0.2, preload=1.5, name="strut")
    result = system.simulate(1.0, rtol=1e-8)
    ends = [np.array([result[f"{m}.position.{x}"] for x in "xyz"]) for m in ("ground.a", "body.b")]
    length = np.linalg.norm(ends[1] - ends[0], axis=0)
    assert result["strut.length"] == pytest.approx(length, abs=1e-12)
    tension = 40.0 * (length - 0.2) + 1.5 + 3.0 * result["strut.rate"]
    assert result["strut.force"] == pytest.approx(tension, abs=1e-10)
    assert result["strut.power"] == pytest.approx(-tension * result["strut.rate"], abs=1e-10)
    assert result["energy.elastic"] == pytest.approx(20.0 * (length - 0.2) ** 2 + 1.5 * (length - 0.2), abs=1e-10)
    units = [result.unit(f"strut.{word}") for word in ("length", "rate", "force", "power")]
    assert units == ["m", "m/s", "N", "W"]


def test_force_function_of_length_and_rate():
    def cubic(t, length, rate):
        return 40.0 * (length - 0.2) + 200.0 * (length - 0.2) ** 3 + 3.0 * rate

    system, a, b = two_bodies()
    system.spring_damper(a, b, force=cubic, name="strut")
    result = system.simulate(0.5, rtol=1e-8)
    expected = cubic(0.0, result["strut.length"], result["strut.rate"])
    assert result["strut.force"] == pytest.approx(expected, abs=1e-10)


def test_torsion_spring_swings_a_wheel_from_beyond_half_a_turn():
    J, k, rest = 0.5, 8.0, 3.0
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    wheel = system.add(fm.RigidBody(mass=1.0, inertia=J * np.eye(3)), name="wheel")
    start = 3.0 + 0.4  # beyond half a turn from zero
    system.revolute(system.ground["origin"], wheel["origin"], axis="x", angle=start, name="hinge")
    system.torsion_spring(system.ground["origin"], wheel["origin"], k, rest=rest, axis="x", name="spiral")
    result = system.simulate(2.0, rtol=1e-10, atol=1e-12)
    expected = rest + 0.4 * np.cos(np.sqrt(k / J) * result.t)
    assert result["spiral.angle"] == pytest.approx(expected, abs=1e-8)
    assert result["spiral.torque"] == pytest.approx(-k * (expected - rest), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_torsion_spring_conserves_energy_of_a_body_that_also_tilts(seed):
    system, a, b = two_bodies(seed)
    system.torsion_spring(a, b, 5.0, rest=0.2, axis=(1.0, 2.0, -1.0))
    result = system.simulate(0.5, rtol=1e-10, atol=1e-12)
    # the twist is defined while the axes stay within half a turn of each other
    assert np.ptp(result["energy.total"]) < 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_bushing_is_its_matrices(seed):
    rng = np.random.default_rng(seed)
    root, damping = rng.normal(size=(6, 6)), rng.normal(size=(6, 6))
    K, C, preload = 100.0 * root @ root.T, damping @ damping.T, rng.normal(size=6)
    system, a, b = two_bodies(seed)
    system.bushing(a, b, K, C, preload=preload, name="mount")
    result = system.simulate(0.02, rtol=1e-8)
    e = np.array([result[f"mount.{word}.{x}"] for word in ("displacement", "rotation") for x in "xyz"])
    f = np.array([result[f"mount.{word}.{x}"] for word in ("force", "moment") for x in "xyz"])
    position = np.array([result[f"body.b.position.{x}"] for x in "xyz"])
    expected = a.rotation.T @ (position - a.position[:, None])
    assert e[:3] == pytest.approx(expected, abs=1e-12)
    rate = np.gradient(e, result.t, axis=1)
    inside = slice(2, -2)
    loads = -(K @ e + C @ rate + preload[:, None])
    # forces directly; the moment carries the tangent of the rotation vector besides
    size = np.abs(loads).max()
    assert np.abs(f[:3] - loads[:3])[:, inside].max() < 1e-2 * size
    energy = 0.5 * np.einsum("it,ij,jt->t", e, K, e) + preload @ e
    assert result["energy.elastic"] == pytest.approx(energy, rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_undamped_bushing_conserves_energy_at_large_rotations(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 6))
    system, a, b = two_bodies(seed)
    system.bushing(a, b, 20.0 * root @ root.T + np.diag([50.0] * 6))
    result = system.simulate(1.0, rtol=1e-10, atol=1e-12)
    assert np.ptp(result["energy.total"]) < 1e-7 * np.abs(result["energy.total"]).max()


def test_stiff_bushing_deflects_by_its_compliance():
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body = system.add(fm.RigidBody(mass=1.0, inertia=np.eye(3)), name="body", position=(0.0, 0.0, 0.0))
    K = np.diag([1e3, 2e3, 3e3, 10.0, 20.0, 30.0])
    K[0, 4] = K[4, 0] = 50.0
    system.bushing(system.ground["origin"], body["origin"], K, (200.0, 20.0), name="mount")
    system.force(body["origin"], (1.0, 2.0, 3.0))
    result = system.simulate(30.0, rtol=1e-9)
    e = [result[f"mount.{word}.{x}"][-1] for word in ("displacement", "rotation") for x in "xyz"]
    assert e == pytest.approx(np.linalg.solve(K, [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]), rel=1e-6, abs=1e-10)


def test_power_of_the_elements_is_the_power_of_their_generalised_forces():
    def build(loaded):
        system, a, b = two_bodies(1)
        if loaded:
            system.spring_damper(a, b, 30.0, 4.0, 0.1)
            system.torsion_spring(a, b, 3.0, 0.7, axis="y")
            system.bushing(a, b, (20.0, 5.0), (1.0, 0.5))
        return system

    residuals = []
    for loaded in (False, True):
        model = prepared(build(loaded))
        evaluator = Evaluator(model)
        zero = np.zeros_like(model.q)
        residuals.append(evaluator.residual(model.q, model.v, zero, model.reference, 0.0))
        record = evaluator.work.record
    generalised = model.v @ (residuals[0] - residuals[1])
    columns = {column.name: column.at for column in model.record_columns}
    stated = sum(record[at] for name, at in columns.items() if name.endswith(".power"))
    assert generalised == pytest.approx(stated, rel=1e-12)
