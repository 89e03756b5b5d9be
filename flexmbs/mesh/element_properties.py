"""What elements have besides nodes and material: sections of beams, shells, trusses and springs, in SI units."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.mesh.materials import AnyMaterial


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
    profile : str
        The file's name of the shape ("RECT", "PIPE", "BAR", ...), empty when only integrals are known.
    dimensions : tuple of float, m
        In the file's order for that shape.
    nonstructural_mass : float, kg/m
    end : BeamSection or None
        The section at the second end of a tapered beam.
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
    thickness : float or None, m
        None: every element has its own (``ElementBlock.thickness``).
    layers : tuple of Layer
        From bottom to top along the normal; empty for a homogeneous shell of the block's material.
    offset : float, m
        From the surface of the nodes to the middle surface, along the normal.
    behaviour : str
        "shell", "membrane" (no bending), "shear" (shear panel) or "plane" (plane stress).
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
    mass : float, kg
        Mass of the element as a whole.
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
