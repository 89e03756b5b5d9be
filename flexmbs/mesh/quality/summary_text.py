"""The summary of a mesh as a text for people: what ``flexmbs info`` prints."""

from __future__ import annotations

from pathlib import Path

from flexmbs.common.quantities import aligned


def describe(summary: dict, *, sets_at_most: int = 40) -> str:
    """The summary as a text for people."""
    lines = [f"{Path(summary['file']).name}: {summary['format'] or 'mesh'}; numbers {_units_in_words(summary)}", ""]
    lines += [f"warning: {doubt}\n" for doubt in summary["doubtful_units"]]
    types = ", ".join(f"{count} {name}" for name, count in summary["elements_by_type"].items())
    lines += _rows(
        ("nodes", summary["nodes"]),
        ("elements", f"{summary['elements']} ({types or 'none'})"),
        ("bounding box", " to ".join(_vector(corner) for corner in summary["bounding_box"]) + " m"),
        ("volume", f"{summary['volume']:.6g} m3"),
        ("mass", "not known: see the warnings" if summary["mass"] is None else f"{summary['mass']:.6g} kg"),
    )
    if summary["center"] is not None:
        rows = [_vector(row) for row in summary["inertia"]]
        lines += _rows(("center", _vector(summary["center"]) + " m"), ("inertia", rows[0]))
        lines += [f"{'':14}{row}" for row in rows[1:-1]] + [f"{'':14}{rows[-1]} kg m2 about the center"]
    lines += _table("sets", [(s["name"], s["kind"], s["size"]) for s in summary["sets"]], sets_at_most)
    places = [(p["set"], f"{_vector(p['position'])} m", p["in_words"]) for p in summary["places"]]
    lines += _table("centers of sets (where the marker of an interface stands)", places, sets_at_most)
    lines += _table("materials", [_material_row(m) for m in summary["materials"]], sets_at_most)
    lines += _table("sections", [_section_row(s) for s in summary["sections"]], sets_at_most)
    lines += _table("couplings", [_coupling_row(c) for c in summary["couplings"]], sets_at_most)
    points = [(f"node {p['node']}", f"{p['mass']:.6g} kg") for p in summary["point_masses"]]
    lines += _table("point masses", points, sets_at_most)
    held = [(b["name"], f"{b['size']} nodes", _dofs(b["dofs"])) for b in summary["boundary_conditions"]]
    lines += _table("supports (interfaces?)", held, sets_at_most)
    skipped = [(s["card"], f"{s['count']} x", _places(s), s["why"]) for s in summary["skipped"] if not s["analysis"]]
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


def _vector(values) -> str:
    return "[" + ", ".join(f"{value:.6g}" for value in values) + "]"


def _dofs(dofs: list[int]) -> str:
    return "dofs " + "".join(map(str, dofs))


def _places(skipped: dict) -> str:
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
        what.append(f"thickness {_vector(thickness) if isinstance(thickness, list) else f'{thickness:.6g}'} m")
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
