"""Dimensions and material of a straight bar along x, read from any mesh and replaced in it.

The length is along x, the thickness along y, the width along z.  With this, a parameter of a case replaces the value
of the mesh before assembly, and the summary shows the values used.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.connectivity import bounding_box
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.operations import scaled, with_material, with_rectangular_section

#: Steel, for meshes without a material.
STEEL = {"youngs_modulus": 210e9, "poisson_ratio": 0.3, "density": 7850.0}


def bar_values(mesh: Mesh) -> dict[str, float]:
    """length, thickness, width (m), youngs_modulus (Pa), poisson_ratio, density (kg/m3) of a bar."""
    low, high = bounding_box(mesh)
    section = mesh.blocks[0].section
    thickness, width = (high - low)[1:] if section is None else np.ptp(section.outline, axis=0)
    material = mesh.blocks[0].material
    values = dict(STEEL)
    if material is not None:
        values.update(youngs_modulus=material.youngs_modulus, poisson_ratio=material.poisson_ratio)
        if material.density is not None:
            values["density"] = material.density
    return {"length": float(high[0] - low[0]), "thickness": float(thickness), "width": float(width), **values}


def bar_with(mesh: Mesh, values: Mapping[str, float]) -> Mesh:
    """The bar with other dimensions and another material: ``values`` by names of :func:`bar_values`; others stay.

    Raises MeshError for a dimension that is not positive.
    """
    old = bar_values(mesh)
    values = {**old, **values}
    for name in ("length", "thickness", "width"):
        if not values[name] > 0.0:
            raise MeshError(f"{mesh.source}: {name} = {values[name]:g} m must be positive")
    is_beam = mesh.blocks[0].section is not None
    along = values["length"] / old["length"]
    across = [1.0, 1.0] if is_beam else [values[name] / old[name] for name in ("thickness", "width")]
    if not np.allclose([along, *across], 1.0, rtol=1e-12, atol=0.0):
        mesh = scaled(mesh, (along, *across))
    if is_beam and any(values[name] != old[name] for name in ("thickness", "width")):
        mesh = with_rectangular_section(mesh, width_y=values["thickness"], width_z=values["width"])
    return with_material(mesh, **{name: values[name] for name in STEEL})


def centreline_point(mesh: Mesh, distance: float) -> tuple[float, float, float]:
    """The point on the bar's centreline at ``distance`` (m) from the end with the lowest x."""
    low, high = bounding_box(mesh)
    middle = 0.5 * (low + high)
    return float(low[0] + distance), float(middle[1]), float(middle[2])
