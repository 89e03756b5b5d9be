"""Two NAFEMS benchmarks of solids: frequencies of a thick plate (FV52), stress in another one (LE10)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import spsolve

import flexmbs as fm
from flexmbs.app.verification.verification_case import Quantity, VerificationCase
from flexmbs.fem.vibration import natural_modes
from flexmbs.mesh.element_kinds import faces_of
from flexmbs.mesh.quadrature import surface_samples


def thick_plate_frequencies() -> NDArray[np.float64]:
    """(7,) Hz: FV52, a plate of 10 x 10 x 1 m held vertically at the edges of its lower face, 4 x 4 x 1 hex20."""
    model = fm.assemble(fm.box_mesh((10.0, 10.0, 1.0), (4, 4, 1), fm.Material("steel", 200e9, 0.3, 8000.0)))
    x, y, z = model.mesh.points.T
    held = np.zeros((len(x), 3), bool)
    held[(np.isin(x, (0.0, 10.0)) | np.isin(y, (0.0, 10.0))) & (z == 0.0), 2] = True
    found = natural_modes(model, held.ravel(), 7).frequencies
    return found[found > 0.0][:7]


def elliptic_plate_stress(cube: fm.Mesh) -> float:
    """Pa: LE10, the stress sigma_yy at D of a thick plate under 1 MPa on its upper face.

    A quarter between the ellipses (2, 1) and (3.25, 2.75) m, 0.6 m thick; the outer face is held in x and y, and
    vertically halfway up.

    Parameters
    ----------
    cube : elements of a cube of 1 m, which are mapped to the plate: x along the radius, y around, z upwards
    """
    s, t, height = cube.points.T
    angle = 0.5 * np.pi * t
    place = ((2.0 + 1.25 * s) * np.cos(angle), (1.0 + 1.75 * s) * np.sin(angle), 0.6 * height)
    model = fm.assemble(replace(cube, points=np.column_stack(place)))
    held = np.zeros((len(s), 3), bool)
    inner, outer, top = np.isclose(s, 0.0), np.isclose(s, 1.0), np.isclose(height, 1.0)
    held[np.isclose(t, 1.0), 0] = True  # symmetry
    held[np.isclose(t, 0.0), 1] = True
    held[outer, :2] = True
    held[outer & np.isclose(height, 0.5), 2] = True
    loads = np.zeros((len(s), 3))
    loads[:, 2] = -1e6 * consistent_areas(model.mesh, top)
    free = np.flatnonzero(~held.ravel())
    displacement = np.zeros(model.ndof)
    displacement[free] = spsolve(model.K[free][:, free].tocsc(), loads.ravel()[free])
    at_d = int(cube.node_ids[np.flatnonzero(inner & top & np.isclose(t, 0.0))[0]])
    return float(model.stress(displacement).of_nodes(at_d).stress[0, 1])


def consistent_areas(mesh: fm.Mesh, chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """(nn,) m2: the integral of each node's shape function over the faces all of whose nodes are ``chosen``."""
    areas = np.zeros(len(mesh.points))
    for block in mesh.blocks:
        for kind, local in faces_of(block.kind):
            nodes = block.nodes[:, list(local)]
            nodes = nodes[chosen[nodes].all(axis=1)]
            _, weights, shapes = surface_samples(kind, mesh.points[nodes])
            np.add.at(areas, nodes, weights @ shapes)
    return areas


FV52 = VerificationCase(
    name="nafems_fv52",
    title="seven natural frequencies of a thick plate, 4 x 4 x 1 hex20",
    source="NAFEMS, Selected benchmarks for natural frequency analysis (1987), FV52; the figures of the same mesh and"
    " element in code_aster V2.03.502",
    accuracy="the published figures have five digits; the two programs differ by up to 8e-4",
    quantities=(Quantity("frequencies", [44.762, 110.52, 110.52, 169.08, 193.93, 206.64, 206.64], 1e-3, "Hz"),),
    compute=lambda: {"frequencies": thick_plate_frequencies()},
)
_LE10_STEEL = fm.Material("steel", 210e9, 0.3, 7800.0)
LE10 = VerificationCase(
    name="nafems_le10",
    title="stress in a thick plate under pressure, 8 x 12 x 4 hex20",
    source="The Standard NAFEMS Benchmarks, TNSB Rev. 3 (1990), LE10: target -5.38 MPa",
    accuracy="the target has three digits, and the stress at a corner of this mesh is 0.6 % off it",
    quantities=(Quantity("stress yy at D", -5.38e6, 1e-2, "Pa"),),
    compute=lambda: {"stress yy at D": elliptic_plate_stress(fm.box_mesh((1.0, 1.0, 1.0), (8, 12, 4), _LE10_STEEL))},
)
