"""Section cards: which elements have which material, thickness, profile and axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.properties import (
    AnyMaterial,
    AnySection,
    BeamSection,
    Layer,
    Material,
    ShellSection,
    SpringSection,
    TrussSection,
    UnusableMaterial,
)
from flexmbs.mesh.readers.abaqus.cards import Card, data_line, first_number, is_number, label, number, numbers
from flexmbs.mesh.readers.abaqus.material_cards import Orientation, find_orientation
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region
from flexmbs.mesh.sections.beam_sections import general_section
from flexmbs.mesh.sections.profile_section import profile_section

# Which card elements of a family take.
RIGHT_CARD = {
    **{"solid": "*SOLID SECTION", "truss": "*SOLID SECTION", "shell": "*SHELL SECTION", "membrane": "*MEMBRANE SECTION"},
    **{"beam": "*BEAM SECTION", "spring": "*SPRING", "dashpot": "*DASHPOT", "joint": "*JOINT"},
}
_DEFAULT_N1 = (0.0, 0.0, -1.0)
_LAYERED = ("LAYERS OF", "layers in solids are not supported; give one MATERIAL.")


@dataclass
class Section:
    """One section card."""

    card: Card
    families: tuple[str, ...]  # of element types that it is for
    material: AnyMaterial | None
    make: Callable[[str, str], AnySection | None]  # (family, type name), called when elements have it
    orientation: Orientation | None = None  # of the material (layers: of the layup)

    def fitting(self, family: str, type_name: str) -> AnySection | None:
        """What ``make`` gives; MeshError for elements of another family."""
        if family not in self.families and not (family == "solid" and type_name.startswith(("SC", "CSS"))):
            raise MeshError(f"{self.card.where} is assigned to elements of type {type_name}; use {RIGHT_CARD[family]}.")
        return self.make(family, type_name)


def _orientation(model: Model, region: Region, card: Card, material: AnyMaterial | None = None) -> Orientation | None:
    """The ORIENTATION of a card; of forms that are not read only where the material needs none."""
    name = card.name("ORIENTATION")
    return find_orientation(model, region, name, card.where, not isinstance(material, Material)) if name else None


def _spring_axes(model: Model, region: Region, card: Card) -> np.ndarray | None:
    orientation = _orientation(model, region, card)
    return None if orientation is None else orientation.rectangular_axes(card.where)


def _unusable(card: Card, name: str, why: str) -> UnusableMaterial:
    """What stands for the material of a section that is not read."""
    return UnusableMaterial(f"{name} {card.name('ELSET')}", f"{card.where}: {why}", where=card.line.where)


def _solid(model: Model, region: Region, card: Card) -> Section:
    layered = card.has("COMPOSITE")
    material = _unusable(card, *_LAYERED) if layered else model.material(card.required_name("MATERIAL"), card.where)

    def make(family: str, type_name: str) -> AnySection | None:
        if family != "truss":
            return None
        lines, area = card.lines(), 1.0
        if lines and lines[0].fields():
            area = first_number(card, lines[0], "the cross-sectional area", "be positive")
        else:
            model.deck.warn(f"{card.where} gives no cross-sectional area; the format's default of 1 is used.")
        return TrussSection(area, where=card.line.where)

    return Section(card, ("solid", "truss"), material, make, _orientation(model, region, card, material))


def _shell(model: Model, region: Region, card: Card) -> Section:
    if card.has("SHELL THICKNESS"):
        raise MeshError(f"{card.where} with SHELL THICKNESS= is not supported; give the thickness in the data line.")
    behaviour = "membrane" if card.key.startswith("MEMBRANE") else "shell"
    layers: list[Layer] = []
    if card.has("COMPOSITE"):
        layers, orientation = _layers(model, region, card)
        material: AnyMaterial = _unusable(card, *_LAYERED)  # for continuum shells; others have the materials of the layers
    elif card.key == "SHELLGENERALSECTION" and not card.has("MATERIAL"):
        unusable = _unusable(card, "OF", "a section given by its stiffness is not supported; give MATERIAL and a thickness.")
        return Section(card, ("shell",), unusable, lambda family, type_name: None)
    else:
        material = model.material(card.required_name("MATERIAL"), card.where)
        orientation = _orientation(model, region, card, material)
        line = data_line(card, 0, "the thickness")
        first_number(card, line, "the thickness")
    added = number(card.text("DENSITY"), card.where, "DENSITY (mass per area)", "not be negative")

    def make(family: str, type_name: str) -> AnySection | None:
        if family == "solid":  # continuum shells have their thickness from their nodes
            return None
        thickness = sum(layer.thickness for layer in layers) if layers else first_number(card, line, "the thickness", "be positive")
        text = card.option("OFFSET")  # from the middle surface to that of the nodes, in parts of the thickness
        text = {"SPOS": "0.5", "SNEG": "-0.5"}.get(text, text)
        if text and not any(character.isdigit() for character in text):
            raise MeshError(f"{card.where}: OFFSET={text} is not supported; use SPOS, SNEG or a number.")
        offset = -number(text, card.where, "OFFSET") * thickness
        return ShellSection(thickness, tuple(layers), offset, behaviour, added, where=card.line.where)

    return Section(card, ("shell", "membrane"), material, make, orientation)


def _layers(model: Model, region: Region, card: Card) -> tuple[list[Layer], Orientation | None]:
    """The layers, and the axes of which they have angles: the ORIENTATION of the card, or the first that a layer names."""
    layers, base = [], _orientation(model, region, card)
    for _, where, (height, _, of, turned) in card.rows(4):
        thickness = number(height, where, "the thickness of the layer", "be positive")
        if not of:
            raise MeshError(f"{where}: the layer has no material; a layer is 'thickness, points, material, angle'.")
        material = model.material(label(of), where)
        if is_number(turned):
            angle = np.radians(number(turned, where, "the angle of the layer"))
        else:
            own = find_orientation(model, region, label(turned), where)
            base = base or own
            angle = 0.0 if own is base or label(turned) == card.name("ORIENTATION") else _angle_between(base, own, where)
        layers.append(Layer(material, thickness, angle))
    if not layers:
        raise MeshError(f"{card.where} needs one data line for each layer: thickness, points, material, angle.")
    return [*layers, *(layers[::-1] if card.has("SYMMETRIC") else [])], base


def _angle_between(base: Orientation, other: Orientation, where: str) -> float:
    """Angle (rad) from one rectangular orientation to another, about the normal that they must have in common."""
    origin = np.zeros((1, 3))
    in_plane = base.shell_axes(origin)[0].T @ other.shell_axes(origin)[0][:, 0]
    if {base.system.kind, other.system.kind} != {"rectangular"} or abs(in_plane[2]) > 1e-6:
        raise MeshError(f"{where}: the orientations of layers must differ by rotations about one normal; give angles.")
    return float(np.arctan2(in_plane[1], in_plane[0]))


def _spring(model: Model, region: Region, card: Card) -> Section:
    """*SPRING, *DASHPOT: along the line of the nodes (SPRINGA), or [components,] in the axes of ORIENTATION."""
    axes, own = _spring_axes(model, region, card), card.key.lower()

    def make(family: str, type_name: str) -> AnySection | None:
        if family != own:
            return None
        if card.has("NONLINEAR"):
            model.deck.skip(card, "NONLINEAR: its elements have no stiffness")
            return None
        lines, wanted = card.lines(), int(type_name[-1]) if type_name[-1] in "12" else 0  # components
        if len(lines) < (2 if wanted else 1):
            raise MeshError(f"{card.where} needs {'the components, then ' if wanted else ''}the constant.")
        line = lines[1] if wanted else lines[-1] if len(lines) <= 2 else lines[0]
        constant = np.array([first_number(card, line, "the constant", "not be negative"), *[0.0] * 5])
        dofs = [int(v) for v in numbers(card, lines[0], "a component")[:wanted]] if wanted else []
        if len(dofs) < wanted or not {*dofs} <= {1, 2, 3, 4, 5, 6}:
            raise MeshError(f"{card.at(lines[0])}: needs {wanted} components from 1 to 6, got {lines[0].text}.")
        first, second = [*dofs, None, None][:2]
        common = {"axes": axes, "axial": not wanted, "first_dof": first, "second_dof": second, "where": card.line.where}
        return SpringSection(**{"stiffness" if own == "spring" else "damping": constant}, **common)

    return Section(card, ("spring", "dashpot"), None, make)


def _joint(model: Model, region: Region, card: Card) -> Section:
    """*JOINT: the *SPRING and *DASHPOT after it act between the two nodes of JOINTC elements, in the joint's axes."""
    axes = _spring_axes(model, region, card)
    if not card.children:
        model.deck.warn(f"{card.where} has no *SPRING or *DASHPOT after it: its elements join nothing.")

    def make(family: str, type_name: str) -> AnySection:
        constants = {"SPRING": np.zeros(6), "DASHPOT": np.zeros(6)}
        for child in card.children:
            if child.has("NONLINEAR"):
                model.deck.skip(child, "NONLINEAR: its component has no stiffness")
                continue
            lines = child.lines()
            if len(lines) < 2:
                raise MeshError(f"{child.where} needs the component, then the constant.")
            at = {int(dof) for dof in numbers(child, lines[0], "a component")[:2] if dof}
            if len(at) != 1 or not at < {1, 2, 3, 4, 5, 6}:
                raise MeshError(f"{child.at(lines[0])}: in a joint it needs one component from 1 to 6, got {lines[0].text}.")
            constants[child.key][at.pop() - 1] += first_number(child, lines[1], "the constant", "not be negative")
        return SpringSection(constants["SPRING"], constants["DASHPOT"], axes, where=card.line.where)

    return Section(card, ("joint",), None, make)


