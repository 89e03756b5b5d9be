"""Section cards: which elements have which material, thickness, profile and axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.element_properties import AnySection, BeamSection, Layer, ShellSection, SpringSection, TrussSection
from flexmbs.mesh.materials import AnyMaterial, Material, UnusableMaterial
from flexmbs.mesh.readers.abaqus.axes_cards import Orientation, made_orientation
from flexmbs.mesh.readers.abaqus.beam_section_cards import beam_section
from flexmbs.mesh.readers.abaqus.cards import Card, label
from flexmbs.mesh.readers.abaqus.deck_text import Line
from flexmbs.mesh.readers.abaqus.distribution_cards import ElementOrientation, element_orientation
from flexmbs.mesh.readers.abaqus.element_types import element_type
from flexmbs.mesh.readers.abaqus.number_tables import data_line, number, numbers
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region

_RIGHT_CARD = {
    "solid": "*SOLID SECTION",
    "shell": "*SHELL SECTION",
    "membrane": "*MEMBRANE SECTION",
    "beam": "*BEAM SECTION",
    "truss": "*SOLID SECTION",
    "spring": "*SPRING",
    "dashpot": "*DASHPOT",
    "joint": "*JOINT",
}


@dataclass
class Section:
    """One section card of one region.

    Attributes
    ----------
    families : families of element types that the card is for
    make : (family, type name) -> AnySection or None, called when elements have it
    orientation : of the material (layers: of the layup)
    """

    card: Card
    region: Region
    families: tuple[str, ...]
    material: AnyMaterial | None
    make: Callable[[str, str], AnySection | None]
    orientation: Orientation | None = None

    @property
    def title(self) -> str:
        """As messages call it."""
        return f"{self.card.title}, ELSET={self.card.name('ELSET')}"


def made_section(model: Model, region: Region, card: Card) -> Section:
    """The section of a card. Raises MeshError for unknown names and wrong dimensions."""
    card.required_name("ELSET")
    return _READERS[card.key](model, region, card)


def fitting(section: Section, family: str, type_name: str, where: str) -> None:
    """MeshError when a section is given to elements of another family."""
    if family not in section.families and not (family == "solid" and type_name.startswith(("SC", "CSS"))):
        raise MeshError(f"{section.card.where} is assigned to elements of type {type_name} ({where}); use {_RIGHT_CARD[family]}.")


def find_orientation(model: Model, region: Region, name: str, where: str, needed: bool = True) -> Orientation | None:
    """An *ORIENTATION by its name, in mesh axes; MeshError when it is not defined, or ``needed`` and not readable."""
    place = next(filter(None, (model.place_of(r, name, _has_orientation) for r in (region, model.root))), None)
    if place is None:
        raise MeshError(f"{where} names the orientation {name}; {near_names(name, region.scope.orientations)}")

    holder, own = place
    card = holder.scope.orientations[own]

    def points_of(nodes: list[int], at: str) -> np.ndarray:
        found = holder.find_nodes(np.array(nodes, np.int64))
        if (found < 0).any():
            raise MeshError(f"{at}: there is no node {nodes[int(np.argmin(found))]}.")
        turned = model.points[found] - holder.placement.translation
        return turned @ holder.placement.rotation  # back into the axes of the part

    made = made_orientation(card, points_of) or element_orientation(model, holder, card)
    if made is None and not needed:
        model.skip(card, "its form is not read")
        return None
    if made is None:
        raise MeshError(
            f"{card.where} {name} is used in {where}, but its form is not supported (user subroutine, offset to"
            " nodes, distribution of anything but points); give the points a and b."
        )
    placement = region.placement
    system = replace(
        made.system,
        origin=placement.rotation @ made.system.origin + placement.translation,
        axes=placement.rotation @ made.system.axes,
    )
    if isinstance(made, ElementOrientation):
        made = replace(made, axes=placement.rotation @ made.axes)
    return replace(made, system=system)


def _has_orientation(region: Region, name: str) -> bool:
    return name in region.scope.orientations


def _orientation(model: Model, region: Region, card: Card, material: AnyMaterial | None = None) -> Orientation | None:
    """The ORIENTATION of a card; of forms that are not read only where the material needs none."""
    name = card.name("ORIENTATION")
    needed = not isinstance(material, Material)
    return find_orientation(model, region, name, card.where, needed) if name else None


def _solid(model: Model, region: Region, card: Card) -> Section:
    if card.has("COMPOSITE"):
        reason = f"{card.where}: layers in solids are not supported; give one MATERIAL."
        material: AnyMaterial = UnusableMaterial(f"LAYERS OF {card.name('ELSET')}", reason, where=card.line.where)
    else:
        material = model.material(card.required_name("MATERIAL"), card.where)

    def make(family: str, type_name: str) -> AnySection | None:
        return _truss_section(model, card) if family == "truss" else None

    return Section(card, region, ("solid", "truss"), material, make, _orientation(model, region, card, material))


def _truss_section(model: Model, card: Card) -> TrussSection:
    lines = card.lines()
    values = numbers(card, lines[0], "the cross-sectional area") if lines else []
    if not values:
        model.warn(f"{card.where} gives no cross-sectional area; the format's default of 1 is used.")
    area = values[0] if values else 1.0
    _positive(area, card.at(lines[0]) if lines else card.where, "the cross-sectional area")
    return TrussSection(area, where=card.line.where)


def _shell(model: Model, region: Region, card: Card) -> Section:
    if card.has("SHELL THICKNESS"):
        raise MeshError(f"{card.where} with SHELL THICKNESS= is not supported; give the thickness in the data line.")
    behaviour = "membrane" if card.key.startswith("MEMBRANE") else "shell"
    if card.key == "SHELLGENERALSECTION" and not (card.has("COMPOSITE") or card.has("MATERIAL")):
        reason = f"{card.where}: a section given by its stiffness is not supported; give MATERIAL and a thickness."
        unusable = UnusableMaterial(f"OF {card.name('ELSET')}", reason, where=card.line.where)
        return Section(card, region, ("shell",), unusable, lambda family, type_name: None)
    orientation = None
    if card.has("COMPOSITE"):
        layers, orientation = _layers(model, region, card, _orientation(model, region, card))
        material, thickness = None, sum(layer.thickness for layer in layers)
    else:
        layers, material = (), model.material(card.required_name("MATERIAL"), card.where)
        orientation = _orientation(model, region, card, material)
        line = data_line(card, 0, "the thickness")
        thickness = number(line.fields()[0] if line.fields() else "", card.at(line), "the thickness")

    added = number(card.text("DENSITY"), card.where, "DENSITY (mass per area)")
    if added < 0.0:
        raise MeshError(f"{card.where}: DENSITY = {added:g}; the mass per area must be positive.")

    def make(family: str, type_name: str) -> AnySection | None:
        if family == "solid":  # continuum shells have their thickness from their nodes
            return None
        _positive(thickness, card.at(card.lines()[0]), "the thickness")
        offset = -_offset(card) * thickness
        return ShellSection(thickness, layers, offset, behaviour, added, where=card.line.where)

    if layers and material is None:
        reason = f"{card.where}: layers in solids are not supported; give one MATERIAL."
        material = UnusableMaterial(f"LAYERS OF {card.name('ELSET')}", reason, where=card.line.where)
    return Section(card, region, ("shell", "membrane"), material, make, orientation)


def _offset(card: Card) -> float:
    """From the middle surface to the surface of the nodes, in parts of the thickness."""
    text = card.option("OFFSET")
    if text in ("SPOS", "SNEG"):
        return 0.5 if text == "SPOS" else -0.5
    if text and not any(character.isdigit() for character in text):
        raise MeshError(f"{card.where}: OFFSET={text} is not supported; use SPOS, SNEG or a number.")
    return number(text, card.where, "OFFSET")


def _layers(model, region, card: Card, orientation) -> tuple[tuple[Layer, ...], Orientation | None]:
    layers, named = [], []
    for line in card.lines():
        fields = [*line.fields(), *[""] * 4][:4]
        where = card.at(line)
        thickness = number(fields[0], where, "the thickness of the layer")
        _positive(thickness, where, "the thickness of the layer")
        if not fields[2]:
            raise MeshError(f"{where}: the layer has no material; a layer is 'thickness, points, material, angle'.")
        material = model.material(label(fields[2]), where)
        is_angle = not fields[3] or _is_number(fields[3])
        named.append(None if is_angle else label(fields[3]))
        angle = np.radians(number(fields[3], where, "the angle of the layer")) if is_angle else 0.0
        layers.append(Layer(material, thickness, angle))
    if not layers:
        raise MeshError(f"{card.where} needs one data line for each layer: thickness, points, material, angle.")
    if card.has("SYMMETRIC"):
        layers, named = [*layers, *layers[::-1]], [*named, *named[::-1]]
    if any(named):
        layers, orientation = _layers_by_name(model, region, card, layers, named, orientation)
    return tuple(layers), orientation


def _layers_by_name(model, region, card: Card, layers, named, orientation):
    """Angles of layers that name an *ORIENTATION, all of them rectangular and about one normal: from the first's."""
    made = [find_orientation(model, region, name, card.where) if name else None for name in named]
    base = orientation or next(one for one in made if one is not None)
    origin = np.zeros((1, 3))
    angles = []
    for layer, one in zip(layers, made, strict=True):
        if one is None or one is base or one == base:
            angles.append(layer.angle)
            continue
        first, other = base.shell_axes(origin)[0], one.shell_axes(origin)[0]
        in_plane = first.T @ other[:, 0]
        if "rectangular" != base.system.kind or base.system.kind != one.system.kind or abs(in_plane[2]) > 1e-6:
            raise MeshError(
                f"{card.where}: the orientations of its layers do not differ by rotations about one normal; give angles."
            )
        angles.append(float(np.arctan2(in_plane[1], in_plane[0])))
    return [replace(layer, angle=angle) for layer, angle in zip(layers, angles, strict=True)], base


