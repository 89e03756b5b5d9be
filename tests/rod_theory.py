"""Geometrically exact rods, an oracle for large deflections in space that shares nothing with the package.

A straight rod along x, clamped at x = 0, with dead force and dead moment at its end (Simo, CMAME 49, 1985):

    r' = R (e1 + C_n^-1 R^T n),   R' = R (F R^T m)~,   n' = 0,   m' = -r' x n

integrated by scipy's DOP853 from the clamp; the moment there is found by Newton's method so that the end has the given
one. R is kept as a quaternion.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root
from scipy.spatial.transform import Rotation

E1 = np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True)
class Rod:
    """length in m; forces (3,) N: EA, kGA_y, kGA_z (inf: rigid); flexibility (3, 3), 1/(N m2), of twist and bending.

    The flexibility of ``of_section`` is that of GJ, E Iy and E Iz; meshes that are not symmetric couple these.
    """

    length: float
    forces: np.ndarray
    flexibility: np.ndarray

    @classmethod
    def of_section(cls, length: float, section, material) -> "Rod":
        E, G, area = material.youngs_modulus, material.shear_modulus, section.area
        shear = (section.shear_factor_y * G * area, section.shear_factor_z * G * area)
        stiffness = (G * section.torsion_constant, E * section.Iy, E * section.Iz)
        return cls(length, np.array([E * area, *shear]), np.diag(1.0 / np.array(stiffness)))

    def end(self, force, moment) -> tuple[np.ndarray, np.ndarray]:
        """Displacement (3,) and rotation vector (3,) of the end under dead loads."""
        force, moment = np.asarray(force, float), np.asarray(moment, float)
        guess = moment + np.cross(self.length * E1, force)
        size = max(np.abs(guess).max(), 1e-300)
        found = root(lambda m: (self._at_end(m * size, force)[7:] - moment) / size, guess / size, tol=1e-13)
        assert np.abs(found.fun).max() < 1e-9, found.message
        state = self._at_end(found.x * size, force)
        return state[:3] - self.length * E1, Rotation.from_quat(state[[4, 5, 6, 3]]).as_rotvec()

    def buckling_force(self, low: float, high: float) -> float:
        """Dead force -z at the end (N, between ``low`` and ``high``) at which the plane deflection is first neutral."""
        return brentq(self._neutrality, low, high, rtol=1e-7)

    def _neutrality(self, force: float) -> float:
        """Determinant of d(end moment about x and z)/d(moment about x and z at the clamp), in the plane deflection."""
        load = np.array([0.0, 0.0, -force])

        def plane(size):
            return self._at_end(np.array([0.0, size[0] * force * self.length, 0.0]), load)[8] / (force * self.length)

        my = root(plane, [1.0], tol=1e-13).x[0] * force * self.length
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
        run = solve_ivp(self._slope, (0.0, self.length), begin, "DOP853", rtol=1e-10, atol=1e-12, args=(force,))
        return run.y[:, -1]

    def _slope(self, _x, state, force):
        w, x, y, z = state[3:7]
        R = np.array(
            [
                [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
                [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
                [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
            ]
        )
        r1, r2, r3 = R @ (E1 + (R.T @ force) / self.forces)
        a, b, c = self.flexibility @ (R.T @ state[7:])
        turning = (-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a)
        f1, f2, f3 = force
        moments = (r3 * f2 - r2 * f3, r1 * f3 - r3 * f1, r2 * f1 - r1 * f2)
        return np.array([r1, r2, r3, *(0.5 * rate for rate in turning), *moments])
