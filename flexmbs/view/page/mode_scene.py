"""What a page shows of a reduced body: each of its modes in turn, over one oscillation."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.fem.stress_field import principal, von_mises
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.view.body_scene import drawn_amplitudes
from flexmbs.view.extent import view_direction
from flexmbs.view.page.result_scene import camera_on, colour_map, quantity_records
from flexmbs.view.page.surfaces import triangulated
from flexmbs.view.parts import palette

STEPS, PERIOD = 32, 2.0  # frames of an oscillation, and how long it takes on the screen, s


def mode_scene(body: FlexibleBody, *, color: str | None = None, scale: float = 1.0, title: str = "") -> dict[str, Any]:
    """The scene of a reduced body; FlexmbsError if it has no modes or no faces."""
    if not body.mode_count:
        raise FlexmbsError(f"body '{body.name}' has no modes: it is rigid")
    if not len(body.surface.faces):
        raise FlexmbsError(f"body '{body.name}' has no elements (it comes from arrays or another tool): nothing to draw")
    amplitudes = drawn_amplitudes(body)
    count = body.mode_count
    swing = np.sin(2.0 * np.pi * np.arange(STEPS + 1) / STEPS)
    coefficients = np.zeros((count, STEPS + 1, count))
    coefficients[np.arange(count), :, np.arange(count)] = amplitudes[:, None] * swing
    coefficients = coefficients.reshape(-1, count)
    phases = (np.arange(count)[:, None] + 0.999 * np.arange(STEPS + 1) / STEPS).ravel()
    frames, points = len(phases), body.surface.points
    largest = _largest(body, amplitudes)
    reach = float(largest["displacement"][:, 1].max())
    low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
    direction, up = view_direction(low, high, np.zeros(3))
    triangles = triangulated(body.surface.faces)
    part = {
        "name": body.name, "group": "bodies", "body": 1, "mark": None, "color": _rgb(palette.body_color(1)),
        "opacity": 1.0, "shown": True, "points": points.astype("f4"), "triangles": triangles.corners.astype("u4"),
        "hidden": triangles.hidden, "lines": np.zeros(0, "u4"), "flat": True, "nodes": _nodes(body),
        "displacement": {
            "count": count, "fields": body.surface.modes.astype("f4"), "coefficients": coefficients.astype("f4"),
        },
        "stress": {
            "count": count, "fields": body.surface_stress_modes.astype("f4"),
            "coefficients": coefficients.astype("f4"),
        } if body.has_stress else None,
        "pressure": None, "errors": {"displacement": 0.0, "stress": 0.0},
    }  # fmt: skip
    pose = np.zeros((frames, 2, 7), "f4")
    pose[:, :, 3] = 1.0
    names = [f"mode {k + 1}: {body.mode_labels[k]}, {body.frequencies[k]:.6g} Hz" for k in range(count)]
    ranges = {key: (float(values[:, 0].min()), float(values[:, 1].max())) for key, values in largest.items()}
    held = f"held at '{body.attached_at}'" if body.attached_at is not None else "free (mean axes)"
    return {
        "title": title or body.name, "subtitle": f"{body.mass:.4g} kg, {count} modes, {held}",
        "notes": ["Modes are drawn so large that they can be seen; displacement and stress are those of the state drawn."],
        "up": up.tolist(), "background": None, "camera": camera_on(low, high, direction, up),
        "bounds": {"low": low.tolist(), "high": high.tolist()},
        "time": {
            "t": phases, "film": PERIOD * phases, "impacts": [], "digits": 2, "phase": True,
            "segments": [
                {
                    "name": name, "first": k * (STEPS + 1), "last": (k + 1) * (STEPS + 1) - 1,
                    "ranges": {key: values[k].tolist() for key, values in largest.items()},
                }
                for k, name in enumerate(names)
            ],
        },
        "bodies": [{"name": "ground"}, {"name": body.name}], "poses": pose, "poseShift": None, "scale": scale,
        "parts": [part], "marks": _marks(body, coefficients), "links": [], "contacts": [], "contactPhases": [],
        "forceScale": {"length_per_newton": 0.0, "largest": 0.0},
        "quantities": quantity_records(ranges), "colours": colour_map(), "histories": [],
        "view": {"quantity": color or "displacement", "edges": True, "markers": True, "speed": "film"},
    }  # fmt: skip


def _largest(body: FlexibleBody, amplitudes: np.ndarray) -> dict[str, np.ndarray]:
    """(modes, 2) lowest and highest value of each quantity, each mode as drawn."""
    shapes = np.linalg.norm(body.surface.modes, axis=2).max(axis=1) * amplitudes
    found = {"displacement": np.stack([0.0 * shapes, shapes], axis=1)}
    if body.has_stress:
        peaks, ends = [], []
        for amplitude, mode in zip(amplitudes, body.surface_stress_modes, strict=True):
            peaks.append(float(von_mises(amplitude * mode).max(initial=0.0)))
            ends.append(float(np.abs(principal(amplitude * mode)).max(initial=0.0)))
        found["von_mises"] = np.stack([np.zeros(len(peaks)), peaks], axis=1)
        found["principal_max"] = found["principal_min"] = np.stack([-np.array(ends), ends], axis=1)
    return found


def _marks(body: FlexibleBody, coefficients: np.ndarray) -> list[dict[str, Any]]:
    found = []
    for name, marker in body.markers.items():
        moves = np.concatenate([coefficients @ marker.Phi, coefficients @ marker.Psi], axis=1)
        axes = np.eye(3).ravel().tolist()
        found.append({"name": name, "body": 1, "place": marker.position.tolist(), "axes": axes, "moves": moves})
    return found


def _nodes(body: FlexibleBody) -> np.ndarray | None:
    points = body.surface.points
    if len(body.points) < len(points) or not np.array_equal(body.points[: len(points)], points):
        return None
    return body.node_ids[: len(points)].astype("i4")


def _rgb(color: str) -> list[float]:
    return [int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