def _rectangular_axes(model: Model, region: Region, card: Card) -> np.ndarray | None:
    """(3, 3) axes of springs by the ORIENTATION of a card; None without one."""
    orientation = _orientation(model, region, card)
    if orientation is None:
        return None
    if orientation.system.kind != "rectangular":
        raise MeshError(f"{card.where}: its orientation must be rectangular.")
    return orientation.solid_axes(np.zeros((1, 3)))[0]


def _joint(model: Model, region: Region, card: Card) -> Section:
    """*JOINT: the *SPRING and *DASHPOT after it act between the two nodes of JOINTC elements, in the joint's axes."""
    axes = _rectangular_axes(model, region, card)
    if not card.children:
        model.warn(f"{card.where} has no *SPRING or *DASHPOT after it: its elements join nothing.")

    def make(family: str, type_name: str) -> AnySection:
        constants = {"SPRING": np.zeros(6), "DASHPOT": np.zeros(6)}
        for child in card.children:
            if child.has("NONLINEAR"):
                model.skip(child, "NONLINEAR: its component has no stiffness")
                continue
            if len(child.lines()) < 2:
                raise MeshError(f"{child.where} needs the component, then the constant.")
            at = [int(dof) for dof in numbers(child, child.lines()[0], "a component")[:2] if dof]
            if len({*at}) != 1 or not 1 <= at[0] <= 6:
                line = child.lines()[0]
                raise MeshError(f"{child.at(line)}: in a joint it needs one component from 1 to 6, got {line.text}.")
            constants[child.key][at[0] - 1] += _constant(child, child.lines()[1])
        return SpringSection(constants["SPRING"], constants["DASHPOT"], axes, where=card.line.where)

    return Section(card, region, ("joint",), None, make)


