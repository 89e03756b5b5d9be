"""Random mechanisms with closed loops: that coast without any force, and that drivers move."""

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

AXIS = np.array([0.0, 0.0, 1.0])
QUIET = {"gravity": (0.0, 0.0, 0.0)}


@dataclass
class Loop:
    """A mechanism, its speed (rad/s), its driven joint or the joints that turn at constant speed, and its load (N m)."""

    system: fm.System
    speed: float
    joints: list
    load: float = 0.0


def bar(mass, edge):
    """A rod along ``edge`` with some inertia about its axis."""
    length = float(np.linalg.norm(edge))
    along = edge / length
    inertia = mass * length**2 * ((np.eye(3) - np.outer(along, along)) / 12.0 + 2e-3 * np.eye(3))
    return fm.RigidBody(mass, inertia, tuple(0.5 * edge))


def hinged_chain(system, rng, points, axes, rate=None):
    """Bars through ``points``, of which the first and last are on ground; the hinge of the first bar."""
    before, first = system.ground.marker("start", tuple(points[0])), None
    for i, (a, b) in enumerate(zip(points[:-1], points[1:], strict=True)):
        body = system.add(bar(rng.uniform(0.5, 2.0), b - a), f"bar{i}")
        joint = system.revolute(before, body["origin"], axis=tuple(axes[i]), name=f"hinge{i}", rate=rate if i == 0 else None)
        first = first or joint
        before = body.marker("end", tuple(b - a))
    system.revolute(before, system.ground.marker("finish", tuple(points[-1])), axis=tuple(axes[-1]), name="last")
    return first


def coupled_wheels(rng, speed, wheels, rods, driven=False):
    """Wheels whose crank pins rods of the length of their distance couple: all turn alike, for ever."""
    system = fm.System(**QUIET)
    angle, radius, distance = rng.uniform(0.2, 6.0), rng.uniform(0.02, 0.1), rng.uniform(0.12, 0.4)
    directions = np.cumsum(np.append(0.0, rng.uniform(0.4, 1.4, rods - 1)))
    discs = [system.add(fm.RigidBody.cylinder(7800.0, 0.05, 0.02, axis="z"), f"wheel{i}") for i in range(wheels)]
    start = {} if driven else {"rate": speed}
    axles = []
    for i, disc in enumerate(discs):
        bearing = system.ground.marker(f"bearing{i}", (i * distance, 0.0, 0.0))
        axles.append(system.revolute(bearing, disc["origin"], angle=angle, name=f"axle{i}", **start))
    for k, direction in enumerate(directions):
        pin = (radius * np.cos(direction), radius * np.sin(direction), 0.05 * k)
        for i in range(wheels - 1):
            rod = system.add(fm.RigidBody.rod(0.2, distance), f"rod{k}{i}")
            system.revolute(discs[i].marker(f"pin{k}{i}", pin), rod["origin"], angle=-angle)
            system.revolute(rod.marker("end", (distance, 0.0, 0.0)), discs[i + 1].marker(f"pin{k}{i} of the next", pin))
    loop = Loop(system, speed, axles)
    if driven:
        axles[0].prescribe(fm.Polynomial([angle, speed]))
        loop.load = rng.uniform(0.1, 2.0)
        system.torque(discs[-1]["origin"], (0.0, 0.0, -loop.load))
    return loop


def parallelogram(rng, speed):
    crank, base, angle = rng.uniform(0.1, 0.5), rng.uniform(0.2, 1.0), rng.uniform(0.3, 2.8)
    tip, base = crank * np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([base, 0.0, 0.0])
    system = fm.System(**QUIET)
    return Loop(system, speed, [hinged_chain(system, rng, [0.0 * tip, tip, tip + base, base], [AXIS] * 4, speed)])


def four_bar_points(rng):
    """Corners of a four-bar whose crank turns around, away from change points."""
    while True:
        lengths, lengths[0] = rng.uniform(0.3, 1.0, 4), rng.uniform(0.1, 0.25)
        shortest, second, third, longest = np.sort(lengths)
        if shortest == lengths[0] and shortest + longest < second + third - 0.03:
            break
    angle = rng.uniform(0.0, 2.0 * np.pi)
    tip, far = lengths[0] * np.array([np.cos(angle), np.sin(angle), 0.0]), np.array([lengths[3], 0.0, 0.0])
    reach = np.linalg.norm(far - tip)
    along = (far - tip) / reach
    x = 0.5 * (lengths[1] ** 2 - lengths[2] ** 2 + reach**2) / reach
    corner = tip + x * along + np.sqrt(lengths[1] ** 2 - x * x) * np.cross(AXIS, along)
    return [0.0 * tip, tip, corner, far]


