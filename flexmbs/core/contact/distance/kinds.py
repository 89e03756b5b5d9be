"""Kinds of shapes that have a distance function, and how their numbers stand in the pool behind the kind.

=============  ==========================================================================================
kind           numbers
=============  ==========================================================================================
HALF_SPACE     normal (3)
BALL, CAVITY   radius; a cavity is touched from inside
CAPSULE        axis (3), half length, radius
CYLINDER       axis (3), half length, radius
BORE           axis (3), half length (ENDLESS: through everything), radius: a hole in a plate, touched from inside
TORUS          axis (3), radius to the middle of the tube, radius of the tube
BOX            half edges along x, y, z (3)
RECTANGLE      normal (3), first edge (3), half edges (2): one-sided
DISC           normal (3), radius: one-sided
PLACED         centre (3), its axes as rows of a matrix (9), then kind and numbers of the shape in these
TRIANGLES      see :mod:`flexmbs.core.contact.distance.triangulated_surface`
=============  ==========================================================================================
"""

HALF_SPACE, BALL, CAVITY, CAPSULE, CYLINDER, BORE, TORUS, BOX, RECTANGLE, DISC, TRIANGLES, PLACED = range(12)
ENDLESS = 1e300  # half length of what has no ends, m
