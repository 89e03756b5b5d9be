"""The hexahedron with twenty nodes, its stiffness from 3x3x3 points or from 2x2x2."""

from __future__ import annotations

from flexmbs.fem.solids.solid_quadrature import SolidElement, gauss_cube
from flexmbs.mesh import element_shapes as shapes

HEX20 = SolidElement(
    "hex20",
    stiffness=gauss_cube(3),
    curved_stiffness=gauss_cube(3),
    # In each coordinate the product of two shape functions has degree 4, the Jacobian 2 (5 with curved sides).
    mass=gauss_cube(4),
    curved_mass=gauss_cube(5),
    stress=gauss_cube(2),
    stress_powers=shapes.HEX8,
    reduced_stiffness=gauss_cube(2),
)
