"""Cards that state materials."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.materials import AnisotropicMaterial, AnyMaterial, Damping, Material, OrthotropicMaterial, UnusableMaterial
from flexmbs.mesh.readers.abaqus.deck import Deck, MaterialDraft
from flexmbs.mesh.readers.abaqus.deck_text import Card
from flexmbs.mesh.readers.abaqus.number_tables import data_line, first_number, number, numbers

# The file's order is 11, 22, 33, 12, 13, 23; a Mesh has 23 before 13.
_ORDER = [0, 1, 2, 3, 5, 4]

# TYPE of *ELASTIC: names of its constants in the order of the data lines (eight to a line), and how many are needed.
_TYPES = {
    "ISO": (("E", "nu"), 1),
    "ENG": (("E1", "E2", "E3", "nu12", "nu13", "nu23", "G12", "G13", "G23"), 9),
    "LAM": (("E1", "E2", "nu12", "G12", "G13", "G23"), 4),
    "ORT": (("D1111", "D1122", "D2222", "D1133", "D2233", "D3333", "D1212", "D1313", "D2323"), 9),
    "ANI": (tuple(f"D{i}" for i in range(1, 22)), 21),
}


def read_material(deck: Deck, card: Card) -> None:
    """*MATERIAL, NAME=name: the cards that follow describe it."""
    name = card.required_name("NAME")
    if name in deck.materials:
        first = deck.materials[name].line.where
        deck.warn(f"{card.where}: material {name} is defined twice (first in {first}); the last definition is used.")
    deck.material = deck.materials[name] = MaterialDraft(name, card.line)


def read_elastic(deck: Deck, card: Card) -> None:
    """*ELASTIC: kept, and made a material when the file is read."""
    _current(deck, card).elastic = card.detached()


def read_density(deck: Deck, card: Card) -> None:
    """*DENSITY: rho; of several temperatures the first counts."""
    material = _current(deck, card)
    line = data_line(card, 0, "the density")
    density = first_number(card, line, f"the density of material {material.name}", "not be negative")
    _warn_of_table(deck, card, 1)
    if density == 0.0:
        deck.warn(f"{card.at(line)}: the density of material {material.name} is zero: its elements have no mass.")
    material.density = density


def read_damping(deck: Deck, card: Card) -> None:
    """*DAMPING, ALPHA=, BETA=, STRUCTURAL=; outside of materials (global damping) it is skipped."""
    if deck.material is None:
        deck.skip(card)
        return
    for name in ("ALPHA", "BETA", "STRUCTURAL"):
        if card.has(name) and card.option(name) in ("TABULAR", ""):
            deck.skip(card, f"{name} as a table")
        elif card.has(name):
            value = number(card.text(name), card.where, name)
            deck.material.damping = replace(deck.material.damping, **{name.lower(): value})


def read_unusable(deck: Deck, card: Card) -> None:
    """*HYPERELASTIC, *FLUID CONSTANTS, ...: in place of *ELASTIC, something that is no linear elasticity."""
    material = _current(deck, card)
    material.unusable = f"it has {card.title} (line {card.line.number})"
    deck.skip(card)


def made_material(deck: Deck, draft: MaterialDraft) -> AnyMaterial:
    """The material of a draft. Raises MeshError for constants that are not physical."""
    card = draft.elastic
    name = card.option("TYPE", "ISOTROPIC") if card else ""
    kind = name[:3]
    if card is None or kind not in _TYPES:
        start = f"{draft.line.where}: *MATERIAL {draft.name} cannot be used: {draft.unusable or 'it has no elasticity'}"
        if card:
            start = f"{card.where}: material {draft.name} has elasticity of TYPE={name}, which is not supported"
        return UnusableMaterial(draft.name, f"{start}; add *ELASTIC with E and nu.", draft.density, draft.line.where)
    constants, needed = _TYPES[kind]
    line_count = (len(constants) + 7) // 8
    line = data_line(card, 0, f"{', '.join(constants[:3])}{', ...' if len(constants) > 3 else ''}")
    where = card.at(line)
    values = numbers(card, card.lines()[:line_count], "an elastic constant")
    if len(values) < needed:
        raise MeshError(f"{where}: TYPE={name} needs {needed} constants ({', '.join(constants)}), got {len(values)}.")
    _warn_of_table(deck, card, line_count)
    given = dict(zip(constants, [*values, *[0.0] * len(constants)], strict=False))
    damping = None if draft.damping == Damping() else draft.damping
    common = {"density": draft.density, "damping": damping, "where": draft.line.where}
    if kind == "ISO":
        modulus, ratio = given.values()
        if not modulus > 0.0 or not -1.0 < ratio < 0.5:
            found = f"E = {modulus:g} and nu = {ratio:g}"
            raise MeshError(f"{where}: material {draft.name} has {found}; E > 0 and -1 < nu < 0.5 are required.")
        return Material(draft.name, modulus, ratio, **common)
    return (_orthotropic if kind in ("ENG", "LAM") else _from_stiffness)(draft.name, given, common)


def _orthotropic(name: str, given: dict, common: dict) -> OrthotropicMaterial:
    if "E3" not in given:  # plane stress
        given = {**given, "E3": None, "nu13": None, "nu23": None}
        given["G13"], given["G23"] = given["G13"] or given["G12"], given["G23"] or given["G12"]
    return OrthotropicMaterial(name, **given, **common)


def _from_stiffness(name: str, given: dict, common: dict) -> AnisotropicMaterial:
    places = [(i, j) for j in range(6) for i in range(j + 1)]
    if len(given) == 9:  # without those between normal and shear strains
        places = [*places[:6], (3, 3), (4, 4), (5, 5)]
    stiffness = np.zeros((6, 6))
    stiffness[tuple(zip(*places, strict=True))] = list(given.values())
    stiffness = stiffness + np.triu(stiffness, 1).T
    return AnisotropicMaterial(name, stiffness[np.ix_(_ORDER, _ORDER)], **common)


def _current(deck: Deck, card: Card) -> MaterialDraft:
    if deck.material is None:
        raise MeshError(f"{card.where} must follow a *MATERIAL, NAME=name.")
    return deck.material


def _warn_of_table(deck: Deck, card: Card, line_count: int) -> None:
    if len(card.lines()) > line_count:
        deck.warn(f"{card.where} depends on temperature; only its first line is used.")
