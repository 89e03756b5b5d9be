"""Pairs of a group of spheres and planes that touch now; a pair keeps its contact while it touches."""

import math

from flexmbs.core.contact.broad_phase import fill_grid, neighbours_of
from flexmbs.core.contact.groups import free_contact, is_excluded, is_touching, note_touching, place_of
from flexmbs.core.contact.sphere_gap import sphere_gap
from flexmbs.core.layout.switch_tables import OPEN
from flexmbs.core.layout.tables import SPHERE_PLANE, SPHERE_SPHERE
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.machine_code.kernel import kernel


@kernel
def find_pairs(tables, g, state, work, stepping):
    """``State.active`` of the contacts of group ``g`` at the present frames of the bodies; False: there are too few."""
    group = tables.groups[g]
    note_touching(tables, g, state.active, work)
    for c in range(group.slot_start, group.slot_end):
        stepping.seen[c] = 0
        if state.active[c] != OPEN:
            stepping.contact_of[place_of(state.active[c], work)] = c
    count = list_pairs(tables, g, state, work, stepping)
    if count < 0:
        return False
    new = 0
    for i in range(count):
        number = stepping.found[i]
        if is_touching(number - 1, work):
            stepping.seen[stepping.contact_of[place_of(number, work)]] = 1
        else:
            stepping.found[new] = number
            new += 1
    for c in range(group.slot_start, group.slot_end):
        if stepping.seen[c] == 0:
            state.active[c] = OPEN
    for i in range(new):
        c = free_contact(tables, g, state.active)
        if c < 0:
            return False
        state.active[c] = stepping.found[i]
        at = tables.contacts[c].history_at
        for k in range(tables.contacts[c].history):
            state.contact_history[at + k] = 0.0
    return True


@kernel
def list_pairs(tables, g, state, work, stepping):
    """Numbers of the pairs of group ``g`` without a gap, in ``stepping.found``; how many, -1: too many."""
    group, count = tables.groups[g], 0
    for f in range(group.start, group.end):
        marker_in_world(tables, tables.features[f].marker, state.q, state.v, state.a, work, work.feature_frame[0, f])
    largest = 0.0
    for f in range(group.start, group.plane_start):
        largest = max(largest, 2.0 * tables.features[f].radius)
        for k in range(3):
            x, r = work.feature_frame[0, f].p_WM[k], tables.features[f].radius
            work.feature_box[f, k], work.feature_box[f, 3 + k] = x - r, x + r
            if not math.isfinite(x):
                return -1
    fill_grid(tables, g, work, largest)
    for e in range(group.start, group.plane_start):
        for f in range(group.plane_start, group.end):
            count = add_pair(tables, g, e, f, work, stepping, count)
        for i in range(neighbours_of(work, e)):
            count = add_pair(tables, g, e, work.near[i], work, stepping, count)
        if count < 0:
            return -1
    return count


@kernel
def add_pair(tables, g, e, f, work, stepping, count):
    """Add the pair of features ``e`` and ``f`` if they touch; the new count, -1 when there is no room."""
    first, second = tables.features[e], tables.features[f]
    if count < 0 or first.body == second.body:
        return count
    group = tables.groups[g]
    kind = SPHERE_PLANE if second.is_plane != 0 else SPHERE_SPHERE
    frame_a, frame_b = work.feature_frame[0, e], work.feature_frame[0, f]
    gap, _rate, _x, _y, _z = sphere_gap(kind, first.radius, second.radius, second.normal, frame_a, frame_b)
    number = 1 + (e - group.start) * (group.end - group.start) + f - group.start
    if gap > 0.0 or is_excluded(tables, g, number - 1):
        return count
    if count == stepping.found.shape[0]:
        return -1
    stepping.found[count] = number
    return count + 1
