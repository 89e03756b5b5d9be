"""Spheres thrown at obstacles so soft that they fly on: every passage through one must be found as a contact.

Random radius, speed, tolerance and step. The obstacles stand near the path, some of them much smaller than what the
sphere moves in a step: points and spheres at rest, points on a driven fan, planes, thin plates and bars with edges.
Without resistance the paths are known: a contact is expected wherever the gap, a function of time in closed form, is
negative. Passages shallower than ``GRAZE`` of the radius are left out, because rounding decides them.
"""

from __future__ import annotations

import numpy as np

import flexmbs as fm

GRAZE = 1e-6
SOFT = fm.PowerLaw(1e-12, 1.5)
T_END = 1.0
GRAVITY = np.array([0.0, 0.0, -9.81])
SAMPLES = 20001


class Throw:
    """One sphere, and obstacles along its path.

    Attributes
    ----------
    system : to simulate for ``T_END`` with ``rtol`` and ``integrator``
    gaps : name of a contact -> its gap (m) as a function of times (n,)
    """

    def __init__(self, seed: int, obstacles: int):
        self.rng = rng = np.random.default_rng(seed)
        self.rtol = 10.0 ** rng.uniform(-9.0, -2.0)
        self.integrator = str(rng.choice(["explicit", "radau"]))
        self.radius, speed = 10.0 ** rng.uniform(-3.5, -1.3), 10.0 ** rng.uniform(-1.0, 1.7)
        self.start, self.velocity = rng.normal(size=3), speed * rng.normal(size=3)
        self.system, self.gaps = fm.System(gravity=GRAVITY), {}
        ball = self.system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), "ball", position=self.start, velocity=self.velocity)
        self.ball = fm.Sphere(ball["origin"], self.radius)
        self.speed = 10.0 ** rng.uniform(-1.0, 2.0)  # rad/s of the fan
        self.hub = self.position(0.5 * T_END)
        fan = self.system.add(fm.RigidBody(1.0, (1.0, 1.0, 1.0)), "fan")
        axle = self.system.ground.marker("axle", position=self.hub)
        turn = self.system.revolute(axle, fan["origin"], axis="z", name="axle of the fan")
        turn.prescribe(fm.Polynomial([0.0, self.speed]))
        self.fan = fan
        for number in range(obstacles):
            kind = (self.add_point, self.add_blade, self.add_plane, self.add_box)[number % 4]
            kind(f"{kind.__name__.removeprefix('add_')} {number}")

    def position(self, t):
        """Centre of the sphere at times ``t``."""
        t = np.asarray(t)[..., None]
        return self.start + self.velocity * t + 0.5 * GRAVITY * t * t

    def beside(self, t: float, reach: float) -> np.ndarray:
        """A place about ``reach`` away from the path at time ``t``."""
        return self.position(t) + 1.2 * reach * self.rng.normal(size=3) / np.sqrt(3.0)

    def add_point(self, name: str) -> None:
        radius = self.rng.choice([0.0, 0.1, 1.0]) * self.radius
        place = self.beside(self.rng.uniform(0.05, 0.95) * T_END, self.radius + radius)
        if np.linalg.norm(self.start - place) < 1.01 * (self.radius + radius):  # it would start inside
            return
        marker = self.system.ground.marker(name, position=place)
        shape = fm.Sphere(marker, radius) if radius > 0.0 else fm.Point(marker)
        self.system.contact(self.ball, shape, law=SOFT, name=name)
        self.gaps[name] = lambda t: np.linalg.norm(self.position(t) - place, axis=-1) - self.radius - radius

    def add_blade(self, name: str) -> None:
        time = self.rng.uniform(0.3, 0.7) * T_END
        x, y, z = self.beside(time, self.radius) - self.hub
        c, s = np.cos(self.speed * time), np.sin(self.speed * time)
        place = np.array([c * x + s * y, c * y - s * x, z])
        if np.linalg.norm(self.start - self.hub - place) < 1.01 * self.radius:
            return
        self.system.contact(self.ball, fm.Point(self.fan.marker(name, position=place)), law=SOFT, name=name)

        def gap(t):
            c, s = np.cos(self.speed * t), np.sin(self.speed * t)
            tip = np.stack([c * place[0] - s * place[1], s * place[0] + c * place[1], 0.0 * t + place[2]], axis=-1)
            return np.linalg.norm(self.position(t) - self.hub - tip, axis=-1) - self.radius

        self.gaps[name] = gap

    def add_plane(self, name: str) -> None:
        time = self.rng.uniform(0.2, 0.8) * T_END
        normal = self.rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        normal *= -np.sign(normal @ GRAVITY) or 1.0  # the sphere falls back through it
        depth = 10.0 ** self.rng.uniform(-6.0, 0.0) * self.radius
        times = np.linspace(0.0, T_END, SAMPLES)
        place = self.position(time)
        reach = (self.position(times) - place) @ normal
        lift = self.radius - depth if self.rng.random() < 0.5 else 0.0
        place = place + (reach.min() - lift) * normal if lift else place
        if (self.start - place) @ normal - self.radius < 1e-3 * self.radius:  # it starts inside
            return
        plane = fm.Plane(self.system.ground.marker(name, position=place), normal=tuple(normal))
        self.system.contact(self.ball, plane, law=SOFT, name=name)
        self.gaps[name] = lambda t: (self.position(t) - place) @ normal - self.radius

    def add_box(self, name: str) -> None:
        """A plate, bar or cube with edges from a hundredth of the radius to ten radii."""
        half = self.radius * 10.0 ** self.rng.uniform(-2.0, 1.0, 3)
        place = self.beside(self.rng.uniform(0.05, 0.95) * T_END, self.radius + half.mean())
        turn, _ = np.linalg.qr(self.rng.normal(size=(3, 3)))
        turn *= np.sign(np.linalg.det(turn))

        def gap(t):
            beyond = np.abs((self.position(t) - place) @ turn) - half
            outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=-1)
            return outside + np.minimum(beyond.max(axis=-1), 0.0) - self.radius

        if gap(0.0) < 1e-2 * self.radius:
            return
        marker = self.system.ground.marker(name, position=place, rotation=turn)
        self.system.contact(self.ball, fm.Box(marker, tuple(2.0 * half)), law=SOFT, name=name)
        self.gaps[name] = gap


