"""From the file of an FE tool to a Mesh; operations and checks on meshes."""

from flexmbs.mesh.checks import check_mesh
from flexmbs.mesh.generate import box_mesh, line_mesh
from flexmbs.mesh.mesh import BeamSection, ElementBlock, Material, Mesh
from flexmbs.mesh.operations import (
    bounding_box,
    nodes_of,
    scaled,
    with_material,
    with_rectangular_section,
    without_unused_nodes,
)
from flexmbs.mesh.readers import read_mesh
from flexmbs.mesh.sections import circle, general_section, pipe, rectangle, section_from_rigidities

__all__ = [
    "BeamSection",
    "ElementBlock",
    "Material",
    "Mesh",
    "bounding_box",
    "box_mesh",
    "check_mesh",
    "circle",
    "general_section",
    "line_mesh",
    "nodes_of",
    "pipe",
    "read_mesh",
    "rectangle",
    "scaled",
    "section_from_rigidities",
    "with_material",
    "with_rectangular_section",
    "without_unused_nodes",
]