def four_bar(rng, speed):
    system = fm.System(**QUIET)
    return Loop(system, speed, [hinged_chain(system, rng, four_bar_points(rng), [AXIS] * 4, speed)])


def windows(rng, speed):
    """Up to three four-bars of equal rods in a row, as in the IFToMM benchmark."""
    system, before = fm.System(**QUIET), None
    length, angle, joints = rng.uniform(0.3, 1.0), rng.uniform(0.4, 2.7), []
    for i in range(int(rng.integers(2, 5))):
        vertical = system.add(fm.RigidBody.rod(rng.uniform(0.5, 2.0), length), f"vertical{i}")
        foot = system.ground.marker(f"foot{i}", (i * length, 0.0, 0.0))
        joints.append(system.revolute(foot, vertical["origin"], angle=angle, rate=speed, name=f"hinge{i}"))
        top = vertical.marker("top", (length, 0.0, 0.0))
        if before is not None:
            beam = system.add(fm.RigidBody.rod(1.0, length), f"beam{i}")
            system.revolute(before, beam["origin"], angle=-angle)
            system.revolute(beam.marker("right", (length, 0.0, 0.0)), top)
        before = top
    return Loop(system, speed, joints)


def spatial_four_bar(rng, speed):
    """Crank, coupler on a universal and a ball joint, rocker about any axis."""
    system = fm.System(**QUIET)
    tip = np.array([rng.uniform(0.1, 0.3), 0.0, 0.0])
    pivot = np.array([rng.uniform(0.5, 1.0), rng.uniform(0.3, 0.8), rng.uniform(-0.3, 0.3)])
    while True:  # the coupler must be able to push the rocker
        axis, some = rng.normal(size=3), rng.normal(size=3)
        arm = np.cross(axis, some) / np.linalg.norm(np.cross(axis, some))
        ball = pivot + rng.uniform(0.5, 0.9) * arm
        if abs(np.cross(axis, arm) @ (ball - tip)) > 0.3 * np.linalg.norm(axis) * np.linalg.norm(ball - tip):
            break
    parts = ("crank", 1.0, tip), ("coupler", 1.5, ball - tip), ("rocker", 0.8, ball - pivot)
    crank, coupler, rocker = (system.add(bar(mass, edge), name) for name, mass, edge in parts)
    along = (ball - tip) / np.linalg.norm(ball - tip)
    across = np.cross(along, some) / np.linalg.norm(np.cross(along, some))
    drive = system.revolute(system.ground["origin"], crank["origin"], rate=speed, name="drive")
    first, second = tuple(across), tuple(np.cross(along, across))
    system.universal(crank.marker("end", tuple(tip)), coupler["origin"], first=first, second=second)
    system.revolute(system.ground.marker("pivot", tuple(pivot)), rocker["origin"], axis=tuple(axis / np.linalg.norm(axis)))
    system.spherical(coupler.marker("end", tuple(ball - tip)), rocker.marker("end", tuple(ball - pivot)))
    return Loop(system, speed, [drive])


def gears(rng, speed):
    """A planet on a turning carrier, and a shaft that follows sun and planet."""
    system = fm.System(**QUIET)
    sun_radius, planet_radius = rng.uniform(0.05, 0.2, 2)
    arm = sun_radius + planet_radius
    names = ("sun", sun_radius), ("planet", planet_radius), ("out", 0.1)
    sun, planet, out = (system.add(fm.RigidBody.cylinder(7800.0, r, 0.02, axis="z"), name) for name, r in names)
    carrier = system.add(fm.RigidBody.rod(1.0, arm), "carrier")
    drive = system.revolute(system.ground["origin"], carrier["origin"], rate=speed, name="drive")
    one = system.revolute(carrier["origin"], sun["origin"], name="one")
    two = system.revolute(carrier.marker("tip", (arm, 0.0, 0.0)), planet["origin"], name="two")
    shaft = system.revolute(system.ground.marker("shaft", (0.0, 0.0, 0.1)), out["origin"], name="shaft")
    system.gear(one, two, ratio=-sun_radius / planet_radius)
    system.couple((shaft, 1.0), (two, -0.5), (one, -0.3))
    return Loop(system, speed, [drive])