def passages(gap, graze: float) -> int | None:
    """How often a gap is negative for a while; None where that is a matter of rounding."""
    t = np.linspace(0.0, T_END, SAMPLES)
    values = gap(t)
    lows = np.flatnonzero((values[1:-1] <= values[:-2]) & (values[1:-1] < values[2:])) + 1
    count = 0
    inside = values[0] < 0.0
    if inside or abs(values[-1]) < graze:
        return None
    closed = []
    for i in lows:
        fine = np.linspace(t[i - 1], t[i + 1], 2001)
        low = gap(fine).min()
        if abs(low) < graze:
            return None
        closed.append(low)
    # intervals of negative gap: sign changes of the samples, and lows between them
    negative = values < 0.0
    count = int(np.count_nonzero(negative[1:] & ~negative[:-1]))
    for i, low in zip(lows, closed, strict=True):
        if low < 0.0 and not negative[i - 1 : i + 2].any():
            count += 1
    highs = np.flatnonzero((values[1:-1] >= values[:-2]) & (values[1:-1] > values[2:])) + 1
    for i in highs:
        if abs(gap(np.linspace(t[i - 1], t[i + 1], 2001)).max()) < graze:
            return None
    return count


def missed(seed: int, obstacles: int) -> tuple[int, int, list[str]]:
    """(pairs, passages, those with another number of contacts) of one throw."""
    throw = Throw(seed, obstacles)
    result = throw.system.simulate(T_END, rtol=throw.rtol, integrator=throw.integrator, progress=False)
    found: dict[str, int] = {}
    for contact in result.contacts:
        found[contact.name] = found.get(contact.name, 0) + 1
    pairs = expected = 0
    wrong = []
    for name, gap in throw.gaps.items():
        count = passages(gap, GRAZE * throw.radius + 10.0 * throw.rtol * throw.radius)
        if count is None:
            continue
        pairs += 1
        expected += count
        if count != found.get(name, 0):
            wrong.append(f"seed {seed}, {name}: {count} passages, {found.get(name, 0)} contacts")
    return pairs, expected, wrong