def _beam(model: Model, region: Region, card: Card) -> Section:
    """*BEAM SECTION, *BEAM GENERAL SECTION. Local axis 1 of the format is our local y, axis 2 our z."""
    general = card.key == "BEAMGENERALSECTION"
    shape = card.option("SECTION", "GENERAL" if general else "")
    if not shape:
        raise MeshError(f"{card.where} needs the parameter SECTION=RECT, CIRC, PIPE, ...")
    if shape in ("MESHED", "NONLINEARGENERAL"):
        raise MeshError(f"{card.where}: SECTION={shape} is not read; use SECTION=GENERAL with A, I11, I12, I22, J.")
    by_integrals = shape.startswith("GEN")
    section, material = (_by_integrals if by_integrals else _by_profile)(model, region, card)

    def make(family: str, type_name: str) -> AnySection:
        if by_integrals and not general:
            use = "use *BEAM GENERAL SECTION with A, I11, I12, I22, J"
            raise MeshError(f"{card.where}: SECTION=GENERAL is for user elements (CalculiX), not for {type_name}; {use}.")
        if type_name.upper().startswith("B33"):  # cubic beams have no transverse shear (Euler-Bernoulli)
            return replace(section, shear_factor_y=math.inf, shear_factor_z=math.inf)
        return section

    return Section(card, ("beam",), material, make)


