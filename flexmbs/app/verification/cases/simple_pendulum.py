"""IFToMM benchmark A01: simple pendulum of 1 kg and 1 m, released from the horizontal, for 10 s."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ellipj, ellipk

import flexmbs as fm
from flexmbs.app.verification.verification_case import Quantity, VerificationCase

T_END = 10.0  # s


def pendulum() -> fm.System:
    """The point mass "bob" with the marker "mass", on the joint "hinge"."""
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    bob = system.add(fm.RigidBody.point(1.0, (0.0, -1.0, 0.0)), name="bob")
    bob.marker("mass", position=(0.0, -1.0, 0.0))
    system.revolute(system.ground.marker("pivot"), bob["origin"], axis="z", angle=-np.pi / 2, name="hinge")
    return system


def exact_angle(t: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Rad, from hanging, at times ``t`` (s): theta = -2 asin(k sn(K - w t, k)) with k = sin(45 degrees)."""
    sn = ellipj(ellipk(0.5) - np.sqrt(9.81) * np.asarray(t), 0.5)[0]
    return -2.0 * np.arcsin(np.sqrt(0.5) * sn)


def simulate() -> fm.Result:
    """The run that is compared."""
    return pendulum().simulate(T_END, rtol=1e-9, atol=1e-11)


def _compute() -> dict[str, Any]:
    result = simulate()
    return {
        "angle at 10 s": result["hinge.angle"][-1],
        "angular velocity at 10 s": result["hinge.angle.rate"][-1],
        "x of the mass at 10 s": result["bob.mass.position.x"][-1],
        "y of the mass at 10 s": result["bob.mass.position.y"][-1],
        "largest error of the angle in 10 s": np.abs(result["hinge.angle"] - exact_angle(result.t)).max(),
    }


SIMPLE_PENDULUM = VerificationCase(
    name="simple_pendulum",
    title="simple pendulum released from the horizontal, 10 s",
    source="IFToMM multibody benchmark A01; closed form with Jacobi elliptic functions",
    accuracy="exact; integrated with rtol 1e-9, and errors grow linearly over four periods",
    quantities=(
        Quantity("angle at 10 s", -0.2786806735699831, 1e-8, "rad", scale=1.0),
        Quantity("angular velocity at 10 s", 4.343160692864617, 1e-8, "rad/s", scale=1.0),
        Quantity("x of the mass at 10 s", -0.275087462576117, 1e-8, "m", scale=1.0),
        Quantity("y of the mass at 10 s", -0.961419205099125, 1e-8, "m", scale=1.0),
        Quantity("largest error of the angle in 10 s", 0.0, 1e-8, "rad", scale=1.0),
    ),
    compute=_compute,
)
