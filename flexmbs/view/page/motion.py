"""How bodies and marks of a page move: poses at all frames, displacements of marks, and how both are stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.mechanism.geometry.euler_angles import quaternions
from flexmbs.reduction.modal_fields import marker_displacement, superpose
from flexmbs.view.drawable import DrawableMarker, DrawableResult
from flexmbs.view.page.numbers import Quantised, series

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
