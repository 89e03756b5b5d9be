"""A four-bar linkage of boxes in the plane x y: crank 'A', coupler 'B', 'C', rocker 'D'."""

import flexmbs as fm

CRANK, COUPLER, ROCKER, FRAME = 0.4, 1.0, 0.8, 1.0  # m; Grashof: the crank turns fully


def bar(length: float) -> fm.RigidBody:
    return fm.RigidBody.box(1000.0, (length, 0.02, 0.02), center=(0.5 * length, 0.0, 0.0))


def four_bar(coordinates: str = "reduced", speed: float | None = None, angle: float = 0.9) -> fm.System:
    """The linkage; with ``speed`` (rad/s) the crank is driven."""
    system = fm.System(gravity=(0.0, -9.81, 0.0), coordinates=coordinates)
    ground = system.ground
    crank, coupler, rocker = (
        system.add(bar(length), name=name) for length, name in ((CRANK, "crank"), (COUPLER, "coupler"), (ROCKER, "rocker"))
    )
    a = system.revolute(ground.marker("A"), crank["origin"], angle=angle, name="A")
    system.revolute(crank.marker("end", position=(CRANK, 0.0, 0.0)), coupler["origin"], name="B")
    system.revolute(ground.marker("D", position=(FRAME, 0.0, 0.0)), rocker["origin"], angle=1.6, name="D")
    coupler.marker("end", position=(COUPLER, 0.0, 0.0))
    system.revolute(coupler["end"], rocker.marker("end", position=(ROCKER, 0.0, 0.0)), name="C")
    if speed is not None:
        a.prescribe(fm.Polynomial([angle, speed]))
    return system


def rocker_angle(crank_angle: float) -> float:
    """Angle of the rocker in closed form, the branch with the joint C above the line from crank end to D."""
    import numpy as np

    end = CRANK * np.array([np.cos(crank_angle), np.sin(crank_angle)])
    line = end - [FRAME, 0.0]
    distance = np.hypot(*line)
    inner = np.arccos((ROCKER**2 + distance**2 - COUPLER**2) / (2.0 * ROCKER * distance))
    return float(np.arctan2(line[1], line[0]) - inner) % (2.0 * np.pi)
