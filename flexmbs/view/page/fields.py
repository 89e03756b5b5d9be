"""Displacement and stress of flexible bodies of a page, as fields times coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.reduction.flexible_body import FlexibleBody


def displacement_fields(body: FlexibleBody, q: np.ndarray) -> dict[str, Any]:
    """Fields (r, np, 3) m and coefficients (nf, r) of the displacement at modal coordinates q (nf, n)."""
    fields, coefficients = body.surface.modes, q
    if len(body.pairs):
        fields = np.concatenate([fields, body.surface.quadratic])
        coefficients = np.concatenate([q, body.quadratic_coordinates(q)], axis=1)
    return {"count": len(fields), "fields": fields.astype("f4"), "coefficients": coefficients.astype("f4")}


def stress_fields(body: FlexibleBody, q: np.ndarray) -> dict[str, Any]:
    """Fields (s, np, 6) Pa and coefficients (nf, s) of the stress at modal coordinates q (nf, n)."""
    fields = body.surface_stress_modes
    return {"count": len(fields), "fields": fields.astype("f4"), "coefficients": q.astype("f4")}
