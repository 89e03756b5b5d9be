"""The hexahedron with eight nodes, with or without the modes of ``incompatible_modes``."""

from __future__ import annotations

from flexmbs.fem.solids.solid_quadrature import SolidElement, gauss_cube
from flexmbs.mesh import element_shapes as shapes

HEX8 = SolidElement(
    "hex8",
    stiffness=gauss_cube(2),
    curved_stiffness=gauss_cube(2),
    mass=gauss_cube(3),
    curved_mass=gauss_cube(3),
    stress=gauss_cube(2),
    stress_powers=shapes.HEX8,
    has_incompatible_modes=True,
)
