"""What meshes can hold and no model computes: refused by name, because leaving it out would be a wrong answer."""

from __future__ import annotations

import numpy as np

from flexmbs.errors import MeshError
from flexmbs.mesh.materials import Material
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.properties import BeamSection


def refuse_uncomputed(mesh: Mesh) -> None:
    """MeshError naming what of ``mesh`` would change the body but is not computed.

    Couplings are no part of the body: its interfaces stand for them.
    """
    source = mesh.source or "mesh"
    for block in mesh.blocks:
        what = _uncomputed_in(block)
        if what:
            raise MeshError(f"{block.where or source}: {block.kind} elements with {what} cannot be computed with")
    for kind, found in (
        ("point masses", mesh.point_masses),
        ("equations between nodes", mesh.equations),
        ("ties", mesh.ties),
    ):
        if found:
            raise MeshError(
                f"{found[0].where or source}: the mesh has {len(found)} {kind}, which are not computed; without them"
                f" the body would be another one: remove them with dataclasses.replace if that is meant"
            )


def _uncomputed_in(block: ElementBlock) -> str:
    """What of a block is not computed, in words; empty when everything is."""
    if block.material is not None and not isinstance(block.material, Material):
        return f"material {block.material.name}, which is not isotropic,"
    if block.offsets is not None and np.any(np.nan_to_num(block.offsets)):
        return "offsets from their nodes"
    section = block.section
    if isinstance(section, BeamSection):
        if section.end is not None:
            return "a tapered section"
        if np.any(np.asarray(section.centroid)):
            return f"a section whose centroid {tuple(section.centroid)} m lies off their nodes"
    return ""
