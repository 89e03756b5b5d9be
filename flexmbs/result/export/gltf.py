"""Animated glTF files (.glb): bodies move as nodes, flexible ones deform by at most eight fitted shapes, links stretch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import FlexmbsError, ResultWarning
from flexmbs.common.progress import on_progress, stage
from flexmbs.common.user_warnings import warn
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.recovery import superpose
from flexmbs.result.export.checks import SIZE_LIMIT, check_size, checked_path, chosen_bodies, chosen_times, ready_folder
from flexmbs.result.export.glb import Glb, quaternions, upright
from flexmbs.result.export.parts import Motion, exported_parts, mechanism_size
from flexmbs.view.scene_parts import GROUPS, Link, Part, scene_parts
from flexmbs.view.solids import Solid, axes_along, coil, cylinder, tube

MAX_SHAPES = 8  # that viewers blend
POOR = 0.99  # of the squares of the displacements; less is warned of
_PLAYED = (1.0, 60.0)  # s, runs of such a length are played in real time
_OTHERWISE = 10.0  # s
_WIRE = 0.16  # radius of the wire of a coil, relative to that of the coil
_POINTS = 4096  # at a time, to limit memory


@dataclass(frozen=True)
class GltfReport:
    """What was written.

    Attributes
    ----------
    path : of the file; size : bytes
    duration : s, of the animation; speed : seconds of the run in a second of it
    captured : of each flexible body by name: share (0 to 1) of the squares of all displacements that its shapes hold
    largest_error : of each flexible body by name: m, largest displacement that they miss
    largest : of each flexible body by name: m, its largest displacement by deformation
    shape_count : of each flexible body by name
    """

    path: Path
    size: int
    duration: float
    speed: float
    captured: Mapping[str, float]
    largest_error: Mapping[str, float]
    largest: Mapping[str, float]
    shape_count: Mapping[str, int]

    def __str__(self) -> str:
        said = [f"{self.path}: {self.size / 1e6:.3g} MB, {self.duration:g} s at {self.speed:.3g} of real time"]
        for name, share in self.captured.items():
            missing, error = max(1.0 - share, 0.0), 1e3 * self.largest_error[name]
            said.append(
                f"'{name}': {self.shape_count[name]} shapes hold all but {missing:.2g} of its deformation (squares); "
                f"largest error {error:.3g} of {1e3 * self.largest[name]:.3g} mm"
            )
        return "; ".join(said)


@on_progress()
def to_gltf(
    self: Any,
    path: str | Path,
    *,
    times: int | ArrayLike | None = 200,
    start: float | None = None,
    end: float | None = None,
    bodies: str | Sequence[str] | None = None,
    shapes: int = 8,
    duration: float | None = None,
    force: bool = False,
    size_limit: float | None = SIZE_LIMIT,
) -> GltfReport:
    """Write an animated glTF file (.glb) for Blender, PowerPoint, viewers: print what it returns.

    Bodies move as nodes; a flexible one deforms by ``shapes`` (at most 8) morph targets fitted to its deformation
    in this part of the run: ``report.captured`` says which share they hold; ResultWarning below 99 %.

    Parameters
    ----------
    times, start, end, bodies, force, size_limit : as in :meth:`to_vtkhdf`
    duration : s, of the animation; None: as long as the part if it takes 1 to 60 s, else 10 s
    """
    structure = self.structure
    drawn = (part.name for part in (*structure.bodies, *structure.markers, *structure.links))
    path = checked_path(path, (".glb",), force, drawn)
    if isinstance(shapes, bool) or shapes != int(shapes) or not 0 <= shapes <= MAX_SHAPES:
        raise FlexmbsError(f"shapes is {shapes!r}; it must be a whole number from 0 (rigid) to {MAX_SHAPES}")
    if duration is not None and not (np.isfinite(duration) and duration > 0.0):
        raise FlexmbsError(f"duration is {duration!r}; it must be a number of seconds above 0")
    chosen = chosen_times(self.t, times, start, end)
    parts = exported_parts(self, chosen_bodies(structure, bodies), GROUPS)
    if not parts:
        raise FlexmbsError(f"{path}: the chosen bodies have no surfaces to write")
    points = sum(len(part.points) * (48 if part.flexible is None else 48 + 12 * shapes) for part in parts)
    size = points + len(parts) * len(chosen) * (28.0 + 4.0 * shapes)
    check_size(path, size, size_limit, f"take fewer than {len(chosen)} times, some of the bodies or fewer than {shapes} shapes")
    ready_folder(path)
    span = float(chosen[-1] - chosen[0])
    if duration is None:
        duration = span if _PLAYED[0] <= span <= _PLAYED[1] or span == 0.0 else _OTHERWISE
    motion = Motion(self, chosen)
    film, fitted = _Film(chosen, float(duration)), {}
    for number, part in enumerate(parts):
        stage("shapes", number, len(parts))
        if part.flexible is not None and shapes:
            fitted[part.name] = fitted_shapes(part.flexible, motion.modal(part.body), int(shapes))
        film.add_part(part, motion, fitted.get(part.name) if part.flexible is not None else None)
    for link in _stretched_links(self, motion) if bodies is None else ():
        film.add_link(*link)
    captured = {name: found.captured for name, found in fitted.items()}
    speed = span / duration if duration else 1.0
    document = film.finished(structure.gravity, {"seconds_of_run_per_second": speed, "captured_share_of_deformation": captured})
    with replacing_in_folder(path) as temporary, open(temporary, "xb") as file:
        document.write(file)
    said = f"{path}: {shapes} shapes hold only {{:.3g}} % of the deformation of '{{}}' (squares of displacements)"
    warn([said.format(100 * share, name) for name, share in captured.items() if share < POOR], ResultWarning)
    errors, largest = ({name: getattr(f, key) for name, f in fitted.items()} for key in ("largest_error", "largest"))
    counts = {name: len(found.shapes) for name, found in fitted.items()}
    return GltfReport(path, path.stat().st_size, duration, speed, captured, errors, largest, counts)


class _Film:
    """A document with nodes that move at times ``t`` (k,) s, played within ``duration`` s."""

    def __init__(self, t: np.ndarray, duration: float) -> None:
        self._glb, self._t = Glb(), t
        self._nodes: list[int] = []
        self._channels: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []
        self._time = self._glb.add_array((t - t[0]) * (duration / float(t[-1] - t[0])), bounds=True) if len(t) > 1 else -1

    def add_part(self, part: Part, motion: Motion, fitted: FittedShapes | None) -> None:
        """A part as a node, with the shapes that deform it."""
        place, turn = motion.frames(part.body, part.marker)
        tracks = {"translation": place, "rotation": quaternions(turn)}
        shapes = None
        if fitted is not None and len(fitted.shapes):
            shapes, tracks["weights"] = fitted.shapes, fitted.weights
        mesh = self._glb.add_mesh(part.name, part.points, part.faces, part.color, part.opacity, shapes)
        self._add(part.name, mesh, tracks)

    def add_link(self, link: Link, solid: Solid, place: np.ndarray, turn: np.ndarray, scale: np.ndarray) -> None:
        """A link: a solid from z = 0 to z = 1 m, placed (k, 3), turned (k, 3, 3) and stretched (k, 3)."""
        mesh = self._glb.add_mesh(link.kind, solid.points, solid.faces, link.color, 1.0)
        self._add(link.name, mesh, {"translation": place, "rotation": quaternions(turn), "scale": scale})

    def _add(self, name: str, mesh: int, tracks: Mapping[str, np.ndarray]) -> None:
        node = self._glb.add("nodes", {"name": name, "mesh": mesh, **{kind: track[0].tolist() for kind, track in tracks.items()}})
        self._nodes.append(node)
        for kind, values in tracks.items():
            if len(self._t) > 1 and np.ptp(values, axis=0).max() > 0.0:
                output = self._glb.add_array(values.ravel() if kind == "weights" else values)
                self._samplers.append({"input": self._time, "output": output, "interpolation": "LINEAR"})
                self._channels.append({"sampler": len(self._samplers) - 1, "target": {"node": node, "path": kind}})

    def finished(self, gravity: np.ndarray, extras: Mapping[str, Any]) -> Glb:
        """The document in a world that stands upright; without an animation if nothing moves."""
        glb, t = self._glb, self._t
        root = glb.add("nodes", {"name": "world", "children": self._nodes, "rotation": upright(gravity)})
        glb.document["scenes"], glb.document["scene"] = [{"name": "flexmbs", "nodes": [root]}], 0
        glb.document["asset"]["extras"] = extras
        if self._channels:
            name = f"t = {t[0]:g} to {t[-1]:g} s"
            glb.add("animations", {"name": name, "channels": self._channels, "samplers": self._samplers})
        return glb


def _stretched_links(result: Any, motion: Motion) -> Iterator[tuple[Link, Solid, np.ndarray, np.ndarray, np.ndarray]]:
    """Springs, rods and cables as :meth:`_Film.add_link` takes them; a cable is one between each two of its markers."""
    for link in scene_parts(result, mechanism_size(result)).links:
        ends = [motion.frames(result.structure.body_index(result.structure.markers[m].body), m)[0] for m in link.markers]
        for first, last in zip(ends, ends[1:], strict=False):
            lengths = np.linalg.norm(last - first, axis=1)
            if lengths.max(initial=0.0) > 0.0:
                up, turns = np.array([0.0, 0.0, 1.0]), []
                for span, length in zip(last - first, lengths, strict=True):
                    up = span / length if length > 0.0 else up
                    turns.append(axes_along(up))
                scale = np.ones((len(lengths), 3))
                scale[:, 2] = np.maximum(lengths, 1e-9)
                yield link, _of_unit_length(link, float(lengths[0]) or 1.0), first, np.array(turns), scale


def _of_unit_length(link: Link, length: float) -> Solid:
    """The link at ``length`` m, its z divided by the length."""
    if not link.coil:
        return cylinder(np.zeros(3), np.array([0.0, 0.0, 1.0]), link.radius, sides=12)
    solid = tube(coil(np.zeros(3), np.array([0.0, 0.0, length]), link.radius), _WIRE * link.radius, sides=6)
    return solid._replace(points=solid.points / [1.0, 1.0, length])


@dataclass(frozen=True, eq=False)
class FittedShapes:
    """Deformation u(t) of m points as sum_r weights_r(t) shapes_r.

    Attributes
    ----------
    shapes : (r, m, 3) m, each with a largest displacement of 1 m or 0
    weights : (k, r)
    captured : share of the sum of squares of all displacements at all times, 0 to 1
    largest_error, largest : m, largest displacement that is missing, and largest one
    """

    shapes: np.ndarray
    weights: np.ndarray
    captured: float
    largest_error: float
    largest: float


def fitted_shapes(body: FlexibleBody, q: np.ndarray, count: int) -> FittedShapes:
    """At most ``count`` shapes of the surface of a body for its states q (k, n); fewer where fewer reach rounding."""
    surface, parts = body.surface, range(0, len(body.surface.points), _POINTS)

    def moved(first: int) -> np.ndarray:
        part = slice(first, first + _POINTS)
        return superpose(body, surface.modes[:, part], surface.quadratic[:, part], q).reshape(len(q), -1)

    gram = sum((u @ u.T for u in map(moved, parts)), np.zeros((len(q), len(q))))
    values, vectors = np.linalg.eigh(gram)
    order = np.argsort(-values)[:count]
    order = order[values[order] > 1e-12 * max(float(values.max(initial=0.0)), 1e-300)]
    weights = vectors[:, order]
    shapes = np.concatenate([(weights.T @ moved(first)).reshape(len(order), -1, 3) for first in parts], axis=1)
    error = largest = missing = total = 0.0
    for first in parts:
        u, fitted = moved(first), (weights @ shapes[:, first : first + _POINTS].reshape(len(order), -1))
        missing, total = missing + float(np.sum((u - fitted) ** 2)), total + float(np.sum(u**2))
        error, largest = max(error, _longest(u - fitted)), max(largest, _longest(u))
    size = np.linalg.norm(shapes, axis=2).max(axis=1, initial=0.0)
    size = np.where(size > 0.0, size, 1.0)
    captured = 1.0 - missing / total if total > 0.0 else 1.0
    return FittedShapes(shapes / size[:, None, None], weights * size, captured, error, largest)


def _longest(flat: np.ndarray) -> float:
    return float(np.linalg.norm(flat.reshape(len(flat), -1, 3), axis=2).max(initial=0.0))
