"""The tetrahedron with four nodes: constant strain."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.solids.solid_quadrature import Rule, SolidElement, tetrahedron_4

_CENTER = Rule(np.full((1, 3), 0.25), np.array([1.0 / 6.0]))
TET4 = SolidElement(
    "tet4",
    stiffness=_CENTER,
    curved_stiffness=_CENTER,
    mass=tetrahedron_4(),
    curved_mass=tetrahedron_4(),
    stress=_CENTER,
    stress_powers=((0, 0, 0),),
)
