"""Cards that state materials and sections."""

from __future__ import annotations

from flexmbs.errors import MeshError
from flexmbs.mesh.abaqus.deck import Deck, MaterialDraft, SectionCard, number
from flexmbs.mesh.abaqus.lines import Card, Line
from flexmbs.mesh.mesh import Material
from flexmbs.mesh.sections import circle, general_section, pipe, rectangle

_DEFAULT_N1 = (0.0, 0.0, -1.0)


def read_material(deck: Deck, card: Card) -> None:
    """*MATERIAL, NAME=name: the cards that follow describe it."""
    name = card.required_name("NAME")
    deck.current_material = deck.materials[name] = MaterialDraft(name, card.line)


def read_elastic(deck: Deck, card: Card) -> None:
    """*ELASTIC: E, nu; of several temperatures the first is taken."""
    material = _current(deck, card)
    kind = card.parameters.get("TYPE", "ISOTROPIC").upper()
    if not kind.startswith("ISO"):
        raise MeshError(f"{card.line.where}: *ELASTIC, TYPE={kind} is not read; only isotropic materials are.")
    values = _numbers(_first_data_line(deck, card), "E and nu")
    material.youngs_modulus = values[0]
    material.poisson_ratio = values[1] if len(values) > 1 else 0.0
    if not material.youngs_modulus > 0.0 or not -1.0 < material.poisson_ratio < 0.5:
        raise MeshError(
            f"{card.data[0].where}: material {material.name} has E = {values[0]:g} and nu ="
            f" {material.poisson_ratio:g}; E > 0 and -1 < nu < 0.5 are needed."
        )


def read_density(deck: Deck, card: Card) -> None:
    """*DENSITY: rho."""
    material = _current(deck, card)
    material.density = _numbers(_first_data_line(deck, card), "density")[0]
    if not material.density > 0.0:
        raise MeshError(
            f"{card.data[0].where}: material {material.name} has density {material.density:g}; a positive one is"
            " needed (kg/m3)."
        )


def read_solid_section(deck: Deck, card: Card) -> None:
    """*SOLID SECTION, ELSET=set, MATERIAL=name."""
    if "COMPOSITE" in card.parameters:
        raise MeshError(f"{card.line.where}: *SOLID SECTION, COMPOSITE is not read; give one MATERIAL per set.")
    material = card.required_name("MATERIAL")
    deck.sections.append(SectionCard(card.line, card.keyword, card.required_name("ELSET"), material))


def read_beam_section(deck: Deck, card: Card) -> None:
    """*BEAM SECTION, ELSET=set, MATERIAL=name, SECTION=RECT|CIRC|PIPE: dimensions; direction n1 of local axis 1.

    RECT: a along local 1, b along local 2. Local 1 is our section's y, local 2 its z.
    """
    for offset in ("OFFSET1", "OFFSET2"):
        if offset in card.parameters and number(card.parameters[offset], card.line, offset) != 0.0:
            raise MeshError(f"{card.line.where}: {offset} is not read; put the nodes on the axis of the beam.")
    shape = card.required_name("SECTION")
    line = _data_line(card, 0, "the dimensions of the section (m)")
    sizes = _numbers(line, "dimensions of the section")
    axis = _axis_1(card, 1)
    try:
        if shape.startswith("RECT") and len(sizes) >= 2:
            section = rectangle(sizes[0], sizes[1], axis)
        elif shape.startswith("CIRC"):
            section = circle(sizes[0], axis)
        elif shape == "PIPE" and len(sizes) >= 2:
            section = pipe(sizes[0], sizes[1], axis)
        else:
            raise MeshError(
                f"SECTION={shape} of {len(sizes)} sizes is not read; RECT (a, b), CIRC (r), PIPE (r, t) are."
            )
    except MeshError as error:
        raise MeshError(f"{line.where}: {error}") from None
    material = card.required_name("MATERIAL")
    deck.sections.append(
        SectionCard(card.line, card.keyword, card.required_name("ELSET"), material, beam_section=section)
    )


def read_beam_general_section(deck: Deck, card: Card) -> None:
    """*BEAM GENERAL SECTION, ELSET=set, DENSITY=rho [, SECTION=GENERAL]: A, I11, I12, I22, J; n1; E, G.

    I11 = int (local 2)^2 dA is our Iy, I22 our Iz.
    """
    element_set = card.required_name("ELSET")
    if not card.parameters.get("SECTION", "GENERAL").upper().startswith("GEN"):
        raise MeshError(f"{card.line.where}: only SECTION=GENERAL is read here; use *BEAM SECTION for a shape.")
    line = _data_line(card, 0, "A, I11, I12, I22, J")
    values = _numbers(line, "A, I11, I12, I22, J")
    if len(values) < 5 or values[2] != 0.0:
        raise MeshError(f"{line.where}: needs A, I11, I12 = 0, I22, J (principal axes), got '{line.text}'.")
    moduli_line = _data_line(card, 2, "E, G")
    moduli = _numbers(moduli_line, "E and G")
    if len(moduli) < 2 or min(moduli[:2]) <= 0.0:
        raise MeshError(f"{moduli_line.where}: needs E and G, both positive (Pa), got '{moduli_line.text}'.")
    density = card.parameters.get("DENSITY")
    density = None if density is None else number(density, card.line, "DENSITY")
    try:
        section = general_section(values[0], values[1], values[3], values[4], _axis_1(card, 1))
    except MeshError as error:
        raise MeshError(f"{line.where}: {error}") from None
    material = Material(f"OF {element_set}", moduli[0], moduli[0] / (2.0 * moduli[1]) - 1.0, density)
    deck.sections.append(SectionCard(card.line, card.keyword, element_set, material=material, beam_section=section))


def _current(deck: Deck, card: Card) -> MaterialDraft:
    if deck.current_material is None:
        raise MeshError(f"{card.line.where}: *{card.keyword} stands before any *MATERIAL, NAME=name.")
    return deck.current_material


def _first_data_line(deck: Deck, card: Card) -> Line:
    line = _data_line(card, 0, "numbers")
    if len(card.data) > 1:
        deck.warnings.append(f"{card.line.where}: *{card.keyword} depends on temperature; its first line is used.")
    return line


def _data_line(card: Card, index: int, what: str) -> Line:
    if len(card.data) <= index:
        raise MeshError(f"{card.line.where}: *{card.keyword} needs data line {index + 1} with {what}.")
    return card.data[index]


def _axis_1(card: Card, index: int) -> tuple[float, ...]:
    if len(card.data) <= index or not card.data[index].fields():
        return _DEFAULT_N1
    line = card.data[index]
    values = _numbers(line, "direction n1")
    if len(values) < 3:
        raise MeshError(f"{line.where}: the direction n1 of local axis 1 needs three numbers, got '{line.text}'.")
    return tuple(values[:3])


def _numbers(line: Line, what: str) -> list[float]:
    return [number(entry, line, what) for entry in line.fields()]
