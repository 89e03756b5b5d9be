"""Loops stated without start values: rigid motion closes what is aligned, and nothing else is bent in silence."""

import warnings
from functools import cache

import numpy as np
import pytest
from flexible_loops import OUT_OF_LINE, kinds_of, random_loop, spatial_loop

import flexmbs as fm
from flexmbs.analysis.assembly.close_loops import assembled
from flexmbs.analysis.assembly.elastic_closure import Elasticity
from flexmbs.analysis.assembly.loop_equations import Loops
from flexmbs.core.layout.tables import OPENINGS
from flexmbs.model.compile_mechanism import compile_system

LOOPS = range(12)


def quiet(system: fm.System) -> fm.Result:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return system.assemble()


@cache
def aligned(seed: int, driven: bool = True) -> fm.Result:
    return quiet(random_loop(seed, driven=driven))


@pytest.mark.parametrize("driven", [True, False])
@pytest.mark.parametrize("seed", LOOPS)
def test_aligned_loops_close_by_rigid_motion(seed, driven):
    found = aligned(seed, driven)
    assert found["energy.elastic"][0] == 0.0
    assert found["constraint_error"][0] < 1e-11


@pytest.mark.parametrize("seed", LOOPS)
def test_spatial_loops_close_by_rigid_motion(seed):
    found = quiet(spatial_loop(seed, flexible=seed % 2 == 0))
    assert found["energy.elastic"][0] == 0.0
    assert found["constraint_error"][0] < 1e-11


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed >= 8)) for seed in LOOPS])
def test_misaligned_loops_bend_or_are_refused(seed):
    """Offsets to 0.3 mm (the loops measure 0.5 m), tilts to 0.2 degrees."""
    chance = np.random.default_rng([seed, 3])
    offset, tilt = chance.uniform(5e-5, 3e-4), np.radians(chance.uniform(0.02, 0.2))
    system = random_loop(seed, offset, tilt)
    if not any(kinds_of(seed)[: 3 if seed % 2 else 2]):
        with pytest.raises(fm.MechanismError, match=OUT_OF_LINE) as told:
            system.assemble()
        assert_gap(told.value.closing, offset, tilt)
        return
    with pytest.warns(fm.MechanismWarning, match=OUT_OF_LINE):
        found = system.assemble()
    assert found["constraint_error"][0] < 1e-10
    model = assembled(compile_system(system))
    assert_gap(model.closing, offset, tilt)
    energy = sum(body.energy for body in model.closing.bodies)
    assert found["energy.elastic"][0] == pytest.approx(energy, rel=1e-9)
    # rigid joints cannot be far from where they are in the aligned loop
    for name in ("B.angle", "C.angle"):
        assert np.sin(found[name][0] - aligned(seed)[name][0]) == pytest.approx(0.0, abs=0.05)
    assert_least_energy(model)


def assert_gap(closing, offset, tilt):
    """The joint is open by the tilt, and by the offset but for what the tilt adds over the length of the links."""
    joint = closing.joints[0]
    assert np.linalg.norm(joint.turn) == pytest.approx(tilt, rel=1e-2)
    assert abs(np.linalg.norm(joint.gap) - offset) < 1.01 * 0.3 * tilt


def assert_least_energy(model):
    """First-order conditions of the least energy under the constraints: K dm = G_m^T lam and G_x^T lam = 0.

    Both hold but for the directions that rigid motion has by the misalignment alone: parts of 1e-3 rad.
    """
    loops, elastic = Loops(model, 0.0), Elasticity(model)
    G = loops.matrix(model.q, model.reference, OPENINGS)
    driven = model.is_driven
    joints = np.setdiff1d(np.flatnonzero(~driven), elastic.columns)
    rows, columns = loops.row_scales(), loops.column_scales()
    rigid, modal = rows[:, None] * G[:, joints] * columns[joints], rows[:, None] * G[:, elastic.columns]
    push = elastic.K @ model.q[elastic.columns]  # stated were zeros
    root = elastic.root_inverse.T  # in units of energy: forces of stiff and soft modes compare
    multipliers = np.linalg.lstsq((root @ modal.T), root @ push, rcond=1e-12)[0]
    assert np.linalg.norm(root @ (modal.T @ multipliers - push)) < 1e-6 * np.linalg.norm(root @ push)
    left, singular, _right = np.linalg.svd(rigid, full_matrices=False)
    size = np.linalg.norm(multipliers)
    assert np.linalg.norm(left[:, singular > 0.05].T @ multipliers) < 1e-2 * size
