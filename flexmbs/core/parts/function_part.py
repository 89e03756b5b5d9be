"""User functions and sensors as parts of the residual."""

from __future__ import annotations

from flexmbs.core.abi.kernel import c_function
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.parts.words import WORDS, floats_at, integers_at, tables_at, workspace_at
from flexmbs.core.sensors.sensors import read_all_sensors
from flexmbs.core.sensors.user_functions import evaluate_function, evaluate_functions


@c_function(WORDS)
def functions_entry(tables, active, q, v, a, work, _out, _unused):
    """core.sensors.user_functions.evaluate_functions."""
    mechanism = tables_at(tables)
    n, touching = len(mechanism.coordinates), integers_at(active, len(mechanism.contacts))
    evaluate_functions(mechanism, touching, floats_at(q, n), floats_at(v, n), floats_at(a, n), workspace_at(work))


@c_function(WORDS)
def sensors_entry(tables, active, q, v, a, work, _out, _unused):
    """core.sensors.sensors.read_all_sensors."""
    mechanism = tables_at(tables)
    n, touching = len(mechanism.coordinates), integers_at(active, len(mechanism.contacts))
    read_all_sensors(mechanism, touching, floats_at(q, n), floats_at(v, n), floats_at(a, n), workspace_at(work))


@c_function(WORDS)
def function_entry(tables, active, q, v, a, number, work, _unused):
    """Call one user function after the residual was evaluated at the same state (a sampled controller)."""
    mechanism = tables_at(tables)
    n, touching = len(mechanism.coordinates), integers_at(active, len(mechanism.contacts))
    positions, velocities, accelerations = floats_at(q, n), floats_at(v, n), floats_at(a, n)
    scratch = workspace_at(work)
    hide_condensed(mechanism, positions, velocities, accelerations, scratch)
    evaluate_function(mechanism, number, touching, positions, velocities, accelerations, scratch)
    show_condensed(mechanism, accelerations, scratch)
