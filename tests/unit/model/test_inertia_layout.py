"""The coefficients that the kernels read give the inertia of the body; what is left out is bounded as stated."""

from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.core.layout.tables import COLUMNS
from flexmbs.model.inertia_layout import inertia_layout
from flexmbs.model.second_order_terms import EXACT, body_tolerance, run_tolerance
from flexmbs.reduction.flexible_body import InertiaFields

N, R, K = 5, 22, 15


def some_fields(seed):
    """Fields without symmetry or zeros, with the amplitudes of their modes and forms."""
    random = np.random.default_rng(seed)
    amplitudes = 0.5 / np.arange(1, N + 1) ** 2
    weights = np.prod(amplitudes[np.column_stack(np.triu_indices(N))], axis=1)
    return InertiaFields(*(random.normal(size=(*n, 3, R)) for n in ((), (N,), (K,)))), amplitudes, weights


def stored(layout):
    """X, P and Z as the runs of a layout hold them, forms that are left out zero."""
    C, at, run = np.zeros((layout.places, *layout.X.shape)), 0, 0
    for j, ends in enumerate(layout.ends):
        assert layout.starts[j] == at
        for k in range(3):
            while run < ends[k]:
                first, count = layout.runs[run]
                part = layout.coefficients[at : at + COLUMNS * count].reshape(COLUMNS, count)
                C[first : first + count, k, COLUMNS * j : COLUMNS * (j + 1)] = part.T
                at, run = at + COLUMNS * count, run + 1
    assert at == len(layout.coefficients) and run == len(layout.runs)
    P, Z = np.zeros((N, *layout.X.shape)), np.zeros((K, *layout.X.shape))
    P[layout.mode_order] = C[: len(layout.mode_order)]
    Z[layout.form_order] = C[layout.first_form :][: len(layout.form_order)]
    return layout.X, P, Z


def integrals(X, P, Z, y, s):
    """int r_k r_l dm and int r_k dm / sqrt(mass) at modal coordinates y and forms s."""
    c = X + np.tensordot(y, P, 1) + np.tensordot(s, Z, 1)
    return c @ c.T, c[:, 0]


@pytest.mark.parametrize("seed", range(3))
def test_everything_that_is_kept_gives_the_same_integrals(seed):
    inertia, amplitudes, weights = some_fields(seed)
    found = stored(inertia_layout(inertia, amplitudes, weights, 1e-14))
    whole = inertia.X, inertia.P, inertia.Z
    for fields in zip(*(np.concatenate([part[0][None], part[1], part[2]]) for part in (whole, found)), strict=True):
        assert np.linalg.norm(fields[0]) == pytest.approx(np.linalg.norm(fields[1]), rel=1e-12)
    y, s = np.random.default_rng(9).normal(size=N), np.random.default_rng(8).normal(size=K)
    for one, other in zip(integrals(*whole, y, s), integrals(*found, y, s), strict=True):
        assert one == pytest.approx(other, rel=1e-11, abs=1e-10)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-2, 1e-1])
def test_error_is_within_the_bound_and_the_bound_within_the_tolerance(tolerance):
    inertia, amplitudes, weights = some_fields(1)
    layout = inertia_layout(inertia, amplitudes, weights, tolerance)
    assert 0.0 < layout.error <= tolerance and 0 < layout.kept < inertia.Z.size
    found, size = stored(layout), np.sum(inertia.X[:, 1:] ** 2)
    random, worst = np.random.default_rng(2), 0.0
    for _ in range(200):
        y, s = random.normal(size=N), random.normal(size=K)
        y, s = amplitudes * y / np.linalg.norm(y), weights * s / np.linalg.norm(s)
        whole = integrals(inertia.X, inertia.P, inertia.Z, y, s)[0]
        worst = max(worst, np.abs(whole - integrals(*found, y, s)[0]).max() / size)
    assert 0.0 < worst <= layout.error


def test_forms_that_markers_need_stay():
    inertia, amplitudes, weights = some_fields(1)
    used = np.arange(K) == 7
    without = replace(inertia, Z=np.zeros_like(inertia.Z))
    assert list(inertia_layout(without, amplitudes, weights, 1e-6, used).form_order) == [7]
    assert len(inertia_layout(without, amplitudes, weights, 1e-6).form_order) == 0


@pytest.fixture(scope="module")
def bar():
    mesh = fm.line_mesh(1.0, 6, fm.rectangle(0.004, 0.02), fm.Material("STEEL", 210e9, 0.3, 7850.0))
    modes = fm.ClampedFree("1", count=6)
    return fm.reduce(mesh, interfaces={"1": "ROOT", "2": "TIP"}, modes=modes, damping=0.05, cache=False)


def swing(body, speed=0.0, **options):
    system = fm.System()
    beam = system.add(body, name="bar")
    system.revolute(system.ground["origin"], beam["1"], axis="z", name="hinge", rate=speed)
    return system.simulate(0.05, integrator="radau", progress=False, **options)


def test_runs_keep_what_their_tolerance_needs(bar):
    """The statistics say it; a run with a small rtol, and one that is told so, keep all."""
    runs = {rtol: swing(bar, rtol=rtol).stats for rtol in (1e-3, 1e-5, 1e-8)}
    whole = swing(bar, rtol=1e-3, second_order="all").stats
    counts = [runs[rtol]["second_order_terms"] for rtol in (1e-3, 1e-5, 1e-8)]
    assert counts == sorted(set(counts))
    assert whole["second_order_terms"] == counts[-1] == runs[1e-3]["second_order_terms_in_all"]
    for rtol, stats in runs.items():
        assert stats["second_order_error"] <= max(run_tolerance(rtol), 1e-10)
        assert 0.0 < stats["second_order_reach"] < 1.0


def test_a_run_far_from_rest_ends_where_all_terms_end(bar):
    """Within a hundredth of rtol, at a speed at which stiffening by rotation is as large as the bar's own stiffness."""
    some, whole = (swing(bar, 20.0, rtol=1e-4, second_order=which) for which in ("auto", "all"))
    assert some.stats["second_order_terms"] < 0.7 * whole.stats["second_order_terms"]
    for name in ("bar.2.position.x", "bar.2.position.y"):
        assert some[name][-1] == pytest.approx(whole[name][-1], abs=1e-6)


def test_a_body_that_deforms_further_than_assumed_is_named(bar):
    """A strip of 1 m, held at one end, under a force at the other that bends it by 0.44 m if applied slowly."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    beam = system.add(bar, name="bar")
    system.fixed(system.ground["origin"], beam["1"], name="clamp")
    system.force(beam["2"], (0.0, 60.0, 0.0), name="pull")
    with pytest.warns(fm.FlexmbsWarning, match="'bar' deforms .* times as far"):
        stats = system.simulate(0.12, rtol=1e-4, integrator="radau", progress=False, stop_on_deformation=False).stats
    assert 1.0 < stats["second_order_reach"] < 10.0


def test_what_the_user_stated_for_the_body_stays(bar):
    stated = replace(bar, options={**bar.options, "second_order": repr(fm.SecondOrder(tolerance=1e-12))})
    assert body_tolerance(bar, 1e-6) == 1e-6
    assert body_tolerance(stated, 1e-6) <= 1e-10
    assert run_tolerance(EXACT) == 0.0


def test_other_words_are_refused(bar):
    with pytest.raises(fm.MechanismError, match="second_order must be 'auto' or 'all', not 'none'"):
        swing(bar, second_order="none")
