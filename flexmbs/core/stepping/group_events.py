"""Onsets between the bodies of a group: which of its pairs begins to touch first in a part of a step.

Pairs that cannot meet are left out by boxes in a grid (core.contact.broad_phase), then by the bounds of
core.stepping.gap_bounds; what is left is searched like any other contact, by a free contact of the group.
"""

from __future__ import annotations

from flexmbs.core.contact.broad_phase import fill_grid, neighbours_of, set_boxes
from flexmbs.core.contact.groups import free_contact, is_excluded, is_touching, note_touching, occupy
from flexmbs.core.contact.sphere_gap import sphere_gap
from flexmbs.core.layout.state import Scratch, State
from flexmbs.core.layout.tables import SPHERE_PLANE, SPHERE_SPHERE, Tables, Workspace
from flexmbs.core.stepping.contact_search import AT_GAP, NONE, event_of
from flexmbs.core.stepping.gap_bounds import is_far, largest_acceleration, stays_positive
from flexmbs.core.stepping.gap_motion import LEFT, RIGHT, set_relative_motion
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel


@entry
def first_touch(
    tables: Tables,
    state: State,
    scratch: Scratch,
    work: Workspace,
    g: int,
    h: float,
    rows: int,
    x0: float,
    x1: float,
    left: int,
    right: int,
    best: float,
) -> tuple[float, int, int]:
    """(x, number, kind): first event of the open pairs of group ``g`` between two points of the step, before ``best``.

    x = 2: there is none; number: 1 plus that of the pair; kind: what vanishes there. ``left``, ``right``: rows of
    ``work.feature_frame`` with the motion at both points. Of events at one time that of the lowest number counts.
    """
    duration = h / (2.0 * (rows + 1.0))
    group = tables.groups[g]
    found, number, kind = best, 0, AT_GAP
    note_touching(tables, g, state.active, work)
    for e in range(group.start, group.plane_start):
        for f in range(group.plane_start, group.end):
            x, what = touch_of(tables, g, e, f, state, scratch, work, h, rows, x0, min(x1, found), left, right)
            if x < found:
                found, number, kind = x, pair_number(tables, g, e, f), what
    side = set_boxes(tables, g, work, duration)
    if not side > 0.0:
        return (found, number, kind) if number > 0 else (NONE, 0, AT_GAP)
    fill_grid(tables, g, work, side)
    for e in range(group.start, group.plane_start):
        for i in range(neighbours_of(work, e)):
            f = work.near[i]
            x, what = touch_of(tables, g, e, f, state, scratch, work, h, rows, x0, min(x1, found), left, right)
            if x < found or (x == found and 0 < pair_number(tables, g, e, f) < number):
                found, number, kind = x, pair_number(tables, g, e, f), what
    return (found, number, kind) if number > 0 else (NONE, 0, AT_GAP)


@kernel
def pair_number(tables, g, e, f):
    """1 plus the number of a pair of features of group ``g``: what ``State.active`` is while it touches."""
    group = tables.groups[g]
    return 1 + (e - group.start) * (group.end - group.start) + f - group.start


@kernel
def touch_of(tables, g, e, f, state, scratch, work, h, rows, x0, x1, left, right):
    """Where features ``e`` and ``f`` of group ``g`` begin to touch between two points, and its kind; 2: nowhere."""
    if tables.features[e].body == tables.features[f].body:
        return NONE, AT_GAP
    start, end = work.one_gap[LEFT], work.one_gap[RIGHT]
    set_pair_motion(tables, e, f, left, work, start)
    set_pair_motion(tables, e, f, right, work, end)
    duration = h / (2.0 * (rows + 1.0))
    if is_far(start, end, duration):
        return NONE, AT_GAP
    bound = largest_acceleration(start, end, duration, 0.0)
    if stays_positive(start.gap, start.rate, end.gap, end.rate, duration, bound):
        return NONE, AT_GAP
    pair = pair_number(tables, g, e, f)
    if is_touching(pair - 1, work) or is_excluded(tables, g, pair - 1):
        return NONE, AT_GAP
    c = free_contact(tables, g, state.active)
    if c < 0:  # the caller finds that there is none
        return x0, AT_GAP
    occupy(tables, c, pair, work)
    return event_of(tables, c, state, scratch, work, h, rows, x0, x1, start, end)


@kernel
def set_pair_motion(tables, e, f, end, work, out):
    """Fill a record GAP_MOTION of two features from their frames at one end of the part of the step."""
    first, second = tables.features[e], tables.features[f]
    frame_a, frame_b = work.feature_frame[end, e], work.feature_frame[end, f]
    kind = SPHERE_PLANE if second.is_plane != 0 else SPHERE_SPHERE
    gap, rate, _x, _y, _z = sphere_gap(kind, first.radius, second.radius, second.normal, frame_a, frame_b)
    out.gap, out.rate = gap, rate
    distance = set_relative_motion(frame_a, frame_b, out)
    out.bend = out.speed * out.speed / distance if kind == SPHERE_SPHERE else 0.0
