"""From the file of an FE tool to a Mesh; operations and checks on meshes."""

from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.couplings import BoundaryCondition, Coupling, Equation, PointMass, Tie
from flexmbs.mesh.element_properties import BeamSection, Layer, ShellSection, SpringSection, TrussSection
from flexmbs.mesh.generate import box_mesh, line_mesh
from flexmbs.mesh.mass_properties import MassProperties, mass_properties
from flexmbs.mesh.materials import AnisotropicMaterial, Damping, Material, OrthotropicMaterial, UnusableMaterial
from flexmbs.mesh.mesh import ElementBlock, Mesh, OtherElements, Skipped, Surface
from flexmbs.mesh.node_use import without_unused_nodes
from flexmbs.mesh.operations import bounding_box, nodes_of, scaled, with_material, with_rectangular_section
from flexmbs.mesh.quality.check_mesh import check_mesh
from flexmbs.mesh.readers.read_mesh import read_mesh
from flexmbs.mesh.sections.assign_sections import with_section, with_thickness
from flexmbs.mesh.sections.beam_sections import circle, general_section, pipe, rectangle, section_from_rigidities

__all__ = [
    "AnisotropicMaterial",
    "BeamSection",
    "BoundaryCondition",
    "CoordinateSystem",
    "Coupling",
    "Damping",
    "ElementBlock",
    "Equation",
    "Layer",
    "MassProperties",
    "Material",
    "Mesh",
    "OrthotropicMaterial",
    "OtherElements",
    "PointMass",
    "ShellSection",
    "Skipped",
    "SpringSection",
    "Surface",
    "Tie",
    "TrussSection",
    "UnusableMaterial",
    "bounding_box",
    "box_mesh",
    "check_mesh",
    "circle",
    "general_section",
    "line_mesh",
    "mass_properties",
    "nodes_of",
    "pipe",
    "read_mesh",
    "rectangle",
    "scaled",
    "section_from_rigidities",
    "with_material",
    "with_rectangular_section",
    "with_section",
    "with_thickness",
    "without_unused_nodes",
]
