"""The solid elements that there are: their integration rules, and the points where stress is taken."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.solids.solid_quadrature import (
    Rule,
    SolidElement,
    gauss_cube,
    gauss_pyramid,
    prism,
    tetrahedron_4,
    tetrahedron_14,
    triangle_1,
    triangle_3,
    triangle_6,
)
from flexmbs.mesh import element_table as shapes
from flexmbs.mesh import quadrature as gauss

_CENTER = Rule(np.full((1, 3), 0.25), np.array([1.0 / 6.0]))
TET4 = SolidElement("tet4", stiffness=_CENTER, mass=tetrahedron_4(), stress=_CENTER, stress_powers=((0, 0, 0),))

TET10 = SolidElement(
    "tet10",
    # Exact with straight sides. With curved ones 4 points (as in CalculiX) err less than 14: a quarter ring bends and
    # spins with 1 to 26 % smaller errors (docs/theory.md).
    stiffness=tetrahedron_4(),
    # Products of two shape functions have degree 4; times the Jacobian of curved sides degree 7.
    mass=tetrahedron_14(),
    curved_mass=Rule(*gauss.simplex(5, 3)),
    stress=tetrahedron_4(),
    stress_powers=shapes.TET4,
)

# In the collapsed coordinates of ``mesh.quadrature`` everything in a pyramid is a polynomial. Five nodes: across it gradients,
# shape functions and Jacobian have degree 1; along it 0 or 1, 1, and 2. Thirteen: across it gradients and shape functions
# have degree 2, the Jacobian 1 (5 with curved sides); along it 1 or 2, 2, and 2 (5).
PYRAMID5 = SolidElement(
    "pyramid5", stiffness=gauss_pyramid(2), mass=gauss_pyramid(3), stress=gauss_pyramid(2), stress_powers=shapes.PYRAMID5
)

PYRAMID13 = SolidElement(
    "pyramid13",
    stiffness=gauss_pyramid(3),
    curved_stiffness=gauss_pyramid(4),
    mass=gauss_pyramid(4),
    curved_mass=gauss_pyramid(5),
    stress=gauss_pyramid(2),
    stress_powers=shapes.PYRAMID5,
)


_ALONG_AXIS = prism(triangle_1(), 2)
# Wedges: the fewest points with which the patch test holds and only rigid motions are free of energy, as in Abaqus and
# CalculiX. Exact integration makes bars of wedge6 up to 50 %, of wedge15 0.4 % stiffer in bending, further from the truth.
WEDGE6 = SolidElement(
    "wedge6", stiffness=_ALONG_AXIS, mass=prism(triangle_6(), 3), stress=_ALONG_AXIS, stress_powers=((0, 0, 0), (0, 0, 1))
)

WEDGE15 = SolidElement(
    "wedge15",
    # Also with curved sides, where 9 points err less than 18 (docs/theory.md).
    stiffness=prism(triangle_3(), 3),
    # Straight sides, but faces that need not be parallel: the Jacobian adds degree 1 (2 along the prism).
    mass=prism(gauss.simplex(4, 2), 4),
    curved_mass=prism(gauss.simplex(5, 2), 5),
    stress=prism(triangle_3(), 2),
    stress_powers=shapes.WEDGE6,
)

# With or without the modes of ``incompatible_modes``.
HEX8 = SolidElement(
    "hex8",
    stiffness=gauss_cube(2),
    mass=gauss_cube(3),
    stress=gauss_cube(2),
    stress_powers=shapes.HEX8,
    has_incompatible_modes=True,
)

# Stiffness from 3x3x3 points, or from 2x2x2.
HEX20 = SolidElement(
    "hex20",
    stiffness=gauss_cube(3),
    # In each coordinate the product of two shape functions has degree 4, the Jacobian 2 (5 with curved sides).
    mass=gauss_cube(4),
    curved_mass=gauss_cube(5),
    stress=gauss_cube(2),
    stress_powers=shapes.HEX8,
    reduced_stiffness=gauss_cube(2),
)

SOLIDS: dict[str, SolidElement] = {
    element.kind: element for element in (TET4, TET10, PYRAMID5, PYRAMID13, WEDGE6, WEDGE15, HEX8, HEX20)
}
