"""Cards that state materials and their axes; *SYSTEM, the axes of nodes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.coordinate_systems import CoordinateSystem, axes_along
from flexmbs.mesh.properties import AnisotropicMaterial, AnyMaterial, Damping, Material, OrthotropicMaterial, UnusableMaterial
from flexmbs.mesh.readers.abaqus.cards import Card, data_line, first_number, integer, is_integer, is_number, label, number, numbers
from flexmbs.mesh.readers.abaqus.deck import Deck, MaterialDraft
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region
from flexmbs.mesh.readers.abaqus.sets_and_surfaces import Sets

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


def read_property(deck: Deck, card: Card) -> None:
    """*ELASTIC, *DENSITY, *DAMPING; *HYPERELASTIC, *FLUID CONSTANTS, ...: what is no linear elasticity."""
    material = deck.material
    if material is None and card.key == "DAMPING":  # global damping
        deck.skip(card)
    elif material is None:
        raise MeshError(f"{card.where} must follow a *MATERIAL, NAME=name.")
    elif card.key == "ELASTIC":  # made a material when the file is read
        material.elastic = card.detached()
    elif card.key == "DENSITY":
        line = data_line(card, 0, "the density")
        material.density = first_number(card, line, f"the density of material {material.name}", "not be negative")
        _warn_of_table(deck, card, 1)
        if material.density == 0.0:
            deck.warn(f"{card.at(line)}: the density of material {material.name} is zero: its elements have no mass.")
    elif card.key == "DAMPING":
        _read_damping(deck, material, card)
    else:
        material.unusable = f"it has {card.title} (line {card.line.number})"
        deck.skip(card)


def _read_damping(deck: Deck, material: MaterialDraft, card: Card) -> None:
    for name in ("ALPHA", "BETA", "STRUCTURAL"):
        if card.has(name) and card.option(name) in ("TABULAR", ""):
            deck.skip(card, f"{name} as a table")
        elif card.has(name):
            value = number(card.text(name), card.where, name)
            material.damping = replace(material.damping, **{name.lower(): value})


def made_material(deck: Deck, draft: MaterialDraft) -> AnyMaterial:
    """The material of a draft. Raises MeshError for constants that are not physical."""
    card = draft.elastic
    name = card.option("TYPE", "ISOTROPIC") if card else ""
    kind = name[:3]
    if card is None or kind not in _TYPES:
        reason = f"{draft.line.where}: *MATERIAL {draft.name} cannot be used: {draft.unusable or 'it has no elasticity'}"
        if card:
            reason = f"{card.where}: material {draft.name} has elasticity of TYPE={name}, which is not supported"
        return UnusableMaterial(draft.name, f"{reason}; add *ELASTIC with E and nu.", draft.density, draft.line.where)
    constants, needed = _TYPES[kind]
    line_count = (len(constants) + 7) // 8
    where = card.at(data_line(card, 0, ", ".join(constants[:3]) + (", ..." if len(constants) > 3 else "")))
    values = numbers(card, card.lines()[:line_count], "an elastic constant")
    if len(values) < needed:
        raise MeshError(f"{where}: TYPE={name} needs {needed} constants ({', '.join(constants)}), got {len(values)}.")
    _warn_of_table(deck, card, line_count)
    given = dict(zip(constants, [*values, *[0.0] * len(constants)], strict=False))
    damping = None if draft.damping == Damping() else draft.damping
    common = {"density": draft.density, "damping": damping, "where": draft.line.where}
    if kind == "ISO":
        if not given["E"] > 0.0 or not -1.0 < given["nu"] < 0.5:
            found = f"E = {given['E']:g} and nu = {given['nu']:g}"
            raise MeshError(f"{where}: material {draft.name} has {found}; E > 0 and -1 < nu < 0.5 are required.")
        return Material(draft.name, given["E"], given["nu"], **common)
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
    for (row, column), constant in zip(places, given.values(), strict=True):
        stiffness[row, column] = stiffness[column, row] = constant
    return AnisotropicMaterial(name, stiffness[np.ix_(_ORDER, _ORDER)], **common)


def _warn_of_table(deck: Deck, card: Card, line_count: int) -> None:
    if len(card.lines()) > line_count:
        deck.warn(f"{card.where} depends on temperature; only its first line is used.")


def read_system(deck: Deck, card: Card) -> None:
    """*SYSTEM: origin, point on x; point in the x-y plane. Nodes that follow are in these axes; no data: global."""
    values = numbers(card, card.lines(), "a coordinate")
    if len(values) not in (0, 3, 6, 9):
        raise MeshError(f"{card.where} needs 3, 6 or 9 coordinates (points a, b, c), got {len(values)}.")
    a, b, c = np.array([*values, *[0.0] * 9][:9]).reshape(3, 3)
    x, in_plane = b - a, c - a
    if len(values) == 6:  # without a third point the z axis stays, and x is turned in the x-y plane only
        x = x * (1.0, 1.0, 0.0)
        in_plane = np.cross((0.0, 0.0, 1.0), x)
    axes = axes_along(x, in_plane, [card.where]) if len(values) > 3 else np.eye(3)
    deck.scope.system = CoordinateSystem("", "rectangular", a, axes) if values else None


def keep(deck: Deck, card: Card) -> None:
    """*ORIENTATION, *DISTRIBUTION, NAME=name: kept until the nodes and elements that they may name are known."""
    kept = deck.scope.orientations if card.key == "ORIENTATION" else deck.scope.distributions
    kept[card.required_name("NAME")] = card.detached()


@dataclass(frozen=True)
class Orientation:
    """Material directions: those of a system, turned by ``angle`` (rad) about its axis ``about`` (0 to 2)."""

    system: CoordinateSystem
    about: int
    angle: float
    serials: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # (k,), rising: elements with their own axes
    axes: np.ndarray = field(default_factory=lambda: np.empty((0, 3, 3)))  # (k, 3, 3), columns, in place of the system's

    def solid_axes(self, at: np.ndarray, serials: np.ndarray | None = None) -> np.ndarray:
        """(n, 3, 3): columns are the directions 1, 2, 3 at points (n, 3), of elements with these serial numbers."""
        local = self.system.directions(at)
        if serials is not None and len(self.serials):
            place = np.minimum(np.searchsorted(self.serials, serials), len(self.serials) - 1)
            own = self.serials[place] == serials
            local[own] = self.axes[place[own]]
        if self.system.kind == "spherical":  # the format's order is radial, circumferential, towards the pole
            local = np.stack([local[:, :, 0], local[:, :, 2], -local[:, :, 1]], axis=2)
        first, second = (self.about + 1) % 3, (self.about + 2) % 3
        turned = local.copy()
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        turned[:, :, first] = cos * local[:, :, first] + sin * local[:, :, second]
        turned[:, :, second] = cos * local[:, :, second] - sin * local[:, :, first]
        return turned

    def shell_axes(self, at: np.ndarray, serials: np.ndarray | None = None) -> np.ndarray:
        """As ``solid_axes`` in the order for shells: the axis ``about`` is near the normal and comes third."""
        return self.solid_axes(at, serials)[:, :, [(self.about + 1) % 3, (self.about + 2) % 3, self.about]]

    def rectangular_axes(self, where: str) -> np.ndarray:
        """(3, 3) directions that are the same everywhere; MeshError starting with ``where`` when they are not."""
        if self.system.kind != "rectangular":
            raise MeshError(f"{where}: its orientation must be rectangular.")
        return self.solid_axes(np.zeros((1, 3)))[0]


def find_orientation(model: Model, region: Region, name: str, where: str, needed: bool = True) -> Orientation | None:
    """An *ORIENTATION by its name, in mesh axes; MeshError when it is not defined, or ``needed`` and not readable."""
    places = (model.place_of(r, name, lambda r, n: n in r.scope.orientations) for r in (region, model.root))
    place = next(filter(None, places), None)
    if place is None:
        raise MeshError(f"{where} names the orientation {name}; {near_names(name, region.scope.orientations)}")
    holder, own = place
    card = holder.scope.orientations[own]
    # Of other forms there are user subroutines, offsets to nodes, distributions of anything but points.
    made = _by_points(model, holder, card) or _by_elements(model, holder, card)
    if made is None:
        if needed:
            raise MeshError(f"{card.where} {name} is used in {where}, but its form is not supported; give the points a and b.")
        model.deck.skip(card, "its form is not read")
        return None
    turn, shift = region.scope.placement.rotation, region.scope.placement.translation
    system = replace(made.system, origin=turn @ made.system.origin + shift, axes=turn @ made.system.axes)
    return replace(made, system=system, axes=turn @ made.axes)


def _by_points(model: Model, holder: Region, card: Card) -> Orientation | None:
    """An orientation by its points, in the axes of the part; None for other forms (user subroutine, distribution, ...)."""
    line = data_line(card, 0, "the points a and b")
    where = card.at(line)
    definition = card.option("DEFINITION", "COORDINATES")
    if card.option("SYSTEM") == "USER" or definition not in ("COORDINATES", "NODES") or not all(map(is_number, line.fields())):
        return None
    if definition == "NODES":
        nodes = [integer(entry, where, "a node number") for entry in line.fields()]
        found = holder.nodes.find(np.array(nodes, np.int64))
        if (found < 0).any():
            raise MeshError(f"{where}: there is no node {nodes[int(np.argmin(found))]}.")
        placement = holder.scope.placement  # of which the points are brought back into the axes of the part
        values = ((model.points[found] - placement.translation) @ placement.rotation).ravel().tolist()
    else:
        values = numbers(card, line, "a coordinate")
    if len(values) < 6:
        raise MeshError(f"{where}: needs the points a and b (6 coordinates), got {len(values)} numbers.")
    return Orientation(system_of(card.name("NAME"), card.option("SYSTEM", "R"), values, where), *_additional_rotation(card))


def _by_elements(model: Model, holder: Region, card: Card) -> Orientation | None:
    """An orientation by a distribution of points a and b, in the axes of the part; None when it is something else."""
    name = label(card.lines()[0].text.strip(","))
    given = next((r.scope.distributions[name] for r in (holder, model.root) if name in r.scope.distributions), None)
    if given is None or card.option("SYSTEM", "RECTANGULAR") != "RECTANGULAR" or given.option("LOCATION", "ELEMENT") != "ELEMENT":
        return None
    lines, sets = given.lines(), Sets(model)
    if not lines:
        raise MeshError(f"{given.where} needs data lines with an element and its points a and b.")
    points, default, absent = np.zeros((len(lines), 9)), -1, []
    serials, rows = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for row, line in enumerate(lines):
        where, (first, *texts) = given.at(line), line.fields() or [""]
        values = [number(text, where, "a coordinate") for text in texts]
        if len(values) not in (5, 6, 8, 9):  # a last zero may be left blank
            raise MeshError(f"{where}: an element and its points a and b (6 coordinates) are needed.")
        points[row, : len(values)] = values
        if not first:  # of elements that are not listed
            default = row
            continue
        own = sets.find(holder, label(first)) if is_integer(first) else sets.named(holder, label(first), where)
        absent += [where] if own is None else []
        serials.append(serials[0] if own is None else own)
        rows.append(np.full(len(serials[-1]), row))
    if absent:
        model.deck.warn(f"{absent[0]}: {len(absent)} elements that do not exist are left out (first here).")
    axes = axes_along(points[:, :3] - points[:, 6:], points[:, 3:6] - points[:, 6:], [given.at(line) for line in lines])
    listed, last = np.unique(np.concatenate(serials)[::-1], return_index=True)  # the last line of an element counts
    system = CoordinateSystem(card.name("NAME"), "rectangular", np.zeros(3), np.eye(3) if default < 0 else axes[default])
    return Orientation(system, *_additional_rotation(card), listed, axes[np.concatenate(rows)[::-1][last]])


def _additional_rotation(card: Card) -> tuple[int, float]:
    """Axis (0 to 2) and angle (rad) of the second data line of an *ORIENTATION."""
    lines = card.lines()
    if len(lines) < 2 or not all(map(is_number, lines[1].entries(2))):
        return 0, 0.0
    (axis, angle), where = lines[1].entries(2), card.at(lines[1])
    about = integer(axis or "1", where, "the axis of the additional rotation")
    if about not in (1, 2, 3):
        raise MeshError(f"{where}: the axis of the additional rotation must be 1, 2 or 3, got {about}.")
    return about - 1, np.radians(number(angle, where, "the additional rotation"))


def system_of(name: str, kind: str, values: list[float], where: str) -> CoordinateSystem:
    """System from points a, b (and origin c): rectangular (a on x, b in x-y); cylindrical, spherical (axis a-b)."""
    a, b, c = np.array([*values, 0.0, 0.0, 0.0][:9]).reshape(3, 3)
    if kind.startswith(("C", "S")):
        z = b - a
        x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
        axes = axes_along(x, np.cross(z, x), [where])
        return CoordinateSystem(name, "cylindrical" if kind[0] == "C" else "spherical", a, axes)
    if not kind.startswith(("R", "Z")):
        raise MeshError(f"{where}: SYSTEM={kind} is unknown; known are RECTANGULAR, Z RECTANGULAR, CYLINDRICAL and SPHERICAL.")
    axes = axes_along(a - c, b - c, [where])
    if kind.startswith("Z"):  # a on z, b in x-z
        x, z = axes[:, 1], axes[:, 0]
        axes = np.column_stack([x, np.cross(z, x), z])
    return CoordinateSystem(name, "rectangular", c, axes)
