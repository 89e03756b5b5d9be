"""Parts and marks of a page: their shapes, how they move and deform over the run, and how that is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.mechanism.geometry.euler_angles import quaternions
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.recovery import marker_displacement, superpose
from flexmbs.view.drawable import DrawableMarker, DrawableResult
from flexmbs.view.page.fields import RunField, length_of, run_field, single_fields, stress_size
from flexmbs.view.page.numbers import MOST, Quantised, series, whole
from flexmbs.view.page.shapes import Shape

FINEST, COARSEST = 1e-5, 0.1  # accuracies that may be asked for


@dataclass(frozen=True)
class PageAccuracy:
    """Errors relative to the largest displacement and stress of the body, or of all bodies times ``beside``."""

    displacement: float = 5e-4
    stress: float = 2.5e-3
    beside: float = 0.02

    def __post_init__(self) -> None:
        for name in ("displacement", "stress"):
            value = getattr(self, name)
            if not FINEST <= value <= COARSEST:
                raise FlexmbsError(f"accuracy: {name} is {value!r}; it must be from {FINEST:g} to {COARSEST:g}")


def check_accuracy(given: object) -> None:
    """FlexmbsError unless it is a :class:`PageAccuracy`."""
    if not isinstance(given, PageAccuracy):
        raise FlexmbsError(f"accuracy is {given!r}; it must be a PageAccuracy, such as fm.PageAccuracy(stress=1e-3)")


@dataclass(eq=False)
class PartRecord:
    """A part as the page has it, and what was measured while it was made.

    Attributes
    ----------
    entry : of the header, without what is as in ``flexmbs.plainPart`` of ``web/decode.js``
    shape : its surface as stored
    displacement, stress : over the run, or None
    """

    entry: dict[str, Any]
    shape: Shape
    displacement: RunField | None = None
    stress: RunField | None = None


def part_record(
    shape: Shape, name: str, group: str, body: int, color: str, nodes: np.ndarray | None = None, **other: Any
) -> PartRecord:
    """A part that does not deform. ``color``: "#rrggbb"; ``nodes``: their numbers; ``other``: mark, opacity, flat, shown."""
    plain = {"mark": None, "opacity": 1.0, "flat": True, "shown": True}
    entry: dict[str, Any] = {
        "name": name,
        "group": group,
        "body": body,
        "color": rgb(color),
        "points": shape.points,
        "triangles": shape.triangles,
        **{key: value for key, value in other.items() if value != plain[key]},
    }
    if nodes is not None and nodes.max(initial=0) < MOST:  # larger ones are not shown
        entry["nodes"] = whole(nodes)
    if shape.hidden is not None:
        entry["hidden"] = shape.hidden
    if len(shape.lines):
        entry["lines"] = shape.lines.astype("u4")
    entry["errors"] = {"position": shape.error, "displacement": 0.0, "stress": 0.0}
    return PartRecord(entry, shape)


def deforming(part: PartRecord, body: FlexibleBody, q: np.ndarray, accuracy: PageAccuracy, largest: tuple[float, float]) -> None:
    """Add displacement and stress at the modal coordinates q (nf, n) of all frames.

    ``largest`` displacement (m) and stress (Pa) of all bodies: what is small beside it may be less accurate.
    """
    fields, coefficients = displacement_terms(body, q)

    def tolerance(relative: float, of_all: float):
        return lambda own: relative * max(own, accuracy.beside * of_all)

    moved = run_field(fields, coefficients, tolerance(accuracy.displacement, largest[0]), length_of)
    if not moved.count:
        return
    stressed = None
    if body.has_stress:
        stressed = run_field([body.surface_stress_modes], q, tolerance(accuracy.stress, largest[1]), stress_size)
    _add_fields(part, moved, stressed)


def in_modes(part: PartRecord, body: FlexibleBody, amplitudes: np.ndarray, q: np.ndarray, accuracy: PageAccuracy) -> None:
    """Add displacement and stress of modes that are shown one at a time; q (nf, n), each up to its amplitude."""
    moved = single_fields(body.surface.modes, amplitudes, q, accuracy.displacement, length_of)
    stressed = None
    if body.has_stress:
        stressed = single_fields(body.surface_stress_modes, amplitudes, q, accuracy.stress, stress_size)
    _add_fields(part, moved, stressed)


def _add_fields(part: PartRecord, moved: RunField, stressed: RunField | None) -> None:
    part.displacement, part.stress = moved, stressed
    for name, found in (("displacement", moved), ("stress", stressed)):
        if found is not None:
            part.entry[name] = {"count": found.count, "fields": found.fields, "coefficients": found.coefficients}
            part.entry["errors"][name] = found.error


def displacement_terms(body: FlexibleBody, q: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    """Parts of fields (m, np, 3) m at the surface and coefficients (nf, m) whose products are the displacement."""
    if not len(body.pairs):
        return [body.surface.modes], q
    return [body.surface.modes, body.surface.quadratic], np.concatenate([q, body.quadratic_coordinates(q)], axis=1)


def node_numbers(body: FlexibleBody) -> np.ndarray | None:
    """Numbers of the nodes in the mesh, at the points of the surface; None where these are no nodes (sections of beams)."""
    points = body.surface.points
    if len(body.points) < len(points) or not np.array_equal(body.points[: len(points)], points):
        return None
    return body.node_ids[: len(points)]


def rgb(color: str) -> list[float]:
    """Parts 0 to 1 of a colour "#rrggbb"."""
    return [round(int(color[k : k + 2], 16) / 255.0, 4) for k in (1, 3, 5)]


PLACES, TURNS = 2e-6, 2.0**-20  # steps of positions, relative to the size of the motion, and of quaternions
COARSER = 8.0  # steps where there are so many poses that their size counts
MANY = 500_000  # values
SHIFTS = 2e-4  # steps of what exaggerates or deforms, relative to its largest value


def stored_poses(found: np.ndarray, size: float) -> tuple[Quantised, float]:
    """Poses (nf, nb, 7) as stored, for a motion of ``size`` (m), and their largest error as a part of ``size``."""
    coarser = COARSER if found.size > MANY else 1.0
    steps = np.tile(coarser * np.array([PLACES * size] * 3 + [TURNS] * 4), found.shape[1])
    return series(found.reshape(len(found), -1), steps), coarser * (np.sqrt(3.0) * 0.5 * PLACES + 2.0 * TURNS)


def stored_motion(values: np.ndarray) -> Quantised:
    """(nf, ..., 6) translations and turns: each to a part of the largest of its kind."""
    table = values.reshape(len(values), -1, 6)
    steps = [SHIFTS * float(np.abs(part).max(initial=0.0)) or 1.0 for part in (table[..., :3], table[..., 3:])]
    return series(table.reshape(len(values), -1), np.tile(np.repeat(steps, 3), table.shape[1]))


def poses(here: DrawableResult) -> np.ndarray:
    """(nf, nb, 7) x, y, z (m) and unit quaternions w, x, y, z of all bodies, without jumps of sign."""
    run = here.trajectory
    frames, bodies = run.body_position.shape[:2]
    turns = quaternions(run.body_rotation.reshape(-1, 3, 3)).reshape(frames, bodies, 4)
    flips = np.einsum("fbi,fbi->fb", turns[1:], turns[:-1]) < 0.0
    signs = np.cumprod(np.concatenate([np.ones((1, bodies)), np.where(flips, -1.0, 1.0)]), axis=0)
    return np.concatenate([run.body_position, signs[..., None] * turns], axis=2)


def mark(here: DrawableResult, marker: DrawableMarker, name: str) -> dict[str, Any]:
    """A marker: its place in the undeformed body, and how the modes move it at the times of ``here``."""
    structure = here.structure
    body = structure.bodies[structure.body_index(marker.body)]
    found: dict[str, Any] = {
        "name": name,
        "body": structure.body_index(marker.body),
        "place": _rounded(_place(marker)),
        "axes": _rounded(marker.rotation),
        "moves": None,
    }
    if body.flexible is not None and marker.fields is not None:
        q = here.trajectory.q[:, body.coordinates]
        shift = marker_displacement(body.flexible, marker.fields, q)
        turn = superpose(body.flexible, marker.fields.Psi, marker.fields.Zr, q)
        found["moves"] = stored_motion(np.concatenate([shift, turn], axis=1))
    return found


def _place(marker: DrawableMarker) -> np.ndarray:
    return np.asarray(marker.position if marker.fields is None else marker.fields.position, dtype=float)


def _rounded(values: np.ndarray) -> list[float]:
    """Nine digits: the header is text."""
    return [float(f"{value:.9g}") for value in np.asarray(values, dtype=float).ravel()]
