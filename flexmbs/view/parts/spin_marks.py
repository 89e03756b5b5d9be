"""Quarters of bodies of revolution in a darker shade, so that their rotation is seen."""

from __future__ import annotations

import numpy as np

from flexmbs.view.parts.solids import EMPTY, Solid

_ROUND = 1e-3  # relative difference of principal moments of a surface that counts as one of revolution
_LARGEST = 200_000  # points


def light_and_dark(points: np.ndarray, faces: np.ndarray) -> tuple[Solid, Solid]:
    """A surface of revolution in two parts: the dark ones are two opposite quarters, of a ball four eighths.

    Faces with more than four corners that contain the axis are cut into triangles. Other surfaces are all light.
    """
    axes = _axes(points)
    if axes is None:
        return Solid(points, np.asarray(faces, dtype=np.int64)), EMPTY
    center, turn, is_ball = axes
    rings = _rings(np.asarray(faces, dtype=np.int64))
    local = (points - center) @ turn
    found: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])  # light, dark
    added: list[np.ndarray] = []
    for ring in rings:
        middle = local[ring].mean(axis=0)
        if len(ring) > 4 and np.linalg.norm(middle[:2]) < 1e-3 * np.abs(local[ring][:, :2]).max():
            number = len(points) + len(added)
            added.append(center + turn @ middle)
            ends = np.stack([ring, np.roll(ring, -1)], axis=1)
            halfway = local[ends].mean(axis=1)
            for pair, at in zip(ends, halfway, strict=True):
                found[_dark(at, is_ball)].append(np.array([3, *pair, number]))
        else:
            found[_dark(middle, is_ball)].append(np.concatenate([[len(ring)], ring]))
    every = np.concatenate([points, np.array(added).reshape(-1, 3)])
    return tuple(Solid(every, np.concatenate(part)) if part else EMPTY for part in found)  # type: ignore[return-value]


def _dark(at: np.ndarray, is_ball: bool) -> bool:
    sign = at[0] * at[1]
    return bool((sign * at[2] if is_ball else sign) > 0.0)


def _axes(points: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool] | None:
    """Centre, axes (3, 3) with the one of revolution last, whether it is a ball; None if it is not of revolution."""
    if not 24 <= len(points) <= _LARGEST:
        return None
    rows = np.unique(np.round(points / max(float(np.ptp(points)), 1e-300), 9), axis=0, return_index=True)[1]
    center = points[rows].mean(axis=0)
    moments, turn = np.linalg.eigh((points[rows] - center).T @ (points[rows] - center))
    near = [abs(moments[k + 1] - moments[k]) < _ROUND * moments[2] for k in (0, 1)]
    if not any(near):
        return None
    order = [0, 1, 2] if near[0] else [1, 2, 0]
    local = (points - center) @ turn[:, order]
    if not _is_round(local):
        return None
    away = np.linalg.norm(local, axis=1)
    return center, turn[:, order], bool(all(near) and np.ptp(away) < 0.01 * away.max())


def _is_round(local: np.ndarray) -> bool:
    """Whether points with the same height have the same distance from the axis z: a box or a cross has not."""
    size = float(np.ptp(local)) or 1.0
    away = np.linalg.norm(local[:, :2], axis=1)
    levels = np.round(local[:, 2] / size, 6)
    widest = np.abs(away - away.max()) < 1e-6 * size
    turn = np.sort(np.arctan2(local[widest, 1], local[widest, 0]))
    gaps = np.diff(np.concatenate([turn, turn[:1] + 2.0 * np.pi]))
    return len(np.unique(levels)) >= 2 and len(np.unique(np.round(turn, 6))) >= 12 and float(gaps.max()) < 0.6


def _rings(faces: np.ndarray) -> list[np.ndarray]:
    found, at = [], 0
    while at < len(faces):
        found.append(faces[at + 1 : at + 1 + faces[at]])
        at += 1 + int(faces[at])
    return found
