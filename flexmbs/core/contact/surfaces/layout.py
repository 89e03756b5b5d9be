"""How a surface of a body stands in ``Tables.pool``, and what is known of its deformed shape during an evaluation.

A surface is one run of numbers: a header, then arrays whose offsets (``*_AT``) count from the header.  It moves with

    x = x0 + sum_k Phi_k t_k,    t = (q_1 ... q_n, s_1 ... s_K),   s_r = q^T C_r q

in the axes of its body: ``MODES`` = n, ``FORMS`` = K, rows of fields are filled with zeros to ``TERMS``.  It holds
nodes with faces of 6 or 8 nodes over them, or points with the areas that they stand for; both are its *items*, and the
leaves of its tree of boxes hold runs of items.

``Workspace.surface`` holds scratch numbers, then of each surface what has been computed at the present q: every value
with the stamp of the shape for which it was.  It is a pure function of q, so nothing depends on what was kept.
"""

from __future__ import annotations

# header
(
    MODES,
    FORMS,
    TERMS,
    NODES,
    ITEMS,
    BRANCHES,
    POSITIONS_AT,
    FIELDS_AT,
    FORMS_AT,
    ITEMS_AT,
    NORMALS_AT,
    TREE_AT,
    BOXES_AT,
    FIELD_BOXES_AT,
    CACHE_AT,
    HEADER,
) = range(16)
LANES = 4  # TERMS is a multiple of it
FACE = 9  # numbers of a face: how many nodes (6 or 8), then the nodes, corners first
BRANCH = 4  # numbers of a node of the tree: children (-1: a leaf), first item, behind the last item
LEFT, RIGHT, FIRST, LAST = range(4)
BOX = 6  # centre and half sizes
# Of a surface in the cache: stamp of its shape, then terms, rates of the terms, forces on the terms, nodes, boxes
STAMP, PARTS = 0, 1
NODE_ENTRY, BOX_ENTRY = 4, 7  # a stamp, then the numbers
# Numbers of a contact: where its surfaces or shapes begin behind them (from the first one), largest depth
SURFACE_A, SURFACE_B, SHAPE_B, THICKNESS, CONTACT_HEADER = range(5)
# Scratch numbers at the start of the cache
COEFFICIENTS, RING, WEIGHTS = 0, 24, 48  # of a face: polynomial, nodes, values of its shape functions
STACK, DISTANCES, OUTER_STACK, OUTER_DISTANCES = 56, 120, 184, 248
DEPTH = 64
HIT, NEAREST, LEAST, SUMS, ROTATION = 312, 320, 328, 344, 356
SCRATCH = 376


def cache_size(terms: int, nodes: int, branches: int) -> int:
    """Length of what the cache holds of a surface."""
    return PARTS + 3 * terms + NODE_ENTRY * nodes + BOX_ENTRY * branches
