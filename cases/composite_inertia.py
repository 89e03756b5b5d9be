"""Mass, centre and inertia of two bodies welded into one.

The inertia of the first body, as printed in its source, is not physical: it has a negative principal moment. By
default the case ends with an error that says so; with allow_nonphysical it is computed as printed, with a warning.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

MM = 1e-3  # m


@dataclass(frozen=True)
class Parameters:
    allow_nonphysical: bool = fm.parameter(False, "", "accept an inertia that no mass distribution can have")
    m1: float = fm.parameter(231.1, "kg", "mass of body 1")
    x1: float = fm.parameter(-367.127909, "mm", "centre of body 1, x")
    y1: float = fm.parameter(12.326682, "mm", "centre of body 1, y")
    z1: float = fm.parameter(105.797098, "mm", "centre of body 1, z")
    J1_xx: float = fm.parameter(17.70964250037791, "kg m2", "inertia tensor of body 1 about its centre")
    J1_yy: float = fm.parameter(16.41579683606009, "kg m2", "like J1_xx")
    J1_zz: float = fm.parameter(15.55719337462858, "kg m2", "like J1_xx")
    J1_xy: float = fm.parameter(18.48821290734195, "kg m2", "entry of the tensor (not its negative)")
    J1_xz: float = fm.parameter(18.11118260182349, "kg m2", "like J1_xy")
    J1_yz: float = fm.parameter(6.83322956132983, "kg m2", "like J1_xy")
    m2: float = fm.parameter(91.2, "kg", "mass of body 2")
    x2: float = fm.parameter(562.339965, "mm", "centre of body 2, x")
    y2: float = fm.parameter(-23.307787, "mm", "centre of body 2, y")
    z2: float = fm.parameter(-18.991260, "mm", "centre of body 2, z")
    J2_xx: float = fm.parameter(1.008047, "kg m2", "inertia tensor of body 2 about its centre")
    J2_yy: float = fm.parameter(6.641947, "kg m2", "like J2_xx")
    J2_zz: float = fm.parameter(7.016648, "kg m2", "like J2_xx")
    J2_xy: float = fm.parameter(0.759788, "kg m2", "entry of the tensor (not its negative)")
    J2_xz: float = fm.parameter(-0.643099, "kg m2", "like J2_xy")
    J2_yz: float = fm.parameter(-0.059607, "kg m2", "like J2_xy")


def analyse(p: Parameters) -> dict[str, object]:
    """Mass (kg), centre (m) in the common frame, and inertia (kg m2) about that centre in its axes."""
    whole = fm.weld([part(p, 1), part(p, 2)])
    return {"mass": whole.mass, "center": whole.center.tolist(), "inertia": whole.inertia.tolist()}


def part(p: Parameters, number: int) -> fm.RigidBody:
    """Body 1 or 2 with its centre in the common frame; CaseError where its inertia is refused."""
    value = {name: getattr(p, f"{name}{number}") for name in "mxyz"}
    xx, yy, zz, xy, xz, yz = (getattr(p, f"J{number}_{pair}") for pair in ("xx", "yy", "zz", "xy", "xz", "yz"))
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    center = MM * np.array([value["x"], value["y"], value["z"]])
    try:
        return fm.RigidBody(value["m"], inertia, center, allow_nonphysical=p.allow_nonphysical)
    except fm.BodyError as error:
        raise fm.CaseError(f"body {number}: {error}") from None
