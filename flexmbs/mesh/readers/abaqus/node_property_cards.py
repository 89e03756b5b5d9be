"""Supports, point masses, axes of displacements, thickness at nodes."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.couplings import BoundaryCondition, PointMass
from flexmbs.mesh.readers.abaqus.axes_cards import system_of
from flexmbs.mesh.readers.abaqus.cards import Card, label
from flexmbs.mesh.readers.abaqus.coupling_cards import ALL_DOFS, Joined, components
from flexmbs.mesh.readers.abaqus.number_tables import (
    data_line,
    flat_numbers,
    integer,
    is_integer,
    number,
    numbers,
    smallest_eigenvalue,
)
from flexmbs.mesh.readers.abaqus.placed_instances import Region
from flexmbs.mesh.readers.abaqus.section_cards import find_orientation

_NAMED_SUPPORTS = {
    "ENCASTRE": ALL_DOFS,
    "PINNED": (1, 2, 3),
    "XSYMM": (1, 5, 6),
    "YSYMM": (2, 4, 6),
    "ZSYMM": (3, 4, 5),
    "XASYMM": (2, 3, 4),
    "YASYMM": (1, 3, 5),
    "ZASYMM": (1, 2, 6),
    "NOWARP": (),
    "NOOVAL": (),
    "NODEFORM": (),
}


def read_boundary(joined: Joined, region: Region, card: Card) -> None:
    """*BOUNDARY: node or node set, first component, last component, value; or a named support (ENCASTRE, ...)."""
    if card.has("SUBMODEL") or card.option("OP") == "REMOVE":
        joined.skip(card, "displacements from another analysis", analysis=True)
        return
    held: dict[str, tuple[np.ndarray, set[int]]] = {}
    for line in card.lines():
        fields, where = [*line.fields(), "", "", ""][:3], card.at(line)
        if not fields[0]:
            raise MeshError(f"{where}: a support must be 'node or node set, first component, last component'.")
        dofs = _held(card, fields, where)
        key = joined.model.deck.in_assembly(label(fields[0]))
        if is_integer(key) and joined.node_sets.find(region, key) is None:
            joined.model.warn(f"{where}: node {key} does not exist; its support is left out.")
            continue
        if key not in held:
            held[key] = (joined.nodes(region, fields[0], where), set())
        held[key][1].update(dofs)
    single: dict[tuple[int, ...], list[np.ndarray]] = {}
    for name, (nodes, dofs) in held.items():
        if dofs and is_integer(name):
            single.setdefault(tuple(sorted(dofs)), []).append(nodes)
        elif dofs:
            joined.boundary_conditions.append(BoundaryCondition(name, nodes, tuple(sorted(dofs)), where=card.line.where))
    for dofs, parts in single.items():
        name = f"BOUNDARY {card.line.number}" + ("" if len(single) == 1 else " " + "".join(map(str, dofs)))
        joined.boundary_conditions.append(BoundaryCondition(name, np.concatenate(parts), dofs, where=card.line.where))
    if not any(dofs for _, dofs in held.values()):
        joined.skip(card, "it constrains no displacement", analysis=True)


def _held(card: Card, fields: list[str], where: str) -> set[int]:
    text = fields[1].upper().replace(" ", "")
    if text in _NAMED_SUPPORTS:
        return set(_NAMED_SUPPORTS[text])
    if not text:
        raise MeshError(f"{where}: no component is given; give 1 to 6, or ENCASTRE, PINNED, XSYMM, ...")
    if not is_integer(text):
        raise MeshError(f"{where}: '{text[:20]}' is not a component; give 1 to 6, or {', '.join(_NAMED_SUPPORTS)}.")
    first = integer(text, where, "a component")
    return components(first, integer(fields[2] or text, where, "a component"), where)


def read_mass(joined: Joined, region: Region, card: Card) -> None:
    """*MASS, ELSET=set of MASS elements: the mass of each."""
    line = data_line(card, 0, "the mass")
    values = numbers(card, line, "the mass")
    if card.option("TYPE", "ISOTROPIC") not in ("ISOTROPIC", ""):
        joined.skip(card, "a different mass in each direction")
        return
    if not values or values[0] < 0.0:
        raise MeshError(f"{card.at(line)}: the mass must be positive, got '{line.text[:40]}'.")
    if values[0] == 0.0:
        joined.model.warn(f"{card.at(line)}: the mass is zero; it is left out.")
        return
    _point_masses(joined, region, card, values[0], np.zeros((3, 3)))


def read_rotary_inertia(joined: Joined, region: Region, card: Card) -> None:
    """*ROTARY INERTIA, ELSET=set of ROTARYI elements: I11, I22, I33, I12, I13, I23."""
    line = data_line(card, 0, "I11, I22, I33")
    xx, yy, zz, xy, xz, yz = [*numbers(card, line, "a moment of inertia"), *[0.0] * 6][:6]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    rotation = region.placement.rotation
    name = card.name("ORIENTATION")
    if name:
        orientation = find_orientation(joined.model, region, name, card.where)
        rotation = orientation.solid_axes(np.zeros((1, 3)))[0]
    if smallest_eigenvalue(inertia) < -1e-9 * np.abs(inertia).max():
        raise MeshError(f"{card.at(line)}: no body can have the moments of inertia {line.text[:60]}.")
    _point_masses(joined, region, card, 0.0, rotation @ inertia @ rotation.T)


def _point_masses(joined: Joined, region: Region, card: Card, mass: float, inertia: np.ndarray) -> None:
    name = card.required_name("ELSET")
    serials = joined.element_sets.named(region, name, card.where)
    found = False
    for rows, _, own in joined.model.rows_of(serials):
        if rows.role == "mass":
            found = True
            for node in rows.nodes[own, 0].tolist():
                final = joined.model.final_name(region, name)
                joined.point_masses.append(PointMass(final, node, mass, inertia, np.zeros(3), where=card.line.where))
    if not found:
        raise MeshError(f"{card.where}: the set {name} has no elements of type MASS or ROTARYI.")


def read_transform(joined: Joined, region: Region, card: Card) -> None:
    """*TRANSFORM, NSET=set [, TYPE=R|C|S]: points a and b; displacements of the nodes are in these axes."""
    set_name = card.required_name("NSET")
    nodes = joined.nodes(region, set_name, card.where)
    values = flat_numbers(card, "a coordinate")
    if len(values) != 6:
        raise MeshError(f"{card.where} needs the points a and b (6 coordinates), got {len(values)} numbers.")
    kind = card.option("TYPE", "R") or "R"
    if kind.startswith("S"):
        joined.skip(card, "TYPE=S")
        return
    name = f"TRANSFORM {joined.model.final_name(region, set_name)}"
    joined.systems[name] = system_of(name, kind, values, card.where)
    joined.displacement_systems[name] = nodes


def read_nodal_thickness(joined: Joined, region: Region, card: Card) -> None:
    """*NODAL THICKNESS: node or node set, thickness."""
    if joined.thickness is None:
        joined.thickness = np.full(len(joined.model.points), np.nan)
    for line in card.lines():
        fields, where = [*line.fields(), "", ""][:2], card.at(line)
        thickness = number(fields[1], where, "the thickness")
        if not thickness > 0.0:
            raise MeshError(f"{where}: the thickness is {thickness:g}; it must be positive.")
        joined.thickness[joined.nodes(region, fields[0], where)] = thickness
