"""What a pair of shapes becomes: contact points, each with one gap (a record of ``Tables.contacts``)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.machine_code.entry import Entry
from flexmbs.mechanism.markers import Marker


@dataclass(frozen=True, eq=False)
class ContactPoint:
    """One gap between a shape on marker a and one on marker b.

    Attributes
    ----------
    geometry : entry of :func:`flexmbs.core.contact.pair_geometry.pair_geometry`, or of ``surface_contact`` with
        ``many_points``; None: a sphere of ``radius_a`` (m) against the plane with ``normal``, or without one against a
        sphere of ``radius_b``
    numbers : (n,) sizes and places of the shapes that ``geometry`` reads, in the axes of the markers, m
    shared : arrays of numbers that many contact points read (a surface); their places in the pool follow ``numbers``
    many_points : the points of two surfaces at once, which share one record
    always : it acts at any gap and has no events (a film of oil); with ``many_points``
    follows_surface : one point on a surface that deforms: ``geometry`` is an entry of ``surface_contact`` too
    scratch : how many numbers of ``Workspace.surface`` the surfaces need (core.contact.surfaces.layout)
    label : of this point among those of its contact, "" where there is only one
    """

    a: Marker
    b: Marker
    geometry: Entry | None = None
    numbers: np.ndarray = field(default_factory=lambda: np.zeros(0))
    shared: tuple[np.ndarray, ...] = ()
    many_points: bool = False
    always: bool = False
    follows_surface: bool = False
    scratch: int = 0
    radius_a: float = 0.0
    radius_b: float = 0.0
    normal: tuple[float, float, float] | None = None
    label: str = ""
