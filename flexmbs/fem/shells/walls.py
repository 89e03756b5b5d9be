"""Sections of shells: stiffness and mass of a wall per unit thickness, homogeneous or of layers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.fem.elasticity import stiffness_matrix
from flexmbs.mesh.mesh import ElementBlock
from flexmbs.mesh.properties import AnyMaterial, Layer, Material, OrthotropicMaterial, ShellSection, flaw

# Of the in-plane shear stiffness: ties the rotation about the normal to that of the surface in quadrilaterals, which
# feel nothing else of it. Larger values stiffen the in-plane bending of coarse meshes.
DRILLING = 1e-3
STRAINS = 9  # membrane 11, 22, 12; curvature 11, 22, 12; transverse shear 13, 23; drilling
# Of the largest entry of the elasticity: less of normal-to-shear coupling across the wall is rounding.
_COUPLING = 1e-6
_THROUGH_LAYER = np.polynomial.legendre.leggauss(3)  # products of two parabolas


@dataclass(frozen=True, eq=False)
class WallLayer:
    """A layer of a wall of thickness 1 m, in the axes 1, 2 of the surface."""

    # low, high: heights of its faces, -1/2 to 1/2
    low: float
    high: float
    in_plane: np.ndarray  # (3, 3), Pa, stiffness of 11, 22, 12 without stress along 3
    across: np.ndarray  # (2, 2), Pa, of the shears 13, 23
    thinning: np.ndarray  # (3,) strain along 3 per in-plane strain; 0 where the material does not say
    angle: float  # rad, from axis 1 of the wall to that of the material


@dataclass(frozen=True, eq=False)
class ShellWall:
    """A wall of thickness 1 m, in the axes 1, 2 of the surface; z runs from -1/2 (bottom) to 1/2 (top)."""

    # membrane, coupling, bending: (3, 3) Pa: int Q dz, int Q z dz, int Q z^2 dz of the plane-stress stiffness Q
    membrane: np.ndarray
    coupling: np.ndarray
    bending: np.ndarray
    shear: np.ndarray  # (2, 2), Pa, transverse, with the shear correction of the layers
    # bottom, top: (3, 3) Pa: Q at the faces
    bottom: np.ndarray
    top: np.ndarray
    density: np.ndarray  # (3,) kg/m3: int rho dz, int rho z dz, int rho z^2 dz
    layers: tuple[WallLayer, ...]  # from the bottom to the top
    nonstructural_mass: float = field(default=0.0)  # kg/m2
    bends: bool = True  # False for membranes: no bending, no transverse shear and no rotary inertia

    def stiffness(self, thickness: np.ndarray) -> np.ndarray:
        """(..., 9, 9) stress resultants (N/m, N) per strain for walls of ``thickness`` (...), m."""
        t = np.asarray(thickness)[..., None, None]
        matrix = np.zeros((*np.shape(thickness), STRAINS, STRAINS))
        matrix[..., :3, :3] = t * self.membrane
        if not self.bends:
            return matrix
        matrix[..., :3, 3:6] = t**2 * self.coupling
        matrix[..., 3:6, :3] = t**2 * self.coupling
        matrix[..., 3:6, 3:6] = t**3 * self.bending
        matrix[..., 6:8, 6:8] = t * self.shear
        matrix[..., 8, 8] = DRILLING * self.membrane[2, 2] * t[..., 0, 0]
        return matrix

    def height_squared(self, thickness: np.ndarray) -> np.ndarray:
        """(..., 3, 3) m2: membrane strain that does the work of the strain z^2 times a unit; t^2 / 12 in one layer."""
        mean = np.linalg.solve(self.membrane, self.bending) if self.bends else np.zeros((3, 3))
        return np.asarray(thickness)[..., None, None] ** 2 * mean

    def shear_stress(self, z: float) -> np.ndarray:
        """(2, 2) stresses 13, 23 at height z in -1/2 ... 1/2, per shear force (N/m) in a wall of 1 m: 3/2 - 6 z^2."""
        return -_shear_below(z, self.layers, self.membrane, self.coupling, self.bending)

    def mass(self, thickness: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mass per area (kg/m2) and its first and second moments about the middle surface (kg/m, kg)."""
        zeroth, first, second = self.density * ((1.0, 1.0, 1.0) if self.bends else (1.0, 0.0, 0.0))
        return zeroth * thickness + self.nonstructural_mass, first * thickness**2, second * thickness**3


def shell_wall(block: ElementBlock, where: str) -> ShellWall:
    """The wall of a block of shells; MeshError for unusable materials or layers."""
    section = block.section if isinstance(block.section, ShellSection) else ShellSection(None)
    layers = section.layers or (Layer(block.material, 1.0),)
    heights = np.array([layer.thickness for layer in layers], float)
    if not (np.all(np.isfinite(heights)) and np.all(heights > 0.0)):
        raise MeshError(f"{where}: the layers have thicknesses {heights.tolist()} m; all must be positive")
    edges = np.concatenate([[0.0], np.cumsum(heights)]) / heights.sum() - 0.5
    stack = tuple(_wall_layer(layer, low, high, where) for layer, low, high in zip(layers, edges[:-1], edges[1:], strict=True))
    in_plane = [layer.in_plane for layer in stack]
    densities = [layer.material.density for layer in layers]
    moments = [np.diff(edges ** (k + 1)) / (k + 1) for k in range(3)]
    A, B, D = (np.tensordot(moment, in_plane, 1) for moment in moments)
    return ShellWall(
        membrane=A,
        coupling=B,
        bending=D,
        shear=_shear_stiffness(A, B, D, stack),
        bottom=in_plane[0],
        top=in_plane[-1],
        density=np.array([moment @ densities for moment in moments]),
        layers=stack,
        nonstructural_mass=section.nonstructural_mass,
        bends=section.behaviour != "membrane",
    )


