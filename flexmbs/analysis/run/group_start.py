"""Penetrations between the bodies of a group at the start of a run."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from flexmbs.core.layout.state import State
from flexmbs.core.layout.tables import Workspace
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.model.compiled_model import Model


def deepest_penetration(model: Model, work: Workspace, state: State) -> tuple[float, str]:
    """Smallest gap (m) of the open pairs of all groups, negative if they overlap, and the name of the pair.

    Markers of flexible bodies are taken where the undeformed body has them.
    """
    tables, deepest = model.tables, (np.inf, "")
    if not len(tables.groups):
        return deepest
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    markers = tables.markers[tables.features["marker"]]
    frames = work.frame[markers["body"]]
    centres = frames["p_WB"] + np.einsum("fij,fj->fi", frames["R_WB"], markers["p_BM"])
    normals = np.einsum("fij,fjk,fk->fi", frames["R_WB"], markers["R_BM"], tables.features["normal"])
    for group in tables.groups:
        for gap, i, j in _overlaps(tables.features, group, centres, normals):
            size, first = int(group["end"] - group["start"]), int(group["start"])
            pair = min(i, j) * size + max(i, j) - first * (size + 1)
            excluded = tables.excluded[group["excluded_start"] : group["excluded_end"]]
            touching = state.active[group["slot_start"] : group["slot_end"]]
            same = tables.features["body"][i] == tables.features["body"][j]
            if gap < deepest[0] and not same and pair not in excluded and pair + 1 not in touching:
                deepest = gap, model.contact_name(int(group["slot_start"]), pair)
    return deepest


def _overlaps(features, group, centres, normals):
    """(gap, feature, feature) of spheres that overlap each other or a plane."""
    spheres = np.arange(group["start"], group["plane_start"])
    radii = features["radius"]
    pairs = cKDTree(centres[spheres]).query_pairs(2.0 * float(radii[spheres].max()), output_type="ndarray")
    i, j = spheres[pairs[:, 0]], spheres[pairs[:, 1]]
    gaps = np.linalg.norm(centres[i] - centres[j], axis=1) - radii[i] - radii[j]
    for k in np.flatnonzero(gaps < 0.0):
        yield float(gaps[k]), int(i[k]), int(j[k])
    for plane in range(group["plane_start"], group["end"]):
        heights = (centres[spheres] - centres[plane]) @ normals[plane] - radii[spheres]
        for k in np.flatnonzero(heights < 0.0):
            yield float(heights[k]), int(spheres[k]), plane
