"""What elements have besides nodes: linear elastic materials; sections of beams, shells, trusses and springs; in SI units."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Damping:
    """Damping that a file gives to a material.

    Attributes
    ----------
    alpha : float, 1/s; mass-proportional part of C = alpha M + beta K
    beta : float, s; stiffness-proportional part
    structural : float, loss factor g of the complex stiffness (1 + i g) K
    """

    alpha: float = 0.0
    beta: float = 0.0
    structural: float = 0.0


@dataclass(frozen=True)
class Material:
    """Isotropic linear elastic material.

    Attributes
    ----------
    youngs_modulus : float, Pa
    poisson_ratio : float
    density : float or None, kg/m3 (None: the file gave none)
    damping : Damping or None
    where : str, file and line of its card, for messages
    """

    name: str
    youngs_modulus: float
    poisson_ratio: float
    density: float | None = None
    damping: Damping | None = None
    where: str = field(default="", compare=False)

    @property
    def shear_modulus(self) -> float:
        """G = E / (2 (1 + nu)), Pa."""
        return self.youngs_modulus / (2.0 * (1.0 + self.poisson_ratio))


@dataclass(frozen=True)
class OrthotropicMaterial:
    """Orthotropic linear elastic material by its engineering constants in its own axes 1, 2, 3.

    ``nu12`` is minus the strain along 2 over the strain along 1 under stress along 1: nu12 / E1 = nu21 / E2.
    ``E3``, ``nu13`` and ``nu23`` are None for a material that is stated for plane stress (layers of shells) only.

    Attributes
    ----------
    E1, E2, E3 : float, Pa
    nu12, nu13, nu23 : float
    G12, G13, G23 : float, Pa
    density : float or None, kg/m3
    """

    name: str
    E1: float
    E2: float
    E3: float | None
    nu12: float
    nu13: float | None
    nu23: float | None
    G12: float
    G13: float
    G23: float
    density: float | None = None
    damping: Damping | None = None
    where: str = field(default="", compare=False)


@dataclass(frozen=True, eq=False)
class AnisotropicMaterial:
    """Linear elastic material by its stiffness matrix.

    Attributes
    ----------
    stiffness : (6, 6) float, Pa
        sigma = stiffness @ epsilon with the order 11, 22, 33, 12, 23, 13 and engineering shear strains; a file with
        another order is brought to this one.
    density : float or None, kg/m3
    """

    name: str
    stiffness: np.ndarray
    density: float | None = None
    damping: Damping | None = None
    where: str = ""


@dataclass(frozen=True)
class UnusableMaterial:
    """A material of the file without linear elasticity that flexmbs can use (none given, or fluid, rubber, ...).

    Elements that have it are read; computing with them raises a MeshError with ``reason``.
    """

    name: str
    reason: str
    density: float | None = None
    where: str = field(default="", compare=False)


AnyMaterial = Material | OrthotropicMaterial | AnisotropicMaterial | UnusableMaterial

# Of the largest entry. A file gives its constants with six digits or so; a matrix that is less symmetric is a mistake.
_ROUNDING_IN_FILES = 1e-4
_SMALLEST_EIGENVALUE = 1e-10  # of a matrix with ones on its diagonal: moduli may lie decades apart without being wrong


def compliance(material: OrthotropicMaterial) -> np.ndarray:
    """(3, 3) 1/Pa, strains 11, 22, 33 of stresses 11, 22, 33; (2, 2) of a material that is stated for plane stress."""
    E1, E2, E3, nu12, nu13, nu23 = (getattr(material, name) for name in ("E1", "E2", "E3", "nu12", "nu13", "nu23"))
    if E3 is None:
        return np.array([(1.0 / E1, -nu12 / E1), (-nu12 / E1, 1.0 / E2)])
    return np.array([(1.0 / E1, -nu12 / E1, -nu13 / E1), (-nu12 / E1, 1.0 / E2, -nu23 / E2), (-nu13 / E1, -nu23 / E2, 1.0 / E3)])


def flaw(material: AnyMaterial) -> str:
    """What is wrong with an orthotropic or anisotropic material, to be said after its name; empty when nothing is."""
    if isinstance(material, OrthotropicMaterial):
        out_of_plane = () if material.E3 is None else ("E3", "nu13", "nu23")
        for name in ("E1", "E2", "nu12", "G12", "G13", "G23", *out_of_plane):
            value = getattr(material, name)
            if value is None:
                return f"has no {name}"
            if not np.isfinite(value) or (value <= 0.0 and not name.startswith("nu")):
                return f"has {name} = {value}; moduli must be positive (Pa) and all constants finite"
        with np.errstate(over="ignore"):  # of moduli so small that they have no reciprocal
            matrix = compliance(material)
    elif isinstance(material, AnisotropicMaterial):
        matrix = np.asarray(material.stiffness, float)
        if matrix.shape != (6, 6) or not np.isfinite(matrix).all():
            return "has no stiffness matrix of 6 x 6 finite numbers"
        if abs(matrix - matrix.T).max() > _ROUNDING_IN_FILES * abs(matrix).max():
            return "has a stiffness matrix that is not symmetric; check the order of its constants"
    else:
        return ""
    with np.errstate(all="ignore"):  # constants of any size: what has no inverse is no elasticity either
        scale = 1.0 / np.sqrt(np.diag(matrix))
        scaled = 0.5 * (matrix + matrix.T) * scale[:, None] * scale
    if np.isfinite(scaled).all() and np.linalg.eigvalsh(scaled)[0] > _SMALLEST_EIGENVALUE:
        return ""
    return (
        "has an elasticity matrix that is not positive definite; check its Poisson's ratios (nu12 belongs to E1: nu12 / E1"
        " = nu21 / E2) and the order of its constants"
    )


@dataclass(frozen=True)
class BeamSection:
    """Section of a beam in its local axes: x along the beam, y and z the principal axes of the section.

    ``Iz = int y^2 dA`` bends the beam in its local x-y plane, ``Iy = int z^2 dA`` in its x-z plane.
    ``outline`` is a closed polygon in (y, z) around the centroid, used for display and for the stress at the outer
    fibres.

    ``y_axis`` is the direction of local y in mesh coordinates (made perpendicular to each element); where a file
    gives each element its own, ``ElementBlock.y_axes`` has them. A section whose principal axes are turned against
    the direction that the file gives has ``principal_angle``: local y is that direction, turned about x by it.

    Attributes
    ----------
    shear_factor_y, shear_factor_z : float
        Part of the area that carries shear along y and z; infinite: no shear deformation.
    principal_angle : float, rad
    centroid : (float, float), m
        Local (y, z) of the centroid, seen from the line of the element (nodes and their offsets).
    shear_center : (float, float), m
        Local (y, z) of the shear centre, seen from the centroid: forces through it bend without twisting. Readers
        give it where the file's program counts it (CBEAM of Nastran, BEAM188 of Ansys, general sections of Abaqus).
    profile : str, the file's name of the shape ("RECT", "PIPE", "BAR", ...), empty when only integrals are known
    dimensions : tuple of float, m; in the file's order for that shape
    nonstructural_mass : float, kg/m
    end : BeamSection or None, the section at the second end of a tapered beam
    """

    area: float
    Iy: float
    Iz: float
    torsion_constant: float
    outline: np.ndarray  # (m, 2), m
    y_axis: np.ndarray  # (3,)
    shear_factor_y: float = 5.0 / 6.0
    shear_factor_z: float = 5.0 / 6.0
    principal_angle: float = 0.0
    centroid: tuple[float, float] = (0.0, 0.0)
    profile: str = ""
    dimensions: tuple[float, ...] = ()
    nonstructural_mass: float = 0.0
    end: BeamSection | None = None
    where: str = ""
    shear_center: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Layer:
    """One layer of a shell: material, thickness (m) and angle (rad) of its 1 axis against the element's."""

    material: AnyMaterial | None
    thickness: float
    angle: float = 0.0