def plane_stress(material: AnyMaterial, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness (3, 3) of 11, 22, 12 without stress along 3, and (2, 2) of the shears 13, 23; Pa."""
    if isinstance(material, Material):
        E, nu, G = material.youngs_modulus, material.poisson_ratio, material.shear_modulus
        return E / (1.0 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]]), G * np.eye(2)
    if isinstance(material, OrthotropicMaterial):
        return _orthotropic(material, f"{where}: material {material.name!r}")
    C = stiffness_matrix(material, f"{where}: material {material.name!r}")
    condensed = C - np.outer(C[:, 2], C[2]) / C[2, 2]
    plane, across = [0, 1, 3], [5, 4]
    if abs(condensed[np.ix_(plane, across)]).max() > _COUPLING * abs(C).max():
        raise MeshError(
            f"{where}: material {material.name!r} couples in-plane strain with transverse shear, which shells cannot "
            f"represent; its plane 1-2 must be a plane of symmetry"
        )
    return condensed[np.ix_(plane, plane)], condensed[np.ix_(across, across)]


def _orthotropic(material: OrthotropicMaterial, where: str) -> tuple[np.ndarray, np.ndarray]:
    if wrong := flaw(material):
        raise MeshError(f"{where} {wrong}")
    nu21 = material.nu12 * material.E2 / material.E1
    left = 1.0 - material.nu12 * nu21
    Q = np.diag([material.E1 / left, material.E2 / left, material.G12])
    Q[0, 1] = Q[1, 0] = material.nu12 * material.E2 / left
    return Q, np.diag([material.G13, material.G23])


def _wall_layer(layer: Layer, low: float, high: float, where: str) -> WallLayer:
    in_plane, across = plane_stress(layer.material, where)
    thinning = _thinning(layer.material, in_plane, where)
    turn, turn_across = _turns(layer.angle)
    return WallLayer(low, high, turn.T @ in_plane @ turn, turn_across.T @ across @ turn_across, thinning @ turn, layer.angle)


def _thinning(material: AnyMaterial, in_plane: np.ndarray, where: str) -> np.ndarray:
    """(3,) strain along 3 per in-plane strain in the material's axes."""
    if isinstance(material, Material):
        return -material.poisson_ratio / (1.0 - material.poisson_ratio) * np.array([1.0, 1.0, 0.0])
    if isinstance(material, OrthotropicMaterial):
        across = [(material.nu13, material.E1), (material.nu23, material.E2)]
        known = [0.0 if ratio is None else ratio / modulus for ratio, modulus in across]
        return -np.array([*known, 0.0]) @ in_plane
    C = stiffness_matrix(material, f"{where}: material {material.name!r}")
    return -C[2, [0, 1, 3]] / C[2, 2]


def _turns(angle: float) -> tuple[np.ndarray, np.ndarray]:
    """Strains 11, 22, 12 (3, 3) and 13, 23 (2, 2) in axes turned by ``angle`` (rad) about the normal."""
    c, s = np.cos(angle), np.sin(angle)
    T = np.array([[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]])
    return T, np.array([[c, s], [-s, c]])


def _shear_stiffness(A, B, D, layers: tuple[WallLayer, ...]) -> np.ndarray:
    """(2, 2) from the energy of the shear stress that balances cylindrical bending along each axis.

    K. Rohwer, Improved transverse shear stiffness for layered finite elements, DFVLR-FB 88-32 (1988): for bending along
    1 the stresses 11 and 12 grow as the moment does, V1 = dM1/d1, and their integral from the bottom is the shear
    stress. One homogeneous layer: 5/6 G.
    """
    flexibility = np.zeros((2, 2))
    for layer in layers:
        height = layer.high - layer.low
        for node, weight in zip(*_THROUGH_LAYER, strict=True):
            stress = _shear_below(0.5 * (layer.low + layer.high + height * node), layers, A, B, D)
            flexibility += 0.5 * height * weight * stress.T @ np.linalg.solve(layer.across, stress)
    return np.linalg.inv(flexibility)


def _shear_below(z: float, layers: tuple[WallLayer, ...], A, B, D) -> np.ndarray:
    """(2, 2) integral of d sigma/d1, d sigma/d2 from the bottom to z, per shear force V1, V2."""
    compliance = np.linalg.inv(np.block([[A, B], [B, D]]))
    of_moment, curvature = compliance[:3, 3:], compliance[3:, 3:]
    force = np.zeros((3, 3))
    for layer in layers:
        top = np.clip(z, layer.low, layer.high)
        force += layer.in_plane @ ((top - layer.low) * of_moment + 0.5 * (top**2 - layer.low**2) * curvature)
    return np.array([[force[0, 0], force[2, 1]], [force[2, 0], force[1, 1]]])
