"""What a page shows of a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.view.colours import checked_range, largest_stress
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.exaggerated_motion import pose_shift
from flexmbs.view.extent import motion_bounds, motion_points
from flexmbs.view.key_histories import other_events
from flexmbs.view.look import check_number
from flexmbs.view.page.fields import largest_of, length_of, stress_size
from flexmbs.view.page.histories import LEVELS, checked_names, contact_records, history_records, impacts, phase_legend
from flexmbs.view.page.numbers import series
from flexmbs.view.page.part_records import (
    PageAccuracy,
    PartRecord,
    check_accuracy,
    deforming,
    displacement_terms,
    mark,
    node_numbers,
    part_record,
    poses,
    rgb,
    stored_motion,
    stored_poses,
)
from flexmbs.view.page.quantities import Pressures, add_pressures, checked_pressures, quantity_records, ranges_of
from flexmbs.view.page.scene import STRESSES, camera_on, checked_color, plain_view, scene, upward
from flexmbs.view.page.shapes import Shapes
from flexmbs.view.scene_parts import Link, Part, plane_parts, scene_parts, sphere_parts
from flexmbs.view.slow_motion import FilmTime, digits_of, film_time

MIN_FRAMES, POSES = 100, 2_000_000  # values of poses, above which there are fewer frames
PEAKS = 5  # frames for each of the hardest impacts that has one of its own besides
Records = list[dict[str, Any]]  # of the header
_SAMPLE = 500  # points of a body that say how large its displacement and stress are


@dataclass(frozen=True)
class ResultOptions:
    """Options of the page of a result, as in :func:`flexmbs.view.page.pages.result_page`."""

    color: str | None = None
    scale: float = 1.0
    color_range: tuple[float, float] | None = None
    start: float | None = None
    end: float | None = None
    duration: float = 10.0
    frames: int = 1000
    slow_motion: bool | float = True
    camera: str | Sequence[float] | None = None
    zoom: float = 1.0
    title: str = ""
    histories: Sequence[str] | None = None
    stick_speed: float | None = None
    accuracy: PageAccuracy = PageAccuracy()
    pressures: Pressures | None = None

    def __post_init__(self) -> None:
        check_number("scale", self.scale, "the factor on the deformation")
        check_number("duration", self.duration, "s", positive=True)
        for name in ("start", "end"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), "a time in s")
        check_accuracy(self.accuracy)


def result_scene(result: DrawableResult, options: ResultOptions) -> dict[str, Any]:
    """The scene of a result (docs/web_page.md). The options are checked before the work starts."""
    film, count = checked_frames(result, options)
    stressed, hit = largest_stress(result, film.first, film.last), impacts(result, film.first, film.last)
    hardest = sorted(hit, key=lambda one: -one["force"])[: count // PEAKS]
    here = result.resampled(np.unique([*film.frames(count), *(stressed[1:2] if stressed else ()), *(one["t"] for one in hardest)]))
    low, high = motion_bounds(result.structure, motion_points(result, 1.0, film.first, film.last))
    size = float(np.linalg.norm(high - low)) or 1.0
    marks = _Marks(here)
    listed = scene_parts(result, size)
    every = [*listed.parts, *sphere_parts(result.structure), *plane_parts(result, size)]
    parts = _parts(here, every, marks, options.accuracy)
    moving, pose_error = stored_poses(poses(here), size)
    for part in parts:
        part.entry["errors"]["position"] += pose_error * size
    contacts, force_scale = contact_records(result, here, options.stick_speed, size)
    for one in contacts:
        one["from"] = [marks.index(marker) for marker in one["from"]]
    links = [_link(one, marks) for one in listed.links]
    records, left_out = history_records(result, here, options.histories)
    ranges = ranges_of(parts, len(here.t))
    pressed = add_pressures(here, parts, options.pressures)
    quantities = quantity_records(ranges if pressed is None else ranges | {"pressure": pressed})
    for one in quantities:
        if one["key"] == "von_mises" and stressed:
            one["high"] = stressed[0]  # of the run, not only of its frames as they are stored
            records = [_stress_history(one, options.histories is None), *records]
    shown = options.color or _shown_first(quantities)
    shift, names = pose_shift(here, options.scale), [body.name for body in result.structure.bodies]
    return scene(
        low,
        high,
        names,
        title=options.title,
        subtitle=_subtitle(len(names) - 1, here.t),
        notes=[*filter(None, [result.stats.get("deformation")]), *_notes(parts, left_out)],
        up=upward(result.structure.gravity),
        camera=camera_on(low, high, result.structure.gravity, options.camera, options.zoom),
        time=_time(result, film, here.t, count, hit) | {"opens": _opening(here, shown, quantities, hit, stressed)},
        poses=moving,
        poseShift=None if shift is None else stored_motion(shift),
        scale=options.scale,
        parts=[part.entry for part in parts],
        marks=marks.found,
        links=links,
        contacts=contacts,
        contactPhases=phase_legend(),
        forceScale=force_scale,
        quantities=quantities,
        histories=records,
        view=plain_view(shown, options.color_range),
    )


def checked_frames(result: DrawableResult, options: ResultOptions) -> tuple[FilmTime, int]:
    """:func:`frames_of`, after all other options were checked; FlexmbsError for one that is impossible."""
    bodies = flexible_bodies(result)
    checked_color(options.color, bool(bodies), any(body.has_stress for body in bodies), bool(options.pressures))
    checked_pressures(result, options.pressures)
    if options.color_range is not None:
        checked_range(options.color_range)
    if options.histories is not None:
        checked_names(result, options.histories)
    camera_on(-np.ones(3), np.ones(3), result.structure.gravity, options.camera, options.zoom)
    return frames_of(result, options)


def _time(result: DrawableResult, film: FilmTime, t: np.ndarray, count: int, hit: Records) -> dict[str, Any]:
    even = digits_of((film.last - film.first) / 1000.0)
    return {
        "t": t,
        "film": film.film(t),
        "segments": None,
        "phase": False,
        "impacts": hit,
        "events": [{"t": one.time, "name": one.name, "what": one.what} for one in other_events(result, film.first, film.last)],
        "digits": film.digits(count) if film.stretched else even,
    }


def frames_of(result: DrawableResult, options: ResultOptions) -> tuple[FilmTime, int]:
    """The time of the film, and the number of frames; FlexmbsError for a window that holds nothing of the run."""
    low, high = float(result.t[0]), float(result.t[-1])
    first = low if options.start is None else float(options.start)
    last = high if options.end is None else float(options.end)
    for name, value in (("start", first), ("end", last)):
        if not low <= value <= high:
            raise FlexmbsError(f"{name} {value:g} s is outside the run: {low:g} to {high:g} s")
    if not first < last and low < high:
        raise FlexmbsError(f"nothing lies between start {first:g} s and end {last:g} s; end must be the later one")
    if not (isinstance(options.frames, int | np.integer) and options.frames >= 2):
        raise FlexmbsError(f"frames is {options.frames!r}; it must be a whole number of at least 2")
    most = max(MIN_FRAMES, POSES // (7 * len(result.structure.bodies)))
    return film_time(result, first, last, options.duration, options.slow_motion), min(options.frames, most)


def flexible_bodies(result: DrawableResult) -> list[FlexibleBody]:
    """Bodies that deform."""
    every = [body.flexible for body in result.structure.bodies if body.flexible is not None]
    return [body for body in every if body.mode_count]


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


def _parts(here: DrawableResult, listed: Sequence[Part], marks: _Marks, accuracy: PageAccuracy) -> list[PartRecord]:
    shapes, largest = Shapes(), _largest(here)
    found = []
    for part in listed:
        flexible = part.flexible
        shape = shapes.shape(part.points, part.faces, part.lines, flexible is not None)
        nodes = None if flexible is None else node_numbers(flexible)
        at = None if part.marker is None else marks.index(part.marker)
        record = part_record(
            shape, part.name, part.group, part.body, part.color, mark=at, opacity=part.opacity, flat=part.flat, nodes=nodes
        )
        if flexible is not None and flexible.mode_count:
            q = here.trajectory.q[:, here.structure.bodies[part.body].coordinates]
            deforming(record, flexible, q, accuracy, largest)
        found.append(record)
    return found


def _largest(here: DrawableResult) -> tuple[float, float]:
    """Largest displacement (m) and stress (Pa) of any body, of a sample of its points."""
    moved, stressed = 0.0, 0.0
    for record in here.structure.bodies:
        body = record.flexible
        if body is None or not body.mode_count:
            continue
        q = here.trajectory.q[:, record.coordinates]
        few = slice(None, None, max(1, len(body.surface.points) // _SAMPLE))
        fields, coefficients = displacement_terms(body, q)
        moved = max(moved, largest_of(np.concatenate([part[:, few] for part in fields]), coefficients, length_of))
        if body.has_stress:
            stressed = max(stressed, largest_of(body.surface_stress_modes[:, few], q, stress_size))
    return moved, stressed


def _link(link: Link, marks: _Marks) -> dict[str, Any]:
    kind = "spring" if link.coil else next((kind for kind in ("rod", "damper", "belt") if kind in link.kind), "cable")
    return {
        "name": link.name,
        "group": link.group,
        "kind": kind,
        "color": rgb(link.color),
        "radius": link.radius,
        "marks": [marks.index(marker) for marker in link.markers],
    }


def _subtitle(bodies: int, t: np.ndarray) -> str:
    return f"{bodies} {'body' if bodies == 1 else 'bodies'}; {len(t)} frames from {t[0]:.6g} to {t[-1]:.6g} s"


def _notes(parts: list[PartRecord], left_out: int) -> list[str]:
    found = []
    moved = [part.displacement for part in parts if part.displacement is not None]
    stressed = [part.stress for part in parts if part.stress is not None]
    position = max((part.entry["errors"]["position"] for part in parts), default=0.0)
    found.append(f"Places are within {1e3 * position:.2g} mm.")
    for what, fields, factor, unit in (("Displacement", moved, 1e3, "mm"), ("Stress", stressed, 1e-6, "MPa")):
        if fields:
            error, largest = max(one.error for one in fields), max(one.largest for one in fields)
            share = 100.0 * error / largest if largest else 0.0
            found.append(f"{what} of any node at any frame is within {factor * error:.2g} {unit}: {share:.2g} % of the largest.")
    if moved:
        found.append("Between frames, everything is interpolated linearly.")
    if left_out:
        found.append(f"{left_out} more histories, modal ones among them, are in the result: to_html(histories=[...]), --history.")
    return found


def _stress_history(stress: dict[str, Any], shown: bool) -> dict[str, Any]:
    values = stress["ofFrame"].values()[:, 1]
    record = {"name": "largest von Mises stress", "group": "stress", "unit": stress["unit"], "factor": stress["factor"]}
    return record | {"at": None, "values": series(values, max(float(np.ptp(values)) / LEVELS, 1e-300)), "shown": shown}


def _opening(here: DrawableResult, shown: str, quantities: Records, hit: Records, stressed: tuple[float, float, str] | None) -> int:
    """The frame that a page shows first: of the largest stress, else of the hardest impact, else of the largest value."""
    of_frame = next(one["ofFrame"] for one in quantities if one["key"] == shown)
    if shown in STRESSES and stressed:
        return int(np.argmin(np.abs(here.t - stressed[1])))
    if hit:
        return int(np.argmin(np.abs(here.t - max(hit, key=lambda one: one["force"])["t"])))
    return 0 if of_frame is None else int(np.argmax(np.abs(of_frame.values()).max(axis=1)))


def _shown_first(quantities: Records) -> str:
    keys = [one["key"] for one in quantities if one["high"] > one["low"]]
    return next(key for key in ("von_mises", "displacement", "body") if key in keys)
