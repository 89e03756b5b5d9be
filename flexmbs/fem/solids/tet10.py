"""The tetrahedron with ten nodes."""

from __future__ import annotations

from flexmbs.fem.solids.solid_quadrature import Rule, SolidElement, tetrahedron_4, tetrahedron_14
from flexmbs.mesh import element_shapes as shapes
from flexmbs.mesh import quadrature as gauss

TET10 = SolidElement(
    "tet10",
    # Exact with straight sides. With curved ones 4 points (as in CalculiX) err less than 14: a quarter ring bends and
    # spins with 1 to 26 % smaller errors (docs/theory.md).
    stiffness=tetrahedron_4(),
    curved_stiffness=tetrahedron_4(),
    # Products of two shape functions have degree 4; times the Jacobian of curved sides degree 7.
    mass=tetrahedron_14(),
    curved_mass=Rule(*gauss.simplex(5, 3)),
    stress=tetrahedron_4(),
    stress_powers=shapes.TET4,
)
