"""The content of a mesh as data and as a text for people: what ``flexmbs info`` prints."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path

import numpy as np

from flexmbs.common.quantities import aligned
from flexmbs.mesh.check_mesh import wrong_volumes
from flexmbs.mesh.connectivity import bounding_box
from flexmbs.mesh.element_kinds import is_solid
from flexmbs.mesh.marker_places import Place, place_numbers, place_of_set
from flexmbs.mesh.mass_properties import mass_properties
from flexmbs.mesh.material_units import check_units, likely_system
from flexmbs.mesh.mesh import MIDDLE_NODE, ElementBlock, Mesh
from flexmbs.mesh.properties import AnyMaterial, BeamSection, Material, ShellSection, SpringSection, TrussSection, UnusableMaterial


def summarize(mesh: Mesh) -> dict:
    """The content of a mesh as plain numbers, strings, lists and dicts (JSON), in SI units.

    Keys: file, format, nodes, elements, elements_by_type, sets, places (of the markers of interfaces on the sets, with
    what their nodes lie on: flexmbs.mesh.marker_places), materials, sections, couplings, point_masses,
    boundary_conditions, mass, center, inertia (about the center), volume, bounding_box, units (given, stated by
    the file, or likely; None: the numbers do not tell), converted (units were given, or stated by the file), skipped,
    doubtful_units (sentences), warnings (these first). Mass, center and inertia are None when something has no density
    or section; the reason is among the warnings. Center and inertia are None too where there is no mass.
    """
    masses = mass_properties(mesh)
    low, high = bounding_box(mesh)
    likely, doubts = likely_system(mesh), check_units(mesh, trust_units=True)
    by_type = _elements_by_type(mesh)
    places = _places(mesh)
    told = any("zero or negative volume" in warning for warning in mesh.warnings) or not np.isfinite(mesh.points).all()
    flat = [] if told else [wrong_volumes(mesh, block) for block in mesh.blocks if is_solid(block.kind)]
    remarks = [f"set '{name}': {remark}" for name, at in places.items() if at.shape for remark in at.remarks]
    return {
        "file": mesh.source,
        "format": mesh.file_format,
        "nodes": len(mesh.points),
        "elements": sum(by_type.values()),
        "elements_by_type": by_type,
        "sets": _sets(mesh),
        "places": [{"set": name, **place_numbers(at), "in_words": str(at)} for name, at in places.items()],
        "materials": [_material(name, material) for name, material in mesh.materials.items()],
        "sections": [_section(block) for block in mesh.blocks],
        "couplings": _couplings(mesh),
        "point_masses": [
            {"name": point.name, "node": int(mesh.node_ids[point.node]), "mass": float(point.mass)} for point in mesh.point_masses
        ],
        "boundary_conditions": [
            {"name": held.name, "size": len(held.nodes), "dofs": [int(dof) for dof in held.dofs]}
            for held in mesh.boundary_conditions
        ],
        "mass": _plain(masses.mass),
        "center": _plain(masses.center),
        "inertia": _plain(masses.inertia),
        "volume": _plain(masses.volume),
        "bounding_box": [_plain(low), _plain(high)],
        "units": mesh.units or (mesh.stated_units.units if mesh.stated_units else likely.name if likely else None),
        "converted": bool(mesh.units),
        "skipped": [asdict(skipped) | {"lines": list(skipped.lines)} for skipped in mesh.skipped],
        "doubtful_units": list(doubts),
        "warnings": list(dict.fromkeys((*doubts, *filter(None, flat), *mesh.warnings, *masses.missing, *remarks))),
    }


def _elements_by_type(mesh: Mesh) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for block in mesh.blocks:
        behaviour = block.section.behaviour if isinstance(block.section, ShellSection) else ""
        counts[f"{block.kind} ({behaviour} panel)" if behaviour in ("shear", "twist") else block.kind] += len(block.ids)
    for others in mesh.other_elements:
        name = others.type_name if others.role == "unknown" else f"{others.type_name} ({others.role})"
        counts[name] += len(others.ids)
    return {name: int(count) for name, count in counts.items() if count}


def _sets(mesh: Mesh) -> list[dict]:
    kinds = (("node", mesh.node_sets), ("element", mesh.element_sets), ("surface", mesh.surfaces))
    return [
        {"name": name, "kind": kind, "size": members.size if kind == "surface" else len(members)}
        for kind, sets in kinds
        for name, members in sets.items()
    ]


def _places(mesh: Mesh) -> dict[str, Place]:
    """Of the sets of two nodes and more that are a part of the body."""
    found = {}
    for name, nodes in mesh.node_sets.items():
        nodes = np.unique(nodes)
        if 1 < len(nodes) < len(mesh.points) and 0 <= nodes[0] and nodes[-1] < len(mesh.points):
            found[name] = place_of_set(mesh, name)[0]
    return found


def _material(name: str, material: AnyMaterial) -> dict:
    words = {Material: "isotropic", UnusableMaterial: "not usable"}
    kind = words.get(type(material)) or type(material).__name__.removesuffix("Material").lower()
    values = _plain(material)
    last = {"damping": values.pop("damping", None), "where": values.pop("where")}
    return {"name": name, "kind": kind} | {key: value for key, value in values.items() if key != "name"} | last


def _material_names(block: ElementBlock) -> str | None:
    """The material of a block, those of its layers, or None."""
    layers = block.section.layers if isinstance(block.section, ShellSection) else ()
    found = [block.material, *(layer.material for layer in layers)]
    return ", ".join(dict.fromkeys(material.name for material in found if material is not None)) or None


def _section(block: ElementBlock) -> dict:
    entry = {
        "property": block.property_name,
        "type": block.type_name or block.kind,
        "kind": block.kind,
        "elements": len(block.ids),
        "material": _material_names(block),
    }
    section = block.section
    if isinstance(section, ShellSection):
        entry["thickness"] = _plain(section.thickness)
        if block.thickness is not None:
            entry["thickness"] = [_plain(np.nanmin(block.thickness)), _plain(np.nanmax(block.thickness))]
        entry["offset"] = _plain(section.offset)
        entry["layers"] = [
            {"material": layer.material and layer.material.name, "thickness": layer.thickness, "angle": layer.angle}
            for layer in section.layers
        ]
    elif isinstance(section, BeamSection):
        entry |= {"profile": section.profile or "general", "dimensions": _plain(section.dimensions)}
        entry |= {name: _plain(getattr(section, name)) for name in ("area", "Iy", "Iz", "torsion_constant")}
        axis = section.y_axis if block.y_axes is None else block.y_axes[0]
        entry["orientation"] = _plain(axis)
    elif isinstance(section, TrussSection):
        entry["area"] = _plain(section.area)
    elif isinstance(section, SpringSection):
        entry["stiffness"] = _plain(section.stiffness)
    if block.material_axes is not None:
        entry["material_axes"] = "given"
    return entry


def _couplings(mesh: Mesh) -> list[dict]:

    def entry(name: str, kind: str, reference: int, size: int, dofs) -> dict:
        own = {"name": name, "kind": kind, "reference": int(mesh.node_ids[reference]), "size": size}
        return own | {"dofs": [int(dof) for dof in dofs]}

    found = [entry(one.name, one.kind, one.reference, len(one.nodes), one.dofs) for one in mesh.couplings]
    middles = [one for one in mesh.equations if one.name.startswith(MIDDLE_NODE)]
    stated = [one for one in mesh.equations if not one.name.startswith(MIDDLE_NODE)]
    found += [entry(one.name, "equation", one.nodes[0], len(one.nodes), one.dofs) for one in stated]
    if middles:  # one row for all that a reader has made
        count = len({int(one.nodes[0]) for one in middles})
        found.append(entry(f"{MIDDLE_NODE}s of edges", "equation", middles[0].nodes[0], count, (1, 2, 3)))
    return found + [
        {"name": tie.name, "kind": "tie", "reference": None, "size": 2, "dofs": [], "surfaces": [tie.first, tie.second]}
        for tie in mesh.ties
    ]


def _plain(value):
    """Numbers and arrays as JSON has them; NaN and infinity, which it has not, as None."""
    if value is None or isinstance(value, str | bool):
        return value
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item) for item in value]
    value = float(value)
    return value if math.isfinite(value) else None


def describe(summary: dict, *, sets_at_most: int = 40) -> str:
    """The summary as a text for people."""
    lines = [f"{Path(summary['file']).name}: {summary['format'] or 'mesh'}; numbers {_units_in_words(summary)}", ""]
    lines += [f"warning: {doubt}\n" for doubt in summary["doubtful_units"]]
    types = ", ".join(f"{count} {name}" for name, count in summary["elements_by_type"].items())
    lines += _rows(
        ("nodes", summary["nodes"]),
        ("elements", f"{summary['elements']} ({types or 'none'})"),
        ("bounding box", " to ".join(_in_brackets(corner) for corner in summary["bounding_box"]) + " m"),
        ("volume", f"{summary['volume']:.6g} m3"),
        ("mass", "not known: see the warnings" if summary["mass"] is None else f"{summary['mass']:.6g} kg"),
    )
    if summary["center"] is not None:
        rows = [_in_brackets(row) for row in summary["inertia"]]
        lines += _rows(("center", _in_brackets(summary["center"]) + " m"), ("inertia", rows[0]))
        lines += [f"{'':14}{row}" for row in rows[1:-1]] + [f"{'':14}{rows[-1]} kg m2 about the center"]
    lines += _table("sets", [(s["name"], s["kind"], s["size"]) for s in summary["sets"]], sets_at_most)
    places = [(p["set"], f"{_in_brackets(p['position'])} m", p["in_words"]) for p in summary["places"]]
    lines += _table("centers of sets (where the marker of an interface stands)", places, sets_at_most)
    lines += _table("materials", [_material_row(m) for m in summary["materials"]], sets_at_most)
    lines += _table("sections", [_section_row(s) for s in summary["sections"]], sets_at_most)
    lines += _table("couplings", [_coupling_row(c) for c in summary["couplings"]], sets_at_most)
    points = [(f"node {p['node']}", f"{p['mass']:.6g} kg") for p in summary["point_masses"]]
    lines += _table("point masses", points, sets_at_most)
    held = [(b["name"], f"{b['size']} nodes", _dofs(b["dofs"])) for b in summary["boundary_conditions"]]
    lines += _table("supports (interfaces?)", held, sets_at_most)
    skipped = [(s["card"], f"{s['count']} x", _lines_of(s), s["why"]) for s in summary["skipped"] if not s["analysis"]]
    lines += _table("skipped", skipped, sets_at_most)
    analysis = [s["card"] for s in summary["skipped"] if s["analysis"]]
    if analysis:
        lines += ["", "no part of a body: " + ", ".join(dict.fromkeys(analysis))]
    warnings = [warning for warning in summary["warnings"] if warning not in summary["doubtful_units"]]
    if warnings:
        lines += ["", "warnings", *(f"  {warning}" for warning in warnings)]
    return "\n".join(lines)


def _units_in_words(summary: dict) -> str:
    if summary["converted"]:
        return f"converted from {summary['units']} to m, kg, s"
    if summary["units"] in (None, "m-kg-s"):
        return "taken as m, kg, s"
    return f"taken as m, kg, s, but the numbers look like {summary['units']} (--units {summary['units']})"


def _rows(*rows: tuple[str, object]) -> list[str]:
    return [f"{name:<14}{value}" for name, value in rows]


def _table(title: str, rows: list[tuple], at_most: int) -> list[str]:
    if not rows:
        return []
    cells = [[str(cell) for cell in row] for row in rows[:at_most]]
    lines = ["", title, *aligned(cells)]
    return lines + ([f"  ... and {len(rows) - at_most} more"] if len(rows) > at_most else [])


def _in_brackets(values) -> str:
    return "[" + ", ".join(f"{value:.6g}" for value in values) + "]"


def _dofs(dofs: list[int]) -> str:
    return "dofs " + "".join(map(str, dofs))


def _lines_of(skipped: dict) -> str:
    more = ", ..." if skipped["count"] > len(skipped["lines"]) else ""
    if not any(skipped["lines"]):
        return Path(skipped["file"]).name
    return f"{Path(skipped['file']).name}: line {', '.join(map(str, skipped['lines']))}{more}"


def _material_row(material: dict) -> tuple[str, ...]:
    names = ("youngs_modulus", "poisson_ratio", "E1", "E2", "E3", "density")
    short = {"youngs_modulus": "E", "poisson_ratio": "nu"}
    unit = {"density": " kg/m3", "poisson_ratio": ""}
    values = [
        f"{short.get(name, name)} = {material[name]:.6g}{unit.get(name, ' Pa')}" for name in names if material.get(name) is not None
    ]
    if material["density"] is None:
        values.append("no density")
    if material["kind"] == "not usable":
        values.append(material["reason"])
    return material["name"], material["kind"], ", ".join(values)


def _section_row(section: dict) -> tuple[str, ...]:
    what = []
    if section.get("layers"):
        what.append(f"{len(section['layers'])} layers, {sum(layer['thickness'] for layer in section['layers']):.6g} m")
    elif section.get("thickness") is not None:
        thickness = section["thickness"]
        what.append(f"thickness {_in_brackets(thickness) if isinstance(thickness, list) else f'{thickness:.6g}'} m")
    if section.get("profile"):
        what.append(section["profile"])
    if section.get("area") is not None:
        what.append(f"area {section['area']:.6g} m2")
    count = f"{section['elements']} {section['type']}"
    material = section["material"] or ("" if "stiffness" in section else "no material")
    return section["property"] or "-", count, material, ", ".join(what)


def _coupling_row(coupling: dict) -> tuple[str, ...]:
    if coupling["kind"] == "tie":
        return coupling["name"], "tie", " - ".join(coupling["surfaces"]), ""
    size = f"{coupling['size']} nodes"
    return coupling["name"], coupling["kind"], f"node {coupling['reference']}, {size}", _dofs(coupling["dofs"])
