"""How bodies and marks of a page move: frames, poses, displacements of marks."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.mechanism.geometry.euler_angles import quaternions
from flexmbs.reduction.modal_fields import marker_displacement, superpose
from flexmbs.view.drawable import DrawableMarker, DrawableResult, DrawableStructure


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
        "name": name, "body": structure.body_index(marker.body), "place": _place(marker).tolist(),
        "axes": np.asarray(marker.rotation, dtype=float).ravel().tolist(), "moves": None,
    }  # fmt: skip
    if body.flexible is not None and marker.fields is not None:
        q = here.trajectory.q[:, body.coordinates]
        shift = marker_displacement(body.flexible, marker.fields, q)
        turn = superpose(body.flexible, marker.fields.Psi, marker.fields.Zr, q)
        found["moves"] = np.concatenate([shift, turn], axis=1)
    return found


def marks_in_world(here: DrawableResult, marker: int) -> tuple[np.ndarray, np.ndarray]:
    """(nf, 3) m and (nf, 3, 3): where a marker is at the times of ``here``, without the turn by the modes."""
    structure: DrawableStructure = here.structure
    record = structure.markers[marker]
    index = structure.body_index(record.body)
    body, run = structure.bodies[index], here.trajectory
    local = np.broadcast_to(_place(record), (len(here.t), 3))
    if body.flexible is not None and record.fields is not None:
        local = local + marker_displacement(body.flexible, record.fields, run.q[:, body.coordinates])
    frames = run.body_rotation[:, index]
    return run.body_position[:, index] + np.einsum("fij,fj->fi", frames, local), frames @ record.rotation


def _place(marker: DrawableMarker) -> np.ndarray:
    return np.asarray(marker.position if marker.fields is None else marker.fields.position, dtype=float)
