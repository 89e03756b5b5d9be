"""*BEAM SECTION and *BEAM GENERAL SECTION: profiles with their directions, and sections by integrals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import BeamSection
from flexmbs.mesh.materials import AnyMaterial, Material
from flexmbs.mesh.readers.abaqus.cards import Card
from flexmbs.mesh.readers.abaqus.deck_text import Line
from flexmbs.mesh.readers.abaqus.number_tables import data_line, number, numbers
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region
from flexmbs.mesh.sections.beam_sections import general_section
from flexmbs.mesh.sections.profiles.profile_section import profile_section

_DEFAULT_N1 = (0.0, 0.0, -1.0)


def beam_section(model: Model, region: Region, card: Card) -> tuple[BeamSection, AnyMaterial]:
    """Section and material of a card. Local axis 1 of the format is our local y, axis 2 our z.

    Raises MeshError for dimensions that make no section, and for names that are not defined.
    """
    shape = card.option("SECTION", "GENERAL" if card.key == "BEAMGENERALSECTION" else "")
    if not shape:
        raise MeshError(f"{card.where} needs the parameter SECTION=RECT, CIRC, PIPE, ...")
    if shape.startswith("GEN"):
        return _general(model, region, card)
    if shape in ("MESHED", "NONLINEARGENERAL"):
        raise MeshError(f"{card.where}: SECTION={shape} is not read; use SECTION=GENERAL with A, I11, I12, I22, J.")
    material = _material(model, card, 2)
    lines = card.lines(blank=True)
    line = data_line(card, 0, "the dimensions of the section", blank=True)
    count = _arbitrary_lines(card, line) if shape.startswith("ARB") else 1
    dimensions = [value for row in lines[:count] for value in numbers(card, row, "a dimension of the section")]
    if shape.startswith("RECT") and len(dimensions) == 1 and "Abaqus" not in model.deck.written_for:
        model.warn(f"{card.at(line)}: one dimension of RECT is a square, as in CalculiX.")
        dimensions *= 2
    axis = _axis_1(region, card, lines[count : count + 1])
    ratio = getattr(material, "poisson_ratio", 0.3)
    family = _family(model, card, shape, dimensions)
    section = profile_section(family, shape, dimensions, axis, ratio, card.at(line))
    return replace(section, where=card.line.where, centroid=_moved(card, section, dimensions)), material


def _family(model: Model, card: Card, shape: str, dimensions: list[float]) -> str:
    """Whose profile it is; one number for a circle is the radius for Abaqus, the diameter for CalculiX."""
    if model.deck.written_for == {"CalculiX"} and shape.startswith(("RECT", "CIRC", "PIPE", "BOX")):
        return "calculix"
    if shape.startswith("CIRC") and len(dimensions) == 1 and "Abaqus" not in model.deck.written_for:
        model.warn(
            f"{card.where}: {dimensions[0]:g} is read as the radius of the circle, as in Abaqus; in CalculiX it is"
            " the diameter: in that case give it twice."
        )
    return "abaqus"


def _general(model: Model, region: Region, card: Card) -> tuple[BeamSection, AnyMaterial]:
    """A, I11, I12, I22, J; n1; E, G. I11 = int (local 2)^2 dA is our Iy, I22 our Iz."""
    lines = card.lines(blank=True)
    line = data_line(card, 0, "A, I11, I12, I22, J", blank=True)
    values = numbers(card, line, "A, I11, I12, I22, J")
    if len(values) < 5:
        raise MeshError(f"{card.at(line)}: needs A, I11, I12, I22, J, got '{line.text[:60]}'.")
    area, first, mixed, second, torsion = values[:5]
    axis = _axis_1(region, card, lines[1:2])
    try:
        centroid, center = _centers(model, card)
        section = general_section(area, first, second, torsion, axis, Iyz=mixed, centroid=centroid)
    except MeshError as error:
        raise MeshError(f"{card.at(line)}: {error}") from None
    cos, sin = np.cos(section.principal_angle), np.sin(section.principal_angle)
    y, z = np.subtract(center, centroid)
    center = (float(cos * y + sin * z), float(cos * z - sin * y))
    return replace(section, where=card.line.where, shear_center=center), _material(model, card, 2)


def _centers(model: Model, card: Card) -> tuple[tuple[float, float], tuple[float, float]]:
    """*CENTROID and *SHEAR CENTER after the card, from the nodes, where they are without; the rest is skipped."""
    found = {"CENTROID": (0.0, 0.0), "SHEARCENTER": (0.0, 0.0)}
    for child in card.children:
        if child.key in found:
            values = [*numbers(child, data_line(child, 0, "the centre"), "the centre"), 0.0, 0.0]
            found[child.key] = (values[0], values[1])
        else:
            model.skip(child)
    return found["CENTROID"], found["SHEARCENTER"]


def _material(model: Model, card: Card, moduli_line: int) -> AnyMaterial:
    """By name, or for general sections from E and G of the third data line and DENSITY=."""
    if card.key == "BEAMSECTION" or card.has("MATERIAL"):
        return model.material(card.required_name("MATERIAL"), card.where)
    line = data_line(card, moduli_line, "E and G", blank=True)
    moduli = numbers(card, line, "E and G")
    if len(moduli) < 2 or not min(moduli[:2]) > 0.0:
        raise MeshError(f"{card.at(line)}: needs E and G, both positive, got '{line.text[:60]}'.")
    density = number(card.text("DENSITY"), card.where, "DENSITY") if card.has("DENSITY") else None
    if density is not None and density < 0.0:
        raise MeshError(f"{card.where}: DENSITY = {density:g} must not be negative.")
    ratio = moduli[0] / (2.0 * moduli[1]) - 1.0
    return Material(f"OF {card.name('ELSET')}", moduli[0], ratio, density, where=card.line.where)


def _axis_1(region: Region, card: Card, lines: list[Line]) -> tuple[float, ...]:
    axis = _DEFAULT_N1
    if lines and lines[0].fields():
        values = numbers(card, lines[0], "direction n1")
        if len(values) < 3 or not any(values[:3]):
            raise MeshError(
                f"{card.at(lines[0])}: the direction n1 of local axis 1 must be three numbers that are not all zero,"
                f" got '{lines[0].text[:60]}'."
            )
        axis = tuple(values[:3])
    return tuple((region.placement.rotation @ axis).tolist()) if region.name else axis


def _moved(card: Card, section: BeamSection, dimensions: list[float]) -> tuple[float, float]:
    """OFFSET1, OFFSET2 (CalculiX): from the centre to the line of the nodes, in parts of the section's two widths."""
    offsets = [number(card.text(name), card.where, name) for name in ("OFFSET1", "OFFSET2")]
    if not any(offsets):
        return section.centroid
    if section.profile == "PIPE":
        widths = [2.0 * dimensions[0]] * 2
    elif len(dimensions) >= 2 and section.profile in ("RECT", "CIRC", "BOX"):
        widths = dimensions[:2]
    else:
        raise MeshError(f"{card.where}: OFFSET1 and OFFSET2 are read only for RECT, CIRC, PIPE and BOX.")
    y, z = (-offset * width for offset, width in zip(offsets, widths, strict=True))
    cos, sin = np.cos(section.principal_angle), np.sin(section.principal_angle)
    return float(section.centroid[0] + cos * y + sin * z), float(section.centroid[1] + cos * z - sin * y)


def _arbitrary_lines(card: Card, line: Line) -> int:
    """SECTION=ARBITRARY has one line for each of its segments."""
    values = numbers(card, line, "a dimension of the section")
    if not values or not 1 <= values[0] <= 1000:
        raise MeshError(f"{card.at(line)}: the first entry is the number of segments, got '{line.text[:40]}'.")
    return max(int(values[0]), 1)
