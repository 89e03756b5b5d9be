"""The floor below a motion, with a grid of round spacing and the shadows of the bodies on it."""

from __future__ import annotations

import numpy as np

from flexmbs.view.colours import round_step

BELOW = 0.004  # of the size: distance of the floor from the lowest point
SPACING = 6  # lines of the grid at most across the size of the motion
DEPTH = 0.3  # least width and depth relative to the size
MARGIN = 0.04


class Floor:
    """A rectangle below the motion whose points are ``points`` (k, 3) m; ``up``: unit vector (3,); ``size``: m."""

    def __init__(self, points: np.ndarray, up: np.ndarray, size: float) -> None:
        self.up, self.size = up, size
        self.level = float((points @ up).min()) - BELOW * size
        first = _across(up)
        self.axes = np.stack([first, np.cross(up, first)])
        along = points @ self.axes.T
        low, high = along.min(axis=0) - MARGIN * size, along.max(axis=0) + MARGIN * size
        lacking = np.maximum(0.0, DEPTH * size - (high - low))
        self.low, self.high = low - 0.5 * lacking, high + 0.5 * lacking

    @property
    def corners(self) -> np.ndarray:
        """(4, 3) m."""
        (x0, y0), (x1, y1) = self.low, self.high
        return self._on_floor(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))

    def grid(self) -> np.ndarray:
        """(k, 2, 3) m, ends of the lines of the grid, at multiples of a round spacing."""
        extent = float((self.high - self.low).max())  # of what moves, which may be far larger than the bodies
        step = round_step(max(self.size, extent / 20.0), SPACING)
        lines = []
        for axis in (0, 1):
            other = 1 - axis
            for at in step * np.arange(np.ceil(self.low[axis] / step), np.floor(self.high[axis] / step) + 1):
                ends = np.zeros((2, 2))
                ends[:, axis], ends[:, other] = at, (self.low[other], self.high[other])
                lines.append(self._on_floor(ends))
        return np.array(lines).reshape(-1, 2, 3)

    def flattening(self) -> np.ndarray:
        """(4, 4) matrix that projects points straight down onto the floor, a little above it."""
        found = np.eye(4)
        found[:3, :3] -= np.outer(self.up, self.up)
        found[:3, 3] = (self.level + 0.25 * BELOW * self.size) * self.up
        return found

    def _on_floor(self, places: np.ndarray) -> np.ndarray:
        return places @ self.axes + self.level * self.up


class FloorActors:
    """The floor in a pyvista plotter."""

    def __init__(self, plotter, floor: Floor, color: str, line_color: str) -> None:
        import pyvista

        look = {"lighting": False, "pickable": False}
        plane = plotter.add_mesh(pyvista.PolyData(floor.corners, [4, 0, 1, 2, 3]), color=color, name="floor", **look)
        _behind(plane, 4.0)
        grid = floor.grid()
        if len(grid):
            pairs = np.arange(2 * len(grid)).reshape(-1, 2)
            lines = pyvista.PolyData(grid.reshape(-1, 3), lines=np.insert(pairs, 0, 2, axis=1).ravel())
            _behind(plotter.add_mesh(lines, color=line_color, line_width=1, name="grid", **look), 2.0)


def _behind(actor, shift: float) -> None:
    """Draw an actor as if it were a little farther away: what lies on the floor is seen."""
    mapper = actor.mapper
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(0.0, shift)
    mapper.SetRelativeCoincidentTopologyLineOffsetParameters(0.0, shift)


def _across(up: np.ndarray) -> np.ndarray:
    """Horizontal unit vector (3,), as near to a world axis as possible."""
    axis = np.eye(3)[int(np.argmin(np.abs(up)))]
    found = axis - (axis @ up) * up
    return found / np.linalg.norm(found)