@dataclass(frozen=True)
class ShellSection:
    """Section of a shell.

    Attributes
    ----------
    thickness : float or None, m; None: every element has its own (``ElementBlock.thickness``)
    layers : tuple of Layer, from bottom to top along the normal; empty for a homogeneous shell of the block's material
    offset : float, m; from the surface of the nodes to the middle surface, along the normal
    behaviour : str, "shell", "membrane" (no bending), "shear" (shear panel), "twist" (twist panel) or "plane" (plane stress)
    nonstructural_mass : float, kg/m2
    """

    thickness: float | None
    layers: tuple[Layer, ...] = ()
    offset: float = 0.0
    behaviour: str = "shell"
    nonstructural_mass: float = 0.0
    where: str = ""


@dataclass(frozen=True)
class TrussSection:
    """Section of a bar that carries axial force (and torsion, where the file gives it a constant).

    Attributes
    ----------
    area : float, m2
    torsion_constant : float, m4
    nonstructural_mass : float, kg/m
    """

    area: float
    torsion_constant: float = 0.0
    nonstructural_mass: float = 0.0
    where: str = ""


@dataclass(frozen=True)
class SpringSection:
    """Spring and dashpot between two nodes, or between one node and ground.

    Attributes
    ----------
    stiffness, damping : (6,) float, N/m and N m/rad; N s/m and N m s/rad
        For the three translations and three rotations in ``axes``; with ``axial`` only the first counts and acts
        along the line between the nodes.
    axes : (3, 3) float or None
        Columns are the directions of the spring's axes in mesh coordinates; None: the mesh's own.
    first_dof, second_dof : int or None
        1 to 6, for a scalar spring between different components of the two nodes; ``stiffness[0]`` is its constant.
    mass : float, kg; mass of the element as a whole
    """

    stiffness: np.ndarray = field(default_factory=lambda: np.zeros(6))
    damping: np.ndarray = field(default_factory=lambda: np.zeros(6))
    axes: np.ndarray | None = None
    axial: bool = False
    first_dof: int | None = None
    second_dof: int | None = None
    mass: float = 0.0
    where: str = ""


AnySection = BeamSection | ShellSection | TrussSection | SpringSection
