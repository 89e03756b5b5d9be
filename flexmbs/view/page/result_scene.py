"""What a page shows of a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmbs.fem.stress_field import von_mises
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.extent import view_direction
from flexmbs.view.page.contact_parts import contact_parts
from flexmbs.view.page.contacts import contact_records, force_scale, impacts, phase_legend
from flexmbs.view.page.fields import displacement_fields, stress_fields
from flexmbs.view.page.histories import history_records
from flexmbs.view.page.motion import mark, poses
from flexmbs.view.page.surfaces import smooth_hidden, triangulated
from flexmbs.view.parts.scene_parts import Part, scene_parts
from flexmbs.view.slow_motion import digits_of, film_time

FILM = 10.0  # s
POSES = 2_000_000  # values of poses, above which there are fewer frames
QUANTITIES = {
    "body": ("Body", "", 1.0), "displacement": ("Displacement", "mm", 1e3),
    "von_mises": ("Von Mises stress", "MPa", 1e-6), "principal_max": ("Largest principal stress", "MPa", 1e-6),
    "principal_min": ("Smallest principal stress", "MPa", 1e-6), "pressure": ("Contact pressure", "MPa", 1e-6),
}  # fmt: skip


def result_scene(
    result: DrawableResult, *, color: str | None = None, scale: float = 1.0, title: str = "", frames: int = 1000,
    histories: Sequence[str] | None = None, stick_speed: float | None = None, slow_motion: bool | float = True,
) -> dict[str, Any]:  # fmt: skip
    """The scene of a result: see docs/web_page.md."""
    first, last = float(result.t[0]), float(result.t[-1])
    film = film_time(result, first, last, FILM, slow_motion)
    count = max(2, min(frames, max(100, POSES // (7 * len(result.structure.bodies)))))
    times = np.unique(film.frames(count))
    here = result.resampled(times)
    moving = poses(here)
    low, high = _bounds(here, moving)
    size = float(np.linalg.norm(high - low)) or 1.0
    shown = scene_parts(result, size)
    all_parts = [*shown.parts, *contact_parts(here, size)]
    marks = _Marks(here)
    parts = [_part(here, part, marks) for part in all_parts]
    contacts = contact_records(result, here, stick_speed)
    for one in contacts:
        one["from"] = [marks.index(marker) for marker in one["from"]]
    links = [_link(link, marks) for link in shown.links]
    records, left_out = history_records(result, here, histories)
    quantities = _quantities(parts)
    direction, up = view_direction(low, high, result.structure.gravity)
    names = [body.name for body in result.structure.bodies]
    return {
        "title": title, "subtitle": f"{len(names) - 1} {'body' if len(names) == 2 else 'bodies'}, {len(times)} frames", "notes": [],
        "up": up.tolist(), "background": None, "camera": camera_on(low, high, direction, up),
        "bounds": {"low": low.tolist(), "high": high.tolist()},
        "time": {
            "t": times, "film": film.film(times), "impacts": impacts(result, first, last), "phase": False,
            "digits": film.digits(count) if film.stretched else digits_of((last - first) / 1000.0),
        },
        "bodies": [{"name": name} for name in names], "poses": moving.astype("f4"), "poseShift": None, "scale": scale,
        "parts": parts, "marks": marks.found, "links": links, "contacts": contacts, "contactPhases": phase_legend(),
        "forceScale": force_scale(contacts, size), "quantities": quantities, "colours": colour_map(),
        "histories": records,
        "view": {"quantity": color or quantities[-1]["key"], "edges": True, "markers": False, "speed": "film"},
    }  # fmt: skip


class _Marks:
    """Markers that something moves with or ends at, each once."""

    def __init__(self, here: DrawableResult) -> None:
        self.here, self.found, self._rows = here, [], {}

    def index(self, marker: int) -> int:
        if marker not in self._rows:
            record = self.here.structure.markers[marker]
            self._rows[marker] = len(self.found)
            self.found.append(mark(self.here, record, f"{record.body}.{record.name}"))
        return self._rows[marker]


def _part(here: DrawableResult, part: Part, marks: _Marks) -> dict[str, Any]:
    triangles = triangulated(part.faces)
    hidden = triangles.hidden
    if part.flexible is None:
        hidden = smooth_hidden(part.points, triangles)
    found: dict[str, Any] = {
        "name": part.name, "group": part.group, "body": part.body,
        "mark": None if part.marker is None else marks.index(part.marker),
        "color": [int(part.color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)], "opacity": part.opacity, "shown": True,
        "points": part.points.astype("f4"), "triangles": triangles.corners.astype("u4"), "hidden": hidden,
        "lines": part.lines.astype("u4"), "flat": part.flat, "nodes": None, "displacement": None, "stress": None,
        "pressure": None, "errors": {"displacement": 0.0, "stress": 0.0},
    }  # fmt: skip
    flexible = part.flexible
    if flexible is not None and flexible.mode_count:
        q = here.trajectory.q[:, here.structure.bodies[part.body].coordinates]
        found["displacement"] = displacement_fields(flexible, q)
        if flexible.has_stress:
            found["stress"] = stress_fields(flexible, q)
        if len(flexible.points) >= len(part.points) and np.array_equal(flexible.points[: len(part.points)], part.points):
            found["nodes"] = flexible.node_ids[: len(part.points)].astype("i4")
    return found


def _link(link, marks: _Marks) -> dict[str, Any]:
    kind = "spring" if link.coil else "rod" if link.kind == "rod" else "cable"
    color = [int(link.color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
    ends = [marks.index(marker) for marker in link.markers]
    return {"name": link.name, "group": link.group, "kind": kind, "color": color, "radius": link.radius, "marks": ends}


def _bounds(here: DrawableResult, moving: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    chosen = np.unique(np.linspace(0, len(here.t) - 1, 120).astype(int))
    run = here.trajectory
    for index, body in enumerate(here.structure.bodies[1:], start=1):
        flexible = body.flexible
        points = flexible.surface.points if flexible is not None else body.shape_points
        if not len(points):
            points = body.center[None]
        corners = np.array(np.meshgrid(*np.stack([points.min(axis=0), points.max(axis=0)], axis=1))).reshape(3, -1).T
        local = points if len(points) < 3000 else corners
        place = run.body_position[chosen, index][:, None] + np.einsum(
            "fij,pj->fpi", run.body_rotation[chosen, index], local
        )
        low, high = np.minimum(low, place.min(axis=(0, 1))), np.maximum(high, place.max(axis=(0, 1)))
    return (low, high) if np.all(np.isfinite(low)) else (-np.ones(3), np.ones(3))


def camera_on(low: np.ndarray, high: np.ndarray, direction: np.ndarray, up: np.ndarray) -> dict[str, Any]:
    """A camera that shows everything between ``low`` and ``high`` (3,) m from a direction (3,), in a wide window."""
    direction = direction / np.linalg.norm(direction)
    right = np.cross(up, direction)
    right /= np.linalg.norm(right)
    upward = np.cross(direction, right)
    center, half = 0.5 * (low + high), 0.5 * (high - low)
    size = float(np.linalg.norm(high - low)) or 1.0
    height = 2.2 * max(float(np.abs(upward) @ half), float(np.abs(right) @ half) / 1.4)
    return {
        "position": (center + 3.0 * size * direction).tolist(), "target": center.tolist(), "up": upward.tolist(),
        "parallelHeight": height,
    }  # fmt: skip


def _quantities(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Quantities that exist, with their range over all frames."""
    ranges: dict[str, tuple[float, float]] = {"body": (0.0, 1.0)}
    for part in parts:
        if part["displacement"] is not None:
            fields = part["displacement"]
            values = np.tensordot(fields["coefficients"][::10], fields["fields"], axes=1)
            largest = float(np.linalg.norm(values, axis=2).max())
            ranges["displacement"] = (0.0, max(ranges.get("displacement", (0.0, 0.0))[1], largest))
        if part["stress"] is not None:
            fields = part["stress"]
            stress = np.tensordot(fields["coefficients"][::10], fields["fields"], axes=1)
            largest = float(von_mises(stress).max())
            largest = max(ranges.get("von_mises", (0.0, 0.0))[1], largest)
            ranges |= {"von_mises": (0.0, largest), "principal_max": (-largest, largest)}
            ranges["principal_min"] = (-largest, largest)
    return quantity_records(ranges)


def quantity_records(ranges: dict[str, tuple[float, float]]) -> list[dict[str, Any]]:
    """Quantities by key with their range, with titles and units; "body" stands first."""
    found = []
    for key, (low, high) in ({"body": (0.0, 1.0)} | ranges).items():
        title, unit, factor = QUANTITIES[key]
        found.append({
            "key": key, "title": title, "unit": unit, "factor": factor, "low": low, "high": high, "ofFrame": None
        })  # fmt: skip
    return found


def colour_map() -> np.ndarray:
    """(256, 3) uint8 of turbo."""
    from matplotlib import colormaps

    return np.round(255.0 * colormaps["turbo"](np.linspace(0.0, 1.0, 256))[:, :3]).astype("u1")
