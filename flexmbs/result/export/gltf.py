"""Animated glTF files (.glb): bodies move as nodes, flexible ones deform by at most eight fitted shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import FlexmbsError, ResultWarning
from flexmbs.common.progress import stage
from flexmbs.common.user_warnings import warn
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.modal_fields import superpose
from flexmbs.result.export.checks import check_size, checked_path, chosen_bodies, chosen_times, ready_folder
from flexmbs.result.export.glb import Glb
from flexmbs.result.export.gltf_links import Stretched, stretched_links
from flexmbs.result.export.gltf_meshes import MeshStore, quaternions, upright
from flexmbs.result.export.parts import ExportedPart, Motion, exported_parts, motion_at
from flexmbs.view.parts.scene_parts import GROUPS

MAX_SHAPES = 8  # that viewers blend
POOR = 0.99  # of the squares of the displacements; less is warned of
_PLAYED = (1.0, 60.0)  # s, runs of such a length are played in real time
_OTHERWISE = 10.0  # s


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


def write_gltf(
    result: Any,
    path: str | Path,
    *,
    times: int | ArrayLike | None,
    start: float | None,
    end: float | None,
    bodies: str | Sequence[str] | None,
    shapes: int,
    duration: float | None,
    force: bool,
    size_limit: float | None,
) -> GltfReport:
    """``Result.to_gltf``."""
    structure = result.structure
    drawn = (part.name for part in (*structure.bodies, *structure.markers, *structure.links))
    path = checked_path(path, (".glb",), force, drawn)
    if isinstance(shapes, bool) or shapes != int(shapes) or not 0 <= shapes <= MAX_SHAPES:
        raise FlexmbsError(f"shapes is {shapes!r}; it must be a whole number from 0 (rigid) to {MAX_SHAPES}")
    if duration is not None and not (np.isfinite(duration) and duration > 0.0):
        raise FlexmbsError(f"duration is {duration!r}; it must be a number of seconds above 0")
    chosen = chosen_times(result.t, times, start, end)
    parts = exported_parts(result, chosen_bodies(result.structure, bodies), GROUPS)
    if not parts:
        raise FlexmbsError(f"{path}: the chosen bodies have no surfaces to write")
    points = sum(len(part.points) * (48 if part.flexible is None else 48 + 12 * shapes) for part in parts)
    check_size(
        path,
        points + len(parts) * len(chosen) * (28.0 + 4.0 * shapes),
        size_limit,
        f"take fewer than {len(chosen)} times, some of the bodies or fewer than {shapes} shapes",
    )
    ready_folder(path)
    span = float(chosen[-1] - chosen[0])
    duration = _duration(span) if duration is None else float(duration)
    document, found = _document(result, parts, motion_at(result, chosen), int(shapes), duration, bodies is None)
    with replacing_in_folder(path) as temporary, open(temporary, "xb") as file:
        document.write(file)
    for name, (_, share, *_sizes) in found.items():
        if shapes and share < POOR:
            warn(
                f"{path}: {shapes} shapes hold only {100 * share:.3g} % of the deformation of '{name}' (squares of displacements)",
                ResultWarning,
            )
    speed = span / duration if duration > 0.0 else 1.0
    number, share, error, size = ({name: values[i] for name, values in found.items()} for i in range(4))
    return GltfReport(path, path.stat().st_size, duration, speed, share, error, size, number)


def _duration(span: float) -> float:
    return span if _PLAYED[0] <= span <= _PLAYED[1] or span == 0.0 else _OTHERWISE


def _document(
    result: Any, parts: Sequence[ExportedPart], motion: Motion, shapes: int, duration: float, whole: bool
) -> tuple[Glb, dict[str, tuple[int, float, float, float]]]:
    """The document, and of every flexible body the number of its shapes, their share, largest error, largest size."""
    glb, found = Glb(), {}
    meshes, film = MeshStore(glb), _Film(glb, motion.t, duration)
    nodes = []
    for number, part in enumerate(parts):
        stage("shapes", number, len(parts))
        fitted = None
        if part.flexible is not None and shapes:
            fitted = fitted_shapes(part.flexible, motion.modal(part), shapes)
            found[part.name] = (len(fitted.shapes), fitted.captured, fitted.largest_error, fitted.largest)
        targets = None if fitted is None or not len(fitted.shapes) else fitted.shapes
        mesh = meshes.of_part(part, targets)
        place, turn = motion.frames(part)
        weights = None if targets is None else fitted.weights
        nodes.append(film.node(part.name, mesh, place, quaternions(turn), weights=weights))
    for link in stretched_links(result, motion) if whole else ():
        nodes.append(_link_node(film, meshes, link))
    root = glb.add("nodes", {"name": "world", "children": nodes, "rotation": upright(result.structure.gravity)})
    glb.document["scenes"], glb.document["scene"] = [{"name": "flexmbs", "nodes": [root]}], 0
    glb.document["asset"]["extras"] = {
        "seconds_of_run_per_second": float((motion.t[-1] - motion.t[0]) / duration) if duration else 1.0,
        "captured_share_of_deformation": {name: values[1] for name, values in found.items()},
    }
    film.finish(f"t = {motion.t[0]:g} to {motion.t[-1]:g} s")
    return glb, found


def _link_node(film: _Film, meshes: MeshStore, link: Stretched) -> int:
    return film.node(link.name, meshes.of_link(link), link.place, quaternions(link.turn), scale=link.scale)


class _Film:
    """The nodes of a document with their animation."""

    def __init__(self, glb: Glb, t: np.ndarray, duration: float) -> None:
        self._glb, self._moves = glb, len(t) > 1
        self._channels: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []
        span = float(t[-1] - t[0])
        self._time = glb.add_samples((t - t[0]) * (duration / span), bounds=True) if self._moves else -1

    def node(
        self,
        name: str,
        mesh: int,
        place: np.ndarray,
        turn: np.ndarray,
        *,
        scale: np.ndarray | None = None,
        weights: np.ndarray | None = None,
    ) -> int:
        """A node at places (k, 3), with quaternions x, y, z, w (k, 4), scales (k, 3), weights of shapes (k, r)."""
        entry: dict[str, Any] = {"name": name, "mesh": mesh, "translation": place[0].tolist(), "rotation": turn[0].tolist()}
        if scale is not None:
            entry["scale"] = scale[0].tolist()
        if weights is not None:
            entry["weights"] = weights[0].tolist()
        node = self._glb.add("nodes", entry)
        for kind, values in (("translation", place), ("rotation", turn), ("scale", scale), ("weights", weights)):
            if values is not None and self._moves and np.ptp(values, axis=0).max() > 0.0:
                self._animate(node, kind, values.ravel() if kind == "weights" else values)
        return node

    def _animate(self, node: int, kind: str, values: np.ndarray) -> None:
        sampler = {"input": self._time, "output": self._glb.add_samples(values), "interpolation": "LINEAR"}
        self._samplers.append(sampler)
        self._channels.append({"sampler": len(self._samplers) - 1, "target": {"node": node, "path": kind}})

    def finish(self, name: str) -> None:
        """Add the animation; if nothing moves there is none."""
        if self._channels:
            self._glb.add("animations", {"name": name, "channels": self._channels, "samplers": self._samplers})


_POINTS = 4096  # at a time, to limit memory


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