def _by_profile(model: Model, region: Region, card: Card) -> tuple[BeamSection, AnyMaterial]:
    """Dimensions of a profile, on one line or (ARBITRARY) one for each of its segments; n1."""
    material, shape = _beam_material(model, card), card.option("SECTION")
    line, count = data_line(card, 0, "the dimensions of the section", blank=True), 1
    if shape.startswith("ARB"):
        count = int([*numbers(card, line, "a dimension of the section"), 0.0][0])
        if not 1 <= count <= 1000:
            raise MeshError(f"{card.at(line)}: the first entry is the number of segments, got '{line.text[:40]}'.")
    dimensions = numbers(card, card.lines(blank=True)[:count], "a dimension of the section")
    # Of what the two programs read differently: CalculiX means a square, and by one number of a circle its diameter.
    not_abaqus = "Abaqus" not in model.deck.written_for
    if shape.startswith("RECT") and len(dimensions) == 1 and not_abaqus:
        model.deck.warn(f"{card.at(line)}: one dimension of RECT is a square, as in CalculiX.")
        dimensions *= 2
    axis, family = _axis_1(region, card, count), "abaqus"
    if model.deck.written_for == {"CalculiX"} and shape.startswith(("RECT", "CIRC", "PIPE", "BOX")):
        family = "calculix"
    elif shape.startswith("CIRC") and len(dimensions) == 1 and not_abaqus:
        doubt = f"{dimensions[0]:g} is read as the radius of the circle, as in Abaqus; for the diameter, as in CalculiX"
        model.deck.warn(f"{card.where}: {doubt}, give it twice.")
    section = profile_section(family, shape, dimensions, axis, getattr(material, "poisson_ratio", 0.3), card.at(line))
    return replace(section, where=card.line.where, centroid=_moved(card, section, dimensions)), material


