"""Geometrically exact rods, an oracle for large deflections in space that shares nothing with the package.

A straight rod along x, clamped at x = 0, with dead force and dead moment at its end (Simo, CMAME 49, 1985):

    r' = R (e1 + C_n^-1 R^T n),   R' = R (C_m^-1 R^T m)~,   n' = 0,   m' = -r' x n

integrated by scipy's DOP853 from the clamp; the moment there is found by Newton's method so that the end has the given
one. R is kept as a quaternion.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root
from scipy.spatial.transform import Rotation


@dataclass(frozen=True)
class Rod:
    """length in m; forces (3,) N: EA, kGA_y, kGA_z (inf: rigid); moments (3,) N m2: GJ, E Iy, E Iz."""

    length: float
    forces: tuple[float, float, float]
    moments: tuple[float, float, float]

    def end(self, force, moment) -> tuple[np.ndarray, np.ndarray]:
        """Displacement (3,) and rotation vector (3,) of the end under dead loads."""
        force, moment = np.asarray(force, float), np.asarray(moment, float)
        guess = moment + np.cross([self.length, 0.0, 0.0], force)
        size = max(np.abs(guess).max(), 1e-300)
        found = root(lambda m: (self._at_end(m * size, force)[7:] - moment) / size, guess / size, tol=1e-13)
        assert np.abs(found.fun).max() < 1e-9, found.message
        state = self._at_end(found.x * size, force)
        return state[:3] - [self.length, 0.0, 0.0], Rotation.from_quat(state[[4, 5, 6, 3]]).as_rotvec()

    def buckling_force(self, low: float, high: float) -> float:
        """Dead force -z at the end (N, between ``low`` and ``high``) at which the plane deflection is first neutral."""
        return brentq(self._neutrality, low, high, rtol=1e-9)

    def _neutrality(self, force: float) -> float:
        """Determinant of d(end moment about x and z)/d(moment about x and z at the clamp), in the plane deflection."""
        load = np.array([0.0, 0.0, -force])

        def plane(my):
            return self._at_end(np.array([0.0, my[0], 0.0]), load)[8]

        my = root(plane, [force * self.length], tol=1e-13).x[0]
        step = 1e-4 * abs(my)
        columns = []
        for axis in (0, 2):
            move = step * np.eye(3)[axis]
            far, near = (self._at_end(np.array([0.0, my, 0.0]) + sign * move, load)[7:] for sign in (1.0, -1.0))
            columns.append((far - near)[[0, 2]] / (2.0 * step))
        return float(np.linalg.det(np.array(columns)))

    def _at_end(self, moment: np.ndarray, force: np.ndarray) -> np.ndarray:
        """(10,) position, quaternion (w, x, y, z) and moment at the end, for a moment (3,) at the clamp."""
        begin = np.concatenate([np.zeros(3), [1.0, 0.0, 0.0, 0.0], moment])
        run = solve_ivp(self._slope, (0.0, self.length), begin, "DOP853", rtol=1e-11, atol=1e-13, args=(force,))
        return run.y[:, -1]

    def _slope(self, _x, state, force):
        w, vector = state[3], state[4:7]
        R = Rotation.from_quat(state[[4, 5, 6, 3]]).as_matrix()
        along = R @ (np.array([1.0, 0.0, 0.0]) + R.T @ force / np.array(self.forces))
        kappa = R.T @ state[7:] / np.array(self.moments)
        turning = 0.5 * np.concatenate([[-vector @ kappa], w * kappa + np.cross(vector, kappa)])
        return np.concatenate([along, turning, -np.cross(along, force)])
