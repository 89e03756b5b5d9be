"""Spheres in a box as every code gets them, and their energy."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, pi

import numpy as np
from scipy.spatial import cKDTree


@dataclass(frozen=True)
class Run:
    """Positions and velocities (n, 3) at the end, seconds of the steps, their number, contacts (None: unknown)."""

    positions: np.ndarray
    velocities: np.ndarray
    seconds: float
    steps: int
    contacts: int | None = None


class Box:
    """``count`` spheres on a grid, each moved a little, with random velocities."""

    radius, density, stiffness, spacing = 0.005, 2500.0, 1e5, 2.5

    def __init__(self, count: int):
        rng, cell = np.random.default_rng(1), self.spacing * self.radius
        side = ceil(round(count ** (1.0 / 3.0), 9))
        numbers = np.arange(count)
        grid = np.stack([numbers % side, numbers // side % side, numbers // side**2], axis=-1) + 0.5
        self.side = side * cell
        self.places = cell * grid + 0.2 * self.radius * rng.uniform(-1.0, 1.0, (count, 3))
        self.velocities = rng.normal(size=(count, 3))
        self.mass = self.density * 4.0 / 3.0 * pi * self.radius**3

    def walls(self):
        """Name, point and inward normal of each wall."""
        for axis in range(3):
            normal = np.eye(3)[axis]
            yield f"low {axis}", np.zeros(3), normal
            yield f"high {axis}", self.side * normal, -normal

    def energy(self, positions: np.ndarray, velocities: np.ndarray) -> float:
        """Kinetic energy and that of the springs, J."""
        total = 0.5 * self.mass * float((velocities**2).sum())
        pairs = cKDTree(positions).query_pairs(2.0 * self.radius, output_type="ndarray")
        depths = 2.0 * self.radius - np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1)
        walls = np.concatenate([self.radius - positions, self.radius - (self.side - positions)])
        return total + 0.5 * self.stiffness * float((depths**2).sum() + (np.maximum(walls, 0.0) ** 2).sum())
