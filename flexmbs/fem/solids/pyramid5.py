"""The pyramid with five nodes.

In the collapsed coordinates of ``mesh.pyramids`` everything is a polynomial: across the pyramid gradients, shape
functions and Jacobian have degree 1; along it 0 or 1, 1, and 2.
"""

from __future__ import annotations

from flexmbs.fem.solids.solid_quadrature import SolidElement, gauss_pyramid
from flexmbs.mesh import element_shapes as shapes

PYRAMID5 = SolidElement(
    "pyramid5",
    stiffness=gauss_pyramid(2),
    curved_stiffness=gauss_pyramid(2),
    mass=gauss_pyramid(3),
    curved_mass=gauss_pyramid(3),
    stress=gauss_pyramid(2),
    stress_powers=shapes.PYRAMID5,
)