def _constant(card: Card, line: Line) -> float:
    """Stiffness or damping in a data line of *SPRING or *DASHPOT."""
    constant = number(line.fields()[0] if line.fields() else "", card.at(line), "the constant")
    if constant < 0.0:
        raise MeshError(f"{card.at(line)}: the constant is {constant:g}; it must not be negative.")
    return constant


def _spring(model: Model, region: Region, card: Card) -> Section:
    axes = _rectangular_axes(model, region, card)
    is_spring = card.key == "SPRING"

    def make(family: str, type_name: str) -> AnySection | None:
        if family != ("spring" if is_spring else "dashpot"):
            return None
        return _spring_section(model, card, type_name, axes)

    return Section(card, region, ("spring", "dashpot"), None, make)


def _spring_section(model: Model, card: Card, type_name: str, axes) -> AnySection | None:
    if card.has("NONLINEAR"):
        model.skip(card, "NONLINEAR: its elements have no stiffness")
        return None
    lines = card.lines()
    scalar = type_name[-1] in "12"
    wanted = 2 if scalar else 1
    if len(lines) < wanted:
        raise MeshError(f"{card.where} needs {'the components, then ' * scalar}the constant.")
    line = lines[1] if scalar else lines[-1] if len(lines) <= 2 else lines[0]
    constant = _constant(card, line)
    dofs = []
    if scalar:
        dofs = [int(v) for v in numbers(card, lines[0], "a component")[: int(type_name[-1])]]
        if len(dofs) < int(type_name[-1]) or not all(1 <= dof <= 6 for dof in dofs):
            raise MeshError(f"{card.at(lines[0])}: needs {type_name[-1]} components from 1 to 6, got {lines[0].text}.")
    values, zeros = np.zeros(6), np.zeros(6)
    values[0] = constant
    is_spring = type_name.startswith("SPRING")
    return SpringSection(
        stiffness=values if is_spring else zeros,
        damping=zeros if is_spring else values,
        axes=axes,
        axial=not scalar,
        first_dof=dofs[0] if dofs else None,
        second_dof=dofs[1] if len(dofs) > 1 else None,
        where=card.line.where,
    )


