"""``read_gmsh``: the sections of a Gmsh file to a Mesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.numbering import NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes, without_inner_nodes
from flexmbs.mesh.readers.gmsh import version2, version4
from flexmbs.mesh.readers.gmsh.contents import Contents, read_names
from flexmbs.mesh.readers.gmsh.sources import GmshFile, Section, open_gmsh
from flexmbs.mesh.skipped_content import SkipList

_ENTITIES = ("point", "curve", "surface", "volume")  # Gmsh's words, by dimension
_IGNORED = ("MeshFormat", "Comments", "MeshVersion")
_RESULTS = ("NodeData", "ElementData", "ElementNodeData", "InterpolationScheme")


def read_gmsh(path: Path) -> Mesh:
    """Mesh of a Gmsh file (.msh, versions 1, 2, 4.0 and 4.1, text or binary), with its node and element numbers.

    Every physical group becomes a node set; groups of elements that form the body become element sets too, groups of
    faces and edges surfaces. A group without a name is called by its dimension and number ("physical_2d_7"). Without
    groups the geometric entities stand in for them ("surface_7"), with a warning. The format has no materials and no
    sections.

    Raises
    ------
    MeshError
        The file is no Gmsh mesh, is cut off or contradicts itself, or holds nothing that is structural.
    """
    file = open_gmsh(path)
    contents = Contents(file, NodeTable(str(path), "$Nodes"))
    skipped = SkipList()
    physicals: version4.Physicals = {}
    for section in _in_order(file):
        if section.name in ("Entities", "PartitionedEntities"):
            physicals.update(version4.read_entities(contents, section))
        elif section.name == "PhysicalNames":
            contents.names = read_names(file, section)
        elif section.name in ("Nodes", "NOD", "ParametricNodes", "Elements", "ELM"):
            _read_body(contents, section, physicals)
        elif section.name not in _IGNORED:
            skipped.add(f"${section.name}", str(path), section.line - 1, analysis=section.name in _RESULTS)
    for name, where in contents.reduced.items():
        contents.warnings.append(without_inner_nodes(f"{where}: elements of type {name}"))
    shapes = Shapes(path, "Gmsh", contents.nodes, contents.groups, _groups(contents), warnings=contents.warnings)
    shapes.skipped = skipped.as_tuple()
    return mesh_of_shapes(shapes)


def _in_order(file: GmshFile) -> list[Section]:
    """Entities before elements, wherever they stand."""
    return sorted(file.sections, key=lambda section: not section.name.endswith("Entities"))


def _read_body(contents: Contents, section: Section, physicals: version4.Physicals) -> None:
    is_new = contents.file.version >= 4.0
    if section.name == "ParametricNodes":
        version2.read_parametric_nodes(contents, section)
    elif section.name in ("Nodes", "NOD"):
        (version4 if is_new else version2).read_nodes(contents, section)
    elif is_new:
        version4.read_elements(contents, section, physicals)
    else:
        version2.read_elements(contents, section)


def _groups(contents: Contents) -> dict[str, np.ndarray]:
    """Name -> element numbers of each physical group; groups of several dimensions may share a name.

    Of a file without groups: of each geometric entity.
    """
    if not contents.members and contents.entities:
        return _entities(contents)
    groups: dict[str, list[np.ndarray]] = {}
    names = contents.names
    for (dimension, tag), ids in contents.members.items():
        name = names.get((dimension, tag)) or names.get((-1, tag)) or f"physical_{dimension}d_{tag}"
        groups.setdefault(name, []).extend(ids)
    for name in names.values():
        if name not in groups:
            contents.warnings.append(f"{contents.file.path}: $PhysicalNames: the group {name} has no elements.")
            groups[name] = [np.empty(0, np.int64)]
    return {name: np.concatenate(ids) for name, ids in groups.items()}


def _entities(contents: Contents) -> dict[str, np.ndarray]:
    """Name -> element numbers of the geometric entities that have any, with the warning that groups are missing."""
    found = sorted(contents.entities, reverse=True)  # faces before edges and points
    tags = {dimension: [tag for other, tag in found if other == dimension] for dimension in range(4)}
    counted = ", ".join(f"{len(tags[d])} {name}{'s' if len(tags[d]) > 1 else ''}" for d, name in enumerate(_ENTITIES) if tags[d])
    dimension, tag = max(key for key in found if key[0] < 3) if any(d < 3 for d, _ in found) else found[0]
    word, set_name = _ENTITIES[dimension], f"{_ENTITIES[dimension]}_{tag}"
    contents.warnings.append(
        f"{contents.file.path}: the file has no physical groups, so its entities are its sets: {counted}, such as"
        f' {set_name}. To name a place, write Physical {word.capitalize()}("hinge") = {{{tag}}}; in the .geo file, or'
        f' gmsh.model.addPhysicalGroup({dimension}, [{tag}], name="hinge") in Python, before meshing; name the body'
        " likewise, since Gmsh then saves only what is in groups."
    )
    return {f"{_ENTITIES[d]}_{tag}": np.concatenate(contents.entities[d, tag]) for d, tag in found}
