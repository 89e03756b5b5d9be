"""The pyramid with thirteen nodes.

In the collapsed coordinates of ``mesh.pyramids`` everything is a polynomial. Across the pyramid gradients and shape
functions have degree 2, the Jacobian 1 (5 with curved sides); along it 1 or 2, 2, and 2 (5).
"""

from __future__ import annotations

from flexmbs.fem.solids.solid_quadrature import SolidElement, gauss_pyramid
from flexmbs.mesh import element_shapes as shapes

PYRAMID13 = SolidElement(
    "pyramid13",
    stiffness=gauss_pyramid(3),
    curved_stiffness=gauss_pyramid(4),
    mass=gauss_pyramid(4),
    curved_mass=gauss_pyramid(5),
    stress=gauss_pyramid(2),
    stress_powers=shapes.PYRAMID5,
)