def _positive(value: float, where: str, what: str) -> None:
    if not value > 0.0:
        raise MeshError(f"{where}: {what} is {value:g}; it must be positive.")


def _is_number(text: str) -> bool:
    try:
        float(text.lower().replace("d", "e"))
    except ValueError:
        return False
    return True


def _beam(model: Model, region: Region, card: Card) -> Section:
    section: BeamSection
    section, material = beam_section(model, region, card)

    def make(family: str, type_name: str) -> AnySection:
        if card.key == "BEAMSECTION" and card.option("SECTION").startswith("GEN"):
            raise MeshError(
                f"{card.where}: SECTION=GENERAL is for user elements (CalculiX), not for {type_name}; use *BEAM GENERAL"
                " SECTION with A, I11, I12, I22, J."
            )
        if type_name.upper().startswith("B33"):  # cubic beams have no transverse shear (Euler-Bernoulli)
            return replace(section, shear_factor_y=math.inf, shear_factor_z=math.inf)
        return section

    return Section(card, region, ("beam",), material, make)


def family_of(type_name: str) -> str:
    """Which section card an element type takes."""
    return element_type(type_name).family


_READERS = {
    "SOLIDSECTION": _solid,
    "SHELLSECTION": _shell,
    "SHELLGENERALSECTION": _shell,
    "MEMBRANESECTION": _shell,
    "BEAMSECTION": _beam,
    "BEAMGENERALSECTION": _beam,
    "SPRING": _spring,
    "DASHPOT": _spring,
    "JOINT": _joint,
}
SECTION_CARDS = tuple(_READERS)
