"""What the geometry of a contact is to compiled code that calls it by address."""

from __future__ import annotations

from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.machine_code.entry import interface
from flexmbs.machine_code.signature import Floats


@interface
def pair_geometry(tables: Tables, contact: int, work: Workspace) -> None:
    """Write ``gap``, ``n`` and ``p`` of a contact point to ``work.touch[0]`` (core.layout.frames.TOUCH).

    The frames of markers a and b stand in ``work.marker`` (A, B). With closest points the rate of the gap is that of
    the bodies' velocities at p, which the caller takes.
    """


@interface
def surface_contact(tables: Tables, contact: int, q: Floats, v: Floats, work: Workspace, residual: Floats, apply: int) -> None:
    """Many points of two surfaces at once; the frames of the bodies and the modes in ``work`` are current.

    Writes the least gap of all points with its rate, n, p and slip velocity u to ``work.touch[0]``, and the sums of
    normal forces and elastic energies. With ``apply`` the forces of all points that penetrate are subtracted from the
    residual (wrenches of the bodies, forces on their modes). Laws have no history.

    A single point on a surface (POINT_ON_SURFACE) writes its geometry, w too; its law and friction are those of other
    contact points, and with ``apply`` force, friction and moment in the touch are subtracted where the geometry is.
    """