def bennett(rng, speed):
    """Bennett's overconstrained four-bar: lengths a, b and twists with a / sin(alpha) = b / sin(beta)."""
    a, alpha, theta = rng.uniform(0.2, 0.5), rng.uniform(0.3, 0.7), rng.uniform(0.5, 2.5)
    beta = alpha + rng.uniform(0.1, 0.5)
    b = a * np.sin(beta) / np.sin(alpha)
    other = 2.0 * np.arctan(np.sin(0.5 * (beta + alpha)) / np.sin(0.5 * (beta - alpha)) / np.tan(0.5 * theta))
    frame, points, axes = np.eye(4), [np.zeros(3)], [AXIS]
    for turn, length, twist in ((theta, a, alpha), (other, b, beta), (-theta, a, alpha)):
        c, s, ct, st = np.cos(turn), np.sin(turn), np.cos(twist), np.sin(twist)
        frame = frame @ [
            [c, -s * ct, s * st, length * c],
            [s, c * ct, -c * st, length * s],
            [0.0, st, ct, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
        points.append(frame[:3, 3])
        axes.append(frame[:3, 2])
    system = fm.System(**QUIET)
    return Loop(system, speed, [hinged_chain(system, rng, points, axes, speed)])


def slider_crank(rng, speed):
    """With an offset or without; a quarter have rod and crank of one length, whose slider passes the axle."""
    system = fm.System(**QUIET)
    crank, rod, angle, offset = rng.uniform(0.1, 0.3), rng.uniform(0.35, 1.0), rng.uniform(0.3, 1.2), rng.uniform(-0.04, 0.04)
    if rng.random() < 0.25:
        rod, offset = crank, 0.0
    tip = crank * np.array([np.cos(angle), np.sin(angle), 0.0])
    pin = np.array([tip[0] + np.sqrt(rod**2 - (tip[1] - offset) ** 2), offset, 0.0])
    first, second, slider = (
        system.add(bar(1.0, tip), "crank"),
        system.add(bar(0.7, pin - tip), "rod"),
        system.add(block(), "slider"),
    )
    drive = system.revolute(system.ground["origin"], first["origin"], rate=speed, name="drive")
    system.revolute(first.marker("end", tuple(tip)), second["origin"])
    system.prismatic(system.ground.marker("guide", tuple(pin)), slider["origin"], axis="x")
    system.revolute(second.marker("end", tuple(pin - tip)), slider["origin"])
    return Loop(system, speed, [drive])


def block():
    return fm.RigidBody(0.5, (0.01, 0.01, 0.01))


COASTING = {
    "two wheels, two rods": lambda rng, speed: coupled_wheels(rng, speed, 2, 2),
    "two wheels, one rod": lambda rng, speed: coupled_wheels(rng, speed, 2, 1),
    "wheels and rods": lambda rng, speed: coupled_wheels(rng, speed, 3, int(rng.integers(2, 4))),
    "parallelogram": parallelogram,
    "four-bar": four_bar,
    "windows": windows,
    "spatial four-bar": spatial_four_bar,
    "gears": gears,
    "bennett": bennett,
    "slider-crank": slider_crank,
}


def cardan_shaft(rng, speed):
    """A shaft with one or two universal joints under a torque at its end."""
    system, angle, load = fm.System(**QUIET), rng.uniform(0.1, 0.6), rng.uniform(1.0, 20.0)
    shaft, half = fm.RigidBody(1.0, (0.05, 0.03, 0.03)), fm.RigidBody(0.5, (0.01, 0.01, 0.01))
    start, end, front, back = (system.add(body, name) for body, name in ((shaft, "in"), (shaft, "out"), (half, "m"), (half, "q")))
    drive = system.revolute(system.ground["origin"], start["origin"], axis="x", name="drive")
    system.universal(start["origin"], front["origin"], first="y", second="z", angle2=angle)
    across = np.array([np.cos(angle), np.sin(angle), 0.0])
    if rng.random() < 0.5:
        system.prismatic(front["origin"], back["origin"], axis="x", displacement=1.0 / np.cos(angle))
        system.universal(back["origin"], end["origin"], first="z", second="y", angle1=-angle)
        bearing, across = system.ground.marker("far", (1.0, np.tan(angle), 0.0)), np.array([1.0, 0.0, 0.0])
    else:
        system.prismatic(front["origin"], back["origin"], axis="x", displacement=1.0)
        system.fixed(back["origin"], end["origin"])
        bearing = system.ground.marker("far", tuple(across), fm.rotation((0.0, 0.0, angle)))
    system.revolute(bearing, end["origin"], axis="x", name="bearing")
    system.torque(end["origin"], tuple(-load * across))
    drive.prescribe(fm.Polynomial([0.0, speed]))
    return Loop(system, speed, [drive])


def driven_four_bar(rng, speed):
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    drive = hinged_chain(system, rng, four_bar_points(rng), [AXIS] * 4)
    drive.prescribe(fm.Polynomial([0.0, 0.0, 0.2 * speed]))
    return Loop(system, speed, [drive])


def engine(rng, speed):
    """A crankshaft with up to three pistons under constant forces."""
    system, radius = fm.System(gravity=(0.0, -9.81, 0.0)), rng.uniform(0.03, 0.08)
    length = radius * rng.uniform(2.2, 4.0)
    shaft = system.add(fm.RigidBody.cylinder(7800.0, 0.08, 0.1, axis="z"), "shaft")
    drive = system.revolute(system.ground["origin"], shaft["origin"], name="drive")
    for k in range(int(rng.integers(1, 4))):
        angle, place = rng.uniform(0.0, 2.0 * np.pi), 0.1 * k * AXIS
        tip = radius * np.array([np.cos(angle), np.sin(angle), 0.0])
        pin = np.array([tip[0] + np.sqrt(length**2 - tip[1] ** 2), 0.0, 0.0])
        rod, piston = system.add(bar(0.7, pin - tip), f"rod{k}"), system.add(block(), f"piston{k}")
        system.revolute(shaft.marker(f"pin{k}", tuple(tip + place)), rod["origin"])
        system.prismatic(system.ground.marker(f"bore{k}", tuple(pin + place)), piston["origin"], axis="x")
        system.revolute(rod.marker("end", tuple(pin - tip)), piston["origin"])
        system.force(piston["origin"], (-rng.uniform(10.0, 500.0), 0.0, 0.0))
    drive.prescribe(fm.Polynomial([0.0, speed]))
    return Loop(system, speed, [drive])


def platform(rng, speed):
    """A hexapod whose legs move as sines."""
    system, height = fm.System(gravity=(0.0, 0.0, -9.81)), 0.9
    plate = system.add(fm.RigidBody.cylinder(2000.0, 0.6, 0.05, axis="z"), "plate")
    legs = []
    for k in range(6):
        angle, sign = np.pi / 3.0 * k, 1.0 if k % 2 else -1.0
        foot = np.array([np.cos(angle - 0.2 * sign), np.sin(angle - 0.2 * sign), 0.0])
        top = 0.6 * np.array([np.cos(angle + 0.2 * sign), np.sin(angle + 0.2 * sign), 0.0])
        edge = top + height * AXIS - foot
        length = float(np.linalg.norm(edge))
        across = np.cross(AXIS, edge) / np.linalg.norm(np.cross(AXIS, edge))
        frame = np.column_stack([edge / length, across, np.cross(edge / length, across)])
        lower = system.add(fm.RigidBody(1.0, (0.01, 0.02, 0.02), (0.2, 0.0, 0.0)), f"lower{k}")
        upper = system.add(fm.RigidBody(0.6, (0.005, 0.01, 0.01), (-0.2, 0.0, 0.0)), f"upper{k}")
        system.universal(system.ground.marker(f"foot{k}", tuple(foot), frame), lower["origin"], first="y", second="z")
        leg = system.prismatic(lower["origin"], upper["origin"], axis="x", displacement=length, name=f"leg{k}")
        start = {"rotation": frame.T} if k == 0 else {}
        system.spherical(upper["origin"], plate.marker(f"top{k}", tuple(top)), **start)
        leg.prescribe(fm.Harmonic(rng.uniform(0.02, 0.08), 0.04 * abs(speed) / (2.0 * np.pi) + 0.2, offset=length))
        legs.append(leg)
    return Loop(system, speed, legs)


DRIVEN = {
    "cardan shaft": cardan_shaft,
    "wheels": lambda rng, speed: coupled_wheels(rng, speed, int(rng.integers(2, 4)), int(rng.integers(2, 4)), driven=True),
    "four-bar": driven_four_bar,
    "engine": engine,
    "platform": platform,
}


def random_loop(kinds, number):
    """Mechanism ``number`` of ``kinds``, the generator that its other choices come from, and its kind."""
    rng, kind = np.random.default_rng(number), list(kinds)[number % len(kinds)]
    return kinds[kind](rng, rng.uniform(1.0, 25.0) * rng.choice([-1.0, 1.0])), rng, kind