def _by_integrals(model: Model, region: Region, card: Card) -> tuple[BeamSection, AnyMaterial]:
    """A, I11, I12, I22, J; n1; E, G. I11 = int (local 2)^2 dA is our Iy, I22 our Iz."""
    line = data_line(card, 0, "A, I11, I12, I22, J", blank=True)
    values = numbers(card, line, "A, I11, I12, I22, J")
    if len(values) < 5:
        raise MeshError(f"{card.at(line)}: needs A, I11, I12, I22, J, got '{line.text[:60]}'.")
    (area, first, mixed, second, torsion), axis = values[:5], _axis_1(region, card, 1)
    # *CENTROID and *SHEAR CENTER after the card, from the nodes, where they are without.
    centers = {"CENTROID": (0.0, 0.0), "SHEARCENTER": (0.0, 0.0)}
    try:
        for child in card.children:
            values = numbers(child, data_line(child, 0, "the centre"), "the centre")
            centers[child.key] = tuple([*values, 0.0, 0.0][:2])
        section = general_section(area, first, second, torsion, axis, Iyz=mixed, centroid=centers["CENTROID"])
    except MeshError as error:
        raise MeshError(f"{card.at(line)}: {error}") from None
    center = _turned(section, *np.subtract(centers["SHEARCENTER"], centers["CENTROID"]))
    return replace(section, where=card.line.where, shear_center=center), _beam_material(model, card)


def _turned(section: BeamSection, y: float, z: float) -> tuple[float, float]:
    """A vector along the format's axes 1 and 2 in the section's principal axes."""
    cos, sin = np.cos(section.principal_angle), np.sin(section.principal_angle)
    return float(cos * y + sin * z), float(cos * z - sin * y)


def _beam_material(model: Model, card: Card) -> AnyMaterial:
    """By name, or for general sections from E and G of the third data line and DENSITY=."""
    if card.key == "BEAMSECTION" or card.has("MATERIAL"):
        return model.material(card.required_name("MATERIAL"), card.where)
    line = data_line(card, 2, "E and G", blank=True)
    moduli = numbers(card, line, "E and G")
    if len(moduli) < 2 or not min(moduli[:2]) > 0.0:
        raise MeshError(f"{card.at(line)}: needs E and G, both positive, got '{line.text[:60]}'.")
    density = number(card.text("DENSITY"), card.where, "DENSITY", "not be negative") if card.has("DENSITY") else None
    ratio = moduli[0] / (2.0 * moduli[1]) - 1.0
    return Material(f"OF {card.name('ELSET')}", moduli[0], ratio, density, where=card.line.where)


def _axis_1(region: Region, card: Card, index: int) -> tuple[float, ...]:
    """Direction n1 of a data line, or the format's default, in the mesh."""
    lines, axis = card.lines(blank=True)[index : index + 1], _DEFAULT_N1
    if lines and lines[0].fields():
        axis = tuple(numbers(card, lines[0], "direction n1")[:3])
        if len(axis) < 3 or not any(axis):
            where, got = card.at(lines[0]), lines[0].text[:60]
            raise MeshError(f"{where}: the direction n1 of local axis 1 must be three numbers, not all zero, got '{got}'.")
    return tuple((region.scope.placement.rotation @ axis).tolist()) if region.name else axis


def _moved(card: Card, section: BeamSection, dimensions: list[float]) -> tuple[float, float]:
    """OFFSET1, OFFSET2 (CalculiX): from the centre to the line of the nodes, in parts of the section's two widths."""
    offsets = [number(card.text(name), card.where, name) for name in ("OFFSET1", "OFFSET2")]
    if not any(offsets):
        return section.centroid
    widths = [2.0 * dimensions[0]] * 2 if section.profile == "PIPE" else dimensions[:2]
    if section.profile not in ("PIPE", "RECT", "CIRC", "BOX") or len(widths) < 2:
        raise MeshError(f"{card.where}: OFFSET1 and OFFSET2 are read only for RECT, CIRC, PIPE and BOX.")
    y, z = _turned(section, *(-offset * width for offset, width in zip(offsets, widths, strict=True)))
    return float(section.centroid[0] + y), float(section.centroid[1] + z)


SECTION_CARDS = {
    **{"SOLIDSECTION": _solid, "SHELLSECTION": _shell, "SHELLGENERALSECTION": _shell, "MEMBRANESECTION": _shell},
    **{"BEAMSECTION": _beam, "BEAMGENERALSECTION": _beam, "SPRING": _spring, "DASHPOT": _spring, "JOINT": _joint},
}
