"""What the cards of an Abaqus/CalculiX file have said so far, by the numbers and names of the file."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from flexmbs.errors import MeshError
from flexmbs.mesh.abaqus.lines import Line
from flexmbs.mesh.mesh import BeamSection, Material


@dataclass
class ElementGroup:
    """The elements of one *ELEMENT card; ``kind`` is None for geometry-only types that carry no mechanics."""

    kind: str | None
    type_name: str
    line: Line
    ids: list[int] = field(default_factory=list)
    nodes: list[list[int]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)


@dataclass
class SetItem:
    """A part of a set: numbers, or the name of another set (resolved when the whole file is known)."""

    line: Line
    numbers: range | list[int] = ()
    set_name: str | None = None
    of_elements: bool = False  # *NSET, ELSET=...: the nodes of an element set


@dataclass
class MaterialDraft:
    """A *MATERIAL card while its own cards are being read."""

    name: str
    line: Line
    youngs_modulus: float | None = None
    poisson_ratio: float = 0.0
    density: float | None = None


@dataclass
class SectionCard:
    """A section card: which element set has which material (by name, or given in place) and beam section."""

    line: Line
    keyword: str
    element_set: str
    material_name: str | None = None
    material: Material | None = None
    beam_section: BeamSection | None = None


@dataclass
class Deck:
    """Everything read; filled by the card handlers, turned into a Mesh by ``build``."""

    nodes: dict[int, tuple[float, float, float]] = field(default_factory=dict)
    groups: list[ElementGroup] = field(default_factory=list)
    node_sets: dict[str, list[SetItem]] = field(default_factory=lambda: defaultdict(list))
    element_sets: dict[str, list[SetItem]] = field(default_factory=lambda: defaultdict(list))
    materials: dict[str, MaterialDraft] = field(default_factory=dict)
    current_material: MaterialDraft | None = None
    sections: list[SectionCard] = field(default_factory=list)
    parts: list[Line] = field(default_factory=list)
    instances: list[Line] = field(default_factory=list)
    skipped: dict[str, list[Line]] = field(default_factory=lambda: defaultdict(list))
    warnings: list[str] = field(default_factory=list)


def integer(text: str, line: Line, what: str) -> int:
    """A whole number from a data line, or a MeshError that names the line."""
    try:
        return int(text)
    except ValueError:
        raise MeshError(f"{line.where}: {what} must be a whole number, got '{text}'.") from None


def number(text: str, line: Line, what: str) -> float:
    """A real number from a data line (Fortran's d exponents too), or a MeshError that names the line."""
    try:
        return float(text or 0.0)
    except ValueError:
        pass
    try:
        return float(text.lower().replace("d", "e"))
    except ValueError:
        raise MeshError(f"{line.where}: {what} must be a number, got '{text}'.") from None
