"""Parameters of a case with one of every kind, for tests of studies."""

from dataclasses import dataclass

import flexmbs as fm


@dataclass(frozen=True)
class Parameters:
    length: float = fm.parameter(1.0, "m", "length of the rod", minimum=0.1, maximum=2.0)
    density: float = fm.parameter(7850.0, "kg/m3", "density", minimum=0.0)
    stiffness: float = fm.parameter(1e9, "Pa", "Young's modulus")
    modes: int = fm.parameter(3, "", "number of modes", minimum=1)
    seed: int = fm.parameter(0, "", "seed of the noise", minimum=0, maximum=99)
    stop: bool = fm.parameter(True, "", "whether there is a stop")
    mesh: str = fm.parameter("rod.inp", "", "mesh file")
    damping: float | None = fm.parameter(None, "s", "none: of the mesh")
    axis: tuple = fm.parameter((0.0, 0.0, 1.0), "", "axis of the joint")
    start: tuple | None = fm.parameter(None, "m", "start; none: at rest")
