"""Composite rigid bodies: parts welded together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import BodyError, FlexmbsError
from flexmbs.mechanism.geometry.euler_angles import EulerAngles
from flexmbs.mechanism.geometry.rotations import Rotation
from flexmbs.mechanism.geometry.surface_mesh import SurfaceMesh
from flexmbs.mechanism.rigid_body import RigidBody


@dataclass(frozen=True, eq=False)
class Part:
    """A rigid body with its position in a composite.

    Attributes
    ----------
    body : RigidBody
    position : (3,) m, origin of the body's frame in the frame of the composite
    rotation : from the body's axes to those of the composite, in any form (``fm.rotation``)
    """

    body: RigidBody
    position: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike | EulerAngles | Rotation | None = None


def weld(parts: Iterable[Part | RigidBody]) -> RigidBody:
    """One rigid body made of several: mass, centre of mass, inertia and surface.

    Parameters
    ----------
    parts : Part, or RigidBody where its frame is that of the composite

    Parts may have non-physical inertia (``allow_nonphysical``); a MechanismWarning is issued if the composite is
    non-physical too. BodyError if there are no parts or one has the wrong type; messages name the number of the part.
    """
    bodies = [_in_place(part, number) for number, part in enumerate(parts, start=1)]
    if not bodies:
        raise BodyError("weld: there are no parts; give at least one Part or RigidBody")
    masses = np.array([body.mass for body in bodies])
    near = bodies[0].center  # centres relative to a near point keep the digits of composites far from the origin
    center = near + masses @ np.array([body.center - near for body in bodies]) / masses.sum()
    inertia = np.sum([body.inertia_about(center) for body in bodies], axis=0)
    surfaces = [body.surface for body in bodies if body.surface is not None]
    return RigidBody(
        float(masses.sum()),
        inertia,
        center,
        allow_nonphysical=any(body.nonphysical_reason for body in bodies),
        surface=SurfaceMesh.joined(surfaces) if surfaces else None,
    )


def _in_place(part: Part | RigidBody, number: int) -> RigidBody:
    if isinstance(part, RigidBody):
        return part
    if not isinstance(part, Part) or not isinstance(part.body, RigidBody):
        found = type(part.body if isinstance(part, Part) else part).__name__
        raise BodyError(f"weld: part {number} must be a RigidBody or a Part of one, got {found}")
    try:
        return part.body.placed(part.position, part.rotation)
    except FlexmbsError as error:
        raise type(error)(f"weld: part {number}: {error}") from None
