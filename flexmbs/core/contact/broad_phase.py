"""Which spheres may meet in a part of a step: boxes about what they sweep, sorted into a uniform grid.

The cells are as large as the largest box, so that boxes that overlap are in neighbouring cells. A table of buckets,
twice as many as spheres, holds the cells by a hash of their integers: the cost is that of the spheres and of those
near them. Order and content follow from the state alone (Ericson, Real-Time Collision Detection, 2005, sec. 7.1).
"""

import math

from flexmbs.core.mechanics.vectors import components, difference
from flexmbs.machine_code.kernel import kernel

MARGIN = 2.0  # of accelerations between both ends, as in core.stepping.gap_bounds


@kernel
def set_boxes(tables, g, work, duration):
    """Boxes about what the spheres of group ``g`` sweep between the ends in ``work.feature_frame``; their largest side.

    Between two points ``duration`` apart a path with an acceleration below B leaves their chord by B duration^2 / 8.
    """
    largest = 0.0
    for f in range(tables.groups[g].start, tables.groups[g].plane_start):
        first, last = work.feature_frame[0, f], work.feature_frame[1, f]
        dx, dy, dz = difference(last.v_WM, first.v_WM)
        change = math.sqrt(dx * dx + dy * dy + dz * dz) / duration
        bound = MARGIN * (max(length(first.a_WM), length(last.a_WM)) + change)
        reach = tables.features[f].radius + 0.125 * bound * duration * duration
        for k in range(3):
            low = min(first.p_WM[k], last.p_WM[k]) - reach
            high = max(first.p_WM[k], last.p_WM[k]) + reach
            work.feature_box[f, k], work.feature_box[f, 3 + k] = low, high
            largest = max(largest, high - low)
    return largest


@kernel
def length(vector):
    """Euclidean length."""
    x, y, z = components(vector)
    return math.sqrt(x * x + y * y + z * z)


@kernel
def fill_grid(tables, g, work, side):
    """Sort the spheres of group ``g`` into buckets of cells with ``side`` (m), by counting."""
    start, end = tables.groups[g].start, tables.groups[g].plane_start
    work.cell_start[:] = 0
    for f in range(start, end):
        for k in range(3):
            middle = 0.5 * (work.feature_box[f, k] + work.feature_box[f, 3 + k])
            work.feature_cell[f, k] = int(math.floor(max(-1e9, min(1e9, middle / side))))
        cell = work.feature_cell[f]
        work.cell_start[bucket_of(cell[0], cell[1], cell[2], work)] += 1
    total = 0
    for i in range(work.cell_start.shape[0]):  # where each bucket ends
        total += work.cell_start[i]
        work.cell_start[i] = total
    for f in range(end - 1, start - 1, -1):  # ascending in each bucket; its end moves to where it begins
        cell = work.feature_cell[f]
        bucket = bucket_of(cell[0], cell[1], cell[2], work)
        work.cell_start[bucket] -= 1
        work.cell_spheres[work.cell_start[bucket]] = f


@kernel
def bucket_of(i, j, k, work):
    """Bucket of a cell."""
    mask = work.cell_start.shape[0] - 2
    return ((i * 73856093) ^ (j * 19349663) ^ (k * 83492791)) & mask


@kernel
def neighbours_of(work, e):
    """Spheres behind ``e`` whose boxes overlap that of ``e``, into ``work.near``; how many."""
    count = 0
    for neighbour in range(27):
        i = work.feature_cell[e, 0] + neighbour // 9 - 1
        j = work.feature_cell[e, 1] + neighbour // 3 % 3 - 1
        k = work.feature_cell[e, 2] + neighbour % 3 - 1
        bucket = bucket_of(i, j, k, work)
        for at in range(work.cell_start[bucket], work.cell_start[bucket + 1]):
            f = work.cell_spheres[at]
            cell = work.feature_cell[f]
            if f > e and cell[0] == i and cell[1] == j and cell[2] == k and boxes_overlap(work, e, f):
                work.near[count] = f
                count += 1
    return count


@kernel
def boxes_overlap(work, e, f):
    """Whether what two spheres sweep can meet."""
    for k in range(3):
        if work.feature_box[e, k] > work.feature_box[f, 3 + k] or work.feature_box[f, k] > work.feature_box[e, 3 + k]:
            return False
    return True
