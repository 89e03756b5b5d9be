"""Unknowns that are shifted together: no row in common, and the tangent that single shifts give."""

import numpy as np
import pytest

import flexmbs as fm
from flexmbs.analysis.evaluation.driver_elimination import with_tables
from flexmbs.analysis.prepare.prepare import ready
from flexmbs.core.equations.tangent import update_tangent
from flexmbs.core.layout.state import make_scratch, make_state
from flexmbs.core.layout.tables import make_workspace
from flexmbs.core.methods.method_table import METHODS


def row_of_loops(loops: int, coordinates: str = "reduced") -> fm.System:
    """Four-bar loops that share their posts, each with a spring across."""
    system = fm.System(gravity=(0.0, -9.81, 0.0), coordinates=coordinates)
    rod, before = fm.RigidBody.rod(1.0, 1.0), None
    for i in range(loops + 1):
        post = system.add(rod, name=f"post {i}")
        top = post.marker("top", position=(1.0, 0.0, 0.0))
        foot = system.ground.marker(f"foot {i}", position=(float(i), 0.0, 0.0))
        system.revolute(foot, post["origin"], axis="z", angle=1.2, rate=-1.0, name=f"foot {i}")
        if before is not None:
            bar = system.add(rod, name=f"bar {i}")
            end = bar.marker("end", position=(1.0, 0.0, 0.0))
            system.revolute(before, bar["origin"], axis="z", angle=-1.2, rate=1.0, name=f"left {i}")
            system.revolute(end, top, axis="z", angle=1.2, rate=-1.0, name=f"right {i}")
            system.spring_damper(foot, before, stiffness=50.0, damping=1.0, length=1.0, name=f"spring {i}")
        before = top
    return system


def tangent(model):
    """Mass, damping and stiffness matrix away from the start, and how often the residual was evaluated."""
    tables, method, rng = model.tables, METHODS["radau"], np.random.default_rng(3)
    state = make_state(tables, len(model.balls), method.history_rows)
    state.q[:], state.v[:], state.reference[:] = model.q, model.v, model.reference
    for vector in (state.q, state.v, state.a):
        vector += 0.1 * rng.normal(size=len(vector))
    update_tangent(tables, state, make_scratch(tables, method), make_workspace(tables), 3)
    return [state.mass, state.damping, state.stiffness], int(state.residual_evaluations)


@pytest.mark.parametrize("loops, coordinates", [(6, "reduced"), (20, "reduced"), (5, "absolute")])
def test_the_tangent_of_single_shifts(loops, coordinates):
    model = ready(row_of_loops(loops, coordinates))
    together, few = tangent(model)
    alone, many = tangent(with_tables(model, free=model.tables.free))
    assert len(model.tables.shift_start) > 0
    assert few < 0.7 * many
    for one, other in zip(together, alone, strict=True):
        largest = np.abs(other).max()
        assert largest > 0.0
        assert np.abs(one - other).max() < 1e-14 * largest  # differences of the same numbers, divided by the same step


def test_longer_rows_need_no_more_evaluations():
    assert tangent(ready(row_of_loops(90)))[1] == pytest.approx(tangent(ready(row_of_loops(60)))[1], abs=3)


def test_no_common_row_and_everything_once():
    tables = ready(row_of_loops(20)).tables
    start, columns, split = tables.shift_start, tables.shift_columns, int(tables.shift_split)
    for first, end in zip(start[:-1], start[1:], strict=True):
        rows = [tables.pattern_rows[tables.pattern_start[j] : tables.pattern_start[j + 1]] for j in columns[first:end]]
        joined = np.concatenate(rows)
        assert len(np.unique(joined)) == len(joined)
    moving = np.flatnonzero(tables.coordinates["multiplier"][tables.free] == 0)
    assert np.array_equal(np.sort(columns[: start[split]]), np.arange(len(tables.free)))
    assert np.array_equal(np.sort(columns[start[split] :]), moving)
