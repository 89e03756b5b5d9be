"""Groups of spheres and planes in which everything can touch everything: few contacts that serve the pairs in turn.

A pair (i, j) of a group of n features, i < j, has the number i n + j. ``State.active`` of a contact of a group is 1 +
the number of the pair that it serves, 0 while it is free; ``Workspace.contact`` holds its record with the shapes of
that pair. Nothing else depends on which contact serves which pair.
"""

from flexmbs.core.layout.tables import SPHERE_PLANE, SPHERE_SPHERE
from flexmbs.machine_code.kernel import kernel


@kernel
def occupy(tables, c, number, work):
    """Let contact ``c`` serve pair ``number`` - 1 of its group in ``work``; without a group it has its own for ever."""
    g = tables.contacts[c].group
    if g < 0 or work.occupant[c] == number:
        return
    group, record = tables.groups[g], work.contact[c]
    size, pair = group.end - group.start, number - 1
    first, second = tables.features[group.start + pair // size], tables.features[group.start + pair % size]
    work.occupant[c] = number
    record.kind = SPHERE_PLANE if second.is_plane != 0 else SPHERE_SPHERE
    record.a, record.b = first.marker, second.marker
    record.radius_a, record.radius_b = first.radius, second.radius
    for k in range(3):
        record.normal[k] = second.normal[k]


@kernel
def pairs_for_ever(tables):
    """How many contacts, the first ones, serve one pair for ever: all but those of groups."""
    return len(tables.contacts) if len(tables.groups) == 0 else tables.groups[0].slot_start


@kernel
def free_contact(tables, g, active):
    """First contact of group ``g`` that serves no pair; -1 when all do."""
    group = tables.groups[g]
    for c in range(group.slot_start, group.slot_end):
        if active[c] == 0:
            return c
    return -1


@kernel
def is_excluded(tables, g, pair):
    """Whether a pair of group ``g`` never touches."""
    low, high = tables.groups[g].excluded_start, tables.groups[g].excluded_end
    while low < high:
        middle = (low + high) // 2
        if tables.excluded[middle] < pair:
            low = middle + 1
        else:
            high = middle
    return low < tables.groups[g].excluded_end and tables.excluded[low] == pair


@kernel
def note_touching(tables, g, active, work):
    """Put the pairs of group ``g`` that touch into the hash table ``work.touching``."""
    work.touching[:] = 0
    for c in range(tables.groups[g].slot_start, tables.groups[g].slot_end):
        if active[c] != 0:
            work.touching[place_of(active[c], work)] = active[c]


@kernel
def is_touching(pair, work):
    """Whether a pair is in the table that :func:`note_touching` has filled."""
    return work.touching[place_of(pair + 1, work)] != 0


@kernel
def place_of(number, work):
    """Where a number stands in the hash table, or would stand (linear probing; half of the table is always free)."""
    mask = work.touching.shape[0] - 1
    at = (number * 2654435761 >> 7) & mask
    while work.touching[at] != 0 and work.touching[at] != number:
        at = (at + 1) & mask
    return at
