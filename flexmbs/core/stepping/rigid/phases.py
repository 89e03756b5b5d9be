"""Rigid contacts while they are closed: start and end, the impulse of forces and impacts, the largest force."""

import numpy as np

from flexmbs.core.layout.switch_tables import SLIDING, SLOT, STICKING
from flexmbs.machine_code.kernel import kernel

# Closed formulas of Newton and Cotes by the number of rows inside a step (core.methods.intermediate_rows),
# and Boole's twice for seven.
WEIGHTS = np.zeros((8, 9))
WEIGHTS[0, :2] = np.array([1.0, 1.0]) / 2.0
WEIGHTS[1, :3] = np.array([1.0, 4.0, 1.0]) / 6.0
WEIGHTS[2, :4] = np.array([1.0, 3.0, 3.0, 1.0]) / 8.0
WEIGHTS[3, :5] = np.array([7.0, 32.0, 12.0, 32.0, 7.0]) / 90.0
WEIGHTS[7, :9] = np.array([7.0, 32.0, 12.0, 32.0, 14.0, 32.0, 12.0, 32.0, 7.0]) / 180.0


@kernel
def begin_phase(state, c):
    """Contact ``c`` closes now."""
    episode = state.episode[c]
    episode.start = episode.peak_time = state.time
    episode.impulse = episode.peak_force = episode.approach_speed = 0.0
    episode.rebound_speed = episode.max_depth = 0.0


@kernel
def add_impact(state, c, impulse, approach_speed):
    """An impact of contact ``c``; the first one in the instant in which it closes states its speed of approach."""
    episode = state.episode[c]
    if episode.impulse == 0.0 and episode.start == state.time:
        episode.approach_speed = approach_speed
    episode.impulse += impulse


@kernel
def end_phase(state, log, c, rebound_speed):
    """Contact ``c`` opens now; one that has only been touched leaves no record."""
    episode = state.episode[c]
    if episode.impulse == 0.0 and episode.start == state.time:
        return
    row = log.contacts[log.contact_count]
    row.contact, row.pair, row.start, row.end = c, 0, episode.start, state.time
    row.peak_force, row.peak_time, row.impulse = episode.peak_force, episode.peak_time, episode.impulse
    row.approach_speed, row.rebound_speed, row.max_depth = episode.approach_speed, rebound_speed, 0.0
    log.contact_count += 1


@kernel
def record_phases(tables, state, scratch, h, rows):
    """Impulse and largest force of closed rigid contacts in the step of ``h``, from the multipliers at its rows."""
    first = len(tables.contacts)
    for s in range(len(tables.switches)):
        c = state.active[first + s] - 1 if tables.switches[s].kind == SLOT else -1
        if c < 0 or (state.active[c] != SLIDING and state.active[c] != STICKING):
            continue
        episode, row = state.episode[c], tables.switches[s].row
        for i in range(rows + 2):
            force = state.a[row] if i == 0 else scratch.end_a[row]
            if 0 < i <= rows:
                force = scratch.intermediate_a[i - 1, row]
            weight = WEIGHTS[rows, i]
            if WEIGHTS[rows, 0] == 0.0:
                weight = (0.5 if i == 0 or i == rows + 1 else 1.0) / (rows + 1.0)
            episode.impulse += h * weight * force
            if force > episode.peak_force:
                episode.peak_force, episode.peak_time = force, state.time + h * i / (rows + 1.0)
