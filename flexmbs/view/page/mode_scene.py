"""What a page shows of a reduced body: each of its modes in turn, over one oscillation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.fem.stress_field import von_mises
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.view.body_view import drawn_amplitudes
from flexmbs.view.look import check_number
from flexmbs.view.page.fields import length_of
from flexmbs.view.page.part_records import (
    PageAccuracy,
    PartRecord,
    check_accuracy,
    in_modes,
    node_numbers,
    part_record,
    stored_motion,
)
from flexmbs.view.page.quantities import principal_ends, quantity_records, ranges_of
from flexmbs.view.page.scene import camera_on, checked_color, plain_view, scene
from flexmbs.view.page.shapes import Shapes
from flexmbs.view.scene_parts import body_color

STEPS, PERIOD = 32, 2.0  # frames of an oscillation, and how long it takes on the screen, s
_PART_OF_MODE = 0.999  # so that times grow where one mode ends and the next begins


@dataclass(frozen=True)
class BodyOptions:
    """Options of the page of a body, as in :func:`flexmbs.view.page.pages.body_page`."""

    color: str | None = None
    scale: float = 1.0
    camera: str | Sequence[float] | None = None
    zoom: float = 1.0
    title: str = ""
    accuracy: PageAccuracy = PageAccuracy(displacement=2e-3, stress=1e-2)  # of each mode

    def __post_init__(self) -> None:
        check_number("scale", self.scale, "the factor on the amplitude", positive=True)
        check_accuracy(self.accuracy)


def mode_scene(body: FlexibleBody, options: BodyOptions) -> dict[str, Any]:
    """The scene of a reduced body; FlexmbsError if it has no modes or no faces."""
    if not body.mode_count:
        raise FlexmbsError(f"body '{body.name}' has no modes: it is rigid")
    if not len(body.surface.faces):
        why = "comes from arrays or another tool: it has no elements to draw"
        raise FlexmbsError(f"body '{body.name}' {why}; pictures and films (--save FILE.png) show its nodes")
    checked_color(options.color, True, body.has_stress)
    amplitudes = drawn_amplitudes(body)
    q = _oscillations(amplitudes)
    shape = Shapes().shape(body.surface.points, body.surface.faces, np.zeros((0, 2), dtype=np.int64), True)
    nodes, name = node_numbers(body), Path(body.name).name
    part = part_record(shape, name, "bodies", 1, body_color(1), nodes=nodes)
    in_modes(part, body, amplitudes, q, options.accuracy)
    phases = (np.arange(body.mode_count)[:, None] + _PART_OF_MODE * np.arange(STEPS + 1) / STEPS).ravel()
    reach = float((length_of(body.surface.modes).max(axis=1) * amplitudes).max())
    low, high = body.surface.points.min(axis=0) - reach, body.surface.points.max(axis=0) + reach
    pose = np.tile(np.array([0, 0, 0, 1, 0, 0, 0], "f4"), 2 * len(q))
    held = f"held at '{body.attached_at}'" if body.attached_at is not None else "free (mean axes)"
    return scene(
        low,
        high,
        ["ground", name],
        title=options.title or name,
        subtitle=f"{body.mass:.4g} kg, {body.mode_count} modes, {held}",
        notes=_notes(part),
        camera=camera_on(low, high, np.zeros(3), options.camera, options.zoom),
        time={
            "t": phases,
            "film": PERIOD * phases,
            "impacts": [],
            "digits": 2,
            "phase": True,
            "segments": _segments(body, amplitudes),
        },
        poses=pose,
        scale=options.scale,
        parts=[part.entry],
        marks=_marks(body, q),
        quantities=quantity_records(ranges_of([part], len(q))),
        view=plain_view(options.color or "displacement", markers=True),
    )


def _oscillations(amplitudes: np.ndarray) -> np.ndarray:
    """(modes * (STEPS + 1), modes) modal coordinates: one mode after the other, each once up and down."""
    swing = np.sin(2.0 * np.pi * np.arange(STEPS + 1) / STEPS)
    return (np.diag(amplitudes)[:, None, :] * swing[None, :, None]).reshape(-1, len(amplitudes))


def _segments(body: FlexibleBody, amplitudes: np.ndarray) -> list[dict[str, Any]]:
    """Frames of each mode, what it is called, and its ranges of colour."""
    found = []
    for k, amplitude in enumerate(amplitudes):
        ranges = {"displacement": [0.0, float(amplitude * length_of(body.surface.modes[k]).max())]}
        if body.has_stress:
            stress = amplitude * body.surface_stress_modes[k]
            end = float(np.abs(principal_ends(stress)).max(initial=0.0))
            ranges["von_mises"] = [0.0, float(von_mises(stress).max(initial=0.0))]
            ranges["principal_max"] = ranges["principal_min"] = [-end, end]
        name = f"mode {k + 1}: {body.mode_labels[k]}, {body.frequencies[k]:.6g} Hz"
        found.append({"name": name, "first": k * (STEPS + 1), "last": (k + 1) * (STEPS + 1) - 1, "ranges": ranges})
    return found


def _marks(body: FlexibleBody, q: np.ndarray) -> list[dict[str, Any]]:
    axes = np.eye(3).ravel().tolist()
    return [
        {
            "name": name,
            "body": 1,
            "place": marker.position.tolist(),
            "axes": axes,
            "moves": stored_motion(np.concatenate([q @ marker.Phi, q @ marker.Psi], axis=1)),
        }
        for name, marker in body.markers.items()
    ]


def _notes(part: PartRecord) -> list[str]:
    found = ["Each mode is drawn as large as it is well seen; displacement and stress are those of what is drawn."]
    for what, field in (("Displacements", part.displacement), ("Stresses", part.stress)):
        if field is not None and field.largest:
            found.append(f"{what} are within {100.0 * field.error / field.largest:.2g} % of the largest of the mode.")
    return found
